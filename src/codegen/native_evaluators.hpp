// Machine code that was compiled: that of a whole tape, or that of tiles.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codegen/back_end.hpp"
#include "codegen/code_memory.hpp"
#include "codegen/vector_loops.hpp"

namespace daedalus::native {

using Code = MachineCode;

class NativeEvaluator final : public Evaluator {
 public:
  NativeEvaluator(CodeMemory::Piece piece, std::unique_ptr<const VectorInstruction> angles)
      : piece_(std::move(piece)), code_(std::bit_cast<Code>(piece_.begin())), angles_(std::move(angles)) {}
  void run(const double* environment, double* registers, double* results) const override {
    code_(environment, registers, results, nullptr);
  }
  [[nodiscard]] MachineCode machine_code() const override { return code_; }
  // The code of a tile, at the addresses of every one of its kind.
  void run(const double* environment, double* registers, double* results,
           std::span<const std::int32_t> starts, std::size_t streams) const {
    for (std::size_t k = 0; k < starts.size(); k += streams)
      code_(environment, registers, results, starts.data() + k);
  }
  [[nodiscard]] std::size_t groups() const override { return 1; }

 private:
  CodeMemory::Piece piece_;
  Code code_;                                        // its beginning
  std::unique_ptr<const VectorInstruction> angles_;  // the code has its address
};

// The rest, and then tiles in the order of their roots.
class TiledEvaluator final : public Evaluator {
 public:
  struct Kind {
    std::shared_ptr<const NativeEvaluator> code;
    std::vector<std::int32_t> starts;
    std::size_t streams = 0;
    std::vector<std::size_t> begins;  // by tile: its first root
    std::size_t length = 0;           // roots of each
  };
  TiledEvaluator(std::shared_ptr<const Evaluator> rest, std::vector<Kind> kinds, std::size_t roots)
      : rest_(std::move(rest)), kinds_(std::move(kinds)), root_parts_(roots, 0) {
    make_parts();
  }
  void run(const double* environment, double* registers, double* results) const override {
    for (std::size_t part = 0; part < last_.size(); ++part) run_part(part, environment, registers, results);
  }
  [[nodiscard]] std::span<const int> root_parts() const override { return root_parts_; }
  [[nodiscard]] std::size_t parts() const override { return last_.size(); }
  void run_part(std::size_t part, const double* environment, double* registers,
                double* results) const override {
    if (part == 0) rest_->run(environment, registers, results);
    for (std::size_t k = part == 0 ? 0 : last_[part - 1]; k < last_[part]; ++k) {
      const Kind& kind = kinds_[rows_[k].kind];
      const auto starts = std::span(kind.starts).subspan(rows_[k].first * kind.streams);
      kind.code->run(environment, registers, results, starts.first(rows_[k].count * kind.streams),
                     kind.streams);
    }
  }
  [[nodiscard]] std::size_t groups() const override { return 1 + kinds_.size(); }

 private:
  // Tiles of one kind, one after the other.
  struct Row {
    std::size_t kind;
    std::size_t first;
    std::size_t count;
  };
  void make_parts() {
    constexpr std::size_t tiles_of_part = 80;  // what they write stays in the second-level cache
    struct Tile {
      std::size_t begin;
      std::size_t kind;
      std::size_t number;
    };
    std::vector<Tile> tiles;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      for (std::size_t t = 0; t < kinds_[k].begins.size(); ++t)
        tiles.push_back({.begin = kinds_[k].begins[t], .kind = k, .number = t});
    }
    std::ranges::sort(tiles, {}, &Tile::begin);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const bool fresh = t % tiles_of_part == 0;
      if (fresh && t > 0) last_.push_back(rows_.size());
      const bool joins = !fresh && rows_.back().kind == tiles[t].kind &&
                         rows_.back().first + rows_.back().count == tiles[t].number;
      if (!joins) rows_.push_back({.kind = tiles[t].kind, .first = tiles[t].number, .count = 0});
      ++rows_.back().count;
      std::fill_n(root_parts_.begin() + static_cast<std::ptrdiff_t>(tiles[t].begin),
                  kinds_[tiles[t].kind].length, static_cast<int>(last_.size()));
    }
    last_.push_back(rows_.size());
  }

  std::shared_ptr<const Evaluator> rest_;
  std::vector<Kind> kinds_;
  std::vector<Row> rows_;
  std::vector<std::size_t> last_;  // by part: the end of its rows
  std::vector<int> root_parts_;    // those of the rest are written first
};

}  // namespace daedalus::native
