/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Launching: from a caller's arguments to one word per parameter, and from what went wrong in a
 * tile block to a message. Nothing here allocates unless a kernel has very many parameters, and
 * the context is touched under the lock only: several threads may be here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/num.h"
#include "rt/crash.h"
#include "rt/rt.h"

enum { INLINE_WORDS = 64 }; /* more parameters than that take memory at each launch */

/* ---- arguments ------------------------------------------------------------------------------ */

tsr_arg tsr_arg_buffer(tsr_buffer *buffer) {
  return (tsr_arg){.kind = TSR_ARG_BUFFER, .buffer = buffer};
}
tsr_arg tsr_arg_address(void *address) {
  return (tsr_arg){.kind = TSR_ARG_ADDRESS, .bits = (uintptr_t)address};
}
tsr_arg tsr_arg_nullable(void *address) {
  return (tsr_arg){.kind = TSR_ARG_NULLABLE, .bits = (uintptr_t)address};
}
tsr_arg tsr_arg_scalar(tsr_elem elem, uint64_t pattern) {
  return (tsr_arg){.kind = TSR_ARG_SCALAR, .elem = (uint8_t)elem, .bits = pattern};
}
tsr_arg tsr_arg_i32(int32_t value) {
  return tsr_arg_scalar(TSR_I32, (uint32_t)value);
}
tsr_arg tsr_arg_i64(int64_t value) {
  return tsr_arg_scalar(TSR_I64, (uint64_t)value);
}
tsr_arg tsr_arg_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tsr_arg_scalar(TSR_F32, bits);
}
tsr_arg tsr_arg_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tsr_arg_scalar(TSR_F64, bits);
}

/* "parameter 2 of saxpy (%a: tile<f32>)" */
static const char *name_param(const tsr_kernel *k, size_t index, char *out, size_t size) {
  const rt_param *p = &k->params[index];
  char number[24];
  snprintf(number, sizeof number, "arg%zu", index);
  snprintf(out, size, "parameter %zu of '%s' (%%%s: tile<%s%s%s>)", index + 1, k->name,
           p->name ? p->name : number, p->is_pointer ? "ptr<" : "", tsr_elem_name(p->elem),
           p->is_pointer ? ">" : "");
  return out;
}

/* "a scalar of type f32", "a buffer" … */
static const char *name_arg(const tsr_arg *arg, char *out, size_t size) {
  if (arg->kind == TSR_ARG_BUFFER) return "a buffer";
  if (arg->kind == TSR_ARG_ADDRESS || arg->kind == TSR_ARG_NULLABLE) return "an address";
  const char *elem = arg->kind == TSR_ARG_SCALAR ? tsr_elem_name((tsr_elem)arg->elem) : NULL;
  if (!elem) return "no valid tsr_arg (use the tsr_arg_… functions)";
  snprintf(out, size, "a scalar of type %s", elem);
  return out;
}

/* What is wrong with an argument, as the end of a sentence; NULL when it is fine. */
static const char *argument_problem(const tsr_kernel *k, const rt_param *p, const tsr_arg *arg,
                                    uint64_t *word, char *out, size_t size) {
  char given[64];
  if (!p->is_pointer) {
    if (arg->kind != TSR_ARG_SCALAR || arg->elem != p->elem) {
      snprintf(out, size, "takes a scalar of type %s, not %s", tsr_elem_name(p->elem),
               name_arg(arg, given, sizeof given));
      return out;
    }
    unsigned bits = tsr_elem_bits(p->elem);
    if (bits < 64 && arg->bits >> bits) {
      snprintf(out, size, "takes a pattern of %u bits, not 0x%" PRIx64, bits, arg->bits);
      return out;
    }
    *word = arg->bits;
    return NULL;
  }
  bool address = arg->kind == TSR_ARG_ADDRESS || arg->kind == TSR_ARG_NULLABLE;
  if (arg->kind != TSR_ARG_BUFFER && !address) {
    snprintf(out, size, "takes a buffer of %s, not %s", tsr_elem_name(p->elem),
             name_arg(arg, given, sizeof given));
    return out;
  }
  if (arg->kind == TSR_ARG_BUFFER && !arg->buffer) return "got a buffer that is NULL";
  if (arg->kind == TSR_ARG_BUFFER && arg->buffer->device != k->program->device)
    return "got a buffer of another device than the kernel's";
  if (arg->kind == TSR_ARG_ADDRESS && !arg->bits)
    return "got an address that is NULL (tsr_arg_nullable gives one that is not used)";
  *word = arg->kind == TSR_ARG_BUFFER ? rt_address(arg->buffer) : arg->bits;
  uint64_t align = tsr_elem_storage(p->elem, 1);
  if (*word & (align - 1)) {
    snprintf(out, size, "got the address 0x%" PRIx64 ", which is not aligned to the %u bytes of %s",
             *word, (unsigned)align, tsr_elem_name(p->elem));
    return out;
  }
  return NULL;
}

