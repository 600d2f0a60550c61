/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command exec: runs a program that was written for an NVIDIA GPU with Tessera's stand-ins for
 * the driver library, the runtime library and tileiras in front of NVIDIA's; what nvcc builds under
 * it has PTX and Tessera's runtime library (docs/clients.md).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

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

/* ---- nvcc ----------------------------------------------------------------------------------- */

/* The first file of the name in PATH, with links resolved. */
static const char *find_in_path(cli *c, const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path; at && *at;) {
    size_t n = strcspn(at, ":");
    const char *file = arena_printf(&c->arena, "%.*s/%s", (int)n, at, name);
    char whole[PATH_MAX];
    if (access(file, X_OK) == 0 && realpath(file, whole))
      return arena_strndup(&c->arena, whole, strlen(whole));
    at += n + (at[n] == ':');
  }
  return NULL;
}

/* The CUDA version whose nvcc it is: its header says. 13 when that cannot be read. */
static int cuda_version(cli *c) {
  const char *nvcc = find_in_path(c, "nvcc");
  char line[256];
  int version = 13000;
  if (!nvcc) return 13;
  int folder = (int)(strrchr(nvcc, '/') - nvcc);
  FILE *file = fopen(arena_printf(&c->arena, "%.*s/../include/cuda.h", folder, nvcc), "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "#define CUDA_VERSION %d", &version) == 1) break;
  if (file) fclose(file);
  return version / 1000 < 13 ? 12 : 13;
}

/* "90a" for 9.0: what is for that architecture alone is executed, too. */
static const char *architecture(cli *c) {
  const char *asked = getenv("TESSERA_CUDA_CAPABILITY");
  unsigned major = 10, minor = 0;
  if (asked && sscanf(asked, "%u.%u", &major, &minor) != 2) major = 10, minor = 0;
  return arena_printf(&c->arena, "%u%u%s", major, minor, major == 9 ? "a" : "");
}

/* What nvcc adds to its command line: PTX for the device, and the runtime library's stand-in in
 * NVIDIA's place, by coming first. Machine code, too, as without both nvcc links no relocatable
 * code. It is hidden in what is linked, so that another runtime library in the process, such as
 * PyTorch's, is not taken for it, nor it for that one. */
static void prepare_nvcc(cli *c, const char *folder) {
  const char *arch = architecture(c), *old = getenv("NVCC_APPEND_FLAGS");
  int version = cuda_version(c);
  const char *flags = arena_printf(
      &c->arena,
      "%s%s-gencode arch=compute_%s,code=[compute_%s,sm_%s] -cudart static -L%s -Xlinker "
      "--exclude-libs,libtessera_cudart%d.a -ltessera_cudart%d -lcuda",
      old ? old : "", old && *old ? " " : "", arch, arch, arch, folder, version, version);
  set(c, "NVCC_APPEND_FLAGS", flags);
}

/* ---- a runtime library in the program ------------------------------------------------------- */

/* The loader tells the library of every file that it maps; in those with NVIDIA's runtime library
 * in them it leads calls to the stand-in. A library with a sanitizer in it cannot be loaded so. */
static void replace_runtime(cli *c, const char *folder) {
#ifdef __SANITIZE_ADDRESS__
  (void)c;
  (void)folder;
#else
  put_first(c, "LD_AUDIT", arena_printf(&c->arena, "%s/libtessera_redirect.so", folder));
#endif
}

/* ---- the command ---------------------------------------------------------------------------- */

/* The command may run in another folder. */
static const char *absolute(cli *c, const char *path) {
  char folder[PATH_MAX];
  if (*path == '/' || !getcwd(folder, sizeof folder)) return path;
  return arena_printf(&c->arena, "%s/%s", folder, path);
}

/* The driver library executes kernels on the CPU; an emulated card is for the Python package. */
static int apply_target(cli *c, const char *target) {
  if (strncmp(target, "emu:gfx", 7) == 0)
    set(c, "TESSERA_HIP_DEVICE", target);
  else if (strncmp(target, "emu:", 4) == 0)
    set(c, "TESSERA_DEVICE", target);
  else if (strcmp(target, "cpu") == 0 || strcmp(target, "interp") == 0)
    set(c, "TESSERA_CUDA_DEVICE", target);
  else
    return cli_wrong_call(
        c,
        "--target takes cpu, interp or an emulated card such as emu:sm_90a or emu:gfx942, not '%s'",
        target);
  return CLI_OK;
}

static int apply_options(cli *c) {
  const char *target = cli_value(c, OPT_TARGET), *threads = cli_value(c, OPT_THREADS);
  uint64_t n;
  int status = target ? apply_target(c, target) : CLI_OK;
  if (status != CLI_OK) return status;
  if (threads && !cli_number(c, "--threads", threads, 1, 1024, &n)) return CLI_WRONG_CALL;
  if (threads) set(c, "TESSERA_THREADS", threads);
  if (cli_has(c, OPT_SANITIZE)) set(c, "TESSERA_SANITIZE", "1");
  if (cli_has(c, OPT_CAPABILITY)) set(c, "TESSERA_CUDA_CAPABILITY", cli_value(c, OPT_CAPABILITY));
  if (cli_has(c, OPT_COUNTERS)) set(c, "TESSERA_CUDA_COUNTERS", "1");
  if (cli_has(c, OPT_REPORT)) {
    set(c, "TESSERA_CUDA_COUNTERS", "1");
    set(c, "TESSERA_CUDA_REPORT", absolute(c, cli_value(c, OPT_REPORT)));
  }
  if (!cli_has(c, OPT_NO_TORCH)) set(c, "TESSERA_TORCH", "host");
  return CLI_OK;
}

int cli_exec(cli *c) {
  const char *folder = cli_beside(c, TSR_BIN_TO_COMPAT); /* of the stand-ins */
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
  if (!cli_has(c, OPT_NO_NVCC)) prepare_nvcc(c, folder);
  put_first(c, "PATH", folder);
  put_first(c, "LD_LIBRARY_PATH", folder);
  replace_runtime(c, folder);
  put_first(c, "PYTHONPATH", arena_printf(&c->arena, "%s/python", folder));
  fflush(stdout);
  execvp(c->args[0], c->args);          /* after the last word argv has NULL */
  status = errno == ENOENT ? 127 : 126; /* as shells do */
  cli_error(c, "cannot run '%s': %s", c->args[0], strerror(errno));
  return status;
}
