/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reference: names, integers, comparisons. Source: PTX ISA, "Instruction Set".
 */
#include "ptx_reference.h"

#include <stdio.h>
#include <string.h>

#include "ptx_reference_float.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* ---- names ---------------------------------------------------------------------------------- */

unsigned ptx_type_bits(const char *t) {
  if (strcmp(t, "pred") == 0) return 1;
  if (t[0] == 'e' && t[1] >= '2' && t[1] <= '5' && strstr(t, "x2"))
    return strcmp(t, "e2m1x2") == 0 ? 8 : 16;
  if (strcmp(t, "ue8m0x2") == 0) return 16;
  const char *p = t + ((t[0] == 'b' || t[0] == 't') && t[1] == 'f');
  if (!*p || !strchr("busf", *p)) return 0;
  unsigned n = 0;
  for (p++; *p >= '0' && *p <= '9' && n < 128; p++) n = 10 * n + (unsigned)(*p - '0');
  if (*p) return strcmp(p, "x2") == 0 ? 2 * n : 0; /* .b4e is a mode of prmt */
  return n;
}

void ptx_name_add(ptx_name *i, const char *word) {
  if (i->n == sizeof i->words / sizeof *i->words) return;
  i->words[i->n++] = word;
  i->marks |= ptx_word_mark(word);
}

void ptx_name_read(ptx_name *out, const char *name) {
  *out = (ptx_name){0};
  strncpy(out->text, name, sizeof out->text - 1);
  for (unsigned k = 0; k < 4; k++) out->types[k] = "";
  char *p = out->text;
  out->opcode = p;
  const char *starts[16];
  unsigned n = 0;
  while ((p = strchr(p, '.')) && n < 16) {
    *p++ = 0;
    starts[n++] = p;
  }
  for (unsigned k = 0; k < n; k++) ptx_name_add(out, starts[k]);
  for (unsigned k = 0; k < out->n; k++)
    if (ptx_type_bits(out->words[k]) && out->n_types < 4)
      out->types[out->n_types++] = out->words[k];
}

#define HAS(word)   ptx_name_has(i, word)
#define IS(opcode_) (strcmp(i->opcode, opcode_) == 0)

/* ---- integers ------------------------------------------------------------------------------- */

static uint64_t low(uint64_t v, unsigned bits) {
  return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}
static wide extend(uint64_t v, unsigned bits, bool s) {
  v = low(v, bits);
  if (s && v >> (bits - 1) & 1) return (wide)v - ((wide)1 << bits);
  return (wide)v;
}
static wide clamp(wide v, unsigned bits, bool s) {
  wide most = ((wide)1 << (bits - s)) - 1, least = s ? -((wide)1 << (bits - 1)) : 0;
  return v < least ? least : v > most ? most : v;
}
static bool is_signed(const char *t) {
  return t[0] == 's';
}
static bool is_float(const char *t) {
  return strstr(t, "f16") || strstr(t, "f32") || strstr(t, "f64") || t[0] == 'e' ||
         strncmp(t, "ue8", 3) == 0;
}
static wide magnitude(wide v) {
  return v < 0 ? -v : v;
}

/* a op b on each half of 32 bits. */
static uint64_t on_halves(const ptx_name *i, uint64_t a, uint64_t b) {
  bool s = is_signed(i->types[0]);
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k += 16) {
    wide x = extend(a >> k, 16, s), y = extend(b >> k, 16, s), v = x + y;
    if (IS("min")) v = x < y ? x : y;
    if (IS("max")) v = x > y ? x : y;
    if (HAS("relu") && v < 0) v = 0;
    r |= low((uint64_t)v, 16) << k;
  }
  return r;
}

