/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether an instruction has the operands that its function counts on: kinds of registers, and how
 * many of them.
 */
#include "emu/amdgcn/convert.h"
#include "emu/amdgcn/matrix.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/read.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/vector.h"

static bool is_vector(const gcn_operand *o, unsigned count) {
  return o->kind == GCN_VECTOR && o->count == count;
}
static bool is_scalar(const gcn_operand *o, unsigned count) {
  return o->kind == GCN_SCALAR && o->count == count;
}
static bool is_constant(const gcn_operand *o) {
  return o->kind == GCN_INTEGER || o->kind == GCN_LITERAL || o->kind == GCN_FLOAT;
}

static bool is_nothing(const gcn_operand *o) {
  return o->kind == GCN_OFF;
}

static unsigned registers_of(const gcn_insn *i, char letter) {
  if (letter == 'm') return gcn_is_narrow(i) ? 1 : 2;
  return letter == 'q' || letter == 'd' ? 2 : 1;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

static bool fits_source(const gcn_insn *i, const gcn_operand *o, char letter, bool vectors) {
  unsigned n = registers_of(i, letter);
  if (is_nothing(o)) return !vectors;
  if (is_constant(o) || o->kind == GCN_SPECIAL) return true;
  if (is_scalar(o, n)) return true;
  return vectors && letter != 'm' && is_vector(o, n);
}

static bool fits_letters(const gcn_insn *i, bool vectors) {
  const char *s = i->row->signature;
  if (*s == '+') s++;
  const gcn_operand *o = i->operands;
  for (; *s && *s != '='; s++, o++) {
    bool vector = vectors && *s != 'm';
    unsigned n = registers_of(i, *s);
    if (!(vector ? is_vector(o, n) : is_scalar(o, n) || is_nothing(o))) return false;
  }
  if (*s == '=') s++;
  for (; *s; s++, o++)
    if (!fits_source(i, o, *s, vectors)) return false;
  return true;
}

/* Scaling is known of floats, clamping also of sums of integers. */
static bool fits_vector(const gcn_insn *i) {
  const char *s = i->row->signature;
  char type = s[*s == '+'];
  bool is_float = type == 'f' || type == 'd' || type == 'h';
  bool saturates = i->row->kind == GCN_SATURATES || i->row->kind == GCN_SATURATES_SIGNED;
  return fits_letters(i, true) &&
         (is_float || ((saturates || !(i->flags & GCN_CLAMP)) && !i->scale));
}

static bool fits_packed(const gcn_insn *i) {
  unsigned n = i->row->run == gcn_run_packed_move || i->row->more == 'f' ? 2 : 1;
  if (!is_vector(&i->operands[0], n)) return false;
  for (unsigned k = 1; k < i->n_operands; k++) {
    const gcn_operand *o = &i->operands[k];
    if (!is_constant(o) && !is_vector(o, n) && !is_scalar(o, n)) return false;
  }
  return i->row->more != 's' || !(i->flags & GCN_CLAMP);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

static bool fits_lane(const gcn_insn *i) {
  const gcn_operand *o = i->operands;
  gcn_run run = i->row->run;
  if (run == gcn_run_swap || run == gcn_run_swap_rows)
    return is_vector(o, 1) && is_vector(o + 1, 1);
  if (run == gcn_run_permute_row || run == gcn_run_permute_other_row)
    return is_vector(o, 1) && is_vector(o + 1, 1) && fits_source(i, o + 2, 'u', false) &&
           fits_source(i, o + 3, 'u', false);
  if (run == gcn_run_write_lane)
    return is_vector(o, 1) && fits_source(i, o + 1, 'u', false) &&
           fits_source(i, o + 2, 'u', false);
  if (!is_scalar(o, 1) || !is_vector(o + 1, 1)) return false;
  return run == gcn_run_read_first || fits_source(i, o + 2, 'u', false);
}

static bool fits_matrix(const gcn_insn *i) {
  const gcn_operand *o = i->operands;
  if (i->n_operands != (i->matrix->scaled ? 6 : 4)) return false;
  for (unsigned k = 4; k < i->n_operands; k++)
    if (!fits_source(i, o + k, 'u', true)) return false;
  const unsigned *n = (const unsigned[]){gcn_matrix_registers(i, 2), gcn_matrix_registers(i, 0),
                                         gcn_matrix_registers(i, 1)};
  bool sparse = *i->row->signature == '+';
  return is_vector(o, n[0]) && is_vector(o + 1, n[1]) && is_vector(o + 2, n[2]) &&
         (sparse ? is_vector(o + 3, 1) : is_vector(o + 3, n[0]) || is_constant(o + 3));
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool is_data(const gcn_insn *i, const gcn_operand *o, unsigned times) {
  return is_vector(o, MAX(times * i->row->bytes / 4u, 1u));
}

/* A 64-bit vector address, or one of 32 bits beside a scalar base. */
static bool is_global_address(const gcn_operand *vector, const gcn_operand *scalar) {
  if (scalar && scalar->kind == GCN_SCALAR) return is_vector(vector, 1) && scalar->count == 2;
  return is_vector(vector, 2) && (!scalar || scalar->kind == GCN_OFF);
}

static bool is_scratch_address(const gcn_operand *vector, const gcn_operand *scalar) {
  return (vector->kind == GCN_OFF || is_vector(vector, 1)) &&
         (scalar->kind == GCN_OFF || is_scalar(scalar, 1));
}

static bool is_address(const gcn_insn *i, unsigned vector, unsigned scalar) {
  const gcn_operand *o = i->operands;
  emu_space space = gcn_space_of(i);
  if (space == EMU_LOCAL)
    return i->n_operands == scalar + 1 && is_scratch_address(o + vector, o + scalar);
  if (space == EMU_GENERIC) return i->n_operands == scalar && is_global_address(o + vector, NULL);
  return i->n_operands == scalar + 1 && is_global_address(o + vector, o + scalar);
}

static bool fits_buffer(const gcn_insn *i, unsigned times) {
  const gcn_operand *o = i->operands;
  unsigned addresses = !!(i->flags & GCN_OFFEN) + !!(i->flags & GCN_IDXEN);
  bool vector = addresses ? is_vector(o + 1, addresses) : o[1].kind == GCN_OFF;
  bool data = i->flags & GCN_TO_LDS ? is_nothing(o) : is_data(i, o, times);
  return i->n_operands == 4 && data && vector && is_scalar(o + 2, 4) &&
         fits_source(i, o + 3, 'u', false);
}

static bool fits_scalar_load(const gcn_insn *i) {
  const gcn_operand *o = i->operands;
  return is_scalar(o, MAX(i->row->bytes / 4u, 1u)) && is_scalar(o + 1, i->row->kind ? 4 : 2) &&
         (is_scalar(o + 2, 1) || is_nothing(o + 2) || o[2].kind == GCN_INTEGER ||
          o[2].kind == GCN_LITERAL);
}

static bool fits_global(const gcn_insn *i) {
  gcn_run run = i->row->run;
  const gcn_operand *o = i->operands;
  if (run == gcn_run_load_to_lds) return is_address(i, 1, 2);
  if (run == gcn_run_global_load || run == gcn_run_flat_load || run == gcn_run_scratch_load)
    return is_address(i, 1, 2) && is_data(i, o, 1);
  if (run == gcn_run_global_store || run == gcn_run_flat_store || run == gcn_run_scratch_store)
    return is_address(i, 0, 2) && is_data(i, o + 1, 1);
  unsigned at = i->flags & GCN_RETURNS ? 1 : 0;
  unsigned times = i->row->kind == GCN_COMPARE_SWAP ? 2 : 1;
  return is_address(i, at, at + 2) && is_data(i, o + at + 1, times) && (!at || is_data(i, o, 1));
}

/* All of the LDS's operands are vector registers: an address, and data before and behind it. */
static bool fits_lds(const gcn_insn *i) {
  gcn_run run = i->row->run;
  const gcn_operand *o = i->operands;
  bool result = *i->row->signature != '=';
  unsigned pair = run == gcn_run_lds_load_pair ? 2 : 1;
  if (run == gcn_run_swizzle) return is_vector(o, 1) && is_vector(o + 1, 1);
  if (run == gcn_run_permute || run == gcn_run_permute_back)
    return is_vector(o, 1) && is_vector(o + 1, 1) && is_vector(o + 2, 1);
  if (result && !is_data(i, o, pair)) return false;
  if (!is_vector(o + result, 1)) return false;
  for (unsigned k = result + 1u; k < i->n_operands; k++)
    if (!is_data(i, o + k, 1)) return false;
  return true;
}

bool gcn_operands_fit(const gcn_insn *i) {
  gcn_run run = i->row->run;
  if (run == gcn_run_vector) return fits_vector(i);
  if (run == gcn_run_compare) return fits_letters(i, true);
  if (run == gcn_run_scalar) return fits_letters(i, false);
  if (run == gcn_run_packed || run == gcn_run_packed_move) return fits_packed(i);
  if (run == gcn_run_matrix) return fits_matrix(i);
  if (run == gcn_run_convert) return gcn_conversion_fits(i);
  if (run == gcn_run_branch || run == gcn_run_trap) return is_constant(&i->operands[0]);
  if (run == gcn_run_read_first || run == gcn_run_read_lane || run == gcn_run_write_lane ||
      run == gcn_run_swap || run == gcn_run_swap_rows || run == gcn_run_permute_row ||
      run == gcn_run_permute_other_row)
    return fits_lane(i);
  if (run == gcn_run_set_mode)
    return i->operands[0].kind == GCN_MODE && fits_source(i, &i->operands[1], 'u', false);
  if (run == gcn_run_get_mode)
    return is_scalar(&i->operands[0], 1) && i->operands[1].kind == GCN_MODE;
  if (run == gcn_run_scalar_load) return fits_scalar_load(i);
  if (run == gcn_run_buffer_load || run == gcn_run_buffer_store) return fits_buffer(i, 1);
  if (run == gcn_run_buffer_atomic) return fits_buffer(i, i->row->kind == GCN_COMPARE_SWAP ? 2 : 1);
  if (gcn_space_of(i) == EMU_SHARED) return fits_lds(i);
  return !i->row->bytes || fits_global(i);
}
