#include "codegen/program.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace daedalus {

const double* Program::run(std::span<const double> environment, std::vector<double>& workspace) const {
  assert(environment.size() >= slots_);
  // One value before the registers tells whose constants are there.
  const std::size_t first = leaves_ + constants_.size();
  if (workspace.size() < 1 + first + operations_) workspace.resize(1 + first + operations_);
  double* const registers = workspace.data() + 1;
  if (std::bit_cast<std::uint64_t>(workspace[0]) != id_) {
    std::ranges::copy(constants_, registers + leaves_);
    workspace[0] = std::bit_cast<double>(id_);
  }
  if (leaf_slots_.empty()) {
    std::copy_n(environment.data(), leaves_, registers);
  } else {
    for (std::size_t k = 0; k < leaves_; ++k) registers[k] = environment.data()[leaf_slots_[k]];
  }
  double* out = registers + first;
  const std::int32_t* arguments = arguments_.data();
  for (const Group& group : groups_) {
    group.kernel(registers, arguments, out, group.count);
    out += static_cast<std::size_t>(group.count) * group.results;
    arguments += static_cast<std::size_t>(group.count) * group.arguments;
  }
  return registers;
}

void Program::evaluate(std::span<const double> environment, std::span<double> results,
                       std::vector<double>& workspace) const {
  assert(results.size() >= outputs_.size());
  const double* const registers = run(environment, workspace);
  for (std::size_t k = 0; k < outputs_.size(); ++k) results[k] = registers[outputs_[k]];
}

}  // namespace daedalus