static uint64_t video(const ptx_name *i, uint64_t a, uint64_t b, uint64_t c) {
  unsigned bits = strchr(i->opcode, '4') ? 8 : 16;
  uint64_t parts = 0, sum = c;
  for (unsigned k = 0; k < 32; k += bits) {
    wide x = extend(a >> k, bits, is_signed(i->types[1]));
    wide y = extend(b >> k, bits, is_signed(i->types[2])), v = 0;
    if (strncmp(i->opcode, "vadd", 4) == 0) v = x + y;
    if (strncmp(i->opcode, "vsub", 4) == 0) v = x - y;
    if (strncmp(i->opcode, "vavrg", 5) == 0) v = (x + y + (x + y >= 0)) >> 1;
    if (strncmp(i->opcode, "vabsdiff", 8) == 0) v = magnitude(x - y);
    if (strncmp(i->opcode, "vmin", 4) == 0) v = x < y ? x : y;
    if (strncmp(i->opcode, "vmax", 4) == 0) v = x > y ? x : y;
    if (HAS("sat")) v = clamp(v, bits, is_signed(i->types[0]));
    parts |= low((uint64_t)v, bits) << k;
    sum += (uint64_t)v;
  }
  return HAS("add") ? sum : parts;
}

/* The product's half that .hi, .lo or .wide means, of numbers of `bits` (24 for mul24). */
static wide product(const ptx_name *i, unsigned bits, bool s, uint64_t a, uint64_t b) {
  bool short_ = strstr(i->opcode, "24") != NULL;
  unsigned n = short_ ? 24 : bits;
  wide p = s ? extend(a, n, true) * extend(b, n, true)
             : (wide)((uwide)extend(a, n, false) * (uwide)extend(b, n, false));
  if (HAS("wide")) return p;
  if (!HAS("hi")) return (wide)low((uint64_t)p, bits);
  uint64_t high = (uint64_t)((uwide)p >> (short_ ? 16 : bits));
  return extend(high, bits, s);
}

static uint64_t bit_field_extract(uint64_t a, uint64_t b, uint64_t c, unsigned bits, bool s) {
  unsigned pos = b & 0xff, len = c & 0xff, msb = bits - 1;
  unsigned top = pos + len - 1 < msb ? pos + len - 1 : msb;
  bool sign = s && len && a >> top & 1;
  uint64_t d = 0;
  for (unsigned k = 0; k <= msb; k++) {
    bool bit = k < len && pos + k <= msb ? a >> (pos + k) & 1 : sign;
    d |= (uint64_t)bit << k;
  }
  return d;
}
static uint64_t bit_field_insert(uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned bits) {
  unsigned pos = c & 0xff, len = d & 0xff;
  for (unsigned k = 0; k < len && pos + k < bits; k++)
    b = (b & ~(UINT64_C(1) << (pos + k))) | (a >> k & 1) << (pos + k);
  return b;
}

static uint64_t permute(const ptx_name *i, uint64_t a, uint64_t b, uint64_t c) {
  static const struct {
    const char *mode;
    uint16_t by[4]; /* selectors for the lowest two bits of c */
  } modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  uint64_t from = a | b << 32, sel = c & 0xffff, d = 0;
  bool plain = true;
  for (unsigned m = 0; m < 6; m++)
    if (HAS(modes[m].mode)) sel = modes[m].by[c & 3], plain = false;
  for (unsigned k = 0; k < 4; k++) {
    unsigned s = sel >> 4 * k & 15;
    uint64_t byte = from >> 8 * (s & 7) & 0xff;
    if (plain && s & 8) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << 8 * k;
  }
  return d;
}

/* The n-th bit of a that is set, counted from `base` on; upwards for n > 0. */
static uint64_t find_nth(uint64_t a, uint64_t base, int32_t n) {
  int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
  if (n == 0) return base < 32 && a >> base & 1 ? base : 0xffffffff;
  for (int64_t k = (int64_t)base; k >= 0 && k < 32; k += step)
    if (a >> k & 1 && --left == 0) return (uint64_t)k;
  return 0xffffffff;
}

static uint64_t dot(const ptx_name *i, uint64_t a, uint64_t b, uint64_t c) {
  bool two = IS("dp2a"), sa = is_signed(i->types[0]), sb = is_signed(i->types[1]);
  unsigned first = HAS("hi") ? 16 : 0;
  for (unsigned k = 0; k < (two ? 2u : 4u); k++)
    c += (uint64_t)(extend(a >> (two ? 16 * k : 8 * k), two ? 16 : 8, sa) *
                    extend(b >> (first + 8 * k), 8, sb));
  return c;
}

