#include "cli/sweep_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_model.hpp"
#include "cli/progress_bar.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/sampling.hpp"
#include "results/csv_table.hpp"
#include "results/csv_text.hpp"
#include "results/output_file.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view footer =
    R"text(Where the numbers of the runs come from is one of the two: a CSV table with a column for each name, or samples.
A name is a free parameter, an input, or a variable, whose start value it is. The result is a row for each run, and for each
time where there are several, with the numbers of the run, the variables, status, drift and steps. Every run has its own
error control, and its results depend on its own numbers alone. Ctrl-C keeps the runs that are done.

Exit code: 0 when all runs came to their end; 1 when not; 2 when the input is wrong.

Examples:
  daedalus sweep pendulum.mo --set-table runs.csv --vars x,y --out results.csv
  daedalus sweep andrews.mo --sample "mom=uniform(0.03,0.04)" --runs 100000 --seed 1 --vars beta --out results.csv
  daedalus sweep fourbar.mo --sample "a=normal(1,0.01)" --sample "b=normal(2,0.01)" --runs 1000 --latin-hypercube --out -)text";

// Runs of one piece: what is computed before it is written.
constexpr std::size_t numbers_of_piece = std::size_t{1} << 24;

struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::size_t runs = 0;
};

// The table's columns. read_csv_table() reads results, whose first column is the time: here it is the row.
Result<Columns> table_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(fmt::format("cannot read '{}'", path));
  std::string text;
  std::size_t row = 0;
  for (std::string line; std::getline(stream, line);) {
    while (line.ends_with('\r')) line.pop_back();
    if (row == 0 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    if (!line.empty()) text += row++ == 0 ? "time," + line : fmt::format("{},{}", row, line);
    text += '\n';
  }
  auto read = read_csv_table(text, {.what = fmt::format("the table '{}'", path), .finite = true});
  if (!read) return std::unexpected(read.error());
  Columns columns{.names = read->names, .values = {}, .runs = read->times.size()};
  for (std::size_t c = 0; c < columns.names.size(); ++c) columns.values.push_back(read->column(c));
  return columns;
}

Result<Columns> samples_of(const SweepArguments& arguments) {
  Columns columns{.names = {}, .values = {}, .runs = arguments.runs};
  for (const std::string& text : arguments.samples) {
    const auto setting = parse_setting(text);
    if (!setting) return fail(fmt::format("'{}' is not NAME=DISTRIBUTION", text));
    const auto distribution = parse_distribution(setting->value);
    if (!distribution) return std::unexpected(distribution.error());
    columns.values.push_back(samples(*distribution, columns.names.size(), columns.runs,
                                     {.seed = arguments.seed, .latin = arguments.latin}));
    columns.names.push_back(setting->name);
  }
  return columns;
}

Result<Columns> columns_of(const SweepArguments& arguments) {
  const bool sampled = !arguments.samples.empty();
  if (sampled == !arguments.table.empty())
    return fail("either --set-table or --sample says what changes from run to run");
  if (sampled && arguments.runs == 0) return fail("--runs says how many samples there are to be");
  if (!sampled && arguments.runs != 0) return fail("--runs is for samples: a table has its rows");
  auto columns = sampled ? samples_of(arguments) : table_of(arguments.table);
  if (!columns) return columns;
  for (std::size_t k = 0; k < columns->names.size(); ++k) {
    if (std::ranges::count(columns->names, columns->names[k]) > 1)
      return fail(fmt::format("'{}' is given twice", columns->names[k]));
  }
  return columns;
}

// Names that are neither inputs nor variables must be parameters, which then stay free.
std::optional<DaeSystem> load_free(const ModelText& text, ModelArguments& model, const Columns& columns,
                                   bool quiet) {
  auto system = load(text, model, {.quiet = quiet});
  if (!system) return std::nullopt;
  for (const std::string& name : columns.names) {
    if (std::ranges::find(system->variables, name, &Variable::name) == system->variables.end())
      model.free.push_back(name);
  }
  return model.free.empty() ? std::move(system) : load(text, model, {.quiet = true});
}

