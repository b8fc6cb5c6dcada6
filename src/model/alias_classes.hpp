// Which variables are the same up to sign, and which have a value: a union-find structure with signs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index.hpp"

namespace daedalus {

// variable = sign * root (for Booleans a negative sign is negation).
struct Signed {
  std::int32_t root = -1;
  bool negative = false;
};

class AliasClasses {
 public:
  explicit AliasClasses(std::size_t variables);

  [[nodiscard]] Signed find(std::int32_t variable);
  // Makes child's class part of root's: child = ± root, both being roots.
  void join(std::int32_t child, std::int32_t root, bool negative);

  // The value of a root, a node; invalid when it has none.
  [[nodiscard]] NodeId value(std::int32_t root) const { return value_[static_cast<std::size_t>(root)]; }
  void set_value(std::int32_t root, NodeId value) { value_[static_cast<std::size_t>(root)] = value; }

 private:
  std::vector<std::int32_t> parent_;
  std::vector<bool> negative_;  // against the parent
  std::vector<NodeId> value_;
};

}  // namespace daedalus
