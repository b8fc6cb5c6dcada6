"""Runs of daedalus for the benchmarks: errors, counters, and time that other work on the machine does not blur."""
import atexit
import csv
import functools
import json
import os
import resource
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def save(folder, name, lines, results):
    """A table as Markdown and what it is made of as JSON, in a folder that is made if it is not there."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as out:
        json.dump(results, out, indent=1)


@functools.cache
def _surroundings():
    """The environment in which daedalus measures its stages in processor time (cpu_clock.c); without a compiler it is the usual
    one, and the times are wall times."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = os.path.join(folder, "cpu_clock.so")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return dict(os.environ)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "cpu_clock.c")], check=True)
    return {**os.environ, "LD_PRELOAD": library}


def _execute(command, limit):
    """Standard output and processor time of a command; None for what takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=_surroundings())
    except subprocess.TimeoutExpired:
        return None, 0.0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(program, path, arguments=(), limit=60.0, points=2):
    """The summary of a run with the trajectory's rows in 'rows' and the processor time in 'cpu'; None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "out.csv")
        command = [program, "run", path, "--threads", "1", "--points", str(points), "--quiet", "--summary", "-", *arguments]
        if points > 2:
            command += ["--out", table]
        text, cpu = _execute(command, limit)
        try:
            summary = json.loads(text or "")
        except json.JSONDecodeError:
            return None
        if summary["status"] != "ok":
            return None
        summary["cpu"] = cpu
        if points > 2:
            with open(table, encoding="utf-8") as source:
                summary["rows"] = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(source)]
        return summary
