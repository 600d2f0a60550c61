/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs: a module's globals in memory, and its kernels, each prepared when it is first asked
 * for.
 */
#include <stdio.h>

#include "ir/block/clusters.h"
#include "ir/verify.h"
#include "num/num.h"
#include "rt/amd.h"
#include "rt/gpu.h"

/* ---- globals -------------------------------------------------------------------------------- */

/* The bytes of a constant tile, at least 16 of them so that nothing has size 0. */
static size_t dense_bytes(const ir_dense *d) {
  return MAX(tsr_elem_storage((tsr_elem)d->type->elem, (size_t)d->type->count), (size_t)16);
}

static void dense_copy(const ir_dense *d, unsigned char *out) {
  if (!d->splat) {
    memcpy(out, d->data, d->size);
    return;
  }
  tsr_elem elem = (tsr_elem)d->type->elem;
  uint64_t pattern = ir_dense_get(d, 0);
  for (size_t i = 0, n = (size_t)d->type->count; i < n; i++)
    num_store_array(out, &pattern, elem, i, 1);
}

static void global_create(tsr_program *p, ir_op *op, uint32_t index) {
  const ir_dense *value = ir_get_attr(op, ATTR_value)->dense;
  uint64_t asked = (uint64_t)ir_int_attr(op, ATTR_alignment);
  size_t align = 64;
  if (asked > align && !(asked & (asked - 1)) && asked <= SIZE_MAX / 4) align = (size_t)asked;
  size_t size = dense_bytes(value);
  rt_memory *memory = arena_new(&p->arena, rt_memory);
  void *data = rt_aligned(p->device->ctx, size, align, &memory->raw, &memory->size);
  if (!data) ctx_out_of_memory(p->device->ctx);
  memory->next = p->memory;
  p->memory = memory;
  memset(data, 0, size);
  dense_copy(value, data);
  p->globals[index] = data;
}

static void globals_create(tsr_program *p) {
  uint32_t n = p->module->globals.len;
  p->globals = arena_array(&p->arena, void *, n + 1);
  for (uint32_t i = 0; i < n; i++) global_create(p, p->module->globals.data[i], i);
}

