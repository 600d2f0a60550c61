/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images: what our `tileiras` writes for the CPU, and how any program handed to the driver library
 * is recognised. cuLibraryLoadData gets an address without a size, so an image says its own, in a
 * header that has a checksum of its own. No size is believed before all that memory was found to be
 * readable: image_measure.
 *
 *   0  "\x7fTESSERA"           8 bytes
 *   8  version of this layout  uint32, 1
 *  12  target                  char[16], as given by --gpu-name
 *  28  optimisation level      uint32
 *  32  bytes of the bytecode after the header   uint64
 *  40  checksum of the bytecode   uint64 (FNV-1a)
 *  48  checksum of the bytes 0-47 uint64
 *  56  bytecode
 *
 * Numbers are little-endian.
 */
#ifndef TSR_COMPAT_IMAGE_H
#define TSR_COMPAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_HEADER = 56, IMAGE_VERSION = 1, IMAGE_TARGET = 16 };
enum { IMAGE_LARGEST = 1 << 30 }; /* bytes of anything whose size is only known from itself */

typedef struct image_info {
  char target[IMAGE_TARGET]; /* terminated */
  uint32_t level;
} image_info;

/* Bytes of the image of a program, the caller's to free; NULL when memory runs out. */
char *image_write(const image_info *info, const void *bytecode, size_t size, size_t *length);

typedef enum image_kind {
  IMAGE_OURS,
  IMAGE_BYTECODE,
  IMAGE_ELF, /* machine code for a GPU */
  IMAGE_FATBIN,
  IMAGE_TEXT, /* PTX, or anything else that is text up to a zero byte */
} image_kind;

/* What begins at `data`, of which `size` bytes are there. */
image_kind image_recognise(const void *data, size_t size);
/* How many bytes it has by what it says itself: an image, bytecode or a fat binary to its end, text
 * without the zero byte after it (but 1 when that is all), of machine code for a GPU its first
 * bytes. Reads nothing that may not be read. On failure what is wrong, a static text. */
const char *image_measure(const void *data, size_t *size);
/* The bytecode inside of `size` bytes; on failure what is wrong, a static text. */
const char *image_open(const void *data, size_t size, const void **bytecode, size_t *length);
/* The size of bytecode, which says itself where it ends, within `size` bytes. */
const char *image_bytecode_size(const void *data, size_t size, size_t *length);

/* A whole file, the caller's to free. */
bool image_read_file(const char *path, void **data, size_t *size);

#endif
