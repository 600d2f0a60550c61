# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs, checks and tunes problems of every family by the command: op_families.py TESSERA. As text,
JSON and picture. Prints what is wrong, and how many problems there were."""
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

# A line for each form that a family has tensors, groups or launches of its own for.
PROBLEMS = """
gemm --m 9 --n 7 --k 20 --epilogue bias+gelu
gemm --m 9 --n 7 --k 40 --blocks 2 --share ordered --tile_m 16 --tile_n 16 --tile_k 16
gemm --m 9 --n 7 --k 20 --rows grouped --batch 3
gemm --m 9 --n 7 --k 20 --rows pointers --batch 2 --epilogue bias+residual
gemm --m 9 --n 7 --k 20 --rows sorted --batch 2 --total_m 64
gemm --m 9 --n 40 --k 70 --type bf16 --b shuffled
shuffle --n 20 --k 40
gemm_norm --m 5 --n 20 --k 40
gemm_gemm --m 5 --n 20 --k 40 --o 9
gemm_gemm --m 5 --n 20 --k 40 --o 9 --softmax causal
contraction --dims abk*kc->cab --shape 3x4x5x6
convolution --size 7x6 --kernel 3 --channels 4 --filters 5 --padding 1
convolution --pass data --size 7x6 --kernel 3 --channels 4 --filters 5
convolution --pass weights --size 7x6 --kernel 3 --channels 4 --filters 5
pool --size 7x6 --kernel 2 --channels 4 --where yes
pool --pass backward --size 7x6 --kernel 2 --channels 4
unfold --size 7x6 --kernel 2 --channels 4
unfold --pass backward --size 7x6 --kernel 2 --channels 4
attention --seq 7 --keys 20 --head 16 --heads 2 --causal yes
attention --seq 1 --keys 40 --head 16 --heads 2 --cache paged --page 8
attention --seq 7 --head 16 --heads 2 --batch 2 --lengths variable
attention_backward --seq 7 --keys 20 --head 16 --heads 2
append --keys 20 --head 16 --heads 2 --kv_heads 2 --rotary 8 --cache paged --page 8
elementwise --expression relu(a)*b --shape 5x30
softmax --shape 5x30
norm --shape 5x30 --save yes
reduce --shape 5x30 --operations sum+max
cross_entropy --shape 5x30
softmax_backward --shape 5x30
norm_backward --shape 5x30 --dweight yes
cross_entropy_backward --shape 5x30
topk --rows 5 --columns 30
moe_sort --tokens 9 --experts 4
moe --tokens 9 --experts 3 --hidden 20 --inter 12
rotary --seq 5 --head 16 --heads 2
custom --m 5 --n 6 --k 7
custom --kind reduce --m 5 --k 7
custom --kind map --m 5 --n 6
""".split("\n")


def op(verb, problem, *more):
    words = [sys.argv[1], "op", verb, *problem.split(), *more, "--target", "interp"]
    if not problem:
        words = [sys.argv[1], "op", verb, *more]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(" ".join(words), "ends with", done.returncode, done.stderr)
    return done.stdout


def expect(condition, verb, problem, found):
    if not condition:
        print(f"op {verb} {problem} gives {found}")


def check(problem):
    found = json.loads(op("check", problem, "--json"))
    expect(found["right"] is True, "check", problem, found)
    expect("right: the largest error" in op("check", problem), "check", problem, "another text")


def run(problem):
    found = json.loads(op("run", problem, "--json"))
    expect(found["ms"] > 0 and found["gbytes"] >= 0, "run", problem, found)
    expect(" ms, " in op("run", problem), "run", problem, "another text")


def tune(problem):
    lines = op("tune", problem, "--seconds", "0.02", "--svg", "op.svg", "--json").splitlines()
    found = [json.loads(line) for line in lines]
    timed = [row for row in found if "ms" in row]
    expect(timed, "tune", problem, found)
    for row in timed:
        expect(row["min_ms"] > 0 and row["error"] >= 0, "tune", problem, row)
    picture = ElementTree.parse("op.svg").getroot()
    texts = [x.text for x in picture.iter("{http://www.w3.org/2000/svg}text")]
    bars = sum("GFLOP/s" in text for text in texts)
    expect(bars == len(timed), "tune", problem, f"a picture with {bars} bars for {len(timed)} times")
    table = op("tune", problem, "--seconds", "0.02").splitlines()
    expect(table[0].split() == ["ms", "GFLOP/s", "GB/s", "error", "instance"], "tune", problem,
           table[0])
    expect(table[-1].split()[1].rstrip(",") == "refused", "tune", problem, table[-1])


def main():
    problems = [line for line in PROBLEMS if line]
    families = [family["family"] for family in json.loads(op("list", "", "--json"))]
    for family in families:
        expect(any(p.split()[0] == family for p in problems), "list", family, "no problem here")
    for problem in problems:
        check(problem)
        run(problem)
        tune(problem)
    print(len(problems), "problems of", len(families), "families")


sys.exit(main())
