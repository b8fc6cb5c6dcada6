#include "results/page_blob.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace daedalus {

// Browsers run on machines that store the low byte first, and so do we.
static_assert(std::endian::native == std::endian::little);

template <class T>
PageJson PageBlob::put(const char* type, std::span<const T> values) {
  bytes_.resize((bytes_.size() + 7) / 8 * 8);  // typed arrays begin at multiples of their size
  const std::size_t at = bytes_.size();
  bytes_.resize(at + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size_bytes());
  return {{"type", type}, {"at", at}, {"length", values.size()}};
}

PageJson PageBlob::add(std::span<const double> values) {
  return put("f64", values);
}

PageJson PageBlob::add_single(std::span<const double> values) {
  std::vector<float> single(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) single[i] = static_cast<float>(values[i]);
  return put("f32", std::span<const float>(single));
}

PageJson PageBlob::add(std::span<const std::int16_t> values) {
  return put("i16", values);
}

PageJson PageBlob::add(std::span<const std::int32_t> values) {
  return put("i32", values);
}

PageJson PageBlob::add_times(std::span<const double> times) {
  if (times.size() < 2) return add(times);
  const double from = times.front();
  const double step = (times.back() - from) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(std::abs(times[i] - (from + (step * static_cast<double>(i)))) <= 1e-6 * step)) return add(times);
  }
  return {{"from", from}, {"to", times.back()}, {"count", times.size()}};
}

std::string PageBlob::base64() const {
  return base64_of(bytes_);
}

std::string base64_of(std::string_view bytes) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[i])) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned triple = (byte(i) << 16U) | (byte(i + 1) << 8U) | byte(i + 2);
    out += letters[(triple >> 18U) & 63U];
    out += letters[(triple >> 12U) & 63U];
    out += i + 1 < bytes.size() ? letters[(triple >> 6U) & 63U] : '=';
    out += i + 2 < bytes.size() ? letters[triple & 63U] : '=';
  }
  return out;
}

}  // namespace daedalus
