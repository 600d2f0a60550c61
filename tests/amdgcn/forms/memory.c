/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "float.h"

/* ---- names ------------------------------------------------------------------------------------
 */

typedef struct suffix {
  const char *name, *rdna; /* of CDNA, of RDNA */
  unsigned bytes;
  access_width width;
} suffix;

static const suffix loads[] = {
    {"ubyte", "u8", 1, WHOLE},
    {"sbyte", "i8", 1, BY_SIGN},
    {"ushort", "u16", 2, WHOLE},
    {"sshort", "i16", 2, BY_SIGN},
    {"ubyte_d16", "d16_u8", 1, TO_LOW},
    {"sbyte_d16", "d16_i8", 1, TO_LOW_BY_SIGN},
    {"short_d16", "d16_b16", 2, TO_LOW},
    {"ubyte_d16_hi", "d16_hi_u8", 1, TO_HIGH},
    {"sbyte_d16_hi", "d16_hi_i8", 1, TO_HIGH_BY_SIGN},
    {"short_d16_hi", "d16_hi_b16", 2, TO_HIGH},
    {"dword", "b32", 4, WHOLE},
    {"dwordx2", "b64", 8, WHOLE},
    {"dwordx3", "b96", 12, WHOLE},
    {"dwordx4", "b128", 16, WHOLE},
};
static const suffix stores[] = {
    {"byte", "b8", 1, WHOLE},
    {"short", "b16", 2, WHOLE},
    {"byte_d16_hi", "d16_hi_b8", 1, TO_HIGH},
    {"short_d16_hi", "d16_hi_b16", 2, TO_HIGH},
    {"dword", "b32", 4, WHOLE},
    {"dwordx2", "b64", 8, WHOLE},
    {"dwordx3", "b96", 12, WHOLE},
    {"dwordx4", "b128", 16, WHOLE},
};
static const suffix lds_loads[] = {
    {"read_u8", "load_u8", 1, WHOLE},
    {"read_i8", "load_i8", 1, BY_SIGN},
    {"read_u16", "load_u16", 2, WHOLE},
    {"read_i16", "load_i16", 2, BY_SIGN},
    {"read_u8_d16", "load_u8_d16", 1, TO_LOW},
    {"read_i8_d16", "load_i8_d16", 1, TO_LOW_BY_SIGN},
    {"read_u16_d16", "load_u16_d16", 2, TO_LOW},
    {"read_u8_d16_hi", "load_u8_d16_hi", 1, TO_HIGH},
    {"read_i8_d16_hi", "load_i8_d16_hi", 1, TO_HIGH_BY_SIGN},
    {"read_u16_d16_hi", "load_u16_d16_hi", 2, TO_HIGH},
    {"read_b32", "load_b32", 4, WHOLE},
    {"read_b64", "load_b64", 8, WHOLE},
    {"read_b96", "load_b96", 12, WHOLE},
    {"read_b128", "load_b128", 16, WHOLE},
};
static const suffix lds_stores[] = {
    {"write_b8", "store_b8", 1, WHOLE},
    {"write_b16", "store_b16", 2, WHOLE},
    {"write_b8_d16_hi", "store_b8_d16_hi", 1, TO_HIGH},
    {"write_b16_d16_hi", "store_b16_d16_hi", 2, TO_HIGH},
    {"write_b32", "store_b32", 4, WHOLE},
    {"write_b64", "store_b64", 8, WHOLE},
    {"write_b96", "store_b96", 12, WHOLE},
    {"write_b128", "store_b128", 16, WHOLE},
};
/* Two at once: bytes of each, and what offsets count. */
static const struct {
  const char *name, *rdna;
  unsigned bytes, pair;
  bool stores;
} pairs[] = {
    {"read2_b32", "load_2addr_b32", 4, 4, false},
    {"read2_b64", "load_2addr_b64", 8, 8, false},
    {"read2st64_b32", "load_2addr_stride64_b32", 4, 256, false},
    {"read2st64_b64", "load_2addr_stride64_b64", 8, 512, false},
    {"write2_b32", "store_2addr_b32", 4, 4, true},
    {"write2_b64", "store_2addr_b64", 8, 8, true},
};

