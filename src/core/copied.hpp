// A pointer that owns its object and copies it along: null, or one object. For parts of a class that are made
// only when they are needed, in classes whose copies are independent of each other.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace daedalus {

template <class T>
class Copied {
 public:
  Copied() = default;
  Copied(std::unique_ptr<T> object)
      : object_(std::move(object)) {}  // NOLINT: a unique_ptr that can be copied
  Copied(const Copied& other) : object_(copy_of(other.object_)) {}
  Copied(Copied&&) noexcept = default;
  Copied& operator=(const Copied& other) {
    if (this != &other) object_ = copy_of(other.object_);
    return *this;
  }
  Copied& operator=(Copied&&) noexcept = default;
  ~Copied() = default;

  [[nodiscard]] T* get() const { return object_.get(); }
  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }
  void reset() { object_.reset(); }
  friend bool operator==(const Copied& a, std::nullptr_t) { return a.object_ == nullptr; }

 private:
  // Objects behind an interface say how they are copied.
  static std::unique_ptr<T> copy_of(const std::unique_ptr<T>& object) {
    if (object == nullptr) return nullptr;
    if constexpr (requires {
                    { object->copy() } -> std::convertible_to<std::unique_ptr<T>>;
                  }) {
      return object->copy();
    } else {
      return std::unique_ptr<T>(new T(*object));
    }
  }

  std::unique_ptr<T> object_;
};

}  // namespace daedalus
