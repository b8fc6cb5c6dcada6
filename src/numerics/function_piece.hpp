// A function that is known by its values alone, as polynomials piece by piece: the pieces are as long as one
// polynomial is as good as was asked for, and end where the function jumps or bends.
//
// Seen is what happens at 21 points of a piece. What begins and ends between two of them is not.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace daedalus {

using TimeFunction = std::function<double(double)>;

// p(s) = c_0 + (s - s_0) (c_1 + (s - s_1) (c_2 + …)) with s = (t - begin) / length in [0, 1] and the same
// nodes s_k for all pieces: the Chebyshev points of the second kind, both ends among them, in an order of
// Leja, which keeps Newton's form accurate. s_0 = 0.
struct FunctionPiece {
  static constexpr std::size_t size = 11;  // degree 10: see docs/output.md

  double begin = 0;
  double length = 1;
  std::array<double, size> coefficients{};
  double end = 1;       // up to here: begin + length, or what happens shortly behind it
  bool breaks = false;  // the function jumps or bends there
  double next = 1;      // where the next piece begins: the end, or just behind what happens there

  [[nodiscard]] static std::span<const double> nodes();
  [[nodiscard]] double operator()(double t) const;
};

// The pieces of one function, from the left to the right.
class PieceMaker {
 public:
  // `relative`: how far a polynomial may be away, against the largest value that was seen.
  explicit PieceMaker(double relative) : relative_(relative) {}

  // The piece from t on that is not longer than this. False: trouble() says why.
  [[nodiscard]] bool make(const TimeFunction& function, double t, double longest, FunctionPiece& piece);
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  // The largest value seen, for whoever keeps it.
  [[nodiscard]] double& scale() { return scale_; }

 private:
  [[nodiscard]] bool fits(double begin, double end, FunctionPiece& piece);
  [[nodiscard]] double value(double t);
  [[nodiscard]] bool close_in(double& low, double& high, FunctionPiece& piece);
  void locate(double& low, double& high, const FunctionPiece& piece);

  const TimeFunction* function_ = nullptr;
  double relative_;
  double scale_ = 0;
  std::string trouble_;
};

}  // namespace daedalus
