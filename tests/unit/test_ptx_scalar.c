/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every scalar instruction of the PTX emulator against plain C (integers) or the reference
 * arithmetic on bits (floats), on edge values and random ones. A row is one form.
 */
#include <math.h>

#include "num/num.h"
#include "ptx_run.h"

enum { N = 1024 };

/* ---- running one instruction ----------------------------------------------------------------- */

typedef uint64_t (*reference)(uint64_t a, uint64_t b, uint64_t c);

/* `text` has D for the result, A, B, C for operands; `types` are those of D, A, B, C, "" for none:
 * "u32 u32 u32". pred means a predicate: operands are the lowest bit. */
typedef struct row {
  const char *text, *types;
  reference expected;
} row;

static uint64_t inputs[3][N], results[N];
static uint64_t random_state = 1;

static uint64_t random_bits(void) {
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static bool is_float_type(const char *t) {
  return strstr(t, "f16") || strstr(t, "f32") || strstr(t, "f64");
}

/* Half edge values, half random; floats also with exponents near each other. */
static uint64_t pick(unsigned bits, bool is_float) {
  static const uint64_t edges[] = {0,
                                   1,
                                   2,
                                   3,
                                   7,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   0x7f,
                                   0x80,
                                   0xff,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   INT64_MAX,
                                   UINT64_C(1) << 63,
                                   UINT64_MAX,
                                   UINT64_MAX - 6};
  static const uint64_t f32s[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                  0xff800000, 0x7fc00000, 0x7fffffff, 1,          0x807fffff,
                                  0x00800000, 0x7f7fffff, 0x40490fdb, 0x3f000000, 0x7e800001};
  uint64_t r = random_bits(), v;
  bool edge = r & 1;
  r >>= 8;
  if (!is_float) {
    v = edge ? edges[r % ARRAY_LEN(edges)] : random_bits() >> (r % bits);
  } else if (bits == 16) {
    v = random_bits();
  } else {
    v = edge ? f32s[r % ARRAY_LEN(f32s)] : (random_bits() & 0x83ffffff) | 0x3c000000;
    if (bits == 64)
      v = edge ? num_convert(num_format_of(TSR_F64), num_format_of(TSR_F32), v, NUM_NEAREST_EVEN)
               : (random_bits() & UINT64_C(0x807fffffffffffff)) | UINT64_C(0x3f80000000000000);
  }
  return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static unsigned type_bits(const char *t) {
  if (strcmp(t, "pred") == 0) return 1;
  if (strstr(t, "x2") || strstr(t, "32")) return strcmp(t, "f32x2") == 0 ? 64 : 32;
  if (strstr(t, "64")) return 64;
  return strstr(t, "16") ? 16 : 8;
}

/* Registers are declared by size: b16, b32, b64. */
static const char *register_type(const char *t) {
  unsigned bits = type_bits(t);
  return bits == 1 ? "pred" : bits == 64 ? "b64" : bits == 32 ? "b32" : bits == 16 ? "b16" : "b16";
}

static void add_text(char *out, size_t size, const char *fmt, ...) {
  size_t n = strlen(out);
  va_list args;
  va_start(args, fmt);
  vsnprintf(out + n, size - n, fmt, args);
  va_end(args);
}

static void make_module(const row *r, char types[4][16], int n, char *out, size_t size) {
  out[0] = 0;
  add_text(out, size,
           ".version 8.6\n.target sm_100a\n.address_size 64\n"
           ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
           ".reg .b64 %%in, %%out, %%i, %%t;\n.reg .b32 %%n;\n.reg .pred %%p;\n");
  static const char names[] = "DABC";
  for (int k = 0; k < n; k++)
    add_text(out, size, ".reg .%s %%%c;\n", register_type(types[k]), names[k]);
  add_text(out, size,
           "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%n, %%tid.x;\n"
           "mad.wide.u32 %%i, %%n, 8, %%in;\nmad.wide.u32 %%out, %%n, 8, %%out;\n");
  for (int k = 1; k < n; k++) {
    if (strcmp(types[k], "pred") == 0)
      add_text(out, size,
               "ld.global.b64 %%t, [%%i+%d];\nand.b64 %%t, %%t, 1;\n"
               "setp.ne.u64 %%%c, %%t, 0;\n",
               (k - 1) * N * 8, names[k]);
    else
      add_text(out, size, "ld.global.%s %%%c, [%%i+%d];\n", register_type(types[k]), names[k],
               (k - 1) * N * 8);
  }
  for (const char *p = r->text; *p; p++) {
    bool operand =
        *p >= 'A' && *p <= 'D' && (p == r->text || !strchr("abcdefghijklmnopqrstuvwxyz.N", p[-1]));
    add_text(out, size, operand ? "%%%c" : "%c", *p);
  }
  if (strcmp(types[0], "pred") == 0)
    add_text(out, size, ";\nselp.b64 %%t, 1, 0, %%D;\nst.global.b64 [%%out], %%t;\nret;\n}\n");
  else
    add_text(out, size, ";\nst.global.%s [%%out], %%D;\nret;\n}\n", register_type(types[0]));
}

static void check_row(const row *r) {
  char types[4][16] = {{0}}, text[4096];
  int n = sscanf(r->types, "%15s %15s %15s %15s", types[0], types[1], types[2], types[3]);
  make_module(r, types, n, text, sizeof text);
  ptx_world w;
  ptx_world_open(&w);
  ptx_load(&w, text);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N; i++)
      inputs[k][i] = k + 1 < n ? pick(type_bits(types[k + 1]), is_float_type(types[k + 1])) : 0;
  uint64_t p[2] = {emu_alloc(w.device, sizeof inputs, inputs),
                   emu_alloc(w.device, sizeof results, results)};
  memset(results, 0, sizeof results);
  if (ptx_launch(&w, "k", p, (emu_launch_options){.block = {N, 1, 1}}) != TSR_OK)
    fail_msg("%s: %s", r->text, w.fault.message);
  unsigned bits = MAX(type_bits(types[0]), 8u);
  for (int i = 0; i < N; i++) {
    uint64_t e = r->expected(inputs[0][i], inputs[1][i], inputs[2][i]);
    if (bits < 64) e &= (UINT64_C(1) << bits) - 1;
    if (e != results[i])
      fail_msg("%s of 0x%llx, 0x%llx, 0x%llx: expected 0x%llx, found 0x%llx", r->text,
               (unsigned long long)inputs[0][i], (unsigned long long)inputs[1][i],
               (unsigned long long)inputs[2][i], (unsigned long long)e,
               (unsigned long long)results[i]);
  }
  ptx_world_close(&w);
}

static void check_rows(const row *rows, size_t n) {
  for (size_t k = 0; k < n; k++) check_row(&rows[k]);
}

#define X(name, expr)                                                                              \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                       \
    (void)a, (void)b, (void)c;                                                                     \
    return (uint64_t)(expr);                                                                       \
  }
