"""`daedalus completion`: scripts of shells and the manual page say what the help says."""

import re
import shutil
import subprocess
import unittest

from support import CliTest

SHELLS = ("bash", "zsh", "fish")


class Completion(CliTest):
    def options_of(self, command):
        """Those that the help names."""
        return set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", self.succeed(command, "--help")[0], re.MULTILINE))

    def commands(self):
        return re.findall(r"^  ([a-z]+) {2,}[A-Z]", self.succeed("--help")[0], re.MULTILINE)

    def replies(self, *words):
        """What bash offers for the last word."""
        script = self.path("daedalus.bash")
        with open(script, "w") as file:
            file.write(self.succeed("completion", "bash")[0])
        quoted = " ".join(f"'{word}'" for word in words)
        code = f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _daedalus; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", code], cwd=self.folder, capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    def test_bash_offers_commands_options_values_and_files(self):
        self.assertEqual(self.replies("daedalus", "c"), {"check", "convert", "compare", "completion"})
        for command in self.commands():
            self.assertLessEqual(self.options_of(command), self.replies("daedalus", command, "--"), command)
        self.assertEqual(self.replies("daedalus", "run", "--formulation", "gg"), {"ggl"})
        self.assertEqual(self.replies("daedalus", "run", "--input-mode", ""), {"linear", "held"})
        self.assertEqual(self.replies("daedalus", "run", "--until", ""), set())
        (self.folder / "model.mo").touch()
        self.assertIn("model.mo", self.replies("daedalus", "check", "mo"))
        self.assertIn("model.mo", self.replies("daedalus", "run", "--out", "mo"))

    def test_every_shell_and_the_manual_page_know_every_option(self):
        commands = self.commands()
        self.assertIn("completion", commands)
        texts = {kind: self.succeed("completion", kind)[0] for kind in (*SHELLS, "man")}
        for command in commands:
            for option in self.options_of(command):
                self.assertIn(option, texts["bash"])
                self.assertIn(f"*{option}[", texts["zsh"])
                self.assertRegex(texts["fish"], rf"from {command}'.* -l {option[2:]} ")
                self.assertIn(option.replace("-", "\\-"), texts["man"])

    def test_shells_can_read_them(self):
        for shell in SHELLS:
            if shutil.which(shell):
                script = self.succeed("completion", shell)[0]
                subprocess.run([shell, "-n"], input=script, text=True, check=True, capture_output=True)

    def test_the_manual_page_is_one(self):
        page = self.succeed("completion", "man")[0]
        self.assertTrue(page.startswith(".TH DAEDALUS 1 "))
        for line in page.splitlines():  # only requests that are known begin with a control character
            if line.startswith((".", "'")):
                self.assertRegex(line, r"^\.(TH|SH|B|br|TP|PP|nf|fi)\b")
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"], input=page, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")

    def test_another_shell_is_refused(self):
        code, _, err = self.daedalus("completion", "tcsh")
        self.assertEqual(code, 2)
        self.assertIn("known: bash, zsh, fish, man", err)


if __name__ == "__main__":
    unittest.main()
