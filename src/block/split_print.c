/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tells of elements of tiles whose sizes are no powers of two. To be printed the pieces go to
 * shared memory, and the print takes each element as a number of its own, with the brackets and
 * commas of a tile in its format. Asserted pieces become one tile again, whose sizes are the next
 * powers of two, so that a message names the element by its place in the whole.
 */
#include "block/split_internal.h"

#include "exec/print.h"
#include "ir/block/layouts.h"
#include "opt/rewrite.h"

enum { MOST_PRINTED = 1024 }; /* elements, each of which is code */

typedef struct printing {
  splitter *s;
  ir_op *op;
  sbuf format;
  VEC(ir_value *) args;
} printing;

/* ---- elements ------------------------------------------------------------------------------- */

static void ones(unsigned rank, int64_t *shape, int32_t *small) {
  for (unsigned d = 0; d < rank; d++) shape[d] = small[d] = 1;
}

/* A tile of one element that all threads which have the tile hold. */
static const ir_type *single_type(const printing *p, const ir_type *t) {
  int64_t shape[IR_MAX_RANK];
  int32_t small[IR_MAX_RANK];
  tsr_layout l;
  ones(t->rank, shape, small);
  const ir_type *one = ir_tile_reshaped(p->s->m, t, t->rank, shape);
  if (!t->layout) return one;
  tsr_layout_replicated(&l, t->rank, small, (int32_t)tsr_layout_spatial_size(t->layout), NULL);
  return ir_with_layout(p->s->m, one, &l);
}

static ir_value *element_at(printing *p, const ir_type *t, ir_value *storage,
                            const int64_t *index) {
  int64_t shape[IR_MAX_RANK];
  int32_t small[IR_MAX_RANK];
  tsr_memory_layout memory;
  ir_value *operands[1 + IR_MAX_RANK] = {storage};
  ones(t->rank, shape, small);
  tsr_memory_row_major(&memory, t->rank, small, NULL);
  for (unsigned d = 0; d < t->rank; d++)
    operands[1 + d] = split_number(p->s, p->op, ir_scalar(p->s->m, TSR_I32), index[d]);
  const ir_type *part = ir_shared(p->s->m, (tsr_elem)t->elem, &memory);
  ir_value *v = split_make(p->s, p->op, OP_subview, part, 1 + t->rank, operands);
  v = split_make(p->s, p->op, OP_load_shared, single_type(p, t), 1, &v);
  return split_make(p->s, p->op, OP_reshape, ir_scalar(p->s->m, (tsr_elem)t->elem), 1, &v);
}

/* The whole tile in new shared memory, row-major. */
static ir_value *stored(printing *p, ir_value *tile) {
  const ir_type *t = tile->type;
  int32_t shape[IR_MAX_RANK];
  tsr_memory_layout memory;
  for (unsigned d = 0; d < t->rank; d++) shape[d] = (int32_t)t->shape[d];
  tsr_memory_row_major(&memory, t->rank, shape, NULL);
  ir_value *storage = split_make(p->s, p->op, OP_alloc_shared,
                                 ir_shared(p->s->m, (tsr_elem)t->elem, &memory), 0, NULL);
  split_put(p->s, p->op, t, split_pieces(p->s, tile), storage);
  ir_op *barrier = ir_op_create(p->s->m, &(ir_op_spec){.opcode = OP_barrier, .loc = p->op->loc});
  ir_op_insert_before(p->op, barrier);
  return storage;
}

/* ---- formats -------------------------------------------------------------------------------- */

/* How many dimensions, the innermost first, begin at element i. */
static unsigned beginning_at(const ir_type *t, int64_t i) {
  unsigned n = 0;
  int64_t size = 1;
  for (unsigned d = t->rank; d-- > 0;) {
    size *= t->shape[d];
    n += i % size == 0;
  }
  return n;
}

static void print_tile(printing *p, ir_value *tile, const char *spec, size_t length) {
  const ir_type *t = tile->type;
  ir_value *storage = stored(p, tile);
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t i = 0; i < t->count; i++) {
    if (i) sbuf_puts(&p->format, ", ");
    for (unsigned k = beginning_at(t, i); k--;) sbuf_putc(&p->format, '[');
    sbuf_add(&p->format, spec, length);
    vec_push(p->s->arena, p->args, element_at(p, t, storage, index));
    for (unsigned k = beginning_at(t, i + 1); k--;) sbuf_putc(&p->format, ']');
    for (unsigned d = t->rank; d-- > 0; index[d] = 0)
      if (++index[d] < t->shape[d]) break;
  }
}

