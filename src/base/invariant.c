/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>

void invariant_broken(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: tessera: this does not hold, which is a mistake in Tessera: %s\n", file,
          line, what);
  abort();
}
