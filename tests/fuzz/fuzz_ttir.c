/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as Triton's representation: they are read or refused with an error; and what was read
 * prints as text that can be read, and from then on prints the same. (Equal locations by two names
 * become one.)
 */
#include <stdint.h>
#include <string.h>

#include <tessera/module.h>

#include "broken.h"

static void count_error(void *user, const tsr_diagnostic *d) {
  *(unsigned *)user += d->severity == TSR_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the text is when it was read and printed; given back with tsr_string_free. */
static char *through_reader(tsr_context *ctx, const char *text, size_t n, size_t *length) {
  tsr_module *m = tsr_module_parse(ctx, text, n, NULL, TSR_PARSE_EXTENSIONS);
  if (!m) broken("what is printed can be read");
  char *out = tsr_module_print(m, length);
  tsr_module_destroy(m);
  return out;
}

static void check_valid(tsr_context *ctx, tsr_module *m) {
  size_t n, n2, n3;
  char *text = tsr_module_print(m, &n);
  char *text2 = through_reader(ctx, text, n, &n2), *text3 = through_reader(ctx, text2, n2, &n3);
  if (n2 != n3 || memcmp(text2, text3, n2) != 0) broken("what is read prints the same");
  tsr_string_free(ctx, text);
  tsr_string_free(ctx, text2);
  tsr_string_free(ctx, text3);
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
