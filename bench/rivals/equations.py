"""Pendulum, Andrews' squeezer and the transistor amplifier, traced by CasADi for the codes that take functions.

A mechanism is M(q) a + G(q)' λ = f(q, v), g(q) = 0; G and the accelerations that the constraints ask for follow from g."""
import casadi as ca


class Mechanism:
    """Expressions of a mechanism: q, v, M, f, g with G = dg/dq and gamma = -d/dt(G) v, and where it starts."""

    def __init__(self, unknowns, mass, force, loops, start):
        self.q, self.v = unknowns
        self.mass, self.force, self.loops = mass, force, loops
        self.start = start
        self.jacobian = ca.jacobian(loops, self.q)
        self.gamma = -ca.jtimes(ca.mtimes(self.jacobian, self.v), self.q, self.v)

    def accelerations(self):
        """The function (q, v) -> (a, λ), by one factorisation of the saddle."""
        count = self.loops.shape[0]
        saddle = ca.blockcat([[self.mass, self.jacobian.T], [self.jacobian, ca.SX(count, count)]])
        parts = ca.Function("saddle", [self.q, self.v], [ca.densify(saddle), ca.vertcat(self.force, self.gamma)])
        q, v = ca.MX.sym("q", self.q.shape[0]), ca.MX.sym("v", self.q.shape[0])
        matrix, right = parts(q, v)
        return ca.Function("accelerations", [q, v], [ca.solve(matrix, right, "lapacklu")])


def _unknowns(count):
    return ca.SX.sym("q", count), ca.SX.sym("v", count)


def pendulum():
    q, v = _unknowns(2)
    return Mechanism((q, v), ca.SX.eye(2), ca.vertcat(0, -9.81), (q[0]**2 + q[1]**2 - 1) / 2, [1, 0])


def _andrews_mass(q):
    """Mass matrix, with the numbers of problems/andrews.mo."""
    theta, phi, omega = q[1], q[3], q[5]
    mass = ca.SX.zeros(7, 7)
    entries = {
        (0, 0): 0.04325 * 0.00092**2 + 0.00365 * (0.007**2 - 2 * 0.0115 * 0.007 * ca.cos(theta) + 0.0115**2) + 2.194e-6 + 4.410e-7,
        (1, 0): 0.00365 * (0.0115**2 - 0.0115 * 0.007 * ca.cos(theta)) + 4.410e-7,
        (1, 1): 0.00365 * 0.0115**2 + 4.410e-7,
        (2, 2): 0.02373 * (0.01874**2 + 0.01043**2) + 5.255e-6,
        (3, 3): 0.00706 * 0.00579**2 + 5.667e-7,
        (4, 3): 0.00706 * (0.00579**2 + 0.04 * 0.00579 * ca.sin(phi)) + 5.667e-7,
        (4, 4): 0.00706 * (0.04**2 + 2 * 0.04 * 0.00579 * ca.sin(phi) + 0.00579**2) + 0.07050 * (0.02308**2 + 0.00916**2)
        + 5.667e-7 + 1.169e-5,
        (5, 5): 0.00706 * 0.00579**2 + 5.667e-7,
        (6, 5): 0.00706 * (0.00579**2 - 0.04 * 0.00579 * ca.sin(omega)) + 5.667e-7,
        (6, 6): 0.00706 * (0.00579**2 - 2 * 0.04 * 0.00579 * ca.sin(omega) + 0.04**2) + 0.05498 * (0.01228**2 + 0.00449**2)
        + 5.667e-7 + 1.912e-5,
    }
    for (i, k), value in entries.items():
        mass[i, k] = mass[k, i] = value
    return mass


