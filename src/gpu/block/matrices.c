/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ldmatrix and stmatrix: loads of matrices of eight rows of 16 bytes. Of each row four lanes get a
 * word each, the rows going to eight such groups of lanes; transposed, lanes get the pairs of a
 * column. So it fits where the bits of the tile's index that lie in a row of 16 bytes are those of
 * a word and of the two lowest bits of the lane, or, transposed, those of the three highest.
 * Further bits of the register's number tell two or four matrices apart that are loaded at once.
 * stmatrix is the reverse.
 */
#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "ir/block/layouts.h"

typedef struct matrices {
  const storage_ref *part;
  simt_dist d;    /* of the result, registers in this order: a word's, the matrices', the others' */
  simt_dist rows; /* of the lanes that say where rows begin */
  unsigned word_bits, n_bits; /* log2 of elements in a word; of matrices at once */
} matrices;

/* The bit of the index that adds so many elements to the offset; SIMT_COPY: none does. */
static int8_t bit_of_weight(const int32_t *weight, unsigned n, int32_t wanted) {
  for (unsigned k = 0; k < n; k++)
    if (weight[k] == wanted) return (int8_t)k;
  return SIMT_COPY;
}

static bool has_register(const simt_dist *d, int8_t bit) {
  for (unsigned j = 0; j < d->regs; j++)
    if (d->reg[j] == bit) return true;
  return false;
}

/* Rows begin at multiples of 16 bytes, and stay together under the swizzle. */
static bool rows_are_whole(const storage_ref *s, const int32_t *weight, unsigned n,
                           unsigned row_bits) {
  const tsr_memory_layout *m = s->type->memory;
  int32_t row = INT32_C(1) << row_bits;
  if (s->divisor % (uint32_t)row || (m->swizzle_bits && m->swizzle_base < row_bits)) return false;
  for (unsigned k = 0; k < n; k++)
    if (weight[k] % row && weight[k] >= row) return false;
  return true;
}

/* Puts these bits of the index in front. */
static void order_registers(simt_dist *d, const int8_t *first, unsigned n) {
  simt_dist from = *d;
  d->regs = 0;
  for (unsigned j = 0; j < n; j++) d->reg[d->regs++] = first[j];
  for (unsigned j = 0; j < from.regs; j++) {
    bool taken = false;
    for (unsigned k = 0; k < n; k++) taken |= first[k] == from.reg[j];
    if (!taken) d->reg[d->regs++] = from.reg[j];
  }
}

/* The bits that choose the row of a matrix, which lanes 0 to 7 have, and further lanes those that
 * choose the matrix. */
static void set_rows(matrices *m, const int8_t row[3]) {
  m->rows = m->d;
  for (unsigned j = 0; j < 3; j++) m->rows.lane[j] = row[j];
  for (unsigned j = 0; j < 2; j++)
    m->rows.lane[3 + j] = j < m->n_bits ? m->d.reg[m->word_bits + j] : (int8_t)SIMT_COPY;
}

typedef enum misfit { FITS, NO_ELEMENTS, NO_WARPS, NO_ROWS, NO_LANES } misfit;

/* Finds the bits of words and rows, and orders the registers so. */
static misfit match(matrices *m, bool transposed) {
  int32_t weight[SIMT_BITS];
  const ir_type *t = m->part->type;
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem), n = m->d.n;
  if (bits != 16 && (transposed || (bits != 8 && bits != 32))) return NO_ELEMENTS;
  if (m->d.lanes != 5) return NO_WARPS;
  gpu_part_weights(t, weight);
  m->word_bits = simt_log2(32 / bits);
  unsigned row_bits = m->word_bits + 2;
  int8_t along[4], word[2], row[3];
  for (unsigned k = 0; k < row_bits; k++) {
    along[k] = bit_of_weight(weight, n, INT32_C(1) << k);
    if (along[k] == SIMT_COPY) return NO_ROWS;
  }
  if (!rows_are_whole(m->part, weight, n, row_bits)) return NO_ROWS;
  const int8_t *lane = m->d.lane;
  bool fits = true;
  if (transposed) {
    for (unsigned k = 0; k < 3; k++) fits &= lane[2 + k] == along[k];
    word[0] = row[0] = m->d.regs ? m->d.reg[0] : (int8_t)SIMT_COPY;
    row[1] = lane[0];
    row[2] = lane[1];
    fits &= m->d.regs > 0;
  } else {
    for (unsigned k = 0; k < m->word_bits; k++) {
      fits &= has_register(&m->d, along[k]);
      word[k] = along[k];
    }
    fits &= lane[0] == along[m->word_bits] && lane[1] == along[m->word_bits + 1];
    for (unsigned k = 0; k < 3; k++) row[k] = lane[2 + k];
  }
  if (!fits) return NO_LANES;
  order_registers(&m->d, word, m->word_bits);
  m->n_bits = MIN(m->d.regs - m->word_bits, 2);
  set_rows(m, row);
  return FITS;
}

