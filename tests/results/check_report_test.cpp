#include "results/check_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace daedalus {
namespace {

CheckReport sample_report() {
  CheckReport report;
  report.model = "M";
  report.index = 3;
  report.dof = 1;
  report.equations = {{.text = "a = b", .place = "m.mo:4:3", .line = 4, .c = 0},
                      {.text = "x + y = 1", .place = "m.mo:5:3", .line = 5, .c = 2}};
  report.variables = {{.name = "x", .d = 2}, {.name = "y", .d = 0}};
  report.blocks = {{.equations = {1, 0}, .variables = {0, 1}}};
  report.hidden_constraints = {{.text = "der(x) + der(y) = 0", .of = "x + y = 1 (m.mo:5:3)", .level = 1}};
  report.states = {"x"};
  report.candidates = {"x", "der(x)"};
  report.fixed = {"x"};
  report.initialised = true;
  report.formulation = Selection("dummy-derivatives");
  report.integrator = Selection("bdf");
  report.why = "it fits";
  return report;
}

TEST(CheckReportJson, HasItsKeys) {
  const auto json = nlohmann::json::parse(check_json(sample_report()));
  EXPECT_EQ(json["index"], 3);
  EXPECT_EQ(json["dof"], 1);
  EXPECT_EQ(json["c"], (nlohmann::json{0, 2}));
  EXPECT_EQ(json["d"], (nlohmann::json{2, 0}));
  EXPECT_EQ(json["equations"][1]["line"], 5);
  EXPECT_EQ(json["variables"][0]["name"], "x");
  EXPECT_EQ(json["blocks"][0]["equations"], (nlohmann::json{1, 0}));
  EXPECT_EQ(json["hidden_constraints"][0]["level"], 1);
  EXPECT_EQ(json["initialisation"]["may_set"].size(), 2u);
  EXPECT_EQ(json["formulation"], "dummy-derivatives");
  EXPECT_EQ(json["why"], "it fits");
}

TEST(CheckReportText, NamesWhatMatters) {
  const std::string text = check_text(sample_report());
  for (const std::string words :
       {"M: index 3, 1 degree of freedom", "twice: x + y = 1 (line 5)", "der(x) + der(y) = 0",
        "2 equations for der(x, 2), y", "States at the initial point: x", "Fixed: x",
        "--formulation dummy-derivatives --integrator bdf", "it fits"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(text.find("a = b"), std::string::npos) << "equations that are not differentiated are left out";
}

CheckReport report_with_form() {
  CheckReport report = sample_report();
  report.form.found = true;
  report.form.order = 2;
  report.form.positions = {"x", "y"};
  report.form.multipliers = {"lambda", "mu"};
  report.form.constraints = {{.text = "x + y = 1 (m.mo:5:3)", .level = 0, .multiplier = "lambda"},
                             {.text = "2*vx = 0 (m.mo:6:3)", .level = 1, .multiplier = "mu"}};
  report.form.companions = {"heat"};
  Advice& advice = report.advice;
  advice.formulation = Selection("trust-region");
  advice.why = "trust-region: because";
  advice.motion = MotionCase::StiffCoupling;
  Measures& m = advice.measures;
  m.taken = true;
  m.rank = 1;
  m.sigma_min = 0.25;
  m.redundant = {
      {.constraint = 1, .name = "2*vx = 0 (m.mo:6:3)", .combination = "2 · [x + y = 1 (m.mo:5:3)]"}};
  m.singular = RankChange{.t = 1.5, .from = 1, .to = 0, .constraints = {"x + y = 1 (m.mo:5:3)"}};
  m.mass_condition = 1000;
  m.stiffness = 40;
  m.coupling = 7;
  m.constraint_speed = 3;
  m.solution_rate = 2;
  m.length = 10;
  m.looked_ahead = 1.5;
  return report;
}

TEST(CheckReportJson, HasFormAndAdvice) {
  const auto json = nlohmann::json::parse(check_json(report_with_form()));
  const auto& form = json["constrained_form"];
  EXPECT_EQ(form["order"], 2);
  EXPECT_EQ(form["positions"], (nlohmann::json{"x", "y"}));
  EXPECT_EQ(form["multipliers"], (nlohmann::json{"lambda", "mu"}));
  EXPECT_EQ(form["constraints"][1]["level"], 1);
  EXPECT_EQ(form["constraints"][1]["multiplier"], "mu");
  EXPECT_EQ(form["companions"], nlohmann::json::array({"heat"}));
  EXPECT_TRUE(form["broken_by"].is_null());
  EXPECT_EQ(json["redundant"][0]["constraint"], "2*vx = 0 (m.mo:6:3)");
  EXPECT_EQ(json["redundant"][0]["combination"], "2 · [x + y = 1 (m.mo:5:3)]");
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["sigma_min"], 0.25);
  const auto& advice = json["advice"];
  EXPECT_EQ(advice["formulation"], "trust-region");
  EXPECT_EQ(advice["case"], 4);
  EXPECT_EQ(advice["mass_condition"], 1000);
  EXPECT_EQ(advice["stiffness"], 40);
  EXPECT_EQ(advice["constraint_speed"], 3);
  EXPECT_EQ(advice["singular"]["t"], 1.5);
}

TEST(CheckReportJson, NumbersThatAreNoneAreNull) {
  CheckReport report = report_with_form();
  report.advice.measures.mass_condition = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nlohmann::json::parse(check_json(report))["advice"]["mass_condition"].is_null());
  // Nothing measured: no rank.
  const auto json = nlohmann::json::parse(check_json(sample_report()));
  EXPECT_TRUE(json["rank"].is_null());
  EXPECT_TRUE(json["sigma_min"].is_null());
  EXPECT_FALSE(json["advice"].contains("case"));
}

TEST(CheckReportText, ShowsFormAndMeasures) {
  const std::string text = check_text(report_with_form());
  for (const std::string words :
       {"Constrained form of order 2: M x'' = f - B y, 0 = g", "positions: x, y", "companions: heat",
        "x + y = 1 (m.mo:5:3); multiplier lambda", "2*vx = 0 (m.mo:6:3), a constraint of x'; multiplier mu",
        "is 2 · [x + y = 1 (m.mo:5:3)]", "rank of G M⁻¹ B: 1 of 2",
        "singular near t = 1.5: rank 0 instead of 1", "condition of M: 1000",
        "|λ| up to 40, times the length of the run 400", "case 4"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
}

TEST(CheckReportText, SaysWhatBreaksTheForm) {
  CheckReport report = sample_report();
  report.form.broken_by = "lambda does not enter a = b linearly";
  EXPECT_NE(check_text(report).find("No constrained form: lambda does not enter a = b linearly"),
            std::string::npos);
}

TEST(CheckReportText, LargeModelsAreCut) {
  CheckReport report = sample_report();
  for (int i = 0; i < 10'000; ++i) {
    report.equations.push_back({.text = "e", .c = 1});
    report.candidates.emplace_back("candidate");
    report.blocks.push_back({.equations = {0}, .variables = {0}});
  }
  EXPECT_LT(check_text(report).size(), 3'000u);
  EXPECT_NE(check_text(report).find("10001 blocks, of which 1 coupled"), std::string::npos)
      << check_text(report);
  EXPECT_NE(check_text(report).find("more; --json lists all"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
