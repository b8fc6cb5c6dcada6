// One run with its memory: advanced or stepped, asked and told values, copied (a copy is a checkpoint).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/run_options.hpp"

namespace daedalus {

struct EngineParts;
class Stepper;
class Engine;

class Simulation {
 public:
  Simulation(const Simulation& other);
  Simulation& operator=(const Simulation& other);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // To this time from now on, exactly, events and all. False: the run has ended on the way; reason() says
  // why.
  bool advance(double duration);
  bool advance_to(double t);
  // The same; `go_on` is asked before every step, and at false the simulation rests where it is.
  bool advance_to(double t, const std::function<bool()>& go_on);
  // One step of the integrator, as long as it likes.
  bool step();

  [[nodiscard]] double time() const;
  [[nodiscard]] bool ended() const;  // failed, or terminated by the model
  [[nodiscard]] bool failed() const;
  [[nodiscard]] std::string reason() const;
  [[nodiscard]] std::vector<std::string> names() const;
  // The value of a signal at time(), of a free parameter, or der(x) where the equations have it. An unknown
  // name is an error. Of redundant constraints the reactions are those of least norm, as in a run.
  [[nodiscard]] Result<double> value(std::string_view name);
  // All of them, in the order of names().
  [[nodiscard]] std::vector<double> values();
  // Everything at time(), derivatives and multipliers included, by the slots of Engine::model()'s layout.
  [[nodiscard]] std::vector<double> environment();
  // The largest residual of the constraints of each level at time(): [0] the constraints themselves.
  [[nodiscard]] std::vector<double> drift();
  [[nodiscard]] long steps() const;

  // An input or a free parameter from now on, or a new value for a variable. Others follow consistently when
  // the simulation is next advanced or make_consistent() is called.
  [[nodiscard]] Result<void> set(std::string_view name, double value);
  // An input as a function of time from now on: one that RunOptions::inputs of the plan names.
  [[nodiscard]] Result<void> set(std::string_view name, std::function<double(double)> function);
  [[nodiscard]] Result<void> make_consistent();

  // A checkpoint as bytes: Engine::load() of an engine of the same model and plan goes on from there with the
  // same bits, in another process, too.
  [[nodiscard]] Result<std::vector<std::byte>> save();

 private:
  friend class Engine;
  friend class ModelExchange;
  Simulation(std::shared_ptr<const Engine> engine, std::shared_ptr<const EngineParts> parts,
             std::unique_ptr<Stepper> stepper);
  [[nodiscard]] const std::vector<double>& evaluated();
  void share_reactions();
  struct Slot {
    int slot = 0;
    double factor = 1;
  };
  // In the environment; none: there is no such value.
  [[nodiscard]] std::optional<Slot> slot_of(std::string_view name) const;
  bool guarded(const std::function<void()>& work);
  // What was set since the last time takes effect, or ends the simulation.
  void take_up();

  std::shared_ptr<const Engine> engine_;
  std::shared_ptr<const EngineParts> parts_;
  std::unique_ptr<Stepper> stepper_;
  // What results report: the signals' numbers, and their names.
  std::vector<std::size_t> shown_;
  std::vector<double> values_, workspace_;
  bool fresh_ = false;  // values_ are those at time()
};

}  // namespace daedalus
