/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Elements without a value: those that a load left out (masked, or outside of the view) without
 * padding. They may be carried about and computed with, as long as nothing depends on them: what
 * they decide, address, print or store is found.
 *
 * From the first such element on, a tile block has a shadow: memory laid out as its frame, in which
 * the elements without a value have all bits set, all others none. Operations that only move
 * elements are executed on the shadow as they are on the frame.
 */
#include <stdio.h>

#include "interp/sanitize/internal.h"
#include "ir/multimem.h"

typedef struct san_undefined {
  const char *memory; /* of the frame that it belongs to; NULL: it is free */
  char *shadow;
  const inst *from; /* the load that first left out elements */
  /* The reduction under way: which step comes next. */
  const inst *reduction;
  int64_t output, k;
} san_undefined;

/* ---- the shadow ------------------------------------------------------------------------------ */

static san_undefined *undefined_of(sanitizer *s, const frame *f) {
  for (uint32_t i = 0; i < s->undefined.len; i++)
    if (s->undefined.data[i]->memory == f->memory) return s->undefined.data[i];
  return NULL;
}

static san_undefined *begin_shadow(sanitizer *s, const frame *f, const inst *from) {
  san_undefined *u = NULL;
  for (uint32_t i = 0; i < s->undefined.len && !u; i++)
    if (!s->undefined.data[i]->memory) u = s->undefined.data[i];
  if (!u) {
    u = arena_new(s->arena, san_undefined);
    u->shadow = arena_alloc(s->arena, s->program->frame_size, 64);
    vec_push(s->arena, s->undefined, u);
  }
  memset(u->shadow, 0, s->program->frame_size);
  u->memory = f->memory;
  u->from = from;
  u->reduction = NULL;
  return u;
}

void san_forget_undefined(sanitizer *s, const frame *f) {
  san_undefined *u = undefined_of(s, f);
  if (u) u->memory = NULL;
}

static unsigned bits_of(const ir_type *t) {
  return tsr_elem_bits((tsr_elem)t->elem);
}
static char *shadow_of(const sanitizer *s, const san_undefined *u, const ir_value *v) {
  return u->shadow + s->program->slots[v->number];
}
static bool is_tile(const ir_value *v) {
  return v->type->kind == IR_TILE;
}
static size_t bytes_of(const ir_value *v) {
  return tsr_elem_storage((tsr_elem)v->type->elem, (size_t)v->type->count);
}
static bool is_undefined(const void *marks, unsigned bits, int64_t k) {
  return get_element(marks, bits, k) != 0;
}
static void set_undefined(void *marks, unsigned bits, int64_t k, bool undefined) {
  set_element(marks, bits, k, undefined ? num_mask(bits) : 0);
}

static bool is_clear(const char *marks, size_t bytes) {
  return bytes == 0 || (marks[0] == 0 && memcmp(marks, marks + 1, bytes - 1) == 0);
}

/* ---- what must have a value ------------------------------------------------------------------ */

static void report(sanitizer *s, const san_undefined *u, const inst *i, const ir_value *v,
                   const char *what, int64_t element, uint64_t count) {
  if (!san_count(s, i, TSR_SANITIZE_INIT, count)) return;
  san_finding found = {
      .check = TSR_SANITIZE_INIT, .i = i, .tile = v->type, .element = element, .more = count - 1};
  place at = ir_place(s->program->module, u->from->op->loc);
  snprintf(found.message, sizeof found.message, "%s %s an element without a value", san_op_name(i),
           what);
  int n = snprintf(found.detail, sizeof found.detail,
                   "a load without padding left it out, masked off or outside of the view; the "
                   "first to do so is %s",
                   san_op_name(u->from));
  if (at.line) snprintf(found.detail + n, sizeof found.detail - (size_t)n, " in line %u", at.line);
  san_report(s, &found);
}

/* `at` (NULL: all) says which elements matter: UNIT_NONE those that don't. After a finding the
 * value counts as one that has a value, so that one mistake is told once. */
