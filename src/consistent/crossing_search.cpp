#include "consistent/crossing_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace daedalus {
namespace {

using Kind = RelationCourses::Kind;

// Chebyshev series: as many nodes as the interpolation has coefficients and two more; of solved unknowns,
// which are no polynomials, twice its order. More where the last coefficients have not become small, which
// they have at this part of the largest; up to a limit, because of a kink they never are.
constexpr double small_coefficient = 1e-4;
constexpr int most_nodes = 64;
constexpr int most_solved_nodes = 24;
// Coefficients below this part of the largest value are rounding.
constexpr double rounding_coefficient = 4e-16;
// In units of the step, which is 2 long. Pieces shorter than this are judged by their end.
constexpr PieceLimits piece_limits{.smallest = 2e-6, .coarse = 0.125};
// A crossing is located to this part of the step, or to the rounding of t.
constexpr double crossing_resolution = 1e-14;
constexpr double time_rounding = 4 * std::numeric_limits<double>::epsilon();
constexpr int locating_limit = 200;

}  // namespace

CrossingSearch::CrossingSearch(const CompiledModel& model, std::shared_ptr<const RelationCourses> courses)
    : courses_(std::move(courses)), relations_slot_(model.layout().relations) {
  for (const Relation& relation : model.dae().relations) strict_.push_back(relation.strict ? 1 : 0);
  bounced_.assign(strict_.size(), 0);
  pending_.assign(strict_.size(), 0);
  held_.assign(strict_.size(), 0);
  over_since_.assign(strict_.size(), std::numeric_limits<double>::infinity());
  const std::size_t places = courses_->slots().size();
  samples_.resize(places);
  series_.resize(places);
  leaves_.resize(places);
  values_.resize(places);
}

// Clenshaw's recurrence for the value and for its derivative, which is exact at s.
Course CrossingSearch::Series::course(double s) const {
  double b1 = 0;
  double b2 = 0;
  double d1 = 0;
  double d2 = 0;
  for (std::size_t j = c.size(); j-- > 1;) {
    const double b = c[j] + (2 * s * b1) - b2;
    const double d = (2 * b1) + (2 * s * d1) - d2;
    b2 = b1;
    b1 = b;
    d2 = d1;
    d1 = d;
  }
  const double value = c[0] + (s * b1) - b2;
  const double slope = b1 + (s * d1) - d2;
  return {.value = {value, value}, .slope = {slope, slope}};
}

void CrossingSearch::sample_at(const SearchedStep& step, std::span<const double> environment, int n) {
  nodes_.clear();
  for (std::size_t p = 0; p < samples_.size(); ++p) samples_[p].clear();
  const bool solved = courses_->any(Kind::Solved);
  for (int k = 0; k <= n; ++k) {
    const double s = k == 0 ? -1 : k == n ? 1 : -std::cos(std::numbers::pi * k / n);
    nodes_.push_back(s);
    step.load(k == 0 ? step.begin : k == n ? step.end : time_of(s), solved);
    for (std::size_t p = 1; p < samples_.size(); ++p) {
      if (courses_->moves(static_cast<int>(p)))
        samples_[p].push_back(environment[static_cast<std::size_t>(courses_->slots()[p])]);
    }
  }
}

// False: more nodes are needed.
bool CrossingSearch::fit(int n) {
  bool enough = true;
  const auto last = static_cast<std::size_t>(n);
  for (std::size_t p = 1; p < samples_.size(); ++p) {
    if (!courses_->moves(static_cast<int>(p))) continue;
    Series& series = series_[p];
    series.c.assign(last + 1, 0.0);
    double largest = 0;
    for (std::size_t j = 0; j <= last; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= last; ++k) {
        const double weight = k == 0 || k == last ? 0.5 : 1;
        // The nodes run from -1 to 1, which is the angle from π to 0.
        sum += weight * samples_[p][k] *
               std::cos(std::numbers::pi * static_cast<double>((j * (last - k)) % (2 * last)) /
                        static_cast<double>(last));
      }
      series.c[j] = sum * (j == 0 || j == last ? 1 : 2) / static_cast<double>(last);
      largest = std::max(largest, std::abs(series.c[j]));
    }
    double varies = 0;
    series.bend = 0;
    for (std::size_t j = 1; j <= last; ++j) {
      double& c = series.c[j];
      if (std::abs(c) <= rounding_coefficient * largest) c = 0;
      const auto square = static_cast<double>(j * j);
      series.bend += std::abs(c) * square * (square - 1) / 3;
      varies = std::max(varies, std::abs(c));
    }
    const double tail = std::abs(series.c[last]) + std::abs(series.c[last - 1]);
    enough = enough && !(tail > small_coefficient * varies && tail > hysteresis_);
  }
  return enough;
}

