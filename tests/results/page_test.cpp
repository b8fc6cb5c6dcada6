// What a page carries: numbers as bytes, thinned where there are too many, and a mechanism's poses and
// forces.
#include "results/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "mechanics/equations.hpp"
#include "mechanics/mechanism_builder.hpp"
#include "results/page_blob.hpp"
#include "results/page_scene.hpp"
#include "results/page_series.hpp"
#include "results/page_structure.hpp"
#include "results/support.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

// The reverse of base64, written for this test.
std::string decoded(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned pending = 0;
  int bits = 0;
  for (const char ch : text) {
    if (ch == '=') break;
    pending = (pending << 6U) | static_cast<unsigned>(letters.find(ch));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>((pending >> bits) & 0xFFU);
    }
  }
  return out;
}

template <class T>
std::vector<T> array_of(const PageBlob& blob, const PageJson& place) {
  const std::string bytes = decoded(blob.base64());
  std::vector<T> out(place["length"].get<std::size_t>());
  std::memcpy(out.data(), bytes.data() + place["at"].get<std::size_t>(), sizeof(T) * out.size());
  return out;
}

TEST(PageBlob, Base64OfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
}

TEST(PageBlob, ArraysBeginWhereTypedArraysMay) {
  PageBlob blob;
  const std::vector<std::int16_t> small{1, -2, 3};
  const std::vector<double> large{0.1, -1e300};
  const PageJson first = blob.add(small);
  const PageJson second = blob.add(large);
  EXPECT_EQ(second["at"].get<std::size_t>() % 8, 0U);
  EXPECT_EQ(array_of<std::int16_t>(blob, first), small);
  EXPECT_EQ(array_of<double>(blob, second), large);
}

TEST(PageBlob, EvenTimesAreThreeNumbers) {
  PageBlob blob;
  std::vector<double> times;
  for (int k = 0; k <= 1000; ++k) times.push_back(0.1 * k);
  const PageJson even = blob.add_times(times);
  EXPECT_EQ(even["count"], 1001);
  EXPECT_EQ(blob.size(), 0U);
  times[500] = times[499];  // an event
  EXPECT_EQ(array_of<double>(blob, blob.add_times(times)), times);
}

Trajectory many(std::size_t rows, std::size_t signals) {
  Trajectory trajectory;
  for (std::size_t k = 0; k < signals; ++k) trajectory.signals.push_back({.name = "s" + std::to_string(k)});
  for (std::size_t row = 0; row < rows; ++row) {
    trajectory.times.push_back(static_cast<double>(row));
    for (std::size_t k = 0; k < signals; ++k) trajectory.values.push_back(static_cast<double>(row + k));
  }
  return trajectory;
}

