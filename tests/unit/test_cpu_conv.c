/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element formats in registers: every pattern decoded and encoded again, and rounding from float
 * and double, against src/num, at every level and several vector widths.
 */
#include "cpu_jit.h"
#include "llvm/conv.h"

static const tsr_elem narrow_elems[] = {
    TSR_F16,      TSR_BF16,      TSR_TF32,       TSR_F8E4M3FN,   TSR_F8E5M2,   TSR_F8E8M0FNU,
    TSR_F4E2M1FN, TSR_F8E5M3FNU, TSR_F8E4M3FNUZ, TSR_F8E5M2FNUZ, TSR_F6E2M3FN, TSR_F6E3M2FN,
    TSR_F7E5M1FN, TSR_F7E4M2FN,  TSR_F7E3M3FN,   TSR_F7E2M4FN,   TSR_F6E4M1FN, TSR_F5E3M1FN,
    TSR_F5E2M2FN, TSR_F5E1M3FN,  TSR_F4E1M2FN,   TSR_F3E1M1FN};
static const unsigned widths[] = {1, 2, 8, 16, 64};

typedef struct variant {
  char name[48];
  tsr_elem elem;
  unsigned lanes;
} variant;

static LLVMValueRef body_same(emit *e, void *user, LLVMValueRef *in) {
  (void)e;
  (void)user;
  return in[0];
}

/* Rounds in[0], which is f32 or f64, to the variant's type. */
static LLVMValueRef body_round(emit *e, void *user, LLVMValueRef *in) {
  return emit_round(e, ((variant *)user)->elem, in[0]);
}

static bool same_f32(float a, float b) {
  return (a != a && b != b) || num_f32_bits(a) == num_f32_bits(b);
}

/* ---- decode and encode ---------------------------------------------------------------------- */

enum { COUNT_MAX = 65536 };

/* All patterns of up to 16 bits; for tf32 those of its upper bits, with anything below. */
static unsigned fill_patterns(tsr_elem elem, uint32_t *patterns) {
  unsigned bits = tsr_elem_bits(elem), count = bits > 16 ? COUNT_MAX : 1u << bits;
  for (unsigned i = 0; i < count; i++) patterns[i] = bits > 16 ? i << 16 | (i * 40503u >> 16) : i;
  return count;
}

static void narrow_store(void *out, unsigned bytes, const uint32_t *patterns, unsigned count) {
  for (unsigned i = 0; i < count; i++) memcpy((char *)out + i * bytes, &patterns[i], bytes);
}

