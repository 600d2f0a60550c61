#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unsloth's Triton kernels, as they are, under `tessera exec`.

    tessera exec -- python tests/clients/triton_unsloth.py FOLDER

FOLDER is a copy of https://github.com/unslothai/unsloth. Its package needs a GPU's libraries to be
imported, so that the files of unsloth/kernels are loaded by themselves, with the few helpers that they
import written here. Their own tests of norms run at smaller sizes; the other kernels are compared with
PyTorch, gradients too. Needs transformers, as those tests do. Prints a line for each.
"""
import contextlib
import importlib.util
import os
import re
import sys
import types

import torch
import torch.nn.functional as F
import triton
from triton.language.extra import libdevice


def module(name, **members):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(members, __path__=[])
    return made


def settings(n):
    block = triton.next_power_of_2(n)
    return block, 4


def stand_in():
    """For what unsloth.kernels.utils and other packages have besides kernels."""
    nothing = lambda *_args, **_named: None
    module("unsloth")
    module("unsloth.kernels")
    module("unsloth.device_type", DEVICE_COUNT=1)
    module("unsloth.kernels.utils", calculate_settings=settings, MAX_FUSED_SIZE=65536, is_cdna=lambda: False,
           torch_gpu_device=lambda device: contextlib.nullcontext(), torch_device_stream=nothing,
           triton_tanh=libdevice.tanh, triton_cast=triton.language.cast)
    module("unsloth_zoo")
    module("unsloth_zoo.utils", Version=lambda text: tuple(map(int, re.findall(r"\d+", text)[:3])))
    module("unsloth_zoo.loss_utils", patch_loss_functions=nothing, post_patch_loss_function=nothing)
    module("unsloth_zoo.patching_utils", patch_layernorm=nothing)


def load(folder, name):
    path = os.path.join(folder, "unsloth", "kernels", name + ".py")
    spec = importlib.util.spec_from_file_location("unsloth.kernels." + name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def randn(*shape):
    return torch.randn(*shape, device="cuda")


def close(got, expected):
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


def gated(forward, backward, activation):
    """h = activation(e) * g; the backward kernel gives h, df and de in place of its arguments."""
    e, g, dw = randn(40, 192), randn(40, 192), randn(40, 192)
    x, y = e.clone().requires_grad_(), g.clone().requires_grad_()
    h = activation(x) * y
    close(forward(e.view(1, 40, 192), g.view(1, 40, 192)).view(40, 192), h.detach())
    h.backward(dw)
    got = backward(dw.clone(), e.clone(), g.clone())
    close(got[0], h.detach())
    close(got[1], dw * activation(e))
    close(got[2], x.grad)


def rope(kernels):
    q, k, angle = randn(2, 4, 16, 32), randn(2, 2, 16, 32), randn(16, 32)
    cos, sin = angle[:, :16].cos().repeat(1, 2), angle[:, :16].sin().repeat(1, 2)
    rotated = [t * cos + torch.cat((-t[..., 16:], t[..., :16]), -1) * sin for t in (q, k)]
    for got, expected in zip(kernels.fast_rope_embedding(q.clone(), k.clone(), cos, sin), rotated):
        close(got, expected)


def cross_entropy(kernels, words):
    logits, labels = randn(2, 9, words), torch.randint(0, words, (2, 9), device="cuda")
    labels[0, 3] = -100
    ours, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    a = kernels.fast_cross_entropy_loss(ours * 1, labels)
    b = F.cross_entropy(theirs.flatten(0, 1), labels.flatten())
    close(a, b)
    a.backward(), b.backward()
    close(ours.grad, theirs.grad)


def main():
    folder = sys.argv[1]
    stand_in()
    torch.manual_seed(0)
    rms, norm, glu, gelu, embedding, entropy = (load(folder, name) for name in (
        "rms_layernorm", "layernorm", "swiglu", "geglu", "rope_embedding", "cross_entropy_loss"))
    small = dict(bsz=3, seqlen=67)
    checks = {
        "its test of RMS norm": lambda: [rms.test_rms_layernorm(dim=dim, **small) for dim in (512, 1024)],
        "its test of layer norm": lambda: [norm.test_layernorm(dim=dim, **small) for dim in (512, 1024)],
        "SwiGLU": lambda: gated(glu.swiglu_fg_kernel, glu.swiglu_DWf_DW_dfg_kernel, F.silu),
        "GEGLU, exact": lambda: gated(gelu.geglu_exact_forward_kernel, gelu.geglu_exact_backward_kernel, F.gelu),
        "GEGLU, approximate": lambda: gated(gelu.geglu_approx_forward_kernel, gelu.geglu_approx_backward_kernel,
                                            lambda x: F.gelu(x, approximate="tanh")),
        "rotary embedding": lambda: rope(embedding),
        "cross entropy": lambda: cross_entropy(entropy, 1000),
        "cross entropy, in chunks": lambda: cross_entropy(entropy, 70000),
    }
    wrong = 0
    for name, check in checks.items():
        try:
            check()
            print("%s: right" % name, flush=True)
        except Exception as error:
            wrong += 1
            print("%s: %s" % (name, str(error).strip()[:400]), flush=True)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
