#include "consistent/start_search.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/consistent_start.hpp"
#include "consistent/in_stages.hpp"
#include "consistent/tolerances.hpp"

namespace daedalus {

bool StartSearch::take(std::vector<double> z) {
  problem_.put(z);
  found_ = std::move(z);
  return true;
}

// The values that were given win over those that nobody gave, exactly where they can: first all of them are
// held, then those of states, last they may move.
bool StartSearch::run() {
  if (found_.empty() && as_given()) return true;
  first_guess();
  const ExplicitPart explicit_part(problem_.constraints(),
                                   [this](std::size_t k) { return problem_.willingness(k); });
  const ConstraintFunction reduced = explicit_part.reduced(problem_.constraints());
  const NearestProblem posed = without_explicit(explicit_part);
  for (const Held held : {Held::AllStates, Held::GivenAndGuesses, Held::Given}) {
    if (auto z = hold(reduced, posed, held); z && assign_explicit(explicit_part, *std::move(z))) return true;
  }
  if (!moves_given(problem_.posed.first) && take_first_guess(consistent::rounding_of_terms)) return true;
  if (auto z = in_stages(reduced, posed);
      z && !overrules_guess(*z) && !ran_away(*z) && assign_explicit(explicit_part, *std::move(z)))
    return true;
  NearestResult result = nearest(reduced, posed);
  if (result.status == NearestStatus::Ok) {
    snap(reduced, posed, result);
    if (assign_explicit(explicit_part, result.z)) return true;
    result.status = NearestStatus::NoConvergence;
    result.bad_row = -1;
  } else if (take_first_guess(consistent::fulfilled)) {
    // The derivatives of some equation have no value there, but block by block all were fulfilled.
    return true;
  }
  failure_ = std::move(result);
  return false;
}

// Whether the start values fulfil what they must, so that accelerations and multipliers follow at once.
bool StartSearch::as_given() {
  if (problem_.has_parameters()) return false;
  std::optional<std::vector<double>> found;
  if (problem_.has_start_jacobian()) {
    found = consistent_start(problem_.constraints_with_start_jacobian(), problem_.posed, problem_.follows());
  } else {
    found = consistent_start(problem_.constraints(), problem_.posed, problem_.follows());
  }
  return found && !overrules_guess(*found) && take(*std::move(found));
}

// Block by block first, from the values in the environment.
void StartSearch::first_guess() {
  std::vector<double> start = found_.empty() ? problem_.posed.guess : found_;
  for (std::size_t k = 0; k < start.size(); ++k) {
    if (problem_.posed.held[k]) start[k] = problem_.posed.guess[k];
  }
  const BlockWiseResult result = solve_block_wise(problem_.block_problem(), start);
  problem_.posed.scale = told_scale_;
  problem_.posed.first = result.z;
  solved_for_ = result.solved_for;
  all_blocks_solved_ = result.unsolved_blocks == 0 && result.unmatched_rows == 0;
  problem_.posed.rounding = problem_.rounding_at(result.z);
  plain_scale_ = equilibrated(problem_.posed.guess);
  problem_.posed.scale = equilibrated(result.z);
  for (std::size_t k = 0; k < result.z.size(); ++k) {
    double& scale = problem_.posed.scale[k];
    if (!problem_.matters(k)) scale = std::max(scale, std::abs(result.z[k]));
  }
}

// Unknowns of which nothing is known get a scale by their coefficients at z: 1e-10 * der(v) beside a current
// of order 1 says that der(v) is of order 1e10. A coefficient that is rounding says nothing.
std::vector<double> StartSearch::equilibrated(std::span<const double> z) const {
  const ConstraintFunction& constraints = problem_.constraints();
  const NearestProblem& posed = problem_.posed;
  std::vector<double> scale = posed.scale;
  std::vector<double> values(constraints.row.size());
  constraints.jacobian(z, values);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return scale;
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<double> row_size(static_cast<std::size_t>(constraints.rows), 0);
    for_entries(constraints, [&](std::size_t k, std::size_t column, std::size_t row) {
      row_size[row] = std::max(row_size[row], std::abs(values[k]) * scale[column]);
    });
    std::vector<double> column_size(scale.size(), 0);
    for_entries(constraints, [&](std::size_t k, std::size_t column, std::size_t row) {
      const double size = std::abs(values[k]) * scale[column];
      if (size > consistent::within_rounding * posed.rounding[row])
        column_size[column] = std::max(column_size[column], size / row_size[row]);
    });
    for (std::size_t k = 0; k < column_size.size(); ++k) {
      if (!problem_.matters(k) && column_size[k] > 0) scale[k] /= column_size[k];
    }
  }
  return scale;
}

