# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same back end under the name that PyTorch's Inductor asks for: "cpu".

With `torch._inductor.config.cpu_backend = "triton"`, `torch.compile` makes Triton kernels of models
on the CPU. Programs that use Triton themselves are not affected: the driver is only active when
Inductor sets it.
"""
