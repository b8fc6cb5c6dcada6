// The tables and figures of the papers that can be reproduced: one row each; `daedalus reproduce`, its help,
// the documentation and the tests walk the table.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "study/experiment.hpp"
#include "study/reproduction.hpp"

namespace daedalus {

struct StudyPaper {
  std::string_view name;        // "ascher-petzold"
  std::string_view short_name;  // "ap"
  std::string_view number;      // by which formulations.md and the comments of reform/ name it: "003"
  std::string_view reference;   // authors, title, journal
  std::string_view note;        // how it was measured, and when that agrees
};

struct StudyTarget {
  std::string_view paper;   // StudyPaper::name
  std::string_view number;  // "4.1", "theorem-3.1"
  std::string_view title;
  Reproduction (*reproduce)(const StudyTarget& target, const KeepGoing& keep_going);

  [[nodiscard]] std::string name() const;  // "ascher-petzold-4.1"
};

[[nodiscard]] std::span<const StudyPaper> study_papers();
[[nodiscard]] std::span<const StudyTarget> study_targets();
[[nodiscard]] const StudyPaper& paper_of(const StudyTarget& target);

// "all", a paper ("ascher-petzold", "ap", "003"), or one target ("ascher-petzold-4.1", "ap-4.1", "003-4.1").
// An unknown name is an error that lists the known ones.
[[nodiscard]] Result<std::vector<const StudyTarget*>> select_targets(std::string_view text);

[[nodiscard]] Reproduction reproduce(const StudyTarget& target, const KeepGoing& keep_going = {});

}  // namespace daedalus
