/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tile in the layout that is asked for. What is held is taken or converted; an expression is
 * computed by each thread for the elements that it needs, once for each layout and region that asks
 * for it.
 */
#include "ir/block/layouts.h"
#include "simt/block/internal.h"

const ir_type *emission_type(emission *x, const ir_type *t, const simt_dist *d) {
  tsr_layout l;
  if (t->kind != IR_TILE || t->rank == 0) return t;
  if (!simt_dist_layout(&l, d, t)) return t; /* the verifier says what it lacks */
  return ir_with_layout(x->m, t, ir_layout(x->m, &l));
}

simt_dist emission_dist(const emission *x, const ir_value *v) {
  const simt_value *planned = simt_value_of(x->p, v);
  if (planned->home == SIMT_HELD || planned->rank) return planned->dist;
  return simt_default_dist(x->p, v->type);
}

ir_value *emission_only(emission *x, const ir_value *v) {
  return map_ptr(&x->home.values, v);
}

ir_value *emission_convert(emission *x, ir_value *now, const ir_type *t) {
  return now->type == t ? now : emission_make(x, OP_convert_layout, t, 1, &now);
}

/* ---- what was made before ------------------------------------------------------------------- */

static ir_value *find(const emission *x, const ir_value *v, const simt_dist *d) {
  for (uint32_t at = x->last[v->number]; at; at = x->made.data[at - 1].before)
    if (simt_dist_equal(&x->made.data[at - 1].d, d)) return x->made.data[at - 1].now;
  return NULL;
}

static void remember(emission *x, const ir_value *v, const simt_dist *d, ir_value *now) {
  uint32_t *last = &x->last[v->number];
  vec_push(x->arena, x->made, (block_made){.v = v, .d = *d, .now = now, .before = *last});
  *last = x->made.len;
}

void emission_forget(emission *x, uint32_t mark) {
  while (x->made.len > mark) {
    const block_made *entry = &x->made.data[--x->made.len];
    x->last[entry->v->number] = entry->before;
  }
}

/* ---- expressions ---------------------------------------------------------------------------- */

static ir_value *constant(emission *x, const ir_op *op, const ir_type *t) {
  const ir_dense *from = ir_get_attr(op, ATTR_value)->dense;
  ir_dense *to = arena_new(&x->m->arena, ir_dense);
  *to = *from;
  to->type = t;
  ir_value *v = emission_make(x, OP_constant, t, 0, NULL);
  ir_set_attr(v->owner.op, ATTR_value, (ir_attr){.dense = to});
  return v;
}

static ir_value *index_map(emission *x, const ir_op *op, const simt_dist *d) {
  simt_map m = simt_map_of(op);
  simt_dist from = simt_dist_back(d, &m);
  return ir_result(emission_clone(x, op, &from, d), 0);
}

static ir_value *expression(emission *x, const ir_op *op, const simt_dist *d) {
  ir_value *v;
  const ir_type *t = emission_type(x, ir_result(op, 0)->type, d);
  switch (op->opcode) {
  case OP_constant: v = constant(x, op, t); break;
  case OP_iota: v = emission_make(x, OP_iota, t, 0, NULL); break;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: v = index_map(x, op, d); break;
  default: v = ir_result(emission_clone(x, op, d, d), 0); break;
  }
  v->name = ir_result(op, 0)->name;
  return v;
}

/* A load that happens where it is wanted. */
static ir_value *deferred(emission *x, const ir_value *v, const simt_dist *d) {
  emission_load(x, ir_defining_op(v));
  return emission_get(x, v, d);
}

/* ---- asking --------------------------------------------------------------------------------- */

ir_value *emission_get(emission *x, const ir_value *v, const simt_dist *d) {
  const simt_value *planned = simt_value_of(x->p, v);
  ir_value *home = emission_only(x, v);
  bool held = planned->home == SIMT_HELD && home;
  if (held && (d->n == 0 || simt_dist_equal(&planned->dist, d))) return home;
  ir_value *now = find(x, v, d);
  if (now) return now;
  if (held)
    now = emission_convert(x, home, emission_type(x, v->type, d));
  else if (planned->home == SIMT_HELD && map_ptr(&x->staged, ir_defining_op(v)))
    now = emission_from_stage(x, v, d);
  else if (planned->home == SIMT_HELD)
    return deferred(x, v, d);
  else
    now = expression(x, ir_defining_op(v), d);
  remember(x, v, d, now);
  return now;
}

ir_value *emission_home(emission *x, const ir_value *v, simt_dist *d) {
  simt_dist home = emission_dist(x, v);
  if (d) *d = home;
  return emission_get(x, v, &home);
}
