/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every rule of the verifier that text can break: the smallest program that breaks it with the line
 * and the words of the message, and neighbours that do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "text/text.h"

#define TV  "tensor_view<64x64xf32, strides=[64,1]>"
#define PV  "partition_view<tile=(4x8), " TV ">"
#define GS  "gather_scatter_view<tile=(4x8), " TV ", sparse_dim=0>"
#define TVI "tensor_view<64xi32, strides=[1]>"
#define PVI "partition_view<tile=(8), " TVI ">"

/* What every kernel of this file begins with, on one line. */
static const char prelude[] =
    "cuda_tile.module @m { global @g <i32: [1]> : tile<1xi32> "
    "entry @k(%p: tile<ptr<f32>>, %pi: tile<ptr<i32>>, %i: tile<i32>, %l: tile<i64>, "
    "%c: tile<i1>, %s: tile<f32>) { "
    "%v = constant <i32: 0> : tile<8xi32> "
    "%w = constant <i64: 0> : tile<8xi64> "
    "%b = constant <i8: 0> : tile<8xi8> "
    "%m = constant <i1: 0> : tile<8xi1> "
    "%x = constant <f32: 0.0> : tile<8xf32> "
    "%h = constant <f16: 0.0> : tile<8xf16> "
    "%tf = constant <tf32: 0.0> : tile<8xtf32> "
    "%f8 = constant <f8E4M3FN: 0.0> : tile<8xf8E4M3FN> "
    "%f4 = constant <f4E2M1FN: 0.0> : tile<8xf4E2M1FN> "
    "%xx = constant <f32: 0.0> : tile<4x8xf32> "
    "%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>> "
    "%q = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>> "
    "%pi1 = reshape %pi : tile<ptr<i32>> -> tile<1xptr<i32>> "
    "%qi = broadcast %pi1 : tile<1xptr<i32>> -> tile<8xptr<i32>> "
    "%tok = make_token : token "
    "%tv = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : " TV " "
    "%tvi = make_tensor_view %pi, shape = [64], strides = [1] : " TVI " "
    "%pv = make_partition_view %tv : " PV " "
    "%pvi = make_partition_view %tvi : " PVI " "
    "%gs = make_gather_scatter_view %tv : " GS " ";

typedef struct rule_case {
  const char *source; /* operations after the prelude, or a whole module */
  unsigned line;      /* of the message in `source`; 0: it is valid */
  const char *text;   /* in the message; of a valid case in its only warning, or NULL */
} rule_case;

#define GOOD(source)                                                                               \
  { source, 0, NULL }
#define BAD(source, text)                                                                          \
  { source, 1, text }
#define BAD_AT(n, source, text)                                                                    \
  { source, n, text }
#define WARNING(source, text)                                                                      \
  { source, 0, text }

/* ---- running a case ------------------------------------------------------------------------- */

typedef struct report {
  unsigned count[4]; /* by severity */
  unsigned line;     /* of the first error or warning */
  char text[1024];
} report;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  report *r = user;
  if (r->count[d->severity]++ || d->severity == TSR_NOTE) return;
  r->line = d->line;
  snprintf(r->text, sizeof r->text, "%s", d->message);
}

static bool check(tsr_context *ctx, const char *text) {
  TSR_GUARD(ctx, return false);
  ir_module *m = text_parse(ctx, str_of(text), "case.mlir", false);
  bool ok = m && ir_verify(m);
  bool parsed = m != NULL;
  ir_module_destroy(m);
  TSR_UNGUARD(ctx);
  if (!parsed) print_error("not parsed:\n%s\n", text);
  return ok && parsed;
}

static unsigned failures;

static void run_case(const rule_case *c) {
  static char program[16384];
  report r = {0};
  bool whole = strncmp(c->source, "cuda_tile.module", 16) == 0;
  snprintf(program, sizeof program, whole ? "%.0s%s" : "%s\n%s\n}}", prelude, c->source);
  tsr_context *ctx =
      tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                .on_diagnostic = on_diagnostic,
                                                .diagnostic_user = &r});
  bool ok = check(ctx, program);
  tsr_context_destroy(ctx);
  unsigned line = c->line && !whole ? c->line + 1 : c->line;
  bool right = c->line ? !ok && r.count[TSR_ERROR] == 1 && r.line == line
                       : ok && !r.count[TSR_ERROR] && !c->text == !r.count[TSR_WARNING];
  if (right && (!c->text || strstr(r.text, c->text))) return;
  failures++;
  print_error("%s\n  expected line %u: %s\n  got %u errors, %u warnings; line %u: %s\n", c->source,
              line, c->text ? c->text : "(valid)", r.count[TSR_ERROR], r.count[TSR_WARNING], r.line,
              r.text);
}

static void run_cases(const rule_case *cases, size_t n) {
  failures = 0;
  for (size_t i = 0; i < n; i++) run_case(&cases[i]);
  assert_int_equal(failures, 0);
}

#define RUN(cases) run_cases(cases, ARRAY_LEN(cases))

/* ---- modules, entries, globals -------------------------------------------------------------- */

static void test_modules(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("cuda_tile.module @m { }"),
      GOOD("cuda_tile.module @m {\nentry @a() { return }\nentry @b() { }\n}"),
      BAD_AT(3, "cuda_tile.module @m {\nentry @a() { return }\nentry @a() { return }\n}",
             "entry: @a is already defined in this module"),
      BAD_AT(3,
             "cuda_tile.module @m {\nglobal @a <i32: [1]> : tile<1xi32>\nentry @a() { return "
             "}\n}",
             "entry: @a is already defined in this module"),
      BAD_AT(2, "cuda_tile.module @m {\nentry @a(%x: tile<4xf32>) { return }\n}",
             "entry: argument 0 has type tile<4xf32>; an argument of a kernel must have "
             "rank 0"),
      GOOD("cuda_tile.module @m {\nentry @a(%x: token) { return }\n}"),
      BAD_AT(2, "cuda_tile.module @m {\nglobal @g <i32: 1> : tile<i32>\n}",
             "global: the value must have rank 1, but has type tile<i32>"),
      GOOD("cuda_tile.module @m {\nglobal @g alignment = 64 <i32: [1]> : tile<1xi32>\n}"),
      BAD_AT(2, "cuda_tile.module @m {\nglobal @g alignment = 3 <i32: [1]> : tile<1xi32>\n}",
             "global: alignment is 3; expected a power of two"),
      BAD_AT(2, "cuda_tile.module @m {\nglobal @g alignment = -8 <i32: [1]> : tile<1xi32>\n}",
             "global: alignment is -8; expected a power of two"),
      GOOD("%a = get_global @g : tile<ptr<i32>>"),
      BAD("%a = get_global @nothing : tile<ptr<i32>>",
          "get_global: the module has no global @nothing"),
      BAD("%a = get_global @k : tile<ptr<i32>>", "get_global: @k is not a global but an entry"),
      BAD("%a = get_global @g : tile<ptr<f32>>",
          "get_global: the result points to f32, but @g holds i32"),
  };
  RUN(cases);
}

static void test_hints(void **state) {
  (void)state;
#define ENTRY(hints) "cuda_tile.module @m { entry @k() optimization_hints=<" hints "> { return } }"
#define LOAD(hints)                                                                                \
  "%a, %t = load_ptr_tko weak %q optimization_hints=<" hints "> : tile<8xptr<f32>> -> "            \
  "tile<8xf32>, token"
#define VIEW(hints)                                                                                \
  "%a, %t = load_view_tko weak %pv[%i, %i] optimization_hints=<" hints "> : " PV ", tile<i32> -> " \
  "tile<4x8xf32>, token"
  static const rule_case cases[] = {
      GOOD(ENTRY("")),
      GOOD(ENTRY("sm_100 = {num_cta_in_cga = 16, num_worker_warps_per_cta = 32, occupancy = 7}, "
                 "default = {occupancy = 32}")),
      WARNING(ENTRY("sm_100a = {occupancy = 2}"), "entry: the hint for 'sm_100a' is ignored"),
      WARNING(ENTRY("sm_100 = {speed = 2}"), "entry: hint 'speed' is ignored"),
      WARNING(ENTRY("sm_100 = {latency = 2}"),
              "entry: hint 'latency' is ignored: entry takes no such hint"),
      WARNING(ENTRY("sm_100 = {num_cta_in_cga = 7}"),
              "hint 'num_cta_in_cga = 7' for sm_100 is ignored: expected a power of two up to 16"),
      WARNING(ENTRY("sm_100 = {num_cta_in_cga = 32}"), "expected a power of two up to 16"),
      WARNING(ENTRY("sm_89 = {num_cta_in_cga = 2}"),
              "hint 'num_cta_in_cga = 2' for sm_89 is ignored: expected 1"),
      GOOD(ENTRY("sm_89 = {num_cta_in_cga = 1}")),
      WARNING(ENTRY("sm_100 = {occupancy = 0}"), "expected a number from 1 to 32"),
      WARNING(ENTRY("sm_100 = {occupancy = true}"),
              "hint 'occupancy' is ignored: it needs an integer"),
      GOOD(LOAD("sm_100 = {latency = 10}")),
      WARNING(LOAD("sm_100 = {latency = 11}"), "expected a number from 1 to 10"),
      WARNING(LOAD("sm_100 = {allow_tma = true}"), "load_ptr_tko takes no such hint"),
      GOOD(VIEW("sm_100 = {allow_tma = true, latency = 1}")),
      WARNING(VIEW("sm_100 = {allow_tma = 1}"),
              "hint 'allow_tma' is ignored: it needs true or false"),
  };
  RUN(cases);
}

