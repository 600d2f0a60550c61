/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From the values of a problem to its tensors, choices, launches and kernels.
 */
#include <ctype.h>
#include <stdio.h>

#include <tessera/opt.h>

#include "num/num.h"
#include "ops/emit.h"

/* ---- operands -------------------------------------------------------------------------------- */

ops_operand *ops_operand_add(ops_operands *list, const char *name, ops_type type, tsr_op_use use) {
  ops_operand *o = &list->data[list->count < OPS_MAX_OPERANDS ? list->count++ : 0];
  *o = (ops_operand){.name = name, .type = type, .use = (uint8_t)use};
  return o;
}

void ops_operand_dim(ops_operand *o, int64_t size, int64_t stride) {
  o->shape[o->rank] = size;
  o->strides[o->rank++] = stride;
}

const ops_operand *ops_operand_find(const ops_operands *list, const char *name) {
  for (unsigned i = 0; i < list->count; i++)
    if (strcmp(list->data[i].name, name) == 0) return &list->data[i];
  return NULL;
}

int64_t ops_operand_elements(const ops_operand *o) {
  int64_t n = 1;
  for (unsigned d = 0; d < o->rank; d++)
    if (__builtin_mul_overflow(n, o->shape[d], &n)) return -1;
  return n;
}

int64_t ops_operand_span(const ops_operand *o) {
  int64_t last = 0, along;
  for (unsigned d = 0; d < o->rank; d++) {
    if (o->shape[d] == 0) return 0;
    if (__builtin_mul_overflow(o->shape[d] - 1, o->strides[d], &along) ||
        __builtin_add_overflow(last, along, &last) || last >= INT64_C(1) << 60)
      return -1;
  }
  return last + 1;
}

size_t ops_operand_bytes(const ops_operand *o) {
  return tsr_elem_storage(ops_type_elem(o->type), (size_t)ops_operand_span(o));
}

/* The next larger stride of a dimension with more than one element; rank when there is none. */
static unsigned next_dim(const ops_operand *o, uint32_t done) {
  unsigned best = o->rank;
  for (unsigned d = 0; d < o->rank; d++)
    if (!(done >> d & 1) && o->shape[d] > 1 &&
        (best == o->rank || o->strides[d] < o->strides[best]))
      best = d;
  return best;
}

/* Whether no two elements of a tensor lie at the same place: from the smallest stride on, each is
 * beyond all that the dimensions before reach. */
static bool is_injective(const ops_operand *o) {
  int64_t reach = 0;
  uint32_t done = 0;
  for (unsigned d; (d = next_dim(o, done)) < o->rank; done |= 1u << d) {
    if (o->strides[d] <= reach) return false;
    reach += (o->shape[d] - 1) * o->strides[d];
  }
  return true;
}

static bool check_operand(const ops_operand *o, ops_why *why) {
  int64_t span = ops_operand_span(o);
  if (span < 0)
    return ops_refuse(
        why, "%s would reach over 2^60 elements or more; give smaller sizes or strides", o->name);
  if (o->use != TSR_OP_READ && span && !is_injective(o))
    return ops_refuse(why,
                      "elements of %s would lie in the same place; give strides, of which each is "
                      "larger than what the smaller ones reach",
                      o->name);
  return true;
}

static bool is_large(const ops_operand *o) {
  for (unsigned d = 0; d < o->rank; d++)
    if (o->shape[d] > INT32_MAX || o->strides[d] > INT32_MAX) return true;
  return false;
}

bool ops_is_wide(const ops_problem *p) {
  return p->values[p->family->index].i == 1;
}

static bool check_operands(ops_problem *p, const ops_operands *operands, ops_why *why) {
  for (unsigned i = 0; i < operands->count; i++) {
    if (!check_operand(&operands->data[i], why)) return false;
    if (is_large(&operands->data[i])) p->values[p->family->index].i = 1;
  }
  return true;
}

bool ops_problem_settle(ops_problem *p, ops_operands *operands, ops_why *why) {
  *operands = (ops_operands){0};
  if (!p->family->settle(p, why)) return false;
  p->family->operands(p, operands);
  return check_operands(p, operands, why);
}

