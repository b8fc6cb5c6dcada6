"""Planar chains of rods as model text: pin-jointed, in maximal coordinates, from the horizontal position at rest."""


def chain(n, stiffness=0.0, until=1.0):
    """n rods of length 1 m and mass 1 kg; with stiffness, springs and dampers of a thousandth of it in the joints."""
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
