/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Transforms: making them, and applying one in either direction.
 */
#include <tessera/descriptor.h>

#include "layout/layout.h"

static tsr_transform one(tsr_transform_kind kind, int64_t length) {
  return (tsr_transform){.kind = kind, .lower = 1, .upper = 1, .length = {length}};
}

/* Too many dimensions are cut; tsr_descriptor_transform then finds the counts wrong. Lengths that
 * are not there are 0, which it finds as well. */
static tsr_transform many(tsr_transform_kind kind, uint32_t lower, uint32_t upper, uint32_t count,
                          const int64_t *lengths) {
  tsr_transform t = {
      .kind = kind, .lower = (uint8_t)MIN(lower, 255u), .upper = (uint8_t)MIN(upper, 255u)};
  for (uint32_t i = 0; lengths && i < MIN(count, TSR_TRANSFORM_MAX_DIMS); i++)
    t.length[i] = lengths[i];
  return t;
}

tsr_transform tsr_transform_pass_through(int64_t length) {
  return one(TSR_TRANSFORM_PASS_THROUGH, length);
}

tsr_transform tsr_transform_pad(int64_t length, int64_t left, int64_t right) {
  int64_t padded;
  if (__builtin_add_overflow(length, left, &padded) ||
      __builtin_add_overflow(padded, right, &padded))
    padded = 0; /* refused where it is put on a descriptor */
  tsr_transform t = one(TSR_TRANSFORM_PAD, padded);
  t.param[0] = left;
  t.param[1] = right;
  t.param[2] = length;
  return t;
}

tsr_transform tsr_transform_left_pad(int64_t length, int64_t left) {
  return tsr_transform_pad(length, left, 0);
}

tsr_transform tsr_transform_right_pad(int64_t length, int64_t right) {
  return tsr_transform_pad(length, 0, right);
}

tsr_transform tsr_transform_embed(uint32_t count, const int64_t *lengths, const int64_t *strides) {
  tsr_transform t = many(TSR_TRANSFORM_EMBED, 1, count, count, strides ? lengths : NULL);
  for (uint32_t i = 0; strides && i < MIN(count, TSR_TRANSFORM_MAX_DIMS); i++)
    t.param[i] = strides[i];
  return t;
}

tsr_transform tsr_transform_merge(uint32_t count, const int64_t *lengths) {
  return many(TSR_TRANSFORM_MERGE, count, 1, count, lengths);
}

tsr_transform tsr_transform_unmerge(uint32_t count, const int64_t *lengths) {
  return many(TSR_TRANSFORM_UNMERGE, 1, count, count, lengths);
}

tsr_transform tsr_transform_freeze(int64_t index) {
  tsr_transform t = {.kind = TSR_TRANSFORM_FREEZE, .lower = 1, .param = {index}};
  return t;
}

tsr_transform tsr_transform_insert(int64_t length) {
  return many(TSR_TRANSFORM_INSERT, 0, 1, 1, &length);
}

tsr_transform tsr_transform_replicate(uint32_t count, const int64_t *lengths) {
  return many(TSR_TRANSFORM_REPLICATE, 0, count, count, lengths);
}

tsr_transform tsr_transform_slice(int64_t length, int64_t begin, int64_t end) {
  tsr_transform t = one(TSR_TRANSFORM_SLICE, begin < 0 || end < begin ? 0 : end - begin);
  t.param[0] = begin;
  t.param[2] = length;
  return t;
}

tsr_transform tsr_transform_modulo(int64_t modulus, int64_t length) {
  tsr_transform t = one(TSR_TRANSFORM_MODULO, length);
  t.param[0] = modulus;
  return t;
}

tsr_transform tsr_transform_xor(int64_t length0, int64_t length1) {
  return many(TSR_TRANSFORM_XOR, 2, 2, 2, (int64_t[]){length0, length1});
}

tsr_transform tsr_transform_offset(int64_t length, int64_t offset) {
  tsr_transform t = one(TSR_TRANSFORM_OFFSET, length);
  t.param[0] = offset;
  return t;
}

tsr_transform tsr_transform_cyclic_shift(int64_t length, int64_t shift) {
  tsr_transform t = one(TSR_TRANSFORM_CYCLIC_SHIFT, length);
  if (length > 0) t.param[0] = ((shift % length) + length) % length;
  return t;
}

tsr_transform tsr_transform_indexing(int64_t length, const int64_t *table) {
  tsr_transform t = one(TSR_TRANSFORM_INDEXING, length);
  t.table = table;
  return t;
}

/* ---- applying ------------------------------------------------------------------------------- */

/* Below 0, where padding reaches, quotients round down: then remainders are digits there too, and a
 * position that moves through has the same indices as one made there. */
static int64_t remainder_of(int64_t x, int64_t n) {
  int64_t r = x % n;
  return r < 0 ? r + n : r;
}

static void digits_of(const tsr_transform *t, int64_t number, int64_t *digits) {
  for (uint32_t i = t->lower; i-- > 1;) {
    digits[i] = remainder_of(number, t->length[i]);
    number = (number - digits[i]) / t->length[i];
  }
  if (t->lower) digits[0] = number;
}

