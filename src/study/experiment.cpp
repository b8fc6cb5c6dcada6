#include "study/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "study/embedded_models.hpp"

namespace daedalus {
namespace {

std::string sentences(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::Error) continue;
    text += (text.empty() ? "" : "; ") + diagnostic.message;
  }
  return text;
}

std::expected<DaeSystem, std::string> load(const RunSetup& setup, bool remove_aliases) {
  const auto models = embedded_models();
  const auto found = std::ranges::find(models, setup.model, &EmbeddedModel::name);
  assert(found != models.end());
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add(fmt::format("{}.mo", setup.model), std::string(found->text));
  auto system = load_model(sources, file, {.settings = setup.settings, .remove_aliases = remove_aliases});
  if (!system) return std::unexpected(sentences(system.error()));
  return *std::move(system);
}

}  // namespace

std::string command_line(const RunSetup& setup) {
  std::string text = fmt::format("daedalus run problems/{}.mo", setup.model);
  for (const ParameterSetting& s : setup.settings) text += fmt::format(" --set {}={}", s.name, s.value);
  const auto option = [&text](std::string_view name, const std::string& value) {
    const std::string_view quote = value.find_first_of("[];") != std::string::npos ? "'" : "";
    if (value != "auto") text += fmt::format(" {0} {1}{2}{1}", name, quote, value);
  };
  option("--formulation", setup.formulation);
  option("--integrator", setup.integrator);
  const auto number = [&text](std::string_view name, const std::optional<double>& value) {
    if (value) text += fmt::format(" {} {:g}", name, *value);
  };
  number("--step", setup.step);
  number("--until", setup.until);
  number("--rtol", setup.rtol);
  number("--atol", setup.atol);
  if (setup.points) text += fmt::format(" --points {}", *setup.points);
  return text;
}

std::expected<RunResult, std::string> perform(const RunSetup& setup, const KeepGoing& keep_going) {
  const auto system = load(setup, true);
  if (!system) return std::unexpected(system.error());
  const auto formulation = parse_selection(setup.formulation);
  if (!formulation) return std::unexpected(sentences(formulation.error()));
  const auto integrator = parse_selection(setup.integrator);
  if (!integrator) return std::unexpected(sentences(integrator.error()));
  RunOptions options;
  options.until = setup.until;
  options.rtol = setup.rtol;
  options.atol = setup.atol;
  options.step = setup.step;
  options.points = setup.points;
  options.formulation = *formulation;
  options.integrator = *integrator;
  if (keep_going) options.progress = [&keep_going](const Progress&) { return keep_going(); };
  auto result = simulate(*system, options);
  if (!result) return std::unexpected(sentences(result.error()));
  return *std::move(result);
}

std::expected<CheckReport, std::string> examine(const RunSetup& setup) {
  const auto as_written = load(setup, false);
  if (!as_written) return std::unexpected(as_written.error());
  const auto reduced = load(setup, true);
  if (!reduced) return std::unexpected(reduced.error());
  auto report = check(*as_written, *reduced);
  if (!report) return std::unexpected(sentences(report.error()));
  return *std::move(report);
}

std::size_t column_of(const Trajectory& trajectory, std::string_view name) {
  const auto found = std::ranges::find(trajectory.signals, name, &Signal::name);
  assert(found != trajectory.signals.end());
  return static_cast<std::size_t>(found - trajectory.signals.begin());
}

double last_value(const Trajectory& trajectory, std::string_view name) {
  assert(trajectory.rows() > 0);
  return trajectory.at(trajectory.rows() - 1, column_of(trajectory, name));
}

double last_drift(const Trajectory& trajectory, std::size_t level) {
  assert(level < trajectory.drift.size());
  return trajectory.drift[level].back();
}

double formulation_value(const Summary& summary, std::string_view name) {
  for (const auto& [unknown, value] : summary.formulation_values) {
    if (unknown == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace daedalus