/* ---- what the table says -------------------------------------------------------------------- */

static void test_table(void **state) {
  (void)state;
  static const rule_case cases[] = {
      BAD("%a = addi %x, %x : tile<8xf32>",
          "addi: operand 'lhs' must be a tile of integers, but has type tile<8xf32>; expected "
          "elements of type i1, i8, i16, i32 or i64"),
      BAD("%a = addf %tf, %tf : tile<8xtf32>",
          "addf: operand 'lhs' must be a tile of f16, bf16, f32 or f64, but has type tile<8xtf32>"),
      BAD("%a = cmpi equal %v, %v, signed : tile<8xi32> -> tile<8xi8>",
          "cmpi: result 'result' must be a tile of i1, but has type tile<8xi8>"),
      BAD("%a = cmpi equal %v, %v, signed : tile<8xi32> -> tile<4xi1>",
          "cmpi: lhs, rhs and result must have the same shape, but lhs is tile<8xi32> and result "
          "is tile<4xi1>"),
      BAD("%a = broadcast %x : tile<8xf32> -> tile<8xf16>",
          "broadcast: source and result must have the same element type, but source is tile<8xf32> "
          "and result is tile<8xf16>"),
      BAD("%a = broadcast %x : tile<8xf32> -> tile<8x8xf32>",
          "broadcast: source and result must have the same rank, but source is tile<8xf32> and "
          "result is tile<8x8xf32>"),
      BAD("%a = get_global @g : tile<1xptr<i32>>",
          "get_global: result 'result' must be a scalar pointer tile, but has type "
          "tile<1xptr<i32>>"),
      BAD_AT(1, "return\nreturn", "return: must be the last operation of its region"),
  };
  static const rule_case last_case = {"return\n%a = make_token : token", 1,
                                      "return: must be the last operation of its region"};
  RUN(cases);
  (void)last_case;
}

/* ---- core ----------------------------------------------------------------------------------- */

static void test_shapes(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = iota : tile<2xi1>"),
      GOOD("%a = iota : tile<256xi8>"),
      GOOD("%a = iota : tile<64xi64>"),
      BAD("%a = iota : tile<512xi8>", "iota: 512 elements are more than i8 can count; it has 256"),
      BAD("%a = iota : tile<i32>", "iota: the result must have rank 1, but has type tile<i32>"),
      BAD("%a = iota : tile<4x4xi32>", "iota: the result must have rank 1"),
      GOOD("%a = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>"),
      BAD("%a = broadcast %xx : tile<4x8xf32> -> tile<8x8xf32>",
          "broadcast: dimension 0 of the source is 4, that of the result is 8; it must be 1 or "
          "equal (shapes [4, 8] and [8, 8])"),
      GOOD("%a = reshape %xx : tile<4x8xf32> -> tile<2x16xf32>"),
      GOOD("%a = reshape %s : tile<f32> -> tile<1x1xf32>"),
      BAD("%a = reshape %xx : tile<4x8xf32> -> tile<64xf32>",
          "reshape: tile<4x8xf32> has 32 elements, but tile<64xf32> has 64"),
      BAD("%a = reshape %p : tile<ptr<f32>> -> tile<1xptr<i32>>",
          "reshape: source and result must have the same element type"),
      GOOD("%a = permute %xx [1, 0] : tile<4x8xf32> -> tile<8x4xf32>"),
      BAD("%a = permute %x [0] : tile<8xf32> -> tile<8xf32>",
          "permute: the source must have at least rank 2, but has type tile<8xf32>"),
      BAD("%a = permute %xx [1, 0, 2] : tile<4x8xf32> -> tile<8x4xf32>",
          "permute: the permutation has 3 entries, but the source has rank 2"),
      BAD("%a = permute %xx [1, 1] : tile<4x8xf32> -> tile<8x8xf32>",
          "permute: the permutation names dimension 1 twice"),
      BAD("%a = permute %xx [2, 0] : tile<4x8xf32> -> tile<8x4xf32>",
          "permute: entry 0 of the permutation is 2; expected 0 to 1"),
      BAD("%a = permute %xx [-1, 0] : tile<4x8xf32> -> tile<8x4xf32>",
          "permute: entry 0 of the permutation is -1; expected 0 to 1"),
      BAD("%a = permute %xx [1, 0] : tile<4x8xf32> -> tile<4x8xf32>",
          "permute: dimension 0 of the result is 4, but it is dimension 1 of the source, which is "
          "8"),
      GOOD("%a = cat %xx, %xx dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>"),
      BAD("%a = cat %xx, %xx dim = 2 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>",
          "cat: dim is 2, but the tiles have rank 2"),
      BAD("%a = cat %xx, %xx dim = -1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>",
          "cat: dim is -1, but the tiles have rank 2"),
      BAD("%a = cat %xx, %xx dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x32xf32>",
          "cat: dimension 1 of the result is 32; expected 8 + 8 = 16"),
      BAD("%a = cat %xx, %xx dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x16xf32>",
          "cat: dimension 0, along which nothing is joined, must be equal in all tiles, but the "
          "shapes are [4, 8], [4, 8] and [8, 16]"),
      BAD_AT(2,
             "%y = constant <f32: 0.0> : tile<2x8xf32>\n"
             "%a = cat %xx, %y dim = 1 : tile<4x8xf32>, tile<2x8xf32> -> tile<4x16xf32>",
             "the shapes are [4, 8], [2, 8] and [4, 16]"),
      GOOD("%a = extract %xx[%i, %i] : tile<4x8xf32> -> tile<4x2xf32>"),
      BAD("%a = extract %xx[%i, %i] : tile<4x8xf32> -> tile<8x8xf32>",
          "extract: dimension 0 of the source is 4, which does not divide into slices of 8"),
      BAD("%a = extract %xx[%i] : tile<4x8xf32> -> tile<4x2xf32>",
          "extract: expected 2 indices, one for each dimension of tile<4x8xf32>, got 1"),
      BAD("%a = extract %xx[%i, %i] : tile<4x8xf32> -> tile<4x2xf16>",
          "extract: the source consists of f32, but the result of f16; they must be equal"),
      GOOD("%s2 = constant <f32: 0.0> : tile<4x2xf32> "
           "%a = insert %s2, %xx[%i, %i] : tile<4x2xf32>, tile<4x8xf32> -> tile<4x8xf32>"),
      BAD("%s2 = constant <f32: 0.0> : tile<8x8xf32> "
          "%a = insert %s2, %xx[%i, %i] : tile<8x8xf32>, tile<4x8xf32> -> tile<4x8xf32>",
          "insert: dimension 0 of the destination is 4, which does not divide into slices of 8"),
      BAD("%s2 = constant <f32: 0.0> : tile<4x2xf32> "
          "%a = insert %s2, %xx[%i] : tile<4x2xf32>, tile<4x8xf32> -> tile<4x8xf32>",
          "insert: expected 2 indices, one for each dimension of tile<4x8xf32>, got 1"),
      BAD("%s2 = constant <f16: 0.0> : tile<4x2xf16> "
          "%a = insert %s2, %xx[%i, %i] : tile<4x2xf16>, tile<4x8xf32> -> tile<4x8xf32>",
          "insert: source and destination must have the same element type"),
      BAD("%a = insert %x, %xx[%i, %i] : tile<8xf32>, tile<4x8xf32> -> tile<4x8xf32>",
          "insert: source and destination must have the same rank"),
      BAD("%s2 = constant <f32: 0.0> : tile<4x2xf32> "
          "%a = insert %s2, %xx[%i, %i] : tile<4x2xf32>, tile<4x8xf32> -> tile<8x8xf32>",
          "insert: destination and result must have the same type"),
      BAD("%a = extract %q[%i] : tile<8xptr<f32>> -> tile<2xptr<i32>>",
          "extract: the source consists of ptr<f32>, but the result of ptr<i32>"),
      BAD("%a = extract %xx[%i, %i] : tile<4x8xf32> -> tile<2xf32>",
          "extract: source and result must have the same rank"),
      GOOD("%a = select %m, %x, %x : tile<8xi1>, tile<8xf32>"),
      BAD("%a = select %m, %f4, %f4 : tile<8xi1>, tile<8xf4E2M1FN>",
          "select: cannot choose between elements of type f4E2M1FN"),
  };
  RUN(cases);
}

