/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pipelined loops (simt/pipeline.h) on the emulated GPU, with all checks on and copies that
 * complete as late as they may, beside the interpreter: operands in every order of memory, loops of
 * any length, tiles that stick out of their view, memory that is not aligned, loops that must not
 * be pipelined. Counters say which way was taken. Elements are small, so sums are exact in any
 * order.
 *
 *   test_nvptx_pipeline [first seed [how many]]     continues with random loops from a seed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "num/num.h"
#include "emu/counters.h"

enum { ROOM = 1 << 19, BATCH = 2, SEEDS = 24 };

/* C += A * B, in tiles m x n of C and k of the loop. */
typedef struct pipelined {
  tsr_elem elem, sum;
  unsigned m, n, k;
  bool a_turned, b_turned; /* in memory: a is [K, M], b is [N, K] */
  bool batched;            /* views of one dimension more, of which a tile has one element */
  const char *padding;     /* of a's and b's tiles; NULL: zero */
  const char *hints;       /* of a's load; NULL: none */
  const char *body;        /* text in the loop, in front of the loads */
  const char *after;       /* and after the product */
  unsigned M, N, K;
  unsigned a_stride, b_stride; /* elements from a row to the next; 0: as many as it has */
  unsigned shift;              /* elements by which a's and b's memory is not aligned */
  unsigned first, last, step;  /* of the loop; last 0: all tiles; step 0: 1 */
  bool outer;                  /* all of it happens twice */
  bool pointers;               /* a is read through pointers, masked along k */
  bool assumed;                /* of which is said that they are aligned */
} pipelined;

static _Alignas(256) uint8_t a[ROOM], b[ROOM], input_a[ROOM];
static _Alignas(256) uint32_t want[ROOM / 4], got[ROOM / 4];
static uint64_t seed_of_draw;

static uint32_t draw(uint32_t below) {
  seed_of_draw = seed_of_draw * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed_of_draw >> 33) % below;
}

static void fill(uint8_t *at, tsr_elem elem, size_t bytes) {
  const num_format *f = num_format_of(elem);
  unsigned size = tsr_elem_bits(elem) / 8;
  for (size_t i = 0; i < bytes / size; i++) {
    uint64_t bits = f ? num_encode(f, draw(9) / 4.0 - 1, NUM_NEAREST_EVEN) : draw(256);
    memcpy(at + i * size, &bits, size);
  }
}

/* ---- programs ------------------------------------------------------------------------------- */

static unsigned stride_of(const pipelined *p, bool is_a) {
  unsigned given = is_a ? p->a_stride : p->b_stride;
  bool turned = is_a ? p->a_turned : p->b_turned;
  return given ? given : is_a ? (turned ? p->M : p->K) : turned ? p->K : p->N;
}

static char *tile_type(arena *x, const pipelined *p, bool is_a, bool turned) {
  unsigned rows = is_a ? p->m : p->k, columns = is_a ? p->k : p->n;
  return arena_printf(x, "tile<%ux%ux%s>", turned ? columns : rows, turned ? rows : columns,
                      tsr_elem_name(p->elem));
}

/* "%a_p": tiles of the view of an operand; the kernel is told its extents and stride. */
static char *view_type(arena *x, const pipelined *p, bool is_a) {
  bool turned = is_a ? p->a_turned : p->b_turned;
  unsigned rows = is_a ? p->m : p->k, columns = is_a ? p->k : p->n;
  const char *elem = tsr_elem_name(p->elem), *padding = p->padding ? p->padding : "zero";
  return arena_printf(x,
                      "partition_view<tile=(%s%ux%u), padding_value = %s, "
                      "tensor_view<%s?x?x%s, strides=[%s?,1]>>",
                      p->batched ? "1x" : "", turned ? columns : rows, turned ? rows : columns,
                      padding, p->batched ? "?x" : "", elem, p->batched ? "?," : "");
}

