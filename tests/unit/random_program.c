/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_program.h"

#include <math.h>
#include <stdio.h>

#include "num/num.h"

#include "random_make.h"

/* ---- drawing -------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state >> 11;
}

static uint64_t first_state(uint64_t seed) {
  uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
  for (int i = 0; i < 8; i++) next_random(&state);
  return state;
}

uint64_t draw(maker *g, uint64_t below) {
  return next_random(&g->state) % below;
}

/* ---- shapes and types ----------------------------------------------------------------------- */

int64_t shape_count(const shape *s) {
  int64_t n = 1;
  for (unsigned d = 0; d < s->rank; d++) n *= s->size[d];
  return n;
}

bool shape_same(const shape *a, const shape *b) {
  return a->rank == b->rank && memcmp(a->size, b->size, a->rank * sizeof *a->size) == 0;
}

shape shape_flat(int64_t count) {
  return (shape){.rank = 1, .size = {count}};
}

shape shape_ones(const shape *s) {
  shape one = {.rank = s->rank};
  for (unsigned d = 0; d < one.rank; d++) one.size[d] = 1;
  return one;
}

shape random_shape(maker *g) {
  shape s = {.rank = chance(g, 8) ? 0 : 1 + (unsigned)draw(g, MAX_RANK)};
  unsigned bits = (unsigned)draw(g, g->limits.bits + 1);
  if (chance(g, 4)) bits = (unsigned)draw(g, 2); /* one or two elements */
  for (unsigned d = 0; d < s.rank; d++) {
    unsigned b = d + 1 == s.rank ? bits : (unsigned)draw(g, bits + 1);
    s.size[d] = INT64_C(1) << b;
    bits -= b;
  }
  return s;
}

const char *tile_text(const shape *s, const char *elem) {
  static char text[16][96];
  static int at;
  char *t = text[at++ & 15];
  int n = snprintf(t, 96, "tile<");
  for (unsigned d = 0; d < s->rank; d++)
    n += snprintf(t + n, 96 - (size_t)n, "%dx", (int)s->size[d]);
  snprintf(t + n, 96 - (size_t)n, "%s>", elem);
  return t;
}

const char *tile_of(const shape *s, tsr_elem elem) {
  return tile_text(s, tsr_elem_name(elem));
}

bool is_base_float(tsr_elem e) {
  return e == TSR_F16 || e == TSR_BF16 || e == TSR_F32 || e == TSR_F64;
}

bool is_low_float(tsr_elem e) {
  return tsr_elem_is_float(e) && !is_base_float(e);
}

/* ---- values --------------------------------------------------------------------------------- */

made fresh(maker *g, tsr_elem elem, const shape *s) {
  return (made){.id = g->next++, .elem = elem, .shape = *s};
}

void add_value(maker *g, made m) {
  unsigned at = g->n < MAX_VALUES ? g->n++ : (unsigned)draw(g, MAX_VALUES);
  g->values[at] = m;
}

made result(maker *g, tsr_elem elem, const shape *s) {
  made m = fresh(g, elem, s);
  add_value(g, m);
  return m;
}

/* Mostly what was made last, so that operations meet. */
made pick(maker *g) {
  if (g->n > 4 && !chance(g, 3)) return g->values[g->n - 1 - draw(g, 4)];
  return g->values[draw(g, g->n)];
}

made pick_that(maker *g, bool (*fits)(tsr_elem)) {
  for (unsigned tries = 0; tries < 8; tries++) {
    made m = pick(g);
    if (fits(m.elem)) return m;
  }
  return (made){.id = -1};
}

/* A NaN of whatever sign and mantissa, signalling ones among them: the bits of `any`, where the
 * format has some to choose. */
static uint64_t some_nan(const num_format *f, uint64_t any) {
  if (f->nan == NUM_NAN_NONE) return num_nan(f);
  uint64_t sign = f->is_signed ? UINT64_C(1) << (f->bits - 1) : 0;
  uint64_t mantissa = num_mask(f->mantissa_bits) << f->shift;
  if (f->nan == NUM_NAN_ALL_ONES) return (num_mask(f->bits) & ~sign) | (any & sign);
  uint64_t r =
      (num_mask(f->exponent_bits) << (f->mantissa_bits + f->shift)) | (any & (sign | mantissa));
  return any & mantissa ? r : r | (UINT64_C(1) << f->shift);
}

