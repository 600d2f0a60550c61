/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* ---- which ways there are ---------------------------------------------------------------------
 */

/* Encodings differ among targets. */
static form_encoding encoding_on(const form *f, form_target t) {
  bool rdna = target_is_rdna(t);
  switch (f->encoding) {
  case E2N: return rdna ? E3 : E2;
  case E2L: return rdna ? E2 : E3;
  case E3V: return t == GFX1200 ? E2 : E3;
  default: return f->encoding;
  }
}

/* Halves of registers have names of their own; else op_sel says which are meant. */
static bool names_halves(form_target t) {
  return t == GFX1100;
}

static bool has_wide(const form *f) {
  return strpbrk(f->signature, "qd") != NULL;
}
static bool has_short(const form *f) {
  return strpbrk(f->signature, "sh") != NULL;
}
static bool all_floats(const form *f) {
  form_letters l = form_letters_of(f);
  for (unsigned k = 0; k < l.n_sources; k++)
    if (!form_is_float(l.sources[k])) return false;
  return true;
}
static bool gives_float(const form *f) {
  form_letters l = form_letters_of(f);
  return l.n_results && form_is_float(l.results[0]);
}

/* Words that any encoding of a vector instruction may have. */
static bool may_be_moved(const form *f, form_target t) {
  form_encoding e = encoding_on(f, t);
  return (e == E1 || e == E2) && !has_wide(f) && !(f->flags & (DOT | NO_DPP));
}
static bool may_have_parts(const form *f, form_target t) {
  form_encoding e = encoding_on(f, t);
  if (target_is_rdna(t) || has_wide(f) || f->flags & NO_SDWA) return false;
  return e == E1 || e == E2 || e == EC;
}
static bool has_e64(const form *f, form_target t) {
  form_encoding e = encoding_on(f, t);
  return e == E1 || e == E2 || e == EC;
}

static bool takes_vector(const form *f, form_target t, form_variant v) {
  form_encoding e = encoding_on(f, t);
  bool extended = e != E1A && e != E2K && !(f->flags & DOT);
  bool modifiers = extended && !(f->flags & NO_MODIFIERS);
  switch (v) {
  case AS_E32: return has_e64(f, t) || e == E2K || e == E1A;
  case AS_E64: return has_e64(f, t);
  case PLAIN: return e == E3 || e == E3E || e == EP;
  case NEGATED: return modifiers && all_floats(f) && !(f->flags & DIVISION);
  case CLAMPED:
    return modifiers && !(f->flags & NO_CLAMP) && f->family == FAMILY_VECTOR &&
           (gives_float(f) || f->flags & (SAT | SATS)) && e != E3E;
  case DOUBLED:
  case QUARTERED:
  case HALVED: return modifiers && gives_float(f) && all_floats(f) && f->family == FAMILY_VECTOR;
  case HIGH:
    if (f->family == FAMILY_COMPARE && !target_is_rdna(t)) return false;
    return extended && has_short(f) && !(f->flags & NO_SELECT) &&
           (names_halves(t) || (t == GFX1200 ? (f->flags & KEEP) != 0 : e == E3));
  case PART_SIGNED:
    if (f->flags & MASKED && form_letters_of(f).n_results == 1) return false;
    /* fallthrough */
  case PART: return may_have_parts(f, t) && !(f->flags & NO_MODIFIERS);
  case MOVED:
  case SHIFTED: return may_be_moved(f, t);
  case CONSTANT: return extended && e != E3E && form_letters_of(f).sources[0] != 'w';
  case LITERAL: return (e == E1 || e == E2 || e == EC) && !has_wide(f) && !(f->flags & MASKED);
  case FIRST_TWICE:
  case LAST_TWICE: return f->flags & DIVISION;
  default: return false;
  }
}

static bool takes_packed(const form *f, form_variant v) {
  return v == PLAIN || v == SWAPPED || (v == NEGATED_HALF && f->letter != 's') ||
         (v == CLAMPED && f->letter != 's') || (v == CONSTANT && f->letter != 'f');
}

static bool takes_scalar(const form *f, form_variant v) {
  form_letters l = form_letters_of(f);
  bool constant = l.n_sources && l.sources[0] == 'k';
  return v == PLAIN || ((v == CONSTANT || v == LITERAL) && !constant && !strchr(l.sources, 'k') &&
                        (v == CONSTANT || !has_wide(f)));
}

