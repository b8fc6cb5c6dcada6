// The memory of an object to bytes and back, by one list of its members:
//
//   void Controller::state(Archive& archive) {
//     archive.section("controller", 1);
//     archive(h_, order_, rejected_).sized(n, error_);
//     archive.require(order_ >= 1 && order_ <= kMaxOrder, "an order that there is not");
//   }
//
// The same call writes and reads. Reading trusts nothing: lengths are bounded by the bytes that are left, and
// the first thing that does not fit makes the archive fail; from then on nothing more is read. What is used
// as an index or ends a loop must be checked by require(). An object whose reading has failed may hold some
// of the values.
//
// Numbers are kept as the processor has them (IEEE, little-endian; another order of bytes is refused), so
// that what is read continues with the same bits. to_bytes() puts the format's version and a checksum around
// the values.
//
// An archive for a copy within the process (copy_state) also hands objects over: what is large and does not
// change, such as an analysed pattern, is shared instead of being made anew.
#pragma once

#include <array>
#include <cassert>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

class Archive {
 public:
  enum class Purpose { Bytes, Copy };

  // Writes.
  explicit Archive(Purpose purpose = Purpose::Bytes) : purpose_(purpose) {}
  // Reads what finish() gave, which must live as long as the archive.
  explicit Archive(std::span<const std::byte> file);

  // Of a writing archive: the values with version and checksum around them.
  [[nodiscard]] std::vector<std::byte> finish() const;
  // A writing archive becomes a reading one.
  void turn();

  [[nodiscard]] bool reading() const { return reading_; }
  [[nodiscard]] bool copying() const { return purpose_ == Purpose::Copy; }
  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool at_end() const { return at_ == in_.size(); }
  // The first failure counts.
  void fail(std::string_view why);
  // Of what was read.
  void require(bool holds, std::string_view why) {
    if (reading_ && !holds) fail(why);
  }

  // What follows is this, in this version: another one is refused by name.
  void section(std::string_view name, std::uint32_t version);

  // Numbers, flags, strings, arrays, vectors, optional values, and whatever has a state().
  template <class... T>
  Archive& operator()(T&... values) {
    (item(values), ...);
    return *this;
  }
  // Vectors that have n entries, or else do not belong here.
  template <class... T>
  Archive& sized(std::size_t n, std::vector<T>&... vectors) {
    (sized_one(n, vectors), ...);
    return *this;
  }
  // An enumerator, counted from 0.
  template <class Enum>
  Archive& choice(Enum& value, Enum last) {
    auto number = static_cast<std::int64_t>(value);
    item(number);
    require(number >= 0 && number <= static_cast<std::int64_t>(last), "an unknown choice");
    if (ok()) value = static_cast<Enum>(number);
    return *this;
  }
  // Values that are nothing but numbers, as many as there are, without their length.
  template <class T>
  Archive& block(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(values.data(), values.size_bytes());
    return *this;
  }

  // Of a copy: what give() was given comes out of take() in the same order. Null: nothing was given.
  template <class T>
  void give(std::unique_ptr<T> object) {
    handed_.push_back(std::make_unique<Holding<T>>(std::move(object)));
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<T> take() {
    if (handed_.empty()) return nullptr;
    const std::unique_ptr<Held> first = std::move(handed_.front());
    handed_.pop_front();
    auto* const holding = dynamic_cast<Holding<T>*>(first.get());
    assert(holding != nullptr);
    return std::move(holding->object);
  }

 private:
  struct Held {
    Held() = default;
    virtual ~Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
  };
  template <class T>
  struct Holding final : Held {
    explicit Holding(std::unique_ptr<T> held) : object(std::move(held)) {}
    std::unique_ptr<T> object;
  };

  template <class T>
  static constexpr bool is_plain = std::is_same_v<T, double> || std::is_same_v<T, int> ||
                                   std::is_same_v<T, char> || std::is_same_v<T, std::complex<double>>;

  void raw(void* values, std::size_t bytes) {
    if (!reading_) {
      const auto* const first = static_cast<const std::byte*>(values);
      out_.insert(out_.end(), first, first + bytes);
      return;
    }
    if (!ok()) return;
    if (bytes > in_.size() - at_) return fail("it ends too early");
    if (bytes > 0) std::memcpy(values, in_.data() + at_, bytes);
    at_ += bytes;
  }

  void open(std::span<const std::byte> file);
  // How many entries follow, each of at least so many bytes.
  std::size_t length(std::size_t entries, std::size_t bytes_each);
  void item(bool& value);
  void item(double& value) { raw(&value, sizeof value); }
  void item(std::complex<double>& value) { raw(&value, sizeof value); }
  void item(std::string& value);
  // All integers take 64 bits.
  template <class T>
  requires std::is_integral_v<T>
  void item(T& value) {
    static_assert(sizeof(T) <= sizeof(std::int64_t));
    auto wide = static_cast<std::int64_t>(value);
    raw(&wide, sizeof wide);
    if (!reading_ || !ok()) return;
    if (static_cast<std::int64_t>(static_cast<T>(wide)) != wide) return fail("a number that does not fit");
    value = static_cast<T>(wide);
  }
  template <class T>
  requires requires(T& value, Archive& archive) { value.state(archive); }
  void item(T& value) { value.state(*this); }
  template <class T, std::size_t n>
  void item(std::array<T, n>& values) {
    for (T& value : values) item(value);
  }
  template <class T>
  void item(std::optional<T>& value) {
    bool there = value.has_value();
    item(there);
    if (reading_) there ? void(value.emplace()) : value.reset();
    if (there) item(*value);
  }
  template <class T>
  void item(std::vector<T>& values) {
    const std::size_t n = length(values.size(), is_plain<T> ? sizeof(T) : 1);
    if (!ok()) return;
    if (reading_) values.resize(n);
    entries(values);
  }
  template <class T>
  void sized_one(std::size_t n, std::vector<T>& values) {
    assert(reading_ || values.size() == n);
    const std::size_t stored = length(values.size(), is_plain<T> ? sizeof(T) : 1);
    require(stored == n, "a vector has another length");
    if (!ok()) return;
    if (reading_) values.resize(n);
    entries(values);
  }
  template <class T>
  void entries(std::vector<T>& values) {
    if constexpr (is_plain<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) item(value);
    }
  }

  Purpose purpose_ = Purpose::Bytes;
  bool reading_ = false;
  std::vector<std::byte> out_;
  std::span<const std::byte> in_;
  std::size_t at_ = 0;
  std::string error_;
  std::deque<std::unique_ptr<Held>> handed_;
};

// The failure of an archive as an error.
[[nodiscard]] Result<void> outcome_of(const Archive& archive);

// A state() that only writes does not change its object.
template <class T>
[[nodiscard]] Result<std::vector<std::byte>> to_bytes(const T& object) {
  Archive archive;
  const_cast<T&>(object).state(archive);
  if (auto outcome = outcome_of(archive); !outcome) return std::unexpected(std::move(outcome).error());
  return archive.finish();
}

template <class T>
[[nodiscard]] Result<void> from_bytes(std::span<const std::byte> bytes, T& object) {
  Archive archive(bytes);
  if (archive.ok()) object.state(archive);
  archive.require(archive.at_end(), "there is more in it than belongs there");
  return outcome_of(archive);
}

// The memory of one object to another of the same kind. False: they are not alike.
template <class T>
[[nodiscard]] bool copy_state(const T& from, T& to) {
  Archive archive(Archive::Purpose::Copy);
  const_cast<T&>(from).state(archive);
  archive.turn();
  to.state(archive);
  return archive.ok();
}

}  // namespace daedalus
