#include "consistent/explicit_part.hpp"

#include <algorithm>

namespace daedalus {
namespace {

class Peeling {
 public:
  Peeling(const ConstraintFunction& constraints, const std::function<Willingness(std::size_t)>& willing)
      : columns_of_(static_cast<std::size_t>(constraints.rows)),
        rows_of_(static_cast<std::size_t>(constraints.columns)),
        gone_(columns_of_.size(), false) {
    for (std::size_t c = 0; c < rows_of_.size(); ++c) {
      willing_.push_back(willing(c));
      for (int k = constraints.column_start[c]; k < constraints.column_start[c + 1]; ++k) {
        const int row = constraints.row[static_cast<std::size_t>(k)];
        rows_of_[c].push_back(row);
        columns_of_[static_cast<std::size_t>(row)].push_back(static_cast<int>(c));
      }
      count_.push_back(static_cast<int>(rows_of_[c].size()));
    }
  }

  // Unknowns that are free come first, until there are no more; only then one of the defaults.
  void run(std::vector<int>& rows, std::vector<int>& columns) {
    for (std::size_t c = 0; c < count_.size(); ++c) offer(static_cast<int>(c));
    while (!free_.empty() || !default_.empty()) {
      std::vector<int>& from = free_.empty() ? default_ : free_;
      const int column = from.back();
      from.pop_back();
      if (count_[static_cast<std::size_t>(column)] != 1) continue;
      const int row = only_row(column);
      if (&from == &default_ && has_other_default(row, column)) continue;
      rows.push_back(row);
      columns.push_back(column);
      remove(row);
    }
  }

 private:
  void offer(int column) {
    if (count_[static_cast<std::size_t>(column)] != 1) return;
    const Willingness willing = willing_[static_cast<std::size_t>(column)];
    if (willing == Willingness::Free) free_.push_back(column);
    if (willing == Willingness::Default) default_.push_back(column);
  }
  [[nodiscard]] int only_row(int column) const {
    const auto& rows = rows_of_[static_cast<std::size_t>(column)];
    return *std::ranges::find_if(rows, [this](int r) { return !gone_[static_cast<std::size_t>(r)]; });
  }
  // Of two values that nobody gave, and of which either could follow from the other, none comes first: the
  // nearest point decides. What is still free may follow from this default, not the other way round.
  [[nodiscard]] bool has_other_default(int row, int column) const {
    return std::ranges::any_of(columns_of_[static_cast<std::size_t>(row)], [&](int other) {
      const Willingness willing = willing_[static_cast<std::size_t>(other)];
      const bool rival = willing == Willingness::Default && count_[static_cast<std::size_t>(other)] == 1;
      return other != column && (rival || willing == Willingness::Free || willing == Willingness::Guess) &&
             count_[static_cast<std::size_t>(other)] > 0;
    });
  }
  void remove(int row) {
    gone_[static_cast<std::size_t>(row)] = true;
    for (const int column : columns_of_[static_cast<std::size_t>(row)]) {
      --count_[static_cast<std::size_t>(column)];
      offer(column);
    }
  }

  std::vector<std::vector<int>> columns_of_, rows_of_;
  std::vector<bool> gone_;            // by row
  std::vector<Willingness> willing_;  // by column
  std::vector<int> count_;            // by column: rows that are left
  std::vector<int> free_, default_;   // columns to look at
};

}  // namespace

ExplicitPart::ExplicitPart(const ConstraintFunction& constraints,
                           const std::function<Willingness(std::size_t)>& willing) {
  Peeling(constraints, willing).run(rows_, columns_);
}

ConstraintFunction ExplicitPart::reduced(const ConstraintFunction& constraints) const {
  if (rows_.empty()) return constraints;
  std::vector<bool> left(static_cast<std::size_t>(constraints.rows), true);
  for (const int row : rows_) left[static_cast<std::size_t>(row)] = false;
  return restricted_to(left, constraints);
}

}  // namespace daedalus