static void test_packing(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = pack %x : tile<8xf32> -> tile<32xi8>"),
      GOOD("%a = pack %f4 : tile<8xf4E2M1FN> -> tile<4xi8>"),
      GOOD("%a = pack %m : tile<8xi1> -> tile<1xi8>"),
      GOOD("%a = pack %tf : tile<8xtf32> -> tile<32xi8>"),
      BAD("%a = pack %x : tile<8xf32> -> tile<8xi8>",
          "pack: tile<8xf32> takes 256 bits, but tile<8xi8> takes 64; they must be equally many"),
      BAD("%a = pack %f8 : tile<8xf8E4M3FN> -> tile<8xi8>",
          "pack: elements of f8E4M3FN and i8 are equally wide; use bitcast between them"),
      BAD("%a = pack %xx : tile<4x8xf32> -> tile<4x32xi8>",
          "pack: source and result must have rank 1, but the source has type tile<4x8xf32>"),
      GOOD("%a = unpack %b : tile<8xi8> -> tile<4xf16>"),
      BAD("%a = unpack %b : tile<8xi8> -> tile<8xf16>", "unpack: tile<8xi8> takes 64 bits"),
      BAD("%a = unpack %b : tile<8xi8> -> tile<8xf8E5M2>", "unpack: elements of i8 and f8E5M2"),
  };
  RUN(cases);
}

/* ---- conversions, floating point, integers -------------------------------------------------- */

static void test_conversions(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = bitcast %x : tile<8xf32> -> tile<8xi32>"),
      GOOD("%a = bitcast %b : tile<8xi8> -> tile<8xf8E5M2>"),
      BAD("%a = bitcast %x : tile<8xf32> -> tile<8xi64>",
          "bitcast: f32 has 32 bits, but i64 has 64; the widths must be equal"),
      BAD("%a = bitcast %m : tile<8xi1> -> tile<8xi8>", "bitcast: i1 has 1 bit, but i8 has 8"),
      BAD("%a = bitcast %tf : tile<8xtf32> -> tile<8xf32>", "bitcast: tf32 has 19 bits"),
      GOOD("%a = exti %b signed : tile<8xi8> -> tile<8xi32>"),
      BAD("%a = exti %b signed : tile<8xi8> -> tile<8xi8>",
          "exti: i8 is not wider than i8; use trunci to narrow"),
      BAD("%a = exti %v unsigned : tile<8xi32> -> tile<8xi16>", "exti: i16 is not wider than i32"),
      GOOD("%a = trunci %w : tile<8xi64> -> tile<8xi1>"),
      BAD("%a = trunci %v : tile<8xi32> -> tile<8xi32>",
          "trunci: i32 is not narrower than i32; use exti to widen"),
      BAD("%a = trunci %v : tile<8xi32> -> tile<8xi64>", "trunci: i64 is not narrower than i32"),
      GOOD("%a = ftof %x : tile<8xf32> -> tile<8xf16>"),
      BAD("%a = ftof %x : tile<8xf32> -> tile<8xf32>",
          "ftof: source and result both have type tile<8xf32>; remove the conversion"),
      GOOD("%a = ftof %x rounding<zero> : tile<8xf32> -> tile<8xf16>"),
      BAD("%a = ftof %x rounding<negative_inf> : tile<8xf32> -> tile<8xf16>",
          "ftof: a conversion from f32 to f16 rounds to nearest_even or zero, not negative_inf"),
      BAD("%a = ftof %x rounding<nearest_away> : tile<8xf32> -> tile<8xf16>",
          "ftof: a conversion from f32 to f16 rounds to nearest_even or zero, not nearest_away"),
      GOOD("%a = ftof %x rounding<nearest_away> : tile<8xf32> -> tile<8xtf32>"),
      BAD("%a = ftof %x rounding<positive_inf> : tile<8xf32> -> tile<8xtf32>",
          "rounds to nearest_even, zero or nearest_away, not positive_inf"),
      GOOD("%a = ftof %x rounding<nearest_away> : tile<8xf32> -> tile<8xf64>"),
      BAD("%a = ftof %x rounding<zero> : tile<8xf32> -> tile<8xf8E5M2>",
          "ftof: a conversion from f32 to f8E5M2 rounds to nearest_even, not zero"),
      BAD("%a = ftof %x rounding<zero> : tile<8xf32> -> tile<8xf8E5M3FNU>",
          "ftof: a conversion from f32 to f8E5M3FNU rounds to nearest_even, not zero"),
      GOOD("%a = ftof %x rounding<zero> : tile<8xf32> -> tile<8xf8E8M0FNU>"),
      GOOD("%a = ftof %x rounding<positive_inf> : tile<8xf32> -> tile<8xf8E8M0FNU>"),
      BAD("%a = ftof %x : tile<8xf32> -> tile<8xf8E8M0FNU>",
          "ftof: a conversion to f8E8M0FNU rounds towards zero or positive_inf, not nearest_even"),
      GOOD("%a = ftoi %x signed saturating : tile<8xf32> -> tile<8xi32>"),
      GOOD("%a = fpowi %x, %v : tile<8xf32>, tile<8xi32>"),
      BAD("%a = fpowi %x, %w : tile<8xf32>, tile<8xi64>",
          "fpowi: operand 'exponent' must be a tile of i1, i8, i16 or i32, but has type "
          "tile<8xi64>"),
      BAD("%a = fpowi %x, %i : tile<8xf32>, tile<i32>",
          "fpowi: source, exponent and result must have the same shape"),
      GOOD("%a = itof %v signed : tile<8xi32> -> tile<8xf8E4M3FN>"),
      BAD("%a = itof %v signed : tile<8xi32> -> tile<8xf8E8M0FNU>",
          "itof: integers cannot be converted to f8E8M0FNU"),
      BAD("%a = itof %v signed rounding<zero> : tile<8xi32> -> tile<8xf32>",
          "itof: the rounding mode must be nearest_even, not zero"),
      BAD("%a = ftoi %x signed : tile<8xf32> -> tile<4xi32>",
          "ftoi: from and to must have the same shape"),
  };
  RUN(cases);
}

static void test_floats(void **state) {
  (void)state;
#define ON(type, value) " %" value ", %" value " flush_to_zero : tile<8x" type ">"
  static const rule_case cases[] = {
      GOOD("%a = addf" ON("f32", "x")),
      BAD("%a = addf" ON("f16", "h"),
          "addf: flush_to_zero works on f32 only, but the result consists of f16"),
      BAD("%a = subf" ON("f16", "h"), "subf: flush_to_zero"),
      BAD("%a = mulf" ON("f16", "h"), "mulf: flush_to_zero"),
      BAD("%a = divf" ON("f16", "h"), "divf: flush_to_zero"),
      BAD("%a = maxf" ON("f16", "h"), "maxf: flush_to_zero"),
      BAD("%a = minf" ON("f16", "h"), "minf: flush_to_zero"),
      GOOD("%a = fma %x, %x, %x flush_to_zero : tile<8xf32>"),
      BAD("%a = fma %h, %h, %h flush_to_zero : tile<8xf16>", "fma: flush_to_zero"),
      BAD("%a = sqrt %h flush_to_zero : tile<8xf16>", "sqrt: flush_to_zero"),
      BAD("%a = rsqrt %h flush_to_zero : tile<8xf16>", "rsqrt: flush_to_zero"),
      BAD("%a = exp2 %h flush_to_zero : tile<8xf16>", "exp2: flush_to_zero"),
      GOOD("%a = sqrt %x rounding<approx> : tile<8xf32>"),
      BAD("%a = sqrt %h rounding<approx> : tile<8xf16>",
          "sqrt: rounding<approx> works on f32 only, but the result consists of f16"),
      GOOD("%a = divf %x, %x rounding<full> : tile<8xf32>"),
      BAD("%a = divf %h, %h rounding<full> : tile<8xf16>", "divf: rounding<full> works on f32"),
      BAD("%a = divf %h, %h rounding<approx> : tile<8xf16>", "divf: rounding<approx>"),
      GOOD("%a = exp %h : tile<8xf16>"),
      GOOD("%a = exp %x rounding<approx> : tile<8xf32>"),
      BAD("%a = exp %h rounding<approx> : tile<8xf16>", "exp: rounding<approx>"),
      BAD("%a = tanh %h rounding<approx> : tile<8xf16>", "tanh: rounding<approx>"),
  };
  RUN(cases);
}

