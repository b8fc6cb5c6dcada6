// ida: the IDA solver of SUNDIALS as a row of our table, with our residual, exact Jacobian and linear
// solvers. Its method is that of `bdf`; what differs is Newton's acceptance, which carries the convergence
// rate over from earlier steps. Kept for comparison and as an independent second answer.
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>

#include "integrate/ida_linear.hpp"
#include "integrate/implicit_integrator.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "numerics/norms.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeVector {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};
struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};
struct FreeNewton {
  void operator()(SUNNonlinearSolver newton) const { SUNNonlinSolFree(newton); }
};
using ContextHandle = std::unique_ptr<std::remove_pointer_t<SUNContext>, FreeContext>;
using VectorHandle = std::unique_ptr<std::remove_pointer_t<N_Vector>, FreeVector>;
using NewtonHandle = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, FreeNewton>;
using IdaHandle = std::unique_ptr<void, FreeIda>;

std::span<double> values(N_Vector v) {
  return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))};
}

ContextHandle make_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return ContextHandle(context);
}

class Ida final : public ImplicitIntegrator {
 public:
  Ida(ResidualSystem& system, const IntegratorSettings& settings)
      : ImplicitIntegrator(system, settings),
        context_(make_context()),
        linear_({system_, counters_}, solver_kind(settings.selection), context_.get()) {}

  int order() const override;
  std::string_view linear_solver() const override { return linear_.name(); }
  bool copyable() const override { return false; }  // the past is inside IDA

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override;
  double do_next_step(double t_stop) const override;
  std::unique_ptr<Integrator> make_on(const SystemReference& /*system*/) const override { return nullptr; }
  void do_state(Archive& /*archive*/) override {}  // copyable() is false

  void create();
  void count();
  [[nodiscard]] StepOutcome failure(int flag) const;

  static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void* self);
  static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix, void* self,
                      N_Vector, N_Vector, N_Vector);
  static int weights(N_Vector y, N_Vector w, void* self);

  // The convergence test: IDA's own; or that of DASSL until 1989, where it is asked for and in the steps
  // after an exchange of equations. IDA does not know of it, and would accept what Newton's iteration with
  // the old matrix gives, on the rate at which it converged for the old equations.
  static int judge(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, realtype tolerance,
                   N_Vector weight, void* self);
  [[nodiscard]] int judge_afresh(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, double tolerance,
                                 N_Vector weight);

  ContextHandle context_;
  IdaLinear linear_;
  VectorHandle y_vector_, yp_vector_, tested_, scratch_;
  NewtonHandle newton_;
  IdaHandle ida_;                              // freed before what it uses
  SUNNonlinSolConvTestFn own_test_ = nullptr;  // IDA's
  void* own_test_data_ = nullptr;
  bool afresh_ = false;
  bool exchanged_ = false;       // the equations, since the last Jacobian
  double first_correction_ = 0;  // of the Newton iteration that goes on
  double t_hint_ = 0;
  bool model_failed_ = false;                                    // the last evaluation was not finite
  long iterations_seen_ = 0, newton_seen_ = 0, error_seen_ = 0;  // of IDA's own counters
};

int Ida::residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
  auto& ida = *static_cast<Ida*>(self);
  const bool finite = CountedSystem{ida.system_, ida.counters_}.residual(t, values(y), values(yp), values(r));
  ida.model_failed_ = !finite;
  return finite ? 0 : 1;  // 1: recoverable, IDA tries a smaller step
}

int Ida::jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix, void* self, N_Vector,
                  N_Vector, N_Vector) {
  auto& ida = *static_cast<Ida*>(self);
  const bool finite = ida.linear_.evaluate(t, cj, values(y), values(yp));
  ida.exchanged_ = false;
  ida.model_failed_ = !finite;
  return finite ? 0 : 1;
}

int Ida::weights(N_Vector y, N_Vector w, void* self) {
  const auto& ida = *static_cast<const Ida*>(self);
  // IDA has no index weights, but asks for these weights before each step, when its size is known.
  double h = 1;
  IDAGetCurrentStep(ida.ida_.get(), &h);
  h = h > 0 ? std::min(h, 1.0) : 1.0;
  const bool all = ida.settings_.selection.has("algebraic");
  const Tolerances& tolerances = ida.settings_.tolerances;
  const auto components = ida.system_.components();
  for (std::size_t i = 0; i < components.size(); ++i) {
    const double tolerated =
        tolerances.relative * std::abs(values(y)[i]) + tolerances.absolute * components[i].nominal;
    if (!(tolerated > 0)) return -1;
    values(w)[i] =
        all ? 1 / tolerated
            : std::max(std::pow(h, components[i].index - 1), components[i].least_weight) / tolerated;
    if (all && !components[i].differential)
      values(w)[i] = 1 / (ida.settings_.selection.number("algebraic") * (std::abs(values(y)[i]) + 1));
  }
  return 0;
}

