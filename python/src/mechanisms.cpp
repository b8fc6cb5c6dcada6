// Mechanisms built in Python: MechanismBuilder, with laws as tapes.
#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/options.hpp"
#include "errors.hpp"
#include "mechanics/equations.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/mechanism_builder.hpp"
#include "mechanics/quantities.hpp"
#include "readers/start_settings.hpp"
#include "source.hpp"
#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using Triple = std::array<double, 3>;

Vec3 vec(const Triple& v) {
  return {v[0], v[1], v[2]};
}

BodyId body_id(int number) {
  return number < 0 ? ground : BodyId(static_cast<std::int32_t>(number));
}

enum class QuantityKind { Position, Velocity, AngularVelocity, Coordinate, Rate };

struct QuantitySpec {
  QuantityKind kind = QuantityKind::Position;
  int id = -1;  // body or joint
  int axis = 0;
  Vec3 point;
  JointMotion motion = JointMotion::Angle;
};

// What a law may depend on, while Python writes it down.
struct LawNotes {
  std::shared_ptr<Tape> tape = std::make_shared<Tape>();
  std::vector<QuantitySpec> specs;

  Symbol note(const QuantitySpec& spec, std::string name) {
    specs.push_back(spec);
    tape->quantities.push_back(std::move(name));
    const auto number = static_cast<std::int32_t>(specs.size()) - 1;
    return {tape, tape->append({.kind = TapeKind::Quantity, .args = {number, -1, -1}})};
  }
};

using SpecState = std::tuple<int, int, int, Triple, int>;

std::vector<SpecState> spec_states(const std::vector<QuantitySpec>& specs) {
  std::vector<SpecState> out;
  for (const QuantitySpec& s : specs) {
    out.emplace_back(static_cast<int>(s.kind), s.id, s.axis, Triple{s.point.x, s.point.y, s.point.z},
                     static_cast<int>(s.motion));
  }
  return out;
}

std::vector<QuantitySpec> specs_in(const std::vector<SpecState>& states) {
  std::vector<QuantitySpec> out;
  for (const auto& [kind, id, axis, point, motion] : states) {
    out.push_back({.kind = static_cast<QuantityKind>(kind),
                   .id = id,
                   .axis = axis,
                   .point = vec(point),
                   .motion = static_cast<JointMotion>(motion)});
  }
  return out;
}

