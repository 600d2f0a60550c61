/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/amd_reports.h"

#include <stdio.h>

#include "num/num.h"

uint8_t *amd_variable(const gcn_image *image, const char *name, uint64_t *size) {
  const hsa_object *o = image->object;
  for (uint32_t i = 0; i < o->n_symbols; i++) {
    const hsa_symbol *s = &o->symbols[i];
    if (s->is_function || !str_is(s->name, name)) continue;
    *size = s->size;
    return emu_find(image->program.device, image->address)->host + s->offset;
  }
  return NULL;
}

static uint32_t word_at(const uint8_t *words, uint64_t index) {
  uint32_t word;
  memcpy(&word, words + index * sizeof word, sizeof word);
  return word;
}

void amd_reports_clear(const gcn_image *image) {
  static const char *const names[] = {AMDGCN_REPORT, AMDGCN_PRINTS};
  for (size_t i = 0; i < ARRAY_LEN(names); i++) {
    uint64_t size;
    uint8_t *words = amd_variable(image, names[i], &size);
    if (words && size >= sizeof(uint32_t)) memset(words, 0, sizeof(uint32_t));
  }
}

const amdgcn_assert *amd_numbered_assert(const amdgcn_result *made, uint32_t number) {
  return number && number <= made->asserts.len ? &made->asserts.data[number - 1] : NULL;
}

const amdgcn_assert *amd_failed_assert(const gcn_image *image, const amdgcn_result *made) {
  uint64_t size;
  const uint8_t *report = amd_variable(image, AMDGCN_REPORT, &size);
  return amd_numbered_assert(made, report && size >= sizeof(uint32_t) ? word_at(report, 0) : 0);
}

const char *amd_assert_message(const tsr_kernel *k, const amdgcn_assert *a, char *out,
                               size_t size) {
  arena text;
  arena_init(&text, k->program->device->ctx);
  snprintf(out, size, "assertion '%s' failed in %s, %s", a->message, k->name,
           ir_where(&text, k->program->module, a->loc));
  arena_free(&text);
  return out;
}

/* ---- prints --------------------------------------------------------------------------------- */

/* One conversion and the text in front of it, up to `end`; of the formats that the backend makes
 * the letter says what the argument is. */
static size_t print_one(char *out, size_t room, const char *format, const char *end,
                        uint64_t word) {
  char spec[256];
  size_t n = MIN((size_t)(end - format), sizeof spec - 1);
  memcpy(spec, format, n);
  spec[n] = 0;
  int length = strchr("eEfFgGaA", end[-1]) ? snprintf(out, room, spec, num_f64_from_bits(word))
               : end[-1] == 'c'            ? snprintf(out, room, spec, (int)word)
                                           : snprintf(out, room, spec, (unsigned long long)word);
  return length < 0 ? 0 : MIN((size_t)length, room - 1);
}

/* Where the conversion at a '%' ends. */
static const char *end_of_conversion(const char *percent) {
  const char *p = percent + 1;
  while (*p && strchr("-+ #0123456789.l", *p)) p++;
  return *p ? p + 1 : p;
}

typedef struct printing {
  amd_put put;
  void *user;
} printing;

static void print_line(const printing *to, const amdgcn_print *line, const uint8_t *words) {
  char text[4096];
  uint32_t k = 0;
  for (const char *p = line->format; *p;) {
    const char *percent = strchr(p, '%'), *end = percent ? end_of_conversion(percent) : NULL;
    size_t plain = percent ? (size_t)(percent - p) : strlen(p);
    if (plain) to->put(to->user, p, plain);
    if (!percent) return;
    if (end[-1] == '%') {
      to->put(to->user, "%", 1);
    } else if (k < line->n) {
      uint64_t word = word_at(words, 2 * k) | (uint64_t)word_at(words, 2 * k + 1) << 32;
      k++;
      to->put(to->user, text, print_one(text, sizeof text, percent, end, word));
    }
    p = end;
  }
}

uint64_t amd_put_prints(const amdgcn_result *made, const uint8_t *words, amd_put put, void *user) {
  uint64_t at = 0;
  const printing to = {put, user};
  uint64_t used = word_at(words, 0);
  const uint8_t *records = words + sizeof(uint32_t);
  while (at < used && at < AMDGCN_PRINT_WORDS) {
    uint32_t number = word_at(records, at);
    if (!number || number > made->prints.len) break;
    const amdgcn_print *line = &made->prints.data[number - 1];
    if (at + 1 + 2 * (uint64_t)line->n > AMDGCN_PRINT_WORDS) break;
    print_line(&to, line, records + (at + 1) * sizeof(uint32_t));
    at += 1 + 2 * (uint64_t)line->n;
  }
  return (used - MIN(at, used)) * sizeof(uint32_t);
}

uint64_t amd_take_prints(const gcn_image *image, const amdgcn_result *made, amd_put put,
                         void *user) {
  uint64_t size;
  const uint8_t *words = amd_variable(image, AMDGCN_PRINTS, &size);
  if (!words || size < sizeof(uint32_t) * (1 + AMDGCN_PRINT_WORDS)) return 0;
  return amd_put_prints(made, words, put, user);
}

/* ---- devices -------------------------------------------------------------------------------- */

void amd_print_to_device(void *user, const char *text, size_t length) {
  const tsr_device *dev = user;
  if (dev->on_output)
    dev->on_output(dev->output_user, text, length);
  else
    fwrite(text, 1, length, stdout);
}

void amd_warn_of_lost_prints(tsr_device *dev, const char *kernel, uint64_t bytes) {
  if (!bytes) return;
  diag(dev->ctx, TSR_WARNING, NOWHERE,
       "'%s' prints more than there is room for: %llu bytes of its lines are lost; print less in "
       "a launch",
       kernel, (unsigned long long)bytes);
}
