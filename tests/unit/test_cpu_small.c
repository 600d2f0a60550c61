/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every operation on tiles of one and two elements (and of four in two dimensions), of every
 * element type that it takes, i1 among them, on every engine. Vectors, loops and threads have
 * nothing to do there, and i1 is a type of its own in compiled code. All operations of a type and
 * shape are one kernel, each with a place of its own for its result.
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

enum { BLOCKS = 16, MOST = 4, PLACE = MOST * 8, INPUTS = 3 };

/* ---- operations ----------------------------------------------------------------------------- */

#define ON(e)  (1u << TSR_##e)
#define NARROW (ON(I8) | ON(I16) | ON(I32))
#define WIDER  (NARROW | ON(I64)) /* than i1 */
#define INTS   (ON(I1) | WIDER)
#define FLOATS (ON(F16) | ON(BF16) | ON(F32) | ON(F64))
#define LOW    (ON(TF32) | ON(F8E4M3FN) | ON(F8E5M2) | ON(F8E8M0FNU) | ON(F8E5M3FNU))
#define ALL    (INTS | FLOATS | LOW)
#define SAME   TSR_ELEM_COUNT

typedef struct line {
  unsigned on;     /* element types */
  tsr_elem result; /* of a tile of the same shape */
  /* What makes %r from %a, %b and %c. $E: the element type; $D: the dimensions, "2x"; $T: the tile;
   * $C: its elements; $F: the same tile with one dimension; $2: twice as many; $Z: zero; $R: the
   * result's type; $M, $P: of masks and of pointers. Names end in the line's number by themselves,
   * but for those of what all lines share, which begin with a capital letter. */
  const char *text;
  bool rough;    /* not all engines compute it to the last bit */
  unsigned most; /* elements of the tile; 0: any number */
} line;

#define SIGNED_AND_NOT(on, result, begin, end)                                                     \
  {on, result, begin " signed" end}, {                                                             \
    on, result, begin " unsigned" end                                                              \
  }
#define COMPARED(on, name, end)                                                                    \
  {on, TSR_I1, "%r = " name " equal " end}, {on, TSR_I1, "%r = " name " not_equal " end},          \
      {on, TSR_I1, "%r = " name " less_than " end},                                                \
      {on, TSR_I1, "%r = " name " less_than_or_equal " end},                                       \
      {on, TSR_I1, "%r = " name " greater_than " end}, {                                           \
    on, TSR_I1, "%r = " name " greater_than_or_equal " end                                         \
  }
#define ROUNDED(begin)                                                                             \
  {FLOATS, SAME, begin " : $T"}, {FLOATS, SAME, begin " rounding<zero> : $T"},                     \
      {FLOATS, SAME, begin " rounding<negative_inf> : $T"},                                        \
      {FLOATS, SAME, begin " rounding<positive_inf> : $T"}, {                                      \
    ON(F32), SAME, begin " flush_to_zero : $T"                                                     \
  }
#define FUNCTION(name)                                                                             \
  { FLOATS, SAME, "%r = " name " %A : $T", true }
/* A scalar %s in all elements; a flat tile %f in its shape. */
#define SPREAD                                                                                     \
  "%s1 = reshape %s : tile<$E> -> tile<1x$E>\n%f = broadcast %s1 : tile<1x$E> -> $F\n" SHAPED
#define SHAPED     "%r = reshape %f : $F -> $T"
#define BODY(op)   "(%x: tile<$E>, %y: tile<$E>) {\n%z = " op " : tile<$E>\nyield %z : tile<$E>\n}\n"
#define REDUCE(op) "%s = reduce %FA dim=0 identities=[$Z : $E] : $F -> tile<$E> " BODY(op) SPREAD
#define SCAN(op)                                                                                   \
  "%f = scan %FA dim=0 reverse=false identities=[$Z : $E] : $F -> $F " BODY(op) SHAPED
#define REDUCED(on, op)                                                                            \
  {on, SAME, REDUCE(op)}, {                                                                        \
    on, SAME, SCAN(op)                                                                             \
  }
