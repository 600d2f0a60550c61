/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The page of operators (docs/operators.md), from the tables of families, functions and stages.
 */
#include <tessera/op.h>

#include "cli/cli.h"
#include "ops/function.h"

static const char intro[] =
    "# Operators\n\n"
    "This page is made by scripts/operators-page from what `tessera op list --markdown` says of "
    "the "
    "tables in src/ops, from tests/data/operators and from bench/results; change those, not "
    "this. What is verified and how fast it is stands [at the end](#what-is-verified).\n\n"
    "An operator is computed by kernels that are made for it when it is first asked for: a family "
    "(below) has a table of parameters, a problem is a value for each. Kernels are compiled for an "
    "*instance*, a problem without its sizes, and kept in the cache on disk. "
    "[tessera/op.h](../include/tessera/op.h) has the contract for C; a program links with "
    "libtessera-ops (`Tessera::ops` in CMake, `tessera-ops` for pkg-config). From Python, "
    "[tessera.ops](python.md#operators) computes them on arrays.\n\n"
    "```sh\n"
    "tessera op list                                      # the families\n"
    "tessera op explain gemm                              # parameters, values, defaults\n"
    "tessera op run gemm --type bf16 --m 512 --epilogue bias:n+gelu\n"
    "tessera op check softmax --shape 100x1000 --target emu:sm_80\n"
    "tessera op tune gemm --m 384 --seconds 5             # every instance, with times or why not\n"
    "tessera op build reduce --shape 8x100                # the kernels as Tile IR\n"
    "```\n\n"
    "`check` compares with the family's reference, plain C with sums of f64. `tune` does so for "
    "every instance but those whose work alone takes longer than the fastest one so far, and "
    "remembers the times in the [tuning store](tuning.md), which libraries with a store and the "
    "command ask before the cost model. Rows of size 0, sizes that divide "
    "nothing, and any strides are computed as all others.\n\n"
    "What must be supported is listed in tests/data/operators/support.tsv, and a test computes all "
    "of it on the interpreter; tests/data/operators/problems.tsv has the problems of Composable "
    "Kernel's own tests. Random problems are compared with references on interp, cpu, emu:sm_80 "
    "and emu:sm_90a.\n\n"
    "## Types\n\n"
    "`i8` is signed, `u8` unsigned; [elements.md](elements.md) lists all types. Sums are made in "
    "f32, of f64 in f64, of integers in i32. Integers and floats of 8 bits and less saturate when "
    "a result is stored; floats become integers rounded to nearest, ties to even. `i4` and `u4` "
    "lie two to a byte, the first in the low half, and rows begin at whole bytes.\n";

static const char epilogues[] =
    "\n## Epilogues\n\n"
    "Stages with `+` between, from the left to the right: "
    "`bias:n+gelu+residual+scale:m+quantise:n:i8`.\n\n"
    "| stage | x becomes | the tensor has |\n"
    "|---|---|---|\n"
    "| `bias[:SPAN][:TYPE]` | x + bias | a number for each column (n) |\n"
    "| `residual[:TYPE]` | x + residual | all elements (mn) |\n"
    "| `multiply[:SPAN][:TYPE]` | x * multiply | all elements (mn) |\n"
    "| `scale[:SPAN][:TYPE]` | x * scale | one number (tensor) of f32 |\n"
    "| `smooth[:TYPE]` | x * smooth | a number for each column |\n"
    "| `quantise[:SPAN]:TYPE` | x / quantise, as TYPE | one number (tensor) of f32 |\n"
    "| `quantise:row:TYPE` | x / row_scale, as TYPE | a result: numbers that make the largest "
    "element of each row the largest of TYPE |\n"
    "| `cast:TYPE` | x as TYPE | |\n"
    "| `FUNCTION[:NUMBER...]` | the function of x | |\n\n"
    "SPAN is `m` (a number for each row), `n`, `tensor` or `mn`. A tensor has its stage's name, "
    "the second of a name a 2 behind it: bias2. Tensors of all elements lie as the result does, "
    "with strides of their own (`ldd`).\n\n"
    "## Functions\n\n"
    "In epilogues and in the expressions of `elementwise`, which also have numbers, tensors from a "
    "to h, `+ - * /`, comparisons (1 or 0) and parentheses.\n\n"
    "| function | result |\n"
    "|---|---|\n";

/* In a cell of a table. */
static void put_cell(sbuf *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') sbuf_putc(out, '\\');
    sbuf_putc(out, *text);
  }
}

static const char *kind_text(arena *a, const tsr_op_parameter *p) {
  const char *words = p->words ? p->words : "";
  switch (p->kind) {
  case TSR_OP_INTEGER:
    return arena_printf(a, "%lld to %lld%s%s", (long long)p->least, (long long)p->most,
                        *words ? ", " : "", words);
  case TSR_OP_REAL: return "number";
  case TSR_OP_TYPE: return *words ? "type, auto" : "type";
  case TSR_OP_CHOSEN: return words;
  default: return "specification";
  }
}

static void put_family(sbuf *out, const char *family) {
  static const char *const roles[] = {"form", "size", "choice", "derived"};
  sbuf_printf(out, "\n## %s\n\n%s.\n\n| parameter | | values | default | meaning |\n", family,
              tsr_op_family_about(family));
  sbuf_puts(out, "|---|---|---|---|---|\n");
  for (size_t i = 0; i < tsr_op_parameter_count(family); i++) {
    tsr_op_parameter p = {.struct_size = sizeof p};
    tsr_op_parameter_get(family, i, &p);
    sbuf_printf(out, "| `%s` | %s | %s | `%s` | ", p.name, roles[p.role], kind_text(out->arena, &p),
                p.default_value);
    put_cell(out, p.about);
    sbuf_puts(out, " |\n");
  }
}

void cli_put_operators(sbuf *out) {
  sbuf_puts(out, intro);
  sbuf_puts(out, epilogues);
  for (size_t i = 0; ops_function_at(i); i++) {
    const ops_function *f = ops_function_at(i);
    sbuf_printf(out, "| `%s(x%s%s)` | ", f->name, f->args > 1 ? ", y" : "",
                f->args > 2 ? ", z" : "");
    put_cell(out, f->about);
    sbuf_puts(out, " |\n");
  }
  sbuf_puts(out,
            "\nParameters of the families: *form* and *derived* ones make an instance, *sizes* are "
            "given to its kernels, *choices* are made by records or the cost model where they "
            "are `auto`.\n");
  for (size_t i = 0; tsr_op_family_name(i); i++) put_family(out, tsr_op_family_name(i));
}
