/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader's debug information. Entries refer to each other in any order, so they are read in two
 * rounds: the first gives each its place in the module's tables, the second fills it in. A third
 * makes sure that there are no circles.
 */
#include "bytecode/read.h"

/* Numbers of entries and locations count from 1; 0 is the unknown location. */

static bool is_scope_tag(unsigned tag) {
  return tag == DEBUG_COMPILE_UNIT || tag == DEBUG_FILE || tag == DEBUG_LEXICAL_BLOCK ||
         tag == DEBUG_SUBPROGRAM;
}

/* ---- fields ---------------------------------------------------------------------------------- */

#define BIT_OF(tag) (1u << (tag))

/* A reference to an entry of one of the kinds in `mask`. */
static bool read_reference(reader *r, cursor *c, debug_entry *e, unsigned kid, unsigned mask,
                           const char *what) {
  cursor start = *c;
  uint32_t index;
  if (!read_index(r, c, (uint64_t)r->debug.n + 1, "debug entry", &index)) return false;
  unsigned tag = index ? r->debug_entries[index - 1].tag : DEBUG_UNKNOWN;
  if (!(mask & BIT_OF(tag))) return read_fail(r, &start, "debug entry %u is not %s", index, what);
  e->kids[kid] = index;
  return true;
}

static uint32_t kid_place(const reader *r, const debug_entry *e, unsigned kid) {
  return e->kids[kid] ? r->debug_entries[e->kids[kid] - 1].at : 0;
}

static bool read_line(reader *r, cursor *c, uint32_t *out) {
  cursor start = *c;
  uint64_t v;
  if (!read_varint(r, c, &v)) return false;
  if (v > UINT32_MAX) return read_fail(r, &start, "this line or column does not fit 32 bits");
  *out = (uint32_t)v;
  return true;
}

static bool read_text(reader *r, cursor *c, const char **out) {
  str s;
  if (!read_string(r, c, &s)) return false;
  *out = s.data;
  return true;
}

enum {
  FILE_MASK = BIT_OF(DEBUG_FILE),
  UNIT_MASK = BIT_OF(DEBUG_COMPILE_UNIT),
  SCOPE_MASK = BIT_OF(DEBUG_SUBPROGRAM) | BIT_OF(DEBUG_LEXICAL_BLOCK),
  LOCATION_MASK = BIT_OF(DEBUG_UNKNOWN) | BIT_OF(DEBUG_LOCATION) | BIT_OF(DEBUG_CALL_SITE),
};

static const char a_file[] = "a file", a_unit[] = "a compile unit",
                  a_scope[] = "a subprogram or a lexical block", a_location[] = "a location";

/* ---- the entries ----------------------------------------------------------------------------- */

static bool fill_scope(reader *r, cursor *c, debug_entry *e) {
  ir_scope s = r->m->scopes.data[e->at - 1];
  uint64_t flags;
  bool ok = false;
  switch ((debug_tag)e->tag) {
  case DEBUG_FILE: ok = read_text(r, c, &s.name) && read_text(r, c, &s.directory); break;
  case DEBUG_COMPILE_UNIT: ok = read_reference(r, c, e, 0, FILE_MASK, a_file); break;
  case DEBUG_LEXICAL_BLOCK:
    ok = read_reference(r, c, e, 1, SCOPE_MASK, a_scope) &&
         read_reference(r, c, e, 0, FILE_MASK, a_file) && read_line(r, c, &s.line) &&
         read_line(r, c, &s.column);
    s.parent = kid_place(r, e, 1);
    break;
  case DEBUG_SUBPROGRAM:
    ok = read_reference(r, c, e, 0, FILE_MASK, a_file) && read_line(r, c, &s.line) &&
         read_text(r, c, &s.name) && read_text(r, c, &s.linkage_name) &&
         read_reference(r, c, e, 1, UNIT_MASK, a_unit) && read_line(r, c, &s.scope_line) &&
         (r->version < V13_5 || read_varint(r, c, &flags)); /* of which none is used */
    s.unit = kid_place(r, e, 1);
    break;
  default: break;
  }
  if (s.kind != IR_SCOPE_FILE) s.file = kid_place(r, e, 0);
  r->m->scopes.data[e->at - 1] = s;
  return ok;
}

