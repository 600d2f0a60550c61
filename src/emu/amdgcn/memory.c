/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Global, flat, scratch and buffer memory, and scalar loads.
 */
#include "emu/amdgcn/memory.h"

#include "emu/amdgcn/access.h"
#include "emu/amdgcn/lane_math.h"

/* ---- addresses ------------------------------------------------------------------------------ */

/* A vector address of 64 bits, or a scalar one and a vector offset of 32 bits; and the offset. */
static void find_global(const emu_warp *w, const gcn_insn *i, const gcn_operand *vector,
                        const gcn_operand *scalar, emu_access *a) {
  bool based = scalar && scalar->kind == GCN_SCALAR;
  gcn_load(w, vector, based ? 'u' : 'q', a->lanes, a->address);
  uint64_t base = (uint64_t)(int64_t)i->offset + (based ? gcn_uniform(w, scalar, 'q') : 0);
  EMU_FOR_LANES(l, a->lanes) a->address[l] += base;
}

/* Within the lane's scratch memory: the sum of what is there. */
static void find_scratch(const emu_warp *w, const gcn_insn *i, const gcn_operand *vector,
                         const gcn_operand *scalar, emu_access *a) {
  gcn_load(w, vector, 'u', a->lanes, a->address);
  uint64_t base = gcn_uniform(w, scalar, 'u') + (uint64_t)(int64_t)i->offset;
  EMU_FOR_LANES(l, a->lanes) a->address[l] = (uint32_t)(a->address[l] + base);
}

/* What a buffer resource says. */
typedef struct resource {
  uint64_t base;
  uint32_t stride, records;
  bool scratch; /* addresses of lanes interleave: scratch memory, of processors that find it so */
} resource;

/* In the first and the last upper word of a resource. */
enum { SWIZZLE = 1u << 31, ADD_THREAD = 1 << 23 };

static resource resource_of(const emu_warp *w, const gcn_operand *o) {
  const uint32_t *s = gcn_wave_of(w)->scalar + o->first;
  if (o->kind != GCN_SCALAR || o->count < 4) return (resource){0};
  return (resource){.base = s[0] | (uint64_t)(s[1] & 0xffff) << 32,
                    .stride = s[1] >> 16 & 0x3fff,
                    .records = s[2],
                    .scratch = (s[1] & SWIZZLE) && (s[3] & ADD_THREAD)};
}

/* The offset of a scalar register, and what was added to the base, are those of a wave's lanes
 * together. */
static void find_in_scratch(const emu_warp *w, const gcn_insn *i, const resource *r,
                            emu_access *a) {
  uint64_t at[GCN_LANES] = {0};
  uint64_t scalar = (r->base + gcn_uniform(w, &i->operands[3], 'u')) / GCN_LANES;
  if (i->flags & GCN_OFFEN) gcn_load(w, &i->operands[1], 'u', a->lanes, at);
  EMU_FOR_LANES(l, a->lanes)
  a->address[l] = (uint32_t)(at[l] + scalar + (uint32_t)i->offset);
}

/* The lanes whose bytes the buffer has. Its records are bytes, or structures of `stride` bytes. */
static emu_lanes find_in_buffer(const emu_warp *w, const gcn_insn *i, const resource *r,
                                uint32_t bytes, emu_access *a) {
  const gcn_operand *v = &i->operands[1];
  bool indexed = i->flags & GCN_IDXEN, offset = i->flags & GCN_OFFEN;
  uint64_t index[GCN_LANES] = {0}, at[GCN_LANES] = {0};
  uint64_t scalar = gcn_uniform(w, &i->operands[3], 'u');
  gcn_operand second = *v;
  second.first += indexed;
  if (indexed) gcn_load(w, v, 'u', a->lanes, index);
  if (offset) gcn_load(w, &second, 'u', a->lanes, at);
  emu_lanes inside = 0;
  EMU_FOR_LANES(l, a->lanes) {
    uint64_t within = at[l] + (uint32_t)i->offset;
    bool good = indexed && r->stride ? index[l] < r->records && within + bytes <= r->stride
                                     : within + scalar + bytes <= r->records;
    a->address[l] = r->base + scalar + within + index[l] * r->stride;
    if (good) inside |= emu_lane_bit((unsigned)l);
  }
  return inside;
}

