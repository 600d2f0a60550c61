#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of kernels/ ask of a card, by the emulator's counters: a line for each.

  counters.py [--target sm_80,sm_90a] [--build BUILD] [--only PART_OF_A_NAME,...] [--lines]

Runs pack.py's checks, small and with ragged ends, in the form without tensor maps. The last columns
say how many of the wavefronts of shared memory, and of the sectors of device memory, the same bytes
would take without conflicts and without gaps; --lines names the instructions that take more wavefronts.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import tempfile

import pack


def as_word(argument):
    """Parameters are words of 8 bytes: of a smaller number the low part."""
    number = re.fullmatch(r"(i32|f32):(.*)", argument)
    if not number:
        return argument
    if number[1] == "i32":
        return "i64:" + number[2]
    return "i64:%d" % struct.unpack("<I", struct.pack("<f", float(number[2])))


class Counters:
    def __init__(self, options, scratch):
        self.tessera = os.path.join(options.build, "bin", "tessera")
        self.scratch = scratch
        self.built = {}

    def path(self, name):
        return os.path.join(self.scratch, name)

    def npy(self, name, values):
        path = self.path("%s_%d.npy" % (name, len(values)))
        pack.Pack.write_npy(path, values, "i")
        return path

    def build(self, file, target):
        """The PTX, and the bytes of dynamic shared memory of each kernel."""
        if (file, target) not in self.built:
            source = os.path.join(pack.ROOT, "kernels", file + ".mlir")
            ptx = self.path("%s_%s.ptx" % (file, target))
            build = [self.tessera, "build", source, "--target", target, "--emit"]
            subprocess.run(build + ["ptx", "-o", ptx], check=True)
            lines = subprocess.run(build + ["launch"], check=True, capture_output=True, text=True).stdout
            # kernel, its form's symbol, -, threads, dynamic and static shared memory
            forms = [line.split() for line in lines.splitlines()]
            dynamic = {form[0]: form[4] for form in forms if len(form) >= 6 and form[0] == form[1]}
            self.built[file, target] = ptx, dynamic
        return self.built[file, target]

    def count(self, check, target):
        file, kernel, grid, arguments = check[:4]
        ptx, dynamic = self.build(file, target)
        report = self.path("report.json")
        command = [self.tessera, "ptx", ptx, "-k", kernel, "-g", grid, "--shared", dynamic[kernel],
                   "--counters", "--card", "h100", "--report", report]
        subprocess.run(command + [as_word(a) for a in arguments.split()], check=True,
                       stdout=subprocess.DEVNULL)
        with open(report) as f:
            return json.load(f)["counters"]


def share(least, all_of_them):
    return "%.0f%%" % (100 * least / all_of_them) if all_of_them else "-"


def print_lines(counters):
    for line in counters["lines"]:
        if line["wavefronts"] > line["ideal_wavefronts"]:
            with open(line["file"]) as f:
                text = f.read().splitlines()[line["line"] - 1].strip()
            print("    %.1f wavefronts instead of %.1f: %s" % (
                line["wavefronts"] / line["warps"], line["ideal_wavefronts"] / line["warps"], text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", default="sm_80,sm_90a")
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="")
    parser.add_argument("--lines", action="store_true")
    options = parser.parse_args()
    print("%-36s %-7s %13s %12s %14s %9s" % ("kernel", "target", "instructions", "wavefronts",
                                             "free of conflicts", "sectors"))
    with tempfile.TemporaryDirectory() as scratch:
        counters = Counters(options, scratch)
        for check in pack.kernel_checks(counters.npy):
            if not any(part in check[1] for part in options.only.split(",")):
                continue
            for target in options.target.split(","):
                c = counters.count(check, target)
                t = c["total"]
                print("%-36s %-7s %13d %12d %14s %12s" % (
                    check[1], target, t["warps"], t["wavefronts"],
                    share(t["ideal_wavefronts"], t["wavefronts"]),
                    share(t["ideal_sectors"], t["sectors"])), flush=True)
                if options.lines:
                    print_lines(c)


if __name__ == "__main__":
    main()
