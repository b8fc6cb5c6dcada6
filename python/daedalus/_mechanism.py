"""Mechanisms: bodies, joints and forces in, equations out. Places are those of the world at the start."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

import numpy as np

from . import _core
from ._core import Expr
from ._errors import wrong
from ._origin import Built, Origin, RecordedBuilder
from ._parameters import Parameter, building, recorded
from ._settings import Settings, number, optional_number, settings_of
from ._system import System, experiment_of

Law = Union[float, Callable[["Quantities"], Any]]
_AXES = "xyz"


def _vector(values: Any, what: str, planar: bool) -> list[float]:
    """Three numbers; in a planar mechanism two suffice."""
    try:
        items = list(values)
    except TypeError:
        raise TypeError(f"{what} must be numbers (x, y, z), not {type(values).__name__}") from None
    if planar and len(items) == 2:
        items.append(0.0)
    if len(items) != 3:
        raise wrong(f"{what} must be {'2 or 3' if planar else '3'} numbers, not {len(items)}")
    return [number(item, what) for item in items]


def _direction(values: Any, what: str, planar: bool) -> list[float]:
    out = _vector(values, what, planar)
    if not any(out):
        raise wrong(f"{what} is zero, which is no direction")
    return out


class Part:
    """A body or a joint of a mechanism."""

    def __init__(self, owner: "Mechanism | None", name: str, index: int) -> None:
        self._owner, self.name, self._index = owner, name, index

    def __repr__(self) -> str:
        return f"<daedalus.{type(self).__name__} {self.name!r}>"


class Body(Part):
    pass


class Joint(Part):
    pass


class Quantities:
    """What a law may depend on: m.load("wind", body, force=lambda q: (q.time, 0, 0))."""

    def __init__(self, mechanism: "Mechanism") -> None:
        self._mechanism = mechanism
        self._notes = _core.LawNotes()

    @property
    def time(self) -> Expr:
        return self._notes.time()

    def position(self, body: Body, point: Sequence[float] = (0, 0, 0)) -> tuple[Expr, Expr, Expr]:
        """Of a point given in the body's frame, along the world's axes."""
        return self._of_point(self._notes.position, "position", body, point)

    def velocity(self, body: Body, point: Sequence[float] = (0, 0, 0)) -> tuple[Expr, Expr, Expr]:
        return self._of_point(self._notes.velocity, "velocity", body, point)

    def _of_point(self, note: Callable[..., Expr], what: str, body: Body,
                  point: Sequence[float]) -> tuple[Expr, Expr, Expr]:
        index = self._mechanism._body(body)
        place = _vector(point, "point", self._mechanism.planar)
        x, y, z = (note(index, place, k, f"{what} {a} of {body.name}") for k, a in enumerate(_AXES))
        return x, y, z

    def angular_velocity(self, body: Body) -> tuple[Expr, Expr, Expr]:
        index = self._mechanism._body(body)
        x, y, z = (self._notes.angular_velocity(index, k, f"angular velocity {a} of {body.name}")
                   for k, a in enumerate(_AXES))
        return x, y, z

    def angle(self, joint: Joint) -> Expr:
        return self._of_joint(joint, True, False)

    def displacement(self, joint: Joint) -> Expr:
        return self._of_joint(joint, False, False)

    def angular_rate(self, joint: Joint) -> Expr:
        return self._of_joint(joint, True, True)

    def displacement_rate(self, joint: Joint) -> Expr:
        return self._of_joint(joint, False, True)

    def _of_joint(self, joint: Joint, angle: bool, rate: bool) -> Expr:
        what = ("rate of " if rate else "") + ("angle" if angle else "displacement")
        return self._notes.coordinate(self._mechanism._joint(joint), angle, rate, f"{what} of {joint.name}")


class Mechanism(System):
    """Rigid bodies, joints and forces.

        m = dd.Mechanism("Pendulum", planar=True)
        rod = m.rod("rod", (0, 0), (1, 0), mass=1)
        m.revolute("A", m.ground, rod, at=(0, 0))
        r = m.simulate(until=10)
        r["rod.x"], r["joint A: force y"], r["energy"]
    """

    def __init__(self, name: str = "Mechanism", *, planar: bool = False,
                 gravity: Sequence[float] | None = None) -> None:
        self.name, self.planar = name, bool(planar)
        self._builder = RecordedBuilder(name, self.planar)
        self._parameters: dict[str, float] = {}
        self._recorded: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._original: Mechanism = self  # whose parts the recorded calls name
        self.ground = Body(self, "ground", -1)
        if gravity is not None:
            self.gravity(gravity)

    def parameter(self, name: str, value: float) -> Parameter:
        """A number that simulate(set={name: …}), compile(set=…) and sweep(name=…) change.

            L = m.parameter("L", 1.0)
            rod = m.rod("rod", (0, 0), (L, 0), mass=2 * L)
        """
        if not isinstance(name, str) or not name:
            raise TypeError("the name of a parameter must be a text")
        if name in self._parameters:
            raise wrong(f"there is a parameter '{name}' already")
        self._parameters[name] = number(value, f"the value of '{name}'")
        return Parameter(name)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters and their values."""
        return dict(self._parameters)

    @recorded
    def gravity(self, value: Sequence[Any]) -> None:
        """The acceleration of free fall; (0, -9.81, 0) in the plane and (0, 0, -9.81) in space if it is not given."""
        self._builder.call("gravity", self._vec(value, "gravity"))

    def _source(self) -> _core.Source:
        return self._builder.source()

    def _origin(self) -> Origin:
        return Built.of(self._builder)

    def _parameter_names(self) -> list[str]:
        return list(self._parameters)

    def _prepared(self, set: Settings | None) -> tuple[Origin, list[tuple[str, str]]]:
        settings = settings_of(set)  # says what is wrong with them
        given = {name: value for name, value in (set or {}).items() if name in self._parameters}
        if not given:
            return self._origin(), settings
        values = {name: number(value, f'set["{name}"]') for name, value in given.items()}
        return self._with(values)._origin(), [(n, text) for n, text in settings if n not in given]

    def _with(self, values: dict[str, float]) -> Mechanism:
        """The same mechanism with other values of its parameters."""
        made = Mechanism(self.name, planar=self.planar)
        made._original, made._parameters = self, {**self._parameters, **values}
        with building(made._parameters):
            for method, args, kwargs in self._recorded:
                getattr(made, method)(*args, **kwargs)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Without parameters nothing is built again, and the calls, whose laws may be functions, are not needed."""
        return {**self.__dict__, "_recorded": self._recorded if self._parameters else []}

    def _vec(self, values: Any, what: str) -> list[float]:
        return _vector(values, what, self.planar)

    def _body(self, body: Body) -> int:
        return self._part(body, Body, "body")

    def _joint(self, joint: Joint) -> int:
        return self._part(joint, Joint, "joint")

    def _part(self, part: Any, kind: type, what: str) -> int:
        if not isinstance(part, Part) or not isinstance(part, kind):
            raise TypeError(f"a {what} of this mechanism is needed, not {type(part).__name__}")
        if part._owner is not self and part._owner is not self._original:
            raise wrong(f"'{part.name}' is a {what} of another mechanism")
        return part._index

    # -- bodies ------------------------------------------------------------------------------------------------------

    @recorded
    def body(self, name: str, *, mass: float = 1.0, inertia: Any = None, position: Sequence[float] = (0, 0, 0),
             angle: float = 0.0, axis: Sequence[float] = (0, 0, 1), centre: Sequence[float] = (0, 0, 0),
             velocity: Sequence[float] | None = None, angular_velocity: Any = None, held: bool = False) -> Body:
        """A rigid body. `inertia` about its centre of mass: a number (about z, or the same about all axes), three, or a
        matrix; `angle` about `axis` turns it at the start; `held`: start values are met exactly, not nearly."""
        return self._add_body(name, mass, _inertia(1.0 if inertia is None else inertia), position, angle, axis,
                              centre=centre, velocity=velocity, angular_velocity=angular_velocity, held=held)

    @recorded
    def point(self, name: str, *, mass: float = 1.0, position: Sequence[float] = (0, 0, 0),
              velocity: Sequence[float] | None = None, held: bool = False) -> Body:
        """A mass without extent."""
        return self._add_body(name, mass, _inertia(1.0), position, 0.0, (0, 0, 1), point=True, velocity=velocity,
                              held=held)

    def _add_body(self, name: str, mass: float, inertia: list[float], position: Any, angle: float, axis: Any, *,
                  point: bool = False, centre: Any = (0, 0, 0), velocity: Any = None, angular_velocity: Any = None,
                  held: bool = False) -> Body:
        if angular_velocity is not None and np.ndim(angular_velocity) == 0:
            angular_velocity = (0, 0, angular_velocity)
        index = self._builder.call("body", name, {
            "point": point, "mass": number(mass, "mass"), "inertia": inertia,
            "position": self._vec(position, "position"), "angle": number(angle, "angle"),
            "axis": _direction(axis, "axis", self.planar), "centre": self._vec(centre, "centre"),
            "velocity": None if velocity is None else self._vec(velocity, "velocity"),
            "angular_velocity": None if angular_velocity is None else _vector(angular_velocity, "angular_velocity", False),
            "held": bool(held)})
        return Body(self, name, index)

    @recorded
    def rod(self, name: str, start: Sequence[float], end: Sequence[float], *, mass: float = 1.0,
            axial: float | None = None) -> Body:
        """A uniform slender rod between two points."""
        a, b = self._vec(start, "start"), self._vec(end, "end")
        if a == b:
            raise wrong(f"the rod '{name}' has no length")
        index = self._builder.call("rod", name, a, b, number(mass, "mass"), optional_number(axial, "axial"))
        return Body(self, name, index)

    # -- joints ------------------------------------------------------------------------------------------------------

    @recorded
    def joint(self, name: str, kind: str, first: Body, second: Body, *, at: Sequence[float],
              axis: Sequence[float] | None = None, to: Sequence[float] | None = None, size: float | None = None) -> Joint:
        """A joint of any kind (daedalus.joint_kinds()) at a place. `axis`: what it turns about or slides along; `to`:
        where it is on the second body, if elsewhere; `size`: a length or radius."""
        bodies = [self._body(first), self._body(second)]
        place = self._vec(at, "at")
        other = place if to is None else self._vec(to, "to")
        if size is None:
            size = float(np.linalg.norm(np.subtract(other, place))) if kind == "distance" else 0.0
        index = self._builder.call("joint", name, kind, bodies, {
            "at": place, "to": other, "axis": _direction((0, 0, 1) if axis is None else axis, "axis", self.planar),
            "size": number(size, "size")})
        return Joint(self, name, index)

    @recorded
    def revolute(self, name: str, first: Body, second: Body, *, at: Sequence[float],
                 axis: Sequence[float] = (0, 0, 1)) -> Joint:
        return self.joint(name, "revolute", first, second, at=at, axis=axis)

    @recorded
    def spherical(self, name: str, first: Body, second: Body, *, at: Sequence[float]) -> Joint:
        return self.joint(name, "spherical", first, second, at=at)

    @recorded
    def prismatic(self, name: str, first: Body, second: Body, *, at: Sequence[float], axis: Sequence[float]) -> Joint:
        return self.joint(name, "prismatic", first, second, at=at, axis=axis)

    @recorded
    def fixed(self, name: str, first: Body, second: Body, *, at: Sequence[float]) -> Joint:
        return self.joint(name, "fixed", first, second, at=at)

    @recorded
    def distance(self, name: str, first: Body, second: Body, *, at: Sequence[float], to: Sequence[float]) -> Joint:
        """Keeps the distance of two points."""
        return self.joint(name, "distance", first, second, at=at, to=to)

    @recorded
    def gear(self, name: str, first: Joint, second: Joint, *, ratio: float) -> None:
        self._builder.call("gear", name, self._joint(first), self._joint(second), number(ratio, "ratio"))

    @recorded
    def rack(self, name: str, pinion: Joint, rack: Joint, *, radius: float) -> None:
        self._builder.call("rack", name, self._joint(pinion), self._joint(rack), number(radius, "radius"))

    @recorded
    def screw(self, name: str, first: Body, second: Body, *, at: Sequence[float], axis: Sequence[float],
              lead: float) -> Joint:
        index = self._builder.call("screw", name, [self._body(first), self._body(second)], self._vec(at, "at"),
                                   _direction(axis, "axis", self.planar), number(lead, "lead"))
        return Joint(self, name, index)

    # -- forces and motions --------------------------------------------------------------------------------------------

    def _law(self, law: Law) -> tuple[Any, Any]:
        q = Quantities(self)
        return q._notes, law(q) if callable(law) else number(law, "a law")

    @recorded
    def motion(self, name: str, joint: Joint, law: Law, *, of: str = "angle") -> None:
        """A joint's angle or displacement as a function of time: motion("drive", A, lambda q: 2 * q.time)."""
        self._builder.call("motion", name, self._joint(joint), _is_angle(of), *self._law(law))

    @recorded
    def spring(self, name: str, first: Body, second: Body, *, at: Sequence[float], to: Sequence[float],
               stiffness: float = 0.0, damping: float = 0.0, natural_length: float = 0.0, law: Law | None = None) -> None:
        """Between two points; `law` is a further force in tension."""
        constants = [number(stiffness, "stiffness"), number(damping, "damping"), number(natural_length, "natural_length")]
        self._builder.call("spring", name, [self._body(first), self._body(second)], self._vec(at, "at"),
                           self._vec(to, "to"), constants, list(self._law(law)) if law is not None else [])

    @recorded
    def joint_force(self, name: str, joint: Joint, *, of: str = "angle", stiffness: float = 0.0, damping: float = 0.0,
                    reference: float = 0.0, armature: float = 0.0, law: Law | None = None) -> None:
        """At a joint's coordinate; `law` is a further force or torque on the second body."""
        constants = [number(v, n) for v, n in ((stiffness, "stiffness"), (damping, "damping"),
                                               (reference, "reference"), (armature, "armature"))]
        self._builder.call("joint_force", name, self._joint(joint), _is_angle(of), constants,
                           list(self._law(law)) if law is not None else [])

    @recorded
    def load(self, name: str, body: Body, *, at: Sequence[float] | None = None,
             force: Callable[[Quantities], Any] | Sequence[Any] | None = None,
             torque: Callable[[Quantities], Any] | Sequence[Any] | None = None, along_body: bool = False) -> None:
        """A force at a place and a torque, of components or a function of Quantities that gives them."""
        if at is None:
            raise TypeError("load() needs at=, the place at which the force acts")
        index, q = self._body(body), Quantities(self)
        self._builder.call("load", name, index, self._vec(at, "at"), bool(along_body), q._notes,
                           self._components(force, q, "force"), self._components(torque, q, "torque"))

    def _components(self, law: Any, q: Quantities, what: str) -> list[Any]:
        if law is None:
            return []
        values = law(q) if callable(law) else law
        try:
            items = list(values)
        except TypeError:
            raise TypeError(f"{what} must have components (x, y, z), not be {type(values).__name__}") from None
        if self.planar and what == "torque" and len(items) == 1:
            items = [0.0, 0.0, *items]
        if self.planar and len(items) == 2:
            items.append(0.0)
        if len(items) != 3:
            raise wrong(f"{what} must have 3 components, not {len(items)}")
        return items

    @recorded
    def marker(self, name: str, body: Body, at: Sequence[float]) -> None:
        """A point whose path is reported."""
        self._builder.call("marker", name, self._body(body), self._vec(at, "at"))

    @recorded
    def experiment(self, *, start: float = 0.0, stop: float | None = None, tolerance: float | None = None,
                   interval: float | None = None) -> None:
        """What simulate() takes when it is not told."""
        self._builder.call("experiment", *experiment_of(start, stop, tolerance, interval))

    def __repr__(self) -> str:
        return f"<daedalus.Mechanism {self.name!r}, {'planar' if self.planar else 'spatial'}>"


def _is_angle(of: str) -> bool:
    if of not in ("angle", "displacement"):
        raise wrong(f"a joint has an angle and a displacement, but no '{of}'")
    return of == "angle"


def _inertia(given: Any) -> list[float]:
    """Nine numbers, by rows."""
    array = np.asarray(given, dtype=float)
    if array.ndim == 0:
        array = np.eye(3) * array
    elif array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3):
        raise wrong("inertia must be a number, three numbers or a matrix of 3 by 3")
    return [number(v, "inertia") for v in array.ravel()]
