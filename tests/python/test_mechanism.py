"""Mechanisms built in Python."""

import numpy as np
import pytest

import daedalus as dd


def pendulum(**options):
    m = dd.Mechanism("Pendulum", planar=True, **options)
    rod = m.rod("rod", (0, 0), (1, 0), mass=2)
    return m, rod, m.revolute("A", m.ground, rod, at=(0, 0))


def test_a_rod_swings_as_a_physical_pendulum():
    m, rod, joint = pendulum()
    r = m.simulate(until=2, rtol=1e-9, atol=1e-11)
    # φ'' = -3g/(2L) sin φ from the horizontal: at the bottom φ'² = 3g/L, by its energy.
    lowest = np.argmin(r["rod.y"])
    assert abs(r["rod.w"][lowest]) == pytest.approx(np.sqrt(3 * 9.81), rel=1e-4)  # the nearest output point
    assert np.ptp(r["energy"]) < 1e-7
    # At the start the joint carries a quarter of the weight.
    assert r["joint A: force y"][0] == pytest.approx(2 * 9.81 / 4, rel=1e-9)


def test_small_oscillations_have_the_period_of_theory():
    m = dd.Mechanism("Pendulum", planar=True)
    a = 1e-3
    rod = m.rod("rod", (0, 0), (np.sin(a), -np.cos(a)), mass=1)
    m.revolute("A", m.ground, rod, at=(0, 0))
    period = 2 * np.pi * np.sqrt(2 / (3 * 9.81))
    r = m.simulate(until=period, rtol=1e-10, atol=1e-13)
    # Back at the start after a period; the amplitude changes the period by a²/16.
    assert r["rod.x"][-1] == pytest.approx(r["rod.x"][0], abs=a * a)


def test_laws_are_expressions():
    m, rod, joint = pendulum(gravity=(0, 0))
    m.joint_force("motor", joint, law=lambda q: 3 * dd.cos(2 * q.time))
    r = m.simulate(until=2, rtol=1e-9, atol=1e-11)
    # J φ'' = 3 cos 2t about the end, J = m L²/3
    exact = 3 / (2 / 3) * (1 - np.cos(2 * r.t)) / 4
    assert np.max(np.abs(r["rod.phi"] - exact)) < 1e-6


def test_a_law_may_ask_for_places_and_rates():
    m = dd.Mechanism("Spring", planar=True, gravity=(0, 0))
    ball = m.point("ball", mass=1, position=(1, 0))
    m.load("pull", ball, at=(1, 0), force=lambda q: (-4 * q.position(ball)[0] - 0.4 * q.velocity(ball)[0], 0))
    r = m.simulate(until=5, rtol=1e-9, atol=1e-11)
    w = np.sqrt(4 - 0.04)
    exact = np.exp(-0.2 * r.t) * (np.cos(w * r.t) + 0.2 / w * np.sin(w * r.t))
    assert np.max(np.abs(r["ball.x"] - exact)) < 1e-6


def test_a_spring_and_a_motion():
    m = dd.Mechanism("Slider", planar=True, gravity=(0, 0))
    block = m.body("block", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground, block, at=(0, 0), axis=(1, 0))
    m.spring("spring", m.ground, block, at=(-1, 0), to=(0, 0), stiffness=8, natural_length=1.5)
    m.marker("tip", block, (0.5, 0))
    r = m.simulate(until=3, rtol=1e-9, atol=1e-11)
    assert np.max(np.abs(r["block.x"] - 0.5 * (1 - np.cos(2 * r.t)))) < 1e-6
    assert np.allclose(r["tip.x"] - r["block.x"], 0.5)
    driven = dd.Mechanism("Driven", planar=True)
    crank = driven.rod("crank", (0, 0), (1, 0))
    hinge = driven.revolute("A", driven.ground, crank, at=(0, 0))
    driven.motion("drive", hinge, lambda q: 2 * q.time + q.time**2)
    r = driven.simulate(until=1)
    assert r["crank.phi"][-1] == pytest.approx(3, abs=1e-6)


