/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writer: header, sections, globals, functions.
 */
#include "bytecode/write.h"

/* ---- messages -------------------------------------------------------------------------------- */

void write_fail(writer *w, const char *fmt, ...) {
  va_list args;
  w->failed = true;
  if (write_stopped(w)) return;
  va_start(args, fmt);
  diag_v(w->ctx, TSR_ERROR, ir_place(w->m, w->op->loc), fmt, args);
  va_end(args);
}

void write_refuse(writer *w, const char *what, unsigned since) {
  if (since == IN_NO_VERSION) {
    write_fail(w, "this %s is Tessera's extension of the language; bytecode cannot hold it", what);
    return;
  }
  write_fail(w, "%s needs bytecode version 13.%u; version 13.%u was asked for", what, since,
             w->version);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void put_int(sbuf *b, uint64_t v, unsigned width) {
  sbuf_add(b, (const char *)&v, width); /* little-endian hosts only, as all of us */
}

void put_padding(sbuf *b, unsigned alignment) {
  while (b->len % alignment) put_byte(b, PADDING_BYTE);
}

static void put_section(sbuf *out, unsigned id, const sbuf *data) {
  unsigned alignment = section_alignment(id);
  put_byte(out, (uint8_t)(id | (alignment > 1 ? SECTION_ALIGNED : 0)));
  put_varint(out, data->len);
  if (alignment > 1) {
    put_varint(out, alignment);
    put_padding(out, alignment);
  }
  if (data->len) sbuf_add(out, data->data, data->len);
}

static void put_header(const writer *w, sbuf *out) {
  sbuf_add(out, bytecode_magic, MAGIC_SIZE);
  put_byte(out, VERSION_MAJOR);
  put_byte(out, (uint8_t)w->version);
  put_int(out, 0, 2);
}

/* ---- globals --------------------------------------------------------------------------------- */

static const char *global_text(writer *w, const ir_op *op, const char *what) {
  return arena_printf(&w->temp, "%s of global @" STR_FMT, what, STR_ARG(ir_symbol_name(op)));
}

static void put_global(writer *w, sbuf *b, const ir_op *op) {
  const ir_dense *value = ir_get_attr(op, ATTR_value)->dense;
  int64_t visibility = ir_int_attr(op, ATTR_symbol_visibility);
  bool constant = ir_int_attr(op, ATTR_constant);
  w->op = op;
  put_varint(b, string_number(w, ir_symbol_name(op)));
  put_varint(b, type_number(w, value->type));
  put_varint(b, constant_number(w, value));
  put_varint(b, (uint64_t)ir_int_attr(op, ATTR_alignment));
  if (w->version >= V13_3) {
    put_varint(b, (uint64_t)visibility);
    put_varint(b, constant);
    return;
  }
  if (visibility != VISIBILITY_PUBLIC) write_refuse(w, global_text(w, op, "the visibility"), V13_3);
  if (constant) write_refuse(w, global_text(w, op, "the flag 'constant'"), V13_3);
}

static void put_globals(writer *w, sbuf *out) {
  uint32_t n = 0;
  sbuf b = SBUF(&w->temp);
  const ir_op *first = ir_region(w->m->op, 0)->first;
  for (const ir_op *op = first; op; op = op->next) n += op->opcode == OP_global;
  if (!n) return;
  put_varint(&b, n);
  for (const ir_op *op = first; op && !write_stopped(w); op = op->next)
    if (op->opcode == OP_global) put_global(w, &b, op);
  put_section(out, SECTION_GLOBALS, &b);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* What stands before a function's body; all of them are numbered before the first body. */
typedef struct function_head {
  const ir_op *op;
  uint32_t name, type, locations;
} function_head;

typedef VEC(function_head) function_list;

static void collect_functions(writer *w, function_list *v) {
  for (const ir_op *op = ir_region(w->m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    w->op = op;
    function_head h = {.op = op};
    h.name = string_number(w, ir_symbol_name(op));
    h.type = type_number(w, ir_get_attr(op, ATTR_function_type)->type);
    h.locations = debug_function(w, op);
    vec_push(&w->temp, *v, h);
  }
}

static void put_function(writer *w, sbuf *b, const function_head *h, sbuf *body) {
  const ir_attr *hints = ir_get_attr(h->op, ATTR_optimization_hints);
  if (hints && !hints->hints->len) hints = NULL; /* as if it had none: text doesn't show them */
  bool always = w->version >= V13_5;
  w->op = h->op;
  w->function = h->locations ? &w->locations.data[h->locations - 1] : NULL;
  put_varint(b, h->name);
  put_varint(b, h->type);
  put_byte(b, (uint8_t)(FUNCTION_KERNEL | (hints && !always ? FUNCTION_HINTS : 0)));
  put_varint(b, h->locations);
  if (hints || always) put_varint(b, ATTRIBUTE_HINTS);
  if (hints)
    put_hints(w, b, hints->hints);
  else if (always)
    put_varint(b, 0);
  if (always) { /* no attributes of arguments */
    put_varint(b, ATTRIBUTE_ARRAY);
    put_varint(b, 0);
  }
  body->len = 0;
  put_body(w, body, ir_region(h->op, 0));
  put_varint(b, body->len);
  if (body->len) sbuf_add(b, body->data, body->len); /* empty after an error */
}

static void put_functions(writer *w, sbuf *out, const function_list *v) {
  sbuf b = SBUF(&w->temp), body = SBUF(&w->temp);
  put_varint(&b, v->len);
  for (uint32_t i = 0; i < v->len && !write_stopped(w); i++)
    put_function(w, &b, &v->data[i], &body);
  put_padding(&b, section_alignment(SECTION_FUNCTIONS));
  put_section(out, SECTION_FUNCTIONS, &b);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Versions before 13.3 have no place for it; nothing depends on it. */
static void put_producer(writer *w, sbuf *out) {
  const ir_attr *producer = ir_get_attr(w->m->op, ATTR_producer);
  if (!producer || w->version < V13_3) return;
  sbuf b = SBUF(&w->temp);
  put_varint(&b, string_number(w, producer->s));
  put_section(out, SECTION_PRODUCER, &b);
}

static void write_module(writer *w, sbuf *out) {
  function_list functions = {0};
  sbuf b = SBUF(&w->temp);
  put_header(w, out);
  debug_begin(w);
  collect_functions(w, &functions);
  put_globals(w, out);
  put_functions(w, out, &functions);
  if (w->failed) return;
  if (w->constant_list.len) {
    put_constant_section(w, &b);
    put_section(out, SECTION_CONSTANTS, &b);
  }
  if (!debug_is_empty(w)) {
    b.len = 0;
    put_debug_section(w, &b);
    put_section(out, SECTION_DEBUG, &b);
  }
  b.len = 0;
  put_type_section(w, &b);
  put_section(out, SECTION_TYPES, &b);
  put_producer(w, out);
  b.len = 0;
  put_string_section(w, &b);
  put_section(out, SECTION_STRINGS, &b);
  put_byte(out, SECTION_END);
}

bool bytecode_write(sbuf *out, ir_module *m, ir_version version) {
  writer *w = ctx_alloc(m->ctx, sizeof *w);
  memset(w, 0, sizeof *w);
  w->ctx = m->ctx;
  w->m = m;
  w->op = m->op;
  w->version = version;
  arena_init(&w->temp, m->ctx);
  w->scratch = SBUF(&w->temp);
  TSR_GUARD(m->ctx, {
    arena_free(&w->temp);
    ctx_free(m->ctx, w, sizeof *w);
    ctx_unwind(m->ctx);
  });
  op_layouts_init(&w->layouts);
  w->type_numbers = arena_alloc_zero(&w->temp, (m->n_types + 1) * sizeof(uint32_t), 4);
  write_module(w, out);
  bool ok = !w->failed;
  TSR_UNGUARD(m->ctx);
  arena_free(&w->temp);
  ctx_free(m->ctx, w, sizeof *w);
  return ok;
}