#define PRODUCT(on, name, left, acc, more)                                                         \
  {                                                                                                \
    on, TSR_##acc,                                                                                 \
        "%u = reshape %A : $T -> tile<$Cx1x$E>\n%v = reshape %B : $T -> tile<1x$Cx$E>\n"           \
        "%w = constant <$R: " left "> : tile<$Cx$Cx$R>\n"                                          \
        "%p = " name " %u, %v, %w" more " : tile<$Cx1x$E>, tile<1x$Cx$E>, tile<$Cx$Cx$R>\n"        \
        "%q = extract %p[%Zero, %Zero] : tile<$Cx$Cx$R> -> tile<1x$Cx$R>\n"                        \
        "%r = reshape %q : tile<1x$Cx$R> -> tile<$D$R>",                                           \
        true                                                                                       \
  }
/* Memory of the tile block's own: pointers %q to its elements, which hold %A. */
#define MEMORY                                                                                     \
  "%m = alloca num_elem = $C, alignment = 16 : tile<ptr<$E>>\n"                                    \
  "%m1 = reshape %m : tile<ptr<$E>> -> tile<1xptr<$E>>\n"                                          \
  "%ms = broadcast %m1 : tile<1xptr<$E>> -> tile<$Cxptr<$E>>\n"                                    \
  "%mo = offset %ms, %Flat : tile<$Cxptr<$E>>, tile<$Cxi32> -> tile<$Cxptr<$E>>\n"                 \
  "%q = reshape %mo : tile<$Cxptr<$E>> -> $P\n"                                                    \
  "%t0 = store_ptr_tko weak %q, %A : $P, $T -> token\n"
#define ATOMIC(on, mode)                                                                           \
  {on, SAME,                                                                                       \
   MEMORY "%r, %t1 = atomic_rmw_tko relaxed device %q, " mode                                      \
          ", %B token=%t0 : $P, $T -> $T, token"},                                                 \
  {                                                                                                \
    on, SAME,                                                                                      \
        MEMORY "%o, %t1 = atomic_rmw_tko relaxed device %q, " mode                                 \
               ", %B token=%t0 : $P, $T -> $T, token\n"                                            \
               "%r, %t2 = load_ptr_tko weak %q token=%t1 : $P -> $T, token"                        \
  }
#define TENSOR "tensor_view<$Cx$E, strides=[1]>"
#define VIEW                                                                                       \
  MEMORY "%v = make_tensor_view %m, shape = [$C], strides = [1] : " TENSOR                         \
         "\n%w = make_partition_view %v : partition_view<tile=($C), " TENSOR ">\n"

