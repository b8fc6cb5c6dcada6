// Equations and statements.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

using ast::Statement;
using ast::StatementKind;

// A section of a model, one line a statement: "x = <a + b>", "if a: x = 1 | else: x = 2".
std::string line(const ast::Ast& tree, const Statement& item);

std::string lines(const ast::Ast& tree, const std::vector<std::int32_t>& body) {
  std::string out;
  for (const std::int32_t number : body)
    out += (out.empty() ? "" : "; ") + line(tree, statement(tree, number));
  return out;
}

std::string line(const ast::Ast& tree, const Statement& item) {
  std::string out;
  switch (item.kind) {
    case StatementKind::Equation:
      return shape(tree, item.left) + " = " + shape(tree, item.right);
    case StatementKind::Assignment:
      return shape(tree, item.left) + " := " + shape(tree, item.right);
    case StatementKind::Call:
      return "call " + shape(tree, item.right);
    case StatementKind::If:
    case StatementKind::When:
      out = item.kind == StatementKind::If ? "if " : "when ";
      for (std::size_t i = 0; i < item.bodies.size(); ++i) {
        out += i < item.conditions.size() ? shape(tree, item.conditions[i]) : "else";
        out += " {" + lines(tree, item.bodies[i]) + "} ";
      }
      return out;
    case StatementKind::For:
      out = "for ";
      for (const ast::Iterator& index : item.iterators) {
        out += index.name + " in " + shape(tree, index.range) + " ";
      }
      return out + "{" + lines(tree, item.bodies.at(0)) + "}";
    case StatementKind::While:
      return "while " + shape(tree, item.conditions.at(0)) + " {" + lines(tree, item.bodies.at(0)) + "}";
    case StatementKind::Break:
      return "break";
    case StatementKind::Return:
      return "return";
  }
  return out;
}

std::string equations(const std::string& text) {
  const ast::Ast tree = tree_of("model M equation\n" + text + "\nend M;");
  return tree.classes.empty() ? "" : lines(tree, tree.classes[0].sections.equations);
}

std::string algorithm(const std::string& text) {
  const ast::Ast tree = tree_of("function f algorithm\n" + text + "\nend f;");
  return tree.classes.empty() ? "" : lines(tree, tree.classes[0].sections.algorithms.at(0));
}

TEST(Equations, HaveTwoSides) {
  EXPECT_EQ(equations("x = 1; der(x) = -x; a + b = c;"), "x = 1; der(x) = <- x>; <a + b> = c");
  EXPECT_EQ(equations("(a, , b) = f(x);"), "tuple(a,_,b) = f(x)");
  EXPECT_EQ(equations("x = if a then b else c;"), "x = if(a,b,c)");
  EXPECT_EQ(equations("(if a then b else c) = x;"), "if(a,b,c) = x");
  EXPECT_EQ(equations("0 = f(x, y); {a, b} = v; [a; b] = m; 'x y' = 1;"),
            "0 = f(x,y); {a,b} = v; [a;b] = m; x y = 1");
  EXPECT_EQ(equations("x = a == b;"), "x = <a == b>");
  EXPECT_EQ(equations("initial() = b;"), "initial() = b");
}

TEST(Equations, MayBeCalls) {
  EXPECT_EQ(equations("assert(x > 0, \"m\"); reinit(v, -e * pre(v)); terminate(\"end\");"),
            "call assert(<x > 0>,\"m\"); call reinit(v,<- <e * pre(v)>>); call terminate(\"end\")");
  EXPECT_EQ(equations("A.f(x)[1] = y;"), "(A.f(x))[1] = y");
}

TEST(Equations, IfWithAllItsBranches) {
  EXPECT_EQ(equations("if a then x = 1; elseif b then x = 2; y = 3; else x = 4; end if;"),
            "if a {x = 1} b {x = 2; y = 3} else {x = 4} ");
  EXPECT_EQ(equations("if a then end if;"), "if a {} ");
  EXPECT_EQ(equations("if a then if b then x = 1; end if; else if c then x = 2; end if; end if;"),
            "if a {if b {x = 1} } else {if c {x = 2} } ");
}

