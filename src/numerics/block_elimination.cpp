#include "numerics/block_elimination.hpp"

#include <algorithm>

#include "numerics/wide.hpp"
#include "structure/blocks.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

Signature signature_of(const SparsePattern& pattern) {
  std::vector<std::vector<SignatureEntry>> rows(static_cast<std::size_t>(pattern.size));
  for (int c = 0; c < pattern.size; ++c) {
    for (int e = pattern.column_start[static_cast<std::size_t>(c)];
         e < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++e)
      rows[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])].push_back({c, 0});
  }
  Signature signature{.variables = pattern.size};
  for (const auto& row : rows) signature.add_row(row);
  return signature;
}

// Numbers in a vector (numerics/wide.hpp).
constexpr std::size_t lanes = 4;

// Without a test for each: of anything that is not finite nothing comes but NaN.
bool all_finite(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * 0.0;
  return sum == 0;
}

// to -= factor * from; to = from / divisor. Whole numbers of vectors.
void subtract(double factor, const double* from, double* to, std::size_t count) {
  const Four factors{factor, factor, factor, factor};
  for (std::size_t k = 0; k < count; k += lanes) {
    Four a, b;
    load_four(from + k, a);
    load_four(to + k, b);
    b -= factors * a;
    store_four(b, to + k);
  }
}

void divide(const double* from, double divisor, double* to, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) to[k] = from[k] / divisor;
}

}  // namespace

BlockElimination::BlockElimination(const SparsePattern& pattern) {
  const Signature signature = signature_of(pattern);
  const MaximumMatching matched = maximum_matching(signature);
  regular_ = matched.matching.perfect();
  if (!regular_) return;
  const auto size = static_cast<std::size_t>(pattern.size);
  const std::vector<int> none(size, 0);
  const BlockTriangularForm form = block_triangular_form({signature, none, none}, matched.matching);
  std::vector<int> block_of(size), row_in(size), column_in(size);  // by equation; by unknown for the last
  for (std::size_t b = 0; b < form.blocks.size(); ++b) {
    Block& block = blocks_.emplace_back();
    block.equations = form.blocks[b].equations;
    block.unknowns = form.blocks[b].variables;
    largest_block_ = std::max(largest_block_, static_cast<int>(block.equations.size()));
    for (std::size_t k = 0; k < block.equations.size(); ++k) {
      block_of[static_cast<std::size_t>(block.equations[k])] = static_cast<int>(b);
      row_in[static_cast<std::size_t>(block.equations[k])] = static_cast<int>(k);
      column_in[static_cast<std::size_t>(block.unknowns[k])] = static_cast<int>(k);
    }
  }
  for (int c = 0; c < pattern.size; ++c) {
    const auto column = static_cast<std::size_t>(c);
    const auto match = static_cast<std::size_t>(matched.matching.equation_of_variable[column]);
    for (int e = pattern.column_start[column]; e < pattern.column_start[column + 1]; ++e) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)]);
      Block& block = blocks_[static_cast<std::size_t>(block_of[row])];
      const bool inside = block_of[row] == block_of[match];
      (inside ? block.inner : block.earlier)
          .push_back({.value = e, .row = row_in[row], .column = inside ? column_in[column] : c});
    }
  }
  size_ = size;
}

void BlockElimination::begin(int right_sides) {
  width_ = (static_cast<std::size_t>(right_sides) + lanes - 1) / lanes * lanes;
  right_.assign(size_ * width_, 0);
  solution_.resize(right_.size());
}

bool BlockElimination::solve(std::span<const double> values) {
  for (const Block& block : blocks_) {
    const auto count = static_cast<int>(block.equations.size());
    if (count > 1) {
      elimination_.begin(count, static_cast<int>(width_));
      for (const Entry& entry : block.inner)
        elimination_.row(entry.row)[entry.column] = values[static_cast<std::size_t>(entry.value)];
    }
    double* const single = right(block.equations.front());
    for (int r = 0; r < count && count > 1; ++r)
      std::copy_n(right(block.equations[static_cast<std::size_t>(r)]), width_, elimination_.right(r));
    for (const Entry& entry : block.earlier) {
      double* const to = count > 1 ? elimination_.right(entry.row) : single;
      subtract(values[static_cast<std::size_t>(entry.value)], known(entry.column), to, width_);
    }
    if (count == 1) {
      const double pivot = values[static_cast<std::size_t>(block.inner.front().value)];
      if (pivot == 0) return false;
      divide(single, pivot, known(block.unknowns.front()), width_);
      continue;
    }
    if (!elimination_.solve()) return false;
    for (int k = 0; k < count; ++k)
      std::ranges::copy(elimination_.solution(k), known(block.unknowns[static_cast<std::size_t>(k)]));
  }
  return all_finite(solution_);
}

}  // namespace daedalus
