/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor maps: the object, its limits, and copies of random boxes (tiled and im2col, with swizzles,
 * strides and out-of-bounds elements) against loops over single elements.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "checked_run.h"
#include "num/num.h"
#include "emu/ptx/bulk_copy.h"

static uint64_t state_ = 88172645463325252u;
static uint32_t rnd(void) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (uint32_t)(state_ * 0x2545f4914f6cdd1dull >> 32);
}
static uint32_t pick(uint32_t low, uint32_t high) {
  return low + rnd() % (high - low + 1);
}

enum { GLOBAL = 1 << 20, SHARED = 1 << 18 };
static uint8_t global[GLOBAL], shared[SHARED], expected[SHARED];

/* A random map over global[], whose address 0 is global[0]. */
static tensormap random_map(bool im2col) {
  static const uint8_t swizzles[] = {0, 32, 64, 128};
  tensormap m = {.type = (uint8_t)pick(0, TENSORMAP_TYPE_COUNT - 1), .im2col = im2col};
  unsigned size = tensormap_element_bytes((tensormap_type)m.type);
  m.rank = (uint8_t)pick(im2col ? 3 : 1, 5);
  m.swizzle = swizzles[pick(0, 3)];
  m.fill_nan = m.type >= TENSORMAP_F16 && pick(0, 1);
  uint32_t inner = m.swizzle ? m.swizzle : 128;
  m.box[0] = m.channels = (uint16_t)(16 * pick(1, inner / 16) / size);
  m.pixels = (uint16_t)pick(1, 40);
  uint64_t stride = 0;
  for (unsigned d = 0; d < m.rank; d++) {
    m.dims[d] = pick(1, d ? 6 : 40);
    m.element_strides[d] = d ? (uint8_t)pick(1, 3) : 1;
    if (d) m.box[d] = (uint16_t)pick(1, 6);
    if (d) m.strides[d - 1] = stride;
    stride = d ? stride * m.dims[d] : (m.dims[0] * size + 15) / 16 * 16 + 16 * pick(0, 1);
  }
  for (unsigned i = 0; im2col && i + 2 < m.rank; i++) {
    m.lower[i] = (int16_t)(-(int)pick(0, 2));
    m.upper[i] = (int16_t)((int)pick(0, 2) - 1);
    if (m.lower[i] > (int)m.dims[i + 1] - 1 + m.upper[i]) m.upper[i] = 0;
  }
  m.address = 16 * pick(0, 100);
  return m;
}

/* The element with these coordinates, or -1. */
static int64_t element_at(const tensormap *m, const int64_t *c) {
  int64_t at = (int64_t)m->address;
  for (unsigned d = 0; d < m->rank; d++) {
    if (c[d] < 0 || c[d] >= (int64_t)m->dims[d]) return -1;
    at +=
        c[d] * (int64_t)(d ? m->strides[d - 1] : tensormap_element_bytes((tensormap_type)m->type));
  }
  return at;
}

typedef struct visit {
  int64_t global; /* -1: outside */
  uint32_t dense; /* in the box */
} visit;
static visit visits[1 << 17];

/* Every element of the copy, by five nested counters. */
static uint32_t visit_tile(const tensormap *m, const int32_t *origin) {
  uint32_t n[5] = {1, 1, 1, 1, 1}, count = 0;
  unsigned size = tensormap_element_bytes((tensormap_type)m->type);
  for (unsigned d = 0; d < m->rank; d++)
    n[d] = (m->box[d] + m->element_strides[d] - 1u) / m->element_strides[d];
  for (uint32_t i4 = 0; i4 < n[4]; i4++)
    for (uint32_t i3 = 0; i3 < n[3]; i3++)
      for (uint32_t i2 = 0; i2 < n[2]; i2++)
        for (uint32_t i1 = 0; i1 < n[1]; i1++)
          for (uint32_t i0 = 0; i0 < n[0]; i0++) {
            uint32_t i[5] = {i0, i1, i2, i3, i4};
            int64_t c[5] = {0};
            for (unsigned d = 0; d < m->rank; d++)
              c[d] = origin[d] + (int64_t)i[d] * m->element_strides[d];
            visits[count] = (visit){element_at(m, c), count * size};
            count++;
          }
  return count;
}

