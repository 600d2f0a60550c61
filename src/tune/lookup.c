/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "rt/cpuinfo.h"
#include "tune/tune.h"

/* ---- keys ----------------------------------------------------------------------------------- */

/* Records have no line ends and tabs. */
static void clean(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ') *text = ' ';
}

const char *lookup_device(const tsr_device *dev, arena *a) {
  char text[512];
  char *out;
  if (dev->kind == &rt_cpu) {
    cpuinfo_model(text, sizeof text);
    out = arena_printf(a, "%s, %s, %u threads", text, cpuinfo_level_name(dev->cpu.isa.level),
                       pool_threads(dev->pool));
  } else if (dev->card) {
    if (dev->cuda)
      rt_cuda_describe(dev->ordinal, text, sizeof text);
    else
      rt_hip_describe(dev->ordinal, text, sizeof text);
    out = arena_strndup(a, text, strlen(text));
  } else {
    out = arena_strndup(a, dev->kind->name, strlen(dev->kind->name));
  }
  clean(out);
  return out;
}

static uint64_t hash_space(const tsr_tuned *t) {
  uint64_t h = t->count;
  for (size_t i = 0; i < t->count; i++) {
    str text = t->candidates[i].parameters;
    h = hash_mix(h, hash_bytes(text.data, text.len));
  }
  return h;
}

lookup_key lookup_key_of(tsr_tuned *t, str text) {
  const tsr_tune_problem *p = t->problem;
  uint64_t program = hash_bytes(text.data, text.len);
  program = hash_mix(program, hash_bytes(p->kernel, p->kernel ? strlen(p->kernel) : 0));
  program = hash_mix(program, (uint64_t)p->level);
  program = hash_mix(program, t->options->cold);
  return (lookup_key){
      .program = arena_printf(&t->arena, "%016" PRIx64, program),
      .space = arena_printf(&t->arena, "%016" PRIx64, hash_space(t)),
      .sizes = space_key(p->space, &t->arena, t->options->exact).data,
      .device = lookup_device(p->device, &t->arena),
  };
}

/* ---- finding -------------------------------------------------------------------------------- */

typedef struct finding {
  tsr_tuned *t;
  const lookup_key *key;
  bool any_space, nearest;
  size_t found; /* the candidate */
  double ms;
  double distance;
} finding;

static size_t candidate_of(const tsr_tuned *t, const char *parameters) {
  const uintptr_t *slot = strmap_get(&t->by_parameters, str_of(parameters));
  return slot ? *slot : t->count;
}

static bool take_first(void *user, const tsr_tuning_record *r) {
  finding *f = user;
  if (!f->any_space && strcmp(r->space, f->key->space) != 0) return true;
  f->found = candidate_of(f->t, r->parameters);
  f->ms = r->median_ms;
  return f->found == f->t->count;
}

/* The next "name=number"; false at the end, or when it is none. */
static bool next_size(const char **p, str *name, int64_t *value) {
  while (**p == ' ') ++*p;
  const char *equals = strchr(*p, '=');
  if (!equals) return false;
  *name = (str){*p, (size_t)(equals - *p)};
  char *end;
  *value = strtoll(equals + 1, &end, 10);
  bool good = end != equals + 1;
  *p = end;
  return good;
}

/* The logarithms of the quotients, added up; below 0 when the names differ. Both are sorted. */
static double distance_of(const char *a, const char *b) {
  double sum = 0;
  str x = {0}, y = {0};
  int64_t m = 0, n = 0;
  for (;;) {
    bool first = next_size(&a, &x, &m), second = next_size(&b, &y, &n);
    if (!first && !second) return sum;
    if (first != second || !str_eq(x, y)) return -1;
    if (m == n) continue;
    sum += m > 0 && n > 0 ? fabs(log((double)m / (double)n)) : 100;
  }
}

static bool take_nearest(void *user, const tsr_tuning_record *r) {
  finding *f = user;
  double d = distance_of(r->sizes, f->key->sizes);
  if (d < 0 || (f->found < f->t->count && d >= f->distance)) return true;
  size_t i = candidate_of(f->t, r->parameters);
  if (i == f->t->count) return true;
  f->found = i;
  f->ms = r->median_ms;
  f->distance = d;
  return true;
}

static size_t find(tsr_tuned *t, finding *f, const char *sizes, tsr_tuning_visit each) {
  f->t = t;
  f->found = t->count;
  tsr_tuning_record like = {.program = f->key->program,
                            .sizes = sizes,
                            .device = f->key->device,
                            .version = tsr_version()};
  if (t->options->store) tsr_tuning_store_walk(t->options->store, &like, each, f);
  return f->found;
}

size_t lookup_exact(tsr_tuned *t, const lookup_key *key, bool any_space, double *ms) {
  finding f = {.key = key, .any_space = any_space};
  size_t found = find(t, &f, key->sizes, take_first);
  *ms = f.ms;
  return found;
}

size_t lookup_nearest(tsr_tuned *t, const lookup_key *key, double *ms) {
  finding f = {.key = key};
  size_t found = find(t, &f, NULL, take_nearest);
  *ms = f.ms;
  return found;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static tsr_tuning_record record_of(tsr_tuned *t, const lookup_key *key, const candidate *c) {
  const tsr_device *dev = t->problem->device;
  return (tsr_tuning_record){.kernel = t->kernel_name,
                             .program = key->program,
                             .space = key->space,
                             .sizes = key->sizes,
                             .device = key->device,
                             .version = tsr_version(),
                             .parameters = c->parameters.data,
                             .median_ms = c->median_ms,
                             .spread_ms = c->spread_ms,
                             .samples = c->samples,
                             .estimate = dev->kind != &rt_cpu && !dev->card};
}

void lookup_keep(tsr_tuned *t, const lookup_key *key) {
  enum { MOST = 200 }; /* of one tuning */
  tsr_tuning_store *store = t->options->store;
  if (!store || t->winner == t->count) return;
  const candidate *best = &t->candidates[t->winner];
  if (!best->samples) return;
  tsr_tuning_record *records = arena_array(&t->arena, tsr_tuning_record, MOST);
  size_t n = 0;
  records[n++] = record_of(t, key, best);
  /* One that was given up early may have had luck: the winner's record must be the best. */
  for (size_t i = 0; i < t->count && n < MOST; i++) {
    const candidate *c = &t->candidates[i];
    if (c != best && c->samples && c->median_ms > best->median_ms)
      records[n++] = record_of(t, key, c);
  }
  tsr_tuning_record like = {.program = key->program,
                            .sizes = key->sizes,
                            .device = key->device,
                            .version = tsr_version()};
  if (tsr_tuning_store_clear(store, &like, NULL) == TSR_OK) tsr_tuning_store_put(store, records, n);
}
