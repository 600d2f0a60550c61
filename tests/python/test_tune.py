# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning and measuring: candidates as texts and functions, records, what is wrong."""
import sys

import numpy as np
import pytest

import tessera
import tessera.testing

TEXT = tessera.load_text("examples/tune/saxpy.mlir")
N = 1000


@pytest.fixture(params=["cpu", "interp"])
def device(request):
    return tessera.Device(request.param)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_TUNING", str(tmp_path / "tuning.sqlite"))


def arrays():
    return np.arange(N, dtype=np.float32), np.ones(N, dtype=np.float32)


def saxpy(device, **options):
    options = {"source": TEXT, "grid": "cdiv(n, BLOCK)", "seconds": 0.05, **options}
    return tessera.autotune({"BLOCK": [64, 256, 1024]}, device=device, **options)


def test_text(device):
    tuned = saxpy(device)
    x, y = arrays()
    tuned(x, y, 2.0, N)
    assert np.array_equal(y, 2 * x + 1)
    best = tuned.tune(x, y, 2.0, N)
    assert best.source == "measured" and best.ms > 0
    assert best.grid == (-(-N // best.choice["BLOCK"]), 1, 1)
    assert {c.choice["BLOCK"] for c in best.candidates} == {64, 256, 1024}
    assert np.array_equal(y, 2 * x + 1)  # tuning leaves it
    tuned(x, y, n=N, a=1.0)
    assert np.array_equal(y, 3 * x + 1)


def test_functions(device):
    asked = []

    @tessera.autotune({"BLOCK": [64, 256], "order": ["row", "column"]},
                      grid=lambda BLOCK, order, n: -(-n // BLOCK),
                      where=lambda BLOCK, order, n: order == "row", device=device, seconds=0.05)
    def kernel(BLOCK, order):
        asked.append((BLOCK, order))
        return tessera.Module(TEXT.replace("${BLOCK}", str(BLOCK)))

    x, y = arrays()
    kernel(x, y, 2.0, N)
    assert np.array_equal(y, 2 * x + 1)
    assert set(asked) == {(64, "row"), (256, "row")}


def test_records(device, store):
    x, y = arrays()
    assert saxpy(device).tune(x, y, 2.0, N).source == "measured"
    again = saxpy(device).tune(x, y, 2.0, N)
    assert again.source == "record" and again.ms > 0
    again(x, y, 2.0, N)
    assert np.array_equal(y, 2 * x + 1)
    assert saxpy(device, again=True).tune(x, y, 2.0, N).source == "measured"
    assert saxpy(device, look_up_only=True).tune(x, y, 2.0, 300).source == "nearest"
    assert saxpy(device, look_up_only=True, level=0).tune(x, y, 2.0, N).source == "default"


def test_similar_sizes(device):
    """What was found for a size is good for similar ones, also where nothing is kept."""
    tuned = saxpy(device)
    x, y = arrays()
    first = tuned.tune(x, y, 2.0, N)
    similar = tuned.tune(x, y, 2.0, N - 50)
    assert similar.choice == first.choice and similar.source == "default"
    assert similar.grid == (-(-(N - 50) // first.choice["BLOCK"]), 1, 1)
    assert tuned.tune(x, y, 2.0, 300).source == "measured"
    tuned = saxpy(device, exact=True)
    assert [tuned.tune(x, y, 2.0, n).source for n in (N, N - 50)] == ["measured"] * 2


def test_rounded():
    assert [tessera.tune.rounded(n) for n in (-5, 0, 1, 2, 3, 5, 9, 1000, 1025)] == [
        -5, 0, 1, 2, 3, 6, 12, 1024, 1536]


def test_broken_candidates(device):
    tuned = tessera.autotune({"BLOCK": [100, 64]}, source=TEXT, grid="cdiv(n, BLOCK)",
                             device=device, seconds=0.05)
    x, y = arrays()
    best = tuned.tune(x, y, 2.0, N)
    assert best.choice == {"BLOCK": 64}
    assert best.candidates[0].fate == "not built"
    assert "power of two" in best.candidates[0].problem


def test_wrong_results(device):
    text = TEXT.replace("fma %a_all, %v, %w", "${OP} %v, %w").replace("%r = mulf", "%r = mulf")
    text = text.replace("%r = ${OP} %v, %w", "%r = ${OP} %v, %w rounding<nearest_even>")
    tuned = tessera.autotune({"OP": ["addf", "mulf"], "BLOCK": [64]}, source=text,
                             grid="cdiv(n, BLOCK)", device=device, seconds=0.05)
    x, y = arrays()
    best = tuned.tune(x, y, 2.0, N)
    assert [c.fate for c in best.candidates] == ["timed", "wrong"]
    assert "element" in best.candidates[1].problem


def test_progress_and_exceptions(device):
    stages = []
    x, y = arrays()
    saxpy(device, progress=lambda stage, done, total: stages.append(stage)).tune(x, y, 2.0, N)
    assert set(stages) == {"building", "checking", "timing"}

    def fail(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        saxpy(device, progress=fail).tune(x, y, 2.0, N)
    with pytest.raises(ZeroDivisionError):
        saxpy(device, grid=lambda BLOCK, n: n // 0).tune(x, y, 2.0, N)
    with pytest.raises(ZeroDivisionError):
        saxpy(device, where=lambda BLOCK, n: n // 0).tune(x, y, 2.0, N)


def test_bar(device, capsys):
    x, y = arrays()
    saxpy(device, progress=True).tune(x, y, 2.0, N)
    told = capsys.readouterr().err
    assert "\rbuilding" not in told and "building [" in told and told.endswith("\r\033[K")
    saxpy(device).tune(x, y, 2.0, N)
    assert not capsys.readouterr().err


def test_noise(device):
    x, y = arrays()
    best = saxpy(device, seconds=0.3).tune(x, y, 2.0, N)
    assert best.noise >= 0 and 0 <= best.ties < 3 and best.repeats >= 0
    assert sum(c.samples for c in best.candidates) <= 9 + best.repeats


def test_mistakes(device):
    x, y = arrays()
    with pytest.raises(TypeError, match="a text with"):
        tessera.autotune({}, grid="1", source=7)
    with pytest.raises(TypeError, match="whole numbers or words"):
        tessera.autotune({"BLOCK": [1.5]}, grid="1", source=TEXT, device=device).tune(x, y, 2.0, N)
    with pytest.raises(tessera.InputError, match="no parameter or size 'BLOCK'"):
        tessera.autotune({"B": [1]}, grid="1", source=TEXT, device=device).tune(x, y, 2.0, N)
    with pytest.raises(tessera.TesseraError, match="no parameter or size 'k'"):
        saxpy(device, grid="k").tune(x, y, 2.0, N)
    with pytest.raises(tessera.TesseraError, match="no candidate meets"):
        saxpy(device, where="BLOCK > n * 10").tune(x, y, 2.0, N)
    with pytest.raises(tessera.UsageError, match="the condition 'BLOCK >'"):
        saxpy(device, where="BLOCK >").tune(x, y, 2.0, N)
    with pytest.raises(ValueError, match="no integer k"):
        saxpy(device, key=["k"]).tune(x, y, 2.0, N)
    with pytest.raises(TypeError, match="takes 4 arguments"):
        saxpy(device).tune(x, y)


def test_bench(device):
    kernel = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)
    x, y = arrays()
    for cold in (False, True):
        times = tessera.testing.bench(kernel, 1, x, y, 0.0, N, warmup=1, rep=2, cold=cold)
        assert 0 < times.min <= times.p20 <= times.median <= times.p80 <= times.max
        assert times.samples >= 5
    assert np.array_equal(y, np.ones(N, dtype=np.float32))
    with pytest.raises(TypeError):
        tessera.testing.bench(kernel, 1, x, y)


def test_do_bench():
    calls = []
    do_bench = tessera.testing.do_bench
    median = do_bench(lambda: calls.append(1), warmup=1, rep=2, cold=False)
    assert median > 0 and len(calls) >= 4
    low, high = do_bench(lambda: None, warmup=1, rep=2, quantiles=[0.1, 0.9])
    assert low <= high
    every = do_bench(lambda: None, warmup=1, rep=2, return_mode="all", cold=False)
    assert every == sorted(every) and len(every) >= 3
    with pytest.raises(ValueError, match="return_mode"):
        do_bench(lambda: None, return_mode="best")


def test_do_bench_of_launches(device):
    kernel = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)
    x, y = arrays()
    do_bench, calls = tessera.testing.do_bench, []

    def launch():
        calls.append(1)
        kernel[1](x, y, 0.0, N)

    for cold in (False, True):
        calls.clear()
        every = do_bench(launch, warmup=1, rep=2, return_mode="all", cold=cold, device=device)
        assert every == sorted(every) and 5 <= len(every) <= len(calls)
    low, high = do_bench(launch, warmup=1, rep=2, quantiles=[0, 1], device=device)
    assert 0 < low <= high

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        do_bench(fail, device=device)


def test_do_bench_on_a_card():
    """Two launches take twice the estimate of one, each time the same."""
    try:
        card = tessera.Device("emu:sm_80")
        kernel = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", card)
    except tessera.TesseraError:
        pytest.skip("there is no compiler")
    x, y = arrays()

    def launch(times):
        for _ in range(times):
            kernel[1](x, y, 0.0, N)

    once, twice = (tessera.testing.do_bench(lambda: launch(times), return_mode="all", device=card)
                   for times in (1, 2))
    assert len(once) == len(twice) == 1 and twice[0] == pytest.approx(2 * once[0], rel=0.2)
    assert tessera.testing.bench(kernel, 1, x, y, 0.0, N).median == once[0]


def test_sweep():
    asked = []

    def make(n):
        asked.append(n)
        return lambda: sum(range(n))

    results = tessera.testing.sweep({"sum": make, "again": make}, [10, 20],
                                    rate=lambda n, ms: n / ms, warmup=1, rep=1, cold=False)
    assert list(results) == ["sum", "again"] and asked == [10, 20, 10, 20]
    assert all(len(rates) == 2 and min(rates) > 0 for rates in results.values())


@pytest.mark.parametrize("log", [False, True])
def test_plot(tmp_path, log):
    """What is drawn: a line for each function, named, through all of its points."""
    pytest.importorskip("matplotlib")
    from xml.etree import ElementTree
    path = tmp_path / "sweep.svg"
    tessera.testing.plot([256, 512, 1024], {"tessera": [1.0, 4.0, 9.0], "numpy": [2.0, 3.0, 5.0]},
                         path, x="n", y="GFLOP/s", title="a product", log=log)
    text = path.read_text()
    groups = {g.get("id") for g in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g")}
    assert "legend_1" in groups and {"line2d_1", "line2d_2"} <= groups
    for words in "tessera", "numpy", "GFLOP/s", "a product":
        assert "<!-- %s -->" % words in text
    tessera.testing.plot([1], {"f": [1.0]}, str(tmp_path / "sweep.png"))
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")


class Recorder:
    """In the place of matplotlib's modules and objects: keeps what is called on it."""

    def __init__(self, calls, name=""):
        self.calls, self.name = calls, name

    def __getattr__(self, name):
        return Recorder(self.calls, name)

    def __call__(self, *args, **options):
        self.calls.append((self.name, args, options))
        return (self, self) if self.name == "subplots" else self


def test_plot_by_its_calls(monkeypatch):
    calls = []
    fake = Recorder(calls)
    monkeypatch.setitem(sys.modules, "matplotlib", fake)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", fake)
    tessera.testing.plot([1, 2], {"f": [3.0, 4.0], "g": [5.0, 6.0]}, "out.png", y="GB/s", log=True)
    lines = [(args, options["label"]) for name, args, options in calls if name == "plot"]
    assert lines == [(([1, 2], [3.0, 4.0]), "f"), (([1, 2], [5.0, 6.0]), "g")]
    named = {name: args for name, args, _ in calls}
    assert named["savefig"] == ("out.png",) and named["use"] == ("Agg",)
    assert named["set_xscale"] == named["set_yscale"] == ("log",)


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="plot needs matplotlib: pip install matplotlib"):
        tessera.testing.plot([1], {"f": [1.0]}, "out.png")
