#include "study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "advise/plan.hpp"
#include "mechanics/equations.hpp"
#include "readers/read_mechanism.hpp"
#include "study/compare_run.hpp"

namespace daedalus {
namespace {

constexpr int default_points = 501;
constexpr double default_steps = 2000;
constexpr double reference_factor = 1e-3;  // of the tightest tolerance asked for
constexpr double least_reference_rtol = 1e-12;
constexpr double least_reference_atol = 1e-15;
constexpr std::size_t most_plotted = 6;

struct Pair {
  std::string_view formulation;
  std::string_view integrator;
};
// Formulations that keep every constraint, the most widely applicable first; and, to check the first, methods
// that share neither its equations nor its integrator.
constexpr std::array<Pair, 3> reference_runs{
    {{"dummy-derivatives", "auto"}, {"trust-region", "auto"}, {"orthogonal-projection", "auto"}}};
constexpr std::array<Pair, 2> control_runs{{{"orthogonal-projection", "auto"}, {"dummy-derivatives", "bdf"}}};

struct ReferenceRun {
  std::string name;  // empty: none succeeded
  Trajectory trajectory;
};

class Comparer {
 public:
  Comparer(const ModelSource& model, const CompareOptions& options) : model_(model), options_(options) {}

  Result<Comparison> run() {
    auto system = model_.load();
    if (!system) return std::unexpected(system.error());
    if (auto ok = set_up(*system); !ok) return std::unexpected(ok.error());
    const std::vector<RowPlan> rows = plan();
    const std::size_t references = options_.reference ? 0 : 2;
    ProgressHub hub(options_, rows.size() + references);
    if (references > 0) make_reference(hub);
    choose_plotted();
    run_rows(rows, hub);
    if (hub.stopped()) out_.notes.emplace_back("interrupted: what was not finished is marked so");
    return std::move(out_);
  }

 private:
  Result<void> set_up(const DaeSystem& system) {
    out_.model = system.name;
    out_.atol = options_.atol;
    const Experiment& experiment = system.experiment;
    out_.t_start = experiment.start_time;
    out_.t_end = options_.until.value_or(experiment.stop_time.value_or(out_.t_start + 1));
    if (!std::isfinite(out_.t_end) || out_.t_end <= out_.t_start) {
      return fail(
          fmt::format("the end time {:g} is not after the start time {:g}", out_.t_end, out_.t_start));
    }
    rtols_ = options_.rtols;
    if (rtols_.empty()) rtols_.push_back(experiment.tolerance.value_or(1e-6));
    std::ranges::sort(rtols_, std::greater<>());
    const auto doubled = std::ranges::unique(rtols_);
    rtols_.erase(doubled.begin(), doubled.end());
    out_.several_tolerances = rtols_.size() > 1;
    out_.points = options_.points.value_or(default_points);
    SignalGroups groups = signal_groups(system);
    out_.motion = std::move(groups.motion);
    out_.multipliers = std::move(groups.multipliers);
    if (auto ok = find_energy(system); !ok) return ok;
    return options_.reference ? use_file(*options_.reference) : Result<void>{};
  }

  // Parameters may be called E, too; a modulus is no energy.
  Result<void> find_energy(const DaeSystem& system) {
    std::vector<std::string_view> known;
    std::vector<std::string_view> units;
    for (const Variable& variable : system.variables) {
      if (variable.kind != VariableKind::Continuous) continue;
      known.push_back(variable.name);
      units.push_back(variable.unit);
    }
    for (const ReportedValue& reported : system.reported) {
      if (reported.parameter) continue;
      known.push_back(reported.attributes.name);
      units.push_back(reported.attributes.unit);
    }
    if (!options_.energy.empty()) {
      if (std::ranges::find(known, std::string_view(options_.energy)) == known.end())
        return fail(unknown_name_message("variable for --energy", options_.energy, known));
      out_.energy = options_.energy;
      return {};
    }
    for (const std::string_view name : {"energy", "E_total", "E"}) {
      const auto found = std::ranges::find(known, name);
      if (found == known.end()) continue;
      const std::string_view unit = units[static_cast<std::size_t>(found - known.begin())];
      if (!unit.empty() && unit != "J") continue;
      out_.energy = name;
      break;
    }
    return {};
  }

