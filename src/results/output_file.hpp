// A file being written. Nothing is lost in silence: the first error of any write is kept, and close()
// returns it. The file takes the place of an older one by close(), if everything arrived.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"
#include "results/replacement.hpp"

namespace daedalus {

class OutputFile {
 public:
  // "-" is standard output.
  [[nodiscard]] static Result<OutputFile> open(const std::string& path);

  void write(std::string_view bytes);
  // The fewest digits that read back as the same number. "nan", "inf", "-inf" otherwise.
  void write_number(double value);

  [[nodiscard]] bool ok() const { return file_.ok(); }
  // Flushes, closes, and says whether everything arrived.
  [[nodiscard]] Result<void> close();

 private:
  OutputFile(std::string path, Replacement file);
  void flush();

  std::string path_;
  Replacement file_;
  std::string buffer_;
};

// Whether the file could be opened for writing, without touching it: to be asked before a long run.
[[nodiscard]] Result<void> check_writable(const std::string& path);

}  // namespace daedalus
