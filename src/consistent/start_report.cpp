#include "consistent/start_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

// Of many values of one kind, this many are named.
constexpr std::size_t shown = 20;
constexpr std::size_t shown_in_warnings = 4;
constexpr std::size_t shown_rows = 6;

std::string and_more(std::size_t count, std::size_t named) {
  return count > named ? fmt::format(" and {} more", count - named) : std::string();
}

// Values that were given for states and could not be kept: one warning with both values of each.
void warn_of_moved(const StartProblem& problem, std::span<const double> z, Initialisation& out) {
  std::vector<std::string> texts;
  std::size_t count = 0;
  for (std::size_t k = 0; k < problem.starts().size(); ++k) {
    const LevelStart& start = problem.starts()[k];
    const bool kept = std::abs(z[k] - start.value) <= consistent::told * start.scale;
    if (!problem.is_wish(k) || start.fixed || kept) continue;
    if (++count <= shown_in_warnings)
      texts.push_back(fmt::format("{} instead of {:.8g}", problem.value_text(k, z), start.value));
  }
  if (count == 0) return;
  out.warnings.push_back(fmt::format("start values that do not fit the equations were changed: {}{}",
                                     fmt::join(texts, ", "), and_more(count, shown_in_warnings)));
}

// How far the nearest fitting values are from those that were given.
void name_largest_change(const StartProblem& problem, std::span<const double> z, Initialisation& out) {
  double largest = consistent::moved;
  std::optional<std::size_t> most;
  for (std::size_t k = 0; k < problem.starts().size(); ++k) {
    const LevelStart& start = problem.starts()[k];
    if (start.fixed || !problem.is_wish(k)) continue;
    const double change = std::abs(z[k] - start.value) / start.scale;
    if (change <= largest) continue;
    largest = change;
    most = k;
  }
  if (!most) return;
  out.lines.push_back(fmt::format("largest change of a start value: {} from {:.8g} to {:.8g}",
                                  problem.name(*most), problem.starts()[*most].value, z[*most]));
}

void list_values(const StartProblem& problem, std::span<const double> z, Initialisation& out) {
  std::vector<std::string> fixed;
  std::vector<std::string> moved;
  for (std::size_t k = 0; k < problem.starts().size(); ++k) {
    const LevelStart& start = problem.starts()[k];
    const bool changed = std::abs(z[k] - start.value) > consistent::moved * start.scale;
    if (start.fixed && fixed.size() < shown) fixed.push_back(problem.value_text(k, z));
    if (start.given && !start.fixed && changed && moved.size() < shown)
      moved.push_back(fmt::format("{} (start {:.8g})", problem.value_text(k, z), start.value));
  }
  if (!fixed.empty()) out.lines.push_back(fmt::format("fixed: {}", fmt::join(fixed, ", ")));
  if (!moved.empty())
    out.lines.push_back(
        fmt::format("moved from their start values to fit the equations: {}", fmt::join(moved, ", ")));
}

void list_hidden(const StartProblem& problem, Initialisation& out) {
  const LevelSystem& system = problem.model().levels();
  std::size_t hidden = 0;
  for (const LevelEquation& e : system.equations) {
    if (e.level == 0) continue;
    if (++hidden <= shown) out.lines.push_back("hidden constraint fulfilled: " + system.equation_name(e));
  }
  if (hidden > shown) out.lines.push_back(fmt::format("and {} more hidden constraints", hidden - shown));
}

// Of all equations, those that were to be assigned as well, the first without a finite value.
void find_not_finite(const StartProblem& problem, NearestResult& result) {
  if (result.bad_row >= 0) return;
  std::vector<double> c(static_cast<std::size_t>(problem.constraints().rows));
  problem.constraints().residual(result.z, c);
  const auto bad = std::ranges::find_if(c, [](double v) { return !std::isfinite(v); });
  if (bad == c.end()) return;
  result.status = NearestStatus::NotFinite;
  result.bad_row = static_cast<int>(bad - c.begin());
}

Diagnostic error_at(SourceSpan span, std::string message) {
  return {.severity = Severity::Error, .message = std::move(message), .span = span, .related = {}};
}

