/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Making operators over ranks, and what the ranks agree on; pieces of products and their plans.
 */
#include "ops/ranks.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  MOST_PIECES = 64,
  FAR_PIECES = 4, /* where nothing is said: enough to hide most of a transfer, few small products */
};

/* ---- rows ----------------------------------------------------------------------------------- */

/* `n` rows in `parts`, the first ones one more where that leaves a rest. */
int64_t ops_ranks_first_of(int64_t n, int64_t parts, int64_t part) {
  return n / parts * part + MIN(part, n % parts);
}

static int64_t first_row(const tsr_op_ranks *op, unsigned rank) {
  return ops_ranks_first_of(op->m, op->size, rank);
}

int64_t tsr_op_ranks_rows(const tsr_op_ranks *op, unsigned rank, int64_t *first) {
  if (!op || rank >= op->size) return 0;
  if (first) *first = first_row(op, rank);
  return first_row(op, rank + 1) - first_row(op, rank);
}

int64_t tsr_op_ranks_keys(const tsr_op_ranks *op, unsigned rank, int64_t *first) {
  if (!op || rank >= op->size) return 0;
  int64_t begin = ops_ranks_first_of(op->keys, op->size, rank);
  if (first) *first = begin;
  return ops_ranks_first_of(op->keys, op->size, rank + 1) - begin;
}

tsr_status tsr_op_ranks_operand(const tsr_op_ranks *op, size_t index, tsr_op_operand *out) {
  return op ? ops_operand_describe(&op->operands, index, out) : TSR_ERROR_USAGE;
}

/* ---- plans ---------------------------------------------------------------------------------- */

bool ops_ranks_fail(const tsr_op_ranks *op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  ops_report(op->library, fmt, args);
  va_end(args);
  return false;
}

const ops_value *ops_ranks_value(const ops_problem *p, const char *name) {
  return &p->values[ops_param_find(p->family, str_of(name))];
}

void ops_ranks_set_number(ops_problem *p, const char *name, int64_t number) {
  p->values[ops_param_find(p->family, str_of(name))].i = number;
}

void ops_ranks_set_text(ops_problem *p, const char *name, const char *text) {
  ops_why why; /* the texts are those of this file, or names of types */
  ops_problem_set(p, ops_param_find(p->family, str_of(name)), str_of(text), &why);
}

tsr_op_plan *ops_ranks_plan_of_text(tsr_op_ranks *op, const char *text) {
  tsr_op_problem problem = {.struct_size = sizeof problem, .text = text};
  tsr_op_plan *plan = tsr_op_plan_get(op->library, &problem);
  op->workspace = MAX(op->workspace, tsr_op_plan_workspace(plan));
  return plan;
}

tsr_op_plan *ops_ranks_plan_of(tsr_op_ranks *op, const ops_problem *p) {
  sbuf text = SBUF(&op->arena);
  ops_problem_print(p, true, &text);
  return ops_ranks_plan_of_text(op, text.data);
}

static const ops_operand *operand_of(const tsr_op_plan *plan, const char *name) {
  return ops_operand_find(&plan->operands, name);
}

/* How many sums of others the own product is combined with; more are added before. */
static unsigned combined_count(const tsr_op_ranks *op) {
  return op->size - 1 > OPS_RANKS_COMBINED ? 1 : op->size - 1;
}

/* "b+a+c" for rank 1 of 3: the own product at its place among the others' sums. */
static const char *combination(tsr_op_ranks *op) {
  sbuf text = SBUF(&op->arena);
  char other = 'b';
  if (op->size - 1 > OPS_RANKS_COMBINED) return "a+b";
  for (unsigned rank = 0; rank < op->size; rank++)
    sbuf_printf(&text, "%s%c", rank ? "+" : "", rank == op->rank ? 'a' : other++);
  return text.data;
}

const char *ops_ranks_combined(unsigned index) {
  static const char *const names[OPS_RANKS_COMBINED] = {"d", "d2", "d3"};
  return names[index];
}

/* The own rows, with the sums of other ranks in d, d2, d3. */
static tsr_op_plan *combined_plan(tsr_op_ranks *op, ops_problem p, const ops_operand *part) {
  sbuf types = SBUF(&op->arena), strides = SBUF(&op->arena);
  const int64_t *s = part->strides + part->rank - 2;
  for (unsigned i = 0; i < combined_count(op); i++) {
    sbuf_printf(&types, "%s%s", i ? "+" : "", op->sums);
    sbuf_printf(&strides, "%s%s:%" PRId64 "x%" PRId64, i ? "+" : "", ops_ranks_combined(i), s[0],
                s[1]);
  }
  if (op->size > 1) {
    ops_ranks_set_text(&p, "combine", combination(op));
    ops_ranks_set_text(&p, "types", types.data);
    ops_ranks_set_text(&p, "strides", strides.data);
  }
  return ops_ranks_plan_of(op, &p);
}

