#include "consistent/start_report.hpp"

#include "consistent/initialisation.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Asked;

const std::string pendulum =
    "Real x(start=1), y(start=2,fixed=true), u, w, l; equation der(x)=u; der(y)=w; der(u)=-l*x; der(w)=-l*y; "
    "x^2+y^2=5;";

std::string all(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

TEST(StartReport, ExplainsWhatWasFixedAndWhatMoved) {
  const Asked m(pendulum);
  std::vector<double> z = m.problem->posed.guess;
  z[m.unknown("x")] = 1.25;
  Initialisation out;
  out.degrees_of_freedom = 2;
  out.conditions = 1;
  explain_start(*m.problem, z, out);
  EXPECT_EQ(out.status, Initialisation::Status::Ok);
  const std::string lines = all(out.lines);
  EXPECT_NE(lines.find("1 left free"), std::string::npos) << lines;
  EXPECT_NE(lines.find("fixed: y = 2"), std::string::npos) << lines;
  EXPECT_NE(lines.find("x = 1.25 (start 1)"), std::string::npos) << lines;
  EXPECT_NE(lines.find("largest change of a start value: x from 1 to 1.25"), std::string::npos) << lines;
  EXPECT_NE(lines.find("first derivative of"), std::string::npos) << lines;
  ASSERT_EQ(out.warnings.size(), 1U);
  EXPECT_NE(out.warnings[0].find("x = 1.25 instead of 1"), std::string::npos);
}

// A value written with six digits may move by its rounding without a word on the terminal.
TEST(StartReport, RoundingOfWhatWasWrittenIsNoWarning) {
  const Asked m(pendulum);
  std::vector<double> z = m.problem->posed.guess;
  z[m.unknown("x")] = 1 + 3e-7;
  Initialisation out;
  explain_start(*m.problem, z, out);
  EXPECT_TRUE(out.warnings.empty());
  EXPECT_NE(all(out.lines).find("moved from their start values"), std::string::npos);
}

TEST(StartReport, ManyChangesAreOneWarning) {
  std::string declarations;
  std::string equations = "equation ";
  for (int k = 0; k < 7; ++k) {
    declarations += fmt::format("Real x{}(start=1); ", k);
    equations += fmt::format("der(x{})=0; ", k);
  }
  const Asked m(declarations + equations);
  std::vector<double> z = m.problem->posed.guess;
  for (int k = 0; k < 7; ++k) z[m.unknown(fmt::format("x{}", k))] = 2;
  Initialisation out;
  explain_start(*m.problem, z, out);
  ASSERT_EQ(out.warnings.size(), 1U);
  EXPECT_NE(out.warnings[0].find("and 3 more"), std::string::npos) << out.warnings[0];
}

TEST(StartReport, AnEquationWithoutAValueIsNamedWithWhatItReads) {
  const Asked m("Real x(start=-1,fixed=true), y; equation der(x)=1; y=log(x);");
  NearestResult result{.status = NearestStatus::NoConvergence, .z = m.problem->posed.guess};
  Initialisation out;
  explain_failure(*m.problem, result, out);
  EXPECT_EQ(out.status, Initialisation::Status::WrongInput);
  ASSERT_EQ(out.diagnostics.size(), 1U);
  EXPECT_NE(out.diagnostics[0].message.find("log(x)"), std::string::npos);
  EXPECT_NE(out.diagnostics[0].message.find("x = -1"), std::string::npos);
  EXPECT_TRUE(out.diagnostics[0].span.valid());
}

TEST(StartReport, FixedValuesThatContradictAreNamedWithHowFar) {
  const Asked m(
      "Real x(start=1,fixed=true), y(start=0.5,fixed=true), s; equation der(x)=1; der(y)=s; x^2+y^2=1;");
  NearestResult result{.status = NearestStatus::NoConvergence, .z = m.problem->posed.guess};
  Initialisation out;
  explain_failure(*m.problem, result, out);
  ASSERT_EQ(out.diagnostics.size(), 1U);
  const std::string& message = out.diagnostics[0].message;
  EXPECT_NE(message.find("x = 1 and y = 0.5 contradict"), std::string::npos) << message;
  EXPECT_NE(message.find("off by 0.25"), std::string::npos) << message;
  EXPECT_EQ(out.diagnostics[0].related.size(), 2U);
}

TEST(StartReport, WhereNothingIsWrongWithTheInputItSaysWhereItStopped) {
  const Asked m("Real x(start=1), y; equation der(x)=1; y^2+1=x-1;");
  NearestResult result{.status = NearestStatus::NoConvergence, .z = m.problem->posed.guess, .bad_row = 1};
  result.z[m.unknown("y")] = 0.5;  // where the rows are independent
  Initialisation out;
  explain_failure(*m.problem, result, out);
  EXPECT_EQ(out.status, Initialisation::Status::Failed);
  EXPECT_NE(out.reason.find("could not be fulfilled"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