static const line lines[] = {
    /* integers */
    {INTS, SAME, "%r = addi %A, %B : $T"},
    {INTS, SAME, "%r = subi %A, %B : $T"},
    {INTS, SAME, "%r = muli %A, %B : $T"},
    {INTS, SAME, "%r = mulhii %A, %B : $T"},
    {INTS, SAME, "%r = andi %A, %B : $T"},
    {INTS, SAME, "%r = ori %A, %B : $T"},
    {INTS, SAME, "%r = xori %A, %B : $T"},
    {INTS, SAME, "%r = absi %A : $T"},
    {INTS, SAME, "%r = negi %A : $T"},
    {INTS, SAME, "%r = shli %A, %B : $T"},
    SIGNED_AND_NOT(INTS, SAME, "%r = shri %A, %B", " : $T"),
    SIGNED_AND_NOT(INTS, SAME, "%r = divi %A, %B", " : $T"),
    SIGNED_AND_NOT(INTS, SAME, "%r = divi %A, %B", " rounding<positive_inf> : $T"),
    {INTS, SAME, "%r = divi %A, %B signed rounding<negative_inf> : $T"},
    SIGNED_AND_NOT(INTS, SAME, "%r = remi %A, %B", " : $T"),
    SIGNED_AND_NOT(INTS, SAME, "%r = maxi %A, %B", " : $T"),
    SIGNED_AND_NOT(INTS, SAME, "%r = mini %A, %B", " : $T"),
    COMPARED(INTS, "cmpi", "%A, %B, signed : $T -> $M"),
    COMPARED(INTS, "cmpi", "%A, %B, unsigned : $T -> $M"),
    SIGNED_AND_NOT(ON(I1) | NARROW, TSR_I64, "%r = exti %A", " : $T -> tile<$Di64>"),
    SIGNED_AND_NOT(ON(I1), TSR_I8, "%r = exti %A", " : $T -> tile<$Di8>"),
    {WIDER, TSR_I1, "%r = trunci %A : $T -> $M"},
    {ON(I64) | ON(I32), TSR_I16, "%r = trunci %A : $T -> tile<$Di16>"},
    SIGNED_AND_NOT(INTS, TSR_F16, "%r = itof %A", " : $T -> tile<$Df16>"),
    SIGNED_AND_NOT(INTS, TSR_BF16, "%r = itof %A", " : $T -> tile<$Dbf16>"),
    SIGNED_AND_NOT(INTS, TSR_F32, "%r = itof %A", " : $T -> tile<$Df32>"),
    SIGNED_AND_NOT(INTS, TSR_F64, "%r = itof %A", " : $T -> tile<$Df64>"),
    SIGNED_AND_NOT(INTS, TSR_F8E4M3FN, "%r = itof %A", " : $T -> tile<$Df8E4M3FN>"),
    {ON(I1) | NARROW, TSR_F32,
     "%x = constant <f32: 0x80000000> : tile<$Df32>\n%r = fpowi %x, %A : tile<$Df32>, $T", true},
    {ON(I1) | NARROW, TSR_F64,
     "%x = constant <f64: -1.25> : tile<$Df64>\n%r = fpowi %x, %A : tile<$Df64>, $T", true},
    {INTS, TSR_I64,
     "%x = constant <i64: 4096> : tile<$Di64>\n%p = int_to_ptr %x : tile<$Di64> -> "
     "tile<$Dptr<i32>>\n%q = offset %p, %A : tile<$Dptr<i32>>, $T -> tile<$Dptr<i32>>\n"
     "%s = ptr_to_ptr %q : tile<$Dptr<i32>> -> tile<$Dptr<i8>>\n"
     "%r = ptr_to_int %s : tile<$Dptr<i8>> -> tile<$Di64>"},
    {WIDER, SAME, "%f = iota : $F\n" SHAPED},
    {ON(I1), SAME, "%f = iota : $F\n" SHAPED, false, 2},
    {WIDER, SAME, "%i = iota : $F\n%f = addi %i, %FA : $F\n" SHAPED},
    {ON(I1), SAME, "%i = iota : $F\n%f = addi %i, %FA : $F\n" SHAPED, false, 2},
    {INTS, SAME, "%r = assume bounded<?, ?>, %A : $T"},
    {INTS, SAME, "%t = print_tko \"%d\\n\", %A : $T -> token\n%r = ori %A, %B : $T"},
    {ON(I1), SAME,
     "%x = constant <i1: true> : $T\n%r = ori %A, %x : $T\nassert %r, \"it is true\" : $T"},
    REDUCED(INTS, "addi %x, %y"),
    REDUCED(INTS, "muli %x, %y"),
    REDUCED(INTS, "xori %x, %y"),
    REDUCED(INTS, "ori %x, %y"),
    REDUCED(INTS, "maxi %x, %y unsigned"),
    REDUCED(INTS, "mini %x, %y signed"),
    PRODUCT(ON(I8), "mmai", "0", I32, " signed unsigned"),

    /* floats */
    ROUNDED("%r = addf %A, %B"),
    ROUNDED("%r = subf %A, %B"),
    ROUNDED("%r = mulf %A, %B"),
    ROUNDED("%r = divf %A, %B"),
    ROUNDED("%r = fma %A, %B, %C"),
    ROUNDED("%r = sqrt %A"),
    {FLOATS, SAME, "%r = remf %A, %B : $T"},
    {FLOATS, SAME, "%t = print_tko \"%g %g\\n\", %A, %B : $T, $T -> token\n%r = subf %A, %B : $T"},
    {FLOATS, SAME, "%r = negf %A : $T"},
    {FLOATS, SAME, "%r = absf %A : $T"},
    {FLOATS, SAME, "%r = floor %A : $T"},
    {FLOATS, SAME, "%r = ceil %A : $T"},
    {FLOATS, SAME, "%r = maxf %A, %B : $T"},
    {FLOATS, SAME, "%r = minf %A, %B : $T"},
    {FLOATS, SAME, "%r = maxf %A, %B propagate_nan : $T"},
    {FLOATS, SAME, "%r = minf %A, %B propagate_nan : $T"},
    COMPARED(FLOATS, "cmpf", "ordered %A, %B : $T -> $M"),
    COMPARED(FLOATS, "cmpf", "unordered %A, %B : $T -> $M"),
    {FLOATS, SAME, "%r = pow %A, %B : $T", true},
    {FLOATS, SAME, "%r = atan2 %A, %B : $T", true},
    FUNCTION("exp"),
    FUNCTION("exp2"),
    FUNCTION("log"),
    FUNCTION("log2"),
    FUNCTION("sin"),
    FUNCTION("cos"),
    FUNCTION("tan"),
    FUNCTION("sinh"),
    FUNCTION("cosh"),
    FUNCTION("tanh"),
    FUNCTION("rsqrt"),
    SIGNED_AND_NOT(FLOATS, TSR_I1, "%r = ftoi %A", " : $T -> $M"),
    SIGNED_AND_NOT(FLOATS, TSR_I8, "%r = ftoi %A", " : $T -> tile<$Di8>"),
    SIGNED_AND_NOT(FLOATS, TSR_I32, "%r = ftoi %A", " : $T -> tile<$Di32>"),
    SIGNED_AND_NOT(FLOATS, TSR_I64, "%r = ftoi %A", " : $T -> tile<$Di64>"),
    {(FLOATS | LOW) & ~ON(F32), TSR_F32, "%r = ftof %A : $T -> tile<$Df32>"},
    {(FLOATS | LOW) & ~ON(F64), TSR_F64, "%r = ftof %A : $T -> tile<$Df64>"},
    {FLOATS & ~ON(F16), TSR_F16, "%r = ftof %A : $T -> tile<$Df16>"},
    {FLOATS, TSR_F8E5M2, "%r = ftof %A : $T -> tile<$Df8E5M2>"},
    {FLOATS, TSR_F8E4M3FN, "%r = ftof %A : $T -> tile<$Df8E4M3FN>"},
    REDUCED(FLOATS, "maxf %x, %y"),
    REDUCED(FLOATS, "minf %x, %y propagate_nan"),
    {FLOATS, SAME, REDUCE("addf %x, %y"), false, 2}, /* of more in any order */
    {FLOATS, SAME, SCAN("addf %x, %y"), false, 2},
    PRODUCT(ON(F16) | ON(BF16) | ON(F32) | ON(F8E4M3FN) | ON(F8E5M2), "mmaf", "1.0", F32, ""),
    PRODUCT(ON(F64), "mmaf", "1.0", F64, ""),

    /* what only moves */
    {ALL, SAME, "%r = select %Mask, %A, %B : $M, $T"},
    {ALL, SAME, "%r = reshape %FA : $F -> $T"},
    {ALL, SAME,
     "%w = reshape %FA : $F -> tile<$Cx1x$E>\n%p = permute %w [1, 0] : tile<$Cx1x$E> -> "
     "tile<1x$Cx$E>\n%r = reshape %p : tile<1x$Cx$E> -> $T"},
    {ALL, SAME,
     "%e = extract %FA[%Zero] : $F -> tile<1x$E>\n%s = reshape %e : tile<1x$E> -> "
     "tile<$E>\n" SPREAD},
    {ALL, SAME,
     "%k = cat %FA, %FB dim = 0 : $F, $F -> tile<$2x$E>\n"
     "%f = extract %k[%One] : tile<$2x$E> -> $F\n" SHAPED},
    {ALL, SAME,
     "%k = cat %FA, %FB dim = 0 : $F, $F -> tile<$2x$E>\n"
     "%i = insert %FB, %k[%Zero] : $F, tile<$2x$E> -> tile<$2x$E>\n"
     "%f = extract %i[%Zero] : tile<$2x$E> -> $F\n" SHAPED},
    {ON(I16) | ON(I32) | ON(I64) | FLOATS, SAME,
     "%k = pack %FA : $F -> tile<$Bxi8>\n%f = unpack %k : tile<$Bxi8> -> $F\n" SHAPED},
    {ON(I32), TSR_F32, "%r = bitcast %A : $T -> tile<$Df32>"},
    {ON(F16), TSR_I16, "%r = bitcast %A : $T -> tile<$Di16>"},
    {ON(I8), TSR_F8E5M2, "%r = bitcast %A : $T -> tile<$Df8E5M2>"},
    {ALL, SAME, "%r = if %Odd -> ($T) {\nyield %A : $T\n} else {\nyield %B : $T\n}"},
    {ALL, SAME,
     "%r, %k = for %j in (%Zero to %Block, step %One) : tile<i32> iter_values(%x = %A, %y = %B) -> "
     "($T, $T) {\ncontinue %y, %x : $T, $T\n}"},
    {ALL, SAME,
     "%r, %k = loop iter_values(%x = %A, %j = %Zero) : $T, tile<i32> -> $T, tile<i32> {\n"
     "%end = cmpi equal %j, %Block, signed : tile<i32> -> tile<i1>\nif %end {\n"
     "break %x, %j : $T, tile<i32>\n}\n%next = addi %j, %One : tile<i32>\n"
     "%y = select %Mask, %x, %B : $M, $T\ncontinue %y, %next : $T, tile<i32>\n}"},

    /* memory */
    {ALL, SAME, MEMORY "%r, %t1 = load_ptr_tko weak %q token=%t0 : $P -> $T, token"},
    {ALL, SAME,
     MEMORY "%r, %t1 = load_ptr_tko weak %q, %Mask, %B token=%t0 : $P, $M, $T -> $T, token"},
    {ALL, SAME,
     MEMORY "%t1 = store_ptr_tko weak %q, %B, %Mask token=%t0 : $P, $T, $M -> token\n"
            "%r, %t2 = load_ptr_tko relaxed device %q token=%t1 : $P -> $T, token"},
    ATOMIC(ON(I32) | ON(I64) | ON(F32) | ON(F64), "xchg"),
    ATOMIC(ON(I32) | ON(I64), "add"),
    ATOMIC(ON(I32) | ON(I64), "umax"),
    ATOMIC(ON(I32) | ON(I64), "min"),
    {ON(I32) | ON(I64) | ON(F32) | ON(F64), SAME,
     MEMORY "%o, %t1 = atomic_cas_tko relaxed device %q, %A, %B token=%t0 : $P, $T -> $T, "
            "token\n%r, %t2 = load_ptr_tko weak %q token=%t1 : $P -> $T, token"},
    {ON(I32) | ON(I64), SAME,
     VIEW "%t1 = atomic_red_view_tko relaxed device %w[%Zero], xor, %FB token = %t0 : $F, "
          "partition_view<tile=($C), " TENSOR ">, tile<i32> -> token\n"
          "%r, %t2 = load_ptr_tko weak %q token=%t1 : $P -> $T, token"},
    {ALL, SAME,
     VIEW "%f, %t1 = load_view_tko weak %w[%Zero] token = %t0 : partition_view<tile=($C), " TENSOR
          ">, tile<i32> -> $F, token\n" SHAPED},
    {ALL, SAME,
     VIEW
     "%t1 = store_view_tko weak %FB, %w[%Zero] token = %t0 : $F, partition_view<tile=($C), " TENSOR
     ">, tile<i32> -> token\n%r, %t2 = load_ptr_tko weak %q token=%t1 : $P -> $T, token"},
    {ALL, SAME,
     MEMORY "%v = make_tensor_view %m, shape = [$C], strides = [1] : " TENSOR
            "\n%w = make_strided_view %v : strided_view<tile=($C), traversal_strides=[1], " TENSOR
            ">\n%f, %t1 = load_view_tko weak %w[%Zero] token = %t0 : strided_view<tile=($C), "
            "traversal_strides=[1], " TENSOR ">, tile<i32> -> $F, token\n" SHAPED},
    {ALL, SAME,
     MEMORY
     "%v = make_tensor_view %m, shape = [$C, 1], strides = [1, 1] : tensor_view<$Cx1x$E, "
     "strides=[1,1]>\n%w = make_gather_scatter_view %v : gather_scatter_view<tile=($Cx1), "
     "tensor_view<$Cx1x$E, strides=[1,1]>, sparse_dim=0>\n"
     "%g, %t1 = load_view_tko weak %w[%Flat, %Zero] token = %t0 : "
     "gather_scatter_view<tile=($Cx1), tensor_view<$Cx1x$E, strides=[1,1]>, sparse_dim=0>, "
     "tile<$Cxi32>, tile<i32> -> tile<$Cx1x$E>, token\n%r = reshape %g : tile<$Cx1x$E> -> $T"},
    {ON(I1) | ON(I32) | ON(F16), SAME,
     "%g = get_global @g : tile<ptr<$E>>\n%s, %t = load_ptr_tko weak %g : tile<ptr<$E>> -> "
     "tile<$E>, token\n" SPREAD},
};

