#include "fmu/model_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "results/xml_text.hpp"

namespace daedalus {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escape_html(value));
}

std::string_view causality_text(FmuCausality causality) {
  switch (causality) {
    case FmuCausality::Independent:
      return "independent";
    case FmuCausality::Input:
      return "input";
    case FmuCausality::Parameter:
      return "parameter";
    case FmuCausality::Output:
      return "output";
    case FmuCausality::Local:
      break;
  }
  return "local";
}

std::string_view variability_text(const FmuVariable& variable) {
  if (variable.causality == FmuCausality::Parameter) return "tunable";
  return variable.discrete ? "discrete" : "continuous";
}

// Causalities that have the attribute `initial`: FMI 2.0.3 and 3.0 leave inputs and the independent variable
// without.
bool has_initial(const FmuVariable& variable) {
  return variable.causality != FmuCausality::Input && variable.causality != FmuCausality::Independent;
}

std::string_view initial_text(FmuInitial initial) {
  switch (initial) {
    case FmuInitial::Exact:
      return "exact";
    case FmuInitial::Approximate:
      return "approx";
    case FmuInitial::Calculated:
      break;
  }
  return "calculated";
}

bool has_start(const FmuVariable& variable) {
  return variable.initial != FmuInitial::Calculated && variable.causality != FmuCausality::Independent;
}

std::string start_text(const FmuVariable& variable) {
  switch (variable.type) {
    case FmuType::Boolean:
      return variable.start != 0 ? "true" : "false";
    case FmuType::Integer:
      return fmt::format("{}", std::llround(variable.start));
    case FmuType::Real:
      break;
  }
  return fmt::format("{}", variable.start);
}

std::string common(const FmuVariable& variable) {
  std::string text = attribute("name", variable.name);
  text += fmt::format(" valueReference=\"{}\"", variable.reference);
  text += attribute("causality", causality_text(variable.causality));
  text += attribute("variability", variability_text(variable));
  if (has_initial(variable)) text += attribute("initial", initial_text(variable.initial));
  if (!variable.description.empty()) text += attribute("description", variable.description);
  return text;
}

// The units that variables name, each once.
std::string unit_definitions(const std::vector<FmuVariable>& variables) {
  std::vector<std::string> units;
  for (const FmuVariable& variable : variables) {
    if (variable.type == FmuType::Real && !variable.unit.empty()) units.push_back(variable.unit);
  }
  std::ranges::sort(units);
  const auto twice = std::ranges::unique(units);
  units.erase(twice.begin(), twice.end());
  if (units.empty()) return "";
  std::string text = "  <UnitDefinitions>\n";
  for (const std::string& unit : units) text += fmt::format("    <Unit{}/>\n", attribute("name", unit));
  return text + "  </UnitDefinitions>\n";
}

std::string experiment(const FmuHeader& header) {
  return fmt::format(
      "  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" tolerance=\"{}\" stepSize=\"{}\"/>\n",
      header.start, header.stop, header.tolerance, header.step);
}

// By reference of a derivative: the reference of its state.
using States = std::map<unsigned, unsigned>;
States states_by_derivative(const FmuExchange& exchange) {
  States states;
  for (std::size_t s = 0; s < exchange.states.size(); ++s)
    states[exchange.derivatives[s]] = exchange.states[s];
  return states;
}

std::string variable_3(const FmuVariable& variable, const States& states) {
  constexpr std::string_view types[] = {"Float64", "Int32", "Boolean"};
  const std::string_view type = types[static_cast<std::size_t>(variable.type)];
  std::string text = fmt::format("    <{}{}", type, common(variable));
  if (variable.type == FmuType::Real && !variable.unit.empty()) text += attribute("unit", variable.unit);
  if (has_start(variable)) text += attribute("start", start_text(variable));
  if (const auto state = states.find(variable.reference); state != states.end())
    text += fmt::format(" derivative=\"{}\"", state->second);
  return text + "/>\n";
}

// In FMI 2 variables are counted by their place in the list, from 1: one more than our references.
std::string variable_2(const FmuVariable& variable, const States& states) {
  constexpr std::string_view types[] = {"Real", "Integer", "Boolean"};
  std::string text = fmt::format("    <ScalarVariable{}><{}", common(variable),
                                 types[static_cast<std::size_t>(variable.type)]);
  if (variable.type == FmuType::Real && !variable.unit.empty()) text += attribute("unit", variable.unit);
  if (has_start(variable)) text += attribute("start", start_text(variable));
  if (const auto state = states.find(variable.reference); state != states.end())
    text += fmt::format(" derivative=\"{}\"", state->second + 1);
  return text + "/></ScalarVariable>\n";
}

