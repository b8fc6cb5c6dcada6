#include "numerics/radau_tableau.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "numerics/radau_coefficients.hpp"

namespace daedalus {
namespace {

using Real = long double;
using Complex = std::complex<Real>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

template <class Scalar>
struct Matrix {
  explicit Matrix(int size) : n(size), values(at(size) * at(size), Scalar(0)) {}
  Scalar& operator()(int r, int c) { return values[at(r) * at(n) + at(c)]; }
  const Scalar& operator()(int r, int c) const { return values[at(r) * at(n) + at(c)]; }
  int n;
  std::vector<Scalar> values;
};

// X with A X = B, by Gauss's elimination with pivoting.
template <class Scalar>
Matrix<Scalar> solved(Matrix<Scalar> a, Matrix<Scalar> b) {
  const int n = a.n;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r) {
      if (std::abs(a(r, k)) > std::abs(a(pivot, k))) pivot = r;
    }
    for (int c = 0; c < n; ++c) {
      std::swap(a(k, c), a(pivot, c));
      std::swap(b(k, c), b(pivot, c));
    }
    for (int r = 0; r < n; ++r) {
      if (r == k) continue;
      const Scalar factor = a(r, k) / a(k, k);
      for (int c = 0; c < n; ++c) {
        a(r, c) -= factor * a(k, c);
        b(r, c) -= factor * b(k, c);
      }
    }
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) b(r, c) /= a(r, r);
  }
  return b;
}

