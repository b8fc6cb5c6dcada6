// A GPU through libraries that are looked for when the program runs: the driver and NVRTC, NVIDIA's compiler.
// Where one of them is not there, that is a sentence and nothing else happens.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "core/diagnostic.hpp"

namespace daedalus {

// Memory on the device, given back at the end.
class CudaMemory {
 public:
  CudaMemory() = default;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  CudaMemory(CudaMemory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
  CudaMemory& operator=(CudaMemory&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~CudaMemory();
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(address_);
  }

 private:
  friend class CudaDevice;
  unsigned long long address_ = 0;
};

// The first device. All of it is used by one thread at a time: lock() it.
class CudaDevice {
 public:
  // Found once; an error says what is missing.
  [[nodiscard]] static Result<std::shared_ptr<CudaDevice>> get();
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // A compiled source, kept for the next time it is asked for; `seconds`: what compiling took, 0 if it was
  // kept.
  [[nodiscard]] Result<void*> compiled(const std::string& source, double* seconds);
  // This thread works with the device from now on.
  [[nodiscard]] Result<void> take();
  [[nodiscard]] std::size_t free_memory();
  [[nodiscard]] Result<CudaMemory> allocate(std::size_t bytes);
  [[nodiscard]] Result<void> upload(const CudaMemory& to, const void* from, std::size_t bytes);
  [[nodiscard]] Result<void> download(void* to, const CudaMemory& from, std::size_t bytes);
  // Waits until it is done.
  [[nodiscard]] Result<void> launch(void* function, std::size_t threads, void** arguments);

 private:
  CudaDevice() = default;
  struct Parts;
  [[nodiscard]] std::string open();
  std::string name_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace daedalus
