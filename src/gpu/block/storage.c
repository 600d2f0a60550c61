/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Allocations of shared memory and parts of them, and what threads load and store there.
 * Allocations lie one after the other at the start of the kernel's shared memory, in front of
 * scratch memory; what free_shared gives back may be given out again.
 */
#include "gpu/block/storage.h"

#include "gpu/block/packed.h"
#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "ir/block/groups.h"
#include "ir/block/layouts.h"
#include "opt/rewrite.h"
#include "simt/arrange.h"

/* ---- where allocations lie ------------------------------------------------------------------ */

typedef struct piece {
  const ir_op *op;
  uint32_t begin, end;
  const ir_op *freed; /* by which free_shared; NULL: by none so far */
} piece;

typedef struct placing {
  gen *g;
  bool has_engine; /* copies of tensors are aligned to their own unit */
  VEC(piece) pieces;
} placing;

static bool is_freed(const ir_op *alloc) {
  for (const ir_use *u = ir_result(alloc, 0)->uses; u; u = u->next)
    if (u->user->opcode == OP_free_shared) return true;
  return false;
}

static bool is_in_loop(const ir_op *op) {
  for (; op->block; op = op->block->parent)
    if (op->opcode == OP_for || op->opcode == OP_loop) return true;
  return false;
}

/* What lives until the end of an iteration would still be read when the next one writes to memory
 * that was given back before. */
static bool may_reuse(const ir_op *alloc) {
  return is_freed(alloc) || !is_in_loop(alloc);
}

static bool is_pow2(uint32_t n) {
  return (n & (n - 1)) == 0;
}

/* Only where units are powers of two does a swizzle of addresses ask for its period. */
static uint64_t period_of(const gen *g, const ir_type *t) {
  gpu_unit u = gpu_unit_of(g, t);
  return is_pow2(u.bytes) ? (uint64_t)(ir_memory_period(t->memory) >> u.shift) * u.bytes : 0;
}

static uint64_t alignment_of(const placing *p, const ir_op *alloc) {
  const ir_type *t = ir_result(alloc, 0)->type;
  if (t->kind == IR_MBARRIER) return 16;
  uint64_t least = p->has_engine ? GPU_BOX_ALIGN : 16;
  return MAX(MAX(period_of(p->g, t), least), (uint64_t)ir_int_attr(alloc, ATTR_alignment));
}

static uint64_t size_of(const gen *g, const ir_type *t) {
  if (t->kind == IR_MBARRIER) return (uint64_t)t->count * GPU_MBARRIER_BYTES;
  gpu_unit u = gpu_unit_of(g, t);
  uint64_t last = (UINT64_C(1) << u.shift) - 1;
  return MAX((((uint64_t)ir_memory_extent(t->memory) + last) >> u.shift) * u.bytes, 1);
}

/* The threads that gave it back are those that take it, one after the other. */
static bool is_free(const piece *p, const ir_op *alloc) {
  return p->freed && ir_group_around(p->freed) == ir_group_around(alloc) &&
         ir_group_around(p->op) == ir_group_around(alloc);
}

/* The first place where no other piece is. */
static uint64_t find_place(const placing *p, const ir_op *alloc, uint64_t size) {
  uint64_t align = alignment_of(p, alloc), at = 0;
  bool reuse = may_reuse(alloc), moved = true;
  while (moved) {
    moved = false;
    for (uint32_t i = 0; i < p->pieces.len; i++) {
      const piece *other = &p->pieces.data[i];
      if ((reuse && is_free(other, alloc)) || other->end <= at || at + size <= other->begin)
        continue;
      at = (other->end + align - 1) / align * align;
      moved = true;
    }
  }
  return at;
}

