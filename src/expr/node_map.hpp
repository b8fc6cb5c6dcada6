// A map from NodeId to small values whose cost is that of the nodes put in, not of the graph: a sweep
// over ten nodes of a graph of a million must cost ten. Kept and cleared, it allocates nothing. Once a good
// part of all nodes is in it, or has been in the course of many sweeps, it is a plain array.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "core/large_vector.hpp"

namespace daedalus {

template <class T>
class NodeMap {
 public:
  // The value of a node, or null.
  [[nodiscard]] const T* find(NodeId id) const {
    if (entries_.empty() || (direct_ && id.at() >= entries_.size())) return nullptr;
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
    if (direct_ ? id.at() >= entries_.size() : used_.size() * 2 >= entries_.size()) grow(id);
    const std::size_t slot = slot_of(id);
    Entry& entry = entries_[slot];
    const bool fresh = entry.key != id.value;
    if (fresh) {
      entry = {id.value, value};
      used_.push_back(static_cast<std::uint32_t>(slot));
    }
    return {entry.value, fresh};
  }

  // Says beforehand that at least `nodes` will be put in, all with ids below `bound`.
  void expect(std::size_t nodes, std::size_t bound) {
    if (!direct_ && used_.empty() && bound <= std::max(nodes, put_in_) * expected_sparsity) {
      direct_ = true;
      entries_.assign(bound, Entry{});
    }
  }

  [[nodiscard]] std::size_t size() const { return used_.size(); }
  void clear() {
    for (const std::uint32_t slot : used_) entries_[slot].key = -1;
    put_in_ += used_.size();
    used_.clear();
  }

 private:
  // An array by id may have so many entries for each node put in; more where it is known beforehand that
  // there will be more of them, since to clear an entry costs a hundredth of an insertion into a table that
  // grows.
  static constexpr std::size_t direct_sparsity = 8;
  static constexpr std::size_t expected_sparsity = 64;

  struct Entry {
    std::int32_t key = -1;
    T value{};
  };

  // Where the id belongs: its own entry or the first free one. Neighbouring nodes are used together, so
  // runs of 16 stay neighbours in the table; the runs are spread by Fibonacci hashing (Knuth, The Art of
  // Computer Programming, vol. 3, 6.4), so that no stride of ids piles up.
  [[nodiscard]] std::size_t slot_of(NodeId id) const {
    if (direct_) return id.at();
    const auto key = static_cast<std::uint32_t>(id.value);
    const std::uint64_t spread = (key >> 4) * 0x9E3779B97F4A7C15ULL;
    std::size_t slot = (static_cast<std::size_t>(spread >> shift_) << 4) | (key & 15U);
    while (entries_[slot].key != -1 && entries_[slot].key != id.value)
      slot = (slot + 1) & (entries_.size() - 1);
    return slot;
  }
  // Makes room for one more, `next`.
  void grow(NodeId next) {
    const LargeVector<Entry> old = std::move(entries_);
    std::size_t largest = next.at();
    for (const std::uint32_t slot : used_) largest = std::max(largest, NodeId(old[slot].key).at());
    std::size_t size = std::max<std::size_t>(64, std::bit_ceil(used_.size() * 4));
    direct_ = direct_ || largest < used_.size() * direct_sparsity;
    if (direct_) size = largest + (largest / 2) + 1;
    entries_.assign(size, Entry{});
    shift_ = 64 - (std::countr_zero(size) - 4);
    for (std::uint32_t& slot : used_) {
      const std::size_t moved = slot_of(NodeId(old[slot].key));
      entries_[moved] = old[slot];
      slot = static_cast<std::uint32_t>(moved);
    }
  }

  LargeVector<Entry> entries_;
  std::vector<std::uint32_t> used_;  // slots taken
  std::size_t put_in_ = 0;           // before the last clear(), again and again
  int shift_ = 0;
  bool direct_ = false;  // an id's slot is its own number
};

}  // namespace daedalus