template <class Scalar>
Matrix<Scalar> identity(int n) {
  Matrix<Scalar> result(n);
  for (int i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

// P_s(x) - P_(s-1)(x) of Legendre, whose zeros in (-1, 1] are those of the right Radau formula.
Real radau_polynomial(int s, Real x) {
  Real before = 1;
  Real now = x;
  if (s == 1) return x - 1;
  for (int k = 1; k < s; ++k) {
    const Real next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return now - before;
}

// By bisection between changes of sign; the last node is 1.
std::vector<Real> nodes(int s) {
  std::vector<Real> c;
  constexpr int pieces = 200;  // no two nodes of seven are nearer than a tenth
  for (int k = 0; k + 1 < pieces; ++k) {
    Real low = -1 + 2 * static_cast<Real>(k) / pieces;
    Real high = -1 + 2 * static_cast<Real>(k + 1) / pieces;
    const bool rises = radau_polynomial(s, low) < 0;
    if (rises == (radau_polynomial(s, high) < 0)) continue;
    for (int step = 0; step < 80; ++step) {
      const Real middle = (low + high) / 2;
      ((radau_polynomial(s, middle) < 0) == rises ? low : high) = middle;
    }
    c.push_back((1 + (low + high) / 2) / 2);
  }
  c.push_back(1);
  assert(static_cast<int>(c.size()) == s);
  return c;
}

// The eigenvalues of A⁻¹ are the poles of the stability function, the zeros of the denominator of the
// Padé approximation (s-1, s) of exp (IV.3.30): Σ_i (s over i) (2s-1-i)!/(2s-1)! (-z)^i. By Durand and
// Kerner.
std::vector<Complex> poles(int s) {
  std::vector<Real> q{1};
  for (int i = 1; i <= s; ++i) q.push_back(-q.back() * (s - i + 1) / (static_cast<Real>(i) * (2 * s - i)));
  const auto value = [&](const Complex& z) {
    Complex sum = 0;
    for (int i = s; i >= 0; --i) sum = sum * z + q[at(i)];
    return sum / q[at(s)];
  };
  std::vector<Complex> z;
  for (int i = 0; i < s; ++i) z.push_back(std::polar<Real>(s, Real(0.4L) + 2 * Real(3.14159265L) * i / s));
  Real change = 1;
  for (int iteration = 0; iteration < 500 && change > 1e-18L; ++iteration) {
    change = 0;
    for (int i = 0; i < s; ++i) {
      Complex product = 1;
      for (int j = 0; j < s; ++j) {
        if (j != i) product *= z[at(i)] - z[at(j)];
      }
      const Complex correction = value(z[at(i)]) / product;
      z[at(i)] -= correction;
      change = std::max(change, std::abs(correction) / std::abs(z[at(i)]));
    }
  }
  return z;
}

// The eigenvector with 1 as its last entry.
std::vector<Complex> eigenvector(const Matrix<Real>& a, const Complex& eigenvalue) {
  const int n = a.n;
  Matrix<Complex> m(n);
  Matrix<Complex> rhs(n);
  for (int r = 0; r + 1 < n; ++r) {
    for (int c = 0; c < n; ++c) m(r, c) = a(r, c);
    m(r, r) -= eigenvalue;
  }
  m(n - 1, n - 1) = 1;
  rhs(n - 1, 0) = 1;
  const Matrix<Complex> x = solved(m, rhs);
  std::vector<Complex> v;
  for (int r = 0; r < n; ++r) v.push_back(x(r, 0));
  return v;
}

template <class Range>
std::vector<double> rounded(const Range& values) {
  std::vector<double> result;
  for (const Real x : values) result.push_back(static_cast<double>(x));
  return result;
}

void transform(RadauTableau& tableau, const Matrix<Real>& inverse) {
  const int s = tableau.stages;
  Matrix<Real> t(s);
  int column = 1;
  for (const Complex& pole : poles(s)) {
    if (pole.imag() < -1e-9L) continue;
    const std::vector<Complex> v = eigenvector(inverse, pole);
    if (pole.imag() > 1e-9L) {
      for (int r = 0; r < s; ++r) {
        t(r, column) = v[at(r)].real();
        t(r, column + 1) = -v[at(r)].imag();
      }
      column += 2;
      tableau.pairs.emplace_back(static_cast<double>(pole.real()), static_cast<double>(pole.imag()));
    } else {
      Real norm = 0;
      for (const Complex& x : v) norm += x.real() * x.real();
      for (int r = 0; r < s; ++r) t(r, 0) = v[at(r)].real() / std::sqrt(norm);
      tableau.gamma = static_cast<double>(pole.real());
    }
  }
  tableau.t = rounded(t.values);
  tableau.t_inverse = rounded(solved(t, identity<Real>(s)).values);
}

// b̂ with the weight 1/γ at y'_n is of order s: Σ b̂_i c_i^(k-1) = 1/k - [k = 1]/γ, and e = γ (b̂ - b)ᵀ A⁻¹.
std::vector<double> error_weights(const std::vector<Real>& c, const Matrix<Real>& a,
                                  const Matrix<Real>& inverse, Real gamma) {
  const int s = a.n;
  Matrix<Real> powers(s);
  Matrix<Real> rhs(s);
  for (int k = 0; k < s; ++k) {
    for (int i = 0; i < s; ++i) powers(k, i) = std::pow(c[at(i)], k);
    rhs(k, 0) = 1 / static_cast<Real>(k + 1) - (k == 0 ? 1 / gamma : 0);
  }
  const Matrix<Real> embedded = solved(powers, rhs);
  std::vector<double> e;
  for (int j = 0; j < s; ++j) {
    Real sum = 0;
    for (int i = 0; i < s; ++i) sum += gamma * (embedded(i, 0) - a(s - 1, i)) * inverse(i, j);
    e.push_back(static_cast<double>(sum));
  }
  return e;
}

// The divided differences of the polynomials that are 1 at one node, 0 at the others and at 0.
std::vector<double> divided_differences(const std::vector<double>& c) {
  const std::size_t s = c.size();
  std::vector<double> nodes(c.rbegin(), c.rend());
  nodes.push_back(0);
  std::vector<double> rows(s * s);
  for (std::size_t stage = 0; stage < s; ++stage) {
    std::vector<double> d(s + 1, 0.0);
    d[s - 1 - stage] = 1;
    for (std::size_t order = 1; order <= s; ++order) {
      for (std::size_t k = s; k >= order; --k) d[k] = (d[k] - d[k - 1]) / (nodes[k] - nodes[k - order]);
      rows[((order - 1) * s) + stage] = d[order];
    }
  }
  return rows;
}

RadauTableau computed(int s) {
  RadauTableau tableau;
  tableau.stages = s;
  const std::vector<Real> c = nodes(s);
  // Collocation: A V = W, V_jk = c_j^(k-1), W_ik = c_i^k / k; solved as Vᵀ Aᵀ = Wᵀ.
  Matrix<Real> v(s);
  Matrix<Real> w(s);
  for (int k = 0; k < s; ++k) {
    for (int j = 0; j < s; ++j) {
      v(k, j) = std::pow(c[at(j)], k);
      w(k, j) = std::pow(c[at(j)], k + 1) / (k + 1);
    }
  }
  const Matrix<Real> transposed = solved(v, w);
  Matrix<Real> a(s);
  for (int r = 0; r < s; ++r) {
    for (int k = 0; k < s; ++k) a(r, k) = transposed(k, r);
  }
  const Matrix<Real> inverse = solved(a, identity<Real>(s));
  tableau.c = rounded(c);
  tableau.inverse = rounded(inverse.values);
  transform(tableau, inverse);
  tableau.error = error_weights(c, a, inverse, static_cast<Real>(tableau.gamma));
  tableau.differences = divided_differences(tableau.c);
  return tableau;
}

RadauTableau tabulated() {
  RadauTableau tableau;
  tableau.stages = radau::kStages;
  tableau.c.assign(radau::kC.begin(), radau::kC.end());
  const auto flat = [](const radau::Matrix3& m) {
    std::vector<double> values;
    for (const radau::Vector3& row : m) values.insert(values.end(), row.begin(), row.end());
    return values;
  };
  tableau.inverse = flat(radau::kAInverse);
  tableau.gamma = radau::kGamma;
  tableau.pairs = {{radau::kAlpha, radau::kBeta}};
  tableau.t = flat(radau::kT);
  tableau.t_inverse = flat(radau::kTInverse);
  tableau.error.assign(radau::kError.begin(), radau::kError.end());
  tableau.differences = divided_differences(tableau.c);
  return tableau;
}

}  // namespace

const RadauTableau& radau_tableau(int stages) {
  assert(stages % 2 == 1 && stages <= RadauTableau::kMaxStages);
  static const RadauTableau three = tabulated();
  if (stages == 3) return three;
  if (stages == 1) {
    static const RadauTableau one = computed(1);
    return one;
  }
  if (stages == 5) {
    static const RadauTableau five = computed(5);
    return five;
  }
  static const RadauTableau seven = computed(7);
  return seven;
}

double node_product(std::span<const double> c, double x) {
  double product = x;
  for (const double node : c) product *= x - node;
  return std::abs(product);
}

double largest_node_product(std::span<const double> c) {
  constexpr int points = 64;
  double largest = 0;
  for (int k = 1; k < points; ++k)
    largest = std::max(largest, node_product(c, static_cast<double>(k) / points));
  return largest;
}

}  // namespace daedalus
