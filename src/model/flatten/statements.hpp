// Execution of algorithm statements on expressions, for functions and for algorithm sections of models.
#pragma once

#include <span>
#include <vector>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// What statements assign to. Every slot (a local variable, a scalar of the model) has a number; changes
// are journalled so that the branches of an `if` can be run from the same state and merged.
class Memory {
 public:
  virtual ~Memory() = default;
  // target := value. The new value counts only where `skip` (a Boolean; invalid: nowhere) is false.
  virtual void assign(Frame& frame, const ast::Expr& target, const Value& value, NodeId skip) = 0;
  // when ... then in an algorithm.
  virtual void when(Frame& frame, const ast::Statement& statement);
  // A call as a statement other than assert.
  virtual void call(Frame& frame, const ast::Expr& call);

  struct Change {
    std::int32_t slot = -1;
    Value old;
  };
  using Changes = std::vector<Change>;
  // From here on changes are written down, until they are taken back. Nested.
  [[nodiscard]] std::size_t mark() {
    ++trials_;
    return journal_.size();
  }
  // Undoes what changed since the mark; gives each changed slot once, with the value that it had got.
  Changes take_back(std::size_t mark);
  void put(Frame& frame, std::int32_t slot, Value value);
  [[nodiscard]] virtual Value get(Frame& frame, std::int32_t slot) = 0;

 protected:
  // Whether a change might have to be undone.
  [[nodiscard]] bool on_trial() const { return trials_ > 0; }
  virtual void store(std::int32_t slot, Value value) = 0;  // an undefined value removes it
  [[nodiscard]] virtual Value stored(std::int32_t slot) const = 0;

 private:
  Changes journal_;
  int trials_ = 0;
};

// Where execution stands: conditions that are false in the beginning.
struct Flow {
  NodeId where;     // of the enclosing undecided ifs
  NodeId returned;  // return was met
  NodeId broken;    // break was met in the innermost loop
};

void execute(Frame& frame, Memory& memory, Flow& flow, std::span<const std::int32_t> statements);
[[nodiscard]] Flow start_flow(const Frame& frame);

// Changes part of a value: target[subscripts].field... := value.
void assign_part(Frame& frame, Value& target, std::span<const ast::NamePart> path, const Value& value,
                 NodeId skip, SourceSpan span);

}  // namespace daedalus::flatten
