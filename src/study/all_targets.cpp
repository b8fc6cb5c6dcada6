#include "study/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>

#include "study/ascher_petzold.hpp"
#include "study/mattsson_soderlind.hpp"
#include "study/petzold.hpp"

namespace daedalus {
namespace {

constexpr std::string_view ap = "ascher-petzold";
constexpr std::string_view ms = "mattsson-soderlind";
constexpr std::string_view prm = "petzold-ren-maly";

constexpr auto papers = std::to_array<StudyPaper>({
    {ap, "ap", "003",
     "U. M. Ascher, L. R. Petzold: Stability of computational methods for constrained dynamics systems. "
     "SIAM J. Sci. Comput. 14 (1993), 95-120",
     "All runs are backward Euler at a constant step over [0, 1]. Errors are the larger of the two "
     "components' at t = 1. Drift is the residual of the constraint at t = 1, or of its derivative where the "
     "method fulfils the constraint itself. Ours agrees when it has the two digits printed, the last one up "
     "to one unit; where the error is more than ten times the solution, when it is within a factor of ten; "
     "where the paper has zero up to rounding, when ours is, too."},
    {ms, "ms", "004",
     "S. E. Mattsson, G. Söderlind: Index reduction in differential-algebraic equations using dummy "
     "derivatives. Lund Institute of Technology, TFRT-7477 (1991)",
     "The paper's code is DASSL of 1989 with Jacobians by differences; ours are `bdf`, and `ida` of "
     "SUNDIALS, "
     "DASSL's successor, with exact Jacobians. Counts agree within 10 %; deviations at the end agree within "
     "the decade. The printed deviations of L where there is no drift are \"typical\" ones; ours is the "
     "largest of the output points."},
    {prm, "prm", "000",
     "L. R. Petzold, Y. Ren, T. Maly: Regularization of higher-index differential-algebraic equations with "
     "rank-deficient constraints. SIAM J. Sci. Comput. 18 (1997), 753-774",
     "The paper prints pictures, and says in words what they show. The slider crank is compared with its "
     "motion in the crank's angle alone: success is an error of both angles of at most 0.01 over the whole "
     "run, inaccurate one of at most 0.1. The paper gives no initial values; ours are three starts, and "
     "twenty more of which ten swing and ten turn over."},
});

constexpr auto targets = std::to_array<StudyTarget>({
    {ap, "4.1", "Table 4.1: Example 1, a constraint that turns quickly (index 2)", reproduce_ascher_petzold},
    {ap, "4.2", "Table 4.2: Example 2, strong multipliers (index 2)", reproduce_ascher_petzold},
    {ap, "4.3", "Table 4.3: Example 3, projected invariants", reproduce_ascher_petzold},
    {ap, "4.4", "Table 4.4: Example 3, stabilized index 2", reproduce_ascher_petzold},
    {ap, "4.5", "Table 4.5: Example 3 with f = 0, projected invariants", reproduce_ascher_petzold},
    {ap, "4.6", "Table 4.6: Example 3 with f = 0, stabilized index 2", reproduce_ascher_petzold},
    {ap, "4.7", "Table 4.7: Example 3, nothing stiff, projected invariants", reproduce_ascher_petzold},
    {ap, "4.8", "Table 4.8: Example 3, nothing stiff, stabilized index 2", reproduce_ascher_petzold},
    {ap, "4.9", "Table 4.9: Example 4, more projected invariants", reproduce_ascher_petzold},
    {ms, "1", "Table 1: pendulum, small oscillations", reproduce_pendulum_table},
    {ms, "2", "Table 2: pendulum, large oscillations", reproduce_pendulum_table},
    {ms, "example-1", "Example 1: dummy derivatives of a linear problem", reproduce_dummy_example},
    {ms, "example-2", "Example 2: superfluous differentiations removed", reproduce_dummy_example},
    {ms, "example-5", "Example 5: a singular system", reproduce_dummy_example},
    {prm, "5.1", "Figure 5.1: Example 5.1, Baumgarte, γ = 1e3", reproduce_linear_figure},
    {prm, "5.2", "Figure 5.2: Example 5.1, direct regularization, γ = 1e3, ε = 1e-6",
     reproduce_linear_figure},
    {prm, "5.3", "Figure 5.3: Example 5.1, trust region, γ = 1e3, ε = 1e-6", reproduce_linear_figure},
    {prm, "5.4", "Figure 5.4: Example 5.1, trust region, γ = 1e3, ε = 1e-9", reproduce_linear_figure},
    {prm, "5.6", "Figure 5.6: slider crank, index 2, Baumgarte, γ = 1e3", reproduce_crank_figure},
    {prm, "5.7", "Figure 5.7: slider crank, index 2, direct, γ = 1e3, ε = 1e-6", reproduce_crank_figure},
    {prm, "5.8", "Figure 5.8: slider crank, index 2, trust region, γ = 1e3, ε = 1e-6",
     reproduce_crank_figure},
    {prm, "5.9", "Figure 5.9: slider crank, index 2, Baumgarte, γ = 1e6", reproduce_crank_figure},
    {prm, "5.10", "Figure 5.10: slider crank, index 2, direct, γ = 1e6, ε = 1e-6", reproduce_crank_figure},
    {prm, "5.11", "Figure 5.11: slider crank, index 2, trust region, γ = 1e6, ε = 1e-6",
     reproduce_crank_figure},
    {prm, "5.12", "Figure 5.12: slider crank, index 3, Baumgarte, γ = 1e3", reproduce_crank_figure},
    {prm, "5.13", "Figure 5.13: slider crank, index 3, direct, γ = 1e3, ε = 1e-6", reproduce_crank_figure},
    {prm, "5.14", "Figure 5.14: slider crank, index 3, trust region, γ = 1e3, ε = 1e-6",
     reproduce_crank_figure},
    {prm, "theorem-3.1", "Theorem 3.1: constant rank, error O(ε)", reproduce_order},
    {prm, "theorem-3.2", "Theorem 3.2: isolated singular point", reproduce_order},
});

bool is_named(const StudyTarget& target, std::string_view text) {
  const StudyPaper& paper = paper_of(target);
  const auto names = {paper.name, paper.short_name, paper.number};
  return std::ranges::any_of(names, [&](std::string_view name) {
    return text == name || text == fmt::format("{}-{}", name, target.number);
  });
}

}  // namespace

std::string StudyTarget::name() const {
  return fmt::format("{}-{}", paper, number);
}

std::span<const StudyPaper> study_papers() {
  return papers;
}

std::span<const StudyTarget> study_targets() {
  return targets;
}

const StudyPaper& paper_of(const StudyTarget& target) {
  const auto found = std::ranges::find(papers, target.paper, &StudyPaper::name);
  assert(found != papers.end());
  return *found;
}

Result<std::vector<const StudyTarget*>> select_targets(std::string_view text) {
  std::vector<const StudyTarget*> chosen;
  for (const StudyTarget& target : targets) {
    if (text == "all" || is_named(target, text)) chosen.push_back(&target);
  }
  if (!chosen.empty()) return chosen;
  std::vector<std::string> names{"all"};
  for (const StudyPaper& paper : papers) names.emplace_back(paper.name);
  for (const StudyTarget& target : targets) names.push_back(target.name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(unknown_name_message("target", text, known));
}

Reproduction reproduce(const StudyTarget& target, const KeepGoing& keep_going) {
  const auto began = std::chrono::steady_clock::now();
  Reproduction result = target.reproduce(target, keep_going);
  result.name = target.name();
  result.title = target.title;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace daedalus
