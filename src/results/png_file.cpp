#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "results/raster.hpp"

namespace daedalus {
namespace {

void put_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
    table[n] = c;
  }
  return table;
}();

std::string chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char ch : body) crc = crc_table[(crc ^ static_cast<unsigned char>(ch)) & 0xFFU] ^ (crc >> 8U);
  std::string out;
  put_big_endian(out, static_cast<std::uint32_t>(data.size()));
  out += body;
  put_big_endian(out, crc ^ 0xFFFFFFFFU);
  return out;
}

// Deflate with the fixed codes of RFC 1951, 3.2.6, and with repetitions of the byte before only. A filtered
// picture of lines on white is nearly all zeros, for which this is as good as any search.
class Deflate {
 public:
  std::string compress(const std::string& data) {
    out_ = {0x78, 0x01};  // zlib's header: RFC 1950
    bits(1, 1);           // the last block
    bits(1, 2);           // fixed codes
    for (std::size_t at = 0; at < data.size();) {
      std::size_t run = 0;
      while (at > 0 && run < 258 && at + run < data.size() && data[at + run] == data[at - 1]) ++run;
      if (run >= 3) {
        repeat(static_cast<unsigned>(run));
        at += run;
      } else {
        symbol(static_cast<unsigned char>(data[at]));
        ++at;
      }
    }
    symbol(256);
    if (used_ > 0) out_ += static_cast<char>(pending_);
    put_big_endian(out_, adler(data));
    return std::move(out_);
  }

 private:
  void bits(unsigned value, int count) {
    for (int i = 0; i < count; ++i) {
      pending_ |= ((value >> i) & 1U) << used_;
      if (++used_ == 8) {
        out_ += static_cast<char>(pending_);
        pending_ = 0;
        used_ = 0;
      }
    }
  }
  // Codes are written from their highest bit on.
  void code(unsigned value, int count) {
    for (int i = count - 1; i >= 0; --i) bits((value >> i) & 1U, 1);
  }
  void symbol(unsigned value) {
    if (value < 144)
      code(0x30U + value, 8);
    else if (value < 256)
      code(0x190U + value - 144, 9);
    else if (value < 280)
      code(value - 256, 7);
    else
      code(0xC0U + value - 280, 8);
  }
  void repeat(unsigned length) {
    static constexpr std::array<unsigned, 29> base{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                   15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                   67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::array<int, 29> extra{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    std::size_t row = base.size() - 1;
    while (base[row] > length) --row;
    symbol(257 + static_cast<unsigned>(row));
    bits(length - base[row], extra[row]);
    code(0, 5);  // distance 1
  }
  static std::uint32_t adler(const std::string& data) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const char ch : data) {
      a = (a + static_cast<unsigned char>(ch)) % 65521;
      b = (b + a) % 65521;
    }
    return (b << 16U) | a;
  }

  std::string out_;
  unsigned pending_ = 0;
  int used_ = 0;
};

// The picture in at most 256 colours, those that occur most; others take the nearest.
struct Indexed {
  std::string palette;  // three bytes a colour
  std::string pixels;
};

int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const int d = static_cast<int>((a >> shift) & 0xFFU) - static_cast<int>((b >> shift) & 0xFFU);
    sum += d * d;
  }
  return sum;
}

Indexed indexed(const Raster& raster) {
  const auto& bytes = raster.bytes();
  const auto colour = [&](std::size_t k) {
    return (std::uint32_t(bytes[k]) << 16U) | (std::uint32_t(bytes[k + 1]) << 8U) | bytes[k + 2];
  };
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (std::size_t k = 0; k < bytes.size(); k += 3) ++counts[colour(k)];
  std::vector<std::pair<std::uint32_t, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const std::size_t kept = std::min<std::size_t>(256, order.size());
  Indexed out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t number = i;
    for (std::size_t j = 0; i >= kept && j < kept; ++j) {
      if (number >= kept ||
          distance(order[j].first, order[i].first) < distance(order[number].first, order[i].first))
        number = j;
    }
    counts[order[i].first] = number;
    for (int shift = 16; i < kept && shift >= 0; shift -= 8)
      out.palette += static_cast<char>((order[i].first >> shift) & 0xFFU);
  }
  out.pixels.reserve(bytes.size() / 3);
  for (std::size_t k = 0; k < bytes.size(); k += 3) out.pixels += static_cast<char>(counts[colour(k)]);
  return out;
}

// Rows as they are (filter 0): the most frequent colour, the paper, is one long run.
std::string rows_of(const Raster& raster, const std::string& pixels) {
  const auto width = static_cast<std::size_t>(raster.width());
  std::string out;
  out.reserve(pixels.size() + static_cast<std::size_t>(raster.height()));
  for (std::size_t at = 0; at < pixels.size(); at += width) {
    out += '\0';
    out += std::string_view(pixels).substr(at, width);
  }
  return out;
}

}  // namespace

std::string png_file(const Raster& raster, double pixels_per_inch) {
  std::string header;
  put_big_endian(header, static_cast<std::uint32_t>(raster.width()));
  put_big_endian(header, static_cast<std::uint32_t>(raster.height()));
  header += {8, 3, 0, 0, 0};  // 8 bits a pixel, a palette, deflate, filters, not interlaced
  std::string density;
  const auto per_metre = static_cast<std::uint32_t>(pixels_per_inch / 0.0254);
  put_big_endian(density, per_metre);
  put_big_endian(density, per_metre);
  density += '\1';
  const Indexed picture = indexed(raster);
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("PLTE", picture.palette) +
         chunk("pHYs", density) + chunk("IDAT", Deflate().compress(rows_of(raster, picture.pixels))) +
         chunk("IEND", "");
}

}  // namespace daedalus
