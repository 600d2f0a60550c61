/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The register fragments of AMD's matrix instructions.
 *
 * All their sizes are powers of two, and a fragment gives each bit of an element's index to a bit
 * of the lane's number or of the slot's. Bits are given away from the lowest on:
 *
 *   A [block, m, k]   slots: a run of neighbours in k; lanes: m, blocks, then k; slots: the rest of
 * k B [block, k, n]   as A, with n for m C [block, m, n]   slots: neighbouring rows; lanes: n, m,
 * then blocks; slots: the rest of m, blocks
 */
#include "layout/fragment.h"
#include "layout/layout.h"

enum {
  SPARSE = 1,       /* two of four neighbours in k are stored of A, whose k is so half as long */
  BLOCKS_FIRST = 2, /* lanes of C count blocks before rows */
  HALVES_A = 4,     /* A's last two bits of k in lanes change places; B's, C's rows' likewise */
  HALVES_B = 8,
  HALVES_C = 16,
};

typedef struct amd_fragment {
  uint8_t lanes;        /* in a wave; this and the next are log2 */
  uint8_t m, n, k;      /* of the product */
  uint8_t blocks;       /* products that one instruction makes */
  uint8_t run_a, run_b; /* neighbours in k that a lane has in a row of A, in a column of B */
  uint8_t rows;         /* neighbouring rows of C that a lane has */
  uint8_t flags;
} amd_fragment;

static const amd_fragment amd_fragments[] = {
#define AMD(name, ...) {__VA_ARGS__},
#include "layout/fragment_amd.def"
#undef AMD
};

#define OPERANDS "ABC"
static const char *const amd_names[][3] = {
#define AMD(name, ...) {name ".A", name ".B", name ".C"},
#include "layout/fragment_amd.def"
#undef AMD
};

/* ---- giving bits away -------------------------------------------------------------------------
 */

enum { BITS_MAX = 16 };

typedef struct bit {
  uint8_t dim, place; /* bit `place` of the index in dimension `dim` */
} bit;

typedef struct bits {
  bit at[BITS_MAX]; /* lowest first */
  unsigned count;
} bits;

typedef struct given {
  unsigned rank, size[3]; /* log2 */
  unsigned next[3];       /* the lowest bit of each dimension that is not given away */
  bits lanes, slots;
} given;

static void give(given *g, bits *to, unsigned dim, unsigned count) {
  for (; count && g->next[dim] < g->size[dim]; count--)
    to->at[to->count++] = (bit){(uint8_t)dim, (uint8_t)g->next[dim]++};
}

/* The last two bits of lanes change places. */
static void turn(bits *lanes) {
  bit last = lanes->at[lanes->count - 1];
  lanes->at[lanes->count - 1] = lanes->at[lanes->count - 2];
  lanes->at[lanes->count - 2] = last;
}

/* Modes of size 2, the most significant bit of each dimension first. */
static int32_t mode_of(const given *g, bit b) {
  unsigned mode = g->size[b.dim] - 1 - b.place;
  for (unsigned d = 0; d < b.dim; d++) mode += g->size[d];
  return (int32_t)mode;
}

/* The distribution; lanes that got no bit hold copies. Without blocks there is no dimension for
 * them. */
static void make(tsr_layout *out, const given *g, unsigned lane_bits) {
  unsigned skip = g->size[0] ? 0 : 1, spatial = 0, local = 0;
  int32_t shape[3], modes[2 * BITS_MAX], lanes[BITS_MAX + 1], slots[BITS_MAX];
  for (unsigned d = 0; d < 3; d++) shape[d] = 1 << g->size[d];
  for (unsigned i = 0; i < g->lanes.count + g->slots.count; i++) modes[i] = 2;
  if (lane_bits > g->lanes.count) lanes[spatial++] = -(1 << (lane_bits - g->lanes.count));
  for (unsigned i = g->lanes.count; i-- > 0;) lanes[spatial++] = mode_of(g, g->lanes.at[i]);
  for (unsigned i = g->slots.count; i-- > 0;) slots[local++] = mode_of(g, g->slots.at[i]);
  tsr_layout_make(out, 3 - skip, shape + skip, g->lanes.count + g->slots.count, modes, spatial,
                  lanes, local, slots, NULL);
}

/* A, whose rows are dimension `row`, or B, whose columns are. */
static void give_factor(given *g, unsigned row, unsigned k, unsigned run, unsigned lane_bits) {
  give(g, &g->slots, k, run);
  give(g, &g->lanes, row, g->size[row]);
  give(g, &g->lanes, 0, g->size[0]);
  give(g, &g->lanes, k, lane_bits - g->lanes.count);
  give(g, &g->slots, k, g->size[k]);
}

static void give_sum(given *g, const amd_fragment *f) {
  give(g, &g->slots, 1, f->rows);
  give(g, &g->lanes, 2, f->n);
  if (f->flags & BLOCKS_FIRST) give(g, &g->lanes, 0, f->blocks);
  give(g, &g->lanes, 1, f->lanes - g->lanes.count);
  give(g, &g->lanes, 0, f->lanes - g->lanes.count);
  give(g, &g->slots, 1, f->m);
  give(g, &g->slots, 0, f->blocks);
}

static void make_operand(tsr_layout *out, const amd_fragment *f, char operand) {
  given g = {.size = {f->blocks, f->m, f->n}};
  uint8_t halves = operand == 'A' ? HALVES_A : operand == 'B' ? HALVES_B : HALVES_C;
  if (operand == 'A') {
    g.size[2] = f->k - (f->flags & SPARSE ? 1u : 0u);
    give_factor(&g, 1, 2, f->run_a, f->lanes);
  } else if (operand == 'B') {
    g.size[1] = f->k;
    give_factor(&g, 2, 1, f->run_b, f->lanes);
  } else {
    give_sum(&g, f);
  }
  if (f->flags & halves) turn(&g.lanes);
  make(out, &g, f->lanes);
}

/* ---- by name ----------------------------------------------------------------------------------
 */

bool fragment_amd(tsr_layout *out, str name) {
  for (size_t i = 0; i < ARRAY_LEN(amd_names); i++)
    for (size_t o = 0; o < 3; o++)
      if (str_is(name, amd_names[i][o])) {
        make_operand(out, &amd_fragments[i], OPERANDS[o]);
        return true;
      }
  return false;
}

const char *fragment_amd_name(uint32_t i) {
  return i < 3 * ARRAY_LEN(amd_names) ? amd_names[i / 3][i % 3] : NULL;
}
