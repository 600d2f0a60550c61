/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random numbers as glibc 2.36 and later give them. LLVM's archives and those of the C++ library
 * ask for them, and a plugin that they are linked into has its own, so that it can be loaded on
 * systems with an older glibc. LLVM names temporary files by them.
 */
#ifdef TSR_LLVM_STATIC
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t number = 0;
  for (size_t got = 0; got < sizeof number;) {
    ssize_t n = getrandom((char *)&number + got, sizeof number - got, 0);
    if (n > 0) got += (size_t)n;
  }
  return number;
}
#else
typedef int tsr_arc4random_of_the_c_library;
#endif
