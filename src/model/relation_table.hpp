// The relations of a system as it grows: equal ones are one, and a >= b shares its event with b > a.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

class RelationTable {
 public:
  // The leaf that is true where difference > 0, or >= 0 when not strict; a known truth when it is one
  // already.
  NodeId leaf(DaeSystem& system, NodeId difference, bool strict, SourceSpan span);
  // Whether an expression can change between events: it depends on time or on a continuous variable.
  [[nodiscard]] bool is_continuous(const ExprGraph& graph, NodeId node);

 private:
  struct Key {
    std::int32_t difference;
    bool strict;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (static_cast<std::size_t>(key.difference) << 1U) | static_cast<std::size_t>(key.strict);
    }
  };
  std::unordered_map<Key, RelationId, Hash> relation_;
  std::vector<bool> continuous_;  // by NodeId
};

}  // namespace daedalus
