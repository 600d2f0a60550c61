/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/header.h"

#include <ctype.h>

#include "exec/block.h"
#include "ir/ir.h"

/* ---- what a kernel needs -------------------------------------------------------------------- */

#define HOOK(name) (1ull << offsetof(rt_hooks, name) / sizeof(void *))

static bool has_no_global(void *module, ir_op *op) {
  if (op->opcode != OP_get_global) return true;
  ir_error(module, op,
           "a global has no place in a header of C; give the kernel its address as a parameter, or "
           "launch it with libtessera");
  return false;
}

static bool can_be_alone(ir_module *m, ir_op *entry, const cpu_sizes *sizes) {
  const char *needs = sizes->hooks & HOOK(print) ? "prints tiles"
                      : sizes->hooks & HOOK(elementwise)
                          ? "has operations that the runtime computes"
                          : NULL;
  if (!needs) return ir_walk(entry, has_no_global, m);
  ir_error(m, entry, "the kernel %s, which a header of C cannot; launch it with libtessera", needs);
  return false;
}

static bool is_word(const char *name) {
  static const char *const words[] = {
      "auto",     "bool",    "break",  "case",     "char",   "class", "const",     "continue",
      "default",  "delete",  "do",     "double",   "else",   "enum",  "extern",    "false",
      "float",    "for",     "goto",   "if",       "int",    "long",  "namespace", "new",
      "operator", "private", "public", "register", "return", "short", "signed",    "sizeof",
      "static",   "struct",  "switch", "template", "this",   "true",  "typedef",   "union",
      "unsigned", "using",   "void",   "volatile", "while",
  };
  for (size_t i = 0; i < ARRAY_LEN(words); i++)
    if (strcmp(words[i], name) == 0) return true;
  return false;
}

