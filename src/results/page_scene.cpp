#include "results/page_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "mechanics/joint_rows.hpp"
#include "results/xml_text.hpp"

namespace daedalus {
namespace {

constexpr std::size_t most_frames = 1501;

PageJson vector_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}

class SceneWriter {
 public:
  SceneWriter(const Mechanism& mechanism, const Trajectory& trajectory, PageBlob& blob)
      : mechanism_(mechanism), trajectory_(trajectory), blob_(blob) {
    for (std::size_t k = 0; k < trajectory.signals.size(); ++k)
      columns_.emplace(trajectory.signals[k].name, k);
  }

  PageJson write(std::size_t budget) {
    if (!choose_columns()) return nullptr;
    choose_frames(budget);
    PageJson out = {{"planar", mechanism_.dimension == Dimension::Planar},
                    {"up", vector_json(up())},
                    {"bodies", bodies()},
                    {"joints", joints()},
                    {"springs", springs()},
                    {"markers", markers()}};
    std::vector<double> times;
    for (const std::size_t row : frames_) times.push_back(trajectory_.times[row]);
    out["time"] = blob_.add_times(times);
    add_poses(out);
    add_reactions(out);
    return out;
  }

 private:
  // x, y, z and the quaternion, or x, y and the angle; -1: there is none.
  using Columns = std::array<int, 8>;

  [[nodiscard]] int column(const std::string& name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? -1 : static_cast<int>(found->second);
  }
  [[nodiscard]] double value(std::size_t row, int column) const {
    return column < 0 ? 0 : trajectory_.at(row, static_cast<std::size_t>(column));
  }

  bool choose_columns() {
    constexpr std::array<std::string_view, 8> names{"x", "y", "z", "q0", "q1", "q2", "q3", "phi"};
    for (const Body& body : mechanism_.bodies) {
      Columns& own = coordinates_.emplace_back();
      for (std::size_t k = 0; k < names.size(); ++k)
        own[k] = column(fmt::format("{}.{}", body.name, names[k]));
      if ((own[0] < 0 || own[1] < 0) && body.kind != BodyKind::Massless) return false;
    }
    const auto is_there = [this](BodyId body) { return !body.valid() || coordinates_[body.at()][0] >= 0; };
    for (std::size_t k = 0; k < mechanism_.joints.size(); ++k) {
      const Joint& joint = mechanism_.joints[k];
      reactions_.push_back(reaction_columns(joint));
      if (!joint.merged.valid() && is_there(joint.first) && is_there(joint.second)) drawn_.push_back(k);
    }
    return trajectory_.rows() > 1 && !mechanism_.bodies.empty();
  }

  struct Reaction {
    std::array<int, 3> force{-1, -1, -1};
    bool along_world = false;
    int tension = -1;
    [[nodiscard]] bool any() const {
      return tension >= 0 || std::ranges::any_of(force, [](int c) { return c >= 0; });
    }
  };
  [[nodiscard]] Reaction reaction_columns(const Joint& joint) const {
    Reaction out;
    const auto find = [&](std::string_view words, int axis) {
      return column(fmt::format("joint {}: {} {}", joint.name, words, "xyz"[axis]));
    };
    for (int axis = 0; axis < 3; ++axis) {
      out.force[std::size_t(axis)] = find("world force", axis);
      out.along_world = out.along_world || out.force[std::size_t(axis)] >= 0;
    }
    for (int axis = 0; axis < 3 && !out.along_world; ++axis) {
      out.force[std::size_t(axis)] = std::max(find("force", axis), find("friction", axis));
    }
    const int normal = column(fmt::format("joint {}: normal force", joint.name));
    if (normal >= 0) out.force[mechanism_.dimension == Dimension::Planar ? 1 : 2] = normal;
    out.tension = column(fmt::format("joint {}: tension", joint.name));
    return out;
  }

