/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NumPy's file format (.npy, versions 1 to 3), in C order and little-endian only.
 *
 *   "\x93NUMPY" major minor  length of the header  {'descr': '<f4', 'fortran_order': False,
 *                                                   'shape': (3, 4), }  spaces '\n'  data
 *
 * Files are untrusted: every count is checked before it is used.
 */
#ifndef TSR_CLI_NPY_H
#define TSR_CLI_NPY_H

#include <tessera/elem.h>

#include "base/base.h"

enum { NPY_MAX_RANK = 64, NPY_MAX_HEADER = 1 << 16 };

typedef struct npy_header {
  char kind;     /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool, 'V' raw bytes */
  uint32_t item; /* bytes of one element */
  uint32_t rank; /* 0: a single element */
  int64_t shape[NPY_MAX_RANK];
  uint64_t count;  /* elements */
  uint64_t bytes;  /* of data */
  uint64_t offset; /* where the data begins */
} npy_header;

/* How many of a file's first bytes npy_parse needs; `first` holds `len` of them. 0: it is no .npy
 * file; may grow as more bytes are known. */
size_t npy_header_length(const void *first, size_t len);

/* Reads the header of a file of `file_size` bytes, of which the first npy_header_length are given.
 * Returns NULL, or what is wrong as a sentence about the file ("is truncated: ..."), in the
 * arena. */
const char *npy_parse(arena *a, const void *first, size_t len, uint64_t file_size, npy_header *out);

/* "'<f4'": the element type as NumPy writes it. */
const char *npy_descr(arena *a, char kind, unsigned item);

/* Do elements of this kind and size hold elements of type `elem`? 4-bit elements: two a byte. */
bool npy_fits(char kind, unsigned item, tsr_elem elem);
/* The kind and size that `elem` is written as. */
void npy_type_of(tsr_elem elem, char *kind, unsigned *item);
/* "'<i4' or '<u4'": all that npy_fits takes, for messages. */
const char *npy_fitting(arena *a, tsr_elem elem);

/* Writes a header of version 1 in front of `data_start`, which must have NPY_ROOM bytes before it;
 * only kind, item, rank and shape are used. Returns the header's length, a multiple of 64. */
enum { NPY_ROOM = 2048 };
size_t npy_put_header(char *data_start, const npy_header *h);

#endif
