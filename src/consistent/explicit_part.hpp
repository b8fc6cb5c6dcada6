// Conditions that only say what some unknown is, such as the equation of an output: len = sqrt(x^2 + y^2). An
// unknown that nobody gave a value for, and that occurs in one condition only, follows from it whatever the
// others are; so both are taken out, and what then occurs only once as well. They are assigned afterwards, in
// the opposite order. They influence nothing: neither by a wish for zero that nobody has expressed, nor by a
// derivative that has no value.
#pragma once

#include <functional>
#include <vector>

#include "consistent/block_wise.hpp"
#include "consistent/nearest_point.hpp"

namespace daedalus {

class ExplicitPart {
 public:
  ExplicitPart(const ConstraintFunction& constraints, const std::function<Willingness(std::size_t)>& willing);

  // Pairs in the order in which they were taken out.
  [[nodiscard]] const std::vector<int>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<int>& columns() const { return columns_; }
  // The same constraints in which those taken out are empty: 0 = 0.
  [[nodiscard]] ConstraintFunction reduced(const ConstraintFunction& constraints) const;

 private:
  std::vector<int> rows_, columns_;
};

}  // namespace daedalus
