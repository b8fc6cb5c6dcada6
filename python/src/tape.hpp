// Expressions as Python writes them, kept as a list of operations. A ModelBuilder's expressions hold numbers
// where parameters were and grow a graph of their own; a tape keeps parameters by name, can be played into
// any number of builders, and so gives every run a system of its own with the parameters of that run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/builder.hpp"

namespace daedalus::python {

enum class TapeKind : std::uint8_t {
  Number,
  Time,
  Initial,
  Sample,
  Variable,
  Parameter,
  Quantity,  // of a mechanism: where a body is, how far a joint has turned
  Apply,
  Derivative,
  Previous,
  NoEvent,
  Less,
  LessEqual,
};

struct TapeEntry {
  TapeKind kind = TapeKind::Number;
  Op op = Op::Constant;                          // of Apply
  std::array<std::int32_t, 3> args{-1, -1, -1};  // entries; of the leaves the number of what they name
  double value = 0;                              // of Number; the start of a Sample
  double interval = 0;                           // of a Sample
};

struct DeclaredVariable {
  std::string name;
  Attributes attributes;
};

struct DeclaredParameter {
  std::string name;
  double value = 0;
  Attributes attributes;
};

struct Tape {
  std::vector<TapeEntry> entries;
  std::vector<DeclaredVariable> variables;
  std::vector<DeclaredParameter> parameters;
  std::vector<std::string> quantities;  // their names, for people

  std::int32_t append(const TapeEntry& entry);
  std::int32_t number(double value) { return append({.kind = TapeKind::Number, .value = value}); }
  // The name of a leaf, or "" of anything else.
  [[nodiscard]] std::string leaf_name(std::int32_t entry) const;
};

// What the leaves stand for in one builder.
struct TapeLeaves {
  std::function<Expr()> time;
  std::function<Expr()> initial;
  std::function<Expr(double start, double interval)> sample;
  std::vector<Expr> variables;
  std::vector<Expr> parameters;
  std::function<Expr(std::int32_t)> quantity;
};

// The value of every entry up to `last`.
[[nodiscard]] std::vector<Expr> play(const Tape& tape, const TapeLeaves& leaves, std::int32_t last);

// The expression as a model text would write it, cut when it is very long.
[[nodiscard]] std::string text_of(const Tape& tape, std::int32_t entry);

}  // namespace daedalus::python
