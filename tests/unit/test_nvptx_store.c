/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores by bulk tensor copies (simt/nvidia/bulk_store.h) on the emulated sm_90a beside the
 * interpreter, with all checks on: of every size of element, in every order of memory, of tiles
 * that stick out; before and after other accesses to the same memory; and that the checks find
 * what is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"

enum { K = 64, SIDE = 256, ROOM = 320 * SIDE * 8, PAD = 64 };

static _Alignas(128) uint16_t a[SIDE * K], b[K * SIDE];
static _Alignas(128) uint8_t want[2 * ROOM + PAD], got[2 * ROOM + PAD];

/* ---- the kernel ----------------------------------------------------------------------------- */

typedef enum tile_order { ROWS, COLUMNS, TURNED, BATCH } tile_order;

/* C = A B for A [256, 64] and B [64, 256] of f16, a tile for each block, converted to `elem`. */
typedef struct text {
  const char *elem;
  unsigned m, n; /* of a tile; 0: 64, 64 */
  tile_order order;
  const char *hint;   /* of the store */
  const char *before; /* in front of the store */
  const char *behind;
} text;

/* What the tiles of C are made of: %m x %n, %row elements from one to the next. */
static void add_view(sbuf *t, const text *x, const char *name, char *type, size_t size) {
  const char *v = x->order == ROWS      ? "tensor_view<?x?x%s, strides=[?,1]>"
                  : x->order == COLUMNS ? "tensor_view<?x?x%s, strides=[1,?]>"
                  : x->order == TURNED  ? "tensor_view<?x?x%s, strides=[?,1]>"
                                        : "tensor_view<4x?x?x%s, strides=[?,?,1]>";
  char tensor[80];
  snprintf(tensor, sizeof tensor, v, x->elem);
  unsigned m = x->order == TURNED ? x->n : x->m, n = x->order == TURNED ? x->m : x->n;
  snprintf(type, size, "partition_view<tile=(%s%ux%u), %s>", x->order == BATCH ? "1x" : "", m, n,
           tensor);
  const char *shape = x->order == BATCH ? "[4, %m, %n]" : "[%m, %n]";
  const char *strides = x->order == COLUMNS ? "[1, %row]"
                        : x->order == BATCH ? "[%batch, %row, 1]"
                                            : "[%row, 1]";
  sbuf_printf(t,
              "%%%s_v = make_tensor_view %%%s, shape = %s, strides = %s : tile<i32> -> %s\n"
              "%%%s_p = make_partition_view %%%s_v : %s\n",
              name, name, shape, strides, tensor, name, name, type);
}

static void convert(sbuf *t, const text *x) {
  bool integer = x->elem[0] == 'i', same = strcmp(x->elem, "f32") == 0;
  const char *extent = x->order == BATCH ? "1x" : "";
  unsigned m = x->m, n = x->n;
  if (same)
    sbuf_printf(t, "%%e = addf %%r, %%r : tile<%ux%uxf32>\n", m, n);
  else
    sbuf_printf(t, "%%e = %s %%r %s : tile<%ux%uxf32> -> tile<%ux%ux%s>\n",
                integer ? "ftoi" : "ftof", integer ? "signed" : "", m, n, m, n, x->elem);
  if (x->order == TURNED)
    sbuf_printf(t, "%%x = permute %%e [1, 0] : tile<%ux%ux%s> -> tile<%ux%ux%s>\n", m, n, x->elem,
                n, m, x->elem);
  else
    sbuf_printf(t, "%%x = reshape %%e : tile<%ux%ux%s> -> tile<%s%ux%ux%s>\n", m, n, x->elem,
                extent, m, n, x->elem);
}

