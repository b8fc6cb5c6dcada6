#include "mechanics/joint_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace daedalus {
namespace {

struct TreeKind {
  JointKind kind;
  std::vector<JointStep> spatial;
  std::vector<JointStep> planar;
  bool in_plane;
};

const std::array<TreeKind, 8>& tree_kinds() {
  using enum StepKind;
  static const std::array<TreeKind, 8> kinds{{
      {.kind = JointKind::Fixed, .spatial = {}, .planar = {}, .in_plane = true},
      {.kind = JointKind::Revolute,
       .spatial = {{TurnZ, "angle", "velocity"}},
       .planar = {{TurnZ, "angle", "velocity"}},
       .in_plane = true},
      {.kind = JointKind::Prismatic,
       .spatial = {{SlideX, "displacement", "velocity"}},
       .planar = {{SlideX, "displacement", "velocity"}},
       .in_plane = true},
      {.kind = JointKind::Cylindrical,
       .spatial = {{SlideZ, "displacement", "sliding velocity"}, {TurnZ, "angle", "turning velocity"}},
       .planar = {},
       .in_plane = false},
      {.kind = JointKind::Universal,
       .spatial = {{TurnX, "angle x", "velocity x"}, {TurnY, "angle y", "velocity y"}},
       .planar = {},
       .in_plane = false},
      {.kind = JointKind::Spherical,
       .spatial = {{Ball, "q", "dq"}},
       .planar = {{TurnZ, "angle", "velocity"}},
       .in_plane = true},
      {.kind = JointKind::Planar,
       .spatial = {{SlideX, "displacement x", "velocity x"},
                   {SlideY, "displacement y", "velocity y"},
                   {TurnZ, "angle", "turning velocity"}},
       .planar = {},
       .in_plane = false},
      {.kind = JointKind::Translational,
       .spatial = {{SlideX, "displacement x", "velocity x"},
                   {SlideY, "displacement y", "velocity y"},
                   {SlideZ, "displacement z", "velocity z"}},
       .planar = {{SlideX, "displacement x", "velocity x"}, {SlideY, "displacement y", "velocity y"}},
       .in_plane = true},
  }};
  return kinds;
}

int freedoms_of(const std::vector<JointStep>& steps) {
  int count = 0;
  for (const JointStep& step : steps) count += step.kind == StepKind::Ball ? 3 : 1;
  return count;
}

class TreeMaker {
 public:
  explicit TreeMaker(const Mechanism& mechanism) : mechanism_(mechanism) {}

  JointTree run() {
    choose_joints();
    walk();
    return std::move(tree_);
  }

 private:
  // Joints with few freedoms first; a joint that would close a loop is left to be a constraint.
  void choose_joints() {
    std::vector<std::size_t> by_freedoms(mechanism_.joints.size());
    std::iota(by_freedoms.begin(), by_freedoms.end(), 0);
    const auto freedoms = [this](std::size_t k) {
      return freedoms_of(steps_of(mechanism_.joints[k].kind, mechanism_.dimension));
    };
    std::ranges::stable_sort(by_freedoms, std::less<>{}, freedoms);
    sets_.resize(mechanism_.bodies.size() + 1);
    std::iota(sets_.begin(), sets_.end(), 0);
    tree_.carries.assign(mechanism_.joints.size(), false);
    for (const std::size_t k : by_freedoms) {
      const Joint& joint = mechanism_.joints[k];
      if (!fits_tree(joint.kind, mechanism_.dimension) || is_point(joint.first) || is_point(joint.second))
        continue;
      const int first = root_of(joint.first.value + 1);
      const int second = root_of(joint.second.value + 1);
      if (first == second) continue;
      sets_[static_cast<std::size_t>(second)] = first;
      tree_.carries[k] = true;
    }
  }

  [[nodiscard]] bool is_point(BodyId body) const {
    return body.valid() && mechanism_.bodies[body.at()].kind == BodyKind::Point;
  }

  int root_of(int k) {
    while (sets_[static_cast<std::size_t>(k)] != k) {
      int& next = sets_[static_cast<std::size_t>(k)];
      next = sets_[static_cast<std::size_t>(next)];
      k = next;
    }
    return k;
  }

  // From the ground, then from each body that nothing of the tree carries, in the order of the mechanism.
  void walk() {
    neighbours_.resize(mechanism_.bodies.size() + 1);
    for (std::size_t k = 0; k < mechanism_.joints.size(); ++k) {
      if (!tree_.carries[k]) continue;
      const Joint& joint = mechanism_.joints[k];
      neighbours_[static_cast<std::size_t>(joint.first.value + 1)].push_back(k);
      neighbours_[static_cast<std::size_t>(joint.second.value + 1)].push_back(k);
    }
    tree_.place.assign(mechanism_.bodies.size(), -1);
    descend(ground, 0);
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k) {
      if (tree_.place[k] >= 0) continue;
      const bool point = mechanism_.bodies[k].kind == BodyKind::Point;
      const bool planar = mechanism_.dimension == Dimension::Planar;
      const int free = (planar ? 2 : 3) + (point ? 0 : planar ? 1 : 3);
      add({.body = BodyId(k), .joint = {}, .parent = ground, .depth = free}, free);
      descend(BodyId(k), free);
    }
  }

  void add(const TreeBody& body, int freedoms) {
    tree_.place[body.body.at()] = static_cast<int>(tree_.order.size());
    tree_.order.push_back(body);
    tree_.freedoms += freedoms;
    tree_.depth = std::max(tree_.depth, body.depth);
    for (int k = 0; k < freedoms; ++k) tree_.mass_entries += body.depth - k;
  }

  void descend(BodyId from, int depth) {
    std::vector<std::pair<BodyId, int>> open{{from, depth}};
    while (!open.empty()) {
      const auto [parent, above] = open.back();
      open.pop_back();
      const auto& joints = neighbours_[static_cast<std::size_t>(parent.value + 1)];
      const std::size_t begin = open.size();
      for (const std::size_t k : joints) {
        const Joint& joint = mechanism_.joints[k];
        const bool reversed = joint.second == parent;
        const BodyId child = reversed ? joint.first : joint.second;
        if (!child.valid() || tree_.place[child.at()] >= 0) continue;
        const int own = freedoms_of(steps_of(joint.kind, mechanism_.dimension));
        add({.body = child,
             .joint = JointId(k),
             .parent = parent,
             .reversed = reversed,
             .depth = above + own},
            own);
        open.emplace_back(child, above + own);
      }
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(begin), open.end());
    }
  }

  const Mechanism& mechanism_;
  JointTree tree_;
  std::vector<int> sets_;
  std::vector<std::vector<std::size_t>> neighbours_;
};

}  // namespace

std::vector<JointStep> steps_of(JointKind kind, Dimension dimension) {
  const auto* found = std::ranges::find(tree_kinds(), kind, &TreeKind::kind);
  if (found == tree_kinds().end()) return {};
  return dimension == Dimension::Planar ? found->planar : found->spatial;
}

bool fits_tree(JointKind kind, Dimension dimension) {
  const auto* found = std::ranges::find(tree_kinds(), kind, &TreeKind::kind);
  return found != tree_kinds().end() && (dimension == Dimension::Spatial || found->in_plane);
}

JointTree tree_of(const Mechanism& mechanism) {
  return TreeMaker(mechanism).run();
}

}  // namespace daedalus
