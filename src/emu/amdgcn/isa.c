/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of functions, and how a wave begins.
 */
#include "emu/amdgcn/isa.h"

#include <stdio.h>
#include <stdlib.h>

#include "emu/amdgcn/matrix.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/wave.h"
#include "emu/async.h"
#include "emu/fault.h"

/* ---- launches ------------------------------------------------------------------------------- */

/* Memory of a launch: a dispatch packet, as the runtime has it in its queue, and the arguments. */
enum { PACKET_BYTES = 64 };

static void write_word(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> 8 * k);
}

static void write_packet(const emu_grid *g, uint8_t *p) {
  const emu_launch_options *o = &g->o;
  const hsa_kernel *k = g->entry->code;
  write_word(p + 2, 3, 2); /* dimensions */
  for (unsigned d = 0; d < 3; d++) {
    write_word(p + 4 + 2 * d, o->block[d], 2);
    write_word(p + 12 + 4 * d, (uint64_t)o->grid[d] * o->block[d], 4);
  }
  write_word(p + 24, k->descriptor.scratch_bytes, 4);
  write_word(p + 28, g->entry->shared_bytes + o->dynamic_shared, 4);
  write_word(p + 40, g->workspace + PACKET_BYTES, 8);
}

static bool begin_grid(emu_grid *g) {
  uint32_t bytes = g->entry->param_bytes;
  g->workspace = emu_alloc(g->device, PACKET_BYTES + (uint64_t)bytes + 64, NULL);
  if (!g->workspace) return false;
  emu_allocation *a = emu_find(g->device, g->workspace);
  a->constant = true;
  a->name = "the arguments";
  write_packet(g, a->host);
  memcpy(a->host + PACKET_BYTES, g->params, bytes);
  return true;
}

static void end_grid(emu_grid *g) {
  emu_free(g->device, g->workspace);
}

/* ---- waves ---------------------------------------------------------------------------------- */

static uint32_t scratch_of(const emu_grid *g) {
  return ((const hsa_kernel *)g->entry->code)->descriptor.scratch_bytes;
}

static bool create_warp(emu_warp *w) {
  size_t scratch = (size_t)scratch_of(w->block->grid) * GCN_LANES;
  const emu_watcher *watcher = w->block->grid->o.watcher;
  gcn_wave *v = calloc(1, sizeof *v);
  w->own = v;
  w->bank[0] = aligned_alloc(64, (size_t)GCN_VECTORS * GCN_LANES * 4);
  if (!v || !w->bank[0]) return false;
  if (scratch) v->scratch = calloc(1, scratch);
  if (scratch && watcher && watcher->local) v->scratch_written = calloc(1, scratch);
  return !scratch || (v->scratch && (v->scratch_written || !watcher || !watcher->local));
}

static void destroy_warp(emu_warp *w) {
  gcn_wave *v = w->own;
  if (v) free(v->scratch), free(v->scratch_written);
  free(v);
  free(w->bank[0]);
}

/* Registers that the kernel asks for, in their order. */
static unsigned set_user_registers(const emu_warp *w, const hsa_descriptor *d, gcn_wave *v) {
  const emu_grid *g = w->block->grid;
  static const struct {
    unsigned flag, count;
  } order[] = {{HSA_SCRATCH_RESOURCE, 4}, {HSA_DISPATCH_POINTER, 2}, {HSA_QUEUE_POINTER, 2},
               {HSA_ARGUMENT_POINTER, 2}, {HSA_DISPATCH_ID, 2},      {HSA_FLAT_SCRATCH, 2},
               {HSA_SCRATCH_SIZE, 1}};
  unsigned at = 0;
  for (size_t k = 0; k < ARRAY_LEN(order); k++) {
    if (!(d->properties & order[k].flag)) continue;
    if (order[k].flag == HSA_DISPATCH_POINTER) gcn_set_pair(v, at, g->workspace);
    if (order[k].flag == HSA_ARGUMENT_POINTER) gcn_set_pair(v, at, g->workspace + PACKET_BYTES);
    if (order[k].flag == HSA_DISPATCH_ID) gcn_set_pair(v, at, g->id);
    if (order[k].flag == HSA_SCRATCH_RESOURCE) gcn_set_scratch(&v->scalar[at]);
    if (order[k].flag == HSA_FLAT_SCRATCH) gcn_set_pair(v, at, 0);
    if (order[k].flag == HSA_SCRATCH_SIZE) v->scalar[at] = d->scratch_bytes;
    at += order[k].count;
  }
  for (unsigned k = 0; k < d->preloaded && at < 16; k++, at++) {
    uint32_t from = 4 * (d->preload_at + k);
    if (from + 4 <= g->entry->param_bytes) memcpy(&v->scalar[at], g->params + from, 4);
  }
  return MAX(at, d->rsrc2 >> 1 & 31);
}