/* Operations that take no tile, or only larger ones (mmaf_scaled), or that every kernel has. */
static const char *const others[] = {
    "module",
    "entry",
    "global",
    "get_tile_block_id",
    "get_num_tile_blocks",
    "return",
    "make_token",
    "join_tokens",
    "mmaf_scaled",
    "gdc_launch_dependents_tko",
    "gdc_wait_tko",
    "memory_fence_alias_tko",
    "get_tensor_shape",
    "get_index_space_shape",
    /* These have rules of their own for views: tests/run/multimem.mlir. */
    "multimem_load_reduce_view_tko",
    "multimem_store_view_tko",
    "multimem_reduce_view_tko",
};

/* ---- programs ------------------------------------------------------------------------------- */

typedef struct shape {
  const char *dims; /* "2x" */
  unsigned count;
} shape;

static const shape shapes[] = {{"", 1},     {"1x", 1},   {"2x", 2},  {"1x1x", 1},
                               {"1x2x", 2}, {"2x1x", 2}, {"2x2x", 4}};

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The line, with its number after names that are its own: not those that are printed. */
static void say_line(writer *w, const char *text, unsigned number) {
  bool quoted = false;
  for (const char *at = text; *at;) {
    const char *begin = at++;
    if (*begin == '"') quoted = !quoted;
    while (*begin == '%' && !quoted && is_name(*at)) at++;
    bool own = *begin == '%' && !quoted && !(begin[1] >= 'A' && begin[1] <= 'Z');
    say(w, own ? "%.*s_%u" : "%.*s", (int)(at - begin), begin, number);
  }
  say(w, "\n");
}

