# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said about wrong kernels: the line, the expression, what was expected, the cure."""
import numpy as np
import pytest

import tessera
import tessera.lang as tl

X, Y = np.zeros(64, np.float32), np.zeros((8, 8), np.float32)
CASES = []


def wrong(about, message, **constants):
    """A kernel, the expression under the caret and a part of the message."""
    def add(function):
        CASES.append((function, about, message, constants))
        return function
    return add


@wrong("missing", "the name missing is not defined")
def unknown_name(x, y):
    x[0] = missing  # noqa: F821


@wrong("x.lenght", "has no attribute 'lenght'; it has dtype, ndim, shape, size, strides")
def unknown_attribute(x, y):
    x[0] = x.lenght


@wrong("tl.expp", "AttributeError: module 'tessera.lang' has no attribute 'expp'")
def unknown_function(x, y):
    x[0] = tl.expp(1.0)


@wrong("with open('f'):", "kernels have no `with`")
def unsupported_statement(x, y):
    with open('f'):
        pass


@wrong("try:", "kernels have no `try`")
def unsupported_try(x, y):
    try:
        pass
    finally:
        pass


@wrong("{1: 2}", "kernels have no dictionaries: use tuples")
def unsupported_expression(x, y):
    x[0] = {1: 2}[1]


@wrong("n", "the sizes of a tile must be known when the kernel is compiled: this one is a scalar of "
            "int32; make it a parameter with the annotation tessera.constant")
def missing_constant(x, y, n=16):
    tl.store(x, 0, tl.load(x, 0, n))


@wrong("100", "the sizes of a tile are powers of two, and 100 is none; take 128")
def no_power_of_two(x, y):
    tl.load(x, 0, 100)


@wrong("(4, 4)", "a tile of the array x (float32, 1 dimension) has as many dimensions as that, found "
                 "the shape [4, 4]")
def wrong_rank(x, y):
    tl.load(x, 0, (4, 4))


@wrong("0", "needs an index of 2 numbers, found 1")
def wrong_index(x, y):
    tl.load(y, 0, (4, 4))


@wrong("tl.arange(4) + tl.arange(8)", "the shapes [4] and [8] do not fit together")
def wrong_shapes(x, y):
    tl.store(x, 0, tl.arange(4) + tl.arange(8))


@wrong("tl.zeros((4,), tl.float16) + tl.zeros((4,), tl.bfloat16)",
       "float16 and bfloat16 have no common type: convert one of them with .astype(…)")
def no_common_type(x, y):
    tl.store(x, 0, tl.zeros((4,), tl.float16) + tl.zeros((4,), tl.bfloat16))


@wrong("tl.arange(4) < 2", "expected a scalar, found a tile bool[4]: tl.where(…) chooses element by")
def condition_of_a_tile(x, y):
    if tl.arange(4) < 2:
        x[0] = 1


@wrong("a", "a is a scalar of float32 before the loop and a tile float32[8] at the end of its body: "
            "give it one type and shape on all ways, as with tl.zeros((8,), tl.float32)")
def changing_type(x, y):
    a = x[0]
    for i in range(3):
        a = tl.zeros((8,), tl.float32)
    tl.store(x, 0, a)


@wrong("b", "b is a tile float32[4] in one branch and a tile float32[8] in the other")
def branches_differ(x, y):
    if x[0] > 1:
        b = tl.zeros((4,))
    else:
        b = tl.zeros((8,))
    tl.store(x, 0, b)


@wrong("b", "b is assigned in one of two branches only: give it a value before the `if`")
def one_branch(x, y):
    if x[0] > 1:
        b = 1.0
    x[0] = b


@wrong("*rest", "kernels have no `*` here")
def starred(x, y):
    first, *rest = (1, 2, 3)


@wrong("i", "i is assigned in a loop, which may not run at all: give it a value before")
def after_the_loop(x, y):
    for i in range(len(x)):
        x[i] = 1
    x[0] = i


@wrong("np.exp(tl.load(x, 0, 4))", "exp does not take tiles: tl.exp(…) does")
def function_of_numpy(x, y):
    tl.store(x, 0, np.exp(tl.load(x, 0, 4)))


@wrong("tl.load(x, 0)", "tl.load(array, index, shape, *, order=None, padding=0): missing a required "
                        "argument: 'shape'")
def missing_argument(x, y):
    tl.load(x, 0)


@wrong("tl.zeros((8, 8),", "the sum must be a tile float32[8, 8], found a tile float16[8, 8]: begin with "
                           "tl.zeros((8, 8), tl.float32)")
