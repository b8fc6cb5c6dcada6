#include "study/compare.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "study/compare_rows.hpp"

namespace daedalus {
namespace {

// x = exp(-t); `energy` is x².
constexpr const char* decay = R"(model Decay
  Real x(start = 1, fixed = true), energy;
equation
  der(x) = -x; energy = x^2;
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end Decay;)";

// x = 1/(1 - t) leaves the numbers at t = 1.
constexpr const char* explosion = R"(model Explosion
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end Explosion;)";

ModelSource problem(const std::string& name) {
  std::ifstream in(fmt::format("{}/problems/{}.mo", DAEDALUS_SOURCE_DIR, name));
  std::stringstream text;
  text << in.rdbuf();
  return {.name = name, .text = text.str(), .settings = {}};
}

std::vector<Selection> rows(std::string_view text) {
  return parse_formulation_list(text).value();
}

const CompareRow& row_of(const Comparison& comparison, const std::string& formulation) {
  const auto found = std::ranges::find(comparison.rows, formulation, &CompareRow::formulation);
  EXPECT_NE(found, comparison.rows.end()) << formulation;
  return *found;
}

nlohmann::json without_times(const Comparison& comparison) {
  auto json = nlohmann::json::parse(comparison_json(comparison));
  for (auto& row : json["rows"]) row.erase("seconds");
  return json;
}

TEST(Compare, MeasuresErrorsAgainstAGivenTable) {
  // The table is exp(-t) + 0.1 (1 - exp(-2)) t/2: a tenth of exp(-t)'s range away at the end. The exact run
  // is then off by as much, in parts of the table's own range, 0.9 (1 - exp(-2)).
  const double range = 1 - std::exp(-2);
  std::string csv = "time,x\n";
  for (int k = 0; k <= 40; ++k)
    csv += fmt::format("{},{:.17g}\n", k * 0.05, std::exp(-k * 0.05) + (0.1 * range * k * 0.025));
  CompareOptions options{.formulations = rows("index1,dummy-derivatives"), .rtols = {1e-9}};
  options.reference = parse_reference("shifted.csv", csv).value();
  const auto comparison = compare({.name = "decay", .text = decay, .settings = {}}, options);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->reference.source, "file");
  EXPECT_EQ(comparison->points, 41);  // as the table has them
  EXPECT_EQ(comparison->reference.points, 41);
  for (const CompareRow& row : comparison->rows) {
    // Runs themselves are within 100 rtol of exp(-t).
    EXPECT_NEAR(row.error, 0.1 / 0.9, 1e-7) << row.formulation;
    EXPECT_EQ(row.status, RowStatus::Differs);  // more than a tenth
    EXPECT_EQ(row.worst, "x");
    EXPECT_EQ(row.worst_time, 2);
  }
}

TEST(Compare, WatchesTheEnergyByNameOrAsAskedFor) {
  const ModelSource model{.name = "decay", .text = decay, .settings = {}};
  const auto comparison = compare(model, {.formulations = rows("dummy-derivatives"), .rtols = {1e-9}});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->energy, "energy");
  EXPECT_NEAR(comparison->rows[0].energy_drift, 1 - std::exp(-4), 1e-7);  // of exp(-2t); 100 rtol
  const auto other =
      compare(model, {.formulations = rows("dummy-derivatives"), .rtols = {1e-9}, .energy = "x"});
  EXPECT_NEAR(other->rows[0].energy_drift, 1 - std::exp(-2), 1e-7);
  const auto wrong = compare(model, {.energy = "enrgy"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().front().message.find("did you mean 'energy'?"), std::string::npos);
}

TEST(Compare, AModulusIsNoEnergy) {
  const ModelSource model{
      .name = "m",
      .text = "model M parameter Real E = 2; Real x(start = 1, fixed = true); equation der(x) = -E*x; end M;",
      .settings = {}};
  const auto comparison = compare(model, {.formulations = rows("index1")});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->energy, "");
  EXPECT_TRUE(std::isnan(comparison->rows[0].energy_drift));
}

