/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of the text module share: a context that keeps its messages, reading, printing.
 */
#ifndef TEXT_TEST_H
#define TEXT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <tessera/module.h>

#include "text/text.h"

enum { MAX_MESSAGES = 64 };

typedef struct message {
  tsr_severity severity;
  uint32_t line, column, length;
  char text[256];
} message;

typedef struct messages {
  message v[MAX_MESSAGES];
  unsigned n; /* all of them, also those that did not fit */
} messages;

static messages said;

static inline void keep_message(void *user, const tsr_diagnostic *d) {
  (void)user;
  if (said.n < MAX_MESSAGES) {
    message *m = &said.v[said.n];
    *m = (message){d->severity, d->line, d->column, d->length, ""};
    snprintf(m->text, sizeof m->text, "%s", d->message);
  }
  said.n++;
}

static inline tsr_context *make_context(uint32_t error_limit) {
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = keep_message, .error_limit = error_limit};
  return tsr_context_create(&o);
}

static inline unsigned count_errors(void) {
  unsigned n = 0;
  for (unsigned i = 0; i < said.n && i < MAX_MESSAGES; i++) n += said.v[i].severity == TSR_ERROR;
  return n;
}

static inline void show_messages(const char *text) {
  for (unsigned i = 0; i < said.n && i < MAX_MESSAGES; i++)
    print_message("%u:%u: %s\n", said.v[i].line, said.v[i].column, said.v[i].text);
  print_message("in:\n%s\n", text);
}

static inline tsr_module *read_text(tsr_context *ctx, const char *text, unsigned flags) {
  said.n = 0;
  return tsr_module_parse(ctx, text, strlen(text), "t.mlir", flags | TSR_PARSE_NO_VERIFY);
}

/* The text that the module prints as; checks that reading that prints the same again. The caller
 * frees it with free(). NULL when `text` is wrong. */
static inline char *reprint(tsr_context *ctx, const char *text, unsigned flags) {
  tsr_module *m = read_text(ctx, text, flags);
  if (!m) return NULL;
  size_t len, len2;
  char *once = tsr_module_print(m, &len);
  assert_non_null(once);
  assert_int_equal(strlen(once), len);
  tsr_module_destroy(m);
  tsr_module *again = read_text(ctx, once, flags);
  if (!again) {
    show_messages(once);
    fail_msg("what was printed cannot be read");
  }
  char *twice = tsr_module_print(again, &len2);
  assert_string_equal(once, twice);
  tsr_module_destroy(again);
  char *copy = strdup(once);
  tsr_string_free(ctx, once);
  tsr_string_free(ctx, twice);
  return copy;
}

/* `body` inside a kernel with these arguments. */
static inline char *in_kernel(const char *arguments, const char *body) {
  size_t size = strlen(arguments) + strlen(body) + 128;
  char *text = malloc(size);
  snprintf(text, size, "cuda_tile.module @m {\n  entry @k(%s) {\n    %s\n  }\n}\n", arguments,
           body);
  return text;
}

#endif
