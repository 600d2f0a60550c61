/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/cached.h"

#include <limits.h>
#include <sys/stat.h>

#include "build_id.h"
#include "opt/switches.h"
#include "rt/cpuinfo.h"
#include "rt/plugin.h"
#include "text/text.h"

enum { MAX_CONSTANTS = 1 << 20 };

void rt_open_cache(tsr_device *dev, const tsr_device_options *options) {
  dev->cache = ctx_alloc(dev->ctx, sizeof *dev->cache);
  if (!cache_open(dev->ctx, options->cache_dir, dev->cache)) rt_close_cache(dev);
}

void rt_close_cache(tsr_device *dev) {
  if (dev->cache) ctx_free(dev->ctx, dev->cache, sizeof *dev->cache);
  dev->cache = NULL;
}

/* ---- the key -------------------------------------------------------------------------------- */

/* A file, known by all that changes with it. */
static bool put_file(sbuf *b, const char *what, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0) return false;
  sbuf_printf(b, "%s %lld %lld.%09ld %lld.%09ld %llu\n", what, (long long)st.st_size,
              (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
              st.st_ctim.tv_nsec, (unsigned long long)st.st_ino);
  return true;
}

/* Another compiler makes other code, and so does another libLLVM, which the system may replace
 * while the plugin stays. It is not loaded for this: its file is where the plugin was linked with
 * it. */
static bool put_compiler(const tsr_context *ctx, sbuf *b) {
  char path[PATH_MAX];
  if (!plugin_find(ctx, path, sizeof path) || !*path || !put_file(b, "compiler", path))
    return false;
  if (*TSR_LIBLLVM) put_file(b, "llvm", TSR_LIBLLVM);
  return true;
}

static const char *target_name(arena *a, const cpu_options *o) {
#if defined(__x86_64__) || defined(__aarch64__)
  const char *machine = cpu_is_aarch64(&o->isa) ? "aarch64" : "x86-64";
#else
  const char *machine = cpu_is_aarch64(&o->isa) ? "aarch64" : "other";
#endif
  return arena_printf(a, "%s %s%s%s%s%s%s%s O%u", machine, cpuinfo_level_name(o->isa.level),
                      o->isa.bf16 ? " bf16" : "", o->isa.vnni ? " vnni" : "",
                      o->isa.fp16 ? " fp16" : "", o->isa.vbmi ? " vbmi" : "",
                      o->isa.dotprod ? " dotprod" : "", o->isa.i8mm ? " i8mm" : "", o->opt_level);
}

typedef struct key_part {
  sbuf *out;
  const ir_module *module;
} key_part;

static bool put_assert(void *user, ir_op *op) {
  key_part *x = user;
  if (op->opcode != OP_assert) return true;
  const char *where = ir_where(x->out->arena, x->module, op->loc);
  sbuf_printf(x->out, "assert %s\n", where ? where : "");
  return true;
}

static bool count_constants(void *user, ir_op *op) {
  size_t *left = user;
  if (op->opcode != OP_constant && op->opcode != OP_global) return true;
  size_t size = ir_get_attr(op, ATTR_value)->dense->size;
  if (size > *left) return false;
  *left -= size;
  return true;
}

bool cached_compiles_here(const tsr_context *ctx) {
  char path[PATH_MAX];
  return plugin_find(ctx, path, sizeof path) && *path;
}

static void put_target(sbuf *b, const char *target, const char *kernel) {
  sbuf_printf(b, "target %s\nkernel %s\n\n", target, kernel);
}

/* Of code that is compiled here. */
static bool put_head(const tsr_context *ctx, sbuf *b, const char *target, const char *kernel) {
  sbuf_printf(b, "build %s\n", TSR_BUILD_ID);
  if (!put_compiler(ctx, b)) return false;
  put_target(b, target, kernel);
  return true;
}

static bool has_few_constants(ir_op *root) {
  size_t left = MAX_CONSTANTS;
  return ir_walk(root, count_constants, &left);
}

/* Compiled code finds a global by its number. */
static bool put_global(void *user, ir_op *op) {
  key_part *x = user;
  if (op->opcode != OP_get_global) return true;
  str name = ir_get_attr(op, ATTR_name)->s;
  sbuf_printf(x->out, "global %u\n", ir_global_number(x->module, name));
  return true;
}

