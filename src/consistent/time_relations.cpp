#include "consistent/time_relations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedalus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Differences below this many times what rounding makes of them are zero.
constexpr double rounding_factor = 4;
// Slopes that differ by less are one: the relation is linear in time.
constexpr double same_slope = 1e-12;
constexpr int searching_limit = 200000;
// At a root of higher order, (t - 1)^3, what comes right after it is looked for so far, relative to t or to
// 1: farther away another root may lie.
constexpr double soon = 1e-6;
constexpr double first_look = 1e-18;

}  // namespace

TimeRelations::TimeRelations(const CompiledModel& model, std::shared_ptr<const RelationCourses> courses)
    : courses_(std::move(courses)), relations_slot_(model.layout().relations) {
  for (const Relation& relation : model.dae().relations) strict_.push_back(relation.strict ? 1 : 0);
  for (int r = 0; r < courses_->count(); ++r) {
    if (contains(r)) relations_.push_back(r);
  }
  values_.resize(courses_->slots().size());
  leaves_.resize(values_.size());
}

void TimeRelations::take(std::span<const double> environment) {
  for (std::size_t p = 0; p < values_.size(); ++p) {
    values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
    leaves_[p] = resting(values_[p]);
  }
}

bool TimeRelations::truth(int relation, double difference) const {
  return difference > 0 || (difference == 0 && strict_[static_cast<std::size_t>(relation)] == 0);
}

Course TimeRelations::course(int relation, Piece piece) {
  leaves_[0] = {.value = {piece.low, piece.high}, .slope = {1, 1}};
  return courses_->program(relation).bounds(leaves_, scratch_);
}

double TimeRelations::value(int relation, double t) {
  values_[0] = t;
  return courses_->program(relation).value(values_, scratch_);
}

bool TimeRelations::truth_from(int relation, double t, std::span<const double> environment) {
  take(environment);
  const double difference = value(relation, t);
  const double rounding = rounding_factor * courses_->program(relation).rounding(values_, scratch_);
  if (std::isfinite(rounding) && std::abs(difference) <= rounding) {
    const Bounds slope = course(relation, {t, t}).slope;
    if (slope.low > 0) return true;
    if (slope.high < 0) return false;
    const double first =
        std::max(first_look, rounding_factor * std::numeric_limits<double>::epsilon() * std::abs(t));
    for (double h = first; h <= soon * std::max(1.0, std::abs(t)); h *= 2) {
      const double after = value(relation, t + h);
      if (std::abs(after) > rounding_factor * courses_->program(relation).rounding(values_, scratch_))
        return truth(relation, after);
    }
  }
  return truth(relation, difference);
}

// Of the instants that rounding cannot tell from t the one at which the difference is nearest to zero: 0.7,
// not 0.7 and a bit.
double TimeRelations::nearest_zero(int relation, double t) {
  double best = t;
  double least = std::abs(value(relation, t));
  for (const double direction : {-infinity, infinity}) {
    double at = t;
    for (int k = 0; k < 4 && least > 0; ++k) {
      at = std::nextafter(at, direction);
      const double size = std::abs(value(relation, at));
      if (!(size < least)) continue;
      least = size;
      best = at;
    }
  }
  return best;
}

double TimeRelations::change_of(int relation, double t, double limit, bool held) {
  const Course whole = course(relation, {t, limit});
  const double slope = whole.slope.low;
  if (std::isfinite(slope) && whole.slope.high - slope <= same_slope * std::abs(slope)) {
    if (slope == 0 || held == (slope > 0)) return infinity;
    return std::max(t, nearest_zero(relation, t - (value(relation, t) / slope)));
  }
  searched_ = true;
  const double smallest = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(limit));
  const auto leaves = [&](double difference) { return truth(relation, difference) != held; };
  PieceLimits limits{.smallest = smallest, .coarse = (limit - t) / 1024, .evaluations = searching_limit};
  const std::optional<Piece> piece = first_leaving(
      {t, limit}, limits, pieces_, [&](Piece p) { return course(relation, p); },
      [&](double at) { return value(relation, at); }, [&](Bounds b) { return held ? b.low > 0 : b.high < 0; },
      leaves);
  if (!piece) return infinity;
  double low = piece->low;
  double high = piece->high;
  for (double middle = piece->middle(); middle > low && middle < high; middle = low + ((high - low) / 2))
    (leaves(value(relation, middle)) ? high : low) = middle;
  return nearest_zero(relation, high);
}

double TimeRelations::next_change(double t, double limit, std::span<const double> environment) {
  searched_ = false;
  double next = infinity;
  for (const int r : relations_) {
    const bool held = environment[static_cast<std::size_t>(relations_slot_ + r)] != 0;
    if (truth_from(r, t, environment) != held) return t;
    next = std::min(next, change_of(r, t, std::max(limit, t), held));
  }
  return next;
}

}  // namespace daedalus
