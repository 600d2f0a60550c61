# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.tilus: scripts of Tilus on arrays, in this process. What they became is launched wherever
NumPy is (tilus_recorded.py); that they still become that is tested where Tilus is installed."""
import os
import re

import numpy as np
import pytest

import tessera
import tessera.tilus
import tilus_recorded
from by_dlpack import ByDlpackOnly
from tessera.tilus import _build, _pictures, _scripts, _tuning
from tessera.tilus._launch import Launch, device_of_environment, evaluate

needs_tilus = pytest.mark.skipif(not tilus_recorded.HAS_TILUS, reason="tilus is not installed")


@pytest.fixture(params=["cpu", "interp"])
def device(request):
    return tessera.Device(request.param)


@pytest.fixture
def launch(device):
    """Launches what is recorded of a script."""
    def run(name, *args):
        Launch(tilus_recorded.load(name), device)(*args)
    return run


def normal(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


# ---- what scripts compute ------------------------------------------------------------------------


def test_hello(capfd, launch):
    launch("hello", 3)
    assert capfd.readouterr().out == "3 of blocks\n"


def test_add_one(launch):
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    launch("add_one", 100, a, b)
    np.testing.assert_array_equal(b, a + 1)


def test_product_in_registers(launch):
    a, b = normal(100, 64, dtype=np.float16), normal(64, 128, dtype=np.float16)
    c = np.zeros((100, 128), np.float16)
    launch("product", 100, a, b, c)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=2e-3, atol=2e-3)


def test_product_in_stages_and_parts(launch):
    a, b = normal(100, 192, dtype=np.float16), normal(192, 128, dtype=np.float16)
    c = np.zeros((100, 128), np.float32)
    launch("stages", 100, a, b, c)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-4, atol=1e-4)


def test_a_workspace_is_clean_again():
    """The semaphores of one launch are those of the next."""
    a, b = normal(100, 192, dtype=np.float16), normal(192, 128, dtype=np.float16)
    c = np.zeros((100, 128), np.float32)
    ready = Launch(tilus_recorded.load("stages"), tessera.Device("cpu"))
    for _ in range(3):
        c[:] = 0
        ready(100, a, b, c)
        np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-4, atol=1e-4)


def test_rows(launch):
    x, y, above = normal(5, 150), np.zeros((5, 150), np.float32), np.zeros(5, np.int32)
    launch("rows", 150, x, y, above)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(above, (x > x.mean(1, keepdims=True)).sum(1))


@pytest.mark.parametrize("which", [0, 2, 3, -1])
def test_parts_and_views(launch, which):
    """Of a part that there isn't, all is zero."""
    x = np.random.default_rng(1).integers(-128, 127, (3, 32, 8), dtype=np.int8)
    y, w = np.ones((8, 32), np.int8), np.ones((32, 8), np.int8)
    z = np.ones((32, 2), np.int32)
    launch("shapes", which, x, y, z, w)
    part = x[which] if which in (0, 2) else np.zeros_like(x[0])
    np.testing.assert_array_equal(y, part.T)
    np.testing.assert_array_equal(z, part.view(np.int32))
    np.testing.assert_array_equal(w, part)


@pytest.mark.parametrize("n,limit", [(5, 3), (8, 20), (1, 0)])
def test_loops_that_are_left(launch, n, limit):
    x = np.random.default_rng(n).integers(0, 9, (n, 32), dtype=np.int32)
    y = np.zeros((4, 32), np.int32)
    launch("ways", n, limit, x, y)
    total, power = x[:limit].sum(0), 1 << (n - 1).bit_length()
    wanted = [total, total * power if power > n else total - power,
              np.full(32, min(n, limit)), np.arange(32) % 2 == 0]
    np.testing.assert_array_equal(y, np.stack(wanted))


@pytest.fixture(params=["cpu", "interp", "emu:sm_90a"])
def hopper(request):
    """Devices with groups of threads, tensor copies and asynchronous products; watched where that can
    be."""
    return tessera.Device(request.param, sanitize=request.param != "cpu")