static bool takes(const form *f, form_target t, form_variant v) {
  switch (f->family) {
  case FAMILY_PACKED: return takes_packed(f, v);
  case FAMILY_SCALAR: return takes_scalar(f, v);
  default: return takes_vector(f, t, v);
  }
}

unsigned form_slots(const form *f, const char *name, form_target t, form_slot out[FORM_SLOTS]) {
  unsigned n = 0;
  (void)name;
  form_letters l = form_letters_of(f);
  for (form_variant v = 0; v < VARIANTS; v++) {
    if (!takes(f, t, v)) continue;
    if (f->family != FAMILY_SCALAR || l.n_results) out[n++] = (form_slot){v, RESULT};
    if (l.n_results > 1 || f->family == FAMILY_SCALAR) out[n++] = (form_slot){v, CARRY};
    if (f->flags & DENSE) out[n++] = (form_slot){v, LANES};
  }
  return n;
}

/* ---- operands ---------------------------------------------------------------------------------
 */

static const char *bit_register(form_target t, unsigned first, char out[16]) {
  if (target_is_rdna(t))
    snprintf(out, 16, "s%u", first);
  else
    snprintf(out, 16, "s[%u:%u]", first, first + 1);
  return out;
}
static const char *vcc_of(form_target t) {
  return target_is_rdna(t) ? "vcc_lo" : "vcc";
}

static void vector_register(char *out, size_t room, char letter, form_target t, unsigned first,
                            bool high) {
  if (letter == 'q' || letter == 'd')
    snprintf(out, room, "v[%u:%u]", first, first + 1);
  else if (letter == 'w')
    snprintf(out, room, "a%u", first);
  else if ((letter == 's' || letter == 'h') && names_halves(t))
    snprintf(out, room, "v%u.%c", first, high ? 'h' : 'l');
  else
    snprintf(out, room, "v%u", first);
}

static void scalar_register(char *out, size_t room, char letter, unsigned first) {
  if (letter == 'q' || letter == 'd')
    snprintf(out, room, "s[%u:%u]", first, first + 1);
  else
    snprintf(out, room, "s%u", first);
}

static bool is_short(char letter) {
  return letter == 's' || letter == 'h';
}

static const char *constant_of(char letter) {
  return form_is_float(letter) ? "-4.0" : "13";
}
static const char *literal_of(char letter) {
  return is_short(letter) ? "0x5a7d" : "0x4a5b6c7d";
}
/* The constant in an instruction of a form whose signature has a 'k'. */
static const char *fixed_of(const form *f) {
  form_letters l = form_letters_of(f);
  bool half = l.n_results && l.results[0] == 'h';
  return f->family == FAMILY_SCALAR && !strstr(f->signature, "f") ? "0xfed3"
         : half                                                   ? "0x5a7d"
                                                                  : "0x4a5b6c7d";
}

typedef struct writer {
  char *out;
  size_t n;
  bool any;
} writer;
static void put(writer *w, const char *text) {
  w->n += (size_t)snprintf(w->out + w->n, 200 - w->n, "%s%s", w->any ? ", " : " ", text);
  w->any = true;
}

