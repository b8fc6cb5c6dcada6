#include "readers/mjcf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/options.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

constexpr std::size_t most_includes = 1000;

}  // namespace

bool MjcfFile::load(std::int32_t file) {
  included_.push_back(reader_.sources()->file(file).name);
  if (!put_in(file)) return false;
  read_compiler();
  read_defaults();
  return !reader_.failed();
}

// Puts the file in, and what it includes where it includes it. A pending element waits with its parent's
// node.
bool MjcfFile::put_in(std::int32_t first) {
  struct Pending {
    const xml::Document* document;
    int element;
    int parent;
  };
  auto parsed = xml::parse(*reader_.sources(), first);
  if (!parsed) {
    for (const Diagnostic& d : parsed.error()) reader_.complain(d.message, d.span);
    return false;
  }
  documents_.push_back(*std::move(parsed));
  std::vector<Pending> pending{{&documents_.back(), 0, -1}};
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    const xml::Element& element = (*next.document)[next.element];
    const xml::Document* inside = next.document;
    const std::vector<int>* children = &element.children;
    int parent = next.parent;
    if (element.name == "include" && parent >= 0) {
      if (!include(element, parent)) return false;
      inside = &documents_.back();
      children = &(*inside)[0].children;
    } else {
      parent = static_cast<int>(nodes_.size());
      nodes_.push_back({.element = &element, .parent = next.parent, .children = {}});
      if (next.parent >= 0) nodes_[static_cast<std::size_t>(next.parent)].children.push_back(parent);
    }
    for (std::size_t k = children->size(); k-- > 0;) pending.push_back({inside, (*children)[k], parent});
  }
  return true;
}

bool MjcfFile::include(const xml::Element& element, int) {
  const xml::Attribute* name = xml::find(element, "file");
  if (name == nullptr) {
    reader_.complain("<include> needs the attribute 'file'", element.span);
    return false;
  }
  const auto same = [&](const std::string& path) {
    return path == name->value || path.ends_with("/" + name->value);
  };
  if (std::ranges::any_of(included_, same)) {
    reader_.complain(
        fmt::format("'{}' is included in a circle, or twice; MJCF allows a file once", name->value),
        name->span);
    return false;
  }
  if (!reader_.options().read_file || included_.size() >= most_includes) {
    reader_.complain(fmt::format("'{}' cannot be included here", name->value), name->span);
    return false;
  }
  included_.push_back(name->value);
  auto text = reader_.options().read_file(name->value);
  if (!text) {
    reader_.complain(text.error().front().message, name->span);
    return false;
  }
  const std::int32_t file = reader_.sources()->add(name->value, *std::move(text));
  auto parsed = xml::parse(*reader_.sources(), file);
  if (!parsed) {
    for (const Diagnostic& d : parsed.error()) reader_.complain(d.message, d.span);
    return false;
  }
  documents_.push_back(*std::move(parsed));
  return true;
}

std::vector<int> MjcfFile::sections(std::string_view name) const {
  std::vector<int> found;
  for (const int child : nodes_[0].children) {
    if (tag(child) == name) found.push_back(child);
  }
  return found;
}

void MjcfFile::read_compiler() {
  for (const int node : sections("compiler")) {
    reader_.check_attributes(element(node), attributes_of("compiler"));
    const std::string unit = text(node, "angle", compiler_.angle_unit == 1 ? "radian" : "degree");
    if (unit != "degree" && unit != "radian")
      reader_.complain(fmt::format("the angle '{}' is neither degree nor radian", unit), element(node).span);
    compiler_.angle_unit = unit == "radian" ? 1 : Compiler{}.angle_unit;
    compiler_.strip_path = flag(node, "strippath", compiler_.strip_path);
    compiler_.exact_mesh_inertia = flag(node, "exactmeshinertia", compiler_.exact_mesh_inertia);
    compiler_.mesh_folder = text(node, "meshdir", text(node, "assetdir", compiler_.mesh_folder));
    compiler_.euler_sequence = text(node, "eulerseq", compiler_.euler_sequence);
    if (compiler_.euler_sequence.size() != 3 ||
        compiler_.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
      reader_.complain(
          fmt::format("eulerseq '{}' is not three of x, y, z, X, Y, Z", compiler_.euler_sequence),
          element(node).span);
      compiler_.euler_sequence = "xyz";
    }
    compiler_.automatic_limits = flag(node, "autolimits", compiler_.automatic_limits);
    if (const xml::Attribute* from = xml::find(element(node), "inertiafromgeom"))
      compiler_.inertia_from_geoms = from->value == "true"    ? Compiler::FromGeoms::Yes
                                     : from->value == "false" ? Compiler::FromGeoms::No
                                                              : Compiler::FromGeoms::Auto;
    compiler_.least_mass = number(node, "boundmass", compiler_.least_mass);
    compiler_.least_inertia = number(node, "boundinertia", compiler_.least_inertia);
    compiler_.total_mass = number(node, "settotalmass", compiler_.total_mass);
    if (const xml::Attribute* range = xml::find(element(node), "inertiagrouprange")) {
      const auto values = reader_.numbers(*range, 2, 2);
      if (!values.empty()) {
        compiler_.first_group = static_cast<int>(values[0]);
        compiler_.last_group = static_cast<int>(values[1]);
      }
    }
    if (text(node, "coordinate", "local") != "local")
      reader_.complain("global coordinates are not read (nor by MuJoCo since 2.3.4); write local ones",
                       element(node).span);
    compiler_.fit_bounding_box = flag(node, "fitaabb", compiler_.fit_bounding_box);
    compiler_.balance_inertia = flag(node, "balanceinertia", compiler_.balance_inertia);
  }
}