typedef struct updating {
  const char *name, *rdna; /* behind "atomic_" */
  const char *lds, *type;  /* "ds_add_rtn_u32": "add", "u32"; NULL: the LDS has none */
  const char *update;
  unsigned bytes;
} updating;
static const updating updates[] = {
    {"swap", "swap_b32", NULL, NULL, "swap", 4},
    {"cmpswap", "cmpswap_b32", NULL, NULL, "cmpswap", 4},
    {"add", "add_u32", "add", "u32", "add", 4},
    {"sub", "sub_u32", "sub", "u32", "sub", 4},
    {"smin", "min_i32", "min", "i32", "smin", 4},
    {"umin", "min_u32", "min", "u32", "umin", 4},
    {"smax", "max_i32", "max", "i32", "smax", 4},
    {"umax", "max_u32", "max", "u32", "umax", 4},
    {"and", "and_b32", "and", "b32", "and", 4},
    {"or", "or_b32", "or", "b32", "or", 4},
    {"xor", "xor_b32", "xor", "b32", "xor", 4},
    {"inc", "inc_u32", "inc", "u32", "inc", 4},
    {"dec", "dec_u32", "dec", "u32", "dec", 4},
    {"swap_x2", "swap_b64", NULL, NULL, "swap", 8},
    {"cmpswap_x2", "cmpswap_b64", NULL, NULL, "cmpswap", 8},
    {"add_x2", "add_u64", "add", "u64", "add", 8},
    {"sub_x2", "sub_u64", "sub", "u64", "sub", 8},
    {"smin_x2", "min_i64", "min", "i64", "smin", 8},
    {"umin_x2", "min_u64", "min", "u64", "umin", 8},
    {"smax_x2", "max_i64", "max", "i64", "smax", 8},
    {"umax_x2", "max_u64", "max", "u64", "umax", 8},
    {"and_x2", "and_b64", "and", "b64", "and", 8},
    {"or_x2", "or_b64", "or", "b64", "or", 8},
    {"xor_x2", "xor_b64", "xor", "b64", "xor", 8},
    {"inc_x2", "inc_u64", "inc", "u64", "inc", 8},
    {"dec_x2", "dec_u64", "dec", "u64", "dec", 8},
    {"add_f32", "add_f32", "add", "f32", "add_f32", 4},
    {"add_f64", "add_f64", "add", "f64", "add_f64", 8},
    {"min_f64", "min_f64", "min", "f64", "min_f64", 8},
    {"max_f64", "max_f64", "max", "f64", "max_f64", 8},
    {"min_f32", "min_num_f32", "min", "f32", "min_f32", 4},
    {"max_f32", "max_num_f32", "max", "f32", "max_f32", 4},
    {"pk_add_f16", "pk_add_f16", "pk_add", "f16", "pk_add_f16", 4},
    {"pk_add_bf16", "pk_add_bf16", "pk_add", "bf16", "pk_add_bf16", 4},
    {NULL, NULL, "rsub", "u32", "rsub", 4},
    {NULL, NULL, "rsub", "u64", "rsub", 8},
    {NULL, NULL, "min_num", "f32", "min_f32", 4},
    {NULL, NULL, "max_num", "f32", "max_f32", 4},
    {NULL, NULL, "min_num", "f64", "min_f64", 8},
    {NULL, NULL, "max_num", "f64", "max_f64", 8},
};

#define EACH(list) for (size_t k = 0; k < sizeof list / sizeof *list; k++)

static bool is(const char *a, const char *b) {
  return b && strcmp(a, b) == 0;
}
static bool after(const char **name, const char *prefix) {
  size_t n = strlen(prefix);
  if (strncmp(*name, prefix, n) != 0) return false;
  *name += n;
  return true;
}

