# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on PyTorch's tensors: beside PyTorch's own, compiled, and with gradients."""
import warnings

import pytest

import tessera
from tessera import ops

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
functional = torch.nn.functional


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def compiled(function, **options):
    """Without a break in the graph; the back end needs no C compiler."""
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager", **options)


def close(found, wanted, tolerance=1e-5):
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


# ---- beside PyTorch's own -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype, tolerance", [
    (torch.float64, 1e-12), (torch.float32, 1e-5), (torch.float16, 1e-2), (torch.bfloat16, 1e-1)])
def test_gemm(dtype, tolerance):
    a, b = torch.randn(7, 33).to(dtype), torch.randn(33, 12).to(dtype)
    close(ops.gemm(a, b), a @ b, tolerance)
    close(ops.gemm(b.T, a.T), b.T @ a.T, tolerance)
    close(ops.gemm(a.expand(3, 7, 33), b[:, ::2]), a.expand(3, 7, 33) @ b[:, ::2], tolerance)


def test_gemm_of_float8():
    a, b = torch.randn(4, 32).to(torch.float8_e4m3fn), torch.randn(32, 8).to(torch.float8_e4m3fn)
    close(ops.gemm(a, b), (a.float() @ b.float()).half(), 1e-2)


def test_lines():
    x, w, b = torch.randn(3, 4, 10), torch.randn(10), torch.randn(10)
    close(ops.softmax(x), functional.softmax(x, -1))
    close(ops.softmax(x, dim=1), functional.softmax(x, 1))
    close(ops.log_softmax(x.bfloat16()), functional.log_softmax(x.bfloat16(), -1), 2e-2)
    close(ops.layer_norm(x, w, b), functional.layer_norm(x, (10,), w, b))
    close(ops.rms_norm(x, w, epsilon=1e-6), functional.rms_norm(x, (10,), w, 1e-6))
    close(ops.reduce(x, "mean", dim=(0, 2), keepdims=True), x.mean((0, 2), keepdim=True))
    close(ops.elementwise("gelu(a) * b", x, w), functional.gelu(x) * w)


def test_results_that_are_given():
    x, out = torch.randn(4, 6), torch.zeros(6, 4).T
    assert ops.softmax(x, out) is out
    close(out, functional.softmax(x, -1))
    sums, largest = torch.zeros(4), torch.zeros(4)
    ops.reduce(x, "sum+max", (sums, largest), dim=1)
    close(largest, x.max(1).values)
    h = ops.layer_norm(x, residual=x, store_sum=True, save=True)
    close(h.h, 2 * x)
    close(h.mean, 2 * x.mean(1))


def test_mistakes():
    out = torch.full((3, 3), 7.0)
    with pytest.raises(tessera.UsageError, match="argument 'b': expected 4 rows"):
        ops.gemm(torch.ones(3, 4), torch.ones(5, 3), out)
    with pytest.raises(TypeError, match="argument 'x': a sparse tensor is not taken"):
        ops.softmax(torch.eye(3).to_sparse(), out)
    with pytest.raises(TypeError, match="argument 'b': expected a PyTorch tensor, as others are"):
        ops.gemm(torch.ones(3, 4), [[1.0]], out)
    assert (out == 7).all()


# ---- graphs -------------------------------------------------------------------------------------


