/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writer's debug information: what locations and scopes say, each thing once. A place in a file
 * without a debug scope counts as unknown, as in the reference.
 */
#include "bytecode/write.h"

typedef struct debug_item {
  debug_tag tag;
  uint32_t a, b; /* numbers of other entries */
  uint32_t line, column, scope_line;
  str first, second; /* names */
} debug_item;

/* A location, or a scope (1 + its index). */
typedef struct node {
  bool scope;
  uint32_t index;
} node;

typedef VEC(node) node_stack;

void debug_begin(writer *w) {
  const ir_module *m = w->m;
  w->loc_numbers = arena_alloc_zero(&w->temp, m->locs.len * sizeof(uint32_t), 4);
  w->scope_numbers = arena_alloc_zero(&w->temp, (m->scopes.len + 1) * sizeof(uint32_t), 4);
  w->checked_locs = arena_alloc_zero(&w->temp, m->locs.len, 1);
}

/* ---- entries --------------------------------------------------------------------------------- */

static str text_or_empty(const char *s) {
  return str_of(s ? s : "");
}

static uint32_t add_item(writer *w, const debug_item *item) {
  sbuf *s = &w->scratch;
  s->len = 0;
  uint32_t numbers[] = {item->tag,
                        item->a,
                        item->b,
                        item->line,
                        item->column,
                        item->scope_line,
                        (uint32_t)item->first.len};
  sbuf_add(s, (const char *)numbers, sizeof numbers);
  if (item->first.len) sbuf_str(s, item->first);
  if (item->second.len) sbuf_str(s, item->second);
  const uintptr_t *known = strmap_get(&w->debug, (str){s->data, s->len});
  if (known) return (uint32_t)*known;
  debug_item *copy = arena_new(&w->temp, debug_item);
  *copy = *item;
  vec_push(&w->temp, w->debug_list, copy);
  str key = arena_str(&w->temp, (str){s->data, s->len});
  *strmap_put(&w->temp, &w->debug, key, NULL) = w->debug_list.len;
  return w->debug_list.len;
}

/* Not an entry of its own: nothing is known, or nothing that bytecode could say. */
static bool is_unknown(const writer *w, ir_loc loc) {
  if (loc == 0 || loc >= w->m->locs.len) return true;
  uint8_t kind = w->m->locs.data[loc].kind;
  return kind == IR_LOC_UNKNOWN || kind == IR_LOC_FILE;
}

static uint32_t *number_of(const writer *w, node n) {
  return n.scope ? &w->scope_numbers[n.index] : &w->loc_numbers[n.index];
}

/* The number behind a reference; 0 for an unknown location. */
static uint32_t entry_of(const writer *w, node n) {
  if (n.scope ? n.index == 0 : is_unknown(w, n.index)) return 0;
  return *number_of(w, n) - 1;
}

/* What must be numbered before `n`, in order. */
static unsigned list_kids(const writer *w, node n, node kids[2]) {
  if (!n.scope) {
    const ir_loc_info *l = &w->m->locs.data[n.index];
    if (l->kind == IR_LOC_DEBUG)
      kids[0] = (node){true, l->scope};
    else {
      kids[0] = (node){false, l->inner};
      kids[1] = (node){false, l->outer};
    }
    return l->kind == IR_LOC_DEBUG ? 1 : 2;
  }
  const ir_scope *s = &w->m->scopes.data[n.index - 1];
  switch ((ir_scope_kind)s->kind) {
  case IR_SCOPE_FILE: return 0;
  case IR_SCOPE_UNIT: kids[0] = (node){true, s->file}; return 1;
  case IR_SCOPE_BLOCK:
    kids[0] = (node){true, s->parent};
    kids[1] = (node){true, s->file};
    return 2;
  case IR_SCOPE_SUBPROGRAM:
    kids[0] = (node){true, s->file};
    kids[1] = (node){true, s->unit};
    return 2;
  }
  return 0;
}

