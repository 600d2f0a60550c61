/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu_check: what `scripts/gpu-check` runs on a machine with a GPU. It needs the C library and
 * NVIDIA's driver or AMD's HIP, nothing else: kernels come compiled in a bundle, with their inputs
 * and what the interpreter expects of them.
 *
 *   gpu_check.c   options, the bundle's manifest, the report
 *   apart.c       work in a process of its own
 *   driver.c      the driver or HIP, and cuBLAS, by dlopen
 *   cases.c       a case: memory, parameters, launch
 *   compare.c     results against expected ones
 *   measure.c     times, beside cuBLAS and the copy bandwidth
 *   verify.c      results of benchmarks against sums in double, of samples
 *
 * The manifest is lines of words; the packer, scripts/gpu-check, writes it:
 *
 * - amd PROCESSOR…: it is for AMD's cards, these; before all others, which are NVIDIA's without it
 * - about WORD TEXT…: commit, date, target, for the report
 * - check NAME, bench NAME: begins a case
 * - code FILE SYMBOL: machine code or PTX, in order of preference
 * - code FILE SYMBOL PROCESSOR THREADS: a code object for this processor of AMD's, and the threads
 *   of a workgroup
 * - launch GX GY GZ BX BY BZ SHARED COOPERATIVE
 * - walk COUNT CX CY CZ: the kernel is persistent, so many blocks for each multiprocessor
 * - file PATH, zeros ELEM COUNT, random ELEM COUNT SCALE: a parameter, the address of such memory
 * - hide: it is not passed, it is a tensor map's
 * - value BYTES HEX: a parameter, a number
 * - map BUFFER TYPE RANK dims… strides… box… SWIZZLE: a parameter, a tensor map of parameter BUFFER
 * - expect BUFFER PATH ELEM RTOL ATOL: compare this parameter's memory
 * - work AMOUNT flop|byte: of one launch
 * - verify KIND NUMBER…: see verify.c
 * - cublas TYPE M N K A B: measure beside cuBLAS, C = A * B
 * - run: ends a case
 *
 * Buffers are named by the number of the parameter. Files are NumPy's.
 */
#ifndef TSR_BENCH_GPU_CHECK_H
#define TSR_BENCH_GPU_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/cuda_driver.h"
#include "rt/hip_library.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_PARAMS = 24, MAX_EXPECT = 16, MAX_NUMBERS = 12, MAX_CODE = 6, WORD = 256 };

/* ---- driver.c ------------------------------------------------------------------------------- */

/* The library, and its entries that only this program needs. All work lies on one stream, fills and
 * copies too: it is non-blocking, so what lay on the default stream could be overtaken. */
typedef struct gpu {
  const card_calls *d;
  const char *library;     /* "CUDA", "HIP" */
  const cuda_driver *cuda; /* NULL: an AMD card */
  const hip_library *hip;  /* NULL: an NVIDIA card */
  cu_device device;
  cu_object context, stream, begin, end;
  char name[128], arch[32]; /* AMD's: "gfx942" */
  int major, minor, multiprocessors, version;
  cu_result (*copy_on)(cu_address, cu_address, size_t, cu_object);
  cu_result (*launch_cooperative)(cu_object, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, cu_object, void **);
  cu_result (*encode_tiled)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
                            const unsigned *, const unsigned *, int, int, int, int);
  cu_address flush; /* memory larger than the L2 cache */
  size_t flush_bytes;
  void *cublas, *cublas_lt; /* handles; NULL: not there */
  cu_address workspace;
} gpu;

/* Prints why and returns false. */
bool gpu_open(gpu *g, bool amd, bool quick);
void gpu_close(gpu *g); /* also after a gpu_open that failed */
/* Prints "what: CUDA_ERROR_… (…)" and returns false, unless r is CU_OK. */
bool gpu_ok(const gpu *g, cu_result r, const char *what);
/* Calls cuBLAS for row-major C (f32, or bf16 for fp8) = A (M x K) * B (K x N). `type` is f16, bf16,
 * tf32 or fp8. False when it is not there or refuses. */
