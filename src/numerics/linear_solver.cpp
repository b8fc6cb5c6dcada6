#include "numerics/linear_solver.hpp"

#include <cassert>
#include <cstdint>

namespace daedalus {

// Measured by bench/linear_solver: one factorisation and two solutions, nanoseconds, dense / KLU, the best of
// 30 runs on an x86-64 at -O2.
//
//   n               6        9        12        18         30          60            150
//   real  band    332/354  619/540   779/729  1289/1107  2579/1852   7629/3832    37548/9716
//         saddle  313/305  561/485   776/655  1303/1007  2664/1695   7863/3542    39395/9013
//         random  333/348  574/499   813/723  1377/1167  3018/2561  11808/8208    97640/68694
//         full    360/432  713/825  1026/1437 2051/3429  5570/11168 27343/64190  293324/1090929
//   complex band  717/552 1192/861  1695/1154 2902/1748  6052/2965  18206/6069    92235/15449
//         full    802/682 1501/1487 2438/2650 5145/6300 14783/20699 77832/122649 929369/1844798
//
// So KLU wins from about eight unknowns on, unless the matrix has few zeros.
LinearSolverKind choose_linear_solver(const SparsePattern& pattern) {
  constexpr int kSmall = 8;               // by the table above
  constexpr std::int64_t kFullShare = 3;  // a third of all entries counts as full
  const auto n = static_cast<std::int64_t>(pattern.size);
  const bool full = kFullShare * pattern.nonzeros() >= n * n;
  return pattern.size <= kSmall || full ? LinearSolverKind::Dense : LinearSolverKind::Klu;
}

std::uint64_t fingerprint(const SparsePattern& pattern) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::uint64_t sum = 0xcbf29ce484222325 ^ static_cast<std::uint64_t>(pattern.size);
  for (const std::vector<int>* list : {&pattern.column_start, &pattern.row}) {
    for (const int number : *list) sum = (sum ^ static_cast<std::uint64_t>(number)) * kPrime;
  }
  return sum;
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const SparsePattern& pattern,
                                                         LinearSolverKind kind) {
  if (kind == LinearSolverKind::Auto) kind = choose_linear_solver(pattern);
  if (pattern.size == 0) kind = LinearSolverKind::Dense;  // KLU refuses an empty matrix
  return kind == LinearSolverKind::Dense ? make_dense_solver<Scalar>(pattern)
                                         : make_klu_solver<Scalar>(pattern);
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> LinearSolver<Scalar>::copy() const {
  std::unique_ptr<LinearSolver<Scalar>> other = sibling();
  [[maybe_unused]] const bool alike = copy_state(*this, *other);
  assert(alike);
  return other;
}
template class LinearSolver<double>;
template class LinearSolver<std::complex<double>>;

template std::unique_ptr<RealSolver> make_linear_solver<double>(const SparsePattern&, LinearSolverKind);
template std::unique_ptr<ComplexSolver> make_linear_solver<std::complex<double>>(const SparsePattern&,
                                                                                 LinearSolverKind);

}  // namespace daedalus
