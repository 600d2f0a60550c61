/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Gathers. Each lane takes a load of its own, so two gathers of neighbours take twice as many as
 * one: an element of twice the width has both. That they are neighbours in memory is tested for all
 * lanes at once, as an index may wrap, and so is whether all lanes exist: but for the last vector
 * of a row they do, and where they do there are no masks to take apart into lanes.
 */
#include "cpu/nest/gather.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/memo.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/vectors.h"
#include "cpu/nest/visit.h"

enum {
  MAX_GATHERS = 16,
  PAIR_BITS = 32, /* of an element: processors gather 32 and 64 bits */
  DEPTH = 12,     /* of the expressions that are compared */
};

/* Two loads, the second of the elements behind those of the first. */
typedef struct gather_pair {
  const access *of[2];
} gather_pair;

struct gather_pairs {
  gather_pair pair[MAX_GATHERS / 2];
  unsigned n;
};

/* ---- which pairs there are ------------------------------------------------------------------ */

/* What a number that is the same for all elements is added to, and the number; 0: the value itself.
 */
static const ir_value *without_number(const ir_value *v, int64_t *number) {
  const ir_op *op = ir_defining_op(v);
  *number = 0;
  if (!op || op->opcode != OP_addi) return v;
  const ir_value *one = plan_uniform(ir_operand(op, 1));
  const ir_op *by = one ? ir_defining_op(one) : NULL;
  if (!by || by->opcode != OP_constant) return v;
  unsigned unused = 64 - tsr_elem_bits((tsr_elem)one->type->elem);
  *number = (int64_t)(ir_dense_get(ir_get_attr(by, ATTR_value)->dense, 0) << unused) >> unused;
  return ir_operand(op, 0);
}

/* Where the expressions of two indices part: the second is the first and one more there, unless it
 * wraps. */
typedef struct parting {
  ir_value *low, *high;
  bool widened, is_signed; /* with this sign since; else nothing that wraps matters */
  index_map m;             /* of both */
} parting;

/* The operand in which two operations differ; n_operands: there is none, or more than one. */
static uint32_t differing_operand(const ir_op *a, const ir_op *b) {
  uint32_t which = a->n_operands;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    if (ir_operand(a, i) == ir_operand(b, i)) continue;
    if (which < a->n_operands) return a->n_operands;
    which = i;
  }
  return which;
}

/* Takes both expressions one operation down; false: they have nothing in common there. */
static bool go_down(parting *x) {
  const ir_op *a = ir_defining_op(x->low), *b = ir_defining_op(x->high);
  if (!a || !b || a->opcode != b->opcode || a->n_operands != b->n_operands) return false;
  uint32_t k = differing_operand(a, b);
  if (k == a->n_operands || ir_operand(a, k)->type != ir_operand(b, k)->type) return false;
  switch (a->opcode) {
  case OP_addi: break;
  case OP_exti:
    if (ir_int_attr(a, ATTR_signedness) != ir_int_attr(b, ATTR_signedness)) return false;
    x->widened = true;
    x->is_signed = ir_int_attr(a, ATTR_signedness) == SIGN_SIGNED;
    break;
  case OP_offset:
    if (k == 1 && tsr_elem_bits((tsr_elem)ir_operand(a, 1)->type->elem) < 64)
      x->widened = x->is_signed = true;
    break;
  case OP_broadcast:
  case OP_reshape:
  case OP_assume: x->m = map_through(a, &x->m); break;
  default: return false;
  }
  x->low = ir_operand(a, k);
  x->high = ir_operand(b, k);
  return true;
}

/* False where the second load isn't that of the elements behind the first's. */
static bool find_parting(const access *first, const access *second, const index_map *m,
                         parting *out) {
  *out = (parting){.low = first->pointers, .high = second->pointers, .m = *m};
  for (unsigned depth = 0; depth < DEPTH; depth++) {
    int64_t x, y;
    if (without_number(out->low, &x) == without_number(out->high, &y)) return y - x == 1;
    if (!go_down(out)) return false;
  }
  return false;
}

/* Gathers and the index maps that they are evaluated at. */
typedef struct gathers {
  lower *l;
  unsigned n;
  struct {
    const access *a;
    index_map m;
    bool taken;
  } of[MAX_GATHERS];
} gathers;

