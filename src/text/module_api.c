/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The public functions of tessera/module.h, but for files and bytecode (bytecode/module_api.c).
 */
#include <tessera/module.h>

#include "ir/verify.h"
#include "text/load.h"

bool text_usage(tsr_context *ctx, const char *function, const char *what) {
  diag_error(ctx, NOWHERE, "%s: %s", function, what);
  return false;
}

bool text_check_flags(tsr_context *ctx, const char *function, unsigned flags) {
  unsigned hints = TSR_PARSE_HINTS_ERROR | TSR_PARSE_HINTS_IGNORE;
  if (flags & ~(hints | TSR_PARSE_KEEP_COMMENTS | TSR_PARSE_NO_VERIFY | TSR_PARSE_TESTING_OPS |
                TSR_PARSE_EXTENSIONS | TSR_PARSE_LANGUAGE(0xff)))
    return text_usage(ctx, function, "unknown flags; known are those of tsr_parse_flags");
  if (text_language(flags) > V13_NEWEST)
    return text_usage(ctx, function, "TSR_PARSE_LANGUAGE takes a version that there is");
  return (flags & hints) != hints ||
         text_usage(ctx, function,
                    "TSR_PARSE_HINTS_ERROR and TSR_PARSE_HINTS_IGNORE exclude each other");
}

unsigned text_language(unsigned flags) {
  return flags >> 8 & 0xff;
}

ir_hint_policy text_hint_policy(unsigned flags) {
  return flags & TSR_PARSE_HINTS_ERROR    ? IR_HINTS_ERROR
         : flags & TSR_PARSE_HINTS_IGNORE ? IR_HINTS_IGNORE
                                          : IR_HINTS_WARN;
}

/* Both the text and its name live as long as the module. */
static tsr_module *read_module(tsr_context *ctx, str text, size_t first, bool copy,
                               const char *name, unsigned flags) {
  ir_module *volatile m = NULL;
  TSR_GUARD(ctx, ir_module_destroy(m); return NULL);
  m = ir_module_create(ctx, STR("kernels"));
  m->hints = text_hint_policy(flags);
  m->language = (uint8_t)text_language(flags);
  m->extensions = flags & TSR_PARSE_EXTENSIONS;
  if (copy) text = arena_str(&m->arena, text);
  name = arena_str(&m->arena, str_of(name)).data;
  if (!text_parse_into(m, text, first, name, flags) ||
      !(flags & TSR_PARSE_NO_VERIFY || ir_verify(m))) {
    ir_module_destroy(m);
    m = NULL;
  }
  TSR_UNGUARD(ctx);
  return m;
}

ir_module *text_load_part(tsr_context *ctx, str text, size_t first, const char *name,
                          unsigned flags) {
  return read_module(ctx, text, first, false, name, flags);
}

tsr_module *tsr_module_parse(tsr_context *ctx, const char *text, size_t length, const char *name,
                             unsigned flags) {
  if (!ctx) return NULL;
  if (!text && length) return text_usage(ctx, __func__, "the text is NULL"), NULL;
  if (!text_check_flags(ctx, __func__, flags)) return NULL;
  if (!name) name = "<memory>";
  if (length <= TEXT_MAX_SIZE)
    return read_module(ctx, (str){text ? text : "", length}, 0, true, name, flags);
  diag_error(ctx, (place){.file = name}, "this text has %zu bytes; at most 2^30 are accepted",
             length);
  return NULL;
}

void tsr_module_destroy(tsr_module *module) {
  ir_module_destroy(module);
}

tsr_status tsr_module_verify(tsr_module *module) {
  if (!module) return TSR_ERROR_USAGE;
  TSR_GUARD(module->ctx, return TSR_ERROR_MEMORY);
  module->ctx->errors = 0;
  bool ok = ir_verify(module);
  TSR_UNGUARD(module->ctx);
  return ok ? TSR_OK : TSR_ERROR_INPUT;
}

/* ---- printing -------------------------------------------------------------------------------- */

char *tsr_module_print(tsr_module *module, size_t *length) {
  if (length) *length = 0;
  if (!module) return NULL;
  tsr_context *ctx = module->ctx;
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, arena_free(&a); return NULL);
  sbuf text = SBUF(&a);
  text_print(&text, module);
  char *out = ctx_string_take(&text);
  if (length) *length = text.len;
  TSR_UNGUARD(ctx);
  arena_free(&a);
  return out;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const ir_op *next_kernel(const ir_op *op) {
  while (op && op->opcode != OP_entry) op = op->next;
  return op;
}

static const ir_op *first_kernel(const tsr_module *m) {
  const ir_block *body = m ? ir_region(m->op, 0) : NULL;
  return body ? next_kernel(body->first) : NULL;
}

size_t tsr_module_kernel_count(const tsr_module *module) {
  size_t n = 0;
  for (const ir_op *op = first_kernel(module); op; op = next_kernel(op->next)) n++;
  return n;
}

const char *tsr_module_kernel_name(const tsr_module *module, size_t index) {
  for (const ir_op *op = first_kernel(module); op; op = next_kernel(op->next))
    if (index-- == 0) return ir_symbol_name(op).data;
  return NULL;
}

int tsr_module_kernel_parameters(const tsr_module *module, const char *kernel, tsr_parameter *out,
                                 size_t capacity) {
  const ir_op *op = first_kernel(module);
  while (op && kernel && !str_is(ir_symbol_name(op), kernel)) op = next_kernel(op->next);
  const ir_block *body = op && kernel ? ir_region(op, 0) : NULL;
  if (!body) return -1;
  for (uint32_t i = 0; i < body->n_args && i < capacity && out; i++) {
    const ir_type *t = body->args[i].type;
    bool pointer = t->elem == TSR_PTR;
    out[i] = (tsr_parameter){.name = body->args[i].name,
                             .is_pointer = pointer,
                             .elem = (tsr_elem)(pointer ? t->pointee : t->elem)};
  }
  return (int)body->n_args;
}