static bool place_alloc(placing *p, const ir_op *op) {
  gen *g = p->g;
  const ir_type *t = ir_result(op, 0)->type;
  uint64_t size = size_of(g, t), at = find_place(p, op, size), align = alignment_of(p, op);
  if (at + size > g->target->shared_bytes || align > g->target->shared_bytes) {
    gpu_unsupported(g, op,
                    arena_printf(g->arena,
                                 "it would end at byte %llu of the tile block's shared memory, "
                                 "which has %u; use smaller tiles or fewer stages, or end "
                                 "the life of another allocation with free_shared",
                                 (unsigned long long)(at + size), g->target->shared_bytes));
    return false;
  }
  vec_push(g->arena, p->pieces,
           (piece){.op = op, .begin = (uint32_t)at, .end = (uint32_t)(at + size)});
  *map_put(g->arena, &g->places_of_storage, (uintptr_t)op) = (uint32_t)at;
  g->storage_bytes = MAX(g->storage_bytes, (uint32_t)((at + size + 15) / 16 * 16));
  g->scratch_align = MAX(g->scratch_align, (uint32_t)align);
  return true;
}

static bool place_op(void *user, ir_op *op) {
  placing *p = user;
  if (op->opcode == OP_alloc_shared || op->opcode == OP_alloc_mbarrier) return place_alloc(p, op);
  for (uint32_t i = 0; op->opcode == OP_free_shared && i < p->pieces.len; i++)
    if (p->pieces.data[i].op == ir_defining_op(ir_operand(op, 0))) p->pieces.data[i].freed = op;
  return true;
}

static bool find_engine(void *user, ir_op *op) {
  placing *p = user;
  p->has_engine |= ir_row(op)->group == GROUP_ENGINE;
  return true;
}

/* ---- what divides offsets ------------------------------------------------------------------- */

enum { ANY_DIVISOR = 1 << 30 };

static uint32_t divisor_of_number(uint64_t n) {
  return n == 0 || n % ANY_DIVISOR == 0 ? (uint32_t)ANY_DIVISOR : (uint32_t)(n & -n);
}

static uint32_t multiply_divisors(uint32_t a, uint32_t b) {
  return (uint64_t)a * b >= ANY_DIVISOR ? (uint32_t)ANY_DIVISOR : a * b;
}

typedef struct dividing {
  gen *g;
  bool changed;
} dividing;

static void divides(dividing *x, const ir_value *v, uint32_t divisor) {
  uint32_t *known = &x->g->divisors[v->number];
  if (v->type->kind != IR_SHARED || *known <= divisor) return;
  *known = divisor;
  x->changed = true;
}

/* Of what an index along a dimension adds (add_index): digits of what divides it are 0, and of the
 * first that is not, it divides what is left. */
static uint32_t divisor_along(const tsr_memory_layout *m, unsigned first, unsigned end,
                              uint32_t index) {
  uint32_t divisor = ANY_DIVISOR;
  for (unsigned k = end; k-- > first;) {
    uint32_t stride = divisor_of_number((uint64_t)m->stride[k]), n = (uint32_t)m->size[k];
    bool is_zero = k > first && index % n == 0;
    if (!is_zero)
      divisor = MIN(divisor, multiply_divisors(k == first || is_pow2(n) ? index : 1, stride));
    index = is_zero ? index / n : 1;
  }
  return divisor;
}

static void divide_part(dividing *x, const ir_op *op) {
  gen *g = x->g;
  const tsr_memory_layout *m = ir_operand(op, 0)->type->memory;
  uint32_t divisor = g->divisors[ir_operand(op, 0)->number];
  unsigned first = 0;
  for (uint32_t i = 1; i < op->n_operands; i++) {
    unsigned end = first + m->dim_modes[i - 1];
    uint32_t index = divisor_of_number(facts_of(g->facts, ir_operand(op, i)).divisor);
    divisor = MIN(divisor, divisor_along(m, first, end, index));
    first = end;
  }
  divides(x, ir_result(op, 0), divisor);
}

static void divide_all(dividing *x, const ir_value *to, const ir_use *from, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) divides(x, &to[i], x->g->divisors[from[i].value->number]);
}

