// Cells, which come one after the other, as rows and columns.
#pragma once

#include <string>
#include <vector>

#include "study/reproduction.hpp"

namespace daedalus {

struct CellGrid {
  std::vector<std::string> rows;     // in order of appearance
  std::vector<std::string> columns;  // in order of appearance
  std::vector<const Cell*> cells;    // [row * columns.size() + column]; null where the paper has none

  explicit CellGrid(const std::vector<Cell>& from);
  [[nodiscard]] const Cell* at(std::size_t row, std::size_t column) const {
    return cells[(row * columns.size()) + column];
  }
};

// Whether the cells are numbers or words, short enough to stand side by side.
[[nodiscard]] bool fits_a_grid(const std::vector<Cell>& cells);

// The reasons given, each once, in order of appearance; cells refer to them by number from 1.
[[nodiscard]] std::vector<std::string> reasons_of(const std::vector<Cell>& cells);

}  // namespace daedalus
