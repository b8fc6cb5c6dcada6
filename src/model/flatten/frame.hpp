// Where an expression stands: which names it sees, and what relations in it mean.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/flatten/session.hpp"

namespace daedalus::flatten {

struct LocalScope;  // functions.hpp

struct BoundIterator {
  std::string_view name;
  Value value;
};

// Values that an algorithm section has given to variables so far, by VariableId.
using Overlay = std::unordered_map<std::int32_t, NodeId>;

enum class Place : std::uint8_t { Declaration, Equation, Initial, When, Function };

struct Frame {
  Session& session;
  const ast::Ast* tree;
  Place place = Place::Equation;
  bool events = true;            // relations make events (not under noEvent, not in functions)
  LocalScope* locals = nullptr;  // of the function being executed
  Overlay* overlay = nullptr;    // of the algorithm section being executed
  NodeId path = {};              // the condition under which this is evaluated at all; invalid: always
  std::vector<BoundIterator> iterators = {};
  std::vector<std::int32_t> ends = {};  // the sizes that `end` stands for, innermost last

  [[nodiscard]] const ast::Expr& expression(ast::ExprRef ref) const {
    return tree->expressions[static_cast<std::size_t>(ref)];
  }
  [[nodiscard]] const ast::Statement& statement(std::int32_t ref) const {
    return tree->statements[static_cast<std::size_t>(ref)];
  }
  [[nodiscard]] ExprGraph& graph() const { return session.graph(); }
};

// Sets a member for as long as it lives.
template <class T>
class Scoped {
 public:
  Scoped(T& target, T value) : target_(&target), old_(std::move(target)) { target = std::move(value); }
  ~Scoped() { *target_ = std::move(old_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  T* target_;
  T old_;
};

// path and condition; the condition alone when there is no path yet.
[[nodiscard]] inline NodeId narrowed(const Frame& frame, NodeId condition) {
  return frame.path.valid() ? frame.graph().apply(Op::And, frame.path, condition) : condition;
}

}  // namespace daedalus::flatten
