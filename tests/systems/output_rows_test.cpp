// Which derivatives of the model's equations may lack a value, and that all others may not.
#include "systems/output_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

std::unique_ptr<CompiledModel> compiled(const std::string& text) {
  auto system = make_level_system(from_text(text));
  EXPECT_TRUE(system.has_value());
  return std::move(CompiledModel::compile(std::move(system.value())).value());
}

// The Jacobian where all is zero, and whether it could be mended.
struct AtZero {
  explicit AtZero(const std::string& text) : model(compiled(text)) {
    const std::vector<double> environment(static_cast<std::size_t>(model->layout().size), 0.0);
    values.resize(model->jacobian().row.size());
    std::vector<double> workspace;
    model->jacobian().evaluate(environment, values, workspace);
    lacked = std::ranges::any_of(values, [](double v) { return !std::isfinite(v); });
    mended = OutputRows(*model).mend(values);
    finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  }
  std::unique_ptr<CompiledModel> model;
  std::vector<double> values;
  bool lacked = false, mended = false, finite = false;
};

// r is read by s, which nobody reads; re and im are read by r alone.
TEST(OutputRows, OutputsMayLackDerivatives) {
  const AtZero at(
      "model M Real x(start=0), re, im, r, s; equation der(x) = 1 - x; re = x; im = 2*sin(x); "
      "r = sqrt(re^2 + im^2); s = 1 + 3*r; end M;");
  EXPECT_TRUE(at.lacked);
  EXPECT_TRUE(at.mended);
  EXPECT_TRUE(at.finite);
}

// What a state or a loop reads may not: Newton's iteration would not know what it depends on.
TEST(OutputRows, WhatIsReadMayNot) {
  for (const char* text : {"model M Real x(start=0); equation der(x) = sqrt(x); end M;",
                           "model M Real x(start=0), r; equation der(x) = 1 - r; r = sqrt(x^2); end M;",
                           "model M Real x(start=0), a, b; equation der(x) = -x; a = sqrt(b) + x; b = a^3; "
                           "end M;"}) {
    const AtZero at(text);
    EXPECT_TRUE(at.lacked) << text;
    EXPECT_FALSE(at.mended) << text;
    EXPECT_FALSE(at.finite) << text;
  }
}

// Values that are there stay, in outputs too.
TEST(OutputRows, FiniteValuesStay) {
  AtZero at("model M Real x(start=0), r; equation der(x) = 1; r = x^2 + 3*x; end M;");
  const std::vector<double> before = at.values;
  EXPECT_FALSE(at.lacked);
  EXPECT_TRUE(OutputRows(*at.model).mend(at.values));
  EXPECT_EQ(at.values, before);
}

}  // namespace
}  // namespace daedalus::testing
