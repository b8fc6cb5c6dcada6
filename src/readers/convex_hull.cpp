#include "readers/convex_hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace daedalus {
namespace {

// Of the extent of the points: nearer to a face, a point is on it, by rounding of single-precision files.
constexpr double flat = 1e-9;

struct Face {
  std::array<int, 3> corners{};
  Vec3 normal;
  double offset = 0;
  std::vector<int> outside;  // points that it sees
  int farthest = -1;
  double distance = 0;  // of that point
  bool alive = true;
};

// Quickhull (Barber, Dobkin, Huhdanpaa 1996): from a tetrahedron, the farthest point that a face sees is
// joined to the rim of all faces that see it.
class Hull {
 public:
  explicit Hull(const std::vector<Vec3>& points) : points_(points) {}

  std::vector<std::array<int, 3>> run() {
    if (!begin()) return {};
    for (std::size_t k = 0; k < faces_.size(); ++k)
      while (faces_[k].alive && faces_[k].farthest >= 0) add(faces_[k].farthest, k);
    std::vector<std::array<int, 3>> found;
    for (const Face& face : faces_)
      if (face.alive) found.push_back(face.corners);
    return found;
  }

 private:
  [[nodiscard]] const Vec3& at(int k) const { return points_[static_cast<std::size_t>(k)]; }

  template <class Measure>
  [[nodiscard]] int farthest_by(const Measure& measure) const {
    int best = 0;
    for (int k = 1; k < static_cast<int>(points_.size()); ++k)
      if (measure(at(k)) > measure(at(best))) best = k;
    return best;
  }

  // A tetrahedron that is not flat.
  bool begin() {
    if (points_.size() < 4) return false;
    const int a = farthest_by([](const Vec3& p) { return -p.x; });
    const int b = farthest_by([&](const Vec3& p) { return norm(p - at(a)); });
    const double extent = norm(at(b) - at(a));
    tolerance_ = flat * extent;
    if (!(extent > 0)) return false;
    const Vec3 line = (1 / extent) * (at(b) - at(a));
    const int c = farthest_by([&](const Vec3& p) { return norm(cross(line, p - at(a))); });
    const Vec3 across = cross(line, at(c) - at(a));
    if (!(norm(across) > tolerance_)) return false;
    const Vec3 normal = (1 / norm(across)) * across;
    const int d = farthest_by([&](const Vec3& p) { return std::abs(dot(normal, p - at(a))); });
    if (!(std::abs(dot(normal, at(d) - at(a))) > tolerance_)) return false;
    centre_ = 0.25 * (at(a) + at(b) + at(c) + at(d));
    for (const auto& corners : {std::array{a, b, c}, {a, b, d}, {a, c, d}, {b, c, d}}) add_face(corners);
    std::vector<int> all(points_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    hand_out(all, 0);
    return true;
  }

  void add_face(std::array<int, 3> corners) {
    Face face;
    Vec3 normal = cross(at(corners[1]) - at(corners[0]), at(corners[2]) - at(corners[0]));
    if (dot(normal, at(corners[0]) - centre_) < 0) {
      std::swap(corners[1], corners[2]);
      normal = -normal;
    }
    const double length = norm(normal);
    face.corners = corners;
    face.normal = length > 0 ? (1 / length) * normal : normal;
    face.offset = dot(face.normal, at(corners[0]));
    faces_.push_back(std::move(face));
  }

  [[nodiscard]] double height(const Face& face, int point) const {
    return dot(face.normal, at(point)) - face.offset;
  }

  // Points to the first face from `begin` on that sees them.
  void hand_out(const std::vector<int>& points, std::size_t begin) {
    for (const int point : points) {
      for (std::size_t k = begin; k < faces_.size(); ++k) {
        Face& face = faces_[k];
        const double distance = height(face, point);
        if (!face.alive || !(distance > tolerance_)) continue;
        face.outside.push_back(point);
        if (face.farthest < 0 || distance > face.distance) {
          face.farthest = point;
          face.distance = distance;
        }
        break;
      }
    }
  }

  void add(int point, std::size_t from) {
    // Edges of faces that see the point, each turned as in its face; those whose other side does not see it
    // are the rim.
    std::map<std::pair<int, int>, bool> edges;
    std::vector<int> orphans;
    bool any = false;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
      Face& face = faces_[k];
      if (!face.alive || !(height(face, point) > tolerance_)) continue;
      any = true;
      face.alive = false;
      for (std::size_t j = 0; j < 3; ++j) edges[{face.corners[j], face.corners[(j + 1) % 3]}] = true;
      orphans.insert(orphans.end(), face.outside.begin(), face.outside.end());
      face.outside.clear();
    }
    if (!any) {  // by rounding
      faces_[from].farthest = -1;
      return;
    }
    const std::size_t begin = faces_.size();
    for (const auto& [edge, seen] : edges)
      if (!edges.contains({edge.second, edge.first})) add_face({edge.first, edge.second, point});
    hand_out(orphans, begin);
  }

  const std::vector<Vec3>& points_;
  std::vector<Face> faces_;
  Vec3 centre_;
  double tolerance_ = 0;
};

}  // namespace

Mesh convex_hull(const std::vector<Vec3>& points) {
  return {.vertices = points, .faces = Hull(points).run()};
}

}  // namespace daedalus
