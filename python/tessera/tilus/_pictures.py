# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of Tilus, and of what a script became, as Tessera's: to compare, to cost and to draw."""
from __future__ import annotations

import os
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, List, Tuple

from ..layout import Layout
from ._layouts import Layout as Registers
from ._layouts import memory_text

_NAMED = re.compile(r"^#(\w+) = layout<(.*)>$", re.MULTILINE)


def layout_of(of: Any) -> Layout:
    """Of a RegisterLayout, a SharedLayout or a tensor that has one."""
    of = getattr(of, "optional_layout", of)
    if hasattr(of, "spatial_modes"):
        return Layout(str(Registers.of(of)))
    if hasattr(of, "mode_strides"):
        return Layout(memory_text(of))
    raise TypeError("expected a RegisterLayout or a SharedLayout of Tilus, found %s" % (
        type(of).__name__))


def layouts_in(text: str) -> List[Tuple[str, Layout]]:
    """The layouts of a kernel's text, each with the type that has it first."""
    out = []
    for name, layout in _NAMED.findall(text):
        first = re.search(r"\b(tile|shared|tensor_map)<([^,<>]+), #%s>" % name, text)
        if first:
            out.append(("%s<%s>" % first.groups(), Layout(layout)))
    return out


def draw(pictures: List[Tuple[str, Layout]], file: Any) -> Path:
    """Writes pictures: one as .svg or .png, any number as .html; without a file, opens them."""
    if file is None:
        handle, name = tempfile.mkstemp(suffix=".html", prefix="tessera-layout-")
        os.close(handle)
        path = draw(pictures, name)
        webbrowser.open(path.as_uri())
        return path
    path = Path(file)
    if path.suffix == ".html":
        path.write_text(_page(pictures), encoding="utf-8")
    elif len(pictures) != 1 or path.suffix not in (".svg", ".png"):
        raise ValueError("expected a file that ends in .html%s, found %s" % (
            ", .svg or .png" if len(pictures) == 1 else "", path.name))
    elif path.suffix == ".svg":
        path.write_text(pictures[0][1].svg(title=pictures[0][0] or None), encoding="utf-8")
    else:
        path.write_bytes(pictures[0][1].png(title=pictures[0][0] or None))
    return path


def _page(pictures) -> str:
    shown = ["<h2><code>%s</code></h2>\n%s" % (
        title.replace("<", "&lt;").replace(">", "&gt;"), layout._repr_html_())
        for title, layout in pictures]
    return "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Layouts</title>\n%s\n" % "\n".join(shown)


def install() -> None:
    """Has layouts of Tilus show themselves as pictures in notebooks."""
    from tilus.ir.layout import RegisterLayout, SharedLayout
    for kind in (RegisterLayout, SharedLayout):
        kind._repr_html_ = lambda self: layout_of(self)._repr_html_()