static void say_view(arena *x, sbuf *t, const pipelined *p, bool is_a) {
  bool turned = is_a ? p->a_turned : p->b_turned;
  char name = is_a ? 'a' : 'b';
  const char *rows = is_a ? "M" : "K", *columns = is_a ? "K" : "N";
  const char *type = view_type(x, p, is_a), *batch = p->batched ? "%batch, " : "";
  char area[16];
  snprintf(area, sizeof area, "%%%c_area, ", name);
  const char *view = strstr(type, "tensor_view");
  sbuf_printf(t,
              "%%%c_v = make_tensor_view %%%c, shape = [%s%%%s, %%%s], strides = [%s%%%c_stride, "
              "1] : tile<i32> -> %.*s\n%%%c_p = make_partition_view %%%c_v : %s\n",
              name, name, batch, turned ? columns : rows, turned ? rows : columns,
              p->batched ? area : "", name, (int)strlen(view) - 1, view, name, name, type);
}

static void say_load(arena *x, sbuf *t, const pipelined *p, bool is_a) {
  bool turned = is_a ? p->a_turned : p->b_turned;
  char name = is_a ? 'a' : 'b';
  char *type = tile_type(x, p, is_a, turned), *straight = tile_type(x, p, is_a, false);
  char *loaded = p->batched ? arena_printf(x, "tile<1x%s", type + strlen("tile<"))
                            : arena_printf(x, "%s", type);
  const char *index = is_a != turned ? "%zero, %i" : "%i, %zero";
  const char *hints = is_a && p->hints ? p->hints : "";
  sbuf_printf(
      t, "%%%c_l, %%%c_t = load_view_tko weak %%%c_p[%s%s] %s : %s, tile<i32> -> %s, token\n", name,
      name, name, p->batched ? "%one, " : "", index, hints, view_type(x, p, is_a), loaded);
  sbuf_printf(t, "%%%c_s = reshape %%%c_l : %s -> %s\n", name, name, loaded, type);
  if (turned)
    sbuf_printf(t, "%%%c_x = permute %%%c_s [1, 0] : %s -> %s\n", name, name, type, straight);
  else
    sbuf_printf(t, "%%%c_x = reshape %%%c_s : %s -> %s\n", name, name, type, straight);
}

/* a[row, i * k + column], where that is below K; -1 beyond. */
static void say_pointers(sbuf *t, const pipelined *p) {
  const char *elem = tsr_elem_name(p->elem);
  unsigned m = p->m, k = p->k, by = p->assumed ? 8 : 1;
  sbuf_printf(t, "%%pa = assume div_by<%u>, %%a : tile<ptr<%s>>\n", by * 2, elem);
  sbuf_printf(t, "%%ps = assume div_by<%u>, %%a_stride : tile<i32>\n", by);
  sbuf_printf(t, "%%pk = assume div_by<%u>, %%K : tile<i32>\n", by);
  static const char *const scalars[] = {"pa", "ps", "pk", "tile_k"};
  sbuf_printf(t,
              "%%width = constant <i32: %u> : tile<i32>\n%%tile_k = muli %%i, %%width : "
              "tile<i32>\n",
              k);
  for (unsigned i = 0; i < ARRAY_LEN(scalars); i++) {
    char type[16];
    snprintf(type, sizeof type, i ? "i32" : "ptr<%s>", elem);
    sbuf_printf(t, "%%%s_1 = reshape %%%s : tile<%s> -> tile<1x1x%s>\n", scalars[i], scalars[i],
                type, type);
    sbuf_printf(t, "%%%s_n = broadcast %%%s_1 : tile<1x1x%s> -> tile<%ux%ux%s>\n", scalars[i],
                scalars[i], type, m, k, type);
  }
  sbuf_printf(t,
              "%%row = iota : tile<%uxi32>\n%%row_1 = reshape %%row : tile<%uxi32> -> "
              "tile<%ux1xi32>\n%%rows = broadcast %%row_1 : tile<%ux1xi32> -> tile<%ux%uxi32>\n",
              m, m, m, m, m, k);
  sbuf_printf(t,
              "%%col = iota : tile<%uxi32>\n%%col_1 = reshape %%col : tile<%uxi32> -> "
              "tile<1x%uxi32>\n%%cols = broadcast %%col_1 : tile<1x%uxi32> -> tile<%ux%uxi32>\n",
              k, k, k, k, m, k);
  sbuf_printf(t,
              "%%at_k = addi %%tile_k_n, %%cols : tile<%ux%uxi32>\n%%at_row = muli %%rows, %%ps_n "
              ": tile<%ux%uxi32>\n%%at = addi %%at_row, %%at_k : tile<%ux%uxi32>\n"
              "%%in = cmpi less_than %%at_k, %%pk_n, signed : tile<%ux%uxi32> -> tile<%ux%uxi1>\n",
              m, k, m, k, m, k, m, k, m, k);
  sbuf_printf(t,
              "%%ptr = offset %%pa_n, %%at : tile<%ux%uxptr<%s>>, tile<%ux%uxi32> -> "
              "tile<%ux%uxptr<%s>>\n%%less = constant <%s: -1.0> : tile<%ux%ux%s>\n",
              m, k, elem, m, k, m, k, elem, elem, m, k, elem);
  sbuf_printf(t,
              "%%a_x, %%a_t = load_ptr_tko weak %%ptr, %%in, %%less : tile<%ux%uxptr<%s>>, "
              "tile<%ux%uxi1>, tile<%ux%ux%s> -> tile<%ux%ux%s>, token\n",
              m, k, elem, m, k, m, k, elem, m, k, elem);
}

