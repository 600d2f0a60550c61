/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The fragments of AMD's matrix instructions, element by element against what AMD's matrix
 * instruction calculator says (tests/data/amd-fragments.txt, made by scripts/amd-fragments), and
 * those that it does not have against the ISA document of CDNA4.
 */
#include <stdlib.h>

#include "test_layout.h"

/* ---- the calculator ----------------------------------------------------------------------------
 */

typedef struct image {
  unsigned dim; /* of b, row, column */
  int32_t value;
} image;

/* One line: "mfma.32x32x8.f16.A lane m0 m1 m2 m3 m4 k2 slot k0 k1". */
typedef struct expected {
  char name[64];
  image lanes[8], slots[16];
  unsigned lane_bits, slot_bits;
} expected;

static image read_image(const char *word, char operand) {
  const char *letters = operand == 'A' ? "bmk" : operand == 'B' ? "bkn" : "bmn";
  if (*word == '-') return (image){0};
  const char *letter = strchr(letters, *word);
  assert_non_null(letter);
  return (image){(unsigned)(letter - letters), 1 << atoi(word + 1)};
}

static void read_line(char *line, expected *e) {
  *e = (expected){.lane_bits = 0};
  char *rest, *word = strtok_r(line, " \n", &rest);
  snprintf(e->name, sizeof e->name, "%s", word);
  char operand = word[strlen(word) - 1];
  word = strtok_r(NULL, " \n", &rest);
  assert_string_equal(word, "lane");
  while ((word = strtok_r(NULL, " \n", &rest)) && strcmp(word, "slot") != 0)
    e->lanes[e->lane_bits++] = read_image(word, operand);
  assert_non_null(word);
  while ((word = strtok_r(NULL, " \n", &rest)))
    e->slots[e->slot_bits++] = read_image(word, operand);
}

static void add_images(const image *images, int32_t number, int32_t *index) {
  for (; number; number >>= 1, images++)
    if (number & 1) index[images->dim] += images->value;
}

/* Fragments of one block have no dimension for blocks. */
static void check_line(const expected *e) {
  tsr_layout l;
  if (!tsr_fragment(&l, e->name, strlen(e->name))) fail_msg("there is no fragment %s", e->name);
  assert_int_equal(tsr_layout_spatial_size(&l), 1 << e->lane_bits);
  assert_int_equal(tsr_layout_local_size(&l), 1 << e->slot_bits);
  int32_t skip = 3 - l.rank;
  for (int32_t lane = 0; lane < 1 << e->lane_bits; lane++)
    for (int32_t slot = 0; slot < 1 << e->slot_bits; slot++) {
      int32_t want[3] = {0}, have[3] = {0};
      add_images(e->lanes, lane, want);
      add_images(e->slots, slot, want);
      tsr_layout_get_global(&l, lane, slot, have + skip);
      if (memcmp(want, have, sizeof want) != 0)
        fail_msg("%s lane %d slot %d: (%d, %d, %d), expected (%d, %d, %d)", e->name, lane, slot,
                 have[0], have[1], have[2], want[0], want[1], want[2]);
    }
}

static FILE *open_table(void) {
  FILE *file = fopen("tests/data/amd-fragments.txt", "r");
  if (!file) fail_msg("tests/data/amd-fragments.txt isn't there");
  return file;
}

static void test_calculator(void **state) {
  (void)state;
  char line[256];
  expected e;
  int lines = 0;
  FILE *file = open_table();
  for (; fgets(line, sizeof line, file); lines++) {
    read_line(line, &e);
    check_line(&e);
  }
  fclose(file);
  assert_int_equal(lines, 213);
}

/* ---- gfx950 -------------------------------------------------------------------------------------
 */

/* What the calculator does not have: the size, and how many neighbours in k a lane holds in a row.
 * The runs of a lane are `size * run` elements of k apart from those of the next lanes'. */
typedef struct deep {
  const char *name;
  int size, depth, run;
} deep;

static const deep deep_rows[] = {
    {"mfma.32x32x16.f16", 32, 16, 8},  {"mfma.16x16x32.f16", 16, 32, 8},
    {"mfma.32x32x16.bf16", 32, 16, 8}, {"mfma.16x16x32.bf16", 16, 32, 8},
    {"mfma.32x32x32.i8", 32, 32, 16},  {"mfma.16x16x64.i8", 16, 64, 16},
    {"mfma.32x32x64.f8", 32, 64, 16},  {"mfma.16x16x128.f8", 16, 128, 16},
    {"mfma.32x32x64.f6", 32, 64, 32},  {"mfma.16x16x128.f6", 16, 128, 32},
    {"mfma.32x32x64.f4", 32, 64, 32},  {"mfma.16x16x128.f4", 16, 128, 32},
};

static void element_of(const char *name, char operand, int lane, int slot, int32_t index[2]) {
  char full[64];
  tsr_layout l;
  snprintf(full, sizeof full, "%s.%c", name, operand);
  if (!tsr_fragment(&l, full, strlen(full))) fail_msg("there is no fragment %s", full);
  assert_int_equal(tsr_layout_spatial_size(&l), 64);
  tsr_layout_get_global(&l, lane, slot, index);
}

static void check_deep(const deep *d) {
  int groups = 64 / d->size, slots = d->depth / groups, index[2];
  for (int lane = 0; lane < 64; lane++) {
    for (int slot = 0; slot < slots; slot++) {
      int k = slot % d->run + d->run * (lane / d->size) + d->run * groups * (slot / d->run);
      element_of(d->name, 'A', lane, slot, index);
      assert_int_equal(index[0], lane % d->size);
      assert_int_equal(index[1], k);
      element_of(d->name, 'B', lane, slot, index);
      assert_int_equal(index[0], k);
      assert_int_equal(index[1], lane % d->size);
    }
    for (int slot = 0; slot < d->size * d->size / 64; slot++) {
      element_of(d->name, 'C', lane, slot, index);
      assert_int_equal(index[0], slot % 4 + 4 * (lane / d->size) + 4 * groups * (slot / 4));
      assert_int_equal(index[1], lane % d->size);
    }
  }
}

static void test_deep(void **state) {
  (void)state;
  for (size_t i = 0; i < (sizeof deep_rows / sizeof *deep_rows); i++) check_deep(&deep_rows[i]);
}

/* ---- every name --------------------------------------------------------------------------------
 */

static bool in_table(const char *name) {
  char line[256];
  bool found = false;
  size_t length = strlen(name);
  FILE *file = open_table();
  while (!found && fgets(line, sizeof line, file))
    found = strncmp(line, name, length) == 0 && line[length] == ' ';
  fclose(file);
  return found;
}

static bool is_deep(const char *name) {
  for (size_t i = 0; i < (sizeof deep_rows / sizeof *deep_rows); i++)
    if (strncmp(name, deep_rows[i].name, strlen(name) - 2) == 0) return true;
  return false;
}

/* No fragment goes unchecked. */
static void test_names(void **state) {
  (void)state;
  int amd = 0;
  for (uint32_t i = 0; tsr_fragment_name(i); i++) {
    const char *name = tsr_fragment_name(i);
    if (!strstr(name, "mfma") && !strstr(name, "fmac") && !strstr(name, "mma.gfx") &&
        !strstr(name, "mmac"))
      continue;
    amd++;
    if (!in_table(name) && !is_deep(name)) fail_msg("nothing checks %s", name);
  }
  assert_int_equal(amd, 213 + 3 * (int)(sizeof deep_rows / sizeof *deep_rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calculator),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
