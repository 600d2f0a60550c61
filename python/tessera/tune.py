# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding the fastest version of a kernel, and remembering it."""
from __future__ import annotations

import copy
import ctypes
import os
import sys
from contextlib import contextmanager
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _native_tune as tuning
from ._context import context
from .device import Device, default_device
from .module import Kernel, Module, grid_of

Value = Union[int, str]
Choice = Dict[str, Value]


def rounded(n: int) -> int:
    """A size up to two significant bits: sizes that are the same then share a record."""
    if n <= 2:
        return n
    step = 1 << (n.bit_length() - 2)
    return -(-n // step) * step


class Candidate(NamedTuple):
    """What became of a candidate."""
    choice: Choice
    #: "timed", "same", "not built", "failed", "wrong", "too slow", "pruned" or "untried"
    fate: str
    median_ms: float  #: 0: not timed
    spread_ms: float  #: between the quartiles
    samples: int
    problem: str


class Tuned:
    """The answer for some sizes: the fastest kernel, its grid and how it was found."""

    def __init__(self, choice: Choice, kernel: Kernel, grid: native.Grid, source: str, ms: float,
                 candidates: List[Candidate], ties: int = 0, noise: float = 0, repeats: int = 0):
        self.choice = choice  #: the value of each parameter
        self.kernel = kernel
        self.grid = (grid.x, grid.y, grid.z)
        self.source = source  #: "measured", "record", "nearest" or "default"
        self.ms = ms          #: by the measurement or the record; 0: unknown
        self.candidates = candidates
        self.ties = ties        #: candidates that may be as fast: noise hides which is
        self.noise = noise      #: how much times vary: between quartiles, a part of their median
        self.repeats = repeats  #: measurements that were made because the answer was in doubt
        self._grid = grid

    def __repr__(self) -> str:
        return "<tessera.Tuned %s: %.4g ms, %s>" % (
            " ".join("%s=%s" % item for item in self.choice.items()), self.ms, self.source)

    def __call__(self, *args: Any, **named: Any) -> None:
        self.kernel._launch(self._grid, args, named)


class Autotuned:
    """A kernel of which each launch takes the version that is fastest for its sizes."""

    def __init__(self, source, params: Mapping[str, Sequence[Value]], grid, *, where=(),
                 key: Optional[Sequence[str]] = None, kernel: Optional[str] = None,
                 device: Optional[Device] = None, seconds: float = 10, threads: int = 0,
                 tolerance: Optional[float] = None, level: int = 2, cold: bool = False,
                 exact: bool = False, again: bool = False, look_up_only: bool = False,
                 progress: Union[bool, Callable[[str, int, int], object]] = False):
        if not (isinstance(source, str) or callable(source)):
            raise TypeError("the source is a text with ${NAME}, or a function of the parameters")
        self._source, self._params, self._grid = source, dict(params), grid
        self._where = [where] if isinstance(where, str) or callable(where) else list(where)
        self._key, self._name, self._device = key, kernel, device
        self._level, self._progress = level, progress
        self._options = dict(seconds=seconds, threads=threads, tolerance=tolerance or 0, cold=cold,
                             exact=exact, again=again, look_up_only=look_up_only)
        self._first: Optional[Kernel] = None
        self._tuned: Dict[Tuple, Tuned] = {}  # by sizes
        self._choices: Dict[Tuple, Choice] = {}  # by similar sizes

    def __repr__(self) -> str:
        return "<tessera.Autotuned %s>" % " ".join(
            "%s=%s" % (name, ",".join(map(str, values))) for name, values in self._params.items())

    def __call__(self, *args: Any, **named: Any) -> None:
        """Launches the fastest version, which is looked for at the first call with these sizes."""
        self.tune(*args, **named)(*args, **named)

    def tune(self, *args: Any, **named: Any) -> Tuned:
        """The fastest version for these arguments, without launching it."""
        kernel = self._default_kernel()
        ordered = kernel._ordered(args, named)
        sizes = self._sizes(kernel, ordered)
        key = tuple(sizes.items())
        found = self._tuned.get(key)
        if found is None:
            found = self._tuned[key] = self._find(kernel, ordered, sizes)
        return found

    def _find(self, kernel, values, sizes) -> Tuned:
        """By what was found for similar sizes before, in this process or another, or by a search."""
        similar = tuple((name, n if self._options["exact"] else rounded(n))
                        for name, n in sizes.items())
        choice, finder = self._choices.get(similar), self
        if choice is not None:
            finder = copy.copy(self)
            finder._params = {name: [value] for name, value in choice.items()}
            finder._options = dict(self._options, look_up_only=True)
        found = _Tuning(finder, kernel, values, sizes).run()
        self._choices.setdefault(similar, found.choice)
        return found

    # ---- what it is made of ----

    def _sizes(self, kernel, values) -> Dict[str, int]:
        """The integers among the arguments, or those that `key` names."""
        sizes = {}
        for parameter, value in zip(kernel.parameters, values):
            if parameter.name is None or parameter.is_pointer or not parameter.elem.startswith("i"):
                continue
            if self._key is None or parameter.name in self._key:
                sizes[parameter.name] = int(value)
        missing = set(self._key or ()) - set(sizes)
        if missing:
            raise ValueError("key: the kernel has no integer %s" % ", ".join(sorted(missing)))
        return sizes

    def _text(self, choice, values) -> str:
        """The program of a choice."""
        if not isinstance(self._source, str):
            made = self._source(**values)
            return made if isinstance(made, str) else str(made)
        length, data = ctypes.c_size_t(), self._source.encode()
        pointer = context.make(native.ERROR_INPUT, "the text", tuning.choice_substitute, choice,
                               data, len(data), None, ctypes.byref(length))
        return context.take_string(pointer, length.value).decode()

    def _default_kernel(self) -> Kernel:
        """The first candidate that can be built, which says what the kernel takes."""
        if self._first is not None:
            return self._first
        problem = None
        with _space(self, {}, with_conditions=False) as space:
            for i in range(tuning.space_count(space)):
                choice = tuning.space_choice(space, i)
                try:
                    module = Module(self._text(choice, _values(choice, self._params)))
                    self._first = module.kernel(self._name, self._device or default_device())
                    return self._first
                except Exception as error:
                    problem = problem or error
        raise problem or ValueError("there is nothing to try")


def _values(choice, names) -> Choice:
    """The parameters (and sizes) of a choice of the library."""
    values: Choice = {}
    for name in names:
        number = ctypes.c_int64()
        if tuning.choice_int(choice, name.encode(), ctypes.byref(number)):
            values[name] = number.value
        else:
            values[name] = tuning.choice_word(choice, name.encode()).decode()
    return values


def _add_parameter(space, name, values):
    values = list(values)
    if not all(isinstance(v, str) for v in values) and not all(
            hasattr(v, "__index__") for v in values):
        raise TypeError("the values of %s are whole numbers or words, not %r" % (name, values))
    if all(isinstance(v, str) for v in values):
        words = (ctypes.c_char_p * len(values))(*[v.encode() for v in values])
        context.check(name, tuning.space_add_words, space, name.encode(), words, len(values))
    else:
        numbers = (ctypes.c_int64 * len(values))(*[v.__index__() for v in values])
        context.check(name, tuning.space_add_ints, space, name.encode(), numbers, len(values))


@contextmanager
def _space(tuned: Autotuned, sizes: Mapping[str, int], with_conditions: bool = True, keep=None):
    space = context.make(native.ERROR_MEMORY, "a space", tuning.space_create, context.handle)
    try:
        for name, values in tuned._params.items():
            _add_parameter(space, name, values)
        for name, n in sizes.items():
            context.check(name, tuning.space_set_size, space, name.encode(), n)
        for condition in tuned._where if with_conditions else ():
            if isinstance(condition, str):
                context.check(condition, tuning.space_add_condition, space, condition.encode())
            else:
                context.check("a condition", tuning.space_add_filter, space, keep(condition), None)
        yield space
    finally:
        with context.alone():
            tuning.space_destroy(space)


class _Bar:
    """A line of progress on standard error."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.drawn, self.began = seconds, None, 0.0

    def draw(self, p) -> None:
        stage = tuning.STAGES[p.stage]
        if stage != "timing":
            self.began = p.seconds
        if self.drawn is not None and p.seconds - self.drawn < 0.1:
            return
        self.drawn = p.seconds
        if stage == "timing":
            part, words = (p.seconds - self.began) / self.seconds, "%d left" % (p.total - p.done)
        else:
            part, words = p.done / max(p.total, 1), "%d of %d" % (p.done, p.total)
        words += ", %d pruned" % p.pruned if p.pruned else ""
        words += ", best so far %.4g ms" % p.best_ms if p.best else ""
        sys.stderr.write("\r\033[K%s [%-20s] %s" % (stage, "#" * round(20 * min(part, 1)), words))
        sys.stderr.flush()

    def clear(self) -> None:
        if self.drawn is not None:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class _Tuning:
    """One call of tsr_tune. What a callback raises ends it, and is raised when it has ended."""

    def __init__(self, tuned: Autotuned, kernel: Kernel, values, sizes: Dict[str, int]):
        self.tuned, self.kernel, self.arguments, self.sizes = tuned, kernel, values, sizes
        self.raised: List[BaseException] = []
        self.bar = _Bar(tuned._options["seconds"])
        self.alive: List[Any] = []  # what the library has addresses of

    def guarded(self, kind, function, otherwise):
        def call(*args):
            if self.raised:
                return otherwise
            try:
                return function(*args)
            except BaseException as error:
                self.raised.append(error)
                return otherwise
        made = kind(call)
        self.alive.append(made)
        return made

    # ---- callbacks ----

    def names(self):
        return list(self.tuned._params) + list(self.sizes)

    def keep(self, condition):
        return self.guarded(tuning.KeepFn, lambda _user, choice: bool(
            condition(**_values(choice, self.names()))), False)

    def build(self, _user, choice):
        data = self.tuned._text(choice, _values(choice, self.tuned._params)).encode()
        return native.module_parse(context.handle, data, len(data), None, native.EXTENSIONS)

    def grid(self, _user, choice, out):
        grid = self.tuned._grid(**_values(choice, self.names()))
        out[0] = grid_of(tuple(grid) if isinstance(grid, list) else grid)
        return True

    def progress(self, _user, pointer):
        p, told = pointer.contents, self.tuned._progress
        if callable(told):
            told(tuning.STAGES[p.stage], p.done, p.total)
        elif told:
            self.bar.draw(p)
        return True

    # ---- the call ----

    def problem(self, space, raw):
        tuned = self.tuned
        p = tuning.Problem(struct_size=ctypes.sizeof(tuning.Problem),
                           device=self.kernel.device.handle, space=space, args=raw,
                           n_args=len(raw), level=tuned._level + 1,
                           kernel=self.kernel.name.encode())
        if isinstance(tuned._source, str):
            p.text = tuned._source.encode()
            p.length = len(p.text)
        else:
            p.build = self.guarded(tuning.BuildFn, self.build, None)
        if isinstance(tuned._grid, str):
            p.grid = tuned._grid.encode()
        else:
            p.grid_of = self.guarded(tuning.GridFn, self.grid, False)
        return p

    def options(self, store):
        return tuning.Options(struct_size=ctypes.sizeof(tuning.Options), store=store,
                              progress=self.guarded(tuning.ProgressFn, self.progress, False),
                              **self.tuned._options)

    def run(self) -> Tuned:
        with self.kernel._raw_arguments(self.arguments) as raw, \
                _space(self.tuned, self.sizes, keep=self.keep) as space:
            store = context.make(native.ERROR_MEMORY, "the store", tuning.store_open,
                                 context.handle, None)
            try:
                return self.call(self.problem(space, raw), self.options(store))
            finally:
                with context.alone():
                    tuning.store_close(store)

    def call(self, problem, options) -> Tuned:
        try:
            handle = context.make(native.ERROR_USAGE, "tuning", tuning.tune,
                                  ctypes.byref(problem), ctypes.byref(options))
        except Exception:
            if self.raised:
                raise self.raised[0] from None
            raise
        finally:
            self.bar.clear()
        try:
            if self.raised:
                raise self.raised[0]
            return self.answer(handle)
        finally:
            with context.alone():
                tuning.tuned_destroy(handle)

    def answer(self, handle) -> Tuned:
        tuned = self.tuned
        choice = tuning.tuned_choice(handle)
        values = _values(choice, tuned._params)
        module = Module(tuned._text(choice, values), extensions=callable(tuned._source))
        context.check("the level", native.module_set_level, module.handle, tuned._level)
        return Tuned(values, module.kernel(self.kernel.name, self.kernel.device),
                     tuning.tuned_grid(handle), tuning.SOURCES[tuning.tuned_source(handle)],
                     tuning.tuned_ms(handle), [self.candidate(handle, i) for i in
                                               range(tuning.tuned_count(handle))],
                     tuning.tuned_ties(handle), tuning.tuned_noise(handle),
                     tuning.tuned_repeats(handle))

    def candidate(self, handle, index) -> Candidate:
        o = tuning.Outcome()
        tuning.tuned_outcome(handle, index, ctypes.byref(o))
        return Candidate(_values(o.choice, self.tuned._params), tuning.FATES[o.fate], o.median_ms,
                         o.spread_ms, o.samples, (o.problem or b"").decode("utf-8", "replace"))


def autotune(params: Mapping[str, Sequence[Value]], *, grid: Any = None, source: Any = None,
             **options: Any) -> Any:
    """A kernel of which each launch takes the version that is fastest for its sizes.

        @tessera.autotune({"BM": [64, 32, 128]}, grid="cdiv(n, BM)")
        def scale(BM):
            return TEXT.replace("BM", str(BM))

        scale(x, y, n)

    It decorates kernels that are written in Python, too, of which it tries constants; the grid may
    then be given at each launch, as scale[grid](x, y).

    params    the values to try, by name: integers or words; the first ones make the candidate that
              others are compared with
    grid      up to three expressions in parameters and sizes ("cdiv(m, BM), cdiv(n, BN)"), or a
              function of them by name
    source    a text with `${NAME}`, or a function of the parameters that returns the text or a
              Module; without it, autotune decorates such a function
    where     a condition, an expression or a function, or several
    key       which of the kernel's integers are sizes (all); records are found by them
    kernel    its name, if there are several
    device    where it runs (default_device())
    seconds   how long timing may take, about
    threads   that compile (one per core)
    tolerance how far results may be from the first candidate's; below 0: they are not compared
    level     of the passes that compiling begins with
    cold      whether caches are emptied before each launch
    exact     whether a record is for these sizes alone
    again     measures, whatever was found before
    look_up_only   measures nothing: the record, that of the nearest sizes, or the default
    progress  True: draws a bar on standard error; or a function that is called with the stage, how
              many candidates are done, and of how many

    What was found is kept in the file that TESSERA_TUNING names (docs/tuning.md).
    """
    def make(tuned: Any) -> Any:
        from .lang._autotune import AutotunedKernel
        from .lang._launch import KernelFunction
        if isinstance(tuned, KernelFunction):
            return AutotunedKernel(tuned, params, grid, **options)
        if grid is None:
            raise TypeError("autotune needs a grid: expressions in parameters and sizes, or a "
                            "function of them")
        return Autotuned(tuned, params, grid, **options)

    return make if source is None else make(source)


def load_text(path: Union[str, os.PathLike]) -> str:
    """The text of a file, for `source`."""
    with open(path, encoding="utf-8") as file:
        return file.read()
