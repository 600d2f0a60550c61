# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes scaled-13.5.bc, update-13.5.bc and multimem-13.5.bc beside it with cuTile Python 1.7, of whose
bytecode 13.5 is a development version:

    pip install cuda-tile==1.7.0 && python make_13_5.py
"""
import io

import cuda.tile as ct
import cuda.tile._bytecode as bc
import cuda.tile._compile
from cuda.tile import compilation
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature


cuda.tile._compile.dev_features_enabled = lambda: True  # which is fixed when the package is built


def array(dtype, ndim=1):
    return ArrayConstraint(dtype=dtype, ndim=ndim, index_dtype=ct.int32, stride_lower_bound_incl=0,
                           alias_groups=(), may_alias_internally=False)


def scaled(x, y, a: ct.Constant[float]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (64,), padding_mode=ct.PaddingMode.ZERO) * a)


def from_front_end(name):
    """With hints and with the front end's debug information."""
    signature = KernelSignature([array(ct.float32)] * 2 + [compilation.ConstantConstraint(2.0)],
                                CallingConvention.cutile_python_v1(), symbol=name)
    data = io.BytesIO()
    kernel = ct.kernel(scaled, num_ctas=ct.ByTarget(sm_100=2, default=1))
    compilation.export_kernel(kernel, [signature], data, gpu_code="sm_100",
                              output_format="tileir_bytecode", bytecode_version="13.5")
    with open("%s-13.5.bc" % name, "wb") as f:
        f.write(data.getvalue())


def encoded(name, fill):
    """A kernel of (pointer to i32, i32) without hints and locations, over four tiles of 16 elements."""
    data = bytearray()
    version = bc.BytecodeVersion.V_13_5
    with bc.write_bytecode(1, data, version=version) as w:
        t = w.type_table
        view = t.tensor_view(t.I32, (64,), (1,), bc.PtrAttr.Default)
        tiles = t.partition_view((16,), view, (0,), bc.PaddingValue.Missing)
        tile = t.tile(t.I32, (16,))
        scalar = t.tile(t.I32, ())
        pointer = t.tile(t.pointer(t.I32, bc.PtrAttr.Default), ())
        with w.function(name, [pointer, scalar], [], True, {}, bc.MISSING_DEBUG_ATTR_ID) as (b, p):
            whole = bc.encode_MakeTensorViewOp(b, view, p[0], [], [])
            parts = bc.encode_MakePartitionViewOp(b, tiles, whole)
            fill(b, t, parts, tile, p[1])
            bc.encode_ReturnOp(b, [])
    bc.patch_header_preview_flag(data, version)
    with open("%s-13.5.bc" % name, "wb") as f:
        f.write(data)


def update(b, t, parts, tile, index):
    """An atomic update of a view with inbounds."""
    bc.encode_AtomicRedViewTkoOp(b, t.Token, parts, [index], bc.encode_IotaOp(b, tile), None,
                                 bc.MemoryOrderingSemantics.RELAXED, bc.MemoryScope.DEVICE,
                                 bc.AtomicRMWMode.ADD, (True,))


def multimem(b, t, parts, tile, index):
    """Stores to, updates and loads from the copies that several devices have, with and without what
    may be left out."""
    order, scope = bc.MemoryOrderingSemantics, bc.MemoryScope
    reductions = bc.MultimemReductionKind
    values = bc.encode_IotaOp(b, tile)
    stored = bc.encode_MultimemStoreViewTkoOp(b, t.Token, parts, values, [index], None, order.WEAK,
                                              None, (False,))
    added = bc.encode_MultimemReduceViewTkoOp(b, t.Token, parts, values, [index], stored,
                                              order.RELAXED, scope.SYS, reductions.ADD, (True,))
    loaded, seen = bc.encode_MultimemLoadReduceViewTkoOp(b, tile, t.Token, parts, [index], added,
                                                         order.ACQUIRE, scope.SYS, reductions.UMAX,
                                                         (True,))
    bc.encode_MultimemReduceViewTkoOp(b, t.Token, parts, loaded, [index], seen, order.RELAXED,
                                      scope.DEVICE, reductions.OR, (False,))


from_front_end("scaled")
encoded("update", update)
encoded("multimem", multimem)
