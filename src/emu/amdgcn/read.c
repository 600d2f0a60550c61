/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line: a mnemonic, operands with commas between, modifiers with blanks between.
 *
 *   v_add_f32_dpp v0, -v1, |v2| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
 */
#include "emu/amdgcn/read.h"

#include <ctype.h>
#include <stdlib.h>

#include "emu/amdgcn/convert.h"
#include "emu/amdgcn/hazards.h"
#include "emu/amdgcn/matrix.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/names.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/vector.h"

/* ---- pieces of text ------------------------------------------------------------------------- */

typedef struct cursor {
  const char *p;
  unsigned scalars; /* scalar registers that have numbers */
} cursor;

static void skip_blanks(cursor *c) {
  while (*c->p == ' ' || *c->p == '\t') c->p++;
}

static bool take(cursor *c, const char *word) {
  size_t n = strlen(word);
  if (strncmp(c->p, word, n) != 0) return false;
  c->p += n;
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static str take_word(cursor *c) {
  const char *first = c->p;
  while (is_word(*c->p)) c->p++;
  return (str){first, (size_t)(c->p - first)};
}

static bool is_number(const char *p) {
  if (*p == '-') p++;
  return isdigit((unsigned char)*p);
}

static uint64_t take_number(cursor *c) {
  bool minus = *c->p == '-';
  char *end;
  uint64_t n = strtoull(c->p + minus, &end, 0);
  c->p = end;
  return minus ? -n : n;
}

/* ---- registers ------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  uint8_t kind, count;
  uint16_t first;
} named[] = {
    {"vcc_lo", GCN_SCALAR, 1, GCN_VCC},
    {"vcc_hi", GCN_SCALAR, 1, GCN_VCC + 1},
    {"vcc", GCN_SCALAR, 2, GCN_VCC},
    {"exec_lo", GCN_SCALAR, 1, GCN_EXEC},
    {"exec_hi", GCN_SCALAR, 1, GCN_EXEC + 1},
    {"exec", GCN_SCALAR, 2, GCN_EXEC},
    {"m0", GCN_SCALAR, 1, GCN_M0},
    {"flat_scratch_lo", GCN_SCALAR, 1, GCN_FLAT_SCRATCH},
    {"flat_scratch_hi", GCN_SCALAR, 1, GCN_FLAT_SCRATCH + 1},
    {"flat_scratch", GCN_SCALAR, 2, GCN_FLAT_SCRATCH},
    {"src_scc", GCN_SPECIAL, 1, GCN_SCC},
    {"scc", GCN_SPECIAL, 1, GCN_SCC},
    {"src_vccz", GCN_SPECIAL, 1, GCN_VCCZ},
    {"src_execz", GCN_SPECIAL, 1, GCN_EXECZ},
    {"src_shared_base", GCN_SPECIAL, 2, GCN_SHARED_BASE},
    {"src_private_base", GCN_SPECIAL, 2, GCN_PRIVATE_BASE},
    {"off", GCN_OFF, 0, 0},
    {"null", GCN_OFF, 0, 0},
};

/* "ttmp9", "ttmp[8:11]". */
static bool take_trap(cursor *c, gcn_operand *o) {
  cursor t = *c;
  if (!take(&t, "ttmp")) return false;
  bool range = take(&t, "[");
  uint64_t first = take_number(&t), last = first;
  if (range && take(&t, ":")) last = take_number(&t);
  if (range && !take(&t, "]")) return false;
  if (last < first || last > 15) return false;
  *o = (gcn_operand){.kind = GCN_SCALAR,
                     .first = (uint16_t)(GCN_TRAP + first),
                     .count = (uint8_t)(last - first + 1)};
  *c = t;
  return true;
}

/* "v5", "s[2:3]", "v7.h": a letter, one number or a range, and which half of a register. */
static bool take_numbered(cursor *c, gcn_operand *o) {
  static const char letters[] = "vas";
  const char *letter = strchr(letters, *c->p);
  if (!*c->p || !letter || (!isdigit((unsigned char)c->p[1]) && c->p[1] != '[')) return false;
  cursor t = {c->p + 1};
  bool range = take(&t, "[");
  uint64_t first = take_number(&t), last = first;
  if (range && take(&t, ":")) last = take_number(&t);
  if (range && !take(&t, "]")) return false;
  uint64_t limit = *letter == 's' ? c->scalars : GCN_ACCUMULATOR;
  if (last < first || last >= limit || last - first >= 32) return false;
  o->kind = *letter == 's' ? GCN_SCALAR : GCN_VECTOR;
  o->first = (uint16_t)(first + (*letter == 'a' ? GCN_ACCUMULATOR : 0));
  o->count = (uint8_t)(last - first + 1);
  o->high = take(&t, ".h");
  if (!o->high) take(&t, ".l");
  c->p = t.p;
  return true;
}

static bool take_named(cursor *c, gcn_operand *o) {
  cursor t = *c;
  str word = take_word(&t);
  for (size_t k = 0; k < ARRAY_LEN(named); k++) {
    if (!str_eq(word, str_of(named[k].name))) continue;
    o->kind = named[k].kind;
    o->count = named[k].count;
    o->first = named[k].first;
    *c = t;
    return true;
  }
  return false;
}

/* "1.0" is a float, "-4" and "0x3f80" are bits. */
static bool take_literal(cursor *c, gcn_operand *o) {
  if (!is_number(c->p)) return false;
  const char *p = c->p + (*c->p == '-');
  bool hexadecimal = p[0] == '0' && p[1] == 'x';
  size_t n = strspn(p, hexadecimal ? "0123456789abcdefx" : "0123456789.e-");
  if (!hexadecimal && memchr(p, '.', n)) {
    char *end;
    double value = strtod(c->p, &end);
    o->kind = GCN_FLOAT; /* LLVM writes the one that has no end with few digits */
    memcpy(&o->bits, &value, 8);
    c->p = end;
    return true;
  }
  o->kind = hexadecimal ? GCN_LITERAL : GCN_INTEGER;
  o->bits = take_number(c);
  return true;
}

/* ---- operands ------------------------------------------------------------------------------- */

/* "lit(0x7)" has a word of its own, which an inline constant would not need; "lit64" all bits. */
static bool take_spelled(cursor *c, gcn_operand *o) {
  bool wide = take(c, "lit64(");
  if (!wide && !take(c, "lit(")) return false;
  if (!take_literal(c, o) || !take(c, ")")) return false;
  if (wide) o->kind = GCN_INTEGER;
  return true;
}

/* "hwreg(HW_REG_MODE, 0, 4)": a field of a register, from a bit on, of so many bits. */
static bool take_hardware(cursor *c, gcn_operand *o) {
  if (!take(c, "hwreg(HW_REG_MODE") && !take(c, "hwreg(HW_REG_WAVE_MODE")) return false;
  *o = (gcn_operand){.kind = GCN_MODE, .count = 32};
  if (take(c, ", ")) {
    o->first = (uint16_t)(take_number(c) & 31);
    if (!take(c, ", ")) return false;
    o->count = (uint8_t)(take_number(c) & 63);
  }
  return take(c, ")") && o->count >= 1 && o->first + o->count <= 32;
}

static bool take_plain(cursor *c, gcn_operand *o) {
  return take_numbered(c, o) || take_trap(c, o) || take_spelled(c, o) || take_hardware(c, o) ||
         take_named(c, o) || take_literal(c, o);
}

static bool take_operand(cursor *c, gcn_operand *o) {
  *o = (gcn_operand){0};
  if (*c->p == '-' && !is_number(c->p)) {
    o->negate = true;
    c->p++;
  }
  o->absolute = take(c, "|");
  o->extend = !o->absolute && take(c, "sext(");
  if (!take_plain(c, o)) return false;
  return (!o->absolute || take(c, "|")) && (!o->extend || take(c, ")"));
}

/* ---- modifiers ------------------------------------------------------------------------------ */

/* "[1,0,1]" as bits, `width` for each number. */
static unsigned take_list(cursor *c, unsigned width) {
  unsigned bits = 0;
  if (!take(c, "[")) return 0;
  for (unsigned k = 0; is_number(c->p); k += width) {
    bits |= (unsigned)take_number(c) << k;
    take(c, ",");
  }
  take(c, "]");
  return bits;
}

static const struct {
  const char *name;
  uint16_t flag;
} flags[] = {
    {"clamp", GCN_CLAMP},
    {"sc0", GCN_RETURNS | GCN_COHERENT},
    {"sc1", GCN_COHERENT},
    {"nt", 0},
    {"lds", GCN_TO_LDS},
    {"offen", GCN_OFFEN},
    {"idxen", GCN_IDXEN},
    {"glc", GCN_RETURNS | GCN_COHERENT},
    {"slc", 0},
    {"dlc", 0},
};

static const struct {
  const char *name;
  uint8_t move;
  uint8_t fixed; /* the number, where none is written */
} moves[] = {
    {"row_shl", GCN_ROW_LEFT, 0},
    {"row_shr", GCN_ROW_RIGHT, 0},
    {"row_ror", GCN_ROW_ROTATE, 0},
    {"wave_shl", GCN_WAVE_LEFT, 1},
    {"wave_rol", GCN_WAVE_ROTATE_LEFT, 1},
    {"wave_shr", GCN_WAVE_RIGHT, 1},
    {"wave_ror", GCN_WAVE_ROTATE_RIGHT, 1},
    {"row_mirror", GCN_ROW_MIRROR, 0},
    {"row_half_mirror", GCN_HALF_MIRROR, 0},
    {"row_newbcast", GCN_ROW_NEW_BROADCAST, 0},
    {"row_share", GCN_ROW_NEW_BROADCAST, 0},
    {"row_xmask", GCN_ROW_XOR, 0},
};

static const char *const parts[] = {"DWORD",  "BYTE_0", "BYTE_1", "BYTE_2",
                                    "BYTE_3", "WORD_0", "WORD_1"};

static bool take_part(cursor *c, uint8_t *out) {
  str word = take_word(c);
  for (size_t k = 0; k < ARRAY_LEN(parts); k++)
    if (str_eq(word, str_of(parts[k]))) {
      *out = (uint8_t)k;
      return true;
    }
  return false;
}

static bool take_rest(cursor *c, gcn_insn *i) {
  str word = take_word(c);
  if (str_eq(word, str_of("UNUSED_PRESERVE")))
    i->flags |= GCN_KEEP;
  else if (str_eq(word, str_of("UNUSED_SEXT")))
    i->flags |= GCN_SIGN_REST;
  else
    return str_eq(word, str_of("UNUSED_PAD"));
  return true;
}

static bool take_broadcast(cursor *c, gcn_insn *i) {
  uint64_t n = take_number(c);
  i->move = n == 15 ? GCN_BROADCAST_15 : GCN_BROADCAST_31;
  return n == 15 || n == 31;
}

/* The sources' parts, by their place behind the results. */
static bool take_source_part(cursor *c, gcn_insn *i, unsigned k, unsigned results) {
  return results + k < GCN_MAX_OPERANDS && take_part(c, &i->operands[results + k].part);
}

static bool is(str word, const char *name) {
  return str_eq(word, str_of(name));
}

/* Lanes of 32 that read from others: lane & AND | OR ^ XOR, five bits each, or within four lanes.
 */
enum { SWIZZLE_OR = 5, SWIZZLE_XOR = 10, SWIZZLE_QUAD = 0x8000, SWIZZLE_ALL = 31 };

/* "00p1i": for each bit of the lane's number, from the highest on, 0, 1, itself or its opposite. */
static bool take_mask(cursor *c, int32_t *pattern) {
  if (!take(c, "\"")) return false;
  *pattern = 0;
  for (unsigned bit = 5; bit-- > 0; c->p++) {
    if (*c->p == 'p' || *c->p == 'i') *pattern |= 1 << bit;
    if (*c->p == '1') *pattern |= 1 << (SWIZZLE_OR + bit);
    if (*c->p == 'i') *pattern |= 1 << (SWIZZLE_XOR + bit);
    if (!strchr("01pi", *c->p) || !*c->p) return false;
  }
  return take(c, "\"");
}

/* ds_swizzle_b32's offset, by the names of patterns. */
static bool take_swizzle(cursor *c, int32_t *pattern) {
  bool good = true;
  if (take(c, "BITMASK_PERM,")) {
    good = take_mask(c, pattern);
  } else if (take(c, "SWAP,")) {
    *pattern = SWIZZLE_ALL | (int32_t)(take_number(c) & SWIZZLE_ALL) << SWIZZLE_XOR;
  } else if (take(c, "REVERSE,")) {
    *pattern = SWIZZLE_ALL | (int32_t)((take_number(c) - 1) & SWIZZLE_ALL) << SWIZZLE_XOR;
  } else if (take(c, "BROADCAST,")) {
    uint64_t size = take_number(c);
    good = take(c, ",");
    *pattern = (int32_t)(SWIZZLE_ALL & ~(size - 1));
    *pattern |= (int32_t)(take_number(c) & SWIZZLE_ALL) << SWIZZLE_OR;
  } else if (take(c, "QUAD_PERM")) {
    *pattern = SWIZZLE_QUAD;
    for (unsigned k = 0; k < 4 && take(c, ","); k++)
      *pattern |= (int32_t)(take_number(c) & 3) << 2 * k;
  } else {
    return false;
  }
  return good && take(c, ")");
}

/* What an access of RDNA4 asks of caches, of which only what an atomic gives back matters here. */
static bool take_hint(cursor *c, gcn_insn *i) {
  str word = take_word(c);
  if (str_starts(word, "TH_ATOMIC") && word.len > 7 &&
      memcmp(word.data + word.len - 7, "_RETURN", 7) == 0)
    i->flags |= GCN_RETURNS;
  return str_starts(word, "TH_");
}

static bool take_scope(cursor *c, gcn_insn *i) {
  str word = take_word(c);
  i->flags |= GCN_COHERENT;
  return str_starts(word, "SCOPE_");
}

/* Of a source, or of the result where that has a byte, as op_sel has them elsewhere. */
static void take_byte(cursor *c, gcn_insn *i) {
  unsigned byte = (unsigned)take_number(c) & 3;
  i->select = (uint8_t)(*i->row->signature == '+' ? byte << 2 : byte);
}

/* A modifier with a number, a list, or a word behind its colon. */
static bool take_valued(cursor *c, gcn_insn *i, str name, unsigned results) {
  if (is(name, "offset") && take(c, "swizzle("))
    return take_swizzle(c, &i->offset);
  else if (is(name, "offset"))
    i->offset = (int32_t)take_number(c);
  else if (is(name, "offset0"))
    i->offsets[0] = (uint8_t)take_number(c);
  else if (is(name, "offset1"))
    i->offsets[1] = (uint8_t)take_number(c);
  else if (is(name, "mul"))
    i->scale = take_number(c) == 4 ? 2 : 1;
  else if (is(name, "div"))
    i->scale = (int8_t) - (take_number(c) == 2);
  else if (is(name, "row_mask"))
    i->row_mask = (uint8_t)take_number(c);
  else if (is(name, "bank_mask"))
    i->bank_mask = (uint8_t)take_number(c);
  else if (is(name, "bound_ctrl"))
    take_number(c), i->flags |= GCN_BOUND_CTRL;
  else if (is(name, "op_sel"))
    i->select = (uint8_t)take_list(c, 1);
  else if (is(name, "byte_sel"))
    take_byte(c, i);
  else if (is(name, "op_sel_hi"))
    i->select_high = (uint8_t)take_list(c, 1);
  else if (is(name, "neg_lo"))
    i->negate_low = (uint8_t)take_list(c, 1);
  else if (is(name, "neg_hi"))
    i->negate_high = (uint8_t)take_list(c, 1);
  else if (is(name, "cbsz"))
    i->broadcast = (uint8_t)take_number(c);
  else if (is(name, "abid"))
    i->broadcast_from = (uint8_t)take_number(c);
  else if (is(name, "blgp"))
    i->turn = (uint8_t)take_number(c);
  else if (is(name, "index_key"))
    i->broadcast_from = (uint8_t)take_number(c);
  else if (is(name, "fi"))
    i->flags |= take_number(c) ? GCN_ANY_LANE : 0;
  else if (is(name, "th"))
    return take_hint(c, i);
  else if (is(name, "scope"))
    return take_scope(c, i);
  else if (is(name, "bitop3"))
    i->truth = (uint8_t)take_number(c);
  else if (is(name, "quad_perm")) {
    i->move = GCN_QUAD;
    i->move_number = (uint8_t)take_list(c, 2);
  } else if (is(name, "dpp8")) {
    i->move = GCN_EIGHT;
    i->eight = take_list(c, 3);
    i->flags |= GCN_BOUND_CTRL;
  } else if (is(name, "row_bcast"))
    return take_broadcast(c, i);
  else if (is(name, "dst_sel"))
    return take_part(c, &i->part);
  else if (is(name, "dst_unused"))
    return take_rest(c, i);
  else if (is(name, "src0_sel"))
    return take_source_part(c, i, 0, results);
  else if (is(name, "src1_sel"))
    return take_source_part(c, i, 1, results);
  else
    return false;
  return true;
}

static bool take_move(cursor *c, gcn_insn *i, str name) {
  for (size_t k = 0; k < ARRAY_LEN(moves); k++) {
    if (!is(name, moves[k].name)) continue;
    i->move = moves[k].move;
    i->move_number = take(c, ":") ? (uint8_t)take_number(c) : moves[k].fixed;
    return true;
  }
  return false;
}

static bool take_modifier(cursor *c, gcn_insn *i, unsigned results) {
  str name = take_word(c);
  if (!name.len) return false;
  for (size_t k = 0; k < ARRAY_LEN(flags); k++)
    if (is(name, flags[k].name)) {
      i->flags |= flags[k].flag;
      return true;
    }
  if (take_move(c, i, name)) return true;
  return take(c, ":") && take_valued(c, i, name, results);
}

/* ---- waits ---------------------------------------------------------------------------------- */

/* "vmcnt(0) lgkmcnt(1)" or, when none of the counters has a limit, a number. */
static bool take_waits(cursor *c, gcn_insn *i) {
  if (is_number(c->p)) {
    take_number(c);
    return true;
  }
  while (*c->p) {
    str name = take_word(c);
    if (!take(c, "(")) return false;
    uint8_t n = (uint8_t)take_number(c);
    if (!take(c, ")")) return false;
    if (is(name, "vmcnt"))
      i->limit[GCN_COUNT_VECTOR] = n;
    else if (is(name, "lgkmcnt"))
      i->limit[GCN_COUNT_LDS] = n;
    else if (!is(name, "expcnt"))
      return false;
    skip_blanks(c);
    take(c, "&");
    skip_blanks(c);
  }
  return true;
}

/* Waits for one counter, or two: of the number the upper byte is for the first. Those without a
 * counter here are of what is not executed: exports, images. */
static const struct {
  const char *name;
  int8_t first, second;
} split_waits[] = {
    {"s_wait_loadcnt", GCN_COUNT_VECTOR, -1},
    {"s_wait_storecnt", GCN_COUNT_STORE, -1},
    {"s_wait_dscnt", GCN_COUNT_LDS, -1},
    {"s_wait_kmcnt", GCN_COUNT_SCALAR, -1},
    {"s_wait_loadcnt_dscnt", GCN_COUNT_VECTOR, GCN_COUNT_LDS},
    {"s_wait_storecnt_dscnt", GCN_COUNT_STORE, GCN_COUNT_LDS},
    {"s_wait_samplecnt", -1, -1},
    {"s_wait_bvhcnt", -1, -1},
    {"s_wait_expcnt", -1, -1},
    {"s_waitcnt_vscnt", GCN_COUNT_STORE, -1},
    {"s_waitcnt_vmcnt", GCN_COUNT_VECTOR, -1},
    {"s_waitcnt_lgkmcnt", GCN_COUNT_LDS, -1},
    {"s_waitcnt_expcnt", -1, -1},
};

/* As many as a counter counts, or none: all may be left. */
static void set_limit(gcn_insn *i, int counter, uint64_t n) {
  if (counter >= 0 && n < 63) i->limit[counter] = (uint8_t)n;
}

static bool take_split_wait(cursor *c, gcn_insn *i, str name) {
  take(c, "null");
  take(c, ",");
  skip_blanks(c);
  if (!is_number(c->p)) return false;
  uint64_t n = take_number(c);
  for (size_t k = 0; k < ARRAY_LEN(split_waits); k++) {
    if (!is(name, split_waits[k].name)) continue;
    bool two = split_waits[k].second >= 0;
    set_limit(i, split_waits[k].first, two ? n >> 8 & 63 : n);
    set_limit(i, split_waits[k].second, n & 63);
    return true;
  }
  return false;
}

/* ---- the line ------------------------------------------------------------------------------- */

/* The mnemonic without what only says how it is encoded. */
static str fold(str name) {
  static const char *const ends[] = {"_dpp", "_e32", "_e64", "_sdwa"};
  for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
    size_t n = strlen(ends[k]);
    if (name.len > n && memcmp(name.data + name.len - n, ends[k], n) == 0) name.len -= n;
  }
  return name;
}

