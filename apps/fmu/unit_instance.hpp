// One instance of an FMU, for any version of FMI: the engine of the model that it carries and a simulation of
// it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmu/fmu_variables.hpp"
#include "fmu/recipe.hpp"
#include "simulate/engine.hpp"
#include "simulate/model_exchange.hpp"

namespace daedalus::fmu {

// What went wrong, in a sentence; empty: nothing.
using Failure = std::string;

class UnitInstance {
 public:
  // `resources`: the folder of the unpacked FMU. `token` must be the one that the unit was written with.
  [[nodiscard]] static Result<std::unique_ptr<UnitInstance>> load(const std::string& resources,
                                                                  const std::string& token);

  // --- Before and during the initialisation ---
  void set_experiment(std::optional<double> tolerance, double start, std::optional<double> stop);
  [[nodiscard]] Failure finish_initialisation();
  void reset();

  // --- Values, by value reference ---
  [[nodiscard]] const FmuVariable* find(unsigned reference) const;
  [[nodiscard]] Failure get(unsigned reference, double& value);
  [[nodiscard]] Failure set(unsigned reference, double value);
  // Σ_k ∂unknown/∂known_k seed_k, for unknowns that are signals and knowns that are inputs, parameters, or,
  // in Model Exchange, states: those are moved along the constraints' tangent.
  [[nodiscard]] Failure derivative(const std::vector<unsigned>& unknowns, const std::vector<unsigned>& knowns,
                                   const double* seed, double* sensitivity);

  // --- Steps ---
  [[nodiscard]] Failure advance_to(double t);
  [[nodiscard]] double time() const;
  [[nodiscard]] bool terminated() const {
    return simulation_ && simulation_->ended() && !simulation_->failed();
  }

  // --- Model Exchange, after the initialisation ---
  void exchange();  // from the instantiation on
  // Null before the end of the initialisation.
  [[nodiscard]] ModelExchange* exchanged() { return exchange_ ? &*exchange_ : nullptr; }
  [[nodiscard]] const FmuExchange& structure() const { return structure_; }
  [[nodiscard]] double nominal(std::size_t state) const;

  // --- Checkpoints ---
  struct State {
    std::optional<Simulation> simulation;
    std::map<unsigned, double> given;
    double start = 0;
  };
  [[nodiscard]] State state();
  void set_state(const State& state);
  [[nodiscard]] Failure serialise(const State& state, std::string& bytes) const;
  [[nodiscard]] Failure deserialise(std::string_view bytes, State& state) const;

 private:
  UnitInstance() = default;
  // A simulation at consistent initial values with what was set so far.
  [[nodiscard]] Failure start();
  [[nodiscard]] Failure set_exchanged(const FmuVariable& variable, double value);

  std::shared_ptr<const Engine> engine_;
  std::vector<FmuVariable> variables_;
  FmuExchange structure_;
  std::optional<Simulation> simulation_;
  bool for_exchange_ = false;
  std::optional<ModelExchange> exchange_;
  std::map<unsigned, double> given_;  // set by the importer
  double start_ = 0;
  std::optional<double> stop_, tolerance_;
  bool initialised_ = false;
};

}  // namespace daedalus::fmu
