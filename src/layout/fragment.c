/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The register fragments of matrix instructions, written as distributions.
 *
 * A fragment is a chain of local and spatial factors, outermost first. With g = lane / 4 and
 * t = lane % 4: registers alternate between neighbours of a row (a packed 32-bit
 * register), rows g and g + 8, and further columns. Sources: PTX ISA, "Matrix Fragments for mma"
 * and "wgmma" and "ldmatrix". The tests compare every element with the formulas printed there.
 * AMD's are in fragment_amd.c.
 */
#include <stdio.h>

#include "layout/fragment.h"
#include "layout/layout.h"

/* One factor of a 2-D chain: 'l' local, 's' spatial, 'c' column-major spatial. */
typedef struct factor {
  char kind;
  int16_t rows, columns;
} factor;

typedef struct fragment {
  const char *name;
  factor chain[6];
} fragment;

/* k-runs: 16-bit operands hold 2 neighbours in a register, 8-bit 4, 4-bit 8, 32-bit one. */
static const fragment fragments[] = {
    /* A: [m, k]. Registers, least significant first: the run, m + 8, the second half of k. */
    {"mma.m16n8k8.A", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k16.A", {{'l', 1, 2}, {'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k4.tf32.A", {{'l', 2, 1}, {'s', 8, 4}}},
    {"mma.m16n8k8.tf32.A", {{'l', 1, 2}, {'l', 2, 1}, {'s', 8, 4}}},
    {"mma.m16n8k16.i8.A", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 4}}},
    {"mma.m16n8k32.i8.A", {{'l', 1, 2}, {'l', 2, 1}, {'s', 8, 4}, {'l', 1, 4}}},
    {"mma.m16n8k16.f8.A", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 4}}},
    {"mma.m16n8k32.f8.A", {{'l', 1, 2}, {'l', 2, 1}, {'s', 8, 4}, {'l', 1, 4}}},
    {"mma.m16n8k32.i4.A", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 8}}},
    {"mma.m16n8k64.i4.A", {{'l', 1, 2}, {'l', 2, 1}, {'s', 8, 4}, {'l', 1, 8}}},
    {"mma.m8n8k16.i8.A", {{'s', 8, 4}, {'l', 1, 4}}},
    {"mma.m8n8k4.f64.A", {{'s', 8, 4}}},
    /* B: [k, n], a lane in column g. */
    {"mma.m16n8k8.B", {{'c', 4, 8}, {'l', 2, 1}}},
    {"mma.m16n8k16.B", {{'l', 2, 1}, {'c', 4, 8}, {'l', 2, 1}}},
    {"mma.m16n8k4.tf32.B", {{'c', 4, 8}}},
    {"mma.m16n8k8.tf32.B", {{'l', 2, 1}, {'c', 4, 8}}},
    {"mma.m16n8k16.i8.B", {{'c', 4, 8}, {'l', 4, 1}}},
    {"mma.m16n8k32.i8.B", {{'l', 2, 1}, {'c', 4, 8}, {'l', 4, 1}}},
    {"mma.m16n8k16.f8.B", {{'c', 4, 8}, {'l', 4, 1}}},
    {"mma.m16n8k32.f8.B", {{'l', 2, 1}, {'c', 4, 8}, {'l', 4, 1}}},
    {"mma.m16n8k32.i4.B", {{'c', 4, 8}, {'l', 8, 1}}},
    {"mma.m16n8k64.i4.B", {{'l', 2, 1}, {'c', 4, 8}, {'l', 8, 1}}},
    {"mma.m8n8k16.i8.B", {{'c', 4, 8}, {'l', 4, 1}}},
    {"mma.m8n8k4.f64.B", {{'c', 4, 8}}},
    /* C: [m, n], the same for every operand type. */
    {"mma.m16n8k4.tf32.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k8.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k8.tf32.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k16.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k16.i8.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k32.i8.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k16.f8.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k32.f8.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k32.i4.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m16n8k64.i4.C", {{'l', 2, 1}, {'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m8n8k16.i8.C", {{'s', 8, 4}, {'l', 1, 2}}},
    {"mma.m8n8k4.f64.C", {{'s', 8, 4}, {'l', 1, 2}}},
};

/* wgmma: what follows "wgmma.m64nN", and the run of k in a register (0: the accumulator). */
typedef struct group_fragment {
  const char *suffix;
  int16_t run;
} group_fragment;
static const group_fragment group_fragments[] = {
    {"k16.A", 2}, {"k8.tf32.A", 1}, {"k32.i8.A", 4}, {"k32.f8.A", 4},
    {"k16.C", 0}, {"k8.tf32.C", 0}, {"k32.i8.C", 0}, {"k32.f8.C", 0},
};

static const char *const group_names[] = {
    "wgmma.m64nNk16.A", "wgmma.m64nNk8.tf32.A", "wgmma.m64nNk32.i8.A", "wgmma.m64nNk32.f8.A",
    "wgmma.m64nNk16.C", "wgmma.m64nNk8.tf32.C", "wgmma.m64nNk32.i8.C", "wgmma.m64nNk32.f8.C",
};

static const char *const matrix_names[] = {
    "ldmatrix.x1",       "ldmatrix.x2",       "ldmatrix.x4",       "ldmatrix.x1.trans",
    "ldmatrix.x2.trans", "ldmatrix.x4.trans", "stmatrix.x1",       "stmatrix.x2",
    "stmatrix.x4",       "stmatrix.x1.trans", "stmatrix.x2.trans", "stmatrix.x4.trans",
};

static void append(tsr_layout *l, char kind, int32_t rows, int32_t columns) {
  int32_t shape[2] = {rows, columns};
  tsr_layout part;
  if (kind == 'l')
    tsr_layout_local(&part, 2, shape, NULL, NULL);
  else if (kind == 's')
    tsr_layout_spatial(&part, 2, shape, NULL, NULL);
  else
    tsr_layout_column_spatial(&part, 2, shape, NULL);
  tsr_layout_compose(l, l, &part, NULL);
}

static tsr_layout from_chain(const factor *chain, size_t max) {
  tsr_layout l;
  tsr_layout_local(&l, 2, (int32_t[]){1, 1}, NULL, NULL);
  for (size_t i = 0; i < max && chain[i].kind; i++)
    append(&l, chain[i].kind, chain[i].rows, chain[i].columns);
  return l;
}

/* Four warps stacked along m; each as in mma.sync, with more columns for larger n. */
static bool group_fragment_of(tsr_layout *out, str name) {
  static const char prefix[] = "wgmma.m64n";
  size_t at = sizeof prefix - 1;
  if (name.len <= at || memcmp(name.data, prefix, at) != 0) return false;
  int32_t n = 0;
  for (; at < name.len && name.data[at] >= '0' && name.data[at] <= '9' && n < 1000; at++)
    n = n * 10 + (name.data[at] - '0');
  if (n < 8 || n > 256 || n % 8) return false;
  str rest = {name.data + at, name.len - at};
  for (size_t i = 0; i < ARRAY_LEN(group_fragments); i++) {
    const group_fragment *g = &group_fragments[i];
    if (!str_is(rest, g->suffix)) continue;
    factor chain[] = {{'l', 1, (int16_t)(g->run ? 2 : n / 8)},
                      {'s', 4, 1},
                      {'l', 2, 1},
                      {'s', 8, 4},
                      {'l', 1, (int16_t)(g->run ? g->run : 2)}};
    *out = from_chain(chain, ARRAY_LEN(chain));
    return true;
  }
  return false;
}

/* 8 x 8 matrices of 16-bit elements: lane 4 r + c / 2 holds (r, c) and (r, c + 1), or, transposed,
 * (c, r) and (c + 1, r). */
static bool matrix_fragment_of(tsr_layout *out, str name) {
  for (size_t i = 0; i < ARRAY_LEN(matrix_names); i++) {
    if (!str_is(name, matrix_names[i])) continue;
    int32_t count = matrix_names[i][10] - '0';
    bool trans = i % 6 >= 3;
    tsr_layout l, outer;
    tsr_layout_spatial(&l, 2, (int32_t[]){8, 4}, NULL, NULL);
    append(&l, 'l', 1, 2);
    if (trans) tsr_layout_permute(&l, &l, 2, (int32_t[]){1, 0}, NULL);
    tsr_layout_local(&outer, 3, (int32_t[]){count, 1, 1}, NULL, NULL);
    tsr_layout_compose(out, &outer, &l, NULL);
    return true;
  }
  return false;
}

bool tsr_fragment(tsr_layout *out, const char *name, size_t length) {
  if (!out || !name) return false;
  str s = {name, length};
  for (size_t i = 0; i < ARRAY_LEN(fragments); i++)
    if (str_is(s, fragments[i].name)) {
      *out = from_chain(fragments[i].chain, ARRAY_LEN(fragments[i].chain));
      return true;
    }
  return group_fragment_of(out, s) || matrix_fragment_of(out, s) || fragment_amd(out, s);
}

const char *tsr_fragment_name(uint32_t i) {
  if (i < ARRAY_LEN(fragments)) return fragments[i].name;
  i -= (uint32_t)ARRAY_LEN(fragments);
  if (i < ARRAY_LEN(group_names)) return group_names[i];
  i -= (uint32_t)ARRAY_LEN(group_names);
  if (i < ARRAY_LEN(matrix_names)) return matrix_names[i];
  return fragment_amd_name(i - (uint32_t)ARRAY_LEN(matrix_names));
}
