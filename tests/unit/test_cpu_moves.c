/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What only moves keeps its bits, NaNs of every kind included: patterns of each element type go
 * through everything that moves elements, on every engine. Of types of up to 16 bits these are all
 * patterns, of others those of special numbers and many random ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "every_engine.h"
#include "num/num.h"
#include "writer.h"

enum { TILE = 1024, MOST_BLOCKS = 64, OUTPUTS = 8, LISTED = 16 };
enum { BYTES = TILE * MOST_BLOCKS * 8 };

/* ---- programs ------------------------------------------------------------------------------- */

/* $A: a tile of 1024 elements $E, in rows $S; $I: another type of as many bits; $T: all elements;
 * $P: a pointer to elements; $L: some patterns, as literals; $B: the bytes of a tile; $O: where
 * output 6 begins. Some lines stand for several: see expand. */
static const char begin[] =
    "cuda_tile.module @m {\n"
    "$G entry @k(%p: $P, %q: $P, %n: tile<i32>) {\n"
    "%b, %by, %bz = get_tile_block_id : tile<i32>\n"
    "%c0 = constant <i32: 0> : tile<i32>\n%c1 = constant <i32: 1> : tile<i32>\n"
    "%c2 = constant <i32: 2> : tile<i32>\n%c3 = constant <i32: 3> : tile<i32>\n"
    "%c4 = constant <i32: 4> : tile<i32>\n%c5 = constant <i32: 5> : tile<i32>\n"
    "%c6 = constant <i32: 6> : tile<i32>\n%c7 = constant <i32: 7> : tile<i32>\n"
    "%pv = make_tensor_view %p, shape = [$T], strides = [1] : tensor_view<$Tx$E, strides=[1]>\n"
    "%pp = make_partition_view %pv : partition_view<tile=(1024), tensor_view<$Tx$E, "
    "strides=[1]>>\n"
    "%qv = make_tensor_view %q, shape = [8, $T], strides = [$T, 1] : tensor_view<8x$Tx$E, "
    "strides=[$T,1]>\n"
    "%qq = make_partition_view %qv : $V\n"
    "%x, %t = load_view_tko weak %pp[%b] : partition_view<tile=(1024), tensor_view<$Tx$E, "
    "strides=[1]>>, tile<i32> -> $A, token\n"
    "%s = reshape %x : $A -> $S\n"
    "%turned = permute %s [1, 0] : $S -> $S\n"
    "%i = iota : tile<1024xi32>\n"
    "%odd = trunci %i : tile<1024xi32> -> tile<1024xi1>\n"
    "%each = constant <i32: 1024> : tile<i32>\n"
    "%from = muli %b, %each : tile<i32>\n";
static const char end[] = "}\n}\n";

static const char moves[] = "store %x at 0\n"
                            "rows %turned at 1\n"
                            "%low = extract %x[%c0] : $A -> tile<512x$E>\n"
                            "%high = extract %x[%c1] : $A -> tile<512x$E>\n"
                            "%y2 = cat %high, %low dim = 0 : tile<512x$E>, tile<512x$E> -> $A\n"
                            "store %y2 at 2\n"
                            "%row = extract %s[%n, %c0] : $S -> tile<1x32x$E>\n"
                            "%y3 = insert %row, %turned[%b, %c0] : tile<1x32x$E>, $S -> $S\n"
                            "rows %y3 at 3\n"
                            "%y4 = broadcast %row : tile<1x32x$E> -> $S\n"
                            "rows %y4 at 4\n";

/* Not of f4E2M1FN. */
static const char choices[] = "%flat = reshape %turned : $S -> $A\n"
                              "%y5 = select %odd, %x, %flat : tile<1024xi1>, $A\n"
                              "store %y5 at 5\n"
                              "%put = reshape %y3 : $S -> $A\n"
                              "%y6 = select %odd, %y2, %put : tile<1024xi1>, $A\n"
                              "store %y6 at 6\n";

