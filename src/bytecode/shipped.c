/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bytecode/shipped.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

const char *const shipped_kinds[SHIPPED_KINDS] = {"kernels", "examples"};

#if defined(__wasm__)

const char *shipped_folder(arena *a) {
  (void)a;
  return NULL;
}

#else

#include <dlfcn.h>

/* The folder of the file that this code was loaded from; NULL: not known. A program that was
 * started through PATH is known by its bare name only. */
static const char *own_folder(arena *a) {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr((void *)&shipped_kinds, &info) || !info.dli_fname) return NULL;
  if (!realpath(strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe", path)) return NULL;
  char *slash = strrchr(path, '/');
  return slash ? arena_strndup(a, path, (size_t)(slash - path)) : NULL;
}

/* Where the folder is, seen from the library, from the command, from a build in the source tree.
 */
const char *shipped_folder(arena *a) {
  static const char *const places[] = {TSR_LIB_TO_DATA, TSR_BIN_TO_DATA, "../.."};
  const char *own = own_folder(a);
  for (size_t i = 0; own && i < ARRAY_LEN(places); i++) {
    char path[PATH_MAX];
    if (access(arena_printf(a, "%s/%s/kernels/saxpy.mlir", own, places[i]), R_OK) == 0 &&
        realpath(arena_printf(a, "%s/%s", own, places[i]), path))
      return arena_strndup(a, path, strlen(path));
  }
  return NULL;
}

#endif

const char *shipped_find(arena *a, const char *folder, const char *name) {
  const char *slash = strchr(name, '/');
  size_t length = strlen(name), suffix = strlen(".mlir");
  bool whole = length > suffix && strcmp(name + length - suffix, ".mlir") == 0;
  for (size_t i = 0; i < SHIPPED_KINDS; i++) {
    size_t n = strlen(shipped_kinds[i]);
    bool named = slash && (size_t)(slash - name) == n && strncmp(name, shipped_kinds[i], n) == 0;
    const char *bare = named ? slash + 1 : name;
    if (strchr(bare, '/') || (slash && !named)) continue;
    const char *path =
        arena_printf(a, "%s/%s/%s%s", folder, shipped_kinds[i], bare, whole ? "" : ".mlir");
    if (access(path, R_OK) == 0) return path;
  }
  return NULL;
}
