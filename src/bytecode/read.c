/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader: header, sections, strings, globals, functions.
 */
#include "bytecode/read.h"

/* ---- messages -------------------------------------------------------------------------------- */

bool read_fail(reader *r, const cursor *c, const char *fmt, ...) {
  va_list args;
  sbuf text = SBUF(&r->temp);
  sbuf_printf(&text, "byte %zu", (size_t)(c->p - r->file));
  if (c->section < SECTION_COUNT)
    sbuf_printf(&text, ", in the %s section", section_name(c->section));
  sbuf_puts(&text, ": ");
  va_start(args, fmt);
  sbuf_vprintf(&text, fmt, args);
  va_end(args);
  diag_error(r->ctx, (place){.file = r->name}, "%s", text.data);
  return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool fail_end(reader *r, const cursor *c, const char *what) {
  return read_fail(r, c, "%s ends before %s", c->section < SECTION_COUNT ? "the data" : "the file",
                   what);
}

bool read_varint_slow(reader *r, cursor *c, uint64_t *out) {
  uint64_t value = 0;
  const uint8_t *p = c->p;
  for (unsigned shift = 0;; shift += 7) {
    if (p == c->end) return fail_end(r, c, "the end of a number");
    uint64_t seven = *p & 0x7f;
    if (shift > 63 || (shift == 63 && seven > 1))
      return read_fail(r, c, "this number does not fit 64 bits");
    value |= seven << shift;
    if (!(*p++ & 0x80)) break;
  }
  c->p = p;
  *out = value;
  return true;
}

bool read_signed(reader *r, cursor *c, int64_t *out) {
  uint64_t u;
  if (!read_varint(r, c, &u)) return false;
  *out = (int64_t)(u >> 1 ^ (0 - (u & 1)));
  return true;
}

bool read_byte(reader *r, cursor *c, uint8_t *out) {
  if (c->p == c->end) return fail_end(r, c, "this byte");
  *out = *c->p++;
  return true;
}

bool read_index(reader *r, cursor *c, uint64_t limit, const char *what, uint32_t *out) {
  cursor start = *c;
  uint64_t value;
  if (!read_varint(r, c, &value)) return false;
  if (value >= limit)
    return read_fail(r, &start, "there is no %s %llu; the file has %llu", what,
                     (unsigned long long)value, (unsigned long long)limit);
  *out = (uint32_t)value;
  return true;
}

static int64_t load_int(const uint8_t *p, unsigned width) {
  uint64_t v = 0;
  memcpy(&v, p, width);
  return (int64_t)(v << (64 - 8 * width)) >> (64 - 8 * width);
}

bool read_int_list(reader *r, cursor *c, unsigned width, uint32_t max, const char *what,
                   int64_t **out, uint32_t *n) {
  cursor start = *c;
  uint64_t count;
  if (!read_varint(r, c, &count)) return false;
  if (count > max)
    return read_fail(r, &start, "%s has %llu numbers; at most %u are accepted", what,
                     (unsigned long long)count, max);
  if ((uint64_t)(c->end - c->p) / width < count)
    return fail_end(r, &start, "the list it announces");
  *out = arena_array(&r->temp, int64_t, count);
  *n = (uint32_t)count;
  for (uint32_t i = 0; i < count; i++, c->p += width) (*out)[i] = load_int(c->p, width);
  return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Sections that need alignment lie at multiples of it, so offsets within them would do as well; but
 * the format counts from a section's start. */
bool skip_padding(reader *r, cursor *c, unsigned alignment) {
  const uint8_t *start = r->file;
  if (c->section < SECTION_COUNT) start = r->sections[c->section].p;
  size_t padding = (0 - (size_t)(c->p - start)) & (alignment - 1);
  if ((size_t)(c->end - c->p) < padding) return fail_end(r, c, "the padding");
  c->p += padding;
  return true;
}

bool read_offset_table(reader *r, cursor c, unsigned width, const char *what, offset_table *out) {
  cursor start = c;
  uint64_t n;
  if (!read_varint(r, &c, &n)) return false;
  *out = (offset_table){.data = c, .width = (uint8_t)width};
  if (n == 0) return true;
  if (!skip_padding(r, &c, width)) return false;
  if ((uint64_t)(c.end - c.p) / width < n)
    return read_fail(r, &start, "there cannot be %llu %ss in %zu bytes", (unsigned long long)n,
                     what, (size_t)(c.end - c.p));
  out->offsets = c.p;
  out->n = (uint32_t)n;
  c.p += n * width;
  out->data = c;
  return true;
}

static uint64_t load_offset(const offset_table *t, uint32_t index) {
  uint64_t v = 0;
  memcpy(&v, t->offsets + (size_t)index * t->width, t->width);
  return v;
}

bool offset_table_item(reader *r, const offset_table *t, uint32_t index, const char *what,
                       cursor *out) {
  uint64_t size = (uint64_t)(t->data.end - t->data.p), begin = load_offset(t, index);
  uint64_t end = index + 1 < t->n ? load_offset(t, index + 1) : size;
  *out = (cursor){t->offsets + (size_t)index * t->width, t->data.end, t->data.section};
  if (begin > end || end > size)
    return read_fail(r, out, "%s %u goes from %llu to %llu, but there are %llu bytes", what, index,
                     (unsigned long long)begin, (unsigned long long)end, (unsigned long long)size);
  out->p = t->data.p + begin;
  out->end = t->data.p + end;
  return true;
}

/* ---- strings --------------------------------------------------------------------------------- */

bool read_string(reader *r, cursor *c, str *out) {
  uint32_t index = 0;
  if (!read_index(r, c, r->strings.n, "string", &index)) return false;
  str *cached = &r->string_cache[index];
  if (!cached->data) {
    cursor item;
    if (!offset_table_item(r, &r->strings, index, "string", &item)) return false;
    *cached = arena_str(&r->m->arena, (str){(const char *)item.p, (size_t)(item.end - item.p)});
  }
  *out = *cached;
  return true;
}

bool read_name(reader *r, cursor *c, str *out) {
  cursor start = *c;
  return read_string(r, c, out) && (out->len > 0 || read_fail(r, &start, "this name is empty"));
}

/* ---- header and sections --------------------------------------------------------------------- */

static bool read_header(reader *r, cursor *c) {
  str file = {(const char *)c->p, r->size};
  if (!bytecode_is(file))
    return read_fail(r, c, "this is no Tile IR bytecode: it does not begin with 7F 'TileIR' 00");
  if (r->size < HEADER_SIZE) {
    c->p = c->end;
    return fail_end(r, c, "the version");
  }
  c->p += MAGIC_SIZE;
  unsigned major = c->p[0], minor = c->p[1];
  if (major != VERSION_MAJOR || minor < BYTECODE_OLDEST || minor > BYTECODE_NEWEST)
    return read_fail(r, c, "this is bytecode of version %u.%u; versions 13.%d to 13.%d can be read",
                     major, minor, BYTECODE_OLDEST, BYTECODE_NEWEST);
  r->version = minor;
  /* Two more bytes tag a version without changing the format: bit 0 says that the file may have
   * preview operations, which are told by their numbers, too. */
  c->p += HEADER_SIZE - MAGIC_SIZE;
  return true;
}

/* The alignment field and the padding after it. */
static bool read_alignment(reader *r, cursor *c, unsigned id, bool aligned) {
  cursor start = *c;
  uint64_t alignment = 1;
  if (aligned && !read_varint(r, c, &alignment)) return false;
  if (alignment == 0 || alignment & (alignment - 1))
    return read_fail(r, &start, "the alignment %llu is no power of two",
                     (unsigned long long)alignment);
  if (alignment % section_alignment(id))
    return read_fail(r, &start, "the %s section must be aligned to %u bytes, but is to %llu",
                     section_name(id), section_alignment(id), (unsigned long long)alignment);
  uint64_t padding = (0 - (uint64_t)(c->p - r->file)) & (alignment - 1);
  if ((uint64_t)(c->end - c->p) < padding) return fail_end(r, c, "the padding of this section");
  c->p += padding;
  return true;
}

/* One section's header; its data is kept for later. `end` says that it was the last. */
static bool read_section(reader *r, cursor *c, bool *end) {
  cursor start = *c;
  uint8_t byte;
  uint64_t length;
  *end = false;
  if (c->p == c->end) return fail_end(r, c, "the section that ends it");
  byte = *c->p++;
  unsigned id = byte & ~SECTION_ALIGNED;
  if (byte == SECTION_END) {
    *end = true;
    return c->p == c->end || read_fail(r, c, "the file goes on behind the section that ends it");
  }
  if (id == SECTION_END || id >= SECTION_COUNT)
    return read_fail(r, &start, "there is no section of kind %u", byte);
  if (r->present[id])
    return read_fail(r, &start, "a second %s section; a file has one", section_name(id));
  cursor at = *c;
  if (!read_varint(r, c, &length) || !read_alignment(r, c, id, byte & SECTION_ALIGNED))
    return false;
  if (length > (uint64_t)(c->end - c->p))
    return read_fail(r, &at, "the %s section has %llu bytes, but %zu are left", section_name(id),
                     (unsigned long long)length, (size_t)(c->end - c->p));
  r->present[id] = true;
  r->sections[id] = (cursor){c->p, c->p + length, (uint8_t)id};
  c->p += length;
  return true;
}

static bool read_sections(reader *r, cursor *c) {
  bool end = false;
  while (!end)
    if (!read_section(r, c, &end)) return false;
  if (!r->present[SECTION_STRINGS]) return read_fail(r, c, "the file has no strings section");
  if (!r->present[SECTION_FUNCTIONS]) return read_fail(r, c, "the file has no functions section");
  return true;
}

static bool read_tables(reader *r) {
  cursor *s = r->sections;
  if (!read_offset_table(r, s[SECTION_STRINGS], 4, "string", &r->strings)) return false;
  r->string_cache = arena_alloc_zero(&r->temp, r->strings.n * sizeof(str), _Alignof(str));
  if (r->present[SECTION_TYPES] && !read_offset_table(r, s[SECTION_TYPES], 4, "type", &r->types))
    return false;
  r->type_cache = arena_alloc_zero(&r->temp, r->types.n * sizeof(ir_type *), _Alignof(ir_type *));
  if (r->present[SECTION_CONSTANTS] &&
      !read_offset_table(r, s[SECTION_CONSTANTS], 8, "constant", &r->constants))
    return false;
  r->forms = arena_alloc_zero(&r->temp, r->constants.n * sizeof(constant_form *),
                              _Alignof(constant_form *));
  return true;
}

/* ---- producer, globals ----------------------------------------------------------------------- */

static bool read_producer(reader *r) {
  if (!r->present[SECTION_PRODUCER]) return true;
  cursor c = r->sections[SECTION_PRODUCER];
  str s;
  if (!read_string(r, &c, &s)) return false;
  ir_set_attr(r->m->op, ATTR_producer, (ir_attr){.s = s});
  return true;
}

static ir_op *new_item(reader *r, op_code code, ir_loc loc) {
  ir_op *op = ir_op_create(
      r->m, &(ir_op_spec){.opcode = code, .loc = loc, .n_regions = r->layouts.ops[code].n_regions});
  ir_op_append(ir_region(r->m->op, 0), op);
  return op;
}

static bool read_global(reader *r, cursor *c) {
  str name;
  const ir_type *type;
  const ir_dense *value;
  uint32_t constant;
  uint64_t alignment, visibility = VISIBILITY_PUBLIC, is_constant = 0;
  if (!read_name(r, c, &name) || !read_type(r, c, &type)) return false;
  cursor at = *c;
  if (!read_index(r, c, r->constants.n, "constant", &constant) ||
      !constant_at(r, &at, constant, type, &value) || !read_varint(r, c, &alignment))
    return false;
  at = *c;
  if (r->version >= V13_3 && (!read_varint(r, c, &visibility) || !read_varint(r, c, &is_constant)))
    return false;
  if (visibility > VISIBILITY_PRIVATE)
    return read_fail(r, &at, "there is no visibility %llu; 0 is public, 1 private",
                     (unsigned long long)visibility);
  ir_op *op = new_item(r, OP_global, 0);
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = name});
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = value});
  ir_set_int(op, ATTR_alignment, (int64_t)alignment);
  ir_set_int(op, ATTR_symbol_visibility, (int64_t)visibility);
  if (is_constant) ir_set_int(op, ATTR_constant, 1);
  return true;
}