/* Its own pattern, for what a decimal number cannot say. */
static uint64_t special_pattern(maker *g, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  switch (draw(g, 6)) {
  case 5: return some_nan(f, draw(g, UINT64_MAX) * UINT64_C(0x9e3779b97f4a7c15));
  case 0: return num_inf(f, chance(g, 2));
  case 1: return num_nan(f);
  case 2: return num_max_finite(f, chance(g, 2));
  case 3: return num_min_positive(f);
  default: return num_zero(f, true);
  }
}

static void float_literal(maker *g, tsr_elem elem) {
  static const char *const plain[] = {"0.0", "-0.0", "1.0",  "-1.0",  "2.0",
                                      "0.5", "3.0",  "-4.0", "-0.25", "1.5"};
  if (!num_format_of(elem)->is_signed)
    SAY("%s", chance(g, 2) ? "1.0" : "4.0");
  else if (is_base_float(elem) && chance(g, 4))
    SAY("0x%0*llx", (int)tsr_elem_bits(elem) / 4, (unsigned long long)special_pattern(g, elem));
  else
    SAY("%s", PICK(plain));
}

static void int_literal(maker *g, tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  if (elem == TSR_I1)
    SAY("%s", chance(g, 2) ? "true" : "false");
  else if (chance(g, 5))
    SAY("%lld", (long long)(chance(g, 2) ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits)));
  else if (chance(g, 2))
    SAY("%d", (int)draw(g, 4) - 1);
  else
    SAY("%d", (int)draw(g, 33) - 16);
}

static void literal(maker *g, tsr_elem elem) {
  if (tsr_elem_is_float(elem))
    float_literal(g, elem);
  else
    int_literal(g, elem);
}

/* Mostly a splat; sometimes every element is written. */
made constant(maker *g, tsr_elem elem, const shape *s) {
  made m = result(g, elem, s);
  SAY("%%v%d = constant <%s: ", m.id, tsr_elem_name(elem));
  if (s->rank == 1 && s->size[0] > 1 && s->size[0] <= 16 && chance(g, 4)) {
    SAY("[");
    for (int64_t i = 0; i < s->size[0]; i++) {
      SAY(i ? ", " : "");
      literal(g, elem);
    }
    SAY("]");
  } else {
    literal(g, elem);
  }
  SAY("> : %s\n", tile_of(s, elem));
  return m;
}

made whole_constant(maker *g, tsr_elem elem, const shape *s, int64_t v) {
  made m = fresh(g, elem, s);
  if (elem == TSR_I1)
    SAY("%%v%d = constant <i1: %s> : %s\n", m.id, v & 1 ? "true" : "false", tile_of(s, elem));
  else
    SAY("%%v%d = constant <%s: %lld%s> : %s\n", m.id, tsr_elem_name(elem), (long long)v,
        tsr_elem_is_float(elem) ? ".0" : "", tile_of(s, elem));
  return m;
}

made partner(maker *g, tsr_elem elem, const shape *s) {
  for (unsigned tries = 0; tries < 12; tries++) {
    made m = pick(g);
    if (m.elem == elem && shape_same(&m.shape, s)) return m;
  }
  return chance(g, 2) ? load_input(g, elem, s) : constant(g, elem, s);
}

made int_op(maker *g, const char *op, made a, made b) {
  made m = fresh(g, a.elem, &a.shape);
  SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m.id, op, a.id, b.id, TYPE(a));
  return m;
}

made reshaped(maker *g, made a, const shape *s) {
  if (shape_same(&a.shape, s)) return a;
  made m = fresh(g, a.elem, s);
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
  return m;
}

made iota_of(maker *g, tsr_elem elem, const shape *s) {
  shape flat = shape_flat(shape_count(s));
  made i = fresh(g, elem, &flat);
  SAY("%%v%d = iota : %s\n", i.id, TYPE(i));
  return reshaped(g, i, s);
}

made small_ints(maker *g, tsr_elem elem, const shape *s, int64_t mask) {
  made some = partner(g, elem, s), low = whole_constant(g, elem, s, mask);
  return int_op(g, "andi", some, low);
}

