/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores and atomics, through pointers and views alike: first the places in memory that the
 * elements have, then what is wrong with them, then the access itself, without those that are out
 * of bounds.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "interp/cluster.h"
#include "interp/barriers.h"
#include "interp/sanitize/internal.h"
#include "ir/multimem.h"

bool san_is_access(op_code opcode) {
  return effect_accesses((op_effect)op_table[opcode].effect);
}

/* ---- what is accessed ----------------------------------------------------------------------- */

/* Operand groups. */
static unsigned mask_group(op_code opcode) {
  switch (opcode) {
  case OP_load_ptr_tko: return 1;
  case OP_atomic_cas_tko: return 3;
  default: return 2; /* store_ptr_tko, atomic_rmw_tko */
  }
}

static san_access describe(const inst *i) {
  op_code opcode = ir_on_one_device((op_code)i->op->opcode);
  op_effect effect = ir_effect(i->op);
  san_access a = {.i = i, .reads = effect_reads(effect), .writes = effect_writes(effect)};
  a.verb = !a.writes ? "reads" : !a.reads ? "writes" : "updates";
  a.is_view =
      opcode == OP_load_view_tko || opcode == OP_store_view_tko || opcode == OP_atomic_red_view_tko;
  a.is_window = opcode == OP_load_global || stores_window(opcode) || copies_window(opcode) ||
                updates_window(opcode);
  if (copies_window(opcode)) { /* of global memory, which it reads */
    a.verb = "reads";
    a.reads = true;
    a.writes = false;
  }
  if (stores_window(opcode))
    a.tile = in_type(i, 0);
  else if (copies_window(opcode))
    a.tile = in_type(i, in_group(i, 2));
  else if (opcode == OP_store_view_tko || opcode == OP_atomic_red_view_tko)
    a.tile = in_type(i, in_group(i, ir_stored_group((op_code)i->op->opcode)));
  else
    a.tile = opcode == OP_store_ptr_tko ? in_type(i, 1) : out_type(i, 0);
  a.bits = tsr_elem_bits((tsr_elem)a.tile->elem);
  a.units = san_units((tsr_elem)a.tile->elem);
  a.n = a.tile->count;
  bool combines = opcode == OP_tensor_reduce || updates_window(opcode);
  a.ordering = combines      ? ORDER_RELAXED
               : a.is_window ? ORDER_WEAK
                             : ir_int_attr(i->op, ATTR_memory_ordering_semantics);
  bool scoped = !a.is_window && ir_has_attr(i->op, ATTR_memory_scope);
  a.scope = scoped ? ir_int_attr(i->op, ATTR_memory_scope) : SCOPE_DEVICE;
  return a;
}

static uint64_t *room_for(sanitizer *s, uint64_t **memory, size_t *room, int64_t n) {
  if ((size_t)n > *room) {
    *memory = arena_array(s->arena, uint64_t, (size_t)n);
    *room = (size_t)n;
  }
  return *memory;
}

static void locate(sanitizer *s, frame *f, san_access *a) {
  const inst *i = a->i;
  a->at = room_for(s, &s->units, &s->units_room, a->n);
  if (a->is_view || a->is_window) {
    (a->is_view ? view_units : global_units)(f, i, a->at);
    return;
  }
  const uint8_t *mask = in_optional(f, i, mask_group((op_code)i->op->opcode));
  for (int64_t k = 0; k < a->n; k++) {
    bool enabled = !mask || mask[k];
    a->at[k] = enabled ? unit_of(get_element(at(f, i->in[0]), 64, k), 0) : UNIT_NONE;
  }
}

/* ---- bounds --------------------------------------------------------------------------------- */

static san_memory *root_memory(sanitizer *s, const inst *i) {
  ir_root root = ir_root_of(&s->roots, ir_accessed(i->op));
  return root >= IR_ROOT_FIRST ? san_root_memory(s, root) : NULL;
}

static bool knows_all_memory(const sanitizer *s) {
  if (s->compiled && s->roots.n_allocas) return false; /* where they are now is not told */
  for (uint32_t k = 0; k < s->n_memory; k++)
    if (!s->memory[k].bounded) return false;
  return true;
}

/* Whether the page is mapped. Pages that are stay so while a launch is executed, so the answer is
 * kept for the last ones; what cannot be asked counts as mapped. */