static unsigned count_results(const gcn_row *row) {
  const char *s = row->signature, *end = strchr(s, '=');
  if (!end) return 0;
  return (unsigned)(end - s) - (*s == '+');
}

static bool take_operands(cursor *c, gcn_insn *i) {
  while (*c->p) {
    if (i->n_operands == GCN_MAX_OPERANDS) return false;
    /* "offset:8" may come behind the last operand without a comma. */
    if (!take_operand(c, &i->operands[i->n_operands])) return i->n_operands == 0;
    i->n_operands++;
    skip_blanks(c);
    if (!take(c, ",")) return true;
    skip_blanks(c);
  }
  return true;
}

/* As many operands as the signature has, where it says so. */
static bool fits(const gcn_insn *i) {
  const char *s = i->row->signature;
  if (!*s) return true;
  if (strchr(s, '*')) return i->n_operands >= 2;
  size_t n = strlen(s) - (strchr(s, '=') != NULL) - (*s == '+');
  return i->n_operands == n;
}

static bool take_modifiers(cursor *c, gcn_insn *i) {
  unsigned results = count_results(i->row);
  if (gcn_is_mixed(i->row)) i->select_high = 0;
  for (skip_blanks(c); *c->p; skip_blanks(c))
    if (!take_modifier(c, i, results)) return false;
  return true;
}

