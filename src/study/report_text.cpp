#include <fmt/format.h>

#include <algorithm>

#include "study/grid.hpp"
#include "study/report.hpp"

namespace daedalus {
namespace {

// Characters, not bytes: rows are named by Greek letters.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char ch) { return (static_cast<unsigned char>(ch) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = width_of(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string verdict_text(const Cell& cell, const std::vector<std::string>& reasons) {
  std::string text(word(cell.verdict));
  if (cell.reason.empty()) return text;
  const auto found = std::ranges::find(reasons, cell.reason);
  return fmt::format("{} [{}]", text, found - reasons.begin() + 1);
}

using Lines = std::vector<std::vector<std::string>>;

// Of the header, and of each row: the row's name, and three texts for each column of the paper.
Lines grid_lines(const CellGrid& grid, const std::vector<std::string>& reasons) {
  Lines lines(grid.rows.size() + 1);
  lines[0].emplace_back("");
  for (const std::string& column : grid.columns) lines[0].insert(lines[0].end(), {column, "ours", ""});
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    auto& line = lines[row + 1];
    line.push_back(grid.rows[row]);
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const Cell* cell = grid.at(row, column);
      if (cell == nullptr) {
        line.insert(line.end(), {"", "", ""});
      } else {
        line.insert(line.end(), {cell->paper, cell->ours, verdict_text(*cell, reasons)});
      }
    }
  }
  return lines;
}

// The columns of the paper side by side as far as a screen is wide, the rest below.
std::string grid_text(const Reproduction& reproduction, const std::vector<std::string>& reasons) {
  constexpr std::size_t screen = 120;
  const CellGrid grid(reproduction.cells);
  const Lines lines = grid_lines(grid, reasons);
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(line[i]) + (i % 3 == 0 ? 3 : 1));
    }
  }
  const auto width_at = [&widths](std::size_t i) { return widths[i] + widths[i + 1] + widths[i + 2]; };
  std::string text;
  for (std::size_t begin = 1; begin < widths.size();) {
    std::size_t end = begin + 3;
    std::size_t width = widths[0] + width_at(begin);
    for (; end < widths.size() && width + width_at(end) <= screen; end += 3) width += width_at(end);
    for (const auto& line : lines) {
      std::string row = "  " + padded(line[0], widths[0]);
      for (std::size_t i = begin; i < end; ++i) row += padded(line[i], widths[i]);
      text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    begin = end;
  }
  return text;
}

std::string list_text(const Reproduction& reproduction, const std::vector<std::string>& reasons) {
  std::string text;
  for (const Cell& cell : reproduction.cells) {
    text += fmt::format("  {}, {}\n    paper  {}\n    ours   {}\n    {}\n", cell.row, cell.column, cell.paper,
                        cell.ours, verdict_text(cell, reasons));
  }
  return text;
}

}  // namespace

std::string count_text(const Count& count) {
  std::string text = fmt::format("{} cells: {} agree", count.cells, count.agree);
  const auto add = [&text](int number, std::string_view what) {
    if (number > 0) text += fmt::format(", {} {}", number, what);
  };
  add(count.misprints, count.misprints == 1 ? "known misprint" : "known misprints");
  add(count.explained, count.explained == 1 ? "differs for a known reason" : "differ for a known reason");
  add(count.unexplained, count.unexplained == 1 ? "differs" : "differ");
  add(count.not_available, "not available");
  return text;
}

std::string reproduction_text(const Reproduction& reproduction) {
  const auto reasons = reasons_of(reproduction.cells);
  std::string text = fmt::format("{}  {}\n", reproduction.name, reproduction.title);
  text +=
      fits_a_grid(reproduction.cells) ? grid_text(reproduction, reasons) : list_text(reproduction, reasons);
  for (std::size_t i = 0; i < reasons.size(); ++i) text += fmt::format("  [{}] {}\n", i + 1, reasons[i]);
  text += fmt::format("  {} ({:.2g} s)\n", count_text(count(reproduction)), reproduction.seconds);
  return text;
}

}  // namespace daedalus