void tsr_transform_lower(const tsr_transform *t, const int64_t *u, int64_t *l) {
  if (!t || !u || !l) return;
  switch (t->kind) {
  case TSR_TRANSFORM_PASS_THROUGH: l[0] = u[0]; break;
  case TSR_TRANSFORM_PAD: l[0] = u[0] - t->param[0]; break;
  case TSR_TRANSFORM_EMBED:
    l[0] = 0;
    for (uint32_t i = 0; i < t->upper; i++) l[0] += u[i] * t->param[i];
    break;
  case TSR_TRANSFORM_MERGE: digits_of(t, u[0], l); break;
  case TSR_TRANSFORM_UNMERGE:
    l[0] = 0;
    for (uint32_t i = 0; i < t->upper; i++) l[0] = l[0] * t->length[i] + u[i];
    break;
  case TSR_TRANSFORM_FREEZE: l[0] = t->param[0]; break;
  case TSR_TRANSFORM_INSERT:
  case TSR_TRANSFORM_REPLICATE: break;
  case TSR_TRANSFORM_SLICE:
  case TSR_TRANSFORM_OFFSET: l[0] = u[0] + t->param[0]; break;
  case TSR_TRANSFORM_MODULO: l[0] = remainder_of(u[0], t->param[0]); break;
  case TSR_TRANSFORM_XOR:
    l[0] = u[0];
    l[1] = u[1] ^ remainder_of(u[0], t->length[1]);
    break;
  case TSR_TRANSFORM_CYCLIC_SHIFT: l[0] = remainder_of(u[0] + t->param[0], t->length[0]); break;
  case TSR_TRANSFORM_INDEXING:
    l[0] = u[0] >= 0 && u[0] < t->length[0] ? t->table[u[0]] : 0; /* never beyond the table */
    break;
  }
}

bool tsr_transform_valid(const tsr_transform *t, const int64_t *u) {
  if (!t || !u) return false;
  if (t->kind != TSR_TRANSFORM_PAD) return true;
  int64_t l = u[0] - t->param[0];
  return l >= 0 && l < t->param[2];
}

/* Strides from the largest down take what fits; right for layouts whose rows don't overlap. */
static bool embed_upper(const tsr_transform *t, int64_t rest, int64_t *u) {
  bool taken[TSR_TRANSFORM_MAX_DIMS] = {false};
  for (uint32_t n = 0; n < t->upper; n++) {
    uint32_t best = t->upper;
    for (uint32_t i = 0; i < t->upper; i++)
      if (!taken[i] && (best == t->upper || t->param[i] > t->param[best])) best = i;
    taken[best] = true;
    u[best] = t->param[best] > 0 ? MIN(rest / t->param[best], t->length[best] - 1) : 0;
    rest -= u[best] * t->param[best];
  }
  return rest == 0;
}

static bool table_upper(const tsr_transform *t, int64_t l, int64_t *u) {
  for (u[0] = 0; u[0] < t->length[0]; u[0]++)
    if (t->table[u[0]] == l) return true;
  return false;
}

bool tsr_transform_upper(const tsr_transform *t, const int64_t *l, int64_t *u) {
  if (!t || !l || !u) return false;
  switch (t->kind) {
  case TSR_TRANSFORM_PASS_THROUGH:
  case TSR_TRANSFORM_MODULO: u[0] = l[0]; break;
  case TSR_TRANSFORM_PAD: u[0] = l[0] + t->param[0]; return l[0] >= 0 && l[0] < t->param[2];
  case TSR_TRANSFORM_EMBED: return embed_upper(t, l[0], u);
  case TSR_TRANSFORM_MERGE:
    u[0] = 0;
    for (uint32_t i = 0; i < t->lower; i++) {
      if (l[i] < 0 || l[i] >= t->length[i]) return false;
      u[0] = u[0] * t->length[i] + l[i];
    }
    return true;
  case TSR_TRANSFORM_UNMERGE: {
    int64_t rest = l[0];
    for (uint32_t i = t->upper; i-- > 0;) {
      u[i] = rest % t->length[i];
      rest /= t->length[i];
    }
    return rest == 0 && l[0] >= 0;
  }
  case TSR_TRANSFORM_FREEZE: return l[0] == t->param[0];
  case TSR_TRANSFORM_INSERT:
  case TSR_TRANSFORM_REPLICATE:
    for (uint32_t i = 0; i < t->upper; i++) u[i] = 0;
    return true;
  case TSR_TRANSFORM_SLICE:
  case TSR_TRANSFORM_OFFSET: u[0] = l[0] - t->param[0]; break;
  case TSR_TRANSFORM_XOR:
    u[0] = l[0];
    u[1] = l[1] ^ (l[0] % t->length[1]);
    return u[0] >= 0 && u[0] < t->length[0] && u[1] >= 0 && u[1] < t->length[1];
  case TSR_TRANSFORM_CYCLIC_SHIFT:
    u[0] = (l[0] - t->param[0] + t->length[0]) % t->length[0];
    return l[0] >= 0 && l[0] < t->length[0];
  case TSR_TRANSFORM_INDEXING: return table_upper(t, l[0], u);
  }
  return u[0] >= 0 && u[0] < t->length[0];
}
