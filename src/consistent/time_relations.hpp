// Relations of time alone: when they change is known beforehand.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "consistent/piece_search.hpp"
#include "consistent/relation_courses.hpp"

namespace daedalus {

class TimeRelations {
 public:
  TimeRelations(const CompiledModel& model, std::shared_ptr<const RelationCourses> courses);

  [[nodiscard]] bool empty() const { return relations_.empty(); }
  [[nodiscard]] bool contains(int relation) const {
    return courses_->kind(relation) == RelationCourses::Kind::Time;
  }
  // Those with which the discrete values of the environment have to do.
  [[nodiscard]] std::span<const int> relations() const { return relations_; }

  // The truth from t on: `time > 1` is true from 1 on, although it is false at 1 itself.
  [[nodiscard]] bool truth_from(int relation, double t, std::span<const double> environment);
  // The first instant from t on, and not after `limit`, at which the truth is another one than the
  // environment holds; infinity: none.
  [[nodiscard]] double next_change(double t, double limit, std::span<const double> environment);
  // Some are not linear in time, so that nothing is known of what comes after `limit`.
  [[nodiscard]] bool searched() const { return searched_; }

 private:
  void take(std::span<const double> environment);
  [[nodiscard]] double change_of(int relation, double t, double limit, bool held);
  [[nodiscard]] Course course(int relation, Piece piece);
  [[nodiscard]] double value(int relation, double t);
  [[nodiscard]] bool truth(int relation, double difference) const;
  [[nodiscard]] double nearest_zero(int relation, double t);

  std::shared_ptr<const RelationCourses> courses_;
  int relations_slot_;
  std::vector<char> strict_;    // by relation of the model
  std::vector<int> relations_;  // of time alone
  bool searched_ = false;
  std::vector<double> values_;  // by place
  std::vector<Course> leaves_;  // by place
  std::vector<Piece> pieces_;
  CourseProgram::Scratch scratch_;
};

}  // namespace daedalus
