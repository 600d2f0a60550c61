# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip installs: packages, the command, the plugin for pytest."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest


def project():
    with open("python/pyproject.toml", encoding="utf-8") as file:
        return file.read()


def run(*arguments, **variables):
    path = os.pathsep.join(variables.pop("path", ()) + (os.path.abspath("python"),))
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, **variables})


def test_every_package_is_installed():
    packages = re.search(r"^packages = \[(.*?)\]", project(), re.M | re.S).group(1)
    found = {folder[len("python/"):].replace(os.sep, ".") for folder, _, files in
             os.walk("python/tessera") if "__init__.py" in files}
    assert set(re.findall(r'"([^"]+)"', packages)) == found


def test_command():
    said = run("tessera", "explain", "mmaf")
    assert said.returncode == 0 and "Multiplies two matrices" in said.stdout
    assert run("tessera", "explain", "nothing").returncode == 2
    assert run("tessera", "a", TESSERA_COMMAND="/bin/echo").stdout == "a\n"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
def test_source_distribution_configures(tmp_path):
    """The sources that it has are all that CMake reads."""
    with open("python/setup.py", encoding="utf-8") as file:
        listed = re.search(r"^SOURCES = \((.*?)\)$", file.read(), re.M | re.S).group(1)
    names = re.findall(r'"([^"]+)"', listed)
    assert "CMakeLists.txt" in names and "src" in names
    for name in names:
        into = tmp_path / "sources" / name
        into.parent.mkdir(parents=True, exist_ok=True)
        if os.path.isdir(name):
            shutil.copytree(name, into, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(name, into)
    said = subprocess.run(["cmake", "-S", tmp_path / "sources", "-B", tmp_path / "build",
                           "-DCMAKE_BUILD_TYPE=Release", "-DTESSERA_TESTS=OFF"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.fixture
def installed(tmp_path):
    """A folder with what pip would tell of the package's entry points."""
    info = tmp_path / "tessera_entry-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tessera_entry\nVersion: 1.0\n")
    entry = re.search(r"^\[project.entry-points.pytest11\]\n(.*)$", project(), re.M).group(1)
    (info / "entry_points.txt").write_text("[pytest11]\n" + entry.replace('"', "") + "\n")
    (tmp_path / "test_some.py").write_text("def test_ipc():\n    pass\n")
    return tmp_path


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None,
                    reason="where PyTorch is, the plugin works under `tessera exec` only")
def test_plugin(installed):
    """It leaves tests out under `tessera exec`, or where it is named; others it leaves alone."""
    def outcome(*options, **variables):
        said = run("pytest", "-q", "-p", "no:cacheprovider", *options,
                   str(installed / "test_some.py"), path=(str(installed),), **variables)
        assert said.returncode == 0, said.stdout + said.stderr
        return "1 passed" if "1 passed" in said.stdout else "1 skipped"

    assert outcome() == "1 passed"
    assert outcome(TESSERA_TORCH="host") == "1 skipped"
    assert outcome("-p", "tessera.pytest_cutile") == "1 skipped"
    assert outcome("-p", "tessera.pytest_cutile", "--cutile-keep") == "1 passed"
