# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation that Triton's front end makes is known to the reader: read, or refused with what it
is. Of the Triton that is installed: a new version with new operations fails here."""
import os
import re

import pytest

import tessera

triton = pytest.importorskip("triton")

#: By the functions of Triton's builder, without "create_": the operations that they make.
MADE = {
    "ret": "tt.return", "call": "tt.call", "add": "arith.addi", "and": "arith.andi", "ashr": "arith.shrsi",
    "assume": "llvm.intr.assume", "barrier": "ttg.barrier", "bitcast": "tt.bitcast arith.bitcast",
    "branch": "cf.br", "cond_branch": "cf.cond_br", "condition_op": "scf.condition", "fabs": "math.absf",
    "fadd": "arith.addf", "fdiv": "arith.divf", "fma": "math.fma", "fmul": "arith.mulf",
    "fneg": "arith.negf", "for_op": "scf.for", "fp_ext": "arith.extf", "fp_to_si": "arith.fptosi",
    "fp_to_ui": "arith.fptoui", "fp_trunc": "arith.truncf", "frem": "arith.remf", "fsub": "arith.subf",
    "iabs": "math.absi", "if_op": "scf.if", "inline_asm": "tt.elementwise_inline_asm",
    "int_cast": "arith.extsi arith.extui arith.trunci", "lshr": "arith.shrui",
    "map_elementwise_ret": "tt.map_elementwise.return", "masked_load": "tt.load",
    "masked_store": "tt.store", "mul": "arith.muli", "or": "arith.ori", "poison": "ub.poison",
    "reduce_ret": "tt.reduce.return", "scan_ret": "tt.scan.return", "sdiv": "arith.divsi",
    "select": "arith.select", "shl": "arith.shli", "si_to_fp": "arith.sitofp", "srem": "arith.remsi",
    "sub": "arith.subi", "udiv": "arith.divui", "ui_to_fp": "arith.uitofp", "umulhi": "tt.mulhiui",
    "urem": "arith.remui", "while_op": "scf.while", "xor": "arith.xori", "yield_op": "scf.yield",
    **{name: "math." + name for name in "ceil cos erf exp exp2 floor log log2 rsqrt sin sqrt".split()},
    **{name: "arith." + name for name in "maximumf maxnumf maxsi maxui minimumf minnumf minsi minui".split()},
}
#: They make no operation.
OTHER = {"block", "block_with_parent", "loc", "module", "name_loc", "tensor_descriptor_type"}
#: What Triton's passes make of others before Tessera reads them.
FOLDED = "arith.constant arith.ceildivsi arith.ceildivui arith.floordivsi arith.remf math.fma ub.poison"


def made_by(builder):
    """The operations of one function of the builder."""
    if builder.startswith(("fcmp", "icmp")):
        return ["arith.cmp" + builder[0]]
    return MADE.get(builder, "tt." + builder).split()


def operations():
    from triton._C.libtriton import ir
    builders = {name[7:] for name in dir(ir.builder) if name.startswith("create_")} | {"ret", "call"}
    yield from FOLDED.split()
    for builder in sorted(builders - OTHER):
        yield from made_by(builder)
    path = os.path.join(os.path.dirname(triton.__file__), "include/triton/Dialect/Triton/IR/TritonOps.td")
    if os.path.exists(path):
        with open(path) as table:
            yield from ("tt." + name for name in re.findall(r'TT_Op\s*<"([\w.]+)"', table.read()))


@pytest.mark.parametrize("name", sorted(set(operations()) - {"tt.func"}))
def test_is_known(name):
    text = 'module {\n tt.func public @k() {\n "%s"() : () -> ()\n tt.return\n }\n}\n' % name
    try:
        tessera.Module.of_ttir(text)
    except tessera.InputError as error:
        assert "Tile IR has nothing for the operation" not in str(error)
