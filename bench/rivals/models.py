"""Problems of the benchmark as text, and their exact solutions where the motion is one ordinary differential equation."""
import math


def chain(n, stiffness=0.0, until=1.0):
    """A planar chain, pin-jointed, in maximal coordinates, released level: n rods of 1 m and 1 kg; with
    stiffness, springs and dampers of a thousandth of it in the joints."""
    spring = "k*(phi[i] - phi[i-1]) + c*(w[i] - w[i-1])"
    joints = ""
    if stiffness:
        joints = f"""  tau[1] = k*phi[1] + c*w[1];
  for i in 2:n loop
    tau[i] = {spring};
  end for;
"""
    torque = " - tau[i] + tau[i+1]" if stiffness else ""
    last = " - tau[n]" if stiffness else ""
    declared = "  Real tau[n] \"torques in the joints\";\n" if stiffness else ""
    return f"""model Chain "{n} rods, pin-jointed, position level: index 3"
  constant Integer n = {n};
  parameter Real L = 1, m = 1, J = 1/12, g = 9.81, k = {stiffness:g}, c = {stiffness / 1000:g};
  Real x[n](start = {{(i - 0.5)*L for i in 1:n}}), y[n](each start = 0), phi[n](each start = 0, each fixed = true);
  Real vx[n], vy[n](each start = 0), w[n](each start = 0, each fixed = true);
  Real fx[n], fy[n] "forces in the joints";
{declared}equation
  for i in 1:n loop
    der(x[i]) = vx[i];
    der(y[i]) = vy[i];
    der(phi[i]) = w[i];
  end for;
{joints}  for i in 1:n-1 loop
    m*der(vx[i]) = fx[i] - fx[i+1];
    m*der(vy[i]) = fy[i] - fy[i+1] - m*g;
    J*der(w[i]) = L/2*sin(phi[i])*(fx[i] + fx[i+1]) - L/2*cos(phi[i])*(fy[i] + fy[i+1]){torque};
  end for;
  m*der(vx[n]) = fx[n];
  m*der(vy[n]) = fy[n] - m*g;
  J*der(w[n]) = L/2*sin(phi[n])*fx[n] - L/2*cos(phi[n])*fy[n]{last};
  x[1] - L/2*cos(phi[1]) = 0;
  y[1] - L/2*sin(phi[1]) = 0;
  for i in 2:n loop
    x[i] - L/2*cos(phi[i]) - x[i-1] - L/2*cos(phi[i-1]) = 0;
    y[i] - L/2*sin(phi[i]) - y[i-1] - L/2*sin(phi[i-1]) = 0;
  end for;
  annotation(experiment(StopTime = {until:g}, Tolerance = 1e-6));
end Chain;
"""


def _chain_mjcf(n, joint):
    """n slender rods, together 10 m long, hung one on the other by joints and held out straight."""
    link = 10.0 / n
    bodies = [f'<body name="b{k}" pos="{link if k else 0} 0 0"><joint name="j{k}" {joint(k)}/><geom fromto="0 0 0 {link} 0 0"/>'
              for k in range(n)]
    return ('<mujoco model="Chain"><default><geom type="capsule" size="0.02" mass="1" contype="0" conaffinity="0"/></default>'
            "<worldbody>" + "\n".join(bodies) + "</body>" * n + "</worldbody></mujoco>\n")


def ball_chain_mjcf(n):
    return _chain_mjcf(n, lambda k: 'type="ball"')


def hinge_chain_mjcf(n):
    """With hinges that are level and upright in turn."""
    return _chain_mjcf(n, lambda k: 'axis="0 1 0"' if k % 2 else 'axis="0 0 1"')


def n_four_bar_mjcf(n, step, settings):
    """The linkages of problems/n_four_bar.mo for MuJoCo: cranks upright on the ground, couplers as their children, the
    right end of each coupler closed by a connect."""
    rod = '<inertial pos="{}" mass="1" diaginertia="{}"/>'
    crank = rod.format("0 0 0.5", "0.083333333333 0.083333333333 1e-8")
    coupler = rod.format("0.5 0 0", "1e-8 0.083333333333 0.083333333333")
    bodies = []
    for i in range(n + 1):
        child = f'<body name="b{i}" pos="0 0 1"><joint name="L{i}" axis="0 -1 0"/>{coupler}</body>' if i < n else ""
        bodies.append(f'<body name="a{i}" pos="{i} 0 0"><joint name="A{i}" axis="0 -1 0"/>{crank}<site name="B{i}" pos="0 0 1"/>'
                      f'{child}</body>')
    loops = "".join(f'<connect body1="b{i}" body2="a{i + 1}" anchor="1 0 0" {settings}/>' for i in range(n))
    return (f'<mujoco><option timestep="{step!r}" integrator="RK4" gravity="0 0 -9.81" tolerance="1e-12"/>'
            f'<worldbody>{"".join(bodies)}</worldbody><equality>{loops}</equality></mujoco>')


def runge_kutta(slope, state, until, steps, samples):
    """The classical method at a step so small that its error is that of rounding: the reference of problems whose motion
    is one ordinary differential equation."""
    h = until / steps
    rows = []
    for k in range(1, steps + 1):
        a = slope(state)
        b = slope([s + h / 2 * d for s, d in zip(state, a)])
        c = slope([s + h / 2 * d for s, d in zip(state, b)])
        d = slope([s + h * e for s, e in zip(state, c)])
        state = [s + h / 6 * (p + 2 * q + 2 * r + w) for s, p, q, r, w in zip(state, a, b, c, d)]
        if k % (steps // samples) == 0:
            rows.append(state)
    return rows


def n_four_bar_exact(n, until, samples):
    """The tip of the first crank: with parallel cranks the linkage is a pendulum (problems/n_four_bar.mo)."""
    inertia, moment = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    rows = runge_kutta(lambda s: [s[1], -moment / inertia * math.cos(s[0])], [math.pi / 2, -1.0], until, 5000 * int(until), samples)
    return [[math.cos(angle), math.sin(angle)] for angle, _ in rows]


def pendulum_exact(until, samples, steps_a_second=10000):
    """x, y of a pendulum of 1 m released level: angle from the downward vertical, theta'' = -g sin(theta)."""
    rows = runge_kutta(lambda s: [s[1], -9.81 * math.sin(s[0])], [math.pi / 2, 0.0], until, int(steps_a_second * until), samples)
    return [[math.sin(angle), -math.cos(angle)] for angle, _ in rows]


def slider_crank_exact(until, samples, steps_a_second=10000):
    """theta1, theta2 = pi - theta1 of problems/slider_crank.mo on its branch: (1 + 4 cos²) θ'' = 4 sin cos θ'² - 9.8 sin."""
    def slope(s):
        sine, cosine = math.sin(s[0]), math.cos(s[0])
        return [s[1], (4 * sine * cosine * s[1]**2 - 9.8 * sine) / (1 + 4 * cosine**2)]
    rows = runge_kutta(slope, [math.pi / 4, 0.0], until, int(steps_a_second * until), samples)
    return [[angle, math.pi - angle] for angle, _ in rows]