int Ida::judge(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, realtype tolerance,
               N_Vector weight, void* self) {
  auto& ida = *static_cast<Ida*>(self);
  if (ida.afresh_ || ida.exchanged_) return ida.judge_afresh(newton, y, correction, tolerance, weight);
  return ida.own_test_(newton, y, correction, tolerance, weight, ida.own_test_data_);
}

int Ida::judge_afresh(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, double tolerance,
                      N_Vector weight) {
  const double size = N_VWrmsNorm(correction, weight);
  constexpr double nothing = 100 * std::numeric_limits<double>::epsilon();  // as DASSL has it
  if (size <= nothing * N_VWrmsNorm(y, weight)) return SUN_NLS_SUCCESS;
  int iteration = 0;
  SUNNonlinSolGetCurIter(newton, &iteration);
  // Before there is a rate, one of 100/101 is assumed.
  double left = 100;
  if (iteration == 0) {
    first_correction_ = size;
  } else {
    constexpr double slowest = 0.9;  // as DASSL has it
    const double rate = std::pow(size / first_correction_, 1.0 / iteration);
    if (rate > slowest) return SUN_NLS_CONV_RECVR;
    left = rate / (1 - rate);
  }
  return left * size <= tolerance ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

void Ida::create() {
  const auto n = static_cast<sunindextype>(y_.size());
  for (VectorHandle* vector : {&y_vector_, &yp_vector_, &tested_, &scratch_}) {
    vector->reset(N_VNew_Serial(n, context_.get()));
  }
  copy_values(y_, values(y_vector_.get()));
  copy_values(yp_, values(yp_vector_.get()));
  ida_.reset(IDACreate(context_.get()));
  void* ida = ida_.get();
  const auto silent = [](int, const char*, const char*, char*, void*) {};
  IDASetErrHandlerFn(ida, silent, nullptr);
  [[maybe_unused]] int flag = IDAInit(ida, residual, t_, y_vector_.get(), yp_vector_.get());
  assert(flag == IDA_SUCCESS);
  IDASetUserData(ida, this);
  IDAWFtolerances(ida, weights);
  flag = IDASetLinearSolver(ida, linear_.handle(), linear_.matrix());
  assert(flag == IDALS_SUCCESS);
  IDASetJacFn(ida, jacobian);
  afresh_ = settings_.selection.text("newton") == "dassl";
  newton_.reset(SUNNonlinSol_Newton(y_vector_.get(), context_.get()));
  flag = IDASetNonlinearSolver(ida, newton_.get());
  assert(flag == IDA_SUCCESS);
  const auto* content = static_cast<const _SUNNonlinearSolverContent_Newton*>(newton_->content);
  own_test_ = content->CTest;
  own_test_data_ = content->ctest_data;
  SUNNonlinSolSetConvTestFn(newton_.get(), judge, this);
  IDASetMaxOrd(ida, settings_.selection.integer("order"));
  IDASetSuppressAlg(ida, settings_.selection.has("algebraic") ? SUNFALSE : SUNTRUE);
  constexpr int kTries = 40;  // 0.25^40: until the step is too small by any measure
  IDASetMaxConvFails(ida, kTries);
  IDASetMaxErrTestFails(ida, kTries);
  if (settings_.initial_step) IDASetInitStep(ida, *settings_.initial_step);
  // IDA has no fixed steps; the step asked for is the largest it may take.
  const double none = 1 / std::numeric_limits<double>::min();
  const double longest = std::min(settings_.max_step.value_or(none), settings_.fixed_step.value_or(none));
  if (longest < none) IDASetMaxStep(ida, longest);
}

void Ida::do_start(double t_hint) {
  t_hint_ = t_hint;
  iterations_seen_ = newton_seen_ = error_seen_ = 0;
  linear_.set_pattern();
  create();
  do_system_changed();
  exchanged_ = false;
}

void Ida::do_system_changed() {
  exchanged_ = true;
  linear_.set_pattern();
  const auto components = system_.components();
  for (std::size_t i = 0; i < components.size(); ++i) {
    values(tested_.get())[i] = components[i].error_tested ? 1 : 0;
  }
  IDASetId(ida_.get(), tested_.get());
}

StepOutcome Ida::do_step(double t_stop) {
  void* ida = ida_.get();
  IDASetStopTime(ida, t_stop);
  IDASetMinStep(ida, smallest_step(t_, t_stop));
  double reached = t_;
  const int flag = IDASolve(ida, t_hint_, &reached, y_vector_.get(), yp_vector_.get(), IDA_ONE_STEP);
  count();
  if (flag < 0) return failure(flag);
  if (flag != IDA_TSTOP_RETURN && reached <= t_) return failure(IDA_ERR_FAIL);  // t + h = t: no step at all
  t_previous_ = t_;
  t_ = flag == IDA_TSTOP_RETURN ? t_stop : reached;
  copy_values(values(y_vector_.get()), y_);
  copy_values(values(yp_vector_.get()), yp_);
  return {};
}

// Before the first step IDA has no step size yet; then it is the one given or the whole way.
double Ida::do_next_step(double t_stop) const {
  double h = 0;
  IDAGetCurrentStep(ida_.get(), &h);
  if (!(h > 0)) h = settings_.initial_step.value_or(t_stop - t_);
  return std::min(h, t_stop - t_);
}

// IDA counts from its start on; ours go on over restarts.
void Ida::count() {
  long iterations = 0;
  long newton = 0;
  long error = 0;
  IDAGetNumNonlinSolvIters(ida_.get(), &iterations);
  IDAGetNumStepSolveFails(ida_.get(), &newton);
  IDAGetNumErrTestFails(ida_.get(), &error);
  counters_.newton_iterations += iterations - iterations_seen_;
  counters_.newton_failures += newton - newton_seen_;
  counters_.error_test_failures += error - error_seen_;
  counters_.rejected += (newton - newton_seen_) + (error - error_seen_);
  iterations_seen_ = iterations;
  newton_seen_ = newton;
  error_seen_ = error;
}

StepOutcome Ida::failure(int flag) const {
  StepTrouble trouble{.t = t_, .newton = {.status = NewtonStatus::Slow}};
  IDAGetCurrentStep(ida_.get(), &trouble.h);
  if (flag == IDA_ERR_FAIL) {
    trouble.error_test = true;
    IDAGetEstLocalErrors(ida_.get(), scratch_.get());
    IDAGetErrWeights(ida_.get(), tested_.get());
    const auto errors = values(scratch_.get());
    const auto scale = values(tested_.get());
    const auto components = system_.components();
    for (std::size_t i = 0; i < scale.size(); ++i) {
      if (!components[i].error_tested) scale[i] = 0;
    }
    trouble.newton.component = worst_entry(errors, scale);
  } else if (model_failed_) {
    trouble.newton.status = NewtonStatus::NotFinite;
  } else if (linear_.singular()) {
    const Pivot pivot = linear_.weakest_pivot();
    trouble.newton = {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
  }
  return step_failure(trouble, system_.trouble());
}

int Ida::order() const {
  int used = 0;
  if (ida_) IDAGetLastOrder(ida_.get(), &used);
  return std::max(used, 1);
}

void Ida::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  [[maybe_unused]] int flag = IDAGetDky(ida_.get(), t, 0, scratch_.get());
  assert(flag == IDA_SUCCESS);
  copy_values(values(scratch_.get()), y);
  if (yp.empty()) return;
  IDAGetDky(ida_.get(), t, 1, scratch_.get());
  copy_values(values(scratch_.get()), yp);
}

}  // namespace

IntegratorRow ida_row() {
  return {
      .name = "ida",
      .summary =
          "IDA of SUNDIALS: variable order and step BDF, as an independent second answer (--step: the "
          "longest)",
      .reference = "Hindmarsh et al.: SUNDIALS, ACM TOMS 31 (2005)",
      .order = 5,
      .adaptive = true,
      .one_step = false,
      .options =
          {{.name = "order",
            .kind = OptionKind::Integer,
            .default_value = "5",
            .doc = "the highest order",
            .min = 1,
            .max = 5},
           {.name = "newton",
            .kind = OptionKind::Text,
            .default_value = "ida",
            .doc = "Newton's acceptance: by the rate of earlier steps, or of each step alone, as DASSL did "
                   "until 1989",
            .choices = {"ida", "dassl"}},
           {.name = "algebraic",
            .kind = OptionKind::Number,
            .default_value = "",
            .doc = "algebraic unknowns take part in the error test, with this rtol and atol of their own, "
                   "as in DASSL",
            .min = least_positive},
           solver_option(),
           max_step_option()},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<Ida>(system, with_defaults(settings, ida_row()));
      },
      .copyable = false};
}

}  // namespace daedalus
