/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * counters: how a program uses the card, per instruction and per source line.
 *
 * Global memory is counted in sectors (gpu_target.sector_bytes: 32 bytes of NVIDIA's, 64 of AMD's):
 * a request is what one instruction of a warp asks for, and touches so many sectors. Shared memory
 * is counted in wavefronts: its banks give one word each per wavefront, and lanes are served in
 * phases (target/banks.h). With 32 banks of 4 bytes and 32 lanes, accesses of up to 4 bytes a lane
 * take one wavefront if no two lanes want different words of a bank, those of 8 bytes are served by
 * half warps, of 16 by quarter warps (CUDA C Programming Guide, "Shared Memory"; the phases as
 * Nsight Compute counts them), and matrices by 8 rows. Atomics on one address follow each other.
 * Bulk copies and products by groups of warps move whole lines of all banks per wavefront.
 *
 * Counting needs one host thread (emu_watcher.serial). Nothing here changes what a program does.
 */
#ifndef TSR_EMU_COUNTERS_H
#define TSR_EMU_COUNTERS_H

#include "emu/insn_table.h"
#include "emu/machine.h"

typedef struct counts {
  uint64_t warps;                            /* instructions executed by warps */
  uint64_t lanes;                            /* ... by lanes whose guard held */
  uint64_t divergent;                        /* executed while lanes of the warp were elsewhere */
  uint64_t requests, sectors, ideal_sectors; /* device memory */
  uint64_t read, written;                    /* bytes of it that lanes and copies asked for */
  uint64_t wavefronts, ideal_wavefronts;     /* shared memory */
  uint64_t shared_read, shared_written;      /* bytes */
  uint64_t local;                            /* bytes */
  uint64_t flops;    /* scalar floating-point operations; a fused one is two */
  uint64_t matrix;   /* operations of matrix instructions */
  uint64_t barriers; /* warps that arrived at a barrier */
  uint64_t moved;    /* bytes of the sectors */
} counts;

typedef struct counters {
  insn_table insns;
  counts *by_insn;
  uint32_t cap;
  counts total;
  const struct emu_isa *isa;
  const void *module; /* emu_program.module */
  const char *kernel;
  uint32_t warp_lanes;
  uint64_t blocks, threads; /* launched */
  bool out_of_memory;
  emu_watcher *next; /* another watcher that is told everything too; NULL */
} counters;

void counters_free(counters *c);
/* Fills a watcher that counts and tells `next` (may be NULL) everything, too. */
void counters_watch(counters *c, emu_watcher *next, emu_watcher *out);

/* ---- an estimate ---------------------------------------------------------------------------- */

/* What a card can do at best. */
typedef struct card {
  const char *name;
  double bandwidth;    /* of device memory, bytes a second */
  double flops;        /* f32, fused operations as two, a second */
  double matrix;       /* bf16 matrix operations, dense, a second */
  double clock;        /* boost, Hz */
  uint32_t n_sm;       /* multiprocessors */
  uint32_t schedulers; /* of each */
  const char *source;
} card;
/* By name ("h100"), NULL when there is none; by number, NULL behind the last. */
const card *card_named(const char *name);
const card *card_at(size_t index);
/* The one that an estimate is for when none is named: of the generation of a target, whose name may
 * have something in front ("emu:gfx942"); NULL is no target. */
const card *card_of_target(const char *target);

/* The least time that each part of the card would take if it were alone, in seconds; caches don't
 * count, every sector comes from memory. The largest is the estimate. */
typedef struct roofline {
  double memory, shared, scalar, matrix, issue;
  double time;
  const char *limit; /* "memory" */
  double intensity;  /* operations for a byte of device memory */
} roofline;
roofline roofline_of(const counts *c, const card *on);

/* ---- showing -------------------------------------------------------------------------------- */

typedef struct counted_line {
  const char *file; /* of the source if known, else of the program's text */
  uint32_t line;
  double cost; /* the sum of its parts' least times, in seconds */
  counts counts;
} counted_line;
/* The lines with what they count, the most costly first; NULL when there are none or no memory. The
 * caller frees the array. */
counted_line *counters_lines(const counters *c, const card *on, uint32_t *n);

void counters_table(const counters *c, const card *on, bool colour, sbuf *out);
void counters_json(const counters *c, const card *on, sbuf *out);
/* A picture: the roofline with the kernel in it, and the most costly lines. */
void counters_svg(const counters *c, const card *on, sbuf *out);

#endif
