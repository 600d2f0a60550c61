/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/gpu_cached.h"

enum { WORDS = 11, MOST_ENTRIES = 1 << 16, MOST_MAPS = 1 << 10 };

/* ---- views ---------------------------------------------------------------------------------- */

typedef struct view_search {
  const ir_op *wanted; /* NULL: the one at `left` */
  const ir_op *found;
  uint32_t left, passed;
} view_search;

static bool pass_view(void *user, ir_op *op) {
  view_search *s = user;
  if (op->opcode != OP_make_tensor_view) return true;
  if (s->wanted ? op == s->wanted : s->left == s->passed) s->found = op;
  s->passed += !s->found;
  return !s->found;
}

/* Which of the entry's make_tensor_view an operation is; UINT32_MAX: none. */
static uint32_t number_of_view(const ir_op *entry, const ir_op *view) {
  view_search s = {.wanted = view};
  ir_walk((ir_op *)(uintptr_t)entry, pass_view, &s);
  return s.found ? s.passed : UINT32_MAX;
}

static const ir_op *view_at(const ir_op *entry, uint32_t number) {
  view_search s = {.left = number};
  ir_walk((ir_op *)(uintptr_t)entry, pass_view, &s);
  return s.found;
}

/* ---- storing -------------------------------------------------------------------------------- */

static void put_word(sbuf *b, uint32_t word) {
  sbuf_add(b, (const char *)&word, sizeof word);
}

static bool put_map(sbuf *b, const ir_op *entry, const simt_tensor_map *m) {
  simt_tensor_map rest = *m;
  uint32_t view = number_of_view(entry, m->view);
  rest.view = NULL;
  put_word(b, view);
  sbuf_add(b, (const char *)&rest, sizeof rest);
  return view != UINT32_MAX;
}

static bool put_entry(sbuf *b, const ir_op *op, const nvptx_entry *e) {
  str symbol = str_of(e->symbol);
  put_word(b, e->n_params);
  put_word(b, e->threads);
  put_word(b, e->shared_bytes);
  put_word(b, e->static_bytes);
  put_word(b, e->n_maps);
  put_word(b, e->bulk != NULL);
  put_word(b, (uint32_t)symbol.len);
  put_word(b, e->clustered != NULL);
  put_word(b, e->blocks_per_sm);
  put_word(b, e->optional);
  put_word(b, e->shared_align);
  sbuf_str(b, symbol);
  sbuf_add(b, (const char *)e->cluster, sizeof e->cluster);
  for (uint32_t i = 0; i < e->n_maps; i++)
    if (!put_map(b, op, &e->maps[i])) return false;
  return (!e->bulk || put_entry(b, op, e->bulk)) &&
         (!e->clustered || put_entry(b, op, e->clustered));
}

bool gpu_cached_write(sbuf *b, const gpu_program *code, str image) {
  put_word(b, code->n_entries);
  for (uint32_t i = 0; i < code->n_entries; i++)
    if (!put_entry(b, code->entries[i].op, &code->entries[i])) return false;
  sbuf_str(b, image);
  return true;
}

void gpu_cached_store(const tsr_program *p, gpu_program *code) {
  if (!code->key.len) return;
  sbuf b = SBUF(&code->arena);
  if (!gpu_cached_write(&b, code, code->binary)) return;
  cache_entry entry = {.object = {b.data, b.len}, .sizes = {code->is_machine_code}};
  cache_store(p->device->cache, &code->arena, code->key, &entry);
}

/* ---- loading -------------------------------------------------------------------------------- */

static bool take(str *rest, void *out, size_t bytes) {
  if (rest->len < bytes) return false;
  memcpy(out, rest->data, bytes);
  *rest = (str){rest->data + bytes, rest->len - bytes};
  return true;
}

static bool take_maps(arena *a, str *rest, nvptx_entry *e) {
  simt_tensor_map *maps = arena_array(a, simt_tensor_map, e->n_maps + 1);
  for (uint32_t i = 0; i < e->n_maps; i++) {
    uint32_t view;
    if (!take(rest, &view, sizeof view) || !take(rest, &maps[i], sizeof maps[i])) return false;
    maps[i].view = view_at(e->op, view);
    if (!maps[i].view) return false;
  }
  e->maps = maps;
  return true;
}

/* Which form of an entry is read, and so which may follow it. */
typedef enum form { FORM_PLAIN, FORM_BULK, FORM_CLUSTERED } form;

static bool take_entry(arena *a, str *rest, const ir_op *op, form which, nvptx_entry *out);

/* A form that follows another one, if there is one. */
static bool take_form(arena *a, str *rest, const ir_op *op, bool present, bool allowed, form which,
                      nvptx_entry **out) {
  if (!present) return true;
  *out = arena_new(a, nvptx_entry);
  return allowed && take_entry(a, rest, op, which, *out);
}

static bool good_cluster(const nvptx_entry *e) {
  return e->cluster[0] && e->cluster[1] && e->cluster[2];
}

/* The entry of an operation, and its other forms. */
static bool take_entry(arena *a, str *rest, const ir_op *op, form which, nvptx_entry *out) {
  uint32_t words[WORDS];
  if (!take(rest, words, sizeof words) || words[6] > rest->len || words[4] > MOST_MAPS)
    return false;
  *out = (nvptx_entry){.op = op,
                       .n_params = words[0],
                       .threads = words[1],
                       .shared_bytes = words[2],
                       .static_bytes = words[3],
                       .n_maps = words[4],
                       .blocks_per_sm = words[8],
                       .optional = words[9],
                       .shared_align = words[10],
                       .symbol = arena_strndup(a, rest->data, words[6])};
  *rest = (str){rest->data + words[6], rest->len - words[6]};
  if (!take(rest, out->cluster, sizeof out->cluster)) return false;
  if (which == FORM_CLUSTERED && !good_cluster(out)) return false;
  if (out->n_params != ir_region(op, 0)->n_args || !take_maps(a, rest, out)) return false;
  return take_form(a, rest, op, words[5], which == FORM_PLAIN, FORM_BULK, &out->bulk) &&
         take_form(a, rest, op, words[7], which == FORM_BULK, FORM_CLUSTERED, &out->clustered);
}

static bool take_entries(const tsr_program *p, gpu_program *code, str *rest) {
  uint32_t n, i = 0;
  if (!take(rest, &n, sizeof n) || n > MOST_ENTRIES) return false;
  code->entries = arena_array(&code->arena, nvptx_entry, n + 1);
  code->n_entries = n;
  for (const ir_op *op = ir_region(p->module->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    if (i == n || !take_entry(&code->arena, rest, op, FORM_PLAIN, &code->entries[i++]))
      return false;
  }
  return i == n;
}

bool gpu_cached_read(const tsr_program *p, gpu_program *code, str bytes, str *image) {
  str rest = bytes;
  if (!take_entries(p, code, &rest) || !rest.len) return false;
  /* Terminated, as the driver wants PTX. */
  *image = (str){arena_strndup(&code->arena, rest.data, rest.len), rest.len};
  return true;
}

bool gpu_cached_load(const tsr_program *p, gpu_program *code) {
  cache_entry entry;
  if (!code->key.len || !cache_load(p->device->cache, &code->arena, code->key, &entry))
    return false;
  if (!gpu_cached_read(p, code, entry.object, &code->binary)) return false;
  code->is_machine_code = entry.sizes[0] != 0;
  return true;
}
