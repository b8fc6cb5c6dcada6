#include "results/check_report.hpp"

#include <gtest/gtest.h>

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
