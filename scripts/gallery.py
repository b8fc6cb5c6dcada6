#!/usr/bin/env python3
"""Draws docs/gallery anew: gallery.py PROGRAM. One row of the table below is one picture and one shell line.

Curves are drawn by --plot. Pages are photographed by Chromium, which needs no window; without it their pictures stay as
they are."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/gallery"

# name, title, what to look at, command with FILE for the picture or page, what comes after the page's name (empty: a plot)
ROWS = [
    ("pendulum", "A pendulum at position level",
     "Index 3. Above x and y, below the drift of the rod's length and of its derivatives: round-off.",
     "run examples/pendulum.mo --vars x,y --plot FILE", ""),
    ("jansen", "A walking leg",
     "Three loops, one motor; the foot's path is traced.",
     "run problems/mechanisms/jansen.xml --until 3 --set motor=6 --report FILE", "#t=2.1"),
    ("stewart", "A Stewart platform",
     "Six legs on springs, one of them pushed; arrows are the forces in the joints.",
     "run problems/mechanisms/stewart.xml --until 4 --set push1=40 --report FILE", "#t=0.6&forces=on&theme=dark"),
    ("gyroscope", "A gyroscope",
     "A rotor in two gimbals with a weight on one side: it turns aside instead of falling.",
     "run problems/mechanisms/gyroscope.xml --until 3 --set spin=0.3 --report FILE", "#t=1.7"),
    ("bricard", "Bricard's linkage",
     "It moves although counting equations says that it cannot: six hinges, one of their equations redundant.",
     "run problems/mechanisms/bricard.xml --until 5 --report FILE", "#t=1.2"),
    ("slider-crank", "A slider crank through its dead centre",
     "The constraint loses rank five times (red), and the motion goes on along the right branch.",
     "run problems/slider_crank.mo --plot FILE --vars theta1,theta2", ""),
    ("n-four-bar", "Ten four-bars in a row",
     "Whenever the cranks lie level, ten constraints depend on the others.",
     "run problems/n_four_bar.mo --set N=10 --until 10 --vars B0x,B0y --plot FILE", ""),
    ("andrews", "Andrews' squeezer",
     "Seven bodies and a spring, driven by a motor; the seven angles within 0.03 s.",
     "run problems/andrews.mo --plot FILE", ""),
    ("amplifier", "A transistor amplifier",
     "Index 1: the voltages at eight nodes.",
     "run problems/transistor_amplifier.mo --plot FILE", ""),
    ("compare", "Every formulation side by side",
     "Error, drift and work of one model by all formulations, in one page.",
     "compare examples/pendulum.mo --report FILE", "#"),
]


def photograph(chromium, page, place, picture):
    flags = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,800", "--force-device-scale-factor=1",
             "--virtual-time-budget=3000", f"--screenshot={picture}"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    subprocess.run([chromium, *flags, page.as_uri() + place], check=True, capture_output=True, timeout=120)


def make(program, row, chromium, folder):
    name, _, _, command, place = row
    target = FOLDER / f"{name}.svg" if not place else folder / f"{name}.html"
    words = [str(target) if word == "FILE" else word for word in command.split()]
    subprocess.run([program, *words, "--quiet"], check=True, cwd=ROOT, timeout=300)
    if place and chromium:
        photograph(chromium, target, place, FOLDER / f"{name}.png")
    print(f"  docs/gallery/{name}.{'png' if place else 'svg'}", flush=True)


def index():
    lines = ["# Gallery", "",
             "One shell line each. `make gallery` draws the pictures anew (`scripts/gallery.py` has the list); "
             "[pictures.md](../pictures.md) tells what `--plot` and `--report` can do.", ""]
    for name, title, note, command, place in ROWS:
        shown = command.replace("FILE", f"{name}.{'html' if place else 'svg'}")
        lines += [f"## {title}", "", note, "", "```sh", f"daedalus {shown}", "```", "",
                  f"![{title}]({name}.{'png' if place else 'svg'})", ""]
    return "\n".join(lines)


def main():
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/daedalus").resolve())
    chromium = shutil.which("chromium")
    if not chromium:
        print("gallery: chromium is missing, so pictures of pages stay as they are", file=sys.stderr)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            make(program, row, chromium, pathlib.Path(folder))
    (FOLDER / "README.md").write_text(index())
    print("  docs/gallery/README.md")


if __name__ == "__main__":
    main()