static char *text_of(arena *x, const pipelined *p) {
  sbuf t = SBUF(x);
  const char *elem = tsr_elem_name(p->elem), *sum = tsr_elem_name(p->sum);
  char *c = arena_printf(x, "tile<%ux%ux%s>", p->m, p->n, sum);
  char *c_view = arena_printf(x, "tensor_view<?x?x%s, strides=[?,1]>", sum);
  char *c_tiles = arena_printf(x, "partition_view<tile=(%ux%u), %s>", p->m, p->n, c_view);
  bool integer = p->sum == TSR_I32;
  sbuf_printf(&t,
              "cuda_tile.module @m { entry @k(%%a: tile<ptr<%s>>, %%b: tile<ptr<%s>>, %%c: "
              "tile<ptr<%s>>, %%M: tile<i32>, %%N: tile<i32>, %%K: tile<i32>, %%a_stride: "
              "tile<i32>, %%b_stride: tile<i32>, %%a_area: tile<i32>, %%b_area: tile<i32>, "
              "%%first: tile<i32>, %%last: tile<i32>, %%step: tile<i32>) {\n"
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%batch = constant <i32: %u> : tile<i32>\n",
              elem, elem, sum, BATCH);
  say_view(x, &t, p, true);
  say_view(x, &t, p, false);
  sbuf_printf(&t,
              "%%c_v = make_tensor_view %%c, shape = [%%M, %%N], strides = [%%N, 1] : tile<i32> -> "
              "%s\n%%c_p = make_partition_view %%c_v : %s\n%%begin, %%c_t = load_view_tko weak "
              "%%c_p[%%zero, %%zero] : %s, tile<i32> -> %s, token\n",
              c_view, c_tiles, c_tiles, c);
  if (p->outer)
    sbuf_printf(&t,
                "%%r = for %%again in (%%zero to %%batch, step %%one) : tile<i32> "
                "iter_values(%%so_far = %%begin) -> (%s) {\n",
                c);
  sbuf_printf(&t,
              "%%%s = for %%i in (%%first to %%last, step %%step) : tile<i32> "
              "iter_values(%%acc = %%%s) -> (%s) {\n%s",
              p->outer ? "inner" : "r", p->outer ? "so_far" : "begin", c, p->body ? p->body : "");
  if (p->pointers)
    say_pointers(&t, p);
  else
    say_load(x, &t, p, true);
  say_load(x, &t, p, false);
  sbuf_printf(&t, "%%s = %s %%a_x, %%b_x, %%acc %s: %s, %s, %s\n%s", integer ? "mmai" : "mmaf",
              integer ? "signed unsigned " : "", tile_type(x, p, true, false),
              tile_type(x, p, false, false), c, p->after ? p->after : "");
  sbuf_printf(&t, "continue %%s : %s\n}\n", c);
  if (p->outer) sbuf_printf(&t, "continue %%inner : %s\n}\n", c);
  sbuf_printf(&t,
              "%%t = store_view_tko weak %%r, %%c_p[%%zero, %%zero] : %s, %s, tile<i32> -> token\n"
              "}\n}\n",
              c, c_tiles);
  return t.data;
}

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct taken {
  uint64_t copies, shared_stores; /* by lanes */
} taken;