def test_registration():
    a, b = torch.randn(4, 5), torch.randn(5, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(torch.ops.tessera.gemm.default, ([a, b], "a,b", "", [], 0))
        torch.library.opcheck(torch.ops.tessera.reduce.default,
                              ([a], "x", "operations=sum+max\ndim=0", [], 0))
        torch.library.opcheck(torch.ops.tessera.softmax_out.default,
                              ([a], [torch.zeros(4, 5)], "x", "alpha=", [0.5], 0))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(dynamic):
    device = tessera.Device("cpu", threads=1)

    def layer(x, w, v):
        h = ops.layer_norm(x, torch.ones(x.shape[-1]), device=device)
        h = ops.gemm(h, w.T, epilogue="bias:n+relu", bias=v)
        s, m = ops.reduce(h, "sum+max", dim=-1, keepdims=True)
        h = ops.elementwise("(a - c) / b", h, s, m)
        return ops.softmax(h, dim=0) + ops.rms_norm(x, quantise=True).y_scale.sum()

    function = compiled(layer, dynamic=dynamic)
    for rows in (5, 7, 9):
        args = torch.randn(rows, 16), torch.randn(8, 16), torch.randn(8)
        close(function(*args), layer(*args))


def test_compile_with_given_results():
    def into(x, out):
        ops.softmax(x, out)
        y = torch.zeros_like(x)
        ops.op("softmax", {"x": x}, {"y": y}, shape="4x6")
        return out + y

    x, out = torch.randn(4, 6), torch.zeros(4, 6)
    close(compiled(into)(x, out), 2 * functional.softmax(x, -1))
    close(out, functional.softmax(x, -1))


def test_compile_any_family():
    def both(x):
        return ops.op("reduce:operations=sum+max", {"x": x}, shape="4x6")

    x = torch.randn(4, 6)
    found = compiled(both)(x)
    close(found["sum"], x.sum(1))
    close(found["max"], x.max(1).values)


def test_types_in_graphs():
    def small(a, b):
        return ops.gemm(a, b, epilogue="cast:bf16"), ops.gemm(a, b), ops.gemm(a, b, type_c="f32")

    a = torch.randint(-8, 8, (4, 32), dtype=torch.int8)
    found = compiled(small)(a, a.T)
    assert [f.dtype for f in found] == [torch.bfloat16, torch.int32, torch.float32]
    close(found[1], a.int() @ a.int().T)


# ---- gradients ----------------------------------------------------------------------------------


def test_gradient_of_gemm():
    a, b = torch.randn(2, 3, 4, 5, dtype=torch.float64), torch.randn(5, 6, dtype=torch.float64)
    a.requires_grad_(), b.requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: ops.gemm(a, b, alpha=0.5), (a, b))

    def loss(a, b):
        return (ops.gemm(a, b) ** 2).sum()

    wanted = torch.autograd.grad(((a @ b) ** 2).sum(), (a, b))
    for found in (torch.autograd.grad(loss(a, b), (a, b)),
                  torch.autograd.grad(compiled(loss)(a, b), (a, b))):
        for f, w in zip(found, wanted):
            close(f, w, 1e-9)


def test_gradients_that_there_are_not():
    a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
    with pytest.raises(NotImplementedError, match="a gradient for alpha a b alone, not with epilog"):
        ops.gemm(a, b, epilogue="relu").sum().backward()
    with pytest.raises(RuntimeError, match="tessera.elementwise|tessera::elementwise"):
        ops.elementwise("a*2", a).sum().backward()


# ---- attention, rotary embeddings, losses, contractions ------------------------------------------


def test_attention():
    q, k = torch.randn(2, 6, 5, 32), torch.randn(2, 2, 9, 32)
    v = torch.randn(2, 9, 2, 16).transpose(1, 2)
    bias = torch.randn(5, 9)
    wide = [t.repeat_interleave(3, 1) for t in (k, v)]
    close(ops.attention(q, k, v), functional.scaled_dot_product_attention(q, *wide), 1e-5)
    close(ops.attention(q, k, v, bias=bias),
          functional.scaled_dot_product_attention(q, *wide, attn_mask=bias), 1e-5)
    out, lse = ops.attention(q, k, v, scale=0.25, lse=True)
    scores = q @ wide[0].transpose(-1, -2) * 0.25
    close(lse, scores.logsumexp(-1), 1e-5)
    x = torch.randn(3, 7, 16, dtype=torch.bfloat16)
    close(ops.attention(x, x, x, causal=True),
          functional.scaled_dot_product_attention(x, x, x, is_causal=True), 3e-2)
    close(compiled(lambda a: ops.attention(a, a, a, causal=True))(x), ops.attention(
        x, x, x, causal=True), 0)


def test_epilogue_of_attention():
    q, r = torch.randn(2, 3, 5, 16), torch.randn(2, 3, 5, 16)
    wanted = functional.scaled_dot_product_attention(q, q, q) + r

    def with_residual(x, y):
        return ops.attention(x, x, x, epilogue="residual", epilogue_residual=y)
    close(with_residual(q, r), wanted, 1e-5)
    close(compiled(with_residual)(q, r), wanted, 1e-5)
    found, scale = ops.attention(q.clone().requires_grad_(), q, q, epilogue="quantise:row:i8")
    assert found.dtype == torch.int8 and scale.shape == (2, 3, 5)
    with pytest.raises(NotImplementedError, match="attention has no gradient with epilogue"):
        with_residual(q.clone().requires_grad_(), r).sum().backward()


