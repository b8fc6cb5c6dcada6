#include "numerics/panel_kernels.hpp"

namespace daedalus {

template <>
const PanelKernels<RealPairAlgebra>& panel_kernels<RealPairAlgebra>(int width, int below) {
  return PanelTable<RealPairAlgebra, 4, 8>::kernels(width, below);
}
template <>
const PanelKernels<ComplexPairAlgebra>& panel_kernels<ComplexPairAlgebra>(int width, int below) {
  return PanelTable<ComplexPairAlgebra, 4, 8>::kernels(width, below);
}

}  // namespace daedalus
