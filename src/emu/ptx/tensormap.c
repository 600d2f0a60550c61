/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor maps: limits, the object, and the walk through a box.
 */
#include "emu/ptx/tensormap.h"

enum { MAX_BOX = 256, MAX_ELEMENT_STRIDE = 8, MAX_PIXELS = 1024 };

static const struct {
  const char *name;
  uint8_t bytes;
  bool is_float;
} types[TENSORMAP_TYPE_COUNT] = {
    [TENSORMAP_U8] = {"u8", 1, false},
    [TENSORMAP_U16] = {"u16", 2, false},
    [TENSORMAP_U32] = {"u32", 4, false},
    [TENSORMAP_S32] = {"s32", 4, false},
    [TENSORMAP_U64] = {"u64", 8, false},
    [TENSORMAP_S64] = {"s64", 8, false},
    [TENSORMAP_F16] = {"f16", 2, true},
    [TENSORMAP_F32] = {"f32", 4, true},
    [TENSORMAP_F64] = {"f64", 8, true},
    [TENSORMAP_BF16] = {"bf16", 2, true},
    [TENSORMAP_F32_FTZ] = {"f32.ftz", 4, true},
    [TENSORMAP_TF32] = {"tf32", 4, true},
    [TENSORMAP_TF32_FTZ] = {"tf32.ftz", 4, true},
};

unsigned tensormap_element_bytes(tensormap_type type) {
  return types[type].bytes;
}
const char *tensormap_type_name(tensormap_type type) {
  return types[type].name;
}

/* ---- limits --------------------------------------------------------------------------------- */

static const char *shape_problem(const tensormap *m) {
  unsigned align = m->interleave == 32 ? 32 : 16;
  if (m->address % align)
    return "the global address must be a multiple of 16 bytes (32 with 32-byte interleave)";
  for (unsigned d = 0; d < m->rank; d++) {
    if (m->dims[d] < 1 || m->dims[d] > UINT64_C(1) << 32)
      return "each dimension must have 1 to 2^32 elements";
    if (m->element_strides[d] < 1 || m->element_strides[d] > MAX_ELEMENT_STRIDE)
      return "element strides must be 1 to 8";
    if (d + 1 < m->rank && (m->strides[d] % align || m->strides[d] >= UINT64_C(1) << 40))
      return "strides must be multiples of 16 bytes (32 with 32-byte interleave) below 2^40";
  }
  if (m->element_strides[0] != 1 && !m->interleave)
    return "dimension 0 has no element stride: it must be 1";
  return NULL;
}

static const char *inner_problem(const tensormap *m, uint32_t inner) {
  if (!m->interleave && inner % 16) return "a row of the box must be a multiple of 16 bytes long";
  if (m->swizzle && !m->interleave && inner > m->swizzle)
    return "a row of the box must not be longer than the swizzle";
  if (m->interleave && inner > m->interleave)
    return "a row of an interleaved box must not be longer than the interleave";
  if (m->interleave == 32 && m->swizzle != 32) return "32-byte interleave needs 32-byte swizzle";
  if (m->interleave && m->rank < 3) return "interleaved tensors have 3 dimensions or more";
  return NULL;
}

static const char *tile_problem(const tensormap *m) {
  for (unsigned d = 0; d < m->rank; d++)
    if (m->box[d] < 1 || m->box[d] > MAX_BOX) return "each side of the box must be 1 to 256";
  return inner_problem(m, m->box[0] * types[m->type].bytes);
}

static const char *im2col_problem(const tensormap *m) {
  static const int reach[] = {32768, 128,
                              16}; /* of a corner, by the number of spatial dimensions */
  if (m->rank < 3) return "an im2col tensor has 3 to 5 dimensions";
  if (m->channels < 1 || m->channels > MAX_BOX) return "channels per pixel must be 1 to 256";
  if (m->pixels < 1 || m->pixels > MAX_PIXELS) return "pixels per column must be 1 to 1024";
  for (unsigned i = 0; i + 2 < m->rank; i++) {
    int limit = reach[m->rank - 3];
    if (m->lower[i] < -limit || m->lower[i] >= limit || m->upper[i] < -limit ||
        m->upper[i] >= limit)
      return "corners of the pixel box are out of range: 16 bits for 3 dimensions, 8 for 4, 5 for "
             "5";
    if (m->lower[i] > (int64_t)m->dims[i + 1] - 1 + m->upper[i])
      return "the pixel box is empty: its lower corner lies beyond the upper one";
  }
  return inner_problem(m, m->channels * types[m->type].bytes);
}