static uint64_t shift(const ptx_name *i, uint64_t a, uint64_t b, uint64_t c, unsigned bits) {
  bool s = is_signed(i->types[0]);
  if (IS("shf")) {
    unsigned n = HAS("wrap") ? c & 31 : c > 32 ? 32 : (unsigned)c;
    uwide both = (uwide)b << 32 | a;
    return HAS("l") ? (uint64_t)(both << n >> 32) : (uint64_t)(both >> n);
  }
  if (IS("shl")) return b >= bits ? 0 : a << b;
  if (b > bits) b = bits;
  return (uint64_t)(extend(a, bits, s) >> b);
}

static uint64_t find_leading(const ptx_name *i, uint64_t a, unsigned bits) {
  if (is_signed(i->types[0]) && a >> (bits - 1) & 1) a = low(~a, bits);
  for (unsigned k = bits; k-- > 0;)
    if (a >> k & 1) return HAS("shiftamt") ? bits - 1 - k : k;
  return 0xffffffff;
}

static uint64_t reversed(uint64_t a, unsigned bits) {
  uint64_t r = 0;
  for (unsigned k = 0; k < bits; k++) r |= (a >> k & 1) << (bits - 1 - k);
  return r;
}

static uint64_t mask_of(const ptx_name *i, uint64_t a, uint64_t b) {
  uint64_t from = HAS("wrap") ? a & 31 : a, len = HAS("wrap") ? b & 31 : b, r = 0;
  for (unsigned k = 0; k < 32; k++) r |= (uint64_t)(k >= from && k - from < len) << k;
  return r;
}

static uint64_t extend_from(const ptx_name *i, uint64_t a, uint64_t b) {
  unsigned n = HAS("wrap") ? b & 31 : b > 32 ? 32 : (unsigned)b;
  if (n == 0) return 0;
  return (uint64_t)extend(a, n, is_signed(i->types[0]));
}

/* lop3 with the table that the test's instructions all have. */
static uint64_t look_up(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++) {
    unsigned at = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
    r |= (uint64_t)(PTX_REFERENCE_LOP3 >> at & 1) << k;
  }
  return r;
}

static uint64_t pack_ints(const ptx_name *i, uint64_t a, uint64_t b, uint64_t c) {
  const char *to = i->types[0];
  unsigned bits = ptx_type_bits(to);
  uint64_t x = low((uint64_t)clamp(extend(a, 32, true), bits, is_signed(to)), bits);
  uint64_t y = low((uint64_t)clamp(extend(b, 32, true), bits, is_signed(to)), bits);
  return (bits == 16 ? 0 : c << 2 * bits) | x << bits | y;
}

/* Additions with a carry; a subtraction adds ~b, and its carry says that nothing was borrowed. */
static uint64_t with_carry(const ptx_name *i, uint64_t a, uint64_t b, bool in, unsigned bits,
                           uint64_t *out) {
  bool subtract = strncmp(i->opcode, "sub", 3) == 0, uses = strchr(i->opcode, 'c') != NULL;
  uwide sum = (uwide)a + (subtract ? low(~b, bits) : b) + (uses ? in : subtract);
  *out = (uint64_t)(sum >> bits) & 1;
  return (uint64_t)sum;
}

static bool simple(const ptx_name *i, const uint64_t o[4], unsigned bits, uint64_t *r) {
  bool s = is_signed(i->types[0]);
  wide a = extend(o[0], bits, s), b = extend(o[1], bits, s), v;
  uint64_t c = o[2];
  if (IS("add"))
    v = a + b;
  else if (IS("sub"))
    v = a - b;
  else if (IS("mul") || IS("mul24"))
    v = product(i, bits, s, o[0], o[1]);
  else if (IS("mad") || IS("mad24"))
    v = product(i, bits, s, o[0], o[1]) + extend(c, HAS("wide") ? 2 * bits : bits, s);
  else if (IS("sad"))
    v = (wide)c + magnitude(a - b);
  else if (IS("div"))
    v = a / b;
  else if (IS("rem"))
    v = a % b;
  else if (IS("abs"))
    v = magnitude(a);
  else if (IS("neg"))
    v = -a;
  else if (IS("min"))
    v = a < b ? a : b;
  else if (IS("max"))
    v = a > b ? a : b;
  else
    return false;
  if (HAS("sat")) v = clamp(v, bits, s);
  if (HAS("relu") && v < 0) v = 0;
  *r = (uint64_t)v;
  return true;
}