static taken took;

static void count(const counters *c) {
  taken r = {0};
  for (uint32_t i = 0; i < c->insns.n; i++) {
    char name[128];
    ptx_insn_name(c->insns.insns[i], name, sizeof name);
    if (strncmp(name, "cp.async.cg", 11) == 0) r.copies += c->by_insn[i].lanes;
    if (strncmp(name, "st.shared", 9) == 0) r.shared_stores += c->by_insn[i].lanes;
  }
  took = r;
}

/* Runs the program both ways; a's memory is compared, too, since a loop may store there. */
static taken run_both(const pipelined *p) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *text = text_of(&memory, p);
  size_t size = tsr_elem_bits(p->sum) / 8 * (size_t)p->M * p->N, bytes = tsr_elem_bits(p->elem) / 8;
  uint32_t tiles = (p->K + p->k - 1) / p->k, a_stride = stride_of(p, true);
  uint32_t b_stride = stride_of(p, false);
  uint32_t a_area = a_stride * (p->a_turned ? p->K : p->M);
  uint32_t b_area = b_stride * (p->b_turned ? p->N : p->K);
  size_t a_size = (a_area * BATCH + p->shift) * bytes, b_size = (b_area * BATCH + p->shift) * bytes;
  assert_true(size <= sizeof want && a_size <= sizeof a && b_size <= sizeof b);
  fill(a, p->elem, a_size);
  fill(b, p->elem, b_size);
  memcpy(input_a, a, sizeof a);
  memset(want, 0, size);
  memset(got, 0, size);
  run_grid one = {1, 1, 1};
  uint64_t args[] = {ARG_ADDRESS(a + p->shift * bytes),
                     ARG_ADDRESS(b + p->shift * bytes),
                     ARG_ADDRESS(want),
                     p->M,
                     p->N,
                     p->K,
                     a_stride,
                     b_stride,
                     a_area,
                     b_area,
                     p->first,
                     p->last ? p->last : tiles,
                     p->step ? p->step : 1};
  if (!run_program_on(run_interp, text, "k", one, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, text);
  static uint8_t left[ROOM];
  memcpy(left, a, sizeof a);
  memcpy(a, input_a, sizeof a);
  args[2] = ARG_ADDRESS(got);
  engine_count = count;
  engine_bulk = false; /* the loops that all threads copy for */
  bool ran = run_program_on(run_gpu, text, "k", one, args, &log);
  if (!ran) fail_msg("%s: %s\n%s", engine_target->name, log.diagnostics, text);
  for (size_t i = 0; i < size; i++)
    if (((uint8_t *)want)[i] != ((uint8_t *)got)[i])
      fail_msg("%s: byte %zu of c is %02x, expected %02x\n%s", engine_target->name, i,
               ((uint8_t *)got)[i], ((uint8_t *)want)[i], text);
  assert_memory_equal(left, a, sizeof a);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return took;
}

/* The same, less what happens in front of the loop and after it. */
static taken run_loop(const pipelined *p) {
  pipelined none = *p;
  none.first = none.last = 1;
  taken all = run_both(p), rest = run_both(&none);
  return (taken){all.copies - rest.copies, all.shared_stores - rest.shared_stores};
}

static const char *const cards[] = {"sm_80", "sm_90a"};

/* On both cards. `copied`: both operands by cp.async and by nothing else; otherwise none is. */
static void check(const pipelined *p, bool copied) {
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    engine_target = gpu_find_target(cards[i]);
    engine_schedule = EMU_ADVERSARIAL;
    taken t = run_loop(p);
    if (copied ? !t.copies || t.shared_stores : t.copies != 0)
      fail_msg("%s: %llu copies, %llu stores to shared memory, of %ux%ux%u %s", cards[i],
               (unsigned long long)t.copies, (unsigned long long)t.shared_stores, p->m, p->n, p->k,
               tsr_elem_name(p->elem));
  }
}

