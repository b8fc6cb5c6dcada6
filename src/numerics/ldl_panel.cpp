#include "numerics/panel_kernels.hpp"

namespace daedalus {

template <>
const PanelKernels<SymmetricAlgebra>& panel_kernels<SymmetricAlgebra>(int width, int below) {
#ifdef DAEDALUS_WIDE_PANELS
  if (__builtin_cpu_supports("avx2") != 0) return wide_ldl_kernels(width, below);
#endif
  return LdlTable<0>::kernels(width, below);
}

}  // namespace daedalus
