#include "numerics/panel_kernels.hpp"

namespace daedalus {

template <>
const PanelKernels<SymmetricAlgebra>& panel_kernels<SymmetricAlgebra>(int width, int below) {
  return PanelTable<SymmetricAlgebra, 6, 8>::kernels(width, below);
}

}  // namespace daedalus