static void put_source(writer *w, const form *f, form_target t, form_variant v, unsigned k) {
  char room[40], text[64];
  form_letters l = form_letters_of(f);
  char letter = l.sources[k];
  unsigned first = 4 + 2 * k;
  if (v == FIRST_TWICE && k == 0) first = 6;
  if (v == LAST_TWICE && k == 0) first = 8;
  if (letter == 'k') {
    put(w, fixed_of(f));
    return;
  }
  if (letter == 'm') {
    bool plain =
        v == AS_E32 || v == PART || v == PART_SIGNED || v == MOVED || v == SHIFTED || v == LITERAL;
    put(w, plain ? vcc_of(t) : bit_register(t, 20, room));
    return;
  }
  if (k == 0 && (v == CONSTANT || v == LITERAL)) {
    put(w, v == CONSTANT ? constant_of(letter) : literal_of(letter));
    return;
  }
  vector_register(room, sizeof room, letter, t, first, v == HIGH);
  const char *around[] = {"%s", "%s"};
  if (v == NEGATED) around[0] = k == 0 ? "-%s" : k == 1 ? "|%s|" : "-|%s|";
  if (v == PART_SIGNED && k == 0) around[0] = form_is_float(letter) ? "|%s|" : "sext(%s)";
  snprintf(text, sizeof text, around[0], room);
  put(w, text);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static const char *suffix_of(const form *f, form_target t, form_variant v) {
  bool e64 = has_e64(f, t);
  switch (v) {
  case AS_E32:
  case LITERAL: return encoding_on(f, t) == E2K || encoding_on(f, t) == E1A ? "" : "_e32";
  case PART:
  case PART_SIGNED: return "_sdwa";
  case MOVED:
  case SHIFTED: return "_dpp";
  default: return e64 ? "_e64" : "";
  }
}

static const char *part_words(const form *f, form_variant v) {
  bool two = form_letters_of(f).n_sources > 1;
  if (f->family == FAMILY_COMPARE)
    return v == PART ? " src0_sel:WORD_1 src1_sel:BYTE_2" : " src0_sel:BYTE_3 src1_sel:DWORD";
  if (v == PART)
    return two ? " dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_2"
               : " dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1";
  return two ? " dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 src1_sel:DWORD"
             : " dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3";
}

/* op_sel of all operands: sources, then the result. */
static void all_high(const form *f, form_target t, writer *w) {
  form_letters l = form_letters_of(f);
  w->n += (size_t)snprintf(w->out + w->n, 200 - w->n, " op_sel:[");
  for (unsigned k = 0; k < l.n_sources; k++)
    w->n += (size_t)snprintf(w->out + w->n, 200 - w->n, "%u,", is_short(l.sources[k]));
  w->n += (size_t)snprintf(w->out + w->n, 200 - w->n, "%u]", is_short(l.results[0]));
  (void)t;
}

static void put_words(const form *f, form_target t, form_variant v, writer *w) {
  const char *words = "";
  switch (v) {
  case CLAMPED: words = " clamp"; break;
  case DOUBLED: words = " mul:2"; break;
  case QUARTERED: words = " mul:4"; break;
  case HALVED: words = " div:2"; break;
  case PART:
  case PART_SIGNED: words = part_words(f, v); break;
  case MOVED: words = " quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf"; break;
  case SHIFTED: words = " row_shr:1 row_mask:0xf bank_mask:0xf"; break;
  case HIGH:
    if (!names_halves(t)) all_high(f, t, w);
    break;
  default: break;
  }
  w->n += (size_t)snprintf(w->out + w->n, 200 - w->n, "%s%s", words,
                           f->flags & TRUTH          ? " bitop3:0x6c"
                           : f->flags & SIGNED_FIRST ? " neg_lo:[1,0,0]"
                                                     : "");
}

static void vector_line(const form *f, const char *name, form_target t, form_variant v, char *out) {
  char room[40];
  form_letters l = form_letters_of(f);
  writer w = {.out = out};
  w.n = (size_t)snprintf(out, 200, "%s%s", name, suffix_of(f, t, v));
  bool implicit =
      v == AS_E32 || v == PART || v == PART_SIGNED || v == MOVED || v == SHIFTED || v == LITERAL;
  for (unsigned k = 0; k < l.n_results; k++) {
    if (l.results[k] != 'm') {
      vector_register(room, sizeof room, l.results[k], t, 12, v == HIGH);
      put(&w, room);
    } else if (f->writes_exec && target_is_rdna(t)) {
      continue;
    } else {
      put(&w, implicit ? vcc_of(t) : bit_register(t, 22, room));
    }
  }
  for (unsigned k = 0; k < l.n_sources; k++) {
    if (l.sources[k] == 'm' && (v == MOVED || v == SHIFTED) && f->encoding != E2) continue;
    put_source(&w, f, t, v, k);
  }
  put_words(f, t, v, &w);
}

static void packed_line(const form *f, const char *name, form_variant v, char *out) {
  static const char *const words[VARIANTS][2] = {
      [SWAPPED] = {" op_sel:[1,0] op_sel_hi:[0,0]", " op_sel:[1,0,0] op_sel_hi:[0,0,1]"},
      [NEGATED_HALF] = {" neg_lo:[1,0] neg_hi:[0,1]", " neg_lo:[1,0,0] neg_hi:[0,1,0]"},
      [CLAMPED] = {" clamp", " clamp"},
  };
  bool wide = f->letter == 'f', three = form_letters_of(f).n_sources == 3;
  const char *end = words[v][three];
  int n = snprintf(out, 200, "%s %s", name, wide ? "v[12:13]" : "v12");
  for (unsigned k = 0; k < (three ? 3u : 2u); k++) {
    if (k == 0 && v == CONSTANT)
      n += snprintf(out + n, 200 - (size_t)n, ", %s", f->letter == 'h' ? "-4.0" : "13");
    else if (wide)
      n += snprintf(out + n, 200 - (size_t)n, ", v[%u:%u]", 4 + 2 * k, 5 + 2 * k);
    else
      n += snprintf(out + n, 200 - (size_t)n, ", v%u", 4 + 2 * k);
  }
  snprintf(out + n, 200 - (size_t)n, "%s", end ? end : "");
}

static void scalar_line(const form *f, const char *name, form_variant v, char *out) {
  char room[40];
  form_letters l = form_letters_of(f);
  writer w = {.out = out};
  w.n = (size_t)snprintf(out, 200, "%s", name);
  if (l.n_results) {
    scalar_register(room, sizeof room, l.results[0], 28);
    put(&w, room);
  }
  for (unsigned k = 0; k < l.n_sources; k++) {
    char letter = l.sources[k];
    scalar_register(room, sizeof room, letter, 20 + 2 * k);
    put(&w, letter == 'k'             ? fixed_of(f)
            : k == 0 && v == CONSTANT ? constant_of(letter)
            : k == 0 && v == LITERAL  ? literal_of(letter)
                                      : room);
  }
}

void form_line(const form *f, const char *name, form_target t, form_variant v, char out[200]) {
  if (f->family == FAMILY_PACKED)
    packed_line(f, name, v, out);
  else if (f->family == FAMILY_SCALAR)
    scalar_line(f, name, v, out);
  else
    vector_line(f, name, t, v, out);
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

void text_wait(FILE *out, form_target t) {
  if (t == GFX1200)
    fputs("  s_wait_loadcnt_dscnt 0x0\n  s_wait_kmcnt 0x0\n  s_wait_storecnt 0x0\n", out);
  else
    fputs("  s_waitcnt vmcnt(0) lgkmcnt(0)\n", out);
  if (t == GFX1100) fputs("  s_waitcnt_vscnt null, 0x0\n", out);
}

/* v1: the number of the lane in the grid, or of the wave; v2: where its inputs begin. */
void text_begin(FILE *out, const char *name, form_target t, bool of_wave) {
  bool rdna = target_is_rdna(t);
  fprintf(out, "  .p2align 8\n  .globl %s\n  .type %s,@function\n%s:\n", name, name, name);
  if (t == GFX1200) fputs("  s_mov_b32 s2, ttmp9\n", out);
  fprintf(out, "  %s s[8:15], s[0:1], 0x0\n", rdna ? "s_load_b256" : "s_load_dwordx8");
  fprintf(out, "  %s s[16:17], s[0:1], 0x20\n", rdna ? "s_load_b64" : "s_load_dwordx2");
  if (of_wave)
    fputs("  v_mov_b32_e32 v1, s2\n", out);
  else
    fprintf(out, "  v_lshl_add_u32 v1, s2, %u, v0\n", rdna ? 5 : 6);
  fputs("  v_lshlrev_b32_e32 v2, 3, v1\n", out);
  text_wait(out, t);
}

void text_input(FILE *out, form_target t, unsigned k, unsigned reg) {
  fprintf(out, "  %s v[%u:%u], v2, s[%u:%u]\n",
          target_is_rdna(t) ? "global_load_b64" : "global_load_dwordx2", reg, reg + 1, 8 + 2 * k,
          9 + 2 * k);
}

/* v3: where the results begin. */
void text_rows(FILE *out, unsigned slots, unsigned stride) {
  (void)slots;
  fprintf(out, "  v_mul_u32_u24_e32 v3, %u, v1\n", stride);
}

void text_store(FILE *out, form_target t, unsigned slot, unsigned reg) {
  fprintf(out, "  %s v3, v[%u:%u], s[16:17] offset:%u\n",
          target_is_rdna(t) ? "global_store_b64" : "global_store_dwordx2", reg, reg + 1, 8 * slot);
}

void text_end(FILE *out, const char *name, form_target t, unsigned lds, unsigned scratch) {
  bool rdna = target_is_rdna(t);
  fputs("  s_endpgm\n", out);
  fprintf(out, ".L%s_end:\n  .size %s, .L%s_end-%s\n", name, name, name, name);
  fputs("  .section .rodata,\"a\"\n  .p2align 6\n", out);
  fprintf(out, "  .amdhsa_kernel %s\n", name);
  fprintf(out, "    .amdhsa_group_segment_fixed_size %u\n", lds);
  fprintf(out, "    .amdhsa_private_segment_fixed_size %u\n", scratch);
  fputs("    .amdhsa_kernarg_size 40\n    .amdhsa_user_sgpr_kernarg_segment_ptr 1\n", out);
  fputs("    .amdhsa_system_sgpr_workgroup_id_x 1\n", out);
  fputs("    .amdhsa_next_free_vgpr 256\n    .amdhsa_next_free_sgpr 64\n", out);
  fputs("    .amdhsa_float_denorm_mode_32 3\n    .amdhsa_float_denorm_mode_16_64 3\n", out);
  if (!rdna) fputs("    .amdhsa_accum_offset 128\n", out);
  if (rdna) fputs("    .amdhsa_wavefront_size32 1\n", out);
  if (scratch)
    fprintf(out, "    .amdhsa_%s 1\n",
            t == GFX90A ? "system_sgpr_private_segment_wavefront_offset"
                        : "enable_private_segment");
  fputs("  .end_amdhsa_kernel\n  .text\n", out);
}

void form_metadata(FILE *out, const char *const *names, size_t n, form_target t) {
  static const char letters[] = "abcdr";
  fprintf(out, "  .amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--%s\n",
          form_targets[t]);
  fputs("amdhsa.kernels:\n", out);
  for (size_t k = 0; k < n; k++) {
    fprintf(out, "  - .name: %s\n    .symbol: %s.kd\n    .args:\n", names[k], names[k]);
    for (unsigned i = 0; i < 5; i++)
      fprintf(out,
              "      - {.name: %c, .offset: %u, .size: 8, .value_kind: global_buffer, "
              ".address_space: global}\n",
              letters[i], 8 * i);
    fprintf(out,
            "    .kernarg_segment_size: 40\n    .kernarg_segment_align: 8\n"
            "    .group_segment_fixed_size: 8192\n    .private_segment_fixed_size: 512\n"
            "    .max_flat_workgroup_size: 64\n    .sgpr_count: 64\n    .vgpr_count: 256\n"
            "    .wavefront_size: %u\n",
            target_is_rdna(t) ? 32 : 64);
  }
  fputs("  .end_amdgpu_metadata\n", out);
}

/* A bit of each lane, of bit 0 of d. */
static void masks(FILE *out, form_target t) {
  char room[16];
  fputs("  v_and_b32_e32 v15, 1, v10\n", out);
  fprintf(out, "  v_cmp_eq_u32_e64 %s, 1, v15\n", bit_register(t, 20, room));
  fprintf(out, "  s_mov_b%u %s, %s\n", target_is_rdna(t) ? 32 : 64, vcc_of(t), room);
}

static void lanes_to_bits(FILE *out, form_target t, const char *mask) {
  (void)t;
  fprintf(out, "  v_cndmask_b32_e64 v14, 0, 1, %s\n  v_mov_b32_e32 v15, 0\n", mask);
}

static void vector_step(FILE *out, const form *f, const char *name, form_target t, form_slot s,
                        unsigned slot) {
  char line[200], room[16];
  bool rdna = target_is_rdna(t), implicit = !strstr(suffix_of(f, t, s.variant), "_e64") &&
                                            encoding_on(f, t) != E3 && encoding_on(f, t) != E3E;
  const char *exec = rdna ? "exec_lo" : "exec";
  unsigned width = rdna ? 32 : 64;
  masks(out, t);
  fputs("  v_mov_b32_e32 v12, v10\n  v_mov_b32_e32 v13, v11\n", out);
  if (strchr(f->signature, 'w'))
    fputs("  v_accvgpr_write_b32 a4, v4\n  v_accvgpr_write_b32 a12, v10\n", out);
  if (f->writes_exec) fprintf(out, "  s_mov_b%u %s, %s\n", width, bit_register(t, 24, room), exec);
  form_line(f, name, t, s.variant, line);
  fprintf(out, "  s_nop 7\n  %s\n  s_nop 7\n", line);
  if (f->writes_exec) {
    fprintf(out, "  s_mov_b%u %s, %s\n", width, bit_register(t, 22, room), exec);
    fprintf(out, "  s_mov_b%u %s, %s\n", width, exec, bit_register(t, 24, room));
  }
  if (strpbrk(f->signature, "w") == f->signature) fputs("  v_accvgpr_read_b32 v12, a12\n", out);
  bool bits = s.part == CARRY || f->family == FAMILY_COMPARE;
  if (bits) {
    const char *mask = implicit && !f->writes_exec ? vcc_of(t) : bit_register(t, 22, room);
    lanes_to_bits(out, t, mask);
  }
  text_store(out, t, slot, bits ? 14 : 12);
  text_wait(out, t);
}

static void vector_kernel(FILE *out, const form *f, const char *name, form_target t) {
  form_slot slots[FORM_SLOTS];
  unsigned n = form_slots(f, name, t, slots);
  for (unsigned k = 0; k < FORM_INPUTS; k++) text_input(out, t, k, 4 + 2 * k);
  text_rows(out, n, 8 * n);
  text_wait(out, t);
  for (unsigned s = 0; s < n; s++) vector_step(out, f, name, t, slots[s], s);
}

static void scalar_step(FILE *out, const form *f, const char *name, form_target t, form_slot s,
                        unsigned slot) {
  char line[200];
  bool rdna = target_is_rdna(t);
  const char *exec = rdna ? "exec_lo" : "exec", *all = rdna ? "s36" : "s[36:37]",
             *given = rdna ? "s22" : "s[22:23]", *left = rdna ? "s32" : "s[32:33]";
  unsigned width = rdna ? 32 : 64;
  fputs("  s_mov_b64 s[28:29], s[26:27]\n  s_mov_b32 s33, 0\n", out);
  fprintf(out, "  s_mov_b%u %s, %s\n", width, all, exec);
  fputs("  s_bitcmp1_b32 s24, 0\n", out);
  if (f->flags & DENSE) fprintf(out, "  s_mov_b%u %s, %s\n", width, exec, given);
  form_line(f, name, t, s.variant, line);
  fprintf(out, "  %s\n", line);
  fputs("  s_cselect_b32 s34, 1, 0\n  s_mov_b32 s35, 0\n", out);
  fprintf(out, "  s_mov_b%u %s, %s\n  s_mov_b%u %s, %s\n", width, left, exec, width, exec, all);
  unsigned from = s.part == RESULT ? 28 : s.part == CARRY ? 34 : 32;
  fprintf(out, "  v_mov_b32_e32 v12, s%u\n  v_mov_b32_e32 v13, s%u\n", from, from + 1);
  fprintf(out, "  s_mov_b%u %s, 1\n", width, exec);
  text_store(out, t, slot, 12);
  text_wait(out, t);
  fprintf(out, "  s_mov_b%u %s, %s\n", width, exec, all);
}

static void scalar_kernel(FILE *out, const form *f, const char *name, form_target t) {
  form_slot slots[FORM_SLOTS];
  unsigned n = form_slots(f, name, t, slots);
  for (unsigned k = 0; k < FORM_INPUTS; k++) text_input(out, t, k, 4 + 2 * k);
  text_rows(out, n, 8 * n);
  text_wait(out, t);
  for (unsigned k = 0; k < 8; k++) fprintf(out, "  v_readfirstlane_b32 s%u, v%u\n", 20 + k, 4 + k);
  fputs("  s_nop 4\n", out);
  for (unsigned s = 0; s < n; s++) scalar_step(out, f, name, t, slots[s], s);
}

void form_write(FILE *out, const form *f, const char *name, form_target t) {
  bool scalar = f->family == FAMILY_SCALAR;
  char kernel[80];
  snprintf(kernel, sizeof kernel, "form_%s", name);
  text_begin(out, kernel, t, scalar);
  if (scalar)
    scalar_kernel(out, f, name, t);
  else
    vector_kernel(out, f, name, t);
  text_end(out, kernel, t, 0, 0);
}
