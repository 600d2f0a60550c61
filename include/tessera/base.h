/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Contexts, diagnostics, status codes: what every other header stands on.
 *
 * Errors. The library never exits, aborts or prints (but see tsr_allocator). A function that can
 * fail returns NULL, false or a tsr_status other than TSR_OK, and has told the context's diagnostic
 * callback why before it returns. NULL in place of an object, or of anything else that is not said
 * to be optional, is such an error (TSR_ERROR_USAGE); where that leaves no context, there is nobody
 * to tell.
 *
 * Ownership. What a tsr_X_create or tsr_X_parse function returns is the caller's to give back with
 * tsr_X_destroy; everything else (strings, types, operations) belongs to the object it was asked
 * from and lives as long as that.
 *
 * Threads. Contexts are independent: two threads may use two contexts at the same time. One
 * context, and everything made from it, is used by one thread at a time, except that a finished
 * kernel may be launched from several threads.
 */
#ifndef TESSERA_BASE_H
#define TESSERA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TSR_API
#else
#define TSR_API __attribute__((visibility("default")))
#endif

#define TSR_VERSION_MAJOR 0
#define TSR_VERSION_MINOR 2
#define TSR_VERSION_PATCH 0

typedef enum tsr_status {
  TSR_OK = 0,
  TSR_ERROR_INPUT,       /* the program or file handed in is wrong */
  TSR_ERROR_USAGE,       /* the call is wrong: a bad argument, an object of the wrong kind */
  TSR_ERROR_IO,          /* a file cannot be read or written */
  TSR_ERROR_MEMORY,      /* out of memory */
  TSR_ERROR_UNSUPPORTED, /* valid, but this build, target or machine cannot do it */
  TSR_ERROR_TRAP,        /* a kernel stopped itself: a failed assert, a sanitizer report */
} tsr_status;

/* "ok", "wrong input", ... a static string. */
TSR_API const char *tsr_status_name(tsr_status status);

/* "0.2.0" of the library that is loaded, which may differ from the macros above. */
TSR_API const char *tsr_version(void);

typedef enum tsr_severity { TSR_ERROR, TSR_WARNING, TSR_NOTE, TSR_REMARK } tsr_severity;

/* One message. All pointers are valid only during the callback. */
typedef struct tsr_diagnostic {
  tsr_severity severity;
  const char *message;     /* one line, no trailing newline */
  const char *file;        /* NULL when the message has no place */
  uint32_t line, column;   /* 1-based; the column counts bytes; 0 when unknown */
  const char *source_line; /* the text of that line without its newline, its first 4 KB if it is
                              longer; NULL when unknown, or when the column lies after that */
  uint32_t length;         /* how many bytes from `column` the message is about; at least 1 */
} tsr_diagnostic;

typedef void (*tsr_diagnostic_fn)(void *user, const tsr_diagnostic *diagnostic);

/* Formats one diagnostic as compilers do:
 *
 *   file:3:14: error: expected ',' after the first operand
 *     %2 = addi %0 %1 : tile<i32>
 *                  ^~
 *
 * into `out` (always terminated when `size` > 0) and returns the length it needs, like snprintf.
 * Of a very long line the part around the column is shown; control characters are shown as '?'.
 * `color` adds ANSI colours. */
TSR_API size_t tsr_diagnostic_format(const tsr_diagnostic *diagnostic, bool color, char *out,
                                     size_t size);

/* For tsr_context_options.on_diagnostic: writes messages to the FILE that is `user`, or to standard
 * error when it is NULL; in colour on a terminal, unless NO_COLOR is set. NULL for the message is
 * none. */
TSR_API void tsr_diagnostic_print(void *user, const tsr_diagnostic *diagnostic);

/* All memory of a context comes from here. `allocate` returns NULL when there is none, else
 * memory aligned to 16 bytes; `release` gets the size that was asked for.
 *
 * The exception is LLVM, which takes its memory by C++'s operator new and ends the process where
 * that fails. Compiling (tsr_kernel_create and its like on devices other than "interp", the
 * tsr_module_emit functions) is the only thing that calls it; a program that must survive even that
 * compiles in another process (`tessera build --emit kernels`). */
typedef struct tsr_allocator {
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *memory, size_t size);
  void *user;
} tsr_allocator;

typedef struct tsr_context_options {
  size_t struct_size;              /* sizeof(tsr_context_options), so that fields can be added */
  tsr_diagnostic_fn on_diagnostic; /* tsr_diagnostic_print is one; NULL: messages are dropped */
  void *diagnostic_user;
  const tsr_allocator *allocator; /* NULL: malloc and free */
  uint32_t error_limit;           /* stop reading a module after this many errors; 0: 20 */
  /* The file libtessera-llvm.so, where it is not beside the library: for programs that are linked
   * statically. The variable TESSERA_LLVM_PLUGIN goes before. A process has one compiler: that of
   * the first kernel that is compiled. NULL: beside the library or program, where Tessera was
   * installed, and where the dynamic loader looks. */
  const char *compiler;
} tsr_context_options;

/* Structures that begin with their size may be those of an older header, which lack the last
 * fields, or of a newer one, of which the library takes what it knows. A size below that of the
 * structure's first version is an error. */

typedef struct tsr_context tsr_context;

/* `options` may be NULL. Returns NULL only when there is no memory. */
TSR_API tsr_context *tsr_context_create(const tsr_context_options *options);

/* Everything made from the context must have been destroyed before. NULL is allowed. */
TSR_API void tsr_context_destroy(tsr_context *context);

#ifdef __cplusplus
}
#endif
#endif
