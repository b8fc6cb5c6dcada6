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
constexpr double small_coefficient = 1e-5;
constexpr int most_nodes = 24;
// Where they are not enough the step is halved, so many times and with so many nodes in all.
constexpr int most_halvings = 10;
constexpr std::size_t node_budget = 60;
// Unknowns that are interpolated without a control of their error are solved for at these points, in units of
// the step, to see how far off they are; a crossing is nearer than so many times that.
constexpr double checked_points[] = {-0.61, 0.37};
constexpr double checked_margin = 10;
// Coefficients below this part of the largest value are rounding.
constexpr double rounding_coefficient = 4e-16;
// In units of the step, which is 2 long. Pieces shorter than this are judged by their end.
constexpr double smallest_piece = 2e-6;
constexpr double coarse_piece = 0.125;
// So many pieces of a step are looked at for a relation. One that rests at zero, i = v/R written twice, uses
// them all up in vain; it gets fewer in the next step, and more again when they suffice.
constexpr int most_pieces = 20000;
constexpr int fewest_pieces = 200;
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
  budget_.assign(strict_.size(), most_pieces);
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

void CrossingSearch::begin_span(double begin, double end) {
  span_begin_ = begin;
  span_end_ = end;
  middle_ = begin + ((end - begin) / 2);
  half_ = (end - begin) / 2;
}

// Chebyshev's extreme points, and the cosines that make coefficients of what is sampled there.
void CrossingSearch::set_nodes(int n) {
  const auto count = static_cast<std::size_t>(n) + 1;
  if (nodes_.size() == count) return;
  const auto cosine = [n](std::size_t k) { return std::cos(std::numbers::pi * static_cast<double>(k) / n); };
  nodes_.clear();
  for (std::size_t k = 0; k < count; ++k) nodes_.push_back(cosine(count - 1 - k));
  nodes_.front() = -1;
  nodes_.back() = 1;
  transform_.clear();
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < count; ++k) {
      const double ends = (k == 0 || k + 1 == count ? 0.5 : 1) * (j == 0 || j + 1 == count ? 1 : 2);
      transform_.push_back(ends * cosine((j * (count - 1 - k)) % (2 * count - 2)) / n);
    }
  }
}

void CrossingSearch::sample_at(const SearchedStep& step, std::span<const double> environment,
                               Loading loading) {
  for (std::size_t p = 0; p < samples_.size(); ++p) samples_[p].clear();
  for (const double s : nodes_) {
    step.load(s == -1 ? span_begin_ : s == 1 ? span_end_ : time_of(s), loading);
    for (std::size_t p = 1; p < samples_.size(); ++p) {
      if (courses_->moves(static_cast<int>(p)))
        samples_[p].push_back(environment[static_cast<std::size_t>(courses_->slots()[p])]);
    }
  }
}

// False: the last coefficients have not become small.
bool CrossingSearch::fit() {
  bool enough = true;
  const std::size_t count = nodes_.size();
  for (std::size_t p = 1; p < samples_.size(); ++p) {
    if (!courses_->moves(static_cast<int>(p))) continue;
    Series& series = series_[p];
    series.c.assign(count, 0.0);
    double largest = 0;
    for (std::size_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += transform_[(j * count) + k] * samples_[p][k];
      series.c[j] = sum;
      largest = std::max(largest, std::abs(sum));
    }
    double varies = 0;
    series.bend = 0;
    for (std::size_t j = 1; j < count; ++j) {
      double& c = series.c[j];
      if (std::abs(c) <= rounding_coefficient * largest) c = 0;
      const auto square = static_cast<double>(j * j);
      series.bend += std::abs(c) * square * (square - 1) / 3;
      varies = std::max(varies, std::abs(c));
    }
    const double tail = std::abs(series.c[count - 1]) + std::abs(series.c[count - 2]);
    enough = enough && !(tail > small_coefficient * varies && tail > hysteresis_);
  }
  return enough;
}

