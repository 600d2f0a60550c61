/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base: memory, containers, strings and diagnostics, under everything else.
 *
 * Memory comes from arenas. An arena hands out memory that is never given back one by one; it is
 * freed at once with what it belongs to (a context, a module, one pass). Allocation never returns
 * NULL: when the allocator has nothing left, control jumps to the innermost guard of the context
 * (see `ctx_guard`), which is set by the public function that was called. So no code below the
 * public interface checks for NULL, and nothing leaks, because the arenas are still known.
 *
 *   TSR_GUARD(ctx, return NULL);        // in a public function
 *   thing *t = arena_new(&m->arena, thing);
 *   ...
 *   TSR_UNGUARD(ctx);
 */
#ifndef TSR_BASE_BASE_H
#define TSR_BASE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tessera/base.h>

#define ARRAY_LEN(a)            (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)               ((a) < (b) ? (a) : (b))
#define MAX(a, b)               ((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define NORETURN                __attribute__((noreturn))

/* ---- strings ------------------------------------------------------------------------------ */

/* A view of bytes; not terminated unless its maker says so. */
typedef struct str {
  const char *data;
  size_t len;
} str;

#define STR(literal) ((str){(literal), sizeof(literal) - 1})
#define STR_FMT      "%.*s"
#define STR_ARG(s)   (int)(s).len, (s).data

static inline str str_of(const char *z) {
  return (str){z, z ? strlen(z) : 0};
}
static inline bool str_eq(str a, str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}
static inline bool str_is(str a, const char *z) {
  return str_eq(a, str_of(z));
}
static inline bool str_starts(str a, const char *z) {
  size_t n = strlen(z);
  return a.len >= n && memcmp(a.data, z, n) == 0;
}

/* What a hexadecimal digit stands for; -1: it is none. */
static inline int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* How many letters must be changed, added, dropped or exchanged with a neighbour to get from one
 * to the other (the optimal string alignment distance), for "did you mean". Strings of
 * STR_DISTANCE_MAX bytes or more are that far from everything. */
enum { STR_DISTANCE_MAX = 64 };
unsigned str_distance(str a, str b);

/* The names closest to a misspelt one, best first. */
typedef struct near_names {
  str wanted;
  const char **out; /* room for `max`, which is at most NEAR_MAX */
  unsigned max, found;
  unsigned scores[8];
} near_names;
enum { NEAR_MAX = 8 };
/* Offers a name: it is added if it is close to the wanted one and closer than others are. */
void near_offer(near_names *n, const char *name);

/* ---- arenas ------------------------------------------------------------------------------- */

typedef struct arena_block arena_block;

typedef struct arena {
  tsr_context *ctx; /* whose allocator and guard are used */
  arena_block *blocks;
  char *next, *end;
  size_t total; /* bytes taken from the allocator */
} arena;

void arena_init(arena *a, tsr_context *ctx);
void arena_free(arena *a); /* gives all back; the arena may be used again */
void *arena_alloc_slow(arena *a, size_t size, size_t align);

/* Zeroed only by the *_zero forms. `align` is a power of two, at most 64. */
static inline void *arena_alloc(arena *a, size_t size, size_t align) {
  uintptr_t p = ((uintptr_t)a->next + (align - 1)) & ~(uintptr_t)(align - 1);
  if (a->next != NULL && size <= (uintptr_t)a->end - p && p <= (uintptr_t)a->end) {
    a->next = (char *)(p + size);
    return (void *)p;
  }
  return arena_alloc_slow(a, size, align);
}
static inline void *arena_alloc_zero(arena *a, size_t size, size_t align) {
  return memset(arena_alloc(a, size, align), 0, size);
}
/* n * size, checked; jumps to the guard when the product does not fit. */
void *arena_alloc_array(arena *a, size_t n, size_t size, size_t align);

#define arena_new(a, T)      ((T *)arena_alloc_zero((a), sizeof(T), _Alignof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc_array((a), (n), sizeof(T), _Alignof(T)))

