// Classes and files.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

using ast::Class;
using ast::ClassKind;

TEST(Files, HoldSeveralClasses) {
  const ast::Ast tree = tree_of("within;\nmodel A end A;\nfunction f end f; block B end B;");
  ASSERT_EQ(tree.classes.size(), 3U);
  EXPECT_EQ(tree.classes[0].kind, ClassKind::Model);
  EXPECT_EQ(tree.classes[1].kind, ClassKind::Function);
  EXPECT_EQ(tree.classes[2].kind, ClassKind::Block);
  EXPECT_EQ(tree.base_version, "");
}

TEST(Files, MayBeginWithWithinAndByteOrderMark) {
  EXPECT_EQ(tree_of("\xEF\xBB\xBFwithin A.B;\r\nmodel C\r\n  Real x;\r\nend C;\r\n").classes.at(0).name, "C");
}

TEST(Files, OfBaseModelicaKeepTheirVersion) {
  const ast::Ast tree = tree_of("//! base 0.1.0\npackage 'M'\n  model 'M'\n  end 'M';\nend 'M';\n");
  EXPECT_EQ(tree.base_version, "0.1.0");
  ASSERT_EQ(tree.classes.size(), 1U);
  EXPECT_EQ(tree.classes[0].kind, ClassKind::Package);
  ASSERT_EQ(tree.classes[0].classes.size(), 1U);
  EXPECT_EQ(tree.classes[0].classes[0].name, "M");
}

TEST(Classes, HaveNameDescriptionAndSpan) {
  const std::string text = "model 'My Model' \"what\" + \" it is\" end 'My Model';";
  const Class made = tree_of(text).classes.at(0);
  EXPECT_EQ(made.name, "My Model");
  EXPECT_EQ(made.description, "what it is");
  EXPECT_EQ(excerpt(text, made.span), "'My Model'");
}

TEST(Classes, OfAllKinds) {
  const ast::Ast tree = tree_of(
      "package P class A end A; record R Real x; end R; operator record Q end Q; operator '+' end '+';\n"
      "pure function f end f; impure function g end g; pure constant function h end h;\n"
      "operator function k end k; type T = Real; encapsulated model E end E; end P;");
  std::vector<ClassKind> kinds;
  for (const Class& item : tree.classes.at(0).classes) kinds.push_back(item.kind);
  using enum ClassKind;
  EXPECT_EQ(kinds, (std::vector{Model, Record, Record, Operator, Function, Function, Function, Function, Type,
                                Model}));
}

TEST(Classes, NestInModels) {
  const ast::Ast tree = tree_of(
      "model M function f input Real x; output Real y; algorithm y := x; end f; Real z;\n"
      "final record R end R; equation z = f(1); end M;");
  const Class& model = tree.classes.at(0);
  ASSERT_EQ(model.classes.size(), 2U);
  EXPECT_EQ(model.classes[0].components.at(1).causality, ast::Causality::Output);
  EXPECT_EQ(model.components.size(), 1U);
}

TEST(ShortClasses, HaveBaseDimensionsAndModifiers) {
  const ast::Ast tree = tree_of(
      "type Length = Real[3](unit = \"m\", min = 0) \"a length\" annotation(a = 1);\n"
      "function g = A.f(n = 3); type In = input Real;");
  const Class& length = tree.classes.at(0);
  EXPECT_EQ(length.base, "Real");
  ASSERT_EQ(length.base_dimensions.size(), 1U);
  EXPECT_EQ(shape(tree, length.base_dimensions[0]), "3");
  ASSERT_EQ(length.base_modifiers.size(), 2U);
  EXPECT_EQ(length.base_modifiers[1].name, "min");
  EXPECT_EQ(length.description, "a length");
  EXPECT_EQ(length.annotation.size(), 1U);
  EXPECT_EQ(tree.classes.at(1).base, "A.f");
  EXPECT_EQ(tree.classes.at(1).kind, ClassKind::Function);
  EXPECT_EQ(tree.classes.at(2).base, "Real");
}

TEST(Enumerations, ListTheirLiterals) {
  const Class made = tree_of("type 'E.F' = enumeration('a b' \"first\", c) \"text\";").classes.at(0);
  EXPECT_TRUE(made.is_enumeration);
  EXPECT_EQ(made.enumeration, (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(made.description, "text");
  EXPECT_TRUE(tree_of("type E = enumeration();").classes.at(0).enumeration.empty());
}

TEST(ExternalObjects, HaveConstructorAndDestructor) {
  const ast::Ast tree = tree_of(
      "class 'T' extends ExternalObject;\n"
      "  function constructor input String 'n'; output 'T' 't';\n"
      "  external \"C\" 't' = open_table('n', size(a, 1), 3) annotation(Library = {\"x\", \"y\"});\n"
      "  end constructor;\n"
      "  function destructor input 'T' 't'; external \"C\" close_table('t'); end destructor;\n"
      "end 'T';");
  const Class& made = tree.classes.at(0);
  EXPECT_EQ(made.kind, ClassKind::ExternalObject);
  ASSERT_EQ(made.classes.size(), 2U);
  const Class& constructor = made.classes[0];
  EXPECT_TRUE(constructor.is_external);
  EXPECT_EQ(constructor.external_name, "open_table");
  EXPECT_EQ(constructor.external_language, "C");
  EXPECT_EQ(shape(tree, constructor.external_output), "t");
  ASSERT_EQ(constructor.external_arguments.size(), 3U);
  EXPECT_EQ(shape(tree, constructor.external_arguments[1]), "size(a,1)");
  EXPECT_EQ(constructor.annotation.at(0).name, "Library");
  EXPECT_EQ(made.classes[1].external_output, -1);
}

TEST(ExternalFunctions, MayLeaveOutEverything) {
  const Class made = tree_of("function f input Real x; output Real y; external; end f;").classes.at(0);
  EXPECT_TRUE(made.is_external);
  EXPECT_EQ(made.external_name, "");
  EXPECT_EQ(made.external_language, "");
}

TEST(Guesses, AreTargetsAndValues) {
  const ast::Ast tree = tree_of(
      "model M Real 'x'; parameter equation guess('x') = 1.5 \"text\"; parameter Real p = 1;\n"
      "@2 parameter equation guess('r'.'x'[2]) = prioritize('p', 2); end M;");
  const Class& model = tree.classes.at(0);
  ASSERT_EQ(model.guesses.size(), 2U);
  EXPECT_EQ(shape(tree, model.guesses[0].target), "x");
  EXPECT_EQ(shape(tree, model.guesses[0].value), "1.5r");
  EXPECT_EQ(shape(tree, model.guesses[1].target), "r.x[2]");
  EXPECT_EQ(shape(tree, model.guesses[1].value), "prioritize(p,2)");
  EXPECT_EQ(model.components.size(), 2U);
}

// The words of Base Modelica that plain Modelica does not reserve.
TEST(Names, MayBeWordsOfBaseModelica) {
  const ast::Ast tree =
      tree_of("model M Real guess, partition, subpartition, prioritize, base; partition p; end M;");
  EXPECT_EQ(tree.classes.at(0).components.size(), 6U);
}

}  // namespace
}  // namespace daedalus::testing