static void entries_find(tsr_program *p) {
  for (ir_op *op = ir_region(p->module->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry)
      *strmap_put(&p->arena, &p->entries, ir_symbol_name(op), NULL) = (uintptr_t)op;
}

/* ---- programs ------------------------------------------------------------------------------- */

tsr_program *tsr_program_create(tsr_device *dev, tsr_module *module) {
  if (!dev) return NULL;
  tsr_context *ctx = dev->ctx;
  if (!module || module->ctx != ctx) {
    diag_error(ctx, NOWHERE,
               module ? "tsr_program_create: the module and the device are of different contexts"
                      : "tsr_program_create: no module");
    return NULL;
  }
  tsr_program *volatile made = NULL;
  TSR_GUARD(ctx, {
    tsr_program_destroy(made);
    return NULL;
  });
  ctx->errors = 0;
  if (!(module->verified || ir_verify(module)) || !ir_check_language(module)) {
    TSR_UNGUARD(ctx);
    return NULL;
  }
  tsr_program *p = ctx_alloc(ctx, sizeof *p);
  *p = (tsr_program){.device = dev, .module = module};
  arena_init(&p->arena, ctx);
  made = p;
  globals_create(p);
  entries_find(p);
  TSR_UNGUARD(ctx);
  return p;
}

void tsr_program_destroy(tsr_program *p) {
  if (!p) return;
  tsr_context *ctx = p->device->ctx;
  for (tsr_kernel *k = p->kernels; k; k = k->next) p->device->kind->release(k);
  for (rt_memory *m = p->memory; m; m = m->next) ctx_free(ctx, m->raw, m->size);
  arena_free(&p->arena);
  ctx_free(ctx, p, sizeof *p);
}

/* ---- finding a kernel ----------------------------------------------------------------------- */

static ir_op *first_entry(const ir_module *m) {
  ir_op *op = ir_region(m->op, 0)->first;
  while (op && op->opcode != OP_entry) op = op->next;
  return op;
}

static ir_op *next_entry(const ir_op *entry) {
  ir_op *op = entry->next;
  while (op && op->opcode != OP_entry) op = op->next;
  return op;
}

/* "there are: a, b, c", or a count of what does not fit in a message. */
static const char *list_kernels(arena *a, const ir_module *m) {
  enum { SHOWN = 12 };
  sbuf b = SBUF(a);
  unsigned n = 0;
  for (ir_op *e = first_entry(m); e; e = next_entry(e), n++)
    if (n < SHOWN) sbuf_printf(&b, "%s" STR_FMT, n ? ", " : "", STR_ARG(ir_symbol_name(e)));
  if (n > SHOWN) sbuf_printf(&b, " and %u more", n - SHOWN);
  return b.data;
}

static const char *nearest_kernel(const ir_module *m, str name) {
  const char *best = NULL;
  unsigned best_distance = (unsigned)name.len / 3 + 2;
  for (ir_op *e = first_entry(m); e; e = next_entry(e)) {
    str candidate = ir_symbol_name(e);
    unsigned d = str_distance(name, candidate);
    if (d >= best_distance) continue;
    best_distance = d;
    best = candidate.data;
  }
  return best;
}

static void report_no_kernel(tsr_program *p, const char *name) {
  const ir_module *m = p->module;
  tsr_context *ctx = p->device->ctx;
  if (!first_entry(m)) {
    diag_error(ctx, NOWHERE, "the module has no kernel (no `entry`)");
    return;
  }
  arena scratch;
  arena_init(&scratch, ctx);
  const char *all = list_kernels(&scratch, m);
  const char *near = name ? nearest_kernel(m, str_of(name)) : NULL;
  if (!name)
    diag_error(ctx, NOWHERE, "the module has several kernels; name one of: %s", all);
  else if (near)
    diag_error(ctx, NOWHERE, "there is no kernel '%s'; did you mean '%s'? There are: %s", name,
               near, all);
  else
    diag_error(ctx, NOWHERE, "there is no kernel '%s'; there are: %s", name, all);
  arena_free(&scratch);
}

static ir_op *find_entry(tsr_program *p, const char *name) {
  if (!name) return p->entries.len == 1 ? first_entry(p->module) : NULL;
  const uintptr_t *slot = strmap_get(&p->entries, str_of(name));
  return slot ? (ir_op *)*slot : NULL;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* A loop with such an operation may go round until another block has done something. */
static bool is_no_waiting_loop(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_loop || !ir_communicates(op);
}

static const rt_param *read_params(arena *a, const ir_block *body) {
  rt_param *params = arena_array(a, rt_param, body->n_args + 1);
  for (uint32_t i = 0; i < body->n_args; i++) {
    const ir_type *t = body->args[i].type;
    bool is_pointer = t->elem == TSR_PTR;
    params[i] = (rt_param){.is_pointer = is_pointer,
                           .elem = (tsr_elem)(is_pointer ? t->pointee : t->elem),
                           .name = body->args[i].name};
  }
  return params;
}

static tsr_kernel *kernel_create(tsr_program *p, ir_op *entry) {
  uintptr_t *slot = map_put(&p->arena, &p->prepared, (uintptr_t)entry);
  if (!ir_check_parameters(p->module, entry)) return NULL;
  tsr_kernel *k = arena_new(&p->arena, tsr_kernel);
  const ir_block *body = ir_region(entry, 0);
  k->program = p;
  k->entry = entry;
  k->name = ir_symbol_name(entry).data;
  k->n_params = body->n_args;
  k->params = read_params(&p->arena, body);
  ir_cluster_of(entry, k->cluster);
  k->may_wait = ir_communicates(entry);
  k->may_spin = k->may_wait && !ir_walk(entry, is_no_waiting_loop, NULL);
  if (!p->device->kind->prepare(k)) return NULL;
  k->next = p->kernels;
  p->kernels = k;
  *slot = (uintptr_t)k;
  return k;
}

tsr_kernel *tsr_kernel_get(tsr_program *p, const char *name) {
  if (!p) return NULL;
  tsr_context *ctx = p->device->ctx;
  TSR_GUARD(ctx, return NULL);
  ctx->errors = 0;
  ir_op *entry = find_entry(p, name);
  tsr_kernel *k = NULL;
  if (entry) {
    k = map_ptr(&p->prepared, entry);
    if (!k) k = kernel_create(p, entry);
  } else {
    report_no_kernel(p, name);
  }
  TSR_UNGUARD(ctx);
  return k;
}

const char *tsr_kernel_name(const tsr_kernel *k) {
  return k ? k->name : NULL;
}
double tsr_kernel_compile_ms(const tsr_kernel *k) {
  return k ? k->compile_ms : 0;
}
bool tsr_kernel_is_cached(const tsr_kernel *k) {
  if (!k) return false;
  if (k->program->gpu) return k->program->gpu->cached;
  if (k->program->amd) return k->program->amd->cached;
  return k->program->device->kind == &rt_cpu && k->code.memory;
}
size_t tsr_kernel_scratch_bytes(const tsr_kernel *k) {
  return k ? k->scratch_bytes : 0;
}
