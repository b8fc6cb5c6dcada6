#!/usr/bin/env python3
"""Instructions of the integration alone, counted by callgrind, at rtol 1e-6:

    python3 bench/scale/instructions.py build/release/daedalus [folder for results]

A whole run less a run that stops after the initialisation; what must hold: pendulum 0.4, Andrews 4, chain of 100 20
million. What `auto` prepares for the integration counts as well, so the same is also given less a run to a thousandth of
the time, in which the preparation is made and a few steps are taken."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "rivals"))
from models import chain  # noqa: E402


def count(program, path, arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, "run", path, "--quiet",
                   "--threads", "1", "--rtol", "1e-6", "--atol", "1e-8", "--points", "2", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instruction counts")
        return
    results = []
    lines = ["| problem | wanted, 10⁶ | integration, 10⁶ | less preparation, 10⁶ |", "|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chain.mo")
        with open(path, "w", encoding="utf-8") as out:
            out.write(chain(100))
        for name, model, until, wanted in (("pendulum, 10 s", os.path.join(ROOT, "examples", "pendulum.mo"), 10, 0.4),
                                           ("Andrews, 0.03 s", os.path.join(ROOT, "problems", "andrews.mo"), 0.03, 4),
                                           ("chain of 100, 1 s", path, 1, 20)):
            stopped, short, whole = (count(sys.argv[1], model, extra) for extra in
                                     (["--stop-after", "initialise"], ["--until", f"{until / 1000:g}"], ["--until", f"{until:g}"]))
            results.append({"problem": name, "initialised": stopped, "short": short, "whole": whole})
            lines.append(f"| {name} | {wanted} | {(whole - stopped) / 1e6:.2f} | {(whole - short) / 1e6:.2f} |")
            print(lines[-1], flush=True)
    if len(sys.argv) > 2:
        os.makedirs(sys.argv[2], exist_ok=True)
        with open(os.path.join(sys.argv[2], "instructions.md"), "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        with open(os.path.join(sys.argv[2], "instructions.json"), "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
