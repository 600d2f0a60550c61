/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sources. NVIDIA: CUDA C++ Programming Guide, "Shared Memory", and phases as Nsight Compute counts
 * them. gfx942: AMD's article on LDS bank conflicts in CK Tile, for reads and writes of 16 bytes.
 * gfx950: measurements on an MI355X that HipKittens published (analysis/paper_experiments/phases),
 * for reads of 8, 12 and 16 bytes and writes of 8. Nothing public tells of other accesses: they are
 * taken to be served in the order of lanes, as many as the banks have bytes for, reads of 12 bytes
 * as those of 16; writes on gfx950, of all sizes, by 32 of its banks, as those of 8 bytes; gfx90a
 * is taken to do as gfx942 does.
 */
#include "target/banks.h"

#include "base/base.h"

enum { WORD = 4, GROUPED = 12 /* bytes of the least reads that are served in groups of lanes */ };

gpu_phases gpu_phases_in_order(unsigned lanes, unsigned banks, unsigned bytes) {
  gpu_phases p = {.banks = banks};
  unsigned served = MAX(banks * WORD / MAX(bytes, (unsigned)WORD), 1u);
  while (served & (served - 1)) served &= served - 1;
  for (; served < lanes; served *= 2) p.of[p.bits++] = (uint8_t)served;
  return p;
}

/* Of 32 lanes those in quads 0 and 5, 1 and 4, 2 and 7, 3 and 6 go together. */
static const gpu_phases eights = {.banks = 32, .bits = 3, .of = {0x14, 0x08, 0x20}};
/* ... and on gfx950, quads 0, 3, 5, 6 and the others. */
static const gpu_phases sixteens = {.banks = 64, .bits = 2, .of = {0x1c, 0x20}};

gpu_phases gpu_phases_of(const gpu_target *t, unsigned bytes, bool writes) {
  unsigned lanes = gpu_lanes(t);
  bool cdna = gpu_can(t, GPU_MFMA), wide = cdna && t->banks == 64;
  if (wide && writes) return gpu_phases_in_order(lanes, 32, bytes);
  if (!cdna || writes || bytes < GROUPED) return gpu_phases_in_order(lanes, t->banks, bytes);
  return wide && bytes == 16 ? sixteens : eights;
}

unsigned gpu_phase_of(const gpu_phases *p, unsigned lane) {
  unsigned phase = 0;
  for (unsigned k = 0; k < p->bits; k++) phase |= (unsigned)__builtin_parity(lane & p->of[k]) << k;
  return phase;
}

unsigned gpu_phase_basis(const gpu_phases *p, unsigned lanes, unsigned basis[6]) {
  unsigned n = 0;
  uint64_t reached = 1; /* bit: this lane is a sum of the basis */
  for (unsigned lane = 1; lane < lanes && n < 6; lane++) {
    if (reached >> lane & 1 || gpu_phase_of(p, lane)) continue;
    uint64_t more = 0;
    for (unsigned other = 0; other < 64; other++)
      if (reached >> other & 1) more |= UINT64_C(1) << (other ^ lane);
    reached |= more;
    basis[n++] = lane;
  }
  return n;
}
