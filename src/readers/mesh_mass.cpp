#include "readers/mesh_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace daedalus {
namespace {

constexpr std::size_t most_faces = 20'000'000;

bool ends_like(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

template <class T>
T read_as(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

Vec3 floats_at(std::string_view bytes, std::size_t at) {
  return {read_as<float>(bytes, at), read_as<float>(bytes, at + 4), read_as<float>(bytes, at + 8)};
}

void add_triangle(Mesh& mesh, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), {a, b, c});
  mesh.faces.push_back({first, first + 1, first + 2});
}

constexpr std::size_t stl_header = 84;
constexpr std::size_t stl_record = 50;

std::optional<Mesh> binary_stl(std::string_view bytes) {
  if (bytes.size() < stl_header) return std::nullopt;
  const auto count = static_cast<std::size_t>(read_as<std::uint32_t>(bytes, 80));
  if (count > most_faces || bytes.size() < stl_header + count * stl_record) return std::nullopt;
  Mesh mesh;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = stl_header + k * stl_record + 12;  // after the normal
    add_triangle(mesh, floats_at(bytes, at), floats_at(bytes, at + 12), floats_at(bytes, at + 24));
  }
  return mesh;
}

// Words of a text, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r' &&
           text_[at_] != '\n')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool number(double& value) {
    std::string_view word = next();
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && std::isfinite(value);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<Mesh> text_stl(std::string_view bytes) {
  Mesh mesh;
  std::vector<Vec3> corners;
  Words words(bytes);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != "vertex") continue;
    Vec3 v;
    if (!words.number(v.x) || !words.number(v.y) || !words.number(v.z)) return std::nullopt;
    corners.push_back(v);
    if (corners.size() < 3) continue;
    add_triangle(mesh, corners[0], corners[1], corners[2]);
    corners.clear();
  }
  return mesh;
}

// v and f lines; faces of more than three corners are fans.
std::optional<Mesh> obj(std::string_view bytes) {
  Mesh mesh;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    Words words(bytes.substr(at, end - at));
    at = end + 1;
    const std::string_view kind = words.next();
    if (kind == "v") {
      Vec3 v;
      if (!words.number(v.x) || !words.number(v.y) || !words.number(v.z)) return std::nullopt;
      mesh.vertices.push_back(v);
    } else if (kind == "f") {
      std::vector<int> corners;
      for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        int number = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || number == 0) return std::nullopt;
        corners.push_back(number > 0 ? number - 1 : static_cast<int>(mesh.vertices.size()) + number);
      }
      for (std::size_t k = 2; k < corners.size(); ++k)
        mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
    }
  }
  return mesh;
}

std::optional<Mesh> msh(std::string_view bytes) {
  if (bytes.size() < 16) return std::nullopt;
  std::array<std::size_t, 4> counts{};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto count = read_as<std::int32_t>(bytes, 4 * k);
    if (count < 0 || static_cast<std::size_t>(count) > most_faces) return std::nullopt;
    counts[k] = static_cast<std::size_t>(count);
  }
  const auto [vertices, normals, textures, faces] = counts;
  if (bytes.size() < 16 + 12 * vertices + 12 * normals + 8 * textures + 12 * faces) return std::nullopt;
  Mesh mesh;
  for (std::size_t k = 0; k < vertices; ++k) mesh.vertices.push_back(floats_at(bytes, 16 + 12 * k));
  const std::size_t begin = 16 + 12 * vertices + 12 * normals + 8 * textures;
  for (std::size_t k = 0; k < faces; ++k) {
    std::array<int, 3> face{};
    for (std::size_t j = 0; j < 3; ++j) face[j] = read_as<std::int32_t>(bytes, begin + 12 * k + 4 * j);
    mesh.faces.push_back(face);
  }
  return mesh;
}

bool faces_are_there(const Mesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  return !mesh.faces.empty() && std::ranges::all_of(mesh.faces, [count](const std::array<int, 3>& face) {
    return std::ranges::all_of(face, [count](int k) { return k >= 0 && k < count; });
  });
}

// Σ w (c cᵀ and corners) of one triangle or tetrahedron with the origin: second moments, for inertias.
struct Moments {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  void add(double weight, const Vec3& v) {
    xx += weight * v.x * v.x;
    yy += weight * v.y * v.y;
    zz += weight * v.z * v.z;
    xy += weight * v.x * v.y;
    xz += weight * v.x * v.z;
    yz += weight * v.y * v.z;
  }
  [[nodiscard]] Mat3 inertia() const {
    return {{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}};
  }
};

}  // namespace

Result<Mesh> parse_mesh(std::string_view name, std::string_view bytes) {
  std::optional<Mesh> mesh;
  if (ends_like(name, ".obj")) {
    mesh = obj(bytes);
  } else if (ends_like(name, ".stl")) {
    mesh = binary_stl(bytes);
    if (!mesh && bytes.starts_with("solid")) mesh = text_stl(bytes);
  } else if (ends_like(name, ".msh")) {
    mesh = msh(bytes);
  } else {
    return fail(fmt::format("the mesh '{}' is none of OBJ, STL, MSH", name));
  }
  if (!mesh || !faces_are_there(*mesh))
    return fail(fmt::format("the mesh '{}' is damaged, or has no faces", name));
  return *std::move(mesh);
}

MassPart mass_of(const Mesh& mesh, MeshInertia kind) {
  const auto corner = [&](const std::array<int, 3>& face, std::size_t k) {
    return mesh.vertices[static_cast<std::size_t>(face[k])];
  };
  // The centre of the faces, by their areas.
  double area = 0;
  Vec3 apex;
  for (const auto& face : mesh.faces) {
    const Vec3 a = corner(face, 0), b = corner(face, 1), c = corner(face, 2);
    const double own = 0.5 * norm(cross(b - a, c - a));
    area += own;
    apex = apex + (own / 3) * (a + b + c);
  }
  if (area > 0) apex = (1 / area) * apex;
  // A triangle weighs its area, or the tetrahedron that it makes with a point.
  const auto weight = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    if (kind == MeshInertia::Shell) return 0.5 * norm(cross(b - a, c - a));
    const double volume = dot(a, cross(b, c)) / 6;
    return kind == MeshInertia::Legacy ? std::abs(volume) : volume;
  };
  const bool shell = kind == MeshInertia::Shell;
  MassPart part;
  part.inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  Vec3 first;
  for (const auto& face : mesh.faces) {
    const Vec3 a = corner(face, 0) - apex, b = corner(face, 1) - apex, c = corner(face, 2) - apex;
    const double own = weight(a, b, c);
    part.mass += own;
    first = first + (shell ? own / 3 : own / 4) * (a + b + c);
  }
  if (part.mass == 0) return part;
  part.centre = apex + (1 / part.mass) * first;
  // Where tetrahedra count as positive, their sum depends on where they meet: here, as in MuJoCo.
  part.mass = 0;
  Moments moments;
  for (const auto& face : mesh.faces) {
    const Vec3 a = corner(face, 0) - part.centre, b = corner(face, 1) - part.centre,
               c = corner(face, 2) - part.centre;
    // ∫ x xᵀ over a tetrahedron with the origin is V/20 (s sᵀ + Σ v vᵀ), over a triangle A/12 (…), s = a + b
    // + c.
    const double whole = weight(a, b, c);
    const double own = whole / (shell ? 12 : 20);
    part.mass += whole;
    moments.add(own, a);
    moments.add(own, b);
    moments.add(own, c);
    moments.add(own, a + b + c);
  }
  part.inertia = moments.inertia();
  return part;
}

}  // namespace daedalus