static pipelined plain(void) {
  return (pipelined){
      .elem = TSR_BF16, .sum = TSR_F32, .m = 32, .n = 32, .k = 32, .M = 32, .N = 32, .K = 160};
}

/* ---- what is copied ------------------------------------------------------------------------- */

/* Every type whose elements tensor cores take as they lie in memory, in all orders; f8 where it is
 * multiplied as such. */
static void test_types(void **unused) {
  (void)unused;
  static const struct {
    tsr_elem elem, sum;
    unsigned m, n, k;
  } types[] = {{TSR_F16, TSR_F32, 32, 16, 32},  {TSR_BF16, TSR_F32, 16, 32, 16},
               {TSR_TF32, TSR_F32, 32, 32, 16}, {TSR_F64, TSR_F64, 16, 16, 8},
               {TSR_I8, TSR_I32, 32, 16, 64},   {TSR_F16, TSR_F16, 16, 16, 64}};
  for (size_t i = 0; i < ARRAY_LEN(types); i++)
    for (unsigned turned = 0; turned < 4; turned++) {
      pipelined p = {.elem = types[i].elem,
                     .sum = types[i].sum,
                     .m = types[i].m,
                     .n = types[i].n,
                     .k = types[i].k,
                     .a_turned = turned & 1,
                     .b_turned = turned >> 1 & 1};
      p.M = p.m, p.N = p.n, p.K = 4 * p.k;
      check(&p, true);
    }
}

/* Rows of one chunk to several panels, few warps and many; products by wgmma among them. */
static void test_shapes(void **unused) {
  (void)unused;
  static const uint16_t sizes[][3] = {{16, 8, 16}, {64, 64, 16}, {64, 16, 128}, {128, 128, 32}};
  for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
    for (unsigned turned = 0; turned < 4; turned++) {
      pipelined p = plain();
      p.m = p.M = sizes[i][0], p.n = p.N = sizes[i][1], p.k = sizes[i][2];
      p.K = 3 * p.k;
      p.a_turned = turned & 1, p.b_turned = turned >> 1 & 1;
      check(&p, true);
    }
}

static void test_batches(void **unused) {
  (void)unused;
  pipelined p = plain();
  p.batched = true;
  check(&p, true);
  p.b_turned = true;
  check(&p, true);
}

/* Loops of no iteration, of fewer than there are stages, of just as many, of more; other steps. */
static void test_lengths(void **unused) {
  (void)unused;
  for (unsigned tiles = 0; tiles <= 5; tiles++) {
    pipelined p = plain();
    p.K = tiles * p.k;
    if (!tiles) p.K = p.k, p.first = p.last = 1;
    for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
      engine_target = gpu_find_target(cards[i]);
      taken t = run_both(&p);
      /* As many chunks as there are, and no more: 16 bytes each. */
      assert_int_equal(t.copies, tiles * (p.m * p.k + p.k * p.n) * 2 / 16);
    }
  }
  pipelined p = plain();
  p.step = 2;
  check(&p, true);
  p.first = 1, p.last = 4;
  check(&p, true);
  p.outer = true;
  check(&p, true);
}

/* What lies outside of the view is padding. */
static void test_tails(void **unused) {
  (void)unused;
  static const char *const paddings[] = {"zero", "neg_zero", "nan", "pos_inf"};
  for (size_t i = 0; i < ARRAY_LEN(paddings); i++)
    for (unsigned turned = 0; turned < 4; turned++) {
      pipelined p = plain();
      p.M = 24, p.N = 16, p.K = 104; /* chunks stay whole */
      p.a_turned = turned & 1, p.b_turned = turned >> 1 & 1;
      p.padding = paddings[i];
      for (size_t k = 0; k < ARRAY_LEN(cards); k++) {
        engine_target = gpu_find_target(cards[k]);
        taken t = run_loop(&p);
        assert_true(t.copies > 0);
        assert_int_equal(t.shared_stores > 0, i > 0); /* zeros are cp.async's */
      }
    }
}

