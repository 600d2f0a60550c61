/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Work in a process of its own. A context of CUDA is lost after a fault, and a kernel that hangs
 * can only be ended with its process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu_check.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How many bytes came before the file ended or the time was over, which `*late` says. */
static size_t receive(int from, void *to, size_t size, double until, bool *late) {
  size_t n = 0;
  while (n < size) {
    double left = until - seconds_now();
    struct pollfd wait = {.fd = from, .events = POLLIN};
    int ready = left > 0 ? poll(&wait, 1, (int)(left * 1000) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    *late = ready == 0;
    ssize_t got = ready > 0 ? read(from, (char *)to + n, size - n) : 0;
    if (got <= 0) break;
    n += (size_t)got;
  }
  return n;
}

static void explain(bool late, unsigned limit, int status, char *why, size_t size) {
  if (late)
    snprintf(why, size, "no result after %u seconds", limit);
  else if (WIFSIGNALED(status))
    snprintf(why, size, "its process was ended by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else
    snprintf(why, size, "its process ended without a result, with status %d", WEXITSTATUS(status));
}

bool run_apart(void (*work)(void *user, int to), void *user, unsigned limit, void *result,
               size_t size, char *why, size_t why_size) {
  int ends[2], status = 0;
  bool late = false;
  char got[4096];
  snprintf(why, why_size, "a process cannot be made");
  if (size > sizeof got || pipe(ends)) return false;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(user, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  size_t n = child > 0 ? receive(ends[0], got, size, seconds_now() + limit, &late) : 0;
  close(ends[0]);
  if (child < 0) return false;
  if (late) kill(child, SIGKILL);
  waitpid(child, &status, 0);
  if (n == size) memcpy(result, got, size);
  if (n < size) explain(late, limit, status, why, why_size);
  return n == size;
}