void CrossingSearch::sample(const SearchedStep& step, std::span<const double> environment) {
  const bool solved = courses_->any(Kind::Solved);
  int n = solved ? std::max(6, 2 * step.order) : std::max(4, step.order + 2);
  const int most = solved ? most_solved_nodes : most_nodes;
  sample_at(step, environment, n);
  while (!fit(n) && 2 * n <= most) {
    n *= 2;
    sample_at(step, environment, n);
  }
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
    leaves_[p] = resting(values_[p]);
  }
}

Course CrossingSearch::bounds(int relation, Piece piece) {
  const double s = piece.middle();
  const double radius = (piece.high - piece.low) / 2;
  for (const int place : courses_->places(relation)) {
    const auto p = static_cast<std::size_t>(place);
    if (p == 0) {
      leaves_[0] = {.value = {time_of(piece.low), time_of(piece.high)}, .slope = {half_, half_}};
    } else if (courses_->moves(place)) {
      Course course = series_[p].course(s);
      const double slope = series_[p].bend * radius;
      const double reach = (std::abs(course.slope.low) + (slope / 2)) * radius;
      leaves_[p] = {.value = {course.value.low - reach, course.value.high + reach},
                    .slope = {course.slope.low - slope, course.slope.high + slope}};
    }
  }
  return courses_->program(relation).bounds(leaves_, scratch_);
}

double CrossingSearch::value(int relation, double s) {
  for (const int place : courses_->places(relation)) {
    const auto p = static_cast<std::size_t>(place);
    if (p == 0) {
      values_[0] = time_of(s);
    } else if (courses_->moves(place)) {
      values_[p] = s == 1 ? samples_[p].back() : series_[p].course(s).value.low;
    }
  }
  return courses_->program(relation).value(values_, scratch_);
}

bool CrossingSearch::is_over(int relation, double difference) const {
  const bool truth = difference > 0 || (difference == 0 && strict_[static_cast<std::size_t>(relation)] == 0);
  return truth != held(relation);
}

std::optional<Piece> CrossingSearch::first_piece(int relation, double high) {
  const bool flag = held(relation);
  return first_leaving(
      {-1, high}, piece_limits, pieces_, [&](Piece piece) { return bounds(relation, piece); },
      [&](double s) { return value(relation, s); },
      [&](Bounds b) { return flag ? b.low >= -hysteresis_ : b.high <= hysteresis_; },
      [&](double g) { return std::abs(g) > hysteresis_ && is_over(relation, g); });
}

double CrossingSearch::loaded(const SearchedStep& step, int relation, double t,
                              std::span<const double> environment) {
  step.load(t, courses_->kind(relation) == Kind::Solved);
  for (const int place : courses_->places(relation)) {
    const auto p = static_cast<std::size_t>(place);
    values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
  }
  return courses_->program(relation).value(values_, scratch_);
}

// Between one instant before zero and one after it: the Illinois method, with bisection where that is slow.
CrossingSearch::Located CrossingSearch::locate(const SearchedStep& step, int relation, Piece piece,
                                               std::span<const double> environment) {
  double low = std::max(step.begin, time_of(piece.low));
  double high = piece.high >= 1 ? step.end : std::min(step.end, time_of(piece.high));
  double g_low = loaded(step, relation, low, environment);
  double g_high = loaded(step, relation, high, environment);
  const double resolution = std::max(time_rounding * std::max(std::abs(low), std::abs(high)),
                                     crossing_resolution * (step.end - step.begin));
  // It was over at the beginning already: by rounding, or because an event has left it there.
  if (is_over(relation, g_low)) {
    high = low + resolution;
    g_high = g_low;
  }
  int kept = 0;
  for (int k = 0; k < locating_limit && high - low > resolution; ++k) {
    double t = high - (g_high * (high - low) / (g_high - g_low));
    if (k % 3 == 2 || !(t > low) || !(t < high)) t = low + ((high - low) / 2);
    // Not onto an end: the other side of zero is to be seen, too.
    t = std::clamp(t, low + (resolution / 2), high - (resolution / 2));
    if (t <= low || t >= high) break;
    const double g = loaded(step, relation, t, environment);
    if (is_over(relation, g)) {
      if (kept == 1) g_low /= 2;
      high = t;
      g_high = g;
      kept = 1;
    } else {
      if (kept == -1) g_high /= 2;
      low = t;
      g_low = g;
      kept = -1;
    }
  }
  return {.relation = relation, .before = low, .t = high};
}

