// An archive in the format of zip, entries as they are (not compressed), which every reader takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

struct ZipEntry {
  std::string name;  // with '/' between folders
  std::string bytes;
};

// CRC-32 as zip and PNG have it.
[[nodiscard]] unsigned crc32_of(std::string_view bytes);

// Entries and the whole below 4 GiB.
[[nodiscard]] std::string zip_archive(const std::vector<ZipEntry>& entries);

}  // namespace daedalus
