/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Undefined values: where they came from, which registers have them, who uses them.
 */
#include "emu/ptx/undefined.h"

#include <stdlib.h>

#include "emu/ptx/handler_ids.h"
#include "emu/ptx/isa.h"
#include "num/int.h"

/* An instruction that gave undefined values to lanes. */
typedef struct undefined_origin {
  undefined_origin *next;
  const ptx_insn *insn;
  uint32_t told; /* lanes whose value was told of */
  bool local;    /* a load */
  uint32_t bytes;
  uint64_t address[PTX_LANES], value[PTX_LANES];
} undefined_origin;

/* A register: the lanes whose value is undefined, and where each comes from. */
typedef struct undefined_register {
  uint32_t lanes;
  undefined_origin *from[PTX_LANES];
} undefined_register;

struct undefined_frame {
  uint32_t *index; /* by a row's offset in words: 1 + place in the list; 0: all is defined */
  undefined_register *list;
  uint32_t n, cap;
};

static const emu_watcher *watcher_of(const emu_warp *w) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  return watcher && watcher->undefined ? watcher : NULL;
}

void undefined_free(ptx_frame *f) {
  if (!f->undefined) return;
  free(f->undefined->index);
  free(f->undefined->list);
  free(f->undefined);
  f->undefined = NULL;
}

void undefined_free_warp(emu_warp *w) {
  for (undefined_origin *o = ptx_warp_of(w)->origins, *next; o; o = next) {
    next = o->next;
    free(o);
  }
  ptx_warp_of(w)->origins = NULL;
}

/* ---- registers ------------------------------------------------------------------------------ */

static undefined_frame *make_frame(ptx_frame *f) {
  if (f->undefined) return f->undefined;
  undefined_frame *u = calloc(1, sizeof *u);
  if (u) u->index = calloc(f->function->register_bytes / 4 + 1, sizeof *u->index);
  if (u && !u->index) {
    free(u);
    return NULL;
  }
  return f->undefined = u;
}

/* NULL: all lanes of it are defined. */
static undefined_register *find(const ptx_frame *f, ptx_row row) {
  if (!f->undefined || PTX_ROW_BANK(row) != PTX_BANK_FRAME) return NULL;
  uint32_t at = f->undefined->index[PTX_ROW_OFFSET(row) / 4];
  return at ? &f->undefined->list[at - 1] : NULL;
}

/* ... made when there is none; NULL: no memory. Others may move. */
static undefined_register *make(ptx_frame *f, ptx_row row) {
  undefined_register *found = find(f, row);
  if (found) return found;
  undefined_frame *u = make_frame(f);
  if (!u) return NULL;
  if (u->n == u->cap) {
    uint32_t cap = MAX(8, 2 * u->cap);
    undefined_register *list = realloc(u->list, cap * sizeof *list);
    if (!list) return NULL;
    u->list = list, u->cap = cap;
  }
  u->list[u->n] = (undefined_register){0};
  u->index[PTX_ROW_OFFSET(row) / 4] = ++u->n;
  return &u->list[u->n - 1];
}

static bool is_register(const ptx_operand *o) {
  return o->kind == PTX_OPERAND_ROW && PTX_ROW_BANK(o->row) == PTX_BANK_FRAME;
}

static bool is_list(const ptx_operand *o) {
  return o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR ||
         o->kind == PTX_OPERAND_ARGUMENTS || o->kind == PTX_OPERAND_TENSOR;
}

/* Gives the lanes of a register what `value` has of them. */
static void assign(ptx_frame *f, const ptx_operand *d, uint32_t lanes,
                   const undefined_register *value) {
  if (is_list(d)) {
    for (unsigned k = 0; k < d->count; k++) assign(f, &d->list[k], lanes, value);
    return;
  }
  if (!is_register(d)) return;
  uint32_t undefined = value->lanes & lanes;
  undefined_register *r = undefined ? make(f, d->row) : find(f, d->row);
  if (!r) return;
  r->lanes = (r->lanes & ~lanes) | undefined;
  PTX_FOR_LANES(l, undefined) r->from[l] = value->from[l];
}