static void check_decode(const variant *v, jit_fn decode, jit_fn copy) {
  static uint32_t patterns[COUNT_MAX];
  static float values[COUNT_MAX];
  static char stored[4 * COUNT_MAX], back[4 * COUNT_MAX];
  unsigned count = fill_patterns(v->elem, patterns), bytes = (tsr_elem_bits(v->elem) + 7) / 8;
  if (count % v->lanes) return; /* 16 values of f4 don't fill 64 lanes */
  const num_format *f = num_format_of(v->elem);
  narrow_store(stored, bytes, patterns, count);
  decode(values, stored, NULL, NULL, count);
  copy(back, stored, NULL, NULL, count);
  for (unsigned i = 0; i < count; i++) {
    float want = (float)num_decode(f, patterns[i]);
    if (!same_f32(values[i], want)) {
      fail_msg("%s: pattern %#x is %g, not %g", v->name, patterns[i], values[i], want);
    }
    uint32_t pattern = 0, kept = patterns[i] & ~((1u << f->shift) - 1);
    memcpy(&pattern, back + i * bytes, bytes);
    bool signalling = v->elem == TSR_F16 && num_is_nan(f, kept) && pattern == (kept | 0x200);
    if (pattern != kept && !signalling) {
      fail_msg("%s: pattern %#x is copied as %#x", v->name, patterns[i], pattern);
    }
  }
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* Floats whose low half lies at, just below and just above every place where a rounding turns. */
static const uint32_t low_halves[] = {0x0000, 0x0001, 0x0fff, 0x1000, 0x1001, 0x2000, 0x3000,
                                      0x5555, 0x7fff, 0x8000, 0x8001, 0xafff, 0xb000, 0xffff};

static void check_round_f32(const variant *v, jit_fn round) {
  static float in[COUNT_MAX];
  static char out[4 * COUNT_MAX];
  const num_format *f = num_format_of(v->elem);
  unsigned bytes = (f->bits + 7u) / 8;
  for (unsigned l = 0; l < COUNT(low_halves); l++) {
    for (uint32_t i = 0; i < COUNT_MAX; i++) in[i] = num_f32_from_bits(i << 16 | low_halves[l]);
    round(out, in, NULL, NULL, COUNT_MAX);
    for (unsigned i = 0; i < COUNT_MAX; i++) {
      uint32_t pattern = 0;
      memcpy(&pattern, out + i * bytes, bytes);
      uint64_t want = num_encode(f, (double)in[i], NUM_NEAREST_EVEN);
      if (pattern == want || (num_is_nan(f, want) && num_is_nan(f, pattern))) continue;
      fail_msg("%s: %a rounds to %#x, not %#x", v->name, (double)in[i], pattern, (unsigned)want);
    }
  }
}

/* A double next to, at, or somewhat off a value of the format or the middle between two. */
static double double_near(const num_format *f) {
  unsigned all = (unsigned)num_mask(f->exponent_bits + f->mantissa_bits);
  uint64_t pattern = (ref_random() & all & 0xffff) << (f->bits > 16 ? 16 : 0);
  if (f->bits > 16) pattern &= 0x7fffe000;
  double x = num_decode(f, pattern), y = num_decode(f, pattern + ((uint64_t)1 << f->shift));
  if (!isfinite(x)) return x;
  double value = ref_below(2) && isfinite(y) ? x + (y - x) / 2 : x;
  unsigned kind = ref_below(4);
  if (kind == 0) value = nextafter(value, 1e300);
  if (kind == 1) value = nextafter(value, 0);
  if (kind == 2) value *= 1 + (double)ref_below(1000) * 1e-9;
  if (ref_below(64) == 0) value *= ref_below(2) ? 1e60 : 1e-60;
  return ref_below(2) ? -value : value;
}

static void check_round_f64(const variant *v, jit_fn round) {
  static double in[COUNT_MAX];
  static char out[4 * COUNT_MAX];
  const num_format *f = num_format_of(v->elem);
  unsigned bytes = (f->bits + 7u) / 8;
  for (unsigned i = 0; i < COUNT_MAX; i++) in[i] = double_near(f);
  static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1.7e308};
  memcpy(in, specials, sizeof specials);
  round(out, in, NULL, NULL, COUNT_MAX);
  for (unsigned i = 0; i < COUNT_MAX; i++) {
    uint32_t pattern = 0;
    memcpy(&pattern, out + i * bytes, bytes);
    uint64_t want = num_encode(f, in[i], NUM_NEAREST_EVEN);
    if (pattern == want || (num_is_nan(f, want) && num_is_nan(f, pattern))) continue;
    fail_msg("%s: %a rounds to %#x, not %#x", v->name, in[i], pattern, (unsigned)want);
  }
}

/* ---- all of it, level by level -------------------------------------------------------------- */

static void name_variant(variant *v, const char *what) {
  snprintf(v->name, sizeof v->name, "%s_%s_x%u", what, tsr_elem_name(v->elem), v->lanes);
}

static void add_variant(jit *j, variant v) {
  tsr_elem f32 = TSR_F32, f64 = TSR_F64;
  name_variant(&v, "decode");
  assert_true(jit_add(j, v.name, v.lanes, TSR_F32, &v.elem, 1, body_same, &v));
  name_variant(&v, "copy");
  assert_true(jit_add(j, v.name, v.lanes, v.elem, &v.elem, 1, body_same, &v));
  name_variant(&v, "round32");
  assert_true(jit_add(j, v.name, v.lanes, v.elem, &f32, 1, body_round, &v));
  name_variant(&v, "round64");
  assert_true(jit_add(j, v.name, v.lanes, v.elem, &f64, 1, body_round, &v));
}

static jit_fn find(jit *j, variant *v, const char *what) {
  name_variant(v, what);
  return (jit_fn)jit_lookup(j, v->name);
}