char *arena_strndup(arena *a, const char *s, size_t n); /* terminated */
str arena_str(arena *a, str s);                         /* a copy, terminated after its end */
char *arena_printf(arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- growing arrays in an arena ------------------------------------------------------------- */

/* VEC(int) v = {0}; vec_push(arena, v, 7); v.data[0]; v.len */
#define VEC(T)                                                                                     \
  struct {                                                                                         \
    T *data;                                                                                       \
    uint32_t len, cap;                                                                             \
  }

#define vec_push(a, v, ...)                                                                        \
  ((v).len == (v).cap                                                                              \
       ? (void)((v).data = vec_grow((a), (v).data, &(v).cap, (v).len + 1, sizeof(*(v).data)))      \
       : (void)0,                                                                                  \
   (v).data[(v).len++] = (__VA_ARGS__))
#define vec_reserve(a, v, n)                                                                       \
  ((n) > (v).cap ? (void)((v).data = vec_grow((a), (v).data, &(v).cap, (n), sizeof(*(v).data)))    \
                 : (void)0)
#define vec_last(v) ((v).data[(v).len - 1])
#define vec_pop(v)  ((v).data[--(v).len])

void *vec_grow(arena *a, void *data, uint32_t *cap, uint32_t need, size_t size);

/* ---- hash maps ------------------------------------------------------------------------------ */

/* What hashes of tables depend on besides the key: random, so that no file can hold names or
 * numbers that collide. Nothing that a user sees may depend on it. A context has one, and a table
 * that of the context it was made in: tables are also used by the plugin, which has this code once
 * more. */
typedef struct hash_secret {
  uint64_t k0, k1;
} hash_secret;
hash_secret hash_secret_new(void);
/* For tests: contexts that are made from now on take their secret from `seed`. The environment
 * variable TESSERA_HASH_SEED has the same effect on a program. */
void hash_set_seed(uint64_t seed);

/* hash_key continues from `h`, at first 0. */
uint64_t hash_key(hash_secret s, uint64_t h, const void *data, size_t len);
uint64_t hash_word(hash_secret s, uint64_t x);

/* Open addressing, 64-bit keys (integers or pointers; 0 is a valid key), pointer-sized values. */
typedef struct map_slot {
  uint64_t key;
  uintptr_t value;
  bool used;
} map_slot;

typedef struct map {
  map_slot *slots;
  uint32_t len, cap;
  hash_secret secret; /* of the context that its first memory came from */
} map;

uintptr_t *map_get(const map *m, uint64_t key);     /* NULL when absent */
uintptr_t *map_put(arena *a, map *m, uint64_t key); /* finds or adds (value 0) */
void map_remove(map *m, uint64_t key);
static inline void *map_ptr(const map *m, const void *key) {
  uintptr_t *v = map_get(m, (uintptr_t)key);
  return v ? (void *)*v : NULL;
}

/* Hashes that are the same everywhere: of what is written to files, of what is compared. */
uint64_t hash_bytes(const void *data, size_t len);
static inline uint64_t hash_mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 33);
}

/* Strings to pointers. Keys are not copied. */
typedef struct strmap_slot {
  str key;
  uint64_t hash;
  uintptr_t value;
} strmap_slot;

typedef struct strmap {
  strmap_slot *slots;
  uint32_t len, cap;
  hash_secret secret;
} strmap;

uintptr_t *strmap_get(const strmap *m, str key);
uintptr_t *strmap_put(arena *a, strmap *m, str key, bool *added); /* `added` may be NULL */

/* ---- string building ------------------------------------------------------------------------ */

/* Grows in an arena. `data` is always terminated once something was written. */
typedef struct sbuf {
  arena *arena;
  char *data;
  size_t len, cap;
} sbuf;

