#include "model/flatten/session.hpp"

#include <algorithm>

#include "model/flatten/library.hpp"
#include "model/parser.hpp"

namespace daedalus::flatten {

Nesting::Nesting(Session& session, SourceSpan span) : session_(&session) {
  if (session.depth >= session.limits.depth) {
    raise(span, "expressions and function calls are nested more than {} deep here", session.limits.depth);
  }
  ++session.depth;
}

void count_iteration(Session& session, SourceSpan span) {
  if (++session.iterations > session.limits.iterations) {
    raise(span,
          "the loops of the model run more than {} times in all, which is the limit; make their ranges "
          "smaller",
          session.limits.iterations);
  }
}

void count_work(Session& session, std::size_t amount, SourceSpan span) {
  session.work += amount;
  if (session.work > session.limits.work) {
    raise(span,
          "the arrays and loops of the model need more than {} expressions and elements in all to be "
          "written out, which is the limit; this one went beyond it: make arrays and ranges smaller",
          session.limits.work);
  }
}

void check_variables(const Session& session, std::size_t count, SourceSpan span) {
  if (session.system.variables.size() + session.system.reported.size() + count > session.limits.variables) {
    raise(span,
          "the model has more than {} scalar variables and parameters, which is the limit; make its "
          "arrays smaller",
          session.limits.variables);
  }
}

void report(Session& session, const ModelError& error) {
  session.errors.push_back(error.diagnostic);
  if (session.errors.size() >= session.limits.errors) throw error;
}

void warn(Session& session, SourceSpan span, std::string message) {
  session.system.warnings.push_back(
      {.severity = Severity::Warning, .message = std::move(message), .span = span, .related = {}});
}

std::int32_t find_symbol(const Session& session, std::string_view name) {
  const auto found = session.symbol_of.find(name);
  return found == session.symbol_of.end() ? -1 : found->second;
}

std::string similar_names(const Session& session, std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(session.symbols.size());
  for (const Symbol& symbol : session.symbols) names.emplace_back(symbol.name);
  return did_you_mean(name, names);
}

NodeId variable_node(Session& session, VariableId variable) {
  const VariableKind kind = session.system.variables[variable.at()].kind;
  if (kind == VariableKind::Parameter) {
    if (const auto solved = session.solved.find(variable.value); solved != session.solved.end()) {
      return session.graph().constant(solved->second);
    }
  }
  const bool continuous = kind == VariableKind::Continuous;
  return continuous ? session.graph().variable(variable) : session.graph().discrete(variable);
}

VariableId variable_of(const Session& session, NodeId leaf) {
  const Node& node = session.system.graph->node(leaf);
  if (node.op == Op::Variable && node.args[1] == 0) return VariableId(node.args[0]);
  return node.op == Op::Discrete ? VariableId(node.args[0]) : VariableId{};
}

bool is_continuous(Session& session, NodeId node) {
  return session.relations.is_continuous(session.graph(), node);
}

NodeId relation_node(Session& session, NodeId difference, bool strict, SourceSpan span) {
  return session.relations.leaf(session.system, difference, strict, span);
}

bool depends_on_given_only(const Session& session, NodeId node) {
  return std::ranges::all_of(leaves_of(*session.system.graph, node), [&](NodeId leaf) {
    const VariableId id = variable_of(session, leaf);
    return id.valid() && is_given(session.system.variables[id.at()].kind);
  });
}

std::optional<double> default_value(const Session& session, NodeId node) {
  if (!depends_on_given_only(session, node)) return std::nullopt;
  return value_at_starts(session.system, node);
}

void raise_unknown(const Session& session, NodeId node, SourceSpan span, std::string_view what) {
  const std::vector<NodeId> leaves = leaves_of(*session.system.graph, node);
  for (const NodeId leaf : leaves) {
    const VariableId id = variable_of(session, leaf);
    if (!id.valid() || session.system.variables[id.at()].kind != VariableKind::FreeParameter) continue;
    raise(span,
          "{} must be a number when the model is read, but it depends on the free parameter '{}'; do not "
          "declare '{}' free",
          what, session.system.variables[id.at()].name, session.system.variables[id.at()].name);
  }
  if (leaves.empty()) raise(span, "{} must be known before the simulation", what);
  raise(span, "{} must be known before the simulation, but it depends on {}", what,
        leaf_name(session.system, leaves.front()));
}

const ClassInfo* find_function(Session& session, std::string_view name) {
  if (const ClassInfo* known = session.classes.find(name)) return known;
  return find_library_function(session, name);
}

const ClassInfo* find_library_function(Session& session, std::string_view name) {
  std::string text =
      library_text(name, [&](std::string_view other) { return session.classes.find(other) != nullptr; });
  if (text.empty()) return nullptr;
  const std::int32_t file = session.sources->add(fmt::format("library function {}", name), std::move(text));
  Result<ast::Ast> parsed = parse(*session.sources, file);
  if (!parsed) throw ModelError{parsed.error().front()};
  session.trees.push_back(std::move(*parsed));
  for (const ast::Class& node : session.trees.back().classes) session.classes.add(session.trees.back(), node);
  return session.classes.info(&session.trees.back().classes.back());
}

}  // namespace daedalus::flatten
