#include "core/archive.hpp"

#include <fmt/format.h>

#include <bit>

namespace daedalus {
namespace {

// Changes when the form of the values does (which members there are is for the sections to say).
constexpr std::uint32_t kFormat = 1;
constexpr std::array<char, 8> kMagic{'D', 'a', 'e', 'd', 'S', 't', 'a', 't'};
constexpr std::uint32_t kByteOrder = 0x01020304;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t format = kFormat;
  std::uint64_t bytes = 0;  // of the values
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 32);

// FNV-1a over words of eight bytes: each step is one-to-one in the word, so that a single word that was
// changed is always seen.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t sum = 0xcbf29ce484222325 ^ bytes.size();
  for (std::size_t k = 0; k < bytes.size(); k += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + k, std::min(sizeof word, bytes.size() - k));
    sum = (sum ^ word) * kPrime;
    sum = std::rotl(sum, 29);
  }
  return sum;
}

// The name of a section as a number.
std::uint32_t short_name(std::string_view name) {
  constexpr std::uint32_t kPrime = 0x01000193;
  std::uint32_t sum = 0x811c9dc5;
  for (const char c : name) sum = (sum ^ static_cast<unsigned char>(c)) * kPrime;
  return sum;
}

}  // namespace

Archive::Archive(std::span<const std::byte> file) : reading_(true) {
  open(file);
}

void Archive::open(std::span<const std::byte> file) {
  Header header;
  if (file.size() < sizeof header) return fail("it is too short for a saved state");
  std::memcpy(&header, file.data(), sizeof header);
  in_ = file.subspan(sizeof header);
  if (header.magic != kMagic) return fail("it is not a saved state");
  if (header.byte_order != kByteOrder) return fail("it was saved by a processor with another order of bytes");
  if (header.format != kFormat)
    return fail(
        fmt::format("it has the format {}, and this program reads format {}", header.format, kFormat));
  if (header.bytes != in_.size()) return fail("it is not complete");
  if (header.checksum != checksum(in_)) fail("it was changed since it was saved: the checksum differs");
}

std::vector<std::byte> Archive::finish() const {
  assert(!reading_);
  Header header;
  header.bytes = out_.size();
  header.checksum = checksum(out_);
  std::vector<std::byte> file(sizeof header + out_.size());
  std::memcpy(file.data(), &header, sizeof header);
  if (!out_.empty()) std::memcpy(file.data() + sizeof header, out_.data(), out_.size());
  return file;
}

void Archive::turn() {
  assert(!reading_);
  reading_ = true;
  in_ = out_;
  at_ = 0;
}

void Archive::fail(std::string_view why) {
  if (error_.empty()) error_ = why;
}

void Archive::section(std::string_view name, std::uint32_t version) {
  std::array<std::uint32_t, 2> mark{short_name(name), version};
  const std::array<std::uint32_t, 2> expected = mark;
  raw(mark.data(), sizeof mark);
  if (!reading_ || !ok() || mark == expected) return;
  if (mark[0] != expected[0]) return fail(fmt::format("the state of '{}' is not where it should be", name));
  fail(fmt::format("the state of '{}' has version {}, and this program reads version {}", name, mark[1],
                   version));
}

std::size_t Archive::length(std::size_t entries, std::size_t bytes_each) {
  std::uint64_t count = entries;
  raw(&count, sizeof count);
  if (reading_ && ok() && count > (in_.size() - at_) / bytes_each) fail("it ends too early");
  return ok() ? static_cast<std::size_t>(count) : 0;
}

void Archive::item(bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  raw(&byte, sizeof byte);
  require(byte <= 1, "a flag that is neither true nor false");
  if (ok()) value = byte != 0;
}

void Archive::item(std::string& value) {
  const std::size_t n = length(value.size(), 1);
  if (!ok()) return;
  if (reading_) value.resize(n);
  raw(value.data(), n);
}

Result<void> outcome_of(const Archive& archive) {
  if (archive.ok()) return {};
  return daedalus::fail(
      fmt::format("the state cannot be {}: {}", archive.reading() ? "read" : "saved", archive.error()));
}

}  // namespace daedalus
