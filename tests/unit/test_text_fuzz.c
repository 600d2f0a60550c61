/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Broken and hostile text: nesting without end, huge sizes, files cut off anywhere, random changes,
 * and no memory. Nothing crashes, every refusal is explained, nothing leaks (the sanitized build
 * watches).
 */
#include <time.h>

#include "text_test.h"

static const char sample[] =
    "#file = #cuda_tile.di_file<\"a.py\" in \"/\">\n"
    "!scalar = !cuda_tile.tile<f32>\n"
    "// a module\n"
    "cuda_tile.module @m attributes {producer = \"p\"} {\n"
    "  global private constant @g alignment = 16 <f32: [1.0, 0x7F800000]> : tile<2xf32>\n"
    "  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %x: !scalar) optimization_hints=<sm_100 = "
    "{num_cta_in_cga = 2}, default = {occupancy = 1}> {\n"
    "    %g:3 = get_tile_block_id : tile<i32>\n"
    "    %c = constant <i32: [1, -2, 0x3, 4]> : tile<4xi32>\n"
    "    %d = constant dense<[0.5, 1.0e-3]> : tile<2xf16>\n"
    "    %a = assume div_by<16>, %p : tile<ptr<f32>>\n"
    "    %b = assume #cuda_tile.bounded<0, ?>, %n : tile<i32>\n"
    "    %v = make_tensor_view %a, shape = [%n, 8], strides = [8, 1] : tile<i32> -> "
    "tensor_view<?x8xf32, strides=[8,1]>\n"
    "    %w = make_partition_view %v : partition_view<tile=(4x8), padding_value = zero, "
    "tensor_view<?x8xf32, strides=[8,1]>, dim_map=[0, 1]>\n"
    "    %t0 = make_token : token\n"
    "    %l, %t1 = load_view_tko weak %w[%g#0, %g#1] token = %t0 : partition_view<tile=(4x8), "
    "padding_value = zero, tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> tile<4x8xf32>, "
    "token\n"
    "    %r = reduce %l dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>\n"
    "    (%e: tile<f32>, %f: tile<f32>) {\n"
    "      %s = addf %e, %f rounding<zero> flush_to_zero : tile<f32>\n"
    "      yield %s : tile<f32>\n"
    "    }\n"
    "    %i = for %j in (%n to %n, step %n) : tile<i32> iter_values(%acc = %x) -> (tile<f32>) {\n"
    "      %k = cmpi less_than %j, %n, signed : tile<i32> -> tile<i1>\n"
    "      %m = if %k -> (tile<f32>) {\n"
    "        yield %x : tile<f32>\n"
    "      } else {\n"
    "        yield %acc : tile<f32>\n"
    "      }\n"
    "      loop {\n"
    "        break // out\n"
    "      }\n"
    "      continue %m : tile<f32>\n"
    "    } loc(#l)\n"
    "    %o = \"cuda_tile.addf\"(%x, %i) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> "
    "{a = [1, {b}]} : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>\n"
    "    %q = print_tko \"%i\\0A\\n\", %n token=%t1 : tile<i32> -> token\n"
    "    return\n"
    "  }\n"
    "}\n"
    "#l = loc(fused[\"a.py\":1:2, callsite(\"n\" at unknown)])\n";

/* Reads, and prints what could be read. Returns whether it could. */
static bool try_text(tsr_context *ctx, const char *text, size_t len, unsigned flags) {
  said.n = 0;
  tsr_module *m = tsr_module_parse(ctx, text, len, "f.mlir", flags);
  if (!m) return false;
  char *printed = tsr_module_print(m, NULL);
  assert_non_null(printed);
  tsr_string_free(ctx, printed);
  tsr_module_destroy(m);
  return true;
}

static void test_sample(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  char *printed = reprint(ctx, sample, TSR_PARSE_KEEP_COMMENTS);
  if (!printed) {
    show_messages(sample);
    fail_msg("the sample is wrong");
  }
  free(printed);
  if (!try_text(ctx, sample, sizeof sample - 1, 0)) {
    show_messages(sample);
    fail_msg("the sample does not keep the rules");
  }
  tsr_context_destroy(ctx);
}

static void test_truncation(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  size_t end = strstr(sample, "\n}\n") - sample + 2; /* the module is whole from here on */
  for (size_t n = 0; n < sizeof sample - 1; n++) {
    /* A copy of that size, so that reading past the end is seen. */
    char *cut = malloc(n ? n : 1);
    memcpy(cut, sample, n);
    bool ok = try_text(ctx, cut, n, TSR_PARSE_NO_VERIFY | (n % 2 ? TSR_PARSE_KEEP_COMMENTS : 0));
    free(cut);
    if (ok && n < end) fail_msg("the first %zu bytes were accepted", n);
    if (!ok && count_errors() == 0) fail_msg("no error for the first %zu bytes", n);
  }
  tsr_context_destroy(ctx);
}

static uint64_t random_state;
static uint32_t random_below(uint32_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % n;
}

