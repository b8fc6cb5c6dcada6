// Units of measurement: their texts (Modelica 3.6, chapter 19) and whether the equations of a model respect
// them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"
#include "model/ast.hpp"

namespace daedalus {

// A product of powers of m, kg, s, A, K, mol, cd, times a factor: "kN" is 1000 kg.m/s2. Angles are numbers.
struct Unit {
  std::array<double, 7> powers{};
  double factor = 1;
};
// "kg.m/s2", "1/min", "W/(m2.K)"; nothing for what is no unit, and for those with an offset such as degC.
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);
[[nodiscard]] std::string unit_text(const Unit& unit);

// One warning for each equation or declaration whose terms or sides have different units. What has no unit
// fits everything, and so does a product with a number that is not written as a whole one, since tools write
// the values of parameters there.
[[nodiscard]] Diagnostics unit_warnings(const ast::Ast& tree, const std::string& model);

}  // namespace daedalus