double ops_problem_bytes(const ops_problem *p, const ops_operands *operands) {
  double bytes = 0;
  if (p->family->bytes) return p->family->bytes(p, operands);
  for (unsigned i = 0; i < operands->count; i++) {
    const ops_operand *o = &operands->data[i];
    double elements = (double)MIN(ops_operand_elements(o), ops_operand_span(o));
    bytes += elements * ops_type_bytes(o->type) * (o->use == TSR_OP_UPDATED ? 2 : 1);
  }
  return bytes;
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool same_choices(const ops_problem *a, const ops_problem *b) {
  for (unsigned i = 0; i < a->family->n_params; i++)
    if (a->family->params[i].role == TSR_OP_CHOICE &&
        !ops_value_same(&a->family->params[i], &a->values[i], &b->values[i]))
      return false;
  return true;
}

void ops_candidates_add(ops_candidates *out, const int64_t *values) {
  ops_problem p = *out->problem;
  for (unsigned i = 0; i < p.family->n_params; i++) {
    const ops_param *param = &p.family->params[i];
    if (param->role != TSR_OP_CHOICE || param->kind != TSR_OP_INTEGER || !param->words) continue;
    if (p.values[i].i == OPS_WORD) p.values[i].i = *values;
    values++;
  }
  for (uint32_t i = 0; i < out->list.len; i++)
    if (same_choices(&out->list.data[i], &p)) return;
  vec_push(p.arena, out->list, p);
}

void ops_problem_candidates(const ops_problem *p, const ops_target *t, ops_candidates *out) {
  *out = (ops_candidates){.problem = p};
  p->family->candidates(t, out);
}

bool ops_problem_choose(ops_problem *p, const ops_target *t, ops_why *why) {
  ops_candidates all;
  const ops_problem *best = NULL;
  double best_ms = 0;
  ops_why last;
  ops_problem_candidates(p, t, &all);
  for (uint32_t i = 0; i < all.list.len; i++) {
    const ops_problem *c = &all.list.data[i];
    if (!p->family->supported(c, t, best ? &last : why)) continue;
    double ms = p->family->cost(c, t);
    if (!best || ms < best_ms) best = c, best_ms = ms;
  }
  if (best) *p = *best;
  return best != NULL;
}

bool ops_check_power(const ops_problem *p, unsigned param, ops_why *why) {
  int64_t v = p->values[param].i;
  if (v > 0 && (v & (v - 1)) == 0) return true;
  return ops_refuse(why, "%s=%lld is no power of two; give 16, 32, 64 or another",
                    p->family->params[param].name, (long long)v);
}

/* ---- steps ----------------------------------------------------------------------------------- */

ops_step *ops_step_add(ops_steps *steps, const char *kernel, int64_t x, int64_t y, int64_t z) {
  ops_step *s = &steps->data[steps->count++];
  *s = (ops_step){.kernel = kernel, .grid = {(uint32_t)x, (uint32_t)y, (uint32_t)z}};
  return s;
}

static ops_pass *add_pass(ops_step *s, const char *name, ops_pass_kind kind, tsr_elem elem) {
  ops_pass *pass = &s->passes[s->n_passes < OPS_MAX_PASSES ? s->n_passes++ : 0];
  *pass = (ops_pass){.name = name, .kind = (uint8_t)kind, .elem = elem};
  return pass;
}

void ops_pass_tensor(ops_steps *steps, ops_step *s, const char *name) {
  unsigned i = 0;
  while (strcmp(steps->operands->data[i].name, name) != 0) i++;
  tsr_elem elem = ops_pointee(steps->operands->data[i].type);
  add_pass(s, name, OPS_PASS_TENSOR, elem)->operand = i;
}

/* A pass, of this step or an earlier one, of the same memory. */
static const ops_pass *earlier_pass(const ops_steps *steps, const char *memory) {
  for (unsigned s = 0; s < steps->count; s++)
    for (unsigned i = 0; i < steps->data[s].n_passes; i++) {
      const ops_pass *pass = &steps->data[s].passes[i];
      if (pass->kind == OPS_PASS_WORKSPACE && strcmp(pass->memory, memory) == 0) return pass;
    }
  return NULL;
}

enum { WORKSPACE_ALIGNMENT = 64 };

uint64_t ops_workspace_place(ops_steps *steps, const char *memory, size_t bytes) {
  const ops_pass *earlier = earlier_pass(steps, memory);
  uint64_t at = earlier ? earlier->bits : steps->workspace;
  if (earlier) return at;
  steps->workspace += (bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
  return at;
}

void ops_pass_workspace(ops_steps *steps, ops_step *s, const char *name, tsr_elem elem,
                        int64_t count) {
  uint64_t at = ops_workspace_place(steps, name, tsr_elem_storage(elem, (size_t)count));
  ops_pass *pass = add_pass(s, name, OPS_PASS_WORKSPACE, elem);
  pass->memory = name;
  pass->bits = at;
}

void ops_pass_index(ops_steps *steps, ops_step *s, const char *name, int64_t value) {
  bool wide = ops_is_wide(steps->problem);
  ops_pass *pass = add_pass(s, name, OPS_PASS_SCALAR, wide ? TSR_I64 : TSR_I32);
  pass->bits = wide ? (uint64_t)value : (uint32_t)value;
}

void ops_pass_word(ops_step *s, const char *name, int64_t value) {
  add_pass(s, name, OPS_PASS_SCALAR, TSR_I32)->bits = (uint32_t)value;
}

void ops_pass_real(ops_step *s, const char *name, tsr_elem elem, double value) {
  add_pass(s, name, OPS_PASS_SCALAR, elem)->bits =
      num_encode(num_format_of(elem), value, NUM_NEAREST_EVEN);
}

void ops_problem_steps(const ops_problem *p, const ops_operands *operands, ops_steps *out) {
  out->count = 0;
  out->workspace = 0;
  out->problem = p;
  out->operands = operands;
  p->family->steps(p, out);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* What a name of an entry may consist of. */
static char entry_letter(char c) {
  return isalnum((unsigned char)c) || c == '.' || c == '-' ? c : '_';
}

/* The instance's name and the step's, as far as people read them. */
void ops_kernel_name(const ops_problem *p, const ops_step *s, sbuf *out) {
  enum { NAME_MAX_LENGTH = 200 };
  size_t begin = out->len;
  ops_problem_print(p, false, out);
  if (out->len - begin > NAME_MAX_LENGTH) out->len = begin + NAME_MAX_LENGTH;
  for (size_t i = begin; i < out->len; i++) out->data[i] = entry_letter(out->data[i]);
  sbuf_printf(out, "_%s", s->kernel);
}

static tsr_type pass_type(tsr_builder *b, const ops_pass *pass) {
  if (pass->kind == OPS_PASS_SCALAR) return tsr_type_scalar(b, pass->elem);
  return tsr_type_pointer(b, pass->elem);
}

static void begin_kernel(ops_build *b) {
  tsr_type types[OPS_MAX_PASSES];
  sbuf name = SBUF(b->p->arena);
  for (unsigned i = 0; i < b->step->n_passes; i++) types[i] = pass_type(b->b, &b->step->passes[i]);
  ops_kernel_name(b->p, b->step, &name);
  tsr_build_entry(b->b, name.data, (tsr_types){types, b->step->n_passes});
  for (unsigned i = 0; i < b->step->n_passes; i++) {
    b->args[i] = tsr_build_arg(b->b, i);
    tsr_value_set_name(b->b, b->args[i], b->step->passes[i].name);
  }
  tsr_value x = tsr_build_get_tile_block_id(b->b);
  for (size_t i = 0; i < 3; i++) b->block[i] = tsr_result_of(x, i);
}

/* ---- hints ----------------------------------------------------------------------------------- */

static int64_t value_named(const ops_problem *p, const char *name) {
  unsigned i = ops_param_find(p->family, str_of(name));
  return i < p->family->n_params ? p->values[i].i : 0;
}

static void hint_number(ops_build *b, const char *param, const char *key) {
  int64_t v = value_named(b->p, param);
  if (v) tsr_build_hint_int(b->b, NULL, "default", key, v);
}

/* Parameters of three words: the backend decides, no, yes. */
static void hint_word(ops_build *b, const char *param, const char *key) {
  int64_t v = value_named(b->p, param);
  if (v) tsr_build_hint_bool(b->b, NULL, "default", key, v == 2);
}

static void add_hints(ops_build *b) {
  hint_number(b, "warps", "num_worker_warps_per_cta");
  hint_number(b, "occupancy", "occupancy");
  hint_number(b, "cluster", "num_cta_in_cga");
  hint_word(b, "persistent", "persistent");
  hint_word(b, "schedule", "ping_pong");
}

/* The step of another problem, as that one builds it. */
static void build_inner(ops_build *b) {
  ops_problem instance = ops_problem_instance(b->step->inner);
  ops_step *step = arena_new(instance.arena, ops_step);
  *step = *b->step;
  step->kernel = step->inner_kernel;
  b->p = &instance;
  b->step = step;
  b->step_index = step->inner_index;
  add_hints(b);
  instance.family->build(b);
}

tsr_module *ops_problem_build(tsr_context *ctx, const ops_problem *p, const ops_steps *steps) {
  ops_problem instance = ops_problem_instance(p);
  tsr_builder *builder = tsr_builder_create(ctx, p->family->name);
  for (unsigned i = 0; builder && i < steps->count; i++) {
    ops_build b = {.b = builder, .p = &instance, .step = &steps->data[i], .step_index = i};
    begin_kernel(&b);
    if (b.step->inner) {
      build_inner(&b);
    } else {
      add_hints(&b);
      p->family->build(&b);
    }
    tsr_build_end(builder);
  }
  tsr_module *m = builder ? tsr_builder_finish(builder) : NULL;
  if (m) tsr_module_set_level(m, 2);
  return m;
}
