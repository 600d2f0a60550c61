/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/hazards.h"

#include <stdio.h>

#include "emu/amdgcn/convert.h"
#include "emu/amdgcn/matrix.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/vector.h"
#include "emu/amdgcn/wave.h"
#include "emu/async.h"

/* ---- what instructions are ------------------------------------------------------------------- */

static bool named_one_of(const gcn_insn *i, const char *const *names, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (strncmp(i->row->name, names[k], strlen(names[k])) == 0) return true;
  return false;
}

static bool is_transcendental(const gcn_insn *i) {
  static const char *const names[] = {"v_exp_",  "v_log_", "v_rcp_", "v_rsq_",
                                      "v_sqrt_", "v_sin_", "v_cos_"};
  return named_one_of(i, names, ARRAY_LEN(names));
}

static bool is_valu(const gcn_insn *i) {
  return strncmp(i->row->name, "v_", 2) == 0 && i->row->run != gcn_run_matrix &&
         i->row->run != gcn_run_nothing;
}

/* op_sel's bit of the result follows those of the sources. */
static bool writes_part(const gcn_insn *i) {
  if (i->row->run == gcn_run_convert) return *i->row->signature == '+' && i->select >> 2;
  return i->part || (i->row->run == gcn_run_vector && !gcn_is_mixed(i->row) &&
                     i->select >> (i->n_operands - 1) & 1);
}

static uint16_t of_valu(const gcn_insn *i) {
  static const char *const lanes[] = {"v_readlane", "v_writelane", "v_readfirstlane"};
  static const char *const fmas[] = {"v_div_fmas"};
  static const char *const dots[] = {"v_dot"};
  unsigned h = GCN_H_VALU;
  if (named_one_of(i, dots, ARRAY_LEN(dots))) h |= GCN_H_DOT;
  if (is_transcendental(i)) h |= GCN_H_TRANS;
  if (i->move) h |= GCN_H_MOVES;
  if (named_one_of(i, lanes, ARRAY_LEN(lanes))) h |= GCN_H_LANE;
  if (named_one_of(i, fmas, ARRAY_LEN(fmas))) h |= GCN_H_FMAS;
  if (writes_part(i)) h |= GCN_H_PART;
  if (i->row->run == gcn_run_compare && i->row->bytes) h |= GCN_H_EXEC;
  return (uint16_t)h;
}

/* A buffer store with an offset in a scalar register reads its data in time. */
static bool is_wide_store(const gcn_insn *i) {
  if (i->row->bytes <= 8 || gcn_space_of(i) == EMU_SHARED) return false;
  if (i->row->run == gcn_run_buffer_store) return i->operands[3].kind != GCN_SCALAR;
  return gcn_stored_operand(i) >= 0;
}

static uint16_t of_memory(const gcn_insn *i) {
  unsigned h = GCN_H_MEMORY;
  if (gcn_space_of(i) != EMU_SHARED) h |= GCN_H_VMEM;
  if (is_wide_store(i)) h |= GCN_H_STORE;
  if (i->flags & GCN_TO_LDS) h |= GCN_H_M0;
  return (uint16_t)h;
}

