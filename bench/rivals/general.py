"""General problems written once, for our program as Modelica text and for CasADi as expressions.

A problem is a function of a `Writer`, which has states, unknowns, rates and equations; expressions are made by Python's
operators. `where` is an event for us; CasADi's idas, which has none, integrates over it. Instants that are known beforehand
(`pulse`) are time events for us, and idas is restarted at them."""
import dataclasses
import math

PI = math.pi


class Text:
    """An expression of Modelica."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def __neg__(self):
        return Text(f"(-{self})")


def _operator(symbol):
    def forward(self, other):
        return Text(f"({self} {symbol} {_number(other)})")

    def backward(self, other):
        return Text(f"({_number(other)} {symbol} {self})")
    return forward, backward


def _number(value):
    return repr(float(value)) if isinstance(value, (int, float)) else str(value)


for _symbol, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv"), ("^", "pow")):
    _forward, _backward = _operator(_symbol)
    setattr(Text, f"__{_name}__", _forward)
    setattr(Text, f"__r{_name}__", _backward)
for _symbol, _name in ((">", "gt"), ("<", "lt")):
    setattr(Text, f"__{_name}__", _operator(_symbol)[0])


class ModelicaWriter:
    """Collects a problem as the text of a model."""

    def __init__(self):
        self.declarations, self.lines = [], []
        self.time = Text("time")

    def state(self, name, start):
        self.declarations.append(f"  Real {name}(start = {start!r}, fixed = true);")
        return Text(name)

    def unknown(self, name, guess=0.0):
        self.declarations.append(f"  Real {name}(start = {guess!r});")
        return Text(name)

    def rate(self, state, value):
        self.lines.append(f"  der({state}) = {_number(value)};")

    def equation(self, residual):
        self.lines.append(f"  0 = {residual};")

    def where(self, relation, then, otherwise):
        return Text(f"(if {relation} then {_number(then)} else {_number(otherwise)})")

    def pulse(self, period, duty):
        """1 for the first part of each period, then 0."""
        return Text(f"(if mod(time, {period!r}) < {duty * period!r} then 1.0 else 0.0)")

    def ramp(self, period):
        return Text(f"(mod(time, {period!r})/{period!r})")

    def __getattr__(self, function):
        return lambda x: Text(f"{function}({_number(x)})")

    def text(self, until):
        return "\n".join(["model Problem", *self.declarations, "equation", *self.lines,
                          f"  annotation(experiment(StopTime = {until!r}));", "end Problem;", ""])


class CasadiWriter:
    """Collects a problem as a DAE of CasADi; time is `offset + t`, so that one integrator serves every period."""

    def __init__(self, ca):
        self._ca = ca
        self.names, self.x, self.z, self.x0, self.z0 = [], [], [], [], []
        self.ode, self.algebraic = {}, []
        self.t, self.offset = ca.SX.sym("t"), ca.SX.sym("offset")
        self.level = ca.SX.sym("level")  # of the pulse
        self.period = self.duty = None
        self.time = self.offset + self.t

    def state(self, name, start):
        self.x.append(self._ca.SX.sym(name))
        self.x0.append(start)
        return self.x[-1]

    def unknown(self, name, guess=0.0):
        self.z.append(self._ca.SX.sym(name))
        self.z0.append(guess)
        return self.z[-1]

    def rate(self, state, value):
        self.ode[state.name()] = value

    def equation(self, residual):
        self.algebraic.append(residual)

    def where(self, relation, then, otherwise):
        return self._ca.if_else(relation, then, otherwise)

    def pulse(self, period, duty):
        self.period, self.duty = period, duty
        return self.level

    def ramp(self, period):
        self.period, self.duty = period, self.duty or 1.0
        return self.t / period if self.duty == 1.0 else self.time / period

    def __getattr__(self, function):
        return getattr(self._ca, function)

    def dae(self):
        ca = self._ca
        return {"x": ca.vertcat(*self.x), "z": ca.vertcat(*self.z), "t": self.t, "p": ca.vertcat(self.offset, self.level),
                "ode": ca.vertcat(*[self.ode[x.name()] for x in self.x]), "alg": ca.vertcat(*self.algebraic)}


@dataclasses.dataclass
class Problem:
    name: str
    write: object      # of a writer; returns the names that are compared
    until: float
    samples: int = 5   # times that are compared, evenly spaced, the last at the end
    repeats: int = 3


def diode(f, voltage, current=1e-9):
    return current * (f.exp(voltage / 0.026) - 1) + 1e-7 * voltage


def rectifier(f):
    """A bridge of four diodes, a capacitor and a load."""
    v = f.state("v", 0.0)
    a, b = f.unknown("a"), f.unknown("b")
    source = (10 * f.sin(2 * PI * 50 * f.time) - (a - b)) / 1.0
    up = (diode(f, a - v), diode(f, b - v))
    f.equation(source + diode(f, -a) - up[0])
    f.equation(diode(f, -b) - source - up[1])
    f.rate(v, (up[0] + up[1] - v / 100) / 1e-3)
    return ["v"]


def diode_line(f, n=1000):
    """The nonlinear transmission line of model reduction: n nodes with capacitors, resistors and diodes."""
    v = [f.state(f"v{k}", 0.0) for k in range(1, n + 1)]

    def branch(d):
        return f.exp(40 * d) - 1 + d
    for k in range(n):
        inflow = 0.5 * (f.cos(2 * PI * f.time / 5) + 1) - branch(v[0]) if k == 0 else branch(v[k - 1] - v[k])
        f.rate(v[k], inflow - branch(v[k] - v[k + 1]) if k + 1 < n else inflow)
    return [f"v{k}" for k in (1, 5, 10, 20)]


def grid(f, rows=25, columns=40):
    """A net of 1000 nodes: capacitors at every second one, resistors between, a diode at every tenth; fed at a corner."""
    nodes = {}
    for i in range(rows):
        for k in range(columns):
            make = f.state if (i + k) % 2 == 0 else f.unknown
            nodes[i, k] = make(f"v{i}_{k}", 0.0)
    for (i, k), v in nodes.items():
        around = [nodes[p] for p in ((i - 1, k), (i + 1, k), (i, k - 1), (i, k + 1)) if p in nodes]
        current = sum((u - v for u in around[1:]), around[0] - v)
        if (i, k) == (0, 0):
            current = current + 50 * (f.sin(2 * PI * f.time) - v)
        if (i * columns + k) % 10 == 3:
            current = current - diode(f, v, 1e-6)
        if (i + k) % 2 == 0:
            f.rate(v, current / 0.05)
        else:
            f.equation(current - 0.01 * v)
    return ["v0_0", "v2_2", "v4_0", "v0_4", "v3_3"]


def akzo(f):
    """Chemical Akzo Nobel (Test Set for IVP Solvers)."""
    y = [f.state(f"y{k + 1}", s) for k, s in enumerate((0.444, 0.00123, 0.0, 0.007, 0.0))]
    y6 = f.unknown("y6", 0.36)
    r1, r2 = 18.7 * y[0]**4 * f.sqrt(y[1]), 0.58 * y[2] * y[3]
    r3, r4, r5 = 0.58 / 34.4 * y[0] * y[4], 0.09 * y[0] * y[3]**2, 0.42 * y6**2 * f.sqrt(y[1])
    inflow = 3.3 * (0.9 / 737 - y[1])
    for state, value in zip(y, (-2 * r1 + r2 - r3 - r4, -0.5 * r1 - r4 - 0.5 * r5 + inflow, r1 - r2 + r3, -r2 + r3 - 2 * r4,
                                r2 - r3 + r5)):
        f.rate(state, value)
    f.equation(115.83 * y[0] * y[3] - y6)
    return [f"y{k}" for k in range(1, 6)]


def hires(f):
    """High irradiance response (Test Set for IVP Solvers)."""
    y = [f.state(f"y{k + 1}", s) for k, s in enumerate((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057))]
    fast = 280 * y[5] * y[7]
    rates = (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
             -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
             -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6], -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
             fast - 1.81 * y[6], -fast + 1.81 * y[6])
    for state, value in zip(y, rates):
        f.rate(state, value)
    return [f"y{k}" for k in range(1, 9)]


def robertson(f):
    """Robertson's reaction with the conservation of mass as an algebraic equation."""
    a, b, c = f.state("a", 1.0), f.state("b", 0.0), f.unknown("c", 0.0)
    f.rate(a, -0.04 * a + 1e4 * b * c)
    f.rate(b, 0.04 * a - 1e4 * b * c - 3e7 * b**2)
    f.equation(a + b + c - 1)
    return ["a", "c"]