static const char *explain(gen *g, misfit why, bool store, bool transposed) {
  const char *name =
      arena_printf(g->arena, "%s%s", store ? "stmatrix" : "ldmatrix", transposed ? ".trans" : "");
  const char *subject = store ? "value" : "result";
  switch (why) {
  case FITS: return NULL;
  case NO_ELEMENTS:
    return arena_printf(g->arena, "%s moves elements of %s only; use auto", name,
                        transposed ? "16 bits" : "8, 16 and 32 bits");
  case NO_WARPS:
    return arena_printf(g->arena, "%s needs whole warps of 32 threads; use auto", name);
  case NO_ROWS:
    return "the memory has no rows of 16 bytes that lie together at multiples of 16 bytes; change "
           "its layout or swizzle, or use auto";
  default: break;
  }
  return arena_printf(
      g->arena,
      "for %s lane i holds %s of eight rows of 16 bytes, but the %s lies otherwise; "
      "use auto, or memory that runs along the other dimension",
      name, transposed ? "two elements of column i / 4" : "a word of row i / 4", subject);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* A lane moves words of others, where the language has each thread move its own, in the order of
 * the program: the lanes of a warp must meet between that and what else they do there. */
typedef enum met { NOBODY, MEETING, ACCESS } met;

static const ir_value *whole_of(const ir_value *v) {
  const ir_op *made = ir_defining_op(v);
  while (made && (made->opcode == OP_subview || made->opcode == OP_permute_view)) {
    v = ir_operand(made, 0);
    made = ir_defining_op(v);
  }
  return v;
}

static bool may_be_same(const ir_value *a, const ir_value *b) {
  a = whole_of(a);
  b = whole_of(b);
  const ir_op *x = ir_defining_op(a), *y = ir_defining_op(b);
  bool known = x && y && x->opcode == OP_alloc_shared && y->opcode == OP_alloc_shared;
  return a == b || !known;
}

static bool is_meeting(const ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_barrier:
  case OP_warp_barrier:
  case OP_barrier_wait:
  case OP_mbarrier_wait:
  case OP_cluster_barrier:
  case OP_cluster_wait: return true;
  default: return false;
  }
}

/* Where the matrices lie, and whether what comes before or behind them is asked for. */
typedef struct beside {
  const ir_op *op;
  const ir_value *storage;
  bool ahead;
} beside;

/* By the threads themselves; what they copied they have once they have waited. */
static bool is_access(const ir_op *op, const beside *b) {
  switch ((op_code)op->opcode) {
  case OP_cp_async_wait: return !b->ahead;
  case OP_cp_async:
    if (!b->ahead) return false;
    break;
  case OP_load_shared:
    if (b->op->opcode == OP_load_shared) return false;
    break;
  case OP_store_shared:
  case OP_atomic_shared:
  case OP_atomic_cas_shared: break;
  default: return false;
  }
  bool same = false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    same |=
        ir_operand(op, i)->type->kind == IR_SHARED && may_be_same(ir_operand(op, i), b->storage);
  return same;
}

static const ir_op *edge(const ir_block *b, bool ahead) {
  return ahead ? b->first : b->last;
}

/* What comes first from an operation on to the end of its block. */
static met look(const ir_op *from, const beside *b) {
  for (const ir_op *op = from; op && op != b->op; op = b->ahead ? op->next : op->prev) {
    if (is_meeting(op)) return MEETING;
    if (is_access(op, b)) return ACCESS;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r] && look(edge(op->regions[r], b->ahead), b) == ACCESS) return ACCESS;
  }
  return NOBODY;
}

static bool must_meet(const beside *b) {
  for (const ir_op *at = b->op; at->opcode != OP_entry; at = at->block->parent) {
    met found = look(b->ahead ? at->next : at->prev, b);
    if (found != NOBODY) return found == ACCESS;
    const ir_op *in = at->block->parent;
    bool again = in->opcode == OP_for || in->opcode == OP_loop;
    if (again && look(edge(at->block, b->ahead), b) == ACCESS) return true;
  }
  return false;
}

