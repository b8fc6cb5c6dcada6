#!/usr/bin/env python3
"""Gathers the pages of the site, and builds it where MkDocs is at hand:

    scripts/site/build.py FOLDER [--program build/release/daedalus] [--mkdocs build/site/venv/bin/mkdocs]

Pages are those of docs/, the project's own (README, CONTRIBUTING, CHANGELOG), the reference of Python and C++ from the
sources, and that of the command line from what the program prints. A link to a file of the project that is no page leads
to a page that shows the file.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import cpp_reference  # noqa: E402
import python_reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
# Pages that do not lie in docs/.
OWN_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "readme.md", "LICENSE": "license.md"}
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".mo": "modelica", ".xml": "xml", ".sh": "sh"}
COMMANDS = ["run", "check", "compare", "linearise", "steady", "export", "convert", "diff", "list", "reproduce", "view", "completion"]


class Site:
    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.files: dict[str, pathlib.Path] = {}  # pictures

    def gather(self, program: str | None) -> None:
        for path in sorted((ROOT / "docs").rglob("*")):
            name = path.relative_to(ROOT / "docs").as_posix()
            if path.suffix == ".md":
                self.add(name, path)
            elif path.is_file() and path.suffix != ".yml":
                self.files[name] = path
        for name, page in OWN_PAGES.items():
            if name == "LICENSE":
                self.pages[page] = "# Licence\n\n```text\n" + (ROOT / name).read_text(encoding="utf-8") + "```\n"
            else:
                self.add(page, ROOT / name)
        self.pages |= python_reference.pages(ROOT / "python" / "daedalus")
        self.pages |= cpp_reference.pages(ROOT / "src")
        self.pages["reference/cli.md"] = command_line(program)

    def add(self, page: str, path: pathlib.Path) -> None:
        self.pages[page] = LINK.sub(lambda m: m[1] + self.target(page, path, m[2]) + m[3], path.read_text(encoding="utf-8"))

    def target(self, page: str, path: pathlib.Path, link: str) -> str:
        """Where a link of the file leads on the site."""
        if "://" in link or link.startswith("mailto:"):
            return link
        named = pathlib.Path(os.path.normpath(path.parent / link))
        if not named.exists():
            return link  # MkDocs and the tests say so
        inside = named.relative_to(ROOT).as_posix()
        if inside.startswith("docs/"):
            found = inside.removeprefix("docs/")
            found = f"{found}/README.md" if named.is_dir() else found
        elif inside.startswith("src/") and inside.removeprefix("src/") in cpp_reference.headers(ROOT / "src"):
            found = f"reference/cpp/{inside.split('/')[1]}.md"
        elif inside in OWN_PAGES:
            found = OWN_PAGES[inside]
        else:
            found = self.shown(inside, named)
        return os.path.relpath(found, os.path.dirname(page) or ".").replace(os.sep, "/")

    def shown(self, name: str, path: pathlib.Path) -> str:
        """The page that shows a file of the project, or the files of a folder."""
        page = f"files/{name}.md"
        if path.is_dir():
            self.pages[page] = f"# {name}\n\n"  # what it links to may lead here
            rows = [f"- [{each.name}]({os.path.relpath(self.shown(f'{name}/{each.name}', each), os.path.dirname(page))})"
                    for each in sorted(path.iterdir()) if each.suffix in LANGUAGES]
            self.pages[page] += "\n".join(rows) + "\n"
        elif page not in self.pages:
            text = path.read_text(encoding="utf-8")
            self.pages[page] = f"# {name}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n````\n"
        return page

    def write(self, folder: pathlib.Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in self.pages.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, path in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)

    def configuration(self) -> str:
        """docs/mkdocs.yml with the pages that are made of the sources."""
        text = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
        for kind in ("python", "cpp"):
            prefix = f"reference/{kind}/"
            rows = [f"          - {page}\n" for page in self.pages if page.startswith(prefix)]
            text = text.replace(f"          - the pages of {kind}\n", "".join(rows))
        return text


def command_line(program: str | None) -> str:
    parts = ["# The command line\n"]
    if program is None:
        return parts[0] + "\n`daedalus --help` lists the commands, `daedalus COMMAND --help` describes one.\n"
    for words in [[], *([command] for command in COMMANDS)]:
        done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            parts.append(f"## daedalus {' '.join(words)}".rstrip() + f"\n\n```text\n{done.stdout.rstrip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the documentation's site.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program")
    parser.add_argument("--mkdocs")
    arguments = parser.parse_args()
    site = Site()
    site.gather(arguments.program)
    site.write(arguments.folder / "docs")
    configuration = arguments.folder / "mkdocs.yml"
    configuration.write_text(site.configuration(), encoding="utf-8")
    if arguments.mkdocs is None:
        return 0
    command = [arguments.mkdocs, "build", "--strict", "--quiet", "--config-file", str(configuration)]
    return subprocess.run(command, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