def amplifier(f):
    """The two-transistor amplifier (Test Set for IVP Solvers) by the voltages over its capacitors."""
    u1, y3, u3, y6, u5 = (f.state(n, s) for n, s in (("u1", 3.0), ("y3", 3.0), ("u3", -3.0), ("y6", 3.0), ("u5", -6.0)))
    y2, y5 = f.unknown("y2", 3.0), f.unknown("y5", 3.0)
    source = 0.1 * f.sin(200 * PI * f.time)
    g23, g56 = 1e-6 * (f.exp((y2 - y3) / 0.026) - 1), 1e-6 * (f.exp((y5 - y6) / 0.026) - 1)
    y8 = (6 - 9000 * 0.99 * g56 + u5) / 2
    f.equation((y2 - u1 - source) / 1000 + (2 * y2 - 6) / 9000 + 0.01 * g23)
    f.equation((y5 - u3 - 6) / 9000 + (2 * y5 - 6) / 9000 + 0.99 * g23 + 0.01 * g56)
    f.rate(u1, (y2 - u1 - source) / 1000 / 1e-6)
    f.rate(y3, (g23 - y3 / 9000) / 2e-6)
    f.rate(u3, ((y5 - u3 - 6) / 9000 + 0.99 * g23) / 3e-6)
    f.rate(y6, (g56 - y6 / 9000) / 4e-6)
    f.rate(u5, -y8 / 9000 / 5e-6)
    return ["u1", "y3", "u3", "y6", "u5"]


