// Structure is integers: which variable occurs in which equation, and at which order of derivative.
// Nothing in this folder knows expressions.
#pragma once

#include <span>
#include <vector>

namespace daedalus {

// σ_ij of Pryce: the order of the highest derivative of variable j in equation i.
struct SignatureEntry {
  int variable = 0;
  int order = 0;
};

// Rows in compressed form. A variable stands at most once in a row.
struct Signature {
  int variables = 0;
  std::vector<int> row_start{0};  // equations + 1
  std::vector<SignatureEntry> entries;

  [[nodiscard]] int equations() const { return static_cast<int>(row_start.size()) - 1; }
  [[nodiscard]] std::span<const SignatureEntry> row(int equation) const {
    const auto begin = static_cast<std::size_t>(row_start[static_cast<std::size_t>(equation)]);
    const auto end = static_cast<std::size_t>(row_start[static_cast<std::size_t>(equation) + 1]);
    return {entries.data() + begin, end - begin};
  }
  void add_row(std::span<const SignatureEntry> row) {
    entries.insert(entries.end(), row.begin(), row.end());
    row_start.push_back(static_cast<int>(entries.size()));
  }
};

}  // namespace daedalus
