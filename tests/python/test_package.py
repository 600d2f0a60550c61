# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip installs."""
import os
import re


def test_every_package_is_installed():
    with open("python/pyproject.toml", encoding="utf-8") as file:
        packages = re.search(r"^packages = \[(.*?)\]", file.read(), re.M | re.S).group(1)
    found = {folder[len("python/"):].replace(os.sep, ".") for folder, _, files in
             os.walk("python/tessera") if "__init__.py" in files}
    assert set(re.findall(r'"([^"]+)"', packages)) == found
