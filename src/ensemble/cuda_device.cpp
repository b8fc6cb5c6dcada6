#include "ensemble/cuda_device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace daedalus {
namespace {

using Status = int;  // 0: good

// What is called of the driver (cuda.h) and of NVRTC (nvrtc.h), whose headers need not be there.
struct Driver {
  Status (*init)(unsigned);
  Status (*device_get)(int*, int);
  Status (*device_name)(char*, int, int);
  Status (*device_attribute)(int*, int, int);
  Status (*retain)(void**, int);
  Status (*release)(int);
  Status (*set_current)(void*);
  Status (*module_load)(void**, const void*);
  Status (*module_function)(void**, void*, const char*);
  Status (*allocate)(unsigned long long*, std::size_t);
  Status (*free)(unsigned long long);
  Status (*upload)(unsigned long long, const void*, std::size_t);
  Status (*download)(void*, unsigned long long, std::size_t);
  Status (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
  Status (*synchronise)();
  Status (*memory)(std::size_t*, std::size_t*);
  Status (*error_name)(Status, const char**);
};
struct Compiler {
  Status (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  Status (*compile)(void*, int, const char* const*);
  Status (*destroy)(void**);
  Status (*code_size)(void*, std::size_t*);
  Status (*code)(void*, char*);
  Status (*log_size)(void*, std::size_t*);
  Status (*log)(void*, char*);
};

// cuda.h's numbers of what is asked for.
constexpr int major_capability = 75;
constexpr int minor_capability = 76;
constexpr unsigned block = 128;  // threads; 64 are as fast, 256 leave registers unused

Driver driver;
Compiler compiler;

void* open_one_of(std::span<const char* const> names) {
  for (const char* const name : names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  static_assert(sizeof symbol == sizeof function);
  __builtin_memcpy(&function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

bool find_driver(void* library) {
  return find(library, "cuInit", driver.init) && find(library, "cuDeviceGet", driver.device_get) &&
         find(library, "cuDeviceGetName", driver.device_name) &&
         find(library, "cuDeviceGetAttribute", driver.device_attribute) &&
         find(library, "cuDevicePrimaryCtxRetain", driver.retain) &&
         find(library, "cuDevicePrimaryCtxRelease_v2", driver.release) &&
         find(library, "cuCtxSetCurrent", driver.set_current) &&
         find(library, "cuModuleLoadData", driver.module_load) &&
         find(library, "cuModuleGetFunction", driver.module_function) &&
         find(library, "cuMemAlloc_v2", driver.allocate) && find(library, "cuMemFree_v2", driver.free) &&
         find(library, "cuMemcpyHtoD_v2", driver.upload) &&
         find(library, "cuMemcpyDtoH_v2", driver.download) &&
         find(library, "cuLaunchKernel", driver.launch) &&
         find(library, "cuCtxSynchronize", driver.synchronise) &&
         find(library, "cuMemGetInfo_v2", driver.memory) &&
         find(library, "cuGetErrorName", driver.error_name);
}

bool find_compiler(void* library) {
  return find(library, "nvrtcCreateProgram", compiler.create) &&
         find(library, "nvrtcCompileProgram", compiler.compile) &&
         find(library, "nvrtcDestroyProgram", compiler.destroy) &&
         find(library, "nvrtcGetCUBINSize", compiler.code_size) &&
         find(library, "nvrtcGetCUBIN", compiler.code) &&
         find(library, "nvrtcGetProgramLogSize", compiler.log_size) &&
         find(library, "nvrtcGetProgramLog", compiler.log);
}

std::string failure(const char* what, Status status) {
  const char* name = nullptr;
  driver.error_name(status, &name);
  return fmt::format("the GPU's driver could not {}: {}", what, name != nullptr ? name : "unknown error");
}

Result<void> checked(const char* what, Status status) {
  if (status != 0) return fail(failure(what, status));
  return {};
}

}  // namespace

struct CudaDevice::Parts {
  int device = 0;
  void* context = nullptr;
  std::string architecture;
  std::mutex compiling;
  std::unordered_map<std::string, void*> functions;  // by source

  [[nodiscard]] Result<std::vector<char>> code_of(const std::string& source) const;
};

CudaMemory::~CudaMemory() {
  if (address_ != 0) (void)driver.free(address_);
}

CudaDevice::~CudaDevice() = default;

Result<std::shared_ptr<CudaDevice>> CudaDevice::get() {
  static std::mutex opening;
  static std::shared_ptr<CudaDevice> found;
  static std::string missing;
  const std::lock_guard lock(opening);
  if (found == nullptr && missing.empty()) {
    std::shared_ptr<CudaDevice> device(new CudaDevice);
    missing = device->open();
    if (missing.empty()) found = device;
  }
  if (!missing.empty()) return fail(missing);
  return found;
}

std::string CudaDevice::open() {
  constexpr std::array driver_names{"libcuda.so.1", "libcuda.so"};
  constexpr std::array compiler_names{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
  void* const driver_library = open_one_of(driver_names);
  if (driver_library == nullptr || !find_driver(driver_library))
    return "there is no driver of an NVIDIA GPU here";
  void* const compiler_library = open_one_of(compiler_names);
  if (compiler_library == nullptr || !find_compiler(compiler_library))
    return "NVIDIA's run-time compiler (libnvrtc) is not here";
  parts_ = std::make_unique<Parts>();
  if (driver.init(0) != 0 || driver.device_get(&parts_->device, 0) != 0) return "there is no GPU here";
  std::array<char, 256> name{};
  int major = 0;
  int minor = 0;
  (void)driver.device_name(name.data(), static_cast<int>(name.size()), parts_->device);
  (void)driver.device_attribute(&major, major_capability, parts_->device);
  (void)driver.device_attribute(&minor, minor_capability, parts_->device);
  name_ = name.data();
  parts_->architecture = fmt::format("--gpu-architecture=sm_{}{}", major, minor);
  const Status status = driver.retain(&parts_->context, parts_->device);
  return status == 0 ? std::string() : failure("be opened", status);
}

Result<void> CudaDevice::take() {
  return checked("be taken by this thread", driver.set_current(parts_->context));
}

Result<std::vector<char>> CudaDevice::Parts::code_of(const std::string& source) const {
  void* program = nullptr;
  if (compiler.create(&program, source.c_str(), "trajectory.cu", 0, nullptr, nullptr) != 0)
    return fail("NVRTC takes no program");
  const std::array options{architecture.c_str(), "--std=c++17", "--device-as-default-execution-space"};
  const Status status = compiler.compile(program, static_cast<int>(options.size()), options.data());
  std::vector<char> code;
  std::string log;
  if (status == 0) {
    std::size_t size = 0;
    (void)compiler.code_size(program, &size);
    code.resize(size);
    (void)compiler.code(program, code.data());
  } else {
    std::size_t size = 0;
    (void)compiler.log_size(program, &size);
    log.resize(size);
    (void)compiler.log(program, log.data());
  }
  (void)compiler.destroy(&program);
  if (status != 0) return fail(fmt::format("NVRTC refuses the kernel: {}", log.substr(0, 2000)));
  return code;
}

Result<void*> CudaDevice::compiled(const std::string& source, double* seconds) {
  const std::lock_guard lock(parts_->compiling);
  *seconds = 0;
  if (const auto known = parts_->functions.find(source); known != parts_->functions.end())
    return known->second;
  const auto begin = std::chrono::steady_clock::now();
  const auto code = parts_->code_of(source);
  if (!code) return std::unexpected(code.error());
  void* module = nullptr;
  void* function = nullptr;
  if (auto loaded = checked("load the kernel", driver.module_load(&module, code->data())); !loaded)
    return std::unexpected(loaded.error());
  if (auto got = checked("find the kernel", driver.module_function(&function, module, "ensemble_kernel"));
      !got)
    return std::unexpected(got.error());
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parts_->functions.emplace(source, function);
  return function;
}

std::size_t CudaDevice::free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  return driver.memory(&free, &total) == 0 ? free : 0;
}

Result<CudaMemory> CudaDevice::allocate(std::size_t bytes) {
  CudaMemory memory;
  const Status status = driver.allocate(&memory.address_, bytes > 0 ? bytes : 1);
  if (status != 0) return fail(failure("give memory", status));
  return memory;
}

Result<void> CudaDevice::upload(const CudaMemory& to, const void* from, std::size_t bytes) {
  return bytes == 0 ? Result<void>{} : checked("take numbers", driver.upload(to.address_, from, bytes));
}

Result<void> CudaDevice::download(void* to, const CudaMemory& from, std::size_t bytes) {
  return bytes == 0 ? Result<void>{}
                    : checked("give numbers back", driver.download(to, from.address_, bytes));
}

Result<void> CudaDevice::launch(void* function, std::size_t threads, void** arguments) {
  const auto blocks = static_cast<unsigned>((threads + block - 1) / block);
  const Status status = driver.launch(function, blocks, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr);
  if (status != 0) return fail(failure("begin", status));
  return checked("finish", driver.synchronise());
}

}  // namespace daedalus
