// The CUDA source of a kernel compiled as C++ for the host, where there is no GPU.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ensemble/cuda_arrays.hpp"
#include "ensemble/cuda_source.hpp"
#include "ensemble_support.hpp"

namespace daedalus::test {

class HostKernel {
 public:
  explicit HostKernel(const TrajectoryKernel& kernel) {
    static int number = 0;
    const auto folder = std::filesystem::temp_directory_path();
    const std::string stem =
        (folder / ("daedalus_kernel_" + std::to_string(getpid()) + "_" + std::to_string(number++))).string();
    std::ofstream(stem + ".cpp") << cuda_host_definitions() << cuda_source(kernel) << cuda_host_entry();
    const std::string command = std::string(DAEDALUS_CXX) +
                                " -std=c++17 -O1 -ffp-contract=off -w -fPIC -shared -o " + stem + ".so " +
                                stem + ".cpp";
    if (std::system(command.c_str()) != 0) ADD_FAILURE() << "does not compile: " << stem << ".cpp";
    library_ = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ != nullptr) run_ = reinterpret_cast<Run>(dlsym(library_, "host_kernel"));
    if (run_ != nullptr) std::filesystem::remove(stem + ".cpp");
    std::filesystem::remove(stem + ".so");
  }
  HostKernel(const HostKernel&) = delete;
  HostKernel& operator=(const HostKernel&) = delete;
  ~HostKernel() {
    if (library_ != nullptr) dlclose(library_);
  }
  [[nodiscard]] bool ok() const { return run_ != nullptr; }
  void operator()(const EnsembleSettings& settings, const CudaArrays& arrays) const {
    run_(settings, arrays);
  }

 private:
  using Run = void (*)(EnsembleSettings, CudaArrays);
  void* library_ = nullptr;
  Run run_ = nullptr;
};

}  // namespace daedalus::test
