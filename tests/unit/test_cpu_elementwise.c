/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations: every operation with every type and modifier that can be emitted, bit
 * for bit what exec_scalar gives, at every level, with the vector widths taking turns.
 */
#include "cpu_jit.h"
#include "llvm/elementwise.h"

#include "llvm/arith.h"

enum { COUNT_PER_CASE = 1024, MAX_CASES = 4096 };

typedef struct op_case {
  exec_elementwise w;
  unsigned lanes;
} op_case;

static op_case cases[MAX_CASES];
static unsigned case_count;

/* Wide vectors take long to compile, so they come less often. */
static void add_case(exec_elementwise w) {
  static const unsigned widths[] = {16, 1, 8, 4, 16, 2, 8, 32, 16, 4, 1, 8, 64};
  assert_true(case_count < MAX_CASES);
  cases[case_count] = (op_case){w, widths[case_count % COUNT(widths)]};
  case_count++;
}

/* ---- what there is -------------------------------------------------------------------------- */

static const tsr_elem base_floats[] = {TSR_F16, TSR_BF16, TSR_F32, TSR_F64};
static const tsr_elem all_floats[] = {TSR_F16,      TSR_BF16,     TSR_F32,    TSR_TF32,
                                      TSR_F64,      TSR_F8E4M3FN, TSR_F8E5M2, TSR_F8E8M0FNU,
                                      TSR_F4E2M1FN, TSR_F8E5M3FNU};
static const tsr_elem all_ints[] = {TSR_I1, TSR_I8, TSR_I16, TSR_I32, TSR_I64};
static const tsr_elem all_ints4[] = {TSR_I1, TSR_I4, TSR_I8, TSR_I16, TSR_I32, TSR_I64};

static exec_elementwise same_type(op_code opcode, unsigned n, tsr_elem elem) {
  exec_elementwise w = {.opcode = (uint16_t)opcode, .n_operands = (uint8_t)n, .result = elem};
  for (unsigned i = 0; i < n; i++) w.operands[i] = elem;
  return w;
}

static exec_elementwise conversion(op_code opcode, tsr_elem from, tsr_elem to) {
  exec_elementwise w = {.opcode = (uint16_t)opcode, .n_operands = 1, .result = to};
  w.operands[0] = from;
  return w;
}

static void add_float_arithmetic(tsr_elem elem) {
  static const uint16_t rounded[][2] = {{OP_addf, 2}, {OP_subf, 2}, {OP_mulf, 2},
                                        {OP_divf, 2}, {OP_sqrt, 1}, {OP_fma, 3}};
  static const uint16_t exact[] = {OP_absf, OP_negf, OP_ceil, OP_floor};
  for (unsigned i = 0; i < COUNT(exact); i++) add_case(same_type((op_code)exact[i], 1, elem));
  for (unsigned i = 0; i < COUNT(rounded); i++) {
    for (unsigned rounding = 0; rounding <= ROUND_FULL; rounding++) {
      for (unsigned ftz = 0; ftz < 2; ftz++) {
        exec_elementwise w = same_type((op_code)rounded[i][0], rounded[i][1], elem);
        w.rounding = (uint8_t)rounding;
        w.flush_to_zero = (uint8_t)ftz;
        add_case(w);
      }
    }
  }
  for (unsigned i = 0; i < 8; i++) {
    exec_elementwise w = same_type(i & 4 ? OP_maxf : OP_minf, 2, elem);
    w.propagate_nan = i & 1;
    w.flush_to_zero = i >> 1 & 1;
    add_case(w);
  }
  for (unsigned i = 0; i < 12; i++) {
    exec_elementwise w = same_type(OP_cmpf, 2, elem);
    w.result = TSR_I1;
    w.predicate = (uint8_t)(i / 2);
    w.ordering = i & 1;
    add_case(w);
  }
}

static void add_int_arithmetic(tsr_elem elem) {
  static const uint16_t plain[][2] = {{OP_absi, 1}, {OP_negi, 1},   {OP_addi, 2}, {OP_subi, 2},
                                      {OP_muli, 2}, {OP_mulhii, 2}, {OP_andi, 2}, {OP_ori, 2},
                                      {OP_xori, 2}, {OP_shli, 2}};
  static const uint16_t either[] = {OP_remi, OP_maxi, OP_mini, OP_shri};
  for (unsigned i = 0; i < COUNT(plain); i++) {
    add_case(same_type((op_code)plain[i][0], plain[i][1], elem));
  }
  for (unsigned sign = 0; sign < 2; sign++) {
    for (unsigned i = 0; i < COUNT(either); i++) {
      exec_elementwise w = same_type((op_code)either[i], 2, elem);
      w.signedness = (uint8_t)sign;
      add_case(w);
    }
    for (unsigned rounding = ROUND_ZERO; rounding <= ROUND_POSITIVE_INF; rounding++) {
      exec_elementwise w = same_type(OP_divi, 2, elem);
      w.signedness = (uint8_t)sign;
      w.rounding = (uint8_t)rounding;
      add_case(w);
    }
    for (unsigned predicate = 0; predicate < 6; predicate++) {
      exec_elementwise w = same_type(OP_cmpi, 2, elem);
      w.result = TSR_I1;
      w.signedness = (uint8_t)sign;
      w.predicate = (uint8_t)predicate;
      add_case(w);
    }
  }
}

