#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of ten small models, forward and backward: Inductor's Triton kernels on Tessera beside
Inductor's own C++.

    python bench/triton_inductor.py [--threads N] [--rounds N] [--check] [MODEL ...]

Needs PyTorch, Triton, a C++ compiler and Tessera's Python package (PYTHONPATH=python from a source
tree). Outputs and gradients of both are compared with PyTorch's own, in f64, by the largest difference
relative to the largest number. Both sides are run in turns, a round each, and the table has the best
round of each: a busy machine counts less. --check only compares. The exit status is 0 when Tessera's
differences are at most twice those of the C++ or 1e-5.
"""
import argparse
import copy
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

import tessera.triton


class Residual(nn.Module):
    """x + body(x), and perhaps an activation."""

    def __init__(self, *body, after=None):
        super().__init__()
        self.body, self.after = nn.Sequential(*body), after

    def forward(self, x):
        y = x + self.body(x)
        return y if self.after is None else self.after(y)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) * (w // self.heads) ** -0.5
        mask = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        scores = scores.masked_fill(~mask, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, w))


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Gated(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.up, self.gate, self.down = nn.Linear(width, inner), nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Recurrent(nn.Module):
    """A gated recurrent cell over the steps of a sequence."""

    def __init__(self, width):
        super().__init__()
        self.cell = nn.GRUCell(width, width)

    def forward(self, x):
        h = torch.zeros_like(x[:, 0])
        for step in range(x.shape[1]):
            h = self.cell(x[:, step], h)
        return h


class Language(nn.Module):
    """An embedding, a layer, and the loss of the next token."""

    def __init__(self, words, width):
        super().__init__()
        self.embedding, self.layer, self.head = nn.Embedding(words, width), nn.Linear(width, width), nn.Linear(width, words)

    def forward(self, tokens):
        x = F.gelu(self.layer(self.embedding(tokens[:, :-1])))
        return F.cross_entropy(self.head(x).flatten(0, 1), tokens[:, 1:].flatten())


class Patches(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.place = nn.Parameter(torch.randn(1, 64, width) * 0.02)
        self.layer, self.head = block(width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.place
        return self.head(self.layer(x).mean(1))


def block(width):
    return nn.Sequential(Residual(nn.LayerNorm(width), Attention(width, 4)),
                         Residual(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(),
                                  nn.Linear(4 * width, width)))


def conv(i, o, k=3, groups=1):
    return nn.Sequential(nn.Conv2d(i, o, k, padding=k // 2, groups=groups, bias=False), nn.BatchNorm2d(o))


def image(size=64, channels=3):
    return torch.randn(4, channels, size, size)


MODELS = {
    "perceptron": lambda: (nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.Tanh(),
                                         nn.Linear(512, 64)), torch.randn(128, 256)),
    "transformer": lambda: (block(256), torch.randn(4, 128, 256)),
    "llama": lambda: (nn.Sequential(Residual(RMSNorm(256), Attention(256, 8)), Residual(RMSNorm(256), Gated(256, 688))),
                      torch.randn(4, 128, 256)),
    "residual": lambda: (nn.Sequential(conv(3, 32), nn.ReLU(), Residual(conv(32, 32), nn.ReLU(), conv(32, 32), after=nn.ReLU()),
                                       nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)), image(32)),
    "mobile": lambda: (Residual(conv(32, 96, 1), nn.ReLU6(), conv(96, 96, 3, 96), nn.ReLU6(), conv(96, 32, 1)), image(32, 32)),
    "pooled": lambda: (nn.Sequential(conv(3, 16), nn.ReLU(), nn.MaxPool2d(2), conv(16, 32), nn.ELU(), nn.AvgPool2d(2),
                                     nn.Flatten(), nn.Linear(32 * 64, 10), nn.LogSoftmax(-1)), image(32)),
    "upsampled": lambda: (nn.Sequential(conv(3, 16), nn.SiLU(), nn.MaxPool2d(2), conv(16, 16), nn.SiLU(),
                                        nn.Upsample(scale_factor=2, mode="bilinear"), conv(16, 3), nn.Sigmoid()), image(32)),
    "recurrent": lambda: (Recurrent(128), torch.randn(32, 8, 128)),
    "language": lambda: (Language(2000, 128), torch.randint(0, 2000, (8, 65))),
    "patches": lambda: (Patches(128, 10), image()),
}
SIDES = {"Tessera": "triton", "C++": "cpp"}


def step(model, x):
    """A forward and a backward pass; the output and all gradients."""
    model.zero_grad(set_to_none=True)
    out = model(x)
    out.float().square().mean().backward()
    return [out.detach()] + [p.grad for p in model.parameters()]


def far(results, exact):
    return max((a.double() - b).abs().max().item() / max(b.abs().max().item(), 1e-3) for a, b in zip(results, exact))


def compiled(model, backend):
    return torch.compile(copy.deepcopy(model), options={"cpu_backend": backend})


def timed(model, x, seconds):
    """The milliseconds of a step, of as many as fit."""
    begin, n = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        step(model, x)
        n += 1
    return 1e3 * (time.perf_counter() - begin) / n


def measure(name, rounds):
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, x = MODELS[name]()
    wide = x.double() if x.is_floating_point() else x
    exact = step(copy.deepcopy(model).double(), wide)
    sides = {side: compiled(model, backend) for side, backend in SIDES.items()}
    sides["eager"] = model
    errors = {side: far(step(m, x), exact) for side, m in sides.items()}
    best = {side: float("inf") for side in sides}
    for _ in range(rounds):
        for side, m in sides.items():
            best[side] = min(best[side], timed(m, x, 0.3))
    return errors, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", choices=[*MODELS, []])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    tessera.triton.install()
    print("| model | difference Tessera | C++ | ms Tessera | C++ | eager | Tessera / C++ |\n|---|---|---|---|---|---|---|")
    wrong = []
    for name in args.models or MODELS:
        errors, best = measure(name, 0 if args.check else args.rounds)
        print("| %s | %.1e | %.1e | %.2f | %.2f | %.2f | %.2f |" % (
            name, errors["Tessera"], errors["C++"], best["Tessera"], best["C++"], best["eager"],
            best["Tessera"] / best["C++"]), flush=True)
        if errors["Tessera"] > max(2 * errors["C++"], 1e-5):
            wrong.append(name)
    if wrong:
        print("too far from PyTorch: %s" % ", ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
