"""No include cycles between modules: x.hpp with x.cpp is one. A cycle is a tangle that can only be read, tested and
changed as a whole. Where the grammar of the language itself goes round in circles the known cycles are listed below with
their reason; they may shrink, and no module may join them."""

import re
import unittest

from project_files import ROOT, cpp_files

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

# Module sets that may depend on each other, and why.
KNOWN = {
    "Expressions of the language hold arrays and calls of functions, whose bodies are statements that hold expressions.": {
        "model/flatten/arrays", "model/flatten/calls", "model/flatten/evaluate", "model/flatten/functions",
        "model/flatten/operators", "model/flatten/statements"},
    "A value may be an instance of a class, and a class has members that are values.": {
        "model/flatten/classes", "model/flatten/value"},
    "A structure that misleads is repaired, and what was repaired is analysed anew.": {
        "reform/level_system", "reform/repair"},
}


def module_of(path):
    return path.rsplit(".", 1)[0]


def include_graph(files):
    """{module: modules it includes} of {path: text}, paths as includes have them."""
    modules = {module_of(path) for path in files}
    graph = {module: set() for module in modules}
    for path, text in files.items():
        for included in INCLUDE.findall(text):
            target = module_of(included)
            if target in modules and target != module_of(path):
                graph[module_of(path)].add(target)
    return graph


def cycles(graph):
    """The strongly connected components of more than one module (Tarjan, without recursion)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = set()
                    while node not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    if len(component) > 1:
                        found.append(component)
    return found


class ModuleCycles(unittest.TestCase):
    def test_no_modules_include_each_other_in_circles(self):
        files = {str(path.relative_to(ROOT / "src")): path.read_text() for path in cpp_files("src")}
        for cycle in cycles(include_graph(files)):
            known = any(cycle <= allowed for allowed in KNOWN.values())
            self.assertTrue(known, f"include cycle: {', '.join(sorted(cycle))}")

    def test_what_is_known_is_there(self):
        files = {str(path.relative_to(ROOT / "src")): path.read_text() for path in cpp_files("src")}
        found = cycles(include_graph(files))
        for reason, allowed in KNOWN.items():
            together = [cycle for cycle in found if cycle <= allowed]
            self.assertTrue(together, f"mended, so take it off the list: {reason}")
            left = allowed - set().union(*together)
            self.assertEqual(left, set(), "mended, so take them off the list")

    def test_a_cycle_would_be_found(self):
        files = {"a/x.hpp": "", "a/x.cpp": '#include "b/y.hpp"\n', "b/y.hpp": '  # include "b/z.hpp"\n', "b/z.hpp": "",
                 "b/z.cpp": '#include "a/x.hpp"\n', "b/w.hpp": '#include "a/x.hpp"\n'}
        self.assertEqual(cycles(include_graph(files)), [{"a/x", "b/y", "b/z"}])
        del files["b/z.cpp"]
        self.assertEqual(cycles(include_graph(files)), [])


if __name__ == "__main__":
    unittest.main()
