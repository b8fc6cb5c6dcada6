"""Options, help, lists."""

import json
import re
import unittest

from support import DECAY, CliTest


class Help(CliTest):
    def test_version(self):
        out, err = self.succeed("--version")
        self.assertRegex(out, r"^daedalus \d+\.\d+\.\d+\n$")
        self.assertEqual(err, "")

    def test_help_goes_to_standard_output(self):
        out, err = self.succeed("--help")
        for word in ("run", "check", "list", "reproduce", "compare", "Exit code", "Examples"):
            self.assertIn(word, out)
        self.assertEqual(err, "")

    def test_every_command_has_help(self):
        for command in ("run", "check", "list", "reproduce", "compare"):
            out, _ = self.succeed(command, "--help")
            self.assertIn("--help", out)

    def test_run_help_names_every_option_and_default(self):
        out, _ = self.succeed("run", "--help")
        for option in ("--until", "--formulation", "--integrator", "--rtol", "--atol", "--step", "--set", "--points",
                       "--codegen", "--threads",
                       "--out", "--plot", "--vars", "--summary", "--stop-after", "--quiet", "1e-6", "2001"):
            self.assertIn(option, out)

    def test_help_lists_the_rows_of_the_tables(self):
        out, _ = self.succeed("run", "--help")
        for family in ("formulations", "integrators"):
            rows = json.loads(self.succeed("list", family, "--json")[0])
            for row in rows:
                self.assertIn(row["name"], out)


class List(CliTest):
    def test_all_families(self):
        families = json.loads(self.succeed("list", "--json")[0])
        self.assertEqual(set(families), {"formulations", "integrators", "codegen", "functions"})
        self.assertIn("dummy-derivatives", [row["name"] for row in families["formulations"]])
        self.assertLessEqual({"bdf", "radau", "backward-euler", "ida"},
                             {row["name"] for row in families["integrators"]})
        self.assertLessEqual({"sin", "exp", "atan2", "sqrt"}, {row["name"] for row in families["functions"]})

    def test_options_of_a_row_are_described(self):
        for row in json.loads(self.succeed("list", "integrators", "--json")[0]):
            self.assertTrue(row["summary"])
            for option in row.get("options", []):
                self.assertTrue(option["doc"], option)

    def test_text_names_the_same_rows(self):
        text, _ = self.succeed("list")
        for rows in json.loads(self.succeed("list", "--json")[0]).values():
            for row in rows:
                self.assertRegex(text, rf"(?m)^  {re.escape(row['name'])}\b")

    def test_unknown_family(self):
        self.refuse("list", "integrator", words=["did you mean 'integrators'?"])


class WrongArguments(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)

    def test_no_command(self):
        self.refuse(words=["no command", "run, check, list, convert, reproduce, compare"])

    def test_unknown_command(self):
        self.refuse("rum", self.model, words=["unknown command 'rum'; did you mean 'run'?"])

    def test_unknown_option(self):
        self.refuse("run", self.model, "--untill", "3", words=["unknown option '--untill'; did you mean '--until'?"])
        self.refuse("run", self.model, "--untill=3", words=["'--untill'"])

    def test_missing_model(self):
        self.refuse("run", words=["MODEL"])
        self.refuse("check", words=["MODEL"])

    def test_too_many_models(self):
        self.refuse("run", self.model, self.model, words=["unexpected argument"])

    def test_numbers(self):
        for option, value in (("--until", "ten"), ("--until", "nan"), ("--until", "1e999"), ("--rtol", "0"),
                              ("--rtol", "-1e-6"), ("--atol", "x"), ("--step", "0"), ("--points", "1"),
                              ("--points", "2.5"), ("--points", "1e12")):
            self.refuse("run", self.model, f"{option}={value}", words=[option, f"'{value}'"])

    def test_missing_value(self):
        self.refuse("run", self.model, "--until", words=["--until"])
        self.refuse("run", self.model, "--until=", words=["--until"])

    def test_names_of_tables(self):
        self.refuse("run", self.model, "--integrator", "bfd", words=["did you mean 'bdf'?"])
        self.refuse("run", self.model, "--integrator", "bdf:ordre=3", words=["ordre"])
        self.refuse("run", self.model, "--formulation", "dummy", words=["dummy-derivatives"])
        self.refuse("run", self.model, "--stop-after", "modell", words=["did you mean 'model'?"])

    def test_settings(self):
        for text in ("k", "=1", "k=", ""):
            self.refuse("run", self.model, f"--set={text}", words=["NAME=VALUE"])

    def test_result_format(self):
        self.refuse("run", self.model, "--out", "a.cvs", words=["did you mean '.csv'?", ".json", ".mat"])

    def test_plot_format(self):
        self.refuse("run", self.model, "--plot", "p.gif", words=["'p.gif'", "one of .svg, .pdf, .png"])

    def test_one_file_for_two(self):
        self.refuse("run", self.model, "--out", "a.json", "--summary", "a.json", words=["--out and --summary", "a.json"])
        self.refuse("run", self.model, "--summary", self.model, words=["MODEL and --summary"])

    def test_one_standard_output_for_two(self):
        self.refuse("run", self.model, "--out", "-", "--summary", "-", words=["--out", "--summary"])


if __name__ == "__main__":
    unittest.main()