def test_a_product_of_roles(hopper):
    """Tensor copies and asynchronous products, in which the sanitizer finds nothing."""
    device = hopper
    a, b = normal(64, 96, dtype=np.float16), normal(128, 96, dtype=np.float16)
    c = np.zeros((64, 128), np.float16)
    Launch(tilus_recorded.load("roles"), device)(64, a, b, c)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4").T, rtol=2e-3, atol=2e-3)


def test_what_warps_have_of_their_own(hopper):
    x = np.zeros((2, 32), np.int32)
    Launch(tilus_recorded.load("warps"), hopper)(4, x)
    assert (x[0] == 4).all() and (x[1] == 4 + 0 + 1 + 2 + 3).all()


def test_nibbles_and_bits(launch):
    x = np.random.default_rng(0).integers(0, 256, (32, 4), dtype=np.uint8)
    y, bits = np.zeros((32, 4), np.uint8), np.zeros((32, 32), np.int32)
    launch("nibbles", x, y, bits)
    low, high = ((n.astype(int) * 3 - 4) & 15 for n in (x & 15, x >> 4))
    np.testing.assert_array_equal(y, low | high << 4)
    np.testing.assert_array_equal(bits, np.unpackbits(x, axis=1, bitorder="little"))


@pytest.mark.parametrize("n", [64, 100])
def test_bits_in_memory(launch, n):
    random = np.random.default_rng(n)
    x, y = random.integers(0, 256, 16, np.uint8), random.integers(0, 256, (4, 2, 8), np.uint8)
    z, before = np.full(n, 7, np.int32), y.copy()
    launch("bits", n, x, y, z)
    bits = np.unpackbits(x, bitorder="little")
    np.testing.assert_array_equal(z, bits[:n])
    np.testing.assert_array_equal(y[:, 1], ~before[:, 1])
    np.testing.assert_array_equal(y[2, 0], x[:8])
    np.testing.assert_array_equal(y[[0, 1, 3], 0], before[[0, 1, 3], 0])


def test_reshaped_shared_memory(launch):
    x, y = np.arange(32, dtype=np.int32), np.zeros((8, 4), np.int32)
    launch("reshaped", 7, x, y)
    np.testing.assert_array_equal(y, x.reshape(8, 4) + 1402)


def test_neighbours_for_several_instructions(launch):
    a, b = normal(32, 64, dtype=np.float16), normal(64, 16, dtype=np.float16)
    c = np.zeros((32, 16), np.float32)
    launch("vectors", a, b, c)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("more", [0, 1])
def test_a_product_that_outlives_its_iteration(hopper, more):
    device = hopper
    a, b = normal(64, 192, dtype=np.float16), normal(64, 192, dtype=np.float16)
    c, last = np.zeros((64, 64), np.float32), slice(128, 192)
    Launch(tilus_recorded.load("behind"), device)(64, more, a, b, c)
    wanted = a.astype("f4") @ b.astype("f4").T
    wanted += more * (a[:, last].astype("f4") @ b[:, last].astype("f4").T)
    np.testing.assert_allclose(c, wanted, rtol=1e-3, atol=1e-3)


def test_an_empty_grid(launch):
    b = np.ones(1, np.float32)
    launch("add_one", 0, np.zeros(1, np.float32), b)
    assert b[0] == 1


# ---- mistakes ------------------------------------------------------------------------------------


def line_of(number):
    with open(os.path.join(tilus_recorded.FOLDER, "scripts.py"), encoding="utf-8") as file:
        return file.read().splitlines()[number - 1].strip()


def square(*more):
    return normal(*more, 32, 32), np.zeros((32, 32), np.float32)


