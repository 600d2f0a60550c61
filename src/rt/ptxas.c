/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUT = 256 << 20 };

static bool usable(const char *path) {
  return access(path, X_OK) == 0;
}

static bool find_in_path(char *path, size_t size) {
  const char *p = secure_getenv("PATH");
  while (p && *p) {
    const char *end = strchrnul(p, ':');
    int n = snprintf(path, size, "%.*s/ptxas", (int)(end - p), p);
    if (end > p && n >= 0 && (size_t)n < size && usable(path)) return true;
    p = *end ? end + 1 : end;
  }
  return false;
}

bool ptxas_find(char *path, size_t size) {
  const char *asked = secure_getenv("TESSERA_PTXAS");
  if (asked && *asked) {
    snprintf(path, size, "%s", asked);
    return usable(asked);
  }
  if (find_in_path(path, size)) return true;
  snprintf(path, size, "/usr/local/cuda/bin/ptxas");
  return usable(path);
}

/* ---- running it ----------------------------------------------------------------------------- */

typedef struct work {
  char folder[PATH_MAX - 16];
  char ptx[PATH_MAX], cubin[PATH_MAX], log[PATH_MAX];
  bool lines; /* that the text has (.loc) go into the machine code */
} work;

static bool begin_work(tsr_context *ctx, work *w) {
  const char *temp = secure_getenv("TMPDIR");
  snprintf(w->folder, sizeof w->folder, "%s/tessera-XXXXXX", temp && *temp ? temp : "/tmp");
  if (!mkdtemp(w->folder)) {
    diag_error(ctx, NOWHERE, "cannot make a folder for ptxas, '%s': %s", w->folder,
               strerror(errno));
    return false;
  }
  snprintf(w->ptx, sizeof w->ptx, "%s/k.ptx", w->folder);
  snprintf(w->cubin, sizeof w->cubin, "%s/k.cubin", w->folder);
  snprintf(w->log, sizeof w->log, "%s/log", w->folder);
  return true;
}

static void end_work(const work *w) {
  unlink(w->ptx);
  unlink(w->cubin);
  unlink(w->log);
  rmdir(w->folder);
}

/* Starts it and waits; both of its outputs go to the log. -1 when it could not be started. */
static int start_and_wait(const char *program, const work *w, const char *target) {
  char arch[32];
  snprintf(arch, sizeof arch, "-arch=%s", target);
  char *argv[] = {(char *)program, arch, "-v", "-o", (char *)w->cubin, (char *)w->ptx, NULL, NULL};
  if (w->lines) argv[ARRAY_LEN(argv) - 2] = "-lineinfo";
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  pid_t child;
  int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, w->log,
                                                O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
               posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) ||
               posix_spawn(&child, program, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool run_in(tsr_context *ctx, arena *a, const char *program, const work *w, str ptx,
                   const char *target, str *cubin, str *log) {
  str text = {"", 0};
  if (!file_write(ctx, w->ptx, ptx.data, ptx.len)) return false;
  int status = start_and_wait(program, w, target);
  if (status < 0) {
    diag_error(ctx, NOWHERE, "cannot run '%s': %s", program, strerror(errno));
    return false;
  }
  if (!file_read(ctx, a, w->log, MOST_OUTPUT, &text)) return false;
  if (status) {
    diag_error(ctx, NOWHERE, "ptxas does not accept the code for %s: " STR_FMT, target,
               STR_ARG(text));
    return false;
  }
  if (log) *log = text;
  return !cubin || file_read(ctx, a, w->cubin, MOST_OUTPUT, cubin);
}

bool ptxas_run(tsr_context *ctx, arena *a, str ptx, const char *target, str *cubin, str *log) {
  char program[PATH_MAX];
  work *w = arena_new(a, work);
  if (!ptxas_find(program, sizeof program)) {
    diag_error(ctx, NOWHERE,
               "machine code for GPUs needs NVIDIA's ptxas, which was not found ('%s'): install "
               "the CUDA toolkit, or name the program in TESSERA_PTXAS",
               program);
    return false;
  }
  if (!begin_work(ctx, w)) return false;
  w->lines = memmem(ptx.data, ptx.len, "\t.loc\t", strlen("\t.loc\t")) != NULL;
  TSR_GUARD(ctx, {
    end_work(w);
    ctx_unwind(ctx);
  });
  bool ok = run_in(ctx, a, program, w, ptx, target, cubin, log);
  TSR_UNGUARD(ctx);
  end_work(w);
  return ok;
}