def test_attention_of_wrong_shapes():
    x = torch.randn(2, 4, 5, 8)
    with pytest.raises(tessera.UsageError, match="argument 'k': expected the shape"):
        ops.attention(x, x[:1], x)
    with pytest.raises(tessera.UsageError, match="argument 'q': expected .batch, heads, tokens"):
        ops.attention(x[0, 0], x[0, 0], x[0, 0])


def test_losses_and_topk():
    x, classes = torch.randn(6, 11), torch.randint(0, 11, (6,))
    loss = functional.cross_entropy(x, classes, reduction="none", label_smoothing=0.1)
    close(ops.cross_entropy(x, classes, smoothing=0.1), loss)
    y, index = ops.topk(x.view(2, 3, 11), 4)
    wanted = x.view(2, 3, 11).topk(4)
    close(y, wanted.values)
    assert torch.equal(index.long(), wanted.indices)
    close(compiled(lambda a, c: ops.cross_entropy(a, c))(x, classes),
          functional.cross_entropy(x, classes, reduction="none"))


def test_rotary():
    x, angles = torch.randn(2, 3, 5, 16), torch.randn(5, 8)
    a, b = x[..., :8], x[..., 8:]
    c, s = angles.cos(), angles.sin()
    wanted = torch.cat([a * c - b * s, b * c + a * s], -1)
    close(ops.rotary(x, c, s), wanted)
    swapped = x.transpose(1, 2).contiguous().transpose(1, 2)
    out = torch.empty(2, 5, 3, 16).transpose(1, 2)
    close(ops.rotary(swapped, c, s, out), wanted)


def test_contractions():
    a, b = torch.randn(3, 5, 2, 7), torch.randn(4, 7, 5)
    for spec in ("abcd,edb->ace", "abcd,edb->eca"):
        close(ops.contract(spec, a, b), torch.einsum(spec, a, b))
    close(ops.contract("abcd,edb->aec", a.transpose(0, 2), b, alpha=2.0),
          torch.einsum("abcd,edb->aec", a.transpose(0, 2), b) * 2)


def test_products_of_several():
    a, b, d = torch.randn(7, 9), torch.randn(9, 5), torch.randn(5)
    close(ops.gemm(a, b, combine_a="a*b", a2=a[0], combine="relu(a+b)", d=d),
          functional.relu((a * a[0]) @ b + d))
    c, scale = ops.gemm(a, b, epilogue="quantise:row:i8")
    assert c.dtype == torch.int8 and scale.shape == (7,)
    close(c.float() * scale[:, None], a @ b, 2e-2)
    w = torch.randn(9, 10)
    close(ops.gemm(a, w, gate="silu"), functional.silu(a @ w[:, :5]) * (a @ w[:, 5:]))


# ---- convolutions -------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutions(rank):
    mine = [ops.conv1d, ops.conv2d, ops.conv3d][rank - 1]
    wanted = [functional.conv1d, functional.conv2d, functional.conv3d][rank - 1]
    x, w, b = torch.randn(2, 6, *[7, 9, 8][:rank]), torch.randn(4, 3, *[3, 2, 3][:rank]), torch.randn(4)
    how = dict(stride=2, padding=1, groups=2)
    close(mine(x, w, b, **how), wanted(x, w, b, **how))
    close(mine(x, w, dilation=2, padding=2, groups=2), wanted(x, w, dilation=2, padding=2, groups=2))
    close(mine(x, w, b, groups=2, epilogue="relu"), wanted(x, w, b, groups=2).relu())
    close(compiled(lambda t: mine(t, w, b, **how))(x), wanted(x, w, b, **how))


def test_convolutions_where_channels_are_last():
    x, w = torch.randn(2, 16, 9, 9), torch.randn(8, 16, 3, 3)
    wanted = functional.conv2d(x, w, padding=(1, 0))
    x, w = (t.to(memory_format=torch.channels_last) for t in (x, w))
    out = torch.empty_like(wanted, memory_format=torch.channels_last)
    assert ops.conv2d(x, w, out=out, padding=(1, 0)) is out
    close(out, wanted)


