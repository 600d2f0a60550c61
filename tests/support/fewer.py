#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fewer.py REPORT REPORT: whether warps execute as many instructions in the first launch as in the second,
or fewer. Reports are those of `tessera run --counters --report=FILE.json`."""
import json
import sys

counts = []
for path in sys.argv[1:3]:
    with open(path, encoding="utf-8") as file:
        counts.append(json.load(file)["counters"]["total"]["warps"])
if counts[0] > counts[1]:
    sys.exit(f"{sys.argv[1]}: {counts[0]} instructions, and {counts[1]} in {sys.argv[2]}")
