"""Progress on a terminal, silence in a pipe, and Ctrl-C."""

import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import PENDULUM, PROGRAM, CliTest, rows_of


class Terminal(CliTest):
    def on_terminal(self, arguments, interrupt_after=None):
        """Runs with stderr on a pseudo terminal; returns exit code and what the terminal saw."""
        try:
            master, slave = pty.openpty()
        except OSError:
            return None, ""  # a sandbox without terminals, where there is nothing to draw on
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=slave, cwd=self.folder)
        os.close(slave)
        seen = b""
        sent = False
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                chunk = os.read(master, 65536) if ready else b""
            except OSError:  # the other side is closed
                chunk = b""
            if not chunk:
                break
            seen += chunk
            if interrupt_after is not None and interrupt_after in seen and not sent:
                process.send_signal(signal.SIGINT)
                sent = True
        os.close(master)
        return process.wait(timeout=60), seen.decode()

    def test_progress_of_a_long_run(self):
        code, seen = self.on_terminal(["run", PENDULUM, "--until", "1e7"], interrupt_after=b" %  t = ")
        if code is None:
            return
        self.assertEqual(code, 1)
        self.assertRegex(seen, r"\[#*-*\] +\d+ %  t = \S+  h = \S+  order \d")
        self.assertIn("interrupted by SIGINT at t = ", seen)

    def test_short_run_draws_nothing(self):
        code, seen = self.on_terminal(["run", PENDULUM, "--until", "0.1"])
        self.assertIn(code, (0, None))
        self.assertNotIn(" % ", seen)

    def test_quiet_run_draws_nothing(self):
        process = self.start("--quiet")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertNotIn(b" % ", err)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", PENDULUM, "--until", "1e7", *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder)

    def test_interrupt_keeps_what_was_computed(self):
        process = self.start("--points", "1000001", "--out", "r.csv", "--summary", "s.json")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertEqual(out, b"")
        self.assertNotIn(b"\r", err)
        summary = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(summary["status"], "failed")
        self.assertRegex(summary["reason"], r"^interrupted by SIGINT at t = ")
        self.assertTrue(0 < summary["t_end"] < 1e7)
        header, rows = rows_of((self.folder / "r.csv").read_text())
        self.assertEqual(rows[-1][0], summary["t_end"])
        x, y = header.index("x"), header.index("y")
        for row in rows:
            self.assertAlmostEqual(row[x]**2 + row[y]**2, 1, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