Expr component(const ExprVec3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

Expr look_up(Quantities& q, const QuantitySpec& spec) {
  switch (spec.kind) {
    case QuantityKind::Position:
      return component(q.position(body_id(spec.id), spec.point), spec.axis);
    case QuantityKind::Velocity:
      return component(q.velocity(body_id(spec.id), spec.point), spec.axis);
    case QuantityKind::AngularVelocity:
      return component(q.angular_velocity(body_id(spec.id)), spec.axis);
    case QuantityKind::Coordinate:
      return q.coordinate({.joint = JointId(spec.id), .motion = spec.motion});
    case QuantityKind::Rate:
      return q.rate({.joint = JointId(spec.id), .motion = spec.motion});
  }
  return 0;
}

// A law whose notes do not change any more, so that runs on other threads can read them.
struct FrozenLaw {
  std::shared_ptr<const Tape> tape;
  std::vector<QuantitySpec> specs;

  [[nodiscard]] std::vector<Expr> play_with(Quantities& q) const {
    TapeLeaves leaves;
    leaves.time = [&q] { return q.time(); };
    leaves.initial = [] { return Expr(0); };
    leaves.sample = [](double, double) { return Expr(0); };
    leaves.quantity = [&](std::int32_t k) { return look_up(q, specs[static_cast<std::size_t>(k)]); };
    return play(*tape, leaves, static_cast<std::int32_t>(tape->entries.size()) - 1);
  }
};

FrozenLaw freeze(const LawNotes& notes) {
  return {std::make_shared<const Tape>(*notes.tape), notes.specs};
}

Law law_of(const LawNotes& notes, nb::handle value) {
  const std::int32_t entry = require_entry(notes.tape, value, "a law");
  return [law = freeze(notes), entry](Quantities& q) {
    return law.play_with(q)[static_cast<std::size_t>(entry)];
  };
}

VectorLaw vector_law_of(const LawNotes& notes, const nb::list& values) {
  std::array<std::size_t, 3> entries{};
  for (std::size_t k = 0; k < entries.size(); ++k)
    entries[k] = static_cast<std::size_t>(require_entry(notes.tape, values[k], "a law"));
  return [law = freeze(notes), entries](Quantities& q) -> ExprVec3 {
    const std::vector<Expr> all = law.play_with(q);
    return {all[entries[0]], all[entries[1]], all[entries[2]]};
  };
}

class MechanismSource : public SystemSource {
 public:
  explicit MechanismSource(Mechanism mechanism) : mechanism_(std::move(mechanism)) {}

  [[nodiscard]] std::optional<Mobility> mobility() const override { return mobility_of(mechanism_); }

  [[nodiscard]] std::optional<Mechanism> mechanism_with(const Settings& settings) const override {
    Mechanism moved = mechanism_;
    Names names;
    if (!set_starts(moved, settings, names)) return std::nullopt;
    return moved;
  }

  [[nodiscard]] Names settable() const override {
    Mechanism moved = mechanism_;
    Names names;
    (void)set_starts(moved, {}, names);
    return names;
  }

 private:
  [[nodiscard]] Made make_system(const Settings& settings, const MakeOptions& options) const override {
    auto sources = std::make_shared<SourceMap>();
    if (!options.free.empty()) return {sources, std::unexpected(no_parameters(options.free.front()))};
    if (settings.empty()) return {sources, equations_of(mechanism_)};
    Mechanism moved = mechanism_;
    Names names;
    if (const auto done = set_starts(moved, settings, names); !done)
      return {sources, std::unexpected(done.error())};
    return {sources, equations_of(moved)};
  }

  // Start values by the names of the results; `names` becomes what there is to be set.
  static Result<void> set_starts(Mechanism& mechanism, const Settings& settings, Names& names) {
    const ParameterSetting* wrong = nullptr;
    const auto setting = [&](const std::string& name) -> std::optional<double> {
      names.push_back(name);
      const auto found = std::ranges::find(settings, name, &ParameterSetting::name);
      if (found == settings.end()) return std::nullopt;
      const auto value = number_of(*found);
      if (!value) wrong = &*found;
      return value;
    };
    apply_start_settings(setting, mechanism, {});
    if (wrong != nullptr)
      return fail(fmt::format("--set {}: '{}' is not a number", wrong->name, wrong->value));
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const ParameterSetting& each : settings) {
      if (std::ranges::find(names, each.name) == names.end())
        return fail(unknown_name_message("name to set", each.name, known));
    }
    return {};
  }

  static std::optional<double> number_of(const ParameterSetting& setting) {
    double value = 0;
    const char* end = setting.value.data() + setting.value.size();
    const auto [rest, error] = std::from_chars(setting.value.data(), end, value);
    if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
    return value;
  }

  Mechanism mechanism_;
};

JointKind joint_kind(const std::string& name) {
  std::vector<std::string_view> known;
  for (const JointRow& row : joint_table()) {
    if (row.name == name) return row.kind;
    known.push_back(row.name);
  }
  raise_model_error({{.severity = Severity::Error,
                      .message = unknown_name_message("joint", name, known),
                      .span = {},
                      .related = {}}});
}

Mat3 matrix(const std::vector<double>& rows) {
  return {{rows.at(0), rows.at(3), rows.at(6)},
          {rows.at(1), rows.at(4), rows.at(7)},
          {rows.at(2), rows.at(5), rows.at(8)}};
}

struct Builder {
  MechanismBuilder mechanism;
  int bodies = 0;
  int joints = 0;

  [[nodiscard]] Vec3 on(int body, const Triple& place) const {
    return relative_to(mechanism.pose(body_id(body)), at(vec(place))).origin;
  }
};

