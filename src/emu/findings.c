/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Findings: the list, as text, as JSON.
 */
#include "emu/findings.h"

#include <stdlib.h>

#include "base/json.h"
#include "emu/isa.h"

static const char *const names[FINDING_KIND_COUNT] = {
    [FINDING_RACE] = "race",
    [FINDING_SAME_VALUE] = "same-value",
    [FINDING_POSSIBLE_RACE] = "possible-race",
    [FINDING_MISSING_WAIT] = "missing-wait",
    [FINDING_MISSING_FENCE] = "missing-fence",
    [FINDING_UNINITIALISED] = "uninitialised",
    [FINDING_OUT_OF_BOUNDS] = "out-of-bounds",
    [FINDING_USE_AFTER_FREE] = "use-after-free",
    [FINDING_MISALIGNED] = "misaligned",
    [FINDING_READ_ONLY] = "read-only",
    [FINDING_BARRIER] = "barrier",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_ILLEGAL] = "illegal",
    [FINDING_TRAP] = "trap",
    [FINDING_OTHER] = "other",
};

const char *finding_kind_name(finding_kind kind) {
  return names[kind];
}

void findings_free(findings *f) {
  free(f->list);
  free(f->index);
  *f = (findings){0};
}

/* Whether two instructions are the same, or come from the same line. */
static bool same_place(const finding *x, emu_insn a, emu_insn b) {
  uint64_t p[3], q[3];
  if (a == b || !a || !b) return a == b;
  x->isa->line_of(x->module, a, p);
  x->isa->line_of(x->module, b, q);
  return memcmp(p, q, sizeof p) == 0;
}

/* Messages of faults name addresses, which differ each time. */
static bool same_words(const finding *a, const finding *b) {
  return a->kind >= FINDING_OUT_OF_BOUNDS || strcmp(a->message, b->message) == 0;
}

static bool same_finding(const finding *a, const finding *b) {
  return a->kind == b->kind && a->module == b->module && a->kernel == b->kernel &&
         same_place(a, a->at.insn, b->at.insn) && same_place(a, a->other.insn, b->other.insn) &&
         same_words(a, b);
}

static uint64_t hash_place(hash_secret s, uint64_t h, const finding *x, emu_insn i) {
  uint64_t line[3] = {0};
  if (i) x->isa->line_of(x->module, i, line);
  return hash_key(s, h, line, sizeof line);
}

/* The same for findings that are the same. */
static uint64_t hash_finding(hash_secret s, const finding *x) {
  uint64_t h = hash_word(s, x->kind ^ (uintptr_t)x->kernel);
  h = hash_place(s, h, x, x->at.insn);
  h = hash_place(s, h, x, x->other.insn);
  if (x->kind < FINDING_OUT_OF_BOUNDS) h = hash_key(s, h, x->message, strlen(x->message));
  return h;
}

/* The slot that the finding has or is to have. */
static uint32_t *slot_of(const findings *f, const finding *x) {
  uint32_t mask = 2 * f->cap - 1, at = (uint32_t)hash_finding(f->secret, x) & mask;
  while (f->index[at] && !same_finding(&f->list[f->index[at] - 1], x)) at = (at + 1) & mask;
  return &f->index[at];
}

static bool grow(findings *f) {
  uint32_t cap = MAX(16, 2 * f->cap);
  uint32_t *index = calloc(2 * cap, sizeof *index);
  finding *list = index ? realloc(f->list, cap * sizeof *list) : NULL;
  if (!list) {
    free(index);
    return false;
  }
  free(f->index);
  if (!f->cap) f->secret = hash_secret_new();
  f->list = list, f->index = index, f->cap = cap;
  for (uint32_t i = 0; i < f->n; i++) *slot_of(f, &list[i]) = i + 1;
  return true;
}