static bool integer(const ptx_name *i, const uint64_t o[4], bool carry, uint64_t *r,
                    uint64_t *second) {
  unsigned bits = ptx_type_bits(i->types[0]);
  uint64_t a = o[0], b = o[1], c = o[2];
  bool carries = HAS("cc") || IS("addc") || IS("subc") || IS("madc");
  if (strstr(i->types[0], "x2")) {
    *r = on_halves(i, a, b);
  } else if (carries && (IS("mad") || IS("madc"))) {
    uwide sum = (uwide)low((uint64_t)product(i, bits, is_signed(i->types[0]), a, b), bits) + c +
                (IS("madc") && carry);
    *r = (uint64_t)sum, *second = (uint64_t)(sum >> bits) & 1;
  } else if (carries) {
    *r = with_carry(i, a, b, carry, bits, second);
  } else if (i->opcode[0] == 'v') {
    *r = video(i, a, b, c);
  } else if (simple(i, o, bits, r)) {
  } else if (IS("popc")) {
    *r = (uint64_t)__builtin_popcountll(a);
  } else if (IS("clz")) {
    *r = find_leading(i, a, bits) == 0xffffffff ? bits : bits - 1 - find_leading(i, a, bits);
  } else if (IS("bfind")) {
    *r = find_leading(i, a, bits);
  } else if (IS("fns")) {
    *r = find_nth(a, b, (int32_t)c);
  } else if (IS("brev")) {
    *r = reversed(a, bits);
  } else if (IS("bfe")) {
    *r = bit_field_extract(a, b, c, bits, is_signed(i->types[0]));
  } else if (IS("bfi")) {
    *r = bit_field_insert(a, b, c, o[3], bits);
  } else if (IS("szext")) {
    *r = extend_from(i, a, b);
  } else if (IS("bmsk")) {
    *r = mask_of(i, a, b);
  } else if (IS("dp4a") || IS("dp2a")) {
    *r = dot(i, a, b, c);
  } else if (IS("and")) {
    *r = a & b;
  } else if (IS("or")) {
    *r = a | b;
  } else if (IS("xor")) {
    *r = a ^ b;
  } else if (IS("not")) {
    *r = ~a;
  } else if (IS("cnot")) {
    *r = a == 0;
  } else if (IS("lop3")) {
    *r = look_up(a, b, c);
    bool any = *r != 0;
    *second = HAS("or") ? any || (o[3] & 1) : any && (o[3] & 1);
  } else if (IS("shf") || IS("shl") || IS("shr")) {
    *r = shift(i, a, b, c, bits);
  } else if (IS("prmt")) {
    *r = permute(i, a, b, c);
  } else {
    return false;
  }
  return true;
}

/* ---- comparing and choosing ----------------------------------------------------------------- */

