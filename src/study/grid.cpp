#include "study/grid.hpp"

#include <algorithm>

namespace daedalus {
namespace {

std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

}  // namespace

CellGrid::CellGrid(const std::vector<Cell>& from) {
  for (const Cell& cell : from) {
    place_of(rows, cell.row);
    place_of(columns, cell.column);
  }
  cells.assign(rows.size() * columns.size(), nullptr);
  for (const Cell& cell : from) {
    const std::size_t row = place_of(rows, cell.row);
    cells[(row * columns.size()) + place_of(columns, cell.column)] = &cell;
  }
}

bool fits_a_grid(const std::vector<Cell>& cells) {
  constexpr std::size_t most = 16;
  return std::ranges::all_of(
      cells, [](const Cell& cell) { return cell.paper.size() <= most && cell.ours.size() <= most; });
}

std::vector<std::string> reasons_of(const std::vector<Cell>& cells) {
  std::vector<std::string> reasons;
  for (const Cell& cell : cells) {
    if (!cell.reason.empty()) place_of(reasons, cell.reason);
  }
  return reasons;
}

}  // namespace daedalus
