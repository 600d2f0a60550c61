/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opening and closing devices; what all kinds have in common.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt/rt.h"

/* Those that are no GPU of the machine, in the order in which they are listed; NULL past the last.
 */
static const rt_device_kind *kind_at(size_t index) {
  static const rt_device_kind *const first[] = {&rt_cpu, &rt_interp};
  return index < ARRAY_LEN(first) ? first[index] : rt_emu_kind_at(index - ARRAY_LEN(first));
}

static size_t count_kinds(void) {
  size_t n = 0;
  while (kind_at(n)) n++;
  return n;
}

/* Those that are, which have numbers. */
typedef struct card_list {
  const rt_device_kind *kind;
  size_t (*count)(void);
  size_t (*describe)(unsigned ordinal, char *out, size_t size);
} card_list;

static const card_list cards[] = {{&rt_cuda, rt_cuda_count, rt_cuda_describe},
                                  {&rt_hip, rt_hip_count, rt_hip_describe}};

/* "cuda:2" of "cuda", or "cuda" for the first. */
static bool read_ordinal(const char *name, const char *kind, unsigned *ordinal) {
  size_t length = strlen(kind);
  if (strncmp(name, kind, length) != 0) return false;
  const char *rest = name + length;
  *ordinal = 0;
  if (!*rest) return true;
  char *end;
  unsigned long n = strtoul(rest + 1, &end, 10);
  if (*rest != ':' || rest[1] < '0' || rest[1] > '9' || *end || n > 9999) return false;
  *ordinal = (unsigned)n;
  return true;
}

static const card_list *find_cards(const char *name, unsigned *ordinal) {
  for (size_t i = 0; name && i < ARRAY_LEN(cards); i++)
    if (read_ordinal(name, cards[i].kind->name, ordinal)) return &cards[i];
  *ordinal = 0;
  return NULL;
}

static const rt_device_kind *find_kind(const char *name, unsigned *ordinal) {
  const card_list *list = find_cards(name, ordinal);
  if (list) return list->kind;
  const rt_device_kind *kind;
  for (size_t i = 0; name && (kind = kind_at(i)); i++)
    if (strcmp(name, kind->name) == 0) return kind;
  return NULL;
}

enum { MOST_CARDS = 16 }; /* of a kind that have a name in a list */

static size_t count_cards(const card_list *list) {
  return MIN(list->count(), (size_t)MOST_CARDS);
}

size_t tsr_device_count(void) {
  size_t n = count_kinds();
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) n += count_cards(&cards[i]);
  return n;
}

const char *tsr_device_name(size_t index) {
#define NAMES(kind)                                                                                \
  kind ":0", kind ":1", kind ":2", kind ":3", kind ":4", kind ":5", kind ":6", kind ":7",          \
      kind ":8", kind ":9", kind ":10", kind ":11", kind ":12", kind ":13", kind ":14", kind ":15"
  static const char names[ARRAY_LEN(cards)][MOST_CARDS][8] = {{NAMES("cuda")}, {NAMES("hip")}};
#undef NAMES
  const rt_device_kind *kind = kind_at(index);
  if (kind) return kind->name;
  index -= count_kinds();
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    size_t n = count_cards(&cards[i]);
    if (index < n) return names[i][index];
    index -= n;
  }
  return NULL;
}

size_t tsr_device_describe(const char *name, char *out, size_t size) {
  unsigned ordinal;
  if (!out) size = 0; /* how much it would be */
  const card_list *list = find_cards(name, &ordinal);
  if (list) return list->describe(ordinal, out, size);
  const rt_device_kind *kind = find_kind(name, &ordinal);
  if (kind) return kind->describe(kind, out, size);
  return (size_t)snprintf(out, size, "there is no such device");
}

/* ---- the lock ------------------------------------------------------------------------------- */

void rt_lock(tsr_device *dev) {
  pthread_mutex_lock(&dev->shared->lock);
}
void rt_unlock(tsr_device *dev) {
  pthread_mutex_unlock(&dev->shared->lock);
}

static rt_shared *shared_get(tsr_context *ctx) {
  rt_shared *shared = ctx->rt;
  if (!shared) {
    shared = ctx_alloc(ctx, sizeof *shared);
    *shared = (rt_shared){0};
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&shared->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    ctx->rt = shared;
  }
  shared->users++;
  return shared;
}

static void shared_give(tsr_context *ctx) {
  rt_shared *shared = ctx->rt;
  if (--shared->users) return;
  pthread_mutex_destroy(&shared->lock);
  ctx_free(ctx, shared, sizeof *shared);
  ctx->rt = NULL;
}

/* ---- options -------------------------------------------------------------------------------- */

bool rt_env_number(tsr_context *ctx, const char *name, unsigned low, unsigned high, unsigned *out,
                   bool *wrong) {
  const char *text = getenv(name);
  if (!text || !*text) return false;
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value < low || value > high) {
    diag_error(ctx, NOWHERE, "%s: expected a number from %u to %u, found '%s'", name, low, high,
               text);
    *wrong = true;
    return false;
  }
  *out = (unsigned)value;
  return true;
}