// <default> elements nest, each a class that begins with what the one around it says at that place: what a
// later <default> adds to that is not for it.
void MjcfFile::read_defaults() {
  classes_.push_back({});
  class_numbers_["main"] = 0;
  for (const int section : sections("default")) {
    const xml::Attribute* name = xml::find(element(section), "class");
    if (name != nullptr && name->value != "main") class_numbers_[name->value] = 0;
    read_default_elements(section, classes_[0]);
    std::vector<std::pair<int, std::size_t>> pending;  // node, number of the class around it
    const auto add_inner = [&](int node, std::size_t number) {
      const std::vector<int>& children = (*this)[node].children;
      for (std::size_t k = children.size(); k-- > 0;)
        if (tag(children[k]) == "default") pending.emplace_back(children[k], number);
    };
    add_inner(section, 0);
    while (!pending.empty()) {
      const auto [node, around] = pending.back();
      pending.pop_back();
      const xml::Attribute* inner = xml::find(element(node), "class");
      if (inner == nullptr) {
        reader_.complain("a <default> within another needs the attribute 'class'", element(node).span);
        continue;
      }
      const auto [known, fresh] = class_numbers_.emplace(inner->value, classes_.size());
      if (fresh) classes_.push_back(classes_[around]);
      read_default_elements(node, classes_[known->second]);
      add_inner(node, known->second);
    }
  }
}

void MjcfFile::read_default_elements(int node, DefaultClass& into) {
  for (const int child : (*this)[node].children) {
    if (tag(child) == "default") continue;
    if (attributes_of(tag(child)).empty())
      reader_.unknown_element(element(child), default_elements());
    else
      reader_.check_attributes(element(child), attributes_of(tag(child)));
    into.elements[tag(child)].push_back(&element(child));
    into.order.push_back(&element(child));
  }
}

namespace {
// Under which name <default> speaks of an element.
std::string default_name(const std::string& tag, const std::string& section) {
  return section == "tendon" || section == "equality" ? section : tag;
}
constexpr std::array<std::string_view, 5> orientations{"quat", "axisangle", "euler", "xyaxes", "zaxis"};
}  // namespace

const MjcfFile::DefaultClass* MjcfFile::class_of(int node, const std::string& childclass) const {
  if (classes_.empty()) return nullptr;
  const xml::Attribute* named = xml::find(element(node), "class");
  const std::string& wanted = named != nullptr ? named->value : childclass;
  if (wanted.empty()) return classes_.data();
  const auto found = class_numbers_.find(wanted);
  if (found != class_numbers_.end()) return &classes_[found->second];
  reader_.complain(fmt::format("there is no default class '{}'", wanted),
                   named != nullptr ? named->span : element(node).span);
  return nullptr;
}

template <class Wanted>
const xml::Element* MjcfFile::source(int node, const std::string& childclass, const Wanted& wanted) const {
  if (wanted(element(node))) return &element(node);
  const DefaultClass* own = class_of(node, childclass);
  if (own == nullptr) return nullptr;
  const int parent = (*this)[node].parent;
  const auto found = own->elements.find(default_name(tag(node), parent < 0 ? std::string{} : tag(parent)));
  if (found == own->elements.end()) return nullptr;
  for (std::size_t k = found->second.size(); k-- > 0;)
    if (wanted(*found->second[k])) return found->second[k];
  return nullptr;
}

const xml::Attribute* MjcfFile::find(int node, std::string_view name, const std::string& childclass) const {
  const auto has = [name](const xml::Element& one) { return xml::find(one, name) != nullptr; };
  const xml::Element* from = source(node, childclass, has);
  return from == nullptr ? nullptr : xml::find(*from, name);
}

std::vector<const xml::Element*> MjcfFile::default_actuators(int node) const {
  static constexpr std::array<std::string_view, 9> kinds{
      "general", "motor", "position", "velocity", "damper", "cylinder", "intvelocity", "muscle", "adhesion"};
  std::vector<const xml::Element*> found;
  const DefaultClass* own = class_of(node, {});
  if (own == nullptr) return found;
  std::ranges::copy_if(own->order, std::back_inserter(found), [](const xml::Element* one) {
    return std::ranges::find(kinds, std::string_view(one->name)) != kinds.end();
  });
  return found;
}