static void test_integers(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = negi %v overflow<no_signed_wrap> : tile<8xi32>"),
      BAD("%a = negi %v overflow<no_unsigned_wrap> : tile<8xi32>",
          "negi: overflow<no_unsigned_wrap> has no meaning for a signed operation"),
      GOOD("%a = divi %v, %v unsigned rounding<positive_inf> : tile<8xi32>"),
      GOOD("%a = divi %v, %v signed rounding<negative_inf> : tile<8xi32>"),
      BAD("%a = divi %v, %v unsigned rounding<negative_inf> : tile<8xi32>",
          "divi: rounding<negative_inf> needs signed operands"),
  };
  RUN(cases);
}

/* ---- matrix products ------------------------------------------------------------------------ */

static void test_products(void **state) {
  (void)state;
#define MAKE(name, shape, elem, zero)                                                              \
  "%" name " = constant <" elem ": " zero "> : tile<" shape "x" elem "> "
#define MMA(a, b, c, ea, ec)                                                                       \
  MAKE("A", a, ea, "0.0")                                                                          \
  MAKE("B", b, ea, "0.0")                                                                          \
  MAKE("C", c, ec, "0.0")                                                                          \
  "\n%D = mmaf %A, %B, %C : tile<" a "x" ea ">, tile<" b "x" ea ">, tile<" c "x" ec ">"
#define MMAI(a, b, c)                                                                              \
  MAKE("A", a, "i8", "0")                                                                          \
  MAKE("B", b, "i8", "0")                                                                          \
  MAKE("C", c, "i32", "0")                                                                         \
  "\n%D = mmai %A, %B, %C signed unsigned : tile<" a "xi8>, tile<" b "xi8>, tile<" c "xi32>"
  static const rule_case cases[] = {
      GOOD(MMA("4x8", "8x16", "4x16", "f16", "f32")),
      GOOD(MMA("2x4x8", "2x8x16", "2x4x16", "f16", "f16")),
      GOOD(MMA("4x8", "8x16", "4x16", "f64", "f64")),
      GOOD(MMA("4x8", "8x16", "4x16", "tf32", "f32")),
      GOOD(MMA("4x8", "8x16", "4x16", "f8E5M2", "f16")),
      BAD_AT(2, MMA("8", "8", "8", "f16", "f32"),
             "mmaf: the tiles must have rank 2, or 3 with a batch dimension in front, but lhs has "
             "type tile<8xf16>"),
      BAD_AT(2, MMA("4x8", "4x16", "4x16", "f16", "f32"),
             "mmaf: dimension 1 of lhs (8) and dimension 0 of rhs (4) must be equal; lhs has shape "
             "[4, 8], rhs has shape [4, 16]"),
      BAD_AT(2, MMA("4x8", "8x16", "8x16", "f16", "f32"),
             "mmaf: dimension 0 of lhs (4) and dimension 0 of acc (8) must be equal"),
      BAD_AT(2, MMA("4x8", "8x16", "4x8", "f16", "f32"),
             "mmaf: dimension 1 of rhs (16) and dimension 1 of acc (8) must be equal"),
      BAD_AT(2, MMA("2x4x8", "4x8x16", "2x4x16", "f16", "f32"),
             "mmaf: dimension 0 of lhs (2) and dimension 0 of rhs (4) must be equal"),
      BAD_AT(2, MMA("2x4x8", "2x8x16", "4x4x16", "f16", "f32"),
             "mmaf: dimension 0 of lhs (2) and dimension 0 of acc (4) must be equal"),
      BAD_AT(2, MMA("4x8", "8x16", "4x16", "bf16", "f16"),
             "mmaf: operands of bf16 need an accumulator of f32, but acc has type tile<4x16xf16>"),
      BAD_AT(2, MMA("4x8", "8x16", "4x16", "f64", "f32"),
             "mmaf: operands of f64 need an accumulator of f64"),
      BAD_AT(2, MMA("4x8", "8x16", "4x16", "f16", "f64"),
             "mmaf: operands of f16 need an accumulator of f16 or f32"),
      BAD_AT(2, MMA("4x8", "8x16", "4x16", "f16", "bf16"),
             "mmaf: operand 'acc' must be a tile of f16, f32 or f64"),
      GOOD(MMAI("4x8", "8x16", "4x16")),
      BAD_AT(2, MMAI("4x8", "4x16", "4x16"), "mmai: dimension 1 of lhs (8) and dimension 0 of rhs"),
  };
  RUN(cases);
}

static void test_scaled_products(void **state) {
  (void)state;
#define SCALED(a, b, c, sa, sb, e, s)                                                              \
  MAKE("A", a, e, "0.0")                                                                           \
  MAKE("B", b, e, "0.0")                                                                           \
  MAKE("C", c, "f32", "0.0")                                                                       \
  MAKE("S", sa, s, "1.0")                                                                          \
  MAKE("T", sb, s, "1.0")                                                                          \
  "\n%D = mmaf_scaled %A, %B, %C, %S, %T : tile<" a "x" e ">, tile<" b "x" e ">, tile<" c          \
  "xf32>, tile<" sa "x" s ">, tile<" sb "x" s ">"
  static const rule_case cases[] = {
      GOOD(SCALED("4x64", "64x8", "4x8", "4x2", "2x8", "f8E4M3FN", "f8E8M0FNU")),
      GOOD(SCALED("4x64", "64x8", "4x8", "4x2", "2x8", "f4E2M1FN", "f8E8M0FNU")),
      GOOD(SCALED("4x64", "64x8", "4x8", "4x4", "4x8", "f4E2M1FN", "f8E8M0FNU")),
      GOOD(SCALED("2x4x64", "2x64x8", "2x4x8", "2x4x4", "2x4x8", "f4E2M1FN", "f8E4M3FN")),
      BAD_AT(
          2, SCALED("4x64", "64x8", "4x8", "4x4", "4x8", "f8E4M3FN", "f8E8M0FNU"),
          "mmaf_scaled: elements of f8E4M3FN with scales of f8E8M0FNU need 32 neighbours along k "
          "to share a scale, but dimension 1 of lhs (64) and of lhs_scale (4) make it 16"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x8", "8x8", "f4E2M1FN", "f8E8M0FNU"),
             "need 16 or 32 neighbours along k"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x2", "2x8", "f4E2M1FN", "f8E4M3FN"),
             "need 16 neighbours along k"),
      GOOD(SCALED("4x64", "64x8", "4x8", "4x4", "4x8", "f4E2M1FN", "f8E5M3FNU")),
      GOOD(SCALED("4x64", "64x8", "4x8", "4x2", "2x8", "f4E2M1FN", "f8E5M3FNU")),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x8", "8x8", "f4E2M1FN", "f8E5M3FNU"),
             "need 16 or 32 neighbours along k"),
      BAD_AT(
          2, SCALED("4x64", "64x8", "4x8", "4x2", "2x8", "f8E5M2", "f8E5M3FNU"),
          "mmaf_scaled: scales of f8E5M3FNU need elements of f4E2M1FN, but lhs consists of f8E5M2"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x128", "128x8", "f4E2M1FN", "f8E8M0FNU"),
             "mmaf_scaled: dimension 1 of lhs_scale (128) must divide dimension 1 of lhs (64)"),
      BAD_AT(
          2, SCALED("4x64", "64x8", "4x8", "4x4", "4x8", "f8E5M2", "f8E4M3FN"),
          "mmaf_scaled: scales of f8E4M3FN need elements of f4E2M1FN, but lhs consists of f8E5M2"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "8x2", "2x8", "f8E4M3FN", "f8E8M0FNU"),
             "dimension 0 of lhs (4) and dimension 0 of lhs_scale (8) must be equal"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x2", "2x4", "f8E4M3FN", "f8E8M0FNU"),
             "dimension 1 of rhs (8) and dimension 1 of rhs_scale (4) must be equal"),
      BAD_AT(2, SCALED("4x64", "64x8", "4x8", "4x2", "4x8", "f8E4M3FN", "f8E8M0FNU"),
             "dimension 1 of lhs_scale (2) and dimension 0 of rhs_scale (4) must be equal"),
      BAD_AT(2, SCALED("2x4x64", "2x64x8", "2x4x8", "4x4x4", "2x4x8", "f4E2M1FN", "f8E4M3FN"),
             "dimension 0 of lhs (2) and dimension 0 of lhs_scale (4) must be equal"),
      BAD_AT(2, SCALED("2x4x64", "2x64x8", "2x4x8", "2x4x4", "4x4x8", "f4E2M1FN", "f8E4M3FN"),
             "dimension 0 of rhs (2) and dimension 0 of rhs_scale (4) must be equal"),
      BAD_AT(2, SCALED("4x64", "32x8", "4x8", "4x2", "2x8", "f8E4M3FN", "f8E8M0FNU"),
             "dimension 1 of lhs (64) and dimension 0 of rhs (32) must be equal"),
  };
  RUN(cases);
}

