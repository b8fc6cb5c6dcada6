#include "readers/mjcf_geom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/options.hpp"
#include "readers/mjcf_mesh.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

constexpr double pi = std::numbers::pi;

using Size = std::vector<double>;

struct Shape {
  std::string_view type;
  std::size_t sizes;      // how many numbers `size` needs
  std::size_t with_ends;  // with fromto; 0: fromto is not for this type
  double (*volume)(const Size& size);
  Mat3 (*inertia)(double mass, const Size& size);
  double (*area)(const Size& size);
  Mat3 (*shell_inertia)(double mass, const Size& size);
};

Mat3 diagonal_of(double x, double y, double z) {
  return {{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

double ellipsoid_volume(const Size& s) {
  return 4.0 / 3 * pi * s[0] * s[1] * s[2];
}
double cylinder_area(const Size& s) {
  return 2 * pi * s[0] * (2 * s[1] + s[0]);
}
double capsule_area(const Size& s) {
  return 2 * pi * s[0] * (2 * s[1] + 2 * s[0]);
}
double box_area(const Size& s) {
  return 8 * (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]);
}

// A tube and two discs.
Mat3 cylinder_shell(double mass, const Size& s) {
  const double r = s[0], half = s[1];
  const double disc = mass * pi * r * r / cylinder_area(s);
  const double tube = mass - 2 * disc;
  const double across = tube * (r * r / 2 + half * half / 3) + 2 * disc * (r * r / 4 + half * half);
  return diagonal_of(across, across, (tube + disc) * r * r);
}

// A tube and two halves of a sphere, whose centres of mass are r/2 from their rims.
Mat3 capsule_shell(double mass, const Size& s) {
  const double r = s[0], half = s[1];
  const double sphere = mass * 4 * pi * r * r / capsule_area(s);
  const double tube = mass - sphere;
  const double across =
      tube * (r * r / 2 + half * half / 3) + sphere * (2 * r * r / 3 + half * half + half * r);
  return diagonal_of(across, across, tube * r * r + sphere * 2 * r * r / 3);
}

// Three pairs of rectangles.
Mat3 box_shell(double mass, const Size& s) {
  const double whole = box_area(s);
  // Second moment along an axis: of the two sides across it, and of the four along it.
  const auto moment = [&](double own, double one, double other) {
    const double across = 8 * one * other / whole;
    return mass * own * own * (across + (1 - across) / 3);
  };
  const double x = moment(s[0], s[1], s[2]), y = moment(s[1], s[0], s[2]), z = moment(s[2], s[0], s[1]);
  return diagonal_of(y + z, x + z, x + y);
}

// As in MuJoCo: the area by Thomsen's formula, which is within 1.1 %, the inertia that of a layer between two
// ellipsoids, the outer one with axes longer by this.
constexpr double layer = 1e-6;
constexpr double thomsen = 1.6075;

double ellipsoid_area(const Size& s) {
  const auto product = [&](std::size_t i, std::size_t j) { return std::pow(s[i] * s[j], thomsen); };
  return 4 * pi * std::pow((product(0, 1) + product(0, 2) + product(1, 2)) / 3, 1 / thomsen);
}
Mat3 ellipsoid_shell(double mass, const Size& s) {
  const Size outer{s[0] + layer, s[1] + layer, s[2] + layer};
  const double inside = ellipsoid_volume(s), whole = ellipsoid_volume(outer);
  const double density = mass / (whole - inside);
  const Mat3 all = ellipsoid_inertia(density * whole, {outer[0], outer[1], outer[2]});
  const Mat3 inner = ellipsoid_inertia(density * inside, {s[0], s[1], s[2]});
  return {all.x - inner.x, all.y - inner.y, all.z - inner.z};
}

constexpr std::array<Shape, 5> shapes{{
    {"sphere", 1, 0, [](const Size& s) { return 4.0 / 3 * pi * s[0] * s[0] * s[0]; },
     [](double m, const Size& s) {
       return ellipsoid_inertia(m, {s[0], s[0], s[0]});
     },
     [](const Size& s) { return 4 * pi * s[0] * s[0]; },
     [](double m, const Size& s) {
       const double j = 2 * m * s[0] * s[0] / 3;
       return diagonal_of(j, j, j);
     }},
    {"capsule", 2, 1, [](const Size& s) { return pi * s[0] * s[0] * (2 * s[1] + 4.0 / 3 * s[0]); },
     [](double m, const Size& s) { return capsule_inertia(m, s[0], s[1]); }, capsule_area, capsule_shell},
    {"cylinder", 2, 1, [](const Size& s) { return pi * s[0] * s[0] * 2 * s[1]; },
     [](double m, const Size& s) { return cylinder_inertia(m, s[0], s[1]); }, cylinder_area, cylinder_shell},
    {"ellipsoid", 3, 2, ellipsoid_volume,
     [](double m, const Size& s) {
       return ellipsoid_inertia(m, {s[0], s[1], s[2]});
     },
     ellipsoid_area, ellipsoid_shell},
    {"box", 3, 2, [](const Size& s) { return 8 * s[0] * s[1] * s[2]; },
     [](double m, const Size& s) {
       return box_inertia(m, {s[0], s[1], s[2]});
     },
     box_area, box_shell},
}};

constexpr std::array<std::string_view, 4> without_volume{"plane", "hfield", "mesh", "sdf"};

// fromto: the ends of the axis; size is then the radius, or half the width.
bool place_between_ends(const MjcfFile& file, const xml::Attribute& ends, const Shape& shape, Geom& geom) {
  const auto p = file.reader().numbers(ends, 6, 6);
  if (p.empty()) return false;
  const Vec3 from{p[0], p[1], p[2]};
  const Vec3 to{p[3], p[4], p[5]};
  const double length = norm(to - from);
  if (shape.with_ends == 0 || !(length > 0)) {
    file.reader().complain(shape.with_ends == 0
                               ? fmt::format("a {} has no ends; fromto is not for it", shape.type)
                               : std::string("the two ends of fromto are the same point"),
                           ends.span);
    return false;
  }
  geom.frame = {.origin = 0.5 * (from + to), .axes = shortest_turn_of_z(from - to)};
  const double half = length / 2;
  if (shape.sizes == 2)
    geom.size = {geom.size[0], half};
  else
    geom.size = {geom.size[0], geom.size[0], half};
  return true;
}

bool read_size(const MjcfFile& file, int node, const Shape& shape, const std::string& childclass,
               Geom& geom) {
  const xml::Attribute* size = file.find(node, "size", childclass);
  const xml::Attribute* ends = file.find(node, "fromto", childclass);
  const std::size_t needed = ends == nullptr ? shape.sizes : 1;
  if (size == nullptr) {
    file.reader().complain(fmt::format("a {} needs the attribute 'size'", shape.type), geom.span);
    return false;
  }
  geom.size = file.reader().numbers(*size, needed, 3);
  if (geom.size.empty()) return false;
  const auto positive = [](double value) { return value > 0; };
  if (!std::ranges::all_of(geom.size.begin(), geom.size.begin() + static_cast<std::ptrdiff_t>(needed),
                           positive)) {
    file.reader().complain("sizes must be positive", size->span);
    return false;
  }
  return ends == nullptr || place_between_ends(file, *ends, shape, geom);
}

void read_mass(const MjcfFile& file, int node, const Shape& shape, const std::string& childclass,
               Geom& geom) {
  const bool shell = file.flag(node, "shellinertia", false, childclass);
  const double density = file.number(node, "density", 1000, childclass);
  const double mass =
      file.number(node, "mass", density * (shell ? shape.area : shape.volume)(geom.size), childclass);
  if (mass < 0) {
    file.reader().complain(fmt::format("the mass {:g} of a geom is negative", mass), geom.span);
    return;
  }
  const Mat3 inertia = (shell ? shape.shell_inertia : shape.inertia)(mass, geom.size);
  geom.mass = placed(geom.frame, {.mass = mass, .centre = {}, .inertia = inertia});
}

}  // namespace

Mat3 box_inertia(double mass, const Vec3& h) {
  const double c = mass / 3;
  return diagonal_of(c * (h.y * h.y + h.z * h.z), c * (h.x * h.x + h.z * h.z), c * (h.x * h.x + h.y * h.y));
}

Mat3 ellipsoid_inertia(double mass, const Vec3& h) {
  const double c = mass / 5;
  return diagonal_of(c * (h.y * h.y + h.z * h.z), c * (h.x * h.x + h.z * h.z), c * (h.x * h.x + h.y * h.y));
}

Mat3 cylinder_inertia(double mass, double r, double half) {
  const double across = mass * (3 * r * r + 4 * half * half) / 12;
  return diagonal_of(across, across, mass * r * r / 2);
}

// A cylinder and two halves of a sphere, whose centres of mass are 3/8 r from their flat sides.
Mat3 capsule_inertia(double mass, double r, double half) {
  const double h = 2 * half;
  const double sphere = mass * 4 * r / (4 * r + 3 * h);
  const double cylinder = mass - sphere;
  const double across =
      cylinder * (3 * r * r + h * h) / 12 + sphere * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
  return diagonal_of(across, across, cylinder * r * r / 2 + sphere * 2 * r * r / 5);
}

Geom read_geom(const MjcfFile& file, int node, const std::string& childclass) {
  file.reader().check_attributes(file.element(node), attributes_of("geom"));
  Geom geom;
  geom.span = file.element(node).span;
  geom.name = file.text(node, "name", "");
  geom.frame = file.frame(node, childclass);
  const xml::Attribute* mesh = file.find(node, "mesh", childclass);
  const xml::Attribute* type = file.find(node, "type", childclass);
  geom.type = type == nullptr ? (mesh != nullptr ? "mesh" : "sphere") : type->value;
  if (mesh != nullptr) {
    if (std::ranges::find(shapes, std::string_view(geom.type), &Shape::type) != shapes.end())
      geom.fitted = geom.type;
    geom.type = "mesh";
    geom.mesh = mesh;
  }
  geom.contact_type = static_cast<int>(file.number(node, "contype", 1, childclass));
  geom.contact_affinity = static_cast<int>(file.number(node, "conaffinity", 1, childclass));
  for (const char* name : {"contype", "conaffinity", "condim", "friction", "margin", "gap", "priority"})
    geom.asks_for_contact = geom.asks_for_contact || file.find(node, name, childclass) != nullptr;
  geom.own_fluid = file.text(node, "fluidshape", "none", childclass) == "ellipsoid";
  const int group = static_cast<int>(file.number(node, "group", 0, childclass));
  geom.counts = group >= file.compiler().first_group && group <= file.compiler().last_group;
  const auto* shape = std::ranges::find(shapes, std::string_view(geom.type), &Shape::type);
  if (shape != shapes.end()) {
    if (read_size(file, node, *shape, childclass, geom)) read_mass(file, node, *shape, childclass, geom);
    return geom;
  }
  if (std::ranges::find(without_volume, std::string_view(geom.type)) == without_volume.end()) {
    std::vector<std::string_view> known(without_volume.begin(), without_volume.end());
    for (const Shape& s : shapes) known.push_back(s.type);
    file.reader().complain(unknown_name_message("type of geom", geom.type, known), geom.span);
  }
  return geom;
}

void fit_to_mesh(const MjcfFile& file, int node, const std::string& childclass, Geom& geom) {
  const auto box = mesh_box(file, *geom.mesh);
  if (!box) return;
  const auto* shape = std::ranges::find(shapes, std::string_view(geom.fitted), &Shape::type);
  const double scale = file.number(node, "fitscale", 1, childclass);
  const bool around = file.compiler().fit_bounding_box;
  const Vec3 h = scale * box->half;
  const double radius = around ? std::max(h.x, h.y) : (h.x + h.y) / 2;
  if (geom.fitted == "sphere")
    geom.size = {around ? std::max(radius, h.z) : (h.x + h.y + h.z) / 3};
  else if (geom.fitted == "capsule")
    geom.size = {radius, std::max(0.0, h.z - (around ? radius : radius / 2))};
  else if (geom.fitted == "cylinder")
    geom.size = {radius, h.z};
  else
    geom.size = {h.x, h.y, h.z};
  geom.frame = geom.frame * box->frame;
  geom.type = geom.fitted;
  read_mass(file, node, *shape, childclass, geom);
}

std::optional<Solid> solid_of(const Geom& geom) {
  const auto at = [&](std::size_t k) { return k < geom.size.size() ? geom.size[k] : 0.0; };
  if (geom.type == "sphere") return Solid{.outline = Outline::Sphere, .half = {at(0), at(0), at(0)}};
  if (geom.type == "capsule") return Solid{.outline = Outline::Capsule, .half = {at(0), at(0), at(1)}};
  if (geom.type == "cylinder") return Solid{.outline = Outline::Cylinder, .half = {at(0), at(0), at(1)}};
  if (geom.type == "ellipsoid") return Solid{.outline = Outline::Ellipsoid, .half = {at(0), at(1), at(2)}};
  if (geom.type == "box") return Solid{.outline = Outline::Box, .half = {at(0), at(1), at(2)}};
  return std::nullopt;
}

}  // namespace daedalus::mjcf