static bool find(const suffix *list, size_t n, const char *name, access_form *out) {
  for (size_t k = 0; k < n; k++) {
    if (!is(name, list[k].name) && !is(name, list[k].rdna)) continue;
    out->bytes = list[k].bytes;
    out->width = list[k].width;
    return true;
  }
  return false;
}

static bool read_update(const char *name, access_form *out) {
  out->kind = ACCESS_ATOMIC;
  EACH(updates) {
    const updating *u = &updates[k];
    if (!is(name, u->name) && !is(name, u->rdna)) continue;
    out->update = u->update;
    out->bytes = u->bytes;
    return true;
  }
  return false;
}

static bool read_lds_update(const char *name, access_form *out) {
  char text[56];
  out->kind = ACCESS_ATOMIC;
  EACH(updates) {
    const updating *u = &updates[k];
    if (!u->lds) continue;
    out->update = u->update;
    out->bytes = u->bytes;
    out->names_result = false;
    snprintf(text, sizeof text, "%s_%s", u->lds, u->type);
    if (is(name, text)) return true;
    out->names_result = true;
    snprintf(text, sizeof text, "%s_rtn_%s", u->lds, u->type);
    if (is(name, text)) return true;
  }
  static const struct {
    const char *name, *update;
    unsigned bytes;
  } exchanges[] = {
      {"wrxchg_rtn_b32", "swap", 4},           {"wrxchg_rtn_b64", "swap", 8},
      {"storexchg_rtn_b32", "swap", 4},        {"storexchg_rtn_b64", "swap", 8},
      {"cmpst_rtn_b32", "lds_cmpst", 4},       {"cmpst_rtn_b64", "lds_cmpst", 8},
      {"cmpst_b32", "lds_cmpst", 4},           {"cmpst_b64", "lds_cmpst", 8},
      {"cmpstore_rtn_b32", "lds_cmpstore", 4}, {"cmpstore_rtn_b64", "lds_cmpstore", 8},
      {"cmpstore_b32", "lds_cmpstore", 4},     {"cmpstore_b64", "lds_cmpstore", 8},
  };
  EACH(exchanges) {
    if (!is(name, exchanges[k].name)) continue;
    out->update = exchanges[k].update;
    out->bytes = exchanges[k].bytes;
    out->names_result = strstr(name, "_rtn_");
    return true;
  }
  return false;
}

static bool read_lds(const char *name, access_form *out) {
  out->space = IN_LDS;
  out->kind = ACCESS_LOAD;
  if (find(lds_loads, sizeof lds_loads / sizeof *lds_loads, name, out)) return true;
  out->kind = ACCESS_STORE;
  if (find(lds_stores, sizeof lds_stores / sizeof *lds_stores, name, out)) return true;
  EACH(pairs) {
    if (!is(name, pairs[k].name) && !is(name, pairs[k].rdna)) continue;
    out->kind = pairs[k].stores ? ACCESS_STORE : ACCESS_LOAD;
    out->bytes = pairs[k].bytes;
    out->pair = pairs[k].pair;
    return true;
  }
  return read_lds_update(name, out);
}

bool access_read(const char *name, access_form *out) {
  static const char *const spaces[] = {"global_", "flat_", "buffer_", "scratch_"};
  *out = (access_form){.name = name};
  if (after(&name, "ds_")) return read_lds(name, out);
  EACH(spaces) {
    const char *rest = name;
    if (!after(&rest, spaces[k])) continue;
    out->space = (access_space)k;
    if (after(&rest, "load_"))
      return out->kind = ACCESS_LOAD, find(loads, sizeof loads / sizeof *loads, rest, out);
    if (after(&rest, "store_"))
      return out->kind = ACCESS_STORE, find(stores, sizeof stores / sizeof *stores, rest, out);
    return after(&rest, "atomic_") && read_update(rest, out);
  }
  return false;
}

