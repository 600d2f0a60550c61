# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that know one protocol only."""


class ByDlpackOnly:
    """An array that shows nothing but DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device
