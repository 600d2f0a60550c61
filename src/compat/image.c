/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compat/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- reading -------------------------------------------------------------------------------- */

/* Compared byte by byte: nothing is read behind the first that differs. */
static bool begins(const char *data, size_t size, const void *with, size_t length) {
  if (size && size < length) return false;
  for (size_t i = 0; i < length; i++)
    if (data[i] != ((const char *)with)[i]) return false;
  return true;
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
  if (size && size < IMAGE_HEADER) return "it ends within its header";
  if (get(in + 48, 8) != fnv1a(in, 48)) return "its header is damaged";
  if (get(in + 8, 4) != IMAGE_VERSION)
    return "it was made by another version of Tessera: compile the program again";
  uint64_t bytes = get(in + 32, 8);
  if (bytes > SIZE_MAX - IMAGE_HEADER || (size && bytes > size - IMAGE_HEADER))
    return "it ends within the program";
  if (get(in + 40, 8) != fnv1a(in + IMAGE_HEADER, (size_t)bytes)) return "the program is damaged";
  *bytecode = in + IMAGE_HEADER;
  *length = (size_t)bytes;
  return NULL;
}

/* ---- bytecode of unknown size --------------------------------------------------------------- */

typedef struct walker {
  const unsigned char *data;
  size_t at, size; /* size SIZE_MAX: unknown */
} walker;

static bool walk_byte(walker *w, unsigned *out) {
  if (w->at >= w->size) return false;
  *out = w->data[w->at++];
  return true;
}

/* A section's length is at most this, so that a damaged one does not lead far away. */
static const uint64_t section_limit = (uint64_t)1 << 40;

static bool walk_number(walker *w, uint64_t *out) {
  unsigned byte;
  *out = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (!walk_byte(w, &byte)) return false;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return *out <= section_limit;
  }
  return false;
}

/* Section by section (docs/bytecode.md), up to the one that ends the file. */
const char *image_bytecode_size(const void *data, size_t size, size_t *length) {
  enum { HEADER = 12, SECTIONS = 8, ALIGNED = 0x80 };
  walker w = {data, HEADER, size ? size : SIZE_MAX};
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
      w.at = (size_t)((w.at + alignment - 1) & ~(alignment - 1));
    }
    if (w.at > w.size || bytes > w.size - w.at) break;
    w.at += (size_t)bytes;
  }
  return "the bytecode's sections are damaged";
}

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
