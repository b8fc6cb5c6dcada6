#include "results/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace daedalus {
namespace {

Summary sample_summary() {
  Summary summary;
  summary.t_end = 10;
  summary.formulation = Selection("dummy-derivatives");
  summary.integrator = Selection("bdf", {{.name = "order", .text = "5"}});
  summary.why = "index 3";
  summary.index = 3;
  summary.dof = 2;
  summary.counters = {.steps = 100,
                      .rejected = 7,
                      .residual_evals = 300,
                      .jacobian_evals = 20,
                      .factorizations = 30,
                      .newton_iterations = 250};
  summary.drift = {.levels = {1e-12, 2e-11, 3e-10, 4e-7}, .worst = {"x^2 + y^2 = L^2", "", "", "a = b"}};
  summary.final_values = {{"x", 0.5}, {"y", -1}};
  summary.events = {{.t = 1.5, .what = "h <= 0"}};
  summary.event_count = 12;
  summary.rank_changes = {{.t = 2, .from = 3, .to = 2, .constraints = {"a = b"}}};
  summary.pivots = {{.t = 0.5, .states_out = {"x"}, .states_in = {"y"}}};
  summary.pivot_count = 464;
  summary.seconds = {
      {"parse", 0.001}, {"structure", 0.002}, {"codegen", 0.003}, {"initialise", 0.004}, {"integrate", 0.5}};
  return summary;
}

// The contract: scripts rely on these keys.
TEST(SummaryJson, HasEveryKeyOfTheContract) {
  const auto json = nlohmann::json::parse(summary_json(sample_summary()));
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["reason"], "");
  EXPECT_EQ(json["t_end"], 10);
  EXPECT_EQ(json["formulation"], "dummy-derivatives");
  EXPECT_EQ(json["integrator"], "bdf:order=5");
  EXPECT_EQ(json["why"], "index 3");
  EXPECT_EQ(json["index"], 3);
  EXPECT_EQ(json["dof"], 2);
  EXPECT_EQ(json["steps"], 100);
  EXPECT_EQ(json["rejected"], 7);
  EXPECT_EQ(json["residual_evals"], 300);
  EXPECT_EQ(json["jacobian_evals"], 20);
  EXPECT_EQ(json["factorizations"], 30);
  EXPECT_EQ(json["newton_iterations"], 250);
  EXPECT_EQ(json["drift"]["position"], 1e-12);
  EXPECT_EQ(json["drift"]["velocity"], 2e-11);
  EXPECT_EQ(json["final"], (nlohmann::json{{"x", 0.5}, {"y", -1.0}}));
  EXPECT_EQ(json["events"], 12);
  EXPECT_EQ(json["rank_changes"][0],
            (nlohmann::json{{"t", 2.0}, {"from", 3}, {"to", 2}, {"constraints", {"a = b"}}}));
  EXPECT_EQ(json["pivots"], 464);
  for (const std::string stage : {"parse", "structure", "codegen", "initialise", "integrate"}) {
    EXPECT_TRUE(json["seconds"][stage].is_number()) << stage;
  }
}

TEST(SummaryJson, NumbersRoundTrip) {
  Summary summary;
  summary.final_values = {{"x", 0.1}, {"y", 1.0 / 3}};
  const auto json = nlohmann::json::parse(summary_json(summary));
  EXPECT_EQ(json["final"]["x"].get<double>(), 0.1);
  EXPECT_EQ(json["final"]["y"].get<double>(), 1.0 / 3);
}

TEST(SummaryJson, NotFiniteIsNull) {
  Summary summary;
  summary.final_values = {{"x", std::nan("")}};
  summary.drift.levels = {INFINITY};
  const auto json = nlohmann::json::parse(summary_json(summary));
  EXPECT_TRUE(json["final"]["x"].is_null());
  EXPECT_TRUE(json["drift"]["position"].is_null());
}

TEST(SummaryJson, WithoutConstraintsThereIsNoDrift) {
  const auto json = nlohmann::json::parse(summary_json(Summary{}));
  EXPECT_EQ(json["drift"]["position"], 0);
  EXPECT_EQ(json["drift"]["velocity"], 0);
  EXPECT_TRUE(json["drift"]["levels"].empty());
}

TEST(SummaryJson, BytesThatAreNotUtf8AreReplaced) {
  Summary summary;
  summary.reason = "division by zero in '\xff'";
  EXPECT_TRUE(nlohmann::json::accept(summary_json(summary)));
}

TEST(SummaryText, TellsWhatHappened) {
  Summary summary = sample_summary();
  summary.status = "failed";
  summary.reason = "the step size fell below 1e-15 at t = 10";
  const std::string text = summary_text(summary);
  for (const std::string word :
       {"failed: t = 10", "the step size fell below", "dummy-derivatives", "bdf:order=5", "index 3",
        "2 degrees of freedom", "100 steps", "7 rejected", "position 1e-12", "velocity 2e-11",
        "acceleration 3e-10", "level 3 4e-07 in a = b", "464", "3 → 2 at t = 2: a = b", "0.51 s"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
}

}  // namespace
}  // namespace daedalus
