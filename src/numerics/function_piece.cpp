#include "numerics/function_piece.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/shortest.hpp"

namespace daedalus {
namespace {

constexpr std::size_t size = FunctionPiece::size;

// Two times that are nearer than this are one.
double resolution(double a, double b) {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b)) +
         std::numeric_limits<double>::min();
}
// What does not fit within this part of a piece is a jump or a bend, and is located by values alone.
constexpr double narrow = 1e-7;
// Pieces in a row that cannot even begin.
constexpr int most_breaks = 8;

using Points = std::array<double, size>;

Points chebyshev_points() {
  Points points{};
  for (std::size_t k = 0; k < size; ++k)
    points[k] = (1 - std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(size - 1))) / 2;
  points.front() = 0;
  points.back() = 1;
  return points;
}

// Each next point is the one that is farthest from those before it, by the product of the distances.
Points leja_points() {
  Points left = chebyshev_points();
  for (std::size_t k = 1; k < size; ++k) {
    const auto distance = [&](double x) {
      double product = 1;
      for (std::size_t j = 0; j < k; ++j) product *= std::abs(x - left[j]);
      return product;
    };
    std::size_t best = k;
    for (std::size_t j = k + 1; j < size; ++j) {
      if (distance(left[j]) > distance(left[best])) best = j;
    }
    std::swap(left[k], left[best]);
  }
  return left;
}

const Points& leja() {
  static const Points points = leja_points();
  return points;
}

// Between the points, those in the middle first: there a polynomial that does not fit is seen most.
std::array<double, size - 1> between() {
  const Points points = chebyshev_points();
  std::array<double, size - 1> middles{};
  for (std::size_t k = 0; k + 1 < size; ++k) middles[k] = (points[k] + points[k + 1]) / 2;
  std::ranges::sort(middles, {}, [](double s) { return std::abs(s - 0.5); });
  return middles;
}

std::string number(double value) {
  std::array<char, number_room> text{};
  return {text.data(), write_shortest(text.data(), value)};
}

}  // namespace

std::span<const double> FunctionPiece::nodes() {
  return leja();
}

double FunctionPiece::operator()(double t) const {
  const double s = (t - begin) / length;
  double sum = coefficients.back();
  for (std::size_t k = size - 1; k-- > 0;) sum = coefficients[k] + ((s - leja()[k]) * sum);
  return sum;
}

double PieceMaker::value(double t) {
  const double value = (*function_)(t);
  if (!std::isfinite(value) && trouble_.empty()) trouble_ = "is " + number(value) + " at t = " + number(t);
  scale_ = std::max(scale_, std::isfinite(value) ? std::abs(value) : 0.0);
  return value;
}

bool PieceMaker::fits(double begin, double end, FunctionPiece& piece) {
  piece.begin = begin;
  piece.length = end - begin;
  piece.end = piece.next = end;
  piece.breaks = false;
  std::array<double, size>& c = piece.coefficients;
  const Points& s = leja();
  for (std::size_t k = 0; k < size; ++k) c[k] = value(s[k] == 1 ? end : begin + (s[k] * piece.length));
  for (std::size_t j = 1; j < size; ++j) {
    for (std::size_t k = size; k-- > j;) c[k] = (c[k] - c[k - 1]) / (s[k] - s[k - j]);
  }
  static const std::array<double, size - 1> tests = between();
  return trouble_.empty() && std::ranges::all_of(tests, [&](double at) {
           const double t = begin + (at * piece.length);
           return std::abs(value(t) - piece(t)) <= relative_ * scale_;
         });
}

// [t, low] fits, [t, high] does not. True: because the function becomes faster, and what follows fits by
// itself; otherwise low and high are drawn together around the place where it breaks.
bool PieceMaker::close_in(double& low, double& high, FunctionPiece& piece) {
  const double begin = piece.begin;
  const double least = narrow * (high - begin);
  FunctionPiece trial;
  while (trouble_.empty()) {
    if (low > begin && fits(low, high, trial)) return true;
    if (high - low <= std::max(least, resolution(low, high))) return false;
    const double middle = low + ((high - low) / 2);
    if (fits(begin, middle, trial)) {
      low = middle;
      piece = trial;
    } else {
      high = middle;
    }
  }
  return false;
}

// As long as the function goes on as the piece does, nothing has happened. A jump is located to rounding, a
// bend to where it makes a difference.
void PieceMaker::locate(double& low, double& high, const FunctionPiece& piece) {
  while (high - low > resolution(low, high)) {
    const double middle = low + ((high - low) / 2);
    if (middle <= low || middle >= high) return;
    (std::abs(value(middle) - piece(middle)) <= relative_ * scale_ ? low : high) = middle;
  }
}

bool PieceMaker::make(const TimeFunction& function, double t, double longest, FunctionPiece& piece) {
  function_ = &function;
  trouble_.clear();
  for (int attempt = 0; attempt < most_breaks; ++attempt) {
    double low = t;
    double high = t + longest;
    bool whole = fits(t, high, piece);
    if (whole) low = high;
    while (!whole && trouble_.empty() && low == t && high - t > resolution(t, high)) {
      const double middle = t + ((high - t) / 2);
      (fits(t, middle, piece) ? low : high) = middle;
    }
    if (!trouble_.empty()) return false;
    if (low > t) {
      if (whole || close_in(low, high, piece)) return true;
      locate(low, high, piece);
      piece.end = low;
      piece.breaks = true;
      piece.next = high;
      return trouble_.empty();
    }
    t = high;  // it breaks right here: what counts is what comes after
  }
  trouble_ = "changes from instant to instant at t = " + number(t) + ", and no smooth piece of it was found";
  return false;
}

}  // namespace daedalus