  void choose_frames(std::size_t budget) {
    const std::size_t bytes =
        sizeof(std::int16_t) * ((7 * mechanism_.bodies.size()) + (3 * mechanism_.joints.size()));
    const std::size_t frames = std::clamp<std::size_t>(budget / bytes, 2, most_frames);
    const std::size_t rows = trajectory_.rows();
    const std::size_t stride = std::max<std::size_t>(1, (rows + frames - 1) / frames);
    for (std::size_t row = 0; row < rows; row += stride) frames_.push_back(row);
    if (frames_.back() != rows - 1) frames_.push_back(rows - 1);
  }

  [[nodiscard]] Vec3 up() const {
    const double g = norm(mechanism_.gravity);
    if (mechanism_.dimension == Dimension::Planar) return {0, 1, 0};
    return g > 0 ? (-1 / g) * mechanism_.gravity : Vec3{0, 0, 1};
  }

  // Where a point of the body's frame is, seen from the centre of mass.
  [[nodiscard]] Vec3 from_centre(BodyId body, const Vec3& point) const {
    return body.valid() ? point - mechanism_.bodies[body.at()].centre : point;
  }

  [[nodiscard]] PageJson bodies() const {
    constexpr std::array<std::string_view, 5> outlines{"sphere", "capsule", "cylinder", "ellipsoid", "box"};
    PageJson out = PageJson::array();
    for (const Body& body : mechanism_.bodies) {
      PageJson solids = PageJson::array();
      for (const Solid& solid : body.solids) {
        const Quaternion q = quaternion(solid.frame.axes);
        solids.push_back({{"outline", outlines[static_cast<std::size_t>(solid.outline)]},
                          {"at", vector_json(solid.frame.origin - body.centre)},
                          {"turn", {q.w, q.x, q.y, q.z}},
                          {"half", vector_json(solid.half)}});
      }
      out.push_back({{"name", valid_utf8(body.name)}, {"mass", body.mass}, {"solids", solids}});
    }
    return out;
  }

  // Places on both bodies; -1 is the ground.
  [[nodiscard]] PageJson ends(BodyId first, BodyId second, const Vec3& on_first,
                              const Vec3& on_second) const {
    return {{"first", first.valid() ? static_cast<int>(first.at()) : -1},
            {"second", second.valid() ? static_cast<int>(second.at()) : -1},
            {"p1", vector_json(from_centre(first, on_first))},
            {"p2", vector_json(from_centre(second, on_second))}};
  }

  [[nodiscard]] PageJson joints() const {
    PageJson out = PageJson::array();
    for (const std::size_t k : drawn_) {
      const Joint& joint = mechanism_.joints[k];
      PageJson one = ends(joint.first, joint.second, joint.on_first.origin, joint.on_second.origin);
      one["name"] = valid_utf8(joint.name);
      one["kind"] = joint_row(joint.kind).name;
      one["axis"] = vector_json(joint.on_second.axes.z);
      one["along"] = vector_json(joint.on_first.axes.x);
      one["size"] = joint.size;
      one["reaction"] = reactions_[k].any();
      out.push_back(std::move(one));
    }
    return out;
  }

  [[nodiscard]] PageJson springs() const {
    PageJson out = PageJson::array();
    for (const Force& force : mechanism_.forces) {
      const auto* spring = std::get_if<Spring>(&force);
      if (spring == nullptr) continue;
      PageJson one = ends(spring->first, spring->second, spring->on_first, spring->on_second);
      one["name"] = valid_utf8(spring->name);
      out.push_back(std::move(one));
    }
    return out;
  }

  [[nodiscard]] PageJson markers() const {
    PageJson out = PageJson::array();
    for (const Marker& marker : mechanism_.markers) {
      out.push_back({{"name", valid_utf8(marker.name)},
                     {"body", marker.body.valid() ? static_cast<int>(marker.body.at()) : -1},
                     {"point", vector_json(from_centre(marker.body, marker.point))}});
    }
    return out;
  }