@pytest.mark.parametrize("name,check,line,message", [
    ("no_wait", "sync", "x = self.load_shared(first)", "that a cp_async is still copying to"),
    ("no_sync", "race", "x = self.load_shared(first)", "and no barrier stands between"),
    ("freed_early", "race", "self.free_shared(first)", "that threads may still be reading"),
    ("not_stored", "init", "y = self.load_shared(second)", "before anything was written there"),
    ("no_fence", "sync", "self.tma.shared_to_global(tile, gy, offsets=[0, 0])", "no fence_async"),
    ("no_bulk_wait", "sync", "self.tma.shared_to_global(tile, gy, offsets=[0, 0])",
     "when the kernel ends"),
])
def test_what_is_left_out_is_found(name, check, line, message):
    device = tessera.Device("interp", sanitize=True)
    with pytest.raises(tessera.SanitizerError) as raised:
        Launch(tilus_recorded.load(name), device)(*square())
    finding = raised.value.findings[0]
    assert (finding.check, finding.file) == (check, tilus_recorded.SOURCE)
    assert line_of(finding.line) == line and message in finding.message


@pytest.mark.parametrize("name,turns,why", [
    ("few_bytes", (), "got 2048 bytes more than were announced"),
    ("many_bytes", (), "lacks 4096 bytes"),
    ("wrong_phase", (3,), "for phase 2 of"),
])
def test_waits_that_never_end(name, turns, why):
    with pytest.raises(tessera.TesseraError, match="nothing is left to wake them") as raised:
        Launch(tilus_recorded.load(name), tessera.Device("interp"))(*turns, *square(*turns))
    place = re.search(r"scripts.py:(\d+):\d+: note: .* waits here .*" + why, str(raised.value))
    assert line_of(int(place.group(1))).startswith("self.mbarrier.wait(full, phase=")


def test_nothing_is_found_where_nothing_is_wrong():
    device = tessera.Device("interp", sanitize=True)
    for name, more in (("copied", 0), ("announced", 1)):
        x, y = square()
        Launch(tilus_recorded.load(name), device)(x, y)
        np.testing.assert_array_equal(y, x + np.float32(more))
    x, y = square(3)
    Launch(tilus_recorded.load("phases"), device)(3, x, y)
    np.testing.assert_array_equal(y, x[0] + x[1] + x[2])


@pytest.mark.parametrize("name", ["interp", "cpu", "emu:sm_90a"])
def test_blocks_that_fetch_for_each_other(name):
    device = tessera.Device(name, sanitize=name != "cpu")
    x = np.arange(64 * 32, dtype=np.int32).reshape(64, 32)
    y = np.zeros((2, 64, 32), np.int32)
    Launch(tilus_recorded.load("cluster"), device)(x, y)
    np.testing.assert_array_equal(y, [x, x + 1])


def test_a_race_is_found_in_its_line():
    device = tessera.Device("interp", sanitize=True)
    x, y = normal(32, 32), np.zeros((32, 32), np.float32)
    with pytest.raises(tessera.SanitizerError) as raised:
        Launch(tilus_recorded.load("race"), device)(x, y)
    finding = raised.value.findings[0]
    lines = open(os.path.join(tilus_recorded.FOLDER, "scripts.py")).read().splitlines()
    assert finding.check == "race" and finding.file == tilus_recorded.SOURCE
    assert "self.load_shared(stage)" in lines[finding.line - 1]
    assert "self.store_shared(stage, x)" in lines[finding.other_line - 1]


@pytest.mark.parametrize("a,problem,kind", [
    (np.zeros(100, np.float64), "expected an array of float32, found one of float64", TypeError),
    (np.zeros(200, np.float32)[::2], "the array is not contiguous", ValueError),
    (np.broadcast_to(np.float32(0), 100), "not contiguous|read-only", ValueError),
    ("x", "argument 1 .*: expected an array", TypeError),
])
def test_arrays_that_are_refused(launch, a, problem, kind):
    b = np.zeros(100, np.float32)
    with pytest.raises(kind, match=problem):
        launch("add_one", 100, a, b)
    assert not b.any()


def test_arrays_by_dlpack(launch):
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    launch("add_one", 100, ByDlpackOnly(a), ByDlpackOnly(b))
    np.testing.assert_array_equal(b, a + 1)
    b[:] = 0
    with pytest.raises(ValueError, match="argument 1 .*: the array lies on a cuda device"):
        launch("add_one", 100, ByDlpackOnly(a, (2, 0)), b)
    assert not b.any()


