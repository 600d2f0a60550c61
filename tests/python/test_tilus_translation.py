# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tessera.tilus makes of programs of Tilus, without Tilus: its nodes are told apart by the names
of their classes, so that nodes of such names do."""
import math
import re
import types

import numpy
import pytest

import tessera
from tessera.tilus._elements import BOOL, I32, Elem, elem_of, number_text, promoted
from tessera.tilus._layouts import Layout, for_copies, memory_text, replicated
from tessera.tilus._translate import portable, translate

THREADS = 32


def node(kind, **fields):
    made = type(kind, (), {})()
    made.__dict__.update(fields)
    return made


def of_type(name):
    return types.SimpleNamespace(name=name)


INT, FLOAT = of_type("int32"), of_type("float32")


def var(hint, kind=INT, name=None):
    return node("Var", hint=hint, name=name, type=kind)


def constant(value, kind=INT):
    return node("Constant", value=value, type=kind)


def binary(kind, a, b):
    return node(kind, a=a, b=b)


def call(name, *args):
    return node("Call", func_var=types.SimpleNamespace(name="generic_" + name, hint=None), args=args)


def tensor(shape, kind=FLOAT):
    """In rows of a thread each, of as many slots as there are columns."""
    modes = tuple(n for n in shape if n > 1)
    layout = types.SimpleNamespace(shape=shape, mode_shape=modes, spatial_modes=(0,),
                                   local_modes=tuple(range(1, len(modes))))
    return node("RegisterTensor", dtype=kind, shape=shape, layout=layout)


def inst(kind, *inputs, output=None, **attributes):
    made = node(kind, output=output, inputs=inputs, **attributes)
    return node("InstStmt", inst=made)


def seq(*stmts):
    return node("SeqStmt", seq=stmts)


def text_of(body, params=(), warps=1, **divisors):
    metadata = types.SimpleNamespace(
        num_warps=warps, grid_blocks=(1, 1, 1),
        param2divisibility={p: divisors[p.hint] for p in params if p.hint in divisors})
    made = translate(types.SimpleNamespace(name="k", params=tuple(params), body=body,
                                           metadata=metadata)).text
    tessera.Module(made, extensions=True)  # which checks it
    return made


def filled(output, value):
    return inst("AllocateRegisterInst", output=output, axes=(), init=constant(value, FLOAT))


# ---- variables become values ---------------------------------------------------------------------


def test_a_loop_hands_on_what_it_assigns():
    t, other, n, i = tensor((32, 4)), tensor((32, 4)), var("n"), var("i")
    body = seq(filled(t, 0.0), filled(other, 1.0), node(
        "ForStmt", iter_var=i, extent=n, unroll_factor=None,
        body=inst("AddInst", t, other, output=t)), inst("AssignInst", other, t))
    text = text_of(body, [n])
    assert text.count("iter_values") == 1 and text.count("continue") == 1
    assert "= addf %v" in text and "iter_values(%v" in text


def test_a_loop_that_assigns_nothing_hands_on_nothing():
    n, i = var("n"), var("i")
    body = node("ForStmt", iter_var=i, extent=n, body=inst("SyncThreadsInst"), unroll_factor=None)
    text = text_of(body, [n])
    assert "iter_values" not in text and "for %i" in text and "barrier" in text


def test_a_loop_that_is_left_counts_itself():
    n, i, x = var("n"), var("i"), var("x")
    body = seq(node("DeclareStmt", var=x, init=constant(0)), node(
        "ForStmt", iter_var=i, extent=n, unroll_factor=None, body=seq(
            node("IfStmt", cond=binary("LessThan", constant(3), i), then_body=node("BreakStmt"),
                 else_body=None),
            node("AssignStmt", var=x, value=binary("Add", x, i)))))
    text = text_of(body, [n])
    assert "for " not in text and text.count("loop ") == 1 and text.count("break") == 2


def test_branches_yield():
    n, x = var("n"), var("x")
    body = seq(node("DeclareStmt", var=x, init=constant(0)), node(
        "IfStmt", cond=binary("LessThan", n, constant(3)),
        then_body=node("AssignStmt", var=x, value=n), else_body=None),
        inst("FormatPrintInst", cond=constant(True, of_type("bool")), fstring="%d\\n",
             expressions=(x,)))
    text = text_of(body, [n])
    assert "yield %n :" in text and "yield %c" in text and " = if %" in text


def test_what_follows_a_return_is_not_written():
    text = text_of(seq(node("ReturnStmt"), inst("SyncThreadsInst")))
    assert "barrier" not in text and text.count("return") == 1


def test_a_view_of_registers_that_were_assigned_since():
    t, view, other = tensor((32, 4)), tensor((32, 4), INT), tensor((32, 4))
    body = [filled(t, 0.0), inst("ViewInst", t, output=view, local_offset=constant(0)),
            filled(other, 2.0), inst("AssignInst", t, other)]
    text_of(seq(*body))  # nobody reads the view
    with pytest.raises(tessera.Unsupported, match="a view of registers that were assigned"):
        text_of(seq(*body, inst("AddInst", view, view, output=tensor((32, 4), INT))))


# ---- expressions ---------------------------------------------------------------------------------


def printed(expr, *params):
    form = "%f" if params[0].type is FLOAT else "%d"
    return text_of(inst("FormatPrintInst", cond=True, fstring=form, expressions=(expr,)), params)


def test_integers():
    n, u = var("n"), var("u", of_type("uint32"))
    assert "divi %n, %c0 signed" in printed(binary("Div", n, constant(64)), n)
    assert "remi %u, %u unsigned" in printed(binary("Mod", u, u), u)
    assert "shri %u, %u unsigned" in printed(binary("RightShift", u, u), u)
    text = printed(node("Cast", expr=n, target_type=of_type("int64")), n)
    assert "exti %n signed : tile<i32> -> tile<i64>" in text


def test_truth():
    n = var("n")
    text = printed(binary("LogicalAnd", binary("LessThan", n, constant(3)), n), n)
    assert "cmpi not_equal %n" in text and "andi" in text
    assert "xori" in printed(node("LogicalNot", a=binary("Equal", n, n)), n)
    assert "select" in printed(node("IfThenElse", cond=n, then_expr=n, else_expr=constant(1)), n)


def test_functions():
    x = var("x", FLOAT)
    assert "maxf %x, %x" in printed(call("max", x, x), x)
    for name in ("exp", "rsqrt", "floor"):
        assert "= %s %%x" % name in printed(call(name, x), x)
    assert "floor" in printed(call("round", x), x) and "ceil" in printed(call("trunc", x), x)
    with pytest.raises(tessera.Unsupported, match="the function erf is not supported"):
        printed(call("erf", x), x)


def test_divisors_are_assumed():
    n = var("n")
    text = text_of(inst("FormatPrintInst", cond=True, fstring="%d", expressions=(n,)), [n], n=16)
    assert "assume div_by<16>, %n" in text


def test_what_the_launcher_can_compute():
    m, n = var("m"), var("n")
    expr = binary("Div", binary("Add", n, constant(63)), constant(64))
    assert portable(expr, [m, n]) == ["/", ["+", "1", 63], 64]
    with pytest.raises(tessera.Unsupported, match="other is not known before the kernel runs"):
        portable(var("other"), [m, n])


def rows_in_memory(shape, kind=FLOAT):
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    layout = types.SimpleNamespace(shape=shape, mode_shape=[n for n in shape if n > 1],
                                   mode_strides=[s for s, n in zip(strides, shape) if n > 1],
                                   optional_swizzle=None)
    return node("SharedTensor", dtype=kind, shape=shape, layout=layout)


def global_rows(shape, pointer, kind=FLOAT):
    i, j = var("i"), var("j")
    layout = types.SimpleNamespace(
        shape=[constant(n) for n in shape], axes=(i, j),
        offset=binary("Add", binary("Multiply", i, constant(shape[1])), j), size=constant(0))
    made = node("GlobalTensor", dtype=kind, layout=layout)
    return made, inst("GlobalViewInst", output=made, ptr=pointer)


def pointer_var(hint):
    return var(hint, types.SimpleNamespace(base_type=FLOAT))


def test_bulk_copies_announce_their_bytes():
    x, y, bars, bar = pointer_var("x"), pointer_var("y"), tensor((1,)), var("bar")
    (gx, view_x), (gy, view_y) = global_rows((8, 32), x), global_rows((4, 32), y)
    s, at = rows_in_memory((4, 32)), (constant(2), constant(0))
    place = {"sem": "release", "scope": "cta"}
    body = seq(
        view_x, view_y, inst("AllocateSharedInst", output=s),
        inst("AllocBarrierInst", output=bars, counts=(constant(32),)),
        node("TensorItemValueStmt", var=bar, tensor=bars),
        inst("CopyAsyncBulkGlobalToSharedInst", s, gx, offsets=at, dims=None, mbarrier=bar),
        inst("SyncThreadsInst"), inst("ArriveBarrierInst", barrier=bar, count=constant(1), **place),
        inst("WaitBarrierInst", barrier=bar, phase=constant(0), **place),
        inst("CopyAsyncBulkSharedToGlobalInst", gy, s, offsets=(constant(0), constant(0)),
             dims=None),
        inst("CopyAsyncBulkCommitGroupInst"), inst("CopyAsyncBulkWaitGroupInst", n=0))
    a, b = numpy.arange(256, dtype="f4").reshape(8, 32), numpy.zeros((4, 32), "f4")
    kernel = tessera.Module(text_of(body, [x, y]), extensions=True).kernel(
        None, tessera.Device("interp", sanitize=True))
    kernel[1](a, b)
    numpy.testing.assert_array_equal(b, a[2:6])


@pytest.mark.parametrize("device", ["interp", "cpu", "emu:sm_80"])
def test_a_product_without_an_instruction(device):
    """Each thread holds an element of the result, its row and its column."""
    pointers = x, y, z = [pointer_var(n) for n in "xyz"]
    views = [global_rows(shape, p) for shape, p in zip(((8, 16), (16, 4), (8, 4)), pointers)]
    layouts = [((8, 16), (8, 16), (0, -4), (1,)), ((16, 4), (16, 4), (-8, 1), (0,)),
               ((8, 4), (8, 4), (0, 1), ())]
    a, b, c = [node("RegisterTensor", dtype=FLOAT, shape=shape, layout=types.SimpleNamespace(
        shape=shape, mode_shape=modes, spatial_modes=spatial, local_modes=local))
        for shape, modes, spatial, local in layouts]
    at, out = (constant(0), constant(0)), node("RegisterTensor", **vars(c))
    body = seq(*[v for _, v in views], filled(c, 1.0), *[
        inst("LoadGlobalInst", g, output=t, offsets=at, dims=None)
        for t, (g, _) in zip((a, b), views)],
        inst("SimtDotInst", a, b, c, output=out),
        inst("StoreGlobalInst", views[2][0], out, offsets=at, dims=None))
    p, q = (numpy.random.default_rng(0).standard_normal(s).astype("f4") for s in ((8, 16), (16, 4)))
    r = numpy.zeros((8, 4), "f4")
    tessera.Module(text_of(body, pointers), extensions=True).kernel(
        None, tessera.Device(device))[1](p, q, r)
    numpy.testing.assert_allclose(r, p @ q + 1, rtol=1e-5, atol=1e-5)


def of_tilus(x, exponent_bits, kept):
    """The pattern that Tilus' kernels make of a number: rounded as if it were normal, then cut off
    where subnormal numbers end; all ones of what is not finite."""
    bits = 1 + exponent_bits + kept
    if not math.isfinite(x):
        return (1 << bits) - 1
    fraction, exponent = math.frexp(abs(x))
    size = math.ldexp(round(math.ldexp(fraction, kept + 1)), exponent - kept - 1)
    least = 2 - (1 << exponent_bits - 1)  # of the exponents of normal numbers
    exponent = max(math.frexp(size)[1] - 1, least) if size else least
    steps = math.floor(math.ldexp(size, kept - exponent))
    pattern = (exponent - least << kept) + steps
    return (math.copysign(1, x) < 0) << bits - 1 | min(pattern, (1 << bits - 1) - 1)


@pytest.mark.parametrize("name", ["float3_e1m1", "float4_e2m1", "float5_e2m2", "float6_e3m2",
                                  "float6_e4m1", "float7_e2m4", "float7_e5m1"])
@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_casts_as_tilus_does_them(monkeypatch, device, name):
    monkeypatch.setenv("TESSERA_TILUS_CASTS", "tilus")
    small, exponent_bits, kept = of_type(name), int(name[8]), int(name[10])
    x, y = pointer_var("x"), var("y", types.SimpleNamespace(base_type=small))
    (gx, view_x), (gy, view_y) = global_rows((32, 8), x), global_rows((32, 8), y, small)
    wide, narrow, at = tensor((32, 8)), tensor((32, 8), small), (constant(0), constant(0))
    body = seq(view_x, view_y, inst("LoadGlobalInst", gx, output=wide, offsets=at, dims=None),
               inst("CastInst", wide, output=narrow),
               inst("StoreGlobalInst", gy, narrow, offsets=at, dims=None))
    random = numpy.random.default_rng(1)
    values = (random.standard_normal(256) * 2.0 ** random.integers(-8, 6, 256)).astype("f4")
    values[128:] = numpy.ldexp(random.integers(-64, 64, 128), random.integers(-9, 0, 128))  # ties
    values[:6] = 0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e-40
    width = 1 + exponent_bits + kept
    out = numpy.zeros(32 * width, "u1")
    tessera.Module(text_of(body, [x, y]), extensions=True).kernel(
        None, tessera.Device(device))[1](values, out)
    bits = numpy.unpackbits(out, bitorder="little").reshape(256, width)
    patterns = (bits.astype(int) << numpy.arange(width)).sum(1)
    assert patterns.tolist() == [of_tilus(float(v), exponent_bits, kept) for v in values]


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind,what", [
    ("CopyAsyncBulkGlobalToClusterSharedInst", "bulk copies between"), ("Tcgen05AllocInst", "tensor memory"),
    ("ClusterLaunchControlTryCancelInst", "cluster launch control"), ("SomethingNewInst", "the instruction SomethingNew")])
def test_instructions_that_are_missing_are_named(kind, what):
    with pytest.raises(tessera.Unsupported, match="k: %s.*: not supported by Tessera yet; " % what):
        text_of(inst(kind))


def test_the_place_is_named():
    stmt = inst("Tcgen05AllocInst")
    stmt.inst.__dict__["_tessera_place"] = ("a.py", 7, 3)
    with pytest.raises(tessera.Unsupported, match="^a.py:7: tensor memory"):
        text_of(seq(stmt))


def test_places_of_operations():
    stmt = filled(tensor((32, 4)), 0.0)
    add = inst("SyncThreadsInst")
    add.inst.__dict__["_tessera_place"] = ('dir/"a".py', 7, 3)
    assert 'barrier loc("dir/\\"a\\".py":7:3)' in text_of(seq(stmt, add))


# ---- groups of threads ---------------------------------------------------------------------------


def group(begin, count, *stmts):
    return node("ThreadGroupStmt", thread_begin=begin, num_threads=count, body=seq(*stmts))


def added(x, number):
    return node("AssignStmt", var=x, value=binary("Add", x, constant(number)))


def shown(x):
    return inst("FormatPrintInst", cond=True, fstring="%d\\n", expressions=(x,))


def test_what_a_group_assigns_its_threads_have_again():
    x = var("x")
    text = text_of(seq(node("DeclareStmt", var=x, init=constant(5)), group(32, 32, added(x, 1)),
                       group(0, 32, shown(x)), group(32, 32, shown(x))), warps=2)
    mine, = re.findall(r"(%r\d+) = group threads\(32 to 64\) -> \(tile<i32>\)", text)
    printed = re.findall(r'print_tko "[^"]*", (%\w+)', text)
    assert len(printed) == 2 and printed[0].startswith("%c") and printed[1] == mine


@pytest.mark.parametrize("begin,count", [(0, 64), (32, 32), (0, 32)])
def test_a_variable_of_several_values(begin, count):
    """Of what one elected thread assigned, all others know nothing."""
    x = var("x")
    body = [node("DeclareStmt", var=x, init=constant(5)),
            group(32, 32, group(-1, 1, added(x, 1))), group(begin, count, shown(x))]
    if begin == 0 and count == 32:
        text_of(seq(*body), warps=2)
        return
    with pytest.raises(tessera.Unsupported, match="a variable that only some of the threads here"):
        text_of(seq(*body), warps=2)


def test_groups_that_overlap():
    x = var("x")
    with pytest.raises(tessera.Unsupported, match="a variable that only some of the threads here"):
        text_of(seq(node("DeclareStmt", var=x, init=constant(5)), group(0, 64, added(x, 1)),
                    group(32, 64, shown(x))), warps=4)


def test_a_loop_around_groups():
    x, i = var("x"), var("i")
    body = seq(node("DeclareStmt", var=x, init=constant(5)), node(
        "ForStmt", iter_var=i, extent=constant(3), unroll_factor=None,
        body=group(0, 32, added(x, 1))))
    with pytest.raises(tessera.Unsupported, match="a variable that only some of the threads here"):
        text_of(body, warps=2)


def test_register_tensors_of_a_group():
    """Allocated around it, they come into being in it; their constants with them."""
    t = tensor((32, 4))
    text = text_of(seq(filled(t, 1.0), group(32, 32, inst("AddInst", t, t, output=t)),
                       group(32, 32, inst("AddInst", t, t, output=t))), warps=2)
    assert text.count("constant <f32: 1.0>") == 1
    assert text.index("group threads(32 to 64)") < text.index("constant <f32: 1.0>")
    first, second = re.findall(r"(%r\d+) = group", text)
    assert "addf %s, %s" % (first, first) in text.split(second + " = group")[1]
    with pytest.raises(tessera.Unsupported, match="a register tensor that 32 threads hold, among 64"):
        text_of(seq(filled(t, 1.0), inst("AddInst", t, t, output=t)), warps=2)


@pytest.mark.parametrize("begin,count", [(0, 16), (16, 32), (8, 1)])
def test_groups_that_are_no_warps(begin, count):
    body = group(begin, count)
    if count == 1:  # any thread will do
        assert "elect {" in text_of(body, warps=2)
        return
    with pytest.raises(tessera.Unsupported, match="a group of the threads %d to" % begin):
        text_of(body, warps=2)


def test_a_group_that_is_left():
    with pytest.raises(tessera.Unsupported, match="a thread group that is left by return or break"):
        text_of(group(0, 32, node("ReturnStmt")), warps=2)


def test_barriers():
    x, y, bars, one = var("x"), var("y"), tensor((2,)), tensor(())
    place = dict(sem="release", scope="cta")
    body = seq(
        inst("AllocBarrierInst", output=bars, counts=(constant(3), None)),
        inst("SliceRegisterInst", bars, output=one, offsets=(constant(1),), dims=()),
        node("TensorItemValueStmt", var=x, tensor=one, space="register"),
        node("DeclareStmt", var=y, init=x),
        inst("ArriveBarrierInst", barrier=y, count=constant(2), **place),
        inst("WaitBarrierInst", barrier=x, phase=constant(0), **place))
    text = text_of(body, warps=2)
    assert "mbarrier_init" in text and ", 64 : mbarrier<2>" in text and "{count = 2}" in text
    assert text.index("fence_async") < text.index("barrier\n") < text.index("mbarrier_arrive")
    computed = inst("WaitBarrierInst", barrier=binary("Add", x, constant(8)), phase=constant(0),
                    **place)
    with pytest.raises(tessera.Unsupported, match="an mbarrier that is computed"):
        text_of(seq(body, computed))


# ---- layouts -------------------------------------------------------------------------------------


ROWS = Layout((8, 16), (8, 4, 4), (0, 1), (2,))


def test_layouts_without_a_dimension():
    assert ROWS.threads == 32
    assert ROWS.reduced([1]) == Layout((8, 1), (8,), (0, -4), ())
    assert ROWS.without([0]) == Layout((16,), (4, 4), (-8, 0), (1,))
    assert ROWS.permuted([1, 0]) == Layout((16, 8), (4, 4, 8), (2, 0), (1,))
    assert replicated(2, 64) == Layout((1, 1), (), (-64,), ())


@pytest.mark.parametrize("shape,bits,along", [((64, 16), 16, 1), ((16, 64), 16, 0), ((7, 3), 32, 1),
                                              ((128, 128), 8, 1), ((4,), 32, 0)])
def test_who_copies_what(shape, bits, along):
    layout = for_copies(shape, bits, 128, along)
    assert layout.shape == shape and layout.threads == 128
    tessera.Layout(str(layout))  # which checks it
    if shape[along] * bits % 128 == 0:
        assert layout.modes[layout.local[-1]] == 128 // bits


def test_memory():
    of = types.SimpleNamespace(shape=(3, 16, 128), mode_shape=(3, 16, 2, 64),
                               mode_strides=(2048, 64, 1024, 1),
                               optional_swizzle=types.SimpleNamespace(base=3, bits=2, shift=4))
    assert memory_text(of) == "Sw<2,3,4> o (3,16,(64,2)):(2048,64,(1,1024))"
    of.optional_swizzle = None
    of.shape, of.mode_shape, of.mode_strides = (1, 8), (8,), (1,)
    assert memory_text(of) == "(1,8):(0,1)"


# ---- types ---------------------------------------------------------------------------------------


def test_types():
    assert elem_of(of_type("uint8")) == Elem("i8", "int", 8, False)
    assert elem_of(of_type("bool")) == BOOL
    pointer = types.SimpleNamespace(base_type=of_type("float16"))
    assert elem_of(pointer).name == "ptr<f16>"
    assert elem_of(of_type("float6_e3m2")) == Elem("f6E3M2FN", "float", 6)
    assert elem_of(of_type("uint3b")) == Elem("i3", "int", 3, False)
    assert elem_of(of_type("uint1b")) == Elem("i1", "int", 1, False)
    bits = elem_of(types.SimpleNamespace(base_type=of_type("uint1b")))
    assert bits.name == "ptr<i8>"  # nor to single bits
    four = elem_of(types.SimpleNamespace(base_type=of_type("uint4b")))
    assert four.name == "ptr<f4E2M1FN>"  # there are no pointers to i4
    for name in ("float9_e4m4", "complex64"):
        with pytest.raises(tessera.Unsupported, match="elements of type %s" % name):
            elem_of(of_type(name))
    f16, f32 = elem_of(of_type("float16")), elem_of(FLOAT)
    assert promoted(f16, f32) == f32 and promoted(I32, f16) == f16 and promoted(BOOL, I32) == I32
    assert promoted(I32, I32._replace(signed=False)).signed is False


def test_small_integers_are_widened_first():
    n = var("n", of_type("uint4b"))
    text = printed(node("Cast", expr=n, target_type=FLOAT), n).split("entry")[1]
    assert "exti %n unsigned : tile<i4> -> tile<i32>" in text and "itof" in text
    x = var("x", FLOAT)
    text = printed(node("Cast", expr=node("Cast", expr=x, target_type=of_type("int4b")),
                        target_type=FLOAT), x)
    assert text.index("ftoi") < text.index("trunci") < text.index("exti") < text.index("itof")


def test_numbers():
    f32 = elem_of(FLOAT)
    assert number_text(1e-05, f32) == "1.0e-05" and number_text(2, f32) == "2.0"
    assert number_text(float("inf"), f32) == "0x7F800000" and number_text(1, BOOL) == "true"
    assert number_text(-3, I32) == "-3"
