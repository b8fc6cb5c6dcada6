// PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (central directory) and 4.3.16 (its end).
#include "fmu/zip_file.hpp"

#include <array>
#include <cstdint>

namespace daedalus {
namespace {

constexpr unsigned version = 20;  // needed to extract: folders
constexpr unsigned names_are_utf8 = 1U << 11U;
constexpr unsigned stored = 0;
constexpr unsigned dos_date = (1U << 5U) | 1U;  // 1 January 1980: the same bytes whenever it is written

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
    table[n] = c;
  }
  return table;
}();

void put(std::string& out, std::size_t value, int bytes) {
  for (int k = 0; k < bytes; ++k)
    out += static_cast<char>((value >> (8U * static_cast<unsigned>(k))) & 0xFFU);
}

// What local header and central directory have in common: from the version needed to the length of extra
// fields.
void put_common(std::string& out, const ZipEntry& entry, unsigned crc) {
  put(out, version, 2);
  put(out, names_are_utf8, 2);
  put(out, stored, 2);
  put(out, 0, 2);  // time
  put(out, dos_date, 2);
  put(out, crc, 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);
}

}  // namespace

unsigned crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char ch : bytes) crc = crc_table[(crc ^ static_cast<unsigned char>(ch)) & 0xFFU] ^ (crc >> 8U);
  return crc ^ 0xFFFFFFFFU;
}

std::string zip_archive(const std::vector<ZipEntry>& entries) {
  std::string out;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::size_t offset = out.size();
    const unsigned crc = crc32_of(entry.bytes);
    out += "PK\x03\x04";
    put_common(out, entry, crc);
    out += entry.name;
    out += entry.bytes;
    directory += "PK\x01\x02";
    put(directory, version, 2);  // made by
    put_common(directory, entry, crc);
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // internal attributes
    put(directory, 0, 4);  // external attributes
    put(directory, offset, 4);
    directory += entry.name;
  }
  const std::size_t start = out.size();
  out += directory;
  out += "PK\x05\x06";
  put(out, 0, 4);  // disks
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);  // comment
  return out;
}

}  // namespace daedalus
