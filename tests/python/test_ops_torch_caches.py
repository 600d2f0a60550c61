# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches of keys and values and chained products on PyTorch's tensors, beside PyTorch's own."""
import warnings

import pytest

from tessera import ops

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
functional = torch.nn.functional

LENGTHS = (6, 13)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def compiled(function):
    """Without a break in the graph; the back end needs no C compiler."""
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager")


def close(found, wanted, tolerance=1e-5):
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def caches(dtype=torch.float32):
    """Pages of 8 keys of 2 heads, the pages of two sequences, and how many keys these have."""
    k, v = torch.randn(6, 2, 8, 16).to(dtype), torch.randn(6, 2, 8, 16).to(dtype)
    table = torch.tensor([[4, 1, 3], [0, 5, 2]], dtype=torch.int32)
    return k, v, table, torch.tensor(LENGTHS, dtype=torch.int32)


def keys_of(cache, table, sequence, count):
    """[kv_heads, count, size] of a cache in pages."""
    pages = cache[table[sequence].long()]
    return pages.transpose(0, 1).reshape(cache.shape[1], -1, cache.shape[3])[:, :count]


def appended(cache, table, new):
    """The cache as it should be, with what is put behind the keys that are there."""
    out = cache.clone()
    for b, length in enumerate(LENGTHS):
        for i in range(new.shape[2]):
            at = length + i
            out[table[b, at // 8], :, at % 8] = new[b, :, i]
    return out


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)])
def test_attention_reads_pages(dtype, tolerance):
    k, v, table, lengths = caches(dtype)
    q = torch.randn(2, 4, 1, 16).to(dtype)
    found = ops.attention(q, k, v, key_lengths=lengths, table=table)
    for b, length in enumerate(LENGTHS):
        wanted = functional.scaled_dot_product_attention(
            q[b:b + 1], keys_of(k, table, b, length)[None], keys_of(v, table, b, length)[None],
            enable_gqa=True)
        close(found[b:b + 1], wanted, tolerance)


def test_append_changes_the_caches():
    k, v, table, lengths = caches()
    new_k, new_v = torch.randn(2, 2, 5, 16), torch.randn(2, 2, 5, 16)
    wanted = appended(k, table, new_k), appended(v, table, new_v)
    found = ops.append(k, v, new_k, new_v, lengths, table)
    assert found[0] is k and found[1] is v
    close(k, wanted[0], 0)
    close(v, wanted[1], 0)


def test_a_step_of_generation_is_one_graph():
    """New keys are put into the caches, which attention then reads, all in one graph."""
    k, v, table, lengths = caches()
    new_k, new_v, q = torch.randn(2, 2, 1, 16), torch.randn(2, 2, 1, 16), torch.randn(2, 4, 1, 16)

    def step(k, v):
        ops.append(k, v, new_k, new_v, lengths, table)
        return ops.attention(q, k, v, key_lengths=lengths + 1, table=table)

    own_k, own_v = appended(k, table, new_k), appended(v, table, new_v)
    wanted = ops.attention(q, own_k, own_v, key_lengths=lengths + 1, table=table)
    close(compiled(step)(k, v), wanted, 0)
    close(k, own_k, 0)
    close(v, own_v, 0)


def test_chains():
    a, b0, b1 = torch.randn(3, 7, 12), torch.randn(3, 12, 20), torch.randn(3, 20, 5)
    between, bias = torch.randn(20), torch.randn(33)

    def both(a, b0, b1):
        return ops.gemm_gemm(a, b0, b1, between="bias:n+relu", between_bias=between)

    wanted = torch.relu(a @ b0 + between) @ b1
    close(both(a, b0, b1), wanted, 1e-4)
    close(compiled(both)(a, b0, b1), wanted, 1e-4)
    x, w, gamma, beta = torch.randn(9, 20), torch.randn(33, 20), torch.randn(33), torch.randn(33)
    found = ops.gemm_norm(x, w.T, gamma, beta, epilogue="bias:n", bias=bias)
    close(found, functional.layer_norm(x @ w.T + bias, (33,), gamma, beta), 1e-4)


def test_gradients_of_chains():
    a, b0, b1, x, w, gamma, beta = (
        torch.randn(*shape, dtype=torch.float64, requires_grad=True)
        for shape in ((2, 3, 4), (2, 4, 6), (2, 6, 5), (5, 4), (7, 4), (7,), (7,)))
    wanted = torch.autograd.grad((0.5 * a @ b0 @ b1).square().sum(), (a, b0, b1))

    def products(a, b0, b1):
        return ops.gemm_gemm(a, b0, b1, alpha=0.5).square().sum()

    for function in (products, compiled(products)):
        for f, g in zip(torch.autograd.grad(function(a, b0, b1), (a, b0, b1)), wanted):
            close(f, g, 1e-9)

    def layer(x, w, gamma, beta):
        return ops.gemm_norm(x, w.T, gamma, beta, epsilon=0.1).square().sum()

    def rms(x, w, gamma, beta):
        return ops.gemm_norm(x, w.T, gamma, kind="rms", epsilon=0.1).square().sum() + beta.sum()

    read = x, w, gamma, beta
    layers = functional.layer_norm(x @ w.T, (7,), gamma, beta, 0.1).square().sum()
    rows = functional.rms_norm(x @ w.T, (7,), gamma, 0.1).square().sum() + beta.sum()
    for function, value in ((layer, layers), (compiled(layer), layers), (rms, rows)):
        wanted = torch.autograd.grad(value, read, retain_graph=True)
        for f, g in zip(torch.autograd.grad(function(*read), read), wanted):
            close(f, g, 1e-5)  # mean and scale are kept as f32


def test_gradients_that_chains_have_not():
    a, b, c = (torch.randn(*shape, requires_grad=True) for shape in ((3, 4), (4, 6), (6, 5)))
    with pytest.raises(NotImplementedError, match="gemm_gemm has no gradient with between"):
        ops.gemm_gemm(a, b, c, between="relu").sum().backward()
    with pytest.raises(NotImplementedError, match="gemm_norm has no gradient with epilogue"):
        ops.gemm_norm(a, b, epilogue="relu").sum().backward()
    with pytest.raises(RuntimeError, match="tessera.shuffle|tessera::shuffle"):
        ops.shuffle(a).sum().backward()


def test_registration_of_chains_and_caches():
    k, v, table, lengths = caches()
    new_k, new_v = torch.randn(2, 2, 1, 16), torch.randn(2, 2, 1, 16)
    a, b0, b1 = torch.randn(3, 4), torch.randn(4, 6), torch.randn(6, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for op, call in (
                ("gemm_gemm", ([a, b0, b1], "a,b0,b1", "softmax=row", [], 0)),
                ("gemm_norm", ([a, b0], "a,b", "save=yes", [], 0)),
                ("shuffle", ([b0.half()], "x", "shuffle=n16", [], 0)),
                ("append_out", ([new_k, new_v, lengths, table], [k, v],
                                "new_k,new_v,key_lengths,table", "", [], 0))):
            torch.library.opcheck(getattr(torch.ops.tessera, op).default, call)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_shuffle(dtype):
    w = torch.randn(64, 32).to(dtype)
    y = ops.shuffle(w)
    close(y, w.T.reshape(2, 16, 2, 4, 8).permute(0, 2, 3, 1, 4).contiguous(), 0)
