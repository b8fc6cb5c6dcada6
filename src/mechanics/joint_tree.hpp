// Which joints carry the bodies and which close loops: a spanning tree of the mechanism, with the ground as
// its root. A body that no joint of the tree carries moves freely.
#pragma once

#include <vector>

#include "mechanics/mechanism.hpp"

namespace daedalus {

// One freedom of a joint between its two frames; steps follow one another from the first frame to the second.
enum class StepKind { TurnX, TurnY, TurnZ, SlideX, SlideY, SlideZ, Ball };
struct JointStep {
  StepKind kind;
  const char* coordinate;  // of the variable's name: "angle"
  const char* rate;        // "velocity"
};
// The steps of a kind of joint that can be part of a tree; nothing where it cannot (a distance, rolling).
// A fixed joint has none of them and can.
[[nodiscard]] std::vector<JointStep> steps_of(JointKind kind, Dimension dimension);
[[nodiscard]] bool fits_tree(JointKind kind, Dimension dimension);

struct TreeBody {
  BodyId body;
  JointId joint;          // that carries it; invalid: it moves freely
  BodyId parent;          // ground where it moves freely
  bool reversed = false;  // the joint's second body is the parent
  int depth = 0;          // freedoms from the ground to the body, its own included
};

struct JointTree {
  std::vector<TreeBody> order;  // parents before children
  std::vector<int> place;       // by body: its number in `order`
  std::vector<bool> carries;    // by joint: it is in the tree
  int freedoms = 0;             // of the tree
  int depth = 0;                // the longest way to a leaf, in freedoms
  int mass_entries = 0;         // of half the mass matrix: pairs of freedoms on one way to the root
};

[[nodiscard]] JointTree tree_of(const Mechanism& mechanism);

}  // namespace daedalus
