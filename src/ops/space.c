/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/space.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* As many dimensions of size 1 as are named, at least one. */
static unsigned default_rank(const char *dims, int64_t sizes[TSR_OP_MAX_RANK]) {
  int64_t named[TSR_OP_MAX_RANK], most = 0;
  int n = ops_read_list(str_of(dims), '+', named, TSR_OP_MAX_RANK);
  for (int i = 0; i < n; i++) most = MAX(most, named[i]);
  most = MIN(most, TSR_OP_MAX_RANK - 1);
  for (int64_t d = 0; d <= most; d++) sizes[d] = 1;
  return (unsigned)most + 1;
}

static bool read_dims(ops_space *s, const char *text, ops_why *why) {
  int64_t dims[TSR_OP_MAX_RANK];
  if (!s->given_rank) s->given_rank = default_rank(text, s->given);
  if (strcmp(text, "last") == 0) return s->goes[s->given_rank - 1] = true;
  if (strcmp(text, "all") == 0) {
    for (unsigned d = 0; d < s->given_rank; d++) s->goes[d] = true;
    return true;
  }
  int n = ops_read_list(str_of(text), '+', dims, TSR_OP_MAX_RANK);
  for (int i = 0; i < n; i++) {
    if (dims[i] >= s->given_rank || s->goes[dims[i]]) n = -1;
    if (n > 0) s->goes[dims[i]] = true;
  }
  if (n > 0) return true;
  return ops_refuse(why, "dims=%s: give dimensions from 0 to %u with + between, last, or all", text,
                    s->given_rank - 1);
}

bool space_parse(ops_space *s, const ops_problem *p, const space_params *at, ops_why *why) {
  const char *shape = p->values[at->shape].text;
  *s = (ops_space){0};
  bool open = strcmp(shape, "auto") == 0;
  int rank = open ? 0 : ops_read_list(str_of(shape), 'x', s->given, TSR_OP_MAX_RANK);
  if (rank < !open)
    return ops_refuse(why, "shape=%.100s: give one to %d sizes from 0 to 2^40, as in 4x128x64",
                      shape, TSR_OP_MAX_RANK);
  s->given_rank = (unsigned)rank;
  if (at->dims == OPS_MAX_PARAMS && open) s->given_rank = default_rank("", s->given);
  return at->dims == OPS_MAX_PARAMS || read_dims(s, p->values[at->dims].text, why);
}

static bool has_dim(const ops_space *s, const space_tensor *t, unsigned given) {
  return t->part == SPACE_ALL || (t->part == SPACE_GONE) == s->goes[given];
}

space_tensor *space_add(ops_space *s, const char *name, ops_type type, tsr_op_use use,
                        space_part part) {
  space_tensor *t = &s->tensors[s->count < SPACE_MAX_TENSORS ? s->count++ : 0];
  int64_t stride = 1;
  *t = (space_tensor){.name = name, .type = type, .use = (uint8_t)use, .part = (uint8_t)part};
  for (unsigned d = s->given_rank; d-- > 0;) {
    t->given[d] = has_dim(s, t, d) ? stride : 0;
    if (!has_dim(s, t, d)) continue;
    if (__builtin_mul_overflow(stride, MAX(s->given[d], 1), &stride) || stride > OPS_MAX_SIZE)
      stride = OPS_MAX_SIZE;
  }
  return t;
}

static space_tensor *find_tensor(const ops_space *s, str name) {
  for (unsigned i = 0; i < s->count; i++)
    if (str_is(name, s->tensors[i].name)) return (space_tensor *)&s->tensors[i];
  return NULL;
}

bool space_has(const ops_space *s, const char *name) {
  return find_tensor(s, str_of(name)) != NULL;
}

/* A number for each dimension that the tensor has. */
static bool set_strides(ops_space *s, const ops_strides *given, ops_why *why) {
  space_tensor *t = find_tensor(s, given->name);
  unsigned wanted = 0;
  if (!t)
    return ops_refuse(why, "strides=" STR_FMT ": name a tensor, as in x:64x1",
                      (int)MIN(given->text.len, (size_t)64), given->text.data);
  for (unsigned d = 0; d < s->given_rank; d++) {
    if (!has_dim(s, t, d)) continue;
    if ((int)wanted < given->count) t->given[d] = given->values[wanted];
    wanted++;
  }
  return ops_check_strides(given, t->name, wanted, why);
}

