/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which target knows which mnemonic.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

const char *const form_targets[TARGETS] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200"};

enum { MOST_NAMES = 4096 };

static form_mnemonic all[MOST_NAMES];
static size_t count;

static bool known_on(const char *words, const char *target) {
  const char *at = strstr(words, target);
  return at && at[-1] == ' ';
}

/* "v_add_f32 gfx90a gfx942": a name and targets. */
const form_mnemonic *form_mnemonics(size_t *n) {
  char line[256];
  FILE *file = count ? NULL : fopen(TESSERA_SOURCE_DIR "/tests/data/amdgcn-mnemonics.txt", "r");
  while (file && fgets(line, sizeof line, file) && count < MOST_NAMES) {
    form_mnemonic *m = &all[count++];
    size_t length = strcspn(line, " \n");
    snprintf(m->name, sizeof m->name, "%.*s", (int)length, line);
    for (unsigned t = 0; t < TARGETS; t++)
      if (known_on(line + length, form_targets[t])) m->targets |= 1u << t;
  }
  if (file) fclose(file);
  *n = count;
  return all;
}

bool form_exists(const char *name, form_target t) {
  size_t n;
  const form_mnemonic *m = form_mnemonics(&n);
  for (size_t k = 0; k < n; k++)
    if (strcmp(m[k].name, name) == 0) return m[k].targets >> t & 1;
  return false;
}