def test_addresses(launch):
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    launch("add_one", 100, a.ctypes.data, b.ctypes.data)
    np.testing.assert_array_equal(b, a + 1)


def test_numbers_that_are_refused(launch):
    a = np.zeros(100, np.float32)
    with pytest.raises(TypeError, match="argument 0 .*: expected a whole number, found float"):
        launch("add_one", 1.5, a, a.copy())
    with pytest.raises(OverflowError, match="argument 0"):
        launch("add_one", 1 << 40, a, a.copy())
    with pytest.raises(TypeError, match="add_one takes 3 arguments, not 2"):
        launch("add_one", 1, a)


def test_what_launchers_compute():
    assert evaluate(["/", ["+", "0", 63], 64], [65]) == 2
    assert evaluate(["/", "0", 2], [-3]) == -1 and evaluate(["%", "0", 2], [-3]) == -1  # as in C
    assert evaluate(["min", "0", ["*", "1", ["-", 7, 4]]], [8, 2]) == 6
    assert evaluate(5, []) == 5


def test_the_device_that_exec_says(monkeypatch):
    for name in ("TESSERA_SANITIZE", "TESSERA_CUDA_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    assert device_of_environment() is None
    monkeypatch.setenv("TESSERA_CUDA_DEVICE", "interp")
    assert device_of_environment().name == "interp" and not device_of_environment().sanitize
    monkeypatch.setenv("TESSERA_SANITIZE", "1")
    assert device_of_environment().sanitize


# ---- schedules -----------------------------------------------------------------------------------


class Compiled:
    def __init__(self, program):
        self.program = program


def broken(program):
    return program._replace(text=program.text.replace("addf", "no_such_operation"))


def with_workspace(program):
    text = program.text.replace("%b_ptr: tile<ptr<f32>>",
                                "%b_ptr: tile<ptr<f32>>, %workspace0: tile<ptr<i8>>")
    return program._replace(text=text, workspaces=[["0", False]])


def test_the_fastest_schedule():
    """Schedules that can't be built are left out; all are given the same arguments."""
    plain = tilus_recorded.load("add_one")
    programs = [broken(plain), plain, with_workspace(plain)]
    schedules = _tuning.Schedules([Compiled(p) for p in programs], tessera.Device("cpu", threads=1))
    a, b = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    best = schedules.best([1000, a, b])
    assert best.program in programs[1:] and not b.any()
    fates = [c.fate for c in next(iter(schedules._tuned._tuned.values())).candidates]
    assert fates.count("timed") + fates.count("same") == 2


def test_no_schedule_can_be_built():
    program = broken(tilus_recorded.load("add_one"))
    with pytest.raises(tessera.InputError, match="no_such_operation"):
        _tuning.Schedules([Compiled(program)] * 2, tessera.Device("cpu"))


def test_files_of_programs(tmp_path):
    program = tilus_recorded.load("stages")
    _build.write_program(tmp_path, program)
    assert _build.read_program(tmp_path) == program and len(list(tmp_path.iterdir())) == 1


# ---- pictures ------------------------------------------------------------------------------------


def test_pictures_of_a_kernel(tmp_path):
    text = tilus_recorded.load("roles").text
    pictures = _pictures.layouts_in(text)
    assert [t for t, _ in pictures] and len(pictures) == text.count("= layout<")
    kinds = dict(pictures)
    assert kinds["tile<64x64xf32>"] == tessera.Layout("local(1, 1) * wgmma.m64n64k16.C")
    assert kinds["shared<2x64x32xf16>"].kind == "memory"
    page = _pictures.draw(pictures, tmp_path / "a.html").read_text()
    assert page.count("<svg") == len(pictures) and "tile&lt;64x64xf32&gt;" in page
    assert _pictures.draw(pictures[:1], tmp_path / "a.svg").read_text().startswith("<svg")
    assert _pictures.draw(pictures[:1], tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    for several, name in ((pictures, "a.svg"), (pictures[:1], "a.txt")):
        with pytest.raises(ValueError, match="expected a file that ends in .html"):
            _pictures.draw(several, tmp_path / name)
    with pytest.raises(TypeError, match="expected a RegisterLayout or a SharedLayout of Tilus"):
        tessera.tilus.layout(5)


def test_pictures_are_opened(monkeypatch):
    opened = []
    monkeypatch.setattr(_pictures.webbrowser, "open", opened.append)
    path = _pictures.draw([("", tessera.Layout("spatial(2, 3)"))], None)
    assert opened == [path.as_uri()] and "<svg" in path.read_text()
    path.unlink()


# ---- with Tilus ----------------------------------------------------------------------------------


@needs_tilus
@pytest.mark.parametrize("name", tilus_recorded.CASES)
def test_scripts_become_what_is_recorded(name):
    if os.environ.get("TESSERA_RECORD"):
        tilus_recorded.record(name)
    assert tilus_recorded.made(name) == tilus_recorded.load(name)


@needs_tilus
def test_launching_scripts(device):
    scripts = tilus_recorded.scripts()
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    tessera.tilus.launch(scripts.AddOne(), 100, a, b, device=device)
    np.testing.assert_array_equal(b, a + 1)
    tessera.tilus.launch(scripts.AddOne(64), n=100, a_ptr=a, b_ptr=b, device=device)
    kernel = tessera.tilus.compile(scripts.AddOne(64), 100, a, b, device=device)
    assert "threads(128)" in str(kernel.module)
    with pytest.raises(TypeError, match="takes 3 arguments"):
        tessera.tilus.launch(scripts.AddOne(), 100, a)
    with pytest.raises(TypeError, match="expected an instance of a tilus.Script, found int"):
        tessera.tilus.launch(5)


@needs_tilus
def test_debugging_scripts():
    scripts = tilus_recorded.scripts()
    x, y = normal(32, 32), np.zeros((32, 32), np.float32)
    found = tessera.tilus.debug(scripts.Race(), x, y)
    assert [f.check for f in found] == ["race"] and found[0].file.endswith("scripts.py")
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    assert tessera.tilus.debug(scripts.AddOne(), 100, a, b) == []


@needs_tilus
def test_what_is_missing_is_named():
    with pytest.raises(tessera.Unsupported, match=r"scripts.py:\d+: a group of the threads 0 to 16: "
                                                  r"not supported by Tessera yet; use whole"):
        tessera.tilus.launch(tilus_recorded.scripts().Group(), np.zeros(1, np.float32))


@needs_tilus
def test_a_variable_of_several_values():
    with pytest.raises(tessera.Unsupported, match=r"scripts.py:\d+: a variable that only some of"):
        tessera.tilus.launch(tilus_recorded.scripts().Divided(), 4, np.zeros(64, np.int32))


@needs_tilus
@pytest.mark.parametrize("script,case,what,instead", [
    ("Registers", "printed", "printing a tensor that is not in registers", "load it into a register"),
    ("Registers", "assigned", "a view of registers that were assigned in line [0-9]+ after", "make the"),
    ("Shared", "bits", "elements of 1 bit in shared memory", "keep their bytes there"),
    ("Shared", "address", "the address of an item outside of global memory", "take the address of a"),
    ("Shared", "reshaped", "a part, a copy or a product of a reshaped shared tensor", "reshape the part"),
    ("Shared", "pending", "copy_async_wait_group with a number that is not constant", "wait for a const"),
    ("Shared", "mapped", "cluster.map_shared_addr of anything but an mbarrier", "map what"),
    ("Products", "product", "the result of wgmma.mma, without a wait", "wait for it with wgmma.wait_gr"),
    ("Blocks", "two", "tensor copies of two blocks together", "use cta_group=1"),
    ("Blocks", "bytes", "a number of bytes that is not constant", "make it a constant"),
    ("Blocks", "together", "cluster.sync in a thread group", "call it where all threads"),
])
def test_what_is_refused_has_its_line(script, case, what, instead):
    tilus_recorded.scripts()  # from the same folder
    import refused
    with open(refused.__file__, encoding="utf-8") as file:
        line = next(i for i, text in enumerate(file, 1) if text.endswith("  # %s\n" % case))
    dtype = np.float32 if script in ("Registers", "Shared") else np.float16
    x = np.ones((64, 64), dtype)
    with pytest.raises(tessera.Unsupported, match=r"refused.py:%d: %s.*; %s" % (line, what, instead)):
        tessera.tilus.launch(getattr(refused, script)(case), 1, x)
    assert (x == 1).all()


@needs_tilus
def test_layouts_of_tilus(tmp_path):
    from tilus.ir.layout.ops import local, shared_row_major_swizzle, spatial
    layout = local(2, 1).spatial(8, 4).local(1, 2)
    assert tessera.tilus.layout(layout) == tessera.Layout("mma.m16n8k16.C")
    shared = shared_row_major_swizzle([64, 64], 2)
    assert tessera.tilus.layout(shared).kind == "memory"
    for of in (layout, shared):  # in Tilus' words, both ways
        assert tessera.tilus.layout(of).to("tilus") == str(of)
        assert tessera.Layout(str(of)) == tessera.tilus.layout(of)
    path = tessera.tilus.visualize(spatial(2, 3), file=tmp_path / "a.svg")
    assert path.read_text() == tessera.Layout("spatial(2, 3)").svg()
    page = tessera.tilus.visualize(tilus_recorded.scripts().Product(), 100, 128, 64, None, None,
                                   None, file=tmp_path / "a.html").read_text()
    assert "xf32&gt;" in page
    _pictures.install()
    assert "<svg" in layout._repr_html_()


@needs_tilus
def test_constants_make_instances():
    script = tilus_recorded.scripts().Product()
    of = {n: _scripts.instance_of(script, (100, n, 64, None, None, None), {})[0] for n in (64, 128)}
    again, _ = _scripts.instance_of(script, (500, 64, 64, None, None, None), {})
    assert again is of[64] and again is not of[128]
    assert "tensor_view<64x128xf16" in of[128].program().text


@needs_tilus
def test_a_script_that_tilus_refuses():
    import tilus

    class Wrong(tilus.Script):
        def __call__(self, n: int):
            self.attrs.blocks = 1
            self.attrs.warps = 1
            self.no_such_instruction(n)

    with pytest.raises(RuntimeError, match="no_such_instruction"):
        tessera.tilus.launch(Wrong(), 1)


@needs_tilus
def test_what_tilus_has_no_layout_for():
    """Its own words, from its own inference of layouts."""
    import tilus
    from tilus import float32
    from tilus.ir.layout.inference.rule import LayoutInferenceError

    class Repeats(tilus.Script):
        def __call__(self, x_ptr: ~float32):
            self.attrs.blocks = 1
            self.attrs.warps = 1
            g = self.global_view(x_ptr, dtype=float32, shape=[32])
            x = self.load_global(g, offsets=[0], shape=[16])
            self.store_global(g, self.repeat(x, [2]), offsets=[0])

    with pytest.raises(LayoutInferenceError, match="do not have a layout inference rule"):
        tessera.tilus.launch(Repeats(), np.zeros(32, np.float32))


@needs_tilus
@pytest.mark.parametrize("of,problem,kind", [
    (lambda t: t.zeros(100, device="meta"), "lies on device meta", ValueError),
    (lambda t: t.zeros(100).to_sparse(), "a sparse tensor is not taken", TypeError),
    (lambda t: t.zeros(100, dtype=t.float16), "expected an array of float32", TypeError),
    (lambda t: t.zeros(200)[::2], "the array is not contiguous", ValueError),
])
def test_tensors_that_are_refused(device, of, problem, kind):
    import torch
    b = torch.zeros(100)
    with pytest.raises(kind, match="argument 1 .*" + problem):
        tessera.tilus.launch(tilus_recorded.scripts().AddOne(), 100, of(torch), b, device=device)
    assert not b.any()
