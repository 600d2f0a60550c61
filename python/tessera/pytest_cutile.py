# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs test suites that were written for "cuda" tensors on the CPU.

    tessera exec -- pytest tests/

Under `tessera exec` the driver library and `tileiras` are Tessera's. This plugin, which pytest finds
where the package is installed (`-p tessera.pytest_cutile` loads it elsewhere) and which does nothing
in other programs,

  - makes PyTorch's device "cuda" the host's memory, also where `tessera exec --no-torch` was used;
  - skips, with a reason, what truly needs hardware or NVIDIA's own libraries: tests of other array
    packages that talk to the GPU themselves, of several GPUs, of sharing memory between processes;
  - says at the end how many tests were skipped for which of these reasons.

`--cutile-keep` runs the skipped ones as well.
"""
from __future__ import annotations

import collections
import importlib.util
import os
import sys

import pytest

# What a test's file or function mentions, and why that cannot run here.
_NEEDS = (
    ("cupy", "CuPy allocates with NVIDIA's runtime library"),
    ("numba_cuda", "Numba compiles and launches with NVIDIA's libraries"),
    ("test_jax", "JAX's GPU plugin needs NVIDIA's libraries"),
    ("multi_gpu", "there is one device"),
    ("ipc", "memory is not shared between processes"),
    ("symmetric_memory", "memory is not shared between processes"),
)

_skipped = collections.Counter()


def _load_torch_on_host():
    """The mapping that `tessera exec` may have installed already."""
    for name in ("tessera_torch_on_host", "tessera.torch_on_host"):
        if name in sys.modules:
            return sys.modules[name]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_on_host.py")
    spec = importlib.util.spec_from_file_location("tessera_torch_on_host", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def pytest_addoption(parser):
    parser.addoption("--cutile-keep", action="store_true", default=False,
                     help="run tests that need a GPU's own libraries, too")


def _is_wanted(config):
    """Whether it was named, or this is a program under `tessera exec`."""
    named = getattr(config.known_args_namespace, "plugins", None) or ()
    return __name__ in named or os.environ.get("TESSERA_TORCH") == "host"


def pytest_configure(config):
    if not _is_wanted(config) or importlib.util.find_spec("torch") is None:
        return
    import torch
    try:
        _load_torch_on_host().install(torch)
    except OSError as error:
        raise pytest.UsageError(
            f"the driver library cannot be loaded ({error}): run pytest under `tessera exec --`")


def _reason(item):
    names = {item.name.split("[")[0], item.path.stem, *getattr(item, "fixturenames", ())}
    for word, reason in _NEEDS:
        if any(word in name for name in names):
            return reason
    return None


def pytest_collection_modifyitems(config, items):
    if config.getoption("--cutile-keep") or not _is_wanted(config):
        return
    for item in items:
        reason = _reason(item)
        if reason:
            _skipped[reason] += 1
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter):
    if not _skipped:
        return
    terminalreporter.section("skipped: needs a GPU's own libraries")
    for reason, count in _skipped.most_common():
        terminalreporter.write_line(f"{count:6}  {reason}")