/* "v7.h" where it isn't said by op_sel: sources from the lowest bit on, then the result. */
static void select_halves(gcn_insn *i) {
  unsigned results = count_results(i->row);
  for (unsigned k = 0; k < i->n_operands; k++) {
    if (!i->operands[k].high) continue;
    unsigned bit = k >= results ? k - results : i->n_operands - results;
    i->select |= (uint8_t)(1u << bit);
  }
}

/* What RDNA's comparisons that steer execution, and parts of pairs, leave unsaid. */
static bool add_unsaid(gcn_insn *i, str name) {
  bool steers = str_starts(name, "v_cmpx_"), selects = str_starts(name, "v_cndmask_b32");
  if (!gcn_is_narrow(i) || i->n_operands == GCN_MAX_OPERANDS) return true;
  if (steers) {
    memmove(i->operands + 1, i->operands, i->n_operands * sizeof *i->operands);
    i->operands[0] = (gcn_operand){.kind = GCN_SCALAR, .first = GCN_EXEC, .count = 1};
    i->n_operands++;
  } else if (selects && i->n_operands == 3) {
    i->operands[i->n_operands++] = (gcn_operand){.kind = GCN_SCALAR, .first = GCN_VCC, .count = 1};
  }
  return true;
}

/* A load to the LDS gets an operand that is nothing where others have their register. */
static bool add_no_result(gcn_insn *i) {
  if (i->row->run == gcn_run_load_to_lds) i->flags |= GCN_TO_LDS;
  if (!(i->flags & GCN_TO_LDS)) return true;
  if (i->n_operands == GCN_MAX_OPERANDS) return false;
  memmove(i->operands + 1, i->operands, i->n_operands * sizeof *i->operands);
  i->operands[0] = (gcn_operand){.kind = GCN_OFF};
  i->n_operands++;
  return true;
}