static bool fill_location(reader *r, cursor *c, debug_entry *e) {
  ir_loc_info info = {.kind = IR_LOC_UNKNOWN};
  if (e->tag == DEBUG_LOCATION) {
    ir_loc_info file = {.kind = IR_LOC_FILE};
    if (!read_reference(r, c, e, 0, SCOPE_MASK, a_scope) || !read_text(r, c, &file.file) ||
        !read_line(r, c, &file.line) || !read_line(r, c, &file.column))
      return false;
    info = (ir_loc_info){.kind = IR_LOC_DEBUG, .scope = kid_place(r, e, 0)};
    info.inner = ir_loc_add(r->m, file);
  } else if (e->tag == DEBUG_CALL_SITE) {
    if (!read_reference(r, c, e, 0, LOCATION_MASK, a_location) ||
        !read_reference(r, c, e, 1, LOCATION_MASK, a_location))
      return false;
    info = (ir_loc_info){
        .kind = IR_LOC_CALLSITE, .inner = kid_place(r, e, 0), .outer = kid_place(r, e, 1)};
  }
  r->m->locs.data[e->at] = info;
  return true;
}

static bool place_entry(reader *r, uint32_t i) {
  static const uint8_t kinds[] = {[DEBUG_FILE] = IR_SCOPE_FILE,
                                  [DEBUG_COMPILE_UNIT] = IR_SCOPE_UNIT,
                                  [DEBUG_LEXICAL_BLOCK] = IR_SCOPE_BLOCK,
                                  [DEBUG_SUBPROGRAM] = IR_SCOPE_SUBPROGRAM};
  cursor item;
  uint64_t tag;
  if (!offset_table_item(r, &r->debug, i, "debug entry", &item) || !read_varint(r, &item, &tag))
    return false;
  /* Kinds that we do not know are locations that we do not know. */
  debug_entry *e = &r->debug_entries[i];
  e->tag = tag <= DEBUG_CALL_SITE ? (uint8_t)tag : DEBUG_UNKNOWN;
  if (is_scope_tag(e->tag)) {
    vec_push(&r->m->arena, r->m->scopes, (ir_scope){.kind = kinds[e->tag]});
    e->at = r->m->scopes.len;
  } else if (e->tag != DEBUG_UNKNOWN) {
    e->at = ir_loc_add(r->m, (ir_loc_info){.kind = IR_LOC_UNKNOWN});
  }
  return true;
}

static bool fill_entry(reader *r, uint32_t i) {
  debug_entry *e = &r->debug_entries[i];
  cursor item;
  uint64_t tag;
  if (e->tag == DEBUG_UNKNOWN) return true;
  if (!offset_table_item(r, &r->debug, i, "debug entry", &item) || !read_varint(r, &item, &tag))
    return false;
  return is_scope_tag(e->tag) ? fill_scope(r, &item, e) : fill_location(r, &item, e);
}

/* ---- circles --------------------------------------------------------------------------------- */

/* Depth first, not recursive: chains may be as long as the file. */
static bool check_circles(reader *r) {
  enum { NEW, OPEN, DONE };
  uint32_t top = 0, *stack = arena_array(&r->temp, uint32_t, r->debug.n);
  for (uint32_t root = 0; root < r->debug.n; root++) {
    if (r->debug_entries[root].state != NEW) continue;
    stack[top++] = root;
    while (top) {
      debug_entry *e = &r->debug_entries[stack[top - 1]], *down = NULL;
      e->state = OPEN;
      for (int k = 0; k < 2 && !down; k++) {
        debug_entry *kid = e->kids[k] ? &r->debug_entries[e->kids[k] - 1] : NULL;
        if (!kid || kid->state == DONE) continue;
        if (kid->state == OPEN)
          return read_fail(r, &r->debug.data, "debug entry %u refers to itself",
                           (uint32_t)(kid - r->debug_entries) + 1);
        down = kid;
      }
      if (down)
        stack[top++] = (uint32_t)(down - r->debug_entries);
      else {
        e->state = DONE;
        top--;
      }
    }
  }
  return true;
}

