// CSV by RFC 4180, as text: a header of names, rows of numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/trajectory.hpp"

namespace daedalus {

// A name as a field. One with a comma, a quote, a line break or spaces at an end is quoted, quotes inside
// doubled. One that begins with =, +, -, @ or a tab, which a spreadsheet would take for a formula, gets an
// apostrophe in front and is quoted; so does one that begins like that behind apostrophes, so that csv_name
// finds every name again.
[[nodiscard]] std::string csv_field(std::string_view name);
// The name of a field from which the quotes are taken off.
[[nodiscard]] std::string_view csv_name(std::string_view field);

// "time,x,y\n"
[[nodiscard]] std::string csv_header(std::span<const Signal> signals);

// Rows one after the other in one piece of memory, which grows and is never given back.
class CsvRows {
 public:
  // `columns`: which of the values are written; empty: all.
  void add(double t, std::span<const double> values, std::span<const std::size_t> columns = {});
  void add(std::string_view text);
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view text() const { return {memory_.data(), size_}; }

 private:
  char* room(std::size_t bytes);

  std::vector<char> memory_;
  std::size_t size_ = 0;
};

}  // namespace daedalus