/* The lanes that a buffer instruction accesses memory for, their addresses, and the space. */
static emu_space find_buffer(const emu_warp *w, const gcn_insn *i, uint32_t bytes, emu_access *a) {
  resource r = resource_of(w, &i->operands[2]);
  if (r.scratch)
    find_in_scratch(w, i, &r, a);
  else
    a->lanes = find_in_buffer(w, i, &r, bytes, a);
  return r.scratch ? EMU_LOCAL : EMU_GLOBAL;
}

void gcn_set_scratch(uint32_t words[4]) {
  words[0] = 0;
  words[1] = SWIZZLE;
  words[2] = UINT32_MAX;
  words[3] = ADD_THREAD;
}

/* ---- what is under way ---------------------------------------------------------------------- */

/* What gives no result counts as a store. */
static void issue(emu_warp *w, const gcn_insn *i, emu_lanes lanes, const gcn_operand *result) {
  gcn_operation o = {.insn = i,
                     .counters = gcn_counted(i, result ? GCN_COUNT_VECTOR : GCN_COUNT_STORE),
                     .ordered = true,
                     .lanes = lanes};
  if (result) o.result = *result;
  gcn_add_pending(w, &o);
}

/* A flat operation is counted where its addresses lie. Those of CDNA end in any order. */
static void issue_flat(emu_warp *w, const gcn_insn *i, emu_lanes lanes, const gcn_operand *result,
                       const emu_access *a) {
  gcn_operation o = {.insn = i, .lanes = lanes, .ordered = gcn_is_narrow(i)};
  uint8_t global = gcn_counted(i, result ? GCN_COUNT_VECTOR : GCN_COUNT_STORE);
  EMU_FOR_LANES(l, a->lanes) {
    bool shared = a->allocation[l] == NULL && a->host[l] >= w->block->shared &&
                  a->host[l] < w->block->shared + w->block->shared_bytes;
    o.counters |= shared ? gcn_counted(i, GCN_COUNT_LDS) : global;
    o.lds |= shared;
  }
  if (!o.counters) o.counters = global;
  if (result) o.result = *result;
  gcn_add_pending(w, &o);
}

/* ---- global and flat ------------------------------------------------------------------------ */

/* What an instruction's operands are. */
typedef struct roles {
  const gcn_operand *result, *vector, *value, *scalar;
} roles;

static roles roles_of(const gcn_insn *i, bool has_result, bool has_value) {
  const gcn_operand *o = i->operands;
  roles r = {0};
  if (has_result) r.result = o++;
  r.vector = o++;
  if (has_value) r.value = o++;
  if (o < i->operands + i->n_operands) r.scalar = o;
  return r;
}

static emu_step load(emu_warp *w, const gcn_insn *i, emu_space space) {
  roles r = roles_of(i, true, false);
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  if (space == EMU_LOCAL)
    find_scratch(w, i, r.vector, r.scalar, &a);
  else
    find_global(w, i, r.vector, r.scalar, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_READ, &a)) return EMU_EXITED;
  gcn_fill(w, i, r.result, &a, lanes);
  if (space == EMU_GENERIC)
    issue_flat(w, i, lanes, r.result, &a);
  else
    issue(w, i, lanes, r.result);
  return EMU_NEXT;
}

static emu_step store(emu_warp *w, const gcn_insn *i, emu_space space) {
  roles r = roles_of(i, false, true);
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  if (space == EMU_LOCAL)
    find_scratch(w, i, r.vector, r.scalar, &a);
  else
    find_global(w, i, r.vector, r.scalar, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_WRITE, &a)) return EMU_EXITED;
  gcn_spill(w, i, r.value, &a);
  if (space == EMU_GENERIC)
    issue_flat(w, i, lanes, NULL, &a);
  else
    issue(w, i, lanes, NULL);
  return EMU_NEXT;
}

static emu_step atomic(emu_warp *w, const gcn_insn *i, emu_space space) {
  roles r = roles_of(i, i->flags & GCN_RETURNS, true);
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  find_global(w, i, r.vector, r.scalar, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_ATOMIC, &a)) return EMU_EXITED;
  gcn_update_lanes(w, i, r.value, r.value, r.result, &a, lanes);
  if (space == EMU_GENERIC)
    issue_flat(w, i, lanes, r.result, &a);
  else
    issue(w, i, lanes, r.result);
  return EMU_NEXT;
}

