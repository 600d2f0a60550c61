# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as operators of PyTorch, which torch.compile and autograd know.

    import tessera, tessera.torch, torch

    @tessera.torch.op("mine::softmax")
    def softmax(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        softmax_kernel[x.shape[0]](x, y, COLUMNS=4096)
        return y
"""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

__all__ = ["op"]


def op(name: str, function: Optional[Callable[..., Any]] = None, *,
       mutates_args: Union[str, Sequence[str]] = (), fake: Optional[Callable[..., Any]] = None,
       backward: Optional[Callable[..., Any]] = None,
       setup_context: Optional[Callable[..., Any]] = None) -> Any:
    """Makes an operator of PyTorch of a function that launches kernels. It needs annotations of
    tensors and numbers, as torch.library.custom_op does, and returns new tensors.

    name            "namespace::operator"
    mutates_args    names of the arguments that it writes to
    fake            says what shapes and types the results have; without it, the function itself is
                    asked, in which kernels then do nothing
    backward        the gradient: takes the context and the gradients of the results
    setup_context   keeps what `backward` needs, as torch.library.register_autograd has it
    """
    import torch  # the package, not this module

    def make(f: Callable[..., Any]) -> Any:
        made = torch.library.custom_op(name, f, mutates_args=mutates_args)
        made.register_fake(fake or f)
        if backward is not None:
            made.register_autograd(backward, setup_context=setup_context)
        return made

    return make if function is None else make(function)