static const char *comparison(const ptx_name *i) {
  static const char *const names[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                      "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
    if (HAS(names[k])) return names[k];
  return "";
}

/* By how two things compare: -1, 0, 1, or 2 when they don't. */
static bool holds(const char *cmp, int order) {
  if (strcmp(cmp, "num") == 0) return order != 2;
  if (strcmp(cmp, "nan") == 0) return order == 2;
  bool unordered = strlen(cmp) == 3;
  if (order == 2) return unordered;
  switch (cmp[0]) {
  case 'e': return order == 0;
  case 'n': return order != 0;
  case 'l': return cmp[1] == 't' || cmp[1] == 'o' ? order < 0 : order <= 0;
  default: return cmp[1] == 't' || cmp[1] == 'i' ? order > 0 : order >= 0;
  }
}

static int order_of(const ptx_name *i, const char *type, uint64_t a, uint64_t b) {
  if (is_float(type)) return float_order(type, a, b, HAS("ftz"));
  unsigned bits = ptx_type_bits(type);
  wide x = extend(a, bits, is_signed(type)), y = extend(b, bits, is_signed(type));
  return x < y ? -1 : x > y;
}

static bool combine(const ptx_name *i, bool a, bool b) {
  if (HAS("and")) return a && b;
  if (HAS("or")) return a || b;
  if (HAS("xor")) return a != b;
  return a;
}

static bool compare(const ptx_name *i, const uint64_t o[4], uint64_t *r, uint64_t *second) {
  const char *type = i->types[i->n_types - 1], *cmp = comparison(i);
  bool is_set = IS("set"), two = strstr(type, "x2") != NULL;
  char part[8] = "";
  if (two) snprintf(part, sizeof part, "%.*s", (int)strlen(type) - 2, type);
  uint64_t mask = two ? 0xffff : UINT64_MAX, out = 0;
  bool first = holds(cmp, order_of(i, two ? part : type, o[0] & mask, o[1] & mask));
  bool yes = combine(i, first, o[2] & 1), other = combine(i, !first, o[2] & 1);
  if (two) {
    bool high = holds(cmp, order_of(i, part, o[0] >> 16, o[1] >> 16));
    other = combine(i, high, o[2] & 1);
  }
  if (!is_set) {
    *r = yes, *second = other;
    return true;
  }
  const char *to = i->types[0];
  uint64_t one = strcmp(to, "f32") == 0        ? 0x3f800000
                 : strncmp(to, "f16", 3) == 0  ? 0x3c00
                 : strncmp(to, "bf16", 4) == 0 ? 0x3f80
                                               : UINT64_MAX;
  out = yes ? one : 0;
  if (two) out = (yes ? one : 0) | (other ? one << 16 : 0);
  *r = out;
  return true;
}

static bool choose(const ptx_name *i, const uint64_t o[4], uint64_t *r) {
  bool first = o[2] & 1;
  if (IS("slct"))
    first = strcmp(i->types[1], "f32") == 0 ? float_order("f32", o[2], 0, HAS("ftz")) != 2 &&
                                                  float_order("f32", o[2], 0, HAS("ftz")) >= 0
                                            : !(o[2] >> 31 & 1);
  *r = first ? o[0] : o[1];
  return true;
}

/* ---- converting between integers ------------------------------------------------------------ */

static uint64_t convert_int(const ptx_name *i, uint64_t a) {
  const char *to = i->types[0], *from = i->types[1];
  wide v = extend(a, ptx_type_bits(from), is_signed(from));
  if (HAS("sat")) v = clamp(v, ptx_type_bits(to), is_signed(to));
  return (uint64_t)extend((uint64_t)v, ptx_type_bits(to), is_signed(to));
}

bool ptx_reference(const ptx_name *i, const uint64_t o[4], bool carry, uint64_t *r,
                   uint64_t *second) {
  const char *t = i->types[0];
  *r = *second = 0;
  if (IS("setp") || IS("set")) return compare(i, o, r, second);
  if (IS("selp") || IS("slct")) return choose(i, o, r);
  if (IS("mov")) {
    *r = o[0];
    return true;
  }
  if (IS("cvt")) {
    if (HAS("pack")) {
      *r = pack_ints(i, o[0], o[1], o[2]);
      return true;
    }
    if (!is_float(t) && !is_float(i->types[1])) {
      *r = convert_int(i, o[0]);
      return true;
    }
    return float_convert(i, o, r);
  }
  if (IS("testp")) {
    *r = float_test(i, o[0]);
    return true;
  }
  if (is_float(t)) return float_reference(i, o, r);
  if (strcmp(t, "pred") == 0) {
    bool a = o[0] & 1, b = o[1] & 1;
    *r = IS("and") ? a && b : IS("or") ? a || b : IS("xor") ? a != b : !a;
    return true;
  }
  return integer(i, o, carry, r, second);
}
