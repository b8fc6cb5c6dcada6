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

std::string grid_text(const Reproduction& reproduction, const std::vector<std::string>& reasons) {
  const CellGrid grid(reproduction.cells);
  std::vector<std::vector<std::string>> lines(grid.rows.size() + 1);
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
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row = "  ";
    for (std::size_t i = 0; i < line.size(); ++i) row += padded(line[i], widths[i] + (i % 3 == 0 ? 3 : 1));
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
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
