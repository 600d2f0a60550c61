/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/names.h"

#include <stdio.h>

typedef struct renamed {
  const char *name, *row;
} renamed;

#define N(name, row) {#name, #row},
#define W(name, row)
static const renamed names[] = {
#include "emu/amdgcn/names.def"
};
#undef N
#undef W
#define N(name, row)
#define W(name, row) {#name, #row},
static const renamed words[] = {
#include "emu/amdgcn/names.def"
};
#undef N
#undef W

static const char *find(const renamed *list, size_t n, str name) {
  for (size_t k = 0; k < n; k++)
    if (str_eq(name, str_of(list[k].name))) return list[k].row;
  return NULL;
}

str gcn_row_name(str name, char room[GCN_NAME_ROOM]) {
  static const char *const spaces[] = {"global_", "flat_",     "scratch_",
                                       "buffer_", "s_buffer_", "s_"};
  const char *row = find(names, ARRAY_LEN(names), name);
  if (row) return str_of(row);
  for (size_t k = 0; k < ARRAY_LEN(spaces); k++) {
    size_t n = strlen(spaces[k]);
    if (name.len <= n || memcmp(name.data, spaces[k], n) != 0) continue;
    row = find(words, ARRAY_LEN(words), (str){name.data + n, name.len - n});
    if (!row) continue;
    snprintf(room, GCN_NAME_ROOM, "%s%s", spaces[k], row);
    return str_of(room);
  }
  return name;
}