Result<std::shared_ptr<const Ensemble>> ensemble_of(const SweepArguments& arguments,
                                                    const DaeSystem& system) {
  auto planned = plan(system, {.until = arguments.until,
                               .rtol = arguments.rtol,
                               .atol = arguments.atol,
                               .integrator = arguments.integrator});
  if (!planned) return std::unexpected(planned.error());
  auto engine = compile(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  return Ensemble::make(*engine, {.outputs = arguments.vars,
                                  .at = arguments.at,
                                  .backend = arguments.backend,
                                  .threads = arguments.threads});
}

class Writer {
 public:
  Writer(OutputFile& file, const Columns& columns, const Ensemble& ensemble)
      : file_(file), columns_(columns), several_(ensemble.times().size() > 1) {
    file_.write("run");
    for (const std::string& name : columns.names) file_.write("," + csv_field(name));
    if (several_) file_.write(",time");
    for (const std::string& name : ensemble.outputs()) file_.write("," + csv_field(name));
    file_.write(",status,drift,steps\n");
  }

  void write(std::size_t first, const EnsembleResult& result) {
    constexpr std::array words{"ok", "failed", "not done"};
    const std::size_t width = result.outputs.size();
    for (std::size_t k = 0; k < result.runs(); ++k) {
      if (result.status[k] == TrajectoryStatus::NotDone) continue;
      const auto values = result.of_run(k);
      for (std::size_t t = 0; t < result.times.size(); ++t) {
        file_.write(fmt::format("{}", first + k + 1));
        for (const auto& column : columns_.values) number(column[first + k]);
        if (several_) number(result.times[t]);
        for (std::size_t c = 0; c < width; ++c) number(values[(t * width) + c]);
        file_.write(fmt::format(",{}", words[static_cast<std::size_t>(result.status[k])]));
        number(result.drift[k]);
        file_.write(fmt::format(",{}\n", result.steps[k]));
      }
    }
  }

 private:
  void number(double value) {
    file_.write(",");
    file_.write_number(value);
  }

  OutputFile& file_;
  const Columns& columns_;
  bool several_;
};

struct Tally {
  std::size_t done = 0, failed = 0, scalar = 0;
  double drift = 0;
  std::string first_reason;
};

void count(Tally& tally, std::size_t first, const EnsembleResult& result) {
  tally.done += result.done;
  tally.failed += result.failures.size();
  if (tally.first_reason.empty() && !result.failures.empty())
    tally.first_reason =
        fmt::format("run {}: {}", first + result.failures.front().run + 1, result.failures.front().reason);
  for (std::size_t k = 0; k < result.runs(); ++k) {
    tally.scalar += result.scalar[k];
    tally.drift = std::max(tally.drift, result.drift[k]);
  }
}

Result<Tally> run_all(const SweepArguments& arguments, const Ensemble& ensemble, const Columns& columns,
                      Writer& writer) {
  ProgressBar bar(!arguments.quiet);
  Tally tally;
  const std::size_t width = (ensemble.outputs().size() * ensemble.times().size()) + 8;
  const std::size_t most = std::max<std::size_t>(1, numbers_of_piece / width);
  for (std::size_t first = 0; first < columns.runs && !interrupted(); first += most) {
    EnsembleInputs inputs{
        .names = columns.names, .columns = {}, .runs = std::min(most, columns.runs - first)};
    for (const auto& column : columns.values)
      inputs.columns.emplace_back(std::span(column).subspan(first, inputs.runs));
    const auto result = ensemble.run(inputs, [&](std::size_t done, std::size_t) {
      bar.update_runs(first + done, columns.runs);
      return !interrupted();
    });
    if (!result) return std::unexpected(result.error());
    count(tally, first, *result);
    writer.write(first, *result);
  }
  return tally;
}

int report(const SweepArguments& arguments, const Ensemble& ensemble, const Columns& columns,
           const Tally& tally) {
  if (tally.failed > 0)
    std::fputs(
        fmt::format("error: {} of {} runs failed; {}\n", tally.failed, columns.runs, tally.first_reason)
            .c_str(),
        stderr);
  if (tally.done < columns.runs)
    std::fputs(fmt::format("error: interrupted after {} of {} runs\n", tally.done, columns.runs).c_str(),
               stderr);
  if (!arguments.quiet) {
    const std::string why = ensemble.why().empty() ? "" : fmt::format(" ({})", ensemble.why());
    const std::string some = tally.scalar > 0 && ensemble.backend() != "scalar"
                                 ? fmt::format(", {} of them by the engine itself", tally.scalar)
                                 : "";
    std::fputs(fmt::format("{} runs by {}{}{}; drift {:.2g}\n", tally.done, ensemble.backend(), why, some,
                           tally.drift)
                   .c_str(),
               stderr);
  }
  return tally.failed == 0 && tally.done == columns.runs ? exit_ok : exit_numerics;
}

}  // namespace