static bool read_strides(ops_space *s, const char *text, ops_why *why) {
  ops_strides given;
  for (str rest = ops_strides_begin(text); ops_strides_next(&rest, &given);)
    if (!set_strides(s, &given, why)) return false;
  return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Appends dimension `given` of the input, or merges it with the last one. */
static void append_dim(ops_space *s, unsigned given, unsigned first) {
  unsigned last = s->rank - 1;
  int64_t size = 0;
  bool merges =
      s->rank > first && !__builtin_mul_overflow(s->sizes[s->rank - 1], s->given[given], &size);
  if (s->given[given] == 1) return;
  for (unsigned i = 0; merges && i < s->count; i++) {
    const space_tensor *t = &s->tensors[i];
    int64_t run;
    merges =
        !__builtin_mul_overflow(t->given[given], s->given[given], &run) && t->strides[last] == run;
  }
  if (merges)
    s->sizes[last] = size;
  else
    s->sizes[last = s->rank++] = s->given[given];
  for (unsigned i = 0; i < s->count; i++) s->tensors[i].strides[last] = s->tensors[i].given[given];
}

/* Puts dimensions of size 1 before the others of a part. */
static void pad_dims(ops_space *s, unsigned first, unsigned wanted) {
  for (; s->rank - first < wanted && s->rank < TSR_OP_MAX_RANK; s->rank++) {
    memmove(&s->sizes[first + 1], &s->sizes[first], (s->rank - first) * sizeof *s->sizes);
    s->sizes[first] = 1;
    for (unsigned i = 0; i < s->count; i++) {
      int64_t *strides = s->tensors[i].strides;
      memmove(&strides[first + 1], &strides[first], (s->rank - first) * sizeof *strides);
      strides[first] = 0;
    }
  }
}

static bool is_any_gone(const ops_space *s) {
  for (unsigned d = 0; d < s->given_rank; d++)
    if (s->goes[d]) return true;
  return false;
}

/* At least one dimension for the rows and one for the columns. */
static void merge(ops_space *s, int64_t kept, int64_t gone) {
  bool any = is_any_gone(s);
  for (unsigned d = 0; d < s->given_rank; d++)
    if (!s->goes[d]) append_dim(s, d, 0);
  pad_dims(s, 0, (unsigned)MAX(kept, any ? 1 : 2));
  s->kept = s->rank;
  for (unsigned d = 0; d < s->given_rank; d++)
    if (s->goes[d]) append_dim(s, d, s->kept);
  if (any) pad_dims(s, s->kept, (unsigned)MAX(gone, 1));
}

/* ---- unit strides ---------------------------------------------------------------------------- */

static bool has_merged(const ops_space *s, const space_tensor *t, unsigned d) {
  return t->part == SPACE_ALL || (t->part == SPACE_GONE) == (d >= s->kept);
}

/* The innermost dimension with the stride 1; one of size 1 will do. */
static int find_unit(const ops_space *s, const space_tensor *t) {
  int any = -1;
  for (unsigned d = s->rank; d-- > 0;) {
    if (!has_merged(s, t, d)) continue;
    if (t->strides[d] == 1 && s->sizes[d] != 1) return (int)d;
    if (any < 0 && s->sizes[d] <= 1) any = (int)d;
  }
  return any;
}

static bool may_be_unit(const ops_space *s, const space_tensor *t, int d) {
  if (d < 0) return true;
  return (unsigned)d < s->rank && has_merged(s, t, (unsigned)d) &&
         (t->strides[d] == 1 || s->sizes[d] <= 1);
}

/* What was given, a digit or '-' for each tensor, where it holds. */
static void find_units(ops_space *s, ops_problem *p, const space_params *at) {
  const char *given = p->values[at->units].text;
  char *text = arena_array(p->arena, char, s->count + 1);
  bool all = strlen(given) == s->count;
  for (unsigned i = 0; i < s->count; i++) {
    space_tensor *t = &s->tensors[i];
    int wanted = all ? given[i] == '-' ? -1 : given[i] - '0' : 99;
    t->unit = (int8_t)(wanted != 99 && may_be_unit(s, t, wanted) ? wanted : find_unit(s, t));
    text[i] = t->unit < 0 ? '-' : (char)('0' + t->unit);
  }
  text[s->count] = 0;
  p->values[at->units].text = text;
}

/* Whether tensors lie as others of these sizes do, whose strides differ at most in dimensions that
 * are never stepped over. */
static bool lie_alike(const ops_space *s, const space_tensor *other) {
  for (unsigned i = 0; i < s->count; i++)
    for (unsigned d = 0; d < s->given_rank; d++)
      if (s->given[d] > 1 && s->tensors[i].given[d] != other[i].given[d]) return false;
  return true;
}

static bool settle_merged(ops_space *s, ops_problem *p, const space_params *at, ops_why *why) {
  merge(s, p->values[at->kept].i, p->values[at->gone].i);
  if (s->rank > TSR_OP_MAX_RANK)
    return ops_refuse(why, "shape=%s has too many dimensions that cannot be merged; at most %d",
                      p->values[at->shape].text, TSR_OP_MAX_RANK);
  p->values[at->kept].i = s->kept;
  p->values[at->gone].i = s->rank - s->kept;
  find_units(s, p, at);
  return true;
}

bool space_settle(ops_space *s, ops_problem *p, const space_params *at, ops_why *why) {
  space_tensor packed[SPACE_MAX_TENSORS];
  memcpy(packed, s->tensors, sizeof packed);
  if (!read_strides(s, p->values[at->strides].text, why)) return false;
  /* So that the same problem has the same text, however it was written. */
  if (lie_alike(s, packed)) p->values[at->strides].text = "packed";
  return settle_merged(s, p, at, why);
}

bool space_settle_like(ops_space *s, const ops_space *first, ops_problem *p, const space_params *at,
                       ops_why *why) {
  for (unsigned i = 0; i < s->count; i++) {
    const space_tensor *t = find_tensor(first, str_of(s->tensors[i].name));
    if (t) memcpy(s->tensors[i].given, t->given, sizeof t->given);
  }
  return settle_merged(s, p, at, why);
}
/* ---- tensors --------------------------------------------------------------------------------- */

void space_operands(const ops_problem *p, ops_operands *out) {
  const ops_space *s = p->parts;
  for (unsigned i = 0; i < s->count; i++) {
    const space_tensor *t = &s->tensors[i];
    ops_operand *o = ops_operand_add(out, t->name, t->type, (tsr_op_use)t->use);
    for (unsigned d = 0; d < s->given_rank; d++)
      if (has_dim(s, t, d)) ops_operand_dim(o, s->given[d], t->given[d]);
  }
}

static int64_t product(const int64_t *sizes, unsigned first, unsigned end) {
  int64_t n = 1;
  for (unsigned d = first; d < end; d++)
    if (__builtin_mul_overflow(n, sizes[d], &n)) return INT64_MAX;
  return n;
}

int64_t space_kept_count(const ops_space *s) {
  return product(s->sizes, 0, s->kept);
}

int64_t space_gone_count(const ops_space *s) {
  return product(s->sizes, s->kept, s->rank);
}

/* Dimensions that are one index of a tile block. */
static unsigned outer_dims(const ops_space *s) {
  return s->kept - (s->kept == s->rank ? 2 : 1);
}

int64_t space_outer(const ops_space *s) {
  return product(s->sizes, 0, outer_dims(s));
}

int64_t space_rows(const ops_space *s) {
  return s->sizes[outer_dims(s)];
}

int64_t space_columns(const ops_space *s) {
  return s->sizes[s->rank - 1];
}

void space_pass(const ops_space *s, ops_steps *steps, ops_step *step) {
  arena *a = steps->problem->arena;
  for (unsigned d = 0; d < s->rank; d++)
    ops_pass_index(steps, step, arena_printf(a, "size_%u", d), s->sizes[d]);
  for (unsigned i = 0; i < s->count; i++) {
    const space_tensor *t = &s->tensors[i];
    ops_pass_tensor(steps, step, t->name);
    for (unsigned d = 0; d < s->rank; d++)
      if (has_merged(s, t, d) && t->unit != (int)d)
        ops_pass_index(steps, step, arena_printf(a, "%s_%u", t->name, d), t->strides[d]);
  }
}

/* ---- on the host ----------------------------------------------------------------------------- */

/* Where an index, as a number in row-major order of the dimensions [first, end), lies. */
static int64_t distance(const ops_space *s, const space_tensor *t, unsigned first, unsigned end,
                        int64_t index) {
  int64_t at = 0;
  for (unsigned d = end; d-- > first;) {
    int64_t size = MAX(s->sizes[d], 1);
    at += index % size * (has_merged(s, t, d) ? t->strides[d] : 0);
    index /= size;
  }
  return at;
}

int64_t space_at(const ops_space *s, const char *name, int64_t kept, int64_t gone) {
  const space_tensor *t = find_tensor(s, str_of(name));
  return distance(s, t, 0, s->kept, kept) + distance(s, t, s->kept, s->rank, gone);
}

double *space_element(const ops_host *h, const ops_space *s, const char *name, int64_t kept,
                      int64_t gone) {
  return &ops_host_tensor(h, name)->numbers[space_at(s, name, kept, gone)];
}
