"""What was computed survives: results that grow, files that are not written over, signals."""

import math
import os
import signal
import subprocess
import time
import unittest

from support import DECAY, PENDULUM, PROGRAM, CliTest, rows_of

# Small fixed steps make it long; x = exp(-t) within the error of order one, h/2.
LONG = ("--integrator", "backward-euler", "--step", "2e-8", "--points", "100001")


class Killed(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, "run", self.model, *LONG, *arguments], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, old=None):
        """Until the file is there and is another one than `old`; then some more rows."""
        path = self.folder / name
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if path.exists() and path.stat().st_ino != old:
                time.sleep(1.5)
                return path
            time.sleep(0.02)
        self.fail(f"{name} did not appear")

    def check_rows(self, text):
        self.assertTrue(text.endswith("\n"))
        header, rows = rows_of(text)
        self.assertGreater(len(rows), 100)
        x = header.index("x")
        for k, row in enumerate(rows):
            self.assertEqual(len(row), len(header))
            self.assertAlmostEqual(row[0], 2e-5 * k, delta=1e-9)
            self.assertAlmostEqual(row[x], math.exp(-row[0]), delta=1e-6)

    def test_csv_after_sigkill(self):
        self.write("r.csv", "old")
        process = self.start("--out", "r.csv")
        path = self.wait_for("r.csv", (self.folder / "r.csv").stat().st_ino)
        first = path.stat().st_size
        time.sleep(1)
        self.assertGreater(path.stat().st_size, first)  # it grows
        process.kill()
        process.wait()
        self.check_rows(path.read_text())
        self.assertEqual(sorted(os.listdir(self.folder)), ["decay.mo", "r.csv"])

    def killed_with(self, name):
        """What a run with this --out leaves behind, which is converted into it and back."""
        process = self.start("--out", name)
        self.wait_for(name + ".partial.csv")
        process.kill()
        process.wait()
        self.assertFalse((self.folder / name).exists())
        text = (self.folder / (name + ".partial.csv")).read_text()
        self.check_rows(text)
        for other in (name, "other.mat", "other.json", "again.csv"):
            self.succeed("convert", name + ".partial.csv", other)
        for result in (name, "other.mat", "other.json"):
            self.succeed("convert", result, "back.csv")
            self.assertEqual((self.folder / "back.csv").read_text(), text)
        self.assertEqual((self.folder / "again.csv").read_text(), text)

    def test_mat_after_sigkill_is_converted(self):
        self.killed_with("r.mat")

    def test_json_after_sigkill_is_converted(self):
        self.killed_with("r.json")

    def test_an_older_result_stays_until_its_successor_is_whole(self):
        for name in ("r.mat", "r.json"):
            self.write(name, "old")
            process = self.start("--out", name)
            self.wait_for(name + ".partial.csv")
            process.kill()
            process.wait()
            self.assertEqual((self.folder / name).read_text(), "old")

    def test_signals_end_a_run_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("--out", "r.csv", "--summary", "s.json")
            self.wait_for("r.csv")
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"interrupted by {number.name} at t = ", err.decode())
            header, rows = rows_of((self.folder / "r.csv").read_text())
            self.assertAlmostEqual(rows[-1][1], math.exp(-rows[-1][0]), delta=1e-6)
            self.assertTrue((self.folder / "s.json").exists())
            os.remove(self.folder / "r.csv")

    def test_an_ignored_signal_stays_ignored(self):
        process = subprocess.Popen([PROGRAM, "run", self.model, *LONG, "--out", "r.csv"], cwd=self.folder,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(process.kill)
        self.wait_for("r.csv")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())


class NothingIsWrittenOver(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)
        self.addCleanup(lambda: self.assertEqual((self.folder / "decay.mo").read_text(), DECAY))

    def test_one_file_by_several_names(self):
        os.link(self.folder / "decay.mo", self.folder / "hard.json")
        os.symlink("decay.mo", self.folder / "soft.json")
        os.mkdir(self.folder / "d")
        for name in ("./decay.mo", "d/../decay.mo", "hard.json", "soft.json", self.model):
            self.refuse("run", "decay.mo", "--summary", name, words=["same file"])
        self.refuse("run", "decay.mo", "--out", "a.csv", "--summary", "./a.csv", words=["same file"])
        self.refuse("run", "decay.mo", "--out", "a.mat", "--summary", "a.mat.partial.csv", words=["same file"])
        self.assertFalse((self.folder / "a.csv").exists())
        self.write("a.csv", "time,x\n0,1\n")
        self.refuse("convert", "a.csv", "./a.csv", words=["same file"])

    def test_no_rows_no_replacement(self):
        model = self.write("d.mo", "model D Real x(start=0, fixed=true); equation der(x) = 1/x; end D;")
        self.write("r.csv", "precious")
        self.refuse("run", model, "--out", "r.csv")
        self.assertEqual((self.folder / "r.csv").read_text(), "precious")


class Variables(CliTest):
    def test_patterns_restrict_files_and_summary(self):
        summary = self.summary(PENDULUM, "--vars", "lambda,v*", "--out", "r.csv", "--points", "5")
        header, _ = rows_of((self.folder / "r.csv").read_text())
        self.assertEqual(header, ["time", "lambda", "vx", "vy"])
        self.assertEqual(sorted(summary["final"]), ["lambda", "vx", "vy"])

    def test_unknown_names(self):
        self.refuse("run", PENDULUM, "--vars", "lamda", "--out", "r.csv", words=["lamda", "did you mean 'lambda'"])
        self.refuse("run", PENDULUM, "--vars", "q*", "--out", "r.csv", words=["no variable matches 'q*'"])
        self.assertFalse((self.folder / "r.csv").exists())


if __name__ == "__main__":
    unittest.main()
