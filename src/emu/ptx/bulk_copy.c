/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bulk copies: reductions of arrays, and runs between global memory and swizzled shared memory.
 */
#include "emu/ptx/bulk_copy.h"

#include "num/num.h"

enum { CHUNK = 16 };

unsigned bulk_type_bytes(bulk_type type) {
  switch (type) {
  case BULK_BYTES: return 1;
  case BULK_F16:
  case BULK_BF16: return 2;
  case BULK_U64:
  case BULK_S64:
  case BULK_B64:
  case BULK_F64: return 8;
  default: return 4;
  }
}

/* PTX ISA, "cp.reduce.async.bulk": .and .or .xor on bits; .add on all numbers; .inc .dec on u32;
 * .min .max on integers and 16-bit floats. */
bool bulk_reduction_exists(bulk_op op, bulk_type type) {
  bool bits = type == BULK_B32 || type == BULK_B64;
  bool wide = type == BULK_F32 || type == BULK_F64;
  switch (op) {
  case BULK_COPY: return true;
  case BULK_AND:
  case BULK_OR:
  case BULK_XOR: return bits;
  case BULK_INC:
  case BULK_DEC: return type == BULK_U32;
  case BULK_ADD: return !bits && type != BULK_BYTES;
  default: return !bits && !wide && type != BULK_BYTES;
  }
}

bulk_type bulk_type_of_map(const tensormap *m) {
  switch ((tensormap_type)m->type) {
  case TENSORMAP_U32: return BULK_U32;
  case TENSORMAP_S32: return BULK_S32;
  case TENSORMAP_U64: return BULK_U64;
  case TENSORMAP_S64: return BULK_S64;
  case TENSORMAP_F16: return BULK_F16;
  case TENSORMAP_BF16: return BULK_BF16;
  case TENSORMAP_F32:
  case TENSORMAP_F32_FTZ: return BULK_F32;
  case TENSORMAP_F64: return BULK_F64;
  default: return BULK_BYTES;
  }
}

static const num_format *format_of(bulk_type type) {
  switch (type) {
  case BULK_F16: return &num_formats[TSR_F16];
  case BULK_BF16: return &num_formats[TSR_BF16];
  case BULK_F32: return &num_formats[TSR_F32];
  case BULK_F64: return &num_formats[TSR_F64];
  default: return NULL;
  }
}

static uint64_t reduce_float(bulk_op op, const num_format *f, uint64_t d, uint64_t s) {
  if (op == BULK_MIN) return num_min(f, d, s, false, false);
  if (op == BULK_MAX) return num_max(f, d, s, false, false);
  return num_add(f, d, s, NUM_NEAREST_EVEN, false);
}

static bool less(bulk_type type, uint64_t a, uint64_t b) {
  if (type == BULK_S32) return (int32_t)a < (int32_t)b;
  if (type == BULK_S64) return (int64_t)a < (int64_t)b;
  return a < b;
}

static uint64_t reduce_one(bulk_op op, bulk_type type, uint64_t d, uint64_t s) {
  const num_format *f = format_of(type);
  if (f) return reduce_float(op, f, d, s);
  switch (op) {
  case BULK_ADD: return d + s;
  case BULK_MIN: return less(type, s, d) ? s : d;
  case BULK_MAX: return less(type, d, s) ? s : d;
  case BULK_INC: return d >= s ? 0 : d + 1;
  case BULK_DEC: return d == 0 || d > s ? s : d - 1;
  case BULK_AND: return d & s;
  case BULK_OR: return d | s;
  case BULK_XOR: return d ^ s;
  default: return s;
  }
}

void bulk_apply(bulk_op op, bulk_type type, uint8_t *d, const uint8_t *s, uint32_t bytes) {
  if (op == BULK_COPY) {
    memmove(d, s, bytes);
    return;
  }
  unsigned size = bulk_type_bytes(type);
  for (uint32_t i = 0; i + size <= bytes; i += size) {
    uint64_t a = 0, b = 0;
    memcpy(&a, d + i, size);
    memcpy(&b, s + i, size);
    a = reduce_one(op, type, a, b);
    memcpy(d + i, &a, size);
  }
}

void bulk_pieces(const tensormap *m, const tensormap_run *run, uint32_t box, bulk_piece_fn *piece,
                 void *user) {
  uint32_t at = box + run->shared, done = 0;
  while (done < run->bytes) {
    uint32_t n = run->bytes - done;
    if (m->swizzle) n = MIN(n, CHUNK - (at + done) % CHUNK);
    piece(user, tensormap_swizzle(m->swizzle, at + done), done, n);
    done += n;
  }
}

typedef struct run_copy {
  const tensormap *map;
  uint8_t *shared;
  const uint8_t *in;
  uint8_t *out;
  bulk_op op;
  bulk_type type;
} run_copy;

static void load_piece(void *user, uint32_t address, uint32_t offset, uint32_t bytes) {
  run_copy *c = user;
  if (!c->in) {
    tensormap_fill(c->map, c->shared + address, bytes);
    return;
  }
  memcpy(c->shared + address, c->in + offset, bytes);
  tensormap_convert(c->map, c->shared + address, bytes);
}

static void store_piece(void *user, uint32_t address, uint32_t offset, uint32_t bytes) {
  run_copy *c = user;
  bulk_apply(c->op, c->type, c->out + offset, c->shared + address, bytes);
}

void bulk_load_run(const tensormap *m, const tensormap_run *run, uint8_t *shared, uint32_t box,
                   const uint8_t *global) {
  bulk_pieces(m, run, box, load_piece,
              &(run_copy){.map = m, .shared = shared, .in = run->inside ? global : NULL});
}

void bulk_store_run(const tensormap *m, const tensormap_run *run, const uint8_t *shared,
                    uint32_t box, uint8_t *global, bulk_op op, bulk_type type) {
  if (!run->inside) return;
  bulk_pieces(
      m, run, box, store_piece,
      &(run_copy){.map = m, .shared = (uint8_t *)shared, .out = global, .op = op, .type = type});
}
