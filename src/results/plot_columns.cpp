#include "results/plot_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/options.hpp"

namespace daedalus {
namespace {

struct Extent {
  double low = 0;
  double high = 0;
  [[nodiscard]] double size() const { return std::max(std::abs(low), std::abs(high)); }
};

Extent extent_of(const Trajectory& trajectory, std::size_t column) {
  Extent extent;
  bool any = false;
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    const double value = trajectory.at(row, column);
    if (!std::isfinite(value)) continue;
    extent = any ? Extent{.low = std::min(extent.low, value), .high = std::max(extent.high, value)}
                 : Extent{.low = value, .high = value};
    any = true;
  }
  return extent;
}

// What moves by less than a 1e-9 of the largest signal of its unit is noise: the y of a motion in the x-z
// plane.
class Liveliness {
 public:
  explicit Liveliness(const Trajectory& trajectory) : trajectory_(trajectory) {
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column)
      extents_.push_back(extent_of(trajectory, column));
  }

  [[nodiscard]] bool varies(std::size_t column) const {
    const Extent& own = extents_[column];
    const double spread = own.high - own.low;
    if (spread == 0) return false;
    const std::string& unit = trajectory_.signals[column].unit;
    double scale = own.size();
    // Without a unit signals have nothing in common.
    for (std::size_t k = 0; !unit.empty() && k < extents_.size(); ++k) {
      if (trajectory_.signals[k].unit == unit) scale = std::max(scale, extents_[k].size());
    }
    return spread > 1e-9 * scale;
  }

 private:
  const Trajectory& trajectory_;
  std::vector<Extent> extents_;
};

// Equal, or equal but for the sign: an alias, of which one is enough in a picture.
bool same_curve(const Trajectory& trajectory, std::size_t a, std::size_t b) {
  bool equal = true;
  bool opposite = true;
  for (std::size_t row = 0; row < trajectory.rows() && (equal || opposite); ++row) {
    equal = equal && trajectory.at(row, a) == trajectory.at(row, b);
    opposite = opposite && trajectory.at(row, a) == -trajectory.at(row, b);
  }
  return equal || opposite;
}

std::vector<std::size_t> default_columns(const Trajectory& trajectory,
                                         const std::vector<std::string>& preferred) {
  const Liveliness lively(trajectory);
  std::vector<std::size_t> chosen;
  for (const std::string& name : preferred) {
    const auto found = std::ranges::find(trajectory.signals, name, &Signal::name);
    const auto column = static_cast<std::size_t>(found - trajectory.signals.begin());
    const auto same = [&](std::size_t other) { return same_curve(trajectory, column, other); };
    if (found != trajectory.signals.end() && chosen.size() < most_plotted && lively.varies(column) &&
        std::ranges::none_of(chosen, same))
      chosen.push_back(column);
  }
  if (!chosen.empty()) return chosen;
  for (const bool derivatives : {false, true}) {
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
      if (chosen.size() == most_plotted) return chosen;
      const bool derivative = trajectory.signals[column].name.starts_with("der(");
      if (derivative != derivatives || !lively.varies(column)) continue;
      const auto same = [&](std::size_t other) { return same_curve(trajectory, column, other); };
      if (std::ranges::none_of(chosen, same)) chosen.push_back(column);
    }
    if (!chosen.empty()) return chosen;
  }
  for (std::size_t column = 0; column < std::min(trajectory.signals.size(), most_plotted); ++column)
    chosen.push_back(column);
  return chosen;
}

}  // namespace

std::vector<std::size_t> panels_of(const Trajectory& trajectory, const std::vector<std::size_t>& columns,
                                   std::size_t most) {
  constexpr double most_ratio = 40;
  struct Group {
    std::string unit;
    double size = 0;
  };
  std::vector<Group> groups;
  std::vector<std::size_t> numbers;
  for (const std::size_t column : columns) {
    const Group own{.unit = trajectory.signals[column].unit, .size = extent_of(trajectory, column).size()};
    const auto fits = [&own](const Group& group) {
      const double ratio = std::max(own.size, group.size) / std::min(own.size, group.size);
      return group.unit == own.unit && (own.size == group.size || ratio <= most_ratio);
    };
    const auto found = std::ranges::find_if(groups, fits);
    const bool is_new = found == groups.end() && groups.size() < most;
    numbers.push_back(std::min(static_cast<std::size_t>(found - groups.begin()), most - 1));
    if (is_new) groups.push_back(own);
  }
  return numbers;
}

Result<std::vector<std::size_t>> plotted_columns(const Trajectory& trajectory,
                                                 const std::vector<std::string>& names,
                                                 const std::vector<std::string>& preferred) {
  if (names.empty()) return default_columns(trajectory, preferred);
  std::vector<std::string_view> known;
  for (const Signal& signal : trajectory.signals) known.push_back(signal.name);
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, std::string_view(name));
    if (found == known.end()) return fail(unknown_name_message("variable to plot", name, known));
    columns.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return columns;
}

}  // namespace daedalus
