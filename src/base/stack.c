/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/stack.h"

#include <pthread.h>
#include <stdint.h>

/* The stack that the system gave a thread; from `first` on, up to `end`. */
typedef struct extent {
  bool known;
  uintptr_t first, end;
} extent;

static extent ask_system(void) {
  extent e = {.known = true};
  pthread_attr_t attributes;
  void *first;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return e;
  if (pthread_attr_getstack(&attributes, &first, &size) == 0) {
    e.first = (uintptr_t)first;
    e.end = e.first + size;
  }
  pthread_attr_destroy(&attributes);
  return e;
}

bool stack_has(size_t bytes) {
  static _Thread_local extent own;
  if (!own.known) own = ask_system();
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (here < own.first || here >= own.end) return true;
  return here - own.first > bytes;
}
