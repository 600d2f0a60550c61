/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/crash.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static _Thread_local const char *running_kernel;
static _Thread_local const rt_block *running_block;

void crash_running(const char *kernel, const rt_block *block) {
  running_kernel = kernel;
  running_block = block;
}

/* Says what it was and lets the process end as it would have: behind this the access is made again,
 * and the default action taken. */
static void say(int number, siginfo_t *info, void *context) {
  (void)context;
  const rt_block *b = running_block;
  signal(number, SIG_DFL);
  if (!b) return;
  char text[512];
  int n = snprintf(
      text, sizeof text,
      "tessera: error: '%.200s', tile block (%d, %d, %d): no memory can be accessed at "
      "address 0x%llx, and the process ends; with --sanitize ('tessera run', "
      "'tessera exec') the operation is named\n",
      running_kernel, b->id[0], b->id[1], b->id[2], (unsigned long long)(uintptr_t)info->si_addr);
  for (char *p = text; n > 1 && p < text + MIN((size_t)n, sizeof text) - 1; p++)
    if ((unsigned char)*p < ' ') *p = '?';
  ssize_t written = write(STDERR_FILENO, text, MIN((size_t)MAX(n, 0), sizeof text - 1));
  (void)written;
}

void tsr_tell_crashes(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS};
  struct sigaction old, ours = {.sa_sigaction = say, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
    if (sigaction(numbers[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL)
      sigaction(numbers[i], &ours, NULL);
}