# ---- gradients ----------------------------------------------------------------------------------


def same_gradients(mine, wanted, *tensors, tolerance=1e-4):
    """Of the sum of the results' products with fixed numbers."""
    found = []
    for function in (mine, wanted):
        inputs = [t.clone().requires_grad_(t.is_floating_point()) for t in tensors]
        out = function(*inputs)
        out = out if isinstance(out, tuple) else (out,)
        torch.manual_seed(1)
        sum((t * torch.randn(t.shape).to(t.dtype)).sum() for t in out).backward()
        found.append([t.grad for t in inputs if t.is_floating_point()])
    for a, b in zip(*found):
        close(a, b, tolerance)


def test_gradients_of_lines():
    x, w, b, r = torch.randn(3, 4, 10), torch.randn(10), torch.randn(10), torch.randn(3, 4, 10)
    same_gradients(ops.softmax, lambda t: functional.softmax(t, -1), x)
    same_gradients(lambda t: ops.log_softmax(t, dim=1), lambda t: functional.log_softmax(t, 1), x)
    same_gradients(ops.layer_norm, lambda t, v, u: functional.layer_norm(t, (10,), v, u), x, w, b)
    same_gradients(lambda t, v: ops.rms_norm(t, v, epsilon=1e-5),
                   lambda t, v: functional.rms_norm(t, (10,), v, 1e-5), x, w)
    same_gradients(lambda t, v, s: tuple(ops.layer_norm(t, v, residual=s, store_sum=True)[:2]),
                   lambda t, v, s: (functional.layer_norm(t + s, (10,), v), t + s), x, w, r)
    same_gradients(lambda t, s: ops.rms_norm(t, residual=s),
                   lambda t, s: functional.rms_norm(t + s, (10,), None, 1e-5), x, r)
    classes = torch.randint(0, 10, (3, 4))
    same_gradients(lambda t, c: ops.cross_entropy(t, c, smoothing=0.1),
                   lambda t, c: functional.cross_entropy(t.transpose(1, 2), c, reduction="none",
                                                         label_smoothing=0.1), x, classes)
    with pytest.raises(NotImplementedError, match="has no gradient with lse that is used"):
        ops.cross_entropy(x.clone().requires_grad_(), classes, lse=True)[1].sum().backward()


def test_norms_of_channels():
    x, w, b = torch.randn(2, 6, 5, 7), torch.randn(6), torch.randn(6)
    close(ops.group_norm(x, 3, w, b), functional.group_norm(x, 3, w, b))
    found = ops.batch_norm(x, w, b, save=True)
    close(found.y, functional.batch_norm(x, None, None, w, b, True))
    close(found.mean, x.mean((0, 2, 3)))
    same_gradients(lambda *t: ops.group_norm(t[0], 2, *t[1:]),
                   lambda *t: functional.group_norm(t[0], 2, *t[1:]), x, w, b)
    same_gradients(lambda t: ops.group_norm(t, 6), lambda t: functional.group_norm(t, 6), x)
    same_gradients(ops.batch_norm,
                   lambda *t: functional.batch_norm(t[0], None, None, *t[1:], True), x, w, b)
    close(compiled(lambda t: ops.group_norm(t, 3, w))(x), functional.group_norm(x, 3, w))
    with pytest.raises(tessera.UsageError, match="groups=4: expected a divisor of the channels"):
        ops.group_norm(x, 4)
    with pytest.raises(tessera.UsageError, match="batch_norm: argument 'weight': expected the shape"):
        ops.batch_norm(x, w[:3])


def test_gradients_of_convolutions():
    x, w, b = torch.randn(2, 6, 7, 9), torch.randn(4, 3, 3, 2), torch.randn(4)
    how = dict(stride=(2, 1), padding=1, groups=2)
    same_gradients(lambda *t: ops.conv2d(*t, **how), lambda *t: functional.conv2d(*t, **how),
                   x, w, b)
    deep = torch.randn(6, 1, 3, 3)
    same_gradients(lambda *t: ops.conv2d(*t, groups=6), lambda *t: functional.conv2d(*t, groups=6),
                   x, deep)
    with pytest.raises(NotImplementedError, match="has no gradient with epilogue=bias.relu"):
        ops.conv2d(x, w.clone().requires_grad_(), b, epilogue="relu", groups=2).sum().backward()