bool rt_read_args(tsr_kernel *k, const tsr_arg *args, size_t count, uint64_t *words) {
  tsr_device *dev = k->program->device;
  if (count != k->n_params || (count && !args)) {
    rt_error(dev, "'%s' takes %u argument%s, not %zu", k->name, k->n_params,
             k->n_params == 1 ? "" : "s", args ? count : 0);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    char problem[192], param[256];
    const char *what =
        argument_problem(k, &k->params[i], &args[i], &words[i], problem, sizeof problem);
    if (!what) continue;
    rt_error(dev, "%s %s", name_param(k, i, param, sizeof param), what);
    good = false;
  }
  return good;
}

static bool has_whole_clusters(tsr_kernel *k, tsr_grid grid) {
  const uint32_t *c = k->cluster;
  if (grid.x % c[0] == 0 && grid.y % c[1] == 0 && grid.z % c[2] == 0) return true;
  rt_error(k->program->device,
           "a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32
           " for '%s', whose clusters have %" PRIu32 " x %" PRIu32 " x %" PRIu32
           " tile blocks; it must be a multiple of that in each dimension",
           grid.x, grid.y, grid.z, k->name, c[0], c[1], c[2]);
  return false;
}

static bool has_extents(tsr_kernel *k, tsr_grid grid, uint64_t *total) {
  if (order_total(grid, total)) return true;
  rt_error(k->program->device,
           "a grid of %" PRIu32 " x %" PRIu32 " x %" PRIu32
           " tile blocks: each extent is from 1 to 2147483647, and their product at most 2^40",
           grid.x, grid.y, grid.z);
  return false;
}

bool rt_read_grid(tsr_kernel *k, tsr_grid grid, uint64_t *total) {
  return has_extents(k, grid, total) && has_whole_clusters(k, grid);
}

/* ---- reporting ------------------------------------------------------------------------------ */

void rt_error(tsr_device *dev, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  rt_lock(dev);
  diag_v(dev->ctx, TSR_ERROR, NOWHERE, fmt, args);
  rt_unlock(dev);
  va_end(args);
}

void rt_fail(rt_launch_state *launch, tsr_status status) {
  rt_lock(launch->device);
  if (launch->status == TSR_OK) launch->status = status;
  rt_unlock(launch->device);
  atomic_store_explicit(&launch->stop, true, memory_order_relaxed);
}

/* Splits "file:line:column" from its end, since a name may have colons too; cuts `where`. */
static place parse_where(const ir_module *m, char *where) {
  unsigned long numbers[2] = {0, 0};
  for (int i = 1; i >= 0; i--) {
    char *colon = strrchr(where, ':');
    if (!colon || colon[1] < '0' || colon[1] > '9') break;
    numbers[i] = strtoul(colon + 1, NULL, 10);
    *colon = 0;
  }
  bool own = m->source && strcmp(m->source->name, where) == 0;
  return (place){.src = own ? m->source : NULL,
                 .file = *where ? where : NULL,
                 .line = (uint32_t)numbers[0],
                 .column = (uint32_t)numbers[1],
                 .length = 1};
}

/* A line of ir_where. */
static place parse_frame(const ir_module *m, char *line, char **function) {
  *function = strchr(line, '\t');
  if (*function) *(*function)++ = 0;
  return parse_where(m, line);
}

void rt_report_trap(rt_launch_state *l) {
  rt_trap *t = l->trap;
  tsr_context *ctx = l->device->ctx;
  rt_lock(l->device);
  const ir_module *m = l->kernel->program->module;
  char *rest = t->where, *line = strsep(&rest, "\n"), *function;
  place at = parse_frame(m, line, &function);
  char rank[32] = "";
  if (l->ranks) snprintf(rank, sizeof rank, ", rank %u", l->rank);
  diag_error(ctx, at, "assertion failed in tile block (%d, %d, %d) of '%s'%s%s%s: %s", t->id[0],
             t->id[1], t->id[2], l->kernel->name, rank, *t->element ? ", element " : "", t->element,
             t->message);
  while ((line = strsep(&rest, "\n"))) {
    const char *callee = function;
    at = parse_frame(m, line, &function);
    if (callee)
      diag_note(ctx, at, "'%s' is called here", callee);
    else
      diag_note(ctx, at, "called from here");
  }
  if (t->count > 1)
    diag_note(ctx, NOWHERE, "%" PRIu64 " more assertion%s failed before the launch stopped",
              t->count - 1, t->count == 2 ? "" : "s");
  rt_unlock(l->device);
}

/* ---- launching ------------------------------------------------------------------------------ */