static void need(sanitizer *s, san_undefined *u, const inst *i, const ir_value *v, const char *what,
                 const uint64_t *at) {
  if (!v || !is_tile(v)) return;
  char *marks = shadow_of(s, u, v);
  if (is_clear(marks, bytes_of(v))) return;
  int64_t first = -1;
  uint64_t count = 0;
  for (int64_t k = 0; k < v->type->count; k++) {
    if (!is_undefined(marks, bits_of(v->type), k) || (at && at[k] == UNIT_NONE)) continue;
    if (first < 0) first = k;
    count++;
  }
  if (!count) return;
  report(s, u, i, v, what, first, count);
  memset(marks, 0, bytes_of(v));
}

static void need_all(sanitizer *s, san_undefined *u, const inst *i, uint32_t first, uint32_t n,
                     const char *what) {
  for (uint32_t k = first; k < first + n; k++) need(s, u, i, ir_operand(i->op, k), what, NULL);
}

static void need_group(sanitizer *s, san_undefined *u, const inst *i, unsigned group,
                       const char *what) {
  uint32_t first = in_group(i, group);
  if (first != UINT32_MAX) need_all(s, u, i, first, i->op->segments[group], what);
}

/* Which elements are accessed depends on pointers, masks and indices; what is stored is seen. */
void san_check_undefined_access(sanitizer *s, frame *f, const inst *i, const uint64_t *at) {
  san_undefined *u = undefined_of(s, f);
  if (!u) return;
  switch (i->op->opcode) {
  case OP_load_view_tko:
  case OP_multimem_load_reduce_view_tko: need_group(s, u, i, 1, "has as its index"); return;
  case OP_store_view_tko:
    need_group(s, u, i, 2, "has as its index");
    need(s, u, i, ir_operand(i->op, 0), "stores", at);
    return;
  case OP_multimem_store_view_tko:
    need_group(s, u, i, 2, "has as its index");
    need(s, u, i, ir_operand(i->op, 1), "stores", at);
    return;
  case OP_multimem_reduce_view_tko:
    need_group(s, u, i, 2, "has as its index");
    need(s, u, i, ir_operand(i->op, 1), "combines", at);
    return;
  case OP_atomic_red_view_tko:
    need_group(s, u, i, 1, "has as its index");
    need(s, u, i, ir_operand(i->op, in_group(i, 2)), "combines", at);
    return;
  case OP_load_global:
  case OP_cp_async:
  case OP_tensor_load:
  case OP_bulk_load:
    need_group(s, u, i, 1, "has as its offset");
    if (i->op->opcode == OP_load_global) need_group(s, u, i, 2, "has in its mask");
    return;
  case OP_tensor_store:
  case OP_tensor_reduce:
  case OP_bulk_store: need_group(s, u, i, 2, "has as its offset"); return;
  case OP_store_global:
    need_group(s, u, i, 2, "has as its offset");
    need_group(s, u, i, 3, "has in its mask");
    need(s, u, i, ir_operand(i->op, 0), "stores", at);
    return;
  case OP_store_shared: need_group(s, u, i, 0, "stores"); return;
  case OP_atomic_shared:
    need_group(s, u, i, 2, "has in its mask");
    need_group(s, u, i, 0, "combines");
    return;
  case OP_atomic_cas_shared:
    need_group(s, u, i, 3, "has in its mask");
    need_group(s, u, i, 0, "compares with");
    need_group(s, u, i, 1, "stores");
    return;
  case OP_atomic_global:
    need_group(s, u, i, 2, "has as its offset");
    need_group(s, u, i, 3, "has in its mask");
    need(s, u, i, ir_operand(i->op, 0), "combines", at);
    return;
  case OP_atomic_cas_global:
    need_group(s, u, i, 3, "has as its offset");
    need_group(s, u, i, 4, "has in its mask");
    need(s, u, i, ir_operand(i->op, 0), "compares with", at);
    need(s, u, i, ir_operand(i->op, 1), "stores", at);
    return;
  case OP_load_ptr_tko: need_group(s, u, i, 1, "has in its mask"); break;
  case OP_store_ptr_tko:
    need_group(s, u, i, 2, "has in its mask");
    need(s, u, i, ir_operand(i->op, 1), "stores", at);
    break;
  case OP_atomic_rmw_tko:
    need_group(s, u, i, 2, "has in its mask");
    need(s, u, i, ir_operand(i->op, 1), "combines", at);
    break;
  default: /* atomic_cas_tko */
    need_group(s, u, i, 3, "has in its mask");
    need(s, u, i, ir_operand(i->op, 1), "compares with", at);
    need(s, u, i, ir_operand(i->op, 2), "stores", at);
    break;
  }
  need(s, u, i, ir_operand(i->op, 0), "has as a pointer", at);
}

