#include "simulate/recording.hpp"

#include <utility>

namespace daedalus {

Recording::Recording(const EngineParts& parts, const RunSettings& settings,
                     std::span<const double> environment, Followers followers)
    : recorder_(*parts.model, parts.assertions, environment, settings), followers_(std::move(followers)) {
  if (followers_.dense != nullptr) followers_.dense->begin(recorder_.signals());
  for (const auto& observer : followers_.observers)
    observer->begin(recorder_.signals(), recorder_.parameters());
}

// Output rows strictly before the end of the step, and at it when nothing happens there.
std::string Recording::step_done(Stepper& stepper, double reached, bool event) {
  while (recorder_.next() < reached) {
    if (std::string failure = record(stepper, recorder_.next()); !failure.empty()) return failure;
  }
  if (recorder_.next() <= reached && !event) {
    if (std::string failure = record(stepper, recorder_.next()); !failure.empty()) return failure;
  }
  if (followers_.dense != nullptr) record_course(stepper, reached);
  return {};
}

std::string Recording::event_done(Stepper& stepper) {
  return recorder_.next() <= stepper.time() ? record(stepper, stepper.time()) : std::string();
}

bool Recording::go_on(const Progress& progress) {
  bool all = !followers_.progress || followers_.progress(progress);
  for (const auto& observer : followers_.observers) all = observer->step(progress) && all;
  return all;
}

std::string Recording::record(Stepper& stepper, double t) {
  const std::span<const double> environment = stepper.output_at(t);
  if (!stepper.output_trouble().empty() && !recorder_.nearly_holds(environment))
    return stepper.output_trouble();
  std::string failure = recorder_.check_assertions(environment, warnings_);
  recorder_.record(environment);
  tell_row();
  return failure;
}

void Recording::tell_row() {
  for (const auto& observer : followers_.observers)
    observer->row(recorder_.last_time(), recorder_.last_row());
}

// The step up to `reached`, before anything happens there.
void Recording::record_course(Stepper& stepper, double reached) {
  course_.clear();
  const std::vector<double> nodes =
      DenseOutput::nodes(stepper.time(), reached, stepper.integrator()->order());
  for (const double t : nodes) recorder_.append_signals(stepper.course_at(t), course_);
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
