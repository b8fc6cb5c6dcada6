// Which rows of a sparse matrix, the gradients of constraints, follow from others.
#pragma once

#include <utility>
#include <vector>

namespace daedalus {

using SparseRow = std::vector<std::pair<int, double>>;  // column, value; each column once

// Rows that depend on those before them: in the order in which they are given, so that what closes a loop is
// named and not where it begins, unless that order makes much work; then in one that does not. The cost is
// that of the elimination of G Gᵀ, so it is proportional to the length of a chain.
[[nodiscard]] std::vector<int> dependent_rows(const std::vector<SparseRow>& rows, int columns);

}  // namespace daedalus
