#include "simulate/recording.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace daedalus {
namespace {

// A single point is as soon done by itself.
constexpr std::size_t least_in_lanes = 2;
}  // namespace

Recording::Recording(const EngineParts& parts, const RunSettings& settings,
                     std::span<const double> environment, Followers followers, StateAccuracy accuracy,
                     SensitivityCourse* sensitivities)
    : recorder_(*parts.model, parts.assertions, environment, settings),
      parts_(parts),
      tolerances_(settings.tolerances),
      start_(settings.start),
      end_(settings.end),
      accuracy_(std::move(accuracy)),
      followers_(std::move(followers)),
      sensitivities_(sensitivities) {
  if (sensitivities_ != nullptr)
    recorder_.add_columns(sensitivities_->signals(),
                          [this](double t, std::span<double> values) { sensitivities_->values(t, values); });
  if (followers_.dense != nullptr) followers_.dense->begin(recorder_.signals());
  for (const auto& observer : followers_.observers)
    observer->begin(recorder_.signals(), recorder_.parameters());
}

// Output rows strictly before the end of the step, and at it when nothing happens there.
std::string Recording::step_done(Stepper& stepper, double reached, bool event) {
  if (sensitivities_ != nullptr) {
    if (std::string trouble = sensitivities_->step(stepper, reached, event); !trouble.empty()) return trouble;
  }
  const bool implicit = stepper.integrator_row().make != nullptr;
  Amplification* const amplification = amplification_of(stepper.integrator_row());
  Stepper::OutputPoints points(stepper);
  bool lanes = recorder_.prepare_lanes() && stepper.prepare_lanes();  // as long as they serve
  for (double t = recorder_.next(); event ? t < reached : t <= reached; t = recorder_.next()) {
    lanes = lanes && record_lanes(stepper, points, reached);
    if (lanes) continue;
    const std::span<const double> environment = points.at(t);
    if (std::string failure = record(environment, points.trouble()); !failure.empty()) return failure;
    if (!implicit || amplification == nullptr) continue;
    if (is_large(*parts_.model))
      amplification->see_rarely(environment, (t - start_) / (end_ - start_));
    else
      amplification->see(environment, t >= end_);
  }
  if (followers_.dense != nullptr) record_course(stepper, points, reached);
  if (!implicit && amplification != nullptr)
    amplification->see_step(stepper, (reached - start_) / (end_ - start_));
  return {};
}

std::string Recording::event_done(Stepper& stepper) {
  if (sensitivities_ != nullptr) {
    if (std::string trouble = sensitivities_->event(stepper); !trouble.empty()) return trouble;
  }
  return recorder_.next() <= stepper.time() ? record(stepper.environment()) : std::string();
}

bool Recording::go_on(const Progress& progress) {
  bool all = !followers_.progress || followers_.progress(progress);
  for (const auto& observer : followers_.observers) all = observer->step(progress) && all;
  return all;
}

// As many as there are at once before the end of the step. False: there are too few, or they are to be looked
// at one by one.
bool Recording::record_lanes(Stepper& stepper, Stepper::OutputPoints& points, double reached) {
  std::array<double, lane_count> times;
  const std::size_t count = recorder_.coming(std::min(reached, stepper.integrator()->t()), times);
  if (count < least_in_lanes) return false;
  const std::span<const double> environments = points.lanes(times);
  const std::size_t first = recorder_.rows();
  if (environments.empty() || !recorder_.record_lanes(environments, std::span(times).first(count)))
    return false;
  for (const auto& observer : followers_.observers) {
    for (std::size_t row = first; row < recorder_.rows(); ++row)
      observer->row(recorder_.time(row), recorder_.row(row));
  }
  return true;
}

std::string Recording::record(std::span<const double> environment, const std::string& trouble) {
  if (!trouble.empty() && !recorder_.nearly_holds(environment)) return trouble;
  std::string failure = recorder_.check_assertions(environment, warnings_);
  recorder_.record(environment);
  tell_row();
  return failure;
}

Amplification* Recording::amplification_of(const IntegratorRow& row) {
  if (!row.adaptive) return nullptr;
  if (!amplification_) amplification_.emplace(*parts_.model, tolerances_, accuracy_);
  return &*amplification_;
}

void Recording::tell_row() {
  for (const auto& observer : followers_.observers)
    observer->row(recorder_.time(recorder_.rows() - 1), recorder_.row(recorder_.rows() - 1));
}

// The step up to `reached`, before anything happens there.
void Recording::record_course(const Stepper& stepper, Stepper::OutputPoints& points, double reached) {
  course_.clear();
  const std::vector<double> nodes =
      DenseOutput::nodes(stepper.time(), reached, stepper.integrator()->order());
  for (const double t : nodes) recorder_.append_signals(points.within(t), course_);
  followers_.dense->add(nodes, course_);
}

void Recording::record_end(Stepper& stepper) {
  const std::span<const double> environment = stepper.output_now();
  if (!stepper.output_trouble().empty() && !recorder_.nearly_holds(environment)) return;
  if (recorder_.record_end(stepper.time(), environment)) tell_row();
}

void Recording::finish(RunResult& result) {
  for (std::string& warning : warnings_) result.summary.warnings.push_back(std::move(warning));
  recorder_.finish(result);
}

}  // namespace daedalus