/* Pointers to the elements of a tile in memory from `base` on, which is a pointer to bytes. */
static void say_pointers(writer *w, const char *name, const char *base, const char *elem) {
  say(w,
      "%%%s_1 = ptr_to_ptr %s : tile<ptr<i8>> -> tile<ptr<%s>>\n"
      "%%%s_2 = reshape %%%s_1 : tile<ptr<%s>> -> tile<1xptr<%s>>\n"
      "%%%s_3 = broadcast %%%s_2 : tile<1xptr<%s>> -> tile<$Cxptr<%s>>\n"
      "%%%s_4 = offset %%%s_3, %%Flat : tile<$Cxptr<%s>>, tile<$Cxi32> -> tile<$Cxptr<%s>>\n"
      "%%%s = reshape %%%s_4 : tile<$Cxptr<%s>> -> tile<$Dptr<%s>>\n",
      name, base, elem, name, name, elem, elem, name, name, elem, elem, name, name, elem, elem,
      name, name, elem, elem);
}

static void say_input(writer *w, const char *name, unsigned number, const char *elem) {
  char at[16], base[32];
  snprintf(at, sizeof at, "At%s", name);
  snprintf(base, sizeof base, "%%Base%s", name);
  say(w,
      "%%By%s = constant <i32: %u> : tile<i32>\n"
      "%s = offset %%In, %%By%s : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n",
      name, number * PLACE, base, name);
  say_pointers(w, at, base, elem);
  say(w, "%%%s, %%T%s = load_ptr_tko weak %%%s : tile<$Dptr<%s>> -> tile<$D%s>, token\n", name,
      name, at, elem, elem);
}

