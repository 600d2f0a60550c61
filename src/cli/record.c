/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/record.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *array_path(cli *c, unsigned index, const char *when) {
  return arena_printf(&c->arena, "%s/arg%u.%s.npy", cli_value(c, OPT_RECORD), index, when);
}

static bool save_arrays(cli *c, argument_list *list, const char *when) {
  for (unsigned i = 0; i < list->count; i++) {
    argument *arg = &list->data[i];
    if (arg->kind == ARGUMENT_SCALAR) continue;
    if (!array_save(c->ctx, &arg->array, array_path(c, i, when))) return false;
  }
  return true;
}

bool record_inputs(cli *c, argument_list *list) {
  const char *folder = cli_value(c, OPT_RECORD);
  if (!folder) return true;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    cli_error(c, "cannot make the folder '%s': %s", folder, strerror(errno));
    return false;
  }
  return save_arrays(c, list, "before");
}

/* How the elements are compared: those of less than a byte as bytes. */
static const char *element_name(const argument *arg) {
  return tsr_elem_bits(arg->array.elem) < 8 ? "i8" : tsr_elem_name(arg->array.elem);
}

static void put_arguments(sbuf *out, const argument_list *list, bool words) {
  for (unsigned i = 0; i < list->count; i++) {
    const argument *arg = &list->data[i];
    if (arg->kind == ARGUMENT_SCALAR)
      sbuf_printf(out, "value %u %llx\n", words ? 8 : (tsr_elem_bits(arg->elem) + 7) / 8,
                  (unsigned long long)arg->bits);
    else
      sbuf_printf(out, "file arg%u.before.npy\n", i);
  }
  for (unsigned i = 0; i < list->count; i++)
    if (list->data[i].kind != ARGUMENT_SCALAR)
      sbuf_printf(out, "expect %u arg%u.after.npy %s 0 0\n", i, i, element_name(&list->data[i]));
}

bool record_results(cli *c, argument_list *list, const char *kernel, const uint32_t grid[3],
                    bool words) {
  const char *folder = cli_value(c, OPT_RECORD);
  if (!folder) return true;
  if (!arguments_read_back(list) || !save_arrays(c, list, "after")) return false;
  sbuf out = SBUF(&c->arena);
  sbuf_printf(&out, "kernel %s\ngrid %u %u %u\n", kernel, grid[0], grid[1], grid[2]);
  put_arguments(&out, list, words);
  return file_write(c->ctx, arena_printf(&c->arena, "%s/case", folder), out.data, out.len);
}
