// What the user reads when the text is wrong: the sentence and the place.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> errors;
};

class ParserErrors : public ::testing::TestWithParam<Case> {};

TEST_P(ParserErrors, AreSentencesAtTheRightPlace) {
  EXPECT_EQ(errors_of(GetParam().text), GetParam().errors);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

// An equation section around a text that begins on line 2, and the same with an algorithm and declarations.
std::string equations(const std::string& text) {
  return "model M equation\n" + text + "\nend M;";
}
std::string algorithm(const std::string& text) {
  return "function f algorithm\n" + text + "\nend f;";
}
std::string declarations(const std::string& text) {
  return "model M\n" + text + "\nend M;";
}

INSTANTIATE_TEST_SUITE_P(
    Semicolons, ParserErrors,
    ::testing::Values(
        Case{"Equation", equations("x = 1\ny = 2;"), {"2:6: expected ';' after the equation, found 'y'"}},
        Case{"BeforeEnd",
             equations("x = 1"),
             {"2:6: expected ';' after the equation, found the keyword 'end'"}},
        Case{"BeforeKeyword",
             equations("x = 1\nif a then\nend if;"),
             {"2:6: expected ';' after the equation, found the keyword 'if'"}},
        Case{"SameLine",
             equations("x = 2 y;"),
             {"2:7: expected ';' or an operator after the equation, found 'y'"}},
        Case{"Statement", algorithm("x := 1\ny := 2;"), {"2:7: expected ';' after the statement, found 'y'"}},
        Case{"Declaration",
             declarations("Real x\nReal y;"),
             {"2:7: expected ';' after the declaration, found 'Real'"}},
        Case{"DeclarationBeforeEquation",
             "model M\nReal x\nequation\nx = 1;\nend M;",
             {"2:7: expected ';' after the declaration, found the keyword 'equation'"}},
        Case{"SameLineDeclaration",
             declarations("Real x y;"),
             {"2:8: expected ';' after the declaration, found 'y'"}},
        Case{"Class", "model M end M", {"1:14: expected ';' after the class, found the end of the file"}},
        Case{"EndIf",
             equations("if a then x = 1; end if\ny = 2;"),
             {"2:24: expected ';' after the equation, found 'y'"}},
        Case{"SwallowedBySign",
             equations("x = 1\n-y = 2;"),
             {"3:4: expected ';' after the equation, found a second '=' (is a ';' missing before, or is '==' "
              "meant?)"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    EqualSigns, ParserErrors,
    ::testing::Values(
        Case{"AssignmentInEquations",
             equations("x := 1;"),
             {"2:3: ':=' assigns and belongs in an algorithm section; an equation is written with '='"}},
        Case{"EquationInAlgorithm",
             algorithm("x = 1;"),
             {"2:3: '=' states an equation and belongs in an equation section; an algorithm assigns with "
              "':='"}},
        Case{"ComparisonAsEquation",
             equations("x == 1;"),
             {"2:1: '==' compares; an equation is written with '='"}},
        Case{"ComparisonAsAssignment",
             algorithm("x == 1;"),
             {"2:1: '==' compares; an assignment is written with ':='"}},
        Case{"InIfExpression",
             equations("x = if a = 1 then 2 else 3;"),
             {"2:10: '=' in a condition: a comparison is written '=='"}},
        Case{"InIfEquation",
             equations("if a = 1 then x = 2; end if;"),
             {"2:6: '=' in a condition: a comparison is written '=='"}},
        Case{"InWhen",
             equations("when a = 1 then x = 2; end when;"),
             {"2:8: '=' in a condition: a comparison is written '=='"}},
        Case{"InWhile",
             algorithm("while a = 1 loop x := 2; end while;"),
             {"2:9: '=' in a condition: a comparison is written '=='"}},
        Case{"InParentheses",
             equations("x = (a = 1);"),
             {"2:8: '=' inside parentheses: a comparison is written '=='"}},
        Case{"InArgument",
             equations("assert(a[1] = 1, \"m\");"),
             {"2:13: '=' in an argument: a comparison is written '=='"}},
        Case{"ForWithEquals",
             equations("for i = 1:3 loop x[i] = 0; end for;"),
             {"2:7: expected 'in' after the index of 'for': write for i in 1:n"}},
        Case{"NoRightSide",
             equations("a + b;"),
             {"2:6: expected '=' and the right side of the equation, found ';'"}},
        Case{"AssignToSum",
             algorithm("a + b := 1;"),
             {"2:1: only a variable, or several in parentheses, can be assigned to"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Ends, ParserErrors,
    ::testing::Values(
        Case{"MissingEndIf",
             equations("if a then\nx = 1;"),
             {"4:1: expected 'end if;' to close the 'if', found 'end M'", "  2:1: the 'if' begins here"}},
        Case{"MissingEndForInsideIf",
             equations("if a then\nfor i in 1:2 loop\nx[i] = 1;\nend if;\ny = 1;"),
             {"5:1: expected 'end for;' to close the 'for', found 'end if'", "  3:1: the 'for' begins here"}},
        Case{"WrongWord",
             equations("for i in 1:2 loop\nx[i] = 1;\nend if;\ny = 1;"),
             {"4:1: expected 'end for;' to close the 'for', found 'end if'", "  2:1: the 'for' begins here"}},
        Case{"ElseIfWithOneEnd",
             equations("if a then\nx = 1;\nelse if b then\nx = 2;\nend if;"),
             {"7:1: expected 'end if;' to close the 'if', found 'end M'; an 'else if' needs an 'end if' of "
              "its "
              "own, 'elseif' does not",
              "  2:1: the 'if' begins here"}},
        Case{"WhenElse",
             equations("when a then x = 1; else x = 2; end when;"),
             {"2:20: a 'when' has no 'else'; use 'elsewhen'"}},
        Case{"StrayEndIf",
             equations("end if;\nx = 1;"),
             {"2:1: 'end if' closes nothing: no 'if' is open here"}},
        Case{"StrayElse",
             equations("else x = 1;\ny = 2;"),
             {"2:1: 'else' belongs to nothing: no 'if' or 'when' is open here"}},
        Case{"WrongName",
             "model A\nend B;",
             {"2:5: 'B' closes model 'A'; expected 'end A;'", "  1:7: model 'A' begins here"}},
        Case{"NoName",
             "model A\nend;",
             {"2:4: expected the name of the model after 'end' ('end A;'), found ';'",
              "  1:7: model 'A' begins here"}},
        Case{"MissingEnd",
             "model 'A b'\n",
             {"2:1: expected 'end 'A b';' to close the model, found the end of the file",
              "  1:7: model 'A b' begins here"}},
        Case{"MissingInnerEnd",
             "package P\nmodel A\nReal x;\nend P;",
             {"4:1: expected 'end A;' to close the model, found 'end P'", "  2:7: model 'A' begins here"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Expressions, ParserErrors,
    ::testing::Values(
        Case{"Nothing", equations("x = ;"), {"2:5: expected an expression, found ';'"}},
        Case{"End", equations("x = end;"), {"2:5: expected an expression, found the keyword 'end'"}},
        Case{"Operator", equations("x = a + * b;"), {"2:9: expected an expression, found '*'"}},
        Case{"Parenthesis", equations("x = (a + b;"), {"2:11: expected ')', found ';'"}},
        Case{"Bracket", equations("x = a[1;"), {"2:8: expected ']' to close the subscripts, found ';'"}},
        Case{"Brace", equations("x = {1, 2;"), {"2:10: expected '}' or ',' in the array, found ';'"}},
        Case{"Call", equations("x = f(a b);"), {"2:9: expected ')' or ',' in the arguments, found 'b'"}},
        Case{"Else",
             equations("x = if a then b;"),
             {"2:16: expected 'else' (an 'if' expression needs a value for the other case), found ';'"}},
        Case{"Then",
             equations("x = if a b;"),
             {"2:10: expected 'then' after the condition of 'if', found 'b'"}},
        Case{
            "IfIfWithoutElse",
            equations("x = if a then b if c then d else e;"),
            {"2:17: expected 'else' (an 'if' expression needs a value for the other case), found the keyword "
             "'if'"}},
        Case{"ChainedRelation",
             equations("x = a < b < c;"),
             {"2:11: comparisons cannot be chained: write a < b and b < c instead of a < b < c"}},
        Case{"ChainedPower",
             equations("x = a ^ b ^ c;"),
             {"2:11: a ^ b ^ c is ambiguous: write (a ^ b) ^ c or a ^ (b ^ c)"}},
        Case{"IfOperand",
             equations("x = 1 + if a then b else c;"),
             {"2:9: an 'if' expression inside another one must stand in parentheses"}},
        Case{"NotOperand",
             equations("x = a == not b;"),
             {"2:10: 'not' must stand in parentheses here: write (not ...)"}},
        Case{"MissingTimes",
             equations("x = 2y;"),
             {"2:5: an operator is missing between 2 and 'y': write 2*y"}},
        Case{"LongRange", equations("x = 1:2:3:4;"), {"2:5: a range is start:stop or start:step:stop"}},
        Case{"Overflow",
             equations("x = 1e999;"),
             {"2:5: the number 1e999 is too large: the largest Real is about 1.8e308"}},
        Case{"PositionalAfterNamed",
             equations("x = f(a = 1, b);"),
             {"2:14: an argument without a name cannot follow one with a name"}},
        Case{"FunctionValue",
             equations("x = function f(a = 1);"),
             {"2:5: 'function f(...)' (a function as a value) may stand only as an argument of a call"}},
        Case{"PartialPositional",
             equations("x = g(function f(1));"),
             {"2:7: 'function f(...)' takes only named arguments"}},
        Case{"Der", equations("der x = 1;"), {"2:5: expected '(' after 'der', found 'x'"}},
        Case{"Dot", equations("x = a.;"), {"2:7: expected a name after '.', found ';'"}},
        Case{"Decoration", equations("x = a @ b;"), {"2:9: expected a number after '@', found 'b'"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Declarations, ParserErrors,
    ::testing::Values(
        Case{"EquationAmongDeclarations",
             declarations("x = 1;"),
             {"2:3: expected a declaration such as 'Real x;', found '='; equations stand after the word "
              "'equation'"}},
        Case{"DerAmongDeclarations",
             declarations("der(x) = 1;"),
             {"2:1: expected a declaration such as 'Real x;', found the keyword 'der'; equations stand after "
              "the "
              "word 'equation'"}},
        Case{"DeclarationAmongEquations",
             equations("parameter Real p;"),
             {"2:1: a declaration ('parameter') cannot stand among the equations: move it before the word "
              "'equation'"}},
        Case{"RealAmongEquations",
             equations("Real p;"),
             {"2:6: expected '=' after 'Real', found 'p'; if this is a declaration, move it before the word "
              "'equation'"}},
        Case{"KeywordAsName",
             declarations("Real input;"),
             {"2:6: expected a name for the component after its type, found the keyword 'input'; a keyword "
              "can be "
              "a name only in quotes: 'input'"}},
        Case{"NumberAsName",
             declarations("Real 3;"),
             {"2:6: expected a name for the component after its type, found the number 3"}},
        Case{"PositionalModifier",
             declarations("Real x(1);"),
             {"2:8: expected a name for 'name = value' in the modification, found the number 1"}},
        Case{"OpenModifier",
             declarations("Real x(start = 1;"),
             {"2:17: expected ')' or ',' in the modification, found ';'"}},
        Case{"WhileAmongEquations",
             equations("while a loop x = 1; end while;"),
             {"2:1: 'while' belongs in an algorithm section; among equations use 'for' or 'when'"}},
        Case{"BreakAmongEquations",
             equations("break;"),
             {"2:1: expected an expression, found the keyword 'break'"}},
        Case{"DescriptionPlus",
             declarations("Real x \"a\" + b;"),
             {"2:14: expected a string after '+' in the description, found 'b'"}},
        Case{"AnnotationWithoutParenthesis",
             declarations("Real x annotation a;"),
             {"2:19: expected '(' after 'annotation', found 'a'"}},
        Case{"ExternalWithoutArguments",
             "function f external \"C\" y = g; end f;",
             {"1:30: expected '(' after the name of the external function, found ';'"}},
        Case{"PrefixWithoutClass",
             "impure x end x;",
             {"1:8: expected 'model', 'function', 'record' or the like, found 'x'"}},
        Case{
            "LongNameIsCut",
            equations("x = a " + std::string(100, 'b') + ";"),
            {"2:7: expected ';' or an operator after the equation, found '" + std::string(60, 'b') + "...'"}},
        Case{"OpenEnumeration",
             "type E = enumeration(:);",
             {"1:22: 'enumeration(:)' names no literals; a flat model must list them"}},
        Case{"DerivedFunction",
             "function g = der(f, x);",
             {"1:14: a function defined as a partial derivative ('= der(f, x)') is not supported; write the "
              "derivative as a function of its own"}},
        Case{"Guess",
             declarations("parameter equation x = 1;"),
             {"2:20: expected 'guess(...)' after 'parameter equation', found 'x'"}},
        Case{"Initial",
             declarations("initial x = 1;"),
             {"2:9: expected 'equation' or 'algorithm' after 'initial', found 'x'"}}),
    name_of);

const std::string no_model = "expected a class such as 'model Name ... end Name;', found ";
const std::string empty_file = "the file holds no model; expected 'model Name ... end Name;'";

INSTANTIATE_TEST_SUITE_P(
    Files, ParserErrors,
    ::testing::Values(
        Case{"Empty", "", {"1:1: " + empty_file}}, Case{"White", " \n\t\n", {"3:1: " + empty_file}},
        Case{"Comments", "// a\n/* b */\n", {"3:1: " + empty_file}},
        Case{"HeaderOnly", "//! base 0.1.0\n", {"2:1: " + empty_file}},
        Case{"MarkOnly", "\xEF\xBB\xBF", {"1:4: " + empty_file}},
        Case{"WithinOnly", "within A;", {"1:10: " + empty_file}},
        Case{"NoClass", "Real x;\nequation\nx = 1;\n", {"1:1: " + no_model + "'Real'"}},
        Case{"Capital",
             "Model A end A;",
             {"1:1: " + no_model + "'Model'; keywords are written in small letters"}},
        Case{"ForeignName",
             "model A Real λ, b = λ + 1; end A;",
             {"1:14: unknown character λ (bytes 0xCE 0xBB); outside of strings and quoted names only ASCII "
              "can stand: "
              "write 'λ' in quotes, or another name"}},
        Case{"Tail", "model A end A; end A;", {"1:16: " + no_model + "the keyword 'end'"}},
        Case{"Between",
             "model A end A;\nx = 1;\nmodel B x end B;",
             {"2:1: " + no_model + "'x'",
              "3:11: expected a name for the component after its type, found the keyword 'end'; a "
              "keyword can be a name only in quotes: 'end'"}}),
    name_of);

}  // namespace
}  // namespace daedalus::testing
