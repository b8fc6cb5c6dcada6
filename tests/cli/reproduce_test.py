"""`daedalus reproduce`: what the papers print beside what comes out now."""

import json
import unittest

from support import ROOT, CliTest


class Reproduce(CliTest):
    def test_a_table_beside_the_papers(self):
        out, err = self.succeed("reproduce", "ascher-petzold-4.2")
        # As printed in the paper: error and drift of Baumgarte's method with γ = 1000, which blows up.
        self.assertRegex(out, r"Baumgarte, γ = 1000 +\.13e\+42 +\.13e\+42 agree +\.45e\+39 +\.45e\+39 agree")
        self.assertIn("16 cells: 16 agree", out)
        self.assertEqual(err, "")

    def test_known_misprints_are_marked_and_are_no_failure(self):
        out, _ = self.succeed("reproduce", "003-4.5")
        self.assertIn("known misprint [1]", out)
        self.assertIn("digits were exchanged", out)

    def test_json(self):
        out, _ = self.succeed("reproduce", "ap", "--json", "tables.json", "--quiet")
        self.assertEqual(len(out.splitlines()), 1)
        with open(self.path("tables.json"), encoding="utf-8") as stream:
            report = json.load(stream)
        self.assertEqual(report["count"]["cells"], 290)
        self.assertGreaterEqual(report["count"]["agree"], 284)
        self.assertTrue(report["count"]["as_expected"])
        self.assertEqual([target["name"] for target in report["targets"]],
                         [f"ascher-petzold-4.{i}" for i in range(1, 10)])

    def test_json_to_standard_output_is_alone_there(self):
        out, _ = self.succeed("reproduce", "ms-example-5", "--json", "-")
        self.assertEqual(json.loads(out)["targets"][0]["name"], "mattsson-soderlind-example-5")

    def test_a_row_is_one_run(self):
        """The command that the report names gives the number of the report."""
        out, _ = self.succeed("reproduce", "ap-4.8", "--json", "-")
        target = json.loads(out)["targets"][0]
        row = "unit, ν = 1"
        command = next(entry["command"] for entry in target["commands"] if entry["row"] == row)
        cells = {cell["column"]: cell["value"] for cell in target["cells"] if cell["row"] == row}
        words = [word.strip("'").replace("problems/", f"{ROOT}/problems/") for word in command.split()[1:]]
        summary = json.loads(self.succeed(*words, "--summary", "-", "--quiet")[0])
        error = max(abs(summary["final"][name] - 2.718281828459045) for name in ("p1", "p2"))
        self.assertAlmostEqual(error, cells["Error(p)"], places=14)
        self.assertAlmostEqual(abs(summary["formulation_values"]["mu[1]"]), cells["μ"], places=14)

    def test_docs(self):
        self.succeed("reproduce", "prm-theorem-3.1", "--docs", "docs", "--quiet")
        page = (self.folder / "docs/reproduction.md").read_text(encoding="utf-8")
        self.assertIn("Theorem 3.1", page)
        self.assertIn("figures/petzold-theorem-3.1.svg", page)
        self.assertTrue((self.folder / "docs/figures/petzold-theorem-3.1.svg").read_text().startswith("<svg"))

    def test_wrong_use(self):
        self.refuse("reproduce", "table-9", words=["unknown target 'table-9'", "ascher-petzold-4.1"])
        self.refuse("reproduce", "ap-4.1", "--json", "no/such/folder/x.json", words=["no/such/folder/x.json"])

    def test_help_lists_the_targets(self):
        out, _ = self.succeed("reproduce", "--help")
        for name in ("ascher-petzold-4.9", "mattsson-soderlind-2", "petzold-ren-maly-5.14", "--docs"):
            self.assertIn(name, out)


if __name__ == "__main__":
    unittest.main()
