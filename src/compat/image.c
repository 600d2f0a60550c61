/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compat/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "compat/fatbin.h"

static const char magic[8] = {0x7f, 'T', 'E', 'S', 'S', 'E', 'R', 'A'};
static const char bytecode_magic[8] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};
static const char elf_magic[4] = {0x7f, 'E', 'L', 'F'};
static const unsigned char fatbin_magic[4] = {0x50, 0xed, 0x55, 0xba};

/* http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t fnv1a(const void *data, size_t size) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++) h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  return h;
}

static void put(char *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) at[i] = (char)(value >> 8 * i);
}

static uint64_t get(const char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)(unsigned char)at[i] << 8 * i;
  return value;
}

char *image_write(const image_info *info, const void *bytecode, size_t size, size_t *length) {
  if (size > SIZE_MAX - IMAGE_HEADER) return NULL;
  char *out = calloc(1, IMAGE_HEADER + size);
  if (!out) return NULL;
  memcpy(out, magic, sizeof magic);
  put(out + 8, IMAGE_VERSION, 4);
  memcpy(out + 12, info->target, strnlen(info->target, IMAGE_TARGET - 1));
  put(out + 28, info->level, 4);
  put(out + 32, size, 8);
  put(out + 40, fnv1a(bytecode, size), 8);
  put(out + 48, fnv1a(out, 48), 8);
  memcpy(out + IMAGE_HEADER, bytecode, size);
  *length = IMAGE_HEADER + size;
  return out;
}

/* ---- memory that may not be there ----------------------------------------------------------- */

/* What begins at an address that was only given: `known` bytes of it were found to be readable. */
typedef struct extent {
  const char *data;
  size_t known;
} extent;

enum { PROBES = 64 };

/* A byte of each page through the kernel, which says where it can't read; -1: it doesn't do that.
 */
static ssize_t probe_by_copy(const struct iovec *pages, unsigned n) {
  char bytes[PROBES];
  struct iovec to = {bytes, n};
  ssize_t done = process_vm_readv(getpid(), &to, 1, pages, n, 0);
  return done >= 0 ? done : errno == EFAULT ? 0 : -1;
}

/* The same through a pipe, for where a process may not ask for its own memory. */
static ssize_t probe_by_pipe(const struct iovec *pages, unsigned n) {
  int ends[2];
  char byte;
  unsigned done = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  while (done < n && write(ends[1], pages[done].iov_base, 1) == 1 && read(ends[0], &byte, 1) == 1)
    done++;
  close(ends[0]);
  close(ends[1]);
  return done;
}

/* Whether at least `need` bytes are readable. Looks at the pages that it hasn't looked at. */
static bool reach(extent *e, size_t need) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  while (e->known < need) {
    struct iovec pages[PROBES];
    unsigned n = 0;
    for (size_t at = e->known; n < PROBES && at < need; n++) {
      if ((uintptr_t)e->data > UINTPTR_MAX - at) break;
      pages[n] = (struct iovec){(char *)(uintptr_t)e->data + at, 1};
      at += page - ((uintptr_t)e->data + at) % page;
    }
    ssize_t done = n ? probe_by_copy(pages, n) : 0;
    if (done < 0) done = probe_by_pipe(pages, n);
    for (ssize_t i = 0; i < done; i++) e->known += page - ((uintptr_t)e->data + e->known) % page;
    if (done < (ssize_t)n || !n) break;
  }
  return e->known >= need;
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool begins(const char *data, size_t size, const void *with, size_t length) {
  return size >= length && memcmp(data, with, length) == 0;
}

image_kind image_recognise(const void *data, size_t size) {
  if (begins(data, size, magic, sizeof magic)) return IMAGE_OURS;
  if (begins(data, size, bytecode_magic, sizeof bytecode_magic)) return IMAGE_BYTECODE;
  if (begins(data, size, elf_magic, sizeof elf_magic)) return IMAGE_ELF;
  if (begins(data, size, fatbin_magic, sizeof fatbin_magic)) return IMAGE_FATBIN;
  return IMAGE_TEXT;
}

const char *image_open(const void *data, size_t size, const void **bytecode, size_t *length) {
  const char *in = data;
  if (size < IMAGE_HEADER) return "it ends within its header";
  if (get(in + 48, 8) != fnv1a(in, 48)) return "its header is damaged";
  if (get(in + 8, 4) != IMAGE_VERSION)
    return "it was made by another version of Tessera: compile the program again";
  uint64_t bytes = get(in + 32, 8);
  if (bytes > size - IMAGE_HEADER) return "it ends within the program";
  if (get(in + 40, 8) != fnv1a(in + IMAGE_HEADER, (size_t)bytes)) return "the program is damaged";
  *bytecode = in + IMAGE_HEADER;
  *length = (size_t)bytes;
  return NULL;
}

