// Initial values of sensitivities, and their jumps at events.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "consistent/level_starts.hpp"
#include "sensitivity/sensitivity_course.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Differences of fourth order: relative to a parameter h = 1e-3 leaves h⁴ = 1e-12 of what bends, and divides
// the rounding of starts and events, some 1e-15, by h.
constexpr double difference = 1e-3;
// A relation that passes zero slower than this, of its own variation, touches it only.
constexpr double grazing = 1e-10;
// Relations that become true at the same instant are one event, if they stay together to first order.
constexpr double together = 1e-6;
// In tolerances: what event handling moves levels by although they are continuous.
constexpr double continuous = 100;

}  // namespace

// Rows: levels, then leaves. `values` gives environments.
MatrixXd SensitivityCourse::differences(
    const std::function<std::span<const double>(Eigen::Index parameter, double change)>& values) const {
  const auto levels = static_cast<Eigen::Index>(model_.level_count());
  const auto leaves = static_cast<Eigen::Index>(sensitivities_.leaves.size());
  MatrixXd result = MatrixXd::Zero(levels + leaves, parameters());
  constexpr std::array<std::pair<double, double>, 4> formula{
      {{1, 8.0 / 12}, {-1, -8.0 / 12}, {2, -1.0 / 12}, {-2, 1.0 / 12}}};
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    const double h = difference * size_of(p);
    for (const auto& [steps, weight] : formula) {
      const std::span<const double> environment = values(p, steps * h);
      if (environment.empty()) {
        result.col(p).setConstant(std::numeric_limits<double>::quiet_NaN());
        break;
      }
      for (Eigen::Index l = 0; l < levels; ++l)
        result(l, p) +=
            weight / h * environment[static_cast<std::size_t>(model_.layout().levels + static_cast<int>(l))];
      for (Eigen::Index g = 0; g < leaves; ++g) {
        const VariableId v = sensitivities_.leaves[static_cast<std::size_t>(g)];
        result(levels + g, p) +=
            weight / h * environment[static_cast<std::size_t>(model_.layout().discrete_slot[v.at()])];
      }
    }
  }
  return result;
}

// Discrete variables from differences; parameters are what they are.
void SensitivityCourse::take_leaves(const MatrixXd& found) {
  for (std::size_t g = 0; g < sensitivities_.leaves.size(); ++g) {
    const VariableKind kind = model_.dae().variables[sensitivities_.leaves[g].at()].kind;
    if (is_given(kind)) continue;
    leaves_.row(static_cast<Eigen::Index>(g)) =
        found.row(static_cast<Eigen::Index>(model_.level_count()) + static_cast<Eigen::Index>(g));
  }
}

std::string SensitivityCourse::begin(std::span<const double> environment) {
  begun_ = true;
  const StartValues starts = start_values(model_, environment);
  parameter_values_.clear();
  for (const SensitivityModel::Parameter& parameter : sensitivities_.parameters) {
    const int slot = model_.layout().discrete_slot[parameter.variable.at()];
    double value = parameter.leaf >= 0 ? environment[static_cast<std::size_t>(slot)]
                                       : starts.value[parameter.variable.at()];
    for (const StartValue& given : given_) {
      if (given.name == parameter.name) value = given.value;
    }
    parameter_values_.push_back(value);
  }
  std::string reason;
  std::vector<double> values;
  const MatrixXd found = differences([&](Eigen::Index p, double change) -> std::span<const double> {
    const auto k = static_cast<std::size_t>(p);
    auto started = start_({sensitivities_.parameters[k].name, parameter_values_[k] + change});
    if (!started) {
      reason = started.error().empty() ? "" : started.error().front().message;
      return {};
    }
    values = *std::move(started);
    return values;
  });
  if (!found.allFinite())
    return fmt::format("there are no sensitivities: a run with a value nearby does not start ({})", reason);
  levels_ = found.topRows(model_.level_count());
  take_leaves(found);
  return enter(environment);
}

std::string SensitivityCourse::event(const Stepper& stepper) {
  const std::span<const double> environment = stepper.environment();
  std::string trouble = begun_ ? cross(environment) : begin(environment);
  pieces_.clear();
  if (trouble.empty()) return {};
  return begun_ ? fmt::format("no sensitivities from t = {:.10g} on: {}", stepper.time(), trouble) : trouble;
}

bool SensitivityCourse::moved(std::span<const double> after) const {
  const auto& levels = model_.levels().levels;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    if (levels[l + 1].order == 0) continue;  // a highest derivative
    const std::size_t slot = static_cast<std::size_t>(model_.layout().levels) + l;
    const double size = std::max(std::abs(after[slot]), std::abs(before_.environment[slot]));
    const double nominal = model_.dae().variables[levels[l].variable.at()].nominal;
    const double allowed = continuous * ((tolerances_.relative * size) + (tolerances_.absolute * nominal));
    if (std::abs(after[slot] - before_.environment[slot]) > allowed) return true;
  }
  return false;
}