def andrews():
    q, v = _unknowns(7)
    beta, theta, gamma, phi, delta, omega, epsilon = (q[i] for i in range(7))
    xd = 0.02 * ca.cos(gamma) + 0.018 * ca.sin(gamma) - 0.03635
    yd = 0.02 * ca.sin(gamma) - 0.018 * ca.cos(gamma) + 0.03273
    length = ca.sqrt((xd - 0.014)**2 + (yd - 0.072)**2)
    spring = -4530 * (length - 0.07785) / length
    fx, fy = spring * (xd - 0.014), spring * (yd - 0.072)
    force = ca.vertcat(
        0.033 - 0.00365 * 0.0115 * 0.007 * v[1] * (v[1] + 2 * v[0]) * ca.sin(theta),
        0.00365 * 0.0115 * 0.007 * v[0]**2 * ca.sin(theta),
        fx * (0.018 * ca.cos(gamma) - 0.02 * ca.sin(gamma)) + fy * (0.02 * ca.cos(gamma) + 0.018 * ca.sin(gamma)),
        0.00706 * 0.04 * 0.00579 * v[4]**2 * ca.cos(phi),
        -0.00706 * 0.04 * 0.00579 * v[3] * (v[3] + 2 * v[4]) * ca.cos(phi),
        -0.00706 * 0.04 * 0.00579 * v[6]**2 * ca.cos(omega),
        0.00706 * 0.04 * 0.00579 * v[5] * (v[5] + 2 * v[6]) * ca.cos(omega))
    x = 0.007 * ca.cos(beta) - 0.028 * ca.cos(beta + theta)
    y = 0.007 * ca.sin(beta) - 0.028 * ca.sin(beta + theta)
    loops = ca.vertcat(
        x - 0.035 * ca.sin(gamma) + 0.03635,
        y + 0.035 * ca.cos(gamma) - 0.03273,
        x - 0.02 * ca.sin(phi + delta) - 0.04 * ca.cos(delta) + 0.06934,
        y + 0.02 * ca.cos(phi + delta) - 0.04 * ca.sin(delta) + 0.00227,
        x - 0.02 * ca.cos(omega + epsilon) - 0.04 * ca.sin(epsilon) + 0.06934,
        y - 0.02 * ca.sin(omega + epsilon) + 0.04 * ca.cos(epsilon) + 0.00227)
    start = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
             -0.222668390165885885, 1.23054744454982119]
    return Mechanism((q, v), _andrews_mass(q), force, loops, start)


class Amplifier:
    """The transistor amplifier in semi-explicit form, of index 1: states are the voltages over its capacitors,
    x = (y2 - y1, y3, y5 - y4, y6, y8 - y7), and z = (y2, y5) solve the sums of the pairs of equations that share their
    derivatives."""
    START = [3.0, 3.0, -3.0, 3.0, -6.0]
    GUESS = [3.0, 3.0]

    def __init__(self):
        self.x, self.z, self.t = ca.SX.sym("x", 5), ca.SX.sym("z", 2), ca.SX.sym("t")
        u1, y3, u3, y6, u5 = (self.x[i] for i in range(5))
        y2, y5 = self.z[0], self.z[1]
        source, supply, r0, r = 0.1 * ca.sin(200 * ca.pi * self.t), 6, 1000, 9000
        g23 = 1e-6 * (ca.exp((y2 - y3) / 0.026) - 1)
        g56 = 1e-6 * (ca.exp((y5 - y6) / 0.026) - 1)
        y8 = (supply - 9000 * 0.99 * g56 + u5) / 2
        self.algebraic = ca.vertcat(
            (y2 - u1 - source) / r0 + (2 * y2 - supply) / r + 0.01 * g23,
            (y5 - u3 - supply) / r + (2 * y5 - supply) / r + 0.99 * g23 + 0.01 * g56)
        self.slopes = ca.vertcat((y2 - u1 - source) / r0 / 1e-6, (g23 - y3 / r) / 2e-6,
                                 ((y5 - u3 - supply) / r + 0.99 * g23) / 3e-6, (g56 - y6 / r) / 4e-6, -y8 / r / 5e-6)
        self.outputs = ca.vertcat(y2 - u1, y2, y3, y5 - u3, y5, y6, y8 - u5, y8)
