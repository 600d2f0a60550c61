/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Locations: loc("file.py":3:4), loc("name"(#loc1)), loc(callsite(#loc1 at #loc2)), #loc = loc(…).
 *
 * An alias may be used before its definition: it gets its place in the module's table at the first
 * use, and its contents when the definition comes.
 */
#include "ttir/reader.h"

static bool location(reader *r, ir_loc *out);

static const char *shared_string(reader *r, str raw) {
  str text = tt_unescape(r, raw);
  bool added;
  uintptr_t *slot = strmap_put(r->temp, &r->files, text, &added);
  if (added) *slot = (uintptr_t)text.data;
  return (const char *)*slot;
}

static bool alias(reader *r, ir_loc *out) {
  uintptr_t *slot = strmap_put(r->temp, &r->locs, r->tok.name, NULL);
  if (!*slot) *slot = 1 + ir_loc_add(r->m, (ir_loc_info){.kind = IR_LOC_UNKNOWN});
  *out = (ir_loc)(*slot - 1);
  tt_next(r);
  return true;
}

static bool small(reader *r, uint32_t *out) {
  int64_t v;
  if (!tt_parse_int(r, &v)) return false;
  *out = v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
  return true;
}

/* "file":line:column, perhaps 'to' further numbers; or "name", perhaps of a location. */
static bool file_or_name(reader *r, ir_loc_info *info) {
  info->file = shared_string(r, r->tok.name);
  info->kind = IR_LOC_NAMED;
  tt_next(r);
  if (tt_take(r, '('))
    return location(r, &info->inner) && tt_expect(r, ')', "')' behind the named location");
  if (!tt_take(r, ':')) return true;
  info->kind = IR_LOC_FILE;
  if (!small(r, &info->line)) return false;
  if (tt_take(r, ':') && !small(r, &info->column)) return false;
  if (!tt_take_word(r, "to")) return true;
  uint32_t ignored;
  do {
    if (RTOK(r) == TT_NUMBER && !small(r, &ignored)) return false;
  } while (tt_take(r, ':'));
  return true;
}

static bool callsite(reader *r, ir_loc_info *info) {
  info->kind = IR_LOC_CALLSITE;
  return tt_expect(r, '(', "'(' behind 'callsite'") && location(r, &info->inner) &&
         (tt_take_word(r, "at") || tt_expected(r, "'at'")) && location(r, &info->outer) &&
         tt_expect(r, ')', "')' behind the call site");
}

static bool fused(reader *r, ir_loc_info *info) {
  if (tt_take(r, '<') && (!tt_skip(r, ">") || !tt_take(r, '>'))) return false;
  if (!tt_expect(r, '[', "'[' behind 'fused'")) return false;
  ir_loc one;
  for (uint32_t i = 0; !tt_take(r, ']'); i++) {
    if (!location(r, &one) || (RTOK(r) != ']' && !tt_expect(r, ',', "',' or ']'"))) return false;
    if (i == 0) info->inner = one;
  }
  info->kind = IR_LOC_FUSED;
  return true;
}

static bool location_info(reader *r, ir_loc_info *info) {
  *info = (ir_loc_info){.kind = IR_LOC_UNKNOWN};
  if (RTOK(r) == TT_TEXT) return file_or_name(r, info);
  if (tt_take_word(r, "unknown")) return true;
  if (tt_take_word(r, "callsite")) return callsite(r, info);
  if (tt_take_word(r, "fused")) return fused(r, info);
  return tt_expected(r, "a location");
}

/* What stands inside of loc(…). */
static bool location(reader *r, ir_loc *out) {
  ir_loc_info info;
  if (RTOK(r) == TT_HASH) return alias(r, out);
  if (!tt_enter(r) || !location_info(r, &info)) return false;
  tt_leave(r);
  *out = info.kind == IR_LOC_UNKNOWN ? 0 : ir_loc_add(r->m, info);
  return true;
}

bool tt_parse_loc(reader *r, ir_loc *out) {
  *out = 0;
  if (!tt_take_word(r, "loc")) return true;
  return tt_expect(r, '(', "'(' behind 'loc'") && location(r, out) &&
         tt_expect(r, ')', "')' behind the location");
}

bool tt_parse_loc_alias(reader *r) {
  str name = r->tok.name;
  uint32_t offset = r->tok.offset;
  ir_loc at;
  ir_loc_info info;
  alias(r, &at);
  if (!tt_expect(r, '=', "'=' behind the name")) return false;
  if (!tt_at_word(r, "loc")) { /* another attribute: nothing that the reader keeps uses one */
    do tt_next(r);
    while (!tt_at_end_of_op(r));
    return RTOK(r) != TT_ERROR;
  }
  bool added;
  *strmap_put(r->temp, &r->defined, name, &added) = 1;
  if (!added) return tt_fail(r, offset, 1, "'#" STR_FMT "' is defined twice", STR_ARG(name));
  tt_next(r);
  if (!tt_expect(r, '(', "'(' behind 'loc'")) return false;
  if (RTOK(r) == TT_HASH) {
    info = (ir_loc_info){.kind = IR_LOC_FUSED};
    alias(r, &info.inner);
  } else if (!location_info(r, &info)) {
    return false;
  }
  r->m->locs.data[at] = info;
  return tt_expect(r, ')', "')' behind the location");
}

/* Aliases may name each other, but not in a circle: a walk over a location has to end. */
static bool ends(reader *r, ir_loc loc, uint8_t *state, unsigned depth) {
  if (state[loc] == 2) return true;
  if (state[loc] == 1 || depth > TT_MAX_NESTING) return false;
  state[loc] = 1;
  ir_loc_info l = r->m->locs.data[loc];
  bool good = (!l.inner || ends(r, l.inner, state, depth + 1)) &&
              (!l.outer || ends(r, l.outer, state, depth + 1));
  state[loc] = 2;
  return good;
}

bool tt_check_locs(reader *r) {
  uint8_t *state = arena_alloc_zero(r->temp, r->m->locs.len, 1);
  for (ir_loc i = 0; i < r->m->locs.len; i++)
    if (!ends(r, i, state, 0))
      return tt_fail(r, 0, 1, "locations name each other in a circle, or more than %d deep",
                     TT_MAX_NESTING);
  return true;
}