/* NULL: there is no memory for it. */
static uint32_t *slot_for(findings *f, const finding *x) {
  if (f->cap) {
    uint32_t *slot = slot_of(f, x);
    if (*slot || f->n < f->cap) return slot;
  }
  return f->n < FINDINGS_MAX && grow(f) ? slot_of(f, x) : NULL;
}

uint32_t findings_add(findings *f, const finding *x) {
  f->total++;
  uint32_t *slot = slot_for(f, x);
  if (!slot) {
    f->lost++;
    return UINT32_MAX;
  }
  if (*slot) {
    f->list[*slot - 1].count++;
    return *slot - 1;
  }
  f->list[f->n] = *x;
  f->list[f->n].count = 1;
  *slot = ++f->n;
  return f->n - 1;
}

bool findings_have(const findings *f, finding_kind kind) {
  for (uint32_t i = 0; i < f->n; i++)
    if (f->list[i].kind == kind) return true;
  return false;
}

bool finding_is_note(finding_kind kind) {
  return kind == FINDING_SAME_VALUE || kind == FINDING_POSSIBLE_RACE;
}

uint32_t findings_faults(const findings *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n; i++) n += !finding_is_note(f->list[i].kind);
  return n;
}

/* ---- text ----------------------------------------------------------------------------------- */

typedef struct palette {
  const char *bold, *red, *blue, *dim, *off;
} palette;
static const palette plain = {"", "", "", "", ""};
static const palette colours = {"\033[1m", "\033[1;31m", "\033[34m", "\033[2m", "\033[0m"};

/* "k.cu:12" or, where the source isn't known, "k.ptx:88". */
static void put_place(const finding *x, emu_insn i, sbuf *out) {
  emu_source from;
  place p = x->isa->place_of(x->module, i);
  if (!x->isa->source_of(x->module, i, &from)) {
    sbuf_printf(out, "%s:%u", p.src ? p.src->name : "", p.line);
    return;
  }
  sbuf_printf(out, "%s:%u", from.file, from.line);
  if (from.outer_file) sbuf_printf(out, " (inlined at %s:%u)", from.outer_file, from.outer_line);
}

static void put_site(const finding *x, const finding_site *s, const palette *c, sbuf *out) {
  sbuf_printf(out, "  %s%-8s%s ", c->bold, s->does ? s->does : "", c->off);
  if (s->lane >= 0)
    sbuf_printf(out, "thread (%u,%u,%u) of block (%u,%u,%u), warp %d lane %d", s->thread[0],
                s->thread[1], s->thread[2], s->block[0], s->block[1], s->block[2], s->warp,
                s->lane);
  else
    sbuf_printf(out, "block (%u,%u,%u), warp %d", s->block[0], s->block[1], s->block[2], s->warp);
  if (!s->insn) {
    sbuf_putc(out, '\n');
    return;
  }
  sbuf_puts(out, " at ");
  put_place(x, s->insn, out);
  str text = x->isa->text_of(x->module, s->insn);
  sbuf_printf(out, "\n           %s%.*s%s%s  %s(%s line %u)%s\n", c->blue, (int)MIN(text.len, 90),
              text.data, text.len > 90 ? "..." : "", c->off, c->dim, x->isa->words->language,
              x->isa->place_of(x->module, s->insn).line, c->off);
}

static void put_address(const finding *x, sbuf *out) {
  if (!x->has_address) return;
  sbuf_printf(out, "  address  ");
  if (x->buffer)
    sbuf_printf(out, "%s + %llu of %s memory", x->buffer, (unsigned long long)x->buffer_offset,
                x->space);
  else
    sbuf_printf(out, "0x%llx of %s memory", (unsigned long long)x->address, x->space);
  if (x->bytes) sbuf_printf(out, ", %u bytes", x->bytes);
  if (x->has_value) sbuf_printf(out, ", which hold 0x%llx", (unsigned long long)x->value);
  sbuf_putc(out, '\n');
}