bool cublas_multiply(gpu *g, const char *type, int m, int n, int k, cu_address a, cu_address b,
                     cu_address c);

/* ---- apart.c -------------------------------------------------------------------------------- */

/* Calls `work` in a process of its own, whose result of `size` bytes it writes to the file `to`.
 * False with the reason in `why`, and the result as it was, when none has come after `limit`
 * seconds or the process ended without one. */
bool run_apart(void (*work)(void *user, int to), void *user, unsigned limit, void *result,
               size_t size, char *why, size_t why_size);

/* ---- elements ------------------------------------------------------------------------------- */

/* Bytes of an element by its name in Tile IR; 0: there is no such. */
unsigned elem_bytes(const char *elem);
double elem_value(const char *elem, const void *data, size_t index);
/* Fills memory with numbers of a normal distribution times `scale` (integers: with any bits). */
void elem_random(const char *elem, void *data, size_t count, double scale, uint64_t seed);

/* ---- cases ---------------------------------------------------------------------------------- */

typedef enum param_kind {
  PARAM_FILE,
  PARAM_ZEROS,
  PARAM_RANDOM,
  PARAM_VALUE,
  PARAM_MAP
} param_kind;

typedef struct param {
  param_kind kind;
  char path[WORD], elem[16];
  size_t bytes; /* of the memory, or of the parameter */
  double scale;
  bool hidden;
  uint8_t value[128]; /* as it is passed: a number, an address, a map */
  long long map[16];
  unsigned n_map;
  cu_address address;
  void *host; /* what the memory holds before a launch */
} param;

typedef struct expectation {
  unsigned param;
  char path[WORD], elem[16];
  double rtol, atol;
} expectation;

typedef struct test_case {
  char name[WORD];
  bool bench;
  char code[MAX_CODE][WORD], symbol[MAX_CODE][WORD], processor[MAX_CODE][32];
  unsigned threads[MAX_CODE]; /* AMD's */
  unsigned n_code;
  unsigned launch[8]; /* grid, block, shared, cooperative */
  unsigned walk[4];   /* of a persistent kernel: blocks for each multiprocessor; a cluster's */
  param params[MAX_PARAMS];
  unsigned n_params;
  expectation expect[MAX_EXPECT];
  unsigned n_expect;
  double work;
  bool work_is_bytes;
  char verify[32];
  double numbers[MAX_NUMBERS];
  unsigned n_numbers;
  char cublas[16];
  int shape[5]; /* M N K, parameters A B; C is made */
  cu_object module, function;
} test_case;

/* Loads code and memory. Prints and returns false. */
bool case_open(gpu *g, const char *bundle, test_case *c);
void case_close(gpu *g, test_case *c);
bool case_launch(gpu *g, const test_case *c); /* does not wait */
/* What AMD's library knows of the kernel: "64 VGPRs, 0 B of LDS, …"; empty: it does not say. */
void case_describe(const gpu *g, const test_case *c, char *out, size_t size);
/* The memory of a parameter, the caller's to free; NULL after a message. */
void *case_read(gpu *g, const test_case *c, unsigned param);
/* The contents of a NumPy file after its header, the caller's to free. */
void *read_npy(const char *bundle, const char *path, size_t *bytes);

/* compare.c: how many elements differ; the worst goes to `what`. */
size_t compare_arrays(const char *elem, const void *got, const void *expected, size_t count,
                      double rtol, double atol, char *what, size_t size);

/* verify.c: whether a launch's results are right, in a sentence in `what`. */
bool verify(gpu *g, const test_case *c, char *what, size_t size);

/* measure.c: median microseconds of a launch, the cache being cold. */
typedef struct timing {
  double us, cublas_us; /* 0: not measured */
} timing;
bool measure(gpu *g, const test_case *c, bool quick, timing *out);
double measure_copy(gpu *g, bool quick); /* bytes a second, read and written */

#endif