TEST(Compare, RowsThatDoNotApplySayWhy) {
  const auto comparison = compare({.name = "decay", .text = decay, .settings = {}},
                                  {.formulations = rows("ggl,dummy-derivatives")});
  ASSERT_TRUE(comparison.has_value());
  const CompareRow& row = row_of(*comparison, "ggl");
  EXPECT_EQ(row.status, RowStatus::Refused);
  EXPECT_NE(row.reason.find("does not apply"), std::string::npos) << row.reason;
  EXPECT_TRUE(std::isnan(row.error));
  EXPECT_EQ(row_of(*comparison, "dummy-derivatives").status, RowStatus::Ok);
  EXPECT_TRUE(comparison->any_ran());
  EXPECT_FALSE(comparison->all_refused());
  const std::string text = comparison_text(*comparison);
  EXPECT_NE(text.find("ggl, auto: refused: formulation ggl does not apply"), std::string::npos) << text;
}

TEST(Compare, RowsThatFailSayHowAndWhen) {
  const auto comparison = compare({.name = "explosion", .text = explosion, .settings = {}},
                                  {.formulations = rows("dummy-derivatives,index1"),
                                   .integrators = {Selection("radau"), Selection("bdf")}});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->rows.size(), 4U);
  for (const CompareRow& row : comparison->rows) {
    EXPECT_EQ(row.status, RowStatus::Failed) << row.formulation;
    EXPECT_FALSE(row.reason.empty());
    EXPECT_NEAR(row.t_end, 1,
                1e-3);  // x = 1/(1 - t): a relative error of rtol moves the pole by rtol times some hundred
    EXPECT_TRUE(std::isnan(row.error));
  }
  EXPECT_EQ(comparison->reference.source, "none");
  EXPECT_FALSE(comparison->any_ran());
  EXPECT_FALSE(comparison->all_refused());
}

// The slider crank loses the rank of its constraint at t = 1.0313 (Petzold, Ren, Maly 1997, Example 5.2; the
// time from the one-degree-of-freedom form). Methods that need the rank stop there by radau, regularised and
// projected ones go on; where auto has the choice of the integrator, bdf passes.
TEST(Compare, TellsWhoPassesASingularPoint) {
  const auto comparison =
      compare(problem("slider_crank"),
              {.formulations = rows("ggl,trust-region,orthogonal-projection"), .rtols = {1e-6}, .until = 2});
  ASSERT_TRUE(comparison.has_value());
  const auto by_radau = compare(
      problem("slider_crank"),
      {.formulations = rows("ggl"), .integrators = {Selection("radau")}, .rtols = {1e-6}, .until = 2});
  ASSERT_TRUE(by_radau.has_value());
  EXPECT_EQ(row_of(*by_radau, "ggl").status, RowStatus::Failed);
  EXPECT_NEAR(row_of(*by_radau, "ggl").t_end, 1.0313, 5e-3);
  for (const char* name : {"ggl", "trust-region", "orthogonal-projection"}) {
    EXPECT_EQ(row_of(*comparison, name).status, RowStatus::Ok) << row_of(*comparison, name).reason;
    EXPECT_LT(row_of(*comparison, name).error, 1e-2);
  }
}

TEST(Compare, FormulationsAgreeWhereTheyShould) {
  const double rtol = 1e-7;
  const auto comparison =
      compare(problem("spatial_four_bar"),
              {.formulations = rows("dummy-derivatives,ggl,index1,coordinate-partitioning,"
                                    "tangent-plane,projected-invariants,orthogonal-projection"),
               .rtols = {rtol},
               .until = 3});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->reference.source, "run");
  EXPECT_EQ(comparison->reference.name, "dummy-derivatives, radau, rtol 1e-10");
  EXPECT_EQ(comparison->reference.control, "orthogonal-projection, dop853, rtol 1e-10");
  EXPECT_LT(comparison->reference.uncertainty, 1e3 * 1e-10);
  EXPECT_EQ(comparison->energy, "energy");
  for (const CompareRow& row : comparison->rows) {
    EXPECT_EQ(row.status, RowStatus::Ok) << row.formulation << ": " << row.reason;
    EXPECT_LT(row.error, 1e3 * rtol)
        << row.formulation;  // errors are local ones, gathered over some hundred steps
    EXPECT_LT(row.energy_drift, 1e3 * rtol * 30) << row.formulation;  // energies are about 30
    EXPECT_GT(row.counters.steps, 0);
    // Only index1 lets the constraints go.
    if (row.formulation == "index1") {
      EXPECT_GT(row.position_drift, 1e-12);
    } else {
      EXPECT_LT(row.position_drift, 1e-13) << row.formulation;
      EXPECT_LT(row.velocity_drift, 1e-13) << row.formulation;
    }
  }
}

