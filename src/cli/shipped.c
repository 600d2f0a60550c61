/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files that come with the command, found by name wherever it lies: "tessera:softmax" is
 * kernels/softmax.mlir, "tessera:examples/saxpy" is examples/saxpy.mlir.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

static const char prefix[] = "tessera:";
static const char *const kinds[] = {"kernels", "examples"};

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

/* The folder that has the folders of `kinds`: an installation's, or a source tree around the build.
 */
static const char *shipped_folder(cli *c) {
  static const char *const places[] = {TSR_BIN_TO_DATA, "../.."};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (cli_beside(c, arena_printf(&c->arena, "%s/kernels/saxpy.mlir", places[i])))
      return cli_beside(c, places[i]);
  return NULL;
}

/* A name may have no other folder in it than one of `kinds`. */
static const char *find(cli *c, const char *folder, const char *name) {
  const char *slash = strchr(name, '/');
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t n = strlen(kinds[i]);
    bool named = slash && (size_t)(slash - name) == n && strncmp(name, kinds[i], n) == 0;
    const char *bare = named ? slash + 1 : name;
    if (strchr(bare, '/') || (slash && !named)) continue;
    const char *path = arena_printf(&c->arena, "%s/%s/%s%s", folder, kinds[i], bare,
                                    cli_ends_with(bare, ".mlir") ? "" : ".mlir");
    if (access(path, R_OK) == 0) return path;
  }
  return NULL;
}

typedef VEC(const char *) names;

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What can be named, sorted; terminated by NULL. */
static names list(cli *c, const char *folder) {
  names found = {0};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    DIR *d = opendir(arena_printf(&c->arena, "%s/%s", folder, kinds[i]));
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
  const char *folder = shipped_folder(c);
  return folder ? list(c, folder).data : NULL;
}

const char *cli_shipped_path(cli *c, const char *word) {
  const char *folder = strncmp(word, prefix, strlen(prefix)) == 0 ? shipped_folder(c) : NULL;
  const char *path = folder ? find(c, folder, word + strlen(prefix)) : NULL;
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
    if (strncmp(c->args[i], prefix, strlen(prefix)) != 0) continue;
    const char *name = c->args[i] + strlen(prefix), *folder = shipped_folder(c);
    if (!folder) {
      cli_error(c, "'%s': the kernels that come with tessera are not beside this command",
                c->args[i]);
      return CLI_WRONG_INPUT;
    }
    const char *path = find(c, folder, name);
    if (!path) return unknown(c, folder, name);
    c->args[i] = arena_strndup(&c->arena, path, strlen(path));
  }
  return CLI_OK;
}
