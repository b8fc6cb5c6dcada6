#include "study/compare_reference.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "results/csv_text.hpp"

namespace daedalus {
namespace {

// Cuts the next line off the text, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// The fields of a line by RFC 4180; nothing when a quote is not closed.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char ch = line[i];
    if (quoted && ch == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (ch == '"') {
      quoted = !quoted;
    } else if (ch == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += ch;
    }
  }
  if (quoted) return std::nullopt;
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  Reader(const std::string& name, std::string_view csv) : rest_(csv) { table_.name = name; }

  Result<ReferenceTable> read() {
    if (auto ok = read_header(); !ok) return std::unexpected(ok.error());
    while (!rest_.empty()) {
      const std::string_view line = next();
      if (trimmed(line).empty()) continue;
      if (auto ok = read_row(line); !ok) return std::unexpected(ok.error());
    }
    if (table_.trajectory.times.empty()) return wrong("there are no rows of numbers");
    return std::move(table_);
  }

 private:
  [[nodiscard]] std::unexpected<Diagnostics> wrong(const std::string& what) const {
    return fail(fmt::format("the reference '{}', line {}: {}", table_.name, line_, what));
  }

  std::string_view next() {
    ++line_;
    return take_line(rest_);
  }

  Result<void> read_header() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // as spreadsheets begin
    const auto fields = fields_of(next());
    if (!fields || (fields->front() != "time" && fields->front() != "t")) {
      return wrong(
          "the first line must be the header 'time,name,…', as `daedalus run --out FILE.csv` writes it");
    }
    for (std::size_t i = 1; i < fields->size(); ++i)
      table_.trajectory.signals.push_back({.name = std::string(csv_name((*fields)[i]))});
    if (fields->size() < 2) return wrong("there is no signal beside time");
    return {};
  }

  Result<void> read_row(std::string_view line) {
    const auto fields = fields_of(line);
    const std::size_t columns = table_.trajectory.signals.size() + 1;
    if (!fields || fields->size() != columns) {
      return wrong(
          fmt::format("{} fields, but the header has {}", fields ? fields->size() : std::size_t{0}, columns));
    }
    for (std::size_t i = 0; i < columns; ++i) {
      const auto value = number_in((*fields)[i]);
      if (!value || !std::isfinite(*value))
        return wrong(fmt::format("'{}' is not a finite number", (*fields)[i]));
      (i == 0 ? table_.trajectory.times : table_.trajectory.values).push_back(*value);
    }
    const auto& times = table_.trajectory.times;
    if (times.size() > 1 && times.back() < times[times.size() - 2])
      return wrong(fmt::format("time goes back from {:g} to {:g}", times[times.size() - 2], times.back()));
    return {};
  }

  ReferenceTable table_;
  std::string_view rest_;
  int line_ = 0;
};

}  // namespace

std::string ReferenceInfo::text() const {
  if (source == "none") return "there is no reference, so that no errors are given";
  std::string sentence =
      fmt::format("errors are in parts of each signal's range, against {} at {} output points", name, points);
  if (control.empty()) return sentence;
  sentence +=
      fmt::format("; {} is {:.1e} away from it, and errors below that say nothing", control, uncertainty);
  // A single bad point should not be taken for all of them.
  if (uncertainty > 1e-4)
    sentence += fmt::format(" (at t = {:g}; half of the points are within {:.1e})", uncertain_at, typical);
  return sentence;
}

Result<ReferenceTable> parse_reference(const std::string& name, std::string_view csv) {
  return Reader(name, csv).read();
}

}  // namespace daedalus