static uint32_t visit_im2col(const tensormap *m, const int32_t *origin, const uint16_t *offsets) {
  unsigned size = tensormap_element_bytes((tensormap_type)m->type), count = 0;
  int64_t at[5];
  for (unsigned d = 0; d < m->rank; d++) at[d] = origin[d];
  for (unsigned p = 0; p < m->pixels; p++) {
    for (unsigned ch = 0; ch < m->channels; ch++) {
      int64_t c[5] = {origin[0] + ch};
      for (unsigned d = 1; d < m->rank; d++) c[d] = at[d] + (d + 1 < m->rank ? offsets[d - 1] : 0);
      visits[count] = (visit){element_at(m, c), count * size};
      count++;
    }
    unsigned d = 1;
    for (; d + 1 < m->rank; d++) {
      at[d] += m->element_strides[d];
      if (at[d] <= (int64_t)m->dims[d] - 1 + m->upper[d - 1]) break;
      at[d] = m->lower[d - 1];
    }
    if (d + 1 == m->rank) at[d]++;
  }
  return count;
}

static void load(const tensormap *m, const int32_t *c, const uint16_t *o, uint32_t box) {
  tensormap_walk w;
  tensormap_run run;
  uint32_t total = 0;
  tensormap_walk_begin(&w, m, c, o);
  while (tensormap_walk_next(&w, &run)) {
    total += run.bytes;
    if (run.inside) assert_true(run.global + run.bytes <= GLOBAL);
    bulk_load_run(m, &run, shared, box, run.inside ? global + run.global : NULL);
  }
  assert_int_equal(total, tensormap_box_bytes(m));
}

/* Swizzle<B, 4, 3>, as bits. */
static uint32_t swizzled(unsigned bytes, uint32_t a) {
  unsigned bits = bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
  return a ^ (a >> 7 & ((1u << bits) - 1)) << 4;
}

static void expect_fill(const tensormap *m, uint8_t *out, unsigned size) {
  uint64_t v = m->fill_nan ? UINT64_MAX : 0;
  memcpy(out, &v, size);
}

static void check_copies(bool im2col) {
  for (unsigned round = 0; round < 600; round++) {
    tensormap m = random_map(im2col), back;
    uint8_t object[TENSORMAP_BYTES];
    const char *problem = tensormap_encode(&m, object);
    if (problem) fail_msg("%s", problem);
    assert_null(tensormap_decode(object, &back));
    assert_int_equal(back.address, m.address);
    int32_t c[5];
    uint16_t offsets[3];
    for (unsigned d = 0; d < 5; d++) c[d] = (int32_t)pick(0, 8) - 4;
    for (unsigned d = 0; d < 3; d++) offsets[d] = (uint16_t)pick(0, 2);
    unsigned size = tensormap_element_bytes((tensormap_type)m.type);
    uint32_t count = im2col ? visit_im2col(&m, c, offsets) : visit_tile(&m, c);
    uint32_t box = 1024 * pick(0, 3);
    for (unsigned i = 0; i < GLOBAL; i += 4) {
      uint32_t v = rnd() | 0x01000100; /* no subnormal numbers: one is checked below */
      memcpy(global + i, &v, 4);
      if (i > 65536) break;
    }
    memset(shared, 0xee, SHARED);
    memset(expected, 0xee, SHARED);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t at = swizzled(m.swizzle, box + visits[i].dense);
      if (visits[i].global < 0)
        expect_fill(&m, expected + at, size);
      else
        memcpy(expected + at, global + visits[i].global, size);
    }
    tensormap_convert(&m, expected + box, count * size);
    load(&back, c, im2col ? offsets : NULL, box);
    assert_memory_equal(shared, expected, SHARED);

    /* And back: what lies inside returns, nothing else changes. */
    static uint8_t before[GLOBAL];
    memcpy(before, global, GLOBAL);
    for (uint32_t i = 0; i < count * size; i++) shared[box + i] = (uint8_t)rnd();
    for (uint32_t i = 0; i < count; i++)
      if (visits[i].global >= 0)
        memcpy(before + visits[i].global, shared + swizzled(m.swizzle, box + visits[i].dense),
               size);
    tensormap_walk w;
    tensormap_run run;
    tensormap_walk_begin(&w, &back, c, im2col ? offsets : NULL);
    while (tensormap_walk_next(&w, &run))
      bulk_store_run(&back, &run, shared, box, run.inside ? global + run.global : NULL, BULK_COPY,
                     BULK_BYTES);
    assert_memory_equal(global, before, GLOBAL);
  }
}

