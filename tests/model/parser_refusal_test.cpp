// Constructs that a flat model does not have: each is refused by name, with advice the first time.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

const std::string advice =
    "; flatten the model with a Modelica tool first (OpenModelica: omc --baseModelica MODEL.mo; or Rumoca, "
    "pip install rumoca: python3 -c \"import rumoca; print(rumoca.Session().load('FILE.mo', "
    "model='NAME').render('base-modelica'))\") and give the flat file";

struct Case {
  const char* name;
  std::string text;
  std::string place;
  std::string construct;
};

class Refusals : public ::testing::TestWithParam<Case> {};

TEST_P(Refusals, NameTheConstructAndWhatToDo) {
  const std::vector<std::string> errors = errors_of(GetParam().text);
  ASSERT_EQ(errors.size(), 1U) << (errors.empty() ? "" : errors.back());
  EXPECT_EQ(errors[0], GetParam().place + GetParam().construct + " is not part of flat Modelica" + advice);
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    ::testing::Values(Case{"Import", "model M\n  import A.B;\n  Real x;\nend M;", "2:3: ", "'import'"},
                      Case{"ImportAtTop", "import A.*;\nmodel M end M;", "1:1: ", "'import'"},
                      Case{"Extends", "model M\n  extends A(x = 1) \"c\";\n  Real x;\nend M;",
                           "2:3: ", "'extends' (inheritance)"},
                      Case{"ModelExtends", "package P model extends M Real x; end M; end P;",
                           "1:17: ", "'extends' (inheritance)"},
                      Case{"Connect", "model M\nequation\n  connect(a.p[end], b.n);\n  x = 1;\nend M;",
                           "3:3: ", "'connect' (a connection)"},
                      Case{"ConnectInFor",
                           "model M equation for i in 1:2 loop connect(a[i], b[i + 1]); end for; end M;",
                           "1:36: ", "'connect' (a connection)"},
                      Case{"ConnectAmongDeclarations", "model M connect(a, b); Real x; end M;",
                           "1:9: ", "'connect' (a connection)"},
                      Case{"Connector", "connector Pin Real v; flow Real i; end Pin; model M Real x; end M;",
                           "1:1: ", "'connector'"},
                      Case{"Inner", "model M inner Real g = 9.81; end M;", "1:9: ", "'inner'"},
                      Case{"Outer", "model M outer Real g; end M;", "1:9: ", "'outer'"},
                      Case{"Redeclare", "model M A a(redeclare model B = C(x = 1), y = 2); Real x; end M;",
                           "1:13: ", "'redeclare'"},
                      Case{"RedeclareElement", "model M redeclare Real x; end M;", "1:9: ", "'redeclare'"},
                      Case{"Replaceable", "model M replaceable Real x; end M;", "1:9: ", "'replaceable'"},
                      Case{"ReplaceableModel", "package P replaceable model A Real x; end A; end P;",
                           "1:11: ", "'replaceable'"},
                      Case{"Partial", "partial model M Real x; end M;", "1:1: ", "'partial'"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(RefusedParts, OneSentenceForTheWholeFile) {
  const std::vector<std::string> errors = errors_of(
      "model M\n  import A;\n  extends C;\n  inner outer Real g;\n  replaceable model E = F constrainedby "
      "G;\nequation\n  connect(a, b);\n  connect(c, d);\n  x = ;\nend M;");
  const std::vector<std::string> expected = {"2:3: 'import' is not part of flat Modelica" + advice,
                                             "9:7: expected an expression, found ';'"};
  EXPECT_EQ(errors, expected);
}

TEST(RefusedParts, ClockedPartitionsAreNotSupported) {
  const std::vector<std::string> errors =
      errors_of("model M\n  Real x;\n  partition \"p\"\n  Clock c;\nend M;");
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0], "3:3: clocked partitions ('partition', 'subpartition') are not supported");
}

}  // namespace
}  // namespace daedalus::testing
