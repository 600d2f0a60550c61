# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of tests/data/cutile/kernels.py, for a Python with cuda-tile and for one without.

Without, what cuTile's front end made of them is taken from that folder. To make it anew,
after a change of the kernels or of what tessera.cutile asks the front end for, run

    TESSERA_RECORD=1 python -m pytest tests/python/test_cutile.py

from the top of the checkout with a Python that has cuda-tile.
"""
import hashlib
import importlib.util
import linecache
import os
from typing import NamedTuple

from tessera import cutile
from tessera._cutile_args import Plain

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "cutile")
SOURCE = "tests/data/cutile/kernels.py"  # as messages name it
HAS_FRONT_END = importlib.util.find_spec("cuda") is not None and \
    importlib.util.find_spec("cuda.tile") is not None


class _DType(NamedTuple):
    name: str

    def __str__(self):
        return self.name


class _Scalar(NamedTuple):
    dtype: _DType


_PLAIN, _CONSTANT = Plain(), Plain(constant=True)
_WIDE = Plain(scalar=_Scalar(_DType("int64")))
_PARAMETERS = {
    "add": dict(a=_PLAIN, b=_PLAIN, c=_PLAIN, TILE=_CONSTANT),
    "scale": dict(x=_PLAIN, factor=_PLAIN, offset=_PLAIN, flag=_PLAIN, TILE=_CONSTANT),
    "sum_list": dict(arrays=_PLAIN, out=_PLAIN, TILE=_CONSTANT),
    "use_tuple": dict(pair=_PLAIN, out=_PLAIN, TILE=_CONSTANT),
    "wide": dict(x=_PLAIN, n=_WIDE),
    "transpose": dict(x=_PLAIN, y=_PLAIN, TM=_CONSTANT, TN=_CONSTANT),
    "talk": dict(x=_PLAIN),
    "demand": dict(x=_PLAIN),
    "demand_all": dict(x=_PLAIN),
    "gather_past_the_end": dict(x=_PLAIN, y=_PLAIN, TILE=_CONSTANT),
}


class _Function:
    def __init__(self, name):
        self.parameter_annotations = tuple(_PARAMETERS[name].values())
        self.pysig = self
        self.parameters = _PARAMETERS[name]
        self.pyfunc = self
        self.__name__ = name


class _Options:
    def opt_level_for_target(self, _target):
        return 3


class Recorded:
    """Has of a cuTile kernel what tessera.cutile looks at."""

    def __init__(self, name):
        self._annotated_function = _Function(name)
        self._compiler_options = _Options()


def _file(name, spec):
    digest = hashlib.sha256(repr(spec).encode()).hexdigest()[:12]
    return os.path.join(FOLDER, "%s-%s.tileirbc" % (name, digest))


def _read(kernel, spec, _architecture):
    name = kernel._annotated_function.pyfunc.__name__
    path = _file(name, spec)
    if not os.path.exists(path):
        raise AssertionError("%s was not recorded for %s; see the top of this file" % (name, spec))
    with open(path, "rb") as file:
        return file.read()


def _record(kernel, spec, architecture):
    data = _MAKE(kernel, spec, architecture)
    name = kernel._annotated_function.pyfunc.__name__
    with open(_file(name, spec), "wb") as file:
        file.write(data)
    return data


_MAKE = cutile._to_bytecode


def install(monkeypatch):
    """Takes the front end's place, or looks over its shoulder."""
    if not HAS_FRONT_END:
        monkeypatch.setattr(cutile, "_to_bytecode", _read)
    elif os.environ.get("TESSERA_RECORD"):
        monkeypatch.setattr(cutile, "_to_bytecode", _record)


def load():
    """name -> kernel."""
    if not HAS_FRONT_END:
        return {name: Recorded(name) for name in _PARAMETERS}
    # Under a name that doesn't say where the checkout lies, because it gets into the bytecode.
    with open(os.path.join(FOLDER, "kernels.py"), encoding="utf-8") as file:
        text = file.read()
    linecache.cache[SOURCE] = (len(text), None, text.splitlines(True), SOURCE)
    names = {"__name__": "kernels"}
    exec(compile(text, SOURCE, "exec"), names)
    return {name: names[name] for name in _PARAMETERS}
