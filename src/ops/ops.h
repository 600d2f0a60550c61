/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops: operators as tables and builders (the public contract is in tessera/op.h).
 *
 * A *family* is one struct ops_family: a table of parameters and a few functions. A *problem* is a
 * value for each parameter. What happens to one, in this order:
 *
 *   ops_problem_parse   from its text and settings
 *   settle              types, strides and derived parameters are filled in
 *   operands            its tensors
 *   choose              of the candidates the fastest; supported() says why others cannot be used
 *   steps               its launches, with their grids and arguments
 *   build               Tile IR of the instance, compiled once for all sizes
 *
 *   params.c     values and their text
 *   problem.c    the order above
 *   families.c   the list
 *   type.c       element types
 *   target.c     what it is computed on
 *   emit.c       what builders share
 *   function.c   activations and others, on tiles and numbers
 *   epilogue.c   specifications
 *   host.c       tensors on the host, for references
 *   library.c    plans and compiled kernels
 *   launch.c     arguments
 *   gemm_shuffle.c   orders of weights and scales, which shuffle makes
 *   ranks*.c     products and attention over several ranks
 *   pages.c      caches whose keys lie in pages
 *   compose.c    problems that are parts of others
 *   chain.c      families whose steps are those of two others
 *   gemm*.c, elementwise.c, ...   a family each, with its reference
 *
 * To add a family: docs/add-a-family.md.
 */
#ifndef TSR_OPS_OPS_H
#define TSR_OPS_OPS_H

#include <tessera/op.h>

#include "base/base.h"
#include "ops/target.h"
#include "ops/type.h"

typedef struct ops_family ops_family;
typedef struct ops_problem ops_problem;

/* How many tiles cover a size. */
static inline int64_t ops_tiles_of(int64_t size, int64_t tile) {
  return size / tile + (size % tile != 0);
}
/* The least power of two that is not less. */
static inline int64_t ops_next_power(int64_t x) {
  int64_t power = 1;
  while (power < x) power *= 2;
  return power;
}
typedef struct ops_build ops_build;
typedef struct ops_host ops_host;

/* ---- parameters ----------------------------------------------------------------------------- */

typedef struct ops_param {
  const char *name;
  uint8_t kind; /* tsr_op_kind */
  uint8_t role; /* tsr_op_role */
  int64_t least, most;
  const char *words; /* of TSR_OP_CHOSEN all, divided by blanks; of others one, which is OPS_WORD */
  const char *init;  /* the default, as it is written */
  const char *about; /* a sentence for a user */
} ops_param;

/* A family writes its table once, as a list of rows
 *
 *   #define GEMM_PARAMS(P) \ P(m, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "1024", "rows of A and C")
 *
 * from which OPS_PARAM_ID makes the enumerators GEMM_m, ... and OPS_PARAM_ROW the table. Every
 * family ends its list with OPS_COMMON_PARAMS(P). */
