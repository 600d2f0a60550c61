# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the command `tessera` is."""
from __future__ import annotations

import os
import shutil

from . import _native as native


def command() -> str:
    """What TESSERA_COMMAND names, the one beside the library, or in PATH."""
    beside = os.path.dirname(os.path.realpath(native.library._name))
    for path in (os.environ.get("TESSERA_COMMAND"), os.path.join(beside, "..", "bin", "tessera")):
        if path and os.access(path, os.X_OK):
            return path
    found = shutil.which("tessera")
    if not found:
        raise FileNotFoundError("the command tessera was not found: build it with `make build`, or "
                                "name it with TESSERA_COMMAND")
    return found
