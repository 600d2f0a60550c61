/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A device: the properties of the card, and its memory.
 *
 * A device may be used by several launches at once; emu_alloc and emu_free lock.
 */
#ifndef TSR_EMU_DEVICE_H
#define TSR_EMU_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "target/gpu.h"

typedef struct emu_allocation {
  uint64_t base, bytes;
  uint8_t *host;
  bool owned;                  /* host memory is given back with it */
  _Atomic bool freed;          /* kept in the table so that a use after free can be named */
  bool constant;               /* stores fault */
  bool borrowed;               /* of the process, found when a kernel went there */
  const char *name;            /* of a variable; NULL for buffers */
  void *shadow;                /* of the checks, see shadow.h */
  struct emu_allocation *next; /* of the buried */
} emu_allocation;

typedef gpu_target emu_device_info;

/* Bytes that a module's variables, or one allocation, can have; of memory of the host's, more. */
static inline uint64_t emu_memory_of(const emu_device_info *info) {
  return (uint64_t)info->memory << 30;
}
#define EMU_MAX_HOST_BYTES (UINT64_C(1) << 40)

/* The card that a target means ("sm_90a"); NULL when there is none. */
const emu_device_info *emu_device_info_for(const char *target);
const emu_device_info *emu_device_info_at(size_t index); /* NULL behind the last */

typedef struct emu_device emu_device;
struct emu_device {
  const emu_device_info *info;
  pthread_mutex_t lock;
  emu_allocation **allocations; /* by address, freed ones too */
  uint32_t n_allocations, cap_allocations;
  bool host_addresses;    /* memory has the addresses that it has on the host */
  bool whole_process;     /* and kernels reach what else the process has */
  emu_allocation *buried; /* whose address is in use again, until no launch can look at them */
  uint64_t next_address;
  uint64_t bytes;         /* allocated now */
  _Atomic uint64_t grids; /* launched so far */
  uint32_t running;       /* launches; memory freed meanwhile is given back after the last */
  bool have_dead;
  uint32_t checked_clusters; /* so far: the checks number them, and shadows remember the numbers */
};

emu_device *emu_device_create(const emu_device_info *info); /* NULL: no memory */
void emu_device_destroy(emu_device *d);

/* Device memory of `bytes`, 256-byte aligned (64 with host addresses), with zeroes, or `host` for
 * its bytes. 0: no memory, or with host addresses other memory lies there. */
uint64_t emu_alloc(emu_device *d, uint64_t bytes, void *host);
/* False when nothing is allocated at this address. */
bool emu_free(emu_device *d, uint64_t address);
/* The allocation that an address lies in or closest behind (also a freed one); NULL. With
 * whole_process, memory of the process becomes an allocation until no launch is under way. */
emu_allocation *emu_find(emu_device *d, uint64_t address);

/* While a launch runs, memory that is freed stays. */
void emu_device_begin(emu_device *d);
void emu_device_end(emu_device *d);

#endif