def test_joints_in_space_gears_and_screws():
    assert "universal" in dd.joint_kinds()
    m = dd.Mechanism("Gears")
    one = m.body("one", mass=1, inertia=(1, 1, 1))
    two = m.body("two", mass=1, inertia=(1, 1, 2), position=(3, 0, 0))
    a = m.revolute("A", m.ground, one, at=(0, 0, 0))
    b = m.revolute("B", m.ground, two, at=(3, 0, 0))
    m.gear("teeth", a, b, ratio=-0.5)
    m.joint_force("motor", a, law=1.0)
    r = m.simulate(until=1, rtol=1e-9, atol=1e-11)
    # (1 + 2·0.25) φ'' = 1
    assert r["one.wz"][-1] == pytest.approx(1 / 1.5, rel=1e-7)
    assert r["two.wz"][-1] == pytest.approx(-0.5 / 1.5, rel=1e-7)


def test_redundant_joints_are_named():
    m = dd.Mechanism("Door", gravity=(0, -9.81, 0))
    door = m.body("door", mass=10, inertia=(1, 1, 1), position=(0.5, 0, 0))
    m.revolute("lower", m.ground, door, at=(0, 0, -1))
    m.revolute("upper", m.ground, door, at=(0, 0, 1))
    assert m.check()["mechanism"]["joints"] == 2
    r = m.simulate(until=1)
    assert any("redundant" in warning for warning in r.warnings)
    assert r.drift["position"].max() < 1e-7  # what was left out is held by the rest, to a tenth of the tolerance


def test_what_is_wrong_is_named():
    m, rod, joint = pendulum()
    other, foreign, other_joint = pendulum()
    with pytest.raises(dd.ModelError, match="another mechanism"):
        m.revolute("B", m.ground, foreign, at=(1, 0))
    with pytest.raises(dd.ModelError, match="another mechanism"):
        m.gear("G", joint, other_joint, ratio=1)
    with pytest.raises(TypeError, match="body"):
        m.revolute("B", m.ground, "rod", at=(1, 0))
    with pytest.raises(dd.ModelError, match="unknown joint 'revolut'; did you mean 'revolute'"):
        m.joint("B", "revolut", m.ground, rod, at=(1, 0))
    with pytest.raises(dd.ModelError, match="no direction"):
        m.joint("B", "revolute", m.ground, rod, at=(1, 0), axis=(0, 0, 0))
    with pytest.raises(dd.ModelError, match="2 or 3 numbers"):
        m.marker("p", rod, (1, 2, 3, 4))
    with pytest.raises(dd.ModelError, match="not a finite number"):
        m.rod("n", (0, 0), (float("nan"), 0))
    with pytest.raises(dd.ModelError, match="no length"):
        m.rod("n", (0, 0), (0, 0))
    with pytest.raises(dd.ModelError, match="no 'turn'"):
        m.motion("d", joint, 1.0, of="turn")
    m.rod("rod", (0, 0), (1, 0))
    with pytest.raises(dd.ModelError, match="rod"):  # the name is used twice
        m.simulate(until=1)
    with pytest.raises(dd.ModelError, match="unknown name to set 'L'"):
        other.simulate(set={"L": 1})
    with pytest.raises(dd.ModelError, match="mass"):
        bad = dd.Mechanism("Bad", planar=True)
        bad.body("b", mass=-1)
        bad.simulate(until=1)


def swing():
    """A pendulum with parameters: its length, its mass through it, gravity, and a spring in a law."""
    m = dd.Mechanism("Swing", planar=True)
    L, g, k = m.parameter("L", 1.0), m.parameter("g", 9.81), m.parameter("k", 0.0)
    m.gravity((0, -g))
    rod = m.rod("rod", (0, 0), (L * np.cos(0.0), 0), mass=2 * L)
    hinge = m.revolute("A", m.ground, rod, at=(0, 0))
    m.joint_force("spring", hinge, law=lambda q: -k * q.angle(hinge))
    return m


