// The numbers of a page: arrays one after the other in a block of bytes, which the page reads as typed
// arrays.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace daedalus {

using PageJson = nlohmann::ordered_json;

class PageBlob {
 public:
  // What the page needs to find the array: {"type", "at", "length"}.
  [[nodiscard]] PageJson add(std::span<const double> values);  // kept as they are
  [[nodiscard]] PageJson add_single(std::span<const double> values);
  [[nodiscard]] PageJson add(std::span<const std::int16_t> values);
  [[nodiscard]] PageJson add(std::span<const std::int32_t> values);

  // Times: {"from", "to", "count"} when they are even to a millionth of their distance, else an array.
  [[nodiscard]] PageJson add_times(std::span<const double> times);

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string base64() const;

 private:
  template <class T>
  PageJson put(const char* type, std::span<const T> values);

  std::string bytes_;
};

// RFC 4648.
[[nodiscard]] std::string base64_of(std::string_view bytes);

}  // namespace daedalus
