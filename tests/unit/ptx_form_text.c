/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From rows of ptx_forms.def to kernels.
 */
#include "ptx_form_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "ptx_reference_float.h"
#include "emu/ptx/handler_ids.h"
#include "emu/ptx/image.h"

/* ---- choices of words ----------------------------------------------------------------------- */

enum { MAX_GROUPS = 12, MAX_CHOICES = 24 };
typedef struct word_group {
  char choice[MAX_CHOICES][24]; /* "" for none */
  unsigned n;
} word_group;

static unsigned read_groups(const char *words, word_group *out) {
  unsigned n = 0;
  for (const char *p = words; *p;) {
    if (*p == ' ') {
      p++;
      continue;
    }
    bool optional = *p == '[', bracketed = optional || *p == '(';
    word_group *g = &out[n++];
    g->n = 0;
    if (optional) g->choice[g->n++][0] = 0;
    p += bracketed;
    while (*p && *p != ')' && *p != ']' && (bracketed || *p != ' ')) {
      size_t len = strcspn(p, bracketed ? "|)]" : " ");
      snprintf(g->choice[g->n++], sizeof g->choice[0], "%.*s", (int)len, p);
      p += len;
      if (*p == '|') p++;
    }
    p += bracketed && *p;
  }
  return n;
}

/* ---- operands ------------------------------------------------------------------------------- */

static void double_width(const char *type, char out[8]) {
  snprintf(out, 8, "%c%u", type[0], 2 * ptx_type_bits(type));
}

/* The type that a word of the signature means. */
static void operand_type(const ptx_name *i, const char *sig, char out[8]) {
  out[0] = 0;
  while (*sig == '=' || *sig == 'V' || *sig == 'M') sig++;
  if (strncmp(sig, "PL", 2) == 0) {
    snprintf(out, 8, "b32");
  } else if (*sig == 'P') {
    snprintf(out, 8, "pred");
  } else if ((*sig == 'T' || *sig == 'W') && sig[1] >= '0' && sig[1] <= '3') {
    snprintf(out, 8, "%.7s", i->types[sig[1] - '0']);
  } else if (*sig == 'D') {
    double_width(i->types[0], out);
  } else if (*sig >= '0' && *sig <= '3') { /* of VM0 */
    snprintf(out, 8, "%.7s", i->types[*sig - '0']);
  } else {
    snprintf(out, 8, "%.*s", (int)strcspn(sig, "*!?"), sig);
  }
}

