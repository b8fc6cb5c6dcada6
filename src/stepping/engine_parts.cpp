#include "stepping/engine_parts.hpp"

namespace daedalus {

void identify(const EngineParts& parts, Archive& archive) {
  archive.section("daedalus simulation", 1);
  std::string name = parts.model->dae().name;
  std::string formulation = parts.plan->formulation.to_text();
  std::vector<std::string> signals;
  for (const OutputSignal& signal : parts.model->output_signals) signals.push_back(signal.name);
  const auto same = [&archive](auto& value) {
    const auto mine = value;
    archive(value);
    return value == mine;
  };
  archive.require(same(name), "it belongs to another model");
  archive.require(same(formulation), "it belongs to another formulation");
  archive.require(same(signals), "it belongs to a model with other signals");
}

}  // namespace daedalus