static const char as_bits[] =
    "%as = bitcast %s : $S -> tile<32x32x$I>\n"
    "%moved = permute %as [1, 0] : tile<32x32x$I> -> tile<32x32x$I>\n"
    "%y0 = bitcast %moved : tile<32x32x$I> -> $S\n"
    "rows %y0 at 0\n"
    "%flat = bitcast %x : $A -> tile<1024x$I>\n"
    "%y1 = bitcast %flat : tile<1024x$I> -> $A\n"
    "store %y1 at 1\n"
    "%other = reshape %moved : tile<32x32x$I> -> tile<1024x$I>\n"
    "%chosen = select %odd, %flat, %other : tile<1024xi1>, tile<1024x$I>\n"
    "%y2 = bitcast %chosen : tile<1024x$I> -> $A\n"
    "store %y2 at 2\n"
    "store %x at 3\n";

static const char packed[] = "%bytes = pack %x : $A -> tile<$Bxi8>\n"
                             "%y0 = unpack %bytes : tile<$Bxi8> -> $A\n"
                             "store %y0 at 0\n"
                             "store %x at 1\n";

static const char control[] =
    "%l0 = for %j in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %s) -> ($S) {\n"
    "  %a1 = permute %a [1, 0] : $S -> $S\n"
    "  continue %a1 : $S\n"
    "}\n"
    "rows %l0 at 0\n"
    "%l1, %l2 = for %j in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %s, %d = %turned) -> "
    "($S, $S) {\n"
    "  continue %d, %a : $S, $S\n"
    "}\n"
    "rows %l1 at 1\n"
    "rows %l2 at 2\n"
    "%l3, %last = loop iter_values(%a = %s, %k = %c0) : $S, tile<i32> -> $S, tile<i32> {\n"
    "  %end = cmpi equal %k, %n, signed : tile<i32> -> tile<i1>\n"
    "  if %end {\n"
    "    break %a, %k : $S, tile<i32>\n"
    "  }\n"
    "  %next = addi %k, %c1 : tile<i32>\n"
    "  %a1 = permute %a [1, 0] : $S -> $S\n"
    "  continue %a1, %next : $S, tile<i32>\n"
    "}\n"
    "rows %l3 at 3\n"
    "%half = trunci %b : tile<i32> -> tile<i1>\n"
    "%y4 = if %half -> ($S) {\n"
    "  yield %s : $S\n"
    "} else {\n"
    "  yield %l3 : $S\n"
    "}\n"
    "rows %y4 at 4\n";

static const char choices_in_loop[] =
    "%flat = reshape %l1 : $S -> $A\n"
    "%l5 = for %j in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %x) -> ($A) {\n"
    "  %a1 = select %odd, %a, %flat : tile<1024xi1>, $A\n"
    "  continue %a1 : $A\n"
    "}\n"
    "store %l5 at 5\n";

/* One element at a time, of a few in each tile block. */
static const char scalars[] =
    "%some = constant <i32: 64> : tile<i32>\n"
    "%pb = offset %p, %from : $P, tile<i32> -> $P\n"
    "%qb = offset %q, %from : $P, tile<i32> -> $P\n"
    "%first, %t1 = load_ptr_tko weak %pb : $P -> tile<$E>, token\n"
    "%one, %two = for %j in (%c0 to %some, step %c1) : tile<i32> iter_values(%a = %first, %d = "
    "%first) -> (tile<$E>, tile<$E>) {\n"
    "  %pj = offset %pb, %j : $P, tile<i32> -> $P\n"
    "  %v, %tv = load_ptr_tko weak %pj : $P -> tile<$E>, token\n"
    "  %bit = trunci %j : tile<i32> -> tile<i1>\n"
    "  %w = if %bit -> (tile<$E>) {\n"
    "    yield %v : tile<$E>\n"
    "  } else {\n"
    "    yield %a : tile<$E>\n"
    "  }\n"
    "  %u = select %bit, %d, %v : tile<i1>, tile<$E>\n"
    "  %qj = offset %qb, %j : $P, tile<i32> -> $P\n"
    "  %tw = store_ptr_tko weak %qj, %w : $P, tile<$E> -> token\n"
    "  %jj = addi %j, %some : tile<i32>\n"
    "  %qjj = offset %qb, %jj : $P, tile<i32> -> $P\n"
    "  %tu = store_ptr_tko weak %qjj, %u : $P, tile<$E> -> token\n"
    "  continue %v, %w : tile<$E>, tile<$E>\n"
    "}\n"
    "%one1 = reshape %one : tile<$E> -> tile<1x$E>\n"
    "%ones = broadcast %one1 : tile<1x$E> -> $A\n"
    "store %ones at 1\n"
    "%two1 = reshape %two : tile<$E> -> tile<1x$E>\n"
    "%twos = broadcast %two1 : tile<1x$E> -> $A\n"
    "%y2 = select %odd, %twos, %x : tile<1024xi1>, $A\n"
    "store %y2 at 2\n";