def test_gradients_of_attention():
    q, k, v = torch.randn(2, 6, 5, 16), torch.randn(2, 2, 9, 16), torch.randn(2, 2, 9, 24)

    def wanted(a, b, c, **how):
        return functional.scaled_dot_product_attention(
            a, b.repeat_interleave(3, 1), c.repeat_interleave(3, 1), **how)
    same_gradients(ops.attention, wanted, q, k, v)
    same_gradients(lambda *t: ops.attention(*t, scale=0.5), lambda *t: wanted(*t, scale=0.5),
                   q.transpose(1, 2).contiguous().transpose(1, 2), k, v)
    x = torch.randn(3, 7, 16)
    same_gradients(lambda a, b, c: ops.attention(a, b, c, causal=True),
                   lambda a, b, c: functional.scaled_dot_product_attention(a, b, c, is_causal=True),
                   x, x + 1, x - 1)
    with pytest.raises(NotImplementedError, match="attention has no gradient with type_o"):
        ops.attention(q.clone().requires_grad_(), k, v, type_o="f16").sum().backward()


def scored(q, k, v, score, sinks=None):
    """Attention whose scores are changed by a function."""
    s = score(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5)
    if sinks is None:
        return s.softmax(-1) @ v
    more = sinks[:, None, None].expand(*s.shape[:-1], 1)
    return torch.cat([s, more], -1).softmax(-1)[..., :-1] @ v


def test_gradients_of_attention_with_scores():
    q, k, v = torch.randn(2, 3, 5, 16), torch.randn(2, 3, 9, 16), torch.randn(2, 3, 9, 24)
    places = torch.arange(5)[:, None] + 4 - torch.arange(9)
    far = (places > 3) | (places < -2)
    for bias in (torch.randn(2, 3, 5, 9), torch.randn(3, 5, 9), torch.randn(1, 9)):
        same_gradients(lambda a, b, c, d: ops.attention(a, b, c, bias=d),
                       lambda a, b, c, d: scored(a, b, c, lambda s: s + d), q, k, v, bias)
    same_gradients(lambda *t: ops.attention(*t, cap=1.5, window=(3, 2)),
                   lambda *t: scored(*t, lambda s: (1.5 * (s / 1.5).tanh()).masked_fill(
                       far, -float("inf"))), q, k, v)
    slopes = torch.rand(3)
    same_gradients(lambda *t: ops.attention(*t, slopes=slopes),
                   lambda *t: scored(*t, lambda s: s - slopes[:, None, None] * places.abs()),
                   q, k, v)
    same_gradients(lambda a, b, c, d: ops.attention(a, b, c, sinks=d),
                   lambda a, b, c, d: scored(a, b, c, lambda s: s, d), q, k, v, torch.randn(3))
    # What is left out is the same in both directions: the result is linear in v.
    a, b, c = (t.clone().requires_grad_() for t in (q, k, v))
    out = ops.attention(a, b, c, dropout=0.4, seed=3)
    out.backward(torch.ones_like(out))
    again = ops.attention(a, b, c.detach() + 0.5 * torch.ones_like(c), dropout=0.4, seed=3)
    close((again - out).sum(), 0.5 * c.grad.sum(), 1e-4)


# ---- windows and experts ------------------------------------------------------------------------


def test_windows():
    x = torch.randn(2, 3, 7, 8)
    y, places = ops.max_pool(x, (3, 2), stride=2, padding=1, indices=True)
    wanted = functional.max_pool2d(x, (3, 2), 2, 1, return_indices=True)
    assert torch.equal(y, wanted[0]) and torch.equal(places.long(), wanted[1])
    close(ops.max_pool(x[0], 2, dilation=2, stride=1), functional.max_pool1d(x[0], 2, 1, 0, 2))
    how = dict(stride=1, padding=1)
    close(ops.avg_pool(x, 3, **how), functional.avg_pool2d(x, 3, **how))
    close(ops.avg_pool(x, 3, count_padding=False, **how),
          functional.avg_pool2d(x, 3, count_include_pad=False, **how))
    columns = ops.unfold(x, (3, 2), padding=1)
    wanted = functional.unfold(x, (3, 2), padding=1)
    close(columns.permute(0, 3, 2, 1).flatten(1, 2), wanted)
    close(ops.fold(columns, (7, 8), (3, 2), padding=1),
          functional.fold(wanted, (7, 8), (3, 2), padding=1))
    close(compiled(lambda t: ops.max_pool(t, 2) + ops.avg_pool(t, 2))(x),
          functional.max_pool2d(x, 2) + functional.avg_pool2d(x, 2))
    with pytest.raises(tessera.UsageError, match="pool: argument 'x': expected batch, channels"):
        ops.max_pool(x[0, 0], 2)
    with pytest.raises(tessera.UsageError, match="unfold: argument 'y': expected the shape"):
        ops.fold(columns, (7, 9), (3, 2), padding=1)