static bool is_page_mapped(sanitizer *s, uint64_t page) {
  uint64_t *kept = &s->mapped[page % ARRAY_LEN(s->mapped)];
  if (*kept == page) return true;
  unsigned char resident;
  void *address = (void *)(uintptr_t)(page * SAN_PAGE);
  if (mincore(address, SAN_PAGE, &resident) != 0 && errno == ENOMEM) return false;
  *kept = page;
  return true;
}

/* Where there could be memory of an unknown size: not in the first page, not in the upper half, and
 * only where the process has any. A kernel that was told a wrong extent or stride reads far away.
 */
static bool is_plausible(sanitizer *s, uint64_t unit, unsigned units) {
  if (unit < 2 * SAN_PAGE || unit == UNIT_WILD) return false;
  uint64_t first = unit / 2, last = (unit + units - 1) / 2;
  return is_page_mapped(s, first / SAN_PAGE) &&
         (last / SAN_PAGE == first / SAN_PAGE || is_page_mapped(s, last / SAN_PAGE));
}

/* May these units be accessed? */
static bool is_inside(sanitizer *s, const san_memory *root, bool all_known, uint64_t unit,
                      unsigned units) {
  if (root && root->bounded)
    return unit >= root->start && unit < root->end && units <= root->end - unit;
  if (root) return is_plausible(s, unit, units);
  return (!all_known && is_plausible(s, unit, units)) || san_memory_at(s, unit, units);
}

/* Where a place outside lies, seen from the memory that was meant. */
static void describe_outside(sanitizer *s, const san_memory *root, const san_access *a,
                             uint64_t unit, char *out, size_t size) {
  int n = unit == UNIT_WILD ? snprintf(out, size, "no memory has such an address")
                            : snprintf(out, size, "address 0x%llx", (unsigned long long)unit / 2);
  if (n < 0 || (size_t)n >= size || unit == UNIT_WILD) return;
  const san_memory *other = san_memory_at(s, unit, a->units);
  if (root && unit == root->end)
    n += snprintf(out + n, size - (size_t)n, ", just behind the end");
  else if (root && root->bounded && unit > root->end)
    n += snprintf(out + n, size - (size_t)n, ", %llu bytes behind the end",
                  (unsigned long long)(unit - root->end) / 2);
  else if (root && unit < root->start)
    n += snprintf(out + n, size - (size_t)n, ", %llu bytes before the start",
                  (unsigned long long)(root->start - unit) / 2);
  if (other && other != root && (size_t)n < size)
    snprintf(out + n, size - (size_t)n, ", in %s", other->name);
}

static void report_outside(sanitizer *s, const san_access *a, const san_memory *root, int64_t k,
                           uint64_t count) {
  if (!san_count(s, a->i, TSR_SANITIZE_BOUNDS, count)) return;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS,
                       .i = a->i,
                       .tile = a->tile,
                       .element = k,
                       .more = count - 1,
                       .memory = root,
                       .unit = a->at[k]};
  char where[160];
  if (root && root->bounded && a->at[k] != UNIT_WILD)
    san_place_text(root, a->at[k], a->units, where, sizeof where);
  else
    snprintf(where, sizeof where, "%u bytes that belong to no buffer", (a->units + 1) / 2);
  snprintf(found.message, sizeof found.message, "%s %s %s", san_op_name(a->i), a->verb, where);
  describe_outside(s, root, a, a->at[k], found.detail, sizeof found.detail);
  san_report(s, &found);
}

/* Says whether an element is out of bounds. */
static bool check_bounds(sanitizer *s, const san_access *a) {
  const san_memory *root = root_memory(s, a->i);
  bool all_known = root || knows_all_memory(s);
  int64_t first = -1;
  uint64_t count = 0;
  for (int64_t k = 0; k < a->n; k++) {
    if (a->at[k] == UNIT_NONE || is_inside(s, root, all_known, a->at[k], a->units)) continue;
    if (first < 0) first = k;
    count++;
  }
  if (count) report_outside(s, a, root, first, count);
  return count > 0;
}

