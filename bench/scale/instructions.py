#!/usr/bin/env python3
"""Instructions of the integration alone, counted by callgrind, at rtol 1e-6:

    python3 bench/scale/instructions.py build/release/daedalus [folder for results]

Collected inside simulate_by, which is the run after the choice of formulation and integrator (what auto explores
for its choice is not in it, and is given beside it). "the loop" is steps and what follows each of them, projection and the
watch on the rank; the rest is prepared once. What must hold: pendulum 0.4, Andrews 4, chain of 100 20 million.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "rivals"))
from models import chain  # noqa: E402
from ours import save  # noqa: E402


WHOLE = "daedalus::Engine::run_here("
LOOP = ["daedalus::Integrator::step(", "Driver::after_step"]
CHOICE = "daedalus::plan("


def inclusive(text, name):
    """Instructions inside the function of that name, from callgrind_annotate's list."""
    found = [line for line in text.splitlines() if name in line]
    return int(found[0].split()[0].replace(",", "")) if found else 0


def collect(program, path, arguments, toggles):
    """callgrind_annotate's list of a run: what each function holds."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--smc-check=all", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *toggles, program, "run", path,
                   "--quiet", "--threads", "1", "--points", "2", *arguments]
        subprocess.run(command, capture_output=True, timeout=600, check=True)
        return subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", f"{folder}/out"],
                              capture_output=True, text=True, check=True).stdout


def count(program, path, arguments):
    """Instructions of (run after the choice, loop)."""
    run = collect(program, path, arguments, [f"--toggle-collect={WHOLE}*"])
    return inclusive(run, WHOLE), sum(inclusive(run, name) for name in LOOP)


def main():
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instruction counts")
        return
    results = []
    lines = ["| problem | wanted, 10⁶ | the loop, 10⁶ | with what is prepared for it, 10⁶ | auto's choice before, 10⁶ |", "|---" * 5 + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chain.mo")
        with open(path, "w", encoding="utf-8") as out:
            out.write(chain(100))
        for name, model, wanted in (("pendulum, 10 s", os.path.join(ROOT, "examples", "pendulum.mo"), 0.4),
                                           ("Andrews, 0.03 s", os.path.join(ROOT, "problems", "andrews.mo"), 4),
                                           ("chain of 100, 1 s", path, 20)):
            arguments = ["--rtol", "1e-6", "--atol", "1e-8"]
            run, loop = count(sys.argv[1], model, arguments)
            choice = inclusive(collect(sys.argv[1], model, arguments, []), CHOICE)
            results.append({"problem": name, "run": run, "loop": loop, "choice": choice})
            lines.append(f"| {name} | {wanted} | {loop / 1e6:.2f} | {run / 1e6:.2f} | {choice / 1e6:.2f} |")
            print(lines[-1], flush=True)
    if len(sys.argv) > 2:
        save(sys.argv[2], "instructions", lines, results)


if __name__ == "__main__":
    main()
