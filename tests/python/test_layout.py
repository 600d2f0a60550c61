# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts from Python: the structures match the library's, and what it says arrives."""
import pytest

import tessera
from tessera import Layout


def test_looking():
    a = Layout("local(3, 4).spatial(2, 3)")
    assert (a.kind, a.shape, a.workers, a.slots, a.copies) == ("distribution", (6, 12), 6, 12, 1)
    for worker in range(6):
        for slot in range(12):
            i, j = a.element(worker, slot)
            assert (i, j) == (slot // 4 * 2 + worker // 3, slot % 4 * 3 + worker % 3)
            assert a.locate(i, j) == [(worker, slot)]
    with pytest.raises(IndexError):
        a.locate(6, 0)
    with pytest.raises(IndexError):
        a.element(6, 0)


def test_algebra():
    a, b = Layout("spatial(4, 2)"), Layout("local(2, 8)")
    assert a * b == Layout("spatial(4, 2).local(2, 8)")
    assert (a * b) / b == a and (a * b).left_divide(a) == b
    assert a.permute(1, 0).shape == (2, 4) and a.reshape(8).shape == (8,)
    assert a.reduce(0).copies == 4
    assert a != b and a != 3 and len({a, Layout("spatial(4, 2)")}) == 1
    with pytest.raises(tessera.InputError, match=r"divide"):
        Layout("spatial(3, 4)") / Layout("spatial(2, 2)")


def test_notations():
    a = Layout("mma.m16n8k16.C")
    for notation in ("tilus", "ck", "cute"):
        assert Layout(a.to(notation)) == a, notation
    assert repr(a) == "Layout(%r)" % str(a) and Layout(str(a)) == a
    with pytest.raises(ValueError, match="notation is one of"):
        a.to("latex")
    with pytest.raises(tessera.InputError) as caught:
        Layout("spatial(3, 4).locl(2, 2)")
    assert "^" in str(caught.value)


def test_memory():
    m = Layout("row_major(8, 64).swizzle(3, 3, 3)")
    assert m.kind == "memory" and m.shape == (8, 64) and m.offset(0, 5) == 5
    assert m.offset(1, 0) == 64 ^ 8
    with pytest.raises(tessera.UsageError, match="no workers"):
        m.workers
    with pytest.raises(tessera.UsageError, match="no offsets"):
        Layout("spatial(2)").offset(0)


def test_slices_begin_at_an_offset():
    m = Layout("(4,8):(8,1)[1:3, :]")
    assert (m.kind, m.shape, str(m)) == ("memory", (2, 8), "8 o (2,8):(8,1)")
    assert Layout(str(m)) == m != Layout("(2,8):(8,1)")


def test_costs():
    a = Layout("spatial(32, 1).local(1, 8)")
    cost = a.cost("row_major(32, 64)")
    assert (cost.ways, cost.wavefronts, cost.ideal_wavefronts) == (8, 32, 4)
    assert "8-way conflict" in str(cost)
    assert a.cost(a.propose_swizzle("row_major(32, 64)")).ways == 1
    assert a.conversion(Layout("spatial(32, 1).local(1, 8)")) == "none"
    with pytest.raises(tessera.UsageError):
        a.cost("spatial(2, 2)")
    with pytest.raises(tessera.UsageError):
        a.conversion(Layout("spatial(2, 2)"))


def test_pictures():
    a = Layout("spatial(32, 1).local(1, 8)")
    for color in ("owner", "slot", "heat"):
        assert a.svg(color, memory="row_major(32, 64)").startswith("<svg")
    assert a.svg(title="A tile", arrows_of=3).count("A tile") >= 1
    assert a.png().startswith(b"\x89PNG")
    assert a._repr_svg_().startswith("<svg") and "<figcaption>" in a._repr_html_()
    with pytest.raises(ValueError, match="color is"):
        a.svg("red")