// A mechanism that does not close: which of its constraints are how far open where the search ended.
void name_gaps(const StartProblem& problem, std::span<const double> z, Initialisation& out) {
  const LevelSystem& system = problem.model().levels();
  std::vector<double> residual(static_cast<std::size_t>(problem.constraints().rows));
  problem.constraints().residual(z, residual);
  std::vector<std::pair<double, int>> gaps;
  for (std::size_t r = 0; r < system.equations.size(); ++r) {
    const LevelEquation& e = system.equations[r];
    const bool constraint = system.plan.c[static_cast<std::size_t>(e.equation)] > 0 && e.level == 0;
    const Equation& equation = problem.model().dae().equations[static_cast<std::size_t>(e.equation)];
    if (constraint && equation.keep && std::abs(residual[r]) > consistent::open)
      gaps.emplace_back(std::abs(residual[r]), static_cast<int>(r));
  }
  if (gaps.empty()) return;
  std::ranges::sort(gaps, std::greater<>());
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < std::min(gaps.size(), shown_in_warnings); ++k)
    texts.push_back(fmt::format("{} is off by {:.4g}", problem.row_text(gaps[k].second), gaps[k].first));
  out.diagnostics.push_back(error_at(
      problem.row_span(gaps.front().second),
      fmt::format("the mechanism cannot be closed from its start: {}{}; check lengths and places, or start "
                  "nearer to a position in which it fits",
                  fmt::join(texts, ", "), and_more(gaps.size(), shown_in_warnings))));
}

void add_contradiction(const StartProblem& problem, const Dependency& dependency, std::span<const double> z,
                       Initialisation& out) {
  std::vector<std::string> given;
  for (const int k : dependency.held) given.push_back(problem.value_text(static_cast<std::size_t>(k), z));
  std::vector<std::string> rows;
  for (const int row : dependency.rows) {
    if (rows.size() < shown_rows) rows.push_back(problem.row_text(row));
  }
  const std::string what =
      given.empty() ? "these conditions contradict each other:"
                    : fmt::format("the fixed start values {} contradict", fmt::join(given, " and "));
  Diagnostic diagnostic = error_at(
      problem.row_span(dependency.rows.front()),
      fmt::format("{} {} (off by {:.6g}); free one of them (fixed = false), change a value, or remove an "
                  "initial equation",
                  what, fmt::join(rows, "; "), std::abs(dependency.defect)));
  for (const int k : dependency.held) {
    const VariableId v = problem.starts()[static_cast<std::size_t>(k)].source;
    const Variable& variable = problem.model().dae().variables[v.at()];
    diagnostic.related.push_back({.severity = Severity::Note,
                                  .message = fmt::format("{} is fixed here", variable.name),
                                  .span = variable.span,
                                  .related = {}});
  }
  out.diagnostics.push_back(std::move(diagnostic));
}

}  // namespace

void explain_start(const StartProblem& problem, std::span<const double> z, Initialisation& out) {
  name_largest_change(problem, z, out);
  warn_of_moved(problem, z, out);
  const int free = out.degrees_of_freedom - out.conditions;
  out.lines.push_back(
      fmt::format("{} degrees of freedom, {} conditions given{}", out.degrees_of_freedom, out.conditions,
                  free > 0   ? fmt::format("; {} left free, chosen nearest to the start values", free)
                  : free < 0 ? fmt::format("; {} more than needed, but they agree", -free)
                             : std::string()));
  list_values(problem, z, out);
  list_hidden(problem, out);
  out.status = Initialisation::Status::Ok;
}

void explain_failure(const StartProblem& problem, NearestResult result, Initialisation& out) {
  out.status = Initialisation::Status::WrongInput;
  find_not_finite(problem, result);
  if (result.status == NearestStatus::NotFinite) {
    out.diagnostics.push_back(error_at(
        problem.row_span(result.bad_row),
        fmt::format("{} has no finite value at the start values ({}): a division by zero, or a function "
                    "outside its domain; give start values at which it can be evaluated",
                    problem.row_text(result.bad_row),
                    problem.values_in_row(result.bad_row, problem.posed.guess))));
    return;
  }
  name_gaps(problem, result.z, out);
  if (!out.diagnostics.empty()) return;
  for (const Dependency& dependency : find_dependencies(problem.constraints(), problem.posed, result.z)) {
    if (std::abs(dependency.defect) >= consistent::contradiction)
      add_contradiction(problem, dependency, result.z, out);
  }
  if (!out.diagnostics.empty()) return;
  out.status = Initialisation::Status::Failed;
  out.reason =
      result.bad_row >= 0
          ? fmt::format(
                "no consistent initial values were found from the start values; {} could not be "
                "fulfilled (with {}); give start values nearer to a solution",
                problem.row_text(result.bad_row), problem.values_in_row(result.bad_row, result.z))
          : std::string(
                "no consistent initial values were found: the equations are singular at the start values");
}

}  // namespace daedalus
