# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lies behind an address that a script took of a tensor of PyTorch's.

Tilus hands kernels `x.data_ptr()` as gladly as x. To a device with memory of its own an address means
nothing, and where bounds are checked they must be known. So data_ptr is followed: it remembers which
storage it gave the address of, for as long as that lives.
"""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Tuple

from .._arrays import View

_MOST = 4096
_known: Dict[int, Tuple[Any, int]] = {}  #: address -> the storage, and where it ends


def install() -> None:
    """Follows data_ptr in this process. Doing it again changes nothing."""
    torch = sys.modules.get("torch")
    if torch is None or hasattr(torch.Tensor.data_ptr, "_tessera_followed"):
        return
    from torch.multiprocessing.reductions import StorageWeakRef
    own = torch.Tensor.data_ptr

    def data_ptr(self):
        address = own(self)
        if self.device.type == "cpu":
            storage = self.untyped_storage()
            if len(_known) >= _MOST:
                _forget()
            _known[address] = StorageWeakRef(storage), storage.data_ptr() + storage.nbytes()
        return address
    data_ptr.__doc__ = own.__doc__
    data_ptr._tessera_followed = True
    torch.Tensor.data_ptr = data_ptr


def _forget() -> None:
    for address in [a for a, (storage, _) in _known.items() if storage.expired()]:
        del _known[address]
    if len(_known) >= _MOST:
        _known.clear()


def known(address: int) -> Optional[View]:
    """The bytes from an address to the end of the storage that it is in; None: nobody knows."""
    storage, end = _known.get(address, (None, 0))
    if storage is None or storage.expired():
        return None
    size = end - address
    return View(address, size, "uint8", True, True, None, 1, (size,), (1,))