def exchanger(f, n=20):
    """Counterflow: where a cell boils, heat goes over five times as well; the hot inlet is switched."""
    hot = [f.state(f"h{k}", 20.0) for k in range(n)]
    cold = [f.state(f"c{k}", 20.0) for k in range(n)]
    wall = [f.unknown(f"w{k}", 20.0) for k in range(n)]
    inlet = 20 + 160 * f.pulse(20.0, 0.5)
    for k in range(n):
        outer = 2.0 * (hot[k] - wall[k])
        inner = f.where(wall[k] > 90.0, 5.0 * (wall[k] - cold[k]) - 4.0 * (90.0 - cold[k]), 1.0 * (wall[k] - cold[k]))
        f.equation(outer - inner)
        f.rate(hot[k], 5.0 * ((hot[k - 1] if k else inlet) - hot[k]) - outer)
        f.rate(cold[k], 3.0 * ((cold[k + 1] if k + 1 < n else 20.0) - cold[k]) + inner)
    return ["h5", "h19", "c0", "c10"]


def pipes(f, n=6):
    """Tanks in a row, joined at the bottom by pipes with turbulent friction and non-return valves, and by overflows."""
    level = [f.state(f"h{k}", 2.0 - 0.3 * k) for k in range(n)]
    flow, node = [], []
    for k in range(n - 1):
        flow.append(f.unknown(f"q{k}", 0.3))
        node.append(f.unknown(f"p{k}", 1.0))
    spill = []
    for k in range(n - 1):
        q, p = flow[k], node[k]
        f.equation(level[k] - p - f.where(q > 0, 2.0 * q**2 + 0.1 * q, 20.0 * q))
        f.equation(p - level[k + 1] - 0.5 * q - 0.5 * q * f.sqrt(q**2 + 1e-4))
        spill.append(f.where(level[k] > 1.0, (level[k] - 1.0) * 0.5, 0.0))
    inflow = 0.6 * (1 + f.sin(0.7 * f.time))
    for k in range(n):
        into = (flow[k - 1] + spill[k - 1]) if k else inflow
        out = (flow[k] + spill[k]) if k + 1 < n else 0.4 * f.sqrt(level[k] + 1e-3)
        f.rate(level[k], into - out)
    return [f"h{k}" for k in range(n)]


def buck(f):
    """A buck converter switched by time, whose inductor saturates, with a filter behind."""
    i, v, j, w = (f.state(n, 0.0) for n in ("i", "v", "j", "w"))
    switched = 12 * f.pulse(1e-5, 0.4)
    f.rate(i, (switched - v - 0.05 * i) * (1 + 0.02 * i**2) / 1e-4)
    f.rate(v, (i - j) / 1e-4)
    f.rate(j, (v - w) / 1e-5)
    f.rate(w, (j - w / 2) / 5e-5)
    return ["i", "v", "w"]


