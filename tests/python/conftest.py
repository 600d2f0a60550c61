# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package of the checkout is tested, with the library that TESSERA_LIBRARY names."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("TESSERA_CACHE", "off")
os.environ.setdefault("TESSERA_TUNING", "off")
os.chdir(ROOT)
