# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a timeline in the form of Chrome's traces, with every tile block of a grid once?"""
import argparse
import itertools
import json

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("grid", nargs=3, type=int)
parser.add_argument("--threads", type=int)
args = parser.parse_args()

with open(args.file) as file:
    trace = json.load(file)
events = trace["traceEvents"]
names = {(e["name"], e.get("tid")): e["args"]["name"] for e in events if e["ph"] == "M"}
blocks = [e for e in events if e["ph"] == "X"]
assert len(names) + len(blocks) == len(events), "events of other kinds"

found = sorted(tuple(map(int, e["name"].strip("()").split(", "))) for e in blocks)
expected = sorted(itertools.product(*map(range, args.grid)))
assert found == expected, found
assert min(e["ts"] for e in blocks) == 0

threads = {e["tid"] for e in blocks}
assert args.threads in (None, len(threads)), threads
for thread in threads:
    assert names["thread_name", thread] == "thread %d" % thread
    mine = sorted((e["ts"], e["ts"] + e["dur"]) for e in blocks if e["tid"] == thread)
    for (begin, end), (following, _) in zip(mine, mine[1:]):
        assert begin <= end <= following + 0.001, (begin, end, following)
print("%s: %d tile blocks" % (names["process_name", None], len(blocks)))