  [[nodiscard]] Vec3 place(std::size_t row, const Columns& c) const {
    return {value(row, c[0]), value(row, c[1]), value(row, c[2])};
  }
  [[nodiscard]] Quaternion turn(std::size_t row, const Columns& c) const {
    if (c[7] >= 0) {
      const double half = value(row, c[7]) / 2;
      return {.w = std::cos(half), .x = 0, .y = 0, .z = std::sin(half)};
    }
    if (c[3] < 0) return {};
    return {.w = value(row, c[3]), .x = value(row, c[4]), .y = value(row, c[5]), .z = value(row, c[6])};
  }

  static std::int16_t quantised(double part) {
    return static_cast<std::int16_t>(
        std::lround(32767 * std::clamp(std::isfinite(part) ? part : 0.0, -1.0, 1.0)));
  }

  void add_poses(PageJson& out) {
    Vec3 low{1e300, 1e300, 1e300};
    Vec3 high{-1e300, -1e300, -1e300};
    for (const std::size_t row : frames_) {
      for (const Columns& c : coordinates_) {
        const Vec3 p = place(row, c);
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      }
    }
    const Vec3 origin = 0.5 * (low + high);
    const double half = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-12}) / 2;
    std::vector<std::int16_t> poses;
    for (const std::size_t row : frames_) {
      for (const Columns& c : coordinates_) {
        const Vec3 p = (1 / half) * (place(row, c) - origin);
        const Quaternion q = turn(row, c);
        for (const double part : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) poses.push_back(quantised(part));
      }
    }
    out["origin"] = vector_json(origin);
    out["half"] = half;
    out["poses"] = blob_.add(poses);
  }

  [[nodiscard]] Vec3 place_of(std::size_t row, BodyId body, const Vec3& point) const {
    if (!body.valid()) return point;
    const Columns& c = coordinates_[body.at()];
    return place(row, c) + rotation(turn(row, c)) * from_centre(body, point);
  }

  [[nodiscard]] Vec3 reaction(std::size_t row, std::size_t k) const {
    const Joint& joint = mechanism_.joints[k];
    const Reaction& columns = reactions_[k];
    if (columns.tension >= 0) {
      const Vec3 d = place_of(row, joint.first, joint.on_first.origin) -
                     place_of(row, joint.second, joint.on_second.origin);
      const double length = norm(d);
      return length > 0 ? (value(row, columns.tension) / length) * d : Vec3{};
    }
    const Vec3 f{value(row, columns.force[0]), value(row, columns.force[1]), value(row, columns.force[2])};
    if (columns.along_world) return f;
    const Vec3 on_body = joint.on_first.axes * f;
    return joint.first.valid() ? rotation(turn(row, coordinates_[joint.first.at()])) * on_body : on_body;
  }

  void add_reactions(PageJson& out) {
    std::vector<Vec3> forces;
    double largest = 0;
    for (const std::size_t row : frames_) {
      for (const std::size_t k : drawn_) {
        forces.push_back(reaction(row, k));
        if (const double size = norm(forces.back()); std::isfinite(size)) largest = std::max(largest, size);
      }
    }
    if (largest == 0) return;
    std::vector<std::int16_t> parts;
    for (const Vec3& f : forces) {
      for (const double part : {f.x, f.y, f.z}) parts.push_back(quantised(part / largest));
    }
    out["force"] = largest;
    out["reactions"] = blob_.add(parts);
  }

  const Mechanism& mechanism_;
  const Trajectory& trajectory_;
  PageBlob& blob_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::vector<Columns> coordinates_;
  std::vector<Reaction> reactions_;
  std::vector<std::size_t> drawn_;  // joints between bodies that are there: links without mass are not
  std::vector<std::size_t> frames_;
};

}  // namespace

PageJson scene_data(const Mechanism& mechanism, const Trajectory& trajectory, std::size_t budget,
                    PageBlob& blob) {
  return SceneWriter(mechanism, trajectory, blob).write(budget);
}

}  // namespace daedalus
