/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as bytecode: refused with one error, or read into a module that prints. If it is valid
 * too, then what is written of it is read again and written the same.
 *
 * The inputs to begin with are in corpus/bytecode; programs as text are passed over.
 */
#include <stdint.h>
#include <string.h>

#include <tessera/module.h>

#include "broken.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_error(void *user, const tsr_diagnostic *d) {
  *(unsigned *)user += d->severity == TSR_ERROR;
}

static void check_writing(tsr_context *ctx, tsr_module *m) {
  size_t len, len2;
  char *once = tsr_module_write_bytecode(m, 0, &len);
  if (!once) broken("the newest version holds whatever can be read");
  tsr_module *again = tsr_module_read_bytecode(ctx, once, len, NULL, TSR_PARSE_DEFAULT);
  if (!again) broken("what is written can be read");
  char *twice = tsr_module_write_bytecode(again, 0, &len2);
  if (!twice || len != len2 || memcmp(once, twice, len) != 0)
    broken("what is read is written the same");
  tsr_string_free(ctx, once);
  tsr_string_free(ctx, twice);
  tsr_module_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned errors = 0;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = count_error, .diagnostic_user = &errors};
  if (!tsr_is_bytecode(data, size)) return 0;
  tsr_context *ctx = tsr_context_create(&o);
  tsr_module *m = tsr_module_read_bytecode(ctx, data, size, NULL, TSR_PARSE_NO_VERIFY);
  if (!m != (errors == 1)) broken("a refusal is one error");
  char *text = m ? tsr_module_print(m, NULL) : NULL;
  if (m && !text) broken("what is read prints");
  if (m && tsr_module_verify(m) == TSR_OK) check_writing(ctx, m);
  tsr_string_free(ctx, text);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return 0;
}
