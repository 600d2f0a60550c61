# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scripts of tests/data/tilus/scripts.py, for a Python with Tilus and for one without.

Without, what became of them is taken from the files of that folder: the text of a kernel of the
block level, after a line that says how to launch it. To make these anew, after a change of the
scripts or of the translation, run

    TESSERA_RECORD=1 python -m pytest tests/python/test_tilus.py

from the top of the checkout with a Python that has Tilus.
"""
import importlib.util
import json
import os
import sys

from tessera.tilus._launch import Program

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "tilus")
SOURCE = "tests/data/tilus/scripts.py"  # as messages name it
HAS_TILUS = importlib.util.find_spec("tilus") is not None

#: What is recorded: a script and arguments for it, of which constants and divisors count, and what its
#: __init__ is given.
CASES = {
    "hello": ("Hello", (3,)),
    "add_one": ("AddOne", (100, None, None)),
    "product": ("Product", (100, 128, 64, None, None, None)),
    "stages": ("Stages", (100, 128, 192, 3, None, None, None)),
    "rows": ("Rows", (5, 150, None, None, None)),
    "shapes": ("Shapes", (1, None, None, None, None)),
    "ways": ("Ways", (5, 3, None, None)),
    "roles": ("Roles", (64, 128, 96, None, None, None)),
    "warps": ("Warps", (3, None)),
    "nibbles": ("Nibbles", (None, None, None)),
    "bits": ("Bits", (100, None, None, None)),
    "reshaped": ("Reshaped", (7, None, None)),
    "vectors": ("Vectors", (None, None, None)),
    "behind": ("Behind", (64, 64, 192, 1, None, None, None)),
    "race": ("Race", (None, None)),
    "copied": ("Copied", (None, None)),
    "no_wait": ("Copied", (None, None), {"without": "wait"}),
    "no_sync": ("Copied", (None, None), {"without": "sync"}),
    "freed_early": ("Copied", (None, None), {"without": "sync before free"}),
    "not_stored": ("Copied", (None, None), {"without": "store"}),
    "announced": ("Announced", (None, None)),
    "no_fence": ("Announced", (None, None), {"wrong": "fence"}),
    "no_bulk_wait": ("Announced", (None, None), {"wrong": "wait"}),
    "few_bytes": ("Announced", (None, None), {"nbytes": 2048}),
    "many_bytes": ("Announced", (None, None), {"nbytes": 8192}),
    "cluster": ("Cluster", (64, None, None)),
    "phases": ("Phases", (3, None, None)),
    "wrong_phase": ("Phases", (3, None, None), {"turns": 0}),
}


def scripts():
    """The module of scripts, as Tilus reads it."""
    if FOLDER not in sys.path:
        sys.path.insert(0, FOLDER)
    import scripts as module
    return module


def _path(name):
    return os.path.join(FOLDER, name + ".mlir")


def load(name) -> Program:
    """What is recorded."""
    with open(_path(name), encoding="utf-8") as file:
        head, text = file.read().split("\n", 1)
    return Program(text=text, **json.loads(head[len("// "):]))


def made(name) -> Program:
    """What Tilus and the translation make of the script now."""
    import tilus
    from tessera.tilus._scripts import instance_of
    script, args, init = (*CASES[name], {})[:3]
    program = instance_of(getattr(scripts(), script)(**init), args, {})[0].program()
    file = os.path.join(FOLDER, "scripts.py")
    text = program.text.replace(json.dumps(file), json.dumps(SOURCE))
    return program._replace(text=text.replace(os.path.dirname(tilus.__file__) + "/", "tilus/"))


def record(name) -> None:
    program = made(name)
    head = {k: v for k, v in program._asdict().items() if k != "text"}
    with open(_path(name), "w", encoding="utf-8") as file:
        file.write("// %s\n%s" % (json.dumps(head), program.text))
