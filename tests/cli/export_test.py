"""`daedalus export`: what an FMU carries. (What it does is tested by tests/python/test_fmu.py.)"""

import pathlib
import re
import shutil
import subprocess
import unittest
import zipfile

from support import PENDULUM, PROGRAM, CliTest

# What every Linux machine has.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt)\.so)")


class Export(CliTest):
    @unittest.skipUnless(shutil.which("ldd"), "ldd tells what a library needs")
    def test_the_unit_carries_the_libraries_that_it_needs(self):
        unit = self.path("pendulum.fmu")
        self.succeed("export", PENDULUM, "--fmu", unit)
        library = pathlib.Path(PROGRAM).parent / "libdaedalus_fmi.so"
        told = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
        needed = {line.split()[0].rsplit("/", 1)[-1] for line in told.splitlines() if line.strip()}
        with zipfile.ZipFile(unit) as carried:
            names = {name.rsplit("/", 1)[-1] for name in carried.namelist() if "/x86_64-linux/" in name or "/aarch64-linux/" in name}
        self.assertIn("Pendulum.so", names)
        self.assertEqual({name for name in needed if not SYSTEM.match(name) and "san" not in name} - names, set())


if __name__ == "__main__":
    unittest.main()