static const char *problem_of(const tensormap *m) {
  if (m->type >= TENSORMAP_TYPE_COUNT) return "the element type is none";
  if (m->rank < 1 || m->rank > TENSORMAP_MAX_RANK) return "a tensor has 1 to 5 dimensions";
  if (m->interleave != 0 && m->interleave != 16 && m->interleave != 32)
    return "the interleave must be 0, 16 or 32 bytes";
  if (m->swizzle != 0 && m->swizzle != 32 && m->swizzle != 64 && m->swizzle != 128)
    return "the swizzle must be 0, 32, 64 or 128 bytes";
  if (m->fill_nan && !types[m->type].is_float) return "only floats can be filled with NaN";
  const char *problem = shape_problem(m);
  if (problem) return problem;
  return m->im2col ? im2col_problem(m) : tile_problem(m);
}

/* ---- the object ----------------------------------------------------------------------------- */

/* A mark of 8 bytes, the fields one after the other, zeros, and a checksum in the last 8. */
static const char mark[8] = {'T', 'S', 'R', 't', 'm', 'a', 'p', '1'};
enum { SUM_AT = TENSORMAP_BYTES - 8 };

typedef struct packer {
  uint8_t *at;
  bool reading;
} packer;

static void pack(packer *p, void *field, unsigned size) {
  if (p->reading)
    memcpy(field, p->at, size);
  else
    memcpy(p->at, field, size);
  p->at += size;
}

static void pack_fields(packer *p, tensormap *m) {
  uint8_t flags = (uint8_t)(m->fill_nan | m->im2col << 1);
  pack(p, &m->type, 1);
  pack(p, &m->rank, 1);
  pack(p, &m->interleave, 1);
  pack(p, &m->swizzle, 1);
  pack(p, &flags, 1);
  m->fill_nan = flags & 1, m->im2col = flags >> 1 & 1;
  pack(p, m->element_strides, sizeof m->element_strides);
  pack(p, &m->address, 8);
  for (unsigned d = 0; d < TENSORMAP_MAX_RANK; d++) pack(p, &m->dims[d], 5);
  for (unsigned d = 0; d + 1 < TENSORMAP_MAX_RANK; d++) pack(p, &m->strides[d], 5);
  pack(p, m->box, sizeof m->box);
  pack(p, m->lower, sizeof m->lower);
  pack(p, m->upper, sizeof m->upper);
  pack(p, &m->channels, 2);
  pack(p, &m->pixels, 2);
}

static void write_object(const tensormap *m, uint8_t object[TENSORMAP_BYTES]) {
  tensormap fields = *m;
  memset(object, 0, TENSORMAP_BYTES);
  memcpy(object, mark, sizeof mark);
  pack_fields(&(packer){.at = object + sizeof mark}, &fields);
  uint64_t sum = hash_bytes(object, SUM_AT);
  memcpy(object + SUM_AT, &sum, sizeof sum);
}

const char *tensormap_encode(const tensormap *m, uint8_t object[TENSORMAP_BYTES]) {
  const char *problem = problem_of(m);
  if (!problem) write_object(m, object);
  return problem;
}

static const char *read_object(const uint8_t object[TENSORMAP_BYTES], tensormap *out) {
  uint64_t sum;
  memcpy(&sum, object + SUM_AT, sizeof sum);
  if (memcmp(object, mark, sizeof mark) != 0)
    return "these 128 bytes are no tensor map; the host makes one and passes it as a parameter";
  if (sum != hash_bytes(object, SUM_AT)) return "the tensor map was changed after it was made";
  uint8_t copy[TENSORMAP_BYTES];
  memcpy(copy, object, sizeof copy);
  memset(out, 0, sizeof *out);
  pack_fields(&(packer){.at = copy + sizeof mark, .reading = true}, out);
  return NULL;
}

