"""Simbody (Debian's libsimbody-dev) by the program in simbody/: one process a run."""
import json
import subprocess

ACCURACIES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]


def version():
    found = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libsimbody-dev"], capture_output=True, text=True, check=False)
    return found.stdout or "?"


def _runner(program, words, until, samples):
    def run(setting):
        integrator, accuracy = setting
        command = [program, *words, integrator, f"{accuracy:g}", f"{until:g}", str(samples)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        return json.loads(done.stdout)
    return run


def _settings(integrators):
    return {f"{name}, accuracy {a:g}": (name, a) for name in integrators for a in ACCURACIES}


def chain(program, count, until):
    return _settings(["rk-merson", "rk-fehlberg", "cpodes"]), _runner(program, ["chain", str(count)], until, 1)


def bricard(program, until, samples):
    return _settings(["rk-merson", "rk-fehlberg"]), _runner(program, ["bricard", "0"], until, samples)