/* ---- the section ----------------------------------------------------------------------------- */

/* A count and as many numbers of `width` bytes. */
static bool read_array(reader *r, cursor *c, unsigned width, const char *what, const uint8_t **data,
                       uint64_t *n) {
  cursor start = *c;
  if (!read_varint(r, c, n) || !skip_padding(r, c, width)) return false;
  if ((uint64_t)(c->end - c->p) / width < *n)
    return read_fail(r, &start, "there cannot be %llu %s in %zu bytes", (unsigned long long)*n,
                     what, (size_t)(c->end - c->p));
  *data = c->p;
  c->p += *n * width;
  return true;
}

bool read_debug_section(reader *r) {
  if (!r->present[SECTION_DEBUG]) return true;
  cursor c = r->sections[SECTION_DEBUG];
  if (!read_array(r, &c, 4, "functions", &r->function_offsets, &r->n_debug_functions) ||
      !read_array(r, &c, 8, "locations", &r->locations, &r->n_locations) ||
      !read_offset_table(r, c, 4, "debug entry", &r->debug))
    return false;
  r->debug_entries =
      arena_alloc_zero(&r->temp, r->debug.n * sizeof(debug_entry), _Alignof(debug_entry));
  for (uint32_t i = 0; i < r->debug.n; i++)
    if (!place_entry(r, i)) return false;
  for (uint32_t i = 0; i < r->debug.n; i++)
    if (!fill_entry(r, i)) return false;
  return check_circles(r);
}

/* ---- locations of operations ----------------------------------------------------------------- */

static uint32_t function_offset(const reader *r, uint64_t index) {
  uint32_t v;
  memcpy(&v, r->function_offsets + 4 * index, 4);
  return v;
}

bool begin_locations(reader *r, cursor *c, uint64_t index, ir_loc *out) {
  *out = 0;
  r->has_locations = index > 0;
  if (!r->has_locations) return true;
  if (index > r->n_debug_functions)
    return read_fail(r, c, "there are no locations for function %llu; the file has those of %llu",
                     (unsigned long long)index, (unsigned long long)r->n_debug_functions);
  r->next_location = function_offset(r, index - 1);
  r->end_location = index < r->n_debug_functions ? function_offset(r, index) : r->n_locations;
  if (r->next_location > r->end_location || r->end_location > r->n_locations)
    return read_fail(r, c,
                     "the locations of function %llu go from %llu to %llu, but there are %llu",
                     (unsigned long long)index, (unsigned long long)r->next_location,
                     (unsigned long long)r->end_location, (unsigned long long)r->n_locations);
  return next_location(r, c, out);
}

bool next_location(reader *r, const cursor *c, ir_loc *out) {
  *out = 0;
  if (!r->has_locations) return true;
  if (r->next_location == r->end_location)
    return read_fail(r, c, "the debug section has no location for this operation");
  uint64_t index;
  memcpy(&index, r->locations + 8 * r->next_location++, 8);
  if (index == 0) return true;
  if (index > r->debug.n)
    return read_fail(r, c, "the location of this operation is debug entry %llu, but there are %u",
                     (unsigned long long)index, r->debug.n);
  const debug_entry *e = &r->debug_entries[index - 1];
  if (is_scope_tag(e->tag))
    return read_fail(r, c, "the location of this operation is debug entry %llu, which is a scope",
                     (unsigned long long)index);
  *out = e->at;
  return true;
}