const char *tensormap_decode(const uint8_t object[TENSORMAP_BYTES], tensormap *out) {
  const char *problem = read_object(object, out);
  return problem ? problem : problem_of(out);
}

/* ---- changing a member ---------------------------------------------------------------------- */

static const char *replace_size(tensormap *m, tensormap_field field, uint32_t at, uint64_t value) {
  if (at >= TENSORMAP_MAX_RANK - (field == TENSORMAP_FIELD_STRIDE))
    return field == TENSORMAP_FIELD_STRIDE ? "strides are numbered 0 to 3"
                                           : "dimensions are numbered 0 to 4";
  switch (field) {
  case TENSORMAP_FIELD_BOX:
    if (value < 1 || value > MAX_BOX) return "each side of the box must be 1 to 256";
    m->box[at] = (uint16_t)value;
    return NULL;
  case TENSORMAP_FIELD_ELEMENT_STRIDE:
    if (value < 1 || value > MAX_ELEMENT_STRIDE) return "element strides must be 1 to 8";
    m->element_strides[at] = (uint8_t)value;
    return NULL;
  case TENSORMAP_FIELD_STRIDE:
    if (value >= UINT64_C(1) << 40) return "strides are below 2^40 bytes";
    m->strides[at] = value;
    return NULL;
  default: m->dims[at] = value; return NULL;
  }
}

static const char *replace_choice(tensormap *m, tensormap_field field, uint64_t value) {
  static const uint8_t type_of[] = {
      TENSORMAP_U8,   TENSORMAP_U16,  TENSORMAP_U32,     TENSORMAP_S32,     TENSORMAP_U64,
      TENSORMAP_S64,  TENSORMAP_F16,  TENSORMAP_F32,     TENSORMAP_F32_FTZ, TENSORMAP_F64,
      TENSORMAP_BF16, TENSORMAP_TF32, TENSORMAP_TF32_FTZ};
  static const uint8_t interleaves[] = {0, 16, 32}, swizzles[] = {0, 32, 64, 128};
  switch (field) {
  case TENSORMAP_FIELD_TYPE:
    if (value >= ARRAY_LEN(type_of)) return "the element type is none; they are 0 to 12";
    m->type = type_of[value];
    return NULL;
  case TENSORMAP_FIELD_INTERLEAVE:
    if (value >= ARRAY_LEN(interleaves)) return "the interleave is 0, 1 (16 bytes) or 2 (32 bytes)";
    m->interleave = interleaves[value];
    return NULL;
  case TENSORMAP_FIELD_SWIZZLE:
    if (value >= ARRAY_LEN(swizzles))
      return "the swizzle is 0, 1 (32 bytes), 2 (64 bytes) or 3 (128 bytes)";
    m->swizzle = swizzles[value];
    return NULL;
  default:
    if (value > 1) return "the fill is 0 (zeros) or 1 (NaN)";
    m->fill_nan = value == 1;
    return NULL;
  }
}

/* A program that makes a map on the card begins with zeros and sets all members. */
static bool is_blank(const uint8_t object[TENSORMAP_BYTES]) {
  static const uint8_t zeros[TENSORMAP_BYTES];
  return memcmp(object, zeros, sizeof zeros) == 0;
}

