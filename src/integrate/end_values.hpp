// What belongs to given states at one time: with the values of the differential components held, F(t, y, y')
// = 0 is solved for their slopes and for the values of the algebraic components. For methods whose stages do
// not lie at the end of the step. The system must be of index 1; of higher index it is singular.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "integrate/corrector.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {

class EndValues {
 public:
  EndValues(CountedSystem evaluator, const Tolerances& newton, const CorrectorOptions& options);
  ~EndValues();
  EndValues(const EndValues&) = delete;
  EndValues& operator=(const EndValues&) = delete;

  // Reads pattern and components anew.
  void set_pattern();
  // Guesses go in and results come out in y (algebraic components) and yp (differential ones). On failure
  // both stay as they were.
  NewtonOutcome solve(double t, std::span<double> y, std::span<double> yp);

  void state(Archive& archive);

 private:
  class HeldStates;

  void resize();

  CountedSystem evaluator_;
  std::unique_ptr<HeldStates> held_;
  ToleranceNorm norm_;
  Corrector corrector_;
  std::vector<double> guess_, zero_;
};

}  // namespace daedalus