/* Adds what an operand has to `sum`, for these lanes. */
static void add(const ptx_frame *f, const ptx_operand *o, uint32_t lanes, undefined_register *sum) {
  if (is_list(o))
    for (unsigned k = 0; k < o->count; k++) add(f, &o->list[k], lanes, sum);
  if (o->kind != PTX_OPERAND_ROW && o->kind != PTX_OPERAND_ADDRESS && o->kind != PTX_OPERAND_TENSOR)
    return;
  const undefined_register *r = find(f, o->row);
  if (!r) return;
  PTX_FOR_LANES(l, r->lanes & lanes & ~sum->lanes) sum->from[l] = r->from[l];
  sum->lanes |= r->lanes & lanes;
}

/* ---- origins -------------------------------------------------------------------------------- */

static undefined_origin *origin_of(emu_warp *w, const ptx_insn *i) {
  undefined_origin *o = ptx_warp_of(w)->origins;
  while (o && o->insn != i) o = o->next;
  if (o) return o;
  o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->insn = i;
  o->next = ptx_warp_of(w)->origins;
  return ptx_warp_of(w)->origins = o;
}

static void tell(emu_warp *w, const ptx_insn *i, const undefined_register *used) {
  PTX_FOR_LANES(l, used->lanes) {
    undefined_origin *o = used->from[l];
    if (o->told >> l & 1) continue;
    o->told |= 1u << l;
    const emu_watcher *watcher = watcher_of(w);
    watcher->undefined(watcher->user, w,
                       &(emu_undefined){.from = o->insn,
                                        .insn = i,
                                        .lane = l,
                                        .local = o->local,
                                        .address = o->address[l],
                                        .bytes = o->bytes,
                                        .value = o->value[l]});
  }
}

/* ---- what instructions do ------------------------------------------------------------------- */

/* Lanes in which an operand has the value that decides an `and` or an `or`. */
static uint32_t decides(const emu_warp *w, const ptx_insn *i, const ptx_operand *o, uint32_t lanes,
                        bool is_or) {
  uint64_t ones = o->bytes == 0 ? 1 : num_mask(ptx_types[i->type[0]].bits);
  uint32_t found = 0;
  PTX_FOR_LANES(l, lanes) found |= (uint32_t)(ptx_get(w, o, l) == (is_or ? ones : 0)) << l;
  return found;
}

/* a op b: undefined where one is and the other does not decide. */
static void combine(const emu_warp *w, const ptx_frame *f, const ptx_insn *i, uint32_t lanes,
                    bool is_or, undefined_register *out) {
  const ptx_operand *o = &i->op_list[1];
  undefined_register a = {0}, b = {0};
  add(f, &o[0], lanes, &a);
  add(f, &o[1], lanes, &b);
  uint32_t decided = (~a.lanes & decides(w, i, &o[0], lanes, is_or)) |
                     (~b.lanes & decides(w, i, &o[1], lanes, is_or));
  add(f, &o[0], lanes & ~decided, out);
  add(f, &o[1], lanes & ~decided, out);
}

static void choose(const ptx_frame *f, const ptx_insn *i, uint32_t lanes, uint32_t first,
                   undefined_register *out) {
  add(f, &i->op_list[3], lanes, out);
  add(f, &i->op_list[1], lanes & first, out);
  add(f, &i->op_list[2], lanes & ~first, out);
}

static uint32_t not_negative(const emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *c = &i->op_list[3];
  uint32_t found = 0;
  PTX_FOR_LANES(l, lanes) {
    uint32_t v = (uint32_t)ptx_get(w, c, l);
    found |= (uint32_t)(!(v >> 31) || (i->type[1] == PTX_F32 && v == 0x80000000)) << l;
  }
  return found;
}

