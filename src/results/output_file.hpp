// A file being written. Nothing is lost in silence: the first error of any write is kept, and close()
// returns it. What was written before the error stays on the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"

namespace daedalus {

class OutputFile {
 public:
  // "-" is standard output.
  [[nodiscard]] static Result<OutputFile> open(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // 17 significant digits: enough to read the same number back. "nan", "inf", "-inf" otherwise.
  void write_number(double value);

  [[nodiscard]] bool ok() const { return error_ == 0; }
  // Flushes, closes, and says whether everything arrived.
  [[nodiscard]] Result<void> close();

 private:
  OutputFile(std::string path, int descriptor);
  void flush();

  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first failure
  std::size_t written_ = 0;
  std::string buffer_;
};

// Whether the file could be opened for writing, without touching it: to be asked before a long run.
[[nodiscard]] Result<void> check_writable(const std::string& path);

}  // namespace daedalus
