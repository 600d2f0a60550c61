/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tests of the runtime library share: programs as nvcc makes them, with their registration of a
 * fat binary written out. They see cudart_abi.h as a program sees NVIDIA's header.
 */
#ifndef TSR_TESTS_RUNTIME_TEST_H
#define TSR_TESTS_RUNTIME_TEST_H

#include <stdio.h>
#include <unistd.h>

#include "compat/runtime/cudart_abi.h"
#include "driver_test.h"
#include "scale.h"

#define RT(call)             assert_int_equal((call), cudaSuccess)
#define RT_FAILS(err, call)  assert_int_equal((call), (err))
#define ARGS(...)            ((void *[]){__VA_ARGS__})

/* The kernel scale, one that counts in a managed variable, one that fails an access. */
#define RUNTIME_PTX                                                                                \
  ".version 8.0\n.target sm_80\n.address_size 64\n"                                                \
  SCALE_PTX                                                                                        \
  ".visible .global .attribute(.managed) .align 4 .u32 shared_word = 7;\n"                         \
  ".visible .entry touch() {\n"                                                                    \
  "  .reg .b32 %r<2>; ld.global.u32 %r0, [shared_word]; add.u32 %r1, %r0, 1;\n"                    \
  "  st.global.u32 [shared_word], %r1; ret;\n"                                                     \
  "}\n"                                                                                            \
  ".visible .entry wild() {\n"                                                                     \
  "  .reg .b64 %d; .reg .b32 %r; mov.u64 %d, 64; ld.global.u32 %r, [%d];\n"                        \
  "  st.global.u32 [%d], %r; ret;\n"                                                               \
  "}\n"

typedef struct fat_text {
  unsigned char data[8192];
} fat_text;

static inline void write_number(unsigned char *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

/* One entry of PTX (kind 1), or of what passes for machine code (2). */
static inline void make_fat(fat_text *f, unsigned kind, const char *text) {
  size_t size = (strlen(text) + 8) & ~(size_t)7;
  memset(f, 0, sizeof *f);
  assert_true(size + 80 <= sizeof f->data);
  write_number(f->data, 0xba55ed50, 4);
  write_number(f->data + 4, 1, 2);
  write_number(f->data + 6, 16, 2);
  write_number(f->data + 8, 64 + size, 8);
  write_number(f->data + 16, kind, 2);
  write_number(f->data + 20, 64, 4);
  write_number(f->data + 24, size, 8);
  write_number(f->data + 44, 80, 4);
  memcpy(f->data + 80, text, strlen(text));
}

typedef struct fat_wrapper {
  int magic, version;
  const void *data;
  void *more;
} fat_wrapper;

/* By whose addresses the program names its kernels and variables. */
static char scale_stub[16], touch_stub[16], wild_stub[16];
static uint32_t calls, *shared_word;
static float bias;
static fat_text fat;
static fat_wrapper wrapper = {0x466243b1, 1, fat.data, NULL};
static void **module;

static inline void register_program(void) {
  make_fat(&fat, 1, RUNTIME_PTX);
  module = __cudaRegisterFatBinary(&wrapper);
  assert_non_null(module);
  __cudaRegisterFunction(module, scale_stub, "scale", "scale", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(module, touch_stub, "touch", "touch", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(module, wild_stub, "wild", "wild", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(module, (char *)&calls, "calls", "calls", 0, sizeof calls, 0, 0);
  __cudaRegisterVar(module, (char *)&bias, "bias", "bias", 0, sizeof bias, 1, 0);
  __cudaRegisterManagedVar(module, (void **)&shared_word, "shared_word", "shared_word", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(module);
}

/* f<<<grid, block>>>(...) as nvcc writes it. */
static inline cudaError_t call(const void *stub, unsigned grid, unsigned block, void **args) {
  dim3 g, b;
  size_t shared;
  cudaStream_t stream;
  cudaKernel_t kernel = NULL;
  assert_int_equal(__cudaPushCallConfiguration((dim3){grid, 1, 1}, (dim3){block, 1, 1}, 0, NULL), 0);
  __cudaGetKernel(&kernel, stub);
  RT(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
  return __cudaLaunchKernel(kernel, g, b, args, shared, stream);
}

#endif