static void mutate(char *text, size_t *len, size_t cap) {
  static const char interesting[] = "%#!@^\"<>()[]{}:,=-?/\\\n 0x9af.$_\xff\0";
  size_t at = random_below((uint32_t)*len);
  switch (random_below(5)) {
  case 0: text[at] = (char)random_below(256); break;
  case 1: text[at] = interesting[random_below(sizeof interesting - 1)]; break;
  case 2: /* drop some bytes */
  {
    size_t n = 1 + random_below(20);
    if (n > *len - at) n = *len - at;
    memmove(text + at, text + at + n, *len - at - n);
    *len -= n;
    break;
  }
  default: /* repeat some bytes elsewhere */
  {
    size_t from = random_below((uint32_t)*len), n = 1 + random_below(40);
    if (n > *len - from) n = *len - from;
    if (*len + n > cap) return;
    char piece[64];
    memcpy(piece, text + from, n);
    memmove(text + at + n, text + at, *len - at);
    memcpy(text + at, piece, n);
    *len += n;
  }
  }
  if (*len == 0) text[(*len)++] = ' ';
}

static void test_mutation(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  enum { ROUNDS = 6000, CAP = 8192 };
  unsigned accepted = 0;
  char *text = malloc(CAP);
  random_state = 20240917;
  for (int round = 0; round < ROUNDS; round++) {
    size_t len = sizeof sample - 1;
    memcpy(text, sample, len);
    unsigned changes = 1 + random_below(4);
    for (unsigned i = 0; i < changes; i++) mutate(text, &len, CAP);
    char *exact = malloc(len);
    memcpy(exact, text, len);
    /* Those that can be read are verified too. */
    bool ok = try_text(ctx, exact, len, round % 2 ? TSR_PARSE_KEEP_COMMENTS : 0);
    free(exact);
    accepted += ok;
    if (!ok && count_errors() == 0) fail_msg("round %d: refused without an error", round);
  }
  free(text);
  assert_true(accepted > 0); /* else the changes reach only the lexer */
  tsr_context_destroy(ctx);
}

/* ---- nesting and sizes ---------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* `head`, a million times `unit`, `tail`: refused, quickly, with a few messages. */
static void bomb(const char *head, const char *unit, const char *tail) {
  enum { TIMES = 1000000 };
  size_t h = strlen(head), u = strlen(unit), t = strlen(tail), len = h + u * TIMES + t;
  char *text = malloc(len + 1);
  memcpy(text, head, h);
  for (size_t i = 0; i < TIMES; i++) memcpy(text + h + i * u, unit, u);
  memcpy(text + h + u * TIMES, tail, t + 1);
  tsr_context *ctx = make_context(0);
  double start = seconds();
  bool ok = try_text(ctx, text, len, TSR_PARSE_NO_VERIFY);
  double took = seconds() - start;
  unsigned errors = count_errors();
  tsr_context_destroy(ctx);
  free(text);
  if (ok) fail_msg("accepted: %s%s…", head, unit);
  assert_in_range(errors, 1, 20);
  if (took > 20) fail_msg("%s%s… took %.1f s", head, unit, took);
}

static void test_bombs(void **state) {
  (void)state;
  static const char kernel[] = "cuda_tile.module @m { entry @k(%c: tile<i1>) {\n";
  static const char *const heads[] = {"", "cuda_tile.module @m ", kernel,
                                      "cuda_tile.module @m { entry @k"};
  static const char *const units[] = {"(", "[", "{", "<", "\"", "%", "{\n", "((\n", "}", ">"};
  for (unsigned i = 0; i < sizeof heads / sizeof heads[0]; i++)
    for (unsigned k = 0; k < sizeof units / sizeof units[0]; k++) bomb(heads[i], units[k], "");
  char head[256];
  static const char *const insides[][2] = {
      {"if %c ", "{ if %c "},
      {"loop ", "{ loop\n"},
      {"%x = constant <i32: ", "["},
      {"%x = constant <i32: ", "[\n"},
      {"%x = constant dense<", "["},
      {"%x = negf %c : ", "tile<"},
      {"%x = negf %c : ", "partition_view<tile=(1), "},
      {"%x = negf %c : ", "("},
      {"%x = negf %c : tile<", "1x"},
      {"%x = negf %c {a = ", "["},
      {"%x = negf %c {a = ", "{a = "},
      {"%x = negf %c {a = ", "<["},
      {"%x = negf %c : tile<i1> loc(", "callsite("},
      {"%x = negf %c : tile<i1> loc(", "fused["},
      {"%x = negf %c : tile<i1> loc(", "\"a\"("},
      {"\"cuda_tile.loop\"() ", "({ \"cuda_tile.loop\"() "},
      {"%x = permute %c [", "1,"},
      {"", "%x, "},
      {"", "%x,\n"},
      {"print_tko \"\"", ", %c"},
      {"", "x\n"},
      {"", "%x\n"},
      {"", "%c = 1\n"},
      {"%x = negf ", "%\n"},
  };
  for (unsigned i = 0; i < sizeof insides / sizeof insides[0]; i++) {
    snprintf(head, sizeof head, "%s%s", kernel, insides[i][0]);
    bomb(head, insides[i][1], "");
  }
  bomb("#a = ", "[", "");
  bomb("#a = ", "\n#a = 1", "");
  bomb("#a = loc(", "fused[", "");
  bomb("!a = ", "(", "");
  bomb("", "#a = loc(#b)\n", "");
}

