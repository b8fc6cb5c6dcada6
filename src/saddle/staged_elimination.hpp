// The evaluation of a matrix and its elimination, interleaved: what a program has put in is eliminated while
// it is in the cache, if the program comes in parts. The operations, and so the results, are the same.
#pragma once

#include <span>
#include <vector>

#include "codegen/program.hpp"
#include "numerics/static_ldl.hpp"

namespace daedalus {

class StagedElimination {
 public:
  // The program puts its roots at these places of ldl.values().
  void plan(StaticLdl& ldl, const Program& program, std::span<const int> destinations);
  // What was planned.
  void run(StaticLdl& ldl, const Program& program, std::span<const double> environment,
           std::vector<double>& workspace) const;

 private:
  std::size_t stages_ = 0;  // 0: not worth while
};

}  // namespace daedalus
