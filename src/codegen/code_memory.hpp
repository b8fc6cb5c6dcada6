// Memory for machine code that nobody can write to where it is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace daedalus {

// The pages are those of a file in memory, mapped to be read and executed and never to be written; code gets
// there by being written to the file. Code of several programs shares pages, and what is released is used
// again. All functions may be called from several threads at once.
//
// Parent and child of a fork share such pages, so neither of them may write to them any more: at a fork the
// file is closed, and code that is added later goes to a new one. What was there stays in use in both
// processes.
class CodeMemory {
 public:
  // The code of one program; it is released with its owner.
  class Piece {
   public:
    Piece(Piece&& other) noexcept
        : memory_(other.memory_), begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    Piece& operator=(Piece&&) = delete;
    ~Piece() {
      if (begin_ != nullptr) memory_->release(begin_, size_);
    }
    [[nodiscard]] const std::byte* begin() const { return begin_; }

   private:
    friend class CodeMemory;
    Piece(CodeMemory& memory, const std::byte* begin, std::size_t size)
        : memory_(&memory), begin_(begin), size_(size) {}
    CodeMemory* memory_;
    const std::byte* begin_;
    std::size_t size_;
  };

  // One for the process. It is never destroyed, because programs may be released when a process ends.
  static CodeMemory& of_process();

  // Nothing where the system does not let memory be executed, or has no more.
  [[nodiscard]] std::optional<Piece> add(std::span<const std::byte> code);

  // Bytes that pieces occupy, and addresses that are set aside for them.
  struct Usage {
    std::size_t used = 0;
    std::size_t mapped = 0;
  };
  [[nodiscard]] Usage usage() const;

  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory() = delete;

 private:
  // Pages that follow each other. Free stretches by their offsets; neighbours are joined.
  struct Block {
    std::size_t size = 0;
    std::size_t used = 0;
    std::uint64_t file_offset = 0;
    bool writable = true;  // the file that it shows is open
    std::map<std::size_t, std::size_t> free;
  };
  using Blocks = std::map<const std::byte*, Block>;

  CodeMemory();
  void before_fork();
  void after_fork();

  [[nodiscard]] std::optional<const std::byte*> place_for(std::size_t size);
  [[nodiscard]] Blocks::iterator new_block(std::size_t least);
  [[nodiscard]] bool write(const Block& block, std::size_t offset, std::span<const std::byte> code) const;
  void release(const std::byte* begin, std::size_t size);
  void give_back(const std::byte* begin, std::size_t size);
  void return_pages(const Block& block, std::size_t offset, std::size_t size) const;
  [[nodiscard]] Blocks::iterator block_of(const std::byte* place);

  mutable std::mutex mutex_;
  bool usable_ = false;  // forks are heard of
  int file_ = -1;        // closed: none
  std::uint64_t file_size_ = 0;
  Blocks blocks_;  // by their first addresses
};

}  // namespace daedalus
