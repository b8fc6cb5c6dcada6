"""Functions F(t, y, y') in SciPy's manner."""

import math
import warnings

import numpy as np
import pytest

import daedalus as dd

COUNTERS = ("steps", "rejected", "residual_evals", "jacobian_evals", "factorizations", "newton_iterations")


def same_work(solution, run):
    assert {c: solution.summary[c] for c in COUNTERS} == {c: run.summary[c] for c in COUNTERS}


def pendulum(t, y, yp):
    x, z, vx, vz, force = y
    return [yp[0] - vx, yp[1] - vz, yp[2] + force * x, yp[3] + force * z + 9.81, x**2 + z**2 - 1]


PENDULUM = """model P
  Real y[5](start = {1, 0, 0, 0, 0});
equation
  der(y[1]) - y[3] = 0;
  der(y[2]) - y[4] = 0;
  der(y[3]) + y[5]*y[1] = 0;
  der(y[4]) + y[5]*y[2] + 9.81 = 0;
  y[1]^2 + y[2]^2 - 1 = 0;
end P;"""


def test_the_pendulum_of_index_3():
    s = dd.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], rtol=1e-8, atol=1e-10, dense_output=True)
    r = dd.parse(PENDULUM).simulate(until=10, rtol=1e-8, atol=1e-10, dense=True)
    assert s.success and s.traced and s.status == 0
    assert s.summary["index"] == 3
    same_work(s, r)
    assert np.array_equal(s.y[:, -1], [r[f"y[{k}]"][-1] for k in range(1, 6)])
    # Energy and length are kept.
    x, z, vx, vz, _ = s.sol(np.linspace(0, 10, 501))
    assert np.max(np.abs(x**2 + z**2 - 1)) < 1e-8
    assert np.max(np.abs((vx**2 + vz**2) / 2 + 9.81 * z)) < 1e-5


def amplifier(t, y, yp):
    """Test Set for IVP Solvers, transistor amplifier: -M y' + f = 0."""
    ub, uf, alpha, beta, r0, r = 6, 0.026, 0.99, 1e-6, 1000, 9000
    c = [1e-6, 2e-6, 3e-6, 4e-6, 5e-6]
    ue = 0.1 * np.sin(200 * np.pi * t)
    g23 = beta * (np.exp((y[1] - y[2]) / uf) - 1)
    g56 = beta * (np.exp((y[4] - y[5]) / uf) - 1)
    return np.array([
        c[0] * (yp[1] - yp[0]) + ue / r0 - y[0] / r0,
        c[0] * (yp[0] - yp[1]) + ub / r - y[1] * 2 / r + (alpha - 1) * g23,
        -c[1] * yp[2] + g23 - y[2] / r,
        c[2] * (yp[4] - yp[3]) + ub / r - y[3] / r - alpha * g23,
        c[2] * (yp[3] - yp[4]) + ub / r - y[4] * 2 / r + (alpha - 1) * g56,
        -c[3] * yp[5] + g56 - y[5] / r,
        c[4] * (yp[7] - yp[6]) + ub / r - y[6] / r - alpha * g56,
        c[4] * (yp[6] - yp[7]) - y[7] / r])


AMPLIFIER = """model A
  Real y[8](start = {0, 3, 3, 6, 3, 3, 6, 0});
equation
  1e-6*(der(y[2]) - der(y[1])) + 0.1*sin(628.3185307179587*time)/1000 - y[1]/1000 = 0;
  1e-6*(der(y[1]) - der(y[2])) + 0.0006666666666666666 - y[2]*2/9000 + (-0.010000000000000009)*(1e-6*(exp((y[2] - y[3])/0.026) - 1)) = 0;
  (-2e-6)*der(y[3]) + 1e-6*(exp((y[2] - y[3])/0.026) - 1) - y[3]/9000 = 0;
  3e-6*(der(y[5]) - der(y[4])) + 0.0006666666666666666 - y[4]/9000 - 0.99*(1e-6*(exp((y[2] - y[3])/0.026) - 1)) = 0;
  3e-6*(der(y[4]) - der(y[5])) + 0.0006666666666666666 - y[5]*2/9000 + (-0.010000000000000009)*(1e-6*(exp((y[5] - y[6])/0.026) - 1)) = 0;
  (-4e-6)*der(y[6]) + 1e-6*(exp((y[5] - y[6])/0.026) - 1) - y[6]/9000 = 0;
  5e-6*(der(y[8]) - der(y[7])) + 0.0006666666666666666 - y[7]/9000 - 0.99*(1e-6*(exp((y[5] - y[6])/0.026) - 1)) = 0;
  5e-6*(der(y[7]) - der(y[8])) - y[8]/9000 = 0;
end A;"""
# Mazzia and Magherini, Test Set for IVP Solvers (2008): the reference solution at t = 0.2.
AMPLIFIER_AT_END = [-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
                    0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1]


