/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Elements of 1 to 8 bits without gaps, out of words and into registers: every pattern at every
 * place among eight, with anything in the bits around it, against src/num; at every level, and for
 * AVX-512 with and without permutations of bytes.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_jit.h"
#include "llvm/packed.h"

static const unsigned word_counts[] = {1, 8, 16};

enum { WORDS = 16, FIELDS = 8 * WORDS };

/* What one function makes of words. */
typedef struct variant {
  char name[64];
  tsr_elem elem, to; /* TSR_ELEM_COUNT: the elements packed into words again */
  bool is_signed;
  unsigned words;
} variant;

typedef void (*packed_fn)(void *out, const void *words);

static LLVMValueRef made(emit *e, const variant *v, LLVMValueRef words) {
  unsigned width = tsr_elem_bits(v->elem);
  if (v->to == TSR_ELEM_COUNT) return packed_words(e, packed_fields(e, words, width, e->i8), width);
  if (tsr_elem_is_float(v->to)) return packed_floats(e, words, v->elem, v->is_signed, v->to);
  return packed_integers(e, words, width, v->is_signed, emit_elem_type(e, v->to));
}

static void add(jit *j, variant *v) {
  emit *e = &j->e;
  LLVMTypeRef types[] = {e->ptr, e->ptr};
  snprintf(v->name, sizeof v->name, "%s_%s_%d_x%u", tsr_elem_name(v->elem),
           v->to == TSR_ELEM_COUNT ? "words" : tsr_elem_name(v->to), v->is_signed, v->words);
  LLVMValueRef f = jit_function(j, v->name, LLVMFunctionType(e->void_, types, 2, 0));
  LLVMValueRef in = LLVMBuildLoad2(e->b, jit_vector(e->i64, v->words), LLVMGetParam(f, 1), "");
  LLVMSetAlignment(in, 1);
  LLVMSetAlignment(LLVMBuildStore(e->b, made(e, v, in), LLVMGetParam(f, 0)), 1);
  LLVMBuildRetVoid(e->b);
}

static double number_of(const variant *v, uint64_t pattern) {
  if (tsr_elem_is_float(v->elem)) return num_decode(num_format_of(v->elem), pattern);
  return v->is_signed ? (double)num_sext(pattern, tsr_elem_bits(v->elem)) : (double)pattern;
}

static uint64_t expected_of(const variant *v, uint64_t pattern) {
  unsigned width = tsr_elem_bits(v->elem);
  if (tsr_elem_is_int(v->to))
    return num_int_resize(pattern, width, tsr_elem_bits(v->to), v->is_signed);
  return num_encode(num_format_of(v->to), number_of(v, pattern), NUM_NEAREST_EVEN);
}

static void check_fields(const variant *v, const uint64_t *words, const void *out) {
  unsigned width = tsr_elem_bits(v->elem);
  for (unsigned i = 0; i < 8 * v->words; i++) {
    uint64_t pattern = words[i / 8] >> i % 8 * width & num_mask(width), got;
    num_load_array(&got, out, v->to, i, 1);
    uint64_t want = expected_of(v, pattern);
    const num_format *f = num_format_of(v->to);
    if (got == want || (f && num_is_nan(f, want) && num_is_nan(f, got))) continue;
    fail_msg("%s: 0x%llx gives 0x%llx, not 0x%llx", v->name, (unsigned long long)pattern,
             (unsigned long long)got, (unsigned long long)want);
  }
}

static void check_words(const variant *v, const uint64_t *words, const uint64_t *out) {
  unsigned bits = 8 * tsr_elem_bits(v->elem);
  for (unsigned i = 0; i < v->words; i++)
    assert_true(num_wrap(words[i], bits) == num_wrap(out[i], bits));
}

static void run(jit *j, const variant *v) {
  packed_fn f;
  *(void **)&f = jit_lookup(j, v->name);
  unsigned width = tsr_elem_bits(v->elem);
  for (unsigned pattern = 0; pattern < 1u << width; pattern++) {
    for (unsigned k = 0; k < 8; k++) {
      uint64_t words[WORDS], out[FIELDS];
      for (unsigned i = 0; i < WORDS; i++) {
        words[i] = ref_random() & ~(num_mask(width) << k * width);
        words[i] |= (uint64_t)((pattern + i) & num_mask(width)) << k * width;
      }
      f(out, words);
      if (v->to == TSR_ELEM_COUNT)
        check_words(v, words, out);
      else
        check_fields(v, words, out);
    }
  }
}

typedef struct variants {
  variant v[512];
  unsigned n;
} variants;

static void each_target(variants *all, tsr_elem elem, unsigned words) {
  static const tsr_elem targets[] = {TSR_I8,   TSR_I16, TSR_I32,       TSR_F16,
                                     TSR_BF16, TSR_F32, TSR_ELEM_COUNT};
  bool is_float = tsr_elem_is_float(elem);
  for (unsigned t = 0; t < COUNT(targets); t++) {
    bool to_int = targets[t] != TSR_ELEM_COUNT && tsr_elem_is_int(targets[t]);
    for (int is_signed = 0; is_signed < (is_float ? 1 : 2) && !(is_float && to_int); is_signed++)
      all->v[all->n++] =
          (variant){.elem = elem, .to = targets[t], .is_signed = is_signed, .words = words};
  }
}

