/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module's code for AMD's cards in the cache on disk (rt/cache.h): the code object, and what
 * launchers must know of it.
 *
 *   u32 counts of entries, asserts and prints
 *   each entry, in the module's order: u32 n_params, threads, length of the symbol; the symbol
 *   each assert, by its number: u32 which assert of the module, length of the message; the message
 *   each print, by its number: u32 arguments, length of the format; the format
 *   the code object
 */
#include "rt/amd.h"

enum { MOST = 1 << 16 /* of each kind */ };

/* ---- asserts -------------------------------------------------------------------------------- */

typedef struct assert_search {
  ir_loc loc;      /* the one there, … */
  uint32_t number; /* … or the one of this number */
  bool by_number;
  const ir_op *found;
  uint32_t passed;
} assert_search;

static bool pass_assert(void *user, ir_op *op) {
  assert_search *s = user;
  if (op->opcode != OP_assert) return true;
  if (s->by_number ? s->passed == s->number : op->loc == s->loc) s->found = op;
  s->passed += !s->found;
  return !s->found;
}

static bool find_assert(const ir_module *m, assert_search *s) {
  ir_walk(m->op, pass_assert, s);
  return s->found;
}

/* ---- storing -------------------------------------------------------------------------------- */

static void put_word(sbuf *b, size_t word) {
  uint32_t bits = (uint32_t)word;
  sbuf_add(b, (const char *)&bits, sizeof bits);
}

static void put_text(sbuf *b, const char *text) {
  str s = str_of(text);
  put_word(b, s.len);
  sbuf_str(b, s);
}

static bool put_asserts(sbuf *b, const ir_module *m, const amdgcn_result *made) {
  for (size_t i = 0; i < made->asserts.len; i++) {
    assert_search s = {.loc = made->asserts.data[i].loc};
    if (!find_assert(m, &s)) return false;
    put_word(b, s.passed);
    put_text(b, made->asserts.data[i].message);
  }
  return true;
}

bool amd_cached_write(sbuf *out, const ir_module *m, const amdgcn_result *made) {
  put_word(out, made->n_entries);
  put_word(out, made->asserts.len);
  put_word(out, made->prints.len);
  for (uint32_t i = 0; i < made->n_entries; i++) {
    put_word(out, made->entries[i].n_params);
    put_word(out, made->entries[i].threads);
    put_text(out, made->entries[i].symbol);
  }
  if (!put_asserts(out, m, made)) return false;
  for (size_t i = 0; i < made->prints.len; i++) {
    put_word(out, made->prints.data[i].n);
    put_text(out, made->prints.data[i].format);
  }
  sbuf_add(out, made->text.data, made->text.len);
  return true;
}

void amd_cached_store(const tsr_program *p, amd_program *code) {
  if (!code->key.len) return;
  sbuf b = SBUF(&code->arena);
  if (!amd_cached_write(&b, p->module, &code->made)) return;
  cache_entry entry = {.object = {b.data, b.len}};
  cache_store(p->device->cache, &code->arena, code->key, &entry);
}

/* ---- loading -------------------------------------------------------------------------------- */

static bool take_word(str *rest, uint32_t *out) {
  if (rest->len < sizeof *out) return false;
  memcpy(out, rest->data, sizeof *out);
  *rest = (str){rest->data + sizeof *out, rest->len - sizeof *out};
  return true;
}

static bool take_text(arena *a, str *rest, const char **out) {
  uint32_t length;
  if (!take_word(rest, &length) || length > rest->len) return false;
  *out = arena_strndup(a, rest->data, length);
  *rest = (str){rest->data + length, rest->len - length};
  return true;
}

static bool take_entries(const ir_module *m, arena *a, str *rest, uint32_t n, amdgcn_result *made) {
  uint32_t i = 0;
  made->entries = arena_array(a, amdgcn_entry, n + 1);
  made->n_entries = n;
  for (const ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    if (i == n) return false;
    amdgcn_entry *e = &made->entries[i++];
    *e = (amdgcn_entry){.op = op};
    if (!take_word(rest, &e->n_params) || !take_word(rest, &e->threads) ||
        !take_text(a, rest, &e->symbol) || e->n_params != ir_region(op, 0)->n_args || !e->threads)
      return false;
  }
  return i == n;
}

static bool take_asserts(const ir_module *m, arena *a, str *rest, uint32_t n, amdgcn_result *made) {
  for (uint32_t i = 0; i < n; i++) {
    assert_search s = {.by_number = true};
    amdgcn_assert x;
    if (!take_word(rest, &s.number) || !take_text(a, rest, &x.message) || !find_assert(m, &s))
      return false;
    x.loc = s.found->loc;
    vec_push(a, made->asserts, x);
  }
  return true;
}

static bool take_prints(arena *a, str *rest, uint32_t n, amdgcn_result *made) {
  for (uint32_t i = 0; i < n; i++) {
    amdgcn_print x;
    if (!take_word(rest, &x.n) || !take_text(a, rest, &x.format)) return false;
    vec_push(a, made->prints, x);
  }
  return true;
}

static bool take_all(const ir_module *m, arena *a, str rest, amdgcn_result *made) {
  uint32_t counts[3];
  for (unsigned i = 0; i < ARRAY_LEN(counts); i++)
    if (!take_word(&rest, &counts[i]) || counts[i] > MOST) return false;
  if (!take_entries(m, a, &rest, counts[0], made) || !take_asserts(m, a, &rest, counts[1], made) ||
      !take_prints(a, &rest, counts[2], made))
    return false;
  sbuf_add(&made->text, rest.data, rest.len);
  return rest.len;
}

bool amd_cached_read(const tsr_program *p, amd_program *code, str bytes) {
  if (take_all(p->module, &code->arena, bytes, &code->made)) return true;
  code->made = (amdgcn_result){.text = SBUF(&code->arena)};
  return false;
}

bool amd_cached_load(const tsr_program *p, amd_program *code) {
  cache_entry entry;
  return code->key.len && cache_load(p->device->cache, &code->arena, code->key, &entry) &&
         amd_cached_read(p, code, entry.object);
}