static bool read_globals(reader *r) {
  if (!r->present[SECTION_GLOBALS]) return true;
  cursor c = r->sections[SECTION_GLOBALS];
  uint64_t n;
  if (!read_varint(r, &c, &n)) return false;
  for (uint64_t i = 0; i < n; i++)
    if (!read_global(r, &c)) return false;
  return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool check_function_type(reader *r, const cursor *c, str name, const ir_type *t) {
  if (t->kind != IR_FUNCTION)
    return read_fail(r, c, "the type of function @" STR_FMT " is %s, which is no function type",
                     STR_ARG(name), ir_type_text(&r->temp, t));
  return t->n_results == 0 ||
         read_fail(r, c, "kernel @" STR_FMT " returns something; a kernel has no results",
                   STR_ARG(name));
}

static bool read_function_flags(reader *r, cursor *c, str name, uint8_t *flags) {
  cursor start = *c;
  if (!read_byte(r, c, flags)) return false;
  unsigned known = FUNCTION_PRIVATE | FUNCTION_KERNEL | (r->version < V13_5 ? FUNCTION_HINTS : 0);
  if (*flags & ~known)
    return read_fail(r, &start, "the flags 0x%x of function @" STR_FMT " are unknown", *flags,
                     STR_ARG(name));
  return *flags & FUNCTION_KERNEL ||
         read_fail(r, &start, "function @" STR_FMT " is no kernel; Tile IR has no other functions",
                   STR_ARG(name));
}

/* A dictionary for each argument, or none at all. The language has no attributes of arguments yet.
 */
static bool read_argument_attributes(reader *r, cursor *c, str name) {
  cursor start = *c;
  uint64_t tag, count, entries;
  if (!read_varint(r, c, &tag) || !read_varint(r, c, &count)) return false;
  if (tag != ATTRIBUTE_ARRAY)
    return read_fail(r, &start,
                     "the attributes of @" STR_FMT "'s arguments have tag %llu; "
                     "expected an array (6)",
                     STR_ARG(name), (unsigned long long)tag);
  for (uint64_t i = 0; i < count; i++) {
    start = *c;
    if (!read_varint(r, c, &tag) || !read_varint(r, c, &entries)) return false;
    if (tag != ATTRIBUTE_DICTIONARY || entries)
      return read_fail(r, &start, "argument %llu of @" STR_FMT " has attributes; none are known",
                       (unsigned long long)i, STR_ARG(name));
  }
  return true;
}

static bool read_function(reader *r, cursor *c) {
  str name;
  const ir_type *type;
  uint8_t flags = 0;
  uint64_t debug, length;
  ir_loc loc;
  ir_attr hints = {0};
  if (!read_name(r, c, &name)) return false;
  cursor at = *c;
  if (!read_type(r, c, &type) || !check_function_type(r, &at, name, type) ||
      !read_function_flags(r, c, name, &flags) || !read_varint(r, c, &debug) ||
      !begin_locations(r, c, debug, &loc))
    return false;
  bool has_hints = flags & FUNCTION_HINTS || r->version >= V13_5;
  if (has_hints && !read_tagged_hints(r, c, &hints)) return false;
  if (r->version >= V13_5 && !read_argument_attributes(r, c, name)) return false;
  at = *c;
  if (!read_varint(r, c, &length)) return false;
  if (length > (uint64_t)(c->end - c->p))
    return read_fail(r, &at, "the body of @" STR_FMT " has %llu bytes, but %zu are left",
                     STR_ARG(name), (unsigned long long)length, (size_t)(c->end - c->p));
  ir_op *op = new_item(r, OP_entry, loc);
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = name});
  ir_set_attr(op, ATTR_function_type, (ir_attr){.type = type});
  if (hints.hints && hints.hints->len) ir_set_attr(op, ATTR_optimization_hints, hints);
  cursor body = {c->p, c->p + length, c->section};
  c->p += length;
  ir_block *b = ir_region_create(r->m, op, 0, type->n_inputs, type->params);
  r->values.len = 0;
  for (uint32_t i = 0; i < b->n_args; i++) vec_push(&r->temp, r->values, &b->args[i]);
  return read_body(r, &body, op);
}

