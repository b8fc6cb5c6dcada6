#include "results/csv_text.hpp"

#include <cstring>

#include "core/shortest.hpp"

namespace daedalus {
namespace {

bool is_space(char ch) {
  return ch == ' ' || ch == '\t';
}

bool like_formula(std::string_view name) {
  const std::size_t first = name.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(name[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_field(std::string_view name) {
  const bool formula = like_formula(name);
  const bool spaces = !name.empty() && (is_space(name.front()) || is_space(name.back()));
  if (!formula && !spaces && name.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(name);
  std::string quoted = formula ? "\"'" : "\"";
  for (const char ch : name) {
    if (ch == '"') quoted += '"';
    quoted += ch;
  }
  return quoted + '"';
}

std::string_view csv_name(std::string_view field) {
  return field.starts_with('\'') && like_formula(field) ? field.substr(1) : field;
}

std::string csv_header(std::span<const Signal> signals) {
  std::string header = "time";
  for (const Signal& signal : signals) {
    header += ',';
    header += csv_field(signal.name);
  }
  return header + '\n';
}

char* CsvRows::room(std::size_t bytes) {
  if (size_ + bytes > memory_.size()) memory_.resize(2 * (size_ + bytes));
  return memory_.data() + size_;
}

void CsvRows::add(std::string_view text) {
  std::memcpy(room(text.size()), text.data(), text.size());
  size_ += text.size();
}

void CsvRows::add(double t, std::span<const double> values, std::span<const std::size_t> columns) {
  char* to = room(((values.size() + 1) * (longest_number + 1)) + number_room);
  to = write_shortest(to, t);
  const auto add_value = [&to](double value) {
    *to++ = ',';
    to = write_shortest(to, value);
  };
  if (columns.empty()) {
    for (const double value : values) add_value(value);
  } else {
    for (const std::size_t column : columns) add_value(values[column]);
  }
  *to++ = '\n';
  size_ = static_cast<std::size_t>(to - memory_.data());
}

}  // namespace daedalus