made small_floats(maker *g, tsr_elem elem, const shape *s) {
  made i = small_ints(g, chance(g, 2) ? TSR_I8 : TSR_I32, s, elem == TSR_F4E2M1FN ? 3 : 7);
  if (chance(g, 2)) i = int_op(g, "subi", i, whole_constant(g, i.elem, s, 2));
  made m = fresh(g, elem, s);
  SAY("%%v%d = itof %%v%d signed : %s -> %s\n", m.id, i.id, TYPE(i), TYPE(m));
  return m;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void make_start(maker *g) {
  static const tsr_elem args[] = {TSR_I1,  TSR_I8,   TSR_I16, TSR_I32, TSR_I64,
                                  TSR_F16, TSR_BF16, TSR_F32, TSR_F64};
  shape scalar = {0};
  SAY("entry @k%u(%%p: tile<ptr<i8>>", g->number);
  for (unsigned i = 0; i < ARRAY_LEN(args); i++)
    SAY(", %%v%d: tile<%s>", result(g, args[i], &scalar).id, tsr_elem_name(args[i]));
  SAY(") {\n%%v%d, %%v%d, %%v%d = get_tile_block_id : tile<i32>\n", g->next, g->next + 1,
      g->next + 2);
  made x = result(g, TSR_I32, &scalar);
  result(g, TSR_I32, &scalar), result(g, TSR_I32, &scalar);
  SAY("%%v%d, %%v%d, %%v%d = get_num_tile_blocks : tile<i32>\n", g->next, g->next + 1, g->next + 2);
  for (int d = 0; d < 3; d++) result(g, TSR_I32, &scalar);
  int64_t area = 8ll << g->limits.bits;
  const char *const names[] = {"work", "out"};
  const int64_t starts[] = {RANDOM_ELEMS * area, (1 + RANDOM_BLOCKS) * RANDOM_ELEMS * area},
                sizes[] = {RANDOM_ELEMS * area, RANDOM_SLOTS * area};
  for (unsigned i = 0; i < 2; i++) {
    made at = int_op(g, "muli", x, whole_constant(g, TSR_I32, &scalar, sizes[i]));
    at = int_op(g, "addi", at, whole_constant(g, TSR_I32, &scalar, starts[i]));
    SAY("%%%s = offset %%p, %%v%d : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n", names[i], at.id);
  }
  g->token = g->next++;
  SAY("%%t%d = make_token : token\n", g->token);
}

static void make_kernel(maker *g) {
  make_start(g);
  shape s = random_shape(g);
  load_input(g, TSR_I32, &s);
  load_input(g, chance(g, 2) ? TSR_F32 : TSR_F16, &s);
  if (chance(g, 3)) load_input(g, TSR_I1, &s);
  make_ops(g, g->limits.ops / 2 + (unsigned)draw(g, g->limits.ops + 1));
  for (unsigned tries = 0; tries < 3; tries++) store_out(g, pick(g), false);
  SAY("}\n");
}

random_program random_make(arena *a, uint64_t seed, unsigned kernels, const random_limits *limits) {
  sbuf all = SBUF(a);
  random_kernel *made_kernels = arena_array(a, random_kernel, kernels);
  memset(made_kernels, 0, kernels * sizeof *made_kernels);
  sbuf_puts(&all, "cuda_tile.module @m {\n");
  for (unsigned k = 0; k < kernels; k++) {
    maker *g = arena_new(a, maker);
    *g = (maker){.text = SBUF(a),
                 .globals = SBUF(a),
                 .limits = *limits,
                 .kernel = &made_kernels[k],
                 .number = k,
                 .state = first_state(seed + k)};
    make_kernel(g);
    if (g->globals.len) sbuf_add(&all, g->globals.data, g->globals.len);
    sbuf_add(&all, g->text.data, g->text.len);
  }
  sbuf_puts(&all, "}\n");
  return (random_program){all.data, made_kernels, kernels, *limits};
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t area_bytes(const random_limits *limits) {
  return (size_t)8 << limits->bits;
}

size_t random_memory(const random_limits *limits) {
  return area_bytes(limits) * ((1 + RANDOM_BLOCKS) * RANDOM_ELEMS + RANDOM_BLOCKS * RANDOM_SLOTS);
}

static uint64_t random_float(tsr_elem elem, uint64_t *state) {
  const num_format *f = num_format_of(elem);
  uint64_t low = UINT64_MAX >> (64 - tsr_elem_bits(elem)), r = next_random(state) << 11;
  if (elem == TSR_TF32) low &= ~UINT64_C(0x1fff); /* its padding */
  r = (r | next_random(state)) & low;
  switch (next_random(state) % 16) {
  case 0: return num_zero(f, r & 1);
  case 1: return num_inf(f, r & 1);
  case 2: return r & 1 ? num_nan(f) : some_nan(f, r);
  case 3: return r & (low >> (elem == TSR_F8E8M0FNU ? 0 : f->exponent_bits)); /* subnormal */
  case 4:
  case 5:
  case 6: return r; /* anything */
  case 7:
  case 8:
  case 9: return num_encode(f, (double)(int64_t)(r & 0xffff) / 4096 - 8, NUM_NEAREST_EVEN);
  default: return num_from_i64(f, (int64_t)(r % 21) - 10, NUM_NEAREST_EVEN);
  }
}

static uint64_t random_int(tsr_elem elem, uint64_t *state) {
  unsigned bits = tsr_elem_bits(elem);
  uint64_t low = UINT64_MAX >> (64 - bits), r = next_random(state) << 11;
  r |= next_random(state);
  switch (next_random(state) % 8) {
  case 0: return UINT64_C(1) << (bits - 1); /* smallest */
  case 1: return low >> 1;                  /* largest */
  case 2: return low;                       /* -1 */
  case 3: return r & low;                   /* anything */
  default: return ((r & 31) - 12) & low;
  }
}

/* Any byte that is not zero is true. */
static uint8_t random_truth(uint64_t *state) {
  uint64_t r = next_random(state);
  return (uint8_t)(r % 8 == 0 ? r >> 8 : r & 1);
}

static void fill_area(uint8_t *area, size_t bytes, tsr_elem elem, uint64_t *state) {
  if (elem == TSR_PTR) {
    memset(area, 0, bytes);
    return;
  }
  unsigned bits = tsr_elem_bits(elem);
  size_t count = bytes * 8 / MAX(bits, 8u) * (bits == 4 ? 2 : 1);
  for (size_t i = 0; i < count; i++) {
    uint64_t v = elem == TSR_I1            ? random_truth(state)
                 : tsr_elem_is_float(elem) ? random_float(elem, state)
                                           : random_int(elem, state);
    if (bits == 4)
      area[i / 2] = (uint8_t)(i & 1 ? (area[i / 2] & 15) | v << 4 : v & 15);
    else
      memcpy(area + i * (MAX(bits, 8u) / 8), &v, MAX(bits, 8u) / 8);
  }
}

void random_fill(uint8_t *memory, const random_limits *limits, uint64_t seed) {
  uint64_t state = first_state(seed ^ 0x5eed);
  size_t area = area_bytes(limits);
  for (unsigned k = 0; k < (1 + RANDOM_BLOCKS) * RANDOM_ELEMS; k++)
    fill_area(memory + k * area, area, (tsr_elem)(k % RANDOM_ELEMS), &state);
  memset(memory + (1 + RANDOM_BLOCKS) * RANDOM_ELEMS * area, 0,
         RANDOM_BLOCKS * RANDOM_SLOTS * area);
}

void random_arguments(uint64_t *args, uint8_t *memory, uint64_t seed) {
  static const tsr_elem elems[] = {TSR_I8,  TSR_I16,  TSR_I32, TSR_I64,
                                   TSR_F16, TSR_BF16, TSR_F32, TSR_F64};
  uint64_t state = first_state(seed ^ 0xa265);
  args[0] = (uint64_t)(uintptr_t)memory;
  args[1] = seed & 1;
  for (unsigned i = 0; i < ARRAY_LEN(elems); i++)
    args[2 + i] =
        tsr_elem_is_float(elems[i]) ? random_float(elems[i], &state) : random_int(elems[i], &state);
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* Neighbouring numbers have neighbouring positions, from -inf to inf. */
static int64_t position(tsr_elem elem, uint64_t pattern) {
  uint64_t sign = UINT64_C(1) << (tsr_elem_bits(elem) - 1);
  int64_t magnitude = (int64_t)(pattern & (sign - 1));
  return pattern & sign ? -magnitude : magnitude;
}

/* Docs/numerics.md states bounds of 2.5 units in the last place at most for both sides together
 * with the interpreter's own half; f16 and bf16 are off by one. */
static bool close(tsr_elem elem, uint64_t a, uint64_t b) {
  const num_format *f = num_format_of(elem);
  if (num_is_nan(f, a) || num_is_nan(f, b)) return num_is_nan(f, a) && num_is_nan(f, b);
  if (num_is_zero(f, a) && num_is_zero(f, b)) return a == b; /* the sign of zero is exact */
  int64_t x = position(elem, a), y = position(elem, b), far = tsr_elem_bits(elem) == 16 ? 1 : 4;
  return (x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) <= (uint64_t)far;
}

static uint64_t element(tsr_elem elem, const uint8_t *at) {
  uint64_t v = 0;
  memcpy(&v, at, tsr_elem_bits(elem) / 8);
  return v;
}

/* The first byte of a slot that differs; -1. */
static long slot_difference(const random_slot *s, const uint8_t *a, const uint8_t *b, size_t area,
                            bool rough_too) {
  size_t size = MAX(tsr_elem_bits(s->elem), 8u) / 8;
  if (memcmp(a, b, area) == 0) return -1;
  for (size_t i = 0; i < area; i++) {
    if (a[i] == b[i]) continue;
    size_t at = i / size * size;
    if (rough_too || !s->rough ||
        !close(s->elem, element(s->elem, a + at), element(s->elem, b + at)))
      return (long)at;
    i = at + size - 1;
  }
  return -1;
}

static long difference(const random_program *p, unsigned kernel, const uint8_t *a, const uint8_t *b,
                       bool rough_too) {
  const random_kernel *k = &p->kernels[kernel];
  size_t area = area_bytes(&p->limits), out = (1 + RANDOM_BLOCKS) * RANDOM_ELEMS * area;
  if (memcmp(a, b, out))
    for (size_t i = 0; i < out; i++)
      if (a[i] != b[i]) return (long)i;
  for (unsigned block = 0; block < RANDOM_BLOCKS; block++)
    for (unsigned s = 0; s < RANDOM_SLOTS; s++) {
      static const random_slot unused = {.elem = TSR_I8};
      size_t at = out + (block * RANDOM_SLOTS + s) * area;
      long d =
          slot_difference(s < k->n_slots ? &k->slots[s] : &unused, a + at, b + at, area, rough_too);
      if (d >= 0) return (long)at + d;
    }
  return -1;
}

bool random_same(const random_program *p, unsigned kernel, const uint8_t *a, const uint8_t *b,
                 bool rough_too) {
  return difference(p, kernel, a, b, rough_too) < 0;
}

void random_difference(const random_program *p, unsigned kernel, const uint8_t *a, const uint8_t *b,
                       bool rough_too, char *out, size_t size) {
  long at = difference(p, kernel, a, b, rough_too);
  size_t area = area_bytes(&p->limits), number = (size_t)at / area;
  if (at < 0) {
    snprintf(out, size, "nothing differs");
    return;
  }
  char where[96];
  const random_kernel *k = &p->kernels[kernel];
  size_t slots = (1 + RANDOM_BLOCKS) * RANDOM_ELEMS;
  tsr_elem elem = (tsr_elem)(number % RANDOM_ELEMS);
  if (number < RANDOM_ELEMS) {
    snprintf(where, sizeof where, "IN");
  } else if (number < slots) {
    snprintf(where, sizeof where, "WORK of tile block %zu", number / RANDOM_ELEMS - 1);
  } else {
    size_t slot = (number - slots) % RANDOM_SLOTS;
    elem = slot < k->n_slots ? k->slots[slot].elem : TSR_I8;
    snprintf(where, sizeof where, "OUT %zu of tile block %zu", slot,
             (number - slots) / RANDOM_SLOTS);
  }
  unsigned bytes = MAX(tsr_elem_bits(elem), 8u) / 8;
  size_t start = (size_t)at / bytes * bytes;
  uint64_t x = 0, y = 0;
  memcpy(&x, a + start, bytes);
  memcpy(&y, b + start, bytes);
  snprintf(out, size, "%s, element %zu of %s: 0x%llx, expected 0x%llx", where, start % area / bytes,
           tsr_elem_name(elem), (unsigned long long)y, (unsigned long long)x);
}