#define SBUF(a) ((sbuf){.arena = (a)})
void sbuf_grow(sbuf *b, size_t more);
void sbuf_printf(sbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sbuf_vprintf(sbuf *b, const char *fmt, va_list args);
static inline void sbuf_add(sbuf *b, const char *s, size_t n) {
  if (b->cap - b->len <= n) sbuf_grow(b, n);
  memcpy(b->data + b->len, s, n);
  b->len += n;
  b->data[b->len] = 0;
}
static inline void sbuf_puts(sbuf *b, const char *s) {
  sbuf_add(b, s, strlen(s));
}
static inline void sbuf_str(sbuf *b, str s) {
  sbuf_add(b, s.data, s.len);
}
static inline void sbuf_putc(sbuf *b, char c) {
  sbuf_add(b, &c, 1);
}
void sbuf_i64(sbuf *b, int64_t v); /* decimal, faster than printf */
/* Text as XML and HTML have it, also within quotes; control characters become spaces. */
void sbuf_escape(sbuf *b, const char *text);

/* ---- contexts and diagnostics --------------------------------------------------------------- */

/* A text that diagnostics can quote. `text` is terminated after `len`. */
typedef struct source {
  const char *name; /* as shown: "file.mlir", "<stdin>" */
  str text;
  uint32_t *lines; /* NULL, or room for the index of lines (see source_index) */
} source;

/* Room for an index of lines, which the first message that quotes the text fills: then a line is
 * found at once, and not by reading the text up to it. */
uint32_t *source_index(arena *a, str text);
/* Where a line, counted from 1, begins. NULL: the text has fewer. */
const char *source_line(const source *s, uint32_t line);
/* The line and the column of a byte of the text, both counted from 1. */
void source_position(const source *s, size_t offset, uint32_t *line, uint32_t *column);

/* A place in a source, for messages. `src` NULL: nowhere; `line` 0: the file as a whole. */
typedef struct place {
  const source *src;
  const char *file; /* used when src is NULL but a name is known (bytecode debug info) */
  uint32_t line, column, length;
} place;

typedef struct ctx_guard {
  jmp_buf env;
  struct ctx_guard *outer;
} ctx_guard;

struct tsr_context {
  tsr_allocator allocator;
  tsr_diagnostic_fn on_diagnostic;
  void *diagnostic_user;
  uint32_t error_limit;
  const char *compiler; /* the file that was asked for; NULL */
  uint32_t errors;      /* reported so far by the operation under way */
  ctx_guard *guard;     /* innermost */
  hash_secret secret;   /* of its tables */
  arena arena;          /* what lives as long as the context */
  void *text_formats;   /* text: operation formats, decoded on first use */
  void *rt;             /* rt: what the context's devices share */
};

/* A caller's structure of `given` bytes, which begins with its size, as one of `size` bytes: what
 * an older caller does not know is zero. False: it is smaller than `least`, that of the first
 * version. */
static inline bool struct_take(void *out, size_t size, const void *from, size_t least) {
  size_t given;
  memcpy(&given, from, sizeof given);
  memset(out, 0, size);
  if (given < least) return false;
  memcpy(out, from, MIN(given, size));
  memcpy(out, &size, sizeof size);
  return true;
}

/* Memory by the context's allocator; ctx_alloc jumps to the guard on failure. */
void *ctx_alloc(tsr_context *ctx, size_t size);
void *ctx_try_alloc(tsr_context *ctx, size_t size); /* NULL on failure */
void ctx_free(tsr_context *ctx, void *memory, size_t size);
/* Reports it and jumps to the guard. */
NORETURN void ctx_out_of_memory(tsr_context *ctx);
/* For a guard that has given back what its function held: on to the guard outside. */
NORETURN void ctx_unwind(tsr_context *ctx);
/* A terminated copy of `len` bytes for a caller of the library, who gives it back with
 * tsr_string_free; it may hold zero bytes. */
char *ctx_string(tsr_context *ctx, const void *data, size_t len);
/* Likewise of what a buffer holds, which is not used again. A large one is handed over as it is. */
char *ctx_string_take(sbuf *b);

/* Runs `on_failure` (a statement that leaves the function) when memory ran out below. */
#define TSR_GUARD(ctx, on_failure)                                                                 \
  ctx_guard guard_;                                                                                \
  guard_.outer = (ctx)->guard;                                                                     \
  (ctx)->guard = &guard_;                                                                          \
  if (setjmp(guard_.env)) {                                                                        \
    (ctx)->guard = guard_.outer;                                                                   \
    on_failure;                                                                                    \
  }
#define TSR_UNGUARD(ctx) ((ctx)->guard = guard_.outer)

void diag(tsr_context *ctx, tsr_severity severity, place at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
void diag_v(tsr_context *ctx, tsr_severity severity, place at, const char *fmt, va_list args);
#define NOWHERE                  ((place){0})
#define diag_error(ctx, at, ...) diag((ctx), TSR_ERROR, (at), __VA_ARGS__)
#define diag_note(ctx, at, ...)  diag((ctx), TSR_NOTE, (at), __VA_ARGS__)

/* ---- files ---------------------------------------------------------------------------------- */

/* Reads a whole file ("-" is standard input) into the arena, terminated. On failure reports and
 * returns false. `max_size` bounds what is accepted. Refuses directories. */
bool file_read(tsr_context *ctx, arena *a, const char *path, size_t max_size, str *out);

/* Writes to a temporary file beside `path` and renames it, so that a failure leaves nothing
 * after and an old file untouched. On failure reports and returns false. */
bool file_write(tsr_context *ctx, const char *path, const void *data, size_t len);

#endif