def test_the_transistor_amplifier():
    y0 = [0, 3, 3, 6, 3, 3, 6, 0]
    s = dd.solve_dae(amplifier, (0, 0.2), y0, rtol=1e-7, atol=1e-8)
    assert s.success and s.traced
    assert s.y[:, -1] == pytest.approx(AMPLIFIER_AT_END, rel=1e-5)  # a hundred times the tolerance
    same_work(s, dd.parse(AMPLIFIER).simulate(until=0.2, rtol=1e-7, atol=1e-8, dense=True))


def robertson(t, y, yp):
    a, b, c = y
    return [yp[0] + 0.04 * a - 1e4 * b * c, yp[1] - 0.04 * a + 1e4 * b * c + 3e7 * b**2, a + b + c - 1]


ROBERTSON = """model R
  Real y[3](start = {1, 0, 0});
equation
  der(y[1]) + 0.04*y[1] - 1e4*y[2]*y[3] = 0;
  der(y[2]) - 0.04*y[1] + 1e4*y[2]*y[3] + 3e7*y[2]^2 = 0;
  y[1] + y[2] + y[3] - 1 = 0;
end R;"""
# Hairer and Wanner II, IV.10: at t = 1e11 (Test Set for IVP Solvers).
ROBERTSON_AT_END = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]


def test_robertson_s_problem():
    s = dd.solve_dae(robertson, (0, 1e11), [1, 0, 0], rtol=1e-8, atol=1e-14)
    assert s.success and s.traced
    assert s.y[:, -1] == pytest.approx(ROBERTSON_AT_END, rel=1e-5)
    same_work(s, dd.parse(ROBERTSON).simulate(until=1e11, rtol=1e-8, atol=1e-14, dense=True))


def test_guesses_are_made_consistent():
    with pytest.warns(dd.StartWarning, match=r"y\[0\] from 1.01 to 1"):
        s = dd.solve_dae(pendulum, (0, 1), [1.01, 0, 0, 0, 5], [9, 9, 9, 9, 9])
    assert s.y[0, 0] ** 2 + s.y[1, 0] ** 2 == pytest.approx(1, abs=1e-9)
    assert s.y[4, 0] == pytest.approx(0, abs=1e-9)  # at rest on the side, the rod carries nothing


@pytest.mark.parametrize("rate", [1, -1])
def test_rates_choose_the_branch(rate):
    s = dd.solve_dae(lambda t, y, yp: [yp[0] ** 2 - y[0]], (0, 1), [1.0], [rate], rtol=1e-9, atol=1e-11)
    assert s.y[0, -1] == pytest.approx((1 + rate / 2) ** 2, rel=1e-6)


def test_scipy_s_manner():
    s = dd.solve_dae(lambda t, y, yp, k: yp + k * y, (0, 1), [1.0, 2.0], args=(3,), t_eval=[0, 0.5, 1], rtol=1e-9,
                     atol=[1e-11, 1e-10])
    assert s.t.tolist() == [0, 0.5, 1] and s.y.shape == (2, 3) and s.sol is None
    assert s.y[0] == pytest.approx(np.exp(-3 * s.t), rel=1e-6)
    assert s.nfev > 0 and s.t_events is None and "success" in repr(s)
    assert s["t"] is s.t
    s = dd.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], dense_output=True)
    assert s.sol(0.5).shape == (1,) and s.sol([0.1, 0.2]).shape == (1, 2)
    assert s.t[0] == 0 and s.t[-1] == 1 and np.all(np.diff(s.t) > 0)
    with pytest.raises(dd.ModelError, match="from 0 to 1"):
        s.sol(2.0)


