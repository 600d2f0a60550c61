# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as people write them with cuTile, which nobody tuned for Tessera: indices and masks instead of views,
whole rows in a tile, bytes of pixels, neighbours by gather. bench/bench_foreign.c measures them beside the
loops in loops.c.

    python3 bench/foreign/programs.py build     writes bench/foreign/*.mlir, what cuTile makes of each

Needs cuda-tile. `build` is the folder of a build, whose command prints the text.
"""
import os
import re
import subprocess
import sys

import cuda.tile as ct
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
Int = ct.Constant[int]


# ---- neighbours -------------------------------------------------------------------------------------------------


@ct.kernel
def stencil_1d(x, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    around = ct.gather(x, i - 1) + ct.gather(x, i + 1)
    ct.scatter(y, i, 0.5 * ct.gather(x, i) + 0.25 * around)


@ct.kernel
def stencil_2d(x, y, T: Int):
    i = ct.bid(0)
    j = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    across = ct.gather(x, (i, j - 1)) + ct.gather(x, (i, j + 1))
    along = ct.gather(x, (i - 1, j)) + ct.gather(x, (i + 1, j))
    ct.scatter(y, (i, j), 0.5 * ct.gather(x, (i, j)) + 0.125 * (across + along))


@ct.kernel
def filter_3x3(x, w, y, R: Int, C: Int):
    i = (ct.bid(0) * R + ct.arange(R, dtype=ct.int32))[:, None]
    j = (ct.bid(1) * C + ct.arange(C, dtype=ct.int32))[None, :]
    total = ct.zeros((R, C), dtype=ct.float32)
    for di in ct.static_iter(range(3)):
        for dj in ct.static_iter(range(3)):
            total += ct.gather(w, (di, dj)) * ct.gather(x, (i + (di - 1), j + (dj - 1)))
    ct.scatter(y, (i, j), total)


@ct.kernel
def clamped_blur(x, y, n, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    total = ct.zeros((T,), dtype=ct.float32)
    for d in ct.static_iter(range(-2, 3)):
        total += ct.gather(x, ct.minimum(ct.maximum(i + d, 0), n - 1))
    ct.scatter(y, i, total * 0.2)


@ct.kernel
def life(x, y, T: Int):
    i = ct.bid(0)
    j = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    total = ct.zeros((T,), dtype=ct.uint8)
    for di in ct.static_iter(range(-1, 2)):
        for dj in ct.static_iter(range(-1, 2)):
            total += ct.gather(x, (i + di, j + dj)) & 1
    alive = ct.gather(x, (i, j)) & 1
    none, one = ct.zeros((T,), dtype=ct.uint8), ct.ones((T,), dtype=ct.uint8)
    ct.scatter(y, (i, j), ct.where(total == 3, one, ct.where(total == 4, alive, none)))


@ct.kernel
def sobel(x, y, T: Int):
    i = ct.bid(0)
    j = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    across, along = ct.zeros((T,), dtype=ct.int32), ct.zeros((T,), dtype=ct.int32)
    for d, weight in ct.static_iter(((-1, 1), (0, 2), (1, 1))):
        right, left = ct.gather(x, (i + d, j + 1)), ct.gather(x, (i + d, j - 1))
        below, above = ct.gather(x, (i + 1, j + d)), ct.gather(x, (i - 1, j + d))
        across += weight * (right.astype(ct.int32) - left.astype(ct.int32))
        along += weight * (below.astype(ct.int32) - above.astype(ct.int32))
    size = (ct.abs(across) + ct.abs(along)) >> 1
    ct.scatter(y, (i, j), ct.minimum(size, 255).astype(ct.uint8))


@ct.kernel
def bilinear(x, y, T: Int):
    i = ct.bid(0)
    j = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    u, v = i.astype(ct.float32) * 0.7, j.astype(ct.float32) * 0.7
    r, c = ct.floor(u).astype(ct.int32), ct.floor(v).astype(ct.int32)
    s, t = u - r.astype(ct.float32), v - c.astype(ct.float32)
    above = ct.gather(x, (r, c)) * (1.0 - t) + ct.gather(x, (r, c + 1)) * t
    below = ct.gather(x, (r + 1, c)) * (1.0 - t) + ct.gather(x, (r + 1, c + 1)) * t
    ct.scatter(y, (i, j), above * (1.0 - s) + below * s)


# ---- strides ----------------------------------------------------------------------------------------------------


@ct.kernel
def grey(rgb, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    r = ct.gather(rgb, (i, 0)).astype(ct.int32)
    g = ct.gather(rgb, (i, 1)).astype(ct.int32)
    b = ct.gather(rgb, (i, 2)).astype(ct.int32)
    ct.scatter(y, i, ((77 * r + 150 * g + 29 * b) >> 8).astype(ct.uint8))


@ct.kernel
def complex_mul(a, b, c, T: Int):
    i = 2 * (ct.bid(0) * T + ct.arange(T, dtype=ct.int32))
    ar, ai = ct.gather(a, i), ct.gather(a, i + 1)
    br, bi = ct.gather(b, i), ct.gather(b, i + 1)
    ct.scatter(c, i, ar * br - ai * bi)
    ct.scatter(c, i + 1, ar * bi + ai * br)


@ct.kernel
def reverse(x, y, n, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, i, ct.gather(x, n - 1 - i))


@ct.kernel
def haar(x, low, high, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    a, b = ct.gather(x, 2 * i), ct.gather(x, 2 * i + 1)
    ct.scatter(low, i, 0.5 * (a + b))
    ct.scatter(high, i, 0.5 * (a - b))


@ct.kernel
def butterfly(re, im, w, out_re, out_im, distance, T: Int):
    k = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    at = k & (distance - 1)
    low = 2 * k - at
    high = low + distance
    wr, wi = ct.gather(w, 2 * at), ct.gather(w, 2 * at + 1)
    ar, ai, br, bi = ct.gather(re, low), ct.gather(im, low), ct.gather(re, high), ct.gather(im, high)
    tr, ti = br * wr - bi * wi, br * wi + bi * wr
    ct.scatter(out_re, low, ar + tr)
    ct.scatter(out_im, low, ai + ti)
    ct.scatter(out_re, high, ar - tr)
    ct.scatter(out_im, high, ai - ti)


@ct.kernel
def dequantise(q, scales, y, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    pair = ct.gather(q, (i, j)).astype(ct.int32)
    scale = ct.gather(scales, i)
    ct.scatter(y, (i, 2 * j), ((pair & 15) - 8).astype(ct.float32) * scale)
    ct.scatter(y, (i, 2 * j + 1), ((pair >> 4) - 8).astype(ct.float32) * scale)


# ---- rows -------------------------------------------------------------------------------------------------------


@ct.kernel
def softmax(x, y, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    row = ct.gather(x, (i, j), padding_value=-np.inf)
    e = ct.exp(row - ct.max(row, 0))
    ct.scatter(y, (i, j), e / ct.sum(e, 0))


@ct.kernel
def silu_and_mul(x, y, n, T: Int):
    i = ct.bid(0)
    j = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    a = ct.gather(x, (i, j))
    ct.scatter(y, (i, j), a / (1.0 + ct.exp(-a)) * ct.gather(x, (i, j + n)))


@ct.kernel
def rms_norm(x, w, y, n, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    row = ct.gather(x, (i, j))
    scale = ct.rsqrt(ct.sum(row * row, 0) / n + 1e-6)
    ct.scatter(y, (i, j), row * scale * ct.gather(w, j))


@ct.kernel
def cross_entropy(x, labels, y, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    row = ct.gather(x, (i, j), padding_value=-np.inf)
    top = ct.max(row, 0)
    total = ct.sum(ct.exp(row - top), 0)
    ct.scatter(y, i, ct.log(total) + top - ct.gather(x, (i, ct.gather(labels, i))))


@ct.kernel
def quantise(x, y, scales, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    row = ct.gather(x, (i, j))
    scale = ct.max(ct.abs(row), 0) / 127.0
    q = ct.floor(row / scale + 0.5)
    ct.scatter(y, (i, j), ct.minimum(ct.maximum(q, -127.0), 127.0).astype(ct.int8))
    ct.scatter(scales, i, scale)


@ct.kernel
def prefix_sum(x, y, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    ct.scatter(y, (i, j), ct.cumsum(ct.gather(x, (i, j)), 0))


@ct.kernel
def sparse_rows(starts, columns, values, x, y, T: Int):
    i = ct.bid(0)
    begin, end = ct.gather(starts, i), ct.gather(starts, i + 1)
    k = begin + ct.arange(T, dtype=ct.int32)
    column = ct.gather(columns, k, mask=k < end)
    v = ct.gather(values, k, mask=k < end)
    ct.scatter(y, i, ct.sum(v * ct.gather(x, column), 0))


@ct.kernel
def layer_norm(x, w, b, y, n, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    row = ct.gather(x, (i, j))
    mean = ct.sum(row, 0) / n
    away = ct.where(j < n, row - mean, 0.0)
    scale = ct.rsqrt(ct.sum(away * away, 0) / n + 1e-5)
    ct.scatter(y, (i, j), away * scale * ct.gather(w, j) + ct.gather(b, j))


@ct.kernel
def sample(x, noise, y, n, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    gumbel = -ct.log(-ct.log(ct.gather(noise, (i, j), padding_value=0.5)))
    score = ct.gather(x, (i, j), padding_value=-np.inf) * 4.0 + gumbel
    ct.scatter(y, i, ct.min(ct.where(score == ct.max(score, 0), j, n), 0))


@ct.kernel
def ranks(x, y, T: Int):
    i = ct.bid(0)
    j = ct.arange(T, dtype=ct.int32)
    v = ct.gather(x, (i, j))
    ct.scatter(y, (i, j), ct.sum((v[:, None] > v[None, :]).astype(ct.int32), 1))


@ct.kernel
def ell_product(values, columns, x, y, K: Int, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    total = ct.zeros((T,), dtype=ct.float32)
    for k in range(K):
        total += ct.gather(values, (k, i)) * ct.gather(x, ct.gather(columns, (k, i)))
    ct.scatter(y, i, total)


@ct.kernel
def huber(x, target, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    away = ct.abs(ct.gather(x, i) - ct.gather(target, i))
    ct.scatter(y, ct.bid(0), ct.sum(ct.where(away < 0.5, away * away, away - 0.25), 0))


# ---- elements ---------------------------------------------------------------------------------------------------


@ct.kernel
def interpolate(table, t, y, n, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    at = ct.gather(t, i) * (n - 1)
    k = ct.minimum(ct.maximum(ct.floor(at).astype(ct.int32), 0), n - 2)
    low = ct.gather(table, k)
    ct.scatter(y, i, low + (at - k.astype(ct.float32)) * (ct.gather(table, k + 1) - low))


@ct.kernel
def knapsack(best, out, weight, gain, T: Int):
    j = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    without = ct.gather(best, j)
    taken = ct.gather(best, j - weight) + gain
    ct.scatter(out, j, ct.where(j >= weight, ct.maximum(without, taken), without))


@ct.kernel
def xorshift(state, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    s = ct.gather(state, i)
    total = ct.zeros((T,), dtype=ct.uint32)
    for _ in range(16):
        s = s ^ (s << 13)
        s = s ^ (s >> 17)
        s = s ^ (s << 5)
        total = total + s
    ct.scatter(y, i, total)


@ct.kernel
def bitonic_step(x, y, distance, block, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    a, b = ct.gather(x, i), ct.gather(x, i ^ distance)
    low = ((i & distance) == 0) == ((i & block) == 0)
    ct.scatter(y, i, ct.where(low, ct.minimum(a, b), ct.maximum(a, b)))


@ct.kernel
def edit_distance(before, last, a, b, out, diagonal, T: Int):
    j = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    differs = (ct.gather(a, j - 1) != ct.gather(b, diagonal - j)).astype(ct.int32)
    other = ct.minimum(ct.gather(last, j - 1), ct.gather(last, j)) + 1
    ct.scatter(out, j, ct.minimum(ct.gather(before, j - 1) + differs, other))


@ct.kernel
def black_scholes(s, k, t, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    price, strike, years = ct.gather(s, i) + 1.0, ct.gather(k, i) + 1.0, ct.gather(t, i) + 0.25
    spread = 0.3 * ct.sqrt(years)
    up = (ct.log(price / strike) + 0.065 * years) / spread
    down = up - spread
    chance_up = 1.0 / (1.0 + ct.exp(-1.5976 * up - 0.07056 * up * up * up))
    chance_down = 1.0 / (1.0 + ct.exp(-1.5976 * down - 0.07056 * down * down * down))
    ct.scatter(y, i, price * chance_up - strike * ct.exp(-0.02 * years) * chance_down)


@ct.kernel
def random_walk(seeds, y, T: Int):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    state = ct.gather(seeds, i)
    at, most = ct.zeros((T,), dtype=ct.float32), ct.zeros((T,), dtype=ct.float32)
    for _ in range(16):
        state = state * 1664525 + 1013904223
        at = at + (state >> 8).astype(ct.int32).astype(ct.float32) * (1.0 / 16777216) - 0.5
        most = ct.maximum(most, at)
    ct.scatter(y, i, most)


# ---- what cuTile makes of them ----------------------------------------------------------------------------------


def f32(*shape):
    return np.zeros(shape, np.float32)


def u32(*shape):
    return np.zeros(shape, np.uint32)


def i32(*shape):
    return np.zeros(shape, np.int32)


def u8(*shape):
    return np.zeros(shape, np.uint8)


# Arguments of the types, strides and divisors of those in bench_foreign.c.
PROGRAMS = [
    (stencil_1d, (f32(100000), f32(100000), 1024)),
    (stencil_2d, (f32(300, 500), f32(300, 500), 256)),
    (filter_3x3, (f32(300, 500), f32(3, 3), f32(300, 500), 16, 64)),
    (clamped_blur, (f32(100000), f32(100000), 100000, 1024)),
    (grey, (u8(100000, 3), u8(100000), 1024)),
    (complex_mul, (f32(100000), f32(100000), f32(100000), 1024)),
    (reverse, (f32(100000), f32(100000), 100000, 1024)),
    (softmax, (f32(100, 1000), f32(100, 1000), 1024)),
    (silu_and_mul, (f32(100, 2000), f32(100, 1000), 1000, 1024)),
    (rms_norm, (f32(100, 1000), f32(1000), f32(100, 1000), 1000, 1024)),
    (cross_entropy, (f32(100, 1000), i32(100), f32(100), 1024)),
    (quantise, (f32(100, 1000), np.zeros((100, 1000), np.int8), f32(100), 1024)),
    (prefix_sum, (f32(100, 1000), f32(100, 1000), 1024)),
    (sparse_rows, (i32(2001), i32(64000), f32(64000), f32(2000), f32(2000), 64)),
    (interpolate, (f32(1000), f32(100000), f32(100000), 1000, 1024)),
    (knapsack, (i32(100000), i32(100000), 37, 11, 1024)),
    (xorshift, (u32(100000), u32(100000), 1024)),
    (bitonic_step, (f32(65536), f32(65536), 64, 1024, 1024)),
    (life, (u8(300, 500), u8(300, 500), 512)),
    (sobel, (u8(300, 500), u8(300, 500), 512)),
    (bilinear, (f32(300, 500), f32(300, 500), 256)),
    (haar, (f32(100000), f32(50000), f32(50000), 1024)),
    (butterfly, (f32(65536), f32(65536), f32(1024), f32(65536), f32(65536), 256, 1024)),
    (dequantise, (u8(100, 500), f32(100), f32(100, 1000), 512)),
    (layer_norm, (f32(100, 1000), f32(1000), f32(1000), f32(100, 1000), 1000, 1024)),
    (sample, (f32(100, 1000), f32(100, 1000), i32(100), 1000, 1024)),
    (ranks, (f32(1000, 64), i32(1000, 64), 64)),
    (ell_product, (f32(16, 10000), i32(16, 10000), f32(10000), f32(10000), 16, 512)),
    (huber, (f32(100000), f32(100000), f32(98), 1024)),
    (edit_distance, (i32(100000), i32(100000), i32(100000), i32(100000), i32(100000), 90000, 1024)),
    (black_scholes, (f32(100000), f32(100000), f32(100000), f32(100000), 1024)),
    (random_walk, (u32(100000), f32(100000), 1024)),
]


def text_of(kernel, arguments, build):
    import tessera.cutile as cutile
    from tessera import _cutile_args

    compiled = cutile._compiled(kernel)
    spec, _ = _cutile_args.bind(compiled.nodes, compiled.names, arguments)
    code = cutile._bytecode_for(kernel, compiled, spec, "sm_100")
    text = subprocess.run([os.path.join(build, "bin/tessera"), "dis", "-"], input=code, check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return re.sub(r" loc\(#loc\d+\)", "", "\n".join(lines)) + "\n"


def main(build):
    build = os.path.abspath(build)
    sys.path.insert(0, os.path.join(HERE, "../../python"))
    os.environ.setdefault("TESSERA_LIBRARY", os.path.join(build, "lib/libtessera.so"))
    for kernel, arguments in PROGRAMS:
        text = text_of(kernel, arguments, build)
        name = kernel._annotated_function.pyfunc.__name__
        with open(os.path.join(HERE, name + ".mlir"), "w") as out:
            out.write("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                      "// Written by programs.py.\n" + text)


if __name__ == "__main__":
    main(*sys.argv[1:])