void san_check_undefined(sanitizer *s, frame *f, const inst *i) {
  san_undefined *u = undefined_of(s, f);
  if (!u || !i->starts) return;
  switch (i->op->opcode) {
  case OP_if: need_all(s, u, i, 0, 1, "branches on"); break;
  case OP_for: need_all(s, u, i, 0, 3, "counts with"); break;
  case OP_assert: need_all(s, u, i, 0, 1, "asserts"); break;
  case OP_print_tko: need_group(s, u, i, 0, "prints"); break;
  case OP_make_tensor_view: need_all(s, u, i, 0, i->op->n_operands, "makes a view of"); break;
  case OP_extract: need_all(s, u, i, 1, i->op->n_operands - 1, "has as its index"); break;
  case OP_insert: need_all(s, u, i, 2, i->op->n_operands - 2, "has as its index"); break;
  default: break;
  }
}

/* ---- loads ----------------------------------------------------------------------------------- */

static bool leaves_out(const inst *i, const uint64_t *at) {
  int64_t n = out_type(i, 0)->count;
  bool padded = ir_on_one_device((op_code)i->op->opcode) == OP_load_view_tko
                    ? in_type(i, 0)->padding >= 0
                    : in_group(i, 2) != UINT32_MAX;
  for (int64_t k = 0; !padded && k < n; k++)
    if (at[k] == UNIT_NONE) return true;
  return false;
}

void san_note_undefined_load(sanitizer *s, frame *f, const inst *i, const uint64_t *at) {
  san_undefined *u = undefined_of(s, f);
  bool padded = i->op->opcode >= OP_COUNT; /* at the block level all elements have a value */
  bool some = ir_is_load(i->op) && !padded && leaves_out(i, at);
  if ((!u && !some) || !i->op->n_results) return;
  if (!u) u = begin_shadow(s, f, i);
  const ir_value *v = ir_result(i->op, 0);
  if (!is_tile(v)) return;
  char *out = shadow_of(s, u, v);
  unsigned bits = bits_of(v->type);
  memset(out, 0, bytes_of(v));
  if (some)
    for (int64_t k = 0; k < v->type->count; k++) set_undefined(out, bits, k, at[k] == UNIT_NONE);
  if (i->op->opcode != OP_load_ptr_tko || in_group(i, 2) == UINT32_MAX) return;
  const char *padding = shadow_of(s, u, ir_operand(i->op, in_group(i, 2)));
  for (int64_t k = 0; k < v->type->count; k++)
    if (at[k] == UNIT_NONE) set_undefined(out, bits, k, is_undefined(padding, bits, k));
}

/* ---- what becomes of them -------------------------------------------------------------------- */

static void clear_results(sanitizer *s, san_undefined *u, const ir_op *op) {
  for (uint32_t k = 0; k < op->n_results; k++)
    if (is_tile(ir_result(op, k)))
      memset(shadow_of(s, u, ir_result(op, k)), 0, bytes_of(ir_result(op, k)));
}

