#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/loaded_model.hpp"
#include "cli/standard_output.hpp"
#include "mechanics/coordinates.hpp"
#include "mechanics/mobility.hpp"
#include "model/parser.hpp"
#include "model/units.hpp"
#include "results/check_report.hpp"

namespace daedalus::cli {
namespace {

// To stderr, as other warnings of the model.
void warn_of_units(const ModelText& text, const std::string& model) {
  const auto tree = parse(*text.sources, text.file);
  if (!tree) return;
  const Diagnostics warnings = unit_warnings(*tree, model);
  fmt::print(stderr, "{}", render(warnings, *text.sources));
}

}  // namespace

int execute(const CheckArguments& arguments) {
  const auto text = read_model(arguments.model);
  if (!text) return exit_input;
  const auto reduced = load(*text, arguments.model, {});
  if (!reduced) return exit_input;
  // Warnings have been given once.
  const auto as_written = load(*text, arguments.model, {.quiet = true, .remove_aliases = false});
  if (!as_written) return exit_input;
  auto report = check(*as_written, *reduced);
  if (!report) return complain(report.error(), *text->sources);
  if (arguments.units && !is_mechanism(*text)) warn_of_units(*text, as_written->name);
  if (is_mechanism(*text)) {
    if (const auto mechanism = mechanism_of(*text, arguments.model)) {
      const Mobility count = mobility_of(*mechanism);
      const CoordinateChoice choice =
          choose_coordinates(*mechanism, *coordinates_named(arguments.model.coordinates));
      report->mechanism =
          CheckedMechanism{.bodies = count.bodies,
                           .joints = count.joints,
                           .freedoms = count.freedoms,
                           .conditions = count.conditions,
                           .parts = count.parts,
                           .coordinates = fmt::format("{}, {}", choice.joint ? "joint" : "body", choice.why),
                           .settable = mechanism->settable};
    }
  }
  return print(arguments.json ? check_json(*report) : check_text(*report, arguments.details));
}

}  // namespace daedalus::cli