emu_step gcn_run_global_load(emu_warp *w, const gcn_insn *i) {
  return load(w, i, EMU_GLOBAL);
}
emu_step gcn_run_global_store(emu_warp *w, const gcn_insn *i) {
  return store(w, i, EMU_GLOBAL);
}
emu_step gcn_run_global_atomic(emu_warp *w, const gcn_insn *i) {
  return atomic(w, i, EMU_GLOBAL);
}
emu_step gcn_run_flat_load(emu_warp *w, const gcn_insn *i) {
  return load(w, i, EMU_GENERIC);
}
emu_step gcn_run_flat_store(emu_warp *w, const gcn_insn *i) {
  return store(w, i, EMU_GENERIC);
}
emu_step gcn_run_flat_atomic(emu_warp *w, const gcn_insn *i) {
  return atomic(w, i, EMU_GENERIC);
}
emu_step gcn_run_scratch_load(emu_warp *w, const gcn_insn *i) {
  return load(w, i, EMU_LOCAL);
}
emu_step gcn_run_scratch_store(emu_warp *w, const gcn_insn *i) {
  return store(w, i, EMU_LOCAL);
}

/* ---- to the LDS -------------------------------------------------------------------------------
 */

/* Lanes' data lies one after the other from M0 and the offset on, at least a word each. */
static void find_destination(const emu_warp *w, const gcn_insn *i, emu_access *a) {
  uint32_t size = MAX(i->row->bytes, 4u);
  uint32_t base = gcn_wave_of(w)->scalar[GCN_M0] + (uint32_t)i->offset;
  EMU_FOR_LANES(l, a->lanes) a->address[l] = base + (uint32_t)l * size;
}

static void copy_lane(const gcn_insn *i, const emu_access *from, emu_access *to, unsigned lane) {
  unsigned bytes = i->row->bytes;
  uint32_t word = 0;
  bool there = from->lanes >> lane & 1;
  if (bytes >= 4 && there) memcpy(to->host[lane], from->host[lane], bytes);
  if (bytes >= 4 && !there) memset(to->host[lane], 0, bytes);
  if (bytes >= 4) return;
  if (there) memcpy(&word, from->host[lane], bytes);
  if (i->row->more == GCN_SIGNED) word = (uint32_t)sext(word, 8 * bytes);
  memcpy(to->host[lane], &word, 4);
}

/* The operation, from lanes' addresses that are offsets in the LDS. */
static gcn_operation to_lds(const gcn_insn *i, const emu_access *to) {
  uint32_t size = MAX(i->row->bytes, 4u);
  gcn_operation o = {.insn = i,
                     .counters = gcn_counted(i, GCN_COUNT_VECTOR),
                     .ordered = true,
                     .lds = true,
                     .lanes = to->lanes};
  if (to->lanes) o.from = (uint32_t)to->address[emu_first_lane(to->lanes)];
  EMU_FOR_LANES(l, to->lanes) o.to = (uint32_t)to->address[l] + size;
  return o;
}

/* `from` has the lanes and addresses of what is read. */
static emu_step load_to_lds(emu_warp *w, const gcn_insn *i, emu_access *from) {
  emu_access to = {.lanes = gcn_exec(w)};
  if (!gcn_begin(w, i, EMU_GLOBAL, i->row->bytes, EMU_READ, from)) return EMU_EXITED;
  find_destination(w, i, &to);
  gcn_operation o = to_lds(i, &to);
  if (!gcn_begin(w, i, EMU_SHARED, MAX(i->row->bytes, 4u), EMU_WRITE, &to)) return EMU_EXITED;
  EMU_FOR_LANES(l, to.lanes) copy_lane(i, from, &to, (unsigned)l);
  gcn_add_pending(w, &o);
  return EMU_NEXT;
}

emu_step gcn_run_load_to_lds(emu_warp *w, const gcn_insn *i) {
  emu_access a = {.lanes = gcn_exec(w)};
  find_global(w, i, &i->operands[1], &i->operands[2], &a);
  return load_to_lds(w, i, &a);
}

/* ---- buffers -------------------------------------------------------------------------------- */

emu_step gcn_run_buffer_load(emu_warp *w, const gcn_insn *i) {
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  emu_space space = find_buffer(w, i, i->row->bytes, &a);
  if (i->flags & GCN_TO_LDS) return load_to_lds(w, i, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_READ, &a)) return EMU_EXITED;
  gcn_fill(w, i, &i->operands[0], &a, lanes);
  issue(w, i, lanes, &i->operands[0]);
  return EMU_NEXT;
}

