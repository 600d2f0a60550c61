/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TESSERA_WEB_RANDOM_H
#define TESSERA_WEB_RANDOM_H

#include <unistd.h>

#define GRND_NONBLOCK 1

static inline ssize_t getrandom(void *to, size_t size, unsigned flags) {
  (void)flags;
  return getentropy(to, size) == 0 ? (ssize_t)size : -1;
}

#endif
