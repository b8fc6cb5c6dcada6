#include "core/source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus {

std::int32_t SourceMap::add(std::string name, std::string text) {
  SourceFile file{.name = std::move(name), .text = std::move(text), .line_starts = {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return static_cast<std::int32_t>(files_.size()) - 1;
}

const SourceFile& SourceMap::file(std::int32_t number) const {
  return files_.at(static_cast<std::size_t>(number));
}

LineColumn SourceMap::locate(SourceSpan span) const {
  if (!span.valid()) return {};
  const auto& starts = file(span.file).line_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), span.begin);
  const auto line = static_cast<int>(after - starts.begin());
  return {.line = line, .column = static_cast<int>(span.begin - *(after - 1)) + 1};
}

namespace {

bool continues(char ch) {
  return (static_cast<unsigned char>(ch) & 0xc0) == 0x80;
}

// Bytes of the UTF-8 character at the front of a text that is not empty; 0 when there is no whole one.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length
                                                                                                      : 0;
}

// A model may hold any bytes; what is shown is UTF-8 in which control characters (they would garble a
// terminal) are spaces and stray bytes are question marks.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool c1_control = length == 2 && lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (length == 0) {
      out += '?';
    } else if (lead < 0x20 || lead == 0x7f || c1_control) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Columns that a printable text takes, every character counted as one.
std::size_t columns(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

}  // namespace

std::string SourceMap::excerpt(SourceSpan span, std::size_t limit) const {
  if (!span.valid()) return {};
  const std::string_view text = file(span.file).text;
  const std::size_t begin = std::min<std::size_t>(span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text.size());
  std::string out;
  bool space = false;
  for (std::size_t i = begin; i < end;) {
    const std::size_t length = std::max<std::size_t>(character_length(text.substr(i, end - i)), 1);
    const std::string character = printable(text.substr(i, length));
    i += length;
    if (character == " ") {
      space = !out.empty();
      continue;
    }
    if (out.size() + (space ? 1 : 0) + character.size() > limit) return out + "...";
    if (space) out += ' ';
    space = false;
    out += character;
  }
  return out;
}

std::string SourceMap::line_with_caret(SourceSpan span) const {
  if (!span.valid()) return {};
  constexpr std::size_t window = 100;
  const SourceFile& source = file(span.file);
  const std::string_view text = source.text;
  // A span beyond the text points behind its last byte.
  span.begin = std::min(span.begin, static_cast<std::uint32_t>(text.size()));
  const std::size_t begin = source.line_starts[static_cast<std::size_t>(locate(span).line) - 1];
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::size_t from = begin;
  if (span.begin - begin > window / 2 && end - begin > window) {
    from = span.begin - (window / 2);
    while (from < span.begin && continues(text[from])) ++from;
  }
  std::string shown = printable(text.substr(from, std::min(window, end - from)));
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  const std::string cut = from > begin ? "..." : "";
  const std::size_t indent = cut.size() + columns(printable(text.substr(from, span.begin - from)));
  const std::size_t span_end = std::clamp<std::size_t>(span.end, span.begin, end);
  const std::string span_text = printable(text.substr(span.begin, std::min(span_end - span.begin, window)));
  const std::size_t width = std::clamp<std::size_t>(columns(span_text), 1, 60);
  return fmt::format("  {}{}\n  {}^{}", cut, shown, std::string(indent, ' '), std::string(width - 1, '~'));
}

std::string SourceMap::place(SourceSpan span) const {
  if (!span.valid()) return {};
  const auto [line, column] = locate(span);
  return fmt::format("{}:{}:{}", file(span.file).name, line, column);
}

}  // namespace daedalus
