/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arrays: the memory behind a buffer argument, with the type and shape it is shown and saved with.
 */
#ifndef TSR_CLI_ARRAY_H
#define TSR_CLI_ARRAY_H

#include <stdio.h>

#include "cli/npy.h"

typedef struct array {
  tsr_elem elem;
  uint32_t rank;
  int64_t shape[NPY_MAX_RANK]; /* in elements */
  uint64_t count;              /* elements */
  npy_header npy;              /* as it lies in a .npy file; elements of 2 to 7 bits: bytes,
                                  of which the last dimension has fewer */
  char *data;                  /* npy.bytes of them, 64-byte aligned; NULL until allocated */
  void *mapping;
  size_t mapped;
} array;

typedef enum array_init {
  INIT_ZEROS,
  INIT_ONES,
  INIT_ARANGE,
  INIT_UNIFORM,
  INIT_NORMAL,
  INIT_COUNT
} array_init;

extern const char *const array_init_names[INIT_COUNT + 1]; /* ends with NULL */

/* Describes an array of a shape; false when it has more bytes than can be counted. */
bool array_describe(array *a, tsr_elem elem, uint32_t rank, const int64_t *shape);
/* Describes the array in a file, whose header must fit the element type (npy_fits). */
void array_describe_file(array *a, tsr_elem elem, const npy_header *h);

/* Memory for it, zeroed. False when there is none. */
bool array_allocate(array *a);
void array_free(array *a);

/* Random numbers follow from `seed` and `stream`: an argument's numbers don't depend on what the
 * other arguments are. */
void array_fill(array *a, array_init init, uint64_t seed, uint64_t stream);

/* Reads the data from a file after its header. False: the file ended early, or errno says why. */
bool array_read(array *a, int fd);
bool array_save(tsr_context *ctx, array *a, const char *path);

/* "f32 1024x1024". */
const char *array_type_text(arena *scratch, const array *a);
/* Shows the elements the way NumPy's print does: aligned, with "..." for the middle of more than a
 * thousand. */
void array_show(const array *a, FILE *out);
/* All of them, however many there are. */
void array_show_all(const array *a, FILE *out);

#endif
