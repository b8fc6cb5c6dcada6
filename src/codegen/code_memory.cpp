#include "codegen/code_memory.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <iterator>

namespace daedalus {
namespace {

// Pieces begin with a line of the cache, so that no line holds the code of two programs.
constexpr std::size_t granularity = 64;
// Pages exist once they are written to, so a block that is too large costs addresses only.
constexpr std::size_t least_block = std::size_t{1} << 20;
// The pages of smaller pieces are kept for the next ones: the call that returns them costs as much as
// compiling a small program.
constexpr std::size_t least_returned = std::size_t{1} << 16;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

constexpr std::size_t rounded_up(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

CodeMemory& CodeMemory::of_process() {
  static CodeMemory& memory = *new CodeMemory;
  return memory;
}

// Only of_process() makes one, so that the functions called at a fork may ask for it.
CodeMemory::CodeMemory() {
  usable_ = pthread_atfork([] { of_process().before_fork(); }, [] { of_process().after_fork(); },
                           [] { of_process().after_fork(); }) == 0;
}

// Nobody is writing while the process is copied.
void CodeMemory::before_fork() {
  mutex_.lock();
}

void CodeMemory::after_fork() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  for (auto& [begin, block] : blocks_) block.writable = false;
  mutex_.unlock();
}

std::optional<CodeMemory::Piece> CodeMemory::add(std::span<const std::byte> code) {
  const std::size_t size = rounded_up(std::max<std::size_t>(code.size(), 1), granularity);
  const std::lock_guard lock(mutex_);
  if (!usable_) return std::nullopt;
  const std::optional<const std::byte*> place = place_for(size);
  if (!place) return std::nullopt;
  const auto block = block_of(*place);
  if (!write(block->second, static_cast<std::size_t>(*place - block->first), code)) {
    give_back(*place, size);
    return std::nullopt;
  }
  return Piece(*this, *place, size);
}

// The first stretch that is long enough.
std::optional<const std::byte*> CodeMemory::place_for(std::size_t size) {
  const auto take_from = [size](Block& block) -> std::optional<std::size_t> {
    const auto stretch = std::ranges::find_if(block.free, [&](const auto& s) { return s.second >= size; });
    if (stretch == block.free.end()) return std::nullopt;
    const auto [offset, length] = *stretch;
    block.free.erase(stretch);
    if (length > size) block.free.emplace(offset + size, length - size);
    block.used += size;
    return offset;
  };
  for (auto& [begin, block] : blocks_) {
    if (!block.writable || block.size - block.used < size) continue;
    if (const auto offset = take_from(block)) return begin + *offset;
  }
  const auto made = new_block(size);
  if (made == blocks_.end()) return std::nullopt;
  return made->first + *take_from(made->second);
}

// As large as all others together, so that there are few.
CodeMemory::Blocks::iterator CodeMemory::new_block(std::size_t least) {
  if (file_ < 0) {
    file_ = memfd_create("daedalus-code", MFD_CLOEXEC);
    file_size_ = 0;
  }
  if (file_ < 0) return blocks_.end();
  std::size_t size = std::max(least, least_block);
  for (const auto& [begin, block] : blocks_) size += block.writable ? block.size : 0;
  size = rounded_up(size, page_size());
  if (ftruncate(file_, static_cast<off_t>(file_size_ + size)) != 0) return blocks_.end();
  void* const begin =
      mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, file_, static_cast<off_t>(file_size_));
  if (begin == MAP_FAILED) return blocks_.end();
  Block block{.size = size, .used = 0, .file_offset = file_size_, .writable = true, .free = {{0, size}}};
  file_size_ += size;
  return blocks_.emplace(static_cast<const std::byte*>(begin), std::move(block)).first;
}

bool CodeMemory::write(const Block& block, std::size_t offset, std::span<const std::byte> code) const {
  while (!code.empty()) {
    const ssize_t written =
        pwrite(file_, code.data(), code.size(), static_cast<off_t>(block.file_offset + offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    offset += static_cast<std::size_t>(written);
    code = code.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

void CodeMemory::release(const std::byte* begin, std::size_t size) {
  const std::lock_guard lock(mutex_);
  give_back(begin, size);
}

void CodeMemory::give_back(const std::byte* begin, std::size_t size) {
  const auto found = block_of(begin);
  Block& block = found->second;
  auto offset = static_cast<std::size_t>(begin - found->first);
  block.used -= size;
  if (block.used == 0 && (!block.writable || block.size > least_block)) {
    return_pages(block, 0, block.size);
    munmap(const_cast<std::byte*>(found->first), block.size);
    blocks_.erase(found);
    return;
  }
  if (size >= least_returned) return_pages(block, offset, size);
  const auto next = block.free.lower_bound(offset);
  if (next != block.free.end() && next->first == offset + size) size += block.free.extract(next).mapped();
  const auto after = block.free.lower_bound(offset);
  if (after != block.free.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      block.free.erase(before);
    }
  }
  block.free.emplace(offset, size);
}

// The system has those back that lie in the stretch from end to end. It may refuse: then they are kept.
void CodeMemory::return_pages(const Block& block, std::size_t offset, std::size_t size) const {
  const std::size_t first = rounded_up(offset, page_size());
  const std::size_t last = (offset + size) / page_size() * page_size();
  if (!block.writable || first >= last) return;
  static_cast<void>(fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(block.file_offset + first),
                              static_cast<off_t>(last - first)));
}

CodeMemory::Blocks::iterator CodeMemory::block_of(const std::byte* place) {
  const auto after = blocks_.upper_bound(place);
  assert(after != blocks_.begin());
  return std::prev(after);
}

CodeMemory::Usage CodeMemory::usage() const {
  const std::lock_guard lock(mutex_);
  Usage usage;
  for (const auto& [begin, block] : blocks_) {
    usage.used += block.used;
    usage.mapped += block.size;
  }
  return usage;
}

}  // namespace daedalus