static bool note_gather(void *user, ir_value *v, const index_map *m) {
  gathers *x = user;
  const value *y = value_of(x->l, v);
  const access *a = value_is_load(y) ? y->load : NULL;
  if (!a || !a->pointers || a->linear || a->index || a->memory || m->conservative ||
      (a->elem != TSR_F32 && a->elem != TSR_I32) || x->n == MAX_GATHERS)
    return true;
  for (unsigned i = 0; i < x->n; i++)
    if (x->of[i].a == a) return true;
  x->of[x->n].a = a;
  x->of[x->n++].m = *m;
  return true;
}

/* Is number k the gather of the elements behind those of number i? */
static bool is_behind(const gathers *x, unsigned i, unsigned k) {
  parting p;
  return i != k && !x->of[i].taken && !x->of[k].taken && x->of[k].a->elem == x->of[i].a->elem &&
         map_equal(&x->of[k].m, &x->of[i].m) &&
         find_parting(x->of[i].a, x->of[k].a, &x->of[i].m, &p);
}

/* Of a row of neighbours the lowest two are the first pair. */
static bool take_pair(gathers *x, struct gather_pairs *out) {
  for (unsigned i = 0; i < x->n; i++) {
    unsigned before = 0, behind = 0;
    while (before < x->n && !is_behind(x, before, i)) before++;
    while (behind < x->n && !is_behind(x, i, behind)) behind++;
    if (before < x->n || behind == x->n) continue;
    x->of[i].taken = x->of[behind].taken = true;
    out->pair[out->n++] = (gather_pair){{x->of[i].a, x->of[behind].a}};
    return true;
  }
  return false;
}

void gather_find_pairs(nest *n, const group *g) {
  lower *l = n->l;
  gathers x = {.l = l};
  if (l->seldom || l->e.arm || l->e.isa.level < CPU_AVX2 || !is_on(l, PATTERN_GATHER_PAIR)) return;
  visit_group(l, g, note_gather, &x);
  if (x.n < 2) return;
  struct gather_pairs *found = arena_new(l->arena, struct gather_pairs);
  *found = (struct gather_pairs){0};
  while (take_pair(&x, found)) {
  }
  n->pairs = found;
}

static const gather_pair *pair_of(const nest *n, const access *a) {
  for (unsigned i = 0; n->pairs && i < n->pairs->n; i++)
    if (n->pairs->pair[i].of[0] == a || n->pairs->pair[i].of[1] == a) return &n->pairs->pair[i];
  return NULL;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* One load of those that are gathered together: addresses, and which lanes exist. */
typedef struct lanes_to_load {
  llv at, mask, pad; /* mask: NULL: all exist */
} lanes_to_load;

/* An i1: is it true of all lanes? What is and'ed is asked for each part, so that what is one number
 * for all lanes stays one. */
static llv all_lanes(lower *l, llv mask) {
  if (!mask) return NULL;
  if (LLVMIsAInstruction(mask) && LLVMGetInstructionOpcode(mask) == LLVMAnd)
    return fold_and(l, all_lanes(l, LLVMGetOperand(mask, 0)),
                    all_lanes(l, LLVMGetOperand(mask, 1)));
  if (emit_lanes(mask) == 1) return mask;
  llv one = LLVMIsAShuffleVectorInst(mask) ? LLVMGetOperand(mask, 0) : NULL;
  if (one && LLVMIsAInsertElementInst(one) && LLVMIsUndef(LLVMGetOperand(one, 0)))
    return LLVMGetOperand(one, 1);
  return lanes_all(l, mask);
}

/* An i1: are the second load's lanes neighbours of the first's? NULL: always. */
static llv are_neighbours(nest *n, const gather_pair *p, const index_map *m) {
  lower *l = n->l;
  parting x;
  if (!find_parting(p->of[0], p->of[1], m, &x) || !x.widened) return NULL;
  lane_value low = gen(n, x.low, &x.m), high = gen(n, x.high, &x.m);
  nest_place_level(n, n->n_levels - 1);
  unsigned lanes = MAX(emit_lanes(low.v), emit_lanes(high.v));
  if (emit_lanes(low.v) < lanes) low.v = emit_splat(&l->e, low.v, lanes);
  if (emit_lanes(high.v) < lanes) high.v = emit_splat(&l->e, high.v, lanes);
  return all_lanes(l,
                   LLVMBuildICmp(l->e.b, x.is_signed ? LLVMIntSGT : LLVMIntUGT, high.v, low.v, ""));
}

/* Every other element, from the first or the second on. */
static llv every_other(lower *l, llv both, unsigned from) {
  unsigned lanes = emit_lanes(both) / 2;
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < lanes; i++) pick[i] = LLVMConstInt(l->e.i32, 2 * i + from, 0);
  return LLVMBuildShuffleVector(l->e.b, both, LLVMGetPoison(LLVMTypeOf(both)),
                                LLVMConstVector(pick, lanes), "");
}