/* ---- control flow --------------------------------------------------------------------------- */

static void test_jumps(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("loop { if %c { break } }"),
      GOOD("for %j in (%i to %i, step %i) : tile<i32> { if %c { continue } }"),
      GOOD("if %c { return }"),
      BAD("break", "break: must be directly inside if or loop, but is inside entry"),
      BAD("continue", "continue: must be directly inside for, if or loop, but is inside entry"),
      BAD("yield", "yield: must be directly inside if, reduce or scan, but is inside entry"),
      GOOD("loop {\nreturn }"),
      BAD_AT(2, "for %j in (%i to %i, step %i) : tile<i32> {\nreturn }",
             "return: must be directly inside entry, if or loop, but is inside for"),
      BAD_AT(2, "for %j in (%i to %i, step %i) : tile<i32> { loop {\nreturn } }",
             "return: must be inside an entry, with nothing but `if` between, but the nearest "
             "operation around it is for"),
      BAD_AT(2, "if %c {\nbreak }",
             "break: must be inside a loop, with nothing but `if` between, but the nearest "
             "operation around it is entry"),
      BAD_AT(2, "for %j in (%i to %i, step %i) : tile<i32> { if %c {\nbreak } }",
             "but the nearest operation around it is for"),
      BAD_AT(2, "if %c {\ncontinue }",
             "continue: must be inside a for or a loop, with nothing but `if` between"),
      GOOD("loop { if %c {\nreturn } }"),
      BAD("return %i : tile<i32>",
          "return: a kernel returns nothing, but there are operands of types (tile<i32>)"),
      BAD_AT(2, "%r = loop : tile<i32> {\nbreak }",
             "break: the loop's results have types (tile<i32>), but the operands have types ()"),
      BAD_AT(2, "%r = loop : tile<i32> {\nbreak %s : tile<f32> }",
             "break: the loop's results have types (tile<i32>), but the operands have types "
             "(tile<f32>)"),
      BAD_AT(2, "loop iter_values(%a = %i) : tile<i32> {\ncontinue %s : tile<f32> }",
             "continue: the iteration values of the loop have types (tile<i32>), but the operands "
             "have types (tile<f32>)"),
      BAD_AT(2, "for %j in (%i to %i, step %i) : tile<i32> {\ncontinue %i : tile<i32> }",
             "continue: the iteration values of the for have types (), but the operands have types "
             "(tile<i32>)"),
      BAD("loop iter_values(%a = %i) : tile<i32> { }",
          "loop: the region must end with continue and the next iteration values, of types "
          "(tile<i32>)"),
  };
  RUN(cases);
}

static void test_loops(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%a = %x) -> (tile<8xf32>) { "
           "continue %a : tile<8xf32> }"),
      GOOD("%r = loop iter_values(%a = %x) : tile<8xf32> -> tile<i32> { break %i : tile<i32> }"),
      WARNING("%z = constant <i32: 0> : tile<i32>\nfor %j in (%i to %i, step %z) : tile<i32> { }",
              "for: the step is 0; it must be positive, else the loop is undefined"),
      WARNING("%z = constant <i32: -2> : tile<i32>\nfor %j in (%i to %i, step %z) : tile<i32> { }",
              "for: the step is -2; it must be positive"),
      WARNING("%z = constant <i32: 0> : tile<i32>\n"
              "for unsigned %j in (%i to %i, step %z) : tile<i32> { }",
              "for: the step is 0; it must be positive"),
      GOOD("%z = constant <i32: -2> : tile<i32>\n"
           "for unsigned %j in (%i to %i, step %z) : tile<i32> { }"),
      GOOD("%z = constant <i32: 1> : tile<i32>\nfor %j in (%i to %i, step %z) : tile<i32> { }"),
      BAD("for %j in (%x to %x, step %x) : tile<8xf32> { }",
          "for: operand 'lowerBound' must be a scalar integer tile, but has type tile<8xf32>"),
      BAD("%r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%a = %tv) -> (" TV ") { "
          "continue %a : " TV " }",
          "for: iteration value 0 is a view (" TV "), which a loop cannot carry"),
      BAD("loop iter_values(%a = %pv) : " PV " { break }", "loop: iteration value 0 is a view"),
      BAD("%r = loop : " TV " { break %tv : " TV " }",
          "loop: result 0 is a view (" TV "), which cannot be returned"),
  };
  RUN(cases);
}

static void test_ifs(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("if %c { }"),
      GOOD("%r = if %c -> (tile<i32>) { yield %i : tile<i32> } else { return }"),
      BAD("%r = if %c -> (tile<i32>) { yield %i : tile<i32> }",
          "if: it has results of types (tile<i32>), so it needs an else branch that yields them"),
      BAD("%r = if %c -> (tile<i32>) { } else { yield %i : tile<i32> }",
          "if: it has results of types (tile<i32>), but the then branch yields nothing"),
      BAD("%r = if %c -> (tile<i32>) { yield %i : tile<i32> } else { yield %s : tile<f32> }",
          "if: its results have types (tile<i32>), but the else branch yields (tile<f32>)"),
      BAD("if %c { yield %i : tile<i32> }",
          "if: its results have types (), but the then branch yields (tile<i32>)"),
      BAD("%r = if %c -> (" TV ") { yield %tv : " TV " } else { yield %tv : " TV " }",
          "if: result 0 is a view (" TV "), which cannot be returned"),
      BAD("%r = if %c -> (" PV ") { yield %pv : " PV " } else { yield %pv : " PV " }",
          "if: result 0 is a view"),
  };
  RUN(cases);
}

/* ---- reduce and scan ------------------------------------------------------------------------ */

