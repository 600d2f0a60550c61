# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the .mlir and .test files below tests/ are run.

A test is one file with RUN: lines (shell commands, // RUN: in .mlir, # RUN: in .test):

    // RUN: %tessera check %s 2>&1 | FileCheck %s

Substitutions beyond lit's own (%s this file, %S its folder, %t a scratch path):

    %tessera    the command of this build        %examples   the folder examples/
    %python     a Python 3                       %kernels    the folder kernels/
    %tileiras   NVIDIA's, as we make it          %cuda       NVIDIA's toolkit
    %client_python  one that has cuTile, Triton, Tilus: TESSERA_CLIENT_PYTHON
    %cc         the C compiler                   %build      the build folder
    %amdgcn     assembles for gfx942: %amdgcn FILE.s -o FILE.o
    %source     the top of the checkout
    FileCheck, not, count, split-file            LLVM's test tools
    %source     the source tree                  %gpu        runs a program with the driver that
                                                 executes PTX on the emulator
    %hip               runs a program with the HIP that executes code objects on the emulator
    %transcript FILE   runs the commands written in FILE and compares what they print with what
                       FILE says; scripts/update-golden rewrites it (support/transcript.py)
    %npy               makes and compares NumPy files (support/npy.py)
    %png               holds PNG pictures against SVG ones (support/png.py)
    %sanitize_both FILE   the sanitizer's transcripts, on the interpreter and compiled
    %pattern NAME DIR ...   `tessera run ...` with and without a pattern (support/pattern.py)
    %engines DIR ...   `tessera run ...` on every engine; all must agree (support/engines.py)
    %mpirun MPI N PROGRAM ...  the program as N ranks (support/mpirun.py)
    %mutants FILE ...  each single mistake in a kernel of the block level (support/mutants.py)
    %documents --folder DIR ...  what pages of documents say can be typed (support/documents.py)
    %bridge TARGET ... kernels of kernels/ printed at the block level and back (support/bridge.py)
Features for REQUIRES: and UNSUPPORTED: lines: llvm (the compiler plugin was built), sanitized,
cuda-headers (NVIDIA's toolkit is installed), nvcc, cutile, triton, tilus, pytest, torch
and matplotlib (%client_python has them), openmpi and mpich (installed, with their plugins), llvm-mc (LLVM's assembler, for
%amdgcn), gpu (NVIDIA's), valgrind, zsh, fish, jq, clang-22, and the machine's own:
x86_64, aarch64, avx2, avx512f, avx512_bf16, avx512_vnni. TESSERA_MACHINE=avx2 or baseline hides what
it has beyond, as from the rest of the project.

Input files of tests go to a folder Inputs/, where lit doesn't look for tests.
"""
import ctypes.util
import os
import platform
import shutil
import subprocess
import sys

import lit.formats

config.name = "tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ttir"]
config.excludes = ["Inputs", "unit", "data", "fuzz", "house", "support"]
config.test_source_root = os.path.join(config.tessera_source, "tests")
config.test_exec_root = os.path.join(config.tessera_build, "tests", "lit")


def hidden(feature):
    """What TESSERA_MACHINE takes away, as src/base/processor.h says."""
    limit = os.environ.get("TESSERA_MACHINE", "avx512")
    vectors = ("avx", "fma", "f16c", "bmi")
    return limit != "avx512" and feature.startswith(
        vectors if limit == "baseline" else ("avx512", "avx_vnni"))


config.available_features.update(f for f in config.tessera_features if f)
config.available_features.add(platform.machine())
try:
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith(("flags", "Features")):
                found = line.split(":", 1)[1].split()
                config.available_features.update(f for f in found if not hidden(f))
                break
except OSError:
    pass

cuda_home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
if os.path.exists(os.path.join(cuda_home, "include", "cuda.h")):
    config.available_features.add("cuda-headers")
if os.access(os.path.join(cuda_home, "bin", "nvcc"), os.X_OK):
    config.available_features.add("nvcc")

if os.path.exists(config.llvm_mc):
    config.available_features.add("llvm-mc")

# What `tessera debug` edits lines with.
if any(ctypes.util.find_library(name) for name in ("edit", "readline")):
    config.available_features.add("line-editor")

# An MPI that a plugin was built for.
for mpi in ("openmpi", "mpich"):
    plugin = os.path.join(config.tessera_build, "lib", "libtessera-%s.so" % mpi)
    if shutil.which("mpirun." + mpi) and os.path.exists(plugin):
        config.available_features.add(mpi)

for program in ("valgrind", "zsh", "fish", "jq", "clang-22"):
    if shutil.which(program):
        config.available_features.add(program)

if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")

# A Python that has cuTile and Triton, for the tests of real clients: `pip install cuda-tile triton torch
# numpy pytest` there.
client_python = os.environ.get("TESSERA_CLIENT_PYTHON", sys.executable)
try:
    subprocess.run([client_python, "-c", "import importlib.util as u, numpy, sys\n"
                    "sys.exit(not u.find_spec('cuda') or not u.find_spec('cuda.tile'))"],
                   check=True, capture_output=True)
    config.available_features.add("cutile")
except (OSError, subprocess.CalledProcessError):
    pass
for feature, modules in [("triton", "triton torch"), ("tilus", "tilus torch"), ("torch", "torch"),
                         ("pytest", "numpy pytest"), ("matplotlib", "matplotlib")]:
    try:
        subprocess.run([client_python, "-c", "import importlib.util as u, sys\n"
                        "sys.exit(not all(map(u.find_spec, '%s'.split())))" % modules],
                       check=True, capture_output=True)
        config.available_features.add(feature)
    except (OSError, subprocess.CalledProcessError):
        pass

support = os.path.join(config.tessera_source, "tests", "support")
features = config.available_features
levels = [level for level, needs in [("baseline", set()), ("avx2", {"avx2", "fma"}),
                                     ("avx512", {"avx512f", "avx512bw", "avx512dq", "avx512vl"})]
          if "llvm" in features and needs <= features]
# The emulated GPU cards; TESSERA_TEST_CARDS names others, or none.
cards = os.environ.get("TESSERA_TEST_CARDS", "sm_80,gfx942,cuda,hip") if "llvm" in features else ""
config.substitutions += [
    ("%engines", "%s %s --tessera=%s --levels=%s --cards=%s" % (
        sys.executable, os.path.join(support, "engines.py"), config.tessera_command,
        ",".join(levels), cards)),
    ("%pattern", "%s %s --tessera=%s --levels=%s" % (
        sys.executable, os.path.join(support, "pattern.py"), config.tessera_command,
        ",".join(levels))),
    ("%sanitize_both", "%s %s %s %s" % (
        sys.executable, os.path.join(support, "sanitize_both.py"), config.tessera_command,
        ",".join(levels))),
    ("%gpu", "env TESSERA_CUDA_DRIVER=%s TESSERA_CUDA_CAPABILITY=9.0" % os.path.join(
        config.tessera_build, "libexec", "tessera", "compat", "libcuda.so.1")),
    ("%hip", "env TESSERA_HIP_LIBRARY=%s" % os.path.join(
        config.tessera_build, "libexec", "tessera", "compat", "libamdhip64.so.6")),
    ("%source", config.tessera_source),
    ("%tessera", config.tessera_command),
    ("%examples", os.path.join(config.tessera_source, "examples")),
    ("%kernels", os.path.join(config.tessera_source, "kernels")),
    ("%python", sys.executable),
    ("%transcript", "%s %s --source %s --build %s --scratch %%t" % (
        sys.executable, os.path.join(support, "transcript.py"), config.tessera_source,
        config.tessera_build)),
    ("%mpirun", "%s %s" % (sys.executable, os.path.join(support, "mpirun.py"))),
    ("%npy", "%s %s" % (sys.executable, os.path.join(support, "npy.py"))),
    ("%mutants", "%s %s %s %%t" % (sys.executable, os.path.join(support, "mutants.py"),
                                   config.tessera_command)),
    ("%documents", "%s %s %s %s --have %s --python %s" % (
        sys.executable, os.path.join(support, "documents.py"), config.tessera_source, config.tessera_build,
        ",".join(f for f in ("clang-22", "cutile", "gpu", "jq", "matplotlib", "mpich", "nvcc", "openmpi", "pytest",
                             "tilus", "torch", "triton")
                 if f in features), client_python)),
    ("%bridge", "%s %s %s %%t" % (sys.executable, os.path.join(support, "bridge.py"),
                                  config.tessera_command)),
    ("%png", "%s %s" % (sys.executable, os.path.join(support, "png.py"))),
    ("%build", config.tessera_build),
    ("%source", config.tessera_source),
    ("%tileiras", os.path.join(config.tessera_build, "libexec", "tessera", "compat", "tileiras")),
    ("%cuda", cuda_home),
    ("%client_python", client_python),
    ("%cc", config.c_compiler),
    ("%amdgcn", config.llvm_mc + " -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj"),
    (r"\bFileCheck\b", config.filecheck),
]
for tool in ("not", "count", "split-file"):
    config.substitutions.append((r"(?<![-\w./])%s(?=\s)(?!\s*[:=])" % tool,
                                 os.path.join(config.llvm_tools, tool)))

# Tests compile what they test; those of the cache switch it on in a folder of their own.
config.environment["TESSERA_CACHE"] = "off"
config.environment["TESSERA_TUNING"] = "off"

# What a sanitized build needs, also where nobody but lit sets it: without it the leak checker crashes
# in some tests (cmake/Flags.cmake). And what a test may be pointed to.
for pair in config.tessera_environment:
    config.environment.update([pair.split("=", 1)])
for name in ("TESSERA_MACHINE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