def test_gradients_of_windows():
    x = torch.randn(2, 3, 7, 8)
    how = dict(stride=2, padding=1)
    same_gradients(lambda t: ops.max_pool(t, 3, **how), lambda t: functional.max_pool2d(t, 3, **how),
                   x)
    same_gradients(lambda t: ops.avg_pool(t, (2, 3)), lambda t: functional.avg_pool2d(t, (2, 3)), x)
    same_gradients(lambda t: ops.avg_pool(t, 3, count_padding=False, **how),
                   lambda t: functional.avg_pool2d(t, 3, count_include_pad=False, **how), x)
    columns = torch.randn(2, 6 * 7, 6, 3)
    same_gradients(lambda t: ops.unfold(t, (2, 3), dilation=(1, 1)).permute(0, 3, 2, 1).flatten(1, 2),
                   lambda t: functional.unfold(t, (2, 3)), x)
    same_gradients(lambda t: ops.fold(t, (7, 9), (2, 3)),
                   lambda t: functional.fold(t.permute(0, 3, 2, 1).flatten(1, 2), (7, 9), (2, 3)),
                   columns)


def layer_of_experts(x, index, weight, w1, w2, activation=functional.silu, gated=True):
    """Each expert for all tokens, of which those count that chose it."""
    y = 0
    for e in range(w1.shape[0]):
        h = x @ w1[e]
        h = activation(h.chunk(2, -1)[0]) * h.chunk(2, -1)[1] if gated else activation(h)
        y = y + ((index == e) * weight).sum(-1, keepdim=True) * (h @ w2[e])
    return y


def experts(tokens=9, hidden=20, inter=12, count=4, top=2, factor=2):
    weight, index = torch.randn(tokens, count).softmax(-1).topk(top)
    return (torch.randn(tokens, hidden), index.int(), weight,
            torch.randn(count, hidden, factor * inter), torch.randn(count, inter, hidden))


def test_experts():
    args = experts()
    close(ops.moe(*args), layer_of_experts(*args), 1e-4)
    x, index, weight, *both = args
    turned = [w.transpose(1, 2).contiguous().transpose(1, 2) for w in both]
    bias = torch.randn(20)
    close(ops.moe(x, index, weight, *turned, activation="gelu", epilogue="bias:n", bias=bias),
          layer_of_experts(x, index, weight, *both, functional.gelu) + bias, 1e-4)
    index[3, 0] = -1
    close(compiled(lambda a, b: ops.moe(a, index, weight, *both) + b)(x, x),
          layer_of_experts(*args) + x, 1e-4)
    halves = [t.to(torch.bfloat16) if t.is_floating_point() else t for t in args]
    halves[2] = weight
    close(ops.moe(*halves).float(), layer_of_experts(*[t.float() for t in halves]), 3e-2)
    same_gradients(lambda a, b, c, d: ops.moe(a, index, b, c, d),
                   lambda a, b, c, d: layer_of_experts(a, index, b, c, d), x, weight, *both)
    plain = experts(factor=1)
    close(ops.moe(*plain, gated=False, activation="relu"),
          layer_of_experts(*plain, functional.relu, False), 1e-4)
    with pytest.raises(NotImplementedError, match="tessera.ops.moe has no gradient with epilogue"):
        ops.moe(x.requires_grad_(), *args[1:], epilogue="relu").sum().backward()


def quantised(x, dim):
    scale = x.abs().amax(dim, keepdim=True) / 127
    return (x / scale).round().to(torch.int8), scale