/* ---- text -------------------------------------------------------------------------------------
 */

/* v3: results; v16: the lane's place in the LDS or in scratch memory; v[18:19]: an address;
 * s[40:43] a buffer. Data is v[4:7], results go to v[20:23]. */
enum { DATA = 4, RESULT_AT = 20 };

static void registers(char out[24], unsigned first, unsigned bytes) {
  unsigned n = bytes > 4 ? bytes / 4 : 1;
  if (n == 1)
    snprintf(out, 24, "v%u", first);
  else
    snprintf(out, 24, "v[%u:%u]", first, first + n - 1);
}

static void set_address(FILE *out, form_target t, unsigned base, const char *offset) {
  const char *carry = target_is_rdna(t) ? "vcc_lo" : "vcc";
  const char *add = target_is_rdna(t) ? "v_add_co_ci_u32_e32" : "v_addc_co_u32_e32";
  fprintf(out, "  v_mov_b32_e32 v18, s%u\n  v_mov_b32_e32 v19, s%u\n", base, base + 1);
  fprintf(out, "  v_add_co_u32%s v18, %s, v18, %s\n", target_is_rdna(t) ? "" : "_e32", carry,
          offset);
  fprintf(out, "  %s v19, %s, 0, v19, %s\n", add, carry, carry);
  fprintf(out, "  s_mov_b32 s40, s%u\n  s_mov_b32 s41, s%u\n  s_mov_b32 s42, 0x7fffffff\n", base,
          base + 1);
  fprintf(out, "  s_mov_b32 s43, %s\n", target_is_rdna(t) ? "0x31004000" : "0x27000");
}

/* The address behind the registers of data. `index` is what is added to the base. */
static void put_place(FILE *out, const access_form *f, form_target t, const char *index,
                      unsigned base) {
  switch (f->space) {
  case IN_GLOBAL: fprintf(out, "%s, s[%u:%u]", index, base, base + 1); break;
  case IN_FLAT: fprintf(out, "v[18:19]"); break;
  case IN_BUFFER: fprintf(out, "%s, s[40:43], %s offen", index, t == GFX1200 ? "null" : "0"); break;
  default: fprintf(out, "v16"); break;
  }
}

static const char *suffix_result(form_target t) {
  return t == GFX1200 ? " th:TH_ATOMIC_RETURN" : t == GFX942 || t == GFX950 ? " sc0" : " glc";
}

/* The first of two places that are accessed at once, the second time: so that both lie in what is
 * the lane's own, or what is there twice. */
static unsigned later_place(const access_form *f) {
  return f->pair == 512 || (f->kind == ACCESS_STORE && f->bytes == 8) ? 0 : 1;
}

/* op DATA and address in the order of each space. */
static void access_line(FILE *out, const access_form *f, form_target t, bool gives, unsigned offset,
                        unsigned data, unsigned result, const char *index, unsigned base) {
  char text[24], given[24];
  bool both = f->update && (is(f->update, "cmpswap") || strncmp(f->update, "lds_", 4) == 0);
  bool lds = f->space == IN_LDS, loads_it = f->kind == ACCESS_LOAD;
  registers(text, data, lds ? f->bytes : f->bytes * (both ? 2 : 1));
  registers(given, result, f->bytes * (f->pair && loads_it ? 2 : 1));
  fprintf(out, "  %s ", f->name);
  if (loads_it || gives) fprintf(out, "%s, ", f->space == IN_BUFFER && !loads_it ? text : given);
  if (f->space == IN_BUFFER || lds) {
    if (lds) fputs("v16", out);
    if (!lds && !loads_it && !gives) fprintf(out, "%s, ", text);
    if (!lds) put_place(out, f, t, index, base);
    if (lds && !loads_it) fprintf(out, ", %s", text);
    if (lds && !loads_it && (both || f->pair)) {
      registers(text, data + 2, f->bytes);
      fprintf(out, ", %s", text);
    }
  } else if (f->space == IN_SCRATCH) {
    fprintf(out, loads_it ? "v16, off" : "v16, %s, off", text);
  } else if (loads_it) {
    put_place(out, f, t, index, base);
  } else if (f->space == IN_GLOBAL) {
    fprintf(out, "%s, %s, s[%u:%u]", index, text, base, base + 1);
  } else {
    fprintf(out, "v[18:19], %s", text);
  }
  if (f->pair)
    fprintf(out, " offset0:%u offset1:%u", offset ? later_place(f) : 0,
            offset ? later_place(f) + 1 : 1);
  else if (offset)
    fprintf(out, " offset:%u", offset);
  fprintf(out, "%s\n", gives && !lds ? suffix_result(t) : "");
}

