/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What this machine can do, measured with the threads of a device: how fast it copies what lies in
 * each cache and in memory, and how fast it multiplies matrices that lie in cache. These are the
 * roofs of a roofline (Williams, Waterman and Patterson, "Roofline", 2009).
 */
#ifndef TSR_CLI_ROOFS_H
#define TSR_CLI_ROOFS_H

#include "cli/cli.h"
#include "rt/rt.h"

enum { ROOF_LEVELS = 4 };

typedef struct roof_level {
  const char *name; /* "L1", ..., "memory" */
  double bytes;     /* per second, reading and writing taken together */
} roof_level;

typedef struct roofs {
  roof_level level[ROOF_LEVELS]; /* the fastest first; "memory" is the last */
  unsigned n;
  double flops; /* per second, of f32 products */
} roofs;

/* False: it could not be measured. What is wrong has been reported. */
bool roofs_measure(cli *c, tsr_device *dev, unsigned threads, roofs *out);
/* The slowest level that moves at least so many bytes a second, where data that were moved that
 * fast can have been; the fastest level when none does. */
const roof_level *roofs_level(const roofs *r, double bytes);
/* "copying 33.1 GB/s (memory), 120 GB/s (L2), ...; 213 GFLOP/s (f32 products)" */
const char *roofs_text(cli *c, const roofs *r);

#endif
