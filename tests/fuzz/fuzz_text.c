/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as Tile IR text: they are read or refused with an error; what was read prints; and what
 * keeps the rules prints as text that keeps them and prints the same.
 */
#include <stdint.h>
#include <string.h>

#include <tessera/module.h>

#include "broken.h"

static void count_error(void *user, const tsr_diagnostic *d) {
  *(unsigned *)user += d->severity == TSR_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints what has been read, and reads that. */
static void check_valid(tsr_context *ctx, tsr_module *m, unsigned flags) {
  size_t n, n2;
  char *text = tsr_module_print(m, &n);
  tsr_module *again = tsr_module_parse(ctx, text, n, NULL, flags);
  if (!again) broken("what is printed can be read");
  char *text2 = tsr_module_print(again, &n2);
  if (n != n2 || memcmp(text, text2, n) != 0) broken("what is read prints the same");
  tsr_string_free(ctx, text);
  tsr_string_free(ctx, text2);
  tsr_module_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned errors = 0;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = count_error, .diagnostic_user = &errors};
  tsr_context *ctx = tsr_context_create(&o);
  unsigned flags =
      (size & 1 ? TSR_PARSE_KEEP_COMMENTS : 0) | (size & 2 ? TSR_PARSE_TESTING_OPS : 0);
  tsr_module *m = tsr_module_parse(ctx, (const char *)data, size, NULL, flags);
  if (m) {
    check_valid(ctx, m, flags);
  } else {
    if (!errors) broken("a refusal says why");
    m = tsr_module_parse(ctx, (const char *)data, size, NULL, flags | TSR_PARSE_NO_VERIFY);
    if (m) tsr_string_free(ctx, tsr_module_print(m, NULL));
  }
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return 0;
}
