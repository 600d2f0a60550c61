/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/target.h: the GPU architectures that code is made for.
 */
#ifndef TSR_SIMT_TARGET_H
#define TSR_SIMT_TARGET_H

#include <stddef.h>

typedef struct gpu_target {
  const char *name;      /* "sm_90a" */
  unsigned sm;           /* 90 */
  const char *isa;       /* the version of PTX that is asked for, as LLVM's feature: "+ptx84" */
  unsigned shared_bytes; /* that one block may have at most */
  unsigned registers;    /* of one multiprocessor, 32 bits each */
  unsigned max_warps;    /* of one multiprocessor */
  unsigned shared_sm;    /* shared memory of one multiprocessor, bytes */
} gpu_target;

/* By name; NULL when there is none. */
const gpu_target *gpu_find_target(const char *name);
/* For a card of compute capability major.minor: its own, else the newest whose code runs there;
 * NULL for cards older than all. */
const gpu_target *gpu_target_for(unsigned major, unsigned minor);
const gpu_target *gpu_target_at(size_t index); /* NULL past the last */

#endif