/* Through pointers of which enough is known; otherwise only the other operand is copied. */
static void test_pointers(void **unused) {
  (void)unused;
  pipelined p = plain();
  p.pointers = p.assumed = true;
  check(&p, true);
  p.K = 136; /* elements outside are not zero, and are stored */
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    engine_target = gpu_find_target(cards[i]);
    taken whole = run_loop(&p);
    assert_true(whole.copies > 0 && whole.shared_stores > 0);
    pipelined unknown = p;
    unknown.assumed = false;
    assert_true(run_loop(&unknown).copies < whole.copies);
  }
}

/* How many stages a hint asks for: one means that nothing is to be copied ahead. */
static void test_hints(void **unused) {
  (void)unused;
  static const char *const hints[] = {
      "optimization_hints = <default = {latency = 2}>",
      "optimization_hints = <default = {latency = 5}>",
      ("optimization_hints = <default = {latency = 1}, sm_80 = {latency = 8}, "
       "sm_90 = {latency = 10}>")};
  static const char *const waits[] = {"cp.async.wait_group 0", "cp.async.wait_group 3",
                                      "cp.async.wait_group 6"};
  for (size_t i = 0; i < ARRAY_LEN(hints); i++) {
    pipelined p = plain();
    p.hints = hints[i];
    check(&p, true);
    assert_non_null(strstr(engine_ptx, waits[i]));
  }
}

/* ---- what is not ---------------------------------------------------------------------------- */

/* Addresses or extents that are not multiples of a chunk: known when the kernel runs only. */
static void test_unaligned(void **unused) {
  (void)unused;
  for (unsigned i = 0; i < 4; i++) {
    pipelined p = plain();
    if (i == 0) p.shift = 1;
    if (i == 1) p.a_stride = 163;
    if (i == 2) p.N = 31, p.b_stride = 33;
    if (i == 3) p.K = 157, p.a_stride = 160;
    check(&p, false);
    assert_non_null(strstr(engine_ptx, "cp.async.cg")); /* for when they are */
  }
}

#define TILE_STORE                                                                                 \
  "%next = addi %i, %one : tile<i32>\n"                                                            \
  "%twos = constant <bf16: 2.0> : tile<32x32xbf16>\n"                                              \
  "%ts = store_view_tko weak %twos, %a_p[%zero, %next] : tile<32x32xbf16>, partition_view<tile="   \
  "(32x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token\n"

/* On each card: one operand is copied ahead, the other is not. */
static void check_one_copied(const pipelined *p) {
  for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
    engine_target = gpu_find_target(cards[i]);
    taken t = run_loop(p);
    assert_true(t.copies > 0 && t.shared_stores > 0);
  }
}

/* What an iteration may not be read ahead of: accesses with an order; an end of the iteration
 * before the load; stores to what is read, also in a branch, which the other operand may pass. */
static void test_fallbacks(void **unused) {
  (void)unused;
  static const char *const in_front[] = {
      "%x, %tx = load_ptr_tko acquire device %c : tile<ptr<f32>> -> tile<f32>, token\n",
      "%is = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\nif %is {\ncontinue %acc : "
      "tile<32x32xf32>\n}\n",
      "%ok = cmpi greater_than_or_equal %i, %zero, signed : tile<i32> -> tile<i1>\nassert %ok, "
      "\"below\" : tile<i1>\n",
  };
  for (size_t i = 0; i < ARRAY_LEN(in_front); i++) {
    pipelined p = plain();
    p.body = in_front[i];
    check(&p, false);
    assert_null(strstr(engine_ptx, "cp.async"));
  }
  pipelined p = plain();
  p.body = TILE_STORE;
  check_one_copied(&p);
  p.body =
      "%is = cmpi greater_than %i, %zero, signed : tile<i32> -> tile<i1>\nif %is {\n" TILE_STORE
      "}\n";
  check_one_copied(&p);
  p = plain();
  p.after = TILE_STORE;
  check_one_copied(&p);
  p = plain();
  p.hints = "optimization_hints = <default = {latency = 1}>";
  check_one_copied(&p);
}