static debug_item describe_scope(const writer *w, const ir_scope *s) {
  debug_item item = {.line = s->line, .column = s->column, .scope_line = s->scope_line};
  uint32_t file = entry_of(w, (node){true, s->file});
  switch ((ir_scope_kind)s->kind) {
  case IR_SCOPE_FILE:
    return (debug_item){
        .tag = DEBUG_FILE, .first = text_or_empty(s->name), .second = text_or_empty(s->directory)};
  case IR_SCOPE_UNIT: return (debug_item){.tag = DEBUG_COMPILE_UNIT, .a = file};
  case IR_SCOPE_BLOCK:
    item.tag = DEBUG_LEXICAL_BLOCK;
    item.a = entry_of(w, (node){true, s->parent});
    item.b = file;
    item.scope_line = 0;
    return item;
  case IR_SCOPE_SUBPROGRAM:
    item.tag = DEBUG_SUBPROGRAM;
    item.a = file;
    item.b = entry_of(w, (node){true, s->unit});
    item.column = 0;
    item.first = text_or_empty(s->name);
    item.second = text_or_empty(s->linkage_name);
    break;
  }
  return item;
}

static debug_item describe_location(const writer *w, const ir_loc_info *l) {
  if (l->kind == IR_LOC_CALLSITE)
    return (debug_item){.tag = DEBUG_CALL_SITE,
                        .a = entry_of(w, (node){false, l->inner}),
                        .b = entry_of(w, (node){false, l->outer})};
  const ir_loc_info *file = &w->m->locs.data[l->inner];
  return (debug_item){.tag = DEBUG_LOCATION,
                      .a = entry_of(w, (node){true, l->scope}),
                      .line = file->line,
                      .column = file->column,
                      .first = text_or_empty(file->file)};
}

/* ---- numbering ------------------------------------------------------------------------------- */

/* Whether bytecode has this kind of location; reports when not. */
static bool check_location(writer *w, ir_loc loc) {
  const ir_loc_info *l = &w->m->locs.data[loc];
  const char *what = "a call site";
  switch ((ir_loc_kind)l->kind) {
  case IR_LOC_CALLSITE: return true;
  case IR_LOC_DEBUG:
    if (l->inner < w->m->locs.len && w->m->locs.data[l->inner].kind == IR_LOC_FILE) return true;
    what = "a di_loc that holds no \"file\":line:column";
    break;
  case IR_LOC_FUSED: what = "a fused location"; break;
  case IR_LOC_NAMED: what = "a named location"; break;
  case IR_LOC_UNKNOWN:
  case IR_LOC_FILE: return true;
  }
  write_fail(w,
             "the location of %s is %s, which bytecode cannot hold; use a di_loc or a call site "
             "of such",
             ir_row(w->op)->name, what);
  return false;
}

/* Numbers a location and all that it refers to. Not recursive: chains may be long. */
static uint32_t number_location(writer *w, ir_loc loc) {
  node_stack stack = {0};
  if (is_unknown(w, loc)) return 0;
  if (w->loc_numbers[loc]) return w->loc_numbers[loc] - 1;
  vec_push(&w->temp, stack, (node){false, loc});
  while (stack.len) {
    node n = vec_last(stack), kids[2];
    uint32_t height = stack.len;
    if (!n.scope && !check_location(w, n.index)) return 0;
    unsigned count = *number_of(w, n) ? 0 : list_kids(w, n, kids);
    for (unsigned k = 0; k < count && stack.len == height; k++) {
      if (kids[k].scope ? kids[k].index == 0 : is_unknown(w, kids[k].index)) continue;
      if (!*number_of(w, kids[k])) vec_push(&w->temp, stack, kids[k]);
    }
    if (stack.len > height) continue;
    stack.len--;
    if (*number_of(w, n)) continue;
    debug_item item = n.scope ? describe_scope(w, &w->m->scopes.data[n.index - 1])
                              : describe_location(w, &w->m->locs.data[n.index]);
    *number_of(w, n) = add_item(w, &item) + 1;
  }
  return w->loc_numbers[loc] - 1;
}