TEST(Compare, IsTheSameWhateverTheNumberOfThreads) {
  CompareOptions options{.formulations = rows("all"), .rtols = {1e-4, 1e-6}, .until = 1, .points = 51};
  options.threads = 1;
  const auto one = compare(problem("pendulum_energy"), options);
  options.threads = 2;
  const auto two = compare(problem("pendulum_energy"), options);
  options.threads = 64;
  const auto many = compare(problem("pendulum_energy"), options);
  ASSERT_TRUE(one && two && many);
  EXPECT_EQ(one->rows.size(), 2 * all_formulations().size());
  EXPECT_EQ(without_times(*one), without_times(*two));
  EXPECT_EQ(without_times(*one), without_times(*many));
  for (std::size_t k = 0; k < one->rows.size(); ++k) {
    EXPECT_EQ(one->rows[k].curves.signals, two->rows[k].curves.signals);
    EXPECT_EQ(one->rows[k].curves.position_drift, two->rows[k].curves.position_drift);
  }
}

TEST(Compare, TighterTolerancesGiveSmallerErrors) {
  const auto comparison =
      compare(problem("pendulum_energy"), {.formulations = rows("ggl,symmetric-projection"),
                                           .rtols = {1e-8, 1e-4},  // in any order
                                           .until = 1});
  ASSERT_TRUE(comparison.has_value());
  ASSERT_EQ(comparison->rows.size(), 4U);
  EXPECT_TRUE(comparison->several_tolerances);
  EXPECT_EQ(comparison->rows[0].rtol, 1e-4);
  EXPECT_LT(comparison->rows[1].error, 1e-2 * comparison->rows[0].error);
  // Of order 2: half the step, a quarter of the error.
  EXPECT_EQ(comparison->rows[2].step, 1.0 / 2000);
  EXPECT_NEAR(comparison->rows[2].error / comparison->rows[3].error, 4, 0.1);
}

TEST(Compare, CanBeInterrupted) {
  CompareOptions options{.formulations = rows("dummy-derivatives,ggl"), .threads = 1};
  int calls = 0;
  options.progress = [&](const CompareProgress& progress) {
    EXPECT_EQ(progress.total, 4U);  // two rows, the reference and its control
    ++calls;
    return false;
  };
  const auto comparison = compare(problem("pendulum_energy"), options);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(calls, 1);
  for (const CompareRow& row : comparison->rows) EXPECT_EQ(row.status, RowStatus::Interrupted);
  EXPECT_FALSE(comparison->any_ran());
}

TEST(Compare, GivesUpRowsThatTakeTooLong) {
  const auto comparison = compare(problem("pendulum_energy"),
                                  {.formulations = rows("baumgarte-h"), .until = 1000, .limit = 0.01});
  ASSERT_TRUE(comparison.has_value());
  const CompareRow& row = comparison->rows[0];
  EXPECT_EQ(row.status, RowStatus::Failed);
  EXPECT_NE(row.reason.find("given up after 0.01 s"), std::string::npos) << row.reason;
  EXPECT_LT(row.t_end, 1000);
  EXPECT_EQ(comparison->reference.source, "none");  // had no more time either
}