/* What sums over ranks are made in: the product's type of sums, or f32 where scales make them. */
static const char *type_of_sums(const ops_problem *settled) {
  bool scaled =
      ops_ranks_value(settled, "scale_a")->i != 0 || ops_ranks_value(settled, "scale_b")->i != 0;
  ops_type type = (ops_type)ops_ranks_value(settled, "accumulate")->i;
  return ops_type_name(scaled && ops_type_is_int(type) ? TSR_F32 : type);
}

/* What is sent: the product alone, without gaps. */
static tsr_op_plan *part_plan(tsr_op_ranks *op, ops_problem p) {
  ops_ranks_set_text(&p, "epilogue", "none");
  ops_ranks_set_text(&p, "type_c", op->sums);
  ops_ranks_set_text(&p, "ldc", "packed");
  ops_ranks_set_text(&p, "ldd", "packed");
  ops_ranks_set_text(&p, "incc", "1");
  return ops_ranks_plan_of(op, &p);
}

static tsr_op_plan *adding_plan(tsr_op_ranks *op, const ops_operand *part) {
  sbuf text = SBUF(&op->arena);
  sbuf_printf(&text, "elementwise:expression=a+b,type=%s,shape=%" PRId64, op->sums,
              ops_operand_elements(part));
  return ops_ranks_plan_of_text(op, text.data);
}

/* ---- what the caller gives ------------------------------------------------------------------ */

bool ops_ranks_is_own(const tsr_op_ranks *op, const char *name) {
  bool of_a = strcmp(name, "a") == 0 || strcmp(name, "scale_a") == 0;
  if (op->form == TSR_OP_ALL_GATHER_GEMM) return strcmp(name, "a") == 0;
  return op->form == TSR_OP_GEMM_REDUCE_SCATTER && !of_a;
}

static bool settle(const tsr_op_ranks *op, ops_problem *p, int64_t rows, ops_operands *operands) {
  ops_why why;
  ops_ranks_set_number(p, "m", rows);
  return ops_problem_settle(p, operands, &why) || ops_ranks_fail(op, "%s", why.text);
}

static bool check_texts(const tsr_op_ranks *op, const ops_problem *p) {
  static const char *const names[] = {"combine", "combine_a", "combine_b", "gate"};
  unsigned count = op->form == TSR_OP_ALL_GATHER_GEMM ? 3 : 4;
  for (unsigned i = 0; i < count; i++)
    if (strcmp(ops_ranks_value(p, names[i])->text, "none") != 0)
      return ops_ranks_fail(op, "%s=%s: this product over ranks goes without", names[i],
                            ops_ranks_value(p, names[i])->text);
  return true;
}

static bool check_problem(const tsr_op_ranks *op, const ops_problem *p) {
  if (strcmp(p->family->name, "gemm") != 0)
    return ops_ranks_fail(op, "products over ranks are problems of the family gemm, not of %s",
                          p->family->name);
  if (ops_ranks_value(p, "batch")->i != 1 || ops_ranks_value(p, "rows")->i != 0)
    return ops_ranks_fail(op, "products over ranks have batch=1 and rows=one");
  if (ops_ranks_value(p, "beta")->r != 0)
    return ops_ranks_fail(op, "beta=%g: products over ranks go without; give epilogue=residual",
                          ops_ranks_value(p, "beta")->r);
  return check_texts(op, p);
}

static bool check_result(const tsr_op_ranks *op) {
  const ops_operand *c = ops_operand_find(&op->operands, "c");
  if (op->form != TSR_OP_GEMM_ALL_REDUCE) return true;
  return (c->strides[c->rank - 1] == 1 && c->strides[c->rank - 2] == c->shape[c->rank - 1]) ||
         ops_ranks_fail(op, "an all-reduce takes c by rows and without gaps: c=row, ldc=packed");
}

