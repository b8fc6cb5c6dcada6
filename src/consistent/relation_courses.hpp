// The differences of relations in terms of what is known between the ends of a step without solving anything:
// time, states, discrete values. Unknowns that an equation defines explicitly (m = time - T*n) are replaced
// by their definitions, so that looking at a relation is an evaluation.
#pragma once

#include <vector>

#include "consistent/course.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class RelationCourses {
 public:
  explicit RelationCourses(const CompiledModel& model);

  enum class Kind {
    Time,    // time and discrete values alone: its events are known beforehand
    States,  // what integrators interpolate to their tolerance
    Solved   // unknowns that only follow from others by solving equations
  };
  [[nodiscard]] Kind kind(int relation) const { return kinds_[static_cast<std::size_t>(relation)]; }
  [[nodiscard]] bool any(Kind kind) const;
  [[nodiscard]] int count() const { return static_cast<int>(programs_.size()); }
  [[nodiscard]] const CourseProgram& program(int relation) const {
    return programs_[static_cast<std::size_t>(relation)];
  }
  // Where the places of the programs' leaves are in the environment; that of time is the first.
  [[nodiscard]] const std::vector<int>& slots() const { return slots_; }
  // The places that one relation reads.
  [[nodiscard]] const std::vector<int>& places(int relation) const {
    return places_[static_cast<std::size_t>(relation)];
  }
  // Whether a place changes between events.
  [[nodiscard]] bool moves(int place) const { return moves_[static_cast<std::size_t>(place)] != 0; }

 private:
  std::vector<CourseProgram> programs_;  // by relation
  std::vector<Kind> kinds_;
  std::vector<std::vector<int>> places_;
  std::vector<int> slots_;   // by place
  std::vector<char> moves_;  // by place
};

}  // namespace daedalus