// What follows from the rest is held at its first guess, and its conditions are empty.
NearestProblem StartSearch::without_explicit(const ExplicitPart& explicit_part) const {
  NearestProblem posed = problem_.posed;
  for (const int column : explicit_part.columns()) {
    posed.held[static_cast<std::size_t>(column)] = true;
    posed.guess[static_cast<std::size_t>(column)] = posed.first[static_cast<std::size_t>(column)];
  }
  return posed;
}

bool StartSearch::holds(Held held, std::size_t k) const {
  switch (held) {
    case Held::AllStates:
      return problem_.matters(k);
    case Held::GivenAndGuesses:
      // Those of algebraic unknowns that no equation needs to be solved for.
      return problem_.is_wish(k) || (problem_.is_guess(k) && !solved_for_[k]);
    case Held::Given:
      return problem_.is_wish(k);
  }
  return false;
}

// Where conditions are nearly redundant, what was found block by block may be far off and still have the size
// that everything is measured by: then from the start values alone.
std::optional<std::vector<double>> StartSearch::in_stages(const ConstraintFunction& reduced,
                                                          const NearestProblem& posed) const {
  if (auto z = nearest_in_stages(reduced, posed)) return z;
  NearestProblem afresh = posed;
  afresh.first = afresh.guess;
  afresh.scale = plain_scale_;
  return nearest_in_stages(reduced, afresh);
}

// Values held at their start values, if the equations allow it.
std::optional<std::vector<double>> StartSearch::hold(const ConstraintFunction& reduced,
                                                     const NearestProblem& posed, Held held) const {
  NearestProblem exact = posed;
  bool any = false;
  for (std::size_t k = 0; k < exact.guess.size(); ++k) {
    if (exact.held[k] || !holds(held, k)) continue;
    exact.held[k] = true;
    exact.first[k] = exact.guess[k];
    any = true;
  }
  if (!any) return std::nullopt;
  // What is held decides whether conditions hold of which it is all; that need not be solved for.
  bool starts_there = true;
  for (std::size_t k = 0; k < exact.guess.size(); ++k)
    starts_there = starts_there && (!exact.held[k] || exact.first[k] == exact.guess[k]);
  if (starts_there && !holds_exactly(reduced, exact, exact.guess)) return std::nullopt;
  if (auto z = in_stages(reduced, exact); z && holds_exactly(reduced, exact, *z) && !ran_away(*z)) {
    // A guess decides what nobody has decided.
    return held != Held::GivenAndGuesses && overrules_guess(*z) ? std::nullopt : std::move(z);
  }
  if (held == Held::AllStates) return std::nullopt;
  NearestResult result = nearest_point(reduced, exact);
  const bool solved = result.status == NearestStatus::Ok && result.residual <= consistent::held_residual;
  if (!solved || !holds_exactly(reduced, exact, result.z) || ran_away(result.z)) return std::nullopt;
  return std::move(result.z);
}

// Conditions on values that are held but might move hold to rounding: those that hold a little worse are
// better fulfilled by values that move a little.
bool StartSearch::holds_exactly(const ConstraintFunction& reduced, const NearestProblem& exact,
                                std::span<const double> z) const {
  const NearestProblem& posed = problem_.posed;
  const auto rows = static_cast<std::size_t>(reduced.rows);
  std::vector<double> values(reduced.row.size());
  std::vector<double> c(rows);
  std::vector<double> terms(rows, 0);
  std::vector<bool> solved(rows, false);
  std::vector<bool> may_move(rows, false);
  reduced.residual(z, c);
  reduced.jacobian(z, values);
  for_entries(reduced, [&](std::size_t k, std::size_t column, std::size_t row) {
    terms[row] += std::abs(values[k]) * std::max(std::abs(z[column]), posed.scale[column]);
    solved[row] = solved[row] || !exact.held[column];
    may_move[row] = may_move[row] || !posed.held[column];
  });
  for (std::size_t r = 0; r < rows; ++r) {
    if (solved[r] || !may_move[r]) continue;
    const double rounding =
        (consistent::rounding_of_terms * terms[r]) + (consistent::within_rounding * posed.rounding[r]);
    if (!(std::abs(c[r]) <= rounding)) return false;
  }
  return true;
}

