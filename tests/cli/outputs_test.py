"""Where results go, and what happens when they cannot."""

import json
import os
import struct
import unittest
import xml.etree.ElementTree

from support import DECAY, PENDULUM, CliTest, rows_of


class Outputs(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)

    def test_quiet_run_says_nothing(self):
        out, err = self.succeed("run", self.model, "--quiet", "--out", "r.csv")
        self.assertEqual((out, err), ("", ""))

    def test_summary_for_people_goes_to_standard_error(self):
        out, err = self.succeed("run", self.model)
        self.assertEqual(out, "")
        self.assertIn("ok: t = 2", err)
        self.assertNotIn("\r", err)

    def test_all_files_at_once(self):
        self.succeed("run", self.model, "--out", "r.json", "--plot", "p.svg", "--summary", "s.json")
        result = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(len(result["time"]), len(result["signals"]["x"]))
        self.assertEqual(result["parameters"]["k"], 1)
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["status"], "ok")
        xml.etree.ElementTree.parse(self.folder / "p.svg")

    def test_formats_agree(self):
        for name in ("r.csv", "r.json", "r.mat"):
            self.succeed("run", self.model, "--out", name, "--points", "11")
        header, rows = rows_of((self.folder / "r.csv").read_text())
        x = [row[header.index("x")] for row in rows]
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["signals"]["x"], x)
        for value in x:  # doubles as they are, somewhere in data_2
            self.assertIn(struct.pack("<d", value), (self.folder / "r.mat").read_bytes())

    def test_plot_of_chosen_variables(self):
        self.succeed("run", PENDULUM, "--plot", "p.svg", "--vars", "y,lambda")
        text = (self.folder / "p.svg").read_text()
        self.assertIn(">lambda</text>", text)
        self.assertNotIn(">vx</text>", text)
        self.assertIn(">drift</text>", text)

    def test_unknown_variable_to_plot(self):
        self.refuse("run", self.model, "--plot", "p.svg", "--vars", "z", words=["unknown variable 'z'"])

    def test_earlier_result_survives_wrong_input(self):
        self.write("r.csv", "precious")
        self.refuse("run", self.write("bad.mo", "model"), "--out", "r.csv")
        self.assertEqual((self.folder / "r.csv").read_text(), "precious")


class WriteFailures(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)

    def test_full_disk(self):
        for option, name in (("--out", "full.csv"), ("--out", "full.json"), ("--out", "full.mat"),
                             ("--plot", "full.svg"), ("--summary", "full.sum")):
            os.symlink("/dev/full", self.folder / name)
            self.refuse("run", self.model, option, name, words=["No space left on device", name])

    def test_full_standard_output(self):
        for arguments in (["run", self.model, "--out", "-"], ["run", self.model, "--summary", "-"], ["list"],
                          ["check", self.model], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                code, err = self.with_stdout(full, arguments)
            self.assertEqual(code, 2, err)
            self.assertIn("No space left on device", err)

    def with_stdout(self, stream, arguments):
        import subprocess
        from support import PROGRAM
        done = subprocess.run([PROGRAM, *arguments], stdout=stream, stderr=subprocess.PIPE, cwd=self.folder, timeout=60)
        return done.returncode, done.stderr.decode()

    def test_one_failure_does_not_stop_the_others(self):
        os.symlink("/dev/full", self.folder / "full.csv")
        self.refuse("run", self.model, "--out", "full.csv", "--summary", "s.json")
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["status"], "ok")

    def test_missing_folder_is_found_before_the_run(self):
        for option in ("--out", "--plot", "--summary"):
            name = "none/r.svg" if option == "--plot" else "none/r.csv"
            message = self.refuse("run", self.model, option, name, words=["there is no folder 'none'"])
            self.assertNotIn("ok: t", message)

    def test_folder_as_file(self):
        os.mkdir(self.folder / "f.csv")
        self.refuse("run", self.model, "--out", "f.csv", words=["it is a folder"])


if __name__ == "__main__":
    unittest.main()