static bool is_packed(tsr_elem elem) {
  return elem != TSR_PTR && tsr_elem_bits(elem) <= 8;
}

static void check_level(cpu_level level, bool vbmi, const char *passes) {
  if (!cpu_has_level(level) || (vbmi && !cpu_has_vbmi(level))) return;
  static variants all;
  for (unsigned w = 0; w < COUNT(word_counts); w++) {
    if (passes && word_counts[w] != 8) continue;
    jit j;
    jit_open(&j, level);
    j.e.isa.vbmi = vbmi;
    all.n = 0;
    for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++)
      if (is_packed((tsr_elem)elem)) each_target(&all, (tsr_elem)elem, word_counts[w]);
    for (unsigned i = 0; i < all.n; i++) add(&j, &all.v[i]);
    jit_compile(&j, passes);
    for (unsigned i = 0; i < all.n; i++) run(&j, &all.v[i]);
    jit_close(&j);
  }
}

/* ---- loads ---------------------------------------------------------------------------------- */

typedef void (*load_fn)(uint64_t *words, const void *at, int64_t bit);

static void add_load(jit *j, unsigned width, unsigned count, bool at_bit) {
  emit *e = &j->e;
  LLVMTypeRef types[] = {e->ptr, e->ptr, e->i64};
  char name[32];
  snprintf(name, sizeof name, "load_%u_%u_%d", width, count, at_bit);
  LLVMValueRef f = jit_function(j, name, LLVMFunctionType(e->void_, types, 3, 0));
  LLVMValueRef bit = at_bit ? LLVMGetParam(f, 2) : NULL;
  LLVMValueRef words = packed_load(e, LLVMGetParam(f, 1), bit, width, count);
  LLVMSetAlignment(LLVMBuildStore(e->b, words, LLVMGetParam(f, 0)), 1);
  LLVMBuildRetVoid(e->b);
}

/* Between pages that can't be read: at their edges every byte beyond would be noticed. */
static void run_load(jit *j, uint8_t *page, size_t size, unsigned width, unsigned count,
                     bool at_bit) {
  char name[32];
  snprintf(name, sizeof name, "load_%u_%u_%d", width, count, at_bit);
  load_fn f;
  *(void **)&f = jit_lookup(j, name);
  for (unsigned bit = 0; bit < (at_bit ? 8 : 1); bit++) {
    size_t bytes = (8 * count * width + bit + 7) / 8;
    for (int end = 0; end < 2; end++) {
      const uint8_t *at = end ? page + size - bytes : page;
      uint64_t words[WORDS];
      f(words, at, bit);
      for (unsigned i = 0; i < count; i++) {
        uint64_t want = 0;
        for (unsigned k = 0; k < 8 * width; k++) {
          unsigned place_of = bit + i * 8 * width + k;
          want |= (uint64_t)(at[place_of / 8] >> place_of % 8 & 1) << k;
        }
        assert_true(num_wrap(words[i], 8 * width) == want);
      }
    }
  }
}

static void check_loads(cpu_level level, bool vbmi) {
  static const unsigned counts[] = {1, 2, 4, 8, 16};
  if (!cpu_has_level(level) || (vbmi && !cpu_has_vbmi(level))) return;
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *memory = mmap(NULL, 3 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t *page = memory + size;
  assert_true(memory != MAP_FAILED);
  assert_int_equal(mprotect(page, size, PROT_READ | PROT_WRITE), 0);
  for (size_t i = 0; i < size; i++) page[i] = (uint8_t)ref_random();
  jit j;
  jit_open(&j, level);
  j.e.isa.vbmi = vbmi;
  for (unsigned k = 0; k < 80; k++) /* elements of 8 bits begin with bytes */
    if (k % 8 < 7 || k >= 40) add_load(&j, k % 8 + 1, counts[k / 8 % 5], k < 40);
  jit_compile(&j, NULL);
  for (unsigned k = 0; k < 80; k++)
    if (k % 8 < 7 || k >= 40) run_load(&j, page, size, k % 8 + 1, counts[k / 8 % 5], k < 40);
  jit_close(&j);
  munmap(memory, 3 * size);
}

static void test_loads(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) check_loads((cpu_level)level, false);
  check_loads(CPU_AVX512, true);
}

static void test_baseline(void **state) {
  (void)state;
  check_level(CPU_BASELINE, false, NULL);
}
static void test_avx2(void **state) {
  (void)state;
  check_level(CPU_AVX2, false, NULL);
}
static void test_avx512(void **state) {
  (void)state;
  check_level(CPU_AVX512, false, NULL);
}
static void test_vbmi(void **state) {
  (void)state;
  check_level(CPU_AVX512, true, NULL);
}
static void test_passes(void **state) {
  (void)state;
  check_level(CPU_AVX2, false, JIT_LIGHT_PASSES);
  check_level(CPU_AVX512, cpu_has_vbmi(CPU_AVX512), JIT_LIGHT_PASSES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_baseline), cmocka_unit_test(test_avx2),   cmocka_unit_test(test_avx512),
      cmocka_unit_test(test_vbmi),     cmocka_unit_test(test_passes), cmocka_unit_test(test_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