/* In pieces of text, '$' is the type of tiles of C and D, '#' that of what is stored, '@' where. */
static void add_piece(sbuf *t, const char *piece, const char *view, const char *tile,
                      const char *at) {
  for (; piece && *piece; piece++) {
    if (*piece == '$')
      sbuf_puts(t, view);
    else if (*piece == '#')
      sbuf_puts(t, tile);
    else if (*piece == '@')
      sbuf_puts(t, at);
    else
      sbuf_putc(t, *piece);
  }
}

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  char view[128], tile[48];
  unsigned m = x->m, n = x->n;
  bool turned = x->order == TURNED;
  const char *at = turned ? "%by, %bx" : x->order == BATCH ? "%one, %bx, %by" : "%bx, %by";
  snprintf(tile, sizeof tile, "tile<%s%ux%ux%s>", x->order == BATCH ? "1x" : "", turned ? n : m,
           turned ? m : n, x->elem);
  sbuf_printf(&t,
              "cuda_tile.module @m { entry @k(%%a: tile<ptr<f16>>, %%b: tile<ptr<f16>>, "
              "%%c: tile<ptr<%s>>, %%d: tile<ptr<%s>>, %%m: tile<i32>, %%n: tile<i32>, "
              "%%row: tile<i32>) {\n%%batch = muli %%row, %%m : tile<i32>\n"
              "%%a_v = make_tensor_view %%a, shape = [256, 64], strides = [64, 1] : "
              "tensor_view<256x64xf16, strides=[64,1]>\n"
              "%%b_v = make_tensor_view %%b, shape = [64, 256], strides = [256, 1] : "
              "tensor_view<64x256xf16, strides=[256,1]>\n",
              x->elem, x->elem);
  add_view(&t, x, "c", view, sizeof view);
  add_view(&t, x, "d", view, sizeof view);
  char a_type[112], b_type[112];
  snprintf(a_type, sizeof a_type,
           "partition_view<tile=(%ux32), padding_value = zero, tensor_view<256x64xf16, "
           "strides=[64,1]>>",
           m);
  snprintf(b_type, sizeof b_type,
           "partition_view<tile=(32x%u), padding_value = zero, tensor_view<64x256xf16, "
           "strides=[256,1]>>",
           n);
  sbuf_printf(&t,
              "%%a_p = make_partition_view %%a_v : %s\n%%b_p = make_partition_view %%b_v : %s\n"
              "%%bx, %%by, %%bz = get_tile_block_id : tile<i32>\n"
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%two = constant <i32: 2> : tile<i32>\n"
              "%%none = constant <f32: 0.0> : tile<%ux%uxf32>\n"
              "%%r = for %%k in (%%zero to %%two, step %%one) : tile<i32> "
              "iter_values(%%acc = %%none) -> (tile<%ux%uxf32>) {\n"
              "%%l, %%t0 = load_view_tko weak %%a_p[%%bx, %%k] : %s, tile<i32> -> "
              "tile<%ux32xf16>, token\n"
              "%%q, %%t1 = load_view_tko weak %%b_p[%%k, %%by] : %s, tile<i32> -> "
              "tile<32x%uxf16>, token\n"
              "%%s = mmaf %%l, %%q, %%acc : tile<%ux32xf16>, tile<32x%uxf16>, tile<%ux%uxf32>\n"
              "continue %%s : tile<%ux%uxf32>\n}\n",
              a_type, b_type, m, n, m, n, a_type, m, b_type, n, m, n, m, n, m, n);
  convert(&t, x);
  add_piece(&t, x->before, view, tile, at);
  sbuf_printf(&t, "%%t9 = store_view_tko weak %%x, %%c_p[%s]%s%s : %s, %s, tile<i32> -> token\n",
              at, x->hint ? " optimization_hints = " : "", x->hint ? x->hint : "", tile, view);
  add_piece(&t, x->behind, view, tile, at);
  sbuf_puts(&t, "}\n}\n");
  return t.data;
}

/* Small whole numbers and halves, so that products are exact. */
static void fill(uint16_t *x, size_t n) {
  static const uint16_t values[] = {0x3c00, 0xc000, 0x0000, 0x4000, 0xbc00, 0x3c00, 0x4200, 0xb800};
  for (size_t i = 0; i < n; i++) x[i] = values[(i * 2654435761u >> 9) % ARRAY_LEN(values)];
}

typedef struct shape {
  int32_t m, n, row;
  unsigned shift; /* of C, bytes */
} shape;

