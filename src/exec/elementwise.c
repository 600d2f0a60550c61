/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element-wise operations over arrays. exec_scalar is what they mean; the loops here give the same
 * bits without going through patterns, for the operations that programs spend their time in.
 * tests/unit/test_exec.c compares the two.
 */
#include "exec/scalar.h"

#include <math.h>

#include "num/num.h"

/* Arrays need no alignment: elements are copied in and out, which compiles to plain moves. */
typedef void (*loop_fn)(const exec_elementwise *w, char *out, const char *const *in, int64_t n);

#define LOOP1(NAME, R, A, EXPR)                                                                    \
  static void NAME(const exec_elementwise *w, char *out, const char *const *in, int64_t n) {       \
    const char *p = in[0];                                                                         \
    const exec_elementwise m = *w; /* a copy: `out` may alias anything */                          \
    (void)m;                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                              \
      A a;                                                                                         \
      memcpy(&a, p + (size_t)i * sizeof a, sizeof a);                                              \
      R r = EXPR;                                                                                  \
      memcpy(out + (size_t)i * sizeof r, &r, sizeof r);                                            \
    }                                                                                              \
  }
#define LOOP2(NAME, R, A, B, EXPR)                                                                 \
  static void NAME(const exec_elementwise *w, char *out, const char *const *in, int64_t n) {       \
    const char *p = in[0], *q = in[1];                                                             \
    const exec_elementwise m = *w; /* a copy: `out` may alias anything */                          \
    (void)m;                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                              \
      A a;                                                                                         \
      B b;                                                                                         \
      memcpy(&a, p + (size_t)i * sizeof a, sizeof a);                                              \
      memcpy(&b, q + (size_t)i * sizeof b, sizeof b);                                              \
      R r = EXPR;                                                                                  \
      memcpy(out + (size_t)i * sizeof r, &r, sizeof r);                                            \
    }                                                                                              \
  }
#define LOOP3(NAME, R, A, B, C, EXPR)                                                              \
  static void NAME(const exec_elementwise *w, char *out, const char *const *in, int64_t n) {       \
    const char *p = in[0], *q = in[1], *s = in[2];                                                 \
    const exec_elementwise m = *w; /* a copy: `out` may alias anything */                          \
    (void)m;                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                              \
      A a;                                                                                         \
      B b;                                                                                         \
      C c;                                                                                         \
      memcpy(&a, p + (size_t)i * sizeof a, sizeof a);                                              \
      memcpy(&b, q + (size_t)i * sizeof b, sizeof b);                                              \
      memcpy(&c, s + (size_t)i * sizeof c, sizeof c);                                              \
      R r = EXPR;                                                                                  \
      memcpy(out + (size_t)i * sizeof r, &r, sizeof r);                                            \
    }                                                                                              \
  }

/* ---- floats in the host's own arithmetic: nearest even, nothing flushed --------------------- */

static inline float canonical_f32(float v) {
  return v != v ? (float)NAN : v;
}
static inline double canonical_f64(double v) {
  return v != v ? (double)NAN : v;
}

/* minimumNumber and maximumNumber. Equal operands differ in the sign of zero at most: -0 is less
 * than +0. */
#define EXTREME(NAME, T, BETTER, OF_EQUAL)                                                         \
  static inline T NAME(T a, T b) {                                                                 \
    if (a != a) return b != b ? (T)NAN : b;                                                        \
    if (b != b) return a;                                                                          \
    if (a == b) return OF_EQUAL;                                                                   \
    return a BETTER b ? a : b;                                                                     \
  }
EXTREME(max_f32, float, >, signbit(a) ? b : a)
EXTREME(min_f32, float, <, signbit(a) ? a : b)
EXTREME(max_f64, double, >, signbit(a) ? b : a)
EXTREME(min_f64, double, <, signbit(a) ? a : b)

