/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ptx_case: PTX files that carry their own test: lines of comment that begin with "//:" say how to
 * launch an entry, what its parameters hold before, and what they must hold after. Whatever can
 * launch PTX can run them, an emulator or a card.
 *
 *   //: run ENTRY grid N block N [shared BYTES] [cluster N]     a launch; others may follow
 *   //: in TYPE VALUE ...       the next parameter: a pointer to a buffer with these elements
 *   //: out TYPE VALUE ...      the next parameter: a pointer to a buffer of zeros, which holds
 *                               these elements after the launch
 *   //: more TYPE VALUE ...     elements after those of the line before, of the same buffer
 *   //: scalar TYPE VALUE       the next parameter: a number
 *   //:   VALUE ...             continues the line before
 *
 *   //: map N TYPE dims D,D box B,B     the next parameter: a tensor map (128 bytes) of the buffer
 *                               of parameter N; dimension 0 is the contiguous one, the tensor lies
 *                               dense. For im2col, instead of box: channels C pixels P
 *
 * TYPE is a type of PTX; with /64 after it each element takes a word of 64 bits. ~R or +A after
 * the type says that a float may differ by R times its size, plus A. VALUE is a number as C writes
 * it, or the bits of a float (0x...); V*N means N times V, and ? any value. NaNs count as equal.
 */
#ifndef TESSERA_TESTS_PTX_CASE_H
#define TESSERA_TESTS_PTX_CASE_H

#include "emu/ptx/image.h"
#include "emu/ptx/tensormap.h"

enum { CASE_PARAMS = 8, CASE_BYTES = 1 << 16, CASE_RUNS = 32 };

typedef struct case_elements {
  char type[12];
  bool words; /* /64 */
  double relative, absolute;
  uint32_t at, count, element_bytes; /* in the parameter's bytes */
} case_elements;

typedef struct case_param {
  bool is_scalar, is_output, is_map;
  tensormap map;   /* but for the address, which is that of */
  unsigned map_of; /* this parameter */
  uint8_t *bytes;  /* CASE_BYTES of room */
  bool *any;       /* by byte: holds any value */
  uint32_t n_bytes;
  case_elements parts[64];
  unsigned n_parts;
} case_param;

typedef struct case_run {
  char entry[64];
  uint32_t grid, block, shared, cluster;
  case_param params[CASE_PARAMS];
  unsigned n_params;
} case_run;

typedef struct ptx_case {
  case_run runs[CASE_RUNS];
  unsigned n;
  char problem[160]; /* what is wrong with the lines; "" when nothing is */
} ptx_case;

/* Reads the lines of a file's text. For case_free in any case. */
void case_read(ptx_case *out, const char *text);
void case_free(ptx_case *c);

/* Launches a run on the emulator and compares. Writes what is wrong to `problem`, "" when all is
 * well. `watcher` may be NULL. */
void case_launch(const ptx_image *image, const case_run *run, emu_schedule schedule,
                 const emu_watcher *watcher, char *problem, size_t size);

/* Whether a value agrees with what was expected of that type. */
bool case_agrees(const char *type, uint64_t found, uint64_t expected, double relative,
                 double absolute);

#endif
