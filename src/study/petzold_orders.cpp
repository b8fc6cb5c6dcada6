// Theorems 3.1 and 3.2: how fast the regularised solution tends to the solution as ε tends to 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "study/petzold.hpp"

namespace daedalus {
namespace {

struct OrderRow {
  std::string_view theorem;
  std::string_view label;
  std::string_view model;
  std::string_view settings;  // name=value
  std::string_view formulation;
  double order;      // of the theorem
  bool bound;        // a bound from below; otherwise what is to be measured
  int multiplicity;  // of the singular point; 0: none
};

constexpr std::string_view direct = "direct-regularization";
constexpr std::string_view trust = "trust-region";

constexpr auto rows = std::to_array<OrderRow>({
    {"theorem-3.1", "direct, third constraint the sum of the others", "petzold_redundant", "", direct, 1,
     false, 0},
    {"theorem-3.1", "trust region, the same", "petzold_redundant", "", trust, 1, false, 0},
    {"theorem-3.1", "trust region, null space of Cᵀ turning", "petzold_redundant", "turning=1", trust, 1,
     false, 0},
    {"theorem-3.1", "trust region, B ≠ Cᵀ", "petzold_redundant", "skew=1", trust, 1, false, 0},
    {"theorem-3.2", "direct, before the singular point", "petzold_singular", "", direct, 0.5, true, 2},
    {"theorem-3.2", "direct, all", "petzold_singular", "", direct, 0.25, true, 2},
    {"theorem-3.2", "trust region, before the singular point", "petzold_singular", "", trust, 0.25, true, 2},
    {"theorem-3.2", "trust region, all", "petzold_singular", "", trust, 0.125, true, 2},
    {"theorem-3.2", "trust region, B ≠ Cᵀ, all", "petzold_singular", "scale=1", trust, 0.125, true, 2},
});

constexpr std::array<double, 5> epsilons{1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
constexpr double order_tolerance = 0.05;

std::vector<std::function<double(double)>> solution_of(std::string_view model) {
  if (model == "petzold_redundant") {
    return {[](double t) { return std::sin(t); }, [](double t) { return std::cos(2 * t); },
            [](double t) { return std::exp(-t); }};
  }
  return {[](double t) { return 1 + t; }, [](double t) { return std::cos(t); }};
}

double error_of(const Trajectory& trajectory, std::string_view model, double until) {
  const auto solution = solution_of(model);
  double largest = 0;
  for (std::size_t i = 0; i < solution.size(); ++i) {
    const std::size_t column = column_of(trajectory, fmt::format("x{}", i + 1));
    for (std::size_t row = 0; row < trajectory.rows() && trajectory.times[row] <= until; ++row) {
      largest = std::max(largest, std::abs(trajectory.at(row, column) - solution[i](trajectory.times[row])));
    }
  }
  return largest;
}

RunSetup setup_of(const OrderRow& row, double epsilon) {
  RunSetup setup;
  setup.model = row.model;
  if (!row.settings.empty()) {
    const std::size_t equal = row.settings.find('=');
    setup.settings.push_back(
        {std::string(row.settings.substr(0, equal)), std::string(row.settings.substr(equal + 1))});
  }
  setup.formulation = fmt::format("{}:eps={:g},gamma=100", row.formulation, epsilon);
  setup.integrator = "radau";
  setup.rtol = 1e-10;
  setup.atol = 1e-11;
  setup.points = 4001;
  return setup;
}

// Until where the error is taken: to the left of the interval of length O(ε^(1/2m)), or O(ε^(1/4m)), around t
// = 0.
double end_of(const OrderRow& row, double epsilon) {
  if (row.multiplicity == 0 || row.label.ends_with("all")) return 1e9;
  const double power = row.formulation == direct ? 2 : 4;
  return -std::pow(epsilon, 1 / (power * row.multiplicity));
}

void judge(Cell& cell, const OrderRow& row, double order) {
  cell.value = order;
  const bool good =
      row.bound ? order >= row.order - order_tolerance : std::abs(order - row.order) <= order_tolerance;
  cell.verdict = good ? Verdict::Agree : Verdict::Differ;
  cell.how = row.bound ? "no less" : "within 0.05";
}

void add_row(Reproduction& into, Figure& picture, const OrderRow& row, const KeepGoing& keep_going) {
  Cell cell{.row = std::string(row.label),
            .column = "order in ε",
            .paper = fmt::format("{}{:g}", row.bound ? "at least " : "", row.order)};
  Series series{.label = std::string(row.label)};
  for (const double epsilon : epsilons) {
    const RunSetup setup = setup_of(row, epsilon);
    into.commands.push_back({.row = std::string(row.label), .command = command_line(setup)});
    const auto run = perform(setup, keep_going);
    if (!run || !run->ok()) {
      cell.reason = run ? run->summary.reason : run.error();
      into.cells.push_back(std::move(cell));
      return;
    }
    series.x.push_back(epsilon);
    series.y.push_back(error_of(run->trajectory, row.model, end_of(row, epsilon)));
  }
  // Over the two smallest decades, where the order is the asymptotic one.
  const std::size_t last = series.y.size() - 1;
  const double order =
      std::log(series.y[last - 2] / series.y[last]) / std::log(series.x[last - 2] / series.x[last]);
  cell.ours = fmt::format("{:.2f}", order);
  judge(cell, row, order);
  into.cells.push_back(std::move(cell));
  picture.series.push_back(std::move(series));
}

}  // namespace

Reproduction reproduce_order(const StudyTarget& target, const KeepGoing& keep_going) {
  Reproduction result;
  const bool first = target.number == "theorem-3.1";
  result.notes.emplace_back(
      first ? "The paper has no example; the model is ours. The order is that between ε = 1e-4 and 1e-6."
            : "The paper has no example; the model is ours, with a singular point of multiplicity m = 2. The "
              "theorem's orders are "
              "bounds: measured orders are no less, and here greater. The order is that between ε = 1e-4 and "
              "1e-6.");
  Figure picture{
      .name = fmt::format("petzold-{}", target.number),
      .title = first ? "Constant rank: error against ε" : "Isolated singular point: error against ε",
      .x_label = "ε",
      .y_label = "largest error of x",
      .log_x = true,
      .log_y = true};
  for (const OrderRow& row : rows) {
    if (row.theorem == target.number) add_row(result, picture, row, keep_going);
  }
  if (!picture.series.empty()) result.figures.push_back(std::move(picture));
  return result;
}

}  // namespace daedalus
