/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of the runtime and the builder share: a context that collects its messages and
 * counts its memory, and can be told to run out of it.
 */
#ifndef TSR_TESTS_RT_SUPPORT_H
#define TSR_TESTS_RT_SUPPORT_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tessera/tessera.h>

typedef struct world {
  tsr_context *ctx;
  char messages[8192]; /* one per line: "file:line: text" */
  size_t used;
  unsigned errors, others;
  unsigned column;                 /* of the last message */
  long live, allocations, fail_at; /* fail_at: the number of the allocation that fails; 0: none */
} world;

static void world_message(void *user, const tsr_diagnostic *d) {
  world *w = user;
  if (d->severity == TSR_ERROR)
    w->errors++;
  else
    w->others++;
  w->column = d->column;
  size_t room = sizeof w->messages - w->used;
  int n = d->line
              ? snprintf(w->messages + w->used, room, "%s:%u: %s\n", d->file, d->line, d->message)
              : snprintf(w->messages + w->used, room, "%s\n", d->message);
  if (n > 0 && (size_t)n < room) w->used += (size_t)n;
}

static void *world_allocate(void *user, size_t size) {
  world *w = user;
  if (++w->allocations == w->fail_at || size > (size_t)1 << 40)
    return NULL; /* as malloc would, and the sanitizers do not */
  void *p = malloc(size);
  if (p) {
    w->live += (long)size;
    memset(p, 0xa5, size); /* nothing may rely on zeroes */
  }
  return p;
}

static void world_release(void *user, void *p, size_t size) {
  world *w = user;
  w->live -= (long)size;
  free(p);
}

static inline void world_open_failing(world *w, long fail_at) {
  memset(w, 0, sizeof *w);
  w->fail_at = fail_at;
  tsr_allocator allocator = {world_allocate, world_release, w};
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = world_message,
                                 .diagnostic_user = w,
                                 .allocator = &allocator};
  w->ctx = tsr_context_create(&options);
}

static inline void world_open(world *w) {
  world_open_failing(w, 0);
  assert_non_null(w->ctx);
}

/* Everything has been given back, once the context is gone. */
static inline void world_close(world *w) {
  tsr_context_destroy(w->ctx);
  assert_int_equal(w->live, 0);
}

static inline void world_forget(world *w) {
  w->used = 0;
  w->messages[0] = 0;
  w->errors = w->others = 0;
}

/* Exactly one error was reported since the last time, and it has this in it. */
#define expect_error(w, part) expect_error_at((w), (part), __FILE__, __LINE__)
static inline void expect_error_at(world *w, const char *part, const char *file, int line) {
  if (w->errors != 1 || !strstr(w->messages, part)) {
    print_error("expected one error with: %s\ngot %u: %s\n", part, w->errors, w->messages);
    _fail(file, line);
  }
  world_forget(w);
}

#define expect_quiet(w) expect_quiet_at((w), __FILE__, __LINE__)
static inline void expect_quiet_at(world *w, const char *file, int line) {
  if (w->errors || w->others) {
    print_error("expected no message, got: %s\n", w->messages);
    _fail(file, line);
  }
}

/* y = a * x + y on `n` numbers, 128 to a tile block, made by the builder. */
static inline tsr_module *build_saxpy(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "example");
  tsr_type f32 = tsr_type_scalar(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_type ptr = tsr_type_pointer(b, TSR_F32);
  tsr_type view = tsr_type_tensor_view(b, TSR_F32, TSR_INTS(TSR_DYNAMIC), TSR_INTS(1));
  tsr_type tiles = tsr_type_partition_view(b, TSR_INTS(128), view, (tsr_ints){0}, TSR_PADDING_NONE);
  tsr_build_entry(b, "saxpy", TSR_TYPES(ptr, ptr, f32, i32));
  tsr_value x = tsr_build_arg(b, 0), y = tsr_build_arg(b, 1);
  tsr_value a = tsr_build_arg(b, 2), n = tsr_build_arg(b, 3);
  tsr_value_set_name(b, a, "a");
  tsr_value block = tsr_build_get_tile_block_id(b);
  x = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, x, view, TSR_VALUES(n)),
                                    tiles);
  y = tsr_build_make_partition_view(b, tsr_build_make_tensor_view(b, y, view, TSR_VALUES(n)),
                                    tiles);
  tsr_value xs = tsr_build_load_view_tko(b, x, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value ys = tsr_build_load_view_tko(b, y, TSR_VALUES(block), TSR_MEMORY_WEAK);
  tsr_value sum = tsr_build_fma(b, tsr_build_splat(b, a, TSR_INTS(128)), xs, ys);
  tsr_build_store_view_tko(b, sum, y, TSR_VALUES(block), TSR_MEMORY_WEAK,
                           .token = tsr_result_of(ys, 1));
  tsr_build_end(b);
  return tsr_builder_finish(b);
}

#endif
