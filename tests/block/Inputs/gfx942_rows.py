# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of docs/amd-backend.md about the six products of examples/block/gfx942: each row is what
the command says of one.

  gfx942_rows.py TESSERA EXAMPLES [PAGE [--write]]

Without PAGE the rows are printed; with it the page must have them, or gets them."""
import glob
import os
import re
import subprocess
import sys

GRIDS = {"1": "16,16", "6": "1"}
SIZES = ["normal:f16:256x256", "normal:f16:256x256", "zeros:f32:256x256", "i32:256", "i32:256", "i32:256"]


def call(*words):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE).stdout


def find(pattern, text):
    return re.search(pattern, text).groups()


def row(tessera, path):
    number = os.path.basename(path)[0]
    said = call(tessera, "run", path, "-t", "emu:gfx942", "--counters", "-g", GRIDS.get(number, "4,4"), *SIZES)
    uses = call(tessera, "build", path, "--target", "gfx942", "--resources")
    executed, = find(r"executed +(.*?) warp instructions", said)
    read, sectors = find(r"device memory +(.*?) read, .*? written, (.*?) sectors", said)
    wavefronts, free = find(r"(\S+(?: [KM])?) wavefronts, (\d+%) free", said)
    least, limit = find(r"at least (.*?), limited by (.*)", said)
    lds, waves = find(r"(\d+) bytes of LDS, .* (\d+ of \d+) waves on a SIMD", uses)
    return "| [%s](../examples/block/gfx942/%s) | %s | %s in %s | %s | %s, %s | %s, %s |" % (
        os.path.basename(path)[:-5], os.path.basename(path), executed, read, sectors,
        "none" if wavefronts == "0" else "%s, %s" % (wavefronts, free), lds, waves, least.replace("us", "µs"), limit)


def main():
    tessera, examples, *page = sys.argv[1:]
    rows = [row(tessera, path) for path in sorted(glob.glob(os.path.join(examples, "*.mlir")))]
    if not page:
        print("\n".join(rows))
        return 0
    with open(page[0], encoding="utf-8") as file:
        text = file.read()
    if page[1:] == ["--write"]:
        for r in rows:
            text = re.sub("^%s.*$" % re.escape(r[:r.index(")") + 1]), lambda _: r, text, flags=re.M)
        with open(page[0], "w", encoding="utf-8") as file:
            file.write(text)
    missing = [r for r in rows if r not in text]
    print("\n".join(["%s has no such row:" % page[0]] + missing if missing else rows))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
