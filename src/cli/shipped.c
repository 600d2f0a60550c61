/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs that come with Tessera, in a command's arguments: their files, and their names.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytecode/shipped.h"
#include "cli/cli.h"

const char *cli_beside(cli *c, const char *relative) {
  char self[PATH_MAX], path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return NULL;
  self[length] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return NULL;
  *slash = 0;
  const char *joined = arena_printf(&c->arena, "%s/%s", self, relative);
  return realpath(joined, path) ? arena_strndup(&c->arena, path, strlen(path)) : NULL;
}

typedef VEC(const char *) names;

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What can be named, sorted; terminated by NULL. */
static names list(cli *c, const char *folder) {
  names found = {0};
  for (size_t i = 0; i < SHIPPED_KINDS; i++) {
    DIR *d = opendir(arena_printf(&c->arena, "%s/%s", folder, shipped_kinds[i]));
    for (struct dirent *e; d && (e = readdir(d));)
      if (cli_ends_with(e->d_name, ".mlir"))
        vec_push(&c->arena, found,
                 arena_printf(&c->arena, "%s%.*s", i ? "examples/" : "",
                              (int)(strlen(e->d_name) - strlen(".mlir")), e->d_name));
    if (d) closedir(d);
  }
  if (found.len) qsort(found.data, found.len, sizeof *found.data, by_name);
  vec_push(&c->arena, found, NULL);
  return found;
}

const char *const *cli_shipped_names(cli *c) {
  const char *folder = shipped_folder(&c->arena);
  return folder ? list(c, folder).data : NULL;
}

const char *cli_shipped_path(cli *c, const char *word) {
  bool named = strncmp(word, SHIPPED_PREFIX, strlen(SHIPPED_PREFIX)) == 0;
  const char *folder = named ? shipped_folder(&c->arena) : NULL;
  const char *path = folder ? shipped_find(&c->arena, folder, word + strlen(SHIPPED_PREFIX)) : NULL;
  return path ? path : word;
}

static int unknown(cli *c, const char *folder, const char *name) {
  names all = list(c, folder);
  const char *close = cli_closest(name, all.data);
  sbuf text = SBUF(&c->arena);
  for (uint32_t i = 0; all.data[i]; i++) sbuf_printf(&text, "%s%s", i ? ", " : "", all.data[i]);
  cli_error(c, "no kernel that comes with tessera is called '%s'%s%s%s", name,
            close ? "; did you mean 'tessera:" : "", close ? close : "", close ? "'?" : "");
  cli_note(c, "there are: %s", text.data ? text.data : "");
  return CLI_WRONG_INPUT;
}

int cli_find_shipped(cli *c) {
  if (c->command && c->command->run == cli_help) return CLI_OK; /* a word that is completed */
  for (unsigned i = 0; i < c->n_args; i++) {
    if (strncmp(c->args[i], SHIPPED_PREFIX, strlen(SHIPPED_PREFIX)) != 0) continue;
    const char *name = c->args[i] + strlen(SHIPPED_PREFIX), *folder = shipped_folder(&c->arena);
    if (!folder) {
      cli_error(c, "'%s': the kernels that come with tessera are not beside this command",
                c->args[i]);
      return CLI_WRONG_INPUT;
    }
    const char *path = shipped_find(&c->arena, folder, name);
    if (!path) return unknown(c, folder, name);
    c->args[i] = arena_strndup(&c->arena, path, strlen(path));
  }
  return CLI_OK;
}