static const char memory[] =
    "%pb = offset %p, %from : $P, tile<i32> -> $P\n"
    "%last = constant <i32: 1023> : tile<1024xi32>\n"
    "%back = subi %last, %i : tile<1024xi32>\n"
    "pointers %at from %pb at %back\n"
    "%y0, %t0 = load_ptr_tko weak %at, %odd, %x : tile<1024xptr<$E>>, tile<1024xi1>, $A -> $A, "
    "token\n"
    "store %y0 at 0\n"
    "%y1, %t1 = load_ptr_tko relaxed device %at : tile<1024xptr<$E>> -> $A, token\n"
    "store %y1 at 1\n"
    "%mem = alloca num_elem = 1024, alignment = 16 : $P\n"
    "pointers %to from %mem at %i\n"
    "%t2 = store_ptr_tko weak %to, %y0 : tile<1024xptr<$E>>, $A -> token\n"
    "pointers %of from %mem at %back\n"
    "%y2, %t3 = load_ptr_tko weak %of token=%t2 : tile<1024xptr<$E>> -> $A, token\n"
    "store %y2 at 2\n"
    "%g = get_global @g : $P\n"
    "%sixteen = constant <i32: 15> : tile<1024xi32>\n"
    "%low = andi %i, %sixteen : tile<1024xi32>\n"
    "pointers %gp from %g at %low\n"
    "%y3, %t4 = load_ptr_tko weak %gp : tile<1024xptr<$E>> -> $A, token\n"
    "store %y3 at 3\n"
    "%k = constant <$E: [$L]> : tile<16x$E>\n"
    "%kr = reshape %k : tile<16x$E> -> tile<1x16x$E>\n"
    "%kb = broadcast %kr : tile<1x16x$E> -> tile<64x16x$E>\n"
    "%y4 = reshape %kb : tile<64x16x$E> -> $A\n"
    "store %y4 at 4\n"
    "%y5 = select %odd, %y4, %x : tile<1024xi1>, $A\n"
    "store %y5 at 5\n"
    "%seventh = constant <i32: $O> : tile<i32>\n"
    "%q6 = offset %q, %seventh : $P, tile<i32> -> $P\n"
    "%qb = offset %q6, %from : $P, tile<i32> -> $P\n"
    "pointers %away from %qb at %back\n"
    "%t5 = store_ptr_tko relaxed device %away, %y0 : tile<1024xptr<$E>>, $A -> token\n";