// t_e' of every parameter.
std::string SensitivityCourse::shift_times(const std::vector<int>& crossed, VectorXd& shift) {
  shift.setZero(parameters());
  if (crossed.empty()) return {};
  const MatrixXd variation = point_.relations(before_.environment, {.levels = levels_, .given = leaves_});
  MatrixXd in_time = MatrixXd::Zero(leaves_.rows(), 1);
  in_time(leaves_.rows() - 1, 0) = 1;
  const MatrixXd rates = before_.rates;
  const MatrixXd speed = point_.relations(before_.environment, {.levels = rates, .given = in_time});
  for (std::size_t k = 0; k < crossed.size(); ++k) {
    const int r = crossed[k];
    const double typical = std::abs(variation.row(r).cwiseAbs().maxCoeff()) * size_of(0);
    if (!(std::abs(speed(r, 0)) > grazing * typical))
      return fmt::format("the event there ({}) is touched, not crossed, and may not happen nearby",
                         relation_text(model_.dae(), r));
    const VectorXd here = -variation.row(r).transpose() / speed(r, 0);
    if (k == 0) shift = here;
    if ((here - shift).cwiseAbs().maxCoeff() > together * (1 + shift.cwiseAbs().maxCoeff()))
      return fmt::format("two events happen at once ({} and {}), and one after the other nearby",
                         relation_text(model_.dae(), crossed.front()), relation_text(model_.dae(), r));
  }
  return {};
}

std::string SensitivityCourse::cross(std::span<const double> after) {
  std::vector<int> crossed = before_.crossed;
  for (std::size_t r = 0; r < model_.dae().relations.size(); ++r) {
    const std::size_t slot = static_cast<std::size_t>(model_.layout().relations) + r;
    const int number = static_cast<int>(r);
    if (after[slot] != before_.environment[slot] && parts_.events->is_time_relation(number) &&
        std::ranges::find(crossed, number) == crossed.end())
      crossed.push_back(number);
  }
  VectorXd shift;
  if (std::string trouble = shift_times(crossed, shift); !trouble.empty()) return trouble;
  if (sensitivities_.reassigns || moved(after)) {
    if (std::string trouble = jump(crossed, shift, after); !trouble.empty()) return trouble;
  } else {
    levels_ += before_.rates * shift.transpose();
  }
  for (int l = 0; l + 1 < model_.level_count(); ++l)
    levels_.row(l) -= after[static_cast<std::size_t>(model_.layout().levels + l + 1)] * shift.transpose();
  before_.stepper.reset();
  return enter(after);
}

// The event with other values before it: those of the motion that reaches it with another parameter.
std::string SensitivityCourse::jump(const std::vector<int>& crossed, const VectorXd& shift,
                                    std::span<const double> after) {
  const Layout& layout = model_.layout();
  const MatrixXd direction = levels_ + before_.rates * shift.transpose();
  std::vector<double> values;
  std::unique_ptr<Stepper> copy;
  const auto same = [&](std::span<const double> other) {
    for (std::size_t v = 0; v < model_.dae().variables.size(); ++v) {
      const VariableKind kind = model_.dae().variables[v].kind;
      if (kind != VariableKind::Integer && kind != VariableKind::Boolean) continue;
      const auto slot = static_cast<std::size_t>(layout.discrete_slot[v]);
      if (other[slot] != after[slot]) return false;
    }
    return std::equal(after.begin() + layout.relations, after.begin() + layout.samples,
                      other.begin() + layout.relations);
  };
  const MatrixXd found = differences([&](Eigen::Index p, double change) -> std::span<const double> {
    values = before_.environment;
    for (int l = 0; l < model_.level_count(); ++l)
      values[static_cast<std::size_t>(layout.levels + l)] += change * direction(l, p);
    for (std::size_t g = 0; g < sensitivities_.leaves.size(); ++g) {
      const std::size_t v = sensitivities_.leaves[g].at();
      for (const int slot : {layout.discrete_slot[v], layout.pre_slot[v]}) {
        if (slot >= 0)
          values[static_cast<std::size_t>(slot)] += change * leaves_(static_cast<Eigen::Index>(g), p);
      }
    }
    copy = std::make_unique<Stepper>(*before_.stepper);
    const auto there = copy->values_after_event(before_.t + (change * shift(p)), values, crossed);
    return there.empty() || !same(there) ? std::span<const double>() : there;
  });
  if (!found.allFinite())
    return "the event there leads to something else for a value of the parameters nearby";
  levels_ = found.topRows(model_.level_count());
  take_leaves(found);
  return {};
}

}  // namespace daedalus