void add_sweep_options(CLI::App& app, SweepArguments& arguments) {
  const auto positive = [](const std::string& text) { return objection_to_number(text, true); };
  app.add_option("MODEL", arguments.model,
                 "Modelica or Base Modelica file (.mo, .bmo), mechanism (.xml MJCF, .urdf)")
      ->option_text(" ")
      ->required();
  app.add_option("--set-table", arguments.table,
                 "CSV with a column of values for each name, a row for each run")
      ->type_name("FILE.csv");
  app.add_option("--sample", arguments.samples, "Random values; may be given many times")
      ->type_name("NAME=uniform(A,B)|normal(M,S)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--runs", arguments.runs, "How many samples")->type_name("N");
  app.add_option("--seed", arguments.seed, "The same seed gives the same samples (default: 0)")
      ->type_name("N");
  app.add_flag("--latin-hypercube", arguments.latin,
               "One sample in each of N equally likely parts of every range");
  app.add_option("--set", arguments.settings, "Set a parameter, an input or a start value in all runs")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& text) {
        return parse_setting(text) ? std::string() : fmt::format("'{}' is not NAME=VALUE", text);
      });
  app.add_option_function<std::string>(
         "--vars", [&arguments](const std::string& text) { arguments.vars = split_names(text); },
         "Variables of the result (default: all)")
      ->type_name("A,B,...");
  app.add_option("--at", arguments.at, "Times of the result, ascending (default: the end)")
      ->delimiter(',')
      ->type_name("T,T,...");
  app.add_option("--until", arguments.until, "End of the runs")
      ->type_name("T")
      ->check([](const std::string& text) { return objection_to_number(text, false); });
  app.add_option("--rtol", arguments.rtol, "Relative tolerance")->type_name("X")->check(positive);
  app.add_option("--atol", arguments.atol, "Absolute tolerance")->type_name("X")->check(positive);
  app.add_option_function<std::string>(
         "--integrator", [&arguments](const std::string& text) { arguments.integrator = Selection(text); },
         "dopri5 or dop853 for ensembles (default: auto)")
      ->type_name("NAME");
  app.add_option("--backend", arguments.backend, "auto, lanes, cuda or scalar (default: auto)")
      ->type_name("NAME");
  app.add_option("--threads", arguments.threads, "At most so many threads (default: all processors)")
      ->type_name("N");
  app.add_option("--out", arguments.out, "Where the result goes; '-' is standard output")
      ->type_name("FILE.csv")
      ->required();
  app.add_flag("--quiet", arguments.quiet, "Print errors only");
  app.footer(std::string(footer));
}

int execute(const SweepArguments& arguments) {
  const std::array<NamedFile, 3> files{
      {{"MODEL", arguments.model, false}, {"--set-table", arguments.table, false}, {"--out", arguments.out}}};
  if (const std::string objection = objection_to_same_files(files); !objection.empty())
    return complain({{.message = objection}});
  if (const auto writable = check_writable(arguments.out); !writable) return complain(writable.error());
  const auto columns = columns_of(arguments);
  if (!columns) return complain(columns.error());
  ModelArguments model{.path = arguments.model, .settings = {}};
  for (const std::string& text : arguments.settings) model.settings.push_back(parse_setting(text).value());
  const auto text = read_model(model);
  if (!text) return exit_input;
  const auto system = load_free(*text, model, *columns, arguments.quiet);
  if (!system) return exit_input;
  const auto ensemble = ensemble_of(arguments, *system);
  if (!ensemble) return refuse(*text, model, ensemble.error());
  catch_interrupts();
  auto file = OutputFile::open(arguments.out);
  if (!file) return complain(file.error());
  Writer writer(*file, *columns, **ensemble);
  const auto tally = run_all(arguments, **ensemble, *columns, writer);
  if (!tally) return complain(tally.error(), *text->sources);
  if (const auto closed = file->close(); !closed) return complain(closed.error());
  return report(arguments, **ensemble, *columns, *tally);
}

}  // namespace daedalus::cli
