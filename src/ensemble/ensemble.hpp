// One mechanism many times with other numbers: every trajectory with its own step size, status and counters,
// side by side where the model allows it, and by the scalar engine where it does not.
//
//   const auto ensemble = Ensemble::make(engine, {.outputs = {"x"}, .at = {1, 2}});
//   const EnsembleResult result = (*ensemble)->run({.names = {"L"}, .columns = {lengths}, .runs = 100000});
//
// A trajectory's results depend on its own numbers alone: not on its neighbours, on lanes, threads, chunks or
// the order in which trajectories are done.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ensemble/ensemble_data.hpp"
#include "simulate/engine.hpp"

namespace daedalus {

struct EnsembleParts;

class Ensemble {
 public:
  // Names that are not known, times outside of the run and a back end that cannot take the model are errors.
  [[nodiscard]] static Result<std::shared_ptr<const Ensemble>> make(std::shared_ptr<const Engine> engine,
                                                                    const EnsembleOptions& options);
  ~Ensemble();
  Ensemble(const Ensemble&) = delete;
  Ensemble& operator=(const Ensemble&) = delete;

  [[nodiscard]] Result<EnsembleResult> run(const EnsembleInputs& inputs,
                                           const EnsembleProgress& progress = {}) const;
  // "lanes", "cuda" or "scalar", and why no faster one: one sentence, or nothing.
  [[nodiscard]] std::string_view backend() const;
  [[nodiscard]] const std::string& why() const;
  [[nodiscard]] const std::vector<std::string>& outputs() const;
  [[nodiscard]] const std::vector<double>& times() const;

 private:
  explicit Ensemble(std::unique_ptr<const EnsembleParts> parts);
  std::unique_ptr<const EnsembleParts> parts_;
};

}  // namespace daedalus
