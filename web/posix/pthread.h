/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads for a machine that has one: none can be started, and all works on the thread of the
 * caller, as it does where the system has no more threads to give. */
#ifndef TESSERA_WEB_PTHREAD_H
#define TESSERA_WEB_PTHREAD_H

#include <errno.h>
#include <stddef.h>
#include <time.h>

typedef int pthread_t, pthread_mutex_t, pthread_mutexattr_t, pthread_cond_t, pthread_condattr_t,
    pthread_attr_t, pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER  0
#define PTHREAD_ONCE_INIT         0
#define PTHREAD_MUTEX_RECURSIVE   1
#define PTHREAD_CREATE_DETACHED   1

#define TESSERA_WEB_NOTHING(name, ...)                                                             \
  static inline int name(__VA_ARGS__) {                                                            \
    return 0;                                                                                      \
  }
TESSERA_WEB_NOTHING(pthread_mutex_init, pthread_mutex_t *m, const pthread_mutexattr_t *a)
TESSERA_WEB_NOTHING(pthread_mutex_destroy, pthread_mutex_t *m)
TESSERA_WEB_NOTHING(pthread_mutex_lock, pthread_mutex_t *m)
TESSERA_WEB_NOTHING(pthread_mutex_unlock, pthread_mutex_t *m)
TESSERA_WEB_NOTHING(pthread_mutexattr_init, pthread_mutexattr_t *a)
TESSERA_WEB_NOTHING(pthread_mutexattr_settype, pthread_mutexattr_t *a, int type)
TESSERA_WEB_NOTHING(pthread_mutexattr_destroy, pthread_mutexattr_t *a)
TESSERA_WEB_NOTHING(pthread_cond_init, pthread_cond_t *c, const pthread_condattr_t *a)
TESSERA_WEB_NOTHING(pthread_cond_destroy, pthread_cond_t *c)
TESSERA_WEB_NOTHING(pthread_cond_signal, pthread_cond_t *c)
TESSERA_WEB_NOTHING(pthread_cond_broadcast, pthread_cond_t *c)
TESSERA_WEB_NOTHING(pthread_condattr_init, pthread_condattr_t *a)
TESSERA_WEB_NOTHING(pthread_condattr_setclock, pthread_condattr_t *a, clockid_t clock)
TESSERA_WEB_NOTHING(pthread_condattr_destroy, pthread_condattr_t *a)
TESSERA_WEB_NOTHING(pthread_attr_init, pthread_attr_t *a)
TESSERA_WEB_NOTHING(pthread_attr_destroy, pthread_attr_t *a)
TESSERA_WEB_NOTHING(pthread_attr_setdetachstate, pthread_attr_t *a, int state)
TESSERA_WEB_NOTHING(pthread_join, pthread_t thread, void **result)
TESSERA_WEB_NOTHING(pthread_self, void)

/* Nobody else could signal: a wait would not end. */
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  (void)c, (void)m;
  __builtin_trap();
}

static inline int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                         const struct timespec *until) {
  (void)c, (void)m, (void)until;
  return ETIMEDOUT;
}

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *a, void *(*start)(void *),
                                 void *argument) {
  (void)thread, (void)a, (void)start, (void)argument;
  return EAGAIN;
}

static inline int pthread_once(pthread_once_t *once, void (*start)(void)) {
  if (!*once) start();
  *once = 1;
  return 0;
}

/* The linker says where the stack lies. */
extern unsigned char __stack_low, __stack_high;

static inline int pthread_getattr_np(pthread_t thread, pthread_attr_t *a) {
  (void)thread, (void)a;
  return 0;
}

static inline int pthread_attr_getstack(const pthread_attr_t *a, void **first, size_t *size) {
  (void)a;
  *first = &__stack_low;
  *size = (size_t)(&__stack_high - &__stack_low);
  return 0;
}

#endif