/* What does not forbid it: an end of the iteration after the loads, loads of other memory. */
static void test_still_copied(void **unused) {
  (void)unused;
  pipelined p = plain();
  p.after = "%is = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\nif %is {\ncontinue %acc : "
            "tile<32x32xf32>\n}\n";
  check(&p, true);
  p = plain();
  p.body = "%x, %tx = load_ptr_tko weak %c : tile<ptr<f32>> -> tile<f32>, token\n";
  check(&p, true);
}

/* Operands that don't fit shared memory together: one comes in pieces along k. */
static void test_pieces(void **unused) {
  (void)unused;
  engine_target = gpu_find_target("sm_86");
  for (unsigned turned = 0; turned < 4; turned++) {
    pipelined p = {.elem = TSR_F64,
                   .sum = TSR_F64,
                   .m = 128,
                   .n = 128,
                   .k = 64,
                   .M = 120,
                   .N = 128,
                   .K = 100,
                   .a_turned = turned & 1,
                   .b_turned = turned >> 1 & 1};
    assert_true(run_both(&p).copies == 0);
  }
}

/* f8 is multiplied as f16 by what sm_80 has: it must be widened on the way. */
static void test_converted(void **unused) {
  (void)unused;
  pipelined p = {.elem = TSR_F8E4M3FN, .sum = TSR_F32, .m = 32, .n = 32, .k = 32, .b_turned = true};
  p.M = p.N = 32, p.K = 96;
  engine_target = gpu_find_target("sm_80");
  assert_true(run_both(&p).copies == 0);
  engine_target = gpu_find_target("sm_89");
  assert_true(run_both(&p).copies > 0);
  engine_target = gpu_find_target("sm_90a");
  assert_true(run_both(&p).copies > 0);
}

/* ---- anything ------------------------------------------------------------------------------- */

static uint64_t first_seed = 1, seed_count = SEEDS;

static pipelined random_loop(void) {
  static const struct {
    tsr_elem elem, sum;
  } types[] = {{TSR_F16, TSR_F32}, {TSR_BF16, TSR_F32}, {TSR_TF32, TSR_F32},
               {TSR_I8, TSR_I32},  {TSR_F16, TSR_F16},  {TSR_F8E5M2, TSR_F32}};
  static const char *const paddings[] = {"zero", "neg_zero", NULL};
  unsigned type = draw(ARRAY_LEN(types));
  pipelined p = {.elem = types[type].elem, .sum = types[type].sum};
  p.m = 16u << draw(4), p.n = 8u << draw(4), p.k = 8u << draw(4);
  p.a_turned = draw(2), p.b_turned = draw(2), p.batched = draw(4) == 0, p.outer = draw(4) == 0;
  bool floats = p.sum != TSR_I32;
  p.padding = paddings[floats ? draw(ARRAY_LEN(paddings)) : 0];
  unsigned grain = draw(3) ? 16 : 1;
  p.M = p.m - draw(3) * draw(p.m / grain) / 2 * grain;
  p.N = p.n - (p.n > grain ? draw(2) * draw(p.n / grain) * grain : 0);
  p.M = MAX(p.M, 1), p.N = MAX(p.N, 1);
  p.K = p.k * draw(6) + draw(2) * draw(p.k / MIN(grain, p.k)) * MIN(grain, p.k);
  p.K = MAX(p.K, 1);
  if (draw(4) == 0) p.shift = draw(9);
  if (draw(3) == 0) p.step = 1 + draw(3);
  if (draw(4) == 0) p.first = draw(3);
  return p;
}

static void test_random(void **unused) {
  (void)unused;
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
    for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
      seed_of_draw = seed * 77 + 5;
      pipelined p = random_loop();
      engine_target = gpu_find_target(cards[i]);
      engine_schedule = seed % 2 ? EMU_ADVERSARIAL : EMU_RANDOM;
      run_both(&p);
    }
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),     cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_batches),   cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_tails),     cmocka_unit_test(test_hints),
      cmocka_unit_test(test_unaligned), cmocka_unit_test(test_fallbacks),
      cmocka_unit_test(test_converted), cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_pointers),  cmocka_unit_test(test_still_copied),
      cmocka_unit_test(test_random),
  };
  const struct CMUnitTest only_random[] = {cmocka_unit_test(test_random)};
  if (argc > 1) return cmocka_run_group_tests(only_random, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
