#include "drive/state_space_driver.hpp"

#include "numerics/dense_algebra.hpp"

namespace daedalus {

bool StateSpaceOde::derivative(double t, std::span<const double> y, std::span<double> yp) {
  form_.place(t, y);
  if (!projector_.project(residual_.environment())) {
    trouble_ = projector_.trouble().empty()
                   ? "the dependent coordinates could not be found from the constraints"
                   : projector_.trouble();
    return false;
  }
  form_.gather(point_);
  if (form_.derivative(t, point_, yp)) return true;
  trouble_ = form_.trouble();
  return false;
}

StateSpaceDriver::StateSpaceDriver(const DriverSetting& setting, ReformulatedSystem system)
    : OrthogonalProjectionDriver(setting, std::move(system)), choices_(make_bases()) {}

StateSpaceDriver::StateSpaceDriver(const StateSpaceDriver& other)
    : OrthogonalProjectionDriver(other), choices_(other.choices_), changes_(other.changes_) {
  if (other.ode_ != nullptr) ode_ = std::make_unique<StateSpaceOde>(ode(), residual(), projector());
}

std::string StateSpaceDriver::begin() {
  if (std::string trouble = choose(); !trouble.empty()) return trouble;
  changes_ = 0;  // the first choice is none
  give_directions();
  return OrthogonalProjectionDriver::begin();
}

std::unique_ptr<Integrator> StateSpaceDriver::make_integrator(const IntegratorRow& row,
                                                              const IntegratorSettings& settings) {
  if (row.make_explicit == nullptr) return OrthogonalProjectionDriver::make_integrator(row, settings);
  ode_ = std::make_unique<StateSpaceOde>(ode(), residual(), projector());
  return row.make_explicit(*ode_, settings);
}

SystemReference StateSpaceDriver::system() {
  if (ode_ != nullptr) return *ode_;
  return OrthogonalProjectionDriver::system();
}

std::string StateSpaceDriver::choose() {
  ConstraintMatrices here = matrices();
  here.evaluate(environment());
  const Eigen::MatrixXd constraint = here.constraint();
  bool changed = false;
  for (Basis& choice : choices_) {
    changed = choice.update(constraint) || changed;
    if (!choice.trouble().empty()) return choice.trouble();
  }
  if (!changed) return {};
  ++changes_;
  give_directions();
  return {};
}

// The columns of N are a basis of ker Aᵀ.
void StateSpaceDriver::give_directions() {
  const Parametrisation& parametrisation = residual().system().parametrisation;
  for (int level = 0; level < form().order; ++level) {
    const Eigen::MatrixXd& a =
        choices_[static_cast<std::size_t>(parametrisation.of_level[static_cast<std::size_t>(level)])]
            .matrix();
    if (a.cols() < a.rows())
      projector().use_directions(level, orthogonal_factor(a).rightCols(a.rows() - a.cols()));
  }
}

void StateSpaceDriver::start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) {
  if (integrator != nullptr) (void)choose();
  OrthogonalProjectionDriver::start_values(integrator, y, yp);
}

std::string StateSpaceDriver::after_step(Integrator& integrator) {
  // A series has no stages that would meet the end of what the coordinates describe, and steps that may go
  // far beyond it: its end is moved in coordinates that are good there.
  if (ode_ == nullptr) {
    if (std::string trouble = choose(); !trouble.empty()) return trouble;
  }
  std::string reason = OrthogonalProjectionDriver::after_step(integrator);
  return reason.empty() ? choose() : reason;
}

// Within the step of a series the coordinates may be no good at all: there points are moved by the least
// change.
std::string StateSpaceDriver::complete_output() {
  if (ode_ != nullptr) return OrthogonalProjectionDriver::complete_output();
  for (int level = 0; level < form().order; ++level) projector().use_directions(level, {});
  std::string trouble = OrthogonalProjectionDriver::complete_output();
  give_directions();
  return trouble;
}

void StateSpaceDriver::state(Archive& archive) {
  OrthogonalProjectionDriver::state(archive);
  archive.section("state space", 1);
  for (Basis& choice : choices_) choice.state(archive);
  archive(changes_);
  if (archive.ok() && archive.reading()) give_directions();
}

void StateSpaceDriver::finish(Summary& summary) {
  OrthogonalProjectionDriver::finish(summary);
  summary.pivot_count += changes_;
}

}  // namespace daedalus