/* What loops and branches hand on. */
static void divide_carried(dividing *x, ir_op *op) {
  uint32_t n;
  ir_op *target;
  switch (op->opcode) {
  case OP_for: {
    const ir_use *first = ir_operand_group(op, 3, &n);
    divide_all(x, ir_region(op, 0)->args + 1, first, n);
    for (uint32_t i = 0; i < n; i++)
      divides(x, &op->results[i], x->g->divisors[ir_region(op, 0)->args[1 + i].number]);
    return;
  }
  case OP_loop: {
    const ir_use *first = ir_operand_group(op, 0, &n);
    divide_all(x, ir_region(op, 0)->args, first, n);
    return;
  }
  case OP_continue:
    target = jump_target(op);
    divide_all(x, ir_region(target, 0)->args + (target->opcode == OP_for), op->operands,
               op->n_operands);
    return;
  case OP_break:
    target = jump_target(op);
    divide_all(x, target->results, op->operands, op->n_operands);
    return;
  case OP_yield:
    if (op->block->parent->opcode == OP_if)
      divide_all(x, op->block->parent->results, op->operands, op->n_operands);
    return;
  default: return;
  }
}

static bool divide_op(void *user, ir_op *op) {
  dividing *x = user;
  if (op->opcode == OP_subview)
    divide_part(x, op);
  else if (op->opcode == OP_permute_view || op->opcode == OP_map_remote)
    divides(x, ir_result(op, 0), x->g->divisors[ir_operand(op, 0)->number]);
  else
    divide_carried(x, op);
  return true;
}

/* The largest that hold, also where loops hand parts on. */
static void find_divisors(gen *g) {
  g->divisors = arena_array(g->arena, uint32_t, MAX(g->n_values, 1));
  for (uint32_t i = 0; i < g->n_values; i++) g->divisors[i] = ANY_DIVISOR;
  dividing x = {.g = g, .changed = true};
  while (x.changed) {
    x.changed = false;
    ir_walk(g->entry, divide_op, &x);
  }
}

bool gpu_place_storage(gen *g) {
  placing p = {.g = g};
  ir_walk(g->entry, find_engine, &p);
  find_divisors(g);
  gpu_find_packed(g);
  bool ok = ir_walk(g->entry, place_op, &p);
  g->scratch_size = MAX(g->scratch_size, g->storage_bytes);
  return ok;
}

/* ---- storage as values ---------------------------------------------------------------------- */

void gpu_alloc_shared(gen *g, ir_op *op) {
  uint32_t at = (uint32_t)*map_get(&g->places_of_storage, (uintptr_t)op);
  gpu_set_storage(g, ir_result(op, 0), k32(g, at), k32(g, 0));
}

/* What an index along a dimension adds to the offset: digit by digit, the fastest last. Digits of
 * what `divisor` divides are 0 as far as that goes. */
static llv add_index(gen *g, llv offset, const tsr_memory_layout *m, unsigned first, unsigned end,
                     llv index, uint32_t divisor) {
  LLVMBuilderRef b = g->e.b;
  for (unsigned k = end; k-- > first;) {
    llv digit = index;
    uint32_t n = (uint32_t)m->size[k];
    bool is_zero = k > first && divisor % n == 0;
    if (k > first) {
      if (!is_zero) digit = LLVMBuildURem(b, index, k32(g, n), "");
      index = LLVMBuildUDiv(b, index, k32(g, n), "");
      divisor = is_zero ? divisor / n : 1;
    }
    if (is_zero) continue;
    offset = fold_add(g, offset, fold_mul(g, digit, k32(g, (uint32_t)m->stride[k])));
  }
  return offset;
}

void gpu_subview(gen *g, ir_op *op) {
  const tsr_memory_layout *m = ir_operand(op, 0)->type->memory;
  const storage_ref *s = value_of(g, ir_operand(op, 0))->storage;
  llv offset = s->offset;
  unsigned first = 0;
  for (uint32_t i = 1; i < op->n_operands; first += m->dim_modes[i++ - 1])
    offset = add_index(g, offset, m, first, first + m->dim_modes[i - 1],
                       gpu_scalar(g, ir_operand(op, i)),
                       divisor_of_number(facts_of(g->facts, ir_operand(op, i)).divisor));
  gpu_set_storage(g, ir_result(op, 0), s->base, offset);
}

void gpu_permute_view(gen *g, ir_op *op) {
  const storage_ref *s = value_of(g, ir_operand(op, 0))->storage;
  gpu_set_storage(g, ir_result(op, 0), s->base, s->offset);
}