typedef enum outcome { DIRECT, BULK, FOUND } outcome;

/* Runs it both ways. FOUND: the checks have findings; else whether C was stored by bulk copies. */
static outcome run(const text *given, shape s, run_grid grid) {
  arena memory;
  run_log log;
  text x = *given;
  x.m = x.m ? x.m : 64;
  x.n = x.n ? x.n : 64;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, &x);
  fill(a, ARRAY_LEN(a));
  fill(b, ARRAY_LEN(b));
  memset(want, 0x5a, sizeof want);
  memset(got, 0x5a, sizeof got);
  uint64_t args[] = {ARG_ADDRESS(a),           ARG_ADDRESS(b), ARG_ADDRESS(want + s.shift),
                     ARG_ADDRESS(want + ROOM), (uint32_t)s.m,  (uint32_t)s.n,
                     (uint32_t)s.row};
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  if (!run_program_on(run_interp, kernel, "k", grid, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, kernel);
  args[2] = ARG_ADDRESS(got + s.shift);
  args[3] = ARG_ADDRESS(got + ROOM);
  bool good = run_program_on(run_gpu, kernel, "k", grid, args, &log);
  if (!good && !engine_plant) fail_msg("sm_90a: %s\n%s", log.diagnostics, kernel);
  for (size_t i = 0; i < sizeof want && good; i++)
    if (want[i] != got[i])
      fail_msg("byte %zu is %02x, expected %02x\n%s", i, got[i], want[i], kernel);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  if (!good) return FOUND;
  return engine_took_bulk && strstr(engine_ptx, ".global.shared::cta.tile.bulk_group") ? BULK
                                                                                       : DIRECT;
}

static const shape usual = {.m = 100, .n = 96, .row = 128};
static const run_grid tiles = {2, 2, 1};

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_elements(void **state) {
  (void)state;
  static const char *const elems[] = {"f32", "f16", "bf16", "f8E4M3FN", "i8", "i16", "f64", "i64"};
  for (size_t i = 0; i < ARRAY_LEN(elems); i++) {
    assert_int_equal(run(&(text){.elem = elems[i]}, usual, tiles), BULK);
    assert_int_equal(!strstr(engine_ptx, "stmatrix.sync.aligned.m8n8.x4.shared"),
                     strstr(elems[i], "16") == NULL);
  }
}

/* Every way in which a tile may lie, inside and partly or wholly outside of the view. */
static void test_orders(void **state) {
  (void)state;
  static const char *const elems[] = {"f32", "bf16"};
  for (tile_order order = ROWS; order <= BATCH; order++)
    for (size_t i = 0; i < ARRAY_LEN(elems); i++) {
      text x = {.elem = elems[i], .order = order, .n = 128};
      assert_int_equal(run(&x, (shape){.m = 72, .n = 160, .row = 264}, (run_grid){2, 3, 1}), BULK);
      bool turns = i == 1 && (order == COLUMNS || order == TURNED);
      assert_int_equal(!strstr(engine_ptx, "x4.trans.shared.b16 [%r"), !turns);
    }
}

/* A hint, rows that are too short. */
static void test_direct(void **state) {
  (void)state;
  text hinted = {.elem = "f32", .hint = "<default = {allow_tma = false}>"};
  assert_int_equal(run(&hinted, usual, tiles), DIRECT);
  assert_int_equal(run(&(text){.elem = "f32", .n = 8}, usual, (run_grid){2, 2, 1}), DIRECT);
}

#define STORE(name, value, to, token, hint)                                                        \
  "%" name " = store_view_tko weak %" value ", %" to "[@] token = %" token hint                    \
  " : #, $, tile<i32> -> token\n"
#define NO_TMA " optimization_hints = <default = {allow_tma = false}>"
static const char load_back[] =
    "%y, %t10 = load_view_tko weak %c_p[@] token = %t9 : $, tile<i32> -> #, token\n"
    "%z = addf %y, %y : #\n" STORE("t11", "z", "d_p", "t10", "");