def test_a_start_that_contradicts_the_equations_can_be_forbidden():
    with pytest.raises(dd.ModelError, match=r"y0 contradicts the equations.*y\[0\] from 1.01 to 1"):
        dd.solve_dae(pendulum, (0, 1), [1.01, 0, 0, 0, 5], on_inconsistent="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dd.solve_dae(pendulum, (0, 1), [1.01, 0, 0, 0, 5], on_inconsistent="ignore")
        dd.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 5], on_inconsistent="raise")  # the rod's force is a guess
    with pytest.raises(ValueError, match="on_inconsistent"):
        dd.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0], on_inconsistent="forbid")


def falling(t, y, yp):
    return [yp[0] - y[1], yp[1] + 9.81]


def test_events():
    def ground(t, y):
        return y[0]

    def half(t, y):
        return y[0] - 0.5

    def rising(t, y):
        return y[0] - 0.7

    ground.terminal, ground.direction, rising.direction = True, -1, 1
    s = dd.solve_dae(falling, (0, 5), [1, 0], events=[ground, half, rising], rtol=1e-9, atol=1e-11)
    assert s.status == 1 and s.success and "termination event" in s.message
    assert s.t_events[0] == pytest.approx([math.sqrt(2 / 9.81)], abs=1e-8)
    assert s.t_events[1] == pytest.approx([math.sqrt(1 / 9.81)], abs=1e-8)
    assert len(s.t_events[2]) == 0
    assert s.y_events[0][0] == pytest.approx([0, -math.sqrt(2 * 9.81)], abs=1e-6)
    assert s.t[-1] == s.t_events[0][0] and s.y[0, -1] == pytest.approx(0, abs=1e-8)


def test_an_event_may_count():
    def zero(t, y):
        return y[0]

    zero.terminal = 3
    s = dd.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + y[0]], (0, 20), [1, 0], events=zero, rtol=1e-9, atol=1e-11)
    assert s.t_events[0] == pytest.approx(np.pi * np.array([0.5, 1.5, 2.5]), abs=1e-6)


def test_events_take_the_arguments_of_the_function():
    def level(t, y, rate, height):
        return y[0] - height

    s = dd.solve_dae(lambda t, y, yp, rate, height: [yp[0] - rate], (0, 1), [0.0], args=(2, 0.5), events=level)
    assert s.t_events[0] == pytest.approx([0.25], abs=1e-9)  # y = 2 t, which every method follows exactly


@pytest.mark.parametrize("trace", [True, False])
def test_backward_in_time(trace):
    def zero(t, y):
        return y[0]

    def circle(t, y, yp):  # depends on t, so that its sign matters
        return [yp[0] - y[1] * (1 + 0 * t), yp[1] + y[0], y[2] - t]

    zero.direction = -1  # along the way, as in SciPy
    s = dd.solve_dae(circle, (3, -1), [math.sin(3), math.cos(3), 3], [math.cos(3), -math.sin(3), 1], rtol=1e-9,
                     atol=1e-11, dense_output=True, events=zero, t_eval=[3, 1, 0.5, -1], trace=trace)
    assert s.success and s.t.tolist() == [3, 1, 0.5, -1]
    # 1e4 times rtol: what an error of a step may grow to over four units of time is far less.
    assert s.y[0] == pytest.approx(np.sin(s.t), abs=1e-5) and s.y[2] == pytest.approx(s.t, abs=1e-8)
    assert s.sol(2.0)[0] == pytest.approx(math.sin(2), abs=1e-5) and (s.sol.t_min, s.sol.t_max) == (-1, 3)
    assert s.t_events[0] == pytest.approx([0], abs=1e-5)  # from 3 down to -1 the sine falls through 0 once
    with pytest.raises(dd.ModelError, match="must fall"):
        dd.solve_dae(circle, (3, -1), [0.0, 1, 3], t_eval=[0, 1], trace=trace)


