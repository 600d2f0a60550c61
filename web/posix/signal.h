/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A page gets no signals: handlers can't be set. */
#ifndef TESSERA_WEB_SIGNAL_H
#define TESSERA_WEB_SIGNAL_H

#include_next <signal.h>
#include <pthread.h>
#include <stddef.h>

typedef unsigned sigset_t;

typedef struct {
  void *si_addr;
  int si_code;
} siginfo_t;

struct sigaction {
  void (*sa_handler)(int);
  void (*sa_sigaction)(int, siginfo_t *, void *);
  sigset_t sa_mask;
  int sa_flags;
};

#define SA_SIGINFO  4
#define SA_ONSTACK  8
#define SA_NODEFER  16
#define SIG_SETMASK 2
#define SIG_BLOCK   0

static inline int sigaction(int number, const struct sigaction *set, struct sigaction *old) {
  (void)number, (void)set, (void)old;
  return -1;
}
static inline int sigemptyset(sigset_t *set) {
  *set = 0;
  return 0;
}
static inline int sigfillset(sigset_t *set) {
  *set = 0;
  return 0;
}
static inline int sigdelset(sigset_t *set, int number) {
  (void)set, (void)number;
  return 0;
}
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  (void)how, (void)set, (void)old;
  return 0;
}

#endif