TEST(Compare, WrongInputIsAnError) {
  const ModelSource model{.name = "decay", .text = decay, .settings = {}};
  EXPECT_FALSE(compare({.name = "bad", .text = "model", .settings = {}}, {}).has_value());
  EXPECT_FALSE(compare(model, {.until = -1}).has_value());
  CompareOptions options;
  options.reference = parse_reference("r.csv", "time,z\n0,1\n").value();
  const auto stranger = compare(model, options);
  ASSERT_FALSE(stranger.has_value());
  EXPECT_NE(stranger.error().front().message.find("no signal in common"), std::string::npos);
  options.reference = parse_reference("r.csv", "time,x\n0.0001,1\n").value();
  const auto between = compare(model, options);
  ASSERT_FALSE(between.has_value());
  EXPECT_NE(between.error().front().message.find("none of them is one of the 501 output points"),
            std::string::npos);
}

TEST(Compare, AReferenceOfTheEndOnlyIsEnough) {
  CompareOptions options{.formulations = rows("index1"), .rtols = {1e-8}};
  options.reference = parse_reference("end.csv", fmt::format("time,x\n2,{:.17g}\n", std::exp(-2))).value();
  const auto comparison = compare({.name = "decay", .text = decay, .settings = {}}, options);
  ASSERT_TRUE(comparison.has_value());
  EXPECT_EQ(comparison->reference.points, 1);
  EXPECT_LT(comparison->rows[0].error, 1e-6);  // 100 rtol
}

TEST(CompareText, HasOneAlignedLineARow) {
  const auto comparison =
      compare(problem("pendulum_energy"), {.formulations = rows("ggl,index1"), .until = 0.5});
  ASSERT_TRUE(comparison.has_value());
  std::istringstream lines(comparison_text(*comparison));
  std::vector<std::string> table;
  for (std::string line; std::getline(lines, line);) {
    if (!table.empty() || line.starts_with("formulation")) table.push_back(line);
  }
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[1].find("radau"), table[0].find("integrator"));
  EXPECT_EQ(table[2].find("radau"), table[0].find("integrator"));
  for (const char* column :
       {"status", "error", "position", "velocity", "energy", "steps", "evals", "Jac.", "LU", "seconds"})
    EXPECT_NE(table[0].find(column), std::string::npos) << column;
  EXPECT_EQ(table[1].size(), table[0].size());  // the last column is of numbers, to the right
}

TEST(CompareJson, HasEveryField) {
  const auto comparison =
      compare(problem("pendulum_energy"), {.formulations = rows("ggl,symmetric-projection"), .until = 0.5});
  ASSERT_TRUE(comparison.has_value());
  const auto json = nlohmann::json::parse(comparison_json(*comparison));
  EXPECT_EQ(json["model"], "PendulumEnergy");
  EXPECT_EQ(json["t_end"], 0.5);
  EXPECT_EQ(json["points"], 501);
  EXPECT_TRUE(json["atol"].is_null());
  EXPECT_EQ(json["reference"]["source"], "run");
  EXPECT_TRUE(json["reference"]["uncertainty"].is_number());
  EXPECT_EQ(json["signals"]["multipliers"], nlohmann::json::array({"lambda"}));
  ASSERT_EQ(json["rows"].size(), 2U);
  for (const auto& row : json["rows"]) {
    for (const char* key : {"formulation", "integrator", "status", "reason", "resolved", "worst_signal"})
      EXPECT_TRUE(row[key].is_string()) << key;
    for (const char* key :
         {"rtol", "t_end", "error", "worst_t", "multiplier_error", "energy_drift", "seconds"})
      EXPECT_TRUE(row[key].is_number()) << key;
    for (const char* key : {"steps", "rejected", "residual_evals", "jacobian_evals", "factorizations",
                            "newton_iterations", "rank_changes", "pivots"})
      EXPECT_TRUE(row[key].is_number_integer()) << key;
    EXPECT_TRUE(row["drift"]["position"].is_number());
    EXPECT_TRUE(row["drift"]["velocity"].is_number());
  }
  EXPECT_TRUE(json["rows"][0]["step"].is_null());
  EXPECT_EQ(json["rows"][1]["step"], 0.5 / 2000);
  EXPECT_NE(json["notes"][0].get<std::string>().find("h = 0.00025"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
