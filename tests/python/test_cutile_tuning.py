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
