#include "study/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>

#include "study/ascher_petzold.hpp"

namespace daedalus {
namespace {

constexpr std::string_view ap = "ascher-petzold";

constexpr auto papers = std::to_array<StudyPaper>({
    {ap, "ap", "003",
     "U. M. Ascher, L. R. Petzold: Stability of computational methods for constrained dynamics systems. SIAM "
     "J. Sci. "
     "Comput. 14 (1993), 95-120"},
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
