#include "reform/scaled_equations.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reform/incidence.hpp"
#include "reform/point.hpp"

namespace daedalus {
namespace {

constexpr double far_from_one = 1e4;       // of constraints and other equations without highest derivatives
constexpr double far_for_dynamics = 1e30;  // of equations of motion
constexpr double shake = 0.4;              // where a derivative is zero at the start

class EquationScaler {
 public:
  explicit EquationScaler(RaisedSystem& raised)
      : raised_(raised),
        graph_(*raised.system.graph),
        incidence_(incidence_of(raised.system, raised.eliminated)),
        highest_(incidence_.unknowns.size(), 0) {
    for (const SignatureEntry& entry : incidence_.signature.entries) {
      int& highest = highest_[static_cast<std::size_t>(entry.variable)];
      highest = std::max(highest, entry.order);
    }
  }

  void run() {
    std::vector<NodeId> roots;
    for (const auto& row : incidence_.rows) {
      for (const Partial& partial : row) roots.push_back(partial.value);
    }
    const std::array values{SamplePoint(raised_.system, 0, 0).evaluate(roots),
                            SamplePoint(raised_.system, shake, 1).evaluate(roots)};
    std::size_t at = 0;
    for (std::size_t i = 0; i < incidence_.rows.size(); ++i) {
      double size = 0;
      for (const Partial& partial : incidence_.rows[i]) {
        const double nominal = nominal_of(partial.leaf);
        for (const std::vector<double>& v : values) {
          const double part = std::abs(v[at]) * nominal;
          if (std::isfinite(part)) size = std::max(size, part);
        }
        ++at;
      }
      scale(i, size);
    }
  }

 private:
  [[nodiscard]] double nominal_of(NodeId leaf) const {
    const Variable& v = raised_.system.variables[graph_.variable_of(leaf).at()];
    return v.has_nominal && v.nominal != 0 ? std::abs(v.nominal) : 1;
  }

  [[nodiscard]] bool is_dynamic(std::size_t i) const {
    return std::ranges::any_of(
        incidence_.signature.row(static_cast<int>(i)), [&](const SignatureEntry& entry) {
          return entry.order > 0 && entry.order == highest_[static_cast<std::size_t>(entry.variable)];
        });
  }

  void scale(std::size_t i, double size) {
    Equation& equation = raised_.system.equations[i];
    const double limit = is_dynamic(i) || equation.keep ? far_for_dynamics : far_from_one;
    if (!(size > 0) || (size < limit && size > 1 / limit)) return;
    const double factor = std::pow(10.0, -std::round(std::log10(size)));
    if (!std::isfinite(factor) || factor == 0) return;
    equation.residual = graph_.mul(graph_.constant(factor), equation.residual);
  }

  RaisedSystem& raised_;
  ExprGraph& graph_;
  Incidence incidence_;
  std::vector<int> highest_;  // by unknown: order of its highest derivative
};

}  // namespace

void scale_equations(RaisedSystem& raised) {
  EquationScaler(raised).run();
}

}  // namespace daedalus
