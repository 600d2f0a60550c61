/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as an image that a program hands to the driver library, with memory that may not be
 * read right after them. Checksums are mended in every other input, so that what lies behind them
 * is reached.
 */
#include <sys/mman.h>

/* The driver library isn't part of the library; this file of it is compiled in. */
#include "compat/image.c"

#include "broken.h"

enum { ROOM = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes at the end of readable memory. */
static char *before_the_end(const uint8_t *data, size_t size) {
  static char *room;
  if (!room) {
    room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + ROOM, 4096, PROT_NONE) != 0) abort();
  }
  char *at = room + ROOM - size;
  memcpy(at, data, size);
  return at;
}

static void mend(char *image, size_t size) {
  if (size < IMAGE_HEADER || size % 2) return;
  memcpy(image, magic, sizeof magic);
  put(image + 8, IMAGE_VERSION, 4);
  uint64_t bytes = get(image + 32, 8);
  if (bytes <= size - IMAGE_HEADER) put(image + 40, fnv1a(image + IMAGE_HEADER, (size_t)bytes), 8);
  put(image + 48, fnv1a(image, 48), 8);
}

/* What is in a fat binary, decompressed. */
static void open_fatbin(const char *image, size_t size) {
  char why[FATBIN_WHY];
  size_t length;
  char *ptx = fatbin_ptx(image, size, 90, &length, why);
  if (ptx && ptx[length]) broken("the PTX of a fat binary is terminated");
  free(ptx);
  fatbin_has_name(image, size, "k");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > ROOM) return 0;
  char *image = before_the_end(data, size);
  if (size && data[0] == 'T') mend(image, size);
  size_t measured, length;
  const void *bytecode;
  image_kind kind = image_recognise(image, size);
  if (!image_measure(image, &measured) && measured > size)
    broken("an image has no more bytes than can be read");
  if (kind == IMAGE_OURS && !image_open(image, size, &bytecode, &length) &&
      ((const char *)bytecode < image || length > size ||
       (const char *)bytecode + length > image + size))
    broken("the program lies in the image");
  if (kind == IMAGE_FATBIN && !image_measure(image, &measured)) open_fatbin(image, measured);
  if (kind == IMAGE_BYTECODE && !image_bytecode_size(image, size, &length) && length > size)
    broken("the bytecode lies in the image");
  return 0;
}