TEST(Equations, WhenWithElsewhen) {
  EXPECT_EQ(equations("when h < 0 then reinit(v, 1); elsewhen {a, b} then n = pre(n) + 1; end when;"),
            "when <h < 0> {call reinit(v,1)} {a,b} {n = <pre(n) + 1>} ");
}

TEST(Equations, ForWithOneAndSeveralIndices) {
  EXPECT_EQ(equations("for i in 1:n loop x[i] = i; end for;"), "for i in range(1,n) {x[i] = i}");
  EXPECT_EQ(equations("for i in 1:n, j in {1, 2} loop x[i, j] = 0; end for;"),
            "for i in range(1,n) j in {1,2} {x[i,j] = 0}");
  EXPECT_EQ(equations("for i loop x[i] = 0; end for;"), "for i in _ {x[i] = 0}");
}

TEST(Equations, DecorationsAndDescriptionsDoNotCount) {
  EXPECT_EQ(equations("@3 x = 1 @4 \"one\"; x @5 = 2 \"a\" + \"b\"; @1 if a then @2 x = 1; end if \"c\";"),
            "x = 1; x = 2; if a {x = 1} ");
}

TEST(Equations, KeepDescriptionAndSpan) {
  const std::string text = "model M equation\n  m*der(v) = -k*x \"Newton\" annotation(a = 1);\nend M;";
  const ast::Ast tree = tree_of(text);
  const Statement& item = statement(tree, tree.classes.at(0).sections.equations.at(0));
  EXPECT_EQ(item.description, "Newton");
  EXPECT_EQ(excerpt(text, item.span), "m*der(v) = -k*x");
}

TEST(Statements, AssignAndCall) {
  EXPECT_EQ(algorithm("y := 2 * x; a.b[i] := c; (p, q) := g(x); (p, ) := g(x); f(x);"),
            "y := <2 * x>; a.b[i] := c; tuple(p,q) := g(x); tuple(p,_) := g(x); call f(x)");
}

TEST(Statements, LoopsAndJumps) {
  EXPECT_EQ(algorithm("while x > 0 loop x := x - 1; if done then break; end if; end while; return;"),
            "while <x > 0> {x := <x - 1>; if done {break} }; return");
  EXPECT_EQ(algorithm("for i in n:-1:1 loop s := s + i; end for;"),
            "for i in range(n,<- 1>,1) {s := <s + i>}");
  EXPECT_EQ(algorithm("when sample(0, 1) then n := pre(n) + 1; elsewhen initial() then n := 0; end when;"),
            "when sample(0,1) {n := <pre(n) + 1>} initial() {n := 0} ");
}

TEST(Sections, AreKeptApart) {
  const ast::Ast tree = tree_of(
      "model M Real x; equation a = 1; initial equation b = 2; algorithm c := 3; initial algorithm d := 4;\n"
      "equation e = 5; algorithm f := 6; end M;");
  const ast::Sections& all = tree.classes.at(0).sections;
  EXPECT_EQ(lines(tree, all.equations), "a = 1; e = 5");
  EXPECT_EQ(lines(tree, all.initial_equations), "b = 2");
  ASSERT_EQ(all.algorithms.size(), 2U);
  EXPECT_EQ(lines(tree, all.algorithms[1]), "f := 6");
  ASSERT_EQ(all.initial_algorithms.size(), 1U);
  EXPECT_EQ(lines(tree, all.initial_algorithms[0]), "d := 4");
}

TEST(Sections, PrioritizeIsACallInInitialEquations) {
  const ast::Ast tree = tree_of("model M Real x; initial equation prioritize(x, 2); end M;");
  EXPECT_EQ(lines(tree, tree.classes.at(0).sections.initial_equations), "call prioritize(x,2)");
}

}  // namespace
}  // namespace daedalus::testing