NearestResult StartSearch::nearest(const ConstraintFunction& reduced, const NearestProblem& posed) const {
  NearestResult result = nearest_point(reduced, posed);
  if (result.status == NearestStatus::NotFinite) result = retry_shaken(reduced, posed, result);
  if (result.status == NearestStatus::Ok && ran_away(result.z)) {
    // A contradiction "solved" at infinity: 0 * v = 1 with 0 taken as 1e-9. At the start values it shows.
    result.status = NearestStatus::NoConvergence;
    result.z = problem_.posed.guess;
    result.bad_row = -1;
  }
  return result;
}

// Unknowns without a start value begin at 0, where 1/x or log(x) has no value: try elsewhere.
NearestResult StartSearch::retry_shaken(const ConstraintFunction& reduced, const NearestProblem& posed,
                                        const NearestResult& first) const {
  for (const double shift : consistent::elsewhere) {
    NearestProblem shaken = posed;
    for (std::size_t k = 0; k < shaken.guess.size(); ++k) {
      if (!shaken.held[k] && !problem_.given(k))
        shaken.first[k] += shift * shaken.scale[k] * (1 + (0.1 * static_cast<double>(k % 7)));
    }
    NearestResult result = nearest_point(reduced, shaken);
    if (result.status == NearestStatus::Ok) return result;
  }
  return first;
}

// What came out within a hair of its start value shall be it exactly.
void StartSearch::snap(const ConstraintFunction& reduced, const NearestProblem& posed,
                       NearestResult& result) const {
  const NearestProblem& asked = problem_.posed;
  for (const bool also_defaults : {true, false}) {
    NearestProblem exact = posed;
    bool any = false;
    for (std::size_t k = 0; k < problem_.starts().size(); ++k) {
      if (exact.held[k] || !problem_.matters(k)) continue;
      const double off = std::abs(result.z[k] - asked.guess[k]) / asked.scale[k];
      const bool near =
          problem_.given(k) ? off < consistent::near_given : also_defaults && off < consistent::near_default;
      if (!near) continue;
      exact.held[k] = true;
      any = any || result.z[k] != asked.guess[k];
    }
    if (!any) return;
    exact.first = result.z;
    for (std::size_t k = 0; k < exact.guess.size(); ++k) {
      if (exact.held[k]) exact.first[k] = exact.guess[k];
    }
    NearestResult snapped = nearest_point(reduced, exact);
    if (snapped.status == NearestStatus::Ok && snapped.residual < consistent::held_residual) {
      result = std::move(snapped);
      return;
    }
  }
}

// The equations that were taken out are assigned, and all are checked.
bool StartSearch::assign_explicit(const ExplicitPart& explicit_part, std::vector<double> z) {
  if (!explicit_part.columns().empty()) {
    BlockWiseProblem problem = problem_.block_problem();
    std::vector<NodeId> rows;
    for (const int row : explicit_part.rows()) rows.push_back(problem.rows[static_cast<std::size_t>(row)]);
    problem.rows = std::move(rows);
    problem.willing.assign(z.size(), Willingness::Held);
    for (const int column : explicit_part.columns())
      problem.willing[static_cast<std::size_t>(column)] = Willingness::Free;
    problem_.put(z);
    z = solve_block_wise(problem, z).z;
  }
  // Nearly redundant conditions (a closed loop of which the pose is off by 1e-6) ask for multipliers of any
  // size, and conditions hold by their scale alone.
  return fulfils(z, consistent::fulfilled, Scales::OfFound) && take(std::move(z));
}

// What came out block by block. Where each block had a solution, values may be far away: an energy of 1e9 J
// follows from a mass and a heat capacity, of which nobody need tell a nominal value.
bool StartSearch::take_first_guess(double tolerance) {
  const std::vector<double>& z = problem_.posed.first;
  if (ran_away(z) && (!all_blocks_solved_ || ran_away(z, consistent::implausible) || !far_for_a_reason(z)))
    return false;
  return fulfils(z, tolerance, Scales::OfStart) && take(z);
}