static const char overwrite[] = "%z = addf %x, %x : #\n" STORE("t11", "z", "c_p", "t9", "");
static const char overwrite_directly[] =
    "%z = addf %x, %x : #\n" STORE("t11", "z", "c_p", "t9", NO_TMA);
static const char directly_before[] =
    "%w = addf %x, %x : #\n%w0 = make_token : token\n" STORE("t8", "w", "c_p", "w0", NO_TMA);
static const char read_before[] =
    "%w0 = make_token : token\n"
    "%w, %t8 = load_view_tko weak %c_p[@] token = %w0 : $, tile<i32> -> #, token\n" STORE(
        "t7", "w", "d_p", "t8", NO_TMA);
static const char other_behind[] = "%z = addf %x, %x : #\n" STORE("t11", "z", "d_p", "t9", "");

/* One warpgroup and two, one panel and many; a tile that does not fit at once. */
static void test_tiles(void **state) {
  (void)state;
  static const unsigned sizes[][2] = {{64, 32}, {128, 64}, {64, 256}, {128, 128}, {256, 64}};
  for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
    text x = {.elem = "f32", .m = sizes[i][0], .n = sizes[i][1]};
    assert_int_equal(run(&x, (shape){.m = 250, .n = 250, .row = 256}, (run_grid){2, 2, 1}), BULK);
  }
  text x = {.elem = "f64", .m = 128, .n = 256, .behind = other_behind};
  assert_int_equal(run(&x, (shape){.m = 250, .n = 250, .row = 256}, (run_grid){1, 1, 1}), BULK);
  assert_non_null(strstr(engine_ptx, "cp.async.bulk.wait_group.read 1;"));
}

/* The program's order holds between bulk copies and other accesses. */
static void test_program_order(void **state) {
  (void)state;
  static const text texts[] = {{.behind = load_back},          {.behind = overwrite},
                               {.behind = overwrite_directly}, {.before = directly_before},
                               {.before = read_before},        {.behind = other_behind}};
  for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
    text x = texts[i];
    x.elem = i % 2 ? "f32" : "f16";
    assert_int_equal(run(&x, usual, tiles), BULK);
  }
}

/* What no map describes is found in the run; what is loaded comes by maps nonetheless. */
static void test_without_map(void **state) {
  (void)state;
  static const shape shapes[] = {{.m = 100, .n = 192, .row = 255},
                                 {.m = 100, .n = 192, .row = 256, .shift = 8},
                                 {.m = 0, .n = 192, .row = 256}};
  for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
    text x = {.elem = i % 2 ? "f64" : "f16", .n = 128, .behind = i ? NULL : load_back};
    assert_int_equal(run(&x, shapes[i], (run_grid){2, 2, 1}), BULK);
  }
}

/* Each wait and fence is needed: without it the checks find something. */
static void test_planted_faults(void **state) {
  (void)state;
  static const struct {
    const char *without;
    text x;
  } faults[] = {
      {"fence.proxy.async.shared::cta;", {0}},
      {"fence.proxy.async;", {.before = directly_before}},
      {"cp.async.bulk.commit_group;", {0}},
      {"cp.async.bulk.wait_group 0;", {0}},
      {"cp.async.bulk.wait_group 0;", {.behind = load_back}},
      {"cp.async.bulk.wait_group 0;", {.behind = overwrite_directly}},
      {"cp.async.bulk.wait_group.read 0;", {.behind = other_behind}},
      {"cp.async.bulk.wait_group.read 1;", {.elem = "f64", .m = 128, .n = 256}},
  };
  for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
    text x = faults[i].x;
    x.elem = x.elem ? x.elem : "f32";
    engine_without = faults[i].without;
    engine_plant = engine_leave_out;
    outcome o = run(&x, usual, (run_grid){1, 1, 1});
    engine_plant = NULL;
    if (o != FOUND) fail_msg("nothing is found without fault %zu, %s", i, faults[i].without);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elements),       cmocka_unit_test(test_orders),
      cmocka_unit_test(test_tiles),          cmocka_unit_test(test_direct),
      cmocka_unit_test(test_program_order),  cmocka_unit_test(test_without_map),
      cmocka_unit_test(test_planted_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
