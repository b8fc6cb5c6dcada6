// What a ModelBuilder and its expressions share.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "expr/derivative.hpp"
#include "model/dae_system.hpp"
#include "model/relation_table.hpp"

namespace daedalus {

struct BuilderState {
  explicit BuilderState(std::string name);

  // Remembers a mistake, to be reported by build().
  void complain(std::string message);
  // The variable that an expression is, or an invalid id after a complaint.
  VariableId require_variable(NodeId node, const char* what);

  DaeSystem system;
  RelationTable relations;
  TimeDerivative derivative;
  std::vector<WhenClause> clauses;
  std::vector<Assignment> assignments;
  std::unordered_set<std::string> names;
  Diagnostics errors;
};

}  // namespace daedalus