def test_experts_of_small_types():
    x, index, weight, w1, w2 = experts(33, 64, 32, 5, 3)
    (qx, sx), (q1, s1), (q2, s2) = quantised(x, 1), quantised(w1, 1), quantised(w2, 1)
    how = dict(scale_x=sx[:, 0], scale_w1=s1[:, 0], scale_w2=s2[:, 0], type_y="f32")
    wanted = layer_of_experts(qx * sx, index, weight, q1 * s1, q2 * s2)
    found = ops.moe(qx, index, weight, q1, q2, quantise=True, **how)
    assert (found - wanted).abs().max() < 0.02 * wanted.abs().max()
    smooth = torch.rand(5, 32) + 0.5
    found = ops.moe(qx, index, weight, q1, q2, quantise=True, smooth=smooth, **how)
    wanted = layer_of_experts(qx * sx, index, weight, q1 * s1, smooth[:, :, None] * (q2 * s2))
    assert (found - wanted).abs().max() < 0.02 * wanted.abs().max()
    # Weights of 4 bits, two to a byte, a scale for each 16 inputs.
    n1, n2 = (torch.randint(-8, 8, w.shape) for w in (w1, w2))
    g1, g2 = torch.rand(5, 4, 64) * 0.2, torch.rand(5, 2, 64) * 0.2
    packed = [((n[..., ::2] & 15) | (n[..., 1::2] & 15) << 4).to(torch.uint8) for n in (n1, n2)]
    found = ops.moe(x, index, weight, *packed, type_w="i4", scale_w1=g1, scale_w2=g2, group=16)
    wide = [n * g.repeat_interleave(16, 1) for n, g in ((n1, g1), (n2, g2))]
    close(found, layer_of_experts(x, index, weight, *wide), 2e-3)


def test_sorted_experts():
    index, weight = torch.randint(-1, 6, (13, 3), dtype=torch.int32), torch.rand(13, 3)
    found = ops.moe_sort(index, 6, weight, unit=4)
    rows = found.offsets.tolist()
    for e in range(6):
        wanted = (index.flatten() == e).nonzero()[:, 0]
        n = len(wanted)
        assert torch.equal(found.ids[rows[e]:rows[e] + n].long(), wanted)
        assert (found.ids[rows[e] + n:rows[e + 1]] == 39).all()
        assert torch.equal(found.weight[rows[e]:rows[e] + n], weight.flatten()[wanted])
        assert (found.experts[rows[e] // 4:rows[e + 1] // 4] == e).all()
    assert (found.experts[rows[6] // 4:] == -1).all()
    a, b = torch.randn(13, 20), torch.randn(6, 20, 16)
    c = torch.zeros(39, 16)
    ops.op("gemm:rows=sorted,m=39,n=16,k=20,top=3,batch=6,unit=4",
           {"a": a, "b": b, "ids": found.ids, "experts": found.experts}, {"c": c})
    rows, here = index.flatten().clamp(0), (index.flatten() >= 0)[:, None]
    close(c, here * torch.einsum("pk,pkn->pn", a.repeat_interleave(3, 0), b[rows.long()]), 1e-4)
    with pytest.raises(tessera.UsageError, match=r"moe_sort: argument 'weight': expected the shape"):
        ops.moe_sort(index, 6, weight[:4])
    with pytest.raises(TypeError, match="argument 'index': expected an array of int32"):
        ops.moe_sort(index.long(), 6)


def test_experts_of_wrong_shapes():
    x, index, weight, w1, w2 = experts()
    for args, message in (
            ((x, index, weight, w1[:, :, :-1], w2), r"'w1': expected the shape \(4, 20, 24\)"),
            ((x, index, weight[:3], w1, w2), r"'weight': expected the shape \(9, 2\)"),
            ((x.T.contiguous().T, index, weight, w1, w2), "'x': expected an array without gaps"),
            ((x, index, weight, w1[:, ::1, :].transpose(0, 1).contiguous().transpose(0, 1), w2),
             "'w1': expected rows or columns without gaps"),
            ((x, index, weight, w1, w2.transpose(1, 2).contiguous().transpose(1, 2)),
             "expected rows of both to be contiguous"),
            ((x, index, weight, w1, w2.double()), "'w2': expected elements of f32")):
        with pytest.raises(tessera.UsageError, match=message):
            ops.moe(*args)
