/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static bool read_fd(tsr_context *ctx, arena *a, int fd, const char *name, size_t max, str *out) {
  struct stat st;
  if (fstat(fd, &st) != 0) {
    diag_error(ctx, NOWHERE, "cannot read '%s': %s", name, strerror(errno));
    return false;
  }
  if (S_ISDIR(st.st_mode)) {
    diag_error(ctx, NOWHERE, "cannot read '%s': it is a directory", name);
    return false;
  }
  bool regular = S_ISREG(st.st_mode);
  if (regular && (uint64_t)st.st_size > max) {
    diag_error(ctx, NOWHERE, "'%s' is too large: %llu bytes, at most %zu are accepted", name,
               (unsigned long long)st.st_size, max);
    return false;
  }
  size_t cap = regular ? (size_t)st.st_size + 1 : 64 << 10, len = 0;
  char *data = arena_alloc(a, cap + 1, 16);
  for (;;) {
    if (len == cap) {
      if (cap > max) {
        diag_error(ctx, NOWHERE, "'%s' is too large: more than %zu bytes", name, max);
        return false;
      }
      char *grown = arena_alloc(a, 2 * cap + 1, 16);
      memcpy(grown, data, len);
      data = grown;
      cap *= 2;
    }
    ssize_t n = read(fd, data + len, cap - len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      diag_error(ctx, NOWHERE, "cannot read '%s': %s", name, strerror(errno));
      return false;
    }
    if (n == 0) break;
    len += (size_t)n;
  }
  data[len] = 0;
  *out = (str){data, len};
  return true;
}

bool file_read(tsr_context *ctx, arena *a, const char *path, size_t max_size, str *out) {
  if (strcmp(path, "-") == 0) return read_fd(ctx, a, STDIN_FILENO, "<stdin>", max_size, out);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    diag_error(ctx, NOWHERE, "cannot open '%s': %s", path, strerror(errno));
    return false;
  }
  bool ok = read_fd(ctx, a, fd, path, max_size, out);
  close(fd);
  return ok;
}

static bool write_all(int fd, const char *data, size_t len) {
  while (len) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

/* A new file beside `path`, created with the caller's umask. Its name goes to `temp`. */
static int open_temporary(const char *path, char *temp, size_t size) {
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    snprintf(temp, size, "%s.tmp%ld-%u", path, (long)getpid(), attempt);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

bool file_write(tsr_context *ctx, const char *path, const void *data, size_t len) {
  struct stat st;
  bool exists = stat(path, &st) == 0, regular = exists && S_ISREG(st.st_mode);
  /* A device or pipe (/dev/stdout, /dev/null) cannot be replaced by renaming. */
  bool special = exists && !regular && !S_ISDIR(st.st_mode);
  /* What a symbolic link points to is replaced, not the link. */
  char resolved[PATH_MAX];
  const char *target = regular && realpath(path, resolved) ? resolved : path;
  size_t temp_size = strlen(target) + 48;
  char *temp = ctx_alloc(ctx, temp_size);
  int fd = special ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(target, temp, temp_size);
  bool ok = fd >= 0 && write_all(fd, data, len);
  if (ok && regular) ok = fchmod(fd, st.st_mode & 07777) == 0; /* an old file's mode stays */
  int saved = errno;
  if (fd >= 0 && close(fd) != 0 && ok) {
    ok = false;
    saved = errno;
  }
  if (ok && !special && rename(temp, target) != 0) {
    ok = false;
    saved = errno;
  }
  if (!ok) {
    if (fd >= 0 && !special) unlink(temp);
    diag_error(ctx, NOWHERE, "cannot write '%s': %s", path, strerror(saved));
  }
  ctx_free(ctx, temp, temp_size);
  return ok;
}
