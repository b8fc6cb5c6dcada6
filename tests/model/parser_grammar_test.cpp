// Every rule of the grammar of MCP-0031 (Base Modelica), with the parts of Modelica 3.6 that it strikes out,
// and how the parser treats it. "" is accepted; otherwise the beginning of the error.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

struct Rule {
  const char* name;
  const char* sample;
  const char* error = "";
};

const char* const not_flat = "not flat";  // refused by name, with advice

class Grammar : public ::testing::TestWithParam<Rule> {};

TEST_P(Grammar, RuleIsTreatedAsListed) {
  const Rule& rule = GetParam();
  const std::vector<std::string> errors = errors_of(rule.sample);
  if (std::string(rule.error).empty()) {
    EXPECT_TRUE(errors.empty()) << errors[0];
    return;
  }
  ASSERT_FALSE(errors.empty());
  const std::string expected = rule.error == not_flat ? "is not part of flat Modelica" : rule.error;
  EXPECT_NE(errors[0].find(expected), std::string::npos) << errors[0];
}

std::string name_of(const ::testing::TestParamInfo<Rule>& tested) {
  return tested.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Lexical, Grammar,
    ::testing::Values(
        Rule{"WhiteSpace", "model\tM\r\n \n\rend M ;"}, Rule{"LineComment", "model M end M; // x"},
        Rule{"BlockComment", "model M /* ** x */ end M;"}, Rule{"Identifier", "model _M1 Real x_2; end _M1;"},
        Rule{"QuotedIdentifier",
             "model 'a.b[1] -!#$%&()*>+,/:;<=?@[]{}|~ ^' end "
             "'a.b[1] -!#$%&()*>+,/:;<=?@[]{}|~ ^';"},
        Rule{"QuotedIdentifierWithEscapes", R"(model M Real '\'\"\?\\\a\b\f\n\r\t\v"'; end M;)"},
        Rule{"StringWithEscapesAndLines", "model M Real x \"\\\"\\\\ a\nb\"; end M;"},
        Rule{"Numbers", "model M Real x = 1 + 1. + 1.5 + 1e5 + 1.5E-3 + 1.e+2; end M;"},
        Rule{"VersionHeader", "//! base 0.1.0\npackage M model M end M; end M;"},
        Rule{"Decoration", "@1 model M @2 Real x(@3 start = 1 @4) = 2 @5; equation @6 x @7 = 1 @8; end M;"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Classes, Grammar,
    ::testing::Values(
        Rule{"StoredDefinitionWithin", "within A.B; model M end M;"},
        Rule{"SeveralClasses", "model A end A; model B end B;"}, Rule{"FinalAtTop", "final model A end A;"},
        Rule{"Package", "package P constant Real c = 1; model P end P; end P;"},
        Rule{"Encapsulated", "encapsulated package P model P end P; end P;"},
        Rule{"Partial", "partial model M end M;", not_flat}, Rule{"Class", "class M end M;"},
        Rule{"Model", "model M end M;"}, Rule{"Record", "record R Real x; end R;"},
        Rule{"OperatorRecord", "operator record R Real x; end R;"}, Rule{"Block", "block B end B;"},
        Rule{"Connector", "connector C end C;", not_flat},
        Rule{"ExpandableConnector", "expandable connector C end C;", not_flat},
        Rule{"Type", "type T = Real;"}, Rule{"Function", "function f end f;"},
        Rule{"PureFunction", "pure function f end f;"},
        Rule{"PureConstantFunction", "pure constant function f end f;"},
        Rule{"ImpureFunction", "impure function f end f;"},
        Rule{"OperatorFunction", "operator function f end f;"}, Rule{"Operator", "operator '+' end '+';"},
        Rule{"LongClass", "model M \"a\" + \"b\" Real x; end M;"},
        Rule{"ClassExtends", "package P model extends M end M; end P;", not_flat},
        Rule{"ShortClass", "type T = input A.B[3](unit = \"m\") \"c\" annotation(a = 1);"},
        Rule{"Enumeration", "type E = enumeration(a \"one\" annotation(x = 1), b) \"c\";"},
        Rule{"EmptyEnumeration", "type E = enumeration();"},
        Rule{"OpenEnumeration", "type E = enumeration(:);", "'enumeration(:)' names no literals"},
        Rule{"DerivedFunction", "function f = der(g, x, y);", "a function defined as a partial derivative"},
        Rule{"ExternalObject",
             "class X extends ExternalObject; function constructor end constructor; end X;"},
        Rule{"NestedClass", "model M record R end R; R r; end M;"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Elements, Grammar,
    ::testing::Values(
        Rule{"Public", "model M public Real x; end M;"},
        Rule{"Protected", "model M protected Real x; end M;"},
        Rule{"EquationSection", "model M equation x = 1; end M;"},
        Rule{"InitialEquationSection", "model M initial equation x = 1; end M;"},
        Rule{"AlgorithmSection", "model M algorithm x := 1; end M;"},
        Rule{"InitialAlgorithmSection", "model M initial algorithm x := 1; end M;"},
        Rule{"External", "function f external \"C\" y = g(x, size(x, 1)) annotation(a = 1); end f;"},
        Rule{"ExternalBare", "function f external; end f;"},
        Rule{"ExternalLanguageOnly", "function f external \"builtin\"; end f;"},
        Rule{"ClassAnnotation", "model M annotation(a = 1); end M;"},
        Rule{"Import", "model M import A = B.C; end M;", not_flat},
        Rule{"ImportList", "model M import A.{b, c}; end M;", not_flat},
        Rule{"Extends", "model M extends A.B(x = 1); end M;", not_flat},
        Rule{"Redeclare", "model M redeclare Real x; end M;", not_flat},
        Rule{"Final", "model M final parameter Real x = 1; end M;"},
        Rule{"Inner", "model M inner Real x; end M;", not_flat},
        Rule{"Outer", "model M outer Real x; end M;", not_flat},
        Rule{"Replaceable", "model M replaceable Real x; end M;", not_flat},
        Rule{"ConstrainedBy", "model M replaceable Real x constrainedby A; end M;", not_flat},
        Rule{"ParameterEquation", "model M Real x; parameter equation guess(x) = 1 \"c\"; end M;"},
        Rule{"PrioritizeExpression",
             "model M Real x; parameter equation guess(x) = prioritize(1, 2); end M;"},
        Rule{"PrioritizeEquation", "model M Real x; initial equation prioritize(x, 2); end M;"},
        Rule{"Partition", "model M partition \"p\" end M;", "clocked partitions"},
        Rule{"PartitionClock", "model M partition Clock c = Clock(1, 10); end M;", "clocked partitions"},
        Rule{"SubPartition", "model M subpartition(clock = c) equation x = 1; end M;", "clocked partitions"},
        Rule{"Flow", "model M flow Real x; end M;"}, Rule{"Stream", "model M stream Real x; end M;"},
        Rule{"Prefixes",
             "model M discrete Real a; parameter input Real b; constant Real c = 1; output Real d; end M;"},
        Rule{"TypeDimensions", "model M Real[2, :] x, y[3]; end M;"},
        Rule{"GlobalType", "model M .A.B x; end M;"},
        Rule{"ConditionalComponent", "model M Real x = 1 if c \"text\"; end M;"},
        Rule{"Modification", "model M Real x(start = 1, a.b(c = 2) = 3, each final d = 4, e) = 5; end M;"},
        Rule{"EmptyModification", "model M Real x() = 5; end M;"},
        Rule{"AssignModification", "model M Real x := 5; end M;"},
        Rule{"ModifierComment", "model M Real x(start = 1 \"why\"); end M;"},
        Rule{"ElementRedeclaration", "model M A x(redeclare B y); end M;", not_flat},
        Rule{"ElementReplaceable", "model M A x(replaceable model B = C); end M;", not_flat}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Equations, Grammar,
    ::testing::Values(
        Rule{"Equation", "model M equation a + b = c \"text\" annotation(x = 1); end M;"},
        Rule{"CallEquation", "model M equation assert(a, \"b\"); A.f(x); end M;"},
        Rule{"TupleEquation", "model M equation (a, , b) = f(x); end M;"},
        Rule{"IfEquation",
             "model M equation if a then x = 1; elseif b then x = 2; else x = 3; end if \"c\"; end M;"},
        Rule{"ForEquation", "model M equation for i in 1:3 loop x[i] = 1; end for; end M;"},
        Rule{"ForWithIndices", "model M equation for i in 1:3, j loop x[i, j] = 1; end for; end M;"},
        Rule{"WhenEquation", "model M equation when a then x = 1; elsewhen b then x = 2; end when; end M;"},
        Rule{"Connect", "model M equation connect(a, b); end M;", not_flat},
        Rule{"Assignment", "model M algorithm a.b[1] := c \"text\"; end M;"},
        Rule{"CallStatement", "model M algorithm f(x); end M;"},
        Rule{"TupleAssignment", "model M algorithm (a, , b) := f(x); end M;"},
        Rule{"EmptyTupleAssignment", "model M algorithm () := f(x); end M;"},
        Rule{"Break", "model M algorithm while a loop break; end while; end M;"},
        Rule{"Return", "model M algorithm return; end M;"},
        Rule{"IfStatement",
             "model M algorithm if a then x := 1; elseif b then x := 2; else x := 3; end if; end M;"},
        Rule{"ForStatement", "model M algorithm for i in 1:3 loop x := i; end for; end M;"},
        Rule{"WhileStatement", "model M algorithm while a loop x := 1; end while; end M;"},
        Rule{"WhenStatement",
             "model M algorithm when a then x := 1; elsewhen b then x := 2; end when; end M;"}),
    name_of);

#define EXPRESSION(text) "model M equation x = " text "; end M;"

INSTANTIATE_TEST_SUITE_P(
    Expressions, Grammar,
    ::testing::Values(
        Rule{"If", EXPRESSION("if a then b elseif c then d else e")},
        Rule{"Range", EXPRESSION("f(1:n, 1:2:n)")}, Rule{"Logic", EXPRESSION("a or b and not c")},
        Rule{"Relations", EXPRESSION("{a < b, a <= b, a > b, a >= b, a == b, a <> b}")},
        Rule{"Sums", EXPRESSION("-a + b - c .+ d .- e")}, Rule{"Products", EXPRESSION("a * b / c .* d ./ e")},
        Rule{"Powers", EXPRESSION("a ^ b + c .^ d")},
        Rule{"PowerOfPower", EXPRESSION("a ^ b ^ c"), "is ambiguous"},
        Rule{"SignInProduct", EXPRESSION("a * -b")},
        Rule{"SignOfSign", EXPRESSION("- -b"), "two signs in a row"},
        Rule{"NotOfNot", EXPRESSION("not not b"), "'not' must stand in parentheses"},
        Rule{"Literals", EXPRESSION("{1, 1.5, \"s\", true, false}")},
        Rule{"Der", EXPRESSION("der(x) + der(x * y)")}, Rule{"Initial", EXPRESSION("initial()")},
        Rule{"Pure", EXPRESSION("pure(f(x))")}, Rule{"ComponentReference", EXPRESSION(".a.b[1, :].c[end]")},
        Rule{"Parentheses", EXPRESSION("(a + b) * c")},
        Rule{"SubscriptedParentheses", EXPRESSION("(f(a))[1, 2]")},
        Rule{"MemberOfCall", EXPRESSION("(f(a)).b + f(c).d")}, Rule{"Matrix", EXPRESSION("[a, b; c, d]")},
        Rule{"Array", EXPRESSION("{{a, b}, {c, d}}")},
        Rule{"ArrayComprehension", EXPRESSION("{i * j for i in 1:3, j in 1:2}")},
        Rule{"Reduction", EXPRESSION("sum(i for i in 1:3)")}, Rule{"End", EXPRESSION("y[end]")},
        Rule{"EndOutside", EXPRESSION("end"), "expected an expression, found the keyword 'end'"},
        Rule{"NamedArguments", EXPRESSION("f(a, b, c = 1, d = 2)")},
        Rule{"PartialApplication", EXPRESSION("f(function g(a = 1), b = function h())")},
        Rule{"StringConcatenation", EXPRESSION("\"a\" + \"b\"")}),
    name_of);

}  // namespace
}  // namespace daedalus::testing
