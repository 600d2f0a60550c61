/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The two compressed forms that fat binaries have: an LZ4 block (nvcc up to 12,
 * --compress-mode=speed later) and a Zstandard frame (RFC 8878). Both are decoded here, since a fat
 * binary has to be readable wherever a program runs; nothing that is read is believed.
 */
#ifndef TSR_COMPAT_DECOMPRESS_H
#define TSR_COMPAT_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Decode `size` bytes into exactly `length` bytes. False: they are damaged, or have another length.
 */
bool lz4_decompress(const void *data, size_t size, void *out, size_t length);
bool zstd_decompress(const void *data, size_t size, void *out, size_t length);

#endif
