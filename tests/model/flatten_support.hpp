// Helpers for tests of the model stage: load a text, evaluate what came out.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/load.hpp"

namespace daedalus::test {

// Values of leaves by name: "x", "der(x)", "pre(x)", "time", "initial()". A leaf that is not there fails the
// test.
using Point = std::map<std::string, double>;

// Everything that is wrong, as the user would read it.
[[nodiscard]] std::string messages(const Result<DaeSystem>& result, const SourceMap& sources);

// Loads without removing aliases, unless asked to; a refusal fails the test and gives an empty system.
[[nodiscard]] DaeSystem load(std::string text, const std::vector<ParameterSetting>& settings = {},
                             bool remove_aliases = false);
[[nodiscard]] inline DaeSystem load_reduced(std::string text) {
  return load(std::move(text), {}, true);
}
// The messages of a text that must be refused; "" fails the test.
[[nodiscard]] std::string refusal(std::string text, const std::vector<ParameterSetting>& settings = {});

// Value of an expression. Relations are true where their difference says so.
[[nodiscard]] double value(const DaeSystem& system, NodeId node, const Point& point);
// Residual of the i-th equation.
[[nodiscard]] double residual(const DaeSystem& system, std::size_t i, const Point& point);

// The value of a Modelica expression in a model with these declarations.
[[nodiscard]] double number(const std::string& expression, const std::string& declarations = "",
                            const Point& point = {});
// The same for each element of a vector or matrix, row by row.
[[nodiscard]] std::vector<double> numbers(const std::string& expression, const std::string& size,
                                          const std::string& declarations = "", const Point& point = {});

[[nodiscard]] const Variable& variable(const DaeSystem& system, std::string_view name);
[[nodiscard]] bool has_variable(const DaeSystem& system, std::string_view name);
[[nodiscard]] const ReportedValue& reported(const DaeSystem& system, std::string_view name);
// The value of a reported name that is a number.
[[nodiscard]] double reported_number(const DaeSystem& system, std::string_view name);
// The value that a discrete step (an Assignment) gives to a variable; invalid when there is none.
[[nodiscard]] NodeId assigned(const DaeSystem& system, std::string_view name);
[[nodiscard]] std::vector<const WhenClause*> when_clauses(const DaeSystem& system);

}  // namespace daedalus::test

#define EXPECT_MENTIONS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text) << "\nexpected: " << (part)