static void meet(gen *g, const ir_op *op, const ir_value *storage, bool ahead) {
  if (must_meet(&(beside){op, storage, ahead})) g->vendor->warp_barrier(g);
}

/* ---- loads ---------------------------------------------------------------------------------- */

static void load(gen *g, ir_op *op, const matrices *m, bool transposed) {
  ir_value *v = ir_result(op, 0);
  tsr_elem elem = (tsr_elem)v->type->elem;
  unsigned first = m->word_bits + m->n_bits, each = 1u << m->word_bits;
  llv *words = arena_array(g->arena, llv, slots_of(&m->d) / each), *next = words;
  part_place p;
  gpu_part_place(g, &p, m->part, &m->rows);
  for (uint32_t i = 0; i < slots_of(&m->d); i += 1u << first, next += 1u << m->n_bits) {
    uint32_t offset;
    llv at = gpu_part_address(g, &p, simt_index_of_slot(&m->d, i), &offset);
    g->vendor->load_matrices(g, at, offset, 1u << m->n_bits, transposed, next);
  }
  if (each > 1) {
    gpu_set_words(g, v, &m->d, words, each);
    return;
  }
  for (uint32_t i = 0; i < slots_of(&m->d); i++) words[i] = gpu_from_memory(g, elem, words[i]);
  gpu_set(g, v, &m->d, words);
}

bool gpu_load_matrices(gen *g, ir_op *op, bool transposed, const char **why) {
  matrices m = {.part = value_of(g, ir_operand(op, 0))->storage,
                .d = gpu_type_dist(g, ir_result(op, 0)->type)};
  bool is_asked_for = ir_int_attr(op, ATTR_instruction) != INSTRUCTION_AUTO;
  *why = "the target has no ldmatrix; use auto";
  if (!g->vendor->load_matrices) return false;
  *why = explain(g, match(&m, transposed), false, transposed);
  /* A single matrix that isn't transposed is a word from each lane's own address. */
  if (*why || (!is_asked_for && !transposed && m.n_bits == 0)) return false;
  meet(g, op, ir_operand(op, 0), false);
  load(g, op, &m, transposed);
  meet(g, op, ir_operand(op, 0), true);
  return true;
}

/* ---- stores --------------------------------------------------------------------------------- */

static void store(gen *g, ir_op *op, const matrices *m, bool transposed) {
  ir_value *v = ir_operand(op, 0);
  unsigned first = m->word_bits + m->n_bits, each = 1u << m->word_bits;
  tile t = gpu_elements_at(g, v, &m->d);
  part_place p;
  gpu_part_place(g, &p, m->part, &m->rows);
  llblock done = gpu_begin_owner(g, gpu_owner(g, &m->d));
  for (uint32_t i = 0; i < slots_of(&m->d); i += 1u << first) {
    uint32_t offset;
    llv words[4];
    for (uint32_t k = 0; k < 1u << m->n_bits; k++) {
      words[k] = gpu_memory_run(g, (tsr_elem)v->type->elem, &t, i + k * each, each);
      words[k] = LLVMBuildBitCast(g->e.b, words[k], g->e.i32, "");
    }
    llv at = gpu_part_address(g, &p, simt_index_of_slot(&m->d, i), &offset);
    g->vendor->store_matrices(g, at, offset, 1u << m->n_bits, transposed, words);
  }
  if (done) gpu_go(g, done);
}

/* Lanes that hold the same elements would write rows of others. */
static bool lanes_differ(const simt_dist *d) {
  for (unsigned j = 0; j < d->lanes; j++)
    if (d->lane[j] == SIMT_COPY) return false;
  return true;
}

bool gpu_store_matrices(gen *g, ir_op *op, bool transposed, const char **why) {
  ir_value *v = ir_operand(op, 0);
  matrices m = {.part = value_of(g, ir_operand(op, 1))->storage, .d = gpu_type_dist(g, v->type)};
  bool is_asked_for = ir_int_attr(op, ATTR_instruction) != INSTRUCTION_AUTO;
  *why = "the target has no stmatrix, which comes with sm_90; use auto";
  if (!gpu_can(g->target, GPU_STORE_MATRIX)) return false;
  misfit fits = match(&m, transposed);
  if (fits == FITS && !lanes_differ(&m.d)) fits = NO_LANES;
  *why = explain(g, fits, true, transposed);
  if (*why || (!is_asked_for && !transposed && m.n_bits == 0)) return false;
  meet(g, op, ir_operand(op, 1), false);
  store(g, op, &m, transposed);
  meet(g, op, ir_operand(op, 1), true);
  return true;
}