static tsr_elem result_of(const line *l, tsr_elem elem) {
  return l->result == SAME ? elem : l->result;
}

static void say_result(writer *w, unsigned number, const char *elem) {
  char at[16], base[32];
  snprintf(at, sizeof at, "to%u", number);
  snprintf(base, sizeof base, "%%base%u", number);
  say(w,
      "%%by%u = constant <i32: %u> : tile<i32>\n"
      "%s = offset %%Out, %%by%u : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n",
      number, number * PLACE, base, number);
  say_pointers(w, at, base, elem);
  say(w, "%%done%u = store_ptr_tko weak %%%s, %%r_%u : tile<$Dptr<%s>>, tile<$D%s> -> token\n",
      number, at, number, elem, elem);
}

static void say_begin(writer *w, tsr_elem elem) {
  const char *name = tsr_elem_name(elem);
  say(w, "cuda_tile.module @m {\n");
  if (elem == TSR_I1 || elem == TSR_I32 || elem == TSR_F16)
    say(w, "global @g <%s: %s> : tile<1x%s>\n", name,
        elem == TSR_I1    ? "true"
        : elem == TSR_I32 ? "-7"
                          : "0x7c01",
        name);
  say(w,
      "entry @k(%%p: tile<ptr<i8>>, %%q: tile<ptr<i8>>) {\n"
      "%%Block, %%by, %%bz = get_tile_block_id : tile<i32>\n"
      "%%Zero = constant <i32: 0> : tile<i32>\n%%One = constant <i32: 1> : tile<i32>\n"
      "%%Odd = trunci %%Block : tile<i32> -> tile<i1>\n%%Flat = iota : tile<$Cxi32>\n"
      "%%ins = constant <i32: %d> : tile<i32>\n%%outs = constant <i32: %d> : tile<i32>\n"
      "%%in = muli %%Block, %%ins : tile<i32>\n%%out = muli %%Block, %%outs : tile<i32>\n"
      "%%In = offset %%p, %%in : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n"
      "%%Out = offset %%q, %%out : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n",
      (INPUTS + 1) * PLACE, (int)ARRAY_LEN(lines) * PLACE);
  say_input(w, "A", 0, name);
  say_input(w, "B", 1, name);
  say_input(w, "C", 2, name);
  say_input(w, "Mask", INPUTS, "i1");
  say(w, "%%FA = reshape %%A : $T -> $F\n%%FB = reshape %%B : $T -> $F\n");
}

