// A file that takes the place of another one when it has content: what was there before survives until then.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnostic.hpp"

namespace daedalus {

// Bytes go to a new file in the same folder ("NAME.new-PID-K") and, by take_place(), under the name asked
// for, with the permissions of the file that was there. A link keeps pointing where it does. What is not an
// ordinary file (a device, a pipe), and files in a folder where nothing can be made, are written in place;
// "-" is standard output.
class Replacement {
 public:
  [[nodiscard]] static Result<Replacement> open(const std::string& path);

  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&&) = delete;
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  // The new file goes if it did not take its place.
  ~Replacement();

  [[nodiscard]] bool ok() const { return error_ == 0; }
  [[nodiscard]] int error() const { return error_; }  // errno of the first failure
  [[nodiscard]] std::size_t written() const { return written_; }
  [[nodiscard]] bool in_place() const { return new_name_.empty(); }

  // By one write(2) unless the system takes less at a time. Of bytes that do not fit nothing stays, where the
  // file can be cut.
  void write(std::string_view bytes);
  void take_place();
  // Empties the file.
  void truncate();
  // Closes; what failed is in error().
  void close();

 private:
  Replacement(std::string target, std::string new_name, int descriptor);

  std::string target_;    // links followed
  std::string new_name_;  // empty: it is in its place
  int descriptor_ = -1;
  int error_ = 0;
  std::size_t written_ = 0;
};

// Whether two names mean one file: by device and number where both exist, by their folders otherwise.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

}  // namespace daedalus
