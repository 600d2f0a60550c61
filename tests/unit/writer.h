/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests that put programs together: text is added to a buffer that must be large enough. All
 * functions are static: this header is the whole helper, to be included after cmocka.h.
 */
#ifndef TSR_TESTS_WRITER_H
#define TSR_TESTS_WRITER_H

#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
  char *text;
  size_t n, size;
} writer;

static void say(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  w->n += (size_t)vsnprintf(w->text + w->n, w->size - w->n, format, args);
  va_end(args);
  assert_true(w->n < w->size);
}

#endif