// What FMI calls unknowns of the initialisation: outputs, states and derivatives that are not simply as
// given.
std::vector<unsigned> initial_unknowns(const FmuVariables& variables) {
  std::vector<unsigned> unknowns;
  const FmuExchange& exchange = variables.exchange;
  const auto contains = [](const std::vector<unsigned>& list, unsigned reference) {
    return std::ranges::find(list, reference) != list.end();
  };
  for (const FmuVariable& variable : variables.all) {
    const bool listed = variable.causality == FmuCausality::Output ||
                        contains(exchange.states, variable.reference) ||
                        contains(exchange.derivatives, variable.reference);
    if (listed && variable.initial != FmuInitial::Exact) unknowns.push_back(variable.reference);
  }
  return unknowns;
}

std::vector<unsigned> outputs_of(const FmuVariables& variables) {
  std::vector<unsigned> outputs;
  for (const FmuVariable& variable : variables.all) {
    if (variable.causality == FmuCausality::Output) outputs.push_back(variable.reference);
  }
  return outputs;
}

std::string description_3(const FmuHeader& header, const FmuVariables& variables) {
  constexpr std::string_view can =
      " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\"";
  std::string text = fmt::format(
      "<fmiModelDescription fmiVersion=\"3.0\"{}{}{}>\n"
      "  <ModelExchange{}{} needsCompletedIntegratorStep=\"true\"/>\n"
      "  <CoSimulation{}{} canHandleVariableCommunicationStepSize=\"true\"/>\n",
      attribute("modelName", header.model_name), attribute("instantiationToken", header.token),
      attribute("generationTool", header.tool), attribute("modelIdentifier", header.identifier), can,
      attribute("modelIdentifier", header.identifier), can);
  text += unit_definitions(variables.all) + experiment(header) + "  <ModelVariables>\n";
  const States states = states_by_derivative(variables.exchange);
  for (const FmuVariable& variable : variables.all) text += variable_3(variable, states);
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  const auto list = [&text](std::string_view element, const std::vector<unsigned>& references) {
    for (const unsigned reference : references)
      text += fmt::format("    <{} valueReference=\"{}\"/>\n", element, reference);
  };
  list("Output", outputs_of(variables));
  list("ContinuousStateDerivative", variables.exchange.derivatives);
  list("InitialUnknown", initial_unknowns(variables));
  list("EventIndicator", variables.exchange.indicators);
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string unknowns_2(std::string_view element, const std::vector<unsigned>& references) {
  std::string text;
  for (const unsigned reference : references)
    text += fmt::format("      <Unknown index=\"{}\"/>\n", reference + 1);
  return text.empty() ? "" : fmt::format("    <{0}>\n{1}    </{0}>\n", element, text);
}

std::string description_2(const FmuHeader& header, const FmuVariables& variables) {
  constexpr std::string_view can =
      " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"";
  std::string text = fmt::format(
      "<fmiModelDescription fmiVersion=\"2.0\"{}{}{} numberOfEventIndicators=\"{}\">\n"
      "  <ModelExchange{}{} completedIntegratorStepNotNeeded=\"false\"/>\n"
      "  <CoSimulation{}{} canHandleVariableCommunicationStepSize=\"true\"/>\n",
      attribute("modelName", header.model_name), attribute("guid", header.token),
      attribute("generationTool", header.tool), variables.exchange.indicators.size(),
      attribute("modelIdentifier", header.identifier), can, attribute("modelIdentifier", header.identifier),
      can);
  text += unit_definitions(variables.all) + experiment(header) + "  <ModelVariables>\n";
  const States states = states_by_derivative(variables.exchange);
  for (const FmuVariable& variable : variables.all) text += variable_2(variable, states);
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  text += unknowns_2("Outputs", outputs_of(variables));
  text += unknowns_2("Derivatives", variables.exchange.derivatives);
  text += unknowns_2("InitialUnknowns", initial_unknowns(variables));
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

}  // namespace

std::string model_description(FmiVersion version, const FmuHeader& header, const FmuVariables& variables) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         (version == FmiVersion::Three ? description_3(header, variables) : description_2(header, variables));
}

}  // namespace daedalus
