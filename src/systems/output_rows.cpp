#include "systems/output_rows.hpp"

#include <cmath>

namespace daedalus {
namespace {

// Takes off, again and again, an unknown that stands in one equation only, and this equation.
class Peeling {
 public:
  explicit Peeling(const CompiledModel& model)
      : model_(model),
        jacobian_(model.jacobian()),
        rows_(static_cast<std::size_t>(model.equation_count())),
        count_(static_cast<std::size_t>(model.level_count())) {
    for (std::size_t column = 0; column < count_.size(); ++column) {
      for_column(column, [&](std::size_t, std::size_t row) {
        rows_[row].push_back(column);
        ++count_[column];
      });
      offer(column);
    }
  }

  // Every entry of the equations taken off, but those of the unknowns that they define.
  [[nodiscard]] std::vector<char> run() {
    std::vector<char> taken(jacobian_.row.size(), 0);
    std::vector<std::size_t> defines(rows_.size(), none);
    while (!single_.empty()) {
      const std::size_t column = single_.back();
      single_.pop_back();
      if (count_[column] != 1) continue;
      for_column(column, [&](std::size_t, std::size_t row) {
        if (defines[row] != none || !is_plain(row)) return;
        defines[row] = column;
        for (const std::size_t other : rows_[row]) {
          --count_[other];
          offer(other);
        }
      });
    }
    for (std::size_t column = 0; column < count_.size(); ++column) {
      for_column(column, [&](std::size_t entry, std::size_t row) {
        taken[entry] = defines[row] != none && defines[row] != column ? 1 : 0;
      });
    }
    return taken;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  template <class F>
  void for_column(std::size_t column, F&& visit) const {
    for (int k = jacobian_.column_start[column]; k < jacobian_.column_start[column + 1]; ++k)
      visit(static_cast<std::size_t>(k),
            static_cast<std::size_t>(jacobian_.row[static_cast<std::size_t>(k)]));
  }
  void offer(std::size_t column) {
    const LevelSystem& system = model_.levels();
    const int j = system.incidence.column[system.levels[column].variable.at()];
    if (count_[column] == 1 && system.plan.d[static_cast<std::size_t>(j)] == 0) single_.push_back(column);
  }
  // An equation that is not differentiated.
  [[nodiscard]] bool is_plain(std::size_t row) const {
    const LevelSystem& system = model_.levels();
    return system.plan.c[static_cast<std::size_t>(system.equations[row].equation)] == 0;
  }

  const CompiledModel& model_;
  const SparseJacobianProgram& jacobian_;
  std::vector<std::vector<std::size_t>> rows_;  // columns of each
  std::vector<int> count_;                      // by column: equations left that hold it
  std::vector<std::size_t> single_;             // columns to look at
};

}  // namespace

OutputRows::OutputRows(const CompiledModel& model) : may_lack_(Peeling(model).run()) {}

bool OutputRows::mend(std::span<double> jacobian_values) const {
  // A sum is finite only if all terms are; one branch instead of one an entry.
  double sum = 0;
  for (const double value : jacobian_values) sum += value * 0.0;
  if (sum == 0) return true;
  bool all = true;
  for (std::size_t k = 0; k < jacobian_values.size(); ++k) {
    if (std::isfinite(jacobian_values[k])) continue;
    if (may_lack_[k] != 0) jacobian_values[k] = 0;
    all = all && may_lack_[k] != 0;
  }
  return all;
}

}  // namespace daedalus
