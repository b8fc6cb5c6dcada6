"""The command `daedalus`, which the package brings along: `daedalus run model.mo`, or `python -m daedalus run model.mo`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Becomes the program."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "daedalus")
    if not os.path.exists(program):
        sys.exit("error: this package was built without the program; 'make build' in the source tree makes it")
    os.execv(program, ["daedalus", *sys.argv[1:]])


if __name__ == "__main__":
    main()
