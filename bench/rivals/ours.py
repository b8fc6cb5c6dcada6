"""Runs of daedalus for the benchmarks: errors, counters, and time that other work on the machine does not blur."""
import csv
import json
import os
import resource
import subprocess
import tempfile

# Below this, a run is shorter than a time slice, and the least wall time of several runs is its processor time.
SHORT = 0.01


def _execute(command, limit):
    """Standard output and processor time of a command; None for what takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
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


def preparation(program, path, arguments=(), repeats=2):
    """Processor time from the start of the program up to the integration, which is taken from that of whole runs."""
    command = [program, "run", path, "--threads", "1", "--quiet", "--stop-after", "initialise", *arguments]
    return min(_execute(command, 60.0)[1] for _ in range(repeats))


def integration_time(summaries, prepared):
    """Of several equal runs: the least wall time of short integrations, else the processor time less the preparation.
    Processor time cannot exceed wall time, so the smaller of the two is the better measure of the second kind."""
    wall = min(s["seconds"]["integrate"] for s in summaries)
    if wall < SHORT:
        return wall
    return min(wall, max(SHORT, min(s["cpu"] for s in summaries) - prepared))
