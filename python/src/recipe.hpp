// A model as Python describes it: declarations, equations and events over one tape. `make` plays it into a
// ModelBuilder, with the values of parameters and start values that a run asks for.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "source.hpp"
#include "tape.hpp"

namespace daedalus::python {

struct RecipeEquation {
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::string label;
};

enum class ActionKind { Set, Reinit, Terminate, ElseWhen };

struct RecipeAction {
  ActionKind kind = ActionKind::Set;
  std::int32_t target = -1;  // of Set and Reinit
  std::int32_t value = -1;   // of Set and Reinit; the condition of ElseWhen
  std::string message;       // of Terminate
};

struct RecipeWhen {
  std::int32_t condition = -1;
  std::vector<RecipeAction> actions;
};

struct RecipeConstraint {
  std::int32_t residual = -1;
  std::string name;
  bool of_velocity = false;
};

struct RecipeLagrangian {
  std::vector<std::int32_t> coordinates;
  std::vector<std::int32_t> forces;
  std::int32_t kinetic = -1;
  std::int32_t potential = -1;
  std::vector<RecipeConstraint> constraints;
};

struct RecipeAssertion {
  std::int32_t condition = -1;
  std::string message;
};

struct Recipe {
  std::string name;
  std::shared_ptr<Tape> tape = std::make_shared<Tape>();
  std::vector<RecipeEquation> equations;
  std::vector<RecipeEquation> initial_equations;
  std::vector<RecipeEquation> assignments;  // discrete variable, value
  std::vector<RecipeWhen> whens;
  std::vector<RecipeAssertion> assertions;
  std::vector<RecipeLagrangian> lagrangians;
  Experiment experiment;
  // Of F(t, y, y') = 0: the leaf Quantity k is the rate of variable k. Where F is not linear in the rates it
  // may have several solutions, and the guesses choose one: each rate gets a variable of its own then,
  // because only variables have start values.
  std::vector<double> rate_guesses;
};

[[nodiscard]] bool nonlinear_in_rates(const Recipe& recipe);

// A recipe as it was when the source was made: what Python adds later is not seen by runs under way.
class RecipeSource : public SystemSource {
 public:
  explicit RecipeSource(const Recipe& recipe);
  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

 private:
  [[nodiscard]] Made make_system(const Settings& settings, const MakeOptions& options) const override;
  Recipe recipe_;
};

}  // namespace daedalus::python