/* A complete copy of the caller's options, which may be of another version. */
static bool read_options(tsr_context *ctx, const tsr_device_options *given,
                         tsr_device_options *out) {
  *out = (tsr_device_options){.struct_size = sizeof *out};
  if (!given) return true;
  size_t least = offsetof(tsr_device_options, output_user) + sizeof(void *);
  if (!struct_take(out, sizeof *out, given, least)) {
    diag_error(ctx, NOWHERE,
               "tsr_device_options.struct_size is %zu: set it to sizeof(tsr_device_options)",
               given->struct_size);
    return false;
  }
  if ((unsigned)out->order > TSR_ORDER_SHUFFLED) {
    diag_error(ctx, NOWHERE, "tsr_device_options.order: %d is no tsr_block_order", out->order);
    return false;
  }
  if ((unsigned)out->async > TSR_ASYNC_RANDOM) {
    diag_error(ctx, NOWHERE, "tsr_device_options.async: %d is no tsr_async", out->async);
    return false;
  }
  if (out->block_group > INT32_MAX) {
    diag_error(ctx, NOWHERE, "tsr_device_options.block_group: %u is more than %d", out->block_group,
               INT32_MAX);
    return false;
  }
  if (out->sanitize & ~(unsigned)TSR_SANITIZE_ALL) {
    diag_error(ctx, NOWHERE, "tsr_device_options.sanitize: 0x%x is no mask of tsr_sanitize",
               out->sanitize);
    return false;
  }
  if (out->threads > POOL_MAX_THREADS) {
    diag_error(ctx, NOWHERE, "tsr_device_options.threads: %u is more than %d", out->threads,
               POOL_MAX_THREADS);
    return false;
  }
  return true;
}

/* ---- devices -------------------------------------------------------------------------------- */

/* Jumps to the guard when memory runs out; `made` then says what there is to close. */
static bool device_create(tsr_context *ctx, const rt_device_kind *kind, unsigned ordinal,
                          const tsr_device_options *options, tsr_device *volatile *made) {
  rt_shared *shared = shared_get(ctx);
  tsr_device *dev = ctx_try_alloc(ctx, sizeof *dev);
  if (!dev) {
    shared_give(ctx);
    ctx_out_of_memory(ctx);
  }
  *dev = (tsr_device){.ctx = ctx,
                      .kind = kind,
                      .ordinal = ordinal,
                      .shared = shared,
                      .on_output = options->on_output,
                      .output_user = options->output_user,
                      .sanitize = {.checks = options->sanitize,
                                   .stop = options->sanitize_stop,
                                   .on_finding = options->on_finding,
                                   .user = options->finding_user},
                      .async = options->async,
                      .order = {.kind = (rt_order_kind)options->order, .seed = options->seed}};
  *made = dev;
  return kind->open(dev, options);
}

tsr_device *rt_device_open(tsr_context *ctx, const rt_device_kind *kind, unsigned ordinal,
                           const tsr_device_options *options) {
  tsr_device_options complete;
  if (!read_options(ctx, options, &complete)) return NULL;
  if (complete.sanitize & ~kind->checks) {
    char number[16] = "";
    if (kind == &rt_cuda || kind == &rt_hip) snprintf(number, sizeof number, ":%u", ordinal);
    diag_error(ctx, NOWHERE, "the device '%s%s' checks %s; only 'interp' checks everything",
               kind->name, number, kind->checks ? "bounds and assume only" : "nothing");
    return NULL;
  }
  tsr_device *volatile dev = NULL;
  TSR_GUARD(ctx, {
    tsr_device_close(dev);
    return NULL;
  });
  bool opened = device_create(ctx, kind, ordinal, &complete, &dev);
  TSR_UNGUARD(ctx);
  if (opened) return dev;
  tsr_device_close(dev);
  return NULL;
}

tsr_device *tsr_device_open(tsr_context *ctx, const char *name, const tsr_device_options *options) {
  if (!ctx) return NULL;
  unsigned ordinal;
  const rt_device_kind *kind = find_kind(name, &ordinal);
  if (kind) return rt_device_open(ctx, kind, ordinal, options);
  diag_error(
      ctx, NOWHERE,
      "unknown device '%s'; there are: cpu, interp, GPUs: cuda:0, ..., hip:0, ..., and emulators: "
      "%s to %s",
      name ? name : "", rt_emu_kind_at(0)->name, kind_at(count_kinds() - 1)->name);
  return NULL;
}

void tsr_device_close(tsr_device *dev) {
  if (!dev) return;
  tsr_context *ctx = dev->ctx;
  dev->kind->close(dev);
  shared_give(ctx);
  ctx_free(ctx, dev, sizeof *dev);
}
