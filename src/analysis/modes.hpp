// The modes of x' = A x: eigenvalues, and which states take part in each.
#pragma once

#include <complex>
#include <vector>

#include "numerics/tangent.hpp"

namespace daedalus {

struct Participation {
  int state = 0;
  double part = 0;  // |w_i v_i| of left and right eigenvector, all of a mode together 1
};

struct Mode {
  std::complex<double> eigenvalue;
  double frequency = 0;                 // |Im| / 2π, in Hz if time is in seconds; 0: no oscillation
  double damping = 1;                   // -Re / |λ|: 1 aperiodic, 0 undamped, negative: grows
  std::vector<Participation> dominant;  // the largest first, at most three
};

// By real part, the slowest to decay first; a conjugate pair is two modes.
[[nodiscard]] std::vector<Mode> modes_of(const DenseMatrix& a);

}  // namespace daedalus