static bool check_constant(sanitizer *s, const san_access *a) {
  const san_memory *root = root_memory(s, a->i);
  if (!a->writes || !root || !root->constant) return false;
  if (!san_count(s, a->i, TSR_SANITIZE_BOUNDS, 1)) return true;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = a->i, .memory = root};
  snprintf(found.message, sizeof found.message, "%s writes to %s, which is constant",
           san_op_name(a->i), root->name);
  san_report(s, &found);
  return true;
}

/* ---- the indices of views ------------------------------------------------------------------- */

static void report_index(sanitizer *s, const inst *i, unsigned d, uint64_t index, uint64_t size,
                         int64_t row, uint64_t count) {
  if (!san_count(s, i, TSR_SANITIZE_BOUNDS, count)) return;
  san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = i, .more = count - 1};
  if (row < 0)
    snprintf(found.message, sizeof found.message,
             "%s: index %llu is outside of the view, which has %llu tiles along dimension %u",
             san_op_name(i), (unsigned long long)index, (unsigned long long)size, d);
  else
    snprintf(found.message, sizeof found.message,
             "%s: element %lld of the indices is %llu, but dimension %u has the extent %llu",
             san_op_name(i), (long long)row, (unsigned long long)index, d,
             (unsigned long long)size);
  san_report(s, &found);
}

/* All indices are read as unsigned. */
static bool check_indices(sanitizer *s, frame *f, const inst *i) {
  op_code opcode = (op_code)i->op->opcode;
  uint32_t view = in_group(i, ir_view_group(opcode)), first = in_group(i, ir_index_group(opcode));
  const ir_type *t = in_type(i, view);
  bool outside = false;
  for (unsigned d = 0; d < t->rank; d++) {
    const ir_type *index = in_type(i, first + d);
    uint64_t size = view_index_space(t, at(f, i->in[view]), d), wrong = 0, count = 0;
    int64_t row = -1;
    for (int64_t k = 0; k < index->count; k++) {
      uint64_t v = get_element(at(f, i->in[first + d]), tsr_elem_bits((tsr_elem)index->elem), k);
      if (v < size || count++) continue;
      wrong = v;
      row = k;
    }
    if (count) report_index(s, i, d, wrong, size, index->rank ? row : -1, count);
    outside |= count > 0;
  }
  return outside;
}

/* What `inbounds` promises of a load or store. */
static bool check_promises(sanitizer *s, frame *f, const inst *i) {
  if (ir_attr_slot((op_code)i->op->opcode, ATTR_inbounds) < 0) return false;
  const ir_ints *promised = ir_get_attr(i->op, ATTR_inbounds)->ints;
  bool broken = false;
  for (uint32_t d = 0; promised && d < promised->len; d++) {
    if (!promised->data[d] || view_stays_inside(f, i, d)) continue;
    broken = true;
    if (!san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) continue;
    san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = i};
    snprintf(found.message, sizeof found.message,
             "%s: inbounds promises that the tile lies inside the tensor view along dimension %u, "
             "but it goes beyond",
             san_op_name(i), d);
    san_report(s, &found);
  }
  return broken;
}

/* ---- init ----------------------------------------------------------------------------------- */

static void check_init(sanitizer *s, const san_access *a) {
  int64_t first = -1;
  uint64_t count = 0;
  for (int64_t k = 0; a->reads && s->shadow.some_unwritten && k < a->n; k++) {
    if (a->at[k] == UNIT_NONE || !shadow_is_unwritten(&s->shadow, a->at[k], a->units)) continue;
    if (first < 0) first = k;
    count++;
  }
  if (!count || !san_count(s, a->i, TSR_SANITIZE_INIT, count)) return;
  san_finding found = {.check = TSR_SANITIZE_INIT,
                       .i = a->i,
                       .tile = a->tile,
                       .element = first,
                       .more = count - 1,
                       .memory = san_memory_at(s, a->at[first], a->units),
                       .unit = a->at[first]};
  char where[160] = "memory";
  if (found.memory) san_place_text(found.memory, found.unit, a->units, where, sizeof where);
  snprintf(found.message, sizeof found.message, "%s %s %s, before anything was written there",
           san_op_name(a->i), a->verb, where);
  san_report(s, &found);
}

static void mark_written(sanitizer *s, const san_access *a) {
  if (!a->writes || !s->shadow.some_unwritten) return;
  for (int64_t k = 0; k < a->n; k++)
    if (a->at[k] != UNIT_NONE) shadow_mark_written(&s->shadow, a->at[k], a->units);
}

