/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules: Tile IR programs in memory, read from text or bytecode, checked, printed, written.
 *
 * (Building a module operation by operation is in tessera/build.h.)
 */
#ifndef TESSERA_MODULE_H
#define TESSERA_MODULE_H

#include <tessera/base.h>
#include <tessera/elem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ir_module tsr_module;

typedef enum tsr_parse_flags {
  TSR_PARSE_DEFAULT = 0,
  TSR_PARSE_KEEP_COMMENTS = 1, /* so that printing gives them back */
  TSR_PARSE_NO_VERIFY = 2,     /* syntax, names and types only */
  /* For tests of the language. Admits `testing$func` and the other operations of the reference
   * suite's test dialect, operations of unknown dialects in the generic form, and operations
   * outside any module. A module that holds such things can be checked and printed, not run. */
  TSR_PARSE_TESTING_OPS = 4,
  /* Optimization hints that make no sense are errors, or nothing is said about them; without either
   * they are ignored with a warning. */
  TSR_PARSE_HINTS_ERROR = 8,
  TSR_PARSE_HINTS_IGNORE = 16,
  /* Admits element types that Tile IR doesn't have (tsr_elem_is_extension); programs of the block
   * level have them in any case. A module that uses them can't be written as bytecode. */
  TSR_PARSE_EXTENSIONS = 32
} tsr_parse_flags;

/* Among the flags: holds the program to version 13.`minor` of the language (1 to 4). What came
 * later is an error, and rules that later versions relaxed are applied. Without it the newest
 * version counts. */
#define TSR_PARSE_LANGUAGE(minor) ((unsigned)(minor) << 8)

/* Reads a module from text and checks it. `name` is what messages call it ("<memory>" when NULL).
 * The text is copied. Returns NULL when it is not a valid module; every error (up to the context's
 * limit) has then been reported. */
TSR_API tsr_module *tsr_module_parse(tsr_context *context, const char *text, size_t length,
                                     const char *name, unsigned flags);

/* The same from a file of text, bytecode or Triton's representation (see below); "-" reads standard
 * input, and "tessera:NAME" a program that comes with Tessera: "tessera:softmax" is
 * kernels/softmax.mlir, "tessera:examples/saxpy" is examples/saxpy.mlir. */
TSR_API tsr_module *tsr_module_load(tsr_context *context, const char *path, unsigned flags);

TSR_API void tsr_module_destroy(tsr_module *module);

/* Checks every rule of the language; reports each violation. Parsing has done it already unless it
 * was told not to; a module that was built needs it before it can be run. Fills in the layouts that
 * kernels of the block level leave out (docs/block-level.md). */
TSR_API tsr_status tsr_module_verify(tsr_module *module);

/* The module as text in the custom form. The string ends with a zero byte (not counted in
 * `length`, which may be NULL) and belongs to the caller: give it back with tsr_string_free. */
TSR_API char *tsr_module_print(tsr_module *module, size_t *length);
TSR_API void tsr_string_free(tsr_context *context, char *string);

/* ---- bytecode ------------------------------------------------------------------------------- */

/* Versions of Tile IR's binary form. */
#define TSR_BYTECODE_VERSION(major, minor) ((unsigned)(major) << 8 | (unsigned)(minor))
#define TSR_BYTECODE_NEWEST                TSR_BYTECODE_VERSION(13, 4) /* of those released */

/* Whether these bytes begin as bytecode does. */
TSR_API bool tsr_is_bytecode(const void *data, size_t length);

/* Reads a module from bytecode of any version from 13.1 to 13.5 and checks it. `name` is what
 * messages call it ("<memory>" when NULL), which say at which byte they are. `flags` as for
 * tsr_module_parse; there are no comments. The bytes are copied. The file may be anything: reading
 * it takes memory of at most a few hundred times its size. Returns NULL after an error. */
TSR_API tsr_module *tsr_module_read_bytecode(tsr_context *context, const void *data, size_t length,
                                             const char *name, unsigned flags);

/* The module as bytecode of a version made with TSR_BYTECODE_VERSION; 0 stands for the newest. The
 * module is checked first, unless it was already. What the version cannot express is an error at
 * the operation, which names the version that can. Names of values and of the module, comments, and
 * places in the text are not part of bytecode; debug information is. The bytes belong to the
 * caller: give them back with tsr_string_free. Returns NULL after an error. */
TSR_API char *tsr_module_write_bytecode(tsr_module *module, unsigned version, size_t *length);

/* ---- Triton ---------------------------------------------------------------------------------- */

/* Whether a text is a module of Triton's intermediate representation, TTIR. */
TSR_API bool tsr_is_ttir(const char *text, size_t length);

/* Makes a module of Tile IR from the TTIR that Triton's front end makes of a kernel, as text in the
 * custom or the generic form, and checks it. Places are those of the Python file. `name` is what
 * messages call the text ("<memory>" when NULL). `flags` as for tsr_module_parse. The text is
 * copied. Returns NULL after an error, also for what Tile IR cannot say; docs/triton.md lists it.
 */
TSR_API tsr_module *tsr_module_read_ttir(tsr_context *context, const char *text, size_t length,
                                         const char *name, unsigned flags);

/* ---- kernels -------------------------------------------------------------------------------- */

/* Kernels of the module, in the order of the text. */
TSR_API size_t tsr_module_kernel_count(const tsr_module *module);
TSR_API const char *tsr_module_kernel_name(const tsr_module *module, size_t index);

/* What a kernel parameter takes: an element type by value, or the address of elements. */
typedef struct tsr_parameter {
  const char *name; /* as in the text without '%'; NULL when it has none */
  bool is_pointer;
  tsr_elem elem; /* the scalar's type, or the pointee */
} tsr_parameter;

/* Returns the number of parameters of a kernel and fills up to `capacity` of them; -1 when there
 * is no such kernel. */
TSR_API int tsr_module_kernel_parameters(const tsr_module *module, const char *kernel,
                                         tsr_parameter *out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
