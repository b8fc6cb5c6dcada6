#include "results/page_structure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reform/level_system.hpp"
#include "results/xml_text.hpp"

namespace daedalus {
namespace {

constexpr std::size_t most_equations = 4000;
constexpr std::size_t most_entries = 60'000;
constexpr std::size_t most_hidden = 120;
// Up to this size the hidden constraints are written out; what is larger is named only, since second
// derivatives of a mechanism's constraints fill pages.
constexpr std::size_t written_out = 40;
constexpr std::size_t most_letters = 300;

std::string shortened(const std::string& text) {
  std::string valid = valid_utf8(text);
  if (valid.size() <= most_letters) return valid;
  return valid_utf8(valid.substr(0, most_letters)) + " …";
}

std::string name_of(const DaeSystem& system, const Equation& equation) {
  if (!equation.label.empty()) return shortened(equation.label);
  return shortened(equation_text(system, equation));
}

void add_entries(const Signature& signature, PageBlob& blob, PageJson& out) {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  std::vector<std::int16_t> orders;
  for (int i = 0; i < signature.equations(); ++i) {
    for (const SignatureEntry& entry : signature.row(i)) {
      rows.push_back(i);
      columns.push_back(entry.variable);
      orders.push_back(static_cast<std::int16_t>(entry.order));
    }
  }
  out["rows"] = blob.add(rows);
  out["columns"] = blob.add(columns);
  out["orders"] = blob.add(orders);
}

void add_plan(const StructuralPlan& plan, PageJson& out) {
  for (std::size_t i = 0; i < plan.c.size(); ++i) out["equations"][i]["c"] = plan.c[i];
  for (std::size_t j = 0; j < plan.d.size(); ++j) out["variables"][j]["d"] = plan.d[j];
  out["blocks"] = PageJson::array();
  for (const Block& block : plan.blocks) out["blocks"].push_back({block.equations, block.variables});
  out["index"] = plan.structural_index;
  out["dof"] = plan.degrees_of_freedom;
}

std::string derivative_name(int level) {
  return level == 1   ? "first derivative"
         : level == 2 ? "second derivative"
                      : fmt::format("derivative {}", level);
}

// By name: how often each equation is differentiated.
void name_hidden(const StructuralPlan& plan, PageJson& out) {
  out["hidden"] = PageJson::array();
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.c.size(); ++i) {
    for (int level = 1; level <= plan.c[i]; ++level) {
      if (++count > most_hidden) continue;
      out["hidden"].push_back(
          {{"text", ""}, {"of", out["equations"][i]["text"]}, {"level", derivative_name(level)}});
    }
  }
  out["hidden_count"] = count;
}

void write_hidden(const LevelSystem& levels, PageJson& out) {
  out["hidden"] = PageJson::array();
  for (const LevelEquation& equation : levels.equations) {
    if (equation.level == 0) continue;
    const DaeSystem& system = levels.system();
    out["hidden"].push_back(
        {{"text", shortened(expression_text(system, equation.residual) + " = 0")},
         {"of", name_of(system, system.equations[static_cast<std::size_t>(equation.equation)])},
         {"level", derivative_name(equation.level)}});
  }
  out["hidden_count"] = out["hidden"].size();
}

PageJson names_of(const DaeSystem& system, const Incidence& incidence) {
  PageJson out = {{"equations", PageJson::array()}, {"variables", PageJson::array()}};
  for (const Equation& equation : system.equations)
    out["equations"].push_back({{"text", name_of(system, equation)}});
  for (const VariableId unknown : incidence.unknowns)
    out["variables"].push_back({{"name", valid_utf8(system.variables[unknown.at()].name)}});
  return out;
}

}  // namespace

PageJson structure_data(const DaeSystem& system, PageBlob& blob) {
  if (system.equations.empty() || system.equations.size() > most_equations) return nullptr;
  if (system.equations.size() <= written_out) {
    // With repairs where structure lied.
    if (const auto levels = make_level_system(system)) {
      PageJson out = names_of(levels->system(), levels->incidence);
      add_entries(levels->incidence.signature, blob, out);
      add_plan(levels->plan, out);
      out["index"] = levels->index();
      write_hidden(*levels, out);
      return out;
    }
  }
  const RaisedSystem raised = raise_order(system);
  const Incidence incidence = incidence_of(raised.system, raised.eliminated);
  if (incidence.signature.entries.size() > most_entries) return nullptr;
  PageJson out = names_of(raised.system, incidence);
  add_entries(incidence.signature, blob, out);
  if (const auto plan = analyse_structure(incidence.signature)) {
    add_plan(*plan, out);
    name_hidden(*plan, out);
  }
  return out;
}

}  // namespace daedalus