  // Output times as a run has them, without signals.
  [[nodiscard]] Trajectory output_times() const {
    Trajectory times;
    for (int k = 0; k < out_.points; ++k) {
      times.times.push_back(k + 1 == out_.points
                                ? out_.t_end
                                : out_.t_start + ((out_.t_end - out_.t_start) * k / (out_.points - 1)));
    }
    return times;
  }

  Result<void> use_file(const ReferenceTable& table) {
    const ErrorMeasure motion(table.trajectory, out_.motion);
    if (motion.empty()) {
      return fail(fmt::format(
          "the reference '{}' has no signal in common with what the model differentiates ({}{})", table.name,
          out_.motion.empty() ? "nothing" : out_.motion.front(), out_.motion.size() > 1 ? ", …" : ""));
    }
    // A table with evenly spaced rows over the whole run says at how many points it wants to be met.
    const auto rows = static_cast<int>(table.trajectory.rows());
    if (!options_.points && rows > 1) {
      out_.points = rows;
      if (motion.of(output_times()).points < rows) out_.points = default_points;
    }
    out_.reference.points = motion.of(output_times()).points;
    if (out_.reference.points == 0) {
      return fail(fmt::format(
          "the reference '{}' has times from {:g} to {:g}, but none of them is one of the {} output points "
          "from {:g} to {:g}; choose others with --points, or another end time with --until",
          table.name, table.trajectory.times.front(), table.trajectory.times.back(), out_.points,
          out_.t_start, out_.t_end));
    }
    out_.reference.source = "file";
    out_.reference.name = table.name;
    reference_.trajectory = table.trajectory;
    return {};
  }

  std::vector<RowPlan> plan() {
    PlanSettings settings{.formulations = options_.formulations,
                          .integrators = options_.integrators,
                          .rtols = rtols_,
                          .step = options_.step.value_or((out_.t_end - out_.t_start) / default_steps)};
    if (settings.formulations.empty()) settings.formulations = all_formulations();
    if (settings.integrators.empty()) settings.integrators.emplace_back("auto");
    std::vector<RowPlan> rows = plan_rows(settings);
    if (std::ranges::any_of(rows, [](const RowPlan& row) { return row.step.has_value(); })) {
      out_.notes.push_back(
          fmt::format("rows of fixed step take h = {:g}{}{}", settings.step,
                      options_.step ? "" : " (the run in 2000 steps; --step H chooses another)",
                      out_.several_tolerances ? ", and half of it for each further tolerance" : ""));
    }
    return rows;
  }

  [[nodiscard]] CompareSettings run_settings() const {
    return {.until = options_.until, .atol = options_.atol, .points = out_.points, .limit = options_.limit};
  }

  ReferenceRun first_that_runs(std::span<const Pair> candidates, ProgressHub& hub) const {
    const double rtol = std::max(reference_factor * rtols_.back(), least_reference_rtol);
    CompareSettings settings = run_settings();
    if (settings.atol) settings.atol = std::max(reference_factor * *settings.atol, least_reference_atol);
    for (const Pair& pair : candidates) {
      const RowPlan plan{.formulation = Selection(std::string(pair.formulation)),
                         .integrator = Selection(std::string(pair.integrator)),
                         .rtol = rtol};
      RowOutcome outcome = run_row(model_, plan, settings, hub);
      if (outcome.status != RowStatus::Ok) continue;
      const Summary& summary = outcome.result.summary;
      return {.name = fmt::format("{}, {}, rtol {:g}", summary.formulation.name(), summary.integrator.name(),
                                  rtol),
              .trajectory = std::move(outcome.result.trajectory)};
    }
    return {};
  }

