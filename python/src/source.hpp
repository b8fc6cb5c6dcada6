// Where systems come from. The graph of a DaeSystem grows while it is used, so every run makes its own; the
// same run gives the same numbers then, on whatever thread and however often.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanics/coordinates.hpp"
#include "mechanics/mobility.hpp"
#include "model/load.hpp"

namespace daedalus::python {

using Settings = std::vector<ParameterSetting>;
using Names = std::vector<std::string>;
[[nodiscard]] Settings settings_of(const std::vector<std::pair<std::string, std::string>>& given);

// A system, or why there is none, and the texts that the places of diagnostics are in.
struct Made {
  std::shared_ptr<SourceMap> sources;
  Result<DaeSystem> system;
};

// How a system is made of its source.
struct MakeOptions {
  bool remove_aliases = true;     // off: the system as it was written
  bool keep_constraints = false;  // as in LoadOptions
  Names free = {};                // parameters that stay leaves of it
};

class SystemSource {
 public:
  virtual ~SystemSource() = default;
  SystemSource(const SystemSource&) = delete;
  SystemSource& operator=(const SystemSource&) = delete;

  // Safe on several threads.
  [[nodiscard]] Made make(const Settings& settings, const MakeOptions& options) const {
    return make_system(settings, options);
  }
  // The bodies and joints of these settings, for pictures of them.
  [[nodiscard]] virtual std::optional<Mechanism> mechanism_with(const Settings& /*settings*/) const {
    return std::nullopt;
  }
  // Of a mechanism: what settings may name.
  [[nodiscard]] virtual Names settable() const { return {}; }
  // Of a mechanism: how far it can move.
  [[nodiscard]] virtual std::optional<Mobility> mobility() const { return std::nullopt; }

 protected:
  SystemSource() = default;
  [[nodiscard]] virtual Made make_system(const Settings& settings, const MakeOptions& options) const = 0;
};

// How a text is read: what the command line has as options.
struct TextOptions {
  Names ignore = {};
  std::string keyframe = {};
  bool strict = false;
  bool floating = false;
  bool outside = false;
  Coordinates coordinates = Coordinates::Auto;
  std::string model = {};
};

// A model text, or a mechanism file.
class TextSource : public SystemSource {
 public:
  TextSource(std::string name, std::string text, TextOptions options)
      : name_(std::move(name)), text_(std::move(text)), options_(std::move(options)) {}

  [[nodiscard]] std::optional<Mobility> mobility() const override;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const TextOptions& options() const { return options_; }
  [[nodiscard]] Names settable() const override;
  [[nodiscard]] std::optional<Mechanism> mechanism_with(const Settings& settings) const override;

 private:
  [[nodiscard]] Made make_system(const Settings& settings, const MakeOptions& options) const override;
  [[nodiscard]] bool is_mechanism() const;
  [[nodiscard]] std::shared_ptr<SourceMap> fresh_sources() const;
  [[nodiscard]] Result<Mechanism> mechanism(const std::shared_ptr<SourceMap>& sources,
                                            const Settings& settings) const;

  std::string name_;
  std::string text_;
  TextOptions options_;
};

// Nothing can be free in a mechanism.
[[nodiscard]] Diagnostics no_parameters(const std::string& name);

// What is wrong with a model that could not be run or made. A model out of balance is explained as it was
// written: what is left of it without aliases may be no more than 0 = 1.
struct Explained {
  std::shared_ptr<SourceMap> sources;
  Diagnostics errors;
};
[[nodiscard]] Explained explained(const SystemSource& source, const Settings& settings, Explained found);

}  // namespace daedalus::python
