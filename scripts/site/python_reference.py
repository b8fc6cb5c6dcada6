"""Pages of the Python package, from its sources: signatures and docstrings, without importing anything."""

import ast
import pathlib

# A page for what belongs together; tests/project/site_test.py checks that no public name is left out.
PAGES = {
    "models": ("Models", ["load", "parse", "System", "TextModel", "Model", "When", "Lagrangian", "Expr", "Equation", "der", "pre", "no_event",
                          "where", "array", "interp"]),
    "mechanisms": ("Mechanisms", ["Mechanism", "Body", "Joint", "Quantities", "joint_kinds"]),
    "runs": ("Runs and results", ["Result", "Report", "Page", "formulations", "integrators"]),
    "engines": ("Engines and simulations", ["Engine", "Simulation", "Linearisation", "Mode", "SteadyState"]),
    "solve_dae": ("solve_dae", ["solve_dae", "DaeResult", "DaeSolution", "TraceWarning", "StartWarning"]),
    "studies": ("Comparisons and sweeps", ["compare", "Comparison", "sweep", "Sweep", "latin_hypercube"]),
    "ensembles": ("Ensembles", ["EnsembleResult", "EnsembleReduction"]),
    "fits": ("Fits to measurements", ["fit", "Fit"]),
    "errors": ("Errors", ["Error", "ModelError", "MissingFileError", "SimulationError", "UnknownNameError", "Diagnostic"]),
}
# Of these the text stands here: they are made by the library's table, or in C++.
IN_WORDS = {
    "der": ("der(x)", "The derivative of an expression with respect to time; of an array, of each element."),
    "where": ("where(condition, a, b)", "`a` while the condition holds, else `b`. A relation in it makes events."),
    "Expr": ("class Expr", "An expression of a model, made by operators, functions and NumPy from what `Model.variable()` and its like return."),
    "Equation": ("class Equation", "`left == right` of expressions, to be given to `Model.equation()`."),
}


def definitions(package: pathlib.Path) -> dict[str, ast.stmt]:
    """Every class and function at the top of a module of the package."""
    found: dict[str, ast.stmt] = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found.setdefault(node.name, node)
    return found


def public_names(package: pathlib.Path) -> list[str]:
    """__all__, without the functions that the library's table gives."""
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [element.value for element in node.value.elts if isinstance(element, ast.Constant)]
    raise ValueError("the package has no __all__")


def signature(node: ast.FunctionDef, name: str, *, method: bool) -> str:
    arguments = node.args
    if method and not any(getattr(d, "id", "") == "staticmethod" for d in node.decorator_list):
        first = (arguments.posonlyargs or arguments.args)[:1]
        arguments = ast.arguments(
            posonlyargs=[a for a in arguments.posonlyargs if a not in first], args=[a for a in arguments.args if a not in first],
            vararg=arguments.vararg, kwonlyargs=arguments.kwonlyargs, kw_defaults=arguments.kw_defaults, kwarg=arguments.kwarg,
            defaults=arguments.defaults)
    text = f"{name}({ast.unparse(arguments)})"
    returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None and node.name != "__init__" else ""
    if len(text) + len(returned) > 100:
        parts, depth, part = [], 0, ""
        for sign in text[len(name) + 1:-1]:
            depth += (sign in "([{") - (sign in ")]}")
            if sign == "," and depth == 0:
                parts.append(part.strip())
                part = ""
            else:
                part += sign
        text = f"{name}(\n" + "".join(f"    {p},\n" for p in [*parts, part.strip()]) + ")"
    return text + returned


def words(node: ast.ClassDef | ast.FunctionDef) -> str:
    """The docstring; what is indented further than its text is an example."""
    raw = ast.get_docstring(node, clean=False) or ""
    indent = " " * node.body[0].col_offset if raw else ""
    first, *rest = raw.split("\n")
    return "\n".join([first.strip(), *(line.removeprefix(indent).rstrip() for line in rest)]).strip()


def block(code: str) -> str:
    return f"```{{.python .no-copy}}\n{code}\n```\n"


def of_function(node: ast.FunctionDef) -> str:
    return f"## {node.name}\n\n{block(signature(node, node.name, method=False))}\n{words(node)}\n"


def of_class(node: ast.ClassDef, known: dict[str, ast.stmt]) -> str:
    """The class, how it is made, its properties as a table, and its methods."""
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) in known]
    parts = [f"## {node.name}\n"]
    methods = [m for m in node.body if isinstance(m, ast.FunctionDef)]
    made = next((m for m in methods if m.name == "__init__"), None)
    if made is not None and all(a.arg not in ("core", "run", "found", "recipe", "owner", "engine", "origin", "source", "mechanism", "points") for a in made.args.args):
        parts.append(block(signature(made, node.name, method=True)))
    if bases:
        parts.append("A " + " and a ".join(f"`{base}`" for base in bases) + ".\n")
    parts.append(words(node) + "\n")
    fields = [(f.target.id, ast.unparse(f.annotation), "") for f in node.body
              if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name) and not f.target.id.startswith("_")]
    properties = [(m.name, ast.unparse(m.returns) if m.returns else "", words(m).split("\n\n")[0].replace("\n", " ")) for m in methods
                  if any(getattr(d, "id", getattr(d, "attr", "")) in ("property", "cached_property") for d in m.decorator_list)
                  and not m.name.startswith("_")]
    if fields or properties:
        rows = [f"| `{name}` | `{kind.replace('|', chr(92) + '|')}` | {text} |" for name, kind, text in [*fields, *properties]]
        parts.append("\n".join(["| attribute | type | |", "|---|---|---|", *rows]) + "\n")
    named = {name for name, _, _ in properties}
    for method in methods:
        if method.name.startswith("_") or method.name in named:
            continue
        parts.append(f"### {node.name}.{method.name}\n\n{block(signature(method, method.name, method=True))}\n{words(method)}\n")
    return "\n".join(parts)


def pages(package: pathlib.Path) -> dict[str, str]:
    """File names and their text."""
    known = definitions(package)
    out = {}
    for page, (title, names) in PAGES.items():
        parts = [f"# {title}\n\n```python\nimport daedalus as dd\n```\n"]
        for name in names:
            if name in IN_WORDS:
                code, text = IN_WORDS[name]
                parts.append(f"## {name}\n\n{block(code)}\n{text}\n")
            elif isinstance(known[name], ast.ClassDef):
                parts.append(of_class(known[name], known))
            else:
                parts.append(of_function(known[name]))
        if page == "models":
            parts.append("## Functions\n\n`abs`, `sign`, `sqrt`, `exp`, `log`, `log10`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sinh`, "
                         "`cosh`, `tanh`, `floor`, `ceil`, `min` and `max` of numbers, expressions, or arrays of them. NumPy's own work as well.\n")
        out[f"reference/python/{page}.md"] = "\n".join(parts)
    return out