std::string MjcfFile::text(int node, std::string_view name, const std::string& otherwise,
                           const std::string& childclass) const {
  const xml::Attribute* attribute = find(node, name, childclass);
  return attribute == nullptr ? otherwise : attribute->value;
}

double MjcfFile::number(int node, std::string_view name, double otherwise,
                        const std::string& childclass) const {
  const xml::Attribute* attribute = find(node, name, childclass);
  return attribute == nullptr ? otherwise : reader_.number(*attribute).value_or(otherwise);
}

std::array<double, 3> MjcfFile::polynomial(int node, std::string_view name,
                                           const std::string& childclass) const {
  std::array<double, 3> coefficients{};
  if (const xml::Attribute* attribute = find(node, name, childclass))
    std::ranges::copy(reader_.numbers(*attribute, 1, 3), coefficients.begin());
  return coefficients;
}

Vec3 MjcfFile::vector(int node, std::string_view name, const Vec3& otherwise,
                      const std::string& childclass) const {
  const xml::Attribute* attribute = find(node, name, childclass);
  if (attribute == nullptr) return otherwise;
  const auto v = reader_.numbers(*attribute, 3, 3);
  return v.empty() ? otherwise : Vec3{v[0], v[1], v[2]};
}

bool MjcfFile::flag(int node, std::string_view name, bool otherwise, const std::string& childclass) const {
  const xml::Attribute* attribute = find(node, name, childclass);
  if (attribute == nullptr) return otherwise;
  const std::string& value = attribute->value;
  if (value == "true" || value == "enable") return true;
  if (value == "false" || value == "disable") return false;
  if (value == "auto") return otherwise;
  reader_.complain(fmt::format("'{}' is neither true nor false", value), attribute->span);
  return otherwise;
}

Mat3 MjcfFile::euler(const std::vector<double>& angles) const {
  Mat3 all;
  for (std::size_t k = 0; k < 3; ++k) {
    const char letter = compiler_.euler_sequence[k];
    const char axis = static_cast<char>(letter | 0x20);
    const Vec3 unit{axis == 'x' ? 1.0 : 0.0, axis == 'y' ? 1.0 : 0.0, axis == 'z' ? 1.0 : 0.0};
    const Mat3 turn = rotation(unit, angles[k] * compiler_.angle_unit);
    // Small letters turn with the frame, capital ones about the fixed axes.
    all = letter == axis ? all * turn : turn * all;
  }
  return all;
}

Mat3 MjcfFile::orientation(int node, const std::string& childclass) const {
  const xml::Element* from = source(node, childclass, [](const xml::Element& one) {
    return std::ranges::any_of(orientations,
                               [&](std::string_view name) { return xml::find(one, name) != nullptr; });
  });
  if (from == nullptr) return {};
  const auto given = [&](const char* name, std::size_t count) {
    const xml::Attribute* attribute = xml::find(*from, name);
    return attribute == nullptr ? std::vector<double>{} : reader_.numbers(*attribute, count, count);
  };
  const auto nonzero = [&](const Vec3& v, const char* name) {
    if (norm(v) > 1e-12) return true;
    reader_.complain(fmt::format("'{}' has no direction", name), element(node).span);
    return false;
  };
  if (const auto q = given("quat", 4); !q.empty()) {
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-24)
      return rotation(Quaternion{.w = q[0], .x = q[1], .y = q[2], .z = q[3]});
    reader_.complain("the quaternion is zero", element(node).span);
    return {};
  }
  if (const auto a = given("axisangle", 4); !a.empty()) {
    const Vec3 axis{a[0], a[1], a[2]};
    return nonzero(axis, "axisangle") ? rotation(axis, a[3] * compiler_.angle_unit) : Mat3{};
  }
  if (const auto e = given("euler", 3); !e.empty()) return euler(e);
  if (const auto a = given("xyaxes", 6); !a.empty()) {
    const Vec3 x{a[0], a[1], a[2]};
    const Vec3 y{a[3], a[4], a[5]};
    if (!nonzero(x, "xyaxes") || !nonzero(cross(x, y), "xyaxes")) return {};
    const Vec3 unit = (1 / norm(x)) * x;
    const Vec3 z = cross(unit, y);
    const Vec3 up = (1 / norm(z)) * z;
    return {unit, cross(up, unit), up};
  }
  if (const auto z = given("zaxis", 3); !z.empty()) {
    const Vec3 to{z[0], z[1], z[2]};
    return nonzero(to, "zaxis") ? shortest_turn_of_z(to) : Mat3{};
  }
  return {};
}

Frame MjcfFile::frame(int node, const std::string& childclass) const {
  return {.origin = vector(node, "pos", {}, childclass), .axes = orientation(node, childclass)};
}

void refuse_yield(const MjcfFile& file, int node, const std::string& childclass) {
  if (file.number(node, "springyield", 0, childclass) > 0)
    file.reader().refuse("plasticity", "springs that yield (springyield) are", file.element(node).span);
}

}  // namespace daedalus::mjcf