/* The kernel of a type and shape, until the next call. */
static const char *program_of(tsr_elem elem, const shape *s) {
  static char template[1 << 17], text[1 << 17];
  const char *name = tsr_elem_name(elem);
  char tile[64], mask[64], flat[64], pointers[64], count[16], twice[16], bytes[16];
  writer w = {.text = template, .size = sizeof template}, all = {.text = text, .size = sizeof text};
  snprintf(tile, sizeof tile, "tile<%s%s>", s->dims, name);
  snprintf(mask, sizeof mask, "tile<%si1>", s->dims);
  snprintf(flat, sizeof flat, "tile<%ux%s>", s->count, name);
  snprintf(pointers, sizeof pointers, "tile<%sptr<%s>>", s->dims, name);
  snprintf(count, sizeof count, "%u", s->count);
  snprintf(twice, sizeof twice, "%u", 2 * s->count);
  snprintf(bytes, sizeof bytes, "%u", s->count * tsr_elem_bits(elem) / 8);
  const char *zero = elem == TSR_I1 ? "false" : tsr_elem_is_float(elem) ? "0.0" : "0";
  run_blank blanks[] = {{'E', name},  {'D', s->dims},  {'T', tile},  {'M', mask},
                        {'F', flat},  {'P', pointers}, {'C', count}, {'2', twice},
                        {'B', bytes}, {'Z', zero},     {'R', name},  {0}};
  say_begin(&w, elem);
  run_fill(text, sizeof text, template, blanks);
  all.n = strlen(text);
  for (unsigned i = 0; i < ARRAY_LEN(lines); i++) {
    if (!(lines[i].on >> elem & 1) || (lines[i].most && s->count > lines[i].most)) continue;
    w.n = 0;
    say_line(&w, lines[i].text, i);
    say_result(&w, i, tsr_elem_name(result_of(&lines[i], elem)));
    blanks[10].says = tsr_elem_name(result_of(&lines[i], elem));
    run_fill(text + all.n, sizeof text - all.n, template, blanks);
    all.n += strlen(text + all.n);
  }
  say(&all, "}\n}\n");
  return text;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x) {
  x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return x ^ x >> 32;
}

/* Small ones, the largest and the smallest, NaNs of any kind, any. */
static uint64_t number(tsr_elem elem, uint64_t i) {
  uint64_t r = mixed(i), low = UINT64_MAX >> (64 - tsr_elem_bits(elem));
  const num_format *f = num_format_of(elem);
  if (elem == TSR_I1) return r % 8 ? r >> 8 & 1 : 0x82; /* is true, too */
  if (!f)
    return r % 4 == 0 ? low / 2 + (r >> 8 & 1) : r % 4 == 1 ? r >> 4 & low : (r % 7 - 3) & low;
  uint64_t p = r % 2 ? num_from_i64(f, (int64_t)(r >> 8 & 7) - 3, NUM_NEAREST_EVEN) : r >> 4 & low;
  if (r % 16 == 5) p = (r >> 4 & low) | num_mask(f->exponent_bits) << (f->mantissa_bits + f->shift);
  return f->shift ? p >> f->shift << f->shift : p;
}

static uint8_t input[BLOCKS * (INPUTS + 1) * PLACE];
static uint8_t expected[BLOCKS * ARRAY_LEN(lines) * PLACE], got[sizeof expected];

