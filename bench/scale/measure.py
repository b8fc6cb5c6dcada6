#!/usr/bin/env python3
"""From model text to the first steps, for growing chains: python3 bench/scale/measure.py build/release/daedalus

Prints seconds of each stage and how the total grows; the goal is 100,000 equations in 10 s, and at most 13 times the
time for 10 times the size."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chain import model  # noqa: E402


def measure(program, equations, folder):
    path = os.path.join(folder, "chain.mo")
    with open(path, "w", encoding="utf-8") as out:
        out.write(model(equations // 5))
    summary = os.path.join(folder, "summary.json")
    begin = time.perf_counter()
    subprocess.run([program, "run", path, "--until", "1e-9", "--points", "2", "--summary", summary, "--quiet"], check=True)
    total = time.perf_counter() - begin
    with open(summary, encoding="utf-8") as source:
        return total, json.load(source)


def main():
    program = sys.argv[1]
    sizes = [int(n) for n in sys.argv[2:]] or [1_000, 10_000, 100_000]
    stages = ["parse", "structure", "codegen", "initialise", "integrate"]
    print("| equations | steps | " + " | ".join(stages) + " | whole program, s | growth |")
    print("|---" * (len(stages) + 4) + "|")
    last = None
    with tempfile.TemporaryDirectory() as folder:
        for equations in sizes:
            total, summary = measure(program, equations, folder)
            seconds = " | ".join(f"{summary['seconds'][s]:.3f}" for s in stages)
            growth = f"{total / last:.1f}" if last else ""
            print(f"| {equations} | {summary['steps']} | {seconds} | {total:.2f} | {growth} |", flush=True)
            last = total


if __name__ == "__main__":
    main()
