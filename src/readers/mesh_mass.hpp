// Volume, centre and inertia of a body bounded by triangles.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "readers/file_reader.hpp"

namespace daedalus {

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> faces;
};

// OBJ, STL (binary or text) or MuJoCo's MSH, by the name's ending. Messages name no content of the file.
[[nodiscard]] Result<Mesh> parse_mesh(std::string_view name, std::string_view bytes);

enum class MeshInertia {
  Legacy,  // tetrahedra from the centre of the faces, all counted as positive
  Exact,   // by their sign: right for closed, oriented surfaces
  Shell,   // a thin skin
};
// For the density 1, of volume or of area.
[[nodiscard]] MassPart mass_of(const Mesh& mesh, MeshInertia kind);

}  // namespace daedalus