static llv load_some(lower *l, LLVMTypeRef elem, const lanes_to_load *x) {
  llv v = lanes_gather(l, elem, x->at, x->mask);
  return x->mask && x->pad ? LLVMBuildSelect(l->e.b, x->mask, v, x->pad, "") : v;
}

/* All lanes of one load, or of two loads of neighbours. */
static void load_all(lower *l, LLVMTypeRef elem, const lanes_to_load *x, unsigned count, llv *v) {
  if (count == 1) {
    v[0] = lanes_gather(l, elem, x->at, NULL);
    return;
  }
  LLVMTypeRef type = LLVMVectorType(elem, 2 * emit_lanes(x->at));
  llv both = LLVMBuildBitCast(l->e.b, lanes_gather(l, l->e.i64, x->at, NULL), type, "");
  for (unsigned k = 0; k < 2; k++) v[k] = every_other(l, both, k);
}

/* Where `whole` (NULL: always) all of them, elsewhere each with its mask. */
static void load_versions(nest *n, LLVMTypeRef elem, const lanes_to_load *x, unsigned count,
                          llv whole, llv *v) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  llblock all, some;
  llv rest[2];
  if (!whole) {
    load_all(l, elem, x, count, v);
    return;
  }
  nest_fork(n, whole, &all, &some);
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(all));
  load_all(l, elem, x, count, v);
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(some));
  for (unsigned k = 0; k < count; k++) rest[k] = load_some(l, elem, &x[k]);
  nest_place_level(n, n->n_levels - 1);
  for (unsigned k = 0; k < count; k++) {
    llv phi = LLVMBuildPhi(b, LLVMTypeOf(v[k]), "");
    LLVMAddIncoming(phi, (llv[]){v[k], rest[k]}, (llblock[]){all, some}, 2);
    v[k] = phi;
  }
}

static lanes_to_load lanes_of(nest *n, const location *w, lane_value mask, lane_value pad) {
  emit *e = &n->l->e;
  unsigned lanes = nest_lane_count(n);
  lanes_to_load r = {.at = w->vector, .mask = location_mask(n, mask.v), .pad = pad.v};
  if (r.pad && emit_lanes(r.pad) < lanes) r.pad = emit_splat(e, r.pad, lanes);
  return r;
}

bool gather_load(nest *n, const access *a, const index_map *m, location *w, lane_value mask,
                 lane_value pad, llv *out) {
  lower *l = n->l;
  const gather_pair *p = pair_of(n, a);
  unsigned last = n->n_levels - 1, which = p && p->of[1] == a, count = 1;
  bool masked = mask.v && l->e.isa.level < CPU_AVX512 && !l->e.arm && !l->seldom;
  if ((a->elem != TSR_F32 && a->elem != TSR_I32) || !w->vector || w->level != last || last == 0 ||
      nest_lane_count(n) < 2 || (!p && !masked))
    return false;
  const lane_value *known = p ? memo_find(n, &p->of[which], m) : NULL;
  if (known) {
    *out = known->v;
    return true;
  }
  lanes_to_load x[2] = {lanes_of(n, w, mask, pad)};
  llv whole = all_lanes(l, x[0].mask), v[2];
  if (p) {
    location there;
    lane_value other_mask, other_pad;
    gen_load_place(n, p->of[1 - which], m, &there, &other_mask, &other_pad);
    if (!there.vector) return false;
    nest_place_level(n, last);
    x[1] = x[0];
    x[1 - which] = lanes_of(n, &there, other_mask, other_pad);
    whole = fold_and(l, whole, all_lanes(l, x[1 - which].mask));
    whole = fold_and(l, whole, are_neighbours(n, p, m));
    count = 2;
    NOTE_MATCH(l, GATHER_PAIR, .op = a->op);
  }
  nest_place_level(n, last);
  LLVMTypeRef elem = emit_storage_type(&l->e, a->elem);
  load_versions(n, elem, x, count, whole, v);
  if (p) memo_put(n, &p->of[1 - which], m, (lane_value){.v = v[1 - which], .level = last});
  *out = v[which];
  return true;
}