/* Where a workgroup is in its grid: RDNA4 has registers of its own for it. */
static void set_place(const emu_warp *w, const hsa_descriptor *d, gcn_wave *v, unsigned at) {
  const uint32_t *id = w->block->id;
  v->scalar[GCN_TRAP + 9] = id[0];
  v->scalar[GCN_TRAP + 7] = (id[1] & 0xffff) | id[2] << 16;
  if (gcn_image_of(w->block->grid)->generation >= GCN_RDNA4) return;
  for (unsigned k = 0; k < 3; k++)
    if (d->rsrc2 >> (7 + k) & 1 && at < GCN_VCC) v->scalar[at++] = id[k];
  at += d->rsrc2 >> 10 & 1; /* about the workgroup: no register is said to hold it */
  /* Where scratch memory is no matter of the processor, of each wave's: it begins at 0. */
  if (d->rsrc2 & 1 && at < GCN_VCC && d->properties & HSA_SCRATCH_RESOURCE) v->scalar[at] = 0;
}

static void set_system_registers(const emu_warp *w, const hsa_descriptor *d, gcn_wave *v,
                                 unsigned at) {
  set_place(w, d, v, at);
  uint32_t *ids = gcn_vector(w, 0); /* 10 bits for each dimension */
  const uint32_t *n = w->block->grid->o.block;
  for (unsigned l = 0; l < GCN_LANES; l++) {
    uint32_t t = w->first + l;
    ids[l] = t % n[0] | t / n[0] % n[1] << 10 | t / n[0] / n[1] << 20;
  }
}

