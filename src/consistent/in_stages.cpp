#include "consistent/in_stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

constexpr int held_class = -1;  // before all others

// By unknown, from 0 for the heaviest.
std::vector<int> classes_of(const NearestProblem& problem) {
  std::vector<int> classes;
  for (std::size_t k = 0; k < problem.weight.size(); ++k) {
    const double w = problem.weight[k];
    const int level = w >= consistent::weight_of_wish ? 0 : w >= consistent::weight_of_default ? 1 : 2;
    classes.push_back(problem.held[k] ? held_class : level);
  }
  return classes;
}

// By row: the stage in which its last unknown is decided.
std::vector<int> stages_of(const ConstraintFunction& constraints, const std::vector<int>& classes) {
  std::vector<int> stages(static_cast<std::size_t>(constraints.rows), held_class);
  for_entries(constraints, [&](std::size_t, std::size_t column, std::size_t row) {
    stages[row] = std::max(stages[row], classes[column]);
  });
  return stages;
}

// The farthest that an unknown has moved, in units of its scale.
double distance(const NearestProblem& problem, std::span<const double> z) {
  double farthest = 0;
  for (std::size_t k = 0; k < z.size(); ++k)
    farthest = std::max(farthest, std::abs(z[k] - problem.guess[k]) / problem.scale[k]);
  return farthest;
}

// Off the solution conditions may be nearly dependent that are redundant there. Steps then go far along what
// the others leave free. So where values that matter have moved or there is no solution, it is tried again
// with those conditions taken as redundant, and the nearer solution counts.
std::optional<std::vector<double>> solve_stage(const ConstraintFunction& constraints, NearestProblem part,
                                               bool matters) {
  std::optional<std::vector<double>> nearest;
  for (const double regularisation :
       {consistent::saddle_regularisation, consistent::redundant_regularisation}) {
    part.regularisation = regularisation;
    NearestResult result = nearest_point(constraints, part);
    if (result.status != NearestStatus::Ok || result.residual > consistent::held_residual) continue;
    if (!nearest || distance(part, result.z) < distance(part, *nearest)) nearest = std::move(result.z);
    if (!matters || distance(part, *nearest) <= consistent::moved) break;
  }
  return nearest;
}

}  // namespace

std::optional<std::vector<double>> nearest_in_stages(const ConstraintFunction& constraints,
                                                     const NearestProblem& problem) {
  const std::vector<int> classes = classes_of(problem);
  const std::vector<int> stages = stages_of(constraints, classes);
  const int last = classes.empty() ? held_class : *std::ranges::max_element(classes);
  std::vector<double> z = problem.guess;
  std::vector<bool> rows(stages.size());
  for (int stage = 0; stage <= last; ++stage) {
    NearestProblem part = problem;
    for (std::size_t k = 0; k < z.size(); ++k) {
      part.held[k] = classes[k] != stage;
      if (part.held[k]) part.guess[k] = z[k];
    }
    // What follows begins where it was found block by block; what was wished for, where it was wished.
    if (stage < 2) part.first = part.guess;
    for (std::size_t k = 0; k < z.size() && !part.first.empty(); ++k) {
      if (part.held[k]) part.first[k] = z[k];
    }
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = stages[r] == stage;
    auto found = solve_stage(restricted_to(rows, constraints), std::move(part), stage == 0);
    if (!found) return std::nullopt;
    z = *std::move(found);
  }
  return z;
}

}  // namespace daedalus