/* Extensions are much alike: one lane, and a register of them. */
static bool is_tried(tsr_elem elem, unsigned lane_count) {
  return !tsr_elem_is_extension(elem) || lane_count == 1 || lane_count == 16;
}

static void check_level(cpu_level level, const char *passes) {
  if (!cpu_has_level(level)) return;
  jit j;
  jit_open(&j, level);
  for (unsigned i = 0; i < COUNT(narrow_elems); i++)
    for (unsigned w = 0; w < COUNT(widths); w++)
      if (is_tried(narrow_elems[i], widths[w]))
        add_variant(&j, (variant){.elem = narrow_elems[i], .lanes = widths[w]});
  jit_compile(&j, passes);
  for (unsigned i = 0; i < COUNT(narrow_elems); i++) {
    for (unsigned w = 0; w < COUNT(widths); w++) {
      variant v = {.elem = narrow_elems[i], .lanes = widths[w]};
      if (!is_tried(v.elem, v.lanes)) continue;
      jit_fn decode = find(&j, &v, "decode");
      check_decode(&v, decode, find(&j, &v, "copy"));
      /* Rounding takes long to check: two widths for each type, with passes one. */
      if (w != i % COUNT(widths) && (w != 3 || passes != NULL)) continue;
      check_round_f32(&v, find(&j, &v, "round32"));
      check_round_f64(&v, find(&j, &v, "round64"));
    }
  }
  jit_close(&j);
}

static void test_baseline(void **state) {
  (void)state;
  check_level(CPU_BASELINE, NULL);
}
static void test_avx2(void **state) {
  (void)state;
  check_level(CPU_AVX2, NULL);
}
static void test_avx512(void **state) {
  (void)state;
  check_level(CPU_AVX512, NULL);
}
/* Optimised code gives the same. */
static void test_passes(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++)
    check_level((cpu_level)level, JIT_LIGHT_PASSES);
}

/* ---- nibbles -------------------------------------------------------------------------------- */

static void add_nibbles(jit *j, unsigned bytes) {
  emit *e = &j->e;
  LLVMTypeRef types[] = {e->ptr, e->ptr, e->ptr};
  LLVMTypeRef type = LLVMFunctionType(e->void_, types, 3, 0);
  char name[32];
  snprintf(name, sizeof name, "nibbles%u", bytes);
  LLVMValueRef f = jit_function(j, name, type);
  LLVMTypeRef packed = jit_vector(e->i8, bytes);
  LLVMValueRef in = LLVMBuildLoad2(e->b, packed, LLVMGetParam(f, 0), "");
  LLVMSetAlignment(in, 1);
  LLVMValueRef nibbles = emit_unpack4(e, in);
  LLVMSetAlignment(LLVMBuildStore(e->b, nibbles, LLVMGetParam(f, 1)), 1);
  LLVMSetAlignment(LLVMBuildStore(e->b, emit_pack4(e, nibbles), LLVMGetParam(f, 2)), 1);
  LLVMBuildRetVoid(e->b);
}

static void test_nibbles(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    if (!cpu_has_level((cpu_level)level)) continue;
    jit j;
    jit_open(&j, (cpu_level)level);
    for (unsigned bytes = 1; bytes <= 32; bytes *= 2) add_nibbles(&j, bytes);
    jit_compile(&j, NULL);
    for (unsigned bytes = 1; bytes <= 32; bytes *= 2) {
      char name[32];
      snprintf(name, sizeof name, "nibbles%u", bytes);
      void (*f)(const void *, void *, void *);
      *(void **)&f = jit_lookup(&j, name);
      uint8_t in[64], out[64], back[64];
      for (unsigned i = 0; i < 64; i++) in[i] = (uint8_t)ref_random();
      f(in, out, back);
      for (unsigned i = 0; i < 2 * bytes; i++)
        assert_int_equal(out[i], i % 2 ? in[i / 2] >> 4 : in[i / 2] & 15);
      assert_memory_equal(in, back, bytes);
    }
    jit_close(&j);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_baseline), cmocka_unit_test(test_avx2),
      cmocka_unit_test(test_avx512),   cmocka_unit_test(test_passes),
      cmocka_unit_test(test_nibbles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