@pytest.mark.parametrize("trace", [True, False])
def test_no_step_is_longer_than_max_step(trace):
    s = dd.solve_dae(lambda t, y, yp: [yp[0]], (0, 1), [1.0], max_step=0.01, trace=trace)
    assert np.max(np.diff(s.t)) <= 0.01 * (1 + 1e-9)
    with pytest.raises(dd.ModelError, match="max_step must be positive"):
        dd.solve_dae(lambda t, y, yp: [yp[0]], (0, 1), [1.0], max_step=0)


def test_no_step_is_longer_after_the_equations_turned_out_to_be_stiff():
    text = """model A
      Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), force, w(start = 1, fixed = true);
    equation
      der(x) = vx;  der(y) = vy;
      der(vx) = -force*x;  der(vy) = -force*y - 9.81 + w;
      x^2 + y^2 = 1;
      der(w) = -1e4*(w - cos(time));
    end A;"""
    r = dd.parse(text).simulate(until=1, integrator="auto:max_step=0.003", formulation="orthogonal-projection", dense=True)
    assert "stiff" in r.summary["why"]
    steps = [r._run.segment(k) for k in range(r._run.segments())]
    assert max(end - begin for begin, end in steps) <= 0.003 * (1 + 1e-9)


def test_each_unknown_may_have_its_tolerances():
    def decay(t, y, yp):
        return [yp[0] + y[0], yp[1] + 2 * y[1]]

    s = dd.solve_dae(decay, (0, 1), [1.0, 1.0], rtol=[1e-9, 1e-3], atol=[1e-11, 1e-4])
    same = dd.solve_dae(decay, (0, 1), [1.0, 1.0], rtol=1e-9, atol=[1e-11, 1e-4])
    assert np.array_equal(s.y, same.y)  # the smaller rtol counts for all
    with pytest.raises(dd.ModelError, match="2 unknowns, but 3 relative"):
        dd.solve_dae(decay, (0, 1), [1.0, 1.0], rtol=[1e-9, 1e-3, 1])


# Robertson's problem as M y' = f(y).
def reaction(t, y):
    a, b, c = y
    return [-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b**2, a + b + c - 1]


def reaction_jacobian(t, y):
    return [[-0.04, 1e4 * y[2], 1e4 * y[1]], [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]], [1, 1, 1]]


MASS = np.diag([1.0, 1.0, 0.0])


@pytest.mark.parametrize("mass", [MASS, MASS.tolist(), lambda t, y: MASS, lambda t, y: [[1, 0, 0], [0, 1, 0 * y[0]], [0, 0, 0]]])
def test_a_singular_mass_matrix(mass):
    s = dd.solve_dae(reaction, (0, 1e11), [1, 0, 0], M=mass, rtol=1e-8, atol=1e-14)
    assert s.traced and s.y[:, -1] == pytest.approx(ROBERTSON_AT_END, rel=1e-5)


def test_jacobians_that_are_given():
    plain = dd.solve_dae(reaction, (0, 1e4), [1, 0, 0], M=MASS, rtol=1e-8, atol=1e-12, trace=False)
    given = dd.solve_dae(reaction, (0, 1e4), [1, 0, 0], M=MASS, jac=reaction_jacobian, rtol=1e-8, atol=1e-12, trace=False)
    assert given.y[:, -1] == pytest.approx(plain.y[:, -1], rel=1e-5)  # a thousand times the tolerance
    assert given.nfev < plain.nfev - 3 * given.njev  # three columns are not differenced any more

    def both(t, y, yp):
        return [-np.array(row) for row in reaction_jacobian(t, y)], MASS

    full = dd.solve_dae(lambda t, y, yp: MASS @ yp - np.array(reaction(t, y)), (0, 1e4), [1, 0, 0], jac=both, rtol=1e-8,
                        atol=1e-12, trace=False)
    assert np.array_equal(full.y, given.y)
    # Back and forth again: the sign of the derivative with respect to y' turns with time.
    there = dd.solve_dae(lambda t, y: [-y[0]], (0, 1), [1.0], M=[[2.0]], jac=[[-1.0]], rtol=1e-9, trace=False)
    back = dd.solve_dae(lambda t, y: [-y[0]], (1, 0), there.y[:, -1], M=[[2.0]], jac=[[-1.0]], rtol=1e-9, trace=False)
    assert there.y[0, -1] == pytest.approx(math.exp(-0.5), rel=1e-7) and back.y[0, -1] == pytest.approx(1, rel=1e-7)

    def moving(t, y):  # (1 + y^2) y' = -y: what y y' adds to the Jacobian is differenced
        return [[1 + y[0] ** 2]]

    s = dd.solve_dae(lambda t, y: [-y[0]], (0, 1), [1.0], M=moving, jac=lambda t, y: [[-1.0]], rtol=1e-9, trace=False)
    y = s.y[0, -1]
    assert math.log(y) + y**2 / 2 == pytest.approx(0.5 - 1, abs=1e-7)