def wrong_sum(x, y):
    a = tl.load(y, (0, 0), (8, 8))
    tl.mma(a, a, tl.zeros((8, 8),
                          tl.float16))


@wrong("tl.load(y, (0, 0), (8, 8)) @ tl.load(y, (0, 0), (4, 8))",
       "the first one's columns must be as many as the second one's rows")
def wrong_product(x, y):
    tl.store(y, (0, 0), tl.load(y, (0, 0), (8, 8)) @ tl.load(y, (0, 0), (4, 8)))


@wrong("3", "the padding of the array x (float32, 1 dimension) is 0, -0.0, inf, -inf, nan or None")
def wrong_padding(x, y):
    tl.load(x, 0, 4, padding=3)


@wrong("1.5", "1.5 is no int32: write a whole number")
def float_for_an_integer(x, y):
    tl.full((4,), 1.5, tl.int32)


@wrong("x", "expected a tile or a number, found the array x (float32, 1 dimension); tl.load(…) "
            "gives a tile of an array")
def arithmetic_of_arrays(x, y):
    tl.store(x, 0, x + 1)


@wrong("v[0]", "only elements of arrays can be assigned to")
def tiles_do_not_change(x, y):
    v = tl.load(x, 0, 4)
    v[0] = 1


@wrong("return x[0]", "a kernel returns nothing")
def returns(x, y):
    return x[0]


@wrong("-1", "the step of a loop in a kernel is positive, found -1")
def backwards(x, y):
    for i in range(8, 0, -1):
        x[i] = 1


@wrong("break", "`break` depends on a tile, and the loop around it is unrolled")
def unrolled(x, y):
    for i in tl.static_range(4):
        if x[i] > 1:
            break


@wrong("5", "the tile has 1 dimension, and none is number 5")
def wrong_axis(x, y):
    tl.sum(tl.arange(8), axis=5)


@wrong("tl.atomic_max(x, 0, 1.0)", "this atomic update takes arrays of int32", part="x")
def atomic_of_floats(x, y):
    tl.atomic_max(x, 0, 1.0)


@wrong("tl.static_assert(x.ndim == 2, 'two dimensions')", "two dimensions")
def asserted(x, y):
    tl.static_assert(x.ndim == 2, 'two dimensions')


@wrong("recurses(x)", "functions call each other more than 64 deep")
def recursion(x, y):
    recurses(x)


def recurses(x):
    recurses(x)


@wrong("None", "NoneType", part="1 + None")
def plain_python(x, y):
    x[0] = 1 + None


@pytest.mark.parametrize("function, about, message, options", CASES,
                         ids=[case[0].__name__ for case in CASES])
def test_message(function, about, message, options):
    with pytest.raises(tessera.KernelError) as caught:
        tessera.kernel(function)[1](X, Y)
    text, first = str(caught.value), caught.value.diagnostics[0]
    assert message in text, text
    assert first.file == __file__ and text.startswith("%s:%d:%d: error: " % (
        __file__, first.line, first.column))
    _, source, caret = first.text.split("\n")
    with open(__file__, encoding="utf-8") as file:
        assert source.strip() == file.read().split("\n")[first.line - 1].strip()
    at = caret.index("^")
    marked = source[at:at + len(caret) - at]
    expected = options.get("part", about)
    assert marked == expected or expected.startswith(marked + ":"), text


def doubled(v):
    return v * tl.arange(3)


def test_functions_that_are_called():
    """The line in the function, and the lines that called it."""
    def kernel(x):
        tl.store(x, 0, doubled(tl.load(x, 0, 4)))

    with pytest.raises(tessera.KernelError) as caught:
        tessera.kernel(kernel)[1](X)
    error, note = caught.value.diagnostics
    assert "powers of two" in error.message and note.severity == "note"
    for found, about in (error, "3"), (note, "doubled(tl.load(x, 0, 4))"):
        _, source, caret = found.text.split("\n")
        assert source[caret.index("^"):][:len(caret.strip())] == about
        with open(__file__, encoding="utf-8") as file:
            line = file.read().split("\n")[found.line - 1]
        assert line[found.column - 1:].startswith(about)


def test_outside_of_kernels():
    with pytest.raises(RuntimeError, match="tl.exp works in kernels only"):
        tl.exp(1.0)
    made = {}
    exec("def k(x):\n    x[0] = 1", made)
    with pytest.raises(tessera.KernelError, match="kernels are read from files or notebooks"):
        tessera.kernel(made["k"])[1](X)
