# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the bytecode files beside it with the encoder of cuTile Python (package cuda-tile 1.6.0):

    pip install cuda-tile==1.6.0 && python make.py

Tests read them, so that what another writer of the format writes is part of the tests. Kernels of
cuTile are written as its users write them; what its front end does not emit is encoded directly.
"""
import io

import cuda.tile as ct
import cuda.tile._bytecode as bc
from cuda.tile import compilation
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature


def array(dtype, ndim=1):
    return ArrayConstraint(dtype=dtype, ndim=ndim, index_dtype=ct.int32, stride_lower_bound_incl=0,
                           alias_groups=(), may_alias_internally=False)


def axpy(x, y, z, a: ct.Constant[float]):
    i = ct.bid(0)
    tile = ct.load(x, (i,), (64,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(z, (i,), tile * a + ct.load(y, (i,), (64,)))


def gemm(a, b, c):
    acc = ct.zeros((16, 16), ct.float32)
    for k in range(ct.num_tiles(a, 1, (16, 32))):
        acc = ct.mma(ct.load(a, (ct.bid(0), k), (16, 32)), ct.load(b, (k, ct.bid(1)), (32, 16)), acc)
    ct.store(c, (ct.bid(0), ct.bid(1)), acc)


def norm(x):
    return ct.sqrt(ct.sum(x * x))


def flow(x, y):
    total = ct.zeros((), ct.float32)
    i = 0
    while i < 10:
        total = total + norm(ct.load(x, (i,), (32,)))
        i += 1
        if total > 100.0:
            break
    ct.assert_(total >= 0.0, "a norm is not negative")
    ct.printf("%f\n", total)
    ct.store(y, (0,), ct.full((1,), 1.0, ct.float32) * total)


def newest(x, y, n):
    ct.grid_dependency_control_wait()
    tile = ct.load(x, (ct.bid(0),), (64,), check_bounds=False)
    power = tile ** ct.load(n, (0,), (64,))
    tile = ct.insert(tile, (1,), ct.full((16,), 2.0, ct.float32))
    scale = ct.astype(ct.astype(tile, ct.float8_e5m3fnu), ct.float32,
                      rounding_mode=ct.RoundingMode.RP)
    short = ct.astype(ct.astype(power, ct.tfloat32, rounding_mode=ct.RoundingMode.RA), ct.float32)
    ct.grid_dependency_control_launch_dependents()
    ct.store(y, (ct.bid(0),), scale + short, check_bounds=False)


def export(name, function, parameters, version, gpu_code=None, **options):
    signature = KernelSignature(parameters, CallingConvention.cutile_python_v1(), symbol=name)
    data = io.BytesIO()
    compilation.export_kernel(ct.kernel(function, **options), [signature], data, gpu_code=gpu_code,
                              output_format="tileir_bytecode", bytecode_version=version)
    with open("%s-%s.bc" % (name, version), "wb") as f:
        f.write(data.getvalue())


def encoded(name):
    """What only the encoder knows: attributes of pointers, saturation, the fence, a return in a loop."""
    data = bytearray()
    with bc.write_bytecode(1, data, version=bc.BytecodeVersion.V_13_4) as w:
        t = w.type_table
        pointer = t.tile(t.pointer(t.F32, bc.PtrAttr.Default), ())
        view = t.tensor_view(t.F32, (64, bc.DYNAMIC_SHAPE), (64, 1), bc.PtrAttr.Default)
        tiles = t.partition_view((1, 16), view, (0, 1), bc.PaddingValue.Missing)
        tile = t.tile(t.F32, (1, 16))
        scalar = t.tile(t.I32, ())
        ints = t.tile(t.simple(bc.SimpleType.I8), (1, 16))
        with w.function(name, [pointer, scalar], [], True, {}, bc.MISSING_DEBUG_ATTR_ID) as (b, p):
            whole = bc.encode_MakeTensorViewOp(b, view, p[0], [p[1]], [])
            parts = bc.encode_MakePartitionViewOp(b, tiles, whole)
            loaded, token = bc.encode_LoadViewTkoOp(
                b, tile, t.Token, parts, [p[1], p[1]], None, bc.MemoryOrderingSemantics.WEAK, None,
                None, (True, False))
            fence = bc.encode_MemoryFenceAliasTkoOp(b, t.Token, token)
            small = bc.encode_FToIOp(b, ints, loaded, bc.Signedness.Signed,
                                     bc.RoundingMode.NEAREST_INT_TO_ZERO, True)
            back = bc.encode_IToFOp(b, tile, small, bc.Signedness.Signed,
                                    bc.RoundingMode.NEAREST_EVEN)
            loop = bc.encode_LoopOp(b, [], [])
            with loop.new_block([]):
                bc.encode_StoreViewTkoOp(b, t.Token, back, parts, [p[1], p[1]], fence,
                                         bc.MemoryOrderingSemantics.WEAK, None, None, (False, True))
                bc.encode_ReturnOp(b, [])
            loop.done()
            bc.encode_ReturnOp(b, [])
    with open("%s-13.4.bc" % name, "wb") as f:
        f.write(data)


f32 = array(ct.float32)
export("axpy", axpy, [f32, f32, f32, compilation.ConstantConstraint(2.0)], "13.1",
       "sm_100")
export("gemm", gemm, [array(ct.float16, 2), array(ct.float16, 2), array(ct.float32, 2)], "13.2",
       "sm_100", num_ctas=ct.ByTarget(sm_100=2, default=1))
export("flow", flow, [f32, f32], "13.3")
export("newest", newest, [f32, f32, array(ct.int32)], "13.4")
encoded("encoded")
