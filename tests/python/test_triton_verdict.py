# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdict of tests/clients/triton_language.py: a case that does not pass needs a known cause, however
many others pass."""
import importlib.util
import os

import pytest

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "clients")


def client():
    spec = importlib.util.spec_from_file_location("triton_language", os.path.join(CLIENTS, "triton_language.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PASSED = [["pass", "test_core.py::test_add[%d]" % i, "", False] for i in range(100)]
LATE = "TimeoutError: it takes too long"


def good(*rows):
    return client().judge(PASSED + [list(row) for row in rows])


def test_all_pass():
    assert good()


def test_nothing_is_not_enough():
    assert not client().judge([])


@pytest.mark.parametrize("row", [
    ("fail", "test_core.py::test_dot", "AssertionError: not close", False),
    ("fail", "test_core.py::test_dot", LATE, False),
    # Tessera's own mistakes look like those of another version.
    ("fail", "test_core.py::test_dot", "AttributeError: 'Kernel' object has no attribute 'x'", True),
    ("fail", "test_core.py", "Segmentation fault", False),
])
def test_one_without_a_cause_is_too_many(row, capsys):
    assert not good(row)
    assert row[1] in capsys.readouterr().out


@pytest.mark.parametrize("row", [
    ("fail", "test_core.py::test_a", "KeyError: \"Unknown key: 'ptx'\"", False),
    ("fail", "test_core.py::test_a", "AttributeError: module 'triton' has no attribute 'x'", False),
    ("fail", "test_core.py::test_a", "Unsupported: a.py:1:1: error: inline assembly", True),
    ("fail", "test_tensor_descriptor.py::test_mxfp8_mxfp4_matmul_tma[1-8192-8192]", LATE, False),
    ("fail", "test_pipeliner.py::test_scatter_pipeline", "AssertionError: Tensor-likes are not close!", False),
])
def test_known_causes_are_told(row, capsys):
    assert good(row)
    assert "without a known cause |" not in capsys.readouterr().out


def test_skipped_cases_are_told_by_their_words(capsys):
    assert good(("skip", "test_core.py::test_a", "Skipped: for Hopper", False))
    assert "skip: for Hopper | 1" in capsys.readouterr().out


def test_a_case_may_be_skipped_without_words(capsys):
    assert good(("skip", "test_core.py::test_a", "Skipped: ", False))
    assert "skip: without a reason | 1" in capsys.readouterr().out


def test_known_causes_are_at_most_five_of_100():
    late = ["fail", "test_conversions.py::test_typeconvert_upcast[a]", LATE, False]
    assert client().judge(PASSED + [late] * 5)
    assert not client().judge(PASSED + [late] * 6)