/* Registers that nothing is said about hold what a program must not rely on. */
static bool begin_warp(emu_warp *w, emu_split *first) {
  const emu_grid *g = w->block->grid;
  const hsa_kernel *k = g->entry->code;
  const gcn_image *image = gcn_image_of(g);
  gcn_wave *v = w->own;
  memset(v->scalar, 0xcd, sizeof v->scalar);
  memset(w->bank[0], 0xcd, (size_t)GCN_VECTORS * GCN_LANES * 4);
  v->scc = v->wrote = v->touched = false;
  v->pending.n = 0;
  v->recent = (gcn_recent){0};
  v->mode = k->descriptor.rsrc1 >> 12 & 0xff;       /* FLOAT_MODE */
  v->mode |= (k->descriptor.rsrc1 >> 26 & 1) << 23; /* FP16_OVFL */
  if (image->generation < GCN_RDNA4 && k->descriptor.rsrc1 >> 21 & 1) v->mode |= GCN_DX10_CLAMP;
  if (image->generation < GCN_RDNA4 && k->descriptor.rsrc1 >> 23 & 1) v->mode |= GCN_IEEE;
  if (v->scratch_written) memset(v->scratch_written, 0, (size_t)scratch_of(g) * GCN_LANES);
  gcn_set_pair(v, GCN_EXEC, w->existing);
  gcn_set_pair(v, GCN_VCC, 0);
  set_system_registers(w, &k->descriptor, v, set_user_registers(w, &k->descriptor, v));
  first->pc = image->index[k->descriptor.code / 4] - 1;
  return true;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static const gcn_insn *insn_at(const emu_warp *w, const emu_split *s) {
  return &gcn_image_of(w->block->grid)->insns[s->pc];
}

static void tell_executed(emu_warp *w, const emu_watcher *watcher, const gcn_insn *i) {
  if (watcher->executed) watcher->executed(watcher->user, w, i, gcn_exec(w), w->lanes);
  gcn_check_pending(w, i);
  if (watcher->async) gcn_check_hazards(w, i);
}

/* A wave has one program counter, so one split. */
static bool run(emu_warp *w, emu_slice *p) {
  emu_grid *g = w->block->grid;
  const emu_watcher *watcher = g->o.watcher;
  for (bool over;;) {
    emu_split *s = w->split;
    const gcn_insn *i = insn_at(w, s);
    s->frame = (void *)(uintptr_t)i;
    if (emu_turn_over(w, p, &over)) return over;
    if (watcher) tell_executed(w, watcher, i);
    emu_count_step(p, emu_count_lanes(gcn_exec(w)));
    emu_step step = i->row ? i->row->run(w, i) : gcn_run_unknown(w, i);
    if (step == EMU_WAIT) return emu_wait(w, w->lanes, p);
    if (step == EMU_NEXT) w->split->pc++;
    if (step == EMU_EXITED) return emu_stopped(g);
    if (emu_stopped(g)) return true;
  }
}

static emu_insn at(const emu_split *s) {
  return s->frame;
}

/* ---- scratch memory ------------------------------------------------------------------------- */

static bool in_scratch(const emu_warp *w, uint64_t address, uint32_t bytes) {
  uint32_t all = scratch_of(w->block->grid);
  return address <= all && bytes <= all - address;
}

static uint8_t *reach_own(const emu_reached *x, emu_space space, uint64_t address) {
  gcn_wave *v = gcn_wave_of(x->warp);
  uint32_t all = scratch_of(x->warp->block->grid);
  if (space == EMU_LOCAL && in_scratch(x->warp, address, x->bytes))
    return v->scratch + (size_t)x->lane * all + address;
  emu_outside(x, space == EMU_LOCAL ? "outside of the lane's scratch memory"
                                    : "which is no address of any memory");
  return NULL;
}

static uint8_t *local_written(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes) {
  const gcn_wave *v = gcn_wave_of(w);
  if (!v->scratch_written || !in_scratch(w, address, bytes)) return NULL;
  return v->scratch_written + (size_t)lane * scratch_of(w->block->grid) + address;
}

/* ---- places --------------------------------------------------------------------------------- */

static place place_of(const void *module, emu_insn insn) {
  const gcn_image *image = module;
  const gcn_insn *i = insn;
  place p = {.src = &image->listing};
  if (!i) return p;
  p.line = i->line;
  p.column = 3;
  p.length = 1;
  return p;
}

static bool source_of(const void *module, emu_insn i, emu_source *out) {
  (void)module, (void)i;
  *out = (emu_source){0};
  return false;
}

static void line_of(const void *module, emu_insn i, uint64_t out[3]) {
  (void)module;
  out[0] = (uintptr_t)i;
  out[1] = out[2] = 0;
}

static str text_of(const void *module, emu_insn insn) {
  (void)module;
  const gcn_insn *i = insn;
  return str_of(i->text ? i->text : "no instruction");
}

static void name_of(emu_insn insn, char *out, size_t size) {
  const char *text = ((const gcn_insn *)insn)->text;
  if (!text) text = "code";
  snprintf(out, size, "%.*s", (int)strcspn(text, " \t"), text);
}

/* ---- for checks and counters ---------------------------------------------------------------- */

static unsigned traits(emu_insn i) {
  return gcn_stored_operand(i) >= 0 ? EMU_IS_STORE : 0;
}

static emu_work work(emu_insn i) {
  return (emu_work){.flops = ((const gcn_insn *)i)->flops, .matrix = gcn_matrix_work(i)};
}

static void describe(const emu_warp *w, emu_insn insn, int lane, emu_described *out) {
  const gcn_insn *i = insn;
  uint8_t value[EMU_MAX_STORED] = {0};
  if (!gcn_is_memory(i)) return;
  out->space = (uint8_t)gcn_space_of(i);
  if (lane < 0) return;
  out->bytes = i->row->bytes;
  out->has_value = gcn_stored_operand(i) >= 0;
  if (!out->has_value) return;
  gcn_stored_bytes(w, i, (unsigned)lane, value);
  memcpy(&out->value, value, 8);
}

static void stored(const emu_warp *w, emu_insn i, unsigned lane, uint8_t out[EMU_MAX_STORED]) {
  gcn_stored_bytes(w, i, lane, out);
}

const emu_isa gcn_isa = {
    .words = &gcn_words,
    .max_grid = {INT32_MAX, 65535, 65535},
    .max_block = {1024, 1024, 1024},
    .begin_grid = begin_grid,
    .end_grid = end_grid,
    .create_warp = create_warp,
    .destroy_warp = destroy_warp,
    .begin_warp = begin_warp,
    .run = run,
    .at = at,
    .reach_own = reach_own,
    .local_written = local_written,
    .place_of = place_of,
    .source_of = source_of,
    .line_of = line_of,
    .text_of = text_of,
    .name_of = name_of,
    .traits = traits,
    .work = work,
    .describe = describe,
    .stored = stored,
};