/* ---- alignment ------------------------------------------------------------------------------ */

static void report_misaligned(sanitizer *s, const san_access *a, int64_t k, uint64_t count) {
  if (!san_count(s, a->i, TSR_SANITIZE_ARITH, count)) return;
  san_finding found = {.check = TSR_SANITIZE_ARITH,
                       .i = a->i,
                       .tile = a->tile,
                       .element = k,
                       .more = count - 1,
                       .memory = san_memory_at(s, a->at[k], a->units),
                       .unit = a->at[k]};
  char where[160] = "memory";
  if (found.memory) san_place_text(found.memory, found.unit, a->units, where, sizeof where);
  snprintf(found.message, sizeof found.message,
           "%s %s %s, at an address that is no multiple of %u, the size of its elements",
           san_op_name(a->i), a->verb, where, a->bits / 8);
  snprintf(found.detail, sizeof found.detail, "address 0x%llx", (unsigned long long)found.unit / 2);
  san_report(s, &found);
}

/* Elements lie at multiples of their size: GPUs stop at others. */
static void check_alignment(sanitizer *s, const san_access *a) {
  uint64_t count = 0;
  int64_t first = -1;
  for (int64_t k = 0; a->bits > 8 && k < a->n; k++) {
    if (a->at[k] == UNIT_NONE || a->at[k] == UNIT_WILD || a->at[k] % a->units == 0) continue;
    if (first < 0) first = k;
    count++;
  }
  if (count) report_misaligned(s, a, first, count);
}

/* ---- the access itself ---------------------------------------------------------------------- */

/* Takes the elements that are out of bounds out of the access, from both their places and the
 * pointers, which then point to a place of their own. */
static void run_pointers(sanitizer *s, frame *f, const san_access *a, const san_memory *root,
                         bool all_known) {
  uint64_t nowhere[2] = {0, 0};
  uint64_t *pointers = at(f, a->i->in[0]);
  uint64_t *saved = room_for(s, &s->saved, &s->saved_room, a->n);
  memcpy(saved, pointers, (size_t)a->n * sizeof *saved);
  for (int64_t k = 0; k < a->n; k++) {
    if (a->at[k] == UNIT_NONE || is_inside(s, root, all_known, a->at[k], a->units)) continue;
    a->at[k] = UNIT_NONE;
    pointers[k] = (uintptr_t)nowhere;
  }
  interp_do(f, a->i);
  memcpy(pointers, saved, (size_t)a->n * sizeof *saved);
}

static void access_element(frame *f, const san_access *a, int64_t k) {
  const inst *i = a->i;
  char *address = (char *)(uintptr_t)(a->at[k] / 2);
  unsigned half = a->at[k] % 2;
  op_code opcode = ir_on_one_device((op_code)i->op->opcode);
  uint32_t stored = in_group(i, ir_stored_group((op_code)i->op->opcode));
  if (updates_window(opcode)) {
    set_element(at(f, i->out[0]), a->bits, k, update_element(f, i, address, k));
  } else if (opcode == OP_load_view_tko || opcode == OP_load_global) {
    uint64_t value = a->bits == 4 ? load_memory(address, 8, a->ordering) >> 4 * half & 0xf
                                  : load_memory(address, a->bits, a->ordering);
    set_element(at(f, i->out[0]), a->bits, k, value);
  } else if (opcode == OP_store_view_tko || opcode == OP_store_global) {
    uint32_t from = opcode == OP_store_global ? 0 : stored;
    uint64_t value = get_element(at(f, i->in[from]), a->bits, k);
    if (a->bits == 4)
      store_half((uint8_t *)address, half, value);
    else
      store_memory(address, a->bits, value, a->ordering);
  } else {
    tsr_elem elem = (tsr_elem)a->tile->elem;
    atomic_update(address, elem, ir_update_mode(i->op, elem),
                  get_element(at(f, i->in[stored]), a->bits, k));
  }
}

