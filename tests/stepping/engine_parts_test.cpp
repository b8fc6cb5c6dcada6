// A saved run belongs to a model with the same name, signals and formulation.
#include "stepping/engine_parts.hpp"

#include <gtest/gtest.h>

#include "advise/plan.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

const std::string pendulum =
    "model Pendulum Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), l; "
    "equation der(x) = u; der(y) = v; "
    "der(u) = -l*x; der(v) = -l*y - 9.81; x^2 + y^2 = 1; end Pendulum;";

EngineParts parts_of(const std::string& text, const std::string& formulation) {
  EngineParts parts;
  auto planned = plan(from_text(text), {.formulation = Selection(formulation)});
  EXPECT_TRUE(planned.has_value());
  parts.plan = std::make_shared<const RunPlan>(*std::move(planned));
  parts.model =
      parts.plan->model != nullptr ? parts.plan->model : *CompiledModel::compile(parts.plan->levels);
  return parts;
}

std::string refusal(const EngineParts& saved, const EngineParts& loading) {
  Archive out;
  identify(saved, out);
  const std::vector<std::byte> bytes = out.finish();
  Archive in(bytes);
  identify(loading, in);
  return in.error();
}

TEST(EngineParts, AreTheSameOrToldApart) {
  const EngineParts parts = parts_of(pendulum, "ggl");
  EXPECT_EQ(refusal(parts, parts_of(pendulum, "ggl")), "");
  EXPECT_EQ(refusal(parts, parts_of(pendulum, "index1")), "it belongs to another formulation");
  std::string renamed = pendulum;
  for (std::size_t at; (at = renamed.find("Pendulum")) != std::string::npos;) renamed.replace(at, 8, "Swing");
  EXPECT_EQ(refusal(parts, parts_of(renamed, "ggl")), "it belongs to another model");
  std::string watched = pendulum;
  watched.replace(watched.find(" l; "), 4, " l, e; ").replace(watched.find("x^2"), 3, "e = u*u; x^2");
  EXPECT_EQ(refusal(parts, parts_of(watched, "ggl")), "it belongs to a model with other signals");
}

}  // namespace
}  // namespace daedalus::testing
