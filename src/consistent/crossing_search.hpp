// Where in a step a relation changes first. What the relations read is sampled over the step and described by
// Chebyshev series; interval arithmetic then bounds each difference and its slope on ever shorter pieces,
// from the left, until a piece holds no crossing, or one that can be located. So a relation that turns many
// times within a long step is found at its first turn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "consistent/piece_search.hpp"
#include "consistent/relation_courses.hpp"
#include "core/archive.hpp"

namespace daedalus {

// The step that is searched.
struct SearchedStep {
  // What is put into the environment for a time of the step: time and states; all unknowns as the integrator
  // interpolates them; all unknowns, solved for.
  enum class Loading { States, Interpolated, Solved };
  double begin = 0;
  double end = 0;
  int order = 1;              // of the interpolation
  bool event_at_end = false;  // something happens there anyway: a crossing by then is at that instant
  std::function<void(double t, Loading loading)> load;
};

class CrossingSearch {
 public:
  CrossingSearch(const CompiledModel& model, std::shared_ptr<const RelationCourses> courses);

  struct Found {
    double t = 0;  // the first instant at which a relation has changed
    // Since when it was over zero, though not by the hysteresis: before t where that took several steps.
    double since = 0;
    std::vector<int> crossed;  // those that have; empty: none
    int missed = -1;           // a relation that went there and back without passing the hysteresis
  };
  // Of relations that do not depend on time alone. A difference must pass zero by `hysteresis` to count, so
  // that values that rest there do not switch by rounding; the crossing itself is located at zero.
  const Found& search(const SearchedStep& step, std::span<const double> environment, double hysteresis);
  // These relations have changed at an event, and the next step begins there.
  void after_event(std::span<const int> crossed, std::span<const double> environment, double hysteresis);

  void state(Archive& archive) {
    archive.sized(pending_.size(), pending_);
    archive.sized(bounced_.size(), bounced_);
    archive.sized(over_since_.size(), over_since_);
    archive.sized(budget_.size(), budget_);
  }

 private:
  struct Series {
    std::vector<double> c;  // Chebyshev coefficients on [-1, 1]
    double bend = 0;        // bounds the second derivative
    [[nodiscard]] Course course(double s) const;
  };
  struct Span {
    double begin = 0, end = 0;
    int depth = 0;
  };
  // A crossing between two instants that cannot be told apart.
  struct Located {
    int relation = -1;
    double before = 0;
    double t = 0;
  };
  using Loading = SearchedStep::Loading;
  void begin_span(double begin, double end);
  bool sample(const SearchedStep& step, std::span<const double> environment, Loading loading);
  void sample_at(const SearchedStep& step, std::span<const double> environment, Loading loading);
  void set_nodes(int n);
  bool fit();
  bool solved_may_cross(const SearchedStep& step, std::span<const double> environment);
  void search_solved(const SearchedStep& step, std::span<const double> environment);
  void search_span(const SearchedStep& step, std::span<const double> environment);
  void conclude(const SearchedStep& step);
  [[nodiscard]] std::optional<Piece> first_piece(int relation, double high);
  [[nodiscard]] Course bounds(int relation, Piece piece);
  [[nodiscard]] double value(int relation, double s);
  [[nodiscard]] double loaded(const SearchedStep& step, int relation, double t,
                              std::span<const double> environment);
  [[nodiscard]] Located locate(const SearchedStep& step, int relation, Piece piece,
                               std::span<const double> environment);
  void add_simultaneous(const SearchedStep& step, double t);
  void begin_bounces();
  void note_ends(const SearchedStep& step);
  [[nodiscard]] bool held(int relation) const { return held_[static_cast<std::size_t>(relation)] != 0; }
  // On the other side of zero than the truth that is held.
  [[nodiscard]] bool is_over(int relation, double difference) const;
  [[nodiscard]] double time_of(double s) const { return middle_ + (half_ * s); }
  [[nodiscard]] bool is_searched(int relation) const {
    const RelationCourses::Kind kind = courses_->kind(relation);
    return kind == RelationCourses::Kind::States || (kind == RelationCourses::Kind::Solved && solved_too_);
  }

  std::shared_ptr<const RelationCourses> courses_;
  int relations_slot_;
  std::vector<char> strict_;   // by relation
  std::vector<char> bounced_;  // by relation: it has changed at the event with which the next step begins
  std::vector<char> pending_;  // by relation: it did, and left zero to the side from which it came
  std::vector<int> budget_;    // by relation: of pieces to look at
  std::vector<double> over_since_;  // by relation: infinity where it is not over zero
  // Scratch of a search.
  Found found_;
  std::vector<Located> located_;
  double hysteresis_ = 0;
  double middle_ = 0, half_ = 0;  // time_of()
  std::vector<char> held_;        // by relation
  bool solved_too_ = false;       // relations of solved unknowns are looked at
  double span_begin_ = 0, span_end_ = 0;
  std::vector<double> nodes_;      // in [-1, 1]
  std::vector<double> transform_;  // from samples at the nodes to coefficients
  std::vector<Span> spans_;
  std::vector<double> interpolated_;          // by relation
  std::vector<double> off_;                   // by relation: how far interpolation was from the solution
  std::vector<std::vector<double>> samples_;  // by place, by node
  std::vector<Series> series_;                // by place
  std::vector<Course> leaves_;                // by place
  std::vector<double> values_;                // by place
  std::vector<Piece> pieces_;
  CourseProgram::Scratch scratch_;
};

}  // namespace daedalus
