// From the file that the user named to a DaeSystem, with its errors printed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "mechanics/mechanism.hpp"
#include "model/dae_system.hpp"

namespace daedalus::cli {

struct ModelText {
  std::shared_ptr<SourceMap> sources;
  std::int32_t file = 0;
  // Files that were read for it besides, when it was loaded.
  std::shared_ptr<std::vector<std::string>> included = std::make_shared<std::vector<std::string>>();
};

// Reads the file; errors go to stderr.
[[nodiscard]] std::optional<ModelText> read_model(const ModelArguments& arguments);

// From text to system: Modelica, or a mechanism if the file is one by its name or its first sign.
[[nodiscard]] Result<DaeSystem> system_of(const ModelText& text, const ModelArguments& arguments,
                                          bool remove_aliases = true, bool keep_constraints = false);
// The mechanism, if the text is one.
[[nodiscard]] bool is_mechanism(const ModelText& text);
[[nodiscard]] Result<Mechanism> mechanism_of(const ModelText& text, const ModelArguments& arguments);

// Loads the model; errors go to stderr, and so do warnings unless `quiet`. Without `remove_aliases` the
// system is as it was written.
struct LoadSettings {
  bool quiet = false;
  bool remove_aliases = true;
  Selection formulation{"auto"};  // that it is for
};
[[nodiscard]] std::optional<DaeSystem> load(const ModelText& text, const ModelArguments& arguments,
                                            const LoadSettings& settings);

// Prints why a model cannot be taken, and returns the exit code. A model out of balance is explained as it
// was written: what is left of it without aliases may be no more than 0 = 1.
[[nodiscard]] int refuse(const ModelText& text, const ModelArguments& arguments, const Diagnostics& errors);

}  // namespace daedalus::cli
