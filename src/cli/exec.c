/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command exec: runs a program that was written for an NVIDIA GPU with Tessera's stand-ins for
 * the driver library and tileiras in front of NVIDIA's (docs/clients.md).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

/* The folder of the stand-ins, beside this command wherever it was installed or built. */
static const char *compat_folder(cli *c) {
  char self[PATH_MAX], path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return NULL;
  self[length] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return NULL;
  *slash = 0;
  const char *joined = arena_printf(&c->arena, "%s/" TSR_BIN_TO_COMPAT, self);
  return realpath(joined, path) ? arena_strndup(&c->arena, path, strlen(path)) : NULL;
}

static bool has_file(cli *c, const char *folder, const char *name, int mode) {
  return access(arena_printf(&c->arena, "%s/%s", folder, name), mode) == 0;
}

static void set(cli *c, const char *name, const char *value) {
  setenv(name, value, 1);
  if (c->verbose) cli_remark(c, "%s=%s", name, value);
}

/* Puts the folder in front of a list of folders. */
static void put_first(cli *c, const char *name, const char *folder) {
  const char *old = getenv(name);
  const char *joined = old && *old ? arena_printf(&c->arena, "%s:%s", folder, old) : folder;
  setenv(name, joined, 1);
  if (c->verbose) cli_remark(c, "%s begins with %s", name, folder);
}

static int apply_options(cli *c) {
  const char *target = cli_value(c, OPT_TARGET), *threads = cli_value(c, OPT_THREADS);
  uint64_t n;
  if (target && strcmp(target, "cpu") != 0 && strcmp(target, "interp") != 0)
    return cli_wrong_call(c, "--target takes cpu or interp, not '%s'", target);
  if (target) set(c, "TESSERA_CUDA_DEVICE", target);
  if (threads && !cli_number(c, "--threads", threads, 1, 1024, &n)) return CLI_WRONG_CALL;
  if (threads) set(c, "TESSERA_THREADS", threads);
  if (cli_has(c, OPT_SANITIZE)) set(c, "TESSERA_SANITIZE", "1");
  if (cli_has(c, OPT_CAPABILITY)) set(c, "TESSERA_CUDA_CAPABILITY", cli_value(c, OPT_CAPABILITY));
  if (!cli_has(c, OPT_NO_TORCH)) set(c, "TESSERA_TORCH", "host");
  return CLI_OK;
}

int cli_exec(cli *c) {
  const char *folder = compat_folder(c);
  if (!folder || !has_file(c, folder, "libcuda.so.1", R_OK) ||
      !has_file(c, folder, "tileiras", X_OK)) {
    cli_error(c,
              "the stand-ins for NVIDIA's libraries are not beside this command (%s): install "
              "Tessera completely",
              folder ? folder : TSR_BIN_TO_COMPAT);
    return CLI_WRONG_INPUT;
  }
  int status = apply_options(c);
  if (status != CLI_OK) return status;
  put_first(c, "PATH", folder);
  put_first(c, "LD_LIBRARY_PATH", folder);
  put_first(c, "PYTHONPATH", arena_printf(&c->arena, "%s/python", folder));
  fflush(stdout);
  execvp(c->args[0], c->args);          /* after the last word argv has NULL */
  status = errno == ENOENT ? 127 : 126; /* as shells do */
  cli_error(c, "cannot run '%s': %s", c->args[0], strerror(errno));
  return status;
}
