# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of Tilus without a GPU and without nvcc.

    import tilus, torch, tessera.tilus

    class AddOne(tilus.Script): ...

    tessera.tilus.launch(AddOne(), n, a, b)             # tensors of the CPU, NumPy arrays
    findings = tessera.tilus.debug(AddOne(), n, a, b)
    print(tessera.tilus.compile(AddOne(), n, a, b).module)

Tilus' own front end goes through the script, and its own passes find the layouts; what is made of
the result is a kernel of the block level (docs/block-level.md). `tessera exec -- python script.py`
does that with scripts as they are, which call their kernels themselves.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterable, List, Optional, Tuple, Union

from ..device import Device, default_device
from ..errors import Finding, SanitizerError
from ..layout import Layout
from ..module import Kernel
from ._launch import Launch

__all__ = ["compile", "debug", "install", "launch", "layout", "visualize"]


def _ready(script, args, named, device: Device) -> Tuple[Launch, Tuple[Any, ...]]:
    """The launch of a script's first schedule for some arguments, and those of the kernel."""
    from ._scripts import instance_of
    instance, args = instance_of(script, args, named)
    return instance.launch(device), tuple(args[i] for i in script.kernel_params)


def launch(script: Any, *args: Any, device: Optional[Device] = None, **named: Any) -> None:
    """Runs a script as calling it would, and returns when all tile blocks have ended.

    script   an instance of a tilus.Script; of one with @tilus.autotune, the first schedule that
             can be built is run
    args     as for a call of it: numbers, and arrays in host memory (PyTorch, NumPy, DLPack)
    device   what executes it; default_device()

    Raises what Tilus raises for a wrong script, Unsupported for what Tessera can't do (with the
    script's line), TypeError, ValueError or OverflowError for a wrong argument.
    """
    ready, values = _ready(script, args, named, device or default_device())
    ready(*values)


def compile(script: Any, *args: Any, device: Optional[Device] = None, **named: Any) -> Kernel:
    """The kernel that `launch` would execute for these arguments: `str(k.module)` is its text."""
    return _ready(script, args, named, device or default_device())[0].kernel


def debug(script: Any, *args: Any, checks: Union[bool, str, Iterable[str]] = "all",
          order: str = "forward", seed: int = 0, stop: bool = False, strict: bool = False,
          on_output: Optional[Callable[[str], object]] = None, **named: Any) -> List[Finding]:
    """Runs a script under the interpreter and its sanitizer, and returns what it found, each with
    the script's file and line: races, missing barriers and waits, unwritten memory, accesses out of
    bounds. Nothing found: [].

    checks      names of "bounds", "assume", "init", "race", "arith", "sync"; "all"
    order       of the tile blocks: "forward", "reverse", "shuffled" (by `seed`)
    stop        at the first finding
    strict      raise SanitizerError instead of returning findings
    on_output   called with what the kernel prints (sys.stdout)

    A script whose own parameter has one of these names is given it by position.
    """
    options = {} if on_output is None else {"on_output": on_output}
    device = Device("interp", sanitize=checks, order=order, seed=seed, sanitize_stop=stop,
                    **options)
    try:
        ready, values = _ready(script, args, named, device)
        ready(*values)
    except SanitizerError as error:
        if strict or error.diagnostics:  # an assert failed as well
            raise
        return list(error.findings)
    return []


def layout(of: Any) -> Layout:
    """A layout of Tilus as Tessera's, which compares it, says what it costs and draws it: of a
    RegisterLayout, a SharedLayout or a tensor that has one."""
    from ._pictures import layout_of
    return layout_of(of)


def visualize(of: Any, *args: Any, file: Any = None, **named: Any) -> Path:
    """Draws a layout of Tilus, or all layouts of what a script becomes for some arguments.

    of      a RegisterLayout, a SharedLayout, a tensor, or an instance of a tilus.Script
    args    of the script, as for a call of it
    file    what to write: .html, and for a single layout .svg or .png; without it, a page is
            written to the folder for temporary files and opened in a browser

    Returns the file's path. Raises ValueError for a name that ends otherwise.
    """
    from ._pictures import draw, layout_of, layouts_in
    if hasattr(of, "script_cls"):
        return draw(layouts_in(str(compile(of, *args, device=Device("interp"), **named).module)), file)
    return draw([("", layout_of(of))], file)


def install(module: Any = None) -> None:
    """Has every call of a script in this process be made by Tessera, as `tessera exec` does.
    `module` is tilus.lang.instantiated_script, which is imported when it is not given."""
    from ._scripts import install as into
    if module is None:
        from tilus.lang import instantiated_script as module
    into(module)
