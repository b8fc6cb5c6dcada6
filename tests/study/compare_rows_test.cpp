#include "study/compare_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"

namespace daedalus {
namespace {

using Strings = std::vector<std::string>;

Strings texts(const std::vector<Selection>& list) {
  Strings out;
  for (const Selection& selection : list) out.push_back(selection.to_text());
  return out;
}

TEST(SplitSelections, ACommaBeginsANewRowUnlessAnOptionFollows) {
  EXPECT_EQ(split_selections("ggl"), (Strings{"ggl"}));
  EXPECT_EQ(split_selections("ggl,index1"), (Strings{"ggl", "index1"}));
  EXPECT_EQ(split_selections("ggl:D=B,index1"), (Strings{"ggl:D=B", "index1"}));
  EXPECT_EQ(split_selections("baumgarte:alpha=5,beta=5,ggl"), (Strings{"baumgarte:alpha=5,beta=5", "ggl"}));
  EXPECT_EQ(split_selections("trust-region:eps=1e-9,gamma=10,ggl:D=B,odae"),
            (Strings{"trust-region:eps=1e-9,gamma=10", "ggl:D=B", "odae"}));
}

TEST(SplitSelections, CommasInsideBracketsBelongToTheValue) {
  EXPECT_EQ(split_selections("orthogonal-projection:W=[2,0;0,1],index1"),
            (Strings{"orthogonal-projection:W=[2,0;0,1]", "index1"}));
  EXPECT_EQ(split_selections("singular-mass:gamma=1e-9,then=[ggl:D=B],ggl"),
            (Strings{"singular-mass:gamma=1e-9,then=[ggl:D=B]", "ggl"}));
  EXPECT_EQ(split_selections("singular-mass:then=[baumgarte:alpha=1,beta=1],odae"),
            (Strings{"singular-mass:then=[baumgarte:alpha=1,beta=1]", "odae"}));
}

TEST(SplitSelections, NothingIsLost) {
  // Empty places stay, so that they can be complained of.
  EXPECT_EQ(split_selections(""), (Strings{""}));
  EXPECT_EQ(split_selections("ggl,"), (Strings{"ggl", ""}));
  EXPECT_EQ(split_selections("a,,b"), (Strings{"a", "", "b"}));
  EXPECT_EQ(split_selections("D=B,ggl"), (Strings{"D=B", "ggl"}));
}

TEST(ParseLists, AllIsEveryRowOfTheTableWithItsVariants) {
  const auto all = parse_formulation_list("all");
  ASSERT_TRUE(all.has_value());
  const Strings names = texts(*all);
  for (const FormulationRow& row : formulations()) {
    EXPECT_TRUE(std::ranges::any_of(*all, [&](const Selection& s) { return s.name() == row.name; }))
        << row.name;
  }
  for (const char* variant : {"pa", "pb", "pc"}) {
    EXPECT_EQ(std::ranges::count(names, std::string("projected-invariants:variant=") + variant), 1);
  }
  EXPECT_EQ(names, texts(all_formulations()));
}

TEST(ParseLists, ARowIsTakenOnce) {
  const auto list = parse_formulation_list("ggl,index1,ggl,ggl:D=B,all");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->size(), all_formulations().size() + 1);  // ggl:D=B is not in all
  EXPECT_EQ(texts(*list)[0], "ggl");
  EXPECT_EQ(texts(*list)[2], "ggl:D=B");
}

TEST(ParseLists, UnknownNamesAndOptionsAreErrors) {
  for (const auto& [text, word] :
       std::vector<std::pair<std::string, std::string>>{{"glg", "did you mean 'ggl'?"},
                                                        {"ggl,", "names nothing"},
                                                        {"ggl:E=B", "unknown option"},
                                                        {"", "names nothing"},
                                                        {"ggl:D", "not key=value"}}) {
    const auto list = parse_formulation_list(text);
    ASSERT_FALSE(list.has_value()) << text;
    EXPECT_NE(list.error().front().message.find(word), std::string::npos) << list.error().front().message;
  }
  EXPECT_FALSE(parse_integrator_list("ggl").has_value());
  EXPECT_TRUE(parse_integrator_list("auto,bdf,radau").has_value());
  EXPECT_EQ(parse_integrator_list("all")->size(), integrators().size());
}

PlanSettings settings(const std::string& formulation, const std::string& integrator) {
  return {.formulations = {Selection(formulation)},
          .integrators = {Selection(integrator)},
          .rtols = {1e-4, 1e-6, 1e-8},
          .step = 0.1};
}

TEST(PlanRows, HasEveryCombination) {
  const auto rows = plan_rows({.formulations = {Selection("ggl"), Selection("odae")},
                               .integrators = {Selection("bdf"), Selection("radau"), Selection("auto")},
                               .rtols = {1e-4, 1e-6},
                               .step = 1});
  EXPECT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0].rtol, 1e-4);
  EXPECT_EQ(rows[1].rtol, 1e-6);
  EXPECT_EQ(rows[2].integrator.name(), "radau");
  EXPECT_EQ(rows[6].formulation.name(), "odae");
}

TEST(PlanRows, OnlyRowsOfFixedStepHaveOneAndItIsHalvedByTolerance) {
  for (const auto& [formulation, integrator] : std::vector<std::pair<std::string, std::string>>{
           {"symmetric-projection", "auto"}, {"ggl", "backward-euler"}, {"index1", "implicit-midpoint"}}) {
    const auto rows = plan_rows(settings(formulation, integrator));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].step, 0.1) << formulation;
    EXPECT_EQ(rows[1].step, 0.05);
    EXPECT_EQ(rows[2].step, 0.025);
  }
  for (const RowPlan& row : plan_rows(settings("ggl", "auto"))) EXPECT_FALSE(row.step.has_value());
  for (const RowPlan& row : plan_rows(settings("symmetric-projection", "radau")))
    EXPECT_FALSE(row.step.has_value());
}

}  // namespace
}  // namespace daedalus
