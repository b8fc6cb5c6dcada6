#include "results/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "results/select.hpp"

namespace daedalus {
namespace {

// A signal whose range is less than this part of its size is constant: its tube is measured by its size.
constexpr double constant_part = 1e-6;
constexpr std::size_t most_listed = 20;

// One column of a trajectory.
struct Curve {
  const Trajectory* trajectory = nullptr;
  std::size_t column = 0;
  [[nodiscard]] double at_row(std::size_t row) const { return trajectory->at(row, column); }
  // Between rows by straight lines; at two rows of one time the later one.
  [[nodiscard]] double at(double t) const {
    const auto& times = trajectory->times;
    const auto above = std::ranges::upper_bound(times, t);
    if (above == times.begin()) return at_row(0);
    const auto row = static_cast<std::size_t>(above - times.begin()) - 1;
    if (above == times.end() || times[row] == t) return at_row(row);
    const double part = (t - times[row]) / (times[row + 1] - times[row]);
    return at_row(row) + (part * (at_row(row + 1) - at_row(row)));
  }
};

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (std::isnan(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The lowest and highest value of a curve within a window that moves forward: two queues of rows, of which
// each row enters and leaves once.
class MovingBounds {
 public:
  explicit MovingBounds(const Curve& curve) : curve_(curve) {}

  Bounds within(double from, double to) {
    const auto& times = curve_.trajectory->times;
    for (; next_ < times.size() && times[next_] <= to; ++next_) {
      const double value = curve_.at_row(next_);
      if (std::isnan(value)) continue;
      drop_back(lowest_, low_begin_, [&](std::size_t row) { return curve_.at_row(row) >= value; });
      drop_back(highest_, high_begin_, [&](std::size_t row) { return curve_.at_row(row) <= value; });
    }
    while (low_begin_ < lowest_.size() && times[lowest_[low_begin_]] < from) ++low_begin_;
    while (high_begin_ < highest_.size() && times[highest_[high_begin_]] < from) ++high_begin_;
    Bounds bounds;
    if (low_begin_ < lowest_.size()) bounds.include(curve_.at_row(lowest_[low_begin_]));
    if (high_begin_ < highest_.size()) bounds.include(curve_.at_row(highest_[high_begin_]));
    bounds.include(curve_.at(from));
    bounds.include(curve_.at(to));
    return bounds;
  }

 private:
  template <class F>
  void drop_back(std::vector<std::size_t>& queue, std::size_t begin, F&& surpassed) const {
    while (queue.size() > begin && surpassed(queue.back())) queue.pop_back();
    queue.push_back(next_);
  }

  Curve curve_;
  std::size_t next_ = 0;
  std::vector<std::size_t> lowest_, highest_;
  std::size_t low_begin_ = 0, high_begin_ = 0;
};

// What a tolerance is a part of.
double scale_of(const Curve& curve) {
  Bounds bounds;
  double size = 0;
  for (std::size_t row = 0; row < curve.trajectory->rows(); ++row) {
    bounds.include(curve.at_row(row));
    if (std::isfinite(curve.at_row(row))) size = std::max(size, std::abs(curve.at_row(row)));
  }
  const double range = bounds.high - bounds.low;
  if (range > constant_part * size) return range;
  return size > 0 ? size : 1;
}

SignalDifference compare_curves(const Curve& first, const Curve& second, const Difference& window,
                                const DifferenceOptions& options) {
  SignalDifference found{.name = first.trajectory->signals[first.column].name};
  const double scale = scale_of(first);
  const double width = options.tolerance * (window.to - window.from);
  const double height = options.tolerance * scale;
  MovingBounds bounds(first);
  for (std::size_t row = 0; row < second.trajectory->rows(); ++row) {
    const double t = second.trajectory->times[row];
    if (t < window.from || t > window.to) continue;
    const double value = second.at_row(row);
    const Bounds tube = bounds.within(t - width, t + width);
    const bool both_nan = std::isnan(value) && std::isnan(first.at(t));
    const double outside = std::max(value - (tube.high + height), (tube.low - height) - value);
    if (both_nan || outside <= 0) continue;
    ++found.outside;
    found.differs = true;
    const double excess = std::isnan(outside) ? std::numeric_limits<double>::infinity() : outside / scale;
    if (found.outside == 1 || excess > found.excess) {
      found.excess = excess;
      found.t = t;
      found.first = first.at(t);
      found.second = value;
    }
  }
  return found;
}

using Columns = std::unordered_map<std::string_view, std::size_t>;

Columns columns_of(const Trajectory& trajectory) {
  Columns columns;
  for (std::size_t c = 0; c < trajectory.signals.size(); ++c) columns[trajectory.signals[c].name] = c;
  return columns;
}

std::vector<std::string> names_of(const Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const Signal& signal : trajectory.signals) names.push_back(signal.name);
  return names;
}

Result<std::vector<std::string>> wanted_names(const Trajectory& first, const Trajectory& second,
                                              const DifferenceOptions& options, Difference& out) {
  const Columns in_second = columns_of(second);
  if (!options.vars.empty()) {
    auto names = expand_names(options.vars, names_of(first));
    if (!names) return names;
    for (const std::string& name : *names) {
      if (!in_second.contains(name)) return fail(fmt::format("the second result has no signal '{}'", name));
    }
    return names;
  }
  std::vector<std::string> names;
  for (const Signal& signal : first.signals)
    (in_second.contains(signal.name) ? names : out.only_first).push_back(signal.name);
  const Columns in_first = columns_of(first);
  for (const Signal& signal : second.signals) {
    if (!in_first.contains(signal.name)) out.only_second.push_back(signal.name);
  }
  if (names.empty()) return fail("the two results have no signal in common");
  return names;
}

}  // namespace

bool Difference::same() const {
  return !lengths_differ && std::ranges::none_of(signals, &SignalDifference::differs);
}

Result<Difference> difference_of(const Trajectory& first, const Trajectory& second,
                                 const DifferenceOptions& options) {
  Difference out;
  if (first.rows() == 0 || second.rows() == 0)
    return fail(fmt::format("the {} result has no rows", first.rows() == 0 ? "first" : "second"));
  const auto names = wanted_names(first, second, options, out);
  if (!names) return std::unexpected(names.error());
  out.from = std::max(first.times.front(), second.times.front());
  out.to = std::min(first.times.back(), second.times.back());
  const double length = first.times.back() - first.times.front();
  out.lengths_differ = std::abs(first.times.back() - second.times.back()) > options.tolerance * length ||
                       std::abs(first.times.front() - second.times.front()) > options.tolerance * length;
  const Columns in_first = columns_of(first), in_second = columns_of(second);
  for (const std::string& name : *names) {
    out.signals.push_back(compare_curves({.trajectory = &first, .column = in_first.at(name)},
                                         {.trajectory = &second, .column = in_second.at(name)}, out,
                                         options));
  }
  std::ranges::stable_sort(out.signals, std::ranges::greater(),
                           [](const SignalDifference& s) { return s.differs ? s.excess : -1.0; });
  return out;
}

std::string difference_text(const Difference& difference) {
  const auto differing =
      static_cast<std::size_t>(std::ranges::count_if(difference.signals, &SignalDifference::differs));
  std::string text;
  if (difference.lengths_differ) text += "the results do not cover the same time\n";
  if (differing > 0) {
    std::size_t width = 6;
    for (std::size_t k = 0; k < std::min(differing, most_listed); ++k)
      width = std::max(width, difference.signals[k].name.size());
    text += fmt::format("{:<{}} {:>14} {:>14} {:>14} {:>14} {:>8}\n", "signal", width, "at t", "first",
                        "second", "outside by", "points");
    for (std::size_t k = 0; k < std::min(differing, most_listed); ++k) {
      const SignalDifference& s = difference.signals[k];
      text += fmt::format("{:<{}} {:>14.8g} {:>14.8g} {:>14.8g} {:>13.3g}% {:>8}\n", s.name, width, s.t,
                          s.first, s.second, 100 * s.excess, s.outside);
    }
    if (differing > most_listed) text += fmt::format("… and {} more\n", differing - most_listed);
  }
  text += fmt::format("{} of {} signals differ between t = {:.10g} and {:.10g}", differing,
                      difference.signals.size(), difference.from, difference.to);
  if (!difference.only_first.empty())
    text += fmt::format("; {} only in the first", difference.only_first.size());
  if (!difference.only_second.empty())
    text += fmt::format("; {} only in the second", difference.only_second.size());
  return text + "\n";
}

std::string difference_json(const Difference& difference) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json object = Json::object();
  object["same"] = difference.same();
  object["from"] = number(difference.from);
  object["to"] = number(difference.to);
  object["lengths_differ"] = difference.lengths_differ;
  object["signals"] = Json::array();
  for (const SignalDifference& s : difference.signals) {
    object["signals"].push_back({{"name", s.name},
                                 {"differs", s.differs},
                                 {"excess", number(s.excess)},
                                 {"t", number(s.t)},
                                 {"first", number(s.first)},
                                 {"second", number(s.second)},
                                 {"outside", s.outside}});
  }
  object["only_first"] = difference.only_first;
  object["only_second"] = difference.only_second;
  return object.dump(2) + "\n";
}

Trajectory side_by_side(const Trajectory& first, const Trajectory& second,
                        const std::vector<std::string>& names) {
  Trajectory both;
  both.times = first.times;
  both.times.insert(both.times.end(), second.times.begin(), second.times.end());
  std::ranges::sort(both.times);
  const auto twice = std::ranges::unique(both.times);
  both.times.erase(twice.begin(), twice.end());
  std::vector<Curve> curves;
  const Columns in_first = columns_of(first), in_second = columns_of(second);
  for (const std::string& name : names) {
    Signal signal = first.signals[in_first.at(name)];
    signal.name = name + " (first)";
    both.signals.push_back(signal);
    signal.name = name + " (second)";
    both.signals.push_back(signal);
    curves.push_back({.trajectory = &first, .column = in_first.at(name)});
    curves.push_back({.trajectory = &second, .column = in_second.at(name)});
  }
  const auto value_at = [](const Curve& curve, double t) {
    const auto& times = curve.trajectory->times;
    return t < times.front() || t > times.back() ? std::nan("") : curve.at(t);
  };
  for (const double t : both.times) {
    for (const Curve& curve : curves) both.values.push_back(value_at(curve, t));
  }
  return both;
}

}  // namespace daedalus
