#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "study/compare.hpp"
#include "study/compare_columns.hpp"

namespace daedalus {
namespace {

// Columns that a text takes on a terminal: code points that are not combining marks.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80U;
    const bool combines = byte == 0xCCU;  // U+0300 … U+033F
    if (!continues && !combines) ++width;
  }
  return width;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return left ? text + space : space + text;
}

std::string table_text(const Comparison& comparison) {
  const std::vector<CompareColumn> columns = compare_columns(comparison);
  std::vector<std::vector<std::string>> cells(1);
  for (const CompareColumn& column : columns) cells[0].emplace_back(column.short_title);
  for (const CompareRow& row : comparison.rows) {
    auto& line = cells.emplace_back();
    for (const CompareColumn& column : columns) line.push_back(column.text(row));
  }
  std::string text;
  for (const auto& line : cells) {
    std::string written;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : cells) width = std::max(width, width_of(other[c]));
      written += (c == 0 ? "" : "  ") + padded(line[c], width, columns[c].words);
    }
    while (written.ends_with(' ')) written.pop_back();
    text += written + "\n";
  }
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{}, t = {:g} to {:g}, {} output points{}\n{}\n", comparison.model,
                                 comparison.t_start, comparison.t_end, comparison.points,
                                 comparison.several_tolerances || comparison.rows.empty()
                                     ? ""
                                     : fmt::format(", rtol {:g}", comparison.rows.front().rtol),
                                 comparison.reference.text());
  for (const std::string& note : comparison.notes) text += note + "\n";
  text += "\n" + table_text(comparison);
  std::string remarks;
  for (const CompareRow& row : comparison.rows) {
    if (row.reason.empty()) continue;
    remarks += fmt::format("  {}: {}: {}\n", row_label(row, comparison), word(row.status), row.reason);
  }
  return remarks.empty() ? text : text + "\n" + remarks;
}

}  // namespace daedalus
