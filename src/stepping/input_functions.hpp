// Inputs that are functions of time, in a run: the piece of each that holds now, and its coefficients in the
// environment (drive/input_course.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "drive/input_course.hpp"
#include "record/run_options.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class InputFunctions {
 public:
  // Of a run that lasts so long, at this tolerance.
  InputFunctions(const CompiledModel& model, double duration, double rtol);

  // These functions from now on. A name that cannot be given a function is an error.
  [[nodiscard]] Result<void> take(std::span<const InputFunction> functions);
  // Whether an input of this name may be a function; then a constant value is set by this, too.
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != inputs_.size(); }
  void hold(std::string_view name, double value, std::span<double> environment);
  [[nodiscard]] bool active() const { return active_ > 0; }

  // The pieces from t on, in the environment; of functions that were not followed before, and of those whose
  // piece is over. A sentence: why there is none.
  [[nodiscard]] std::string begin(double t, double limit, std::span<double> environment);
  // Before a step from t that would like to be `step` long, and will not go beyond `limit`: longer pieces
  // where they are needed and can be had.
  [[nodiscard]] std::string follow(double t, double step, double limit, std::span<double> environment);
  // The step must not go beyond this.
  [[nodiscard]] double end() const;
  // Which input jumps or bends at this time, and is to be begun anew: names for messages; empty: none.
  [[nodiscard]] std::string breaking(double t) const;

  // The functions themselves are not saved: whoever reads gives them again, before.
  void state(Archive& archive);

 private:
  struct Slots {
    int begin = -1;
    int scale = -1;
    std::vector<int> coefficients;
  };
  struct Input {
    std::string name;
    Slots slots;
    TimeFunction function;  // empty: constant
    FunctionPiece piece;
    bool begun = false;
    double smooth_since = 0;  // nothing was seen to happen since then
    PieceMaker maker;
  };
  [[nodiscard]] std::size_t find(std::string_view name) const;
  [[nodiscard]] double shortest() const;
  [[nodiscard]] std::string make(Input& input, double t, double limit, std::span<double> environment) const;
  static void write(const Input& input, std::span<double> environment);

  std::vector<Input> inputs_;
  double longest_;
  int active_ = 0;
};

}  // namespace daedalus