static void fill_operands(const ptx_form *f, form_variant *v) {
  char sig[160];
  snprintf(sig, sizeof sig, "%s", f->operands);
  for (char *save = NULL, *s = strtok_r(sig, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
    if (*s == '=') {
      operand_type(&v->parsed, s, v->result);
      v->two = strcmp(s, "=PP") == 0 || strncmp(s, "=PL", 3) == 0;
    } else if (strcmp(s, "I") != 0 && !strchr(s, '?') && v->sources < FORM_MAX_OPERANDS) {
      operand_type(&v->parsed, s, v->types[v->sources++]);
    }
  }
  bool carries = strcmp(f->opcode, "addc") == 0 || strcmp(f->opcode, "subc") == 0 ||
                 strcmp(f->opcode, "madc") == 0;
  v->takes_carry = carries;
  if (ptx_name_has(&v->parsed, "cc")) v->two = true;
  bool least = strcmp(f->opcode, "min") == 0 || strcmp(f->opcode, "max") == 0;
  if (least && v->sources == 3) ptx_name_add(&v->parsed, "three");
}

bool form_is_scalar(const ptx_form *f) {
  return f->handler >= PTX_H_int_add && f->handler <= PTX_H_cvt_pack_int &&
         f->handler != PTX_H_mov_clock && !strstr(f->words, "b128");
}

static void make_variant(const ptx_form *f, const word_group *g, unsigned groups, uint64_t number,
                         bool all, form_variant *v) {
  *v = (form_variant){0};
  size_t n = (size_t)snprintf(v->name, sizeof v->name, "%s", f->opcode);
  for (unsigned k = 0; k < groups; k++) {
    const char *word = g[k].choice[number % g[k].n];
    if (all) number /= g[k].n;
    if (*word) n += (size_t)snprintf(v->name + n, sizeof v->name - n, ".%s", word);
  }
  ptx_name_read(&v->parsed, v->name);
  fill_operands(f, v);
}

/* .sat between integers where nothing can be out of range: ptxas refuses it. */
static bool saturates_in_vain(const ptx_name *i) {
  const char *to = i->types[0], *from = i->types[1];
  if (strcmp(i->opcode, "cvt") != 0 || !ptx_name_has(i, "sat") || !strchr("us", to[0]) ||
      !strchr("us", from[0]) || !*from)
    return false;
  unsigned to_bits = ptx_type_bits(to), from_bits = ptx_type_bits(from);
  if (to[0] == from[0]) return to_bits >= from_bits;
  return to[0] == 's' && to_bits > from_bits;
}

form_variant *form_variants(const ptx_form *f, bool all, unsigned *count) {
  word_group groups[MAX_GROUPS];
  unsigned n = read_groups(f->words, groups);
  uint64_t total = 1, most = 1;
  for (unsigned k = 0; k < n; k++) {
    total *= groups[k].n;
    most = MAX(most, groups[k].n);
  }
  unsigned wanted = (unsigned)MIN(all ? total : most, (uint64_t)FORM_MAX_VARIANTS);
  form_variant *v = calloc(wanted, sizeof *v);
  *count = 0;
  for (unsigned k = 0; k < wanted; k++) {
    make_variant(f, groups, n, k, all, &v[*count]);
    if (all || !saturates_in_vain(&v[*count].parsed)) ++*count;
  }
  return v;
}

/* ---- text ----------------------------------------------------------------------------------- */

typedef struct text {
  char *data;
  size_t size, len;
  bool full;
} text;

static void put(text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(t->data + t->len, t->size - t->len, fmt, args);
  va_end(args);
  if (n < 0 || (size_t)n >= t->size - t->len)
    t->full = true;
  else
    t->len += (size_t)n;
}

unsigned form_register_bits(const form_variant *v, const char *type) {
  unsigned bits = ptx_type_bits(type);
  bool bfloat = strcmp(v->parsed.opcode, "cvt") == 0 && ptx_name_has(&v->parsed, "bf16");
  return bits == 8 && !strstr(type, "x2") && !bfloat ? 16 : bits;
}

/* Registers are named by the operand and their width: %a16, %d64; predicates %ap. */
static void put_register(text *t, char operand, const form_variant *v, const char *type) {
  unsigned bits = form_register_bits(v, type);
  if (bits == 1)
    put(t, "%%%cp", operand);
  else
    put(t, "%%%c%u", operand, bits);
}

static const char operand_names[] = "abce";

static void put_instruction(text *t, const ptx_form *f, const form_variant *v) {
  char sig[160];
  unsigned taken = 0;
  bool first = true;
  put(t, "  %s ", v->name);
  snprintf(sig, sizeof sig, "%s", f->operands);
  for (char *save = NULL, *s = strtok_r(sig, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
    if (strchr(s, '?')) continue;
    put(t, "%s", first ? "" : ", ");
    first = false;
    if (strcmp(s, "=PP") == 0) {
      put(t, "%%dp|%%qp");
    } else if (strncmp(s, "=PL", 3) == 0) {
      put(t, "%%d32|%%qp");
    } else if (*s == '=') {
      put_register(t, 'd', v, v->result);
    } else if (strcmp(s, "I") == 0) {
      put(t, "0x%x", PTX_REFERENCE_LOP3);
    } else {
      put_register(t, operand_names[taken], v, v->types[taken]);
      taken++;
    }
  }
  put(t, ";\n");
}

static void put_store(text *t, char from, unsigned bits) {
  if (bits == 1)
    put(t, "  selp.u64 %%d64, 1, 0, %%%cp;\n", from);
  else if (bits == 8)
    put(t, "  mov.b16 %%d16, {%%%c8, %%zero8};\n  cvt.u64.u16 %%d64, %%d16;\n", from);
  else if (bits < 64)
    put(t, "  cvt.u64.u%u %%d64, %%%c%u;\n", bits, from, bits);
  put(t, "  st.global.u64 [%%out], %%d64;\n  add.u64 %%out, %%out, %%step;\n");
}

static void put_variant(text *t, const ptx_form *f, const form_variant *v) {
  bool cc = ptx_name_has(&v->parsed, "cc");
  if (v->takes_carry) put(t, "  add.cc.u32 %%t32, %%carry, -1;\n");
  put_instruction(t, f, v);
  if (cc) put(t, "  addc.u32 %%q32, 0, 0;\n");
  put_store(t, 'd', form_register_bits(v, v->result));
  if (cc)
    put_store(t, 'q', 32);
  else if (v->two)
    put_store(t, 'q', 1);
}

/* The narrower registers of an operand, as far as instructions use them. */
static void put_narrow(text *t, const text *body, char o) {
  char name[16];
  snprintf(name, sizeof name, "%%%c32", o);
  if (strstr(body->data, name)) put(t, "  cvt.u32.u64 %%%c32, %%%c64;\n", o, o);
  snprintf(name, sizeof name, "%%%c16", o);
  bool bytes = false;
  char byte_name[16];
  snprintf(byte_name, sizeof byte_name, "%%%c8", o);
  for (const char *p = body->data; (p = strstr(p, byte_name)); p += 3) bytes = true;
  if (strstr(body->data, name) || bytes) put(t, "  cvt.u16.u64 %%%c16, %%%c64;\n", o, o);
  if (bytes) put(t, "  mov.b16 {%%%c8, %%zero8}, %%%c16;\n", o, o);
  snprintf(name, sizeof name, "%%%cp", o);
  if (strstr(body->data, name))
    put(t, "  and.b64 %%t64, %%%c64, 1;\n  setp.ne.u64 %%%cp, %%t64, 0;\n", o, o);
}

static void put_head(text *t, const ptx_form *f, bool latest) {
  unsigned sm = MAX(f->sm, 800), version = MAX(f->version, 70);
  if (sm >= 890) version = MAX(version, sm >= 900 ? 78 : 81);
  if (strstr(f->words, "satfinite")) version = MAX(version, 81);
  if (sm == 901) version = MAX(version, 80);
  if (sm >= 1000) version = MAX(version, 86);
  if (latest) sm = 1001, version = 90;
  put(t, ".version %u.%u\n.target sm_%u%s\n.address_size 64\n", version / 10, version % 10, sm / 10,
      sm % 10 ? "a" : "");
}

static void put_loads(text *t, const text *body, unsigned sources, bool carry) {
  put(t, "  mov.u32 %%i, %%ctaid.x;\n  mov.u32 %%n, %%ntid.x;\n  mov.u32 %%t32, %%tid.x;\n"
         "  mad.lo.u32 %%i, %%i, %%n, %%t32;\n");
  for (unsigned k = 0; k < sources; k++)
    put(t,
        "  ld.param.u64 %%t64, [%c];\n  mad.wide.u32 %%t64, %%i, 8, %%t64;\n"
        "  ld.global.u64 %%%c64, [%%t64];\n",
        operand_names[k], operand_names[k]);
  for (unsigned k = 0; k < sources; k++) put_narrow(t, body, operand_names[k]);
  if (carry) /* one bit of the operands, which says what is carried in */
    put(t, "  xor.b64 %%t64, %%a64, %%b64;\n  cvt.u32.u64 %%carry, %%t64;\n"
           "  and.b32 %%carry, %%carry, 1;\n");
  put(t, "  ld.param.u64 %%out, [d];\n  mad.wide.u32 %%out, %%i, 8, %%out;\n"
         "  mov.u32 %%t32, %%nctaid.x;\n  mul.lo.u32 %%t32, %%t32, %%n;\n"
         "  mul.wide.u32 %%step, %%t32, 8;\n\n");
}

bool form_kernel(const ptx_form *f, const form_variant *v, unsigned n, bool latest, char *out,
                 size_t size) {
  text t = {.data = out, .size = size}, body = {.data = calloc(1, size), .size = size};
  unsigned sources = 0;
  bool carry = false;
  for (unsigned k = 0; k < n; k++) {
    put_variant(&body, f, &v[k]);
    sources = MAX(sources, v[k].sources);
    carry |= v[k].takes_carry;
  }
  put_head(&t, f, latest);
  put(&t, ".visible .entry form(");
  for (unsigned k = 0; k < sources; k++) put(&t, ".param .u64 %c, ", operand_names[k]);
  put(&t, ".param .u64 d)\n{\n");
  for (unsigned k = 0; k < 6; k++) {
    char c = "abcedq"[k];
    if (k < 4 && k >= sources) continue;
    put(&t,
        "  .reg .b64 %%%c64; .reg .b32 %%%c32; .reg .b16 %%%c16; .reg .b8 %%%c8; .reg .pred "
        "%%%cp;\n",
        c, c, c, c, c);
  }
  put(&t, "  .reg .b64 %%out, %%step, %%t64; .reg .b32 %%i, %%n, %%t32%s; .reg .b8 %%zero8;\n",
      carry ? ", %carry" : "");
  put_loads(&t, &body, sources, carry);
  put(&t, "%s  ret;\n}\n", body.data);
  bool ok = !t.full && !body.full;
  free(body.data);
  return ok;
}

/* ---- operands' values ----------------------------------------------------------------------- */

static uint64_t mix(uint64_t z) {
  z += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static const uint64_t int_edges[] = {0,          1,          2,         3,
                                     7,          31,         32,        63,
                                     0x7f,       0x80,       0xff,      0x7fff,
                                     0x8000,     0xffff,     0x10000,   0x7fffffff,
                                     0x80000000, 0xffffffff, INT64_MAX, UINT64_C(1) << 63,
                                     UINT64_MAX};
static const uint32_t f32_edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7fffffff, 1,          0x807fffff,
                                     0x00800000, 0x7f7fffff, 0x40490fdb, 0x3f000000, 0x4f000000,
                                     0xcf000001, 0x5f000000, 0x43000000, 0x477fe000, 0x33000000};
static const uint16_t f16_edges[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                     0xffff, 1,      0x83ff, 0x0400, 0x7bff, 0x3555};
static const uint16_t bf16_edges[] = {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80,
                                      0xffff, 1,      0x807f, 0x0080, 0x7f7f, 0x3eab};

static uint64_t pick_f16(uint64_t r, const uint16_t edges[12]) {
  return r & 3 ? r >> 8 & 0xffff : edges[(r >> 8) % 12];
}

/* Floats of similar size, so that sums are not just the larger operand. */
static uint64_t pick_f32(uint64_t r) {
  if ((r & 3) == 0) return f32_edges[(r >> 8) % 20];
  if ((r & 3) == 1) return r >> 8 & 0xffffffff;
  return (r >> 8 & 0x87ffffff) | 0x3c000000;
}

static uint64_t pick_f64(uint64_t r) {
  double d;
  uint32_t f = f32_edges[(r >> 8) % 20];
  float single;
  memcpy(&single, &f, 4);
  d = (r >> 16 & 1) ? 1e308 * (double)single : (double)single;
  uint64_t bits;
  memcpy(&bits, &d, 8);
  if ((r & 3) == 0) return d != d ? UINT64_C(0x7ff8000000000000) : bits;
  if ((r & 3) == 1) return mix(r) % 31 ? mix(r) : mix(r) >> 12; /* also subnormal */
  return (mix(r) & UINT64_C(0x80ffffffffffffff)) | UINT64_C(0x3f00000000000000);
}

static uint64_t pick(const char *type, uint64_t r) {
  if (strncmp(type, "bf16", 4) == 0)
    return pick_f16(r, bf16_edges) | pick_f16(mix(r), bf16_edges) << 16;
  if (strncmp(type, "f16", 3) == 0)
    return pick_f16(r, f16_edges) | pick_f16(mix(r), f16_edges) << 16;
  if (strncmp(type, "f32", 3) == 0) return pick_f32(r) | pick_f32(mix(r)) << 32;
  if (strcmp(type, "f64") == 0) return pick_f64(r);
  if (strncmp(type, "e2m3", 4) == 0 || strncmp(type, "e3m2", 4) == 0) return r >> 8 & 0x3f3f;
  if (r & 1) return int_edges[(r >> 8) % ARRAY_LEN(int_edges)];
  return mix(r) >> (r >> 8) % 64;
}

/* What an instruction's operand may be, where it isn't everything. */
static uint64_t fit(const form_variant *v, unsigned operand, uint64_t value, uint64_t r) {
  const ptx_name *i = &v->parsed;
  const char *o = i->opcode, *type = v->types[operand];
  bool divides = strcmp(o, "div") == 0 || strcmp(o, "rem") == 0;
  if (divides && operand == 1 && !strchr(type, 'f')) return value | 1;
  if (strcmp(o, "fns") == 0 && operand) return operand == 1 ? r % 32 : (r % 11 - 5) & 0xffffffff;
  if (strcmp(o, "bmsk") == 0) return r % 40;
  bool counts = strcmp(o, "shl") == 0 || strcmp(o, "shr") == 0 || strcmp(o, "szext") == 0;
  if (counts && operand == 1) return r % 70;
  if (strcmp(o, "shf") == 0 && operand == 2) return r % 70;
  if ((strcmp(o, "bfe") == 0 && operand >= 1) || (strcmp(o, "bfi") == 0 && operand >= 2))
    return r % 80;
  if (strcmp(o, "sin") == 0 || strcmp(o, "cos") == 0) /* the manual's bound is for -2 pi .. 2 pi */
    return (value & 0x80ffffff) | (r & 1 ? 0x3f000000 : 0x3e000000 + (value & 0x00800000));
  bool rough = ptx_name_has(i, "approx") || ptx_name_has(i, "full");
  if (strcmp(o, "div") == 0 && rough) return (value & 0x87ffffff) | 0x38000000;
  return value;
}

uint64_t form_input(const form_variant *v, unsigned operand, unsigned index) {
  uint64_t r = mix(mix(index) * 8 + operand);
  return fit(v, operand, pick(v->types[operand], r), mix(r));
}