static void test_aggregates(void **state) {
  (void)state;
#define SUM(op, head, args, yield)                                                                 \
  "%r = " op " %x " head " (" args ") {\n%a = addf %y, %z : tile<f32>\nyield " yield " }"
#define F32_ARGS "%y: tile<f32>, %z: tile<f32>"
#define REDUCE   "dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>"
#define SCAN     "dim=0 reverse=false identities=[0.0 : f32] : tile<8xf32> -> tile<8xf32>"
#define FIRST(h) "%r = reduce %x " h " (" F32_ARGS ") { yield %y : tile<f32> }"
  static const rule_case cases[] = {
      GOOD(SUM("reduce", REDUCE, F32_ARGS, "%a : tile<f32>")),
      GOOD(SUM("scan", SCAN, F32_ARGS, "%a : tile<f32>")),
      GOOD("%r:2 = reduce %xx, %xx dim=1 identities=[0.0 : f32, 1.0 : f32] : tile<4x8xf32>, "
           "tile<4x8xf32> -> tile<4xf32>, tile<4xf32> (" F32_ARGS ", %d: tile<f32>, %e: "
           "tile<f32>) { yield %y, %d : tile<f32>, tile<f32> }"),
      BAD(FIRST("dim=1 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>"),
          "reduce: dim is 1, but the operands have rank 1"),
      BAD(FIRST("dim=-1 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>"),
          "reduce: dim is -1, but the operands have rank 1"),
      BAD(FIRST("dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<8xf32> -> tile<f32>"),
          "reduce: there are 2 identities for 1 operand; expected one for each"),
      BAD(FIRST("dim=0 identities=[0 : i32] : tile<8xf32> -> tile<f32>"),
          "reduce: identity 0 is of type i32, but operand 0 consists of f32"),
      BAD(FIRST("dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<1xf32>"),
          "reduce: result 0 has type tile<1xf32>; expected the type of operand 0, tile<8xf32>, "
          "without dimension 0"),
      BAD(FIRST("dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<i32>"),
          "reduce: result 0 has type tile<i32>"),
      BAD("%r = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<8xf32> -> tile<4xf32> "
          "(" F32_ARGS ") { yield %y : tile<f32> }",
          "scan: result 0 has type tile<4xf32>, but operand 0 has type tile<8xf32>; they must be "
          "equal"),
      BAD("%r = reduce %x " REDUCE " (%y: tile<f32>) { yield %y : tile<f32> }",
          "reduce: the body has 1 argument; expected 2, two for each operand"),
      BAD("%r = reduce %x " REDUCE " (%y: tile<f32>, %z: tile<i32>) { yield %y : tile<f32> }",
          "reduce: argument 1 of the body has type tile<i32>; expected tile<f32>, a scalar of "
          "operand 0"),
      BAD("%r = reduce %x " REDUCE " (%y: tile<1xf32>, %z: tile<f32>) { yield %z : tile<f32> }",
          "reduce: argument 0 of the body has type tile<1xf32>"),
      BAD("%r = reduce %x " REDUCE " (" F32_ARGS ") { yield %y, %z : tile<f32>, tile<f32> }",
          "reduce: the body yields 2 values; expected 1, one for each operand"),
      BAD("%r = reduce %x " REDUCE " (" F32_ARGS ") { yield %i : tile<i32> }",
          "reduce: value 0 that the body yields has type tile<i32>; expected tile<f32>"),
      BAD("%r = reduce %x " REDUCE " (" F32_ARGS ") { }",
          "reduce: the body yields 0 values; expected 1"),
      BAD_AT(2,
             "%r = reduce %x " REDUCE " (" F32_ARGS ") {\nprint_tko \"step\" -> token\nyield %y : "
             "tile<f32> }",
             "print_tko: only pure operations may be inside reduce, and this one is not"),
      BAD_AT(2, "%r = scan %x " SCAN " (" F32_ARGS ") {\nif %c { }\nyield %y : tile<f32> }",
             "if: only pure operations may be inside scan"),
      BAD("%r:2 = reduce %x, %xx dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<8xf32>, "
          "tile<4x8xf32> -> tile<f32>, tile<8xf32> (" F32_ARGS ", %d: tile<f32>, %e: tile<f32>) { "
          "yield %y, %d : tile<f32>, tile<f32> }",
          "reduce: operand 1 has shape [4, 8], but operand 0 has shape [8]; they must be equal"),
  };
  RUN(cases);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_pointers(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a, %t = load_ptr_tko relaxed device %q, %m, %x token=%tok : tile<8xptr<f32>>, "
           "tile<8xi1>, tile<8xf32> -> tile<8xf32>, token"),
      BAD("%a, %t = load_ptr_tko weak %q : tile<8xptr<f32>> -> tile<4xf32>, token",
          "load_ptr_tko: source and result must have the same shape, but source is "
          "tile<8xptr<f32>> and result is tile<4xf32>"),
      BAD("%a, %t = load_ptr_tko weak %q : tile<8xptr<f32>> -> tile<8xi32>, token",
          "load_ptr_tko: source points to f32, but result consists of i32; they must be equal"),
      BAD("%a, %t = load_ptr_tko weak %q, %c : tile<8xptr<f32>>, tile<i1> -> tile<8xf32>, token",
          "load_ptr_tko: mask must have the shape of the tile it masks, [8], but has shape []"),
      BAD("%a, %t = load_ptr_tko weak %q, %m, %h : tile<8xptr<f32>>, tile<8xi1>, tile<8xf16> -> "
          "tile<8xf32>, token",
          "load_ptr_tko: paddingValue must have the type of the result, tile<8xf32>, but has type "
          "tile<8xf16>"),
      BAD("%a, %t = load_ptr_tko relaxed %q : tile<8xptr<f32>> -> tile<8xf32>, token",
          "load_ptr_tko: ordering 'relaxed' needs a memory scope behind it"),
      BAD("%a, %t = \"cuda_tile.load_ptr_tko\"(%q) <{memory_ordering_semantics = 0 : i32, "
          "memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : "
          "(!cuda_tile.tile<8x!cuda_tile.ptr<f32>>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)",
          "load_ptr_tko: a weak access has no memory scope, but 'device' is given"),
      GOOD("%t = store_ptr_tko release sys %q, %x, %m : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> "
           "-> token"),
      BAD("%t = store_ptr_tko weak %q, %v : tile<8xptr<f32>>, tile<8xi32> -> token",
          "store_ptr_tko: destination points to f32, but value consists of i32"),
      BAD("%t = store_ptr_tko weak %q, %s : tile<8xptr<f32>>, tile<f32> -> token",
          "store_ptr_tko: destination and value must have the same shape"),
      BAD("%t = store_ptr_tko weak %q, %x, %c : tile<8xptr<f32>>, tile<8xf32>, tile<i1> -> token",
          "store_ptr_tko: mask must have the shape of the tile it masks"),
      BAD("%t = store_ptr_tko release %q, %x : tile<8xptr<f32>>, tile<8xf32> -> token",
          "store_ptr_tko: ordering 'release' needs a memory scope"),
      GOOD("%t = join_tokens %tok, %tok : token"),
      BAD("%t = join_tokens %tok : token", "join_tokens: expected at least two tokens, got 1"),
      GOOD("%a = alloca num_elem = 0, alignment = 4 : tile<ptr<f32>>"),
      BAD("%a = alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>",
          "alloca: num_elem is -1; expected 0 or more"),
      BAD("%a = alloca num_elem = 1, alignment = 12 : tile<ptr<f32>>",
          "alloca: alignment is 12; expected a power of two"),
      BAD("%a = alloca num_elem = 1, alignment = 0 : tile<ptr<f32>>",
          "alloca: alignment is 0; expected a power of two"),
      BAD("%a = alloca num_elem = 1, alignment = 2 : tile<ptr<f32>>",
          "alloca: alignment is 2, but an element of type f32 takes 4 bytes"),
  };
  RUN(cases);
}

static void test_atomics(void **state) {
  (void)state;
#define RMW(mode, p, pt, arg, t)                                                                   \
  "%o, %t = atomic_rmw_tko relaxed device %" p ", " mode ", %" arg " : tile<8xptr<" pt ">>, "      \
  "tile<8x" t "> -> tile<8x" t ">, token"
#define CAS(p, pt, val, t)                                                                         \
  "%o, %t = atomic_cas_tko acq_rel sys %" p ", %" val ", %" val " : tile<8xptr<" pt                \
  ">>, tile<8x" t "> -> tile<8x" t ">, token"
#define AS(type) "%r = ptr_to_ptr %q : tile<8xptr<f32>> -> tile<8xptr<" type ">>\n"
  static const rule_case cases[] = {
      GOOD(RMW("add", "qi", "i32", "v", "i32")),
      GOOD(RMW("addf", "q", "f32", "x", "f32")),
      GOOD(RMW("xchg", "q", "f32", "x", "f32")),
      GOOD(AS("f16") RMW("addf", "r", "f16", "h", "f16")),
      BAD(RMW("add", "q", "f32", "v", "i32"),
          "atomic_rmw_tko: pointers points to f32, but arg consists of i32; they must be equal"),
      BAD(RMW("add", "q", "f32", "x", "f32"),
          "atomic_rmw_tko: mode 'add' works on i32 or i64 only, but the elements are f32"),
      BAD(RMW("addf", "qi", "i32", "v", "i32"),
          "atomic_rmw_tko: mode 'addf' works on f16, bf16, f32 or f64 only"),
      BAD_AT(2, AS("i8") RMW("umax", "r", "i8", "b", "i8"), "mode 'umax' works on i32 or i64 only"),
      BAD_AT(2, AS("f16") RMW("xchg", "r", "f16", "h", "f16"),
             "mode 'xchg' works on i32, i64, f32 or f64 only, but the elements are f16"),
      BAD("%o, %t = atomic_rmw_tko relaxed device %qi, add, %v, %c : tile<8xptr<i32>>, "
          "tile<8xi32>, tile<i1> -> tile<8xi32>, token",
          "atomic_rmw_tko: mask must have the shape of the tile it masks"),
      GOOD(CAS("q", "f32", "x", "f32")),
      BAD(CAS("q", "f32", "v", "i32"), "atomic_cas_tko: pointers points to f32, but val"),
      BAD_AT(2, AS("i8") CAS("r", "i8", "b", "i8"),
             "atomic_cas_tko: elements must be i32, i64, f32 or f64, but are i8"),
      BAD("%o, %t = atomic_cas_tko relaxed device %q, %x, %x, %c : tile<8xptr<f32>>, tile<8xf32>, "
          "tile<i1> -> tile<8xf32>, token",
          "atomic_cas_tko: mask must have the shape of the tile it masks"),
  };
  RUN(cases);
}

