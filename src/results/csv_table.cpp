#include "results/csv_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "results/csv_text.hpp"

namespace daedalus {
namespace {

bool is_space(char ch) {
  return ch == ' ' || ch == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A field in a message: not too long, and nothing that a terminal obeys.
std::string shown(std::string_view field) {
  constexpr std::size_t longest = 40;
  std::string text;
  for (const char ch : field.substr(0, longest)) text += static_cast<unsigned char>(ch) < 0x20 ? '?' : ch;
  return field.size() > longest ? text + "…" : text;
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    // Too large, or too small to be told from 0.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    return tiny ? std::optional(0.0) : std::nullopt;
  }
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class CsvReader {
 public:
  CsvReader(std::string_view text, const CsvRules& rules) : rest_(text), rules_(rules) {}

  Result<CsvTable> read() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // as spreadsheets begin
    if (auto good = read_header(); !good) return std::unexpected(good.error());
    while (!rest_.empty()) {
      if (auto good = read_row(); !good) return std::unexpected(good.error());
    }
    if (table_.times.empty()) return wrong("there are no rows of numbers");
    return std::move(table_);
  }

 private:
  [[nodiscard]] std::unexpected<Diagnostics> wrong(const std::string& what) const {
    return fail(fmt::format("{}, line {}: {}", rules_.what, line_, what));
  }

  // The fields of the next record, which may go over several lines where they are quoted. False: a quote is
  // not closed.
  bool next_record() {
    line_ = next_line_;
    fields_.clear();
    std::string field;
    bool quoted = false;
    bool was_quoted = false;
    const auto finish = [&] {
      fields_.emplace_back(was_quoted ? field : std::string(trimmed(field)));
      field.clear();
      was_quoted = false;
    };
    std::size_t k = 0;
    for (; k < rest_.size(); ++k) {
      const char ch = rest_[k];
      if (ch == '\n') ++next_line_;
      if (quoted) {
        if (ch != '"') {
          field += ch;
        } else if (k + 1 < rest_.size() && rest_[k + 1] == '"') {
          field += rest_[++k];
        } else {
          quoted = false;
        }
      } else if (ch == '"' && trimmed(field).empty()) {
        quoted = was_quoted = true;
        field.clear();
      } else if (ch == ',') {
        finish();
      } else if (ch == '\n') {
        break;
      } else if (!(ch == '\r' && (k + 1 == rest_.size() || rest_[k + 1] == '\n')) &&
                 !(was_quoted && is_space(ch))) {
        field += ch;
      }
    }
    finish();
    rest_.remove_prefix(std::min(k + 1, rest_.size()));
    return !quoted;
  }

  Result<void> read_header() {
    if (!next_record() || (fields_.front() != "time" && fields_.front() != "t"))
      return wrong("the first line must be the header 'time,name,…'");
    if (fields_.size() > rules_.limits.columns)
      return wrong(fmt::format("more than {} columns", rules_.limits.columns));
    std::unordered_set<std::string> seen;
    for (std::size_t k = 1; k < fields_.size(); ++k) {
      std::string name(csv_name(fields_[k]));
      if (name.empty()) return wrong(fmt::format("column {} has no name", k + 1));
      if (!seen.insert(name).second) return wrong(fmt::format("two columns are called '{}'", shown(name)));
      table_.names.push_back(std::move(name));
    }
    if (table_.names.empty()) return wrong("there is no column beside time");
    return {};
  }

  [[nodiscard]] std::string column_name(std::size_t k) const {
    return k == 0 ? "time" : shown(table_.names[k - 1]);
  }

  Result<void> read_row() {
    if (!next_record()) return wrong("a quote is not closed");
    if (fields_.size() == 1 && fields_.front().empty()) return {};
    const std::size_t columns = table_.names.size() + 1;
    if (fields_.size() < columns)
      return wrong(fmt::format("{} fields, but the header has {}: there is no value for '{}'", fields_.size(),
                               columns, column_name(fields_.size())));
    if (fields_.size() > columns)
      return wrong(fmt::format("{} fields, but the header has {}", fields_.size(), columns));
    if (table_.values.size() + columns > rules_.limits.values)
      return wrong(fmt::format("more than {} values", rules_.limits.values));
    for (std::size_t k = 0; k < columns; ++k) {
      const auto value = number_in(fields_[k]);
      if (!value)
        return wrong(fmt::format("column '{}': '{}' is not a number", column_name(k), shown(fields_[k])));
      if (!std::isfinite(*value) && (rules_.finite || k == 0))
        return wrong(
            fmt::format("column '{}': '{}' is not a finite number", column_name(k), shown(fields_[k])));
      (k == 0 ? table_.times : table_.values).push_back(*value);
    }
    const auto& times = table_.times;
    if (times.size() > 1 && times.back() < times[times.size() - 2])
      return wrong(fmt::format("column 'time': it goes back from {:g} to {:g}", times[times.size() - 2],
                               times.back()));
    return {};
  }

  std::string_view rest_;
  const CsvRules& rules_;
  CsvTable table_;
  std::vector<std::string> fields_;
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
};

}  // namespace

std::vector<double> CsvTable::column(std::size_t number) const {
  std::vector<double> taken;
  taken.reserve(times.size());
  for (std::size_t row = 0; row < times.size(); ++row) taken.push_back(values[(row * names.size()) + number]);
  return taken;
}

Result<CsvTable> read_csv_table(std::string_view text, const CsvRules& rules) {
  return CsvReader(text, rules).read();
}

Trajectory trajectory_of(CsvTable table) {
  Trajectory trajectory;
  for (std::string& name : table.names) trajectory.signals.push_back({.name = std::move(name)});
  trajectory.times = std::move(table.times);
  trajectory.values = std::move(table.values);
  return trajectory;
}

}  // namespace daedalus
