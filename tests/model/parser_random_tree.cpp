#include "model/parser_random_tree.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace daedalus::testing {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;
using ast::Operator;
using ast::StatementKind;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  ast::Ast tree() {
    if (chance(3)) tree_.base_version = "0.1.0";
    for (int i = upto(2); i >= 0; --i) tree_.classes.push_back(definition(3));
    return std::move(tree_);
  }

 private:
  int upto(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  bool chance(int one_in) { return upto(one_in - 1) == 0; }
  template <class T, std::size_t n>
  T pick(const T (&from)[n]) {
    return from[upto(static_cast<int>(n) - 1)];
  }

  std::string identifier() {
    constexpr const char* names[] = {"x",           "y_1",       "Real",   "a.b[1,2]", "end",   "it's",
                                     "back\\slash", "two words", "tab\t.", "\"",       "guess", "λ",
                                     "_",           "der",       "1st",    "if"};
    return pick(names);
  }
  std::string dotted() {
    std::string out = identifier();
    while (chance(3)) out += "." + identifier();
    return out;
  }
  std::string text() {
    constexpr const char* texts[] = {
        "", "", "plain", "quote \" inside", "line\nbreak", "back\\slash \\n", "°C ';//*"};
    return pick(texts);
  }

  ExprRef add(Expr node) {
    tree_.expressions.push_back(std::move(node));
    return static_cast<ExprRef>(tree_.expressions.size()) - 1;
  }
  std::vector<ExprRef> list(int least, int most, int depth) {
    std::vector<ExprRef> out;
    for (int i = least + upto(most - least); i > 0; --i) out.push_back(expression(depth));
    return out;
  }

  std::vector<ExprRef> subscripts(int depth) {
    std::vector<ExprRef> out;
    for (int i = 1 + upto(1); i > 0; --i) {
      Expr node;
      node.kind = chance(2) ? ExprKind::Colon : ExprKind::End;
      out.push_back(chance(3) ? add(std::move(node)) : expression(depth));
    }
    return out;
  }
  std::vector<ast::NamePart> name_parts(int depth) {
    std::vector<ast::NamePart> out;
    do {
      ast::NamePart part;
      part.name = identifier();
      if (depth > 0 && chance(3)) part.subscripts = subscripts(depth - 1);
      out.push_back(std::move(part));
    } while (chance(3));
    return out;
  }
  std::vector<ast::Iterator> iterators(int depth) {
    std::vector<ast::Iterator> out;
    do {
      ast::Iterator made;
      made.name = identifier();
      if (!chance(4)) made.range = expression(depth);
      out.push_back(std::move(made));
    } while (chance(3));
    return out;
  }

  Expr number() {
    constexpr double reals[] = {0.0, 1.0, 0.1, 2.5e-308, 1.7976931348623157e308, 5e-324, 1e22, 123456789.125};
    constexpr double integers[] = {0, 1, 7, 2147483647, 9007199254740992, 1e22};
    Expr node;
    node.kind = ExprKind::Number;
    node.is_integer = chance(2);
    node.number = node.is_integer ? pick(integers) : pick(reals);
    return node;
  }

  ExprRef leaf() {
    Expr node;
    switch (upto(4)) {
      case 0:
        node.kind = ExprKind::String;
        node.text = text();
        break;
      case 1:
        node.kind = ExprKind::Boolean;
        node.number = upto(1);
        break;
      case 2:
        node.kind = ExprKind::Name;
        node.parts = name_parts(0);
        break;
      default:
        node = number();
    }
    return add(std::move(node));
  }

  void operation(Expr& node, int depth) {
    constexpr Operator adding[] = {Operator::Plus, Operator::Minus, Operator::ElementPlus,
                                   Operator::ElementMinus};
    constexpr Operator multiplying[] = {Operator::Times, Operator::Divide, Operator::ElementTimes,
                                        Operator::ElementDivide};
    constexpr Operator signs[] = {Operator::Plus, Operator::Minus, Operator::ElementPlus,
                                  Operator::ElementMinus, Operator::Not};
    constexpr Operator powers[] = {Operator::Power, Operator::ElementPower};
    constexpr Operator relations[] = {Operator::Less,         Operator::LessEqual, Operator::Greater,
                                      Operator::GreaterEqual, Operator::Equal,     Operator::NotEqual};
    switch (upto(3)) {
      case 0:
        node.kind = ExprKind::Unary;
        node.ops = {pick(signs)};
        node.children = list(1, 1, depth);
        return;
      case 1:
        node.kind = ExprKind::Power;
        node.ops = {pick(powers)};
        node.children = list(2, 2, depth);
        return;
      case 2:
        node.kind = ExprKind::Relation;
        node.ops = {pick(relations)};
        node.children = list(2, 2, depth);
        return;
      default:
        node.kind = ExprKind::Chain;
        node.children = list(2, 5, depth);
        const int level = upto(3);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
          constexpr Operator logic[] = {Operator::And, Operator::Or};
          node.ops.push_back(level == 0 ? pick(adding) : level == 1 ? pick(multiplying) : logic[level - 2]);
        }
    }
  }

  void call(Expr& node, int depth) {
    node.kind = ExprKind::Call;
    node.parts = name_parts(depth);
    node.children = list(0, 3, depth);
    while (chance(3)) {
      const std::string name = identifier();
      Expr partial;
      partial.kind = ExprKind::PartialCall;
      partial.parts = name_parts(depth);
      const ExprRef value = chance(5) ? add(std::move(partial)) : expression(depth);
      node.named.push_back({name, value});
    }
  }

  void bracketed(Expr& node, int depth) {
    switch (upto(5)) {
      case 0:
        node.kind = ExprKind::Array;
        node.children = list(0, 4, depth);
        return;
      case 1:
        node.kind = ExprKind::Matrix;
        for (int row = upto(2); row >= 0; --row) {
          const std::vector<ExprRef> values = list(1, 3, depth);
          node.children.insert(node.children.end(), values.begin(), values.end());
          node.row_sizes.push_back(static_cast<std::int32_t>(values.size()));
        }
        return;
      case 2:
        node.kind = ExprKind::Comprehension;
        if (chance(2)) node.parts = name_parts(depth);
        node.children = list(1, 1, depth);
        node.iterators = iterators(depth);
        return;
      case 3:
        node.kind = ExprKind::Tuple;
        node.children = list(2, 3, depth);
        if (chance(2)) node.children[static_cast<std::size_t>(upto(1))] = -1;
        return;
      case 4:
        node.kind = ExprKind::Subscripted;
        node.children = list(1, 1, depth);
        for (const ExprRef subscript : subscripts(depth)) node.children.push_back(subscript);
        return;
      default:
        node.kind = ExprKind::Member;
        node.children = list(1, 1, depth);
        node.parts = name_parts(depth);
    }
  }

  ExprRef expression(int depth) {
    if (depth <= 0 || chance(4)) return leaf();
    Expr node;
    switch (upto(6)) {
      case 0:
        node.kind = ExprKind::If;
        node.children = list(2, 2, depth - 1);
        while (chance(3)) {
          for (const ExprRef branch : list(2, 2, depth - 1)) node.children.push_back(branch);
        }
        node.children.push_back(expression(depth - 1));
        break;
      case 1:
        node.kind = ExprKind::Range;
        node.children = list(2, 3, depth - 1);
        break;
      case 2:
        call(node, depth - 1);
        break;
      case 3:
        bracketed(node, depth - 1);
        break;
      case 4:
        node.kind = ExprKind::Name;
        node.parts = name_parts(depth - 1);
        break;
      default:
        operation(node, depth - 1);
    }
    return add(std::move(node));
  }

  std::vector<ast::Modifier> modifiers(int depth) {
    std::vector<ast::Modifier> out;
    while (out.size() < 3 && chance(2)) {
      ast::Modifier made;
      made.name = dotted();
      made.each = chance(4);
      made.is_final = chance(4);
      if (chance(2)) made.value = expression(2);
      if (depth > 0) made.nested = modifiers(depth - 1);
      out.push_back(std::move(made));
    }
    return out;
  }

  ast::Component component() {
    ast::Component made;
    made.name = identifier();
    made.type = dotted();
    made.variability = static_cast<ast::Variability>(upto(3));
    made.causality = static_cast<ast::Causality>(upto(2));
    made.is_protected = chance(3);
    made.is_final = chance(4);
    if (chance(3)) made.dimensions = list(1, 2, 1);
    made.modifiers = modifiers(2);
    if (chance(2)) made.binding = expression(4);
    if (chance(5)) made.condition = expression(2);
    made.description = text();
    made.annotation = modifiers(1);
    return made;
  }

  std::int32_t statement(bool equation, int depth) {
    ast::Statement made;
    made.description = text();
    const int kind = depth > 0 ? upto(9) : upto(5);
    if (kind == 0) {
      Expr node;
      call(node, 2);
      made.kind = StatementKind::Call;
      made.right = add(std::move(node));
    } else if (kind == 1 && !equation) {
      made.kind = chance(2) ? StatementKind::Break : StatementKind::Return;
    } else if (kind <= 5) {
      Expr target;
      target.kind = ExprKind::Name;
      target.parts = name_parts(1);
      made.kind = equation ? StatementKind::Equation : StatementKind::Assignment;
      made.left = equation ? expression(3) : add(std::move(target));
      made.right = expression(4);
    } else if (kind == 6) {
      made.kind = StatementKind::For;
      made.iterators = iterators(2);
      made.bodies = {body(equation, depth - 1)};
    } else if (kind == 7 && !equation) {
      made.kind = StatementKind::While;
      made.conditions = {expression(2)};
      made.bodies = {body(equation, depth - 1)};
    } else {
      made.kind = chance(2) ? StatementKind::If : StatementKind::When;
      do {
        made.conditions.push_back(expression(2));
        made.bodies.push_back(body(equation, depth - 1));
      } while (chance(3));
      if (made.kind == StatementKind::If && chance(2)) made.bodies.push_back(body(equation, depth - 1));
    }
    tree_.statements.push_back(std::move(made));
    return static_cast<std::int32_t>(tree_.statements.size()) - 1;
  }

  std::vector<std::int32_t> body(bool equation, int depth) {
    std::vector<std::int32_t> out;
    for (int i = upto(3); i > 0; --i) out.push_back(statement(equation, depth));
    return out;
  }

  void short_definition(ast::Class& made) {
    if (chance(2)) {
      made.is_enumeration = true;
      for (int i = upto(3); i > 0; --i) made.enumeration.push_back(identifier());
      return;
    }
    made.base = dotted();
    if (chance(2)) made.base_dimensions = list(1, 2, 1);
    made.base_modifiers = modifiers(1);
  }

  void external(ast::Class& made) {
    Expr target;
    target.kind = ExprKind::Name;
    target.parts = name_parts(1);
    made.is_external = true;
    if (chance(2)) made.external_language = "C";
    if (chance(3)) return;
    made.external_name = identifier();
    if (chance(2)) made.external_output = add(std::move(target));
    made.external_arguments = list(0, 3, 2);
  }

  void guesses(ast::Class& made) {
    while (chance(3)) {
      Expr target;
      target.kind = ExprKind::Name;
      target.parts = name_parts(1);
      ast::Guess guess;
      guess.target = add(std::move(target));
      guess.value = expression(2);
      made.guesses.push_back(guess);
    }
  }

  ast::Class definition(int depth) {
    ast::Class made;
    made.kind = static_cast<ast::ClassKind>(upto(7));
    made.name = identifier();
    made.description = text();
    made.annotation = modifiers(2);
    if (chance(4) && made.kind != ast::ClassKind::ExternalObject) {
      short_definition(made);
      return made;
    }
    for (int i = upto(3); i > 0; --i) made.components.push_back(component());
    for (int i = depth > 0 ? upto(2) : 0; i > 0; --i) made.classes.push_back(definition(depth - 1));
    guesses(made);
    made.sections.equations = body(true, 3);
    made.sections.initial_equations = body(true, 1);
    while (chance(3)) made.sections.algorithms.push_back(body(false, 3));
    while (chance(4)) made.sections.initial_algorithms.push_back(body(false, 1));
    if (chance(4)) external(made);
    return made;
  }

  std::mt19937 random_;
  ast::Ast tree_;
};

}  // namespace

ast::Ast random_tree(std::uint32_t seed) {
  return Generator(seed).tree();
}

}  // namespace daedalus::testing