def test_what_is_wrong_with_matrices_is_said():
    with pytest.raises(dd.ModelError, match="M must have 3 rows and 3 columns"):
        dd.solve_dae(reaction, (0, 1), [1, 0, 0], M=np.eye(2))
    with pytest.raises(TypeError, match="M must be a matrix"):
        dd.solve_dae(reaction, (0, 1), [1, 0, 0], M="eye")
    with pytest.raises(dd.ModelError, match="two matrices"):
        dd.solve_dae(robertson, (0, 1), [1, 0, 0], jac=lambda t, y, yp: [1, 2, 3], trace=False)
    with pytest.raises(dd.ModelError, match="first matrix of jac must have 3 rows"):
        dd.solve_dae(robertson, (0, 1), [1, 0, 0], jac=lambda t, y, yp: (np.eye(2), np.eye(3)), trace=False)
    with pytest.raises(dd.ModelError, match="Jacobian that was given has no value"):
        dd.solve_dae(robertson, (0, 1), [1, 0, 0], jac=lambda t, y, yp: (np.full((3, 3), np.nan), np.eye(3)), trace=False)
    with pytest.raises(TypeError, match="jac must be a function"):
        dd.solve_dae(robertson, (0, 1), [1, 0, 0], jac=np.eye(3))


# -- functions that cannot be traced -----------------------------------------------------------------------------------


def test_a_branch_is_called_with_numbers():
    def clutch(t, y, yp):
        if y[0] > 0.5:
            return [yp[0] + y[0], y[1] - y[0] ** 2]
        return [yp[0] + 0.5, y[1] - y[0] ** 2]

    with pytest.warns(dd.TraceWarning, match="index 1 only"):
        s = dd.solve_dae(clutch, (0, 1), [1, 0], rtol=1e-8, atol=1e-10, dense_output=True)
    assert not s.traced and s.success
    switch = math.log(2)
    t = np.array([0.3, 0.9])
    exact = np.where(t < switch, np.exp(-t), 0.5 - 0.5 * (t - switch))
    assert s.sol(t)[0] == pytest.approx(exact, abs=1e-5)  # the kink costs some accuracy
    assert s.sol(t)[1] == pytest.approx(exact**2, abs=1e-5)


def test_called_functions_agree_with_traced_ones():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing to warn of: it was asked for
        called = dd.solve_dae(robertson, (0, 1e4), [1, 0, 0], rtol=1e-8, atol=1e-12, trace=False)
    traced = dd.solve_dae(robertson, (0, 1e4), [1, 0, 0], rtol=1e-8, atol=1e-12)
    assert not called.traced and called.y[:, -1] == pytest.approx(traced.y[:, -1], rel=1e-5)
    amplified = dd.solve_dae(amplifier, (0, 0.05), [0, 3, 3, 6, 3, 3, 6, 0], trace=False)
    reference = dd.solve_dae(amplifier, (0, 0.05), [0, 3, 3, 6, 3, 3, 6, 0], rtol=1e-9, atol=1e-11)
    assert amplified.y[:, -1] == pytest.approx(reference.y[:, -1], abs=1e-3)


def test_large_sparse_functions_are_differenced_in_groups():
    """The heat equation: three columns at a time suffice whatever the size."""
    n = 60

    def heat(t, y, yp):
        u = np.concatenate(([0.0], np.asarray(y, dtype=float), [0.0]))  # numbers only: it cannot be traced
        return yp - (u[2:] - 2 * u[1:-1] + u[:-2]) * (n + 1) ** 2

    x = np.arange(1, n + 1) / (n + 1)
    with pytest.warns(dd.TraceWarning):
        s = dd.solve_dae(heat, (0, 0.1), np.sin(np.pi * x), rtol=1e-6, atol=1e-8)
    rate = 4 * (n + 1) ** 2 * np.sin(np.pi / (2 * (n + 1))) ** 2  # of the discrete operator
    assert s.y[:, -1] == pytest.approx(np.exp(-rate * 0.1) * np.sin(np.pi * x), rel=1e-4)
    # 6 differences of 3 groups for y and y' and the residual itself, and n NaNs to find the pattern.
    assert s.nfev < 8 * (s.njev + 2) + s.summary["residual_evals"] + 8 * n