static void test_tiles(void **state) {
  (void)state;
  check_copies(false);
}
static void test_im2col(void **state) {
  (void)state;
  check_copies(true);
}

static tensormap plain(void) {
  return (tensormap){.type = TENSORMAP_F16,
                     .rank = 2,
                     .swizzle = 128,
                     .address = 256,
                     .dims = {512, 100},
                     .strides = {1024},
                     .element_strides = {1, 1},
                     .box = {64, 64}};
}

static void refuses(tensormap m, const char *says) {
  uint8_t object[TENSORMAP_BYTES];
  const char *problem = tensormap_encode(&m, object);
  if (!problem || !strstr(problem, says)) fail_msg("%s: %s", says, problem ? problem : "accepted");
}

static void test_limits(void **state) {
  (void)state;
  tensormap m = plain();
  uint8_t object[TENSORMAP_BYTES];
  assert_null(tensormap_encode(&m, object));
  assert_int_equal(tensormap_box_bytes(&m), 8192);
  m = plain(), m.type = 77, refuses(m, "element type");
  m = plain(), m.rank = 6, refuses(m, "1 to 5 dimensions");
  m = plain(), m.rank = 0, refuses(m, "1 to 5 dimensions");
  m = plain(), m.address = 8, refuses(m, "multiple of 16");
  m = plain(), m.dims[1] = 0, refuses(m, "2^32");
  m = plain(), m.dims[1] = (UINT64_C(1) << 32) + 1, refuses(m, "2^32");
  m = plain(), m.strides[0] = 1000, refuses(m, "strides must be multiples");
  m = plain(), m.strides[0] = UINT64_C(1) << 40, refuses(m, "below 2^40");
  m = plain(), m.element_strides[1] = 9, refuses(m, "1 to 8");
  m = plain(), m.element_strides[0] = 2, refuses(m, "dimension 0 has no");
  m = plain(), m.box[1] = 257, refuses(m, "1 to 256");
  m = plain(), m.box[0] = 72, refuses(m, "longer than the swizzle");
  m = plain(), m.box[0] = 7, refuses(m, "multiple of 16 bytes long");
  m = plain(), m.swizzle = 16, refuses(m, "swizzle must be");
  m = plain(), m.interleave = 8, refuses(m, "interleave must be");
  m = plain(), m.interleave = 16, m.swizzle = 0, m.box[0] = 8, refuses(m, "3 dimensions or more");
  m = plain(), m.type = TENSORMAP_U16, m.fill_nan = true, refuses(m, "filled with NaN");
  m = plain(), m.im2col = true, refuses(m, "3 to 5");
}

static void test_object(void **state) {
  (void)state;
  tensormap m = plain(), back;
  uint8_t object[TENSORMAP_BYTES];
  assert_null(tensormap_encode(&m, object));
  for (unsigned i = 0; i < TENSORMAP_BYTES; i++) { /* a change anywhere is seen */
    object[i] ^= 1;
    assert_non_null(tensormap_decode(object, &back));
    object[i] ^= 1;
  }
  assert_null(tensormap_decode(object, &back));
  memset(object, 0, sizeof object);
  assert_non_null(strstr(tensormap_decode(object, &back), "no tensor map"));
  float tiny[2] = {1e-40f, -1e-40f};
  m.type = TENSORMAP_F32_FTZ;
  tensormap_convert(&m, (uint8_t *)tiny, sizeof tiny);
  assert_true(tiny[0] == 0 && tiny[1] == 0 && signbit(tiny[1]));
}

#define REDUCE(T, op, type, a, b, want)                                                            \
  do {                                                                                             \
    T d_ = (a), s_ = (b);                                                                          \
    assert_true(bulk_reduction_exists(op, type));                                                  \
    bulk_apply(op, type, (uint8_t *)&d_, (const uint8_t *)&s_, sizeof d_);                         \
    assert_true(d_ == (T)(want));                                                                  \
  } while (0)

