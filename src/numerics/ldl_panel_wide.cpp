// The kernels of L D Lᵀ once more, for processors whose instructions name three registers: a fifth fewer,
// since nothing has to be copied before it is multiplied. Without fused multiplications the results are the
// same.
#include "numerics/panel_kernels.hpp"

namespace daedalus {

const PanelKernels<SymmetricAlgebra>& wide_ldl_kernels(int width, int below) {
  return LdlTable<1>::kernels(width, below);
}

}  // namespace daedalus