static bool is_identifier(const char *name) {
  if (!name || isdigit((unsigned char)*name) || is_word(name)) return false;
  const char *p = name;
  while (isalnum((unsigned char)*p) || *p == '_') p++;
  return p > name && !*p;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* What C has for an element; formats that it lacks are bytes or words. */
static const char *c_type(tsr_elem elem) {
  if (elem == TSR_F32) return "float";
  if (elem == TSR_F64) return "double";
  bool number = tsr_elem_is_int(elem);
  switch (tsr_elem_storage(elem, 1)) {
  case 1: return number && tsr_elem_bits(elem) == 8 ? "int8_t" : "uint8_t";
  case 2: return number ? "int16_t" : "uint16_t";
  case 4: return number ? "int32_t" : "uint32_t";
  default: return number ? "int64_t" : "uint64_t";
  }
}

typedef struct header {
  sbuf *out;
  ir_module *m;
  const char *kernel;
  tsr_parameter *params;
  unsigned n_params;
  cpu_sizes sizes;
} header;

static const char *param_name(const header *h, unsigned i) {
  const char *name = h->params[i].name;
  for (unsigned k = 0; name && k < i; k++)
    if (h->params[k].name && strcmp(h->params[k].name, name) == 0) name = NULL;
  bool own = name && strncmp(name, "tessera_", 8) == 0;
  return is_identifier(name) && !own ? name : arena_printf(h->out->arena, "arg%u", i);
}

static void put_params(const header *h) {
  for (unsigned i = 0; i < h->n_params; i++)
    sbuf_printf(h->out, ",\n    %s %s%s", c_type(h->params[i].elem),
                h->params[i].is_pointer ? "*" : "", param_name(h, i));
}

static void put_comment(const header *h) {
  sbuf_printf(h->out,
              "\n/* Executes %s on every tile block of the grid. Each extent is from 1 to "
              "2147483647.\n",
              h->kernel);
  for (unsigned i = 0; i < h->n_params; i++)
    sbuf_printf(h->out, " *   %-12s %s%s\n", param_name(h, i),
                h->params[i].is_pointer ? "memory of " : "", tsr_elem_name(h->params[i].elem));
  sbuf_puts(h->out, " * Returns 0, or 1 when there is no memory. */\n");
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const char head[] =
    "/* Made by `tessera build --emit header`: kernels in the object file that --emit obj makes "
    "of\n"
    " * the same program for the same --cpu, and functions that launch them. Nothing of Tessera "
    "is\n"
    " * needed to compile or link this. The processor must have what --cpu says. With OpenMP\n"
    " * (-fopenmp), tile blocks are shared among threads. A failed assertion ends the process. */\n"
    "#ifndef TESSERA_KERNELS_H_%s\n"
    "#define TESSERA_KERNELS_H_%s\n"
    "\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n";

/* Mirrors exec/block.h, which rt_emit_header checks. */
static const char common[] =
    "\n#ifndef TESSERA_BLOCK\n"
    "#define TESSERA_BLOCK 1\n"
    "/* One tile block, as compiled kernels take it. */\n"
    "typedef struct tessera_block {\n"
    "  const uint64_t *args; /* a word for each parameter: address, or pattern zero-extended */\n"
    "  void *const *globals; /* none */\n"
    "  char *scratch;        /* of this thread, at a multiple of 64 */\n"
    "  const void *const *hooks;\n"
    "  void *launch;\n"
    "  int32_t id[3], grid[3];\n"
    "  const uint64_t *bounds; /* none */\n"
    "} tessera_block;\n"
    "\n"
    "static inline uint64_t tessera_word(const void *value, size_t bytes) {\n"
    "  uint64_t word = 0;\n"
    "  memcpy(&word, value, bytes);\n"
    "  return word;\n"
    "}\n"
    "static inline void tessera_assert_failed(tessera_block *block, const char *message,\n"
    "                                         const char *where, const void *condition) {\n"
    "  (void)condition;\n"
    "  fprintf(stderr, \"%s: assertion failed in tile block (%d, %d, %d): %s\\n\",\n"
    "          where ? where : \"kernel\", (int)block->id[0], (int)block->id[1], "
    "(int)block->id[2],\n"
    "          message);\n"
    "  abort();\n"
    "}\n"
    "static inline void tessera_wait(tessera_block *block) { (void)block; }\n"
    "/* print, elementwise, assert_failed, check, wait */\n"
    "typedef struct tessera_hooks { const void *hook[5]; } tessera_hooks;\n"
    "static inline tessera_hooks tessera_own_hooks(void) {\n"
    "  tessera_hooks all = {{NULL, NULL, NULL, NULL, NULL}};\n"
    "  void (*failed)(tessera_block *, const char *, const char *, const void *) =\n"
    "      tessera_assert_failed;\n"
    "  void (*wait)(tessera_block *) = tessera_wait;\n"
    "  memcpy(&all.hook[2], &failed, sizeof failed);\n"
    "  memcpy(&all.hook[4], &wait, sizeof wait);\n"
    "  return all;\n"
    "}\n"
    "#endif\n";

_Static_assert(offsetof(rt_block, args) == 0 && offsetof(rt_block, globals) == 8 &&
                   offsetof(rt_block, scratch) == 16 && offsetof(rt_block, hooks) == 24 &&
                   offsetof(rt_block, launch) == 32 && offsetof(rt_block, id) == 40 &&
                   offsetof(rt_block, grid) == 52 && offsetof(rt_block, bounds) == 64 &&
                   offsetof(rt_block, rank) == 72,
               "tessera_block in the header is what compiled code uses of rt_block");
_Static_assert(offsetof(rt_hooks, assert_failed) == 16 && offsetof(rt_hooks, wait) == 32 &&
                   sizeof(rt_hooks) == 40,
               "tessera_hooks in the header are rt_hooks");

/* Tile blocks that may wait for earlier ones are executed in their order by one thread. */
static void put_loop(const header *h) {
  const char *x = h->sizes.along_y ? "tessera_i / grid_y % grid_x" : "tessera_i % grid_x";
  const char *y = h->sizes.along_y ? "tessera_i % grid_y" : "tessera_i / grid_x % grid_y";
  bool in_order = h->sizes.hooks & HOOK(wait) || h->sizes.keys_bytes;
  sbuf *out = h->out;
  if (!in_order)
    sbuf_puts(out, "#ifdef _OPENMP\n#pragma omp parallel reduction(| : tessera_failed)\n#endif\n");
  uint64_t bytes = MAX((h->sizes.scratch_bytes + 63) / 64 * 64, 64);
  sbuf_printf(out,
              "  {\n"
              "    char *tessera_memory = (char *)aligned_alloc(64, %llu);\n",
              (unsigned long long)bytes);
  if (h->sizes.keys_bytes)
    sbuf_printf(out, "    if (tessera_memory) memset(tessera_memory, 0, %llu);\n",
                (unsigned long long)h->sizes.keys_bytes);
  sbuf_puts(out, "    if (!tessera_memory) tessera_failed = 1;\n");
  if (!in_order) sbuf_puts(out, "#ifdef _OPENMP\n#pragma omp for schedule(dynamic)\n#endif\n");
  sbuf_printf(out,
              "    for (int64_t tessera_i = 0; tessera_i < tessera_blocks; tessera_i++) {\n"
              "      tessera_block tessera_b = {\n"
              "          tessera_args, NULL, tessera_memory, tessera_calls.hook, NULL,\n"
              "          {(int32_t)(%s), (int32_t)(%s),\n"
              "           (int32_t)(tessera_i / ((int64_t)grid_x * grid_y))},\n"
              "          {(int32_t)grid_x, (int32_t)grid_y, (int32_t)grid_z}, NULL};\n"
              "      if (tessera_memory) %s(&tessera_b);\n"
              "    }\n",
              x, y, h->kernel);
  if (h->sizes.streams) sbuf_puts(out, "    __builtin_ia32_sfence();\n");
  sbuf_puts(out, "    free(tessera_memory);\n  }\n");
}

static void put_kernel(const header *h) {
  sbuf *out = h->out;
  sbuf_printf(out, "\nvoid %s(tessera_block *block);\n", h->kernel);
  put_comment(h);
  sbuf_printf(out, "static inline int %s_launch(uint32_t grid_x, uint32_t grid_y, uint32_t grid_z",
              h->kernel);
  put_params(h);
  sbuf_puts(out, ") {\n");
  sbuf_printf(out, "  uint64_t tessera_args[%u] = {0};\n", MAX(h->n_params, 1));
  for (unsigned i = 0; i < h->n_params; i++)
    sbuf_printf(out, "  tessera_args[%u] = tessera_word(&%s, sizeof %s);\n", i, param_name(h, i),
                param_name(h, i));
  sbuf_puts(out, "  const int64_t tessera_blocks = (int64_t)grid_x * grid_y * grid_z;\n"
                 "  const tessera_hooks tessera_calls = tessera_own_hooks();\n"
                 "  int tessera_failed = 0;\n");
  put_loop(h);
  sbuf_puts(out, "  return tessera_failed;\n}\n");
}

/* ---- entry ---------------------------------------------------------------------------------- */

static bool add_kernel(const cpu_backend *backend, ir_op *entry, const cpu_options *options,
                       header *h) {
  sbuf code = SBUF(h->out->arena);
  h->kernel = arena_strndup(h->out->arena, ir_symbol_name(entry).data, ir_symbol_name(entry).len);
  if (!is_identifier(h->kernel)) {
    ir_error(h->m, entry, "the kernel's name is no identifier of C; rename it");
    return false;
  }
  if (!backend->object(h->m->ctx, h->m, entry, options, &h->sizes, &code)) return false;
  if (!can_be_alone(h->m, entry, &h->sizes)) return false;
  h->n_params = (unsigned)tsr_module_kernel_parameters(h->m, h->kernel, NULL, 0);
  h->params = arena_array(h->out->arena, tsr_parameter, h->n_params + 1);
  tsr_module_kernel_parameters(h->m, h->kernel, h->params, h->n_params);
  put_kernel(h);
  return true;
}

bool rt_emit_header(const cpu_backend *backend, ir_module *m, const cpu_options *options,
                    sbuf *out) {
  header h = {.out = out, .m = m};
  const char *guard = NULL;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    if (!guard) {
      guard = arena_strndup(out->arena, ir_symbol_name(op).data, ir_symbol_name(op).len);
      sbuf_printf(out, head, guard, guard);
      sbuf_puts(out, common);
    }
    if (!add_kernel(backend, op, options, &h)) return false;
  }
  if (guard)
    sbuf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  else
    diag_error(m->ctx, NOWHERE, "the module has no kernel (no `entry`)");
  return guard != NULL;
}