def test_parameters_by_name():
    m = swing()
    assert m.parameters == {"L": 1.0, "g": 9.81, "k": 0.0}
    r = m.simulate(until=1, set={"L": 2, "g": 1.62, "k": 3}, rtol=1e-9, atol=1e-11)
    plain = dd.Mechanism("Plain", planar=True, gravity=(0, -1.62))
    rod = plain.rod("rod", (0, 0), (2, 0), mass=4)
    hinge = plain.revolute("A", plain.ground, rod, at=(0, 0))
    plain.joint_force("spring", hinge, law=lambda q: -3.0 * q.angle(hinge))
    same = plain.simulate(until=1, rtol=1e-9, atol=1e-11)
    assert np.array_equal(r["rod.x"], same["rod.x"]) and np.array_equal(r["joint A: force y"], same["joint A: force y"])
    assert m.simulate(until=0.1)["rod.x"][0] == 0.5  # nothing of it stays
    assert m.compile(set={"L": 3}).run(until=0.1)["rod.x"][0] == 1.5
    assert m.check(set={"L": 3}).index == m.check().index


def test_start_values_by_name():
    m = swing()
    r = m.simulate(until=1, set={"A.angle": -np.pi / 2, "A.velocity": 0.5})
    assert r["A.angle"][0] == pytest.approx(-np.pi / 2, abs=1e-15)
    assert (r["rod.x"][0], r["rod.y"][0]) == pytest.approx((0, -0.5), abs=1e-15) and r["rod.w"][0] == 0.5
    with pytest.raises(dd.ModelError, match="unknown name to set 'A.angel'; did you mean 'A.angle'"):
        m.simulate(until=1, set={"A.angel": 1})
    with pytest.raises(dd.ModelError, match=r'set\["A.angle"\]: .* is not a number'):
        m.simulate(until=1, set={"A.angle": "fast"})


def test_sweeps_over_parameters_and_start_values():
    s = swing().sweep(L=[1.0, 2.0], simulate={"until": 0.5, "points": 11})
    # From the side, L'' = ...: angles follow φ'' = -3g/(2L) cos φ, so at equal √(g/L) t they are equal.
    assert s.ok and s.array("A.angle").shape == (2, 11)
    assert "numbers in the equations" in s.how
    again = swing().simulate(until=0.5 * np.sqrt(2), set={"L": 2.0}, points=11, rtol=1e-10, atol=1e-12)
    once = swing().simulate(until=0.5, set={"L": 1.0}, points=11, rtol=1e-10, atol=1e-12)
    assert again["A.angle"] == pytest.approx(once["A.angle"], abs=1e-8)  # a hundred times rtol
    with pytest.raises(dd.ModelError, match="unknown name to set 'length'"):
        swing().sweep(length=[1, 2])


def test_what_is_computed_of_parameters_stays_an_expression():
    import math

    m = dd.Mechanism("m", planar=True)
    L = m.parameter("L", 2.0)
    with pytest.raises(TypeError, match="may have another value in another run"):
        math.cos(L)
    for made, value in ((L + 1, 3), (1 - L, -1), (L / 4, 0.5), (2**L, 4), (-L, -2), (abs(-L), 2), (np.sqrt(2 * L), 2),
                        (L * L, 4), (np.float64(3) * L, 6)):
        m.rod(f"rod of {made.name} {value}", (0, 0), (0, 10), mass=1 if value < 0 else made)
    with pytest.raises(dd.ModelError, match="already"):
        m.parameter("L", 1)
    with pytest.raises(dd.ModelError, match="not a finite number"):
        m.parameter("M", np.nan)
    with pytest.raises(TypeError):
        m.parameter("", 1)


def test_a_mechanism_file_says_what_may_be_set(root):
    model = dd.load(root / "problems/mechanisms/jansen.xml")
    assert "motor" in model.parameters and "O.angle" in model.parameters
    r = model.simulate(until=0.1, set={"motor": 6})
    assert r.ok
    with pytest.raises(dd.ModelError, match="did you mean 'motor'"):
        model.sweep(moter=[1, 2])


def test_how_a_file_is_read(root):
    body, joint = (dd.load(root / "problems/mechanisms/jansen.xml", coordinates=words).simulate(until=0.01)
                   for words in ("body", "joint"))
    assert body.summary["unknowns"] > joint.summary["unknowns"]
    with pytest.raises(dd.ModelError, match="kind of coordinates"):
        dd.load(root / "problems/mechanisms/jansen.xml", coordinates="joints")