static bool is_select_undefined(sanitizer *s, const frame *f, const san_undefined *u,
                                const ir_op *op, int64_t k) {
  const ir_value *condition = ir_operand(op, 0);
  if (is_undefined(shadow_of(s, u, condition), 1, k)) return true;
  const char *conditions = f->memory + s->program->slots[condition->number];
  const ir_value *chosen = ir_operand(op, get_element(conditions, 1, k) ? 1 : 2);
  return is_undefined(shadow_of(s, u, chosen), bits_of(chosen->type), k);
}

/* Zero and anything is zero, one or anything is one: not for single bits of wider integers. */
static bool is_absorbed(sanitizer *s, const frame *f, const san_undefined *u, const ir_op *op,
                        int64_t k) {
  if (op->opcode != OP_andi && op->opcode != OP_ori) return false;
  unsigned bits = bits_of(ir_result(op, 0)->type);
  uint64_t absorbing = op->opcode == OP_andi ? 0 : num_mask(bits);
  for (uint32_t o = 0; o < 2; o++) {
    const ir_value *v = ir_operand(op, o);
    if (is_undefined(shadow_of(s, u, v), bits, k)) continue;
    if (get_element(f->memory + s->program->slots[v->number], bits, k) == absorbing) return true;
  }
  return false;
}

static void pass_elementwise(sanitizer *s, const frame *f, san_undefined *u, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  char *out = shadow_of(s, u, v);
  bool clear = true;
  for (uint32_t o = 0; o < op->n_operands; o++)
    clear &= is_clear(shadow_of(s, u, ir_operand(op, o)), bytes_of(ir_operand(op, o)));
  if (clear) {
    memset(out, 0, bytes_of(v));
    return;
  }
  for (int64_t k = 0; k < v->type->count; k++) {
    bool undefined = false;
    for (uint32_t o = 0; o < op->n_operands; o++)
      undefined |=
          is_undefined(shadow_of(s, u, ir_operand(op, o)), bits_of(ir_operand(op, o)->type), k);
    if (undefined && op->opcode == OP_select) undefined = is_select_undefined(s, f, u, op, k);
    set_undefined(out, bits_of(v->type), k, undefined && !is_absorbed(s, f, u, op, k));
  }
}

/* Executes what moves elements on the shadow. The numbers that say where to are the frame's. */
static void move_shadow(frame *f, san_undefined *u, const inst *i) {
  frame g = *f;
  g.memory = u->shadow;
  uint32_t first = i->op->opcode == OP_extract ? 1 : i->op->opcode == OP_insert ? 2 : UINT32_MAX;
  for (uint32_t k = first; k < i->op->n_operands; k++)
    memcpy(u->shadow + i->in[k], f->memory + i->in[k], bytes_of(ir_operand(i->op, k)));
  i->plain(&g, i);
  for (uint32_t k = first; k < i->op->n_operands; k++)
    memset(u->shadow + i->in[k], 0, bytes_of(ir_operand(i->op, k)));
}

/* Element (i, j) of a product has no value when one in row i or column j has none. */
static void pass_product(sanitizer *s, san_undefined *u, const ir_op *op) {
  const ir_type *t = ir_result(op, 0)->type;
  int64_t n = t->shape[t->rank - 1];
  char *out = shadow_of(s, u, ir_result(op, 0));
  memcpy(out, shadow_of(s, u, ir_operand(op, 2)), bytes_of(ir_operand(op, 2)));
  for (uint32_t o = 0; o < op->n_operands; o++) {
    const ir_value *v = ir_operand(op, o);
    const char *marks = shadow_of(s, u, v);
    if (o == 2 || is_clear(marks, bytes_of(v))) continue;
    bool by_row = o == 0 || o == 3; /* lhs and its scales */
    int64_t columns = v->type->shape[v->type->rank - 1];
    int64_t rows = v->type->shape[v->type->rank - 2], m = t->shape[t->rank - 2];
    for (int64_t k = 0; k < v->type->count; k++) {
      if (!is_undefined(marks, bits_of(v->type), k)) continue;
      int64_t batch = k / (rows * columns), row = k / columns % rows, column = k % columns;
      for (int64_t x = 0; x < (by_row ? n : m); x++)
        set_undefined(out, bits_of(t), (batch * m + (by_row ? row : x)) * n + (by_row ? x : column),
                      true);
    }
  }
}

