/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layouts: layout<spatial(4, 8).local(1, 2)>, and the same without the word inside of types. The
 * expression itself is read by the layout module, in each of its notations; here it is only found
 * in the text: it ends where the bracket around it is closed.
 */
#include <tessera/layout.h>

#include "ir/block/layouts.h"
#include "layout/layout.h"
#include "text/internal.h"

/* The bytes from `q` to the '>' that closes what is open there; -1 when there is none. A line
 * comment ends the search, as does the text. */
static int64_t expression_length(const parser *p, const char *q) {
  int depth = 0;
  for (const char *s = q; s < p->lx.end; s++) {
    switch (*s) {
    case '(':
    case '[':
    case '<': depth++; break;
    case ')':
    case ']': depth--; break;
    case '>':
      if (depth-- == 0) return s - q;
      break;
    case '/':
      if (s[1] == '/') return -1;
      break;
    case '{':
    case '}':
    case '%': return -1;
    default: break;
    }
  }
  return -1;
}

/* The expression that begins with the token under the cursor, which ends on the '>' behind it, also
 * when the expression is wrong. */
static const tsr_layout_value *parse_expression(parser *p) {
  const char *q = p->lx.begin + p->lx.tok.offset;
  int64_t n = expression_length(p, q);
  if (n < 0) {
    fail_tok(p, "the '<' before this layout is never closed");
    return NULL;
  }
  tsr_layout_value *v = arena_new(&p->temp, tsr_layout_value);
  bool ok =
      !p->quiet && layout_parse_in(p->ctx, p->m->source, p->lx.tok.offset, (size_t)n, v) == TSR_OK;
  /* Lines are counted by skip_blanks alone, so it goes over what lies between. */
  const char *end = q + n;
  for (const char *s = q; s < end;) {
    const char *after = skip_blanks(p, s);
    s = after > s ? after : s + 1;
  }
  resume_at(p, end);
  return ok ? v : NULL;
}

static const tsr_layout_value *named_layout(parser *p) {
  const uintptr_t *found = strmap_get(&p->attrs, p->lx.tok.name);
  const alias_def *a = found ? (const alias_def *)*found : NULL;
  if (!a || a->kind != ALIAS_LAYOUT) {
    fail_tok(p,
             a ? "'#" STR_FMT "' is no layout; a layout is defined as '#name = layout<…>'"
               : "the layout '#" STR_FMT "' is not defined; write '#name = layout<…>' above",
             STR_ARG(p->lx.tok.name));
    return NULL;
  }
  next(p);
  return a->u.layout;
}

const tsr_layout_value *parse_layout(parser *p, bool bare) {
  if (TOK(p) == TOK_HASH) return named_layout(p);
  if (!at_word(p, "layout")) {
    if (bare) return parse_expression(p);
    fail_expected(p, "a layout, as in 'layout<spatial(32, 1).local(1, 8)>' or '#name'");
    return NULL;
  }
  next(p);
  if (!expect_punct(p, '<', "'layout'")) return NULL;
  const tsr_layout_value *v = parse_expression(p);
  return v && expect_punct(p, '>', "the layout") ? v : NULL;
}

/* "64x32" */
static const char *shape_text(parser *p, unsigned rank, const int64_t *shape) {
  sbuf b = SBUF(&p->temp);
  for (unsigned d = 0; d < rank; d++) sbuf_printf(&b, d ? "x%lld" : "%lld", (long long)shape[d]);
  if (!rank) sbuf_puts(&b, "a scalar's");
  return b.data;
}

static bool default_memory(parser *p, unsigned rank, const int64_t *shape, tsr_layout_value *out) {
  int32_t sizes[TSR_LAYOUT_MAX_RANK];
  tsr_layout_error e;
  if (rank > TSR_LAYOUT_MAX_RANK)
    return fail_tok(p, "shared memory has at most %d dimensions", TSR_LAYOUT_MAX_RANK);
  for (unsigned d = 0; d < rank; d++) {
    if (shape[d] < 1 || shape[d] > INT32_MAX)
      return fail_tok(p, "dimension %u is %lld; expected a number from 1 to 2^31 - 1", d,
                      (long long)shape[d]);
    sizes[d] = (int32_t)shape[d];
  }
  out->kind = TSR_LAYOUT_MEMORY;
  if (tsr_memory_row_major(&out->memory, rank, sizes, &e) == TSR_OK) return true;
  return fail_tok(p, "%s", e.message);
}

static bool has_shape(const tsr_layout_value *v, unsigned rank, const int64_t *shape) {
  bool memory = v->kind == TSR_LAYOUT_MEMORY;
  if ((memory ? v->memory.rank : v->layout.rank) != rank) return false;
  for (unsigned d = 0; d < rank; d++)
    if ((memory ? tsr_memory_dim(&v->memory, d) : v->layout.shape[d]) != shape[d]) return false;
  return true;
}

bool parse_layout_for(parser *p, bool memory, unsigned rank, const int64_t *shape,
                      tsr_layout_value *out) {
  if (memory && !at_punct(p, ',')) return default_memory(p, rank, shape, out);
  next(p);
  uint32_t offset = p->lx.tok.offset;
  const tsr_layout_value *v = parse_layout(p, true);
  if (!v) return false;
  if ((v->kind == TSR_LAYOUT_MEMORY) != memory)
    return fail_at(p, offset, p->lx.prev_end - offset,
                   memory ? "expected a memory layout, such as (64,32):(32,1), which says where "
                            "each element lies, found a distribution over threads"
                          : "expected a distribution, such as spatial(32, 1).local(1, 8), which "
                            "says what each thread holds, found a memory layout");
  if (memory && v->memory.offset)
    return fail_at(
        p, offset, p->lx.prev_end - offset,
        "the layout begins at offset %lld, but memory has the layout of all of it; a part "
        "is taken by the operation subview",
        (long long)v->memory.offset);
  if (!has_shape(v, rank, shape)) {
    int64_t has[TSR_LAYOUT_MAX_RANK];
    unsigned n = memory ? v->memory.rank : v->layout.rank;
    for (unsigned d = 0; d < n; d++)
      has[d] = memory ? tsr_memory_dim(&v->memory, d) : v->layout.shape[d];
    return fail_at(p, offset, p->lx.prev_end - offset,
                   "the layout is of shape %s, but the type of %s", shape_text(p, n, has),
                   shape_text(p, rank, shape));
  }
  *out = *v;
  return true;
}

/* Names that the printer gives to locations are left to them. */
void name_layout(parser *p, str name, const tsr_layout_value *v) {
  bool memory = v->kind == TSR_LAYOUT_MEMORY;
  if (name.len >= 3 && memcmp(name.data, "loc", 3) == 0) return;
  if (memory && v->memory.offset) return; /* the layout of no memory */
  ir_layout_name n = {.is_memory = memory, .name = arena_str(&p->m->arena, name)};
  if (memory)
    n.layout = ir_memory_layout(p->m, &v->memory);
  else
    n.layout = ir_layout(p->m, &v->layout);
  for (uint32_t i = 0; i < p->m->layout_names.len; i++)
    if (p->m->layout_names.data[i].layout == n.layout) return;
  vec_push(&p->m->arena, p->m->layout_names, n);
}