rt_block rt_block_for(rt_launch_state *l, void *scratch) {
  return (rt_block){.args = l->args,
                    .globals = l->kernel->program->globals,
                    .scratch = scratch,
                    .hooks = &rt_launch_hooks,
                    .launch = l,
                    .bounds = l->bounds,
                    .rank = l->rank,
                    .grid = {(int32_t)l->grid.x, (int32_t)l->grid.y, (int32_t)l->grid.z}};
}

static tsr_status launch_with(tsr_stream *s, tsr_kernel *k, tsr_grid grid, uint64_t *words,
                              const tsr_arg *args, size_t count) {
  rt_trap trap;
  trap.count = 0;
  rt_launch_state l = {.kernel = k,
                       .device = k->program->device,
                       .grid = grid,
                       .args = words,
                       .given = args,
                       .stream = s,
                       .trap = &trap};
  if (!rt_read_args(k, args, count, words)) return TSR_ERROR_USAGE;
  if (!rt_read_grid(k, grid, &l.total)) return TSR_ERROR_USAGE;
  l.device->kind->launch(&l);
  crash_running(NULL, NULL);
  if (trap.count) rt_report_trap(&l);
  return l.status;
}

static tsr_status launch(tsr_stream *s, tsr_kernel *k, tsr_grid grid, const tsr_arg *args,
                         size_t count) {
  uint64_t few[INLINE_WORDS];
  if (k->n_params <= INLINE_WORDS) return launch_with(s, k, grid, few, args, count);
  tsr_device *dev = k->program->device;
  size_t size = k->n_params * sizeof(uint64_t);
  rt_lock(dev);
  uint64_t *words = ctx_try_alloc(dev->ctx, size);
  rt_unlock(dev);
  if (!words) {
    rt_error(dev, "out of memory");
    return TSR_ERROR_MEMORY;
  }
  tsr_status status = launch_with(s, k, grid, words, args, count);
  rt_lock(dev);
  ctx_free(dev->ctx, words, size);
  rt_unlock(dev);
  return status;
}

tsr_status tsr_launch(tsr_kernel *k, tsr_grid grid, const tsr_arg *args, size_t count) {
  return k ? launch(NULL, k, grid, args, count) : TSR_ERROR_USAGE;
}

tsr_status tsr_launch_on(tsr_stream *s, tsr_kernel *k, tsr_grid grid, const tsr_arg *args,
                         size_t count) {
  if (!k || !s) return TSR_ERROR_USAGE;
  if (s->device == k->program->device) return launch(s, k, grid, args, count);
  rt_error(k->program->device, "'%s': the stream is another device's", k->name);
  return TSR_ERROR_USAGE;
}

/* ---- the sanitizer -------------------------------------------------------------------------- */

static const sanitizer_memory *launch_memory(arena *a, const rt_launch_state *l) {
  uint32_t n = l->kernel->n_params;
  sanitizer_memory *memory = arena_array(a, sanitizer_memory, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    const tsr_buffer *buffer = l->given[k].kind == TSR_ARG_BUFFER ? l->given[k].buffer : NULL;
    memory[k] = (sanitizer_memory){
        .address = l->args[k], .bytes = buffer ? buffer->size : 0, .bounded = buffer};
  }
  return memory;
}

/* Whether memory of the type, or that it points to, has elements that share bytes. */
static bool has_shared_bytes(const ir_type *t, tsr_elem *found) {
  bool is_number = t->kind == IR_TILE && t->elem != TSR_PTR;
  *found = t->kind == IR_TILE ? (tsr_elem)t->pointee : (tsr_elem)t->elem;
  return !is_number && t->kind != IR_TOKEN && t->kind != IR_FUNCTION &&
         num_shares_bytes(tsr_elem_bits(*found));
}

static bool accesses_whole_bytes(void *user, ir_op *op) {
  const ir_module *m = user;
  tsr_elem found;
  for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
    const ir_value *v = i < op->n_operands ? ir_operand(op, i) : ir_result(op, i - op->n_operands);
    if (!has_shared_bytes(v->type, &found)) continue;
    diag_error(m->ctx, ir_place(m, op->loc),
               "the sanitizer does not follow elements of %s, which share bytes",
               tsr_elem_name(found));
    return false;
  }
  return true;
}

/* Elements that share bytes may be in tiles, but not in memory. */
bool rt_can_sanitize(const tsr_kernel *k) {
  return ir_walk(k->entry, accesses_whole_bytes, k->program->module);
}

sanitizer *rt_sanitizer_create(arena *a, const rt_launch_state *l, interp_program *p) {
  uint32_t n = l->ranks ? l->n_ranks : 1;
  sanitizer_rank *ranks = arena_array(a, sanitizer_rank, n);
  for (uint32_t k = 0; k < n; k++) {
    const rt_launch_state *of = l->ranks ? l->ranks[k] : l;
    ranks[k] = (sanitizer_rank){launch_memory(a, of), of->kernel->program->globals};
  }
  return sanitizer_create(a, p, &l->device->sanitize, ranks, n);
}