TEST(PageSeries, AllRowsOfWhatIsDrawnAndFewerOfTheRest) {
  PageBlob blob;
  const Trajectory trajectory = many(1001, 100);
  const PageJson tables = signal_tables(trajectory, {42}, 200'000, blob);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0]["stride"], 1);
  EXPECT_EQ(tables[0]["signals"][0]["name"], "s42");
  EXPECT_EQ(tables[0]["signals"][0]["data"]["length"], 1001);
  EXPECT_GT(tables[1]["stride"], 1);
  EXPECT_LE(blob.size(), 220'000U);
  // Thinned, but from the first row to the last.
  const auto thinned = array_of<float>(blob, tables[1]["signals"][0]["data"]);
  EXPECT_EQ(thinned.back() - thinned.front(), 1000);
}

TEST(PageSeries, EverythingInOneTableWhenThereIsRoom) {
  PageBlob blob;
  const PageJson tables = signal_tables(many(11, 3), {}, 1'000'000, blob);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(array_of<float>(blob, tables[0]["signals"][2]["data"]).back(), 12);
}

TEST(PageSeries, OneBadRowOfDriftIsKept) {
  Trajectory trajectory = many(100'000, 1);
  trajectory.drift = {std::vector<double>(trajectory.rows(), 1e-15)};
  trajectory.drift[0][54'321] = 1e-3;
  PageBlob blob;
  const PageJson drift = drift_series(trajectory, blob);
  const auto values = array_of<float>(blob, drift["levels"][0]);
  EXPECT_LE(values.size(), 4000U);
  EXPECT_EQ(std::ranges::max(values), 1e-3F);
}

TEST(PageSeries, ShortestAndLongestStepsOfVeryMany) {
  StepLog steps;
  for (int k = 0; k < 100'000; ++k) {
    steps.times.push_back(k);
    steps.sizes.push_back(k == 777 ? 1e-9 : k == 4242 ? 5 : 1);
    steps.orders.push_back(k == 777 ? 1 : 5);
  }
  PageBlob blob;
  const PageJson data = step_series(steps, blob);
  const auto sizes = array_of<float>(blob, data["h"]);
  EXPECT_LE(sizes.size(), 10'000U);
  EXPECT_EQ(std::ranges::min(sizes), 1e-9F);
  EXPECT_EQ(std::ranges::max(sizes), 5);
  const auto times = array_of<double>(blob, data["t"]);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(data["count"], 100'000);
}

// A rod that hangs at rest: its weight is what the joint carries, upwards on the rod.
TEST(PageScene, PoseAndReactionOfAHangingRod) {
  MechanismBuilder m("Hanging", Dimension::Planar);
  m.gravity({0, -10, 0});
  const BodyId rod = m.rod("rod", {1, 2, 0}, {1, 0, 0}, 3);
  m.revolute("A", ground, rod, {1, 2, 0});
  m.marker("end", rod, {1, 0, 0});
  const Mechanism mechanism = m.finish();
  const auto system = equations_of(mechanism);
  ASSERT_TRUE(system);
  RunOptions options;
  options.points = 5;
  const auto result = simulate(*system, options);
  ASSERT_TRUE(result && result->ok());
  PageBlob blob;
  const PageJson scene = scene_data(mechanism, result->trajectory, 1'000'000, blob);
  EXPECT_EQ(scene["planar"], true);
  // The centre of mass does not move: it is the origin of the poses.
  EXPECT_NEAR(scene["origin"][0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(scene["origin"][1].get<double>(), 1, 1e-9);
  const auto poses = array_of<std::int16_t>(blob, scene["poses"]);
  ASSERT_EQ(poses.size(), 5U * 7U);
  // The rod's x axis points down: turned by -90 degrees about z, a quaternion of (√½, 0, 0, -√½).
  const double half = 32767 * std::numbers::sqrt2 / 2;
  EXPECT_NEAR(std::abs(poses[3]), half, 1);
  EXPECT_NEAR(poses[6] * (poses[3] < 0 ? -1 : 1), -half, 1);
  EXPECT_NEAR(scene["force"].get<double>(), 30, 1e-6);
  const auto forces = array_of<std::int16_t>(blob, scene["reactions"]);
  EXPECT_EQ(forces[1], 32767);
  EXPECT_NEAR(forces[0], 0, 1);
}

TEST(PageScene, NothingWithoutTheMechanismsSignals) {
  MechanismBuilder m("Other", Dimension::Planar);
  (void)m.rod("rod", {0, 0, 0}, {1, 0, 0}, 1);
  PageBlob blob;
  EXPECT_TRUE(scene_data(m.finish(), sample_trajectory(), 1'000, blob).is_null());
}

RunResult sample_run(Trajectory trajectory) {
  RunResult result;
  result.trajectory = std::move(trajectory);
  return result;
}

TEST(Page, StaysBelowFiveMegabytesWhateverTheRun) {
  const RunResult result = sample_run(many(20'000, 300));
  const auto page = run_page({.result = &result, .command = ""});
  ASSERT_TRUE(page);
  EXPECT_LT(page->size(), 5'000'000U);
  EXPECT_GT(page->size(), 3'000'000U);
}

TEST(Page, NamesCannotEndTheScript) {
  Trajectory trajectory = sample_trajectory();
  trajectory.signals[0].name = "</script><script>alert(1)</script>\xff";
  const RunResult result = sample_run(trajectory);
  const auto page = run_page({.result = &result, .command = "x <!-- y"});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page->find("<!-- y"), std::string::npos);
}

TEST(Page, AsksForNothingFromElsewhere) {
  const RunResult result = sample_run(sample_trajectory());
  const auto page = run_page({.result = &result, .command = ""});
  ASSERT_TRUE(page);
  for (const char* word : {"http:", "https:", " src=", "@import", "url(", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page->find(word), std::string::npos) << word;
  for (const char* left : {"@title@", "@style@", "@script@", "@data@", "@numbers@"})
    EXPECT_EQ(page->find(left), std::string::npos) << left;
}

TEST(Page, UnknownVariableIsAnError) {
  const RunResult result = sample_run(sample_trajectory());
  EXPECT_FALSE(run_page({.result = &result, .command = "", .variables = {"nobody"}}));
}

TEST(Page, EmptyRunIsStillAPage) {
  const RunResult result = sample_run({});
  EXPECT_TRUE(run_page({.result = &result, .command = ""}));
}

}  // namespace
}  // namespace daedalus