/* The tensors that the caller gives; plans of few rows get their strides. */
static bool find_operands(tsr_op_ranks *op, ops_problem *problem) {
  ops_problem all = *problem, own = *problem;
  ops_operands *of_own = arena_new(&op->arena, ops_operands);
  if (!settle(op, &all, op->m, &op->operands) ||
      !settle(op, &own, tsr_op_ranks_rows(op, op->rank, NULL), of_own))
    return false;
  op->sums = type_of_sums(&all);
  for (unsigned i = 0; i < op->operands.count; i++)
    if (ops_ranks_is_own(op, op->operands.data[i].name)) op->operands.data[i] = of_own->data[i];
  bool own_a = ops_ranks_is_own(op, "a"), own_c = ops_ranks_is_own(op, "c");
  ops_ranks_set_number(problem, "lda", ops_ranks_value(own_a ? &own : &all, "lda")->i);
  ops_ranks_set_number(problem, "ldb", ops_ranks_value(&all, "ldb")->i);
  ops_ranks_set_number(problem, "ldc", ops_ranks_value(own_c ? &own : &all, "ldc")->i);
  ops_ranks_set_number(problem, "ldd", ops_ranks_value(own_c ? &own : &all, "ldd")->i);
  return check_result(op);
}

/* ---- making --------------------------------------------------------------------------------- */

/* Rows of a lie as in the caller's memory. */
static bool make_gathered(tsr_op_ranks *op, const ops_problem *p, ops_ranks_piece *at,
                          int64_t from) {
  at->plan = ops_ranks_plan_of(op, p);
  if (!at->plan) return false;
  const ops_operand *a = operand_of(at->plan, "a");
  at->place = tsr_elem_storage(ops_type_elem(a->type), (size_t)(from * a->strides[a->rank - 2]));
  at->bytes = ops_operand_bytes(a);
  op->place = MAX(op->place, at->place + at->bytes);
  return true;
}

static bool make_summed(tsr_op_ranks *op, const ops_problem *p, ops_ranks_piece *at, bool own,
                        size_t *end) {
  at->part = part_plan(op, *p);
  if (!at->part) return false;
  const ops_operand *part = operand_of(at->part, "c");
  at->place = *end;
  at->bytes = ops_operand_bytes(part);
  *end += ops_ranks_aligned(at->bytes);
  op->place = MAX(op->place, *end);
  if (!own) return true;
  at->plan = combined_plan(op, *p, part);
  if (op->size - 1 > OPS_RANKS_COMBINED) at->add = adding_plan(op, part);
  return at->plan && (at->add || op->size - 1 <= OPS_RANKS_COMBINED);
}

static bool make_pieces_of(tsr_op_ranks *op, const ops_problem *problem, unsigned rank) {
  int64_t begin, rows = tsr_op_ranks_rows(op, rank, &begin);
  size_t end = 0;
  for (unsigned i = 0; i < op->n_pieces; i++) {
    ops_ranks_piece *at = ops_ranks_piece_of(op, rank, i);
    int64_t from = ops_ranks_first_of(rows, op->n_pieces, i);
    *at = (ops_ranks_piece){.first = begin + from,
                            .rows = ops_ranks_first_of(rows, op->n_pieces, i + 1) - from};
    ops_problem p = *problem;
    ops_ranks_set_number(&p, "m", at->rows);
    bool made = op->form == TSR_OP_ALL_GATHER_GEMM
                    ? make_gathered(op, &p, at, from)
                    : make_summed(op, &p, at, rank == op->rank, &end);
    if (!made) return false;
  }
  return true;
}

static bool make_plans(tsr_op_ranks *op, const tsr_op_problem *given) {
  ops_problem p;
  ops_why why;
  if (!given) return ops_ranks_fail(op, "tsr_op_ranks_create: the problem is NULL");
  if (!ops_problem_parse(&p, &op->arena, given, &why)) return ops_ranks_fail(op, "%s", why.text);
  if (ops_ranks_is_attention(op)) return ops_ranks_make_attention(op, &p);
  if (!check_problem(op, &p)) return false;
  op->m = ops_ranks_value(&p, "m")->i;
  op->pieces = arena_array(&op->arena, ops_ranks_piece, (size_t)op->size * op->n_pieces);
  if (!find_operands(op, &p)) return false;
  for (unsigned rank = 0; rank < op->size; rank++)
    if (!make_pieces_of(op, &p, rank)) return false;
  op->place = ops_ranks_aligned(op->place);
  if (op->form != TSR_OP_ALL_GATHER_GEMM) op->scratch_bytes[0] = op->place;
  if (op->size - 1 > OPS_RANKS_COMBINED) op->scratch_bytes[1] = op->place;
  const ops_operand *c = ops_operand_find(&op->operands, "c");
  int64_t most = op->m / op->size + (op->m % op->size != 0);
  if (op->form == TSR_OP_GEMM_ALL_REDUCE)
    op->result = ops_ranks_aligned(
        tsr_elem_storage(ops_type_elem(c->type), (size_t)(most * c->shape[c->rank - 1])));
  return true;
}