/* Values that are computed with, too. */
static const char beside[] =
    "%m = reduce %x dim=0 identities=[0.0 : $E] : $A -> tile<$E> (%a: tile<$E>, %d: tile<$E>) {\n"
    "  %r = maxf %a, %d : tile<$E>\n"
    "  yield %r : tile<$E>\n"
    "}\n"
    "%m1 = reshape %m : tile<$E> -> tile<1x$E>\n"
    "%ms = broadcast %m1 : tile<1x$E> -> $A\n"
    "%y0 = subf %x, %ms : $A\n"
    "store %y0 at 0\n"
    "store %x at 1\n"
    "%less = cmpf less_than unordered %x, %y0 : $A -> tile<1024xi1>\n"
    "%y2 = select %less, %x, %y0 : tile<1024xi1>, $A\n"
    "store %y2 at 2\n"
    "rows %turned at 3\n"
    "%flat = reshape %turned : $S -> $A\n"
    "%y4 = maxf %flat, %x : $A\n"
    "store %y4 at 4\n"
    "%l5 = for %j in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %x) -> ($A) {\n"
    "  %a1 = select %odd, %a, %y0 : tile<1024xi1>, $A\n"
    "  continue %a1 : $A\n"
    "}\n"
    "store %l5 at 5\n"
    "%y6 = addf %flat, %flat : $A\n"
    "store %y6 at 6\n";

/* "store %v at k": a tile is output k; "rows %v at k": the same in rows; "pointers %v from %p at
 * %i": 1024 pointers. Other lines are what they say. */
static void expand(writer *w, const char *body) {
  for (const char *line = body; *line;) {
    const char *next = strchr(line, '\n') + 1;
    char name[16], from[16], index[16];
    unsigned k;
    bool rows = sscanf(line, "rows %15s at %u", name, &k) == 2;
    if (rows || sscanf(line, "store %15s at %u", name, &k) == 2)
      say(w,
          "%%out%u = reshape %s : %s -> tile<1x1024x$E>\n"
          "%%done%u = store_view_tko weak %%out%u, %%qq[%%c%u, %%b] : tile<1x1024x$E>, $V, "
          "tile<i32> -> token\n",
          k, name, rows ? "$S" : "$A", k, k, k);
    else if (sscanf(line, "pointers %15s from %15s at %15s", name, from, index) == 3)
      say(w,
          "%s1 = reshape %s : $P -> tile<1xptr<$E>>\n"
          "%ss = broadcast %s1 : tile<1xptr<$E>> -> tile<1024xptr<$E>>\n"
          "%s = offset %ss, %s : tile<1024xptr<$E>>, tile<1024xi32> -> tile<1024xptr<$E>>\n",
          name, from, name, name, name, name, index);
    else
      say(w, "%.*s", (int)(next - line), line);
    line = next;
  }
}

/* ---- patterns ------------------------------------------------------------------------------- */

static uint8_t input[BYTES], expected[OUTPUTS * BYTES], got[OUTPUTS * BYTES];

typedef struct moved {
  tsr_elem elem;
  const char *other; /* a type of as many bits; NULL: none */
} moved;

static const moved types[] = {
    {TSR_F16, "i16"},      {TSR_BF16, "i16"},    {TSR_F32, "i32"},   {TSR_TF32, NULL},
    {TSR_F64, "i64"},      {TSR_F8E4M3FN, "i8"}, {TSR_F8E5M2, "i8"}, {TSR_F8E8M0FNU, "i8"},
    {TSR_F8E5M3FNU, "i8"}, {TSR_F4E2M1FN, NULL}, {TSR_I1, NULL},     {TSR_I8, "f8E5M2"},
    {TSR_I16, "f16"},      {TSR_I32, "f32"},     {TSR_I64, "f64"},
};

static uint64_t mixed(uint64_t x) {
  x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return x ^ x >> 32;
}

/* One of the special numbers of a wide float: NaNs of all kinds, zeros, infinities, subnormals. */
static uint64_t special(unsigned bits, uint64_t i) {
  unsigned mantissa = bits == 64 ? 52 : 23;
  uint64_t sign = UINT64_C(1) << (bits - 1), quiet = UINT64_C(1) << (mantissa - 1);
  uint64_t inf = (sign - 1) >> mantissa << mantissa, low = (UINT64_C(1) << mantissa) - 1;
  const uint64_t kinds[] = {0,           1,         quiet,   low,     inf,       inf | 1,
                            inf | quiet, inf | low, inf - 1, low + 1, quiet - 1, inf | (quiet - 1)};
  uint64_t kind = kinds[i / 2 % ARRAY_LEN(kinds)];
  if (i / 24 % 2) kind = (kind & inf) | (mixed(i) & low);
  return i & 1 ? kind | sign : kind;
}

