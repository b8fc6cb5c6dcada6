// EnsembleArrays of cuda_machine.inc as this side sees it: addresses on the device.
#pragma once

#include "ensemble/ensemble_settings.hpp"

namespace daedalus {

struct CudaArrays {
  long long runs = 0;
  int common_start = 0;
  const double* states = nullptr;
  const double* given = nullptr;
  const int* column = nullptr;
  const double* columns = nullptr;
  int time_count = 0;
  const double* times = nullptr;
  double* values = nullptr;
  double* drift = nullptr;
  double* t_end = nullptr;
  int* counters = nullptr;
};

}  // namespace daedalus