static void test_reductions(void **state) {
  (void)state;
  REDUCE(uint32_t, BULK_ADD, BULK_U32, 0xffffffff, 3, 2);
  REDUCE(uint32_t, BULK_MIN, BULK_U32, 0xffffffff, 3, 3);
  REDUCE(int32_t, BULK_MIN, BULK_S32, -1, 3, -1);
  REDUCE(int32_t, BULK_MAX, BULK_S32, -1, -3, -1);
  REDUCE(uint64_t, BULK_MAX, BULK_U64, 1, UINT64_C(1) << 63, UINT64_C(1) << 63);
  REDUCE(int64_t, BULK_MAX, BULK_S64, 1, INT64_MIN, 1);
  REDUCE(uint32_t, BULK_INC, BULK_U32, 5, 5, 0);
  REDUCE(uint32_t, BULK_INC, BULK_U32, 4, 5, 5);
  REDUCE(uint32_t, BULK_DEC, BULK_U32, 0, 5, 5);
  REDUCE(uint32_t, BULK_DEC, BULK_U32, 7, 5, 5);
  REDUCE(uint32_t, BULK_DEC, BULK_U32, 3, 5, 2);
  REDUCE(uint32_t, BULK_AND, BULK_B32, 12, 10, 8);
  REDUCE(uint64_t, BULK_OR, BULK_B64, 12, 10, 14);
  REDUCE(uint32_t, BULK_XOR, BULK_B32, 12, 10, 6);
  REDUCE(uint16_t, BULK_ADD, BULK_F16, 0x3c00, 0x3c00, 0x4000);
  REDUCE(uint16_t, BULK_ADD, BULK_BF16, 0x3f80, 0x3f80, 0x4000);
  REDUCE(uint16_t, BULK_MIN, BULK_F16, 0x3c00, 0xbc00, 0xbc00);
  REDUCE(float, BULK_ADD, BULK_F32, 1.5f, 2.25f, 3.75f);
  REDUCE(double, BULK_ADD, BULK_F64, 1.5, 2.25, 3.75);
  assert_false(bulk_reduction_exists(BULK_MIN, BULK_F32));
  assert_false(bulk_reduction_exists(BULK_AND, BULK_U32));
  assert_false(bulk_reduction_exists(BULK_INC, BULK_S32));
  assert_true(bulk_reduction_exists(BULK_COPY, BULK_BYTES));
}

/* ---- maps that are changed ------------------------------------------------------------------ */

static void test_replace(void **state) {
  (void)state;
  tensormap m = plain(), back;
  uint8_t object[TENSORMAP_BYTES];
  assert_null(tensormap_encode(&m, object));
  const struct {
    tensormap_field field;
    uint32_t at;
    uint64_t value;
  } good[] = {{TENSORMAP_FIELD_ADDRESS, 0, 4096},
              {TENSORMAP_FIELD_RANK, 0, 2},
              {TENSORMAP_FIELD_BOX, 0, 16},
              {TENSORMAP_FIELD_BOX, 1, 5},
              {TENSORMAP_FIELD_BOX, 2, 6},
              {TENSORMAP_FIELD_DIM, 0, 100},
              {TENSORMAP_FIELD_DIM, 1, 70},
              {TENSORMAP_FIELD_DIM, 2, 80},
              {TENSORMAP_FIELD_STRIDE, 0, 1024},
              {TENSORMAP_FIELD_STRIDE, 1, 1 << 20},
              {TENSORMAP_FIELD_ELEMENT_STRIDE, 0, 1},
              {TENSORMAP_FIELD_ELEMENT_STRIDE, 1, 2},
              {TENSORMAP_FIELD_ELEMENT_STRIDE, 2, 1},
              {TENSORMAP_FIELD_TYPE, 0, 10},
              {TENSORMAP_FIELD_INTERLEAVE, 0, 0},
              {TENSORMAP_FIELD_SWIZZLE, 0, 2},
              {TENSORMAP_FIELD_FILL, 0, 1}};
  for (unsigned i = 0; i < ARRAY_LEN(good); i++)
    assert_null(tensormap_replace(object, good[i].field, good[i].at, good[i].value));
  assert_null(tensormap_decode(object, &back));
  assert_true(back.address == 4096 && back.rank == 3 && back.type == TENSORMAP_BF16);
  assert_true(back.box[0] == 16 && back.box[1] == 5 && back.box[2] == 6);
  assert_true(back.dims[0] == 100 && back.dims[1] == 70 && back.dims[2] == 80);
  assert_true(back.strides[0] == 1024 && back.strides[1] == 1 << 20);
  assert_true(back.element_strides[1] == 2 && back.swizzle == 64 && back.fill_nan);
  assert_int_equal(back.interleave, 0);
  const struct {
    tensormap_field field;
    uint32_t at;
    uint64_t value;
    const char *says;
  } bad[] = {{TENSORMAP_FIELD_RANK, 0, 5, "less one"},
             {TENSORMAP_FIELD_BOX, 5, 1, "numbered 0 to 4"},
             {TENSORMAP_FIELD_BOX, 0, 257, "1 to 256"},
             {TENSORMAP_FIELD_STRIDE, 4, 16, "numbered 0 to 3"},
             {TENSORMAP_FIELD_STRIDE, 0, UINT64_C(1) << 40, "below 2^40"},
             {TENSORMAP_FIELD_ELEMENT_STRIDE, 0, 9, "1 to 8"},
             {TENSORMAP_FIELD_TYPE, 0, 13, "0 to 12"},
             {TENSORMAP_FIELD_INTERLEAVE, 0, 3, "0, 1 (16 bytes) or 2"},
             {TENSORMAP_FIELD_SWIZZLE, 0, 4, "3 (128 bytes)"},
             {TENSORMAP_FIELD_FILL, 0, 2, "1 (NaN)"}};
  for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
    const char *problem = tensormap_replace(object, bad[i].field, bad[i].at, bad[i].value);
    assert_true(problem && strstr(problem, bad[i].says));
    assert_null(tensormap_decode(object, &back)); /* it is what it was */
  }
  /* What does not fit the rest is found when the map is used. */
  assert_null(tensormap_replace(object, TENSORMAP_FIELD_ADDRESS, 0, 8));
  assert_non_null(strstr(tensormap_decode(object, &back), "multiple of 16"));
  /* Of zeros a map is made member by member; until all are there it is none. */
  memset(object, 0, sizeof object);
  for (unsigned i = 0; i < ARRAY_LEN(good); i++) {
    if (i < 12) assert_non_null(tensormap_decode(object, &back));
    assert_null(tensormap_replace(object, good[i].field, good[i].at, good[i].value));
  }
  assert_null(tensormap_decode(object, &back));
  assert_true(back.rank == 3 && back.box[1] == 5 && back.swizzle == 64 && back.fill_nan);
  memset(object, 1, sizeof object);
  assert_non_null(tensormap_replace(object, TENSORMAP_FIELD_ADDRESS, 0, 0));
}

