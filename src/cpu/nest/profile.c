/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels that measure themselves, for `tessera run --profile`. Around each group's nests, products
 * and scans the clock is read, and the time between goes to a counter; what groups inside of it
 * took is left out. What is counted of a group (bytes moved to and from global memory,
 * floating-point operations) is counted here, once, for an execution of the group with all of its
 * elements.
 *
 * A block counts on its stack, and adds that up for all threads when it has ended: atomic additions
 * in between would wait for the stores before them, and be what is measured. The totals lie where
 * the plugin allocated them, and their addresses are in the code: such a kernel is for this process
 * only.
 */
#include "cpu/nest/profile.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/nest/visit.h"

enum {
  MATH_FLOPS = 16, /* an exponential, a logarithm …: about that many additions and products */
  LABEL_OPS = 6,   /* named in a label */
};

/* A measured group, and its counters on the block's stack. */
typedef struct profile_counters {
  cpu_profile_group *group;
  llv ticks, runs;
  llv bytes, flops; /* NULL: an execution has always as many */
} profile_counters;

typedef struct profile_state {
  VEC(profile_counters) counters;
  cpu_profile_group *op; /* of the operation that is being lowered */
  llv inner;             /* i64 on the stack: what groups inside of the present one took */
} profile_state;

static profile_state *state_of(lower *l) {
  if (!l->profiler) l->profiler = arena_new(l->arena, profile_state);
  return l->profiler;
}

static llv ticks(lower *l) {
  const char *clock = l->e.arm ? "llvm.readsteadycounter" : "llvm.readcyclecounter";
  return emit_intrinsic(&l->e, clock, NULL, 0, NULL, 0);
}

/* ---- counting ------------------------------------------------------------------------------- */

typedef struct counts {
  lower *l;
  sbuf label;
  unsigned named;
  op_code seen[LABEL_OPS];
  uint64_t flops, bytes; /* of an execution in which all elements exist, */
  llv absent_bytes;      /* and what of it some lack that have bounds; NULL: nothing */
  const access *widest;  /* with bounds, of most elements; stores before loads; NULL: none */
  llv widest_exist;      /* i64: how many of its elements exist, */
  uint64_t widest_all;   /* of so many */
  map visited;           /* roots of a group share what they need */
} counts;

static void name_op(counts *c, op_code opcode) {
  for (unsigned i = 0; i < MIN(c->named, (unsigned)LABEL_OPS); i++)
    if (c->seen[i] == opcode) return;
  if (c->named < LABEL_OPS) c->seen[c->named] = opcode;
  if (c->named++ == LABEL_OPS) sbuf_puts(&c->label, ", …");
  if (c->named > LABEL_OPS) return;
  sbuf_printf(&c->label, "%s%s", c->label.len ? ", " : "", op_table[opcode].name);
}

static uint64_t flops_of(const ir_op *op) {
  if (ir_row(op)->group != GROUP_FLOAT) return 0;
  switch (op->opcode) {
  case OP_fma: return 2;
  case OP_remf: /* an exact remainder and a power by squaring are */
  case OP_fpowi: /* no polynomials: how many steps they take depends on the operands */ return 1;
  default: return ir_row(op)->cost == COST_EXPENSIVE ? MATH_FLOPS : 1;
  }
}

/* How many different elements the map reaches; with `a`, at different places in memory. */
static uint64_t reached(const index_map *m, const access *a) {
  unsigned bits = 0;
  for (unsigned k = 0; k < m->n; k++) {
    bool repeated = a && a->linear && k < a->n && coef_is_zero(a->stride[k]);
    bits += m->bit[k] >= 0 && !repeated;
  }
  return UINT64_C(1) << bits;
}

/* Along how many bits of the map's index a bound counts; 0: not along all that it is for, and what
 * is left out of the map is the first of them, which exists. */
static unsigned bound_bits(const access_bound *bound, const index_map *m) {
  for (unsigned k = bound->first; k < bound->first + bound->n; k++)
    if (k >= m->n || m->bit[k] < 0) return 0;
  return bound->n;
}

/* How many of the `all` elements that the map reaches exist, by the bounds of the access (i64);
 * NULL: all of them. */
static llv existing(lower *l, const access *a, const index_map *m, uint64_t all) {
  llv n = NULL;
  for (unsigned i = 0; i < a->n_bounds; i++) {
    unsigned bits = bound_bits(&a->bounds[i], m);
    if (!bits) continue;
    n = n ? LLVMBuildLShr(l->e.b, n, k64(l, bits), "") : k64(l, (int64_t)(all >> bits));
    n = LLVMBuildMul(l->e.b, n, a->bounds[i].hi, "");
  }
  if (a->exists)
    n = LLVMBuildSelect(l->e.b, a->exists, n ? n : k64(l, (int64_t)all), k64(l, 0), "");
  if (n && a->forced) n = LLVMBuildSelect(l->e.b, a->forced, k64(l, (int64_t)all), n, "");
  return n;
}