/* The same for all locations in a location that is not written: its function has none. Each is
 * looked at once, for they may be shared. */
static void check_unwritten(writer *w, ir_loc loc) {
  node_stack stack = {0};
  if (is_unknown(w, loc) || w->checked_locs[loc]) return;
  vec_push(&w->temp, stack, (node){false, loc});
  while (stack.len) {
    node n = vec_pop(stack);
    if (is_unknown(w, n.index) || w->checked_locs[n.index]) continue;
    w->checked_locs[n.index] = 1;
    if (!check_location(w, n.index)) return;
    const ir_loc_info *l = &w->m->locs.data[n.index];
    if (l->kind != IR_LOC_CALLSITE) continue;
    vec_push(&w->temp, stack, (node){false, l->outer});
    vec_push(&w->temp, stack, (node){false, l->inner});
  }
}

uint32_t debug_function(writer *w, const ir_op *op) {
  if (is_unknown(w, op->loc)) return 0;
  location_list list = {0};
  vec_push(&w->temp, list, number_location(w, op->loc));
  vec_push(&w->temp, w->locations, list);
  return w->locations.len;
}

void debug_operation(writer *w, location_list *list, const ir_op *op) {
  if (list)
    vec_push(&w->temp, *list, number_location(w, op->loc));
  else
    check_unwritten(w, op->loc);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

bool debug_is_empty(const writer *w) {
  return !w->locations.len && !w->debug_list.len;
}

static void put_item(writer *w, sbuf *b, const debug_item *e) {
  put_varint(b, e->tag);
  switch (e->tag) {
  case DEBUG_UNKNOWN: break;
  case DEBUG_COMPILE_UNIT: put_varint(b, e->a); break;
  case DEBUG_FILE:
    put_varint(b, string_number(w, e->first));
    put_varint(b, string_number(w, e->second));
    break;
  case DEBUG_LEXICAL_BLOCK:
    put_varint(b, e->a);
    put_varint(b, e->b);
    put_varint(b, e->line);
    put_varint(b, e->column);
    break;
  case DEBUG_LOCATION:
    put_varint(b, e->a);
    put_varint(b, string_number(w, e->first));
    put_varint(b, e->line);
    put_varint(b, e->column);
    break;
  case DEBUG_SUBPROGRAM:
    put_varint(b, e->a);
    put_varint(b, e->line);
    put_varint(b, string_number(w, e->first));
    put_varint(b, string_number(w, e->second));
    put_varint(b, e->b);
    put_varint(b, e->scope_line);
    if (w->version >= V13_5) put_varint(b, 0); /* flags, of which none is used */
    break;
  case DEBUG_CALL_SITE:
    put_varint(b, e->a);
    put_varint(b, e->b);
    break;
  }
}

void put_debug_section(writer *w, sbuf *b) {
  uint64_t total = 0;
  put_varint(b, w->locations.len);
  put_padding(b, 4);
  for (uint32_t i = 0; i < w->locations.len; i++) {
    put_int(b, total, 4);
    total += w->locations.data[i].len;
  }
  put_varint(b, total);
  put_padding(b, 8);
  for (uint32_t i = 0; i < w->locations.len; i++)
    for (uint32_t k = 0; k < w->locations.data[i].len; k++)
      put_int(b, w->locations.data[i].data[k], 8);
  sbuf data = SBUF(&w->temp);
  put_varint(b, w->debug_list.len);
  put_padding(b, 4);
  for (uint32_t i = 0; i < w->debug_list.len; i++) {
    put_int(b, data.len, 4);
    put_item(w, &data, w->debug_list.data[i]);
  }
  if (data.len) sbuf_add(b, data.data, data.len);
}