static void put_word(FILE *out, form_target t, bool lds, unsigned offset, unsigned reg) {
  bool rdna = target_is_rdna(t);
  if (lds)
    fprintf(out, "  %s v16, v[%u:%u] offset:%u\n", rdna ? "ds_store_b64" : "ds_write_b64", reg,
            reg + 1, offset);
  else
    fprintf(out, "  %s v16, v[%u:%u], off offset:%u\n",
            rdna ? "scratch_store_b64" : "scratch_store_dwordx2", reg, reg + 1, offset);
}
static void get_word(FILE *out, form_target t, bool lds, unsigned offset, unsigned reg) {
  bool rdna = target_is_rdna(t);
  if (lds)
    fprintf(out, "  %s v[%u:%u], v16 offset:%u\n", rdna ? "ds_load_b64" : "ds_read_b64", reg,
            reg + 1, offset);
  else
    fprintf(out, "  %s v[%u:%u], v16, off offset:%u\n",
            rdna ? "scratch_load_b64" : "scratch_load_dwordx2", reg, reg + 1, offset);
}

static bool is_local(const access_form *f) {
  return f->space == IN_LDS || f->space == IN_SCRATCH;
}

/* Memory of the lane's own is filled: twice, so that what lies behind the last lane's is the
 * first's. */
static void fill_local(FILE *out, const access_form *f, form_target t, unsigned first,
                       unsigned second) {
  unsigned all = 16 * (target_is_rdna(t) ? 32 : 64);
  for (unsigned k = 0; k < (f->space == IN_LDS ? 2u : 1u); k++) {
    put_word(out, t, f->space == IN_LDS, k * all, first);
    put_word(out, t, f->space == IN_LDS, k * all + 8, second);
  }
  text_wait(out, t);
}

static void prefill(FILE *out, unsigned from) {
  for (unsigned k = 0; k < 4; k++)
    fprintf(out, "  v_mov_b32_e32 v%u, v%u\n", RESULT_AT + k, from + k);
}

static void load_steps(FILE *out, const access_form *f, form_target t) {
  if (is_local(f)) fill_local(out, f, t, 4, 6);
  set_address(out, t, 8, "v2");
  for (unsigned k = 0; k < 2; k++) {
    prefill(out, 8);
    unsigned offset = k == 0 ? 0 : is_local(f) && f->bytes > 8 ? 0 : 8;
    access_line(out, f, t, false, offset, DATA, RESULT_AT, "v2", 8);
    text_wait(out, t);
    text_store(out, t, 2 * k, RESULT_AT);
    text_store(out, t, 2 * k + 1, RESULT_AT + 2);
    text_wait(out, t);
  }
}

