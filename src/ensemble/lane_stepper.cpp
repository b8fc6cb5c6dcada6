// Compiled for AVX2. Nothing here may have a name outside this file that another file has, too, or the linker
// could choose this version for all processors (codegen/vector_math.hpp): no containers, <math.h>.
#include "ensemble/lane_stepper.hpp"

#include <math.h>

#define DAEDALUS_VECTOR_WIDTH 4
#include "codegen/vector_math.hpp"

#define ENSEMBLE_FUNCTION
#define ENSEMBLE_NOT(mask) (~(mask))

namespace daedalus {

#include "ensemble/stepping.inc"

namespace {

struct LaneMachine {
  using Real = Vector;
  using Mask = Bits;

  const LaneKernel& kernel;
  Vector* environment;
  Vector *recent, *begin, *end, *fresh, *moved, *slopes, *r, *results;
  double infinity = HUGE_VAL;

  explicit LaneMachine(const LaneKernel& of)
      : kernel(of), environment(reinterpret_cast<Vector*>(of.environment)) {
    auto* at = reinterpret_cast<Vector*>(of.memory);
    const int n = of.size;
    for (Vector** array : {&recent, &begin, &end, &fresh}) {
      *array = at;
      at += n;
    }
    moved = at;
    slopes = (at += n + 1);
    r = (at += (of.tableau.all_stages + 1) * n);
    results = at + (4 + of.tableau.dense_rows) * n;
  }

  int size() const { return kernel.size; }
  int positions() const { return kernel.positions; }
  Real& t() { return environment[0]; }
  Real* y() { return environment + 1; }
  Real zero() const { return Real{}; }
  Real one() const { return Real{1, 1, 1, 1}; }
  double nominal(int i) const { return kernel.nominal[i]; }

  void run(const BoundLanes& program, Vector* out) const {
    program.code(reinterpret_cast<const double*>(environment), program.registers,
                 reinterpret_cast<double*>(out), nullptr);
  }
  void rates(Real* f) { run(kernel.rates, f); }
  void record() { run(kernel.record, results); }

  int levels() const { return kernel.levels; }
  int count(int level) const { return kernel.projections[level].count; }
  int state(int level, int i) const { return kernel.projections[level].states[i]; }
  bool linear(int level) const { return kernel.projections[level].linear; }
  void step(int level, Real* out) {
    run(kernel.projections[level].program, out);
    if (level == 0) last_regularity = out[count(0)];
  }
  Real last_regularity{};
  Real regularity() const { return last_regularity; }

  int stages() const { return kernel.tableau.stage_count; }
  int all_stages() const { return kernel.tableau.all_stages; }
  bool early() const { return kernel.tableau.early; }
  int error_row() const { return kernel.tableau.error_row; }
  int dense_row() const { return kernel.tableau.dense_row; }
  int dense_rows() const { return kernel.tableau.dense_rows; }
  double node(int stage) const { return kernel.tableau.nodes[stage]; }
  int terms(int row) const { return kernel.tableau.begins[row + 1] - kernel.tableau.begins[row]; }
  const EnsembleTerm& term(int row, int j) const {
    return kernel.tableau.terms[kernel.tableau.begins[row] + j];
  }
  double share(int row) const { return kernel.tableau.shares[row]; }

