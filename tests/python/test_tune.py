# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning and measuring: candidates as texts and functions, records, what is wrong."""
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


def test_sweep_and_plot(tmp_path):
    results = tessera.testing.sweep({"sum": lambda n: lambda: sum(range(n))}, [10, 20],
                                    rate=lambda n, ms: n / ms, warmup=1, rep=1, cold=False)
    assert len(results["sum"]) == 2
    path = tmp_path / "sweep.svg"
    pytest.importorskip("matplotlib")
    tessera.testing.plot([10, 20], results, str(path), y="elements a ms")
    assert path.stat().st_size > 0
