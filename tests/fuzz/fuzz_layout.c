/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any text as a layout: refused with one error, or read into a value that keeps its rules and that
 * every notation prints or refuses.
 */
#include <stdint.h>
#include <stdlib.h>

#include <tessera/layout.h>

#include "broken.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_error(void *user, const tsr_diagnostic *d) {
  *(unsigned *)user += d->severity == TSR_ERROR;
}

enum { READ_AT_MOST = 4000 /* bytes of an expression */ };

/* What is printed as a chain is read as the same map. */
static void check_distribution(tsr_context *ctx, const tsr_layout_value *v) {
  char text[READ_AT_MOST + 1];
  tsr_layout_print_options o = {.struct_size = sizeof o, .format = TSR_FORMAT_CHAIN};
  tsr_layout_value again;
  if (tsr_layout_validate(&v->layout, NULL) != TSR_OK) broken("what is read keeps the rules");
  size_t length = tsr_layout_print(v, &o, text, sizeof text);
  if (length > READ_AT_MOST) return;
  if (tsr_layout_parse(ctx, NULL, text, length, &again) != TSR_OK ||
      again.kind != TSR_LAYOUT_DISTRIBUTION || !tsr_layout_same_map(&again.layout, &v->layout))
    broken("what is printed is read as the same layout");
}

static int64_t last_offset(const tsr_memory_layout *m) {
  int32_t last[TSR_LAYOUT_MAX_RANK];
  for (uint32_t d = 0; d < m->rank; d++) last[d] = tsr_memory_dim(m, d) - 1;
  return tsr_memory_offset(m, last);
}

/* What is printed of memory is read with its first and last element where they were. */
static void check_memory(tsr_context *ctx, const tsr_layout_value *v) {
  static const int32_t zero[TSR_LAYOUT_MAX_RANK];
  char text[READ_AT_MOST + 1];
  tsr_layout_print_options o = {.struct_size = sizeof o, .format = TSR_FORMAT_CUTE};
  tsr_layout_value again;
  if (tsr_memory_validate(&v->memory, NULL) != TSR_OK) broken("what is read keeps the rules");
  size_t length = tsr_layout_print(v, &o, text, sizeof text);
  if (length > READ_AT_MOST) return;
  if (tsr_layout_parse(ctx, NULL, text, length, &again) != TSR_OK ||
      again.kind != TSR_LAYOUT_MEMORY ||
      tsr_memory_offset(&again.memory, zero) != tsr_memory_offset(&v->memory, zero) ||
      last_offset(&again.memory) != last_offset(&v->memory))
    broken("what is printed is read as the same memory");
}

/* Every notation says it, or why it cannot. */
static void print_all(const tsr_layout_value *v) {
  static char text[1 << 16];
  for (int f = TSR_FORMAT_TILUS; f <= TSR_FORMAT_CHAIN; f++) {
    if (f == TSR_FORMAT_TABLE && tsr_layout_size(&v->layout) > 4096) continue;
    tsr_layout_print_options o = {.struct_size = sizeof o, .format = (tsr_layout_format)f};
    if (!tsr_layout_print(v, &o, text, sizeof text)) broken("every notation says something");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned errors = 0;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = count_error, .diagnostic_user = &errors};
  tsr_context *ctx = tsr_context_create(&o);
  tsr_layout_value v;
  tsr_status status = tsr_layout_parse(ctx, NULL, (const char *)data, size, &v);
  if ((status == TSR_OK) != (errors == 0)) broken("a refusal is an error");
  if (status == TSR_OK && v.kind == TSR_LAYOUT_DISTRIBUTION) check_distribution(ctx, &v);
  if (status == TSR_OK && v.kind == TSR_LAYOUT_MEMORY) check_memory(ctx, &v);
  if (status == TSR_OK) print_all(&v);
  tsr_context_destroy(ctx);
  return 0;
}