static void test_view_atomics(void **state) {
  (void)state;
#define RED(view, vt, index, mode, val, t)                                                         \
  "%t = atomic_red_view_tko relaxed device %" view "[" index "], " mode ", %" val " : " t ", " vt  \
  ", tile<i32> -> token"
#define PADDED "partition_view<tile=(8), padding_value = zero, " TVI ">"
  static const rule_case cases[] = {
      GOOD(RED("pvi", PVI, "%i", "add", "v", "tile<8xi32>")),
      GOOD(RED("pv", PV, "%i, %i", "addf", "xx", "tile<4x8xf32>")),
      BAD(RED("pvi", PVI, "%i", "add", "w", "tile<8xi64>"),
          "atomic_red_view_tko: value must have type tile<8xi32>, as the view says, but has type "
          "tile<8xi64>"),
      BAD(RED("pv", PV, "%i, %i", "add", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: mode 'add' works on i32 or i64 only"),
      BAD(RED("pv", PV, "%i", "addf", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: the view has rank 2, but there is 1 index; expected one for each "
          "dimension"),
      BAD(RED("gs", GS, "%i, %i", "addf", "xx", "tile<4x8xf32>"),
          "atomic_red_view_tko: a gather_scatter_view cannot be updated atomically"),
      BAD_AT(2,
             "%y = make_partition_view %tvi : " PADDED
             "\n" RED("y", PADDED, "%i", "add", "v", "tile<8xi32>"),
             "atomic_red_view_tko: a view with a padding value cannot be updated atomically, but "
             "it has padding_value = zero"),
  };
  RUN(cases);
}

/* ---- views ---------------------------------------------------------------------------------- */

static void test_making_views(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[1,3], " TV
           ", dim_map=[1, 0]>"),
      GOOD("%a = make_tensor_view %p, shape = [%i, 8], strides = [%i, 1] : tile<i32> -> "
           "tensor_view<?x8xf32, strides=[?,1]>"),
      GOOD("%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
           "%a = make_tensor_view %n, shape = [8], strides = [1] : tile<ptr<f32, ptr_attr<none>>> "
           "-> tensor_view<8xf32, strides=[1], ptr_attr<none>>"),
      BAD_AT(2,
             "%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
             "%a = make_tensor_view %n, shape = [8], strides = [1] : tile<ptr<f32, "
             "ptr_attr<none>>> -> tensor_view<8xf32, strides=[1]>",
             "make_tensor_view: base consists of ptr<f32, #cuda_tile.ptr_attr<none>>, but the "
             "result is tensor_view<8xf32, strides=[1]>; the ptr_attr of the pointer must be kept"),
      BAD("%a = make_tensor_view %p, shape = [8], strides = [1] : "
          "tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>>",
          "make_tensor_view: base consists of ptr<f32>, but the result is tensor_view<8xf32, "
          "strides=[1], #cuda_tile.ptr_attr<none>>"),
      BAD_AT(2,
             "%n = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, ptr_attr<none>>>\n"
             "%a = extract %n[] : tile<ptr<f32, ptr_attr<none>>> -> tile<ptr<f32>>",
             "extract: the source consists of ptr<f32, #cuda_tile.ptr_attr<none>>, but the result "
             "of ptr<f32>"),
  };
  RUN(cases);
}

static void test_extents(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a:2 = get_tensor_shape %tv : " TV " -> tile<i64>"),
      GOOD("%a:2 = get_index_space_shape %pv : " PV " -> tile<i32>"),
      BAD("%a:2 = get_tensor_shape %tv : " TV " -> tile<2xi32>",
          "get_tensor_shape: result 'result[0]' must be a scalar integer tile, but has type "
          "tile<2xi32>"),
  };
  RUN(cases);
}

static void test_view_accesses(void **state) {
  (void)state;
#define LOAD_VIEW(order, view, vt, index, it, t)                                                   \
  "%a, %t = load_view_tko " order " %" view "[" index "] : " vt ", " it " -> " t ", token"
#define STORE_VIEW(order, index, tile, t)                                                          \
  "%t = store_view_tko " order " %" tile ", %pv[" index "] : " t ", " PV ", tile<i32> -> token"
#define INBOUNDS(list)                                                                             \
  "%a, %t = load_view_tko weak %pv[%i, %i] inbounds = " list " : " PV                              \
  ", tile<i32> -> tile<4x8xf32>, token"
#define ROWS                 "%rows = constant <i32: 0> : tile<4xi32>\n"
#define GATHER(index, types) LOAD_VIEW("weak", "gs", GS, index, types, "tile<4x8xf32>")
  static const rule_case cases[] = {
      GOOD(LOAD_VIEW("weak", "pv", PV, "%i, %i", "tile<i32>", "tile<4x8xf32>")),
      GOOD(LOAD_VIEW("acquire tl_blk", "pv", PV, "%i, %i", "tile<i32>", "tile<4x8xf32>")),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i, %i", "tile<i32>", "tile<8xf32>"),
          "load_view_tko: the result must have type tile<4x8xf32>, as the view says, but has type "
          "tile<8xf32>"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i", "tile<i32>", "tile<4x8xf32>"),
          "load_view_tko: the view has rank 2, but there is 1 index; expected one for each"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%i, %i, %i", "tile<i32>", "tile<4x8xf32>"),
          "load_view_tko: the view has rank 2, but there are 3 indices"),
      BAD(LOAD_VIEW("weak", "pv", PV, "%v, %v", "tile<8xi32>", "tile<4x8xf32>"),
          "load_view_tko: index 0 must be a scalar, but has type tile<8xi32>"),
      BAD(LOAD_VIEW("weak", "x", "tile<8xf32>", "%i", "tile<i32>", "tile<8xf32>"),
          "load_view_tko: operand 'view' must be a tile view, but has type tile<8xf32>"),
      GOOD(INBOUNDS("[true, false]")),
      GOOD(INBOUNDS("[false, false]")),
      BAD(INBOUNDS("[true]"),
          "load_view_tko: inbounds has 1 entry; expected 2, one for each index"),
      BAD(INBOUNDS("[true, true, true]"),
          "load_view_tko: inbounds has 3 entries; expected 2, one for each index"),
      BAD("%t = store_view_tko weak %xx, %pv[%i, %i] inbounds = [] : tile<4x8xf32>, " PV
          ", tile<i32> -> token",
          "store_view_tko: inbounds has 0 entries; expected 2"),
      GOOD(STORE_VIEW("relaxed device", "%i, %i", "xx", "tile<4x8xf32>")),
      BAD(STORE_VIEW("weak", "%i, %i", "x", "tile<8xf32>"),
          "store_view_tko: tile must have type tile<4x8xf32>, as the view says, but has type "
          "tile<8xf32>"),
      BAD(STORE_VIEW("weak", "%i", "xx", "tile<4x8xf32>"), "store_view_tko: the view has rank 2"),
      BAD(STORE_VIEW("relaxed", "%i, %i", "xx", "tile<4x8xf32>"),
          "store_view_tko: ordering 'relaxed' needs a memory scope"),
      GOOD(ROWS GATHER("%rows, %i", "tile<4xi32>, tile<i32>")),
      BAD(GATHER("%v, %i", "tile<8xi32>, tile<i32>"),
          "load_view_tko: index 0 is that of the sparse dimension and must have shape [4], one for "
          "each element of the tile along it, but has type tile<8xi32>"),
      BAD(GATHER("%i, %i", "tile<i32>"), "load_view_tko: index 0 is that of the sparse dimension"),
      BAD_AT(2, ROWS GATHER("%rows, %rows", "tile<4xi32>, tile<4xi32>"),
             "load_view_tko: index 1 must be a scalar, but has type tile<4xi32>"),
  };
  RUN(cases);
}

/* ---- assume and print ----------------------------------------------------------------------- */

