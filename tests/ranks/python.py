# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.ranks, started by mpirun; `lost`: the last rank does not come."""
import sys

import numpy as np

import tessera
import tessera.ranks as ranks

device = tessera.Device("interp")


def raises(kind, text, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        assert text in str(error), "%r is not in %r" % (text, str(error))
    else:
        raise AssertionError("no %s: %s" % (kind.__name__, text))


def collectives(a):
    x = np.arange(6, dtype=np.float32) + a.rank
    assert (a.all_gather(x)[a.size - 1] == np.arange(6) + a.size - 1).all()
    total = sum(np.arange(6) + r for r in range(a.size))
    for shots in "auto", "one", "two":
        assert (a.all_reduce(x, shots=shots) == total).all()
    assert (a.all_reduce(x, "max") == np.arange(6) + a.size - 1).all()
    rows = np.arange(a.size * 3, dtype=np.int32).reshape(a.size, 3)
    assert (a.reduce_scatter(rows) == rows[a.rank] * a.size).all()
    assert (a.all_to_all(rows + 100 * a.rank)[:, 0] == a.rank * 3 + 100 * np.arange(a.size)).all()
    assert (a.broadcast(np.full(3, a.rank), root=a.size - 1) == a.size - 1).all()
    raises(tessera.UsageError, "a row for each", a.all_to_all, np.zeros((a.size + 1, 2)))
    raises(tessera.UsageError, "found complex64", a.all_reduce, np.zeros(2, np.complex64))
    raises(ValueError, "reduction is one of", a.all_reduce, x, "mean")
    raises(tessera.UsageError, "can be written", a.broadcast, np.zeros((4, 4)).T)


def symmetric(a):
    following = (a.rank + 1) % a.size
    x = a.symmetric((4, 4), np.float64, device)
    flag = a.symmetric(1, np.uint64, device)
    x.put(following, np.full(4, a.rank + 1.0), offset=32)
    flag.notify(following, 0, 7)
    assert flag.wait(0, 7) == 7
    a.barrier()
    assert (x.array[1] == (a.rank - 1) % a.size + 1).all() and (x.array[0] == 0).all()
    assert (x.get(following, np.empty(4), 32) == a.rank + 1).all()
    near = x.peer(following)
    assert (near is not None) == a.is_near(following)
    assert near is None or near[1, 0] == a.rank + 1
    raises(tessera.UsageError, "symmetric memory that has 128", x.put, following, np.zeros(4), 120)
    x.destroy()
    raises(tessera.UsageError, "destroyed", x.peer, 0)


def operators(a):
    numbers = np.random.default_rng(3)
    rows = numbers.integers(-2, 3, (13, 8)).astype("f4")
    b = numbers.integers(-2, 3, (8, 5)).astype("f4")
    gather = a.operator("all_gather_gemm", "gemm:m=13,n=5,k=8", device=device)
    mine = gather.rows(a.rank)
    assert (gather(a=rows[mine.start:mine.stop], b=b) == rows @ b).all()
    total = a.operator("gemm_all_reduce", "gemm:m=13,n=5,k=8", device=device)
    out = np.empty((13, 5), "f4")
    assert total(a=rows, b=b, c=out) is out and (out == a.size * (rows @ b)).all()
    raises(tessera.UsageError, "'b' is missing", gather, a=rows[mine.start:mine.stop])
    raises(tessera.UsageError, "expected the shape (8, 5)", gather, a=rows[mine.start:mine.stop],
           b=b[:, :4])
    raises(tessera.UsageError, "has no tensor 'd'", gather, a=rows[mine.start:mine.stop], b=b, d=b)
    raises(ValueError, "form is one of", a.operator, "gemm", "gemm:m=4")
    raises(tessera.TesseraError, "beta=1", a.operator, "all_gather_gemm", "gemm:beta=1",
           device=device)


def attention(a):
    text = "attention:heads=2,head=16,seq=11,keys=19,causal=yes,lse=yes"
    numbers = np.random.default_rng(4)
    q = numbers.standard_normal((1, 2, 11, 16), dtype=np.float32)
    k, v = (numbers.standard_normal((1, 2, 19, 16), dtype=np.float32) for _ in "kv")
    scores = np.einsum("bhie,bhje->bhij", q, k) / 4
    scores = np.where(np.arange(19) <= np.arange(11)[:, None] + 8, scores, -np.inf)
    weights = np.exp(scores)
    whole = np.einsum("bhij,bhje->bhie", weights, v) / weights.sum(-1, keepdims=True)
    for form in "split_keys_attention", "ring_attention":
        op = a.operator(form, text, device=device)
        keys, rows = op.keys(a.rank), op.rows(a.rank)
        if form == "split_keys_attention":
            rows = range(11)
        got = op(q=np.ascontiguousarray(q[:, :, rows.start:rows.stop]),
                 k=np.ascontiguousarray(k[:, :, keys.start:keys.stop]),
                 v=np.ascontiguousarray(v[:, :, keys.start:keys.stop]))
        assert np.abs(got["o"] - whole[:, :, rows.start:rows.stop]).max() < 1e-5
        lse = np.log(weights.sum(-1))[:, :, rows.start:rows.stop]
        assert np.abs(got["lse"] - lse).max() < 1e-5


assert ranks.started()
with ranks.join(timeout=30) as everyone:
    if sys.argv[1:] == ["lost"]:
        everyone.barrier()
        if everyone.rank == everyone.size - 1:
            sys.stdout.flush()
            import os
            os._exit(0)
        raises(tessera.Trap, "rank %d" % (everyone.size - 1), everyone.barrier)
        print("rank %d: told" % everyone.rank)
    else:
        for test in collectives, symmetric, operators, attention:
            test(everyone)
        if everyone.rank == 0:
            print("python: %d ranks: done" % everyone.size)
raises(tessera.UsageError, "has left", everyone.barrier)