/* As exec_print_format goes through it. */
static void print_args(printing *p, str format, const ir_use *args, uint32_t n) {
  const char *at = format.data, *end = at + format.len;
  for (uint32_t used = 0; at < end;) {
    size_t length = *at == '%' ? exec_print_conversion(at, end) : 1;
    bool converts = *at == '%' && length && !(length == 2 && at[1] == '%') && used < n;
    length = MAX(length, 1);
    ir_value *v = converts ? args[used++].value : NULL;
    if (v && cut_is_needed(v->type)) {
      print_tile(p, v, at, length);
    } else {
      sbuf_add(&p->format, at, length);
      if (v) vec_push(p->s->arena, p->args, v);
    }
    at += length;
  }
}

static bool can_print(splitter *s, ir_op *op, const ir_use *args, uint32_t n) {
  int64_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ir_type *t = args[i].value->type;
    if (!cut_is_needed(t)) continue;
    count += t->count;
    bool packed = t->elem == TSR_PTR || (t->elem != TSR_I1 && tsr_elem_bits((tsr_elem)t->elem) < 8);
    if (packed)
      split_fail(s, op, t, "is not compiled for these elements yet; the target interp runs it");
    else if (count > MOST_PRINTED)
      split_fail(s, op, t,
                 "prints more than 1024 elements, for which no code is made; print parts of it, or "
                 "use the target interp");
  }
  return !s->failed;
}

void split_print(splitter *s, ir_op *op) {
  uint32_t n;
  const ir_use *args = ir_operand_group(op, 0, &n);
  printing p = {.s = s, .op = op, .format = SBUF(s->arena)};
  if (!can_print(s, op, args, n)) return;
  print_args(&p, ir_get_attr(op, ATTR_str)->s, args, n);
  uint32_t numbers = p.args.len;
  ir_value *token = ir_operand_in(op, 1);
  if (token) vec_push(s->arena, p.args, token);
  const ir_type *type = ir_token(s->m);
  ir_op *print = ir_op_create(s->m, &(ir_op_spec){.opcode = OP_print_tko,
                                                  .loc = op->loc,
                                                  .n_operands = p.args.len,
                                                  .operands = p.args.data,
                                                  .segments = (uint32_t[]){numbers, token != NULL},
                                                  .n_results = op->n_results,
                                                  .result_types = &type});
  ir_set_attr(print, ATTR_str,
              (ir_attr){.s = arena_str(&s->m->arena, (str){p.format.data, p.format.len})});
  ir_op_insert_before(op, print);
  for (uint32_t i = 0; i < op->n_results; i++)
    rewrite_replace_value(ir_result(op, i), ir_result(print, i));
  split_done(s, op);
}

/* ---- asserts without threads ---------------------------------------------------------------- */

typedef struct joining {
  splitter *s;
  ir_op *op;
  const cut_tile *cut;
  ir_value **pieces;
} joining;

static ir_value *joined(const joining *j, ir_value *first, ir_value *second, unsigned dim) {
  int64_t shape[IR_MAX_RANK];
  const ir_type *t = first->type;
  memcpy(shape, t->shape, t->rank * sizeof *shape);
  shape[dim] *= 2;
  ir_value *both[] = {first, second};
  ir_value *v =
      split_make(j->s, j->op, OP_cat, ir_tile_reshaped(j->s->m, t, t->rank, shape), 2, both);
  ir_set_int(v->owner.op, ATTR_dim, dim);
  return v;
}

/* Twice as long, and true there. */
static ir_value *lengthened(const joining *j, ir_value *v, unsigned dim) {
  return joined(j, v, rewrite_splat(j->s->m, j->op, v->type, 1), dim);
}

/* The pieces from `spot` on along dimension `dim` and all behind it. Along each they are powers of
 * two, the largest first. */
static ir_value *joined_from(const joining *j, unsigned dim, unsigned *spot) {
  if (dim == j->cut->rank) return j->pieces[cut_number(j->cut, spot)];
  ir_value *tail = NULL;
  for (unsigned i = j->cut->dim[dim].n; i-- > 0;) {
    spot[dim] = i;
    ir_value *v = joined_from(j, dim + 1, spot);
    while (tail && tail->type->shape[dim] < v->type->shape[dim]) tail = lengthened(j, tail, dim);
    tail = tail ? joined(j, v, tail, dim) : v;
  }
  return tail;
}

void split_assert(splitter *s, ir_op *op) {
  unsigned spot[IR_MAX_RANK] = {0};
  ir_value *condition = ir_operand(op, 0);
  joining j = {s, op, split_cut(s, op, condition->type), split_pieces(s, condition)};
  if (s->failed) return;
  ir_value *all = joined_from(&j, 0, spot);
  split_copy(s, op, &all, NULL);
  split_done(s, op);
}
