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

// Printable ASCII and UTF-8 pass; control characters would garble a terminal.
char printable(char ch) {
  const auto byte = static_cast<unsigned char>(ch);
  return (byte < 0x20 || byte == 0x7f) ? ' ' : ch;
}

}  // namespace

std::string SourceMap::excerpt(SourceSpan span, std::size_t limit) const {
  if (!span.valid()) return {};
  const std::string& text = file(span.file).text;
  std::string out;
  bool space = false;
  for (std::size_t i = span.begin; i < std::min<std::size_t>(span.end, text.size()); ++i) {
    const char ch = printable(text[i]);
    if (ch == ' ') {
      space = !out.empty();
      continue;
    }
    if (space) out += ' ';
    space = false;
    out += ch;
    if (out.size() > limit) return out.substr(0, limit) + "...";
  }
  return out;
}

std::string SourceMap::line_with_caret(SourceSpan span) const {
  if (!span.valid()) return {};
  constexpr std::size_t window = 100;
  const SourceFile& source = file(span.file);
  const auto [line, column] = locate(span);
  const std::size_t begin = source.line_starts[static_cast<std::size_t>(line) - 1];
  const std::size_t newline = source.text.find('\n', begin);
  const std::size_t end = newline == std::string::npos ? source.text.size() : newline;
  const std::size_t caret = static_cast<std::size_t>(column) - 1;
  const std::size_t from = caret > window / 2 && end - begin > window ? caret - (window / 2) : 0;
  std::string shown = source.text.substr(begin + from, std::min(window, end - begin - from));
  std::transform(shown.begin(), shown.end(), shown.begin(), printable);
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  const std::string cut = from > 0 ? "..." : "";
  const std::size_t width = std::clamp<std::size_t>(
      std::min<std::size_t>(span.end, end) - std::min<std::size_t>(span.begin, end), 1, 60);
  const std::string marks = "^" + std::string(width - 1, '~');
  return fmt::format("  {}{}\n  {}{}", cut, shown, std::string(cut.size() + caret - from, ' '), marks);
}

std::string SourceMap::place(SourceSpan span) const {
  if (!span.valid()) return {};
  const auto [line, column] = locate(span);
  return fmt::format("{}:{}:{}", file(span.file).name, line, column);
}

}  // namespace daedalus
