# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches of keys and values and chained products on PyTorch's tensors, beside PyTorch's own."""
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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_shuffle(dtype):
    w = torch.randn(64, 32).to(dtype)
    y = ops.shuffle(w)
    close(y, w.T.reshape(2, 16, 2, 4, 8).permute(0, 2, 3, 1, 4).contiguous(), 0)
