/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "build_id.h"

static bool readable(const char *path) {
  return access(path, R_OK) == 0;
}

/* The folder of the file that this code was loaded from. */
static bool own_folder(char *out, size_t size) {
  Dl_info info;
  if (!dladdr((void *)&plugin_find, &info) || !info.dli_fname) return false;
  char resolved[PATH_MAX];
  const char *name = info.dli_fname;
  /* A program started through PATH is known by its bare name only. */
  if (!strchr(name, '/')) name = "/proc/self/exe";
  if (!realpath(name, resolved)) return false;
  char *slash = strrchr(resolved, '/');
  if (!slash) return false;
  *slash = 0;
  int length = snprintf(out, size, "%s", resolved);
  return length >= 0 && (size_t)length < size;
}

/* The file that must be taken; NULL: none in particular. A program that runs with the rights of
 * others does not ask its environment. */
static const char *asked_for(const tsr_context *ctx, const char **by) {
  const char *name = secure_getenv("TESSERA_LLVM_PLUGIN");
  *by = "TESSERA_LLVM_PLUGIN";
  if (name && *name) return name;
  *by = "tsr_context_options.compiler";
  return ctx ? ctx->compiler : NULL;
}

bool plugin_find(const tsr_context *ctx, char *path, size_t size) {
  const char *by, *asked = asked_for(ctx, &by);
  if (asked) {
    snprintf(path, size, "%s", asked);
    return readable(asked);
  }
  static const char *const below[] = {"", "../lib/", TSR_LLVM_PLUGIN_BIN_TO_LIB "/",
                                      TSR_LLVM_PLUGIN_COMPAT_TO_LIB "/"};
  char folder[PATH_MAX];
  if (own_folder(folder, sizeof folder))
    for (size_t i = 0; i < ARRAY_LEN(below); i++) {
      int n = snprintf(path, size, "%s/%s" TSR_LLVM_PLUGIN_FILE, folder, below[i]);
      if (n >= 0 && (size_t)n < size && readable(path)) return true;
    }
  snprintf(path, size, "%s", TSR_LLVM_PLUGIN_INSTALLED);
  if (readable(path)) return true;
  if (size) path[0] = 0;
  return true;
}

/* What went wrong, in terms of what to do about it. Kept until the lock is given back: the
 * context's callback is somebody else's code. */
typedef struct failure {
  char text[PATH_MAX + 1024];
} failure;

static void explain(failure *f, const char *path, const char *why) {
  static const char *const no_room[] = {"failed to map segment", "cannot allocate", "cannot map",
                                        "Cannot allocate"};
  bool room = true;
  for (size_t i = 0; i < ARRAY_LEN(no_room); i++) room &= !strstr(why, no_room[i]);
  if (!room)
    snprintf(f->text, sizeof f->text,
             "there is not enough memory or address space for the compiler: raise the limit "
             "(ulimit -v), or use the device 'interp' (%s)",
             why);
  else if (strstr(why, "libLLVM"))
    snprintf(f->text, sizeof f->text,
             "compiling needs LLVM 22, which is not installed: install the "
             "package " TSR_LLVM_PLUGIN_PACKAGE " (%s)",
             why);
  else if (!*path)
    snprintf(f->text, sizeof f->text,
             "the compiler (" TSR_LLVM_PLUGIN_FILE ") was not found beside Tessera's library or "
             "command, in " TSR_LLVM_PLUGIN_INSTALLED
             ", nor by the dynamic loader: install Tessera "
             "with LLVM support, name the file in TESSERA_LLVM_PLUGIN or "
             "tsr_context_options.compiler, or use the device 'interp'");
  else
    snprintf(f->text, sizeof f->text, "the compiler cannot be loaded: %s", why);
}

/* The plugin of an opened library, when it fits. */
static const compiler_plugin *accept(void *handle, const char *name, failure *f) {
  compiler_plugin_fn get;
  *(void **)&get = dlsym(handle, "tsr_llvm_plugin");
  const compiler_plugin *plugin = get ? get() : NULL;
  if (!plugin || !plugin->build_id)
    snprintf(f->text, sizeof f->text, "'%s' is not Tessera's compiler", name);
  else if (strcmp(plugin->build_id, TSR_BUILD_ID) != 0)
    snprintf(f->text, sizeof f->text,
             "'%s' belongs to another build of Tessera (%s; this is %s): install both from one "
             "build",
             name, plugin->build_id, TSR_BUILD_ID);
  else
    return plugin;
  return NULL;
}

static const compiler_plugin *open_plugin(const tsr_context *ctx, failure *f) {
  char path[PATH_MAX];
  const char *by;
  if (!plugin_find(ctx, path, sizeof path)) {
    asked_for(ctx, &by);
    snprintf(f->text, sizeof f->text, "%s: there is no readable file '%s'", by, path);
    return NULL;
  }
  const char *name = *path ? path : TSR_LLVM_PLUGIN_FILE;
  /* Lazily: few of LLVM's thousands of symbols are used, and binding them all takes half a
   * millisecond on top of the eleven that loading it takes. */
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    explain(f, path, why ? why : "unknown reason");
    return NULL;
  }
  const compiler_plugin *plugin = accept(handle, name, f);
  if (!plugin) dlclose(handle);
  return plugin;
}

const compiler_plugin *plugin_get(tsr_context *ctx) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const compiler_plugin *opened;
  failure f;
  pthread_mutex_lock(&lock);
  if (!opened) opened = open_plugin(ctx, &f);
  const compiler_plugin *plugin = opened;
  pthread_mutex_unlock(&lock);
  if (!plugin) diag_error(ctx, NOWHERE, "%s", f.text);
  return plugin;
}
