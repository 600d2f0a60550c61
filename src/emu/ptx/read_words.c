/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opcodes and the words behind them, held against the patterns of ptx_forms.def; the tables of
 * forms, types, words and special registers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emu/ptx/handler_ids.h"
#include "emu/ptx/read.h"
#include "emu/ptx/tensormap.h"

const ptx_form ptx_forms[] = {
#define F(opcode, words, operands, version, sm, handler)                                           \
  {opcode, words, operands, version, sm, PTX_H_##handler},
#include "emu/ptx/ptx_forms.def"
#undef F
};
const unsigned ptx_form_count = ARRAY_LEN(ptx_forms);

const ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
    {"", 0, PTX_CLASS_B},
#define T(id, name, bits, class) {name, bits, PTX_CLASS_##class},
#include "emu/ptx/ptx_types.def"
#undef T
};

const ptx_special_info ptx_specials[PTX_SPECIAL_COUNT] = {
#define S(id, name, bytes, version, sm) {name, bytes, version, sm},
#include "emu/ptx/ptx_specials.def"
#undef S
};

typedef enum word_field {
  FIELD_WORD,
  FIELD_FLAG,
  FIELD_ROUND,
  FIELD_CMP,
  FIELD_SPACE,
  FIELD_ORDER,
  FIELD_SCOPE,
  FIELD_VEC,
  FIELD_OP,
  FIELD_CACHE,
  FIELD_MODE,
  FIELD_SHAPE,
  FIELD_LAYOUT
} word_field;

static const struct {
  const char *name;
  uint8_t field;
  uint32_t value;
} words[] = {
#define M(id, name, field, value) {name, FIELD_##field, value},
#include "emu/ptx/ptx_modifiers.def"
#undef M
};

const char *ptx_word_name(unsigned word) {
  if (word < PTX_TYPE_COUNT) return ptx_types[word].name;
  if (word - PTX_WORD_FIRST - 1 < ARRAY_LEN(words)) return words[word - PTX_WORD_FIRST - 1].name;
  return "";
}

ptx_type type_named(str name) {
  for (unsigned t = 1; t < PTX_TYPE_COUNT; t++)
    if (str_is(name, ptx_types[t].name)) return (ptx_type)t;
  return PTX_NO_TYPE;
}

/* The id of a type or word; 0 when there is none. */
static unsigned word_named(str name) {
  unsigned t = type_named(name);
  for (unsigned w = 0; !t && w < ARRAY_LEN(words); w++)
    if (str_is(name, words[w].name)) t = PTX_WORD_FIRST + 1 + w;
  return t;
}

/* ---- what a word says ----------------------------------------------------------------------- */

