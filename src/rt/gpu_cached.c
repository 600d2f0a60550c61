/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/gpu_cached.h"

enum { WORDS = 5, MOST_ENTRIES = 1 << 16 };

/* ---- storing -------------------------------------------------------------------------------- */

static void put_word(sbuf *b, uint32_t word) {
  sbuf_add(b, (const char *)&word, sizeof word);
}

void gpu_cached_store(const tsr_program *p, gpu_program *code) {
  if (!code->key.len) return;
  sbuf b = SBUF(&code->arena);
  put_word(&b, code->n_entries);
  for (uint32_t i = 0; i < code->n_entries; i++) {
    const nvptx_entry *e = &code->entries[i];
    str symbol = str_of(e->symbol);
    put_word(&b, e->n_params);
    put_word(&b, e->threads);
    put_word(&b, e->shared_bytes);
    put_word(&b, e->static_bytes);
    put_word(&b, (uint32_t)symbol.len);
    sbuf_str(&b, symbol);
  }
  sbuf_str(&b, code->image);
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

static bool take_entry(arena *a, str *rest, nvptx_entry *out) {
  uint32_t words[WORDS];
  if (!take(rest, words, sizeof words) || words[4] > rest->len) return false;
  *out = (nvptx_entry){.n_params = words[0],
                       .threads = words[1],
                       .shared_bytes = words[2],
                       .static_bytes = words[3],
                       .symbol = arena_strndup(a, rest->data, words[4])};
  *rest = (str){rest->data + words[4], rest->len - words[4]};
  return true;
}

/* The operations that the entries were made of, which come in the module's order. */
static bool find_operations(const ir_module *m, nvptx_entry *entries, uint32_t n) {
  uint32_t i = 0;
  for (const ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    if (i == n || entries[i].n_params != ir_region(op, 0)->n_args) return false;
    entries[i++].op = op;
  }
  return i == n;
}

bool gpu_cached_load(const tsr_program *p, gpu_program *code) {
  cache_entry entry;
  uint32_t n;
  if (!code->key.len || !cache_load(p->device->cache, &code->arena, code->key, &entry))
    return false;
  str rest = entry.object;
  if (!take(&rest, &n, sizeof n) || n > MOST_ENTRIES) return false;
  nvptx_entry *entries = arena_array(&code->arena, nvptx_entry, n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (!take_entry(&code->arena, &rest, &entries[i])) return false;
  if (!rest.len || !find_operations(p->module, entries, n)) return false;
  code->entries = entries;
  code->n_entries = n;
  /* Terminated, as the driver wants PTX. */
  code->image = (str){arena_strndup(&code->arena, rest.data, rest.len), rest.len};
  code->is_machine_code = entry.sizes[0] != 0;
  return true;
}
