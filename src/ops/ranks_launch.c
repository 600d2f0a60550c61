/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Launching operators over ranks: what all share, and products.
 */
#include "ops/ranks.h"

/* ---- ranks ---------------------------------------------------------------------------------- */

bool ops_ranks_is_near(const tsr_op_ranks *op, unsigned rank) {
  return tsr_ranks_is_near(op->ranks, rank);
}

char *ops_ranks_memory_of(const tsr_op_ranks *op, unsigned rank) {
  return tsr_buffer_data(tsr_symmetric_peer(op->memory, rank));
}

tsr_status ops_ranks_tell(const tsr_op_ranks *op, unsigned rank, ops_ranks_word which,
                          uint64_t count) {
  if (rank == op->rank) return TSR_OK;
  return tsr_symmetric_notify(op->memory, rank, ops_ranks_word_at(op, which, op->rank),
                              TSR_NOTIFY_SET, count);
}

tsr_status ops_ranks_wait_for(const tsr_op_ranks *op, unsigned rank, ops_ranks_word which,
                              uint64_t count) {
  if (rank == op->rank || !count) return TSR_OK;
  return tsr_symmetric_wait(op->memory, ops_ranks_word_at(op, which, rank), TSR_WAIT_AT_LEAST,
                            count, NULL);
}

/* ---- launching ------------------------------------------------------------------------------ */

const tsr_op_argument *ops_ranks_find_argument(const ops_ranks_launch *l, const char *name) {
  for (size_t i = 0; i < l->n_args; i++)
    if (strcmp(l->args[i].name, name) == 0) return &l->args[i];
  return NULL;
}

char *ops_ranks_address_of(const tsr_arg *arg) {
  uint64_t at = arg->kind == TSR_ARG_BUFFER ? tsr_buffer_address(arg->buffer) : arg->bits;
  return (char *)(uintptr_t)at;
}

static bool check_argument(const ops_ranks_launch *l, const tsr_op_argument *x) {
  const ops_operand *o = x->name ? ops_operand_find(&l->op->operands, x->name) : NULL;
  if (!o) return ops_ranks_fail(l->op, "there is no tensor '%s'", x->name ? x->name : "");
  if (ops_ranks_find_argument(l, x->name) != x)
    return ops_ranks_fail(l->op, "'%s' is given twice", x->name);
  size_t bytes = ops_operand_bytes(o);
  if (x->arg.kind == TSR_ARG_SCALAR || x->arg.kind > TSR_ARG_NULLABLE)
    return ops_ranks_fail(l->op, "'%s' takes a buffer or an address, not a number", x->name);
  if (x->arg.kind == TSR_ARG_BUFFER && bytes && tsr_buffer_size(x->arg.buffer) < bytes)
    return ops_ranks_fail(l->op, "the buffer of '%s' has %zu bytes; it needs %zu", x->name,
                          tsr_buffer_size(x->arg.buffer), bytes);
  return !bytes || ops_ranks_address_of(&x->arg) ||
         ops_ranks_fail(l->op, "the address of '%s' is NULL; it needs %zu bytes", x->name, bytes);
}

static bool check_arguments(const ops_ranks_launch *l) {
  for (size_t i = 0; i < l->n_args; i++)
    if (!check_argument(l, &l->args[i])) return false;
  for (unsigned i = 0; i < l->op->operands.count; i++)
    if (!ops_ranks_find_argument(l, l->op->operands.data[i].name))
      return ops_ranks_fail(l->op, "'%s' is not given", l->op->operands.data[i].name);
  return true;
}

/* Where a tensor of the caller's has the first row of a piece. */
static char *at_piece(const ops_ranks_launch *l, const ops_ranks_piece *at,
                      const ops_operand *of_plan) {
  const tsr_op_ranks *op = l->op;
  const ops_operand *o = ops_operand_find(&op->operands, of_plan->name);
  int64_t begin;
  tsr_op_ranks_rows(op, op->rank, &begin);
  int64_t first = at->first - (ops_ranks_is_own(op, o->name) ? begin : 0), elements = 0;
  for (unsigned d = 0; d < o->rank; d++)
    if (o->shape[d] != of_plan->shape[d]) elements = first * o->strides[d];
  return ops_ranks_address_of(&ops_ranks_find_argument(l, o->name)->arg) +
         tsr_elem_storage(ops_type_elem(o->type), (size_t)elements);
}

/* Tensors that are not the caller's. */
typedef struct replaced {
  const char *name[OPS_RANKS_COMBINED];
  char *address[OPS_RANKS_COMBINED];
  unsigned count;
} replaced;

static void replace(replaced *r, const char *name, char *address) {
  r->name[r->count] = name;
  r->address[r->count++] = address;
}

