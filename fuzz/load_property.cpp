#include "load_property.hpp"

#include <memory>

#include "model/load.hpp"

namespace daedalus::fuzz {

std::string load_violation(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("fuzz", text);
  // Sizes that the sanitizers get through in a second or two.
  LoadOptions options;
  options.limits.elements = 50'000;
  options.limits.variables = 20'000;
  options.limits.equations = 20'000;
  options.limits.iterations = 200'000;
  options.limits.while_iterations = 10'000;
  options.limits.work = 1'000'000;
  const Result<DaeSystem> system = load_model(sources, file, options);
  if (system) {
    for (const Equation& equation : system->equations) {
      if (equation_text(*system, equation).empty()) return "an equation without a text";
    }
    return "";
  }
  if (system.error().empty()) return "refused without an error";
  for (const Diagnostic& error : system.error()) {
    if (error.message.empty()) return "an error without a message";
    if (error.span.valid() && error.span.end > text.size())
      return "an error outside the text: " + error.message;
  }
  return render(system.error(), *sources).empty() ? "errors without a text" : "";
}

}  // namespace daedalus::fuzz