/* ---- addresses ------------------------------------------------------------------------------ */

void gpu_part_weights(const ir_type *t, int32_t weight[SIMT_BITS]) {
  const tsr_memory_layout *m = t->memory;
  unsigned bit = 0;
  memset(weight, 0, SIMT_BITS * sizeof *weight);
  for (unsigned k = m->modes; k-- > 0;)
    for (unsigned j = 0; j < simt_log2(m->size[k]); j++)
      weight[bit++] = (int32_t)(m->stride[k] << j);
}

static bool is_among(const int8_t *bits, unsigned n, unsigned bit) {
  for (unsigned j = 0; j < n; j++)
    if (bits[j] == (int8_t)bit) return true;
  return false;
}

unsigned gpu_part_run(const storage_ref *part, const int8_t *bits, unsigned n, unsigned most) {
  int32_t weight[SIMT_BITS];
  const tsr_memory_layout *m = part->type->memory;
  unsigned run = 0, all = simt_tile_bits(part->type);
  gpu_part_weights(part->type, weight);
  while (run < n && run < most && weight[bits[run]] == INT32_C(1) << run) run++;
  for (; run; run--) {
    int32_t size = INT32_C(1) << run;
    bool aligned = part->divisor % (uint32_t)size == 0;
    aligned &= m->swizzle_bits == 0 || m->swizzle_base >= run;
    for (unsigned k = 0; k < all; k++) aligned &= is_among(bits, run, k) || weight[k] % size == 0;
    if (aligned) return run;
  }
  return 0;
}

/* Whether bits of the index add without carries, so that a swizzle of the sum is the exclusive or
 * of swizzles. */
static bool are_disjoint(const int32_t *weight, unsigned n) {
  int32_t seen = 0;
  for (unsigned k = 0; k < n; k++) {
    if (weight[k] & seen) return false;
    seen |= weight[k];
  }
  return true;
}

llv gpu_allocation_start(gen *g, const storage_ref *s) {
  return fold_add(g, LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "shared"), s->base);
}

/* Where so many elements end. */
static llv bytes_of(gen *g, gpu_unit u, llv elements) {
  if (u.shift) elements = LLVMBuildLShr(g->e.b, elements, k32(g, u.shift), "");
  return fold_mul(g, elements, k32(g, u.bytes));
}

static llv part_base(gen *g, const part_place *p) {
  return fold_add(g, p->start, bytes_of(g, p->unit, p->part->offset));
}

static void place_in(gen *g, part_place *p) {
  const storage_ref *part = p->part;
  const tsr_memory_layout *m = part->type->memory;
  unsigned n = simt_tile_bits(part->type);
  gpu_part_weights(part->type, p->weight);
  p->by_sum = m->swizzle_bits == 0;
  p->by_xor = !p->by_sum && part->divisor % (uint64_t)ir_memory_period(m) == 0 &&
              are_disjoint(p->weight, n) && is_pow2(p->unit.bytes);
  if (p->by_xor) {
    for (unsigned k = 0; k < n; k++)
      p->column[k] =
          ((uint32_t)ir_memory_swizzle(m, p->weight[k]) >> p->unit.shift) * p->unit.bytes;
    p->x = gpu_xor_place(g, part_base(g, p), &p->d, p->column);
    return;
  }
  int32_t weight[SIMT_BITS];
  for (unsigned k = 0; k < SIMT_BITS; k++)
    weight[k] = p->by_sum ? (p->weight[k] >> p->unit.shift) * (int32_t)p->unit.bytes : p->weight[k];
  llv sum = gpu_thread_sum(g, &p->d, weight);
  p->thread = fold_add(g, p->by_sum ? part_base(g, p) : part->offset, sum);
}

void gpu_part_place(gen *g, part_place *p, const storage_ref *part, const simt_dist *d) {
  *p = (part_place){.part = part,
                    .d = *d,
                    .unit = gpu_unit_of(g, part->type),
                    .start = gpu_allocation_start(g, part)};
  place_in(g, p);
}

