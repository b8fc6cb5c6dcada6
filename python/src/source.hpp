// Where systems come from. The graph of a DaeSystem grows while it is used, so every run makes its own; the
// same run gives the same numbers then, on whatever thread and however often.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

class SystemSource {
 public:
  virtual ~SystemSource() = default;
  SystemSource(const SystemSource&) = delete;
  SystemSource& operator=(const SystemSource&) = delete;

  // Safe on several threads. The system as it was written, or without aliases; parameters named in `free`
  // stay leaves of it.
  [[nodiscard]] Made make(const Settings& settings, bool remove_aliases, const Names& free = {}) const {
    return make_system(settings, remove_aliases, free);
  }
  // Of a mechanism: how far it can move.
  [[nodiscard]] virtual std::optional<Mobility> mobility() const { return std::nullopt; }

 protected:
  SystemSource() = default;
  [[nodiscard]] virtual Made make_system(const Settings& settings, bool remove_aliases,
                                         const Names& free) const = 0;
};

// A model text, or a mechanism file.
class TextSource : public SystemSource {
 public:
  TextSource(std::string name, std::string text, std::vector<std::string> ignore)
      : name_(std::move(name)), text_(std::move(text)), ignore_(std::move(ignore)) {}

  [[nodiscard]] std::optional<Mobility> mobility() const override;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<std::string>& ignored() const { return ignore_; }

 private:
  [[nodiscard]] Made make_system(const Settings& settings, bool remove_aliases,
                                 const Names& free) const override;
  [[nodiscard]] bool is_mechanism() const;
  [[nodiscard]] std::shared_ptr<SourceMap> fresh_sources() const;
  [[nodiscard]] Result<Mechanism> mechanism(const std::shared_ptr<SourceMap>& sources,
                                            const Settings& settings) const;

  std::string name_;
  std::string text_;
  std::vector<std::string> ignore_;
};

// Nothing can be free in it.
[[nodiscard]] Diagnostics no_parameters(const std::string& name);

// What is wrong with a model that could not be run or made. A model out of balance is explained as it was
// written: what is left of it without aliases may be no more than 0 = 1.
struct Explained {
  std::shared_ptr<SourceMap> sources;
  Diagnostics errors;
};
[[nodiscard]] Explained explained(const SystemSource& source, const Settings& settings, Explained found);

}  // namespace daedalus::python