/* Appends it to what stands in front: all of the module that code for the CPU depends on. */
static str put_kernel(sbuf *b, ir_module *m, ir_op *entry) {
  if (!has_few_constants(entry)) return (str){0};
  text_print_kernel(b, m, entry);
  sbuf_putc(b, '\n');
  ir_walk(entry, put_global, &(key_part){b, m});
  ir_walk(entry, put_assert, &(key_part){b, m});
  return (str){b->data, b->len};
}

/* What the module is compiled with. */
static void put_passes(sbuf *b, const ir_module *m) {
  sbuf_printf(b, "level %u\n", m->level);
  switches_put(b, m);
}

str cached_key_of(arena *a, ir_module *m, const char *target, const char *kernels) {
  sbuf b = SBUF(a);
  if (!put_head(m->ctx, &b, target, kernels) || !has_few_constants(m->op)) return (str){0};
  put_passes(&b, m);
  text_print(&b, m);
  ir_walk(m->op, put_assert, &(key_part){&b, m});
  return (str){b.data, b.len};
}

str cached_key_elsewhere(arena *a, ir_module *m, const cpu_options *o, ir_op *entry) {
  sbuf b = SBUF(a);
  sbuf_printf(&b, "build %s\ncompiler elsewhere\n", TSR_BUILD_ID);
  put_target(&b, target_name(a, o), ir_symbol_name(entry).data);
  switches_put(&b, m);
  return put_kernel(&b, m, entry);
}

/* With what code is made to suit, in a line of its own. Not in it: how many threads compiled. They
 * divide code into functions in their way (llvm/split.h), but each way runs equally well on any
 * number of threads. */
static const char *tuned_target(arena *a, const cpu_options *o) {
  return arena_printf(a, "%s\ntuning l2 %u KB%s%s%s%s%s", target_name(a, o),
                      (unsigned)o->core.l2_kb, o->core.fast_division ? ", fast division" : "",
                      o->core.double_pumped ? ", double-pumped" : "",
                      o->core.shallow_prefetch ? ", shallow prefetch" : "",
                      o->core.few_fill_buffers ? ", few fill buffers" : "",
                      o->core.l2_prefetch ? ", L2 prefetch" : "");
}

str cached_key(arena *a, const tsr_kernel *k) {
  const tsr_device *dev = k->program->device;
  sbuf b = SBUF(a);
  if (!dev->cache || dev->cpu.profile) return (str){0};
  if (!put_head(dev->ctx, &b, tuned_target(a, &dev->cpu), k->name)) return (str){0};
  put_passes(&b, k->program->module);
  return put_kernel(&b, k->program->module, k->entry);
}

str cached_key_shared(arena *a, const tsr_device *dev, const char *name) {
  sbuf b = SBUF(a);
  if (!dev->cache || !put_head(dev->ctx, &b, tuned_target(a, &dev->cpu), name)) return (str){0};
  return (str){b.data, b.len};
}

str cached_key_line(str key, const char *name) {
  size_t length = strlen(name);
  for (const char *p = key.data, *end = p + key.len; p < end && *p != '\n';) {
    const char *line_end = memchr(p, '\n', (size_t)(end - p));
    if (!line_end) line_end = end;
    if ((size_t)(line_end - p) > length && memcmp(p, name, length) == 0 && p[length] == ' ')
      return (str){p + length + 1, (size_t)(line_end - p) - length - 1};
    p = line_end + (line_end < end);
  }
  return (str){0};
}

/* ---- loading and storing -------------------------------------------------------------------- */

bool cached_load(tsr_kernel *k, arena *a, str key) {
  cache_entry entry;
  if (!cache_load(k->program->device->cache, a, key, &entry)) return false;
  if (exec_code_load(entry.object.data, entry.object.len, CPU_SYMBOL, &k->code)) return false;
  k->cpu = (cpu_kernel){.run = (rt_block_fn)(uintptr_t)k->code.entry};
  memcpy(&k->cpu.sizes, entry.sizes, sizeof k->cpu.sizes);
  return true;
}

void cached_store(const tsr_kernel *k, arena *a, str key) {
  if (!k->cpu.object.len) return;
  _Static_assert(sizeof k->cpu.sizes <= sizeof(((cache_entry *)0)->sizes), "make it larger");
  cache_entry entry = {.object = k->cpu.object};
  memcpy(entry.sizes, &k->cpu.sizes, sizeof k->cpu.sizes);
  cache_store(k->program->device->cache, a, key, &entry);
}