/* Number i of a type's patterns: neighbours are far apart. */
static uint64_t pattern(tsr_elem elem, uint64_t i) {
  unsigned bits = tsr_elem_bits(elem);
  if (bits == 1) return mixed(i) & 1;
  if (bits <= 16) return i * 40503 & ((UINT64_C(1) << bits) - 1);
  uint64_t p = i % 2 ? mixed(i) : special(bits, i / 2);
  if (bits == 32) p &= UINT32_MAX;
  return elem == TSR_TF32 ? p & ~UINT64_C(0x1fff) : p; /* its padding is not kept */
}

static void put(tsr_elem elem, uint64_t i, uint64_t p) {
  unsigned bits = tsr_elem_bits(elem), bytes = MAX(bits, 8u) / 8;
  if (bits == 4)
    input[i / 2] = (uint8_t)(i & 1 ? input[i / 2] | p << 4 : p);
  else
    memcpy(input + i * bytes, &p, bytes);
}

/* In how many tiles all patterns are, or enough. */
static unsigned fill(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem), blocks = bits == 16 ? MOST_BLOCKS : bits > 16 ? 4 : 2;
  for (uint64_t i = 0; i < (uint64_t)blocks * TILE; i++) put(elem, i, pattern(elem, i));
  return blocks;
}

