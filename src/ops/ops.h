/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops: operators as tables and builders (the public contract is in tessera/op.h).
 *
 * A *family* is one struct op_family: a table of parameters and a few functions. A *problem* is a
 * value for each parameter. What happens to one, in this order:
 *
 *   text, settings ─► op_problem_parse ─► settle    types, strides and derived parameters filled in
 *                                     ─► operands   the tensors
 *                                     ─► choose     of the candidates the fastest; supported() says
 *                                                   why others cannot be used
 *                                     ─► steps      launches: grids and arguments
 *   the same without its sizes, the instance ─► build ─► Tile IR, compiled once for all sizes
 *
 *   params.c    values and their text        problem.c  the order above      families.c  the list
 *   type.c      element types                target.c   what it is computed on
 *   emit.c      what builders share          function.c activations and others, on tiles and
 * numbers epilogue.c  specifications               host.c     tensors on the host, for references
 *   library.c   plans and compiled kernels   launch.c   arguments
 *   gemm*.c, elementwise.c, ...              a family each, with its reference
 *
 * To add a family: CONTRIBUTING.md.
 */
#ifndef TSR_OPS_OPS_H
#define TSR_OPS_OPS_H

#include <tessera/op.h>

#include "base/base.h"
#include "ops/target.h"
#include "ops/type.h"

typedef struct op_family op_family;
typedef struct op_problem op_problem;
typedef struct op_build op_build;
typedef struct op_host op_host;

/* ---- parameters ----------------------------------------------------------------------------- */

typedef struct op_param {
  const char *name;
  uint8_t kind; /* tsr_op_kind */
  uint8_t role; /* tsr_op_role */
  int64_t least, most;
  const char *words; /* of TSR_OP_CHOSEN all, divided by blanks; of others one, which is OP_WORD */
  const char *init;  /* the default, as it is written */
  const char *about; /* a sentence for a user */
} op_param;

/* A family writes its table once, as a list of rows
 *
 *   #define GEMM_PARAMS(P) \ P(m, INTEGER, SIZE, 0, OP_MAX_SIZE, NULL, "1024", "rows of A and C")
 *
 * from which OP_PARAM_ID makes the enumerators GEMM_m, ... and OP_PARAM_ROW the table. Every family
 * ends its list with OP_COMMON_PARAMS(P). */