/* What is allowed to be large is. */
static void test_large(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  enum { N = 1 << 16 };
  size_t cap = N * 48 + 256, len = 0;
  char *text = malloc(cap);
  /* a constant of 65536 different elements */
  len = (size_t)snprintf(text, cap, "cuda_tile.module @m { global @g <i32: [");
  for (int i = 0; i < N; i++) len += (size_t)snprintf(text + len, cap - len, i ? ",%d" : "%d", i);
  len += (size_t)snprintf(text + len, cap - len, "]> : tile<%dxi32> }", N);
  assert_true(try_text(ctx, text, len, 0));
  /* a chain of locations, each in the one before */
  len = (size_t)snprintf(text, cap, "cuda_tile.module @m { } loc(#l%d)\n#l0 = loc(\"f\":1:1)\n",
                         N - 1);
  for (int i = 1; i < N; i++)
    len += (size_t)snprintf(text + len, cap - len, "#l%d = loc(callsite(#l%d at #l%d))\n", i, i - 1,
                            i - 1);
  assert_true(try_text(ctx, text, len, 0));
  /* 255 regions in each other: one more than the module's and the kernel's fit */
  for (int depth = 254; depth <= 255; depth++) {
    len = (size_t)snprintf(text, cap, "cuda_tile.module @m { entry @k(%%c: tile<i1>) {");
    for (int i = 0; i < depth; i++) len += (size_t)snprintf(text + len, cap - len, "if %%c {");
    for (int i = 0; i < depth + 2; i++) text[len++] = '}';
    assert_int_equal(try_text(ctx, text, len, TSR_PARSE_NO_VERIFY), depth == 254);
  }
  /* a name of a million letters, a file of blanks and newlines */
  memset(text, 'a', cap);
  memcpy(text, "cuda_tile.module @", 18);
  memcpy(text + cap - 2, "{}", 2);
  assert_true(try_text(ctx, text, cap, 0));
  memset(text, '\n', cap);
  assert_false(try_text(ctx, text, cap, TSR_PARSE_KEEP_COMMENTS));
  free(text);
  tsr_context_destroy(ctx);
}

/* The memory for a constant grows with its text, not with its type. */
static void test_huge_types(void **state) {
  (void)state;
  static const char *const types[] = {"tile<1099511627776xi32>", "tile<1048576x1048576xi8>",
                                      "tile<9223372036854775807xi8>",
                                      "tile<4611686018427387904x4611686018427387904xi8>"};
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
    char line[256];
    snprintf(line, sizeof line, "%%c = constant <i32: [1, 2]> : %s", types[i]);
    char *text = in_kernel("", line);
    assert_null(read_text(ctx, text, 0));
    assert_true(count_errors() >= 1);
    free(text);
  }
  tsr_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct stingy {
  size_t left; /* allocations that still succeed */
  long live;
} stingy;

static void *stingy_allocate(void *user, size_t size) {
  stingy *s = user;
  if (s->left == 0) return NULL;
  s->left--;
  s->live++;
  return malloc(size);
}

static void stingy_release(void *user, void *memory, size_t size) {
  (void)size;
  ((stingy *)user)->live--;
  free(memory);
}

/* Allocation number n fails, for every n that reading and printing get to. */
static void test_no_memory(void **state) {
  (void)state;
  bool done = false;
  for (size_t n = 1; !done && n < 10000; n++) {
    stingy s = {.left = n};
    tsr_allocator allocator = {stingy_allocate, stingy_release, &s};
    tsr_context_options o = {
        .struct_size = sizeof o, .on_diagnostic = keep_message, .allocator = &allocator};
    said.n = 0;
    tsr_context *ctx = tsr_context_create(&o);
    if (!ctx) continue;
    tsr_module *m = tsr_module_parse(ctx, sample, sizeof sample - 1, NULL,
                                     TSR_PARSE_KEEP_COMMENTS | TSR_PARSE_NO_VERIFY);
    char *text = m ? tsr_module_print(m, NULL) : NULL;
    done = text != NULL;
    if (!done && count_errors() != 1) fail_msg("%u errors for allocation %zu", count_errors(), n);
    if (!done) assert_non_null(strstr(said.v[0].text, "out of memory"));
    tsr_string_free(ctx, text);
    tsr_module_destroy(m);
    tsr_context_destroy(ctx);
    assert_int_equal(s.live, 0);
  }
  assert_true(done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sample),    cmocka_unit_test(test_truncation),
      cmocka_unit_test(test_mutation),  cmocka_unit_test(test_bombs),
      cmocka_unit_test(test_large),     cmocka_unit_test(test_huge_types),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