const char *tensormap_replace(uint8_t object[TENSORMAP_BYTES], tensormap_field field, uint32_t at,
                              uint64_t value) {
  tensormap m = {.rank = 0};
  const char *problem = is_blank(object) ? NULL : read_object(object, &m);
  if (problem) return problem;
  if (field == TENSORMAP_FIELD_ADDRESS) {
    m.address = value;
  } else if (field == TENSORMAP_FIELD_RANK) {
    if (value >= TENSORMAP_MAX_RANK) return "the rank is given less one, 0 to 4";
    m.rank = (uint8_t)(value + 1);
  } else if (field <= TENSORMAP_FIELD_ELEMENT_STRIDE) {
    problem = replace_size(&m, field, at, value);
  } else {
    problem = replace_choice(&m, field, value);
  }
  if (!problem) write_object(&m, object);
  return problem;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Elements along a side of the box. */
static uint32_t side(const tensormap *m, unsigned d) {
  return (m->box[d] + m->element_strides[d] - 1u) / m->element_strides[d];
}

static uint32_t row_elements(const tensormap *m) {
  return m->im2col ? m->channels : side(m, 0);
}

static uint32_t row_count(const tensormap *m) {
  uint32_t rows = 1;
  if (m->im2col) return m->pixels;
  for (unsigned d = 1; d < m->rank; d++) rows *= side(m, d);
  return rows;
}

uint32_t tensormap_box_bytes(const tensormap *m) {
  return row_elements(m) * row_count(m) * types[m->type].bytes;
}

uint32_t tensormap_shared_align(const tensormap *m) {
  (void)m;
  return 128;
}

void tensormap_walk_begin(tensormap_walk *w, const tensormap *m, const int32_t *coordinates,
                          const uint16_t *offsets) {
  *w = (tensormap_walk){.map = m, .rows = row_count(m)};
  for (unsigned d = 0; d < m->rank; d++) w->at[d] = w->origin[d] = coordinates[d];
  if (m->im2col && offsets)
    for (unsigned d = 1; d + 1 < m->rank; d++) w->offset[d] = offsets[d - 1];
}

/* The next pixel of the box: along dimension 1, then 2 and 3, then to the next image. */
static void next_pixel(tensormap_walk *w) {
  const tensormap *m = w->map;
  for (unsigned d = 1; d + 1 < m->rank; d++) {
    w->at[d] += m->element_strides[d];
    if (w->at[d] <= (int64_t)m->dims[d] - 1 + m->upper[d - 1]) return;
    w->at[d] = m->lower[d - 1];
  }
  w->at[m->rank - 1]++;
}

static void next_row(tensormap_walk *w) {
  const tensormap *m = w->map;
  w->row++;
  w->element = 0;
  if (m->im2col) {
    next_pixel(w);
    return;
  }
  for (unsigned d = 1; d < m->rank; d++) {
    w->at[d] += m->element_strides[d];
    if (++w->index[d] < side(m, d)) return;
    w->index[d] = 0;
    w->at[d] = w->origin[d];
  }
}

bool tensormap_walk_next(tensormap_walk *w, tensormap_run *run) {
  const tensormap *m = w->map;
  uint32_t elements = row_elements(m), size = types[m->type].bytes, count = elements - w->element;
  if (w->row >= w->rows) return false;
  bool inside = true;
  uint64_t address = m->address;
  for (unsigned d = 1; d < m->rank; d++) {
    int64_t at = w->at[d] + w->offset[d];
    inside &= at >= 0 && at < (int64_t)m->dims[d];
    if (inside) address += (uint64_t)at * m->strides[d - 1];
  }
  int64_t first = w->at[0] + w->element, end = (int64_t)m->dims[0];
  if (inside && first < 0) {
    inside = false;
    count = (uint32_t)MIN((int64_t)count, -first);
  } else if (inside && first >= end) {
    inside = false;
  } else if (inside) {
    count = (uint32_t)MIN((int64_t)count, end - first);
  }
  *run = (tensormap_run){.shared = (w->row * elements + w->element) * size,
                         .bytes = count * size,
                         .global = inside ? address + (uint64_t)first * size : 0,
                         .inside = inside,
                         .ends_row = inside && first + count == end};
  w->element += count;
  if (w->element == elements) next_row(w);
  return true;
}

/* ---- elements ------------------------------------------------------------------------------- */

void tensormap_fill(const tensormap *m, uint8_t *out, uint32_t bytes) {
  memset(out, m->fill_nan ? 0xff : 0, bytes);
}

void tensormap_convert(const tensormap *m, uint8_t *data, uint32_t bytes) {
  if (m->type != TENSORMAP_F32_FTZ && m->type != TENSORMAP_TF32_FTZ) return;
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t v;
    memcpy(&v, data + i, 4);
    if (!(v & 0x7f800000)) v &= 0x80000000;
    memcpy(data + i, &v, 4);
  }
}
