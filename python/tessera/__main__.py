# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tessera ARGUMENTS` is the command `tessera ARGUMENTS`."""
from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._command import command


def main() -> NoReturn:
    """Becomes the command."""
    path = command()
    os.execv(path, [path] + sys.argv[1:])


if __name__ == "__main__":
    main()