static void add_float_conversions(void) {
  for (unsigned i = 0; i < COUNT(all_floats); i++) {
    for (unsigned k = 0; k < COUNT(all_floats); k++) {
      static const uint8_t modes[] = {ROUND_NEAREST_EVEN, ROUND_ZERO, ROUND_NEGATIVE_INF,
                                      ROUND_POSITIVE_INF, ROUND_NEAREST_AWAY};
      for (unsigned m = 0; m < COUNT(modes); m++) {
        exec_elementwise w = conversion(OP_ftof, all_floats[i], all_floats[k]);
        w.rounding = modes[m];
        if (i != k) add_case(w);
      }
    }
    for (unsigned k = 0; k < 2 * COUNT(all_ints); k++) {
      exec_elementwise w = conversion(OP_ftoi, all_floats[i], all_ints[k / 2]);
      w.rounding = ROUND_NEAREST_INT_TO_ZERO;
      w.signedness = k % 2;
      add_case(w);
      w = conversion(OP_itof, all_ints[k / 2], all_floats[i]);
      w.signedness = k % 2;
      for (unsigned rounding = 0; rounding < 4; rounding++) {
        w.rounding = (uint8_t)rounding;
        add_case(w);
      }
    }
  }
}

static void add_bit_conversions(void) {
  static const tsr_elem alike[][2] = {
      {TSR_I8, TSR_F8E4M3FN},  {TSR_F8E5M2, TSR_I8}, {TSR_F8E4M3FN, TSR_F8E5M2},
      {TSR_I8, TSR_F8E8M0FNU}, {TSR_F16, TSR_I16},   {TSR_I16, TSR_F16},
      {TSR_BF16, TSR_F16},     {TSR_I16, TSR_BF16},  {TSR_F32, TSR_I32},
      {TSR_I32, TSR_F32},      {TSR_I64, TSR_F64},   {TSR_F64, TSR_I64}};
  for (unsigned i = 0; i < COUNT(alike); i++) {
    add_case(conversion(OP_bitcast, alike[i][0], alike[i][1]));
  }
  for (unsigned i = 0; i < COUNT(all_ints4); i++) {
    for (unsigned k = 0; k < COUNT(all_ints4); k++) {
      if (i > k) add_case(conversion(OP_trunci, all_ints4[i], all_ints4[k]));
      for (unsigned sign = 0; i < k && sign < 2; sign++) {
        exec_elementwise w = conversion(OP_exti, all_ints4[i], all_ints4[k]);
        w.signedness = (uint8_t)sign;
        add_case(w);
      }
    }
  }
  add_case(conversion(OP_int_to_ptr, TSR_I64, TSR_PTR));
  add_case(conversion(OP_ptr_to_int, TSR_PTR, TSR_I64));
  add_case(conversion(OP_ptr_to_ptr, TSR_PTR, TSR_PTR));
}

static void add_choices(void) {
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++) {
    exec_elementwise w = same_type(OP_select, 3, (tsr_elem)elem);
    w.operands[0] = TSR_I1;
    add_case(w);
    if (elem == TSR_PTR) continue;
    w = (exec_elementwise){.opcode = OP_offset, .n_operands = 2, .result = TSR_PTR};
    w.operands[0] = TSR_PTR;
    w.operands[1] = all_ints[elem % COUNT(all_ints)];
    w.pointee = (uint8_t)elem;
    add_case(w);
  }
}

static void add_all(void) {
  case_count = 0;
  for (unsigned i = 0; i < COUNT(base_floats); i++) add_float_arithmetic(base_floats[i]);
  for (unsigned i = 0; i < COUNT(all_ints); i++) add_int_arithmetic(all_ints[i]);
  add_float_conversions();
  add_bit_conversions();
  add_choices();
}

/* ---- operands ------------------------------------------------------------------------------- */

