#include "results/input_series.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

const std::vector<std::string> inputs{"u", "force"};

std::string error_of(std::string_view text) {
  const auto series = read_inputs("u.csv", text, inputs, false);
  return series ? "" : series.error().front().message;
}

TEST(InputSeries, OneAColumn) {
  const auto series = read_inputs("u.csv", "time,force,u\n0,1,2\n1,3,4\n", inputs, true);
  ASSERT_TRUE(series);
  ASSERT_EQ(series->size(), 2u);
  EXPECT_EQ((*series)[0].name, "force");
  EXPECT_EQ((*series)[0].times, (std::vector<double>{0, 1}));
  EXPECT_EQ((*series)[0].values, (std::vector<double>{1, 3}));
  EXPECT_EQ((*series)[1].values, (std::vector<double>{2, 4}));
  EXPECT_TRUE((*series)[1].held);
}

TEST(InputSeries, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of("time,u,forse\n0,1,2\n"),
            "the input 'u.csv', line 1: unknown input 'forse'; did you mean 'force'? (known: u, force)");
  EXPECT_EQ(error_of("time,u\n0,1\n"),
            "the input 'u.csv', line 1: there is no column 'force', which is an input of the model");
  EXPECT_EQ(error_of("time,u,force\n0,1,nan\n"),
            "the input 'u.csv', line 2: column 'force': 'nan' is not a finite number");
}

}  // namespace
}  // namespace daedalus