static void apply_word(ptx_insn *i, unsigned id) {
  if (id < PTX_TYPE_COUNT) {
    if (i->n_types < ARRAY_LEN(i->type)) i->type[i->n_types++] = (uint8_t)id;
    return;
  }
  uint32_t v = words[id - PTX_WORD_FIRST - 1].value;
  uint8_t small = (uint8_t)v;
  switch (words[id - PTX_WORD_FIRST - 1].field) {
  case FIELD_FLAG: i->flags |= v; break;
  case FIELD_ROUND: i->round = small; break;
  case FIELD_CMP: i->compare = small; break;
  case FIELD_SPACE: *(i->space == PTX_GENERIC ? &i->space : &i->space2) = small; break;
  case FIELD_ORDER: i->order = small; break;
  case FIELD_SCOPE: i->scope = small; break;
  case FIELD_VEC: i->vec = small; break;
  case FIELD_OP: i->op = small; break;
  case FIELD_CACHE: i->cache = small; break;
  case FIELD_MODE: i->mode = small; break;
  case FIELD_SHAPE: i->shape = v; break;
  case FIELD_LAYOUT: *(i->layout == PTX_NO_LAYOUT ? &i->layout : &i->layout2) = small; break;
  default: break;
  }
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* The next group of a pattern: its alternatives, up to the closing bracket. */
typedef struct group {
  str alternatives; /* separated by | */
  bool optional;
} group;

static bool next_group(const char **p, group *g) {
  while (**p == ' ') ++*p;
  if (**p == 0) return false;
  char open = **p;
  bool bracketed = open == '(' || open == '[';
  const char *start = *p + bracketed;
  const char *end = start;
  while (*end && *end != (open == '[' ? ']' : bracketed ? ')' : ' ')) end++;
  *g = (group){{start, (size_t)(end - start)}, open == '['};
  *p = end + (bracketed && *end);
  return true;
}

static bool group_has(group g, str word) {
  const char *p = g.alternatives.data, *end = p + g.alternatives.len;
  while (p < end) {
    const char *bar = memchr(p, '|', (size_t)(end - p));
    const char *stop = bar ? bar : end;
    if (str_eq((str){p, (size_t)(stop - p)}, word)) return true;
    p = stop + 1;
  }
  return false;
}

/* How many of the words fit a pattern; *complete: all of them, and nothing is missing. */
static unsigned match(const char *pattern, const token *w, unsigned n, bool *complete) {
  unsigned k = 0;
  group g;
  *complete = false;
  while (next_group(&pattern, &g)) {
    if (k < n && group_has(g, w[k].text))
      k++;
    else if (!g.optional)
      return k;
  }
  *complete = k == n;
  return k;
}

/* What must keep its order among its like: types, spaces and layouts, of which an instruction has
 * several. 0: nothing of the kind. */
static unsigned kind_of(str text) {
  unsigned id = word_named(text);
  if (id == 0) return 0;
  if (id < PTX_TYPE_COUNT) return 1;
  unsigned field = words[id - PTX_WORD_FIRST - 1].field;
  return field == FIELD_SPACE ? 2 : field == FIELD_LAYOUT ? 3 : 0;
}

static bool same_order(const token *a, const token *b, unsigned n) {
  for (unsigned kind = 1; kind <= 3; kind++) {
    for (unsigned i = 0, k = 0; i < n; i++) {
      if (kind_of(a[i].text) != kind) continue;
      while (kind_of(b[k].text) != kind) k++;
      if (!str_eq(a[i].text, b[k++].text)) return false;
    }
  }
  return true;
}

/* As ptxas, which takes words in any order as long as those of one kind (types, say) keep theirs:
 * each place of the pattern gets the first word left that fits. True: `w` is in the pattern's
 * order. */
static bool match_in_any_order(const char *pattern, token *w, unsigned n) {
  token left[PTX_MAX_MODIFIERS], placed[PTX_MAX_MODIFIERS];
  unsigned n_left = n, n_placed = 0;
  group g;
  memcpy(left, w, n * sizeof *left);
  while (next_group(&pattern, &g)) {
    unsigned k = 0;
    while (k < n_left && !group_has(g, left[k].text)) k++;
    if (k == n_left) {
      if (g.optional) continue;
      return false;
    }
    placed[n_placed++] = left[k];
    memmove(left + k, left + k + 1, (--n_left - k) * sizeof *left);
  }
  if (n_left || !same_order(w, placed, n)) return false;
  memcpy(w, placed, n * sizeof *w);
  return true;
}

/* Adds what may stand behind the first k words that fit. True when the instruction may end there.
 */
static bool add_expected(sbuf *out, const char *pattern, const token *w, unsigned k) {
  unsigned seen = 0;
  group g;
  while (next_group(&pattern, &g)) {
    if (seen < k && group_has(g, w[seen].text)) {
      seen++;
      continue;
    }
    if (seen < k) continue;
    for (const char *p = g.alternatives.data, *end = p + g.alternatives.len; p < end;) {
      const char *bar = memchr(p, '|', (size_t)(end - p));
      const char *stop = bar ? bar : end;
      char word[64];
      int len = snprintf(word, sizeof word, ".%.*s", (int)(stop - p), p);
      const char *found = out->len ? strstr(out->data, word) : NULL;
      while (found && found[len] != ' ' && found[len] != 0) found = strstr(found + 1, word);
      if (!found) sbuf_printf(out, "%s%s", out->len ? " " : "", word);
      p = stop + 1;
    }
    if (!g.optional) return false;
  }
  return true;
}

/* ---- choosing a form ------------------------------------------------------------------------ */

void words_prepare(reader *r) {
  r->next_form = arena_array(&r->scratch, uint16_t, ptx_form_count);
  memset(r->next_form, 0, ptx_form_count * sizeof *r->next_form);
  for (unsigned f = ptx_form_count; f-- > 0;) { /* backwards, so that chains run forwards */
    uintptr_t *first = strmap_put(&r->scratch, &r->opcodes, str_of(ptx_forms[f].opcode), NULL);
    r->next_form[f] = (uint16_t)*first;
    *first = f + 1;
  }
}

/* Instructions that PTX has and the emulator doesn't, by how they begin, and what to do. */
static void refuse_known(reader *r, const token *name) {
  static const struct {
    const char *begins, *what;
  } known[] = {
      {"tex", "textures are not emulated: read the memory with ld.global.nc (__ldg)"},
      {"tld4", "textures are not emulated: read the memory with ld.global.nc (__ldg)"},
      {"txq", "textures are not emulated: pass what it asks for as a parameter"},
      {"suld", "surfaces are not emulated: read the memory with ld.global"},
      {"sust", "surfaces are not emulated: write to the memory with st.global"},
      {"sured", "surfaces are not emulated: use red.global"},
      {"suq", "surfaces are not emulated: pass what it asks for as a parameter"},
      {"istypep", "textures and surfaces are not emulated"},
      {"tcgen05",
       "the tensor cores of sm_100 are not emulated: mma.sync and, for sm_90a, wgmma are"},
      {"clusterlaunchcontrol", "clusters that take over the work of others are not emulated"},
      {"multimem", "memory that several devices share is not emulated"},
      {"vset", "comparisons of parts are not emulated: unpack them (bfe) and use set"},
      {"vadd", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vsub", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vabsdiff", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vmin", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vmax", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vshl", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vshr", "of the video instructions those on 2 and 4 parts are emulated"},
      {"vmad", "of the video instructions those on 2 and 4 parts are emulated"},
  };
  for (size_t k = 0; k < ARRAY_LEN(known); k++) {
    size_t n = strlen(known[k].begins);
    if (name->text.len >= n && memcmp(name->text.data, known[k].begins, n) == 0)
      reader_error(r, name, "'" STR_FMT "': %s", STR_ARG(name->text), known[k].what);
  }
}

static NORETURN void unknown_opcode(reader *r, const token *name) {
  refuse_known(r, name);
  const char *best = NULL;
  unsigned least = 3;
  for (unsigned f = 0; f < ptx_form_count; f++) {
    unsigned d = str_distance(name->text, str_of(ptx_forms[f].opcode));
    if (d < least) least = d, best = ptx_forms[f].opcode;
  }
  if (best && name->text.len > 2)
    reader_error(r, name, "there is no instruction '" STR_FMT "'; did you mean '%s'?",
                 STR_ARG(name->text), best);
  reader_error(r, name, "there is no instruction '" STR_FMT "'", STR_ARG(name->text));
}

/* No form has these words: says at which the ones that come furthest end. */
static NORETURN void wrong_words(reader *r, const token *name, unsigned first, const token *w,
                                 unsigned n) {
  unsigned best = 0;
  bool complete;
  for (unsigned f = first; f; f = r->next_form[f - 1])
    best = MAX(best, match(ptx_forms[f - 1].words, w, n, &complete));
  sbuf list = SBUF(&r->scratch);
  bool may_end = false;
  for (unsigned f = first; f; f = r->next_form[f - 1])
    if (match(ptx_forms[f - 1].words, w, n, &complete) == best)
      may_end |= add_expected(&list, ptx_forms[f - 1].words, w, best);
  const token *at = best < n ? &w[best] : best ? &w[best - 1] : name;
  const char *more = may_end && list.len ? ", or the operands" : may_end ? "the operands" : "";
  if (best == n)
    reader_error(r, at, "'" STR_FMT "' is not complete: expected %s%s", STR_ARG(name->text),
                 list.len ? list.data : "", more);
  reader_error(r, at, "'" STR_FMT "' has no '." STR_FMT "' here: expected %s%s",
               STR_ARG(name->text), STR_ARG(at->text), list.len ? list.data : "", more);
}

static const char *sm_text(reader *r, unsigned sm) {
  return arena_printf(&r->scratch, "sm_%u%s", sm / 10, sm % 10 ? "a" : "");
}

static bool target_has(const ptx_module *m, unsigned sm) {
  if (sm % 10) return m->sm == sm && m->arch_specific;
  return m->sm >= sm;
}

void check_target(reader *r, const token *at, const char *what, unsigned version, unsigned sm) {
  if (r->m->version < version)
    reader_error(r, at, "%s needs PTX %u.%u; this file says .version %u.%u", what, version / 10,
                 version % 10, r->m->version / 10, r->m->version % 10);
  if (!target_has(r->m, sm))
    reader_error(r, at, "%s needs %s; this file says .target %s", what, sm_text(r, sm),
                 r->m->target);
}

void check_special(reader *r, const token *at, ptx_special sr) {
  check_target(r, at, ptx_specials[sr].name, ptx_specials[sr].version, ptx_specials[sr].sm);
}

/* Whether the words fit a form; then they are in its order. */
static bool fits_form(unsigned f, token *w, unsigned n, bool any_order) {
  bool complete;
  if (any_order) return match_in_any_order(ptx_forms[f].words, w, n);
  match(ptx_forms[f].words, w, n, &complete);
  return complete;
}

/* The first form that has the words and that file and target have; with `fits`, one that only has
 * the words. Both are numbers + 1, or 0. */
static unsigned find_form(const reader *r, unsigned first, token *w, unsigned n, bool any_order,
                          unsigned *fits) {
  for (unsigned f = first; f; f = r->next_form[f - 1]) {
    if (!fits_form(f - 1, w, n, any_order)) continue;
    if (r->m->version >= ptx_forms[f - 1].version && target_has(r->m, ptx_forms[f - 1].sm))
      return f;
    if (!*fits) *fits = f;
  }
  return 0;
}

static unsigned choose_form(reader *r, const token *name, token *w, unsigned n) {
  uintptr_t *first = strmap_get(&r->opcodes, name->text);
  if (!first) unknown_opcode(r, name);
  unsigned fits = 0, found = find_form(r, (unsigned)*first, w, n, false, &fits);
  if (!found && !fits) found = find_form(r, (unsigned)*first, w, n, true, &fits);
  if (found) return found - 1;
  if (!fits) wrong_words(r, name, (unsigned)*first, w, n);
  sbuf full = SBUF(&r->scratch);
  sbuf_printf(&full, "'" STR_FMT, STR_ARG(name->text));
  for (unsigned k = 0; k < n; k++) sbuf_printf(&full, "." STR_FMT, STR_ARG(w[k].text));
  sbuf_puts(&full, "'");
  check_target(r, name, full.data, ptx_forms[fits - 1].version, ptx_forms[fits - 1].sm);
  return fits - 1;
}

/* What some words need wherever they stand. */
static void check_words(reader *r, const ptx_insn *i, const token *w) {
  for (unsigned k = 0; k < i->n_words; k++) {
    const char *quoted = arena_printf(&r->scratch, "'." STR_FMT "'", STR_ARG(w[k].text));
    if (i->words[k] == PTX_M_CLUSTER || i->words[k] == PTX_M_SHARED_CLUSTER)
      check_target(r, &w[k], quoted, 78, 900);
    if (i->words[k] == PTX_M_SATFINITE && i->handler >= PTX_H_cvt &&
        i->handler <= PTX_H_cvt_pack2 && i->type[1] == PTX_F32 &&
        ptx_types[i->type[0]].bits >= 16 && i->type[0] != PTX_E4M3X2 && i->type[0] != PTX_E5M2X2)
      check_target(r, &w[k], quoted, 81, i->type[0] == PTX_F16 ? 750 : 800);
    if (i->words[k] != PTX_M_L2_CACHE_HINT) continue;
    check_target(r, &w[k], quoted, 74, 800);
    if (i->space != PTX_GENERIC && i->space != PTX_GLOBAL && i->handler <= PTX_H_red &&
        i->handler >= PTX_H_ld)
      reader_error(r, &w[k], "a cache hint is for .global memory only");
  }
  if (i->handler != PTX_H_ld && i->handler != PTX_H_st) return;
  unsigned bits = ptx_types[i->type[0]].bits * i->vec;
  bool wide = bits == 256 && i->space == PTX_GLOBAL && r->m->sm >= 1000 && r->m->version >= 88;
  if (bits > 128 && !wide)
    reader_error(r, &w[i->n_words - 1],
                 "a vector has at most 128 bits, found %u of %u (256 bits: .global, sm_100, PTX "
                 "8.8)",
                 i->vec, ptx_types[i->type[0]].bits);
}

void read_opcode(reader *r, ptx_insn *i) {
  token name = r->t, w[PTX_MAX_MODIFIERS];
  unsigned n = 0;
  next_token(r);
  for (; r->t.kind == TOKEN_WORD && r->t.glued; next_token(r)) {
    if (n == PTX_MAX_MODIFIERS)
      reader_error(r, &r->t, "an instruction has at most %d words", PTX_MAX_MODIFIERS);
    w[n++] = r->t;
  }
  unsigned f = choose_form(r, &name, w, n);
  uint16_t *ids = arena_array(&r->m->arena, uint16_t, n + 1);
  i->form = (uint16_t)f;
  i->handler = ptx_forms[f].handler;
  i->vec = 1;
  for (unsigned k = 0; k < n; k++) {
    ids[k] = (uint16_t)word_named(w[k].text);
    if (ids[k] == 0) reader_error(r, &w[k], "'." STR_FMT "' is unknown", STR_ARG(w[k].text));
    apply_word(i, ids[k]);
  }
  if (i->flags & PTX_FLAG_VOLATILE) i->order = PTX_RELAXED, i->scope = PTX_SCOPE_SYS;
  i->words = ids;
  i->n_words = (uint8_t)n;
  check_words(r, i, w);
  i->line = name.line;
  i->column = name.column;
}
