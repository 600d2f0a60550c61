/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/outputs.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool outputs_can_write(cli *c, const char *path) {
  struct stat st;
  int problem = 0;
  bool exists = stat(path, &st) == 0;
  char *copy = arena_strndup(&c->arena, path, strlen(path));
  if (exists && S_ISDIR(st.st_mode))
    problem = EISDIR;
  else if (exists && access(path, W_OK) != 0)
    problem = errno;
  else if ((!exists || S_ISREG(st.st_mode)) && access(dirname(copy), W_OK | X_OK) != 0)
    problem = errno; /* the temporary file lies in its folder */
  if (problem) cli_error(c, "cannot write '%s': %s", path, strerror(problem));
  return problem == 0;
}

static bool is_saved_already(const outputs *o, const char *path) {
  for (unsigned i = 0; i < o->n; i++)
    if (o->list[i].path && strcmp(o->list[i].path, path) == 0) return true;
  return false;
}

static int want_save(cli *c, argument_list *list, outputs *o, const char *value) {
  const char *equals = strchr(value, '=');
  if (!equals || equals == value || !equals[1])
    return cli_wrong_call(c, "--save takes NAME=FILE.npy, not '%s'", value);
  const char *path = argument_path(c, list, equals + 1);
  if (list->ranks > 1 && path == equals + 1)
    return cli_wrong_call(c, "--save: every rank would write '%s'; put its number in: %%r", path);
  str name = {value, (size_t)(equals - value)};
  argument *arg = argument_by_name(c, list, "--save", name);
  if (!arg) return CLI_WRONG_CALL;
  if (is_saved_already(o, path))
    return cli_wrong_call(c, "--save: '%s' would be written twice", path);
  if (!outputs_can_write(c, path)) return CLI_WRONG_INPUT;
  o->list[o->n++] = (output){arg, name, path};
  return CLI_OK;
}

int outputs_collect(cli *c, argument_list *list, outputs *o) {
  *o = (outputs){
      .list = arena_array(&c->arena, output, c->n_given), .rank = list->rank, .ranks = list->ranks};
  for (unsigned i = 0; i < c->n_given; i++) {
    int status = CLI_OK;
    const char *value = c->given[i].value;
    if (c->given[i].id == OPT_SAVE) status = want_save(c, list, o, value);
    if (c->given[i].id == OPT_PRINT) {
      argument *arg = argument_by_name(c, list, "--print", str_of(value));
      if (!arg) return CLI_WRONG_CALL;
      o->list[o->n++] = (output){arg, str_of(value), NULL};
    }
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}

bool outputs_write(cli *c, const outputs *o) {
  for (unsigned i = 0; i < o->n; i++) {
    const output *w = &o->list[i];
    array *a = &w->arg->array;
    if (w->path) {
      if (!array_save(c->ctx, a, w->path)) return false;
      if (c->verbose) cli_remark(c, "wrote " STR_FMT " to '%s'", STR_ARG(w->name), w->path);
    } else {
      if (o->ranks) printf("rank %u, ", o->rank);
      printf(STR_FMT ": %s\n", STR_ARG(w->name), array_type_text(&c->arena, a));
      array_show(a, stdout);
    }
  }
  return true;
}
