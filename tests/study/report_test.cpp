#include "study/report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "study/grid.hpp"

namespace daedalus {
namespace {

Cell make_cell(std::string row, std::string column, Verdict verdict, std::string reason = {}) {
  return {.row = std::move(row),
          .column = std::move(column),
          .paper = ".24e-2",
          .ours = ".31e-2",
          .value = 3.1e-3,
          .verdict = verdict,
          .reason = std::move(reason)};
}

Reproduction example() {
  Reproduction reproduction;
  reproduction.name = "ascher-petzold-4.9";
  reproduction.title = "Table 4.9";
  reproduction.cells = {make_cell("γ = 1", "Error", Verdict::Agree),
                        make_cell("γ = 1", "Drift", Verdict::Differ),
                        make_cell("γ = ∞", "Error", Verdict::Misprint, "digits exchanged"),
                        make_cell("γ = ∞", "Drift", Verdict::Differ, "a reason")};
  reproduction.commands = {{"γ = 1", "daedalus run problems/x.mo"}};
  reproduction.figures = {{.name = "picture",
                           .title = "A picture",
                           .x_label = "x",
                           .y_label = "y",
                           .series = {{.label = "a < b", .x = {0, 1}, .y = {1, 2}}}}};
  return reproduction;
}

TEST(Cell, IsExpectedUnlessNobodyKnowsWhyItDiffers) {
  EXPECT_TRUE(make_cell("a", "b", Verdict::Agree).expected());
  EXPECT_TRUE(make_cell("a", "b", Verdict::Misprint).expected());
  EXPECT_TRUE(make_cell("a", "b", Verdict::Differ, "known").expected());
  EXPECT_FALSE(make_cell("a", "b", Verdict::Differ).expected());
  EXPECT_FALSE(make_cell("a", "b", Verdict::NotAvailable, "no such formulation").expected());
}

TEST(Count, AddsUp) {
  const Count one = count(example());
  EXPECT_EQ(one.cells, 4);
  EXPECT_EQ(one.agree, 1);
  EXPECT_EQ(one.misprints, 1);
  EXPECT_EQ(one.explained, 1);
  EXPECT_EQ(one.unexplained, 1);
  EXPECT_FALSE(one.as_expected());
  const Count two = count(std::vector{example(), example()});
  EXPECT_EQ(two.cells, 8);
  EXPECT_EQ(two.unexplained, 2);
  Reproduction fine = example();
  fine.cells.erase(fine.cells.begin() + 1);
  EXPECT_TRUE(count(fine).as_expected());
}

TEST(Grid, HasRowsAndColumnsInOrderOfAppearance) {
  std::vector<Cell> cells = example().cells;
  cells.erase(cells.begin() + 2);  // the paper has no such cell
  const CellGrid grid(cells);
  EXPECT_EQ(grid.rows, (std::vector<std::string>{"γ = 1", "γ = ∞"}));
  EXPECT_EQ(grid.columns, (std::vector<std::string>{"Error", "Drift"}));
  EXPECT_EQ(grid.at(1, 0), nullptr);
  EXPECT_EQ(grid.at(1, 1), &cells.back());
}

TEST(ReproductionText, ShowsPaperAndOursAndTheVerdict) {
  const std::string text = reproduction_text(example());
  EXPECT_NE(text.find("γ = 1   .24e-2 .31e-2 agree"), std::string::npos) << text;
  EXPECT_NE(text.find("known misprint [1]"), std::string::npos) << text;
  EXPECT_NE(text.find("[2] a reason"), std::string::npos) << text;
  EXPECT_NE(text.find("4 cells: 1 agree, 1 known misprint, 1 differs for a known reason, 1 differs"),
            std::string::npos)
      << text;
}

TEST(ReproductionText, ListsCellsThatAreSentences) {
  Reproduction reproduction = example();
  reproduction.cells.front().paper = "works by passing over the singularity";
  EXPECT_NE(reproduction_text(reproduction).find("paper  works by passing over the singularity\n"),
            std::string::npos);
}

TEST(ReproductionJson, HoldsEveryCell) {
  const auto json = nlohmann::json::parse(reproduction_json({example()}));
  EXPECT_EQ(json["count"]["cells"], 4);
  EXPECT_EQ(json["count"]["as_expected"], false);
  const auto& target = json["targets"][0];
  EXPECT_EQ(target["name"], "ascher-petzold-4.9");
  ASSERT_EQ(target["cells"].size(), 4U);
  EXPECT_EQ(target["cells"][0]["verdict"], "agree");
  EXPECT_EQ(target["cells"][0]["value"], 3.1e-3);
  EXPECT_EQ(target["cells"][1]["expected"], false);
  EXPECT_EQ(target["cells"][2]["verdict"], "known misprint");
  EXPECT_EQ(target["commands"][0]["command"], "daedalus run problems/x.mo");
}

TEST(ReproductionJson, HasNoNumberWhereNothingWasMeasured) {
  Reproduction reproduction = example();
  reproduction.cells.front().value = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(reproduction_json({reproduction}));
  EXPECT_TRUE(json["targets"][0]["cells"][0]["value"].is_null());
}

TEST(ReproductionMarkdown, HasATableOfCountsAndOneForEachTarget) {
  const std::string text = reproduction_markdown({example()}, "figures");
  EXPECT_NE(text.find("| 4 | 1 | 1 | 1 | 1 | 0 |"), std::string::npos) << text;
  EXPECT_NE(text.find("### Table 4.9"), std::string::npos);
  EXPECT_NE(text.find("| γ = 1 | .24e-2 | .31e-2 | .24e-2 | **.31e-2** differ |"), std::string::npos) << text;
  EXPECT_NE(text.find("![A picture](figures/picture.svg)"), std::string::npos);
}

TEST(ReproductionDocs, AreWrittenWithTheirPictures) {
  const auto folder = std::filesystem::temp_directory_path() / "daedalus_reproduction_docs_test";
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(write_reproduction_docs({example()}, folder.string()));
  EXPECT_TRUE(std::filesystem::exists(folder / "reproduction.md"));
  std::ifstream in(folder / "figures" / "picture.svg");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), figure_svg(example().figures.front()));
  std::filesystem::remove_all(folder);
}

TEST(ReproductionDocs, SayWhyAFolderCannotBeMade) {
  const auto written = write_reproduction_docs({example()}, "/dev/null/folder");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().front().message.find("/dev/null/folder"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
