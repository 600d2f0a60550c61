/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as an object with machine code, which the cache holds: refused, or loaded, which
 * nothing here executes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "broken.h"
#include "exec/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void *copy = NULL;
  exec_code code;
  if (posix_memalign(&copy, EXEC_CODE_ALIGN, size + 1)) return 0;
  memcpy(copy, data, size);
  if (!exec_code_load(copy, size, "tessera_kernel", &code)) {
    const char *first = code.memory, *entry = code.entry;
    if (entry < first || entry >= first + code.size) broken("the entry lies in the code");
    exec_code_unload(&code);
  }
  free(copy);
  return 0;
}
