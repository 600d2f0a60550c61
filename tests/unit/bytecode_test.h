/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of bytecode share: writing and reading without the verifier, files built by hand.
 */
#ifndef BYTECODE_TEST_H
#define BYTECODE_TEST_H

#include "bytecode/bytecode.h"
#include "text_test.h"

typedef struct bytes {
  uint8_t *data;
  size_t len, cap;
} bytes;

static inline void add(bytes *b, const void *data, size_t n) {
  if (b->len + n > b->cap) {
    b->cap = 2 * (b->len + n) + 64;
    b->data = realloc(b->data, b->cap);
    assert_non_null(b->data);
  }
  if (n) memcpy(b->data + b->len, data, n);
  b->len += n;
}

static inline void add_byte(bytes *b, unsigned byte) {
  uint8_t v = (uint8_t)byte;
  add(b, &v, 1);
}

static inline void add_varint(bytes *b, uint64_t v) {
  for (; v >= 0x80; v >>= 7) add_byte(b, (v & 0x7f) | 0x80);
  add_byte(b, (unsigned)v);
}

static inline void add_int(bytes *b, uint64_t v, unsigned width) {
  for (unsigned i = 0; i < width; i++) add_byte(b, v >> (8 * i) & 0xff);
}

static inline void add_padding(bytes *b, unsigned alignment) {
  while (b->len % alignment) add_byte(b, 0xcb);
}

/* BYTES(0x10, 0, 0) as arguments: pointer, length. */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static inline bytes without_module(void) {
  return (bytes){0};
}

/* The module as bytecode without asking the verifier; .data is NULL after an error. */
static inline bytes write_unverified(tsr_context *ctx, ir_module *m, unsigned minor) {
  bytes out = {0};
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, arena_free(&a); return without_module());
  sbuf b = SBUF(&a);
  said.n = 0;
  if (bytecode_write(&b, m, (ir_version)minor)) add(&out, b.data, b.len);
  TSR_UNGUARD(ctx);
  arena_free(&a);
  return out;
}

static inline ir_module *read_bytes(tsr_context *ctx, const void *data, size_t len,
                                    unsigned flags) {
  said.n = 0;
  /* A copy of just this size: the address sanitizer sees a read past its end. */
  uint8_t *exact = malloc(len ? len : 1);
  assert_non_null(exact);
  if (len) memcpy(exact, data, len);
  ir_module *m = tsr_module_read_bytecode(ctx, exact, len, "t.bc", flags);
  free(exact);
  return m;
}

static inline bool forget_names_of(void *user, ir_op *op) {
  (void)user;
  for (uint32_t i = 0; i < op->n_results; i++) op->results[i].name = NULL;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      op->regions[r]->args[i].name = NULL;
  return true;
}

/* What bytecode does not keep: names of values and of the module. */
static inline void forget_names(ir_module *m) {
  ir_walk(m->op, forget_names_of, NULL);
  ir_set_attr(m->op, ATTR_sym_name, (ir_attr){.s = STR("kernels")});
}

/* As text, to be freed with free(). */
static inline char *print_module(tsr_context *ctx, ir_module *m) {
  char *text = tsr_module_print(m, NULL);
  assert_non_null(text);
  char *copy = strdup(text);
  tsr_string_free(ctx, text);
  return copy;
}

#endif
