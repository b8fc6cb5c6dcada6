// From the sections of a model to scalar equations, when clauses and assignments.
#pragma once

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// when.cpp. Finds the Real variables that when clauses assign: they are discrete. Must come before any
// equation is looked at.
void classify_discrete(Session& session, const ast::Class& model);
// when ... elsewhen ... end when as a clause of the session.
void flatten_when(Frame& frame, const ast::Statement& statement);

// initial.cpp. Initial equations p = (numbers, time) of parameters with fixed = false are solved here, so
// that sample(p, 1) and the like know them.
void solve_parameters(Session& session, const ast::Class& model);

// Everything: bindings, equations, algorithms, initial sections.
void flatten_sections(Session& session, const ast::Class& model);

// left = right for all scalars of the two values; in the initial section if frame.place says so.
struct EquationPlace {
  SourceSpan span;
  std::string label;
};
void add_equation(Frame& frame, const Value& left, const Value& right, const EquationPlace& where,
                  std::vector<ScalarEquation>* sink);

// algorithms.cpp. An algorithm section of the model.
void flatten_algorithm(Frame& frame, std::span<const std::int32_t> statements);

// discrete.cpp. Solves the discrete equations for their variables and sorts them with the when clauses.
void order_discrete(Session& session);

}  // namespace daedalus::flatten