static tsr_status launch_plan(const ops_ranks_launch *l, tsr_op_plan *plan,
                              const ops_ranks_piece *at, const replaced *others) {
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  unsigned n = plan->operands.count;
  for (unsigned i = 0; i < n; i++) {
    const ops_operand *o = &plan->operands.data[i];
    char *address = NULL;
    for (unsigned k = 0; k < others->count; k++)
      if (strcmp(o->name, others->name[k]) == 0) address = others->address[k];
    if (!address) address = at_piece(l, at, o);
    args[i] = (tsr_op_argument){o->name, tsr_arg_address(address)};
  }
  if (tsr_op_plan_workspace(plan))
    args[n++] =
        (tsr_op_argument){"workspace", tsr_arg_address(l->op->scratch[OPS_RANKS_WORKSPACE])};
  return tsr_op_launch(plan, NULL, args, n);
}

unsigned ops_ranks_after(const tsr_op_ranks *op, unsigned steps) {
  return (op->rank + steps) % op->size;
}

static uint64_t pieces_by(const ops_ranks_launch *l, unsigned index) {
  return (l->number - 1) * l->op->n_pieces + index + 1;
}

tsr_status ops_ranks_wait_for_all(const tsr_op_ranks *op, ops_ranks_word which, uint64_t count) {
  tsr_status status = TSR_OK;
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++)
    status = ops_ranks_wait_for(op, ops_ranks_after(op, step), which, count);
  return status;
}

/* ---- all-gather ----------------------------------------------------------------------------- */

static tsr_status send_rows(const ops_ranks_launch *l, unsigned to, const char *own) {
  const tsr_op_ranks *op = l->op;
  tsr_status status = TSR_OK;
  if (ops_ranks_is_near(op, to))
    return ops_ranks_tell(op, to, WORD_READY, pieces_by(l, op->n_pieces - 1));
  for (unsigned i = 0; i < op->n_pieces && status == TSR_OK; i++) {
    const ops_ranks_piece *at = ops_ranks_piece_of(op, op->rank, i);
    size_t offset = ops_ranks_place_of(op, op->rank) + at->place;
    status = tsr_symmetric_put(op->memory, to, offset, own + at->place, at->bytes);
    if (status == TSR_OK) status = ops_ranks_tell(op, to, WORD_READY, pieces_by(l, i));
  }
  return status;
}

static tsr_status multiply_rows(const ops_ranks_launch *l, unsigned from) {
  const tsr_op_ranks *op = l->op;
  char *rows = ops_ranks_memory_of(op, ops_ranks_is_near(op, from) ? from : op->rank) +
               ops_ranks_place_of(op, from);
  tsr_status status = TSR_OK;
  for (unsigned i = 0; i < op->n_pieces && status == TSR_OK; i++) {
    const ops_ranks_piece *at = ops_ranks_piece_of(op, from, i);
    replaced others = {.count = 0};
    replace(&others, "a", rows + at->place);
    status = ops_ranks_wait_for(op, from, WORD_READY, pieces_by(l, i));
    if (status == TSR_OK && at->rows) status = launch_plan(l, at->plan, at, &others);
  }
  return status == TSR_OK ? ops_ranks_tell(op, from, WORD_FREE, l->number) : status;
}

static tsr_status all_gather(const ops_ranks_launch *l) {
  const tsr_op_ranks *op = l->op;
  char *own = ops_ranks_memory_of(op, op->rank) + ops_ranks_place_of(op, op->rank);
  const char *given = ops_ranks_address_of(&ops_ranks_find_argument(l, "a")->arg);
  tsr_status status = ops_ranks_wait_for_all(op, WORD_FREE, l->number - 1);
  if (status == TSR_OK && given != own)
    memcpy(own, given, ops_operand_bytes(ops_operand_find(&op->operands, "a")));
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++)
    status = send_rows(l, ops_ranks_after(op, step), own);
  for (unsigned step = 0; step < op->size && status == TSR_OK; step++)
    status = multiply_rows(l, ops_ranks_after(op, step));
  return status == TSR_OK && op->shown ? ops_ranks_wait_for_all(op, WORD_FREE, l->number) : status;
}

void *tsr_op_ranks_place(tsr_op_ranks *op) {
  if (!op || op->form != TSR_OP_ALL_GATHER_GEMM || !op->place) return NULL;
  op->shown = true;
  if (ops_ranks_wait_for_all(op, WORD_FREE, op->launches) != TSR_OK) return NULL;
  return ops_ranks_memory_of(op, op->rank) + ops_ranks_place_of(op, op->rank);
}

/* ---- reduce-scatter ------------------------------------------------------------------------- */

static tsr_status send_part(const ops_ranks_launch *l, unsigned to, unsigned index) {
  const tsr_op_ranks *op = l->op;
  const ops_ranks_piece *at = ops_ranks_piece_of(op, to, index);
  size_t offset = ops_ranks_place_of(op, op->rank) + at->place;
  replaced others = {.count = 0};
  tsr_status status = TSR_OK;
  replace(&others, "c",
          ops_ranks_is_near(op, to) ? ops_ranks_memory_of(op, to) + offset : op->scratch[0]);
  if (at->rows) status = launch_plan(l, at->part, at, &others);
  if (status == TSR_OK && at->rows && !ops_ranks_is_near(op, to))
    status = tsr_symmetric_put(op->memory, to, offset, op->scratch[0], at->bytes);
  return status == TSR_OK ? ops_ranks_tell(op, to, WORD_READY, pieces_by(l, index)) : status;
}

