#include "results/readers.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/options.hpp"
#include "results/csv_table.hpp"

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::vector<double>> numbers_of(const Json& array) {
  if (!array.is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& value : array) {
    if (!value.is_number() && !value.is_null()) return std::nullopt;
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return numbers;
}

const Json* member(const Json& object, const char* key, bool (Json::*kind)() const noexcept) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && ((*found).*kind)() ? &*found : nullptr;
}

std::string unit_of(const Json& object, const std::string& name) {
  const Json* units = member(object, "units", &Json::is_object);
  const Json* unit = units == nullptr ? nullptr : member(*units, name.c_str(), &Json::is_string);
  return unit == nullptr ? std::string() : unit->get<std::string>();
}

}  // namespace

std::span<const ReaderRow> trajectory_readers() {
  static constexpr std::array<ReaderRow, 3> rows{{
      {.extension = ".csv", .read = read_csv},
      {.extension = ".json", .read = read_json},
      {.extension = ".mat", .read = read_mat4},
  }};
  return rows;
}

Result<const ReaderRow*> find_reader(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  std::vector<std::string_view> known;
  for (const ReaderRow& row : trajectory_readers()) {
    if (row.extension == extension) return &row;
    known.push_back(row.extension);
  }
  return fail(fmt::format("'{}': {}", path, unknown_name_message("result format", extension, known)));
}

Result<std::string> read_bytes(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const auto cannot = [&](const char* why) { return fail(fmt::format("cannot read '{}': {}", path, why)); };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return cannot("it is a folder");
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return cannot(std::strerror(errno));
  std::string bytes;
  std::array<char, 1u << 16> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get()))
    bytes.append(chunk.data(), count);
  if (std::ferror(file.get()) != 0) return cannot(std::strerror(errno));
  return bytes;
}

Result<Trajectory> read_trajectory(const std::string& path) {
  const auto reader = find_reader(path);
  if (!reader) return std::unexpected(reader.error());
  const auto bytes = read_bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  return (*reader)->read(path, *bytes);
}

Result<Trajectory> read_csv(const std::string& name, std::string_view bytes) {
  auto table = read_csv_table(bytes, {.what = fmt::format("'{}'", name)});
  if (!table) return std::unexpected(table.error());
  return trajectory_of(*std::move(table));
}

Result<Trajectory> read_json(const std::string& name, std::string_view bytes) {
  const auto wrong = [&](const std::string& what) { return fail(fmt::format("'{}': {}", name, what)); };
  const Json object = Json::parse(bytes, nullptr, false);
  const Json* times = member(object, "time", &Json::is_array);
  const Json* signals = member(object, "signals", &Json::is_object);
  if (object.is_discarded() || times == nullptr || signals == nullptr)
    return wrong("not a result as `daedalus run --out FILE.json` writes it");
  Trajectory trajectory;
  const auto t = numbers_of(*times);
  if (!t) return wrong("'time' is not a list of numbers");
  trajectory.times = *t;
  trajectory.values.resize(t->size() * signals->size());
  for (const auto& [signal, list] : signals->items()) {
    const auto values = numbers_of(list);
    if (!values || values->size() != t->size())
      return wrong(fmt::format("'{}' is not a list of {} numbers", signal, t->size()));
    const std::size_t column = trajectory.signals.size();
    trajectory.signals.push_back({.name = signal, .unit = unit_of(object, signal)});
    for (std::size_t row = 0; row < t->size(); ++row)
      trajectory.values[(row * signals->size()) + column] = (*values)[row];
  }
  if (const Json* parameters = member(object, "parameters", &Json::is_object)) {
    for (const auto& [parameter, value] : parameters->items()) {
      if (value.is_number())
        trajectory.parameters.push_back({.signal = {.name = parameter, .unit = unit_of(object, parameter)},
                                         .value = value.get<double>()});
    }
  }
  return trajectory;
}

}  // namespace daedalus