#define OP_PARAM_ROW(id, kind, role, least, most, words, init, about)                              \
  {#id, TSR_OP_##kind, TSR_OP_##role, least, most, words, init, about},
#define OP_COMMON_PARAMS(P)                                                                        \
  P(index, CHOSEN, DERIVED, 0, 0, "i32 i64", "i32", "integers that sizes and strides fit into")

enum {
  OP_MAX_PARAMS = 64,
  OP_MAX_OPERANDS = 16,
  OP_MAX_STEPS = 4,
  OP_MAX_PASSES = 48,
  OP_WORD = -1, /* the word that an integer or type has besides its numbers: auto, packed */
};
#define OP_MAX_SIZE (INT64_C(1) << 40) /* of a dimension; strides may be as large, too */

typedef struct op_value {
  int64_t i;        /* an integer, an op_type, or the number of a word */
  double r;         /* a real */
  const char *text; /* a specification, in the problem's arena */
} op_value;

struct op_problem {
  const op_family *family;
  arena *arena; /* of its texts and specifications */
  op_value values[OP_MAX_PARAMS];
  void *parts; /* the family's, from settle: specifications that were read */
};

/* Why something cannot be: a sentence that names the parameter or tensor, its value and what would
 * be accepted. */
typedef struct op_why {
  char text[512];
} op_why;
/* Writes the sentence; returns false. */
bool op_refuse(op_why *why, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The row of a name; n_params when there is none. */
unsigned op_param_find(const op_family *f, str name);
/* Every parameter has its default. */
void op_problem_init(op_problem *p, const op_family *f, arena *a);
/* Sets one parameter from text. */
bool op_problem_set(op_problem *p, unsigned param, str value, op_why *why);
/* "gemm:type=bf16,m=512"; then the settings. */
bool op_problem_parse(op_problem *p, arena *a, const tsr_op_problem *given, op_why *why);
/* The text of all values that are not the default, sizes included or not. */
void op_problem_print(const op_problem *p, bool sizes, sbuf *out);
/* One value as it is written. */
void op_value_print(const op_param *param, const op_value *value, sbuf *out);
bool op_value_same(const op_param *param, const op_value *a, const op_value *b);
/* The values with every size at its default: the problem that kernels are built from. */
op_problem op_problem_instance(const op_problem *p);

/* ---- operands ------------------------------------------------------------------------------- */

typedef struct op_operand {
  const char *name;
  op_type type;
  uint8_t use; /* tsr_op_use */
  uint8_t rank;
  int64_t shape[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  double low, high; /* where checks take random values from; both 0: from -1 to 1, or small ones */
} op_operand;

typedef struct op_operands {
  op_operand data[OP_MAX_OPERANDS];
  unsigned count;
} op_operands;

/* Adds a tensor, with rank 0; dimensions are added from the outermost. */
op_operand *op_operand_add(op_operands *list, const char *name, op_type type, tsr_op_use use);
void op_operand_dim(op_operand *o, int64_t size, int64_t stride);
const op_operand *op_operand_find(const op_operands *list, const char *name);
/* Elements from the first to the last, 0 when it has none; -1 when there are 2^62 or more. */
int64_t op_operand_span(const op_operand *o);
int64_t op_operand_elements(const op_operand *o); /* as the product of its sizes */
size_t op_operand_bytes(const op_operand *o);     /* of the span */

/* ---- steps ---------------------------------------------------------------------------------- */

typedef enum op_pass_kind { OP_PASS_TENSOR, OP_PASS_WORKSPACE, OP_PASS_SCALAR } op_pass_kind;

/* An argument of a launch; a builder finds the kernel's parameter by the name. */
typedef struct op_pass {
  const char *name;
  uint8_t kind;     /* op_pass_kind */
  tsr_elem elem;    /* pointed to, or the scalar's */
  unsigned operand; /* of OP_PASS_TENSOR */
  uint64_t bits;    /* the scalar's pattern, or the place in the workspace in bytes */
} op_pass;

typedef struct op_step {
  const char *kernel; /* "main": the entry's name is the instance's and this one */
  tsr_grid grid;
  op_pass passes[OP_MAX_PASSES];
  unsigned n_passes;
} op_step;

/* None when there is nothing to compute. */
typedef struct op_steps {
  op_step data[OP_MAX_STEPS];
  unsigned count;
  size_t workspace; /* bytes */
  const op_problem *problem;
  const op_operands *operands;
} op_steps;

op_step *op_step_add(op_steps *steps, const char *kernel, int64_t x, int64_t y, int64_t z);
void op_pass_tensor(op_steps *steps, op_step *s, const char *name);
/* Takes `count` elements of the workspace that no other pass of this name has; the same name in
 * another step means the same memory. */
void op_pass_workspace(op_steps *steps, op_step *s, const char *name, tsr_elem elem, int64_t count);
/* A size, stride or count, in the problem's index type. */
void op_pass_index(op_steps *steps, op_step *s, const char *name, int64_t value);
/* A number of an element type. */
void op_pass_real(op_step *s, const char *name, tsr_elem elem, double value);

/* ---- families ------------------------------------------------------------------------------- */

/* Problems that differ in their choices; see op_family.candidates. */
typedef struct op_candidates {
  const op_problem *problem; /* choices that are not OP_WORD were asked for */
  VEC(op_problem) list;
} op_candidates;

struct op_family {
  const char *name, *about;
  const op_param *params;
  unsigned n_params;
  unsigned index; /* of the parameter `index`, from OP_COMMON_PARAMS */
  /* Reads specifications into p->parts, fills in what follows from the rest: types that were left
   * open, packed strides, derived parameters. A derived parameter that was given is only ever made
   * more general, so that an instance's name means this instance. False: what is wrong. */
  bool (*settle)(op_problem *p, op_why *why);
  void (*operands)(const op_problem *p, op_operands *out);
  /* Whether a settled problem with all its choices can be computed on the target. */
  bool (*supported)(const op_problem *p, const op_target *t, op_why *why);
  /* Adds combinations of choices that are worth a try, by op_candidates_add. */
  void (*candidates)(const op_target *t, op_candidates *out);
  /* Milliseconds that a launch takes, about. */
  double (*cost)(const op_problem *p, const op_target *t);
  /* The launches. Which kernels there are, and the names and types of their arguments, may not
   * depend on sizes. */
  void (*steps)(const op_problem *p, op_steps *out);
  /* Builds the body of the kernel of a step; sizes of the problem are not known here. */
  void (*build)(op_build *b);
  /* Computes the results on the host. */
  void (*reference)(op_host *h);
  double (*flops)(const op_problem *p);
  /* NULL: every tensor once. */
  double (*bytes)(const op_problem *p, const op_operands *operands);
  /* How far results may be from the reference's, as a part of the largest of them, when sums are
   * made in `accumulator`; the rounding of the result comes on top. */
  double (*tolerance)(const op_problem *p);
};

/* Takes over the choices of the list's problem where they were asked for; leaves out what is there
 * already. `values` gives the family's choices in the order of its table. */
void op_candidates_add(op_candidates *out, const int64_t *values);

const op_family *op_family_at(size_t index); /* NULL past the last */
const op_family *op_family_find(str name);   /* NULL: none */

/* ---- problem.c ------------------------------------------------------------------------------ */

/* Settles what was parsed, and checks its tensors. */
bool op_problem_settle(op_problem *p, op_operands *operands, op_why *why);
/* The problem with the choices that were left open, by the cost model; false: none can be used. */
bool op_problem_choose(op_problem *p, const op_target *t, op_why *why);
/* Every combination of choices; the list lies in the problem's arena. */
void op_problem_candidates(const op_problem *p, const op_target *t, op_candidates *out);
void op_problem_steps(const op_problem *p, const op_operands *operands, op_steps *out);
double op_problem_bytes(const op_problem *p, const op_operands *operands);
/* The module with the kernels of all steps; NULL after a message. */
tsr_module *op_problem_build(tsr_context *ctx, const op_problem *p, const op_steps *steps);
/* The name of a step's kernel in it. */
void op_kernel_name(const op_problem *p, const op_step *s, sbuf *out);
bool op_is_wide(const op_problem *p); /* is the index type i64? */

#endif