#define OPS_PARAM_ROW(id, kind, role, least, most, words, init, about)                             \
  {#id, TSR_OP_##kind, TSR_OP_##role, least, most, words, init, about},
#define OPS_COMMON_PARAMS(P)                                                                       \
  P(index, CHOSEN, DERIVED, 0, 0, "i32 i64", "i32", "integers that sizes and strides fit into")

/* Hints for GPUs, which families with products have as well. */
#define OPS_HINT_PARAMS(P)                                                                         \
  P(warps, INTEGER, CHOICE, 0, 32, NULL, "0", "warps of a thread block on GPUs; 0: as it finds")   \
  P(occupancy, INTEGER, CHOICE, 0, 32, NULL, "0", "blocks of a multiprocessor; 0: as it finds")    \
  P(cluster, INTEGER, CHOICE, 0, 16, NULL, "0", "thread blocks of a cluster; 0: as it finds")      \
  P(persistent, CHOSEN, CHOICE, 0, 0, "auto no yes", "auto", "blocks that compute several tiles")  \
  P(schedule, CHOSEN, CHOICE, 0, 0, "auto intrawave interwave", "auto",                            \
    "whether groups of warps take turns with products and copies (interwave)")

enum {
  OPS_MAX_PARAMS = 96,
  OPS_MAX_OPERANDS = 32,
  OPS_MAX_STEPS = 12,
  OPS_MAX_PASSES = 96,
  OPS_WORD = -1, /* the word that an integer or type has besides its numbers: auto, packed */
};
#define OPS_MAX_SIZE (INT64_C(1) << 40) /* of a dimension; strides may be as large, too */

typedef struct ops_value {
  int64_t i;        /* an integer, an ops_type, or the number of a word */
  double r;         /* a real */
  const char *text; /* a specification, in the problem's arena */
} ops_value;

struct ops_problem {
  const ops_family *family;
  arena *arena; /* of its texts and specifications */
  ops_value values[OPS_MAX_PARAMS];
  void *parts; /* the family's, from settle: specifications that were read */
};

/* Why something cannot be: a sentence that names the parameter or tensor, its value and what would
 * be accepted. */
typedef struct ops_why {
  char text[512];
} ops_why;
/* Writes the sentence; returns false. */
bool ops_refuse(ops_why *why, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The row of a name; n_params when there is none. */
unsigned ops_param_find(const ops_family *f, str name);
/* Every parameter has its default. */
void ops_problem_init(ops_problem *p, const ops_family *f, arena *a);
/* Sets one parameter from text. */
bool ops_problem_set(ops_problem *p, unsigned param, str value, ops_why *why);
/* "gemm:type=bf16,m=512"; then the settings. */
bool ops_problem_parse(ops_problem *p, arena *a, const tsr_op_problem *given, ops_why *why);
/* The text of all values that are not the default, sizes included or not. */
void ops_problem_print(const ops_problem *p, bool sizes, sbuf *out);
/* One value as it is written. */
void ops_value_print(const ops_param *param, const ops_value *value, sbuf *out);
bool ops_value_same(const ops_param *param, const ops_value *a, const ops_value *b);
/* "4x128x64" or, with another mark, "0+2"; the number of items, or -1. */
int ops_read_list(str text, char mark, int64_t *out, unsigned most);
/* Strides of tensors, "x:8192x64x1+y:1x4x512"; "packed": none are given. */
typedef struct ops_strides {
  str text, name; /* "x:8192x64x1", "x"; the name is empty when there is no colon */
  int64_t values[TSR_OP_MAX_RANK];
  int count; /* -1: they are no list of numbers */
} ops_strides;
str ops_strides_begin(const char *text);
bool ops_strides_next(str *rest, ops_strides *out); /* false after the last */
/* Whether there are as many as the tensor has dimensions. */
bool ops_check_strides(const ops_strides *given, const char *name, unsigned rank, ops_why *why);
/* The values with every size at its default: the problem that kernels are built from. */
ops_problem ops_problem_instance(const ops_problem *p);

/* ---- operands ------------------------------------------------------------------------------- */

typedef struct ops_operand {
  const char *name;
  ops_type type;
  uint8_t use; /* tsr_op_use */
  uint8_t rank;
  int64_t shape[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  double low, high; /* where checks take random values from; both 0: from -1 to 1, or small ones */
  bool addresses;   /* has addresses, so that random values have no meaning */
  bool rises;    /* checks take integers from 0 to at most `high`, each at least the one before */
  bool is_order; /* checks take the numbers from 0 on, each once, in some order */
} ops_operand;

typedef struct ops_operands {
  ops_operand data[OPS_MAX_OPERANDS];
  unsigned count;
} ops_operands;

/* Adds a tensor, with rank 0; dimensions are added from the outermost. */
ops_operand *ops_operand_add(ops_operands *list, const char *name, ops_type type, tsr_op_use use);
void ops_operand_dim(ops_operand *o, int64_t size, int64_t stride);
const ops_operand *ops_operand_find(const ops_operands *list, const char *name);
/* Elements from the first to the last, 0 when it has none; -1 when there are 2^62 or more. */
int64_t ops_operand_span(const ops_operand *o);
int64_t ops_operand_elements(const ops_operand *o); /* as the product of its sizes */
size_t ops_operand_bytes(const ops_operand *o);     /* of the span */

/* A tensor that a table of addresses points to. */
typedef struct ops_pointed {
  ops_operand tensor;
  int64_t at; /* of its address in the table, in elements */
} ops_pointed;

typedef struct ops_pointed_list {
  arena *arena;
  VEC(ops_pointed) list;
} ops_pointed_list;

/* ---- steps ---------------------------------------------------------------------------------- */

typedef enum ops_pass_kind { OPS_PASS_TENSOR, OPS_PASS_WORKSPACE, OPS_PASS_SCALAR } ops_pass_kind;

/* An argument of a launch; a builder finds the kernel's parameter by the name. */
typedef struct ops_pass {
  const char *name;
  const char *memory; /* of OPS_PASS_WORKSPACE: which; passes of one memory have one place */
  uint8_t kind;       /* ops_pass_kind */
  tsr_elem elem;      /* pointed to, or the scalar's */
  unsigned operand;   /* of OPS_PASS_TENSOR */
  uint64_t bits;      /* the scalar's pattern, or the place in the workspace in bytes */
} ops_pass;

typedef struct ops_step {
  const char *kernel; /* "main": the entry's name is the instance's and this one */
  tsr_grid grid;
  ops_pass passes[OPS_MAX_PASSES];
  unsigned n_passes;
  /* Of a step of another problem that is computed as a part of this one (compose.h): the problem,
   * and what the step is there; NULL: the problem's own. */
  const ops_problem *inner;
  const char *inner_kernel;
  unsigned inner_index;
} ops_step;

/* None when there is nothing to compute. */
typedef struct ops_steps {
  ops_step data[OPS_MAX_STEPS];
  unsigned count;
  size_t workspace; /* bytes */
  const ops_problem *problem;
  const ops_operands *operands;
} ops_steps;

ops_step *ops_step_add(ops_steps *steps, const char *kernel, int64_t x, int64_t y, int64_t z);
void ops_pass_tensor(ops_steps *steps, ops_step *s, const char *name);
/* Takes `count` elements of the workspace that no other pass of this name has; the same name in
 * another step means the same memory. */
void ops_pass_workspace(ops_steps *steps, ops_step *s, const char *name, tsr_elem elem,
                        int64_t count);
/* The place of `bytes` of the workspace, the same for the same memory. */
uint64_t ops_workspace_place(ops_steps *steps, const char *memory, size_t bytes);
/* A size, stride or count, in the problem's index type. */
void ops_pass_index(ops_steps *steps, ops_step *s, const char *name, int64_t value);
/* An integer of i32 whatever the index type is. */
void ops_pass_word(ops_step *s, const char *name, int64_t value);
/* A number of an element type. */
void ops_pass_real(ops_step *s, const char *name, tsr_elem elem, double value);

/* ---- families ------------------------------------------------------------------------------- */

/* Problems that differ in their choices; see ops_family.candidates. */
typedef struct ops_candidates {
  const ops_problem *problem; /* choices that are not OPS_WORD were asked for */
  VEC(ops_problem) list;
} ops_candidates;

struct ops_family {
  const char *name, *about;
  const ops_param *params;
  unsigned n_params;
  unsigned index; /* of the parameter `index`, from OPS_COMMON_PARAMS */
  /* Reads specifications into p->parts, fills in what follows from the rest: types that were left
   * open, packed strides, derived parameters. A derived parameter that was given is only ever made
   * more general, so that an instance's name means this instance. False: what is wrong. */
  bool (*settle)(ops_problem *p, ops_why *why);
  void (*operands)(const ops_problem *p, ops_operands *out);
  /* For checks: fills the table of addresses that is an operand, but for the addresses, and says to
   * which tensors these are to point. With `seed` 0 each group is as large as may be, else of some
   * size up to this. NULL: no operand has addresses. */
  void (*pointees)(const ops_problem *p, uint64_t seed, int64_t *table, ops_pointed_list *out);
  /* Whether a settled problem with all its choices can be computed on the target. */
  bool (*supported)(const ops_problem *p, const ops_target *t, ops_why *why);
  /* Adds combinations of choices that are worth a try, by ops_candidates_add. */
  void (*candidates)(const ops_target *t, ops_candidates *out);
  /* Milliseconds that a launch takes, about. */
  double (*cost)(const ops_problem *p, const ops_target *t);
  /* The launches. Which kernels there are, and the names and types of their arguments, may not
   * depend on sizes. */
  void (*steps)(const ops_problem *p, ops_steps *out);
  /* Builds the body of the kernel of a step; sizes of the problem are not known here. */
  void (*build)(ops_build *b);
  /* Computes the results on the host. */
  void (*reference)(ops_host *h);
  double (*flops)(const ops_problem *p);
  /* NULL: every tensor once. */
  double (*bytes)(const ops_problem *p, const ops_operands *operands);
  /* How far results may be from the reference's, as a part of the largest of them, when sums are
   * made in `accumulator`; the rounding of the result comes on top. */
  double (*tolerance)(const ops_problem *p);
};

/* Takes over the choices of the list's problem where they were asked for; leaves out what is there
 * already. `values` gives the family's choices in the order of its table. */
void ops_candidates_add(ops_candidates *out, const int64_t *values);

const ops_family *ops_family_at(size_t index); /* NULL past the last */
const ops_family *ops_family_find(str name);   /* NULL: none */

/* A check that families share. */
bool ops_check_power(const ops_problem *p, unsigned param, ops_why *why);

/* ---- problem.c ------------------------------------------------------------------------------ */

/* Settles what was parsed, and checks its tensors. */
bool ops_problem_settle(ops_problem *p, ops_operands *operands, ops_why *why);
/* The problem with the choices that were left open, by the cost model; false: none can be used. */
bool ops_problem_choose(ops_problem *p, const ops_target *t, ops_why *why);
/* Every combination of choices; the list lies in the problem's arena. */
void ops_problem_candidates(const ops_problem *p, const ops_target *t, ops_candidates *out);
void ops_problem_steps(const ops_problem *p, const ops_operands *operands, ops_steps *out);
double ops_problem_bytes(const ops_problem *p, const ops_operands *operands);
/* The module with the kernels of all steps; NULL after a message. */
tsr_module *ops_problem_build(tsr_context *ctx, const ops_problem *p, const ops_steps *steps);
/* The name of a step's kernel in it. */
void ops_kernel_name(const ops_problem *p, const ops_step *s, sbuf *out);
bool ops_is_wide(const ops_problem *p); /* is the index type i64? */

#endif
