// The layout is described in mat4.cpp. Both orientations are read: "binTrans", in which a column is a name or
// an instant, and "binNormal".
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "results/readers.hpp"

namespace daedalus {
namespace {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  // column by column; characters as their codes

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values[(column * rows) + row]; }
};

Matrix transposed(const Matrix& matrix) {
  Matrix out{.rows = matrix.columns, .columns = matrix.rows, .values = {}};
  out.values.reserve(matrix.values.size());
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column)
      out.values.push_back(matrix.at(row, column));
  }
  return out;
}

template <class T>
double value_at(std::string_view bytes, std::size_t k) {
  T value;
  std::memcpy(&value, bytes.data() + (k * sizeof(T)), sizeof(T));
  return static_cast<double>(value);
}

struct Element {
  std::size_t size = 0;
  double (*read)(std::string_view, std::size_t) = nullptr;
};

// By the tens of the type: how a value is stored.
Element element_of(int type) {
  constexpr std::array<Element, 6> elements{{{8, value_at<double>},
                                             {4, value_at<float>},
                                             {4, value_at<std::int32_t>},
                                             {2, value_at<std::int16_t>},
                                             {2, value_at<std::uint16_t>},
                                             {1, value_at<std::uint8_t>}}};
  const bool known = type >= 0 && type < 60 && (type % 10 == 0 || type % 10 == 1);
  return known ? elements[static_cast<std::size_t>(type / 10)] : Element{};
}

class Mat4Reader {
 public:
  Mat4Reader(const std::string& name, std::string_view bytes) : name_(name), rest_(bytes) {}

  Result<Trajectory> read() {
    while (!rest_.empty()) {
      if (!read_matrix()) return wrong("it ends within a matrix, or is not a MATLAB file of version 4");
    }
    for (const char* key : {"Aclass", "name", "dataInfo", "data_2"}) {
      if (!matrices_.contains(key)) return wrong(fmt::format("there is no matrix '{}'", key));
    }
    const std::vector<std::string> layout = texts(transposed(matrices_["Aclass"]));
    if (layout.size() < 4 || layout[0] != "Atrajectory" || layout[1] != "1.1")
      return wrong("not a result of a Modelica tool (Atrajectory 1.1)");
    if (layout[3] != "binTrans") {
      for (auto& [key, matrix] : matrices_) matrix = transposed(matrix);
    }
    return assemble();
  }

 private:
  [[nodiscard]] std::unexpected<Diagnostics> wrong(const std::string& what) const {
    return fail(fmt::format("'{}': {}", name_, what));
  }

  bool read_matrix() {
    std::array<std::int32_t, 5> header{};
    if (rest_.size() < sizeof(header)) return false;
    std::memcpy(header.data(), rest_.data(), sizeof(header));
    rest_.remove_prefix(sizeof(header));
    const auto [type, rows, columns, imaginary, length] = header;
    const Element element = element_of(type);
    if (element.size == 0 || rows < 0 || columns < 0 || imaginary != 0 || length < 1 ||
        rest_.size() < static_cast<std::size_t>(length))
      return false;
    const std::string key(rest_.substr(0, static_cast<std::size_t>(length) - 1));
    rest_.remove_prefix(static_cast<std::size_t>(length));
    Matrix matrix{
        .rows = static_cast<std::size_t>(rows), .columns = static_cast<std::size_t>(columns), .values = {}};
    const std::size_t count = matrix.rows * matrix.columns;
    if (rest_.size() / element.size < count) return false;
    matrix.values.reserve(count);
    for (std::size_t k = 0; k < count; ++k) matrix.values.push_back(element.read(rest_, k));
    rest_.remove_prefix(count * element.size);
    matrices_[key] = std::move(matrix);
    return true;
  }

  // One text a column, without the spaces behind it.
  static std::vector<std::string> texts(const Matrix& matrix) {
    std::vector<std::string> found;
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      std::string text;
      for (std::size_t row = 0; row < matrix.rows; ++row)
        text +=
            static_cast<char>(static_cast<unsigned char>(static_cast<int>(matrix.at(row, column)) & 0xFF));
      while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.pop_back();
      found.push_back(std::move(text));
    }
    return found;
  }

  Signal signal(const std::string& signal_name, const std::string& description) const {
    const std::size_t open = description.ends_with(']') ? description.rfind('[') : std::string::npos;
    if (open == std::string::npos) return {.name = signal_name, .description = description};
    std::string words = description.substr(0, open);
    while (words.ends_with(' ')) words.pop_back();
    return {.name = signal_name,
            .unit = description.substr(open + 1, description.size() - open - 2),
            .description = std::move(words)};
  }

  Result<Trajectory> assemble() {
    const std::vector<std::string> names = texts(matrices_["name"]);
    std::vector<std::string> descriptions = texts(matrices_["description"]);
    descriptions.resize(names.size());
    const Matrix& info = matrices_["dataInfo"];
    const Matrix& data = matrices_["data_2"];
    const Matrix& constants = matrices_["data_1"];
    if (info.rows < 2 || info.columns != names.size() || names.empty())
      return wrong("the matrices 'name' and 'dataInfo' do not fit");
    Trajectory trajectory;
    std::vector<std::pair<std::size_t, double>> rows;  // of the signals in data_2, with their sign
    for (std::size_t k = 1; k < names.size(); ++k) {
      const double matrix = info.at(0, k);
      const double place = std::abs(info.at(1, k));
      const double sign = info.at(1, k) < 0 ? -1 : 1;
      const Matrix& source = matrix == 1 ? constants : data;
      if ((matrix != 1 && matrix != 2) || !(place >= 1) || place > static_cast<double>(source.rows) ||
          (matrix == 1 && source.columns == 0))
        return wrong(fmt::format("'{}' is not in the data", names[k]));
      const std::size_t row = static_cast<std::size_t>(place) - 1;
      if (matrix == 1) {
        trajectory.parameters.push_back(
            {.signal = signal(names[k], descriptions[k]), .value = sign * source.at(row, 0)});
      } else {
        trajectory.signals.push_back(signal(names[k], descriptions[k]));
        rows.emplace_back(row, sign);
      }
    }
    if (data.rows == 0) return wrong("there are no rows");
    for (std::size_t column = 0; column < data.columns; ++column) {
      trajectory.times.push_back(data.at(0, column));
      for (const auto& [row, sign] : rows) trajectory.values.push_back(sign * data.at(row, column));
    }
    return trajectory;
  }

  std::string name_;
  std::string_view rest_;
  std::map<std::string, Matrix> matrices_;
};

}  // namespace

Result<Trajectory> read_mat4(const std::string& name, std::string_view bytes) {
  return Mat4Reader(name, bytes).read();
}

}  // namespace daedalus
