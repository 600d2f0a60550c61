/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arenas: blocks that double in size up to a bound, so that a small module costs a page and a
 * large one few calls of the allocator.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tessera/module.h>

#include "base/base.h"

struct arena_block {
  _Alignas(16) arena_block *next;
  size_t size; /* with this header */
};

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 1 << 20 };

static void *default_allocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void default_release(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

static bool keep_text(tsr_context *ctx, const char *text, const char **out) {
  TSR_GUARD(ctx, return false);
  *out = arena_strndup(&ctx->arena, text, strlen(text));
  TSR_UNGUARD(ctx);
  return true;
}

tsr_context *tsr_context_create(const tsr_context_options *options) {
  tsr_allocator allocator = {default_allocate, default_release, NULL};
  if (options && options->allocator) allocator = *options->allocator;
  tsr_context *ctx = allocator.allocate(allocator.user, sizeof *ctx);
  if (!ctx) return NULL;
  *ctx = (tsr_context){.allocator = allocator, .error_limit = 20, .secret = hash_secret_new()};
  if (options) {
    ctx->on_diagnostic = options->on_diagnostic;
    ctx->diagnostic_user = options->diagnostic_user;
    if (options->error_limit) ctx->error_limit = options->error_limit;
  }
  arena_init(&ctx->arena, ctx);
  size_t known = offsetof(tsr_context_options, compiler) + sizeof options->compiler;
  if (options && options->struct_size >= known && options->compiler &&
      !keep_text(ctx, options->compiler, &ctx->compiler)) {
    tsr_context_destroy(ctx);
    return NULL;
  }
  return ctx;
}

void tsr_context_destroy(tsr_context *ctx) {
  if (!ctx) return;
  arena_free(&ctx->arena);
  tsr_allocator allocator = ctx->allocator;
  allocator.release(allocator.user, ctx, sizeof *ctx);
}

void *ctx_try_alloc(tsr_context *ctx, size_t size) {
  return ctx->allocator.allocate(ctx->allocator.user, size);
}

void *ctx_alloc(tsr_context *ctx, size_t size) {
  void *p = ctx_try_alloc(ctx, size);
  if (!p) ctx_out_of_memory(ctx);
  return p;
}

void ctx_free(tsr_context *ctx, void *memory, size_t size) {
  if (memory) ctx->allocator.release(ctx->allocator.user, memory, size);
}

void ctx_out_of_memory(tsr_context *ctx) {
  /* Reported without allocating: diag formats into a buffer on the stack. */
  diag_error(ctx, NOWHERE, "out of memory");
  ctx_unwind(ctx);
}

void ctx_unwind(tsr_context *ctx) {
  if (ctx->guard) longjmp(ctx->guard->env, 1);
  abort(); /* unreachable: every public function sets a guard before it allocates */
}

/* The allocator wants to be told the size, so it stands before the text. 16 bytes keep what follows
 * aligned. */
enum { STRING_HEAD = 16 };

char *ctx_string(tsr_context *ctx, const void *data, size_t len) {
  if (len > SIZE_MAX - STRING_HEAD - 1) ctx_out_of_memory(ctx);
  size_t size = STRING_HEAD + len + 1;
  char *head = ctx_alloc(ctx, size);
  memcpy(head, &size, sizeof size);
  if (len) memcpy(head + STRING_HEAD, data, len);
  head[STRING_HEAD + len] = 0;
  return head + STRING_HEAD;
}

_Static_assert(sizeof(arena_block) == STRING_HEAD, "a block of an arena can become a string");

char *ctx_string_take(sbuf *b) {
  arena_block **link = &b->arena->blocks;
  /* The buffer has a block of its own when it fills one (see arena_alloc_slow). */
  for (; b->data && *link; link = &(*link)->next) {
    arena_block *own = *link;
    if ((char *)own + STRING_HEAD != b->data || own->size != STRING_HEAD + b->cap + 1) continue;
    if (b->arena->end == (char *)own + own->size) {
      if (b->arena->next != b->data + b->cap) break; /* something else is in it */
      b->arena->next = b->arena->end = NULL;
    }
    *link = own->next;
    size_t size = own->size;
    memcpy(own, &size, sizeof size);
    return b->data;
  }
  return ctx_string(b->arena->ctx, b->data, b->len);
}

void tsr_string_free(tsr_context *ctx, char *string) {
  if (!ctx || !string) return;
  char *head = string - STRING_HEAD;
  size_t size;
  memcpy(&size, head, sizeof size);
  ctx_free(ctx, head, size);
}

void arena_init(arena *a, tsr_context *ctx) {
  *a = (arena){.ctx = ctx};
}

void arena_free(arena *a) {
  for (arena_block *b = a->blocks, *next; b; b = next) {
    next = b->next;
    ctx_free(a->ctx, b, b->size);
  }
  arena_init(a, a->ctx);
}

void *arena_alloc_slow(arena *a, size_t size, size_t align) {
  size_t head = (sizeof(arena_block) + 15) & ~(size_t)15;
  if (size > SIZE_MAX / 2) ctx_out_of_memory(a->ctx);
  size_t need = head + size + align;
  size_t block = a->total < FIRST_BLOCK ? FIRST_BLOCK : MIN(a->total, LARGEST_BLOCK);
  bool own = need > block / 2; /* a large piece gets its own block, the current one stays in use */
  if (own) block = need;
  arena_block *b = ctx_alloc(a->ctx, block);
  b->size = block;
  a->total += block;
  uintptr_t p = ((uintptr_t)b + head + (align - 1)) & ~(uintptr_t)(align - 1);
  if (own && a->blocks) {
    b->next = a->blocks->next;
    a->blocks->next = b;
  } else {
    b->next = a->blocks;
    a->blocks = b;
    a->next = (char *)(p + size);
    a->end = (char *)b + block;
  }
  return (void *)p;
}

void *arena_alloc_array(arena *a, size_t n, size_t size, size_t align) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) ctx_out_of_memory(a->ctx);
  return arena_alloc_zero(a, bytes, align);
}

char *arena_strndup(arena *a, const char *s, size_t n) {
  char *copy = arena_alloc(a, n + 1, 1);
  if (n) memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

str arena_str(arena *a, str s) {
  return (str){arena_strndup(a, s.data, s.len), s.len};
}

char *arena_printf(arena *a, const char *fmt, ...) {
  sbuf b = SBUF(a);
  va_list args;
  va_start(args, fmt);
  sbuf_vprintf(&b, fmt, args);
  va_end(args);
  return b.data ? b.data : arena_strndup(a, "", 0);
}

void *vec_grow(arena *a, void *data, uint32_t *cap, uint32_t need, size_t size) {
  uint32_t new_cap = *cap ? *cap : 4;
  while (new_cap < need) {
    if (new_cap > UINT32_MAX / 2) ctx_out_of_memory(a->ctx);
    new_cap *= 2;
  }
  /* The last allocation of the arena grows in place: the common case while one vector fills. */
  size_t old_bytes = (size_t)*cap * size, new_bytes = (size_t)new_cap * size;
  if (data && (char *)data + old_bytes == a->next &&
      new_bytes - old_bytes <= (size_t)(a->end - a->next)) {
    a->next += new_bytes - old_bytes;
    *cap = new_cap;
    return data;
  }
  void *fresh = arena_alloc(a, new_bytes, 16);
  if (old_bytes) memcpy(fresh, data, old_bytes);
  *cap = new_cap;
  return fresh;
}
