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
  if (status == TSR_OK) print_all(&v);
  tsr_context_destroy(ctx);
  return 0;
}
