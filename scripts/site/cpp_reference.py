"""Pages of the C++ library, from the headers that <daedalus/daedalus.hpp> includes: comments and declarations."""

import pathlib
import re

# Beyond those of the umbrella header.
FURTHER = ["advise/plan.hpp", "simulate/engine.hpp", "simulate/simulation.hpp", "record/run_options.hpp", "model/load_options.hpp",
           "mechanics/mechanism.hpp", "integrate/rows.hpp", "record/observer.hpp"]


def headers(source: pathlib.Path) -> list[str]:
    named = re.findall(r'#include "([^"]+)"', (source / "daedalus.hpp").read_text(encoding="utf-8"))
    return sorted({*named, *FURTHER})


def body_of_namespace(text: str) -> str:
    begin = text.find("namespace daedalus {")
    end = text.rfind("}  // namespace daedalus")
    return text[begin + len("namespace daedalus {"):end] if begin >= 0 else ""


def declarations(text: str) -> list[tuple[str, str]]:
    """Comment and code of each declaration: comments that stand before a blank line belong to no one and are left out."""
    out: list[tuple[str, str]] = []
    comment: list[str] = []
    code: list[str] = []
    depth = 0
    for line in text.split("\n"):
        if depth == 0 and not code:
            if line.startswith("//"):
                comment.append(line.removeprefix("//").removeprefix(" "))
                continue
            if not line.strip():
                comment = []
                continue
        code.append(line)
        bare = re.sub(r'"(?:\\.|[^"\\])*"|//.*', "", line)
        depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
        if depth == 0 and (bare.rstrip().endswith(";") or bare.rstrip().endswith("}")):
            out.append(("\n".join(comment), "\n".join(code)))
            comment, code = [], []
    return out


def public_part(code: str) -> str:
    """Without what is private."""
    kept, hidden = [], False
    for line in code.split("\n"):
        if re.match(r"^ (private|protected):", line):
            hidden = True
        elif re.match(r"^ public:", line):
            hidden = False
        if not hidden or line.startswith("}"):
            kept.append(line)
    return "\n".join(kept)


def without_body(code: str) -> str:
    """A function that is defined in the header, as its declaration."""
    first = code.split("\n")[0]
    if re.match(r"^(struct|class|enum|using|template <class \w+>\nstruct)", first) or "{" not in code:
        return code
    return code[:code.index("{")].rstrip() + ";" if "(" in code.split("{")[0] else code


def name_of(code: str) -> str:
    found = re.search(r"\b(?:struct|class|enum class|enum)\s+(\w+)", code)
    if found and not code.lstrip().startswith("["):
        return found[1]
    found = re.search(r"\busing\s+(\w+)", code) or re.search(r"(operator[^\s(]+|\w+)\s*\(", re.sub(r"\[\[\w+\]\]", "", code))
    return found[1] if found else ""


def pages(source: pathlib.Path) -> dict[str, str]:
    """One page a folder; a section a header."""
    by_folder: dict[str, list[str]] = {}
    for header in headers(source):
        by_folder.setdefault(header.split("/")[0], []).append(header)
    out = {}
    for folder, files in by_folder.items():
        parts = [f"# {folder}\n"]
        for header in files:
            text = (source / header).read_text(encoding="utf-8")
            opening = re.match(r"((?://.*\n)+)", text)
            parts.append(f"## {header}\n\n```{{.cpp .no-copy}}\n#include <daedalus/{header}>\n```\n")
            if opening:
                parts.append(in_words(re.sub(r"^// ?", "", opening[1], flags=re.MULTILINE)))
            for comment, code in declarations(body_of_namespace(text)):
                name = name_of(code)
                if not name or code.startswith("inline") or re.match(r"^(struct|class) \w+;$", code):
                    continue
                title = f"### {name}\n\n" if re.match(r"^(struct|class|enum|using)", code) else ""
                shown = without_body(public_part(code))
                parts.append(f"{title}{in_words(comment)}\n```{{.cpp .no-copy}}\n{shown}\n```\n")
        out[f"reference/cpp/{folder}.md"] = "\n".join(parts)
    return out


def in_words(comment: str) -> str:
    """Comments as text: what is indented in them is code."""
    lines = []
    for line in comment.strip("\n").split("\n"):
        if line.startswith("  ") and lines and lines[-1] and not lines[-1].startswith("    "):
            lines.append("")
        lines.append("  " + line if line.startswith("  ") else line.replace("<", "&lt;").replace("*", "\\*"))
    return "\n".join(lines) + "\n"