#define S8(v)  ((int8_t)(v))
#define S16(v) ((int16_t)(v))
#define S32(v) ((int32_t)(v))
#define S64(v) ((int64_t)(v))
#define U32(v) ((uint32_t)(v))

/* ---- integers ------------------------------------------------------------------------------- */

static int64_t clamp32(int64_t v) {
  return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
}
static uint64_t halves(uint64_t a, uint64_t b, int64_t (*op)(int64_t, int64_t), bool s) {
  uint64_t r = 0;
  for (int h = 0; h < 32; h += 16) {
    int64_t x = s ? S16(a >> h) : (int64_t)(a >> h & 0xffff);
    int64_t y = s ? S16(b >> h) : (int64_t)(b >> h & 0xffff);
    r |= ((uint64_t)op(x, y) & 0xffff) << h;
  }
  return r;
}
static int64_t plus(int64_t a, int64_t b) {
  return a + b;
}
static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t most_relu(int64_t a, int64_t b) {
  int64_t m = a > b ? a : b;
  return m < 0 ? 0 : m;
}
X(add, a + b)
X(sub, a - b)
X(add_sat, clamp32((int64_t)S32(a) + S32(b)))
X(sub_sat, clamp32((int64_t)S32(a) - S32(b)))
X(add_u16x2, halves(a, b, plus, false))
X(mul, a *b)
X(mulhi_u16, a *b >> 16)
X(mulhi_s16, (S16(a) * S16(b)) >> 16)
X(mulhi_u32, a *b >> 32)
X(mulhi_s32, ((int64_t)S32(a) * S32(b)) >> 32)
X(mulhi_u64, (unsigned __int128)a *b >> 64)
X(mulhi_s64, ((__int128)S64(a) * S64(b)) >> 64)
X(wide_s16, S16(a) * S16(b))
X(wide_s32, (int64_t)S32(a) * S32(b))
X(madwide_u32, a *b + c)
X(madwide_s32, (uint64_t)((int64_t)S32(a) * S32(b)) + c)
X(mad, a *b + c)
X(madhi_s32, (((int64_t)S32(a) * S32(b)) >> 32) + c)
X(madhi_sat, clamp32((((int64_t)S32(a) * S32(b)) >> 32) + S32(c)))
X(mul24lo, (a & 0xffffff) * (b & 0xffffff))
X(mul24hi_s, (((int64_t)(S32(a << 8) >> 8) * (S32(b << 8) >> 8)) >> 16))
X(mad24lo, (a & 0xffffff) * (b & 0xffffff) + c)
X(sad_u32, c + (a > b ? a - b : b - a))
X(sad_s32, c + (uint64_t)llabs((int64_t)S32(a) - S32(b)))
X(div_u32, b ? a / b : UINT32_MAX)
X(div_s32, S32(b) == 0 ? -1 : (int64_t)S32(a) / S32(b))
X(div_s16, S16(b) == 0 ? -1 : S16(a) / S16(b))
X(div_s64, S64(b) == 0 ? UINT64_MAX : S64(b) == -1 ? 0 - a : (uint64_t)(S64(a) / S64(b)))
X(rem_u64, b ? a % b : a)
X(rem_s32, S32(b) == 0 ? S32(a) : (int64_t)S32(a) % S32(b))
X(abs_s32, S32(a) < 0 ? 0 - a : a)
X(neg, 0 - a)
X(min_s16, S16(a) < S16(b) ? a : b)
X(min_u64, a < b ? a : b)
X(max_s64, S64(a) > S64(b) ? a : b)
X(max_s32_relu, S32(a) > S32(b) ? MAX(S32(a), 0) : MAX(S32(b), 0))
X(min_s16x2, halves(a, b, least, true))
X(max_s16x2_relu, halves(a, b, most_relu, true))
X(popc, __builtin_popcountll(a))
X(clz32, a ? __builtin_clz(U32(a)) : 32)
X(clz64, a ? __builtin_clzll(a) : 64)
X(bfind_u32, a ? 31 - __builtin_clz(U32(a)) : -1)
X(bfind_s32, S32(a) < 0 ? (~U32(a) ? 31 - __builtin_clz(~U32(a)) : -1)
             : a        ? 31 - __builtin_clz(U32(a))
                        : -1)
X(bfind_shift, a ? __builtin_clzll(a) : -1)
static uint64_t brev_n(uint64_t v, int bits) {
  uint64_t r = 0;
  for (int k = 0; k < bits; k++) r |= (v >> k & 1) << (bits - 1 - k);
  return r;
}
X(brev32, brev_n(a, 32))
X(brev64, brev_n(a, 64))
/* bfe and bfi as the manual's pseudo code has them. */
static uint64_t bfe(uint64_t a, uint64_t b, uint64_t c, int msb, bool s) {
  int pos = (int)(b & 0xff), len = (int)(c & 0xff);
  bool sbit = s && len != 0 && (a >> MIN(pos + len - 1, msb) & 1);
  uint64_t d = 0;
  for (int k = 0; k <= msb; k++)
    d |= (uint64_t)(k < len && pos + k <= msb ? a >> (pos + k) & 1 : sbit) << k;
  return d;
}
X(bfe_u32, bfe(a, b, c, 31, false))
X(bfe_s32, bfe(a, b, c, 31, true))
X(bfe_u64, bfe(a, b, c, 63, false))
X(bfe_s64, bfe(a, b, c, 63, true))
static uint64_t bfi(uint64_t a, uint64_t b, uint64_t c, int len, int msb) {
  int pos = (int)(c & 0xff);
  for (int k = 0; k < len && pos + k <= msb; k++) {
    uint64_t bit = UINT64_C(1) << (pos + k);
    b = (b & ~bit) | (a >> k & 1 ? bit : 0);
  }
  return b;
}
X(bfi32_7, bfi(a, b, c, 7, 31))
X(bfi64_40, bfi(a, b, c, 40, 63))
X(dp4a_s, ({
    uint32_t r = U32(c);
    for (int k = 0; k < 32; k += 8) r += (uint32_t)(S8(a >> k) * S8(b >> k));
    r;
  }))