static void store_steps(FILE *out, const access_form *f, form_target t) {
  set_address(out, t, 16, "v3");
  fputs("  v_mov_b32_e32 v24, 0\n  v_mov_b32_e32 v25, 0\n", out);
  if (!is_local(f)) {
    for (unsigned k = 0; k < ACCESS_SLOTS; k++) text_store(out, t, k, 24);
    text_wait(out, t);
    access_line(out, f, t, false, 0, DATA, RESULT_AT, "v3", 16);
    access_line(out, f, t, false, 16, DATA, RESULT_AT, "v3", 16);
    return;
  }
  for (unsigned k = 0; k < 2; k++) {
    fill_local(out, f, t, 24, 24);
    access_line(out, f, t, false, k && f->bytes <= 8 ? 8 : 0, DATA, RESULT_AT, "v3", 16);
    text_wait(out, t);
    get_word(out, t, f->space == IN_LDS, 0, RESULT_AT);
    get_word(out, t, f->space == IN_LDS, 8, RESULT_AT + 2);
    text_wait(out, t);
    text_store(out, t, 2 * k, RESULT_AT);
    text_store(out, t, 2 * k + 1, RESULT_AT + 2);
    text_wait(out, t);
  }
}

static bool gives_back(const access_form *f, unsigned k) {
  return f->space == IN_LDS ? f->names_result : k == 1;
}

/* Memory holds c; slots: memory after it, and what was given, without and with a result. */
static void atomic_steps(FILE *out, const access_form *f, form_target t) {
  for (unsigned k = 0; k < 2; k++) {
    prefill(out, 10);
    char index[40];
    snprintf(index, sizeof index, "v26");
    fprintf(out, "  %s v26, %u, v3\n", target_is_rdna(t) ? "v_add_nc_u32_e32" : "v_add_u32_e32",
            16 * k);
    set_address(out, t, 16, index);
    if (f->space == IN_LDS)
      fill_local(out, f, t, 8, 8);
    else
      text_store(out, t, 2 * k, 8);
    text_wait(out, t);
    bool gives = gives_back(f, k);
    bool buffer = f->space == IN_BUFFER && gives;
    if (buffer) /* the register of the data gets the result */
      for (unsigned r = 0; r < 4; r++)
        fprintf(out, "  v_mov_b32_e32 v%u, v%u\n", RESULT_AT + r, DATA + r);
    access_line(out, f, t, gives, 0, buffer ? RESULT_AT : DATA, RESULT_AT, index, 16);
    text_wait(out, t);
    if (f->space == IN_LDS) {
      get_word(out, t, true, 0, 28);
      text_wait(out, t);
      text_store(out, t, 2 * k, 28);
    }
    text_store(out, t, 2 * k + 1, RESULT_AT);
    text_wait(out, t);
  }
}

void access_write(FILE *out, const access_form *f, form_target t) {
  char kernel[80];
  snprintf(kernel, sizeof kernel, "form_%s", f->name);
  text_begin(out, kernel, t, false);
  for (unsigned k = 0; k < FORM_INPUTS; k++) text_input(out, t, k, 4 + 2 * k);
  text_rows(out, ACCESS_SLOTS, 8 * ACCESS_SLOTS);
  fprintf(out, "  v_lshlrev_b32_e32 v16, 4, v0\n");
  if (f->space == IN_SCRATCH) fputs("  v_mov_b32_e32 v16, 16\n", out);
  if (f->space == IN_LDS) fputs("  s_mov_b32 m0, -1\n", out);
  text_wait(out, t);
  switch (f->kind) {
  case ACCESS_LOAD: load_steps(out, f, t); break;
  case ACCESS_STORE: store_steps(out, f, t); break;
  default: atomic_steps(out, f, t); break;
  }
  text_end(out, kernel, t, f->space == IN_LDS ? 4096 : 0, f->space == IN_SCRATCH ? 256 : 0);
}

/* ---- what comes out ---------------------------------------------------------------------------
 */

static void to_bytes(uint8_t *out, uint64_t v) {
  for (unsigned k = 0; k < 8; k++) out[k] = (uint8_t)(v >> 8 * k);
}
static uint64_t of_bytes(const uint8_t *in, unsigned n) {
  uint64_t v = 0;
  for (unsigned k = 0; k < n; k++) v |= (uint64_t)in[k] << 8 * k;
  return v;
}

