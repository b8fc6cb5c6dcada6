// Declarations, modifications and annotations.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

using ast::Causality;
using ast::Component;
using ast::Variability;

// The components of a model with these declarations.
struct Declared {
  explicit Declared(const std::string& declarations)
      : text("model M\n" + declarations + "\nend M;\n"), tree(tree_of(text)) {}
  const std::vector<Component>& components() const { return tree.classes.at(0).components; }
  std::string shape_at(ast::ExprRef expression) const { return shape(tree, expression); }

  std::string text;
  ast::Ast tree;
};

TEST(Components, OfOneClauseShareTypeAndPrefix) {
  const Declared made("parameter Real m = 1, L = 2 \"length\", g;");
  ASSERT_EQ(made.components().size(), 3U);
  for (const Component& item : made.components()) {
    EXPECT_EQ(item.type, "Real");
    EXPECT_EQ(item.variability, Variability::Parameter);
  }
  EXPECT_EQ(made.components()[1].name, "L");
  EXPECT_EQ(made.components()[1].description, "length");
  EXPECT_EQ(made.shape_at(made.components()[1].binding), "2");
  EXPECT_EQ(made.components()[2].binding, -1);
}

TEST(Components, HavePrefixes) {
  const Declared made(
      "constant Integer a = 1; discrete Real b; input Real c; parameter input Real d; output Boolean e;"
      "final parameter Real f = 1; flow Real g; stream Real h;");
  const auto& all = made.components();
  EXPECT_EQ(all[0].variability, Variability::Constant);
  EXPECT_EQ(all[1].variability, Variability::Discrete);
  EXPECT_EQ(all[2].causality, Causality::Input);
  EXPECT_EQ(all[3].variability, Variability::Parameter);
  EXPECT_EQ(all[3].causality, Causality::Input);
  EXPECT_EQ(all[4].causality, Causality::Output);
  EXPECT_TRUE(all[5].is_final);
  EXPECT_FALSE(all[6].is_final);
  EXPECT_EQ(all[7].name, "h");
}

TEST(Components, AreProtectedInProtectedSections) {
  const Declared made("Real a; protected Real b; Real c; public Real d;");
  std::string flags;
  for (const Component& item : made.components()) flags += item.is_protected ? '1' : '0';
  EXPECT_EQ(flags, "0110");
}

// Real[3, 2] x[4, 5] is an array of 4 by 5 elements of type Real[3, 2] (Modelica 3.6, section 10.1).
TEST(Components, DimensionsAreInTheOrderOfTheSubscripts) {
  const Declared made("Real[3, 2] x[4, 5], y; Real z[:, n + 1]; Real[2] w;");
  const auto dims = [&](std::size_t i) {
    std::string out;
    for (const ast::ExprRef size : made.components()[i].dimensions) out += made.shape_at(size) + " ";
    return out;
  };
  EXPECT_EQ(dims(0), "4 5 3 2 ");
  EXPECT_EQ(dims(1), "3 2 ");
  EXPECT_EQ(dims(2), ": <n + 1> ");
  EXPECT_EQ(dims(3), "2 ");
}

TEST(Components, CarryModifiersBindingConditionDescriptionAnnotation) {
  const Declared made(
      "Real x[3](each start = 1, final fixed = true, unit = \"m\") = {1, 2, 3} if use_x \"a\" + \"b\" "
      "annotation(Evaluate = true);");
  const Component& x = made.components().at(0);
  ASSERT_EQ(x.modifiers.size(), 3U);
  EXPECT_TRUE(x.modifiers[0].each);
  EXPECT_EQ(x.modifiers[0].name, "start");
  EXPECT_TRUE(x.modifiers[1].is_final);
  EXPECT_EQ(made.shape_at(x.modifiers[2].value), "\"m\"");
  EXPECT_EQ(made.shape_at(x.binding), "{1,2,3}");
  EXPECT_EQ(made.shape_at(x.condition), "use_x");
  EXPECT_EQ(x.description, "ab");
  ASSERT_EQ(x.annotation.size(), 1U);
  EXPECT_EQ(x.annotation[0].name, "Evaluate");
  EXPECT_EQ(excerpt(made.text, x.span), "x[3](each start = 1, final fixed = true, unit = \"m\") = {1, 2, 3}");
}

TEST(Components, MayBeOfDottedAndQuotedTypes) {
  const Declared made("Modelica.Units.SI.Length a; 'A.B' 'b.c[1]'; .X.Y c; 'A'.'B' d;");
  EXPECT_EQ(made.components()[0].type, "Modelica.Units.SI.Length");
  EXPECT_EQ(made.components()[1].type, "A.B");
  EXPECT_EQ(made.components()[1].name, "b.c[1]");
  EXPECT_EQ(made.components()[2].type, "X.Y");
  EXPECT_EQ(made.components()[3].type, "A.B");
}

TEST(Modifiers, MayBeNestedAndEmpty) {
  const Declared made("R r(a(start = 1, unit = \"m\") = 2, b.c = 3, d, e()) ;");
  const auto& mods = made.components().at(0).modifiers;
  ASSERT_EQ(mods.size(), 4U);
  ASSERT_EQ(mods[0].nested.size(), 2U);
  EXPECT_EQ(mods[0].nested[1].name, "unit");
  EXPECT_EQ(made.shape_at(mods[0].value), "2");
  EXPECT_EQ(mods[1].name, "b.c");
  EXPECT_EQ(mods[2].value, -1);
  EXPECT_TRUE(mods[3].nested.empty());
  EXPECT_EQ(excerpt(made.text, mods[1].span), "b.c = 3");
}

// := in a declaration is in both grammars and means the same there.
TEST(Modifiers, AssignIsTakenLikeEquals) {
  const Declared made("Real x := 3;");
  EXPECT_EQ(made.shape_at(made.components().at(0).binding), "3");
}

TEST(Annotations, MayStandAnywhere) {
  const std::string text =
      "package P annotation(a1 = 1);\n"
      "type T = Real annotation(a2 = 1);\n"
      "type E = enumeration(x \"one\" annotation(a3 = 1), y);\n"
      "model P\n"
      "  Real x annotation(a4(b = 2));\n"
      "  annotation(a5);\n"
      "equation\n"
      "  x = 1 annotation(a6 = 1);\n"
      "  annotation(experiment(StopTime = 10, Tolerance = 1e-8));\n"
      "algorithm\n"
      "  f(x) annotation(a7 = 1);\n"
      "  annotation(a8 = {1, 2}, a9(redefined = true, points = {{0, 0}, {1, 1}}));\n"
      "end P;\n"
      "end P;";
  const ast::Ast tree = tree_of(text);
  const ast::Class& package = tree.classes.at(0);
  EXPECT_EQ(package.annotation.at(0).name, "a1");
  EXPECT_EQ(package.classes.at(0).annotation.at(0).name, "a2");
  const ast::Class& model = package.classes.at(2);
  std::vector<std::string> names;
  for (const ast::Modifier& item : model.annotation) names.push_back(item.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a5", "experiment", "a8", "a9"}));
  const ast::Modifier& experiment = model.annotation[1];
  EXPECT_EQ(experiment.nested.at(1).name, "Tolerance");
  EXPECT_DOUBLE_EQ(at(tree, experiment.nested[1].value).number, 1e-8);
}

}  // namespace
}  // namespace daedalus::testing