X(dp4a_us, ({
    uint32_t r = U32(c);
    for (int k = 0; k < 32; k += 8) r += (uint32_t)((uint8_t)(a >> k) * S8(b >> k));
    r;
  }))
X(dp2a_lo, ({
    uint32_t r = U32(c);
    for (int k = 0; k < 2; k++) r += (uint32_t)(S16(a >> 16 * k) * S8(b >> 8 * k));
    r;
  }))
X(dp2a_hi_u, ({
    uint32_t r = U32(c);
    for (int k = 0; k < 2; k++)
      r += (uint32_t)(a >> 16 * k & 0xffff) * (uint8_t)(b >> (16 + 8 * k));
    r;
  }))
X(and_, a &b)
X(or_, a | b)
X(xor_, a ^ b)
X(not_, ~a)
X(cnot, a == 0)
X(lop3_e8, (a & b) | (a & c) | (b & c))
X(lop3_96, a ^ b ^ c)
X(lop3_1b, ({
    uint64_t r = 0;
    for (int k = 0; k < 32; k++)
      r |= (uint64_t)(0x1b >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
    r;
  }))
X(shl32, U32(b) > 31 ? 0 : a << U32(b))
X(shl64, U32(b) > 63 ? 0 : a << U32(b))
X(shl16, U32(b) > 15 ? 0 : a << U32(b))
X(shr_u32, U32(b) > 31 ? 0 : a >> U32(b))
X(shr_s32, S32(a) >> MIN(U32(b), 31u))
X(shr_s16, S16(a) >> MIN(U32(b), 15u))
X(shr_s64, S64(a) >> MIN(U32(b), 63u))
X(shf_l_wrap, (b << 32 | a) << (c & 31) >> 32)
X(shf_r_wrap, (b << 32 | a) >> (c & 31))
X(shf_r_clamp, c > 31 ? b : (b << 32 | a) >> c)
X(shf_l_clamp, c > 31 ? a : ((b << 32 | a) << c) >> 32)
static uint64_t prmt(uint64_t a, uint64_t b, uint64_t selector) {
  uint64_t v = b << 32 | a, r = 0;
  for (int k = 0; k < 4; k++) {
    unsigned s = selector >> 4 * k & 15, byte = v >> 8 * (s & 7) & 0xff;
    r |= (uint64_t)(s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * k;
  }
  return r;
}
X(prmt_any, prmt(a, b, c))
X(prmt_rc16, prmt(a, b, c & 1 ? 0x3232 : 0x1010))
X(prmt_b4e, prmt(a, b, (const unsigned[]){0x5670, 0x6701, 0x7012, 0x0123}[c & 3]))
X(bmsk_clamp, (b > 31 ? UINT64_C(0xffffffff) : (UINT64_C(1) << b) - 1) << MIN(a, UINT64_C(32)))
X(szext_wrap, (b & 31) == 0 ? 0 : U32(S32(U32(a) << (32 - (b & 31))) >> (32 - (b & 31))))
X(fns, ({
    int base = (int)b, n = S32(c);
    uint32_t r = UINT32_MAX;
    if (base >= 0 && base < 32 && n == 0 && (a >> base & 1)) r = (uint32_t)base;
    int found = 0;
    if (base < 32 && base >= 0 && n != 0)
      for (int k = base; k >= 0 && k<32; k += n> 0 ? 1 : -1)
        if ((a >> k & 1) && ++found == llabs((int64_t)n)) {
          r = (uint32_t)k;
          break;
        }
    r;
  }))

static const row integers[] = {
    {"add.u16 D, A, B", "b16 b16 b16", add},
    {"add.s32 D, A, B", "b32 b32 b32", add},
    {"add.u64 D, A, B", "b64 b64 b64", add},
    {"add.sat.s32 D, A, B", "b32 b32 b32", add_sat},
    {"add.u16x2 D, A, B", "b32 b32 b32", add_u16x2},
    {"sub.s16 D, A, B", "b16 b16 b16", sub},
    {"sub.u32 D, A, B", "b32 b32 b32", sub},
    {"sub.s64 D, A, B", "b64 b64 b64", sub},
    {"sub.sat.s32 D, A, B", "b32 b32 b32", sub_sat},
    {"mul.lo.s16 D, A, B", "b16 b16 b16", mul},
    {"mul.lo.u32 D, A, B", "b32 b32 b32", mul},
    {"mul.lo.s64 D, A, B", "b64 b64 b64", mul},
    {"mul.hi.u16 D, A, B", "b16 b16 b16", mulhi_u16},
    {"mul.hi.s16 D, A, B", "b16 b16 b16", mulhi_s16},
    {"mul.hi.u32 D, A, B", "b32 b32 b32", mulhi_u32},
    {"mul.hi.s32 D, A, B", "b32 b32 b32", mulhi_s32},
    {"mul.hi.u64 D, A, B", "b64 b64 b64", mulhi_u64},
    {"mul.hi.s64 D, A, B", "b64 b64 b64", mulhi_s64},
    {"mul.wide.u16 D, A, B", "b32 b16 b16", mul},
    {"mul.wide.s16 D, A, B", "b32 b16 b16", wide_s16},
    {"mul.wide.u32 D, A, B", "b64 b32 b32", mul},
    {"mul.wide.s32 D, A, B", "b64 b32 b32", wide_s32},
    {"mad.wide.u32 D, A, B, C", "b64 b32 b32 b64", madwide_u32},
    {"mad.wide.s32 D, A, B, C", "b64 b32 b32 b64", madwide_s32},
    {"mad.lo.u16 D, A, B, C", "b16 b16 b16 b16", mad},
    {"mad.lo.s32 D, A, B, C", "b32 b32 b32 b32", mad},
    {"mad.lo.u64 D, A, B, C", "b64 b64 b64 b64", mad},
    {"mad.hi.s32 D, A, B, C", "b32 b32 b32 b32", madhi_s32},
    {"mad.hi.sat.s32 D, A, B, C", "b32 b32 b32 b32", madhi_sat},
    {"mul24.lo.u32 D, A, B", "b32 b32 b32", mul24lo},
    {"mul24.hi.s32 D, A, B", "b32 b32 b32", mul24hi_s},
    {"mad24.lo.u32 D, A, B, C", "b32 b32 b32 b32", mad24lo},
    {"sad.u32 D, A, B, C", "b32 b32 b32 b32", sad_u32},
    {"sad.s32 D, A, B, C", "b32 b32 b32 b32", sad_s32},
    {"div.u32 D, A, B", "b32 b32 b32", div_u32},
    {"div.s32 D, A, B", "b32 b32 b32", div_s32},
    {"div.s16 D, A, B", "b16 b16 b16", div_s16},
    {"div.s64 D, A, B", "b64 b64 b64", div_s64},
    {"rem.u64 D, A, B", "b64 b64 b64", rem_u64},
    {"rem.s32 D, A, B", "b32 b32 b32", rem_s32},
    {"abs.s32 D, A", "b32 b32", abs_s32},
    {"neg.s16 D, A", "b16 b16", neg},
    {"neg.s64 D, A", "b64 b64", neg},
    {"min.s16 D, A, B", "b16 b16 b16", min_s16},
    {"min.u64 D, A, B", "b64 b64 b64", min_u64},
    {"max.s64 D, A, B", "b64 b64 b64", max_s64},
    {"max.relu.s32 D, A, B", "b32 b32 b32", max_s32_relu},
    {"min.s16x2 D, A, B", "b32 b32 b32", min_s16x2},
    {"max.relu.s16x2 D, A, B", "b32 b32 b32", max_s16x2_relu},
    {"popc.b32 D, A", "b32 b32", popc},
    {"popc.b64 D, A", "b32 b64", popc},
    {"clz.b32 D, A", "b32 b32", clz32},
    {"clz.b64 D, A", "b32 b64", clz64},
    {"bfind.u32 D, A", "b32 b32", bfind_u32},
    {"bfind.s32 D, A", "b32 b32", bfind_s32},
    {"bfind.shiftamt.u64 D, A", "b32 b64", bfind_shift},
    {"brev.b32 D, A", "b32 b32", brev32},
    {"brev.b64 D, A", "b64 b64", brev64},
    {"bfe.u32 D, A, B, C", "b32 b32 b32 b32", bfe_u32},
    {"bfe.s32 D, A, B, C", "b32 b32 b32 b32", bfe_s32},
    {"bfe.u64 D, A, B, C", "b64 b64 b32 b32", bfe_u64},
    {"bfe.s64 D, A, B, C", "b64 b64 b32 b32", bfe_s64},
    {"bfi.b32 D, A, B, C, 7", "b32 b32 b32 b32", bfi32_7},
    {"bfi.b64 D, A, B, C, 40", "b64 b64 b64 b32", bfi64_40},
    {"dp4a.s32.s32 D, A, B, C", "b32 b32 b32 b32", dp4a_s},
    {"dp4a.u32.s32 D, A, B, C", "b32 b32 b32 b32", dp4a_us},
    {"dp2a.lo.s32.s32 D, A, B, C", "b32 b32 b32 b32", dp2a_lo},
    {"dp2a.hi.u32.u32 D, A, B, C", "b32 b32 b32 b32", dp2a_hi_u},
    {"and.b16 D, A, B", "b16 b16 b16", and_},
    {"or.b32 D, A, B", "b32 b32 b32", or_},
    {"xor.b64 D, A, B", "b64 b64 b64", xor_},
    {"not.b32 D, A", "b32 b32", not_},
    {"not.b16 D, A", "b16 b16", not_},
    {"cnot.b64 D, A", "b64 b64", cnot},
    {"and.pred D, A, B", "pred pred pred", and_},
    {"or.pred D, A, B", "pred pred pred", or_},
    {"xor.pred D, A, B", "pred pred pred", xor_},
    {"lop3.b32 D, A, B, C, 0xe8", "b32 b32 b32 b32", lop3_e8},
    {"lop3.b32 D, A, B, C, 0x96", "b32 b32 b32 b32", lop3_96},
    {"lop3.b32 D, A, B, C, 0x1b", "b32 b32 b32 b32", lop3_1b},
    {"shl.b32 D, A, B", "b32 b32 b32", shl32},
    {"shl.b64 D, A, B", "b64 b64 b32", shl64},
    {"shl.b16 D, A, B", "b16 b16 b32", shl16},
    {"shr.u32 D, A, B", "b32 b32 b32", shr_u32},
    {"shr.s32 D, A, B", "b32 b32 b32", shr_s32},
    {"shr.s16 D, A, B", "b16 b16 b32", shr_s16},
    {"shr.s64 D, A, B", "b64 b64 b32", shr_s64},
    {"shf.l.wrap.b32 D, A, B, C", "b32 b32 b32 b32", shf_l_wrap},
    {"shf.r.wrap.b32 D, A, B, C", "b32 b32 b32 b32", shf_r_wrap},
    {"shf.r.clamp.b32 D, A, B, C", "b32 b32 b32 b32", shf_r_clamp},
    {"shf.l.clamp.b32 D, A, B, C", "b32 b32 b32 b32", shf_l_clamp},
    {"prmt.b32 D, A, B, C", "b32 b32 b32 b32", prmt_any},
    {"prmt.b32.rc16 D, A, B, C", "b32 b32 b32 b32", prmt_rc16},
    {"prmt.b32.b4e D, A, B, C", "b32 b32 b32 b32", prmt_b4e},
    {"bmsk.clamp.b32 D, A, B", "b32 b32 b32", bmsk_clamp},
    {"szext.wrap.s32 D, A, B", "b32 b32 b32", szext_wrap},
    {"fns.b32 D, A, B, C", "b32 b32 b32 b32", fns},
};

static void integer_instructions(void **state) {
  (void)state;
  check_rows(integers, ARRAY_LEN(integers));
}

/* ---- carries -------------------------------------------------------------------------------- */

X(add128_high, ((unsigned __int128)a + c + (((unsigned __int128)b + b) >> 64)))
X(sub128_high, ({
    unsigned __int128 x = (unsigned __int128)c << 64 | a, y = (unsigned __int128)a << 64 | b;
    (x - y) >> 64;
  }))
X(madc_high, ({ /* the upper half of a * b + c, built from halves */
                unsigned __int128 r = (unsigned __int128)a * b + c;
                r >> 64;
  }))
static const row carries[] = {
    {"add.cc.u64 %t, B, B; addc.u64 D, A, C", "b64 b64 b64 b64", add128_high},
    {"sub.cc.u64 %t, A, B; subc.u64 D, C, A", "b64 b64 b64 b64", sub128_high},
    {"mad.lo.cc.u64 %t, A, B, C; madc.hi.u64 D, A, B, 0", "b64 b64 b64 b64", madc_high},
};

static void carry_chains(void **state) {
  (void)state;
  check_rows(carries, ARRAY_LEN(carries));
}

/* ---- floats --------------------------------------------------------------------------------- */

#define F16  num_format_of(TSR_F16)
#define BF16 num_format_of(TSR_BF16)
#define F32  num_format_of(TSR_F32)
#define F64  num_format_of(TSR_F64)

static uint64_t nan_as_cards(const num_format *f, uint64_t v) {
  return num_is_nan(f, v) ? num_mask(f->bits - 1u) : v;
}
/* f64's NaNs keep a payload: compared as NaNs only. */
static uint64_t saturated(uint64_t v) {
  if (num_is_nan(F32, v) || num_is_negative(F32, v)) return 0;
  return v > 0x3f800000 ? 0x3f800000 : v;
}
static uint64_t both(const num_format *f, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t (*op)(const num_format *, uint64_t, uint64_t, uint64_t)) {
  return op(f, a & 0xffff, b & 0xffff, c & 0xffff) |
         op(f, a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}
static uint64_t fma_rn(const num_format *f, uint64_t a, uint64_t b, uint64_t c) {
  return nan_as_cards(f, num_soft_fma(f, a, b, c, NUM_NEAREST_EVEN, false));
}
static uint64_t mul_rn(const num_format *f, uint64_t a, uint64_t b, uint64_t c) {
  (void)c;
  return nan_as_cards(f, num_soft_mul(f, a, b, NUM_NEAREST_EVEN, false));
}
static uint64_t relu(const num_format *f, uint64_t v) {
  return !num_is_nan(f, v) && num_is_negative(f, v) ? 0 : v;
}
static uint64_t fma_rn_relu(const num_format *f, uint64_t a, uint64_t b, uint64_t c) {
  return relu(f, fma_rn(f, a, b, c));
}
#define SOFT2(name, op, f, r, ftz) X(name, nan_as_cards(f, num_soft_##op(f, a, b, r, ftz)))
SOFT2(sadd, add, F32, NUM_NEAREST_EVEN, false)
SOFT2(fadd_rz, add, F32, NUM_ZERO, false)
SOFT2(fadd_rm_ftz, add, F32, NUM_NEGATIVE_INF, true)
SOFT2(fadd_ftz, add, F32, NUM_NEAREST_EVEN, true)
SOFT2(fsub_rp, sub, F32, NUM_POSITIVE_INF, false)
SOFT2(ssub, sub, F32, NUM_NEAREST_EVEN, false)
SOFT2(smul, mul, F32, NUM_NEAREST_EVEN, false)
SOFT2(fmul_rz, mul, F32, NUM_ZERO, false)
SOFT2(fmul_ftz, mul, F32, NUM_NEAREST_EVEN, true)
SOFT2(sdiv, div, F32, NUM_NEAREST_EVEN, false)
SOFT2(fdiv_rp, div, F32, NUM_POSITIVE_INF, false)
SOFT2(hadd, add, F16, NUM_NEAREST_EVEN, false)
SOFT2(hsub, sub, F16, NUM_NEAREST_EVEN, false)
SOFT2(hmul_ftz, mul, F16, NUM_NEAREST_EVEN, true)
SOFT2(badd, add, BF16, NUM_NEAREST_EVEN, false)
X(fadd_sat, saturated(num_soft_add(F32, a, b, NUM_NEAREST_EVEN, false)))
X(sfma, nan_as_cards(F32, num_soft_fma(F32, a, b, c, NUM_NEAREST_EVEN, false)))
X(ffma_rz, nan_as_cards(F32, num_soft_fma(F32, a, b, c, NUM_ZERO, false)))
X(ffma_ftz_sat, saturated(num_soft_fma(F32, a, b, c, NUM_NEAREST_EVEN, true)))
X(ffma_ftz, nan_as_cards(F32, num_soft_fma(F32, a, b, c, NUM_NEAREST_EVEN, true)))
X(hfma, fma_rn(F16, a, b, c))
X(hfma2, both(F16, a, b, c, fma_rn))
X(hfma2_relu, both(F16, a, b, c, fma_rn_relu))
X(bfma2, both(BF16, a, b, c, fma_rn))
X(bmul2, both(BF16, a, b, c, mul_rn))
X(ffma2, fma_rn(F32, a & 0xffffffff, b & 0xffffffff, c & 0xffffffff) |
             fma_rn(F32, a >> 32, b >> 32, c >> 32) << 32)
X(ssqrt, nan_as_cards(F32, num_soft_sqrt(F32, a, NUM_NEAREST_EVEN, false)))
X(fsqrt_rm, nan_as_cards(F32, num_soft_sqrt(F32, a, NUM_NEGATIVE_INF, false)))
X(srcp, nan_as_cards(F32, num_soft_div(F32, 0x3f800000, a, NUM_NEAREST_EVEN, false)))
X(frcp_rz, nan_as_cards(F32, num_soft_div(F32, 0x3f800000, a, NUM_ZERO, false)))
X(fabs_, a & 0x7fffffff)
X(sneg, a ^ 0x80000000)
X(fabs_ftz, num_flush(F32, a) & 0x7fffffff)
X(hneg, num_is_nan(F16, a) ? 0x7fff : a ^ 0x8000)
/* Minimum by the manual: the number of a number and a NaN; -0 below +0. */
static uint64_t fmin_ref(const num_format *f, uint64_t a, uint64_t b, bool max, bool nan) {
  if (num_is_nan(f, a) || num_is_nan(f, b)) {
    bool none = num_is_nan(f, a) && num_is_nan(f, b);
    if (nan || none) return num_mask(f->bits - 1u);
    return num_is_nan(f, a) ? b : a;
  }
  double x = num_decode(f, a), y = num_decode(f, b);
  if (x == y) return max == num_is_negative(f, a) ? b : a;
  return (x < y) != max ? a : b;
}
X(fmin_, fmin_ref(F32, a, b, false, false))
X(fmax_nan, fmin_ref(F32, a, b, true, true))
X(hmax, fmin_ref(F16, a, b, true, false))
X(fmin_xorsign, ({
    uint64_t r = fmin_ref(F32, a & 0x7fffffff, b & 0x7fffffff, false, false);
    num_is_nan(F32, r) ? r : r | ((a ^ b) & 0x80000000);
  }))
X(fcopysign, (b & 0x7fffffff) | (a & 0x80000000))

static const row floats[] = {
    {"add.f32 D, A, B", "f32 f32 f32", sadd},
    {"add.rn.f32 D, A, B", "f32 f32 f32", sadd},
    {"add.rz.f32 D, A, B", "f32 f32 f32", fadd_rz},
    {"add.rm.ftz.f32 D, A, B", "f32 f32 f32", fadd_rm_ftz},
    {"add.ftz.f32 D, A, B", "f32 f32 f32", fadd_ftz},
    {"add.sat.f32 D, A, B", "f32 f32 f32", fadd_sat},
    {"sub.rp.f32 D, A, B", "f32 f32 f32", fsub_rp},
    {"sub.f32 D, A, B", "f32 f32 f32", ssub},
    {"mul.f32 D, A, B", "f32 f32 f32", smul},
    {"mul.rz.f32 D, A, B", "f32 f32 f32", fmul_rz},
    {"mul.ftz.f32 D, A, B", "f32 f32 f32", fmul_ftz},
    {"div.rn.f32 D, A, B", "f32 f32 f32", sdiv},
    {"div.full.f32 D, A, B", "f32 f32 f32", sdiv},
    {"div.rp.f32 D, A, B", "f32 f32 f32", fdiv_rp},
    {"fma.rn.f32 D, A, B, C", "f32 f32 f32 f32", sfma},
    {"mad.rn.f32 D, A, B, C", "f32 f32 f32 f32", sfma},
    {"fma.rz.f32 D, A, B, C", "f32 f32 f32 f32", ffma_rz},
    {"fma.rn.ftz.f32 D, A, B, C", "f32 f32 f32 f32", ffma_ftz},
    {"fma.rn.ftz.sat.f32 D, A, B, C", "f32 f32 f32 f32", ffma_ftz_sat},
    {"fma.rn.f32x2 D, A, B, C", "f32x2 f32x2 f32x2 f32x2", ffma2},
    {"add.f16 D, A, B", "f16 f16 f16", hadd},
    {"sub.rn.f16 D, A, B", "f16 f16 f16", hsub},
    {"mul.ftz.f16 D, A, B", "f16 f16 f16", hmul_ftz},
    {"add.bf16 D, A, B", "bf16 bf16 bf16", badd},
    {"mul.bf16x2 D, A, B", "b32 b32 b32", bmul2},
    {"fma.rn.f16 D, A, B, C", "f16 f16 f16 f16", hfma},
    {"fma.rn.f16x2 D, A, B, C", "b32 b32 b32 b32", hfma2},
    {"fma.rn.relu.f16x2 D, A, B, C", "b32 b32 b32 b32", hfma2_relu},
    {"fma.rn.bf16x2 D, A, B, C", "b32 b32 b32 b32", bfma2},
    {"sqrt.rn.f32 D, A", "f32 f32", ssqrt},
    {"sqrt.approx.f32 D, A", "f32 f32", ssqrt},
    {"sqrt.rm.f32 D, A", "f32 f32", fsqrt_rm},
    {"rcp.rn.f32 D, A", "f32 f32", srcp},
    {"rcp.rz.f32 D, A", "f32 f32", frcp_rz},
    {"abs.f32 D, A", "f32 f32", fabs_},
    {"abs.ftz.f32 D, A", "f32 f32", fabs_ftz},
    {"neg.f32 D, A", "f32 f32", sneg},
    {"neg.f16 D, A", "f16 f16", hneg},
    {"min.f32 D, A, B", "f32 f32 f32", fmin_},
    {"max.NaN.f32 D, A, B", "f32 f32 f32", fmax_nan},
    {"max.f16 D, A, B", "f16 f16 f16", hmax},
    {"min.xorsign.abs.f32 D, A, B", "f32 f32 f32", fmin_xorsign},
    {"copysign.f32 D, A, B", "f32 f32 f32", fcopysign},
};

static void float_instructions(void **state) {
  (void)state;
  check_rows(floats, ARRAY_LEN(floats));
}

/* f64, with NaNs made equal on both sides. */
#define D2(name, op, r)                                                                            \
  X(name, ({                                                                                       \
      uint64_t v = num_soft_##op(F64, a, b, r, false);                                             \
      num_is_nan(F64, v) ? UINT64_C(0x7ff0000000000001) : v;                                       \
    }))
D2(dadd, add, NUM_NEAREST_EVEN)
D2(dmul_rp, mul, NUM_POSITIVE_INF)
D2(ddiv, div, NUM_NEAREST_EVEN)
X(dfma, ({
    uint64_t v = num_soft_fma(F64, a, b, c, NUM_NEAREST_EVEN, false);
    num_is_nan(F64, v) ? UINT64_C(0x7ff0000000000001) : v;
  }))
#define SETTLE "; setp.nan.f64 %p, D, D; selp.b64 D, 0x7ff0000000000001, D, %p"
static const row doubles[] = {
    {"add.f64 D, A, B" SETTLE, "f64 f64 f64", dadd},
    {"mul.rp.f64 D, A, B" SETTLE, "f64 f64 f64", dmul_rp},
    {"div.rn.f64 D, A, B" SETTLE, "f64 f64 f64", ddiv},
    {"fma.rn.f64 D, A, B, C" SETTLE, "f64 f64 f64 f64", dfma},
};

static void double_instructions(void **state) {
  (void)state;
  check_rows(doubles, ARRAY_LEN(doubles));
}

/* ---- comparing ------------------------------------------------------------------------------ */

#define FX num_f32_from_bits(U32(a))
#define FY num_f32_from_bits(U32(b))
X(lt_s32, S32(a) < S32(b))
X(lt_u32, a < b)
X(ge_s64, S64(a) >= S64(b))
X(ne_b16, a != b)
X(flt, FX < FY)
X(fgeu, !(FX < FY))
X(fne, FX<FY || FX> FY)
X(fneu, FX != FY)
X(fnum, !isnan(FX) && !isnan(FY))
X(fnan, isnan(FX) || isnan(FY))
X(and_lt, S32(a) < S32(b) && (c & 1))
X(xor_lt, (S32(a) < S32(b)) ^ (c & 1))
X(not_lt_or, !(S32(a) < S32(b)) || (c & 1))
X(selp_, c & 1 ? a : b)
X(slct_s, S32(c) >= 0 ? a : b)
X(slct_f, num_f32_from_bits(U32(c)) >= 0 ? a : b)
X(set_u32, FX > FY ? 0xffffffff : 0)
X(set_f32, S32(a) <= S32(b) ? 0x3f800000 : 0)
X(hlt2_high, ({
    double x = num_decode(F16, a >> 16), y = num_decode(F16, b >> 16);
    x < y;
  }))
X(fnormal, isnormal(FX) || FX == 0)
X(fsubnormal, fpclassify(FX) == FP_SUBNORMAL)
static const row comparisons[] = {
    {"setp.lt.s32 D, A, B", "pred b32 b32", lt_s32},
    {"setp.lt.u32 D, A, B", "pred b32 b32", lt_u32},
    {"setp.lo.u32 D, A, B", "pred b32 b32", lt_u32},
    {"setp.ge.s64 D, A, B", "pred b64 b64", ge_s64},
    {"setp.ne.b16 D, A, B", "pred b16 b16", ne_b16},
    {"setp.lt.f32 D, A, B", "pred f32 f32", flt},
    {"setp.geu.f32 D, A, B", "pred f32 f32", fgeu},
    {"setp.ne.f32 D, A, B", "pred f32 f32", fne},
    {"setp.neu.f32 D, A, B", "pred f32 f32", fneu},
    {"setp.num.f32 D, A, B", "pred f32 f32", fnum},
    {"setp.nan.f32 D, A, B", "pred f32 f32", fnan},
    {"setp.lt.and.s32 D, A, B, C", "pred b32 b32 pred", and_lt},
    {"setp.lt.xor.s32 D|%p, A, B, C", "pred b32 b32 pred", xor_lt},
    {"setp.lt.or.s32 %p|D, A, B, C", "pred b32 b32 pred", not_lt_or},
    {"setp.lt.f16x2 %p|D, A, B", "pred b32 b32", hlt2_high},
    {"selp.b32 D, A, B, C", "b32 b32 b32 pred", selp_},
    {"selp.f64 D, A, B, C", "b64 b64 b64 pred", selp_},
    {"slct.b32.s32 D, A, B, C", "b32 b32 b32 b32", slct_s},
    {"slct.u64.f32 D, A, B, C", "b64 b64 b64 f32", slct_f},
    {"set.gt.u32.f32 D, A, B", "b32 f32 f32", set_u32},
    {"set.le.f32.s32 D, A, B", "f32 b32 b32", set_f32},
    {"testp.normal.f32 D, A", "pred f32", fnormal},
    {"testp.subnormal.f32 D, A", "pred f32", fsubnormal},
};

static void compare_instructions(void **state) {
  (void)state;
  check_rows(comparisons, ARRAY_LEN(comparisons));
}

/* ---- converting ----------------------------------------------------------------------------- */

static uint64_t to_int(const num_format *f, uint64_t v, unsigned bits, bool s, num_rounding r) {
  if (num_is_nan(f, v)) return f->bits == 64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
  return num_to_int(f, v, bits, s, r, NULL);
}
static uint64_t convert(const num_format *to, const num_format *from, uint64_t v, num_rounding r) {
  return nan_as_cards(to, num_convert(to, from, v, r));
}
X(s8_to_s32, S8(a))
X(u8_to_u32, (uint8_t)a)
X(s32_to_s64, (int64_t)S32(a))
X(sat_u8_s32, S32(a) < 0 ? 0 : MIN(S32(a), 255))
X(sat_s16_s64, S64(a) < -32768 ? -32768 : S64(a) > 32767 ? 32767 : S64(a))
X(rzi_s32_f32, to_int(F32, a, 32, true, NUM_ZERO))
X(rni_u64_f32, to_int(F32, a, 64, false, NUM_NEAREST_EVEN))
X(rmi_s16_f16, to_int(F16, a, 16, true, NUM_NEGATIVE_INF))
X(rpi_s32_f64, to_int(F64, a, 32, true, NUM_POSITIVE_INF))
X(rn_f32_s32, num_from_int(F32, a, 32, true, NUM_NEAREST_EVEN))
X(rp_f32_u64, num_from_int(F32, a, 64, false, NUM_POSITIVE_INF))
X(rn_f16_s16, num_from_int(F16, a, 16, true, NUM_NEAREST_EVEN))
X(rz_f64_u64, num_from_int(F64, a, 64, false, NUM_ZERO))
X(rn_f16_f32, convert(F16, F32, a, NUM_NEAREST_EVEN))
X(rz_bf16_f32, convert(BF16, F32, a, NUM_ZERO))
X(rn_bf16_f32_relu, relu(BF16, convert(BF16, F32, a, NUM_NEAREST_EVEN)))
X(f32_f16, convert(F32, F16, a, NUM_NEAREST_EVEN))
X(f32_bf16, convert(F32, BF16, a, NUM_NEAREST_EVEN))
X(rp_f32_f64, convert(F32, F64, a, NUM_POSITIVE_INF))
X(rni_f32, nan_as_cards(F32, num_round(F32, a, NUM_NEAREST_EVEN)))
X(rmi_f16, nan_as_cards(F16, num_round(F16, a, NUM_NEGATIVE_INF)))
X(f16x2_f32, convert(F16, F32, a, NUM_NEAREST_EVEN) << 16 | convert(F16, F32, b, NUM_NEAREST_EVEN))
X(sat_f32_f32, saturated(a))
X(tf32_rna, num_is_nan(F32, a) ? 0x7fffe000 : num_is_inf(F32, a) ? a : ((a + 0x1000) & 0xffffe000))
static uint64_t e4m3(uint64_t v) {
  num_format f = num_format_keep_nan(num_format_of(TSR_F8E4M3FN));
  if (num_is_nan(F32, v)) return 0x7f;
  uint64_t max = num_max_finite(&f, num_is_negative(F32, v));
  double x = num_decode(F32, v);
  if (fabs(x) >= 448) return max;
  return num_encode(&f, x, NUM_NEAREST_EVEN);
}
static uint64_t e5m2(uint64_t v) {
  const num_format *f = num_format_of(TSR_F8E5M2);
  if (num_is_nan(F32, v)) return 0x7f;
  uint64_t r = num_convert(f, F32, v, NUM_NEAREST_EVEN);
  return num_is_inf(f, r) ? num_max_finite(f, num_is_negative(f, r)) : r;
}
X(e4m3x2_f32, e4m3(a) << 8 | e4m3(b))
X(e5m2x2_f32, e5m2(a) << 8 | e5m2(b))
X(f16x2_e4m3x2, ({
    num_format f = num_format_keep_nan(num_format_of(TSR_F8E4M3FN));
    convert(F16, &f, a & 0xff, NUM_NEAREST_EVEN) | convert(F16, &f, a >> 8 & 0xff, NUM_NEAREST_EVEN)
                                                       << 16;
  }))
X(f16x2_e5m2x2, convert(F16, num_format_of(TSR_F8E5M2), a & 0xff, NUM_NEAREST_EVEN) |
                    convert(F16, num_format_of(TSR_F8E5M2), a >> 8 & 0xff, NUM_NEAREST_EVEN) << 16)
X(pack_u16, (uint64_t)(S32(a) < 0 ? 0 : MIN(S32(a), 65535)) << 16 |
                (uint64_t)(S32(b) < 0 ? 0 : MIN(S32(b), 65535)))
X(pack_s8, ({
    uint64_t x = (uint8_t)(S32(a) < -128 ? -128 : MIN(S32(a), 127));
    uint64_t y = (uint8_t)(S32(b) < -128 ? -128 : MIN(S32(b), 127));
    c << 16 | x << 8 | y;
  }))

static const row conversions[] = {
    {"cvt.s32.s8 D, A", "b32 b16", s8_to_s32},
    {"cvt.u32.u8 D, A", "b32 b32", u8_to_u32},
    {"cvt.s64.s32 D, A", "b64 b32", s32_to_s64},
    {"cvt.sat.u8.s32 D, A", "b32 b32", sat_u8_s32},
    {"cvt.sat.s16.s64 D, A", "b16 b64", sat_s16_s64},
    {"cvt.rzi.s32.f32 D, A", "b32 f32", rzi_s32_f32},
    {"cvt.rni.u64.f32 D, A", "b64 f32", rni_u64_f32},
    {"cvt.rmi.s16.f16 D, A", "b16 f16", rmi_s16_f16},
    {"cvt.rpi.s32.f64 D, A", "b32 f64", rpi_s32_f64},
    {"cvt.rn.f32.s32 D, A", "f32 b32", rn_f32_s32},
    {"cvt.rp.f32.u64 D, A", "f32 b64", rp_f32_u64},
    {"cvt.rn.f16.s16 D, A", "f16 b16", rn_f16_s16},
    {"cvt.rz.f64.u64 D, A", "f64 b64", rz_f64_u64},
    {"cvt.rn.f16.f32 D, A", "f16 f32", rn_f16_f32},
    {"cvt.rz.bf16.f32 D, A", "bf16 f32", rz_bf16_f32},
    {"cvt.rn.relu.bf16.f32 D, A", "bf16 f32", rn_bf16_f32_relu},
    {"cvt.f32.f16 D, A", "f32 f16", f32_f16},
    {"cvt.f32.bf16 D, A", "f32 bf16", f32_bf16},
    {"cvt.rp.f32.f64 D, A", "f32 f64", rp_f32_f64},
    {"cvt.rni.f32.f32 D, A", "f32 f32", rni_f32},
    {"cvt.rmi.f16.f16 D, A", "f16 f16", rmi_f16},
    {"cvt.sat.f32.f32 D, A", "f32 f32", sat_f32_f32},
    {"cvt.rna.tf32.f32 D, A", "b32 f32", tf32_rna},
    {"cvt.rn.f16x2.f32 D, A, B", "b32 f32 f32", f16x2_f32},
    {"cvt.rn.satfinite.e4m3x2.f32 D, A, B", "b16 f32 f32", e4m3x2_f32},
    {"cvt.rn.satfinite.e5m2x2.f32 D, A, B", "b16 f32 f32", e5m2x2_f32},
    {"cvt.rn.f16x2.e4m3x2 D, A", "b32 b16", f16x2_e4m3x2},
    {"cvt.rn.f16x2.e5m2x2 D, A", "b32 b16", f16x2_e5m2x2},
    {"cvt.pack.sat.u16.s32 D, A, B", "b32 b32 b32", pack_u16},
    {"cvt.pack.sat.s8.s32.b32 D, A, B, C", "b32 b32 b32 b32", pack_s8},
};

static void convert_instructions(void **state) {
  (void)state;
  check_rows(conversions, ARRAY_LEN(conversions));
}

/* ---- approximations ------------------------------------------------------------------------- */

/* The largest error that the manual allows, relative or absolute. */
typedef struct approximation {
  const char *text;
  double (*exact)(double);
  double relative, absolute, low, high;
} approximation;

static double inverse_root(double x) {
  return 1 / sqrt(x);
}
static double inverse(double x) {
  return 1 / x;
}

static const approximation approximations[] = {
    {"rcp.approx.f32 D, A", inverse, 0x1p-23, 0, 1, 2},
    {"rsqrt.approx.f32 D, A", inverse_root, 0x1p-22, 0, 0.001, 1e6},
    {"sin.approx.f32 D, A", sin, 0, 0x1p-20, -3.14, 3.14},
    {"cos.approx.f32 D, A", cos, 0, 0x1p-20, -3.14, 3.14},
    {"lg2.approx.f32 D, A", log2, 0x1p-22, 0x1p-22, 0.01, 1e6},
    {"ex2.approx.f32 D, A", exp2, 0x1p-22, 0, -100, 100},
    {"tanh.approx.f32 D, A", tanh, 0x1p-11, 0, -5, 5},
};

static void approximate_instructions(void **state) {
  (void)state;
  for (size_t k = 0; k < ARRAY_LEN(approximations); k++) {
    const approximation *x = &approximations[k];
    row r = {x->text, "f32 f32", NULL};
    char types[4][16] = {"f32", "f32"}, text[4096];
    make_module(&r, types, 2, text, sizeof text);
    ptx_world w;
    ptx_world_open(&w);
    ptx_load(&w, text);
    for (int i = 0; i < N; i++)
      inputs[0][i] = num_f32_bits((float)(x->low + (x->high - x->low) * i / (N - 1)));
    memset(results, 0, sizeof results);
    uint64_t p[2] = {emu_alloc(w.device, sizeof inputs, inputs),
                     emu_alloc(w.device, sizeof results, results)};
    assert_int_equal(ptx_launch(&w, "k", p, (emu_launch_options){.block = {N, 1, 1}}), TSR_OK);
    for (int i = 0; i < N; i++) {
      double e = x->exact(num_f32_from_bits(U32(inputs[0][i])));
      double found = num_f32_from_bits(U32(results[i]));
      if (!(fabs(found - e) <= fabs(e) * x->relative + x->absolute))
        fail_msg("%s of %g: expected %g, found %g", x->text, num_f32_from_bits(U32(inputs[0][i])),
                 e, found);
    }
    ptx_world_close(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integer_instructions),     cmocka_unit_test(carry_chains),
      cmocka_unit_test(float_instructions),       cmocka_unit_test(double_instructions),
      cmocka_unit_test(compare_instructions),     cmocka_unit_test(convert_instructions),
      cmocka_unit_test(approximate_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