uint16_t gcn_hazards_of(const gcn_insn *i) {
  if (!i->row) return 0;
  if (i->row->run == gcn_run_matrix) return GCN_H_MATRIX;
  if (is_valu(i)) return of_valu(i);
  if (i->row->run == gcn_run_set_mode || i->row->run == gcn_run_get_mode) return GCN_H_MODE;
  if (i->row->run == gcn_run_scalar) return GCN_H_SALU;
  bool lanes = strncmp(i->row->name, "s_", 2) != 0 &&
               (gcn_is_memory(i) || strncmp(i->row->name, "ds_", 3) == 0);
  return lanes ? of_memory(i) : 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static unsigned results_of(const gcn_insn *i) {
  const char *s = i->row->signature, *end = strchr(s, '=');
  return end ? (unsigned)(end - s) - (*s == '+') : 0;
}

static bool is_register(const gcn_operand *o) {
  return o->kind == GCN_VECTOR || o->kind == GCN_SCALAR;
}

static bool meet(const gcn_operand *a, const gcn_operand *b) {
  return a->kind == b->kind && is_register(a) && a->first < b->first + b->count &&
         b->first < a->first + a->count;
}

/* The operand with which `i` reads (or writes) what `e` has written; -1. */
static int find_read(const gcn_insn *i, const gcn_operand *written) {
  unsigned results = results_of(i);
  for (unsigned k = *i->row->signature == '+' ? 0 : results; k < i->n_operands; k++)
    if (meet(&i->operands[k], written)) return (int)k;
  return -1;
}
static int find_write(const gcn_insn *i, const gcn_operand *written) {
  for (unsigned k = 0; k < results_of(i); k++)
    if (meet(&i->operands[k], written)) return (int)k;
  return -1;
}
static bool writes_scalar(const gcn_insn *i, unsigned first, unsigned count) {
  const gcn_operand o = {.kind = GCN_SCALAR, .first = (uint16_t)first, .count = (uint8_t)count};
  return find_write(i, &o) >= 0;
}
static bool writes_exec(const gcn_insn *i) {
  return i->hazards & GCN_H_EXEC || writes_scalar(i, GCN_EXEC, 2);
}

/* An instruction that a wave has executed `age` before, the last one 1. */
typedef struct earlier {
  const gcn_recent *recent;
  uint32_t age;
  const gcn_insn *insn;
} earlier;

static uint32_t place_of(const gcn_recent *r, uint32_t age) {
  return (r->n - age) % GCN_RECENT;
}

static bool covers(const gcn_operand *a, unsigned first, unsigned end) {
  return a->kind == GCN_VECTOR && a->first <= first && a->first + a->count >= end;
}

/* Whether what the operand has of the earlier instruction's result was written again since. */
static bool is_overwritten(const earlier *e, const gcn_operand *o) {
  const gcn_operand *d = &e->insn->operands[0];
  unsigned first = MAX(o->first, d->first);
  unsigned end = MIN(o->first + o->count, d->first + d->count);
  for (uint32_t age = 1; age < e->age; age++) {
    const gcn_insn *i = e->recent->insn[place_of(e->recent, age)];
    for (unsigned k = 0; k < results_of(i); k++)
      if (covers(&i->operands[k], first, end)) return true;
  }
  return false;
}

/* ---- passes -----------------------------------------------------------------------------------
 */

typedef enum { GFX90A, GFX942, GFX950 } model;

static model model_of(const emu_warp *w) {
  const gpu_target *gpu = gcn_image_of(w->block->grid)->object->gpu;
  if (gpu_can(gpu, GPU_MFMA_DEEP)) return GFX950;
  return gpu_can(gpu, GPU_MFMA_BYTES) ? GFX942 : GFX90A;
}

static bool is_double(const gcn_insn *i) {
  return i->row->bytes == 8;
}

/* Four cycles each. */
static unsigned passes_of(const gcn_insn *i, model on) {
  const gcn_matrix *m = i->matrix;
  if (is_double(i)) return m->m == 4 ? 4 : on == GFX950 ? 16 : 8;
  if (m->m == 4) return 2;
  unsigned most = m->m / 2;
  if (on == GFX90A || m->blocks > 1 || gcn_matrix_of_words(i)) return most;
  return gcn_matrix_is_slow(i) ? most : most / 2;
}

/* From gfx942 on products of f32 have another pipeline, which is faster to give results. */
static bool is_xdl(const gcn_insn *i, model on) {
  return !is_double(i) && (on == GFX90A || !gcn_matrix_of_words(i));
}

/* ---- matrix instructions ----------------------------------------------------------------------
 */

/* Deeper pipelines of gfx950 take one more, but for the shortest. */
static unsigned later(unsigned passes, unsigned states, model on) {
  return passes + states + (on == GFX950 && passes != 2);
}

static unsigned after_double(const gcn_insn *e, model on, unsigned of_small, unsigned of_large,
                             unsigned of_newer) {
  return e->matrix->m == 4 ? of_small : on == GFX950 ? of_newer : of_large;
}

/* Until others than matrix instructions may read or write the result. */
static unsigned to_others(const gcn_insn *e, model on, bool memory) {
  if (is_double(e)) return memory ? after_double(e, on, 9, 18, 18) : after_double(e, on, 6, 11, 19);
  unsigned passes = passes_of(e, on);
  if (!is_xdl(e, on)) return passes + 2;
  return later(passes, 3, on);
}
static unsigned to_writers(const gcn_insn *e, model on) {
  if (is_double(e)) return after_double(e, on, 6, 11, 11);
  return to_others(e, on, false);
}

/* Until A or B may be read from it. */
static unsigned to_factors(const gcn_insn *e, model on) {
  if (is_double(e)) return after_double(e, on, 6, 11, 19);
  return to_others(e, on, false);
}

/* Until C may be: of the same registers it is forwarded. */
static unsigned to_same_sum(const gcn_insn *e, const gcn_insn *i, model on) {
  if (is_double(e) && is_double(i) && e->matrix->m == 4 && i->matrix->m == 4) return 4;
  return on != GFX90A && passes_of(e, on) == 2 ? 2 : 0;
}
static unsigned to_other_sum(const gcn_insn *e, const gcn_insn *i, model on) {
  unsigned passes = passes_of(e, on);
  if (on == GFX90A && is_double(e) && !is_double(i)) return 0;
  if (is_double(e)) return is_xdl(i, on) ? 0 : after_double(e, on, 4, 9, 17);
  if (on == GFX90A) return passes + is_double(i);
  if (is_xdl(i, on) && !is_xdl(e, on)) return 0;
  return is_xdl(e, on) ? later(passes, 1, on) : passes;
}

/* The operand that has C; what tells where elements of sparse products lie is read as A and B are.
 */
static unsigned sum_operand(const gcn_insn *i) {
  return *i->row->signature == '+' ? 0 : 3;
}

static bool same_registers(const gcn_operand *a, const gcn_operand *b) {
  return a->first == b->first && a->count == b->count;
}

static unsigned matrix_to_matrix(const earlier *x, const gcn_insn *i, model on) {
  unsigned most = 0, sum = sum_operand(i);
  const gcn_insn *e = x->insn;
  const gcn_operand *d = &e->operands[0];
  for (unsigned k = sum ? 1 : 0; k < i->n_operands; k++) {
    const gcn_operand *o = &i->operands[k];
    if (!meet(o, d) || is_overwritten(x, o)) continue;
    unsigned states = k != sum               ? to_factors(e, on)
                      : same_registers(o, d) ? to_same_sum(e, i, on)
                                             : to_other_sum(e, i, on);
    most = MAX(most, states);
  }
  return most;
}

/* C is read while the instruction goes on, and must not be written meanwhile. */
static unsigned from_reading_sum(const gcn_insn *e, const gcn_insn *i, model on) {
  if (is_double(e) || !is_xdl(e, on)) return 0;
  if (find_write(i, &e->operands[sum_operand(e)]) < 0) return 0;
  unsigned passes = passes_of(e, on);
  return passes - 1;
}

static unsigned after_matrix(const earlier *x, const gcn_insn *i, model on) {
  const gcn_insn *e = x->insn;
  static const char *const fma[] = {"v_fma_f64", "v_fmac_f64"};
  const gcn_operand *d = &e->operands[0];
  unsigned most = 0;
  if (i->hazards & GCN_H_MATRIX) return matrix_to_matrix(x, i, on);
  if (!(i->hazards & (GCN_H_VALU | GCN_H_MEMORY))) return 0;
  if (is_double(e) && named_one_of(i, fma, ARRAY_LEN(fma))) most = 2;
  int read = find_read(i, d), write = find_write(i, d);
  if (read >= 0 && !is_overwritten(x, &i->operands[read]))
    most = MAX(most, to_others(e, on, i->hazards & GCN_H_MEMORY));
  if (write >= 0 && !is_overwritten(x, &i->operands[write])) most = MAX(most, to_writers(e, on));
  return MAX(most, from_reading_sum(e, i, on));
}

/* ---- others -----------------------------------------------------------------------------------
 */

static bool reads_vector(const gcn_insn *e, const gcn_insn *i) {
  for (unsigned k = 0; k < results_of(e); k++)
    if (e->operands[k].kind == GCN_VECTOR && find_read(i, &e->operands[k]) >= 0) return true;
  return false;
}
static bool reads_scalar(const gcn_insn *e, const gcn_insn *i) {
  for (unsigned k = 0; k < results_of(e); k++)
    if (e->operands[k].kind == GCN_SCALAR && find_read(i, &e->operands[k]) >= 0) return true;
  return false;
}
/* The last operand of v_readlane and v_writelane. */
static bool reads_lane_number(const gcn_insn *e, const gcn_insn *i) {
  return i->n_operands == 3 && i->operands[2].kind == GCN_SCALAR &&
         find_write(e, &i->operands[2]) >= 0;
}

/* From gfx942 on forwarding between vector instructions has gaps. */
static unsigned between_newer_valu(const gcn_insn *e, const gcn_insn *i) {
  unsigned most = 0;
  bool vcc = i->hazards & GCN_H_FMAS && writes_scalar(e, GCN_VCC, 2);
  if (reads_scalar(e, i) || vcc) most = 2;
  if (i->hazards & GCN_H_LANE && writes_exec(e)) most = 4;
  if (!reads_vector(e, i)) return most;
  bool trans = e->hazards & GCN_H_TRANS && !(i->hazards & GCN_H_TRANS);
  bool lane = i->hazards & GCN_H_LANE && i->operands[0].kind == GCN_SCALAR;
  return trans || lane || e->hazards & GCN_H_PART ? MAX(most, 1) : most;
}

static unsigned between_valu(const gcn_insn *e, const gcn_insn *i, model on) {
  unsigned most = on == GFX90A ? 0 : between_newer_valu(e, i);
  if (i->hazards & GCN_H_MOVES && writes_exec(e)) most = MAX(most, 5);
  if (i->hazards & GCN_H_FMAS && writes_scalar(e, GCN_VCC, 2)) most = MAX(most, 4);
  if (i->hazards & GCN_H_LANE && reads_lane_number(e, i)) most = MAX(most, 4);
  return most;
}

/* Of the same instruction the sum is forwarded. */
static unsigned after_dot(const gcn_insn *e, const gcn_insn *i) {
  enum { STATES = 3 };
  const gcn_operand *d = &e->operands[0];
  if (i->row != e->row) return find_read(i, d) >= 0 || find_write(i, d) >= 0 ? STATES : 0;
  return meet(&i->operands[1], d) || meet(&i->operands[2], d) ? STATES : 0;
}

static unsigned after_valu(const gcn_insn *e, const gcn_insn *i, model on) {
  if (e->hazards & GCN_H_DOT && i->hazards & (GCN_H_VALU | GCN_H_MEMORY)) return after_dot(e, i);
  if (i->hazards & GCN_H_MATRIX) return writes_exec(e) ? 4 : reads_vector(e, i) ? 2 : 0;
  if (i->hazards & GCN_H_VMEM) return reads_scalar(e, i) ? 5 : 0;
  return i->hazards & GCN_H_VALU ? between_valu(e, i, on) : 0;
}

/* Data of more than 8 bytes is read after the store was issued. */
static unsigned after_store(const gcn_insn *e, const gcn_insn *i, model on) {
  int data = gcn_stored_operand(e);
  if (!(i->hazards & GCN_H_VALU) || data < 0) return 0;
  return find_write(i, &e->operands[data]) < 0 ? 0 : on == GFX90A ? 1 : 2;
}

static unsigned needed(const earlier *x, const gcn_insn *i, model on) {
  const gcn_insn *e = x->insn;
  if (e->hazards & GCN_H_MATRIX) return after_matrix(x, i, on);
  unsigned most = 0;
  if (e->hazards & GCN_H_VALU) most = after_valu(e, i, on);
  if (e->hazards & GCN_H_STORE) most = after_store(e, i, on);
  if (i->hazards & GCN_H_MOVES && reads_vector(e, i)) most = MAX(most, 2);
  bool sets_mode = e->hazards & GCN_H_MODE && e->row->run == gcn_run_set_mode;
  if (sets_mode && i->hazards & GCN_H_MODE) most = MAX(most, 2);
  if (e->hazards & GCN_H_SALU && i->hazards & GCN_H_M0 && writes_scalar(e, GCN_M0, 1))
    most = MAX(most, 1);
  return most;
}

/* ---- a wave's last instructions ---------------------------------------------------------------
 */

enum { MOST_STATES = 20, MOST_OF_OTHERS = 5 };

static void tell(emu_warp *w, const gcn_insn *e, const gcn_insn *i, unsigned states, unsigned had) {
  char message[160], hint[64];
  snprintf(message, sizeof message,
           "comes %u wait state%s after an instruction that it depends on and that takes %u", had,
           had == 1 ? "" : "s", states);
  snprintf(hint, sizeof hint, "before this: s_nop %u", states - had - 1);
  async_tell_misuse(w, &(async_misuse){.insn = i,
                                       .lane = -1,
                                       .message = message,
                                       .hint = hint,
                                       .does = "comes too early",
                                       .other = e,
                                       .other_does = "takes its wait states"});
}

static unsigned states_of(const gcn_insn *i) {
  bool nothing = i->row && i->row->run == gcn_run_nothing;
  return 1 + (nothing ? (unsigned)i->offset : 0);
}

/* From the last on, as far back as something can matter. */
static void look_back(emu_warp *w, const gcn_recent *r, const gcn_insn *i) {
  model on = model_of(w);
  bool matrix = r->matrix && r->now - (r->matrix - 1) < MOST_STATES;
  unsigned far = matrix ? MOST_STATES : MOST_OF_OTHERS;
  for (uint32_t k = 1; k <= r->n && k <= GCN_RECENT; k++) {
    uint32_t at = place_of(r, k), had = r->now - r->end[at];
    const earlier e = {r, k, r->insn[at]};
    if (had >= far) return;
    unsigned states = needed(&e, i, on);
    if (states <= had) continue;
    tell(w, e.insn, i, states, had);
    return;
  }
}

void gcn_check_hazards(emu_warp *w, const gcn_insn *i) {
  if (i->generation != GCN_CDNA) return;
  gcn_recent *r = &gcn_wave_of(w)->recent;
  enum { USES = GCN_H_MATRIX | GCN_H_VALU | GCN_H_MEMORY | GCN_H_MODE };
  if (i->hazards & USES && r->n) look_back(w, r, i);
  r->now += states_of(i);
  if (!i->hazards) return;
  uint32_t at = r->n++ % GCN_RECENT;
  r->insn[at] = i;
  r->end[at] = r->now;
  if (i->hazards & GCN_H_MATRIX) r->matrix = r->now + 1;
}