bool CrossingSearch::sample(const SearchedStep& step, std::span<const double> environment, Loading loading) {
  int n = loading == Loading::Solved ? std::max(6, 2 * step.order) : std::max(4, step.order + 2);
  bool enough = false;
  for (;; n *= 2) {
    set_nodes(n);
    sample_at(step, environment, loading);
    enough = fit();
    // What the integrator interpolates is a polynomial that is known by then.
    if (enough || 2 * n > most_nodes || loading == Loading::Interpolated) break;
  }
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
    leaves_[p] = resting(values_[p]);
  }
  return enough;
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
  int& budget = budget_[static_cast<std::size_t>(relation)];
  PieceLimits limits{.smallest = smallest_piece, .coarse = coarse_piece, .evaluations = budget};
  const std::optional<Piece> piece = first_leaving(
      {-1, high}, limits, pieces_, [&](Piece part) { return bounds(relation, part); },
      [&](double s) { return value(relation, s); },
      [&](Bounds b) { return flag ? b.low >= -hysteresis_ : b.high <= hysteresis_; },
      [&](double g) { return std::abs(g) > hysteresis_ && is_over(relation, g); });
  budget = limits.evaluations < 0 ? std::max(fewest_pieces, budget / 10) : std::min(most_pieces, budget * 4);
  return piece;
}

double CrossingSearch::loaded(const SearchedStep& step, int relation, double t,
                              std::span<const double> environment) {
  step.load(t, courses_->kind(relation) == Kind::Solved ? Loading::Solved : Loading::States);
  for (const int place : courses_->places(relation)) {
    const auto p = static_cast<std::size_t>(place);
    values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
  }
  return courses_->program(relation).value(values_, scratch_);
}