static bool read_functions(reader *r) {
  cursor c = r->sections[SECTION_FUNCTIONS];
  uint64_t n;
  if (!read_varint(r, &c, &n)) return false;
  for (uint64_t i = 0; i < n; i++)
    if (!read_function(r, &c)) return false;
  return true;
}

/* ---- the interface --------------------------------------------------------------------------- */

/* On its own, so that nothing of it lives across the guard. */
static __attribute__((noinline)) bool read_file(reader *r) {
  cursor c = {r->file, r->file + r->size, SECTION_COUNT};
  return read_header(r, &c) && read_sections(r, &c) && read_tables(r) && read_producer(r) &&
         read_debug_section(r) && read_globals(r) && read_functions(r);
}

bool bytecode_read_into(ir_module *m, str data, const char *name) {
  /* In the module's memory, so that it is known when memory runs out. */
  reader *r = arena_new(&m->arena, reader);
  source *src = arena_new(&m->arena, source);
  /* No text to quote, but messages about operations without a location can name the file. */
  *src = (source){.name = name, .text = {"", 0}};
  m->source = src;
  r->ctx = m->ctx;
  r->m = m;
  r->name = name;
  r->file = (const uint8_t *)data.data;
  r->size = data.len;
  m->ctx->errors = 0;
  arena_init(&r->temp, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&r->temp);
    ctx_unwind(m->ctx);
  });
  op_layouts_init(&r->layouts);
  bool ok = read_file(r);
  TSR_UNGUARD(m->ctx);
  arena_free(&r->temp);
  return ok;
}
