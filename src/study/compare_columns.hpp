// The columns of a comparison: one table, walked by the terminal's text and the page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "study/compare.hpp"

namespace daedalus {

struct CompareColumn {
  std::string_view short_title;  // for terminals
  std::string_view title;
  std::string_view doc;  // what it is
  bool words = false;    // to the left; numbers go to the right
  std::function<std::string(const CompareRow&)> text;
  std::function<double(const CompareRow&)> value;  // to sort by; NaN: not measured. Null for words
};

// Those that have something to show: the tolerance only when there are several, energy when there is one.
[[nodiscard]] std::vector<CompareColumn> compare_columns(const Comparison& comparison);

// "ggl, radau", and the tolerance when there are several.
[[nodiscard]] std::string row_label(const CompareRow& row, const Comparison& comparison);

}  // namespace daedalus
