"""`daedalus compare`: formulations side by side."""

import html.parser
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import DECAY, PENDULUM, PROGRAM, ROOT, CliTest

# x = 1/(1 - t): every method ends at t = 1.
EXPLOSION = """model Explosion
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
  annotation(experiment(StopTime = 2));
end Explosion;
"""


class Links(html.parser.HTMLParser):
    """Everything that a page would fetch or lead to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href", "action", "xlink:href")]


class Compare(CliTest):
    def json(self, *arguments):
        out, _ = self.succeed("compare", *arguments, "--json", "-")
        return json.loads(out)

    def test_table_on_standard_output(self):
        out, err = self.succeed("compare", PENDULUM, "--formulations", "ggl,index1,odae", "--until", "1")
        self.assertEqual(err, "")
        lines = out.splitlines()
        head = next(k for k, line in enumerate(lines) if line.startswith("formulation "))
        self.assertEqual([line.split()[0] for line in lines[head + 1:head + 4]], ["ggl", "index1", "odae"])
        self.assertIn("against dummy-derivatives, radau, rtol 1e-11", out)

    def test_closed_loops_with_redundant_joints(self):
        """Redundant joints are left out whatever the formulation is called."""
        for name in ("fourbar", "bricard", "jansen", "slider_crank"):
            rows = self.json(ROOT / f"problems/mechanisms/{name}.xml", "--points", "51")["rows"]
            bad = {row["formulation"]: row["reason"] for row in rows if row["status"] != "ok"}
            self.assertFalse(bad, name)

    def test_change_point_is_the_reason(self):
        """The parallelogram passes a change point at t = 0.732: what stops there says that it is singular."""
        rows = self.json(ROOT / "problems/mechanisms/parallelogram.xml", "--points", "51")["rows"]
        stopped = [row for row in rows if row["status"] != "ok"]
        self.assertLessEqual(len(stopped), 5)
        for row in stopped:
            self.assertGreater(row["t_end"], 0.71, row)
            self.assertIn("singular", row["reason"], row)

    def test_all_rows_by_default(self):
        result = self.json(PENDULUM, "--until", "1", "--rtol", "1e-5")
        named = {row["formulation"].split(":")[0] for row in result["rows"]}
        table = {row["name"] for row in json.loads(self.succeed("list", "formulations", "--json")[0])}
        self.assertEqual(named, table)
        variants = [row["formulation"] for row in result["rows"]]
        for variant in ("pa", "pb", "pc"):
            self.assertIn(f"projected-invariants:variant={variant}", variants)

    def test_lists_and_repeated_options(self):
        result = self.json(PENDULUM, "--until", "1", "--formulations", "ggl:D=B,baumgarte:alpha=5,beta=5",
                           "--formulations", "index1", "--integrators", "bdf,radau:norm=max", "--rtol", "1e-4,1e-6")
        rows = [(row["formulation"], row["integrator"], row["rtol"]) for row in result["rows"]]
        self.assertEqual(rows, [(f, i, r) for f in ("ggl:D=B", "baumgarte:alpha=5,beta=5", "index1")
                                for i in ("bdf", "radau:norm=max") for r in (1e-4, 1e-6)])
        self.assertEqual({row["status"] for row in result["rows"]}, {"ok"})

    def test_settings_reach_the_rows(self):
        model = self.write("decay.mo", DECAY)
        table = "time,x\n2," + repr(math.exp(-6)) + "\n"
        result = self.json(model, "--formulations", "index1", "--set", "k=3", "--rtol", "1e-8",
                           "--reference", self.write("end.csv", table))
        self.assertEqual(result["reference"]["source"], "file")
        self.assertLess(result["rows"][0]["error"], 1e-4)  # in parts of exp(-6) = 2.5e-3, atol being 1e-9

    def test_its_own_results_are_a_reference(self):
        self.succeed("run", PENDULUM, "--until", "1", "--points", "21", "--rtol", "1e-10", "--out", "r.csv")
        result = self.json(PENDULUM, "--until", "1", "--reference", "r.csv", "--formulations", "ggl", "--rtol", "1e-6")
        self.assertEqual(result["points"], 21)
        self.assertEqual(result["reference"]["points"], 21)
        self.assertLess(result["rows"][0]["error"], 1e-4)
        self.assertGreater(result["rows"][0]["error"], 0)

    def test_page(self):
        out, _ = self.succeed("compare", PENDULUM, "--until", "1", "--rtol", "1e-4,1e-6", "--report", "p.html", "--quiet")
        self.assertEqual(out, "")
        page = (self.folder / "p.html").read_text()
        root = xml.etree.ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
        self.assertNotIn("http:", page)
        self.assertNotIn("https:", page)
        links = Links()
        links.feed(page)
        self.assertEqual([link for link in links.found if not link.startswith("#")], [])
        identifiers = [element.get("id") for element in root.iter() if element.get("id")]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for link in links.found:
            self.assertIn(link[1:], identifiers)
        for figure in root.iter("figure"):
            picture = figure.find("svg")
            self.assertEqual(picture.get("role"), "img")
            for name in picture.get("aria-labelledby").split():
                self.assertIn(name, identifiers)
        rows = root.findall(".//tbody/tr")
        columns = root.findall(".//thead/tr/th")
        self.assertGreater(len(rows), 30)
        for row in rows:
            self.assertEqual(len(row), len(columns))
            self.assertEqual((row[0].tag, row[0].get("scope")), ("th", "row"))

    def test_quiet_says_nothing(self):
        self.assertEqual(self.succeed("compare", PENDULUM, "--until", "1", "--formulations", "ggl", "--quiet"), ("", ""))

    def test_standard_input(self):
        out, _ = self.succeed("compare", "-", "--formulations", "index1", stdin=DECAY.encode())
        self.assertIn("index1", out)

    def test_threads_change_nothing_but_the_time(self):
        results = []
        for threads in ("1", "2"):
            result = self.json(PENDULUM, "--until", "1", "--rtol", "1e-5", "--threads", threads)
            for row in result["rows"]:
                del row["seconds"]
            results.append(result)
        self.assertEqual(results[0], results[1])


class Documentation(CliTest):
    def test_commands_of_the_page_run(self):
        blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/compare.md").read_text(), re.MULTILINE | re.DOTALL)
        commands = [line for block in blocks for line in block.splitlines()]
        self.assertGreaterEqual(len(commands), 3)
        for name in ("examples", "problems"):
            shutil.copytree(ROOT / name, self.folder / name)
        for line in commands:
            program, *arguments = shlex.split(line)
            self.assertEqual(program, "daedalus")
            self.succeed(*arguments)
        self.assertTrue((self.folder / "pendulum.html").exists())

    def test_json_has_the_fields_that_the_page_names(self):
        text = (ROOT / "docs/compare.md").read_text()
        named = set(re.findall(r'"(\w+)"', text[text.index("## JSON"):text.index("## From C++")]))
        out, _ = self.succeed("compare", PENDULUM, "--until", "1", "--formulations", "ggl", "--json", "-")

        def keys(value):
            if isinstance(value, dict):
                return set(value).union(*map(keys, value.values()))
            return set().union(*map(keys, value)) if isinstance(value, list) else set()
        self.assertEqual(keys(json.loads(out)), named - {"run", "file", "none"})


class ExitCodes(CliTest):
    def test_one_row_is_enough(self):
        model = self.write("decay.mo", DECAY)
        out, _ = self.succeed("compare", model, "--formulations", "ggl,index1")
        self.assertIn("ggl, auto: refused: formulation ggl does not apply", out)

    def test_all_failed(self):
        code, out, _ = self.daedalus("compare", self.write("e.mo", EXPLOSION), "--formulations", "index1,dummy-derivatives")
        self.assertEqual(code, 1)
        self.assertIn("failed at 1", out)
        self.assertIn("no reference", out)

    def test_none_applies(self):
        code, out, _ = self.daedalus("compare", self.write("decay.mo", DECAY), "--formulations", "ggl,odae")
        self.assertEqual(code, 2)
        self.assertIn("refused", out)

    def test_wrong_input(self):
        model = self.write("decay.mo", DECAY)
        self.refuse("compare", words=["MODEL"])
        self.refuse("compare", "none.mo", words=["none.mo"])
        self.refuse("compare", self.write("bad.mo", "model Bad x = 1; end Bad;"), words=["bad.mo:1"])
        self.refuse("compare", model, "--formulations", "gggl", words=["did you mean 'ggl'?"])
        self.refuse("compare", model, "--formulations", "ggl:E=1", words=["unknown option of formulation ggl 'E'"])
        self.refuse("compare", model, "--formulations", "ggl,", words=["names nothing"])
        self.refuse("compare", model, "--integrators", "ggl", words=["unknown integrator 'ggl'"])
        self.refuse("compare", model, "--rtol", "1e-4,x", words=["--rtol", "'x'"])
        self.refuse("compare", model, "--rtol", "1e-4,0", words=["greater than 0"])
        self.refuse("compare", model, "--rtol", ",", words=["--rtol"])
        self.refuse("compare", model, "--until", "-1", words=["end time"])
        self.refuse("compare", model, "--points", "1", words=["--points"])
        self.refuse("compare", model, "--threads", "0", words=["--threads"])
        self.refuse("compare", model, "--limit", "-1", words=["--limit"])
        self.refuse("compare", model, "--set", "k", words=["NAME=VALUE"])
        self.refuse("compare", model, "--set", "z=1", words=["z"])
        self.refuse("compare", model, "--energy", "y", words=["unknown variable for --energy 'y'"])
        self.refuse("compare", model, "--report", "p.txt", words=["must end with .html"])
        self.refuse("compare", model, "--report", "none/p.html", words=["there is no folder 'none'"])
        self.refuse("compare", model, "--json", model, words=["same file"])
        self.refuse("compare", model, "--fromulations", "ggl", words=["did you mean '--formulations'?"])

    def test_wrong_reference(self):
        model = self.write("decay.mo", DECAY)
        self.refuse("compare", model, "--reference", "none.csv", words=["none.csv"])
        self.refuse("compare", model, "--reference", self.write("a.csv", "time,x\n0,y\n"), words=["a.csv", "line 2"])
        self.refuse("compare", model, "--reference", self.write("b.csv", "time,y\n0,1\n"), words=["no signal in common"])
        self.refuse("compare", "-", "--reference", "-", words=["standard input"])

    def test_files_that_cannot_be_written(self):
        model = self.write("decay.mo", DECAY)
        for option, name in (("--json", "full.json"), ("--report", "full.html")):
            os.symlink("/dev/full", self.folder / name)
            self.refuse("compare", model, "--formulations", "index1", option, name, words=["No space left on device"])

    def test_interrupt_shows_what_there_is(self):
        run = subprocess.Popen([PROGRAM, "compare", PENDULUM, "--until", "1e7", "--formulations", "ggl,index1",
                                "--limit", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"interrupted", out)

    def test_help_explains_the_lists(self):
        out, _ = self.succeed("compare", "--help")
        for word in ("--formulations", "--integrators", "--reference", "--rtol", "--step", "--report", "--json", "--energy",
                     "--threads", "--limit", "a comma begins a new", "Exit code"):
            self.assertIn(word, out)


if __name__ == "__main__":
    unittest.main()
