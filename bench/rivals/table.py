"""Runs the codes of a problem interleaved, and writes what was found as rows of a table."""
from ours import run

REPEATS = 3
SLOW = 1.0  # seconds; a run that takes longer is not repeated


def error_of(rows, reference):
    scale = max(abs(v) for row in reference for v in row)
    return max(abs(a - b) for row, exact in zip(rows, reference) for a, b in zip(row, exact)) / scale


class Ours:
    """auto on a model file, at several tolerances; gives the same fields as a rival's run."""
    TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]

    def __init__(self, program, path, names, arguments=(), samples=1):
        self.program, self.path, self.names = program, path, names
        self.arguments, self.samples = list(arguments), samples

    def settings(self):
        return {f"rtol {r:g}": r for r in self.TOLERANCES}

    def rows(self, summary):
        found = summary["rows"][1:] if self.samples > 1 else [summary["final"]]
        return [[row[n] for n in self.names] for row in found]

    def summary(self, rtol, extra=()):
        arguments = [*self.arguments, "--rtol", f"{rtol:g}", "--atol", f"{rtol / 100:g}", *extra]
        return run(self.program, self.path, arguments, points=self.samples + 1)

    def __call__(self, rtol):
        summary = self.summary(rtol)
        if summary is None:
            return None
        return {"rows": self.rows(summary), "steps": summary["steps"], "evaluations": summary["residual_evals"],
                "seconds": summary["seconds"]["integrate"]}


def measure(codes, reference):
    """codes: {(code, version): (settings, run)} -> list of rows, the least time of the repetitions each."""
    found = {}
    for _ in range(REPEATS):
        for code, (settings, execute) in codes.items():
            for name, setting in settings.items():
                before = found.get((code, name))
                if before is not None and ("failed" in before or before["seconds"] > SLOW):
                    continue
                result = execute(setting)
                if result is None:
                    found[code, name] = {"failed": True}
                    continue
                error = error_of(result.pop("rows"), reference)
                seconds = min(result["seconds"], before["seconds"] if before else result["seconds"])
                found[code, name] = {"error": error, "steps": result["steps"], "evaluations": result["evaluations"],
                                     "seconds": seconds}
    return [{"code": code[0], "version": code[1], "settings": name, **row} for (code, name), row in found.items()]


def best(rows, code, target):
    good = [r for r in rows if r["code"] == code and "error" in r and r["error"] <= target]
    return min(good, key=lambda r: r["seconds"], default=None)


HEAD = ["| problem | error ≤ | code | settings | error | steps | evaluations | ms | against ours |", "|---" * 9 + "|"]


def lines(problem, rows, target, missing=()):
    ours = best(rows, "daedalus", target)
    out = []
    for code, version in dict.fromkeys((r["code"], r["version"]) for r in rows):
        row = best(rows, code, target)
        start = f"| {problem} | {target:g} | {code} {version} |"
        if row is None:
            out.append(f"{start} none of its settings reaches it | | | | | |")
            continue
        ratio = f"{row['seconds'] / ours['seconds']:.2g}" if ours else "–"
        count = "–" if row["evaluations"] is None else row["evaluations"]
        out.append(f"{start} {row['settings']} | {row['error']:.1e} | {row['steps']} | {count} | "
                   f"{1e3 * row['seconds']:.3g} | {ratio} |")
    out += [f"| {problem} | {target:g} | {code} | not installed | | | | | |" for code in missing]
    return out