static bool read_line(arena *a, cursor *c, gcn_insn *i) {
  skip_blanks(c);
  char room[GCN_NAME_ROOM];
  str name = take_word(c), base = fold(name);
  i->row = gcn_find_row(gcn_is_narrow(i) ? gcn_row_name(base, room) : base);
  skip_blanks(c);
  if (!i->row && gcn_read_conversion(a, base, i))
    return take_operands(c, i) && take_modifiers(c, i);
  if (!i->row)
    return gcn_read_matrix(a, name, i) && take_operands(c, i) && take_modifiers(c, i) &&
           gcn_read_formats(a, name, i);
  if (i->row->run == gcn_run_dual) return false;
  if (is(name, "s_waitcnt")) return take_waits(c, i);
  if (i->row->run == gcn_run_wait) return take_split_wait(c, i, name);
  if (is(name, "s_nop")) i->offset = (int32_t)take_number(c);
  if (i->row->run == gcn_run_nothing || i->row->run == gcn_run_invalidate ||
      i->row->run == gcn_run_message)
    return true;
  if (!take_operands(c, i) || !add_unsaid(i, base) || !take_modifiers(c, i)) return false;
  select_halves(i);
  return add_no_result(i) && fits(i);
}

/* "v_dual_X ... :: v_dual_Y ...": two of the vector instructions without "dual_" in their names. */
static bool read_pair(arena *a, const char *text, gcn_insn *i) {
  static const char mark[] = "v_dual_", between[] = " :: ";
  enum { MARK = sizeof mark - 1, BETWEEN = sizeof between - 1 };
  const char *second = strstr(text, between);
  if (!second || strncmp(text, mark, MARK) != 0 || strncmp(second + BETWEEN, mark, MARK) != 0)
    return false;
  gcn_insn *pair = arena_array(a, gcn_insn, 2);
  const char *halves[] = {
      arena_printf(a, "v_%.*s", (int)(second - text) - MARK, text + MARK),
      arena_printf(a, "v_%s", second + BETWEEN + MARK),
  };
  for (unsigned k = 0; k < 2; k++) {
    gcn_read_line(a, i->generation, halves[k], &pair[k]);
    if (!pair[k].row || pair[k].row->run != gcn_run_vector) return true;
    pair[k].text = i->text;
  }
  i->row = gcn_find_row(str_of("v_dual"));
  i->pair = pair;
  return true;
}

