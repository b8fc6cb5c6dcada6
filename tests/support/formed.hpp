// A model in its constrained form, compiled, with an environment to write values into.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reform/constrained_form.hpp"
#include "support/model_text.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus::testing {

struct Formed {
  explicit Formed(const DaeSystem& system, bool unconstrained = false)
      : form(form_of(system, unconstrained)),
        model(std::move(CompiledModel::compile(level_system_of(*form)).value())),
        environment(model->fresh_environment()) {
    for (const Variable& variable : form->system().variables) {
      const int slot = model->slot(leaf(variable.name));
      if (slot >= 0) environment[static_cast<std::size_t>(slot)] = variable.start;
    }
  }
  static std::unique_ptr<ConstrainedForm> form_of(const DaeSystem& system, bool unconstrained) {
    auto found = recognise_constrained_form(system, unconstrained);
    EXPECT_TRUE(found.has_value());
    return std::make_unique<ConstrainedForm>(std::move(found.value()));
  }
  [[nodiscard]] VariableId id(const std::string& name) const {
    const auto& variables = form->system().variables;
    for (std::size_t k = 0; k < variables.size(); ++k) {
      if (variables[k].name == name) return VariableId(k);
    }
    ADD_FAILURE() << "no variable " << name;
    return VariableId(0);
  }
  [[nodiscard]] NodeId leaf(const std::string& name, int order = 0) const {
    return form->graph().variable(id(name), order);
  }
  // The value of a variable, or of a derivative of it.
  double& value(const std::string& name, int order = 0) {
    const int slot = model->slot(leaf(name, order));
    EXPECT_GE(slot, 0) << name;
    return environment[static_cast<std::size_t>(slot)];
  }
  double& time() { return environment[static_cast<std::size_t>(model->layout().time)]; }
  // Where x_i of the form stands, by name.
  [[nodiscard]] int position(const std::string& name) const {
    for (int i = 0; i < form->n(); ++i) {
      if (form->positions[static_cast<std::size_t>(i)] == id(name)) return i;
    }
    ADD_FAILURE() << "no position " << name;
    return 0;
  }

  std::unique_ptr<ConstrainedForm> form;
  std::unique_ptr<CompiledModel> model;
  std::vector<double> environment;
};

// A bead of masses mx and my in the directions x and y on a circle of radius 1, with a spring k x and gravity
// g.
inline std::string bead_text(const std::string& last_equation = "") {
  return R"(model Bead
  parameter Real mx = 1; parameter Real my = 4; parameter Real k = 0; parameter Real g = 9.81;
  Real x(start = 0.6); Real y(start = -0.8); Real vx; Real vy; Real lambda;)" +
         std::string(last_equation.empty() ? "" : " Real mu;") + R"(
equation
  der(x) = vx;
  der(y) = vy;
  mx * der(vx) = -k*x - 2*x*lambda)" +
         std::string(last_equation.empty() ? "" : " - 2*x*mu") + R"(;
  my * der(vy) = -my*g - 2*y*lambda)" +
         std::string(last_equation.empty() ? "" : " - 2*y*mu") + R"(;
  x^2 + y^2 = 1;
)" + last_equation +
         "\nend Bead;\n";
}

}  // namespace daedalus::testing