/* What a lane finds from its place on. */
static void memory_of(const access_form *f, const uint64_t (*inputs)[FORM_INPUTS], unsigned lane,
                      unsigned lanes, uint8_t out[2048]) {
  for (unsigned k = 0; k < 128; k++) {
    if (!is_local(f)) {
      if (k < 4) to_bytes(out + 8 * k, inputs[lane + k][0]);
    } else {
      const uint64_t *of = inputs[(lane + k) % lanes];
      to_bytes(out + 16 * k, of[0]);
      to_bytes(out + 16 * k + 8, of[1]);
    }
  }
}

static uint64_t put_loaded(const access_form *f, uint64_t old, uint64_t v) {
  uint64_t next = old & ~UINT64_C(0xffffffff), low = old & 0xffff, high = old & 0xffff0000;
  bool sign = f->width == BY_SIGN || f->width == TO_LOW_BY_SIGN || f->width == TO_HIGH_BY_SIGN;
  if (sign && v >> (8 * f->bytes - 1) & 1) v |= ~UINT64_C(0) << 8 * f->bytes;
  v &= 0xffffffff;
  if (f->width >= TO_HIGH) return next | low | (v & 0xffff) << 16;
  if (f->width >= TO_LOW) return next | high | (v & 0xffff);
  return next | v;
}

static uint64_t loaded(const access_form *f, unsigned slot, const uint64_t (*inputs)[FORM_INPUTS],
                       unsigned lane, unsigned lanes) {
  uint8_t memory[2048], result[16];
  unsigned offset = slot < 2 || (is_local(f) && f->bytes > 8) ? 0 : 8;
  memory_of(f, inputs, lane, lanes, memory);
  to_bytes(result, inputs[lane][2]);
  to_bytes(result + 8, inputs[lane][3]);
  if (f->pair) {
    unsigned first = slot < 2 ? 0 : later_place(f);
    memcpy(result, memory + first * f->pair, f->bytes);
    memcpy(result + f->bytes, memory + (first + 1) * f->pair, f->bytes);
  } else if (f->bytes < 4) {
    uint64_t v = put_loaded(f, inputs[lane][2], of_bytes(memory + offset, f->bytes));
    to_bytes(result, v);
  } else {
    memcpy(result, memory + offset, f->bytes);
  }
  return of_bytes(result + 8 * (slot % 2), 8);
}

static uint64_t stored(const access_form *f, unsigned slot, const uint64_t cells[FORM_INPUTS]) {
  uint8_t memory[32] = {0}, data[32];
  to_bytes(data, cells[0]);
  to_bytes(data + 8, cells[1]);
  unsigned from = f->width == TO_HIGH ? 2 : 0;
  unsigned offset = slot >= 2 && is_local(f) && f->bytes <= 8 ? 8 : 0;
  if (f->pair) { /* data of the second lies two registers on */
    unsigned first = slot < 2 ? 0 : later_place(f);
    memcpy(memory + first * f->pair, data, f->bytes);
    memcpy(memory + (first + 1) * f->pair, data + 8, f->bytes);
  } else {
    memcpy(memory + offset, data + from, f->bytes);
  }
  return of_bytes(memory + 8 * (slot % 2), 8);
}

static uint64_t each_half(float_type t, uint64_t a, uint64_t b) {
  return mp_do(OP_ADD, t, t, ROUND_EVEN, a & 0xffff, b & 0xffff, 0) |
         mp_do(OP_ADD, t, t, ROUND_EVEN, a >> 16 & 0xffff, b >> 16 & 0xffff, 0) << 16;
}

static uint64_t least_of(float_type t, uint64_t a, uint64_t b, bool greatest) {
  if (mp_is_nan(t, a)) return b;
  if (mp_is_nan(t, b)) return a;
  int order = mp_order(t, a, b);
  if (order == 0) return mp_sign(t, a) != greatest ? a : b;
  return (order < 0) != greatest ? a : b;
}

