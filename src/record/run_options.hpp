// What a caller asks of a run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/back_end.hpp"
#include "core/options.hpp"
#include "record/dense_output.hpp"
#include "record/observer.hpp"

namespace daedalus {

// A value given by name: a free parameter, an input, a start value.
struct StartValue {
  std::string name;
  double value = 0;
};

// A top-level input as a function of time alone. It is asked for its value at times of the run, also a little
// ahead of it, but not beyond its end; by the thread that runs. Between the places where it jumps or bends it
// is followed by polynomials, so that derivatives of it are known where constraints need them.
struct InputFunction {
  std::string name;
  std::function<double(double)> function;  // empty: may be given later, and is constant until then
};

// Of the signal that RunOptions::sensitivities make of another one.
[[nodiscard]] inline std::string sensitivity_name(const std::string& signal, const std::string& parameter) {
  return "d(" + signal + ")/d(" + parameter + ")";
}

struct RunOptions {
  std::optional<double> until;  // default: the experiment's StopTime, else 1
  std::optional<double> rtol;   // default: the experiment's Tolerance, else 1e-6
  std::optional<double> atol;   // default: 1e-9, or rtol if that is smaller
  std::optional<double> step;   // of fixed-step methods
  std::optional<int> points;  // output points, both ends included; default: by Interval, else 2001 (fewer for
                              // very many signals)
  Selection formulation{"auto"};
  Selection integrator{"auto"};
  CodegenOptions codegen = {};  // how expressions are evaluated, and by how many threads
  // Called after every step; false ends the run with what was computed.
  std::function<bool(const Progress&)> progress;
  // All of them follow the run.
  std::vector<std::shared_ptr<RunObserver>> observers;
  std::vector<InputFunction> inputs;  // that are functions of time, or may be
  // The signals that are computed and recorded, by name; "der(x)" for a derivative. Empty: all.
  std::vector<std::string> vars;
  // Free parameters, inputs and variables with start values: with respect to these all signals are
  // differentiated, as further signals "d(x)/d(p)".
  std::vector<std::string> sensitivities;
  // Not null: the course of all signals is written here step by step, before `progress` is called.
  std::shared_ptr<DenseOutput> dense;
};

}  // namespace daedalus