static void put_finding(const finding *x, const palette *c, sbuf *out) {
  sbuf_puts(out, c->bold);
  if (x->at.insn)
    put_place(x, x->at.insn, out);
  else
    sbuf_printf(out, "%s", x->kernel);
  sbuf_printf(out, ": %s%s:%s %s%s%s\n", finding_is_note(x->kind) ? c->blue : c->red,
              names[x->kind], c->off, c->bold, x->message, c->off);
  sbuf_printf(out, "  kernel   %s\n", x->kernel);
  put_site(x, &x->at, c, out);
  if (x->other.insn) put_site(x, &x->other, c, out);
  put_address(x, out);
  if (x->hint[0]) sbuf_printf(out, "  %shint%s     %s\n", c->bold, c->off, x->hint);
  if (x->count > 1)
    sbuf_printf(out, "  %s%llu times, the first of which this is%s\n", c->dim,
                (unsigned long long)x->count, c->off);
}

static void put_findings(const findings *f, bool notes, const palette *c, sbuf *out) {
  for (uint32_t i = 0; i < f->n; i++) {
    if (finding_is_note(f->list[i].kind) != notes) continue;
    put_finding(&f->list[i], c, out);
    sbuf_putc(out, '\n');
  }
}

void findings_text(const findings *f, bool colour, sbuf *out) {
  const palette *c = colour ? &colours : &plain;
  put_findings(f, false, c, out);
  put_findings(f, true, c, out);
  if (f->lost)
    sbuf_printf(out, "%llu findings are not shown: only so many different ones are kept\n",
                (unsigned long long)f->lost);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_text(sbuf *out, const char *key, const char *value) {
  sbuf_printf(out, ", \"%s\": ", key);
  json_quote(out, str_of(value));
}

static void add_site(const finding *x, const finding_site *s, const char *key, sbuf *out) {
  emu_source from;
  sbuf_printf(out, ", \"%s\": {\"block\": [%u, %u, %u], \"warp\": %d, \"lane\": %d", key,
              s->block[0], s->block[1], s->block[2], s->warp, s->lane);
  if (s->lane >= 0)
    sbuf_printf(out, ", \"thread\": [%u, %u, %u]", s->thread[0], s->thread[1], s->thread[2]);
  if (s->does) add_text(out, "does", s->does);
  if (s->insn) {
    sbuf_printf(out, ", \"%s\": %u, \"instruction\": ", x->isa->words->line_key,
                x->isa->place_of(x->module, s->insn).line);
    json_quote(out, x->isa->text_of(x->module, s->insn));
    if (x->isa->source_of(x->module, s->insn, &from)) {
      add_text(out, "file", from.file);
      sbuf_printf(out, ", \"line\": %u", from.line);
    }
  }
  sbuf_putc(out, '}');
}

void findings_json(const findings *f, sbuf *out) {
  sbuf_putc(out, '[');
  for (uint32_t i = 0; i < f->n; i++) {
    const finding *x = &f->list[i];
    sbuf_printf(out, "%s\n{\"kind\": \"%s\"", i ? "," : "", names[x->kind]);
    add_text(out, "kernel", x->kernel);
    add_text(out, "message", x->message);
    if (x->hint[0]) add_text(out, "hint", x->hint);
    add_site(x, &x->at, "at", out);
    if (x->other.insn) add_site(x, &x->other, "other", out);
    if (x->has_address) {
      add_text(out, "space", x->space);
      sbuf_printf(out, ", \"address\": %llu, \"bytes\": %u", (unsigned long long)x->address,
                  x->bytes);
      if (x->buffer) add_text(out, "buffer", x->buffer);
    }
    if (x->has_value) sbuf_printf(out, ", \"value\": %llu", (unsigned long long)x->value);
    sbuf_printf(out, ", \"count\": %llu}", (unsigned long long)x->count);
  }
  sbuf_puts(out, f->n ? "\n]\n" : "]\n");
}