#define FLOAT_LOOPS(T, F)                                                                          \
  LOOP2(addf_##F, T, T, T, canonical_##F(a + b))                                                   \
  LOOP2(subf_##F, T, T, T, canonical_##F(a - b))                                                   \
  LOOP2(mulf_##F, T, T, T, canonical_##F(a *b))                                                    \
  LOOP2(divf_##F, T, T, T, canonical_##F(a / b))                                                   \
  LOOP2(maxf_##F, T, T, T, max_##F(a, b))                                                          \
  LOOP2(minf_##F, T, T, T, min_##F(a, b))                                                          \
  LOOP2(maxf_nan_##F, T, T, T, a != a || b != b ? (T)NAN : max_##F(a, b))                          \
  LOOP2(minf_nan_##F, T, T, T, a != a || b != b ? (T)NAN : min_##F(a, b))                          \
  LOOP1(negf_##F, T, T, canonical_##F(-a))                                                         \
  LOOP1(absf_##F, T, T, canonical_##F(signbit(a) ? -a : a))
FLOAT_LOOPS(float, f32)
FLOAT_LOOPS(double, f64)
LOOP1(sqrt_f32, float, float, canonical_f32(sqrtf(a)))
LOOP1(sqrt_f64, double, double, canonical_f64(sqrt(a)))
LOOP3(fma_f32, float, float, float, float, canonical_f32(fmaf(a, b, c)))
LOOP3(fma_f64, double, double, double, double, canonical_f64(fma(a, b, c)))

static loop_fn float_loop(const exec_elementwise *w, bool f64) {
  bool nan = w->propagate_nan;
  if (w->flush_to_zero || !num_rounds_to_nearest((num_rounding)w->rounding)) return NULL;
  switch (w->opcode) {
  case OP_addf: return f64 ? addf_f64 : addf_f32;
  case OP_subf: return f64 ? subf_f64 : subf_f32;
  case OP_mulf: return f64 ? mulf_f64 : mulf_f32;
  case OP_divf: return f64 ? divf_f64 : divf_f32;
  case OP_maxf: return f64 ? (nan ? maxf_nan_f64 : maxf_f64) : nan ? maxf_nan_f32 : maxf_f32;
  case OP_minf: return f64 ? (nan ? minf_nan_f64 : minf_f64) : nan ? minf_nan_f32 : minf_f32;
  case OP_negf: return f64 ? negf_f64 : negf_f32;
  case OP_absf: return f64 ? absf_f64 : absf_f32;
  case OP_sqrt: return f64 ? sqrt_f64 : sqrt_f32;
  case OP_fma: return f64 ? fma_f64 : fma_f32;
  default: return NULL;
  }
}

/* ---- integers ------------------------------------------------------------------------------- */

/* T is unsigned, S signed, of the same width. Products and shifts go through 64 bits, where the
 * promotion of narrow types to int cannot overflow. */
#define INT_LOOPS(T, S, N)                                                                         \
  LOOP2(addi_##N, T, T, T, (T)(a + b))                                                             \
  LOOP2(subi_##N, T, T, T, (T)(a - b))                                                             \
  LOOP2(muli_##N, T, T, T, (T)((uint64_t)a * b))                                                   \
  LOOP2(andi_##N, T, T, T, (T)(a & b))                                                             \
  LOOP2(ori_##N, T, T, T, (T)(a | b))                                                              \
  LOOP2(xori_##N, T, T, T, (T)(a ^ b))                                                             \
  LOOP2(maxs_##N, S, S, S, a > b ? a : b)                                                          \
  LOOP2(mins_##N, S, S, S, a < b ? a : b)                                                          \
  LOOP2(maxu_##N, T, T, T, a > b ? a : b)                                                          \
  LOOP2(minu_##N, T, T, T, a < b ? a : b)                                                          \
  LOOP2(shli_##N, T, T, T, b >= 8 * sizeof(T) ? 0 : (T)((uint64_t)a << b))                         \
  LOOP2(shru_##N, T, T, T, b >= 8 * sizeof(T) ? 0 : (T)(a >> b))                                   \
  LOOP2(shrs_##N, S, S, T, (S)(a >> (b >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : b)))
INT_LOOPS(uint8_t, int8_t, i8)
INT_LOOPS(uint16_t, int16_t, i16)
INT_LOOPS(uint32_t, int32_t, i32)
INT_LOOPS(uint64_t, int64_t, i64)

#define INT_TABLE(N)                                                                               \
  {                                                                                                \
    {addi_##N, subi_##N, muli_##N, andi_##N, ori_##N,                                              \
     xori_##N, maxu_##N, minu_##N, shli_##N, shru_##N},                                            \
        {addi_##N, subi_##N, muli_##N, andi_##N, ori_##N,                                          \
         xori_##N, maxs_##N, mins_##N, shli_##N, shrs_##N},                                        \
  }
/* [width][signedness][operation] */
static const loop_fn int_loops[4][2][10] = {INT_TABLE(i8), INT_TABLE(i16), INT_TABLE(i32),
                                            INT_TABLE(i64)};

/* 0, 1, 2, 3 for 8, 16, 32, 64 bits; -1 for others. */
static int width_index(tsr_elem elem) {
  switch (tsr_elem_bits(elem)) {
  case 8: return 0;
  case 16: return 1;
  case 32: return 2;
  case 64: return 3;
  default: return -1;
  }
}

/* Masks: a byte each, of which any that is not zero is true. */
LOOP2(and_i1, uint8_t, uint8_t, uint8_t, (uint8_t)((a != 0) & (b != 0)))
LOOP2(or_i1, uint8_t, uint8_t, uint8_t, (uint8_t)((a != 0) | (b != 0)))
LOOP2(xor_i1, uint8_t, uint8_t, uint8_t, (uint8_t)((a != 0) ^ (b != 0)))

static loop_fn mask_loop(const exec_elementwise *w) {
  switch (w->opcode) {
  case OP_andi: return and_i1;
  case OP_ori: return or_i1;
  case OP_xori: return xor_i1;
  default: return NULL;
  }
}

static loop_fn int_loop(const exec_elementwise *w) {
  int width = width_index((tsr_elem)w->operands[0]), column;
  if (width < 0) return NULL;
  switch (w->opcode) {
  case OP_addi: column = 0; break;
  case OP_subi: column = 1; break;
  case OP_muli: column = 2; break;
  case OP_andi: column = 3; break;
  case OP_ori: column = 4; break;
  case OP_xori: column = 5; break;
  case OP_maxi: column = 6; break;
  case OP_mini: column = 7; break;
  case OP_shli: column = 8; break;
  case OP_shri: column = 9; break;
  default: return NULL;
  }
  return int_loops[width][w->signedness == SIGN_SIGNED][column];
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Integers need "equal" and "less": the other predicates swap the operands or negate. */
static bool negates(const exec_elementwise *w) {
  return w->predicate == CMP_NOT_EQUAL || w->predicate == CMP_LESS_EQUAL ||
         w->predicate == CMP_GREATER_EQUAL;
}
static bool swaps_integers(const exec_elementwise *w) {
  return w->predicate == CMP_GREATER || w->predicate == CMP_LESS_EQUAL;
}

#define COMPARE_LOOPS(T, S, N)                                                                     \
  LOOP2(equal_##N, uint8_t, T, T, (uint8_t)((a == b) ^ negates(&m)))                               \
  LOOP2(lessu_##N, uint8_t, T, T, (uint8_t)((a < b) ^ negates(&m)))                                \
  LOOP2(lesss_##N, uint8_t, S, S, (uint8_t)((a < b) ^ negates(&m)))
COMPARE_LOOPS(uint8_t, int8_t, i8)
COMPARE_LOOPS(uint16_t, int16_t, i16)
COMPARE_LOOPS(uint32_t, int32_t, i32)
COMPARE_LOOPS(uint64_t, int64_t, i64)

static const loop_fn compare_loops[4][3] = {{equal_i8, lessu_i8, lesss_i8},
                                            {equal_i16, lessu_i16, lesss_i16},
                                            {equal_i32, lessu_i32, lesss_i32},
                                            {equal_i64, lessu_i64, lesss_i64}};

static loop_fn compare_int_loop(const exec_elementwise *w) {
  int width = width_index((tsr_elem)w->operands[0]);
  if (width < 0) return NULL;
  if (w->predicate == CMP_EQUAL || w->predicate == CMP_NOT_EQUAL) return compare_loops[width][0];
  return compare_loops[width][w->signedness == SIGN_SIGNED ? 2 : 1];
}

/* Floats do not negate: a NaN makes every ordered predicate false. */
static bool swaps_floats(const exec_elementwise *w) {
  return w->predicate == CMP_GREATER || w->predicate == CMP_GREATER_EQUAL;
}

#define COMPARE_FLOAT(NAME, T, EXPR)                                                               \
  LOOP2(NAME, uint8_t, T, T,                                                                       \
        (uint8_t)((EXPR) | ((m.ordering == CMP_UNORDERED) & ((a != a) | (b != b)))))
#define COMPARE_FLOAT_LOOPS(T, F)                                                                  \
  COMPARE_FLOAT(equal_##F, T, a == b)                                                              \
  COMPARE_FLOAT(differ_##F, T, (a < b) | (a > b))                                                  \
  COMPARE_FLOAT(less_##F, T, a < b)                                                                \
  COMPARE_FLOAT(less_equal_##F, T, a <= b)
COMPARE_FLOAT_LOOPS(float, f32)
COMPARE_FLOAT_LOOPS(double, f64)

static loop_fn compare_float_loop(const exec_elementwise *w, bool f64) {
  switch (w->predicate) {
  case CMP_EQUAL: return f64 ? equal_f64 : equal_f32;
  case CMP_NOT_EQUAL: return f64 ? differ_f64 : differ_f32;
  case CMP_LESS:
  case CMP_GREATER: return f64 ? less_f64 : less_f32;
  default: return f64 ? less_equal_f64 : less_equal_f32;
  }
}

/* ---- selection, addresses, conversions ------------------------------------------------------ */

LOOP3(select_8, uint8_t, uint8_t, uint8_t, uint8_t, a ? b : c)
LOOP3(select_16, uint16_t, uint8_t, uint16_t, uint16_t, a ? b : c)
LOOP3(select_32, uint32_t, uint8_t, uint32_t, uint32_t, a ? b : c)
LOOP3(select_64, uint64_t, uint8_t, uint64_t, uint64_t, a ? b : c)

static loop_fn select_loop(const exec_elementwise *w) {
  static const loop_fn loops[] = {select_8, select_16, select_32, select_64};
  int width = width_index((tsr_elem)w->result);
  return width < 0 ? NULL : loops[width];
}

static inline uint64_t pointee_size(const exec_elementwise *w) {
  return tsr_elem_bits((tsr_elem)w->pointee) / 8 + (w->pointee == TSR_I1);
}
LOOP2(offset_i32, uint64_t, uint64_t, int32_t, a + (uint64_t)(int64_t)b * pointee_size(&m))
LOOP2(offset_i64, uint64_t, uint64_t, uint64_t, a + b * pointee_size(&m))

static loop_fn offset_loop(const exec_elementwise *w) {
  unsigned bits = tsr_elem_bits((tsr_elem)w->pointee);
  if (bits == 4 || num_shares_bytes(bits)) return NULL;
  if (w->operands[1] == TSR_I32) return offset_i32;
  return w->operands[1] == TSR_I64 ? offset_i64 : NULL;
}

LOOP1(exts_i32_i64, int64_t, int32_t, a)
LOOP1(extu_i32_i64, uint64_t, uint32_t, a)
LOOP1(trunc_i64_i32, uint32_t, uint64_t, (uint32_t)a)
LOOP1(itof_i32_f32, float, int32_t, (float)a)
LOOP1(itof_i32_f64, double, int32_t, a)
LOOP1(ftof_f32_f64, double, float, canonical_f64(a))
LOOP1(ftof_f64_f32, float, double, canonical_f32((float)a))
LOOP1(ftof_bf16_f32, float, uint16_t, canonical_f32(num_f32_from_bits((uint32_t)a << 16)))

static loop_fn convert_loop(const exec_elementwise *w) {
  tsr_elem from = (tsr_elem)w->operands[0], to = (tsr_elem)w->result;
  bool is_signed = w->signedness == SIGN_SIGNED;
  bool nearest = num_rounds_to_nearest((num_rounding)w->rounding);
  switch (w->opcode) {
  case OP_exti:
    if (from != TSR_I32 || to != TSR_I64) return NULL;
    return is_signed ? exts_i32_i64 : extu_i32_i64;
  case OP_trunci: return from == TSR_I64 && to == TSR_I32 ? trunc_i64_i32 : NULL;
  case OP_itof:
    if (from != TSR_I32 || !is_signed || !nearest) return NULL;
    return to == TSR_F32 ? itof_i32_f32 : to == TSR_F64 ? itof_i32_f64 : NULL;
  case OP_ftof:
    if (!nearest) return NULL;
    if (from == TSR_F32 && to == TSR_F64) return ftof_f32_f64;
    if (from == TSR_F64 && to == TSR_F32) return ftof_f64_f32;
    return from == TSR_BF16 && to == TSR_F32 ? ftof_bf16_f32 : NULL;
  default: return NULL;
  }
}

/* The bits stay as they are. */
static void copy_loop(const exec_elementwise *w, char *out, const char *const *in, int64_t n) {
  if (out != in[0]) memmove(out, in[0], tsr_elem_storage((tsr_elem)w->result, (size_t)n));
}

/* ---- choosing ------------------------------------------------------------------------------- */

static loop_fn direct_loop(const exec_elementwise *w) {
  tsr_elem elem = (tsr_elem)w->operands[0];
  bool host_float = elem == TSR_F32 || elem == TSR_F64;
  switch (w->opcode) {
  case OP_select: return select_loop(w);
  case OP_offset: return offset_loop(w);
  case OP_bitcast:
  case OP_int_to_ptr:
  case OP_ptr_to_int:
  case OP_ptr_to_ptr: return elem == TSR_I1 || w->result == TSR_TF32 ? NULL : copy_loop;
  case OP_cmpi: return compare_int_loop(w);
  case OP_cmpf: return host_float ? compare_float_loop(w, elem == TSR_F64) : NULL;
  default: break;
  }
  if (op_table[w->opcode].group == GROUP_CONVERSION) return convert_loop(w);
  if (elem == TSR_I1) return mask_loop(w);
  return host_float ? float_loop(w, elem == TSR_F64) : int_loop(w);
}

static bool swaps(const exec_elementwise *w) {
  return (w->opcode == OP_cmpi && swaps_integers(w)) || (w->opcode == OP_cmpf && swaps_floats(w));
}

/* By patterns, through blocks on the stack. */
static void run_patterns(const exec_elementwise *w, void *result, const void *const *operands,
                         int64_t count) {
  enum { BLOCK = 128 };
  uint64_t in[3][BLOCK], out[BLOCK];
  for (int64_t done = 0; done < count; done += BLOCK) {
    size_t n = (size_t)MIN(count - done, (int64_t)BLOCK);
    for (unsigned o = 0; o < w->n_operands; o++)
      num_load_array(in[o], operands[o], (tsr_elem)w->operands[o], (size_t)done, n);
    for (size_t i = 0; i < n; i++) {
      uint64_t x[3] = {in[0][i]};
      for (unsigned o = 1; o < w->n_operands; o++) x[o] = in[o][i];
      out[i] = exec_scalar(w, x);
    }
    num_store_array(result, out, (tsr_elem)w->result, (size_t)done, n);
  }
}

void exec_elementwise_run(const exec_elementwise *w, void *result, const void *const *operands,
                          int64_t count) {
  loop_fn loop = direct_loop(w);
  if (!loop) {
    run_patterns(w, result, operands, count);
    return;
  }
  const char *in[3] = {operands[0]};
  for (unsigned o = 1; o < w->n_operands; o++) in[o] = operands[o];
  if (swaps(w)) {
    in[0] = operands[1];
    in[1] = operands[0];
  }
  loop(w, result, in, count);
}
