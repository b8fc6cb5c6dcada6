// Comparisons, and the tables of the library.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>
#include <mutex>

#include "errors.hpp"
#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"
#include "source.hpp"
#include "study/compare.hpp"
#include "study/compare_rows.hpp"
#include "study/html_report.hpp"
#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

// The rows run on threads of their own, and only Python's main thread may look after signals of the keyboard:
// so the calling thread waits, and looks up now and then.
class CompareWatch {
 public:
  explicit CompareWatch(nb::object progress) : progress_(std::move(progress)) {}

  bool operator()(const CompareProgress& news) {
    const std::lock_guard guard(mutex_);
    news_ = news;
    return !stop_;
  }

  // Holds the interpreter's lock on entry and exit.
  void wait_for(std::future<Result<Comparison>>& outcome) {
    for (bool waiting = true; waiting;) {
      {
        const nb::gil_scoped_release unlocked;
        waiting = outcome.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready;
      }
      if (!waiting || raised_) continue;
      if (PyErr_CheckSignals() != 0 || !tell()) {
        raised_.emplace();  // takes what is pending
        const std::lock_guard guard(mutex_);
        stop_ = true;
      }
    }
    if (raised_) throw *raised_;
  }

 private:
  // False: Python raised.
  bool tell() {
    if (progress_.is_none()) return true;
    CompareProgress news;
    {
      const std::lock_guard guard(mutex_);
      news = news_;
    }
    try {
      progress_(news.done, news.total, news.running, news.part);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  }

  nb::object progress_;
  std::mutex mutex_;
  CompareProgress news_;
  bool stop_ = false;
  std::optional<nb::python_error> raised_;
};

CompareOptions compare_options(const nb::dict& given) {
  CompareOptions options;
  const auto formulations = nb::cast<std::string>(given["formulations"]);
  const auto integrators = nb::cast<std::string>(given["integrators"]);
  if (!formulations.empty()) options.formulations = value_or_raise(parse_formulation_list(formulations));
  if (!integrators.empty()) options.integrators = value_or_raise(parse_integrator_list(integrators));
  options.rtols = nb::cast<std::vector<double>>(given["rtol"]);
  options.until = nb::cast<std::optional<double>>(given["until"]);
  options.atol = nb::cast<std::optional<double>>(given["atol"]);
  options.step = nb::cast<std::optional<double>>(given["step"]);
  options.points = nb::cast<std::optional<int>>(given["points"]);
  options.energy = nb::cast<std::string>(given["energy"]);
  options.threads = nb::cast<unsigned>(given["threads"]);
  options.limit = nb::cast<double>(given["limit"]);
  return options;
}

std::shared_ptr<Comparison> compare_source(
    const std::shared_ptr<SystemSource>& source, const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& given_settings, const nb::dict& given,
    const nb::object& progress) {
  const Settings settings = settings_of(given_settings);
  CompareOptions options = compare_options(given);
  CompareWatch watch(progress);
  options.progress = [&watch](const CompareProgress& news) { return watch(news); };
  const ModelSource model{
      .name = name, .text = {}, .settings = {}, .make = [&] { return source->make(settings, {}).system; }};
  auto outcome = std::async(std::launch::async, [&] { return compare(model, options); });
  watch.wait_for(outcome);
  Result<Comparison> comparison = outcome.get();
  if (!comparison) {
    const Made made = source->make(settings, {});
    const Explained wrong = explained(*source, settings, {made.sources, comparison.error()});
    raise_model_error(wrong.errors, *wrong.sources);
  }
  return std::make_shared<Comparison>(*std::move(comparison));
}

template <class Row>
nb::list rows_of(std::span<const Row> table) {
  nb::list rows;
  for (const Row& row : table) {
    nb::list options;
    for (const OptionSpec& option : row.options) {
      options.append(nb::make_tuple(std::string(option.name), std::string(option.default_value),
                                    std::string(option.doc)));
    }
    rows.append(
        nb::make_tuple(std::string(row.name), std::string(row.summary), std::string(row.reference), options));
  }
  return rows;
}

}  // namespace

void bind_studies(nb::module_& module) {
  nb::class_<Comparison>(module, "Comparison")
      .def_prop_ro("model", [](const Comparison& c) { return c.model; })
      .def("json", &comparison_json)
      .def("text", &comparison_text)
      .def("html", &comparison_html)
      .def("curves", [](const Comparison& c, std::size_t row, const std::string& what) {
        const RowCurves& curves = c.rows.at(row).curves;
        if (what == "times") return curves.times;
        if (what == "error") return curves.error;
        return what == "position_drift" ? curves.position_drift : curves.velocity_drift;
      });
  module.def("compare", &compare_source, nb::arg("source"), nb::arg("name"), nb::arg("settings"),
             nb::arg("options"), nb::arg("progress").none());
  module.def("formulations", [] { return rows_of(formulations()); });
  module.def("integrators", [] { return rows_of(integrators()); });
}

}  // namespace daedalus::python