/* Some of them as literals, NaNs first. */
static void list(tsr_elem elem, char *out, size_t size) {
  unsigned bits = tsr_elem_bits(elem), n = 0;
  size_t at = 0;
  const num_format *f = num_format_of(elem);
  for (uint64_t i = 0; n < LISTED && at < size; i++) {
    uint64_t p = pattern(elem, i);
    if (f && n < LISTED / 2 && i < UINT16_MAX && !num_is_nan(f, p)) continue;
    if (n++) at += (size_t)snprintf(out + at, size - at, ", ");
    if (elem == TSR_I1)
      at += (size_t)snprintf(out + at, size - at, "%s", p ? "true" : "false");
    else if (f) /* without padding */
      at += (size_t)snprintf(out + at, size - at, "0x%0*llx", (int)(bits - f->shift + 3) / 4,
                             (unsigned long long)(p >> f->shift));
    else
      at += (size_t)snprintf(out + at, size - at, "%lld", (long long)num_sext(p, bits));
  }
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void compare(const moved *m, const char *program, const char *engine, size_t bytes) {
  size_t each = MAX(tsr_elem_bits(m->elem), 8u) / 8, of = bytes / OUTPUTS;
  for (size_t i = 0; i < bytes; i++) {
    if (got[i] == expected[i]) continue;
    uint64_t g = 0, x = 0;
    memcpy(&g, got + i / each * each, each);
    memcpy(&x, expected + i / each * each, each);
    fail_msg("%s of %s on %s: output %zu, element %zu is 0x%llx, not 0x%llx", program,
             tsr_elem_name(m->elem), engine, i / of, i % of / each, (unsigned long long)g,
             (unsigned long long)x);
  }
}

/* The text of a program, until the next call. `more`: NULL, or more of its body. */
static const char *program_of(const moved *m, unsigned blocks, const char *body, const char *more) {
  static char template[1 << 14], text[1 << 15];
  char listed[1024], total[16], bytes[16], seventh[16], whole[64], rows[64], view[160], pointer[64];
  char globals[1200] = "";
  const char *elem = tsr_elem_name(m->elem);
  writer w = {.text = template, .size = sizeof template};
  say(&w, "%s", begin);
  expand(&w, body);
  if (more) expand(&w, more);
  say(&w, "%s", end);
  list(m->elem, listed, sizeof listed);
  if (body == memory)
    snprintf(globals, sizeof globals, "global constant @g <%s: [%s]> : tile<16x%s>\n", elem, listed,
             elem);
  snprintf(total, sizeof total, "%u", blocks * TILE);
  snprintf(seventh, sizeof seventh, "%u", 6 * blocks * TILE);
  snprintf(bytes, sizeof bytes, "%u", TILE * tsr_elem_bits(m->elem) / 8);
  snprintf(whole, sizeof whole, "tile<1024x%s>", elem);
  snprintf(rows, sizeof rows, "tile<32x32x%s>", elem);
  snprintf(view, sizeof view, "partition_view<tile=(1x1024), tensor_view<8x%sx%s, strides=[%s,1]>>",
           total, elem, total);
  snprintf(pointer, sizeof pointer, "tile<ptr<%s>>", elem);
  const run_blank blanks[] = {{'G', globals},  {'E', elem},   {'A', whole},   {'S', rows},
                              {'I', m->other}, {'T', total},  {'V', view},    {'P', pointer},
                              {'B', bytes},    {'L', listed}, {'O', seventh}, {0}};
  run_fill(text, sizeof text, template, blanks);
  return text;
}

static void run_moves(const moved *m, const char *name, const char *body, const char *more) {
  static run_log log;
  unsigned blocks = fill(m->elem);
  const char *text = program_of(m, blocks, body, more);
  size_t all = OUTPUTS * tsr_elem_storage(m->elem, (size_t)blocks * TILE);
  run_grid grid = {(int32_t)blocks, 1, 1};
  memset(expected, 0, all);
  every_engine_expect(text, grid, (uint64_t[]){ARG_ADDRESS(input), ARG_ADDRESS(expected), 3}, &log);
  for (unsigned e = 0; e < ARRAY_LEN(every_engines); e++) {
    if (!every_engine_here(&every_engines[e])) continue;
    fill(m->elem);
    memset(got, 0, all);
    every_engine_run(&every_engines[e], text, grid,
                     (uint64_t[]){ARG_ADDRESS(input), ARG_ADDRESS(got), 3}, &log);
    compare(m, name, every_engines[e].name, all);
  }
}

#define ALL_TYPES(m) for (const moved *m = types; m < types + ARRAY_LEN(types); m++)

static bool is_nibble(const moved *m) {
  return tsr_elem_bits(m->elem) == 4;
}

static void test_moves(void **state) {
  (void)state;
  ALL_TYPES(m) {
    run_moves(m, "moves", moves, is_nibble(m) ? NULL : choices);
    /* The interpreter is the measure of all others: here it is measured itself. */
    fill(m->elem);
    assert_memory_equal(expected, input, tsr_elem_storage(m->elem, TILE));
  }
}

static void test_bits(void **state) {
  (void)state;
  ALL_TYPES(m) {
    if (m->other) run_moves(m, "bits", as_bits, NULL);
    if (m->other && tsr_elem_bits(m->elem) != 8) run_moves(m, "bytes", packed, NULL);
  }
}

static void test_control(void **state) {
  (void)state;
  ALL_TYPES(m) run_moves(m, "control flow", control, is_nibble(m) ? NULL : choices_in_loop);
}

static void test_scalars(void **state) {
  (void)state;
  ALL_TYPES(m) if (!is_nibble(m)) run_moves(m, "scalars", scalars, NULL);
}

static void test_memory(void **state) {
  (void)state;
  ALL_TYPES(m) if (!is_nibble(m)) run_moves(m, "memory", memory, NULL);
}

static void test_beside_arithmetic(void **state) {
  (void)state;
  ALL_TYPES(m)
  if (m->elem == TSR_F16 || m->elem == TSR_BF16 || m->elem == TSR_F32 || m->elem == TSR_F64)
    run_moves(m, "arithmetic", beside, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves),   cmocka_unit_test(test_bits),
      cmocka_unit_test(test_control), cmocka_unit_test(test_scalars),
      cmocka_unit_test(test_memory),  cmocka_unit_test(test_beside_arithmetic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
