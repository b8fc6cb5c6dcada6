// Source text and places in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

// A half-open range of bytes [begin, end) of one file of a SourceMap. file < 0: no place (a model
// built in C++).
struct SourceSpan {
  std::int32_t file = -1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool valid() const { return file >= 0; }
};

struct SourceFile {
  std::string name;  // as the user gave it; "-" for standard input
  std::string text;
  std::vector<std::uint32_t> line_starts;  // offset of the first byte of each line
};

// Line and column counted from 1; columns count bytes.
struct LineColumn {
  int line = 0;
  int column = 0;
};

class SourceMap {
 public:
  // Returns the file's number, for SourceSpan::file.
  std::int32_t add(std::string name, std::string text);

  [[nodiscard]] const SourceFile& file(std::int32_t number) const;
  [[nodiscard]] LineColumn locate(SourceSpan span) const;  // {0, 0} for an invalid span
  // The text of the span, white space folded, at most `limit` bytes (then "...").
  [[nodiscard]] std::string excerpt(SourceSpan span, std::size_t limit = 160) const;
  // The whole line where the span begins, cut to a window around the column when it is long.
  [[nodiscard]] std::string line_with_caret(SourceSpan span) const;
  // "file:line:column", or "" for an invalid span.
  [[nodiscard]] std::string place(SourceSpan span) const;

 private:
  std::vector<SourceFile> files_;
};

}  // namespace daedalus