/* setp a, b, q: undefined where the comparison is and q does not decide. */
static void compare(const emu_warp *w, const ptx_frame *f, const ptx_insn *i, uint32_t lanes,
                    undefined_register *out) {
  const ptx_operand *q =
      i->n_ops > 3 && i->op_list[3].kind == PTX_OPERAND_ROW ? &i->op_list[3] : NULL;
  bool may_decide = q && (i->op == PTX_OP_AND || i->op == PTX_OP_OR);
  undefined_register third = {0};
  if (q) add(f, q, lanes, &third);
  uint32_t decided = may_decide ? ~third.lanes & decides(w, i, q, lanes, i->op == PTX_OP_OR) : 0;
  for (unsigned k = 1; k < i->n_ops; k++) add(f, &i->op_list[k], lanes & ~decided, out);
}

/* What the destinations of an instruction on registers get. */
static void compute(const emu_warp *w, const ptx_frame *f, const ptx_insn *i, uint32_t lanes,
                    undefined_register *out) {
  switch (i->handler) {
  case PTX_H_selp: choose(f, i, lanes, ptx_get_pred(w, &i->op_list[3]), out); break;
  case PTX_H_slct: choose(f, i, lanes, not_negative(w, i, lanes), out); break;
  case PTX_H_pred_and:
  case PTX_H_int_and: combine(w, f, i, lanes, false, out); break;
  case PTX_H_pred_or:
  case PTX_H_int_or: combine(w, f, i, lanes, true, out); break;
  case PTX_H_setp: compare(w, f, i, lanes, out); break;
  default:
    for (unsigned k = 1; k < i->n_ops; k++) add(f, &i->op_list[k], lanes, out);
  }
}

/* Lanes whose store goes to local memory. */
static uint32_t to_local(const emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  if (i->handler != PTX_H_st || i->space == PTX_LOCAL) return i->handler == PTX_H_st ? lanes : 0;
  if (i->space != PTX_GENERIC) return 0;
  uint32_t found = 0;
  const ptx_operand *o = &i->op_list[0];
  PTX_FOR_LANES(l, lanes) {
    uint64_t address = ptx_get(w, o, l) + (uint64_t)o->offset;
    found |= (uint32_t)(EMU_WINDOW(address) == EMU_WINDOW_LOCAL) << l;
  }
  return found;
}

/* Operands that are used, and destinations of defined values. */
static void use(emu_warp *w, ptx_frame *f, const ptx_insn *i, uint32_t lanes) {
  undefined_register used = {0};
  static const undefined_register defined;
  bool shuffles = i->handler == PTX_H_shfl;
  uint32_t local = to_local(w, i, lanes);
  for (unsigned k = 0; k < i->n_ops; k++) {
    bool value = k == 1 && (shuffles || local);
    if (!ptx_writes(i, k))
      add(f, &i->op_list[k], value ? (shuffles ? 0 : lanes & ~local) : lanes, &used);
  }
  tell(w, i, &used);
  for (unsigned k = 0; k < i->n_ops && !shuffles; k++)
    if (ptx_writes(i, k)) assign(f, &i->op_list[k], lanes, &defined);
}

void undefined_step(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_frame *f = w->split->frame;
  if (!f->undefined || !watcher_of(w)) return;
  if (i->guarded) {
    undefined_register guard = {0};
    add(f, &(ptx_operand){.kind = PTX_OPERAND_ROW, .row = i->guard}, (uint32_t)w->split->lanes,
        &guard);
    tell(w, i, &guard);
  }
  if (!lanes) return;
  if (i->handler >= PTX_H_ld) {
    use(w, f, i, lanes);
    return;
  }
  undefined_register value = {0};
  compute(w, f, i, lanes, &value);
  if (i->n_ops) assign(f, &i->op_list[0], lanes, &value);
}

/* ---- where undefined values come from ------------------------------------------------------- */

