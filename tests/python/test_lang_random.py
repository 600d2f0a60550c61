# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of conditions, loops and functions on whole numbers, which Python itself runs, too:
both must leave the same.

    python3 tests/python/test_lang_random.py FIRST LAST DEVICE     # more of them
"""
import importlib.util
import os
import random
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import tessera  # noqa: E402

VARIABLES = ["a", "b", "c", "d"]


class Program:
    """The text of a random program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.counters = [], 0
        self.helper()
        self.lines += ["", "", "def program(x, n, out):", "    a = n", "    b = 2", "    c = x[1]",
                       "    d = 5"]
        self.block(1, VARIABLES + ["n"], 3, False)
        self.lines += ["    out[%d] = %s" % item for item in enumerate(VARIABLES)]

    def add(self, depth, text, *values):
        self.lines.append("    " * depth + text % values)

    def value(self, names, depth=2):
        if not depth or self.random.random() < 0.3:
            return self.random.choice(names + [str(self.random.randint(-3, 9))])
        a, b = self.value(names, depth - 1), self.value(names, depth - 1)
        return self.random.choice([
            "(%s + %s) %% 97" % (a, b), "(%s - %s) %% 53" % (a, b), "(%s * %s) %% 89" % (a, b),
            "(%s // 3)" % a, "min(%s, %s)" % (a, b), "x[(%s) %% 8]" % a,
            "(%s if %s else %s)" % (a, self.condition(names, 0), b)])

    def condition(self, names, depth=1):
        one = "%s %s %s" % (self.value(names, depth),
                            self.random.choice(["<", "<=", "==", "!=", ">"]),
                            self.value(names, depth))
        return self.random.choice(["(%s)"] * 5 + [
            "(not %s)", "(%%s and %s < 7)" % names[0], "(%%s or %s > 4)" % names[-1]]) % one

    def helper(self):
        """A function that returns from several places."""
        self.lines.append("def helper(x, u, v):")
        for _ in range(self.random.randint(1, 3)):
            self.add(1, "if %s:", self.condition(["u", "v"]))
            self.add(2, "return %s", self.random.choice(["u", "v", "u + v", "u - v", "7"]))
            self.add(1, "%s = (u * 3 + v) %% 41", self.random.choice("uv"))
        self.add(1, "return u")

    def block(self, at, names, depth, in_loop):
        for _ in range(self.random.randint(1, 4)):
            self.statement(at, names, depth, in_loop)

    def statement(self, at, names, depth, in_loop):
        kinds = [self.assignment] * 4 + [self.element, self.call, self.leave]
        if depth:
            kinds += [self.branch] * 2 + [self.for_loop, self.while_loop]
        self.random.choice(kinds)(at, names, depth - 1, in_loop)

    def assignment(self, at, names, _depth, _in_loop):
        name = self.random.choice(VARIABLES)
        self.add(at, "%s %s %s", name, self.random.choice(["=", "=", "+="]), self.value(names))
        self.add(at, "%s %%= 101", name)

    def element(self, at, names, _depth, _in_loop):
        self.add(at, "x[%s %% 8] = %s %% 101", self.value(names, 1), self.value(names))

    def call(self, at, names, _depth, _in_loop):
        self.add(at, "%s = helper(x, %s %% 50, %s %% 50)", self.random.choice(VARIABLES),
                 self.value(names, 1), self.value(names, 1))

    def leave(self, at, names, _depth, in_loop):
        self.add(at, "if %s:", self.condition(names))
        if in_loop and self.random.random() < 0.8:
            self.add(at + 1, self.random.choice(["break", "continue"]))
        else:
            self.add(at + 1, "x[0] = 99")
            self.add(at + 1, "return")

    def branch(self, at, names, depth, in_loop):
        self.add(at, "if %s:", self.condition(names))
        self.block(at + 1, names, depth, in_loop)
        if self.random.random() < 0.6:
            self.add(at, "else:")
            self.block(at + 1, names, depth, in_loop)

    def for_loop(self, at, names, depth, _in_loop):
        self.counters += 1
        name = "i%d" % self.counters
        self.add(at, "for %s in range(%s, %s %% 6, %d):", name,
                 self.random.choice(["0", "1", self.random.choice(names) + " % 3"]),
                 self.random.choice(names), self.random.choice([1, 1, 2]))
        self.block(at + 1, names + [name], depth, True)

    def while_loop(self, at, names, depth, _in_loop):
        self.counters += 1
        name = "w%d" % self.counters
        self.add(at, "%s = 0", name)
        self.add(at, "while %s < %d and %s:", name, self.random.randint(1, 5),
                 self.condition(names + [name], 0))
        self.add(at + 1, "%s += 1", name)
        self.block(at + 1, names + [name], depth, True)


def check(seed, folder, device):
    path = os.path.join(str(folder), "program%d.py" % seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(Program(seed).lines) + "\n")
    spec = importlib.util.spec_from_file_location("program%d" % seed, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = tessera.kernel(module.program).on(device)
    for n in (0, 3, 7):
        expected = [int(v) for v in np.random.default_rng(seed).integers(0, 20, 8)]
        x, out, expected_out = np.array(expected, np.int32), np.zeros(4, np.int32), [0] * 4
        module.program(expected, n, expected_out)
        kernel[1](x, n, out)
        assert (list(x), list(out)) == (expected, expected_out), "%s, n = %d" % (path, n)


@pytest.mark.parametrize("name, seeds", [("interp", range(12)), ("cpu", range(12, 16)),
                                         ("emu:sm_80", range(16, 18))])
def test_random_programs(name, seeds, tmp_path):
    device = tessera.Device(name)
    for seed in seeds:
        check(seed, tmp_path, device)


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        check(number, ".", tessera.Device(sys.argv[3]))