/* ---- reductions
 * ----------------------------------------------------------------------------------- */

/* Where step k of reduction `output` lies, as in interp/reduce.c. */
static int64_t step_position(const inst *i, int64_t output, int64_t k) {
  const ir_type *t = in_type(i, 0);
  int64_t dim = ir_int_attr(i->op, ATTR_dim), inner = 1;
  for (unsigned d = (unsigned)dim + 1; d < t->rank; d++) inner *= t->shape[d];
  if (i->op->opcode == OP_scan && ir_int_attr(i->op, ATTR_reverse)) k = t->shape[dim] - 1 - k;
  return (output / inner * t->shape[dim] + k) * inner + output % inner;
}

/* The step before this one has left its result in "previous". */
static void end_step(sanitizer *s, san_undefined *u) {
  const inst *r = u->reduction;
  int64_t n = in_type(r, 0)->shape[ir_int_attr(r->op, ATTR_dim)];
  bool scan = r->op->opcode == OP_scan;
  if (u->k == 0 || (!scan && u->k != n)) return;
  int64_t to = scan ? step_position(r, u->output, u->k - 1) : u->output;
  for (uint32_t o = 0; o < r->op->n_operands; o++) {
    unsigned bits = bits_of(in_type(r, o));
    set_undefined(shadow_of(s, u, ir_result(r->op, o)), bits, to,
                  is_undefined(u->shadow + r->body.args[2 * o + 1], bits, 0));
  }
}

/* The body begins: its arguments are what the step combines. */
static void begin_step(sanitizer *s, san_undefined *u) {
  const inst *r = u->reduction;
  int64_t n = in_type(r, 0)->shape[ir_int_attr(r->op, ATTR_dim)];
  end_step(s, u);
  if (u->k == n) u->k = 0, u->output++;
  for (uint32_t o = 0; o < r->op->n_operands; o++) {
    const ir_value *v = ir_operand(r->op, o);
    unsigned bits = bits_of(v->type);
    int64_t at = step_position(r, u->output, u->k);
    set_undefined(u->shadow + r->body.args[2 * o], bits, 0,
                  is_undefined(shadow_of(s, u, v), bits, at));
    if (u->k == 0) set_undefined(u->shadow + r->body.args[2 * o + 1], bits, 0, false);
  }
  u->k++;
}

void san_enter_undefined(sanitizer *s, frame *f, const inst *i) {
  san_undefined *u = undefined_of(s, f);
  if (!u) return;
  if (u->reduction && i == u->reduction + 1) begin_step(s, u);
  if (i->plain != run_reduce && i->plain != run_scan) return;
  u->reduction = i;
  u->output = u->k = 0;
}

static void end_reduction(sanitizer *s, san_undefined *u, const inst *i) {
  if (u->reduction == i)
    end_step(s, u);
  else
    clear_results(s, u, i->op); /* a reduction in its body has taken its place: not followed */
  u->reduction = NULL;
}

/* ---- after an instruction
 * ------------------------------------------------------------------------- */

void san_pass_undefined(sanitizer *s, frame *f, const inst *i) {
  san_undefined *u = undefined_of(s, f);
  if (!u) return;
  if (i->plain == run_elementwise)
    pass_elementwise(s, f, u, i->op);
  else if (i->plain == run_jump || i->plain == run_copy || i->plain == run_broadcast ||
           i->plain == run_permute || i->plain == run_cat || i->plain == run_extract ||
           i->plain == run_insert || i->plain == run_pack || i->plain == run_unpack)
    move_shadow(f, u, i);
  else if (i->plain == run_mmaf || i->plain == run_mmai || i->plain == run_mmaf_scaled)
    pass_product(s, u, i->op);
  else if (i->plain == run_reduce || i->plain == run_scan)
    end_reduction(s, u, i);
  else if (i->starts && i->op->n_results && !i->op->n_regions)
    clear_results(s, u, i->op);
}