// Not so a velocity that solves y*v = 1 where y = 1e-9 is the rounding of 0: a coefficient that another value
// of that rounding would change altogether.
bool StartSearch::far_for_a_reason(std::span<const double> z) const {
  const ConstraintFunction& constraints = problem_.constraints();
  std::vector<double> here(constraints.row.size());
  std::vector<double> beside(here.size());
  constraints.jacobian(z, here);
  std::vector<double> moved(z.begin(), z.end());
  for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += consistent::root_of_rounding * plain_scale_[k];
  constraints.jacobian(moved, beside);
  bool same = true;
  for_entries(constraints, [&](std::size_t k, std::size_t column, std::size_t) {
    const bool far =
        std::abs(z[column] - problem_.posed.guess[column]) > consistent::far_away * plain_scale_[column];
    same = same && !(far && std::abs(beside[k] - here[k]) > std::abs(here[k]));
  });
  return same;
}

// A value that somebody gave gives way to one that nobody gave.
bool StartSearch::overrules_guess(std::span<const double> z) const {
  const NearestProblem& posed = problem_.posed;
  bool defaults = false;
  bool moved_guess = false;
  for (std::size_t k = 0; k < problem_.starts().size(); ++k) {
    defaults = defaults || (problem_.is_default(k) && !posed.held[k]);
    moved_guess = moved_guess || (problem_.is_guess(k) &&
                                  std::abs(z[k] - posed.guess[k]) > consistent::moved * posed.scale[k]);
  }
  return defaults && moved_guess;
}

bool StartSearch::moves_given(std::span<const double> z) const {
  for (std::size_t k = 0; k < problem_.starts().size(); ++k) {
    if (problem_.is_wish(k) && z[k] != problem_.posed.guess[k]) return true;
  }
  return false;
}

// Whether all conditions hold at z, each relative to its terms. Where a derivative has no value (sqrt(x) at
// 0) the term counts by the scale of its unknown. What was found block by block may be far off, and its
// scales with it.
bool StartSearch::fulfils(std::span<const double> z, double tolerance, Scales scales) const {
  const bool of_found = scales == Scales::OfFound || plain_scale_.empty();
  const ConstraintFunction& constraints = problem_.constraints();
  std::vector<double> c(static_cast<std::size_t>(constraints.rows));
  std::vector<double> values(constraints.row.size());
  std::vector<double> terms(c.size(), 0);
  constraints.residual(z, c);
  constraints.jacobian(z, values);
  for_entries(constraints, [&](std::size_t k, std::size_t column, std::size_t row) {
    const double scale = of_found ? problem_.posed.scale[column] : plain_scale_[column];
    const double term = std::abs(values[k]) * std::max(scale, std::abs(z[column]));
    if (std::isfinite(term)) terms[row] = std::max(terms[row], term);
  });
  const auto fits = [&](std::size_t r, double rounding) {
    return std::abs(c[r]) <= tolerance * (terms[r] > 0 ? terms[r] : 1) + rounding;
  };
  std::size_t r = 0;
  while (r < c.size() && fits(r, 0)) ++r;
  if (r == c.size()) return true;
  // Rounding is that of the values here: where the first guess was far off, so was its rounding.
  const std::vector<double> rounding = problem_.rounding_at(z);
  while (r < c.size() && fits(r, consistent::within_rounding * rounding[r])) ++r;
  return r == c.size();
}

// Values that nobody gave are measured by the largest scale that anybody has told: an energy of 1e8 J beside
// a nominal specific energy of 1e6 J/kg is no contradiction that was "solved" far away. What has a nominal
// value is solved for in units of it, so that its scale is to be counted in its own unit.
bool StartSearch::ran_away(std::span<const double> z, double limit) const {
  const NearestProblem& posed = problem_.posed;
  double told = 1;
  for (const LevelStart& start : problem_.starts()) told = std::max(told, start.scale);
  for (const LevelAlias& alias : problem_.model().levels().raised.aliases) {
    const Variable& variable = problem_.model().dae().variables[alias.variable.at()];
    if (variable.has_nominal) told = std::max(told, std::abs(variable.nominal));
  }
  for (std::size_t k = 0; k < problem_.starts().size(); ++k) {
    const double scale = problem_.given(k) ? posed.scale[k] : std::max(posed.scale[k], told);
    if (problem_.matters(k) && std::abs(z[k] - posed.guess[k]) > limit * scale) return true;
  }
  return false;
}

}  // namespace daedalus