static const ptx_operand *element(const ptx_operand *o, unsigned k) {
  return o->kind == PTX_OPERAND_VECTOR ? &o->list[k] : o;
}

/* A load: the elements of which a byte was not written are undefined. */
static bool loaded(emu_warp *w, const ptx_insn *i, const emu_access *a, unsigned lane,
                   const uint8_t *written) {
  ptx_frame *f = w->split->frame;
  undefined_origin *o = origin_of(w, i);
  if (!o || !make_frame(f)) return false;
  unsigned size = a->bytes / i->vec;
  undefined_register value = {.lanes = 1u << lane};
  value.from[lane] = o;
  o->local = true;
  o->told &= ~(1u << lane);
  o->bytes = a->bytes;
  o->address[lane] = a->address[lane];
  memcpy(&o->value[lane], a->host[lane], MIN(a->bytes, 8u));
  for (unsigned k = 0; k < i->vec; k++)
    if (memchr(written + k * size, 0, size))
      assign(f, element(&i->op_list[0], k), 1u << lane, &value);
  return true;
}

static void stored(const ptx_frame *f, const ptx_insn *i, const emu_access *a, unsigned lane,
                   uint8_t *written) {
  unsigned size = a->bytes / i->vec;
  for (unsigned k = 0; f->undefined && k < i->vec; k++) {
    undefined_register value = {0};
    add(f, element(&i->op_list[1], k), 1u << lane, &value);
    if (value.lanes) memset(written + k * size, 0, size);
  }
}

bool undefined_track_local(emu_warp *w, const emu_access *a, unsigned lane, uint8_t *written) {
  const ptx_insn *i = a->insn;
  if (!watcher_of(w)) return false;
  if (i->handler == PTX_H_st) stored(w->split->frame, i, a, lane, written);
  return i->handler == PTX_H_ld && loaded(w, i, a, lane, written);
}

/* Gives `absent` lanes of the destination a value that the shuffle made up. */
static void add_absent(emu_warp *w, const ptx_insn *i, uint32_t absent, undefined_register *out) {
  undefined_origin *o = absent ? origin_of(w, i) : NULL;
  if (!o) return;
  o->local = false;
  o->told &= ~absent;
  out->lanes |= absent;
  PTX_FOR_LANES(l, absent) out->from[l] = o;
}

static const ptx_operand *value_of(const ptx_insn *i) {
  const ptx_operand *d = &i->op_list[0];
  return d->kind == PTX_OPERAND_PAIR ? &d->list[0] : d;
}

void undefined_shuffled(emu_warp *w, const ptx_insn *i, uint32_t lanes, const uint8_t *from,
                        uint32_t absent) {
  ptx_frame *f = w->split->frame;
  if (i == ptx_warp_of(w)->meeting) {
    ptx_warp_of(w)->absent = absent;
    return;
  }
  if (!watcher_of(w) || (!absent && !f->undefined)) return;
  undefined_register given = {0}, value = {0};
  static const undefined_register defined;
  add(f, &i->op_list[1], PTX_ALL_LANES, &given);
  PTX_FOR_LANES(l, lanes & ~absent) {
    if (!(given.lanes >> from[l] & 1)) continue;
    value.lanes |= 1u << l;
    value.from[l] = given.from[from[l]];
  }
  add_absent(w, i, absent, &value);
  assign(f, &i->op_list[0], lanes, &defined);
  assign(f, value_of(i), lanes, &value);
}

void undefined_met(emu_warp *w, const emu_split *s, const ptx_insn *i, uint32_t lanes) {
  undefined_register value = {0};
  static const undefined_register defined;
  if (i->handler != PTX_H_shfl || !watcher_of(w)) return;
  add_absent(w, i, ptx_warp_of(w)->absent & lanes, &value);
  assign(s->frame, &i->op_list[0], lanes, &defined);
  assign(s->frame, value_of(i), lanes, &value);
}
