#include "model/alias_classes.hpp"

#include <cassert>

namespace daedalus {

AliasClasses::AliasClasses(std::size_t variables)
    : parent_(variables), negative_(variables, false), value_(variables) {
  for (std::size_t i = 0; i < variables; ++i) parent_[i] = static_cast<std::int32_t>(i);
}

Signed AliasClasses::find(std::int32_t variable) {
  // Two passes: up to the root, then every one on the way hangs directly below it.
  std::int32_t root = variable;
  bool negative = false;
  while (parent_[static_cast<std::size_t>(root)] != root) {
    negative = negative != negative_[static_cast<std::size_t>(root)];
    root = parent_[static_cast<std::size_t>(root)];
  }
  const Signed result{root, negative};
  for (std::int32_t at = variable; at != root;) {
    const auto index = static_cast<std::size_t>(at);
    const std::int32_t next = parent_[index];
    const bool step = negative_[index];
    parent_[index] = root;
    negative_[index] = negative;
    negative = negative != step;
    at = next;
  }
  return result;
}

void AliasClasses::join(std::int32_t child, std::int32_t root, bool negative) {
  assert(parent_[static_cast<std::size_t>(child)] == child &&
         parent_[static_cast<std::size_t>(root)] == root);
  assert(child != root);
  parent_[static_cast<std::size_t>(child)] = root;
  negative_[static_cast<std::size_t>(child)] = negative;
}

}  // namespace daedalus