void gpu_part_numbers(gen *g, part_place *p, const storage_ref *part, const simt_dist *d) {
  *p = (part_place){.part = part, .d = *d, .unit = {.bytes = 1}, .start = k32(g, 0)};
  place_in(g, p);
}

/* offset ^ (offset >> shift & mask), as ir_memory_swizzle has it, and the address there. */
static llv swizzled(gen *g, const part_place *p, llv offset) {
  LLVMBuilderRef b = g->e.b;
  const tsr_memory_layout *m = p->part->type->memory;
  uint32_t mask = ((UINT32_C(1) << m->swizzle_bits) - 1) << m->swizzle_base;
  llv moved = LLVMBuildLShr(b, offset, k32(g, m->swizzle_shift), "");
  offset = LLVMBuildXor(b, offset, LLVMBuildAnd(b, moved, k32(g, mask), ""), "");
  return add_of(g, p->start, bytes_of(g, p->unit, offset));
}

llv gpu_part_address(gen *g, part_place *p, uint32_t index, uint32_t *offset) {
  int32_t at = 0;
  if (p->by_xor) return gpu_xor_address(g, &p->x, index, offset);
  for (unsigned k = 0; k < p->d.n; k++)
    if (index >> k & 1) at += p->weight[k];
  *offset = p->by_sum ? ((uint32_t)at >> p->unit.shift) * p->unit.bytes : 0;
  return p->by_sum ? p->thread : swizzled(g, p, add_const(g, p->thread, at));
}

