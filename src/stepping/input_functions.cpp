#include "stepping/input_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/options.hpp"

namespace daedalus {
namespace {

// A polynomial may be away from its function by this part of the relative tolerance, so that nobody sees it
// in the results, twice differentiated for hidden constraints neither; and no nearer than rounding allows.
constexpr double part_of_rtol = 1e-4;
constexpr double least_relative = 1e-13;
// At least so many pieces a run: what is shorter than a twentieth of one may be overlooked.
constexpr double pieces_of_run = 50;
// A piece lasts so many steps, if it can: to make one costs 21 values.
constexpr double steps_of_piece = 8;
// Shorter than this part of the longest piece, one begins before its time.
constexpr double enough_part = 0.25;
// What is nearer than this part of the longest piece is there already: no step can be so short.
constexpr double shortest_part = 1e-11;
// So near to each other.
constexpr int most_breaks = 8;

}  // namespace

InputFunctions::InputFunctions(const CompiledModel& model, double duration, double rtol)
    : longest_(duration > 0 ? duration / pieces_of_run : 1) {
  const std::vector<int>& slot = model.layout().discrete_slot;
  const double relative = std::max(part_of_rtol * rtol, least_relative);
  for (const InputCourse& course : input_courses(model.dae())) {
    Input input{.name = course.name, .slots = {}, .function = {}, .piece = {}, .maker = PieceMaker(relative)};
    input.slots.begin = slot[course.begin.at()];
    input.slots.scale = slot[course.scale.at()];
    for (const VariableId v : course.coefficients) input.slots.coefficients.push_back(slot[v.at()]);
    inputs_.push_back(std::move(input));
  }
}

double InputFunctions::shortest() const {
  return shortest_part * longest_;
}

std::size_t InputFunctions::find(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(inputs_, name, &Input::name) - inputs_.begin());
}

Result<void> InputFunctions::take(std::span<const InputFunction> functions) {
  for (const InputFunction& given : functions) {
    if (!given.function) continue;
    const std::size_t k = find(given.name);
    if (k == inputs_.size()) {
      std::vector<std::string_view> known;
      for (const Input& input : inputs_) known.push_back(input.name);
      return fail(unknown_name_message("input that may be a function (RunOptions::inputs names them)",
                                       given.name, known));
    }
    Input& input = inputs_[k];
    if (!input.function) ++active_;
    input.function = given.function;
    input.begun = false;
  }
  return {};
}

void InputFunctions::hold(std::string_view name, double value, std::span<double> environment) {
  Input& input = inputs_[find(name)];
  if (input.function) --active_;
  input.function = {};
  input.piece = {};
  input.piece.coefficients[0] = value;
  write(input, environment);
}

void InputFunctions::write(const Input& input, std::span<double> environment) {
  environment[static_cast<std::size_t>(input.slots.begin)] = input.piece.begin;
  environment[static_cast<std::size_t>(input.slots.scale)] = 1 / input.piece.length;
  for (std::size_t k = 0; k < input.slots.coefficients.size(); ++k)
    environment[static_cast<std::size_t>(input.slots.coefficients[k])] = input.piece.coefficients[k];
}

// From t to the limit, or not so far.
std::string InputFunctions::make(Input& input, double t, double limit, std::span<double> environment) const {
  const double goal = std::min(limit, t + longest_);
  FunctionPiece& piece = input.piece;
  if (!input.begun || piece.breaks) input.smooth_since = t;
  // Derivatives of a short piece are rounding: it begins earlier.
  const double early = std::max(input.smooth_since, goal - (enough_part * longest_));
  if (early < t && input.maker.make(input.function, early, goal - early, piece) && !piece.breaks &&
      goal - piece.end < shortest()) {
    piece.end = piece.next = goal;
    write(input, environment);
    return {};
  }
  for (int attempt = 0; attempt < most_breaks; ++attempt) {
    if (!input.maker.make(input.function, t, goal - t, piece))
      return fmt::format("the input '{}' {}", input.name, input.maker.trouble());
    if (!piece.breaks && goal - piece.end < shortest()) piece.end = piece.next = goal;  // rounding
    if (piece.end - t >= shortest()) break;
    t = piece.next;  // no step is so short
    input.smooth_since = t;
  }
  input.begun = true;
  write(input, environment);
  return {};
}

std::string InputFunctions::begin(double t, double limit, std::span<double> environment) {
  for (Input& input : inputs_) {
    if (!input.function || (input.begun && input.piece.end > t + shortest())) continue;
    const double from = input.begun ? std::max(t, input.piece.next) : t;
    const double until = limit > from + shortest() ? limit : from + longest_;
    if (std::string trouble = make(input, from, until, environment); !trouble.empty()) return trouble;
  }
  return {};
}

std::string InputFunctions::follow(double t, double step, double limit, std::span<double> environment) {
  for (Input& input : inputs_) {
    if (!input.function || input.piece.breaks) continue;
    if (input.piece.end >= std::min(t + step, limit)) continue;
    const double until = std::min(t + (steps_of_piece * step), limit);
    if (std::string trouble = make(input, t, until, environment); !trouble.empty()) return trouble;
  }
  return {};
}

double InputFunctions::end() const {
  double end = std::numeric_limits<double>::infinity();
  for (const Input& input : inputs_) {
    if (input.function) end = std::min(end, input.piece.end);
  }
  return end;
}

std::string InputFunctions::breaking(double t) const {
  std::string names;
  for (const Input& input : inputs_) {
    if (!input.function || !input.piece.breaks || input.piece.end > t + shortest()) continue;
    names += fmt::format("{}the input {}", names.empty() ? "" : ", ", input.name);
  }
  return names;
}

void InputFunctions::state(Archive& archive) {
  archive.section("inputs", 1);
  for (Input& input : inputs_) {
    bool function = static_cast<bool>(input.function);
    archive(function);
    if (!archive.ok()) return;
    if (archive.reading() && function != static_cast<bool>(input.function)) {
      archive.fail(
          function
              ? fmt::format("the input '{}' was a function of time, which is not saved: give it again to "
                            "load()",
                            input.name)
              : fmt::format("the input '{}' was no function of time", input.name));
      return;
    }
    FunctionPiece& piece = input.piece;
    archive(piece.begin, piece.length, piece.coefficients, piece.end, piece.breaks, piece.next);
    archive(input.begun, input.smooth_since, input.maker.scale());
    archive.require(piece.length > 0 && piece.next >= piece.end, "a piece of an input that there is not");
  }
}

}  // namespace daedalus
