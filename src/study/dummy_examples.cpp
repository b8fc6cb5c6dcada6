// Examples 1, 2 and 5: what the structural algorithms find, and that the result solves the problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "study/mattsson_soderlind.hpp"

namespace daedalus {
namespace {

using Exact = std::function<double(double)>;

double first_solution(double t) {
  return std::cos(t) + std::sin(t) - (0.4 * std::cos(2 * t)) - (0.2 * std::sin(2 * t));
}

double error_of(const Trajectory& trajectory, std::string_view name, const Exact& exact) {
  const std::size_t column = column_of(trajectory, name);
  double largest = 0;
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    largest = std::max(largest, std::abs(trajectory.at(row, column) - exact(trajectory.times[row])));
  }
  return largest;
}

Cell cell(std::string row, std::string paper, std::string ours, bool agree) {
  return {.row = std::move(row),
          .column = "paper",
          .paper = std::move(paper),
          .ours = std::move(ours),
          .verdict = agree ? Verdict::Agree : Verdict::Differ};
}

Cell failed(std::string row, std::string paper, std::string reason) {
  Cell result = cell(std::move(row), std::move(paper), "", false);
  result.verdict = Verdict::NotAvailable;
  result.reason = std::move(reason);
  return result;
}

Cell error_cell(const RunResult& result, std::string_view name, const Exact& exact, double most) {
  const double error = error_of(result.trajectory, name, exact);
  Cell found =
      cell(fmt::format("error of {}", name), "equivalent", fmt::format("{:.1e}", error), error <= most);
  found.value = error;
  found.how = fmt::format("at most {:g}", most);
  return found;
}

// The indices of the variables whose derivatives became dummies: all but that of the states.
std::string dummies(const std::vector<std::string>& states) {
  std::string text = "{";
  for (int i = 1; i <= 4; ++i) {
    const std::string name = fmt::format("x{}", i);
    if (std::ranges::find(states, name) != states.end()) continue;
    text += (text.size() > 1 ? "," : "") + std::to_string(i);
  }
  return text + "}";
}

void add_structure(Reproduction& into) {
  const auto report = examine({.model = "mattsson_soderlind_1"});
  if (!report) {
    into.cells.push_back(failed("structure", "(3.1)", report.error()));
    return;
  }
  std::vector<int> counts;
  for (const CheckedEquation& equation : report->equations) counts.push_back(equation.c);
  const std::string found = fmt::format("{}", fmt::join(counts, ","));
  into.cells.push_back(cell("differentiations of a, b, c, d", "2,2,1,0", found, found == "2,2,1,0"));
  into.cells.push_back(
      cell("blocks", "1", fmt::format("{}", report->blocks.size()), report->blocks.size() == 1));
  Cell& blocks = into.cells.back();
  if (report->blocks.size() == 2) {
    blocks.reason =
        "(3.1c') contains no highest derivative but x4', as the paper's own matrix shows: it is a block of "
        "its own. "
        "The paper treats all four equations together";
  }
  const std::string chosen = dummies(report->states);
  into.cells.push_back(
      cell("dummies", "{1,3,4},{2,3,4}", chosen, chosen == "{1,3,4}" || chosen == "{2,3,4}"));
}

void add_linear_run(Reproduction& into, bool remove, const KeepGoing& keep_going) {
  const RunSetup setup{
      .model = "mattsson_soderlind_1",
      .formulation = fmt::format("dummy-derivatives:superfluous={}", remove ? "remove" : "keep"),
      .integrator = "radau",
      .rtol = 1e-10,
      .atol = 1e-12,
      .points = 101};
  into.commands.push_back({.row = "run", .command = command_line(setup)});
  const auto result = perform(setup, keep_going);
  if (!result || !result->ok()) {
    into.cells.push_back(
        failed("run", remove ? "(3.3)" : "(3.2)", result ? result->summary.reason : result.error()));
    return;
  }
  // Our vector holds every level by itself: x2' too, and x2'' unless superfluous differentiations are
  // removed.
  const int beyond = remove ? 1 : 2;
  const int unknowns = result->summary.unknowns - beyond;
  into.cells.push_back(cell("unknowns", remove ? "6" : "9", fmt::format("{} + {}", unknowns, beyond),
                            unknowns == (remove ? 6 : 9)));
  // An error mode of the problem grows like exp(t): 150 times over [0, 5].
  constexpr double most = 1e-7;
  into.cells.push_back(error_cell(*result, "x1", first_solution, most));
  into.cells.push_back(error_cell(
      *result, "x2", [](double t) { return -first_solution(t) - std::sin(t); }, most));
  into.cells.push_back(error_cell(
      *result, "x3", [](double t) { return std::sin(t) - std::cos(t); }, 1e-14));
  into.cells.push_back(error_cell(
      *result, "x4", [](double t) { return -first_solution(t) - std::sin(2 * t); }, most));
}

void add_singular(Reproduction& into, const KeepGoing& keep_going) {
  const RunSetup setup{.model = "mattsson_soderlind_5", .formulation = "dummy-derivatives", .points = 101};
  into.commands.push_back({.row = "run", .command = command_line(setup)});
  const auto report = examine(setup);
  const auto result = perform(setup, keep_going);
  if (!report || !result || !result->ok()) {
    const std::string reason = !report ? report.error() : (result ? result->summary.reason : result.error());
    into.cells.push_back(failed("run", "(4.7)", reason));
    return;
  }
  into.cells.push_back(cell("equations replaced", "1", fmt::format("{}", report->repairs.size()),
                            report->repairs.size() == 1));
  into.cells.push_back(cell("degrees of freedom", "0", fmt::format("{}", report->dof), report->dof == 0));
  // Purely algebraic: exact up to rounding, t y being as large as 5.
  const auto y = [](double t) { return std::cos(3 * t); };
  into.cells.push_back(error_cell(*result, "y", y, 1e-14));
  into.cells.push_back(error_cell(
      *result, "x", [&y](double t) { return std::sin(2 * t) - (t * y(t)); }, 1e-14));
}

}  // namespace

Reproduction reproduce_dummy_example(const StudyTarget& target, const KeepGoing& keep_going) {
  Reproduction result;
  if (target.number == "example-5") {
    result.notes.emplace_back(
        "(4.6) has a singular matrix with respect to its highest derivatives, at every step size too. One "
        "equation is replaced "
        "by the combination in which they cancel, (4.7a); what is left is algebraic.");
    add_singular(result, keep_going);
    return result;
  }
  const bool remove = target.number == "example-2";
  result.notes.emplace_back(remove ? "The most differentiated equations are left out again: six unknowns, of "
                                     "which x2 is differentiated twice. Our "
                                     "vector of unknowns has x2' as one more."
                                   : "Nine unknowns, of which x2 is differentiated twice. Our vector of "
                                     "unknowns has x2' and x2'' as two more.");
  if (!remove) add_structure(result);
  add_linear_run(result, remove, keep_going);
  return result;
}

}  // namespace daedalus