llv gpu_part_pointer(gen *g, part_place *p, uint32_t index) {
  uint32_t offset;
  llv at = to_i64(g, gpu_part_address(g, p, index, &offset));
  return as_ptr(g, add_const(g, at, offset), p->part->type->remote ? SPACE_CLUSTER : SPACE_SHARED);
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* The registers in the order in which most of them are accessed at once; how many those are. */
static simt_dist order_for(const storage_ref *s, const simt_dist *d, unsigned most, unsigned *run) {
  int32_t weight[SIMT_BITS];
  gpu_part_weights(s->type, weight);
  simt_dist sorted = simt_dist_by_weight(d, weight);
  unsigned better = gpu_part_run(s, sorted.reg, sorted.regs, most);
  *run = gpu_part_run(s, d->reg, d->regs, most);
  if (better <= *run) return *d;
  *run = better;
  return sorted;
}

typedef struct access_type {
  LLVMTypeRef one, all;
  unsigned n; /* of `one` in `all` */
} access_type;

/* Of 2^run elements: words where elements fill some, so that they stay as they are. */
static access_type access_type_of(gen *g, tsr_elem elem, unsigned run, bool words) {
  unsigned each = words ? 32 / tsr_elem_bits(elem) : 1;
  access_type t = {.one = words ? g->e.i32 : gpu_memory_type(g, elem), .n = (1u << run) / each};
  t.all = t.n > 1 ? LLVMVectorType(t.one, t.n) : t.one;
  return t;
}

static void load_plain(gen *g, ir_op *op, bool scalar) {
  LLVMBuilderRef b = g->e.b;
  ir_value *v = ir_result(op, 0);
  const storage_ref *s = value_of(g, ir_operand(op, 0))->storage;
  tsr_elem elem = (tsr_elem)v->type->elem;
  unsigned run, bits = tsr_elem_bits(elem);
  simt_dist d = gpu_type_dist(g, v->type);
  d = order_for(s, &d, scalar ? 0 : gpu_widest_part(g, s->type), &run);
  if (gpu_unit_of(g, s->type).shift) {
    gpu_load_packed(g, v, s, &d, run);
    return;
  }
  bool words = (bits == 8 || bits == 16) && bits << run >= 32;
  access_type t = access_type_of(g, elem, run, words);
  part_place p;
  gpu_part_place(g, &p, s, &d);
  llv *r = gpu_registers(g, &d), *next = r;
  for (uint32_t i = 0; i < slots_of(&d); i += 1u << run) {
    llv x = LLVMBuildLoad2(b, t.all, gpu_part_pointer(g, &p, simt_index_of_slot(&d, i)), "");
    LLVMSetAlignment(x, p.unit.bytes << run);
    for (unsigned k = 0; k < t.n; k++) {
      llv part = t.n > 1 ? LLVMBuildExtractElement(b, x, k32(g, k), "") : x;
      *next++ = words ? part : gpu_from_memory(g, elem, part);
    }
  }
  if (words)
    gpu_set_words(g, v, &d, r, 32 / bits);
  else
    gpu_set(g, v, &d, r);
}

void gpu_load_shared(gen *g, ir_op *op) {
  const char *why = NULL;
  int64_t instruction = ir_int_attr(op, ATTR_instruction);
  if (ir_result(op, 0)->type->count == 1 && instruction < INSTRUCTION_LDMATRIX) {
    load_plain(g, op, true);
    return;
  }
  switch (instruction) {
  case INSTRUCTION_LDMATRIX:
  case INSTRUCTION_LDMATRIX_TRANS:
    if (!gpu_load_matrices(g, op, instruction == INSTRUCTION_LDMATRIX_TRANS, &why))
      gpu_unsupported(g, op, why);
    return;
  case INSTRUCTION_AUTO:
    if (!ir_operand(op, 0)->type->remote &&
        (gpu_load_matrices(g, op, false, &why) || gpu_load_matrices(g, op, true, &why)))
      return;
    load_plain(g, op, false);
    return;
  default: load_plain(g, op, instruction == INSTRUCTION_SCALAR);
  }
}

simt_dist gpu_part_order(const gen *g, const storage_ref *part, const simt_dist *d, unsigned *run) {
  return order_for(part, d, gpu_widest_part(g, part->type), run);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* As elements of their own where several lie in a byte in registers, but not here. */
static tile stored_tile(gen *g, ir_value *v, const simt_dist *d) {
  if (tsr_elem_bits((tsr_elem)v->type->elem) < 8) return (tile){.d = *d, .v = gpu_get(g, v, d)};
  return gpu_elements_at(g, v, d);
}

static void store_plain(gen *g, ir_op *op, bool scalar) {
  ir_value *v = ir_operand(op, 0);
  const storage_ref *s = value_of(g, ir_operand(op, 1))->storage;
  tsr_elem elem = (tsr_elem)v->type->elem;
  unsigned run, most = scalar ? 0 : gpu_widest_part(g, s->type);
  simt_dist home = gpu_type_dist(g, v->type), d = order_for(s, &home, most, &run);
  tile t = stored_tile(g, v, &home);
  if (gpu_unit_of(g, s->type).shift) {
    gpu_store_packed(g, &t, s);
    return;
  }
  if (!simt_dist_equal(&home, &d)) t = gpu_reordered(g, &t, &d);
  part_place p;
  gpu_part_place(g, &p, s, &d);
  llblock done = gpu_begin_owner(g, gpu_owner(g, &d));
  for (uint32_t i = 0; i < slots_of(&d); i += 1u << run) {
    llv x = gpu_memory_run(g, elem, &t, i, 1u << run);
    llv at = gpu_part_pointer(g, &p, simt_index_of_slot(&d, i));
    LLVMSetAlignment(LLVMBuildStore(g->e.b, x, at), p.unit.bytes << run);
  }
  if (done) gpu_go(g, done);
}

void gpu_store_shared(gen *g, ir_op *op) {
  const char *why = NULL;
  int64_t instruction = ir_int_attr(op, ATTR_instruction);
  switch (instruction) {
  case INSTRUCTION_STMATRIX:
  case INSTRUCTION_STMATRIX_TRANS:
    if (!gpu_store_matrices(g, op, instruction == INSTRUCTION_STMATRIX_TRANS, &why))
      gpu_unsupported(g, op, why);
    return;
  case INSTRUCTION_AUTO:
    if (!ir_operand(op, 1)->type->remote &&
        (gpu_store_matrices(g, op, false, &why) || gpu_store_matrices(g, op, true, &why)))
      return;
    store_plain(g, op, false);
    return;
  default: store_plain(g, op, instruction == INSTRUCTION_SCALAR);
  }
}