/* Element by element; what is out of bounds reads zero. */
static void run_view(sanitizer *s, frame *f, const san_access *a, const san_memory *root,
                     bool all_known) {
  op_code opcode = ir_on_one_device((op_code)a->i->op->opcode);
  bool loads = opcode == OP_load_view_tko || opcode == OP_load_global || updates_window(opcode);
  uint64_t padding = opcode == OP_load_view_tko ? view_padding(in_type(a->i, 0)) : 0;
  if (opcode == OP_load_global)
    padding =
        padding_pattern((int)ir_int_attr(a->i->op, ATTR_padding_value), (tsr_elem)a->tile->elem);
  for (int64_t k = 0; k < a->n; k++) {
    bool outside = a->at[k] == UNIT_NONE;
    if (!outside && is_inside(s, root, all_known, a->at[k], a->units)) {
      access_element(f, a, k);
      continue;
    }
    a->at[k] = UNIT_NONE;
    if (updates_window(opcode)) padding = update_left_out(f, a->i, k);
    if (loads) set_element(at(f, a->i->out[0]), a->bits, k, outside ? padding : 0);
  }
}

/* A copy, with zeros for what is in no memory. */
static void run_copy_inside(sanitizer *s, frame *f, const san_access *a, const san_memory *root,
                            bool all_known) {
  const shared_part *part = at(f, a->i->in[in_group(a->i, 2)]);
  int64_t *to = (int64_t *)room_for(s, &s->saved, &s->saved_room, a->n);
  uint32_t targets = cluster_targets(f, a->i);
  shared_offsets(f, a->i, 2, to);
  for (int64_t k = 0; k < a->n; k++) {
    bool inside = a->at[k] != UNIT_NONE && is_inside(s, root, all_known, a->at[k], a->units);
    if (!inside) a->at[k] = UNIT_NONE;
    const void *from = (const void *)(uintptr_t)(a->at[k] / 2);
    uint64_t value = inside ? get_element(from, a->bits, a->bits == 4 ? a->at[k] % 2 : 0) : 0;
    for (f->to = 0; targets >> f->to; f->to++)
      if (targets >> f->to & 1)
        set_element((void *)(uintptr_t)cluster_address(f, part->base, f->to), a->bits, to[k],
                    value);
  }
  for (f->to = 0; targets >> f->to && a->i->op->opcode != OP_cp_async; f->to++)
    if (targets >> f->to & 1) count_bytes(f, a->i);
  f->to = f->rank;
}

static void run_carefully(sanitizer *s, frame *f, const san_access *a) {
  const san_memory *root = root_memory(s, a->i);
  bool all_known = root || knows_all_memory(s);
  op_code opcode = (op_code)a->i->op->opcode;
  if (copies_window(opcode))
    run_copy_inside(s, f, a, root, all_known);
  else if (stores_window(opcode) && opcode != OP_store_global)
    return; /* an engine's copy is left out as a whole */
  else if (a->is_view || a->is_window)
    run_view(s, f, a, root, all_known);
  else
    run_pointers(s, f, a, root, all_known);
}

bool san_check_access(sanitizer *s, frame *f, const inst *i) {
  san_access a = describe(i);
  locate(s, f, &a);
  bool wrong = a.is_view && check_indices(s, f, i);
  wrong |= a.is_view && check_promises(s, f, i);
  wrong |= check_bounds(s, &a);
  return check_constant(s, &a) || wrong;
}

void san_run_access(sanitizer *s, frame *f, const inst *i) {
  san_access a = describe(i);
  bool outside = false;
  locate(s, f, &a);
  if (san_checks(s, TSR_SANITIZE_BOUNDS)) {
    if (a.is_view) check_indices(s, f, i);
    if (a.is_view) check_promises(s, f, i);
    outside = check_bounds(s, &a);
    check_constant(s, &a);
  }
  if (san_checks(s, TSR_SANITIZE_ARITH)) check_alignment(s, &a);
  if (san_checks(s, TSR_SANITIZE_INIT)) {
    check_init(s, &a);
    san_check_undefined_access(s, f, i, a.at);
  }
  if (s->stopped) return;
  if (san_checks(s, TSR_SANITIZE_INIT)) san_note_undefined_load(s, f, i, a.at);
  if (outside)
    run_carefully(s, f, &a);
  else
    interp_do(f, i);
  mark_written(s, &a);
  if (san_checks(s, TSR_SANITIZE_RACE)) san_check_race(s, f, &a);
}