  bool any(const Mask& mask) const { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
  Real root(const Real& x) const { return Real{sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }
  // Whether the vector formula serves must not depend on a neighbour: it is chosen number by number.
  Real logarithm(const Real& x) const {
    Real y = ::logarithm(x);
    for (int l = 0; l < 4; ++l) {
      if (!(x[l] >= 0x1p-1022 && x[l] < infinity)) y[l] = log(x[l]);
    }
    return y;
  }
  Real exponential(const Real& x) const {
    Real y = ::exponential(x);
    for (int l = 0; l < 4; ++l) {
      if (!(x[l] <= largest_exponent && x[l] >= -largest_exponent)) y[l] = exp(x[l]);
    }
    return y;
  }
};

// What one thread does: fills lanes, steps them, hands out points and outcomes.
class LaneLoop {
 public:
  LaneLoop(const LaneKernel& kernel, const EnsembleSettings& settings, LaneSource& source)
      : machine_(kernel), stepper_(machine_, settings), source_(source) {
    for (int l = 0; l < 4; ++l) due_[l] = machine_.infinity;
  }

  void run() {
    fill();
    while (machine_.any(stepper_.running) && source_.go_on()) {
      stepper_.attempt();
      points_within();
      stepper_.settle();
      points_at_end();
      if (finish()) fill();
    }
  }

 private:
  using Stepper = EnsembleStepper<LaneMachine>;

  void fill() {
    const int n = machine_.size();
    auto* const fresh_states = reinterpret_cast<double*>(machine_.fresh);
    auto* const given = reinterpret_cast<double*>(machine_.environment + 1 + n);
    for (bool again = more_; again;) {
      Bits fresh{};
      for (int l = 0; l < 4; ++l) {
        if (busy_[l] || !more_) continue;
        more_ = source_.go_on() && source_.next(l, fresh_states + l, given + l);
        if (!more_) break;
        busy_[l] = true;
        fresh[l] = -1;
        number_[l] = 0;
        drift_[l] = 0;
        due_[l] = source_.output_time(l, 0);
      }
      if (!machine_.any(fresh)) return;
      stepper_.begin(fresh);
      begin_points(fresh);
      again = finish() && more_;  // some have ended at once
    }
  }

  // Output points at the start.
  void begin_points(const Bits& fresh) {
    Bits due = fresh & (due_ <= stepper_.t);
    if (!machine_.any(due)) return;
    stepper_.place(stepper_.t, machine_.begin);
    while (machine_.any(due)) {
      hand_out(due);
      due = fresh & (due_ <= stepper_.t);
    }
  }

  void points_within() {
    Bits due = stepper_.moved & (due_ < stepper_.t);
    if (!machine_.any(due)) return;
    stepper_.prepare_output();
    while (machine_.any(due)) {
      stepper_.output(due, due_);
      hand_out(due);
      due = stepper_.moved & (due_ < stepper_.t);
    }
  }

  void points_at_end() {
    Bits due = stepper_.moved & (due_ == stepper_.t) & (stepper_.status == 0.0);
    if (!machine_.any(due)) return;
    stepper_.place(stepper_.t, machine_.begin);
    while (machine_.any(due)) {
      hand_out(due);
      due = stepper_.moved & (due_ == stepper_.t);
    }
  }

  void hand_out(const Bits& due) {
    machine_.record();
    const int results = machine_.kernel.results;
    const int constraints = machine_.kernel.constraints;
    Vector largest{};
    for (int i = results - constraints; i < results; ++i) {
      const Vector size = ::magnitude(machine_.results[i]);
      largest = size <= largest ? largest : size;  // not a number counts, too
    }
    for (int l = 0; l < 4; ++l) {
      if (due[l] == 0) continue;
      source_.record(l, number_[l], reinterpret_cast<const double*>(machine_.results) + l);
      if (!(largest[l] <= drift_[l])) drift_[l] = largest[l];
      due_[l] = source_.output_time(l, ++number_[l]);
    }
  }

  // Whether a lane has become free.
  bool finish() {
    bool freed = false;
    for (int l = 0; l < 4; ++l) {
      if (!busy_[l] || stepper_.running[l] != 0) continue;
      source_.done(l, {.status = static_cast<int>(stepper_.status[l]),
                       .t = stepper_.t[l],
                       .steps = stepper_.steps[l],
                       .rejected = stepper_.rejected[l],
                       .evaluations = stepper_.evaluations[l],
                       .drift = drift_[l]});
      busy_[l] = false;
      freed = true;
    }
    return freed;
  }

  LaneMachine machine_;
  Stepper stepper_;
  LaneSource& source_;
  bool busy_[4] = {false, false, false, false};
  bool more_ = true;
  int number_[4] = {0, 0, 0, 0};  // of the next output point
  Vector due_{};                  // when it is
  double drift_[4] = {0, 0, 0, 0};
};

}  // namespace

void run_lanes(const LaneKernel& kernel, const EnsembleSettings& settings, LaneSource& source) {
  LaneLoop(kernel, settings, source).run();
}

}  // namespace daedalus
