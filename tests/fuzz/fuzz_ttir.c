/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as Triton's representation: they are read or refused with an error; and what was read
 * prints as text that can be read and prints the same.
 */
#include <stdint.h>
#include <string.h>

#include <tessera/module.h>

#include "broken.h"

static void count_error(void *user, const tsr_diagnostic *d) {
  *(unsigned *)user += d->severity == TSR_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_valid(tsr_context *ctx, tsr_module *m) {
  size_t n, n2;
  char *text = tsr_module_print(m, &n);
  tsr_module *again = tsr_module_parse(ctx, text, n, NULL, TSR_PARSE_DEFAULT);
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
  const char *text = (const char *)data;
  tsr_is_ttir(text, size);
  tsr_module *m = tsr_module_read_ttir(ctx, text, size, NULL, TSR_PARSE_DEFAULT);
  if (m)
    check_valid(ctx, m);
  else if (!errors)
    broken("a refusal says why");
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return 0;
}
