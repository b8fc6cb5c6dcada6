"""Exudyn on the N-four-bar linkage: planar rigid bodies and revolute joints, its implicit integrators at fixed step.

Its Jacobian loses rank whenever the cranks lie level. The settings let it go on: a dense solver by full pivoting that ignores
singular Jacobians (EigenDense, ignoreSingularJacobian)."""
import math
import time

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np

VERSION = exu.GetVersionString() if hasattr(exu, "GetVersionString") else exu.__version__
SOLVERS = {"generalised α": exu.DynamicSolverType.GeneralizedAlpha, "trapezoidal, index 2": exu.DynamicSolverType.TrapezoidalIndex2}
# The second is erratic: right at 1/400 s, on a wrong branch at 1/200, 1/800 and 1/1600 s, where it also takes long.
SETTINGS = {f"{s}, h = 1/{r} s": (s, r) for s, rates in zip(SOLVERS, ((200, 400, 800, 1600), (400,))) for r in rates}


def _rod(mbs, centre, angle, velocity, spin):
    """Markers of the two ends of a rod of 1 m and 1 kg."""
    node = mbs.AddNode(item.Rigid2D(referenceCoordinates=[*centre, angle], initialVelocities=[*velocity, spin]))
    body = mbs.AddObject(item.RigidBody2D(nodeNumber=node, physicsMass=1, physicsInertia=1 / 12))
    mbs.AddLoad(item.LoadMassProportional(markerNumber=mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body)), loadVector=[0, -9.81, 0]))
    ends = [mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0])) for x in (-0.5, 0.5)]
    return body, ends


def _linkage(n):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(item.ObjectGround())

    def pin(one, two):
        mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[one, two]))

    cranks = []
    for i in range(n + 1):
        body, ends = _rod(mbs, (i, 0.5), math.pi / 2, (0.5, 0), -1)
        pin(mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=[i, 0, 0])), ends[0])
        cranks.append((body, ends[1]))
    for i in range(n):
        _, ends = _rod(mbs, (i + 0.5, 1), 0, (1, 0), 0)
        pin(cranks[i][1], ends[0])
        pin(cranks[i + 1][1], ends[1])
    tip = mbs.AddSensor(item.SensorBody(bodyNumber=cranks[0][0], localPosition=[0.5, 0, 0], storeInternal=True, writeToFile=False,
                                        outputVariableType=exu.OutputVariableType.Position))
    mbs.Assemble()
    return container, mbs, tip


def n_four_bar(n, until, samples):
    def run(setting):
        solver, rate = setting
        _container, mbs, tip = _linkage(n)
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = int(rate * until)
        settings.timeIntegration.endTime = until
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = until / samples
        settings.linearSolverType = exu.LinearSolverType.EigenDense
        settings.linearSolverSettings.ignoreSingularJacobian = True
        settings.displayStatistics = False
        begin = time.process_time()
        try:
            mbs.SolveDynamic(settings, solverType=SOLVERS[solver])
        except (RuntimeError, ValueError):
            return None
        seconds = time.process_time() - begin
        rows = mbs.GetSensorStoredData(tip)[-samples:, 1:3]
        if not np.all(np.isfinite(rows)):
            return None
        return {"rows": rows.tolist(), "steps": int(rate * until), "evaluations": None, "seconds": seconds}
    return SETTINGS, run