static void count_access(counts *c, const access *a, const index_map *m, bool stores) {
  lower *l = c->l;
  uint64_t all = reached(m, a), bits = access_elem_bits(a);
  c->bytes += all * bits / 8;
  llv exist = existing(l, a, m, all);
  if (!exist) return;
  llv absent = LLVMBuildSub(l->e.b, k64(l, (int64_t)all), exist, "");
  absent = LLVMBuildMul(l->e.b, absent, k64(l, (int64_t)bits), "");
  absent = LLVMBuildLShr(l->e.b, absent, k64(l, 3), "");
  c->absent_bytes = c->absent_bytes ? LLVMBuildAdd(l->e.b, c->absent_bytes, absent, "") : absent;
  if (c->widest && !stores && c->widest_all >= all) return;
  c->widest = a;
  c->widest_exist = exist;
  c->widest_all = all;
}

/* What an execution's operations are fewer by, since elements that do not exist are not computed
 * (i64); NULL: nothing. */
static llv absent_flops(const counts *c) {
  if (!c->widest || !c->flops) return NULL;
  lower *l = c->l;
  llv absent = LLVMBuildSub(l->e.b, k64(l, (int64_t)c->widest_all), c->widest_exist, "");
  absent = LLVMBuildMul(l->e.b, absent, k64(l, (int64_t)c->flops), "");
  return LLVMBuildUDiv(l->e.b, absent, k64(l, (int64_t)c->widest_all), "");
}

static bool count_value(void *user, ir_value *v, const index_map *m) {
  counts *c = user;
  value *x = value_of(c->l, v);
  if (x->kind != VALUE_LAZY && !(x->kind == VALUE_BUFFER && x->lazy)) return true;
  uintptr_t *visited = map_put(c->l->arena, &c->visited, hash_mix(map_hash(m), v->number));
  if ((*visited)++) return true;
  ir_op *op = ir_defining_op(v);
  if (x->load) {
    name_op(c, (op_code)op->opcode);
    if (!x->load->memory) count_access(c, x->load, m, false);
  } else if (op && ir_row(op)->traits & TRAIT_ELEMENTWISE && !x->linear) {
    name_op(c, (op_code)op->opcode);
    c->flops += flops_of(op) * reached(m, NULL);
  }
  return true;
}

/* Every element of the left operand meets a row of the right one. */
static uint64_t product_flops(const ir_op *op) {
  const ir_type *a = ir_operand(op, 0)->type, *c = ir_operand(op, 2)->type;
  return 2 * (uint64_t)a->count * (uint64_t)c->shape[c->rank - 1];
}

static void count_root(counts *c, const root *r) {
  if (r->kind == ROOT_MATERIALISE) return;
  name_op(c, (op_code)r->op->opcode);
  if (r->kind == ROOT_STORE) {
    index_map m = map_identity(tile_bits(r->value->type));
    count_access(c, r->access, &m, true);
    return;
  }
  if (r->kind == ROOT_PRODUCT) {
    c->flops += product_flops(r->op);
    return;
  }
  uint64_t each = 0, elements = (uint64_t)ir_operand(r->op, 0)->type->count;
  for (ir_op *op = ir_region(r->op, 0)->first; op; op = op->next) {
    each += flops_of(op);
    if (op->opcode != OP_yield) name_op(c, (op_code)op->opcode);
  }
  c->flops += each * elements;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static cpu_profile_group *new_group(lower *l, const ir_op *op) {
  cpu_profile_group *g = ctx_alloc(l->ctx, sizeof *g);
  *g = (cpu_profile_group){.line = op ? ir_place(l->m, op->loc).line : 0};
  cpu_profile_group **end = l->profile;
  while (*end) end = &(*end)->next;
  *end = g;
  return g;
}

static void set_label(cpu_profile_group *g, const char *text) {
  size_t length = MIN(strlen(text), sizeof g->label - 1);
  memcpy(g->label, text, length);
  g->label[length] = 0;
}

/* An i64 of the block's own, 0 at its start. */
static llv counter(lower *l) {
  llv c = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->start_builder, k64(l, 0), c);
  return c;
}

static void add_to(lower *l, llv counter, llv by) {
  llv sum = LLVMBuildAdd(l->e.b, LLVMBuildLoad2(l->e.b, l->e.i64, counter, ""), by, "");
  LLVMBuildStore(l->e.b, sum, counter);
}

