/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compat/fatbin.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/decompress.h"

enum { KIND_PTX = 1, ENTRY_HEADER = 64 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
enum { TEXT_LARGEST = 1 << 30 };

typedef struct fat_entry {
  unsigned kind, arch;
  uint64_t flags;
  const unsigned char *data;
  uint64_t size, compressed, length;
} fat_entry;

static uint64_t number(const unsigned char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
  return value;
}

size_t fatbin_size(const void *data) {
  const unsigned char *at = data;
  return (size_t)number(at + 6, 2) + (size_t)number(at + 8, 8);
}

/* The entry at an offset, which moves behind it; false at the end or where it is damaged. */
static bool next_entry(const unsigned char *data, size_t size, size_t *at, fat_entry *e) {
  if (*at > size || size - *at < ENTRY_HEADER) return false;
  const unsigned char *h = data + *at;
  size_t header = (size_t)number(h + 4, 4);
  *e = (fat_entry){.kind = (unsigned)number(h, 2),
                   .arch = (unsigned)number(h + 28, 4),
                   .flags = number(h + 40, 8),
                   .size = number(h + 8, 8),
                   .compressed = number(h + 16, 4),
                   .length = number(h + 56, 8)};
  if (header < ENTRY_HEADER || header > size - *at || e->size > size - *at - header) return false;
  e->data = h + header;
  *at += header + (size_t)e->size;
  return true;
}

/* Terminated, the caller's to free; NULL when it is damaged. */
static char *entry_contents(const fat_entry *e, size_t *length) {
  bool coded = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
  uint64_t bytes = coded ? e->length : e->size, packed = e->compressed ? e->compressed : e->size;
  if (bytes > TEXT_LARGEST || packed > e->size) return NULL;
  char *text = malloc((size_t)bytes + 1);
  if (!text) return NULL;
  bool good = true;
  if (e->flags & FLAG_ZSTD)
    good = zstd_decompress(e->data, (size_t)packed, text, (size_t)bytes);
  else if (e->flags & FLAG_LZ4)
    good = lz4_decompress(e->data, (size_t)packed, text, (size_t)bytes);
  else
    memcpy(text, e->data, (size_t)bytes);
  text[bytes] = 0;
  *length = (size_t)bytes;
  if (good) return text;
  free(text);
  return NULL;
}

/* What is not compressed is padded with zeros. */
static char *entry_text(const fat_entry *e, size_t *length) {
  char *text = entry_contents(e, length);
  if (text) *length = strlen(text);
  return text;
}

typedef enum target_form { TARGET_ANY, TARGET_FAMILY, TARGET_ONLY } target_form;

/* What the text's ".target sm_90a" says: 90, and that only this architecture executes it. */
static bool read_target(const char *text, unsigned *arch, target_form *form) {
  const char *at = strstr(text, ".target");
  char letter = 0;
  if (!at || sscanf(at, ".target sm_%u%c", arch, &letter) < 1) return false;
  *form = letter == 'a' ? TARGET_ONLY : letter == 'f' ? TARGET_FAMILY : TARGET_ANY;
  return true;
}

static bool target_fits(unsigned arch, target_form form, unsigned capability) {
  switch (form) {
  case TARGET_ONLY: return arch == capability;
  case TARGET_FAMILY: return arch <= capability && arch / 10 == capability / 10;
  default: return arch <= capability;
  }
}

/* Of what a fat binary has, in words. */
typedef struct seen {
  char ptx[128], code[128];
  unsigned entries, damaged;
} seen;

static void note(char list[128], unsigned arch, char letter) {
  size_t used = strlen(list);
  snprintf(list + used, 128 - used, "%ssm_%u%.1s", used ? ", " : "", arch, (char[2]){letter, 0});
}

static void explain(const seen *s, unsigned capability, char why[FATBIN_WHY]) {
  const char *exact = capability == 90 ? "a" : "";
  if (s->damaged || !s->entries)
    snprintf(why, FATBIN_WHY, "the fat binary is damaged or empty");
  else if (s->ptx[0])
    snprintf(why, FATBIN_WHY,
             "the fat binary has PTX for %s, which a device of compute capability %u.%u does not "
             "execute: set TESSERA_CUDA_CAPABILITY, or build the program with -gencode "
             "arch=compute_%u%s,code=compute_%u%s",
             s->ptx, capability / 10, capability % 10, capability, exact, capability, exact);
  else
    snprintf(why, FATBIN_WHY,
             "the fat binary has machine code only (%s), which cannot run here: build the program "
             "with -gencode arch=compute_%u%s,code=compute_%u%s, or under tessera exec, so that it "
             "has PTX",
             s->code, capability, exact, capability, exact);
}

/* The text, when the device executes it and it is better than what there is. */
static char *consider(const fat_entry *e, unsigned capability, unsigned *best, seen *s,
                      size_t *length) {
  static const char letters[] = {0, 'f', 'a'};
  unsigned arch;
  target_form form;
  if (e->kind != KIND_PTX) {
    note(s->code, e->arch, 0);
    return NULL;
  }
  char *text = entry_text(e, length);
  if (!text || !read_target(text, &arch, &form)) {
    s->damaged++;
    free(text);
    return NULL;
  }
  note(s->ptx, arch, letters[form]);
  unsigned rank = arch * 4 + (unsigned)form;
  if (target_fits(arch, form, capability) && rank > *best) {
    *best = rank;
    return text;
  }
  free(text);
  return NULL;
}

static size_t first_entry(const void *data, size_t size) {
  return size >= FATBIN_HEADER ? (size_t)number((const unsigned char *)data + 6, 2) : size;
}

char *fatbin_ptx(const void *data, size_t size, unsigned capability, size_t *length,
                 char why[FATBIN_WHY]) {
  seen s = {.entries = 0};
  fat_entry e;
  char *found = NULL;
  unsigned best = 0;
  size_t at = first_entry(data, size);
  while (next_entry(data, size, &at, &e)) {
    size_t n;
    s.entries++;
    char *text = consider(&e, capability, &best, &s, &n);
    if (!text) continue;
    free(found);
    found = text;
    *length = n;
  }
  if (!found) explain(&s, capability, why);
  return found;
}

bool fatbin_has_name(const void *data, size_t size, const char *name) {
  fat_entry e;
  bool has = false;
  for (size_t at = first_entry(data, size); !has && next_entry(data, size, &at, &e);) {
    size_t length;
    char *text = entry_contents(&e, &length);
    has = text && memmem(text, length, name, strlen(name));
    free(text);
  }
  return has;
}