static void fill(tsr_elem elem) {
  for (uint64_t i = 0; i < sizeof input / PLACE; i++)
    for (uint64_t k = 0; k < MOST; k++) {
      tsr_elem of = i % (INPUTS + 1) == INPUTS ? TSR_I1 : elem;
      uint64_t p = number(of, i * MOST + k);
      size_t bytes = tsr_elem_storage(of, 1);
      memcpy(input + i * PLACE + k * bytes, &p, bytes);
    }
}

/* Some functions have bounds of a few units in the last place (docs/numerics.md). */
static bool is_close(const line *l, tsr_elem elem, uint64_t x, uint64_t y) {
  const num_format *f = num_format_of(elem);
  if (x == y || !l->rough) return x == y;
  uint64_t apart = x > y ? x - y : y - x;
  return apart <= 4 && !num_is_nan(f, x) && !num_is_nan(f, y);
}

static void compare(tsr_elem elem, const shape *s, const char *engine) {
  for (size_t i = 0; i < sizeof expected / PLACE; i++) {
    const line *l = &lines[i % ARRAY_LEN(lines)];
    tsr_elem of = result_of(l, elem);
    for (size_t k = 0, bytes = tsr_elem_storage(of, 1); k < PLACE / bytes; k++) {
      uint64_t x = 0, y = 0;
      memcpy(&x, expected + i * PLACE + k * bytes, bytes);
      memcpy(&y, got + i * PLACE + k * bytes, bytes);
      if (is_close(l, of, x, y)) continue;
      fail_msg("tile<%s%s> on %s, tile block %zu, element %zu is 0x%llx, not 0x%llx:\n%s", s->dims,
               tsr_elem_name(elem), engine, i / ARRAY_LEN(lines), k, (unsigned long long)y,
               (unsigned long long)x, l->text);
    }
  }
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void run_all(tsr_elem elem, const shape *s) {
  static run_log said, log;
  const char *text = program_of(elem, s);
  const run_grid grid = {BLOCKS, 1, 1};
  fill(elem);
  memset(expected, 0, sizeof expected);
  every_engine_expect(text, grid, (uint64_t[]){ARG_ADDRESS(input), ARG_ADDRESS(expected)}, &said);
  for (unsigned e = 0; e < ARRAY_LEN(every_engines); e++) {
    if (!every_engine_here(&every_engines[e])) continue;
    memset(got, 0, sizeof got);
    every_engine_run(&every_engines[e], text, grid,
                     (uint64_t[]){ARG_ADDRESS(input), ARG_ADDRESS(got)}, &log);
    compare(elem, s, every_engines[e].name);
    assert_string_equal(log.printed, said.printed);
    assert_int_equal(log.asserts, said.asserts);
  }
}

static void run_shapes(unsigned elems) {
  for (tsr_elem elem = 0; elem < TSR_PTR; elem++) /* Tile IR's own */
    for (unsigned i = 0; i < ARRAY_LEN(shapes) && elems >> elem & 1; i++) run_all(elem, &shapes[i]);
}

static void test_bits(void **state) {
  (void)state;
  run_shapes(ON(I1));
}

static void test_integers(void **state) {
  (void)state;
  run_shapes(WIDER);
}

static void test_floats(void **state) {
  (void)state;
  run_shapes(FLOATS);
}

static void test_low_floats(void **state) {
  (void)state;
  run_shapes(LOW);
}

/* `name` as a word of its own. */
static bool is_in(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
    if ((at == text || at[-1] == ' ' || at[-1] == '\n') && (at[length] == ' ')) return true;
  return false;
}

/* Is there a line with each operation of the language? */
static void test_nothing_is_missing(void **state) {
  (void)state;
  for (unsigned op = 1; op < OP_COUNT; op++) {
    const char *name = op_table[op].name;
    if (!name || op_table[op].traits & (TRAIT_TESTING | TRAIT_FOREIGN)) continue;
    bool found = false;
    for (unsigned i = 0; i < ARRAY_LEN(lines); i++) found |= is_in(lines[i].text, name);
    for (unsigned i = 0; i < ARRAY_LEN(others); i++) found |= strcmp(others[i], name) == 0;
    found |= strcmp(name, "constant") == 0;
    if (!found) fail_msg("no line has %s", name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bits), cmocka_unit_test(test_integers), cmocka_unit_test(test_floats),
      cmocka_unit_test(test_low_floats), cmocka_unit_test(test_nothing_is_missing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