int add_body(Builder& b, const std::string& name, const nb::dict& given) {
  const auto triple = [&](const char* key) { return vec(nb::cast<Triple>(given[key])); };
  Body body{.name = name,
            .kind = nb::cast<bool>(given["point"]) ? BodyKind::Point : BodyKind::Rigid,
            .mass = nb::cast<double>(given["mass"]),
            .centre = triple("centre"),
            .inertia = matrix(nb::cast<std::vector<double>>(given["inertia"])),
            .pose = at(triple("position"), rotation(triple("axis"), nb::cast<double>(given["angle"]))),
            .held = nb::cast<bool>(given["held"])};
  if (!given["velocity"].is_none()) body.velocity = triple("velocity");
  if (!given["angular_velocity"].is_none()) body.angular_velocity = triple("angular_velocity");
  (void)b.mechanism.body(std::move(body));
  return b.bodies++;
}

int add_joint(Builder& b, const std::string& name, const std::string& kind, const std::array<int, 2>& bodies,
              const nb::dict& given) {
  const JointKind which = joint_kind(kind);
  const Vec3 axis = vec(nb::cast<Triple>(given["axis"]));
  const bool slides = joint_row(which).slides_along == 'x' || which == JointKind::PointOnLine;
  const Frame place = at(vec(nb::cast<Triple>(given["at"])), slides ? axes_with_x(axis) : axes_with_z(axis));
  const Frame second = at(vec(nb::cast<Triple>(given["to"])), place.axes);
  (void)b.mechanism.joint(Joint{.name = name,
                                .kind = which,
                                .first = body_id(bodies[0]),
                                .second = body_id(bodies[1]),
                                .on_first = relative_to(b.mechanism.pose(body_id(bodies[0])), place),
                                .on_second = relative_to(b.mechanism.pose(body_id(bodies[1])), second),
                                .size = nb::cast<double>(given["size"])});
  return b.joints++;
}

JointCoordinate coordinate_of(int joint, bool angle) {
  return {.joint = JointId(joint), .motion = angle ? JointMotion::Angle : JointMotion::Displacement};
}

void bind_laws(nb::module_& module) {
  nb::class_<LawNotes>(module, "LawNotes")
      .def(nb::init<>())
      .def("__getstate__", [](const LawNotes& n) { return nb::make_tuple(n.tape, spec_states(n.specs)); })
      .def("__setstate__",
           [](LawNotes& self, const nb::tuple& state) {
             new (&self) LawNotes{.tape = nb::cast<std::shared_ptr<Tape>>(state[0]),
                                  .specs = specs_in(nb::cast<std::vector<SpecState>>(state[1]))};
           })
      .def("time",
           [](LawNotes& n) {
             return Symbol{n.tape, n.tape->append({.kind = TapeKind::Time})};
           })
      .def("position",
           [](LawNotes& n, int body, const Triple& point, int axis, std::string name) {
             return n.note({.kind = QuantityKind::Position, .id = body, .axis = axis, .point = vec(point)},
                           std::move(name));
           })
      .def("velocity",
           [](LawNotes& n, int body, const Triple& point, int axis, std::string name) {
             return n.note({.kind = QuantityKind::Velocity, .id = body, .axis = axis, .point = vec(point)},
                           std::move(name));
           })
      .def("angular_velocity",
           [](LawNotes& n, int body, int axis, std::string name) {
             return n.note({.kind = QuantityKind::AngularVelocity, .id = body, .axis = axis},
                           std::move(name));
           })
      .def("coordinate", [](LawNotes& n, int joint, bool angle, bool rate, std::string name) {
        return n.note({.kind = rate ? QuantityKind::Rate : QuantityKind::Coordinate,
                       .id = joint,
                       .motion = angle ? JointMotion::Angle : JointMotion::Displacement},
                      std::move(name));
      });
}

// No law, or its notes and its value.
Law optional_law(const nb::list& law) {
  return law.empty() ? Law{} : law_of(nb::cast<const LawNotes&>(law[0]), law[1]);
}