// Between one instant before zero and one after it: the Illinois method, with bisection where that is slow.
CrossingSearch::Located CrossingSearch::locate(const SearchedStep& step, int relation, Piece piece,
                                               std::span<const double> environment) {
  double low = piece.low <= -1 ? span_begin_ : std::max(span_begin_, time_of(piece.low));
  double high = piece.high >= 1 ? span_end_ : std::min(span_end_, time_of(piece.high));
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

// Relations that pass zero at the same instant, as far as rounding of t can tell.
void CrossingSearch::add_simultaneous(const SearchedStep& step, double t) {
  const double s = t >= span_end_ ? 1 : (t - middle_) / half_;
  const double resolution = 2 * time_rounding * std::max(std::abs(step.begin), std::abs(step.end));
  for (int r = 0; r < courses_->count(); ++r) {
    if (!is_searched(r) || std::ranges::find(found_.crossed, r) != found_.crossed.end()) continue;
    const Bounds slope = bounds(r, {s, s}).slope;
    const double rate = (held(r) ? -slope.high : slope.low) / half_;
    // What rests near zero passes nothing.
    if (!(rate * (step.end - step.begin) > hysteresis_)) continue;
    if (std::abs(value(r, s)) <= rate * resolution) found_.crossed.push_back(r);
  }
}

const CrossingSearch::Found& CrossingSearch::search(const SearchedStep& step,
                                                    std::span<const double> environment, double hysteresis) {
  found_.crossed.clear();
  found_.missed = -1;
  located_.clear();
  const bool any_solved = courses_->any(Kind::Solved);
  if (!courses_->any(Kind::States) && !any_solved) return found_;
  hysteresis_ = hysteresis;
  for (std::size_t r = 0; r < held_.size(); ++r)
    held_[r] = environment[static_cast<std::size_t>(relations_slot_) + r] != 0 ? 1 : 0;
  solved_too_ = false;
  begin_span(step.begin, step.end);
  if (any_solved && solved_may_cross(step, environment)) {
    search_solved(step, environment);
  } else {
    if (!any_solved) (void)sample(step, environment, Loading::States);
    begin_bounces();
    search_span(step, environment);
    if (located_.empty()) note_ends(step);
  }
  if (!located_.empty()) {
    conclude(step);
  } else if (step.event_at_end) {
    found_.t = found_.since = step.end;
    add_simultaneous(step, step.end);
  }
  for (const int r : found_.crossed) pending_[static_cast<std::size_t>(r)] = 0;
  return found_;
}

// Whether a relation of solved unknowns comes near zero, as far as interpolation tells without solving.
// Leaves interpolated series.
bool CrossingSearch::solved_may_cross(const SearchedStep& step, std::span<const double> environment) {
  const auto count = static_cast<std::size_t>(courses_->count());
  off_.assign(count, 0.0);
  interpolated_.resize(count);
  const auto difference = [&](std::size_t r) {
    for (const int place : courses_->places(static_cast<int>(r))) {
      const auto p = static_cast<std::size_t>(place);
      values_[p] = environment[static_cast<std::size_t>(courses_->slots()[p])];
    }
    return courses_->program(static_cast<int>(r)).value(values_, scratch_);
  };
  const auto is_solved = [this](std::size_t r) {
    return courses_->kind(static_cast<int>(r)) == Kind::Solved;
  };
  for (std::size_t r = 0; r < count; ++r) {
    if (is_solved(r) && (bounced_[r] != 0 || pending_[r] != 0 || std::isfinite(over_since_[r]))) return true;
  }
  for (const double s : checked_points) {
    for (const Loading loading : {Loading::Interpolated, Loading::Solved}) {
      step.load(time_of(s), loading);
      for (std::size_t r = 0; r < count; ++r) {
        if (!is_solved(r)) continue;
        if (loading == Loading::Interpolated) {
          interpolated_[r] = difference(r);
        } else {
          const double off = std::abs(difference(r) - interpolated_[r]);
          off_[r] = off <= off_[r] ? off_[r] : off;
        }
      }
    }
  }
  (void)sample(step, environment, Loading::Interpolated);
  for (std::size_t r = 0; r < count; ++r) {
    if (!is_solved(r)) continue;
    const double margin = (checked_margin * off_[r]) + hysteresis_;
    const auto stays = [&](Bounds b) { return held_[r] != 0 ? b.low > margin : b.high < -margin; };
    const auto near = [&](double g) { return !(held_[r] != 0 ? g > margin : g < -margin); };
    PieceLimits limits{.smallest = smallest_piece, .coarse = coarse_piece, .evaluations = fewest_pieces};
    const auto piece = first_leaving(
        {-1, 1}, limits, pieces_, [&](Piece at) { return bounds(static_cast<int>(r), at); },
        [&](double s) { return value(static_cast<int>(r), s); }, stays, near);
    if (piece || limits.evaluations < 0 || near(value(static_cast<int>(r), -1))) return true;
  }
  return false;
}

// The same with all unknowns solved for, in as many parts of the step as they need to be told by series.
void CrossingSearch::search_solved(const SearchedStep& step, std::span<const double> environment) {
  solved_too_ = true;
  spans_.assign(1, {.begin = step.begin, .end = step.end, .depth = 0});
  bool first = true;
  std::size_t looked_at = 0;
  while (!spans_.empty() && located_.empty()) {
    const Span span = spans_.back();
    spans_.pop_back();
    begin_span(span.begin, span.end);
    const bool enough = sample(step, environment, Loading::Solved);
    looked_at += nodes_.size();
    if (!enough && span.depth < most_halvings && looked_at < node_budget) {
      spans_.push_back({.begin = middle_, .end = span.end, .depth = span.depth + 1});
      spans_.push_back({.begin = span.begin, .end = middle_, .depth = span.depth + 1});
      continue;
    }
    if (first) begin_bounces();
    first = false;
    search_span(step, environment);
  }
  if (located_.empty()) note_ends(step);
}

void CrossingSearch::search_span(const SearchedStep& step, std::span<const double> environment) {
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
}

void CrossingSearch::conclude(const SearchedStep& step) {
  const Located first = *std::ranges::min_element(located_, {}, &Located::t);
  found_.missed = -1;
  found_.t = first.t;
  found_.since = std::min(first.t, over_since_[static_cast<std::size_t>(first.relation)]);
  const double resolution = time_rounding * std::max(std::abs(first.t), std::abs(first.before));
  for (const Located& at : located_) {
    if (at.before <= first.t + resolution) found_.crossed.push_back(at.relation);
  }
  add_simultaneous(step, first.t);
  if (step.event_at_end && first.t >= step.end - resolution) found_.t = step.end;
}

// A relation that has just changed and whose difference goes back at once is about to change again.
void CrossingSearch::begin_bounces() {
  for (int r = 0; r < courses_->count(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (!is_searched(r) || bounced_[at] == 0) continue;
    bounced_[at] = 0;
    const Bounds slope = bounds(r, {-1, -1}).slope;
    pending_[at] = (held(r) ? slope.high < 0 : slope.low > 0) ? 1 : 0;
  }
}

// If it turns before it passes the hysteresis, nothing sees it: a ball that bounces lower than the tolerance.
void CrossingSearch::note_ends(const SearchedStep& step) {
  for (int r = 0; r < courses_->count(); ++r) {
    if (!is_searched(r)) continue;
    const auto at = static_cast<std::size_t>(r);
    const double end = value(r, 1);
    const bool over = is_over(r, end);
    if (pending_[at] != 0 && std::abs(end) > hysteresis_ && !over) found_.missed = r;
    over_since_[at] = over ? std::min(over_since_[at], step.begin) : std::numeric_limits<double>::infinity();
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
    if (courses_->kind(r) != Kind::Time && std::abs(difference(r)) <= hysteresis)
      bounced_[static_cast<std::size_t>(r)] = 1;
  }
}

}  // namespace daedalus