  void make_reference(ProgressHub& hub) {
    std::array<ReferenceRun, 2> runs;
    run_parallel(2, options_.threads, [&](std::size_t k) {
      const auto candidates =
          k == 0 ? std::span<const Pair>(reference_runs) : std::span<const Pair>(control_runs);
      runs[k] = first_that_runs(candidates, hub);
      hub.row_done();
    });
    if (runs[0].name.empty()) {
      out_.notes.emplace_back(
          "no reference: none of the formulations that keep every constraint came to the end");
      return;
    }
    reference_ = std::move(runs[0]);
    out_.reference.source = "run";
    out_.reference.name = reference_.name;
    out_.reference.points = out_.points;
    if (runs[1].name.empty() || runs[1].name == reference_.name) return;
    out_.reference.control = runs[1].name;
    const auto apart = ErrorMeasure(reference_.trajectory, out_.motion).of(runs[1].trajectory);
    out_.reference.uncertainty = apart.error;
    out_.reference.uncertain_at = apart.worst_time;
    out_.reference.typical = apart.median();
  }

  void choose_plotted() {
    const Trajectory& reference = reference_.trajectory;
    for (const std::string& name : out_.motion) {
      if (out_.plotted.size() == most_plotted) break;
      const std::size_t column = find_signal(reference, name);
      if (reference.rows() > 0 && column < reference.signals.size()) {
        const std::vector<double> moved = departure(reference, column);
        if (std::ranges::all_of(moved, [](double value) { return value == 0; })) continue;
      }
      out_.plotted.push_back(name);
    }
    if (out_.reference.source != "none") out_.reference_curves = signal_curves(reference, out_.plotted);
  }

  void run_rows(const std::vector<RowPlan>& rows, ProgressHub& hub) {
    std::optional<ErrorMeasure> motion;
    std::optional<ErrorMeasure> multipliers;
    MeasureSettings settings{.energy = out_.energy, .plotted = out_.plotted};
    if (out_.reference.source != "none") {
      settings.motion = &motion.emplace(reference_.trajectory, out_.motion);
      settings.multipliers = &multipliers.emplace(reference_.trajectory, out_.multipliers);
    }
    out_.rows.resize(rows.size());
    run_parallel(rows.size(), options_.threads, [&](std::size_t k) {
      const RowOutcome outcome = run_row(model_, rows[k], run_settings(), hub);
      MeasureSettings own = settings;
      own.curves = rows[k].rtol == rtols_.back();  // of several tolerances the tightest is drawn over time
      out_.rows[k] = measure_row(rows[k], outcome, own);
      hub.row_done();
    });
  }

  const ModelSource& model_;
  const CompareOptions& options_;
  Comparison out_;
  std::vector<double> rtols_;  // descending
  ReferenceRun reference_;
};

}  // namespace

std::string_view word(RowStatus status) {
  switch (status) {
    case RowStatus::Ok:
      return "ok";
    case RowStatus::Differs:
      return "differs";
    case RowStatus::Failed:
      return "failed";
    case RowStatus::Refused:
      return "refused";
    case RowStatus::Interrupted:
      return "interrupted";
  }
  return "";
}

bool Comparison::any_ran() const {
  return std::ranges::any_of(rows, &CompareRow::ran);
}

bool Comparison::all_refused() const {
  return std::ranges::all_of(rows, [](const CompareRow& row) { return row.status == RowStatus::Refused; });
}

Result<DaeSystem> ModelSource::load(const Selection& formulation) const {
  if (make) return make();
  const auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add(name, text);
  if (!looks_like_xml(text)) {
    return load_for(formulation, [&](bool keep_constraints) {
      return load_model(sources, file, {.settings = settings, .keep_constraints = keep_constraints});
    });
  }
  ReadOptions options;
  options.settings = settings;
  const auto mechanism = read_mechanism(sources, file, options);
  if (!mechanism) return std::unexpected(mechanism.error());
  return equations_of(*mechanism);
}

Result<Comparison> compare(const ModelSource& model, const CompareOptions& options) {
  return Comparer(model, options).run();
}

}  // namespace daedalus