void bind_forces(nb::class_<Builder>& type) {
  type.def("spring", [](Builder& b, const std::string& name, const std::array<int, 2>& bodies,
                        const Triple& from, const Triple& to, const Triple& constants, const nb::list& law) {
    b.mechanism.force(Spring{.name = name,
                             .first = body_id(bodies[0]),
                             .second = body_id(bodies[1]),
                             .on_first = b.on(bodies[0], from),
                             .on_second = b.on(bodies[1], to),
                             .stiffness = constants[0],
                             .damping = constants[1],
                             .natural_length = constants[2],
                             .law = optional_law(law)});
  });
  type.def("joint_force", [](Builder& b, const std::string& name, int joint, bool angle,
                             const std::array<double, 4>& constants, const nb::list& law) {
    b.mechanism.force(JointForce{.name = name,
                                 .coordinate = coordinate_of(joint, angle),
                                 .stiffness = constants[0],
                                 .damping = constants[1],
                                 .reference = constants[2],
                                 .armature = constants[3],
                                 .law = optional_law(law)});
  });
  type.def("load", [](Builder& b, const std::string& name, int body, const Triple& point, bool along_body,
                      nb::handle notes, const nb::list& force, const nb::list& torque) {
    const auto& written = nb::cast<const LawNotes&>(notes);
    b.mechanism.force(Load{.name = name,
                           .body = body_id(body),
                           .point = b.on(body, point),
                           .force = force.size() == 3 ? vector_law_of(written, force) : VectorLaw{},
                           .torque = torque.size() == 3 ? vector_law_of(written, torque) : VectorLaw{},
                           .along_body = along_body});
  });
  type.def("motion", [](Builder& b, const std::string& name, int joint, bool angle, nb::handle notes,
                        nb::handle law) {
    b.mechanism.motion(name, coordinate_of(joint, angle), law_of(nb::cast<const LawNotes&>(notes), law));
  });
}

void bind_builder(nb::module_& module) {
  nb::class_<Builder> type(module, "MechanismBuilder");
  type.def("__init__",
           [](Builder* self, const std::string& name, bool planar) {
             new (self) Builder{.mechanism =
                                    MechanismBuilder(name, planar ? Dimension::Planar : Dimension::Spatial)};
           })
      .def("gravity", [](Builder& b, const Triple& g) { b.mechanism.gravity(vec(g)); })
      .def(
          "experiment",
          [](Builder& b, double start, std::optional<double> stop, std::optional<double> tolerance,
             std::optional<double> interval) {
            b.mechanism.experiment(
                {.start_time = start, .stop_time = stop, .tolerance = tolerance, .interval = interval});
          },
          nb::arg("start"), nb::arg("stop").none(), nb::arg("tolerance").none(), nb::arg("interval").none())
      .def("body", &add_body)
      .def(
          "rod",
          [](Builder& b, const std::string& name, const Triple& from, const Triple& to, double mass,
             std::optional<double> axial) {
            (void)b.mechanism.rod(name, vec(from), vec(to), mass, axial);
            return b.bodies++;
          },
          nb::arg("name"), nb::arg("start"), nb::arg("end"), nb::arg("mass"), nb::arg("axial").none())
      .def("joint", &add_joint)
      .def("gear", [](Builder& b, const std::string& name, int first, int second,
                      double ratio) { b.mechanism.gear(name, JointId(first), JointId(second), ratio); })
      .def("rack", [](Builder& b, const std::string& name, int pinion, int rack,
                      double radius) { b.mechanism.rack(name, JointId(pinion), JointId(rack), radius); })
      .def("screw",
           [](Builder& b, const std::string& name, const std::array<int, 2>& bodies, const Triple& point,
              const Triple& axis, double lead) {
             (void)b.mechanism.screw(name, body_id(bodies[0]), body_id(bodies[1]),
                                     at(vec(point), axes_with_z(vec(axis))), lead);
             return b.joints++;
           })
      .def("marker", [](Builder& b, const std::string& name, int body,
                        const Triple& place) { b.mechanism.marker(name, body_id(body), vec(place)); })
      .def("source", [](const Builder& b) -> std::shared_ptr<SystemSource> {
        MechanismBuilder copy = b.mechanism;
        return std::make_shared<MechanismSource>(copy.finish());
      });
  bind_forces(type);
}

}  // namespace

void bind_mechanisms(nb::module_& module) {
  bind_laws(module);
  bind_builder(module);
  module.def("joint_kinds", [] {
    std::vector<std::string> names;
    for (const JointRow& row : joint_table()) names.emplace_back(row.name);
    return names;
  });
}

}  // namespace daedalus::python
