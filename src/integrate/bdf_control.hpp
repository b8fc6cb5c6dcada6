// Step size and order of the BDF method, after DASSL (Brenan, Campbell, Petzold, section 5.2.3):
// the order moves by at most one a step, towards the smallest error term, and the step size is kept unless a
// change is worth it, because a higher order can be judged only after equal steps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/bdf_history.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {

struct BdfLimits {
  int max_order = BdfHistory::kMaxOrder;
  double max_step = 0;               // 0: none
  std::optional<double> fixed_step;  // no error control: constant step and order after the start
};

class BdfControl {
 public:
  explicit BdfControl(BdfLimits limits) : limits_(limits) {}

  void start(double h, std::size_t size);

  // What the next attempt should use.
  [[nodiscard]] double h() const { return h_; }
  [[nodiscard]] int order() const { return order_; }
  void shorten(double h) { h_ = h; }
  void state(Archive& archive, std::size_t size);

  // The local error of the step just corrected by e; it may be accepted if at most 1.
  [[nodiscard]] double judge(const BdfHistory& history, std::span<const double> e, const ToleranceNorm& norm);
  // Choices for what follows. accepted() is to be called before the history is completed.
  void accepted(const BdfHistory& history, std::span<const double> e, const ToleranceNorm& norm);
  void error_test_failed();
  void newton_failed() {
    starting_ = false;
    h_ *= 0.25;
  }

 private:
  enum class Move { Lower, Keep, Raise };

  // Error terms of order k: `error` in the norm, `term` = (k+1) times it, which is what orders are compared
  // by.
  struct Estimate {
    double error = 0;
    double term = 0;
    void state(Archive& archive) { archive(error, term); }
  };

  void after_start(const BdfHistory& history);
  [[nodiscard]] Move choose_order(const BdfHistory& history, std::span<const double> e,
                                  const ToleranceNorm& norm);
  void choose_step(double error, int constant_steps);

  BdfLimits limits_;
  double h_ = 0;
  int order_ = 1;
  bool starting_ = true;  // order and step size are raised every step
  bool lower_ = false;    // the lower order looked better at judge()
  int failures_ = 0;      // of the error test, in this step
  long accepted_ = 0;
  Estimate same_, below_, above_;
  std::vector<double> scratch_;
};

}  // namespace daedalus
