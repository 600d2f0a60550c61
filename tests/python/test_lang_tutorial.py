# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs in the pages about kernels in Python, and in the notebook, run as they stand."""
import json
import re
import runpy

import pytest

import tessera.lang as tl

PAGES = ["docs/python-tutorial.md", "docs/python-kernels.md", "README.md",
         "docs/coming-from.md"]


def blocks_of(page, kinds=("python",)):
    """The page's blocks of Python as a program whose line numbers are the page's."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    program, inside = [], False
    for line in lines:
        if line.startswith("```"):
            inside = not inside and line[3:] in kinds
            line = ""
        program.append(line if inside else "")
    return "\n".join(program)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_TUNING", str(tmp_path / "tuning.sqlite"))

    def run_program(text, name):
        path = tmp_path / (re.sub(r"\W", "_", name) + ".py")
        path.write_text(text, encoding="utf-8")
        return runpy.run_path(str(path), run_name="tutorial")

    return run_program


@pytest.mark.parametrize("page", PAGES)
def test_page(page, run):
    run(blocks_of(page), page)


def test_page_with_torch(run):
    pytest.importorskip("torch")
    run(blocks_of(PAGES[1], ("python", "python torch")), "torch")


def test_there_are_twenty():
    with open(PAGES[0], encoding="utf-8") as file:
        assert re.findall(r"^## (\d+)\.", file.read(), re.M) == [str(n) for n in range(1, 21)]


def test_notebook(run, capsys):
    """The cells one after the other, as a notebook executes them, print what is kept with them."""
    with open("examples/python/kernels.ipynb", encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    program, expected = "", []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        program += "".join(cell["source"]) + "\n"
        for output in cell["outputs"]:
            expected += "".join(output.get("text", "")).splitlines()
    run(program, "notebook")
    assert capsys.readouterr().out.splitlines() == expected


def test_reference_is_complete():
    """Every name of the language has a text of its own and is in the page."""
    with open(PAGES[1], encoding="utf-8") as file:
        words = set(re.findall(r"\w+", file.read()))
    for name in tl.__all__:
        assert getattr(tl, name).__doc__, name
        assert name in words, name