static uint64_t updated(const access_form *f, uint64_t old, const uint64_t cells[FORM_INPUTS]) {
  const char *u = f->update;
  bool wide = f->bytes == 8;
  uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, v = cells[0] & mask;
  int64_t a = wide ? (int64_t)old : (int32_t)old, b = wide ? (int64_t)v : (int32_t)v;
  float_type t = wide ? T_F64 : T_F32;
  old &= mask;
  if (is(u, "swap")) return v;
  if (is(u, "cmpswap")) { /* what is written, then what is compared */
    uint64_t compared = wide ? cells[1] : cells[0] >> 32;
    return old == compared ? v : old;
  }
  if (is(u, "lds_cmpst")) return old == v ? cells[1] & mask : old;
  if (is(u, "lds_cmpstore")) return old == (cells[1] & mask) ? v : old;
  if (is(u, "add")) return (old + v) & mask;
  if (is(u, "sub")) return (old - v) & mask;
  if (is(u, "rsub")) return (v - old) & mask;
  if (is(u, "smin")) return b < a ? v : old;
  if (is(u, "smax")) return b > a ? v : old;
  if (is(u, "umin")) return v < old ? v : old;
  if (is(u, "umax")) return v > old ? v : old;
  if (is(u, "and")) return old & v;
  if (is(u, "or")) return old | v;
  if (is(u, "xor")) return old ^ v;
  if (is(u, "inc")) return old >= v ? 0 : old + 1;
  if (is(u, "dec")) return old == 0 || old > v ? v : old - 1;
  if (strncmp(u, "add_f", 5) == 0) return mp_do(OP_ADD, t, t, ROUND_EVEN, old, v, 0);
  if (strncmp(u, "min_f", 5) == 0) return least_of(t, old, v, false);
  if (strncmp(u, "max_f", 5) == 0) return least_of(t, old, v, true);
  return each_half(is(u, "pk_add_f16") ? T_F16 : T_BF16, old, v);
}

static uint64_t changed(const access_form *f, unsigned slot, const uint64_t cells[FORM_INPUTS]) {
  uint64_t upper = f->bytes == 8 ? 0 : cells[2] & ~UINT64_C(0xffffffff);
  uint64_t mask = f->bytes == 8 ? UINT64_MAX : UINT32_MAX;
  if (slot % 2 == 0) return upper | (updated(f, cells[2], cells) & mask);
  uint64_t before = f->space == IN_BUFFER && slot == 3 ? cells[0] : cells[3];
  if (!gives_back(f, slot / 2)) return before;
  return (before & ~mask) | (cells[2] & mask);
}

uint64_t access_expected(const access_form *f, unsigned slot, const uint64_t (*inputs)[FORM_INPUTS],
                         unsigned lane, unsigned lanes) {
  switch (f->kind) {
  case ACCESS_LOAD: return loaded(f, slot, inputs, lane, lanes);
  case ACCESS_STORE: return stored(f, slot, inputs[lane]);
  default: return changed(f, slot, inputs[lane]);
  }
}

bool access_agrees(const access_form *f, uint64_t found, uint64_t expected) {
  if (found == expected) return true;
  if (!f->update || !strchr(f->update, '_')) return false;
  if (strncmp(f->update, "pk_", 3) == 0) {
    float_type t = strstr(f->update, "bf16") ? T_BF16 : T_F16;
    for (unsigned k = 0; k < 32; k += 16)
      if (mp_distance(t, found >> k & 0xffff, expected >> k & 0xffff)) return false;
    return found >> 32 == expected >> 32;
  }
  float_type t = f->bytes == 8 ? T_F64 : T_F32;
  uint64_t mask = f->bytes == 8 ? UINT64_MAX : UINT32_MAX;
  return mp_distance(t, found & mask, expected & mask) == 0 &&
         (found & ~mask) == (expected & ~mask);
}