/* Runs tests/ptx/forms/tensormap.replace.ptx without the line that holds `without`. */
static void run_replacing(const char *without, const char *finds) {
  static _Alignas(128) uint32_t in[48], out[16], copy[64];
  tsr_context *ctx = tsr_context_create(NULL);
  str text;
  assert_true(file_read(ctx, &ctx->arena,
                        TESSERA_SOURCE_DIR "/tests/ptx/forms/tensormap.replace.ptx", 1 << 20,
                        &text));
  char *ptx = arena_strndup(&ctx->arena, text.data, text.len);
  if (without) {
    char *line = strstr(ptx, without);
    assert_non_null(line);
    while (*line != '\n') *line++ = ' ';
  }
  checked_run r;
  checked_run_open_text(&r, ptx, true);
  uint64_t address = checked_run_buffer(&r, in, sizeof in);
  checked_run_map(&r, &(tensormap){.type = TENSORMAP_U32,
                                   .rank = 2,
                                   .address = address,
                                   .dims = {8, 6},
                                   .strides = {32},
                                   .element_strides = {1, 1},
                                   .box = {4, 4}});
  checked_run_buffer(&r, out, sizeof out);
  checked_run_buffer(&r, copy, sizeof copy);
  checked_run_launch(&r, 1, 1, 32, 1);
  const char *found = checked_run_text(&r);
  if (finds ? !strstr(found, finds) : r.found.n != 0) fail_msg("without %s: %s", without, found);
  checked_run_close(&r);
  tsr_context_destroy(ctx);
}

static void test_fences_of_maps(void **state) {
  (void)state;
  run_replacing(NULL, NULL);
  run_replacing("  fence.proxy.tensormap::generic.acquire", "changed on the card");
  run_replacing("  tensormap.replace.tile.box_dim", "missing-wait"); /* twice the bytes come */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiles),          cmocka_unit_test(test_im2col),
      cmocka_unit_test(test_limits),         cmocka_unit_test(test_object),
      cmocka_unit_test(test_reductions),     cmocka_unit_test(test_replace),
      cmocka_unit_test(test_fences_of_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