/* What the ranks must have in common, and whether a rank can go on. */
enum { AGREED = 7 };
typedef struct agreement {
  uint64_t made, agreed[AGREED];
} agreement;

static bool has_same(const tsr_op_ranks *op, const agreement *own, unsigned rank,
                     const agreement *other) {
  static const char *const products[] = {"form",
                                         "rows (m)",
                                         "keys",
                                         "pieces",
                                         "bytes to send",
                                         "bytes of a result",
                                         "problem (a hash of it)"};
  const char *names[AGREED];
  memcpy(names, products, sizeof names);
  if (ops_ranks_is_attention(op)) names[1] = "queries (seq)";
  for (unsigned i = 0; i < AGREED; i++)
    if (own->agreed[i] != other->agreed[i])
      return ops_ranks_fail(op,
                            "tsr_op_ranks_create: %s: %" PRIu64 " on rank %u, %" PRIu64
                            " on rank %u; ranks "
                            "compute one problem",
                            names[i], own->agreed[i], op->rank, other->agreed[i], rank);
  return true;
}

static bool agree(tsr_op_ranks *op, bool made) {
  agreement own = {made,
                   {op->form, (uint64_t)op->m, (uint64_t)op->keys, op->n_pieces, op->place,
                    op->result, op->problem}};
  agreement *all = malloc(op->size * sizeof *all);
  bool good = all && tsr_ranks_all_gather(op->ranks, &own, all, sizeof own) == TSR_OK;
  for (unsigned r = 0; good && r < op->size; r++) {
    if (!all[r].made && r != op->rank)
      ops_ranks_fail(op, "tsr_op_ranks_create: rank %u cannot compute its part", r);
    good = all[r].made;
  }
  for (unsigned r = 0; good && r < op->size; r++) good = has_same(op, &own, r, &all[r]);
  free(all);
  return good;
}

static void destroy(tsr_op_ranks *op) {
  for (size_t i = 0; i < ARRAY_LEN(op->scratch); i++) free(op->scratch[i]);
  arena_free(&op->arena);
  free(op);
}

static bool take_scratch(tsr_op_ranks *op) {
  op->scratch_bytes[OPS_RANKS_WORKSPACE] = op->workspace;
  for (size_t i = 0; i < OPS_RANKS_SCRATCH; i++) {
    size_t bytes = op->scratch_bytes[i];
    if (bytes) op->scratch[i] = aligned_alloc(OPS_RANKS_ALIGN, ops_ranks_aligned(bytes));
    if (bytes && !op->scratch[i]) return ops_ranks_fail(op, "out of memory: %zu bytes", bytes);
  }
  return true;
}

static bool make(tsr_op_ranks *op, const tsr_op_problem *problem) {
  bool made = false;
  ops_lock(op->library);
  TSR_GUARD(op->library->ctx, {
    ops_unlock(op->library);
    return false;
  });
  made = make_plans(op, problem) && take_scratch(op);
  TSR_UNGUARD(op->library->ctx);
  ops_unlock(op->library);
  return made;
}

static unsigned pieces_of(tsr_ranks *ranks, const tsr_op_ranks_options *options) {
  bool all_near = true;
  unsigned asked = options && options->struct_size >= sizeof *options ? options->pieces : 0;
  for (unsigned r = 0; r < tsr_ranks_size(ranks); r++) all_near &= tsr_ranks_is_near(ranks, r);
  if (!asked) return all_near ? 1 : FAR_PIECES;
  return MIN(asked, (unsigned)MOST_PIECES);
}

tsr_op_ranks *tsr_op_ranks_create(tsr_ranks *ranks, tsr_op_library *library, tsr_op_ranks_form form,
                                  const tsr_op_problem *problem,
                                  const tsr_op_ranks_options *options) {
  if (!ranks || !library) return NULL;
  tsr_op_ranks *op = calloc(1, sizeof *op);
  if (!op) return NULL;
  *op = (tsr_op_ranks){.ranks = ranks,
                       .library = library,
                       .form = form,
                       .rank = tsr_ranks_rank(ranks),
                       .size = tsr_ranks_size(ranks),
                       .places = tsr_ranks_size(ranks),
                       .n_pieces = pieces_of(ranks, options)};
  arena_init(&op->arena, library->ctx);
  if (agree(op, make(op, problem)))
    op->memory = tsr_symmetric_create(ranks, library->device, ops_ranks_result_of(op, op->size));
  if (op->memory) return op;
  destroy(op);
  return NULL;
}

void tsr_op_ranks_destroy(tsr_op_ranks *op) {
  if (!op) return;
  tsr_symmetric_destroy(op->memory);
  destroy(op);
}
