/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Passes and patterns that a module is compiled without.
 */
#include "opt/switches.h"

#include "opt/opt.h"

const pattern_row pattern_rows[PATTERN_COUNT] = {
#define PATTERN(id, name, sentence, when) {name, sentence, when},
#include "opt/patterns.def"
#undef PATTERN
};

_Static_assert(PATTERN_COUNT <= 64, "a bit for each in ir_module.without");

/* ---- names ---------------------------------------------------------------------------------- */

/* All that there are: passes first. NULL behind the last. */
static const char *name_at(unsigned index) {
  if (index < opt_pass_count) return opt_passes[index].name;
  index -= opt_pass_count;
  return index < PATTERN_COUNT ? pattern_rows[index].name : NULL;
}

/* The closest name, or the list of all. */
static const char *hint_for(arena *a, str name) {
  enum { CLOSE = 3 };
  const char *best = NULL, *n;
  unsigned least = CLOSE;
  sbuf all = SBUF(a);
  for (unsigned i = 0; (n = name_at(i)); i++) {
    unsigned distance = str_distance(name, str_of(n));
    if (distance < least) least = distance, best = n;
    sbuf_printf(&all, "%s %s", i ? "," : "", n);
  }
  return best ? arena_printf(a, "did you mean '%s'?", best)
              : arena_printf(a, "there are%s", all.data);
}

static bool unknown(ir_module *m, str name) {
  arena a;
  arena_init(&a, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&a);
    ctx_unwind(m->ctx);
  });
  diag_error(m->ctx, NOWHERE, "disable: there is no pass or pattern '" STR_FMT "'; %s",
             STR_ARG(name), hint_for(&a, name));
  TSR_UNGUARD(m->ctx);
  arena_free(&a);
  return false;
}

/* ---- lists of them -------------------------------------------------------------------------- */

static str trimmed(str s) {
  while (s.len && s.data[0] == ' ') s.data++, s.len--;
  while (s.len && s.data[s.len - 1] == ' ') s.len--;
  return s;
}

static bool leave_out(ir_switches *x, str name) {
  for (unsigned i = 0; i < PATTERN_COUNT; i++)
    if (str_is(name, pattern_rows[i].name)) {
      x->patterns |= UINT64_C(1) << i;
      return true;
    }
  for (unsigned i = 0; i < opt_pass_count; i++)
    if (str_is(name, opt_passes[i].name)) {
      x->passes |= UINT64_C(1) << opt_passes[i].number;
      return true;
    }
  return false;
}

bool switches_leave_out(ir_module *m, str names) {
  ir_switches x = {0};
  while (names.len) {
    const char *comma = memchr(names.data, ',', names.len);
    size_t length = comma ? (size_t)(comma - names.data) : names.len;
    str name = trimmed((str){names.data, length});
    size_t skip = comma ? length + 1 : length;
    names = (str){names.data + skip, names.len - skip};
    if (name.len && !leave_out(&x, name)) return unknown(m, name);
  }
  m->without = x;
  return true;
}

void switches_put(sbuf *out, const ir_module *m) {
  const char *between = "without ";
  for (unsigned i = 0; i < opt_pass_count; i++) {
    if (!(m->without.passes >> opt_passes[i].number & 1)) continue;
    sbuf_printf(out, "%s%s", between, opt_passes[i].name);
    between = ",";
  }
  for (unsigned i = 0; i < PATTERN_COUNT; i++) {
    if (pattern_is_on(m, (pattern_id)i)) continue;
    sbuf_printf(out, "%s%s", between, pattern_rows[i].name);
    between = ",";
  }
  if (*between == ',') sbuf_putc(out, '\n');
}

/* ---- the public functions ------------------------------------------------------------------- */

tsr_status tsr_module_disable(tsr_module *m, const char *names) {
  if (!m) return TSR_ERROR_USAGE;
  TSR_GUARD(m->ctx, return TSR_ERROR_MEMORY);
  m->ctx->errors = 0;
  bool ok = switches_leave_out(m, str_of(names ? names : ""));
  TSR_UNGUARD(m->ctx);
  return ok ? TSR_OK : TSR_ERROR_USAGE;
}

size_t tsr_pattern_count(void) {
  return PATTERN_COUNT;
}

bool tsr_pattern_describe(size_t index, tsr_pattern_info *out) {
  if (index >= PATTERN_COUNT || !out) return false;
  const pattern_row *p = &pattern_rows[index];
  *out = (tsr_pattern_info){p->name, p->sentence, p->when};
  return true;
}