static uint64_t random_float(const num_format *f) {
  uint64_t all = num_mask(f->bits), sign = f->is_signed ? ref_random() & ref_sign(f) : 0;
  uint64_t pattern;
  switch (ref_below(9)) {
  case 0: pattern = num_zero(f, false); break;
  case 1: pattern = ref_below(2) ? num_inf(f, false) : num_nan(f); break;
  case 2: pattern = num_encode(f, (double)ref_below(9) / 2, NUM_ZERO); break;
  case 3: pattern = ref_below(2) ? num_max_finite(f, false) : num_min_normal(f); break;
  case 4: pattern = num_min_positive(f) + ref_below(3) * ((uint64_t)1 << f->shift); break;
  case 5: /* of ordinary size, so that sums round and products stay in range */
    pattern = num_encode(f, (double)(ref_random() >> 12) * 0x1p-52 * ref_below(1000), NUM_ZERO);
    break;
  case 6: /* where integers end */
    pattern = num_encode(f, ldexp(1, (int)(4u << ref_below(5)) - (int)ref_below(2)), NUM_ZERO);
    pattern += (ref_below(3) - 1) * ((uint64_t)1 << f->shift);
    pattern &= ~ref_sign(f);
    break;
  default: pattern = ref_random() & all & ~ref_sign(f); break;
  }
  return (pattern | sign) & all & ~num_mask(f->shift);
}

static uint64_t random_int(unsigned bits) {
  uint64_t pattern;
  switch (ref_below(6)) {
  case 0: pattern = ref_below(4) - 2u; break;
  case 1: pattern = (uint64_t)num_int_min(bits) + ref_below(3) - 1; break;
  case 2: pattern = ref_below(2 * bits); break;
  case 3: pattern = ref_random() >> ref_below(64); break;
  case 4: pattern = (UINT64_C(1) << ref_below(64)) + ref_below(3) - 1; break;
  default: pattern = ref_random(); break;
  }
  return num_wrap(pattern, bits);
}

static uint64_t random_pattern(tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  return f ? random_float(f) : random_int(tsr_elem_bits(elem));
}

/* Bytes of an element as jit_fn takes it: a byte each also for 4 bits. */
static unsigned stored_bytes(tsr_elem elem) {
  return tsr_elem_bits(elem) < 8 ? 1 : tsr_elem_bits(elem) / 8;
}

/* ---- running -------------------------------------------------------------------------------- */

static LLVMValueRef body_operation(emit *e, void *user, LLVMValueRef *in) {
  return emit_elementwise(e, user, in);
}

static const char *describe(const exec_elementwise *w) {
  static char text[160];
  snprintf(text, sizeof text,
           "%s %s -> %s rounding %u signed %u predicate %u ordered %u ftz %u "
           "nan %u pointee %u",
           op_table[w->opcode].name, tsr_elem_name((tsr_elem)w->operands[w->n_operands - 1]),
           tsr_elem_name((tsr_elem)w->result), w->rounding, w->signedness, w->predicate,
           w->ordering, w->flush_to_zero, w->propagate_nan, w->pointee);
  return text;
}

static void run_case(const op_case *c, jit_fn f, const char *level) {
  static uint64_t patterns[3][COUNT_PER_CASE];
  static char in[3][8 * COUNT_PER_CASE], out[8 * COUNT_PER_CASE];
  const exec_elementwise *w = &c->w;
  for (unsigned k = 0; k < w->n_operands; k++) {
    unsigned bytes = stored_bytes((tsr_elem)w->operands[k]);
    for (unsigned i = 0; i < COUNT_PER_CASE; i++) {
      patterns[k][i] = random_pattern((tsr_elem)w->operands[k]);
      /* Equal operands and operands of opposite sign are too rare by chance. */
      if (k == 1 && i % 7 == 0 && w->operands[0] == w->operands[1]) patterns[1][i] = patterns[0][i];
      memcpy(in[k] + i * bytes, &patterns[k][i], bytes);
    }
  }
  f(out, in[0], in[1], in[2], COUNT_PER_CASE);
  unsigned bytes = stored_bytes((tsr_elem)w->result);
  for (unsigned i = 0; i < COUNT_PER_CASE; i++) {
    uint64_t x[3] = {patterns[0][i], patterns[1][i], patterns[2][i]}, got = 0;
    memcpy(&got, out + i * bytes, bytes);
    uint64_t want = exec_scalar(w, x);
    if (got == want) continue;
    fail_msg("%s, %u lanes: %s of %#llx, %#llx, %#llx gives %#llx, not %#llx", level, c->lanes,
             describe(w), (unsigned long long)x[0], (unsigned long long)x[1],
             (unsigned long long)x[2], (unsigned long long)got, (unsigned long long)want);
  }
}

