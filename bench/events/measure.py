#!/usr/bin/env python3
"""What an event costs: buck converters with ten thousand of them.

    python3 bench/events/measure.py build/release/daedalus [another program, to compare with]

buck_pwm.mo is switched by time alone; in buck_feedback.mo a controller is compared with a ramp, and a diode stops conducting:
two of three events there are located between the steps, one of them by unknowns that only follow by solving equations.
Processor time of the whole program, least of three, interleaved; output at two points.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ("buck_pwm", "buck_feedback")


def run(program, model):
    """(processor time in s, the summary)"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "summary.json")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", os.path.join(HERE, f"{model}.mo"), "--points", "2", "--quiet", "--summary", path],
                       check=True, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(path, encoding="utf-8") as file:
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.load(file)


def main():
    programs = sys.argv[1:]
    print("| model | program | s | events | µs an event | steps | rejected |")
    print("|---" * 7 + "|")
    for model in MODELS:
        best = {}
        for _ in range(3):
            for program in programs:
                outcome = run(program, model)
                if program not in best or outcome[0] < best[program][0]:
                    best[program] = outcome
        for program in programs:
            seconds, summary = best[program]
            print(f"| {model} | {program} | {seconds:.3f} | {summary['events']} | {1e6 * seconds / summary['events']:.1f} "
                  f"| {summary['steps']} | {summary['rejected']} |")


if __name__ == "__main__":
    main()
