/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Spaces, orders and scopes of accesses to memory, and what addresses mean.
 *
 * Device memory lies at addresses of the device's own, from EMU_GLOBAL_BASE on, never used twice;
 * or, on a device that is made so, where it lies on the host, so that both sides know it by the
 * same address. A generic address says in its top byte what it means (EMU_WINDOW_*): device memory
 * has 0 there; shared, local and parameter memory the window plus the address within the space. A
 * shared address has 24 bits of offset and above them, for the cluster's memory, 1 + the rank of
 * the block in its cluster (0: the block that executes).
 */
#ifndef TSR_EMU_SPACES_H
#define TSR_EMU_SPACES_H

#include <stdint.h>

typedef enum emu_space {
  EMU_GENERIC,
  EMU_GLOBAL,
  EMU_SHARED,         /* of the block that executes */
  EMU_SHARED_CLUSTER, /* of any block of its cluster */
  EMU_LOCAL,
  EMU_CONST,
  EMU_PARAM,
} emu_space;

typedef enum emu_order {
  EMU_WEAK,
  EMU_RELAXED,
  EMU_ACQUIRE,
  EMU_RELEASE,
  EMU_ACQ_REL,
  EMU_SC
} emu_order;

typedef enum emu_scope {
  EMU_NO_SCOPE,
  EMU_SCOPE_BLOCK,
  EMU_SCOPE_CLUSTER,
  EMU_SCOPE_DEVICE,
  EMU_SCOPE_SYSTEM
} emu_scope;

#define EMU_WINDOW_SHARED     (UINT64_C(1) << 56)
#define EMU_WINDOW_LOCAL      (UINT64_C(2) << 56)
#define EMU_WINDOW_PARAM      (UINT64_C(3) << 56)
#define EMU_WINDOW_CODE       (UINT64_C(4) << 56) /* function n is at the window + 16 * (n + 1) */
#define EMU_WINDOW(a)         ((a)&UINT64_C(0xff) << 56)
#define EMU_GLOBAL_BASE       UINT64_C(0x700000000)
#define EMU_SHARED_RANK_SHIFT 24
#define EMU_SHARED_OFFSET(a)  ((uint32_t)(a)&0xffffff)
#define EMU_SHARED_RANK(a)    ((uint32_t)(a) >> EMU_SHARED_RANK_SHIFT & 0xff)

#endif
