#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "results/readers.hpp"
#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

// RFC 4180, written independently of the writer.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1);
  rows.back().emplace_back();
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char ch = text[i];
    if (quoted) {
      if (ch == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += '"';
        ++i;
      } else if (ch == '"') {
        quoted = false;
      } else {
        rows.back().back() += ch;
      }
    } else if (ch == '"') {
      quoted = true;
    } else if (ch == ',') {
      rows.back().emplace_back();
    } else if (ch == '\n') {
      rows.emplace_back();
      rows.back().emplace_back();
    } else {
      rows.back().back() += ch;
    }
  }
  rows.pop_back();  // after the last line break
  return rows;
}

using Csv = FolderTest;

TEST_F(Csv, HeaderAndEveryValueRoundTrip) {
  const Trajectory trajectory = sample_trajectory();
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  const auto rows = parse_csv(read("a.csv"));
  ASSERT_EQ(rows.size(), trajectory.rows() + 1);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time", "x", "y", "on"}));
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    ASSERT_EQ(rows[row + 1].size(), 4u);
    // Equal to the last bit: the digits determine the double.
    EXPECT_EQ(std::strtod(rows[row + 1][0].c_str(), nullptr), trajectory.times[row]);
    for (std::size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(std::strtod(rows[row + 1][column + 1].c_str(), nullptr), trajectory.at(row, column));
    }
  }
}

TEST_F(Csv, HasAsFewDigitsAsDetermineTheNumber) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "x"}};
  trajectory.times = {0};
  trajectory.values = {0.1};
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  EXPECT_EQ(read("a.csv"), "time,x\n0,0.1\n");
}

TEST_F(Csv, ExtremeValuesRoundTrip) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values{Limits::max(), Limits::lowest(),     Limits::min(), Limits::denorm_min(),
                                   -0.0,          1 + Limits::epsilon()};
  Trajectory trajectory;
  trajectory.signals = {{.name = "x"}};
  for (const double value : values) {
    trajectory.times.push_back(static_cast<double>(trajectory.times.size()));
    trajectory.values.push_back(value);
  }
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  const auto rows = parse_csv(read("a.csv"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double back = std::strtod(rows[i + 1][1].c_str(), nullptr);
    EXPECT_EQ(back, values[i]);
    EXPECT_EQ(std::signbit(back), std::signbit(values[i]));
  }
}

TEST_F(Csv, NotFiniteIsWritten) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "x"}, {.name = "y"}};
  trajectory.times = {0};
  trajectory.values = {std::nan(""), -std::numeric_limits<double>::infinity()};
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  EXPECT_EQ(read("a.csv"), "time,x,y\n0,nan,-inf\n");
}

TEST_F(Csv, NamesWithCommasAndQuotesAreQuoted) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "R.T[1,2]"}, {.name = "a \"b\""}, {.name = "der(x)"}};
  trajectory.times = {0};
  trajectory.values = {1, 2, 3};
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  EXPECT_TRUE(read("a.csv").starts_with("time,\"R.T[1,2]\",\"a \"\"b\"\"\",der(x)\n"));
  EXPECT_EQ(parse_csv(read("a.csv"))[0], (std::vector<std::string>{"time", "R.T[1,2]", "a \"b\"", "der(x)"}));
}

// A spreadsheet takes a cell that begins with one of these for a formula, quoted or not.
TEST_F(Csv, NamesLikeFormulasAreText) {
  const std::vector<std::string> names{"=1+1", "+x", "-x", "@f", "'=x'", "''-", "'plain'", "a=b", " s "};
  Trajectory trajectory;
  for (const std::string& name : names) trajectory.signals.push_back({.name = name});
  trajectory.times = {0};
  trajectory.values.assign(names.size(), -1);
  ASSERT_TRUE(write_trajectory(trajectory, path("a.csv")));
  EXPECT_TRUE(read("a.csv").starts_with(R"(time,"'=1+1","'+x","'-x","'@f","''=x'","'''-",'plain',a=b," s ")"
                                        "\n0,-1,"));
  const auto back = read_trajectory(path("a.csv"));
  ASSERT_TRUE(back);
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(back->signals[k].name, names[k]);
}

TEST_F(Csv, EmptyTrajectoryIsAHeader) {
  ASSERT_TRUE(write_trajectory(Trajectory{}, path("a.csv")));
  EXPECT_EQ(read("a.csv"), "time\n");
}

}  // namespace
}  // namespace daedalus
