#include "readers/mjcf_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "readers/convex_hull.hpp"
#include "readers/principal_axes.hpp"

namespace daedalus::mjcf {
namespace {

std::string without_folder(const std::string& path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string stem(const std::string& path) {
  const std::string name = without_folder(path);
  return name.substr(0, name.find_last_of('.'));
}

int find_mesh(const MjcfFile& file, const std::string& name) {
  for (const int section : file.sections("asset")) {
    for (const int node : file[section].children) {
      if (file.tag(node) != "mesh") continue;
      if (file.text(node, "name", stem(file.text(node, "file", ""))) == name) return node;
    }
  }
  return -1;
}

std::optional<Mesh> inline_mesh(const MjcfFile& file, int node) {
  constexpr std::size_t most = 10'000'000;
  const xml::Attribute* vertices = xml::find(file.element(node), "vertex");
  const xml::Attribute* faces = xml::find(file.element(node), "face");
  if (vertices == nullptr) {
    file.reader().complain("a mesh needs a file, or vertices, for its inertia; give the body an <inertial>",
                           file.element(node).span);
    return std::nullopt;
  }
  const auto v = file.reader().numbers(*vertices, 9, most);
  Mesh mesh;
  for (std::size_t k = 0; k + 2 < v.size(); k += 3) mesh.vertices.push_back({v[k], v[k + 1], v[k + 2]});
  if (faces == nullptr) return convex_hull(mesh.vertices);
  const auto f = file.reader().numbers(*faces, 3, most);
  for (std::size_t k = 0; k + 2 < f.size(); k += 3) {
    const std::array<int, 3> face{static_cast<int>(f[k]), static_cast<int>(f[k + 1]),
                                  static_cast<int>(f[k + 2])};
    const bool there = std::ranges::all_of(
        face, [&](int one) { return one >= 0 && static_cast<std::size_t>(one) < mesh.vertices.size(); });
    if (there) mesh.faces.push_back(face);
  }
  return mesh;
}

std::optional<Mesh> read_mesh(const MjcfFile& file, int node) {
  const std::string path = file.text(node, "file", "");
  if (path.empty()) return inline_mesh(file, node);
  const Compiler& compiler = file.compiler();
  std::string full = compiler.strip_path ? without_folder(path) : path;
  if (!compiler.mesh_folder.empty() && !full.starts_with('/')) full = compiler.mesh_folder + "/" + full;
  const auto& read = file.reader().options().read_mesh;
  if (!read) {
    file.reader().complain(
        fmt::format("the mesh '{}' cannot be read here; give the body an <inertial>", path),
        file.element(node).span);
    return std::nullopt;
  }
  const auto bytes = read(full);
  auto mesh = bytes ? parse_mesh(path, *bytes) : Result<Mesh>(std::unexpected(bytes.error()));
  if (mesh) return *std::move(mesh);
  file.reader().complain(mesh.error().front().message, file.element(node).span);
  return std::nullopt;
}

// The mesh asset that an attribute names, in the coordinates of the geom.
struct Asset {
  int node;
  Mesh mesh;
};
std::optional<Asset> find_asset(const MjcfFile& file, const xml::Attribute& name) {
  const int node = find_mesh(file, name.value);
  if (node < 0) {
    file.reader().complain(fmt::format("there is no mesh '{}' among the assets", name.value), name.span);
    return std::nullopt;
  }
  auto mesh = read_mesh(file, node);
  if (!mesh) return std::nullopt;
  const Vec3 scale = file.vector(node, "scale", {1, 1, 1});
  const Vec3 offset = file.vector(node, "refpos", {});
  Mat3 turn;
  if (const xml::Attribute* given = xml::find(file.element(node), "refquat")) {
    const auto q = file.reader().numbers(*given, 4, 4);
    if (!q.empty()) turn = rotation(Quaternion{.w = q[0], .x = q[1], .y = q[2], .z = q[3]});
  }
  for (Vec3& v : mesh->vertices) {
    const Vec3 moved = along(turn, v - offset);
    v = {scale.x * moved.x, scale.y * moved.y, scale.z * moved.z};
  }
  // A mirror image has its faces inside out.
  if (scale.x * scale.y * scale.z < 0)
    for (auto& face : mesh->faces) std::swap(face[1], face[2]);
  return Asset{.node = node, .mesh = *std::move(mesh)};
}

std::optional<MassPart> weighed(const MjcfFile& file, const Asset& asset, const std::string& name,
                                bool shell) {
  const std::string kind = file.text(asset.node, "inertia", "legacy");
  const MassPart part = kind == "convex"
                            ? mass_of(convex_hull(asset.mesh.vertices), MeshInertia::Exact)
                            : mass_of(asset.mesh, shell || kind == "shell" ? MeshInertia::Shell
                                                  : kind == "exact" || file.compiler().exact_mesh_inertia
                                                      ? MeshInertia::Exact
                                                      : MeshInertia::Legacy);
  if (part.mass > 0) return part;
  file.reader().complain(fmt::format("the mesh '{}' has no volume: it is flat, open or inside out", name),
                         file.element(asset.node).span);
  return std::nullopt;
}

// Half the extents of the box with the same inertia, z the longest, in its own frame.
Box inertia_box(const MassPart& part) {
  const Principal principal = principal_axes(part.inertia);
  std::array<std::pair<double, Vec3>, 3> axes{{{principal.moments.x, principal.axes.x},
                                               {principal.moments.y, principal.axes.y},
                                               {principal.moments.z, principal.axes.z}}};
  std::ranges::stable_sort(axes, std::greater<>{}, &std::pair<double, Vec3>::first);
  const auto half = [&](std::size_t own, std::size_t one, std::size_t other) {
    return 0.5 *
           std::sqrt(std::max(0.0, 6 * (axes[one].first + axes[other].first - axes[own].first) / part.mass));
  };
  return {.frame = {.origin = part.centre,
                    .axes = {axes[0].second, axes[1].second, cross(axes[0].second, axes[1].second)}},
          .half = {half(0, 1, 2), half(1, 0, 2), half(2, 0, 1)}};
}

// The box along the axes of a frame that the mesh just fits into.
Box bounding_box(const Mesh& mesh, const Frame& frame) {
  Vec3 low = along(frame.axes, mesh.vertices.front() - frame.origin);
  Vec3 high = low;
  for (const Vec3& vertex : mesh.vertices) {
    const Vec3 v = along(frame.axes, vertex - frame.origin);
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  return {.frame = frame * Frame{.origin = 0.5 * (low + high), .axes = {}}, .half = 0.5 * (high - low)};
}

}  // namespace

std::optional<MassPart> mesh_mass(const MjcfFile& file, const xml::Attribute& name, bool shell) {
  const auto asset = find_asset(file, name);
  return asset ? weighed(file, *asset, name.value, shell) : std::nullopt;
}

std::optional<Box> mesh_box(const MjcfFile& file, const xml::Attribute& name) {
  const auto asset = find_asset(file, name);
  if (!asset) return std::nullopt;
  const auto part = weighed(file, *asset, name.value, false);
  if (!part) return std::nullopt;
  const Box box = inertia_box(*part);
  return file.compiler().fit_bounding_box ? bounding_box(asset->mesh, box.frame) : box;
}

}  // namespace daedalus::mjcf
