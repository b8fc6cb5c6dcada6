"""Each type of the library has one definition. All folders share one namespace, so two types of one name in two
headers would be one to the linker: unoptimised builds then run the code of the other one."""

import collections
import re
import unittest

from project_files import ROOT, cpp_files

TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# A scope that opens: a namespace, a type, or anything else in braces.
TOKEN = re.compile(r"\bnamespace\s*([\w:]*)\s*\{|\b(?:enum\s+class|enum|struct|class|union)\s+(?:\[\[\w+\]\]\s*)?"
                   r"([A-Za-z_]\w*\b)(?!\s*::)[^;{}()=]*\{|[{}]")


def types_of(text):
    """The types that a file defines outside of other types and of unnamed namespaces, with their namespace."""
    text = TEMPLATE.sub("", STRING.sub('""', COMMENT.sub("", text)))
    scopes, found = [], []
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token == "}":
            if scopes:
                scopes.pop()
        elif token.startswith("namespace"):
            scopes.append(match.group(1) or "unnamed namespace")
        elif token == "{":
            scopes.append(None)
        else:
            if "unnamed namespace" not in scopes and None not in scopes:
                found.append("::".join([*scopes, match.group(2)]))
            scopes.append(None)
    return found


class OneDefinition(unittest.TestCase):
    def test_every_type_is_defined_once(self):
        places = collections.defaultdict(set)
        for path in cpp_files("src"):
            for name in types_of(path.read_text()):
                places[name].add(str(path.relative_to(ROOT)))
        self.assertGreater(len(places), 300)
        twice = {name: sorted(files) for name, files in places.items() if len(files) > 1}
        self.assertEqual(twice, {})

    def test_a_second_definition_would_be_found(self):
        text = """
        namespace daedalus {
        struct Entry { int row; };  // struct Other {
        class Forward;
        namespace { struct Own { int x; }; }
        struct Outer { struct Inner {}; enum class Kind { A }; };
        void f(struct Entry e) { struct Local {}; }
        enum class Colour { Red };
        struct Outer::Declared { int x; };
        }"""
        self.assertEqual(types_of(text), ["daedalus::Entry", "daedalus::Outer", "daedalus::Colour"])


if __name__ == "__main__":
    unittest.main()