def test_index_3_needs_tracing():
    def opaque(t, y, yp):
        return [float(v) for v in pendulum(t, y, yp)]

    with pytest.warns(dd.TraceWarning), pytest.raises(dd.ModelError, match="index is above 1"):
        dd.solve_dae(opaque, (0, 1), [1, 0, 0, 0, 0])


def test_side_effects_are_noticed():
    calls = []

    def remembers(t, y, yp):
        calls.append(t)
        return [yp[0] + y[0] * (1 if len(calls) < 3 else 2)]  # another function after it was traced

    with pytest.warns(dd.TraceWarning, match="other values"):
        s = dd.solve_dae(remembers, (0, 1), [1.0], rtol=1e-8, atol=1e-10)
    assert not s.traced and s.y[0, -1] == pytest.approx(math.exp(-2), rel=1e-6)  # what it is when it is called

    def spoils(t, y, yp):
        y[0] = y[0] * 1.0
        yp[:] = yp + y
        return yp

    s = dd.solve_dae(spoils, (0, 1), [1.0], rtol=1e-9, atol=1e-11)
    assert s.traced and s.y[0, -1] == pytest.approx(math.exp(-1), rel=1e-6)


def test_what_the_function_raises_comes_through():
    def fails(t, y, yp):
        if t > 0.5:
            raise LookupError("beyond the table")
        return [yp[0] + y[0]]

    with pytest.warns(dd.TraceWarning), pytest.raises(LookupError, match="beyond the table"):
        dd.solve_dae(fails, (0, 1), [1.0])
    with pytest.raises(ZeroDivisionError):
        dd.solve_dae(lambda t, y, yp: [1 / 0], (0, 1), [1.0])


def test_a_run_that_fails_says_so():
    s = dd.solve_dae(lambda t, y, yp: [yp[0] - y[0] ** 2], (0, 2), [1.0])  # y = 1/(1 - t)
    assert not s.success and s.status == -1
    assert "t = " in s.message and s.t[-1] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("arguments, message", [
    (dict(y0=[[1.0]]), "one dimension"),
    (dict(y0=[]), "nothing to solve"),
    (dict(y0=[math.nan]), "not a finite number"),
    (dict(yp0=[1.0, 2.0]), "y0 has 1 values, but yp0 has 2"),
    (dict(t_span=(0,)), "two numbers"),
    (dict(t_span=(0, math.inf)), "not a finite number"),
    (dict(rtol=0), "must be positive"),
    (dict(rtol=math.nan), "not a finite number"),
    (dict(atol=[1e-6, 1e-6]), "absolute tolerances"),
    (dict(t_eval=[0, 2]), "within 0 and 1"),
    (dict(t_eval=[0.5, 0.2]), "must rise"),
    (dict(integrator="rado"), "unknown integrator"),
    (dict(formulation="glg"), "unknown formulation"),
    (dict(fun=lambda t, y, yp: [yp[0], y[0]]), "1 residuals"),
])
def test_wrong_arguments(arguments, message):
    given = {"fun": lambda t, y, yp: [yp[0] + y[0]], "t_span": (0, 1), "y0": [1.0], **arguments}
    with pytest.raises(dd.ModelError, match=message):
        dd.solve_dae(**given)


@pytest.mark.parametrize("arguments", [dict(fun=3), dict(y0="a"), dict(events=[3]), dict(rtol="small"),
                                       dict(progress=3)])
def test_wrong_types(arguments):
    given = {"fun": lambda t, y, yp: [yp[0] + y[0]], "t_span": (0, 1), "y0": [1.0], **arguments}
    with pytest.raises(TypeError):
        dd.solve_dae(**given)
