// F(t, y, y') given as a function alone: derivatives by differences, of many columns at once where no
// equation has two of them (Curtis, Powell and Reid, 1974).
#pragma once

#include <functional>
#include <vector>

#include "integrate/residual_system.hpp"

namespace daedalus {

// r = F(t, y, y'); false: it has no value there.
using ResidualFunction =
    std::function<bool(double t, std::span<const double> y, std::span<const double> yp, std::span<double> r)>;

// ∂F/∂y and ∂F/∂y' at a point, by columns; false: they have no value there.
using JacobianFunction = std::function<bool(double t, std::span<const double> y, std::span<const double> yp,
                                            std::span<double> dy, std::span<double> dyp)>;

class DifferencedSystem final : public ResidualSystem {
 public:
  // Looks at the point which equation depends on which unknown. A system of few unknowns is taken as dense: a
  // function that branches may depend on more at another point. With `jacobian` nothing is differenced, and
  // the matrices are dense.
  DifferencedSystem(ResidualFunction function, double t, std::span<const double> y,
                    std::span<const double> yp, JacobianFunction jacobian = {});

  [[nodiscard]] int size() const override { return static_cast<int>(components_.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override;
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) override;
  [[nodiscard]] std::string trouble() const override { return trouble_; }

  // Groups of columns that are differenced together; calls of the function so far.
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] long calls() const { return calls_; }

 private:
  void find_pattern(double t, std::span<const double> y, std::span<const double> yp);
  void mark_column(double t, int column, std::vector<char>& depends);
  void color_columns();
  // Differences with respect to the entries of `moving`, which is y_ or yp_.
  bool difference(double t, std::vector<double>& moving, std::span<double> values);

  ResidualFunction function_;
  JacobianFunction jacobian_;
  std::vector<Component> components_;
  SparsePattern pattern_;
  std::vector<std::vector<int>> groups_;
  std::string trouble_;
  long calls_ = 0;
  std::vector<double> y_, yp_, base_, moved_, steps_;
};

}  // namespace daedalus
