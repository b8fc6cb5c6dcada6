// Taylor coefficients of a reformulated system of index 1. Its rates follow from A(t, y) z = b(t, y) and
// assignments (LinearCore); with A, b and z as series the coefficient of order k of z solves
//
//   A_0 z_k = b_k - Σ_(i=1..k) A_i z_(k-i),
//
// with the same matrix for every k: one factorisation a step, whatever the order.
#pragma once

#include <string>
#include <vector>

#include "codegen/series.hpp"
#include "integrate/series_system.hpp"
#include "systems/explicit_form.hpp"

namespace daedalus {

class SeriesForm final : public SeriesSystem {
 public:
  // `ode` is the same system, with linear rates; both outlive this.
  SeriesForm(const ConstrainedForm& form, ReformedResidual& residual, ExplicitForm& ode);
  // A copy for copies of both.
  SeriesForm(const SeriesForm& other, ReformedResidual& residual, ExplicitForm& ode);

  [[nodiscard]] int size() const override { return ode_.size(); }
  [[nodiscard]] std::span<const Component> components() const override { return ode_.components(); }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    return ode_.derivative(t, y, yp);
  }
  bool expand(double t, std::span<const double> y, int order, std::span<double> coefficients) override;
  [[nodiscard]] std::string trouble() const override { return trouble_; }

 private:
  // Where the rate of a state comes from.
  struct Rate {
    enum class Kind { State, Solved, Root } kind = Kind::Root;
    std::size_t index = 0;  // among states, unknowns of the linear system, roots of rates_
  };
  struct Factor {  // an entry of A that moves
    std::size_t row = 0;
    std::size_t column = 0;
    std::size_t root = 0;  // of system_
  };
  struct Leaf {  // a leaf of a program, and the state or unknown that it is
    std::size_t from = 0;
    std::int32_t leaf = 0;
  };
  void compile_system(const ConstrainedForm& form);
  void compile_rates(const ConstrainedForm& form);
  void reserve(int order);
  [[nodiscard]] static std::vector<Leaf> leaves_of(const SeriesProgram& program, std::span<const int> slots);
  [[nodiscard]] bool solve(int k);

  ReformedResidual& residual_;
  ExplicitForm& ode_;
  LinearRates& linear_;
  std::vector<int> state_slot_, solved_slot_;
  std::vector<bool> moves_;  // by slot: time and states
  std::vector<Factor> factors_;
  std::vector<Rate> rate_of_;  // by state
  SeriesProgram system_;       // b, then the entries of A that move
  SeriesProgram rates_;        // assignments that are no copies
  std::vector<Leaf> system_states_, rates_states_, rates_solved_;
  int order_ = -1;
  std::vector<double> z_;  // by unknown: its coefficients
  std::vector<double> rhs_;
  std::string trouble_;
};

}  // namespace daedalus
