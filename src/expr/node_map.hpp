// A map from NodeId to small values whose cost is that of the nodes put in, not of the graph: a sweep
// over ten nodes of a graph of a million must cost ten. Kept and cleared, it allocates nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/index.hpp"

namespace daedalus {

template <class T>
class NodeMap {
 public:
  // The value of a node, or null.
  [[nodiscard]] const T* find(NodeId id) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[slot_of(id)];
    return entry.key == id.value ? &entry.value : nullptr;
  }
  [[nodiscard]] T* find(NodeId id) { return const_cast<T*>(std::as_const(*this).find(id)); }

  struct Inserted {
    T& value;
    bool fresh;  // the node was not there before
  };
  // Puts the value in unless the node has one. References last until the next insertion.
  Inserted try_emplace(NodeId id, T value) {
    if (used_.size() * 2 >= entries_.size()) grow();
    const std::size_t slot = slot_of(id);
    Entry& entry = entries_[slot];
    const bool fresh = entry.key != id.value;
    if (fresh) {
      entry = {id.value, value};
      used_.push_back(static_cast<std::uint32_t>(slot));
    }
    return {entry.value, fresh};
  }

  [[nodiscard]] std::size_t size() const { return used_.size(); }
  void clear() {
    for (const std::uint32_t slot : used_) entries_[slot].key = -1;
    used_.clear();
  }

 private:
  struct Entry {
    std::int32_t key = -1;
    T value{};
  };

  // Neighbouring nodes are used together, so runs of 16 stay neighbours in the table; the runs are spread
  // by Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4), so that no stride of ids
  // piles up. Where the id belongs: its own entry or the first free one.
  [[nodiscard]] std::size_t slot_of(NodeId id) const {
    const auto key = static_cast<std::uint32_t>(id.value);
    const std::uint64_t spread = (key >> 4) * 0x9E3779B97F4A7C15ULL;
    std::size_t slot = (static_cast<std::size_t>(spread >> shift_) << 4) | (key & 15U);
    while (entries_[slot].key != -1 && entries_[slot].key != id.value)
      slot = (slot + 1) & (entries_.size() - 1);
    return slot;
  }
  void grow() {
    const std::vector<Entry> old = std::move(entries_);
    const std::size_t size = std::max<std::size_t>(64, old.size() * 2);
    entries_.assign(size, Entry{});
    shift_ = 64 - (std::countr_zero(size) - 4);
    for (std::uint32_t& slot : used_) {
      const std::size_t moved = slot_of(NodeId(old[slot].key));
      entries_[moved] = old[slot];
      slot = static_cast<std::uint32_t>(moved);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> used_;  // slots taken
  int shift_ = 0;
};

}  // namespace daedalus
