#include "record/observer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/run_options.hpp"
#include "record/trajectory.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

const char* const decay = R"(model Decay
  parameter Real rate = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = -rate*x;
end Decay;)";

// What is called, in order, in a list that all of them share.
struct Call {
  int observer;
  char what;  // b, r, s
  double t;
};
class Noting final : public RunObserver {
 public:
  Noting(int number, std::vector<Call>& calls, long limit = 1'000'000)
      : number_(number), calls_(calls), limit_(limit) {}
  void begin(std::span<const Signal> columns, std::span<const ParameterValue> parameters) override {
    calls_.push_back({number_, 'b', 0});
    for (const Signal& one : columns) names.push_back(one.name);
    for (const ParameterValue& one : parameters) values.push_back(one.value);
  }
  void row(double t, std::span<const double> row) override {
    calls_.push_back({number_, 'r', t});
    rows.insert(rows.end(), row.begin(), row.end());
  }
  bool step(const Progress& progress) override {
    calls_.push_back({number_, 's', progress.t});
    return progress.steps < limit_;
  }
  std::vector<std::string> names;
  std::vector<double> values, rows;

 private:
  int number_;
  std::vector<Call>& calls_;
  long limit_;
};

// begin() once, before all else; rows with rising times that are those of the result; after a step's rows,
// step(), and no row later than the step that was told last belongs to an earlier one.
TEST(RunObserver, IsToldInOrder) {
  std::vector<Call> calls;
  const auto first = std::make_shared<Noting>(1, calls);
  const auto second = std::make_shared<Noting>(2, calls);
  RunOptions options;
  options.until = 2;
  options.points = 21;
  options.observers = {first, second};
  const auto result = simulate(from_text(decay), options);
  ASSERT_TRUE(result && result->ok());
  ASSERT_GE(calls.size(), 4U);
  EXPECT_TRUE(calls[0].what == 'b' && calls[1].what == 'b');
  EXPECT_EQ(calls[0].observer, 1);
  EXPECT_EQ(calls[1].observer, 2);
  double row = -1;
  double step = 0;
  for (const Call& call : calls) {
    if (call.observer != 1) continue;
    if (call.what == 'r') {
      EXPECT_GT(call.t, row);
      EXPECT_GE(call.t, step);  // rows of steps that were told already do not come later
      row = call.t;
    }
    if (call.what == 's') {
      EXPECT_LE(row, call.t);
      EXPECT_GT(call.t, step);
      step = call.t;
    }
  }
  EXPECT_EQ(row, 2);
  EXPECT_EQ(step, 2);
  EXPECT_EQ(first->rows, result->trajectory.values);
  EXPECT_EQ(second->rows, first->rows);
  EXPECT_EQ(first->names.size(), result->trajectory.signals.size());
  EXPECT_EQ(first->values, (std::vector<double>{2}));
  EXPECT_EQ(result->trajectory.rows(), 21U);
}

// False from any of them ends the run, with what was computed; all of them are still told of that step.
TEST(RunObserver, EndsTheRun) {
  std::vector<Call> calls;
  const auto first = std::make_shared<Noting>(1, calls, 3);
  const auto second = std::make_shared<Noting>(2, calls);
  RunOptions options;
  options.until = 100;
  options.observers = {first, second};
  const auto result = simulate(from_text(decay), options);
  ASSERT_TRUE(result.has_value());
  EXPECT_LT(result->summary.t_end, 100);
  EXPECT_EQ(std::ranges::count_if(calls, [](const Call& c) { return c.what == 's' && c.observer == 2; }), 3);
}

TEST(RunOptions, LeaveEverythingToTheModelByDefault) {
  const RunOptions options;
  EXPECT_FALSE(options.until || options.rtol || options.atol || options.step || options.points);
  EXPECT_EQ(options.formulation.name(), "auto");
  EXPECT_EQ(options.integrator.name(), "auto");
  EXPECT_TRUE(options.vars.empty() && options.observers.empty() && options.dense == nullptr);
}

}  // namespace
}  // namespace daedalus::testing