// Relations that pass zero at the same instant, though too flat to pass the hysteresis by the end of the
// piece.
void CrossingSearch::add_simultaneous(const SearchedStep& step, const Located& first,
                                      std::span<const double> environment) {
  for (int r = 0; r < courses_->count(); ++r) {
    if (!is_searched(r) || std::ranges::find(found_.crossed, r) != found_.crossed.end()) continue;
    if (!is_over(r, loaded(step, r, first.t, environment))) continue;
    if (is_over(r, loaded(step, r, first.before, environment)) || !is_over(r, value(r, 1))) continue;
    if (std::abs(value(r, 1)) > hysteresis_) found_.crossed.push_back(r);
  }
}

const CrossingSearch::Found& CrossingSearch::search(const SearchedStep& step,
                                                    std::span<const double> environment, double hysteresis) {
  found_.crossed.clear();
  found_.missed = -1;
  located_.clear();
  if (!courses_->any(Kind::States) && !courses_->any(Kind::Solved)) return found_;
  hysteresis_ = hysteresis;
  middle_ = step.begin + ((step.end - step.begin) / 2);
  half_ = (step.end - step.begin) / 2;
  for (std::size_t r = 0; r < held_.size(); ++r)
    held_[r] = environment[static_cast<std::size_t>(relations_slot_) + r] != 0 ? 1 : 0;
  sample(step, environment);
  watch_bounces();
  double high = 1;
  for (int r = 0; r < courses_->count(); ++r) {
    if (!is_searched(r)) continue;
    const std::optional<Piece> piece = first_piece(r, high);
    if (!piece) continue;
    located_.push_back(locate(step, r, *piece, environment));
    high = std::clamp((located_.back().t - middle_) / half_, -1.0, high);
    // The end of the search for the others must be one that was looked at.
    if (high <= -1) high = std::nextafter(-1.0, 0.0);
  }
  if (located_.empty()) {
    for (int r = 0; r < courses_->count(); ++r) note_over(r, step.begin);
    return found_;
  }
  const Located first = *std::ranges::min_element(located_, {}, &Located::t);
  found_.missed = -1;
  found_.t = first.t;
  found_.since = std::min(first.t, over_since_[static_cast<std::size_t>(first.relation)]);
  const double resolution = time_rounding * std::max(std::abs(first.t), std::abs(first.before));
  for (const Located& at : located_) {
    if (at.before <= first.t + resolution) found_.crossed.push_back(at.relation);
  }
  add_simultaneous(step, first, environment);
  for (const int r : found_.crossed) pending_[static_cast<std::size_t>(r)] = 0;
  return found_;
}

void CrossingSearch::note_over(int relation, double begin) {
  if (!is_searched(relation)) return;
  double& since = over_since_[static_cast<std::size_t>(relation)];
  since = is_over(relation, value(relation, 1)) ? std::min(since, begin)
                                                : std::numeric_limits<double>::infinity();
}

// A relation that has just changed and whose difference goes back at once is about to change again. If it
// turns before it passes the hysteresis, nothing sees it: a ball that bounces lower than the tolerance.
void CrossingSearch::watch_bounces() {
  for (int r = 0; r < courses_->count(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (!is_searched(r)) continue;
    if (bounced_[at] != 0) {
      bounced_[at] = 0;
      const Bounds slope = bounds(r, {-1, -1}).slope;
      pending_[at] = (held(r) ? slope.high < 0 : slope.low > 0) ? 1 : 0;
    }
    if (pending_[at] == 0) continue;
    const double end = value(r, 1);
    if (std::abs(end) > hysteresis_ && !is_over(r, end)) found_.missed = r;
  }
}

void CrossingSearch::after_event(std::span<const int> crossed, std::span<const double> environment,
                                 double hysteresis) {
  const auto difference = [&](int r) {
    for (const int place : courses_->places(r)) {
      const auto p = static_cast<std::size_t>(place);
      values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
    }
    return courses_->program(r).value(values_, scratch_);
  };
  std::ranges::fill(bounced_, 0);
  std::ranges::fill(over_since_, std::numeric_limits<double>::infinity());
  for (int r = 0; r < courses_->count(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (pending_[at] != 0 && std::abs(difference(r)) > hysteresis) pending_[at] = 0;
  }
  for (const int r : crossed) {
    if (is_searched(r) && std::abs(difference(r)) <= hysteresis) bounced_[static_cast<std::size_t>(r)] = 1;
  }
}

}  // namespace daedalus