static char *part_from(const tsr_op_ranks *op, unsigned rank, const ops_ranks_piece *at) {
  return ops_ranks_memory_of(op, op->rank) + ops_ranks_place_of(op, rank) + at->place;
}

/* The sum of all others' parts, in the order of the ranks. */
static tsr_status add_parts(const ops_ranks_launch *l, const ops_ranks_piece *at, char **sum) {
  const tsr_op_ranks *op = l->op;
  tsr_status status = TSR_OK;
  unsigned turn = 0;
  *sum = NULL;
  for (unsigned rank = 0; rank < op->size && status == TSR_OK; rank++) {
    char *part = part_from(op, rank, at);
    replaced others = {.count = 0};
    if (rank == op->rank) continue;
    if (*sum) {
      replace(&others, "a", *sum);
      replace(&others, "b", part);
      part = op->scratch[turn++ % 2];
      replace(&others, "y", part);
      status = launch_plan(l, at->add, at, &others);
    }
    *sum = part;
  }
  return status;
}

static tsr_status finish_piece(const ops_ranks_launch *l, unsigned index) {
  const tsr_op_ranks *op = l->op;
  const ops_ranks_piece *at = ops_ranks_piece_of(op, op->rank, index);
  replaced others = {.count = 0};
  char *sum = NULL;
  tsr_status status = ops_ranks_wait_for_all(op, WORD_READY, pieces_by(l, index));
  if (status != TSR_OK || !at->rows) return status;
  if (at->add) {
    status = add_parts(l, at, &sum);
    replace(&others, ops_ranks_combined(0), sum);
  } else {
    for (unsigned rank = 0; rank < op->size; rank++)
      if (rank != op->rank)
        replace(&others, ops_ranks_combined(others.count), part_from(op, rank, at));
  }
  return status == TSR_OK ? launch_plan(l, at->plan, at, &others) : status;
}

static tsr_status reduce_scatter(const ops_ranks_launch *l) {
  const tsr_op_ranks *op = l->op;
  tsr_status status = ops_ranks_wait_for_all(op, WORD_FREE, l->number - 1);
  for (unsigned step = 1; step < op->size; step++)
    for (unsigned i = 0; i < op->n_pieces && status == TSR_OK; i++)
      status = send_part(l, ops_ranks_after(op, step), i);
  for (unsigned i = 0; i < op->n_pieces && status == TSR_OK; i++) status = finish_piece(l, i);
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++)
    status = ops_ranks_tell(op, ops_ranks_after(op, step), WORD_FREE, l->number);
  return status;
}

/* ---- all-reduce ----------------------------------------------------------------------------- */

/* A rank's rows of c. */
static char *rows_of_result(const ops_ranks_launch *l, unsigned rank, size_t *bytes) {
  const ops_operand *c = ops_operand_find(&l->op->operands, "c");
  int64_t first, rows = tsr_op_ranks_rows(l->op, rank, &first), n = c->shape[c->rank - 1];
  tsr_elem elem = ops_type_elem(c->type);
  *bytes = tsr_elem_storage(elem, (size_t)(rows * n));
  return ops_ranks_address_of(&ops_ranks_find_argument(l, "c")->arg) +
         tsr_elem_storage(elem, (size_t)(first * n));
}

static tsr_status share_result(const ops_ranks_launch *l) {
  const tsr_op_ranks *op = l->op;
  size_t bytes;
  char *own = rows_of_result(l, op->rank, &bytes);
  tsr_status status = ops_ranks_wait_for_all(op, WORD_RESULT_FREE, l->number - 1);
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++) {
    unsigned to = ops_ranks_after(op, step);
    status = tsr_symmetric_put(op->memory, to, ops_ranks_result_of(op, op->rank), own, bytes);
    if (status == TSR_OK) status = ops_ranks_tell(op, to, WORD_RESULT, l->number);
  }
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++) {
    unsigned from = ops_ranks_after(op, step);
    char *rows = rows_of_result(l, from, &bytes);
    status = ops_ranks_wait_for(op, from, WORD_RESULT, l->number);
    if (status != TSR_OK) return status;
    memcpy(rows, ops_ranks_memory_of(op, op->rank) + ops_ranks_result_of(op, from), bytes);
    status = ops_ranks_tell(op, from, WORD_RESULT_FREE, l->number);
  }
  return status;
}

tsr_status tsr_op_ranks_launch(tsr_op_ranks *op, const tsr_op_argument *args, size_t n_args) {
  if (!op || (n_args && !args)) return TSR_ERROR_USAGE;
  ops_ranks_launch l = {.op = op, .args = args, .n_args = n_args, .number = op->launches + 1};
  if (!check_arguments(&l)) return TSR_ERROR_USAGE;
  op->launches++;
  if (ops_ranks_is_attention(op)) return ops_ranks_launch_attention(&l);
  if (op->form == TSR_OP_ALL_GATHER_GEMM) return all_gather(&l);
  tsr_status status = reduce_scatter(&l);
  return status == TSR_OK && op->form == TSR_OP_GEMM_ALL_REDUCE ? share_result(&l) : status;
}
