/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of the verifier that text can break: modules, arithmetic, products, control flow,
 * reductions, debug scopes. Those of memory are in test_verify_memory.c.
 */
#include "verify_case.h"

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
      BAD("%q4 = trunci %b : tile<8xi8> -> tile<8xi4> %a = bitcast %q4 : tile<8xi4> -> tile<8xi4>",
          "bitcast: i4 can be cast only with --extensions (TSR_PARSE_EXTENSIONS)"),
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
          "yield: the results of 'if' have types (tile<i32>), but the else branch yields "
          "(tile<f32>)"),
      BAD("if %c { yield %i : tile<i32> }",
          "yield: the results of 'if' have types (), but the then branch yields (tile<i32>)"),
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
      cmocka_unit_test(test_debug_scopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