def feedback(f):
    """A buck converter whose switch compares a controller with a ramp, and whose diode is exponential."""
    i, v, e = (f.state(n, s) for n, s in (("i", 0.0), ("v", 0.0), ("e", 0.01)))
    node = f.unknown("node", 0.0)
    u = 0.02 * (5 - v) + 40 * e
    conductance = f.where(u > f.ramp(1e-4), 100.0, 1e-5)
    f.equation(conductance * (12 - node) + diode(f, -node, 1e-9) - i)
    f.rate(i, (node - v) / 1e-3)
    f.rate(v, (i - v / 5) / 2e-4)
    f.rate(e, 5 - v)
    return ["i", "v"]


def contact(f):
    """Lateral motion of a wheelset on two rails: where a profile touches follows from equations, creep forces saturate and a
    flange comes into contact by relations of algebraic unknowns."""
    y, psi, vy, vpsi = (f.state(n, s) for n, s in (("y", 0.006), ("psi", 0.0), ("vy", 0.0), ("vpsi", 0.0)))
    speed, load = 20.0, 5e4
    push, turn = 0.0, 0.0
    for side, name in ((1.0, "r"), (-1.0, "l")):
        xi, slope, normal = f.unknown("xi" + name, 0.0), f.unknown("s" + name, 0.1), f.unknown("n" + name, load)
        creep, force = f.unknown("c" + name, 0.0), f.unknown("t" + name, 0.0)
        f.equation(xi - side * y - 0.02 * slope)
        flange = f.where(xi > 0.008, 30.0 * (xi - 0.008), 0.0)
        f.equation(slope - 0.1 - 3.0 * xi - flange)
        f.equation(normal - load * (1 + 0.2 * side * vy) + 0.1 * force * slope)
        f.equation(creep - (vy / speed - psi) - 0.05 * side * (vpsi / speed + slope * y))
        linear = 100.0 * creep
        f.equation(force + 0.3 * normal * f.where(linear > 1.0, 1.0, f.where(linear < -1.0, -1.0, linear)))
        push = push + force - side * normal * slope
        turn = turn + side * force * 0.1 - 2e4 * psi - 1e6 * xi * slope * 0.2 * side
    f.rate(y, vy)
    f.rate(psi, vpsi)
    f.rate(vy, (push - 1e6 * y - 3e3 * vy) / 1500)
    f.rate(vpsi, (turn - 2e3 * vpsi) / 800)
    return ["y", "psi", "vy", "vpsi"]


def gates(f, stages=12):
    """Inverters and NAND gates of exponential-free MOS transistors with loads, as in an adder; the input is a train of pulses."""
    supply, load = 5.0, 2e-4

    def channel(gate, drain):
        over = gate - 1.0
        on = f.where(drain > over, 0.5 * over**2, (over - 0.5 * drain) * drain)
        return 5e-4 * f.where(over > 0.0, on, 0.0)
    high = 5.0 * f.pulse(4e-8, 0.5)
    a = f.state("a", 0.0)
    f.rate(a, (high - a) / 1e-9)
    first, second = a, a
    for k in range(stages):
        out, between, drop = f.state(f"o{k}", 5.0), f.state(f"b{k}", 0.0), f.unknown(f"d{k}", 5.0)
        top = channel(first - between, drop - between)
        bottom = channel(second, between)
        f.equation(1e-2 * (out - drop) - top)
        f.rate(out, (load * (supply - out) - 1e-2 * (out - drop)) / 1e-13)
        f.rate(between, (top - bottom) / 5e-14)
        first, second = out, (first if k % 3 == 0 else out)
    return [f"o{k}" for k in range(0, stages, 3)]


PROBLEMS = [
    Problem("bridge rectifier, 0.1 s", rectifier, 0.1),
    Problem("diode line of 1000 nodes, 5 s", diode_line, 5.0, repeats=2),
    Problem("net of 1000 nodes, 2 s", grid, 2.0, repeats=2),
    Problem("Akzo Nobel, 180 s", akzo, 180.0),
    Problem("HIRES, 321.8122 s", hires, 321.8122),
    Problem("Robertson, 1e4 s", robertson, 1e4),
    Problem("transistor amplifier, 0.2 s", amplifier, 0.2),
    Problem("heat exchanger, boiling, 60 s", exchanger, 60.0),
    Problem("pipes and tanks, 60 s", pipes, 60.0),
    Problem("buck converter, 1000 periods", buck, 0.01),
    Problem("buck converter with feedback, 100 periods", feedback, 0.01),
    Problem("wheelset, 3 s", contact, 3.0),
    Problem("gates, 80 ns", gates, 8e-8, repeats=2),
]
