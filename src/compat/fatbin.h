/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fat binaries: what nvcc puts into a program, one entry for each architecture that the program was
 * built for. An entry is PTX or machine code, as it is or compressed.
 *
 *   0  50 ed 55 ba               4 bytes
 *   4  version, 1                uint16
 *   6  bytes of this header      uint16
 *   8  bytes after it            uint64
 *
 * and for each entry
 *
 *   0  kind: 1 PTX, 2 machine code     uint16
 *   4  bytes of this header            uint32
 *   8  bytes of its contents           uint64
 *  16  of these, how many are compressed data   uint32
 *  28  architecture, 90 for sm_90      uint32
 *  40  flags: 0x2000 LZ4, 0x8000 Zstandard      uint64
 *  56  bytes when decompressed         uint64
 */
#ifndef TSR_COMPAT_FATBIN_H
#define TSR_COMPAT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

enum { FATBIN_HEADER = 16, FATBIN_WHY = 512 };

/* How many bytes a fat binary says that it has, of which at least FATBIN_HEADER are there. */
size_t fatbin_size(const void *data);

/* The PTX for a device of the compute capability (90 for 9.0): of what it can execute the newest,
 * terminated, the caller's to free. NULL: `why` says what is wrong and what to do. */
char *fatbin_ptx(const void *data, size_t size, unsigned capability, size_t *length,
                 char why[FATBIN_WHY]);

/* Whether one of its entries, decompressed, has the name in it. */
bool fatbin_has_name(const void *data, size_t size, const char *name);

#endif
