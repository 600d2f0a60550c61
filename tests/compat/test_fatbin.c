/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fat binaries: which PTX is taken, the compressed forms, and what is said when there is none.
 */
#include <stdio.h>

#include "compat/decompress.h"
#include "compat/fatbin.h"
#include "driver_test.h"

/* ---- making them ---------------------------------------------------------------------------- */

enum { PTX = 1, CODE = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

typedef struct maker {
  unsigned char data[64 << 10];
  size_t size;
} maker;

static void put(unsigned char *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static void begin_fat(maker *m) {
  memset(m, 0, sizeof *m);
  put(m->data, 0xba55ed50, 4);
  put(m->data + 4, 1, 2);
  put(m->data + 6, FATBIN_HEADER, 2);
  m->size = FATBIN_HEADER;
}

static void add(maker *m, unsigned kind, unsigned arch, uint64_t flags, const void *data,
                size_t size, size_t whole) {
  unsigned char *h = m->data + m->size;
  size_t padded = (size + 7) & ~(size_t)7;
  put(h, kind, 2);
  put(h + 2, 0x101, 2);
  put(h + 4, 64, 4);
  put(h + 8, padded, 8);
  put(h + 16, flags & (LZ4 | ZSTD) ? size : 0, 4);
  put(h + 28, arch, 4);
  put(h + 40, flags | 0x11, 8);
  put(h + 56, flags & (LZ4 | ZSTD) ? whole : 0, 8);
  memcpy(h + 64, data, size);
  m->size += 64 + padded;
  put(m->data + 8, m->size - FATBIN_HEADER, 8);
}

static void add_ptx(maker *m, unsigned arch, const char *target) {
  char text[256];
  snprintf(text, sizeof text, ".version 8.0\n.target %s\n.address_size 64\n", target);
  add(m, PTX, arch, 0, text, strlen(text), 0);
}

/* The target of what is taken for the capability, in a text that lasts until the next call. */
static const char *taken(const maker *m, unsigned capability) {
  static char target[32];
  char why[FATBIN_WHY];
  size_t length;
  char *text = fatbin_ptx(m->data, m->size, capability, &length, why);
  if (!text) return "none";
  assert_int_equal(strlen(text), length);
  assert_int_equal(sscanf(strstr(text, ".target"), ".target %31s", target), 1);
  free(text);
  return target;
}

/* ---- which is taken ------------------------------------------------------------------------- */

static void test_newest(void **state) {
  (void)state;
  static maker m;
  begin_fat(&m);
  add(&m, CODE, 90, 0, "code", 4, 0);
  add_ptx(&m, 75, "sm_75");
  add_ptx(&m, 120, "sm_120");
  add_ptx(&m, 80, "sm_80");
  assert_string_equal(taken(&m, 80), "sm_80");
  assert_string_equal(taken(&m, 90), "sm_80");
  assert_string_equal(taken(&m, 75), "sm_75");
  assert_string_equal(taken(&m, 120), "sm_120");
  assert_string_equal(taken(&m, 70), "none");
}

static void test_for_one_architecture(void **state) {
  (void)state;
  static maker m;
  begin_fat(&m);
  add_ptx(&m, 90, "sm_90a");
  add_ptx(&m, 90, "sm_90");
  add_ptx(&m, 100, "sm_100f");
  assert_string_equal(taken(&m, 90), "sm_90a");
  assert_string_equal(taken(&m, 100), "sm_100f");
  assert_string_equal(taken(&m, 103), "sm_100f");
  assert_string_equal(taken(&m, 120), "sm_90");
}

static void check_why(const maker *m, unsigned capability, const char *part) {
  char why[FATBIN_WHY];
  size_t length;
  assert_null(fatbin_ptx(m->data, m->size, capability, &length, why));
  if (!strstr(why, part)) fail_msg("'%s' is not in '%s'", part, why);
}

static void test_none(void **state) {
  (void)state;
  static maker m;
  begin_fat(&m);
  check_why(&m, 90, "damaged or empty");
  add(&m, CODE, 80, 0, "code", 4, 0);
  add(&m, CODE, 90, 0, "code", 4, 0);
  check_why(&m, 90, "machine code only (sm_80, sm_90)");
  check_why(&m, 90, "-gencode arch=compute_90a,code=compute_90a");
  add_ptx(&m, 120, "sm_120");
  check_why(&m, 100, "PTX for sm_120, which a device of compute capability 10.0 does not execute");
  add(&m, PTX, 80, ZSTD, "no frame", 8, 100);
  check_why(&m, 100, "damaged");
}

/* ---- compressed forms ----------------------------------------------------------------------- */

/* What the two arrays are made of: by zstd -19 --no-check, and the block of lz4 -9. */
static char *sample(size_t *length) {
  static const char *const words[] = {"kernel", "launch", "block",  "thread",
                                      "warp",   "shared", "global", "memory"};
  static char text[4096];
  uint32_t seed = 1;
  int used = sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n");
  for (int i = 0; i < 120; i++) {
    seed = (seed * 1103515245u + 12345u) & 0x7fffffff;
    used += sprintf(text + used, "// %s %u\n", words[(seed >> 16) % 8], (seed >> 8) % 100);
  }
  *length = (size_t)used;
  return text;
}

/* clang-format off */
static const unsigned char as_zstd[] = {
    40, 181, 47, 253, 96, 14, 5, 29, 12, 0, 102, 16, 47, 24, 112, 111, 3, 160, 132, 193,
    39, 55, 239, 212, 231, 255, 255, 159, 73, 153, 73, 25, 172, 243, 244, 214, 19, 1, 46, 0,
    41, 0, 36, 0, 82, 51, 75, 12, 103, 34, 24, 101, 198, 16, 197, 195, 32, 76, 16, 128,
    109, 6, 47, 37, 26, 162, 8, 198, 227, 32, 2, 160, 249, 208, 68, 76, 130, 72, 36, 164,
    0, 104, 129, 51, 231, 81, 162, 8, 169, 32, 172, 222, 47, 95, 191, 214, 217, 234, 246, 187,
    245, 51, 43, 62, 13, 108, 246, 217, 1, 35, 145, 68, 223, 154, 65, 145, 168, 156, 46, 91,
    140, 135, 41, 92, 255, 241, 179, 131, 128, 49, 9, 205, 207, 121, 63, 86, 199, 236, 172, 219,
    235, 158, 238, 222, 181, 61, 95, 106, 111, 62, 125, 204, 154, 191, 220, 205, 122, 59, 221, 169,
    55, 199, 24, 232, 68, 184, 112, 64, 127, 107, 173, 185, 159, 114, 227, 231, 87, 237, 214, 169,
    239, 190, 237, 215, 247, 61, 243, 249, 147, 53, 223, 211, 207, 199, 157, 188, 111, 211, 115, 83,
    55, 118, 168, 129, 104, 59, 35, 185, 255, 6, 96, 70, 32, 83, 120, 30, 17, 48, 12, 65,
    194, 224, 124, 127, 3, 223, 174, 50, 166, 169, 8, 175, 12, 125, 74, 224, 126, 58, 29, 122,
    3, 114, 54, 149, 119, 188, 174, 65, 138, 166, 102, 204, 210, 14, 13, 44, 150, 164, 24, 170,
    3, 116, 254, 45, 44, 10, 91, 166, 71, 142, 45, 8, 181, 9, 254, 102, 55, 118, 137, 205,
    188, 76, 238, 141, 50, 30, 206, 162, 63, 160, 243, 56, 145, 40, 218, 111, 2, 240, 176, 25,
    146, 71, 55, 121, 25, 160, 187, 69, 41, 19, 218, 217, 149, 55, 70, 10, 170, 121, 22, 140,
    241, 40, 101, 127, 233, 106, 231, 144, 65, 131, 243, 216, 250, 247, 107, 109, 96, 32, 196, 197,
    83, 59, 91, 184, 194, 72, 246, 27, 140, 213, 135, 87, 8, 233, 200, 209, 58, 170, 162, 32,
    193, 48, 27, 176, 217, 161, 60, 248, 7, 187, 45, 141, 216, 144, 122, 209, 2, 92, 80, 123,
    149, 1, 184, 232, 67, 150, 48, 66, 158, 197, 13, 5, 230, 201, 193, 136, 171,
};

static const unsigned char as_lz4[] = {
    248, 40, 46, 118, 101, 114, 115, 105, 111, 110, 32, 56, 46, 48, 10, 46, 116, 97, 114, 103,
    101, 116, 32, 115, 109, 95, 56, 48, 10, 46, 97, 100, 100, 114, 101, 115, 115, 95, 115, 105,
    122, 101, 32, 54, 52, 10, 47, 47, 32, 103, 108, 111, 98, 97, 108, 32, 53, 13, 0, 17,
    50, 13, 0, 144, 108, 97, 117, 110, 99, 104, 32, 53, 54, 13, 0, 151, 116, 104, 114, 101,
    97, 100, 32, 57, 53, 13, 0, 39, 55, 57, 13, 0, 32, 50, 56, 13, 0, 135, 98, 108,
    111, 99, 107, 32, 52, 50, 25, 0, 17, 51, 25, 0, 120, 119, 97, 114, 112, 32, 54, 48,
    101, 0, 1, 62, 0, 129, 115, 104, 97, 114, 101, 100, 32, 57, 114, 0, 149, 109, 101, 109,
    111, 114, 121, 32, 57, 54, 50, 0, 7, 61, 0, 23, 48, 148, 0, 39, 54, 57, 47, 0,
    40, 52, 51, 174, 0, 8, 72, 0, 7, 24, 0, 39, 50, 54, 123, 0, 24, 49, 12, 0,
    22, 54, 184, 0, 23, 48, 61, 0, 24, 55, 99, 0, 39, 54, 55, 13, 0, 39, 49, 55,
    63, 0, 40, 54, 56, 39, 0, 24, 50, 114, 0, 22, 53, 89, 0, 17, 53, 38, 0, 149,
    107, 101, 114, 110, 101, 108, 32, 51, 48, 212, 0, 45, 56, 48, 163, 0, 2, 49, 0, 24,
    51, 175, 0, 24, 56, 130, 1, 24, 49, 13, 0, 23, 55, 51, 0, 39, 52, 54, 80, 1,
    9, 89, 0, 24, 54, 126, 0, 37, 54, 53, 126, 0, 38, 52, 57, 104, 1, 7, 60, 0,
    24, 49, 140, 1, 45, 50, 53, 13, 0, 3, 150, 0, 40, 55, 50, 112, 0, 24, 55, 163,
    0, 22, 52, 150, 0, 38, 54, 50, 12, 0, 24, 49, 145, 1, 39, 55, 49, 149, 0, 43,
    56, 54, 19, 1, 4, 85, 2, 7, 74, 0, 39, 56, 57, 125, 0, 40, 51, 56, 138, 0,
    8, 184, 1, 39, 49, 56, 101, 0, 24, 56, 145, 1, 47, 52, 54, 216, 0, 5, 39, 52,
    50, 13, 0, 24, 53, 91, 0, 45, 56, 53, 13, 0, 4, 215, 2, 23, 50, 192, 0, 39,
    53, 55, 12, 1, 39, 54, 56, 13, 0, 39, 51, 55, 6, 2, 8, 213, 1, 25, 51, 113,
    3, 8, 38, 0, 22, 49, 161, 1, 8, 126, 0, 40, 49, 56, 49, 0, 5, 36, 0, 24,
    49, 226, 0, 29, 52, 122, 0, 3, 48, 0, 24, 52, 239, 0, 24, 49, 136, 0, 39, 53,
    55, 65, 0, 39, 49, 57, 213, 0, 39, 50, 55, 13, 0, 45, 55, 53, 132, 2, 4, 74,
    1, 28, 55, 127, 3, 3, 51, 0, 24, 49, 225, 3, 24, 53, 47, 1, 40, 57, 49, 111,
    2, 8, 194, 0, 6, 239, 3, 39, 57, 52, 113, 0, 24, 56, 75, 0, 23, 52, 21, 2,
    24, 57, 46, 2, 40, 51, 52, 83, 2, 9, 87, 0, 22, 57, 51, 0, 39, 50, 49, 51,
    0, 39, 54, 48, 171, 2, 8, 101, 0, 40, 50, 50, 62, 1, 8, 61, 1, 7, 75, 0,
    40, 57, 53, 195, 4, 7, 240, 3, 24, 50, 233, 4, 45, 53, 50, 178, 3, 4, 164, 0,
    12, 58, 1, 8, 2, 2, 4, 189, 3, 8, 199, 1, 6, 58, 4, 43, 57, 53, 183, 4,
    4, 168, 1, 6, 249, 3, 80, 104, 32, 57, 54, 10,
};
/* clang-format on */

static void test_compressed(void **state) {
  (void)state;
  static maker m;
  size_t length;
  const char *text = sample(&length);
  for (int i = 0; i < 2; i++) {
    char why[FATBIN_WHY];
    size_t n;
    begin_fat(&m);
    if (i)
      add(&m, PTX, 80, ZSTD, as_zstd, sizeof as_zstd, length);
    else
      add(&m, PTX, 80, LZ4, as_lz4, sizeof as_lz4, length);
    char *found = fatbin_ptx(m.data, m.size, 90, &n, why);
    assert_non_null(found);
    assert_int_equal(n, length);
    assert_string_equal(found, text);
    free(found);
  }
}

typedef bool (*decoder)(const void *data, size_t size, void *out, size_t length);

/* Nothing that is damaged is taken for whole, when it ends early or says another length; and none
 * makes the decoder leave its memory. */
static void damage(decoder decode, const unsigned char *data, size_t size, size_t length) {
  unsigned char *copy = malloc(size);
  char *out = malloc(length);
  assert_non_null(copy);
  assert_non_null(out);
  for (size_t n = 0; n < size; n++) {
    memcpy(copy, data, n);
    assert_false(decode(copy, n, out, length));
  }
  assert_false(decode(data, size, out, length - 1));
  for (size_t i = 0; i < size; i++)
    for (unsigned bit = 0; bit < 8; bit++) {
      memcpy(copy, data, size);
      copy[i] ^= (unsigned char)(1u << bit);
      decode(copy, size, out, length);
    }
  free(copy);
  free(out);
}

static void test_damaged(void **state) {
  (void)state;
  size_t length;
  sample(&length);
  damage(zstd_decompress, as_zstd, sizeof as_zstd, length);
  damage(lz4_decompress, as_lz4, sizeof as_lz4, length);
}

/* Blocks that are stored, or one byte repeated. */
static void test_plain_blocks(void **state) {
  (void)state;
  static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 9,   24, 0,  0, 'a',
                                        'b',  'c',  51,   0,    0,    'd', 0,  0,  0};
  char out[9];
  assert_true(zstd_decompress(frame, 16, out, 9));
  assert_memory_equal(out, "abcdddddd", 9);
}

/* ---- by the driver library ------------------------------------------------------------------ */

#define ENTRY_TEXT                                                                                 \
  ".version 8.0\n.target sm_80\n.address_size 64\n"                                                \
  ".visible .entry answer(.param .u64 p) {\n  .reg .b64 %d; .reg .b32 %r;\n"                       \
  "  ld.param.u64 %d, [p]; mov.u32 %r, 42; st.global.u32 [%d], %r; ret;\n}\n"

static void test_load(void **state) {
  (void)state;
  static maker m;
  CUmodule module;
  CUfunction f;
  CUdeviceptr p;
  int answer = 0;
  begin_fat(&m);
  add(&m, PTX, 80, 0, ENTRY_TEXT, sizeof ENTRY_TEXT - 1, 0);
  OK(cuModuleLoadData(&module, m.data));
  OK(cuModuleGetFunction(&f, module, "answer"));
  OK(cuMemAlloc(&p, sizeof answer));
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
  OK(cuMemcpyDtoH(&answer, p, sizeof answer));
  assert_int_equal(answer, 42);
  OK(cuMemFree(p));
  OK(cuModuleUnload(module));
  begin_fat(&m);
  add(&m, CODE, 80, 0, "code", 4, 0);
  FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, m.data));
}

int main(void) {
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_newest),
      cmocka_unit_test(test_for_one_architecture),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_compressed),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_plain_blocks),
      TEST(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