emu_step gcn_run_buffer_store(emu_warp *w, const gcn_insn *i) {
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  emu_space space = find_buffer(w, i, i->row->bytes, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_WRITE, &a)) return EMU_EXITED;
  gcn_spill(w, i, &i->operands[0], &a);
  issue(w, i, lanes, NULL);
  return EMU_NEXT;
}

emu_step gcn_run_buffer_atomic(emu_warp *w, const gcn_insn *i) {
  const gcn_operand *value = &i->operands[0];
  const gcn_operand *result = i->flags & GCN_RETURNS ? value : NULL;
  emu_lanes lanes = gcn_exec(w);
  emu_access a = {.lanes = lanes};
  emu_space space = find_buffer(w, i, i->row->bytes, &a);
  if (!gcn_begin(w, i, space, i->row->bytes, EMU_ATOMIC, &a)) return EMU_EXITED;
  gcn_update_lanes(w, i, value, value, result, &a, lanes);
  issue(w, i, lanes, result);
  return EMU_NEXT;
}

/* ---- scalar loads --------------------------------------------------------------------------- */

emu_step gcn_run_scalar_load(emu_warp *w, const gcn_insn *i) {
  const gcn_operand *result = &i->operands[0], *base = &i->operands[1];
  unsigned lane = emu_first_lane(w->lanes), bytes = i->row->bytes;
  bool buffer = i->row->kind;
  uint64_t offset = gcn_uniform(w, &i->operands[2], 'u') + (uint64_t)(int64_t)i->offset;
  if (!buffer && i->operands[2].kind != GCN_SCALAR)
    offset = i->operands[2].bits + (uint64_t)(int64_t)i->offset;
  resource r = buffer ? resource_of(w, base) : (resource){.base = gcn_uniform(w, base, 'q')};
  bool inside = !buffer || offset + bytes <= r.records;
  emu_access a = {.lanes = inside ? emu_lane_bit(lane) : 0};
  a.address[lane] = (r.base + offset) & ~(uint64_t)(MIN(bytes, 4u) - 1);
  if (!gcn_begin(w, i, EMU_GLOBAL, bytes, EMU_READ, &a)) return EMU_EXITED;
  uint32_t words[16] = {0};
  if (a.lanes) memcpy(words, a.host[lane], bytes);
  if (i->row->more == GCN_SIGNED) words[0] = (uint32_t)sext(words[0], 8 * bytes);
  for (unsigned k = 0; k < result->count && k < MAX(bytes / 4, 1u); k++)
    gcn_wave_of(w)->scalar[result->first + k] = words[k];
  gcn_add_pending(w, &(gcn_operation){.insn = i,
                                      .counters = gcn_counted(i, GCN_COUNT_SCALAR),
                                      .lanes = 1,
                                      .result = *result});
  return EMU_NEXT;
}

/* ---- for watchers --------------------------------------------------------------------------- */

int gcn_stored_operand(const gcn_insn *i) {
  if (!i->row) return -1;
  if (i->row->run == gcn_run_buffer_store) return 0;
  bool stores = i->row->run == gcn_run_global_store || i->row->run == gcn_run_flat_store ||
                i->row->run == gcn_run_scratch_store || i->row->run == gcn_run_lds_store;
  return stores ? 1 : -1;
}

void gcn_stored_bytes(const emu_warp *w, const gcn_insn *i, unsigned lane, uint8_t *out) {
  const gcn_operand *o = &i->operands[gcn_stored_operand(i)];
  unsigned bytes = i->row->bytes;
  for (unsigned k = 0; 4 * k < bytes; k++) {
    uint32_t v = o->kind == GCN_VECTOR && k < o->count ? gcn_vector(w, o->first + k)[lane] : 0;
    if (i->row->more >= GCN_HIGH) v >>= 16;
    memcpy(out + 4 * k, &v, MIN(bytes - 4 * k, 4u));
  }
}

bool gcn_is_memory(const gcn_insn *i) {
  return i->row && i->row->bytes && i->row->run != gcn_run_permute;
}

emu_space gcn_space_of(const gcn_insn *i) {
  const char *name = i->row ? i->row->name : "";
  if (strncmp(name, "ds_", 3) == 0) return EMU_SHARED;
  if (strncmp(name, "scratch_", 8) == 0) return EMU_LOCAL;
  return strncmp(name, "flat_", 5) == 0 ? EMU_GENERIC : EMU_GLOBAL;
}