/* ---- bytecode ------------------------------------------------------------------------------- */

/* Bytecode of a known size is an extent all of which is known. */
typedef struct walker {
  extent data;
  size_t at, size;
} walker;

static bool walk_byte(walker *w, unsigned *out) {
  if (w->at >= w->size || !reach(&w->data, w->at + 1)) return false;
  *out = (unsigned char)w->data.data[w->at++];
  return true;
}

static bool walk_number(walker *w, uint64_t *out) {
  unsigned byte;
  *out = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (!walk_byte(w, &byte)) return false;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

/* Section by section (docs/bytecode.md), up to the one that ends the file. */
static const char *walk_sections(walker w, size_t *length) {
  enum { SECTIONS = 8, ALIGNED = 0x80 };
  for (unsigned n = 0; n <= SECTIONS; n++) {
    unsigned id;
    uint64_t bytes, alignment = 1;
    if (!walk_byte(&w, &id)) return "the bytecode ends before the section that ends it";
    if (!id) {
      *length = w.at;
      return NULL;
    }
    if ((id & 0x7f) >= SECTIONS || !walk_number(&w, &bytes)) break;
    if (id & ALIGNED) {
      if (!walk_number(&w, &alignment) || !alignment || alignment & (alignment - 1)) break;
      if (alignment > w.size) break;
      w.at = (size_t)((w.at + alignment - 1) & ~(alignment - 1));
    }
    if (w.at > w.size || bytes > w.size - w.at) break;
    w.at += (size_t)bytes;
    if (!reach(&w.data, w.at)) break;
  }
  return "the bytecode's sections are damaged";
}

enum { BYTECODE_HEADER = 12 };

const char *image_bytecode_size(const void *data, size_t size, size_t *length) {
  return walk_sections((walker){{data, size}, BYTECODE_HEADER, size}, length);
}

/* ---- programs of unknown size --------------------------------------------------------------- */

static const char *measure_image(extent *e, size_t *size) {
  if (!reach(e, IMAGE_HEADER)) return "it ends within its header";
  if (get(e->data + 48, 8) != fnv1a(e->data, 48)) return "its header is damaged";
  uint64_t bytes = get(e->data + 32, 8);
  if (bytes > IMAGE_LARGEST || !reach(e, IMAGE_HEADER + (size_t)bytes))
    return "it ends within the program";
  *size = IMAGE_HEADER + (size_t)bytes;
  return NULL;
}

static const char *measure_text(extent *e, size_t *size) {
  for (size_t at = 0; at < IMAGE_LARGEST && reach(e, at + 1); at = e->known) {
    const char *end = memchr(e->data + at, 0, e->known - at);
    if (!end) continue;
    *size = end > e->data ? (size_t)(end - e->data) : 1;
    return NULL;
  }
  return "it is text without a zero byte at its end";
}

static const char *measure_fatbin(extent *e, size_t *size) {
  static const char ends[] = "the fat binary ends within itself";
  if (!reach(e, FATBIN_HEADER)) return ends;
  *size = fatbin_size(e->data);
  return *size <= IMAGE_LARGEST && reach(e, *size) ? NULL : ends;
}

const char *image_measure(const void *data, size_t *size) {
  extent e = {data, 0};
  if (!reach(&e, 1)) return "there is no memory at its address";
  reach(&e, sizeof magic);
  switch (image_recognise(data, e.known)) {
  case IMAGE_OURS: return measure_image(&e, size);
  case IMAGE_BYTECODE: return walk_sections((walker){e, BYTECODE_HEADER, IMAGE_LARGEST}, size);
  case IMAGE_TEXT: return measure_text(&e, size);
  case IMAGE_FATBIN: return measure_fatbin(&e, size);
  default: *size = e.known < sizeof magic ? e.known : sizeof magic; return NULL;
  }
}

/* ---- files ---------------------------------------------------------------------------------- */

bool image_read_file(const char *path, void **data, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  struct stat about;
  bool good = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
  *size = good ? (size_t)about.st_size : 0;
  *data = good ? malloc(*size) : NULL;
  good = *data && fread(*data, 1, *size, file) == *size;
  if (!good) free(*data);
  fclose(file);
  return good;
}
