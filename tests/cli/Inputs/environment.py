# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the list of environment variables to what the sources read: environment.py TESSERA SOURCE."""
import os
import re
import subprocess
import sys


def read_by_sources(source):
    """Names in quotes, in C and in the Python package; what only the sources of Tessera set counts, too."""
    for folder, ending in (("src", (".c", ".h")), ("python", ".py")):
        for place, _, names in os.walk(os.path.join(source, folder)):
            for name in names:
                if name.endswith(ending) and name not in ("environment.c", "setup.py"):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        yield from re.findall(r"[\"'](TESSERA_[A-Z_]+)[\"']", file.read())


def main(tessera, source):
    said = subprocess.run([tessera, "help", "environment"], capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^  (TESSERA_[A-Z_]+)", said, re.M))
    read = set(read_by_sources(source))
    for name in sorted(read - listed):
        print(name, "is read and not listed")
    for name in sorted(listed - read):
        print(name, "is listed and not read")
    print("%d variables, the longest line has %d columns" % (len(listed), max(map(len, said.splitlines()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