/* Floating-point operations of a lane: sums and products, of packed instructions of both halves. */
static uint8_t flops_of(const gcn_insn *i) {
  static const struct {
    const char *name;
    uint8_t flops;
  } kinds[] = {{"fma", 2}, {"mac", 2}, {"mad_", 2}, {"add_", 1}, {"sub", 1}, {"mul_", 1}};
  if (i->pair) return (uint8_t)(flops_of(&i->pair[0]) + flops_of(&i->pair[1]));
  const char *name = i->row ? i->row->name : "";
  bool packed = strncmp(name, "v_pk_", 5) == 0;
  bool floats = strstr(name, "_f16") || strstr(name, "_f32") || strstr(name, "_f64");
  if (strncmp(name, "v_", 2) != 0 || !floats) return 0;
  name += packed ? 5 : 2;
  for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
    if (strncmp(name, kinds[k].name, strlen(kinds[k].name)) == 0)
      return (uint8_t)(kinds[k].flops << packed);
  return 0;
}

void gcn_read_line(arena *a, gcn_generation generation, const char *text, gcn_insn *out) {
  cursor c = {text, generation == GCN_CDNA ? GCN_FLAT_SCRATCH : GCN_VCC};
  skip_blanks(&c);
  *out = (gcn_insn){.text = c.p,
                    .generation = (uint8_t)generation,
                    .target = GCN_NOWHERE,
                    .select_high = 0xff,
                    .row_mask = 0xf,
                    .bank_mask = 0xf,
                    .limit = {GCN_NO_LIMIT, GCN_NO_LIMIT, GCN_NO_LIMIT, GCN_NO_LIMIT}};
  if (!read_pair(a, c.p, out)) {
    if (!read_line(a, &c, out) || !gcn_operands_fit(out)) out->row = NULL;
    out->hazards = gcn_hazards_of(out);
  }
  out->flops = flops_of(out);
}
