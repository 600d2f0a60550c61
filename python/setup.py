# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the libraries and the command into the package: those of ../build, which is built first if it
isn't there. A source distribution has the sources that this takes in its folder sources/, and builds them by CMake;
neither installs what building needs (scripts/deps lists it).

Set TESSERA_BUILD to take them from another build folder, TESSERA_SYSTEM_LIBRARY=1 to leave them out, for systems whose
loader finds them (packages of a distribution). scripts/wheel says in TESSERA_INSTALLED where an installation lies that
the package takes whole, and in TESSERA_PLATFORM which systems it is for.
"""
import os
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
# The sources of the libraries: in a source distribution, or around this folder in a checkout.
SHIPPED = os.path.join(HERE, "sources")
ROOT = SHIPPED if os.path.isdir(SHIPPED) else os.path.dirname(HERE)
# What building the libraries and the command reads.
SOURCES = ("CMakeLists.txt", "LICENSE", "bench", "cmake", "docs/tessera.1", "examples", "include", "kernels",
           "python/exec", "python/tessera", "scripts", "src", "tests/aarch64", "tests/unit")
COMMAND = "tessera"
FROM_SYSTEM = os.environ.get("TESSERA_SYSTEM_LIBRARY", "") not in ("", "0")
LIBRARIES = ("libtessera.so", "libtessera-ops.so", "libtessera-llvm.so")


def version():
    with open(os.path.join(ROOT, "include", "tessera", "base.h"), encoding="utf-8") as header:
        text = header.read()
    return ".".join(re.search(r"TSR_VERSION_%s (\d+)" % part, text).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        installed = os.environ.get("TESSERA_INSTALLED")
        if installed:
            shutil.copytree(installed, os.path.join(self.build_lib, "tessera"), dirs_exist_ok=True)
        elif not FROM_SYSTEM:
            self.take_build()

    def take_build(self):
        build = os.environ.get("TESSERA_BUILD", os.path.join(ROOT, "build"))
        if not os.path.exists(os.path.join(build, "lib", LIBRARIES[0])):
            configure = ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release"]
            if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
                configure += ["-DTESSERA_TESTS=OFF"] + (["-G", "Ninja"] if shutil.which("ninja") else [])
            subprocess.check_call(configure)
            parallel = [] if "CMAKE_BUILD_PARALLEL_LEVEL" in os.environ else ["--parallel"]
            subprocess.check_call(["cmake", "--build", build, "--target", "product"] + parallel)
        into = os.path.join(self.build_lib, "tessera", "lib")
        os.makedirs(into, exist_ok=True)
        for name in LIBRARIES:
            path = os.path.join(build, "lib", name)
            if os.path.exists(path):  # the compiler plugin is left out of builds without LLVM
                shutil.copy2(os.path.realpath(path), os.path.join(into, name))
        programs = os.path.join(self.build_lib, "tessera", "bin")
        os.makedirs(programs, exist_ok=True)
        if os.path.exists(os.path.join(build, "bin", COMMAND)):
            shutil.copy2(os.path.join(build, "bin", COMMAND), programs)


class SdistWithSources(sdist):
    def make_release_tree(self, base_dir, files):
        """Adds what ROOT has of SOURCES, without what builds leave there."""
        super().make_release_tree(base_dir, files)
        leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for name in SOURCES:
            path, into = os.path.join(ROOT, name), os.path.join(base_dir, "sources", name)
            os.makedirs(os.path.dirname(into), exist_ok=True)
            if os.path.isdir(path):
                shutil.copytree(path, into, ignore=leave)
            else:
                shutil.copy2(path, into)
        shutil.copy2(os.path.join(ROOT, "LICENSE"), base_dir)


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return not FROM_SYSTEM  # with libraries the wheel is for this kind of machine


class AnyPython(bdist_wheel):
    def get_tag(self):
        """The libraries are called through ctypes, which every Python 3 has."""
        platform = "any" if FROM_SYSTEM else os.environ.get("TESSERA_PLATFORM") or super().get_tag()[2]
        return "py3", "none", platform


setup(version=version(), cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": AnyPython,
                                    "sdist": SdistWithSources},
      distclass=WithLibraries)