/* What may be left to the runtime, besides functions and remainders. */
static bool may_be_unsupported(const exec_elementwise *w, cpu_level level) {
  bool nearest = num_rounds_to_nearest((num_rounding)w->rounding);
  if (w->flush_to_zero && w->result != TSR_F32 && w->result != TSR_F64) return true;
  if (w->opcode == OP_fma && w->result == TSR_F64 && level == CPU_BASELINE) return true;
  if (nearest || op_table[w->opcode].group == GROUP_INTEGER || w->opcode == OP_ftoi) return false;
  return level != CPU_AVX512 || (w->result != TSR_F32 && w->result != TSR_F64) ||
         w->opcode == OP_itof || w->opcode == OP_ftof;
}

/* Every `stride`th case, from `first` on. */
static void check_level(cpu_level level, const char *passes, unsigned first, unsigned stride) {
  if (!cpu_has_level(level)) return;
  jit j;
  jit_open(&j, level);
  add_all();
  unsigned supported = 0;
  for (unsigned i = 0; i < case_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    op_case *c = &cases[i];
    if (i % stride != first) {
      c->lanes = 0;
      continue;
    }
    tsr_elem in[3];
    for (unsigned k = 0; k < c->w.n_operands; k++) in[k] = (tsr_elem)c->w.operands[k];
    if (!emit_elementwise_supported(&j.e, &c->w)) {
      if (!may_be_unsupported(&c->w, level)) fail_msg("%s isn't emitted", describe(&c->w));
      c->lanes = 0;
      continue;
    }
    assert_true(jit_add(&j, name, c->lanes, (tsr_elem)c->w.result, in, c->w.n_operands,
                        body_operation, &c->w));
    supported++;
  }
  assert_true(supported > case_count / stride / 2);
  jit_compile(&j, passes);
  for (unsigned i = 0; i < case_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i);
    if (cases[i].lanes != 0) {
      run_case(&cases[i], (jit_fn)jit_lookup(&j, name), jit_level_name(level));
    }
  }
  jit_close(&j);
}

static void test_baseline(void **state) {
  (void)state;
  check_level(CPU_BASELINE, NULL, 0, 1);
}
static void test_avx2(void **state) {
  (void)state;
  check_level(CPU_AVX2, NULL, 0, 1);
}
static void test_avx512(void **state) {
  (void)state;
  check_level(CPU_AVX512, NULL, 0, 1);
}

/* ---- NaNs between operations ---------------------------------------------------------------- */

/* -(a + b) * c: the NaN that comes out is canonical, and only the last one was made so. */
static LLVMValueRef body_chain(emit *e, void *user, LLVMValueRef *in) {
  exec_elementwise add = same_type(OP_addf, 2, TSR_F32), neg = same_type(OP_negf, 1, TSR_F32);
  exec_elementwise mul = same_type(OP_mulf, 2, TSR_F32);
  LLVMValueRef sum = emit_elementwise(e, &add, in);
  LLVMValueRef minus = emit_elementwise(e, &neg, &sum);
  LLVMValueRef product = emit_elementwise(e, &mul, (LLVMValueRef[]){minus, in[2]});
  *(bool *)user = LLVMGetFirstUse(sum) == NULL && LLVMGetFirstUse(minus) == NULL;
  return product;
}

static void test_nan_chain(void **state) {
  (void)state;
  jit j;
  jit_open(&j, CPU_BASELINE);
  tsr_elem in[] = {TSR_F32, TSR_F32, TSR_F32};
  bool skipped = false;
  assert_true(jit_add(&j, "f", 4, TSR_F32, in, 3, body_chain, &skipped));
  assert_true(skipped);
  jit_compile(&j, NULL);
  float a[4] = {INFINITY, 1, num_f32_from_bits(0xff812345), 2};
  float b[4] = {-INFINITY, 2, 1, 3}, c[4] = {1, 3, 1, NAN}, out[4];
  ((jit_fn)jit_lookup(&j, "f"))(out, a, b, c, 4);
  assert_int_equal(num_f32_bits(out[0]), 0x7fc00000);
  assert_true(out[1] == -9);
  assert_int_equal(num_f32_bits(out[2]), 0x7fc00000);
  assert_int_equal(num_f32_bits(out[3]), 0x7fc00000);
  jit_close(&j);
}

/* The light passes, as compiled programs get them, on another third of the cases at each level. */
static void test_passes(void **state) {
  (void)state;
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    check_level((cpu_level)level, JIT_LIGHT_PASSES, level, CPU_LEVEL_COUNT);
  }
}

int main(void) {
  ref_seed_from_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_baseline), cmocka_unit_test(test_avx2),
      cmocka_unit_test(test_avx512),   cmocka_unit_test(test_nan_chain),
      cmocka_unit_test(test_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
