# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records in front of cuTile's search, with a module in its place."""
import types
from collections import namedtuple

import numpy as np
import pytest

from tessera.cutile_tuning import search_with_records

Measurement = namedtuple("Measurement", "config mean_us num_samples error_margin_us")
TuningResult = namedtuple("TuningResult", "best successes failures")
cutile = types.SimpleNamespace(Measurement=Measurement, TuningResult=TuningResult)


def kernel(x, tile):
    return x


@pytest.fixture
def searches(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_TUNING", str(tmp_path / "tuning.sqlite"))
    return []


def search(searches, configs, n, of=kernel, scalar=1, **options):
    def real(space, *_args, **_options):
        searches.append(list(space))
        found = [Measurement(c, 10.0 * c["t"], 5, 0.5) for c in space]
        return TuningResult(found[0], tuple(found), ())

    return search_with_records(cutile, real, [{"t": t} for t in configs], 0, lambda c: (1,), of,
                               lambda c: (np.zeros((n, 8), np.float32), scalar, [1.5], c["t"]),
                               quiet=True, **options)


def test_second_search(searches):
    first = search(searches, [1, 2], 1000)
    second = search(searches, [1, 2], 1024)
    assert len(searches) == 1
    assert second.best.config == {"t": 1} and second.best.num_samples == 5
    assert second.best.mean_us == pytest.approx(first.best.mean_us)
    assert second.best.error_margin_us == pytest.approx(first.best.error_margin_us)
    assert [m.config for m in second.successes] == [{"t": 1}, {"t": 2}]


def test_other_searches(searches):
    search(searches, [1, 2], 1000)
    search(searches, [1, 2, 3], 1000)
    search(searches, [1, 2], 3000)
    search(searches, [1, 2], 1000, scalar=7)
    search(searches, [1, 2], 1000, of=lambda x, tile: x + 1)
    search(searches, [1, 2], 1000, flush_l2=False)
    assert len(searches) == 6


def test_odd_searches(searches):
    """What records cannot describe is searched for each time."""
    for _ in range(2):
        search(searches, [1, 2], 1000, of=7)
    assert len(searches) == 2


def test_no_records(searches, monkeypatch):
    monkeypatch.setenv("TESSERA_TUNING", "off")
    for _ in range(2):
        search(searches, [1], 1000)
    assert len(searches) == 2


class Kernel:
    """In the place of cuTile's."""

    def __init__(self, function):
        self._pyfunc = function


def hinted(searches, configs, kernel=Kernel(kernel), module=None, hints=dict, flag=True, quiet=True):
    def real(space, _stream, _grid, _kernel, _args, hints_fn, **_options):
        searches.append([hints_fn(c) for c in space])
        found = [Measurement(c, 10.0 * c["t"] + c["ctas"], 5, 0.5) for c in space]
        return TuningResult(found[0], tuple(found), ())

    module = module or types.SimpleNamespace(**vars(cutile), TileKernel=Kernel)
    return search_with_records(module, real, configs, 0, lambda c: (c["t"],), kernel,
                               lambda c: (np.zeros((8, 8), np.float32), flag, c["t"]), hints,
                               quiet=quiet)


CONFIGS = [{"t": t, "ctas": ctas} for t in (1, 2) for ctas in (1, 2, 4)]


def test_alike_on_a_cpu(searches, capsys):
    """Configurations that differ only in hints are measured once; the others get their times."""
    result = hinted(searches, CONFIGS, quiet=False)
    assert searches == [[CONFIGS[0], CONFIGS[3]]]
    assert {repr(m.config): m.mean_us for m in result.successes} == {
        repr(c): 10.0 * c["t"] + 1 for c in CONFIGS}
    assert result.best.config is CONFIGS[0]
    assert capsys.readouterr().out.startswith("4 other configurations differ from these only in hints")
    again = hinted(searches, CONFIGS)
    assert len(searches) == 1 and len(again.successes) == 6


def test_hints_on_a_card(searches, monkeypatch):
    monkeypatch.setenv("TESSERA_CUDA_DEVICE", "emu:sm_90a")
    hinted(searches, CONFIGS)
    assert searches == [CONFIGS]


def test_kernels_of_configurations(searches):
    """A function that gives the kernel of a configuration stands for all it gives."""
    kernels = {1: Kernel(lambda x: x + 1),
               2: Kernel(lambda x: x + 2),
               3: Kernel(lambda x: x + 3)}
    hinted(searches, CONFIGS, lambda c: kernels[c["t"]])
    hinted(searches, CONFIGS, lambda c: kernels[c["t"]])
    assert len(searches) == 1
    hinted(searches, CONFIGS, lambda c: kernels[c["t"] + 1])
    assert len(searches) == 2
    hinted(searches, CONFIGS, lambda c: kernels[c["ctas"] % 3 + 1])
    assert len(searches[2]) == 4  # as many as there are pairs of tile and kernel


def test_flags_choose_programs(searches):
    hinted(searches, CONFIGS, flag=True)
    hinted(searches, CONFIGS, flag=False)
    assert len(searches) == 2
