// The file is read back by a reader written from the format's description, not from the writer.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

struct Matrix {
  std::int32_t type = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string bytes;

  template <class T>
  [[nodiscard]] T at(std::size_t row, std::size_t column) const {
    T value{};
    std::memcpy(&value, bytes.data() + ((column * rows + row) * sizeof(T)), sizeof(T));
    return value;
  }
  // The column as text, without the padding.
  [[nodiscard]] std::string column_text(std::size_t column) const {
    std::string text = bytes.substr(column * rows, rows);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }
  [[nodiscard]] std::string row_text(std::size_t row) const {
    std::string text;
    for (std::size_t column = 0; column < columns; ++column) text += at<char>(row, column);
    return text;
  }
};

struct MatFile {
  std::vector<std::string> order;
  std::map<std::string, Matrix> matrices;
};

MatFile parse_mat4(const std::string& bytes) {
  MatFile file;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::int32_t header[5];
    if (at + sizeof header > bytes.size()) throw std::runtime_error("header cut short");
    std::memcpy(header, bytes.data() + at, sizeof header);
    at += sizeof header;
    Matrix matrix{.type = header[0],
                  .rows = static_cast<std::size_t>(header[1]),
                  .columns = static_cast<std::size_t>(header[2]),
                  .bytes = {}};
    const std::string name = bytes.substr(at, static_cast<std::size_t>(header[4]) - 1);
    at += static_cast<std::size_t>(header[4]);
    const int precision = header[0] / 10;  // 0: double, 2: 32-bit integer, 5: bytes
    const std::size_t width = precision == 0 ? 8 : precision == 2 ? 4 : 1;
    matrix.bytes = bytes.substr(at, matrix.rows * matrix.columns * width);
    if (matrix.bytes.size() != matrix.rows * matrix.columns * width)
      throw std::runtime_error("data cut short");
    at += matrix.bytes.size();
    file.order.push_back(name);
    file.matrices[name] = matrix;
  }
  return file;
}

// Values of a name, found as DyMat and OMPython do: through dataInfo.
std::vector<double> values_of(const MatFile& file, const std::string& name) {
  const Matrix& names = file.matrices.at("name");
  const Matrix& info = file.matrices.at("dataInfo");
  for (std::size_t i = 0; i < names.columns; ++i) {
    if (names.column_text(i) != name) continue;
    const int block = info.at<std::int32_t>(0, i);
    const Matrix& data = file.matrices.at(block == 1 ? "data_1" : "data_2");
    const auto row = static_cast<std::size_t>(info.at<std::int32_t>(1, i)) - 1;
    std::vector<double> values;
    for (std::size_t column = 0; column < data.columns; ++column)
      values.push_back(data.at<double>(row, column));
    return values;
  }
  return {};
}

using Mat4 = FolderTest;

TEST_F(Mat4, HasTheLayoutOfModelicaTools) {
  ASSERT_TRUE(write_trajectory(sample_trajectory(), path("a.mat")));
  const MatFile file = parse_mat4(read("a.mat"));
  EXPECT_EQ(file.order,
            (std::vector<std::string>{"Aclass", "name", "description", "dataInfo", "data_1", "data_2"}));
  const std::vector<std::int32_t> types{51, 51, 51, 20, 0, 0};
  for (std::size_t i = 0; i < types.size(); ++i) EXPECT_EQ(file.matrices.at(file.order[i]).type, types[i]);
  const Matrix& aclass = file.matrices.at("Aclass");
  ASSERT_EQ(aclass.rows, 4u);
  ASSERT_EQ(aclass.columns, 11u);
  EXPECT_EQ(aclass.row_text(0), "Atrajectory");
  EXPECT_EQ(aclass.row_text(1), "1.1        ");
  EXPECT_EQ(aclass.row_text(2), "           ");
  EXPECT_EQ(aclass.row_text(3), "binTrans   ");
}

TEST_F(Mat4, TimeIsTheAbscissaOfBothMatrices) {
  const Trajectory trajectory = sample_trajectory();
  ASSERT_TRUE(write_trajectory(trajectory, path("a.mat")));
  const MatFile file = parse_mat4(read("a.mat"));
  EXPECT_EQ(file.matrices.at("name").column_text(0), "time");
  const Matrix& info = file.matrices.at("dataInfo");
  EXPECT_EQ(info.at<std::int32_t>(0, 0), 0);
  EXPECT_EQ(info.at<std::int32_t>(1, 0), 1);
  EXPECT_EQ(values_of(file, "time"), trajectory.times);
  const Matrix& parameters = file.matrices.at("data_1");
  EXPECT_EQ(parameters.at<double>(0, 0), trajectory.times.front());
  EXPECT_EQ(parameters.at<double>(0, 1), trajectory.times.back());
}

TEST_F(Mat4, EverySignalAndParameterIsFoundByName) {
  const Trajectory trajectory = sample_trajectory();
  ASSERT_TRUE(write_trajectory(trajectory, path("a.mat")));
  const MatFile file = parse_mat4(read("a.mat"));
  for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
    std::vector<double> expected;
    for (std::size_t row = 0; row < trajectory.rows(); ++row) expected.push_back(trajectory.at(row, column));
    EXPECT_EQ(values_of(file, trajectory.signals[column].name), expected);
  }
  for (const ParameterValue& parameter : trajectory.parameters) {
    EXPECT_EQ(values_of(file, parameter.signal.name), std::vector<double>(2, parameter.value));
  }
}

TEST_F(Mat4, DescriptionsCarryUnits) {
  ASSERT_TRUE(write_trajectory(sample_trajectory(), path("a.mat")));
  const Matrix description = parse_mat4(read("a.mat")).matrices.at("description");
  EXPECT_EQ(description.column_text(0), "Simulation time [s]");
  EXPECT_EQ(description.column_text(1), "position [m]");
  EXPECT_EQ(description.column_text(2), "");
  EXPECT_EQ(description.column_text(4), "mass [kg]");
}

TEST_F(Mat4, RunThatEndedAtOnceIsReadable) {
  Trajectory trajectory = sample_trajectory(0);
  trajectory.parameters.clear();
  ASSERT_TRUE(write_trajectory(trajectory, path("a.mat")));
  const MatFile file = parse_mat4(read("a.mat"));
  EXPECT_EQ(file.matrices.at("data_1").rows, 1u);
  EXPECT_EQ(file.matrices.at("data_2").columns, 0u);
}

}  // namespace
}  // namespace daedalus
