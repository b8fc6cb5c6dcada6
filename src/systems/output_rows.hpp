// Equations that define outputs: algebraic unknowns that no other equation reads, and those that only such
// equations read (r = sqrt(x^2 + y^2), s = 1 + r). Their values follow from the rest; so where a derivative
// of such an equation has no value although the equation has one (r at x = y = 0), Newton's iteration goes on
// without it. Residuals are evaluated as they stand: it takes an iteration more, and no other solution.
#pragma once

#include <span>
#include <vector>

#include "systems/compiled_model.hpp"

namespace daedalus {

class OutputRows {
 public:
  explicit OutputRows(const CompiledModel& model);

  // Zero for derivatives without a value in the model's Jacobian, where that changes no solution. False:
  // others are left.
  [[nodiscard]] bool mend(std::span<double> jacobian_values) const;

 private:
  std::vector<char> may_lack_;  // by entry of the model's Jacobian
};

}  // namespace daedalus