/* Adds up `by`, of each execution, in a counter of its own. */
static llv sum_of(lower *l, llv by) {
  if (!by) return NULL;
  llv sum = counter(l);
  add_to(l, sum, by);
  return sum;
}

static profile_span begin(lower *l, cpu_profile_group *g) {
  LLVMBuilderRef b = l->e.b;
  profile_span s = {.ticks = counter(l), .runs = counter(l)};
  profile_state *p = state_of(l);
  vec_push(l->arena, p->counters, (profile_counters){.group = g, .ticks = s.ticks, .runs = s.runs});
  if (!p->inner) p->inner = counter(l);
  s.outer = LLVMBuildLoad2(b, l->e.i64, p->inner, "");
  LLVMBuildStore(b, k64(l, 0), p->inner);
  s.start = ticks(l);
  return s;
}

void profile_end(lower *l, const profile_span *s) {
  if (s->ticks) profile_end_work(l, s, k64(l, 1));
}

void profile_end_work(lower *l, const profile_span *s, llv times) {
  if (!s->ticks) return;
  LLVMBuilderRef b = l->e.b;
  llv took = LLVMBuildSub(b, ticks(l), s->start, "");
  llv inner = LLVMBuildLoad2(b, l->e.i64, l->profiler->inner, "");
  add_to(l, s->ticks, LLVMBuildSub(b, took, inner, ""));
  add_to(l, s->runs, times);
  LLVMBuildStore(b, LLVMBuildAdd(b, s->outer, took, ""), l->profiler->inner);
}

static void publish(lower *l, uint64_t *total, llv counter) {
  llv at = as_ptr(l, k64(l, (int64_t)(intptr_t)total));
  llv by = LLVMBuildLoad2(l->e.b, l->e.i64, counter, "");
  LLVMBuildAtomicRMW(l->e.b, LLVMAtomicRMWBinOpAdd, at, by, LLVMAtomicOrderingMonotonic, 0);
}

void profile_end_block(lower *l, const profile_span *s) {
  profile_end(l, s);
  if (!l->profiler) return;
  for (uint32_t i = 0; i < l->profiler->counters.len; i++) {
    const profile_counters *c = &l->profiler->counters.data[i];
    publish(l, &c->group->ticks, c->ticks);
    publish(l, &c->group->runs, c->runs);
    if (c->bytes) publish(l, &c->group->absent_bytes, c->bytes);
    if (c->flops) publish(l, &c->group->absent_flops, c->flops);
  }
}

profile_span profile_begin_block(lower *l) {
  if (!l->options->profile) return (profile_span){0};
  cpu_profile_group *g = new_group(l, NULL);
  set_label(g, "between groups");
  return begin(l, g);
}

profile_span profile_begin_group(lower *l, const group *g) {
  if (!l->options->profile) return (profile_span){0};
  counts c = {.l = l, .label = SBUF(l->arena)};
  visit_group(l, g, count_value, &c);
  for (unsigned i = 0; i < g->n_roots; i++) count_root(&c, &g->roots[i]);
  const root *r = &g->roots[0];
  cpu_profile_group *p = new_group(l, r->op ? r->op : ir_defining_op(r->value));
  set_label(p, c.label.data ? c.label.data : "copy");
  p->flops = c.flops;
  p->bytes = c.bytes;
  llv bytes = sum_of(l, c.absent_bytes), flops = sum_of(l, absent_flops(&c));
  profile_span s = begin(l, p);
  profile_counters *counters = &l->profiler->counters.data[l->profiler->counters.len - 1];
  counters->bytes = bytes;
  counters->flops = flops;
  return s;
}

/* A product or a scan: its label, and what it does. */
static cpu_profile_group *measured_op(lower *l, ir_op *op) {
  cpu_profile_group *g = new_group(l, op);
  set_label(g, ir_row(op)->name);
  if (op->opcode == OP_scan) {
    g->flops = (uint64_t)ir_operand(op, 0)->type->count;
  } else {
    g->flops = product_flops(op);
  }
  return g;
}

profile_span profile_begin_op(lower *l, ir_op *op) {
  if (!l->options->profile) return (profile_span){0};
  cpu_profile_group *g = state_of(l)->op = measured_op(l, op);
  return begin(l, g);
}

void profile_put_off(lower *l) {
  if (!l->options->profile) return;
  l->profiler->op->flops = 0;
  set_label(l->profiler->op, "operands of a product");
}

profile_span profile_begin_work(lower *l, ir_op *op) {
  if (!l->options->profile) return (profile_span){0};
  return begin(l, measured_op(l, op));
}