static void test_assume(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("%a = assume div_by<16>, %p : tile<ptr<f32>>"),
      GOOD("%a = assume div_by<1>, %tv : " TV),
      GOOD("%a = assume div_by<16, every 4 along 0>, %v : tile<8xi32>"),
      GOOD("%a = assume div_by<4611686018427387904>, %l : tile<i64>"),
      BAD("%a = assume div_by<12>, %v : tile<8xi32>",
          "assume: div_by<12>: the divisor must be a power of two"),
      BAD("%a = assume div_by<0>, %v : tile<8xi32>", "the divisor must be a power of two"),
      BAD("%a = assume div_by<4>, %x : tile<8xf32>",
          "assume: div_by needs a tile of integers or pointers, or a tensor_view, but the value "
          "has "
          "type tile<8xf32>"),
      BAD("%a = assume div_by<4>, %pv : " PV, "assume: div_by needs a tile"),
      BAD("%a = assume div_by<4, every 2 along 0>, %tv : " TV,
          "assume: `every … along …` needs a tile, but the value is a tensor_view"),
      BAD("%a = assume div_by<4, every 1 along 0>, %i : tile<i32>",
          "assume: `every … along …` needs a tile with a dimension, but the value has type "
          "tile<i32>"),
      BAD("%a = assume div_by<4, every 2 along 1>, %v : tile<8xi32>",
          "assume: `along 1` is no dimension of tile<8xi32>; expected 0 to 0"),
      BAD("%a = assume div_by<4, every 9 along 0>, %v : tile<8xi32>",
          "assume: `every 9` must be from 0 to 8, the size of dimension 0"),
      GOOD("%a = assume same_elements<[4]>, %v : tile<8xi32>"),
      GOOD("%a = assume same_elements<[]>, %p : tile<ptr<f32>>"),
      BAD("%a = assume same_elements<[4, 1]>, %v : tile<8xi32>",
          "assume: same_elements has 2 sizes, but tile<8xi32> has rank 1"),
      BAD("%a = assume same_elements<[16]>, %v : tile<8xi32>",
          "assume: size 0 of same_elements is 16; it must be from 0 to 8"),
      BAD("%a = assume same_elements<[4]>, %x : tile<8xf32>",
          "assume: same_elements needs a tile of integers or pointers"),
      GOOD("%a = assume bounded<-128, 127>, %b : tile<8xi8>"),
      GOOD("%a = assume bounded<?, ?>, %w : tile<8xi64>"),
      BAD("%a = assume bounded<-129, ?>, %b : tile<8xi8>",
          "assume: the lower bound -129 is not a value of i8; expected -128 to 127"),
      BAD("%a = assume bounded<?, 128>, %b : tile<8xi8>",
          "assume: the upper bound 128 is not a value of i8; expected -128 to 127"),
      BAD("%a = assume bounded<2, 1>, %v : tile<8xi32>",
          "assume: the lower bound 2 is above the upper bound 1"),
      BAD("%a = assume bounded<0, 1>, %x : tile<8xf32>",
          "assume: bounded needs a tile of integers, but the value has type tile<8xf32>"),
  };
  RUN(cases);
}

static void test_print(void **state) {
  (void)state;
  static const rule_case cases[] = {
      GOOD("print_tko \"plain 100%% %%%%\\n\" -> token"),
      GOOD("print_tko \"%i %5d %-8lld %+.3f %e\", %i, %v, %w, %x, %h : tile<i32>, tile<8xi32>, "
           "tile<8xi64>, tile<8xf32>, tile<8xf16> -> token"),
      GOOD("print_tko \"<%, %>%\\n\", %i, %s, %p : tile<i32>, tile<f32>, tile<ptr<f32>> -> token"),
      GOOD("print_tko \"%p %x\", %p, %i : tile<ptr<f32>>, tile<i32> -> token"),
      BAD("print_tko \"%i\" -> token", "print_tko: the string has 1 conversion, but there are 0 "
                                       "arguments"),
      BAD("print_tko \"x\", %i : tile<i32> -> token",
          "print_tko: the string has 0 conversions, but there is 1 argument"),
      BAD("print_tko \"%f, %f\", %s : tile<f32> -> token", "the string has 2 conversions"),
      BAD("print_tko \"100%\", %i : tile<i32> -> token",
          "print_tko: '%' at byte 3 of the string is not a complete conversion; for a percent sign "
          "write %%"),
      BAD("print_tko \"a %5 b\", %i : tile<i32> -> token",
          "'%5 b' at byte 2 of the string is not a complete conversion"),
      BAD("print_tko \"%y\", %i : tile<i32> -> token", "'%y' at byte 0 of the string is not"),
      WARNING("print_tko \"%s\", %i : tile<i32> -> token",
              "print_tko: conversion '%s' is for strings, which tiles are not, but argument 0 has "
              "type tile<i32>"),
      WARNING("print_tko \"%d\", %s : tile<f32> -> token",
              "print_tko: conversion '%d' is for integers and pointers, but argument 0 has type "
              "tile<f32>"),
      WARNING("print_tko \"%8.3f\", %i : tile<i32> -> token",
              "print_tko: conversion '%8.3f' is for floating-point numbers, but argument 0 has "
              "type tile<i32>"),
  };
  RUN(cases);
}

/* ---- debug scopes --------------------------------------------------------------------------- */

static void test_debug_scopes(void **state) {
  (void)state;
#define DEBUG                                                                                      \
  "#file = #cuda_tile.di_file<\"foo.py\" in \"/tmp/\">\n"                                          \
  "#unit = #cuda_tile.di_compile_unit<file = #file>\n"                                             \
  "#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"k\", linkageName = \"k\", "    \
  "compileUnit = #unit, scopeLine = 2>\n"                                                          \
  "#other = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"o\", linkageName = \"o\", "  \
  "compileUnit = #unit, scopeLine = 2>\n"                                                          \
  "#block = #cuda_tile.di_lexical_block<scope = #sub, file = #file, line = 3, column = 4>\n"       \
  "#at = #cuda_tile.di_loc<loc(\"/tmp/foo.py\":7:8) in #sub>\n"                                    \
  "#inner = #cuda_tile.di_loc<loc(\"/tmp/foo.py\":9:8) in #block>\n"                               \
  "#away = #cuda_tile.di_loc<loc(\"/tmp/foo.py\":11:8) in #other>\n"
  static const struct {
    const char *source, *text;
  } cases[] = {
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(#inner) } loc(#at) }", NULL},
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(\"a\"(#at)) } loc(fused[#at]) }", NULL},
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(callsite(#away at #at)) } loc(#at) }",
       NULL},
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(fused[\"a\", #away]) } loc(#at) }",
       "return: the operation's debug scope is in another subprogram"},
      {DEBUG "cuda_tile.module @m { entry @k() { return } loc(#inner) }",
       "entry: the debug scope of a kernel must be a di_subprogram"},
      {DEBUG "cuda_tile.module @m { entry @j() { return } loc(#at) }",
       "entry: the kernel's debug scope has linkage name \"k\", but the kernel is called @j"},
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(#at) } }",
       "return: the operation has a debug scope, but its kernel @k has none"},
      {DEBUG "cuda_tile.module @m { entry @k() { return loc(#away) } loc(#at) }",
       "return: the operation's debug scope is in another subprogram than its kernel @k"},
      {DEBUG "cuda_tile.module @m { global @g <i32: [1]> : tile<1xi32> loc(#at) }",
       "global: a global cannot have a debug scope"},
      {DEBUG "cuda_tile.module @m { entry @k() { return } loc(callsite(#at at #inner)) }",
       "entry: the location of a kernel cannot be a call site"},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    report r = {0};
    tsr_context *ctx =
        tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                  .on_diagnostic = on_diagnostic,
                                                  .diagnostic_user = &r});
    bool ok = check(ctx, cases[i].source);
    tsr_context_destroy(ctx);
    if (ok != !cases[i].text || (cases[i].text && !strstr(r.text, cases[i].text)))
      fail_msg("case %zu: expected %s, got: %s", i, cases[i].text ? cases[i].text : "(valid)",
               r.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modules),      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_table),        cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_packing),      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_floats),       cmocka_unit_test(test_integers),
      cmocka_unit_test(test_products),     cmocka_unit_test(test_scaled_products),
      cmocka_unit_test(test_jumps),        cmocka_unit_test(test_loops),
      cmocka_unit_test(test_ifs),          cmocka_unit_test(test_aggregates),
      cmocka_unit_test(test_pointers),     cmocka_unit_test(test_atomics),
      cmocka_unit_test(test_view_atomics), cmocka_unit_test(test_making_views),
      cmocka_unit_test(test_extents),      cmocka_unit_test(test_view_accesses),
      cmocka_unit_test(test_assume),       cmocka_unit_test(test_print),
      cmocka_unit_test(test_debug_scopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
