/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader of Triton's representation: what is refused, with what words and where; broken texts;
 * memory that runs out; places and names that are kept. What the operations compute is tested by
 * the programs in tests/ttir.
 */
#include "text_test.h"
#include "ttir/rows.h"

#include "ttir/ttir.h"

static tsr_module *read_ttir(tsr_context *ctx, const char *text) {
  said.n = 0;
  return tsr_module_read_ttir(ctx, text, strlen(text), "k.ttir", TSR_PARSE_DEFAULT);
}

/* ---- refusals ---------------------------------------------------------------------------------
 */

typedef struct wrong_text {
  const char *parameters; /* of a kernel; NULL: `body` is the whole text */
  const char *body;
  const char *message; /* part of it */
} wrong_text;

#define P    "%p: !tt.ptr<i32>"
#define N    "%n: i32"
#define PN   P ", " N
#define IOTA "%i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
#define DESC                                                                                       \
  "%s = arith.constant 1 : i64\n"                                                                  \
  "%d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <i32>, <4x8xi32>\n"
#define REDUCE(args, body)                                                                         \
  "%r = \"tt.reduce\"(%i) <{axis = 0 : i32}> ({\n^bb0(" args "):\n" body                           \
  "\n}) : (tensor<16xi32>) -> i32\n"
#define MODULE(functions) "module {\n" functions "\n}\n"

#define MAP(pack, args, body)                                                                      \
  "%r = \"tt.map_elementwise\"(%i) <{pack = " #pack " : i32}> ({\n^bb0(" args "):\n" body          \
  "\n}) : (tensor<16xi32>) -> tensor<16xi32>"

static const wrong_text wrong_texts[] = {
    /* the grammar */
    {N, "%r = tt.frobnicate %n : i32", "Tile IR has nothing for the operation 'tt.frobnicate'"},
    {N, "%r = arith.addi %n, %m : i32", "'%m' is not defined above"},
    {N, "%n = arith.addi %n, %n : i32", "'%n' is defined twice"},
    {N, "%r = arith.addi %n, %n", "the type of result 1 of 'arith.addi' is missing"},
    {N, "%r = arith.addi %n : i32", "'arith.addi' with 1 operands"},
    {N, "%r = arith.addi %n#1, %n : i32", "'%n' has 1 values"},
    {P, "%r = tt.store %p, %p : !tt.ptr<i32>", "'tt.store' has no results"},
    {N, "%r:0 = arith.addi %n, %n : i32", "expected 1 to 65536 results"},
    {N, "%r = arith.addi %n, = : i32", "expected an operand, an attribute or a type, found '='"},
    {N, "%r, 5 = arith.addi %n, %n : i32", "expected a value, found '5'"},
    {N, "5", "expected an operation, found '5'"},
    {N, "cf.br ^bb1\n^bb1:\ntt.return\n^bb1:", "the block '^bb1' is there twice"},
    {N, "cf.br ^bb7", "there is no block '^bb7'"},
    {N, "\"tt.return\"(^bb1) : () -> ()", "expected a value, found '^bb1'"},
    {N, "\"scf.if\"(%n) ({\n}, {\n}, {\n}) : (i32) -> ()", "expected at most 2 regions"},
    {N, "\"cf.br\"(%n)[^a] <{operandSegmentSizes = array<i32: 1, 7>}> : (i32) -> ()\n^a:",
     "the operands do not fit the blocks"},
    {N, "tt.print \"x", "this string does not end on its line"},
    {NULL, MODULE("tt.func @a() {\ntt.return\n}\ntt.func @a() {\ntt.return\n}"),
     "the function '@a' is there twice"},
    {NULL, MODULE("tt.func private @a() {\ntt.return\n}"),
     "there is no public function, which a kernel is"},
    {NULL, MODULE("addi"), "expected a function, 'tt.func', found 'addi'"},
    {NULL, "module {\ntt.func @a() {\ntt.return\n}\n}\nmore",
     "expected the end of the file behind the module, found 'more'"},
    {NULL, "#a = loc(#b)\n#b = loc(#a)\n" MODULE("tt.func @a() {\ntt.return loc(#a)\n}"),
     "locations name each other in a circle, or more than 256 deep"},
    {NULL, "#a = loc(unknown)\n#a = loc(unknown)\n" MODULE(""), "'#a' is defined twice"},
    {NULL,
     "\"builtin.module\"() ({\n\"tt.func\"() <{sym_name = 5}> ({\n^bb0:\n"
     "}) : () -> ()\n}) : () -> ()",
     "a function has a name"},
    {NULL,
     "\"builtin.module\"() ({\n\"tt.func\"() <{sym_name = \"k\"}> ({\n}) : () -> ()\n"
     "}) : () -> ()",
     "a block of '@k' has no end"},
    {NULL, "\"builtin.module\"() ({\n\"tt.func\"() <{sym_name = \"k\"}> : () -> ()\n}) : () -> ()",
     "a function has a body"},
    /* types */
    {"%x: f7", "", "Tile IR has no element type 'f7'"},
    {"%x: !tt.ptr<!tt.ptr<i32>>", "",
     "a pointer to pointers; Tile IR has pointers to numbers only"},
    {"%x: !tt.ptr<tensor<4xi32>>", "",
     "a pointer to a block; Tile IR has pointers to numbers only"},
    {"%x: tensor<4x!x>", "", "expected a number or !tt.ptr, found '!x'"},
    {"%x: tensor<99999999xi32>", "", "at most 16777216 elements are accepted"},
    {"%x: tensor<4yi32>", "", "expected an extent, as 64 in 64xf32"},
    {"%x: tensor<3xi32>", "", "power of two"},
    {"%x: tensor<4xi32, #blocked", "", "expected one of '>'"},
    {"%x: !tt.tensordesc", "", "expected '<' and the shape of a block"},
    {"%x: !llvm.ptr", "", "Tile IR has nothing for the type '!llvm.ptr'"},
    {"%x: {", "", "expected an element type, found '{'"},
    {"%x: tensor<4xi32>", "",
     "the parameter '%x' of '@k' is a tile; a kernel takes numbers and pointers"},
    {"%x: !tt.tensordesc<4x8xi32>", "",
     "is a tensor descriptor; a kernel takes numbers and pointers, so make the descriptor inside "
     "of "
     "it"},
    /* attributes and constants */
    {N, "%r = arith.constant dense<[1, 2]> : tensor<4xi32>", "2 numbers for a tile of 4"},
    {N, "%r = arith.constant 5", "expected ':' and the constant's type"},
    {N, "%r = arith.constant dense<\"0x01\"> : tensor<4xi32>", "a constant as a string of bytes"},
    {N, "%r = arith.constant 0 : !tt.ptr<i32>", "a constant of pointers"},
    {N, "%r = arith.constant 0 : !tt.tensordesc<4xi32>", "a constant of a descriptor"},
    {N, "%r = arith.constant true : f32", "expected a number of 'f32'"},
    {N, "%r = arith.constant 99999999999999999999999 : i32", "expected an integer of 64 bits"},
    {N, "%r = arith.constant x : i32", "expected a number, found 'x'"},
    {N, IOTA "%r = tt.trans %i {order = array<5>} : tensor<16xi32> -> tensor<16xi32>",
     "expected an array of integers, found '5'"},
    {N, IOTA "%r = tt.trans %i {order = 5} : tensor<16xi32> -> tensor<16xi32>",
     "'tt.trans' needs an order of all dimensions"},
    {N, "tt.return {=}", "expected an attribute's name, found '='"},
    {N, "\"arith.addi\"(%n, %n) <{a = 1}", "expected '>' behind the properties"},
    /* values, operands, results */
    {N, "%r = arith.extsi %n : i32 to f32", "'arith.extsi' of what is no integer"},
    {N, "%r = arith.cmpi foo, %n, %n : i32", "'arith.cmpi': its 'predicate' is not known"},
    {"%x: f32", "%r = tt.fp_to_fp %x, rounding = rs : f32 -> f16",
     "stochastic rounding; Tile IR has none"},
    {N, "%r = tt.splat %n : i32 -> tensor<4xi64>",
     "'tt.splat' gives tile<4xi32>, but its result is written as tile<4xi64>"},
    {PN, DESC "%r = arith.addi %d, %n : i32", "'arith.addi' with a tensor descriptor"},
    {N,
     "cf.br ^b\n^a:\n%x = arith.addi %n, %n : i32\ncf.br ^b\n^b:\n"
     "%y = arith.addi %x, %n : i32\ntt.return",
     "'%x' has no value here: it is made on another path"},
    {N,
     "cf.br ^b\n^a:\n%x = arith.addi %n, %n : i32\ncf.br ^b\n^b:\ncf.br ^c(%x : i32)\n"
     "^c(%y: i32):\ntt.return",
     "'%x' has no value here"},
    {N, "%r = ub.poison : !tt.tensordesc<4xi32>", "an unspecified tensor descriptor"},
    /* control flow */
    {N, "tt.return\n%r = arith.addi %n, %n : i32", "'tt.return' in the middle of a block"},
    {N, "scf.yield", "'scf.yield' at the end of a function"},
    {N, "cf.br ^a\n^a:\ncf.br ^a", "'@k' has a loop of branches"},
    {N, "cf.br ^a(%n : i32)\n^a:\ntt.return", "'^a' takes 0 values, not 1"},
    {N, "cf.br ^a(%n : i32)\n^a(%x: i64):\ntt.return", "'^a' takes other types"},
    {N, "cf.br", "'cf.br' with 0 blocks"},
    {N, "cf.cond_br %n", "'cf.cond_br' with 0 blocks"},
    {N, "cf.cond_br %n, ^a, ^b, ^c", "unexpected block"},
    {PN,
     "%c = arith.constant true\n" DESC "cf.cond_br %c, ^a, ^a\n"
     "^a:\ncf.cond_br %c, ^b(%d : !tt.tensordesc<4x8xi32>), ^c\n"
     "^c:\ncf.br ^b(%d : !tt.tensordesc<4x8xi32>)\n^b(%e: !tt.tensordesc<4x8xi32>):\ntt.return",
     "a tensor descriptor that branches decide on"},
    {N, "tt.call @f(%n) : (i32) -> ()", "there is no function '@f'"},
    {NULL, MODULE("tt.func @f(" N ") {\ntt.call @f(%n) : (i32) -> ()\ntt.return\n}"),
     "'@f' calls itself"},
    {NULL,
     MODULE("tt.func @k(" N ") {\ntt.call @f() : () -> ()\ntt.return\n}\n"
            "tt.func private @f(" N ") {\ntt.return\n}"),
     "'@f' takes 1 arguments, not 0"},
    {NULL,
     MODULE("tt.func @k(" P ") {\ntt.call @f(%p) : (!tt.ptr<i32>) -> ()\ntt.return\n}\n"
            "tt.func private @f(" N ") {\ntt.return\n}"),
     "argument 0 of '@f' has another type"},
    {NULL,
     MODULE("tt.func @k(" N ") {\n%r = tt.call @f(%n) : (i32) -> i32\ntt.return\n}\n"
            "tt.func private @f(" N ") {\ntt.return\n}"),
     "the function gives 0 values, not 1"},
    {N, "%r = scf.for %i = %n to %n step %n iter_args(%x = %n) -> (i32) : i32 {\n}",
     "the body of 'scf.for' gives another number of values"},
    {N,
     "%r = scf.while (%x = %n) : (i32) -> i32 {\nscf.yield %x : i32\n} do {\n^bb0(%y: i32):\n"
     "scf.yield %y : i32\n}",
     "'scf.while' without 'scf.condition'"},
    {N,
     "%t = arith.constant true\n%r = scf.while (%x = %n) : (i32) -> i32 {\n"
     "scf.condition(%t) %x : i32\n} do {\n^bb0(%y: i32, %z: i32):\nscf.yield %y : i32\n}",
     "the body of 'scf.while' gives another number of values"},
    {N,
     "\"scf.for\"(%n, %n, %n) ({\n^bb0(%i: i32, %x: i32):\n\"scf.yield\"() : () -> ()\n"
     "}) : (i32, i32, i32) -> ()",
     "a region with 2 arguments, not 1"},
    {N,
     "\"scf.for\"(%n, %n, %n) ({\n^bb0(%i: i64):\n\"scf.yield\"() : () -> ()\n"
     "}) : (i32, i32, i32) -> ()",
     "'%i' is written as tile<i64>, but what it begins with is tile<i32>"},
    {N,
     "\"scf.for\"(%n, %n, %n) ({\n^a(%i: i32):\ncf.br ^b\n^b:\n"
     "}) : (i32, i32, i32) -> ()",
     "a region of 'scf.for' is not one block"},
    {N,
     "%r = \"scf.for\"(%n, %n, %n) ({\n^bb0(%i: i32):\n\"scf.yield\"() : () -> ()\n"
     "}) : (i32, i32, i32) -> i32",
     "'scf.for' gives 0 values"},
    {PN,
     DESC "%t = arith.constant true\n%r = scf.if %t -> (!tt.tensordesc<4x8xi32>) {\n"
          "scf.yield %d : !tt.tensordesc<4x8xi32>\n} else {\n"
          "scf.yield %d : !tt.tensordesc<4x8xi32>\n}",
     "'scf.if' that gives a tensor descriptor"},
    {N, "scf.while : () -> () {\nscf.condition\n} do {\n}", "'scf.condition' lacks an operand"},
    /* reductions */
    {N, IOTA REDUCE("%a: i32", "tt.reduce.return %a : i32"),
     "'tt.reduce' needs a body of two arguments for each operand"},
    {N, IOTA REDUCE("%a: i32, %b: i32", "tt.reduce.return"), "the body gives other values"},
    {N,
     IOTA REDUCE("%a: i32, %b: i32", "%w = arith.extsi %a : i32 to i64\ntt.reduce.return %w : i64"),
     "the body gives values of other types"},
    {PN,
     IOTA REDUCE("%a: i32, %b: i32", "%w = tt.load %p : !tt.ptr<i32>\ntt.reduce.return %w : i32"),
     "'tt.reduce' whose body accesses memory"},
    {N,
     "%r = \"tt.reduce\"(%n) <{axis = 0 : i32}> ({\n^bb0(%a: i32, %b: i32):\n"
     "tt.reduce.return %a : i32\n}) : (i32) -> i32",
     "'tt.reduce' of tile<i32> along dimension 0"},
    {N, "%r = tt.histogram %n : i32 -> tensor<4xi32>",
     "'tt.histogram' of tile<i32> in tile<4xi32>"},
    /* shapes */
    {N, "%r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<2x2xi32>",
     "'tt.make_range' gives tile<2x2xi32>"},
    {N, IOTA "%r = tt.splat %i : tensor<16xi32> -> tensor<16xi32>",
     "'tt.splat' of more than one element"},
    {N, IOTA "%r = tt.join %i, %i : tensor<16xi32> -> tensor<16xi32>",
     "'tt.join' of tile<16xi32> gives no tile<16xi32>"},
    {N, IOTA "%a, %b = tt.split %i : tensor<16xi32> -> tensor<8xi32>",
     "'tt.split' of tile<16xi32>: its last dimension is not 2"},
    {N,
     IOTA "%r = tt.gather %i[%i] {axis = 3 : i32} : (tensor<16xi32>, tensor<16xi32>) -> "
          "tensor<16xi32>",
     "'tt.gather' of tile<16xi32> by tile<16xi32> along dimension 3"},
    /* memory */
    {N, "%r = tt.load %n : i32", "the type of result 1 of 'tt.load' is missing"},
    {N, "tt.store %n, %n : i32", "'tt.store' through tile<i32>"},
    {N, "%r = tt.atomic_load acquire, gpu, %n : (i32) -> i32",
     "'tt.atomic_load' through tile<i32>"},
    {N, "tt.atomic_store release, gpu, %n, %n : i32", "'tt.atomic_store' through tile<i32>"},
    {N, "%r = tt.atomic_poll relaxed, gpu, %n, %n : i32, i32 -> i1",
     "'tt.atomic_poll' through tile<i32>"},
    {PN, "%r = tt.atomic_poll sometimes, gpu, %p, %n : !tt.ptr<i32>, i32 -> i1",
     "'tt.atomic_poll': its 'sem' is not known"},
    {PN, "%r = tt.atomic_poll relaxed, gpu, %p, %n timeout %n : !tt.ptr<i32>, i32 -> i1",
     "'tt.atomic_poll' of tile<i32>"},
    {"%p: !tt.ptr<f32>, %x: f32",
     "%r = tt.atomic_poll relaxed, gpu, %p, %x : !tt.ptr<f32>, f32 -> i1",
     "'tt.atomic_poll' of tile<f32>"},
    {"%p: !tt.ptr<i8>, %x: i8",
     "%r = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i8>, i8, i8) -> i8",
     "atomic_cas_tko: elements must be i32, i64, f32 or f64, but are i8"},
    {PN, "%r = tt.make_tensor_descriptor %p, [%n], [%n] : <i32>, i32",
     "'tt.make_tensor_descriptor' gives a tensor descriptor"},
    {PN, "%r = tt.make_tensor_descriptor %p, [%n], [%n] : <i32>, <4x8xi32>",
     "a tensor descriptor of 2 dimensions with 3 operands"},
    {PN, "%r = tt.make_tensor_descriptor %p, [%p], [%n] : <i32>, <4xi32>",
     "extents and strides are integers"},
    {PN, DESC "%r = tt.descriptor_load %d[%n] : !tt.tensordesc<4x8xi32> -> tensor<4x8xi32>",
     "1 indices into a tensor of 2 dimensions"},
    {PN, DESC "%r = tt.descriptor_load %d[%n, %p] : !tt.tensordesc<4x8xi32> -> tensor<4x8xi32>",
     "an index is an integer"},
    {PN,
     DESC IOTA "%r = tt.descriptor_load %d[%n, %i] : !tt.tensordesc<4x8xi32> -> tensor<4x8xi32>",
     "an index is a scalar"},
    {PN, DESC "%r = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<4x8xi32> -> tensor<4xi32>",
     "the block has another size"},
    {PN, DESC IOTA "tt.descriptor_store %d[%n, %n], %i : !tt.tensordesc<4x8xi32>, tensor<16xi32>",
     "the block has another size"},
    {PN, "%r = tt.descriptor_load %p[%n, %n] : !tt.ptr<i32> -> tensor<4xi32>",
     "'%p' is not made by tt.make_tensor_descriptor in the same function"},
    {PN,
     DESC IOTA "%r = tt.descriptor_gather %d[%i, %n] : (!tt.tensordesc<4x8xi32>, tensor<16xi32>, "
               "i32) -> tensor<16xi32>",
     "rows are gathered into a block of two dimensions"},
    {PN,
     DESC IOTA "%r = tt.descriptor_gather %d[%i, %n] : (!tt.tensordesc<4x8xi32>, tensor<16xi32>, "
               "i32) -> tensor<4x8xi32>",
     "as many rows as the block has, and one column"},
    {PN,
     "%s = arith.constant 1 : i64\n%d = tt.make_tensor_descriptor %p, [%n], [%s] : <i32>, <4xi32>\n"
     "%v = tt.descriptor_load %d[%n] : !tt.tensordesc<4xi32> -> tensor<4xi32>\n"
     "tt.descriptor_reduce inc, %d[%n], %v : !tt.tensordesc<4xi32>, tensor<4xi32>",
     "'tt.descriptor_reduce' with 'inc'; Tile IR has no such atomic"},
    /* products, functions, what there is nothing for */
    {"%x: f32", "%r = tt.dot_scaled %x, %x, %x, %x lhs = e4m3 rhs = e4m3 : f32 * f32 -> f32",
     "'tt.dot_scaled' with 4 operands"},
    {"%x: f32", "%r = tt.dot_scaled %x, %x, %x lhs = e4m3 rhs = e4m3 : f32 * f32 -> f32",
     "'tt.dot_scaled' of tiles of different ranks"},
    {"%x: f32",
     "%a = arith.constant dense<0> : tensor<16x16xi8>\n"
     "%c = arith.constant dense<0.0> : tensor<16x16xf32>\n"
     "%r = tt.dot_scaled %a, %a, %c lhs = e2m3 rhs = e2m3 : tensor<16x16xi8> * "
     "tensor<16x16xi8> -> tensor<16x16xf32>",
     "'tt.dot_scaled' of tile<16x16xi8> as a format that Tile IR has not"},
    {"%x: f32",
     "%a = arith.constant dense<0.0> : tensor<16x16xf16>\n"
     "%s = arith.constant dense<0> : tensor<8x1xi8>\n"
     "%c = arith.constant dense<0.0> : tensor<16x16xf32>\n"
     "%r = tt.dot_scaled %a scale %s, %a, %c lhs = fp16 rhs = fp16 : tensor<16x16xf16>, "
     "tensor<8x1xi8> * tensor<16x16xf16> -> tensor<16x16xf32>",
     "scales of tile<8x1xi8> do not fit tile<16x16xf32>"},
    {N, "%r = ttg.fp4_to_fp %n {axis = 0 : i32} : i32 -> f32",
     "'ttg.fp4_to_fp' of tile<i32> along dimension 0"},
    {"%x: f16", "%r = math.erf %x : f16", "'math.erf' of tile<f16>"},
    {N, "%r = tt.extern_elementwise %n {symbol = \"__nv_nothing\"} : (i32) -> i32",
     "the external function '__nv_nothing': Tile IR has nothing for it"},
    {N, "%r = tt.extern_elementwise %n {symbol = \"__nv_powf\"} : (i32) -> i32",
     "'__nv_powf' with 1 operands"},
    {N, "%r = tt.extern_elementwise %n {symbol = \"__nv_j0f\"} : (i32) -> f32",
     "'__nv_j0': operand 1 is tile<i32>, expected f32 or f64 in the shape of the first one"},
    {N,
     IOTA "%r = tt.extern_elementwise %i, %n {symbol = \"__nv_hadd\"} : (tensor<16xi32>, i32) -> "
          "tensor<16xi32>",
     "'__nv_hadd': operand 2 is tile<i32>, expected i32 in the shape of the first one"},
    {N, "%r = tt.extern_elementwise %n {symbol = \"__nv_popcll\"} : (i32) -> i64", "result"},
    {N, "%r = tt.extern_elementwise %n, %n {symbol = \"__nv_jnf\"} : (i32, i32) -> f32",
     "'__nv_jn': operand 2 is tile<i32>, expected f32 or f64 in the shape of the first one"},
    {N,
     IOTA REDUCE("%a: i32, %b: i32",
                 "%f = arith.sitofp %a : i32 to f32\n"
                 "%j = tt.extern_elementwise %b, %f {symbol = \"__nv_ynf\"} : (i32, f32) -> f32\n"
                 "%c = arith.fptosi %j : f32 to i32\ntt.reduce.return %c : i32"),
     "a Bessel function of any order inside a reduction or scan"},
    {"%x: f64", "%r = tt.extern_elementwise %x {symbol = \"__nv_float2int_rn\"} : (f64) -> i32",
     "'__nv_float2int': the operand is tile<f64>, expected f32"},
    {N, "%r = tt.extern_elementwise %n, %n {symbol = \"__nv_int2float_rn\"} : (i32, i32) -> f32",
     "'__nv_int2float_rn' with 2 operands"},
    {N, "%r = tt.elementwise_inline_asm \"nop;\" {pure = true} %n : i32 -> i32",
     "inline assembly ('nop;'): Tile IR has none, so write the operation in Triton"},
    {N, IOTA MAP(1, "%x: i32, %y: i32", "tt.map_elementwise.return %x : i32"),
     "the body takes 2 values, not 1"},
    {N, IOTA MAP(3, "%x: i32", "tt.map_elementwise.return %x : i32"),
     "'tt.map_elementwise' by 3 of tile<16xi32>"},
    {N, IOTA MAP(1, "%x: i64", "tt.map_elementwise.return %n : i32"), "the body takes other types"},
    {N, IOTA MAP(1, "%x: i32", "tt.map_elementwise.return"), "the body gives 0 values"},
    {N,
     IOTA MAP(1, "%x: i32", "%w = arith.extsi %x : i32 to i64\ntt.map_elementwise.return %w : i64"),
     "the body gives values of other types"},
    {N, IOTA MAP(1, "%x: i32", "cf.br ^a\n^a:\ncf.br ^a"),
     "'tt.map_elementwise' has a loop of branches"},
    {PN,
     IOTA MAP(1, "%x: i32", "%w = tt.load %p : !tt.ptr<i32>\ntt.map_elementwise.return %w : i32"),
     "'tt.map_elementwise' whose body accesses memory"},
    {N, IOTA "%r = \"tt.map_elementwise\"(%i) : (tensor<16xi32>) -> tensor<16xi32>",
     "'tt.map_elementwise' needs a body"},
    {N,
     IOTA "%r = \"tt.map_elementwise\"(%i, %n) <{pack = 1 : i32}> ({\n^bb0(%x: i32, %y: i32):\n"
          "tt.map_elementwise.return %x : i32\n}) : (tensor<16xi32>, i32) -> tensor<16xi32>",
     "'tt.map_elementwise' of tile<16xi32> and tile<i32>"},
};

static const char *text_of(const wrong_text *w, char *out, size_t size) {
  if (!w->parameters) return w->body;
  bool ends = strstr(w->body, "tt.return") || strstr(w->body, "cf.");
  snprintf(out, size, "module {\ntt.func public @k(%s) {\n%s\n%s}\n}\n", w->parameters, w->body,
           ends ? "" : "tt.return\n");
  return out;
}

static void says_what_is_wrong(void **state) {
  (void)state;
  char text[4096];
  for (unsigned i = 0; i < sizeof wrong_texts / sizeof *wrong_texts; i++) {
    const wrong_text *w = &wrong_texts[i];
    tsr_context *ctx = make_context(20);
    const char *t = text_of(w, text, sizeof text);
    tsr_module *m = read_ttir(ctx, t);
    bool found = false;
    for (unsigned k = 0; k < said.n && k < MAX_MESSAGES; k++)
      found |= said.v[k].severity == TSR_ERROR && strstr(said.v[k].text, w->message);
    if (m || !found) {
      show_messages(t);
      fail_msg("case %u: expected \"%s\" of\n%s", i, w->message, t);
    }
    tsr_context_destroy(ctx);
  }
}

/* ---- places, names --------------------------------------------------------------------------- */

static const char located[] =
    "#loc = loc(\"k.py\":2:1)\n"
    "module {\n"
    "  tt.func public @k(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32} loc(\"p\"(#loc))) {\n"
    "    %value = tt.load %p : !tt.ptr<i32> loc(#loc2)\n"
    "    %r = tt.call @f(%value) : (i32) -> i32 loc(#loc1)\n"
    "    tt.store %p, %r : !tt.ptr<i32> loc(#loc1)\n"
    "    tt.return loc(#loc)\n"
    "  } loc(#loc)\n"
    "  tt.func private @f(%x: i32) -> i32 {\n"
    "    %y = tt.elementwise_inline_asm \"nop;\" {pure = true} %x : i32 -> i32 loc(#loc3)\n"
    "    tt.return %y : i32\n"
    "  }\n"
    "}\n"
    "#loc1 = loc(\"k.py\":7:5)\n"
    "#loc2 = loc(\"value\"(#loc1))\n"
    "#loc3 = loc(\"lib.py\":40:9)\n";

/* An error stands where the Python file has it, with the operation beside it. */
static void names_python_lines(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  assert_null(read_ttir(ctx, located));
  assert_int_equal(said.n, 2);
  assert_int_equal(said.v[0].line, 40);
  assert_int_equal(said.v[0].column, 9);
  assert_int_equal(said.v[1].severity, TSR_NOTE);
  assert_string_equal(said.v[1].text, "which became this operation");
  assert_int_equal(said.v[1].line, 10);
  tsr_context_destroy(ctx);
}

static void keeps_names_and_facts(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  char text[sizeof located];
  memcpy(text, located, sizeof text);
  memcpy(strstr(text, "tt.elementwise_inline_asm \"nop;\" {pure = true} %x : i32 -> i32"),
         "arith.addi %x, %x : i32                                        ", 63);
  tsr_module *m = read_ttir(ctx, text);
  if (!m) show_messages(text);
  assert_non_null(m);
  char *out = tsr_module_print(m, NULL);
  assert_non_null(strstr(out, "entry @k(%p: tile<ptr<i32>>)"));
  assert_non_null(strstr(out, "assume div_by<16>, %p"));
  assert_non_null(strstr(out, "%value:2 = load_ptr_tko"));
  assert_non_null(strstr(out, "\"k.py\":7:5"));
  assert_non_null(strstr(out, "callsite("));
  tsr_string_free(ctx, out);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- broken texts, memory ---------------------------------------------------------------------
 */

/* Every beginning of a text, and every text with a byte that is another one. */
static void survives_broken_texts(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  char text[sizeof located];
  for (size_t n = 0; n < sizeof located; n++) {
    said.n = 0;
    tsr_module *m = tsr_module_read_ttir(ctx, located, n, NULL, TSR_PARSE_DEFAULT);
    assert_true(m || said.n);
    tsr_module_destroy(m);
  }
  for (size_t i = 0; i + 1 < sizeof located; i++) {
    for (const char *c = "%({#\"0"; *c; c++) {
      memcpy(text, located, sizeof text);
      text[i] = *c;
      said.n = 0;
      tsr_module *m = read_ttir(ctx, text);
      assert_true(m || said.n);
      tsr_module_destroy(m);
    }
  }
  tsr_context_destroy(ctx);
}

static char *repeated(const char *head, const char *piece, unsigned n, const char *tail) {
  size_t h = strlen(head), p = strlen(piece);
  char *text = malloc(h + p * n + strlen(tail) + 1);
  memcpy(text, head, h);
  for (unsigned i = 0; i < n; i++) memcpy(text + h + i * p, piece, p);
  memcpy(text + h + n * p, tail, strlen(tail) + 1);
  return text;
}

static void expect_refusal(tsr_context *ctx, char *text, const char *expected) {
  assert_null(read_ttir(ctx, text));
  assert_true(said.n);
  if (!strstr(said.v[0].text, expected)) fail_msg("found \"%s\"", said.v[0].text);
  free(text);
}

/* A kernel with a block of 260 arguments. */
static char *many_arguments(const char *before, const char *behind) {
  char *text = malloc(1 << 14), *at = text;
  at += sprintf(at, "module {\ntt.func @k(%%c: i1) {\n%s", before);
  for (int i = 0; i < 260; i++) at += sprintf(at, "%s%%v%d: i1", i ? ", " : "", i);
  sprintf(at, "%stt.return\n}\n}\n", behind);
  return text;
}

static void bounds_depth_and_growth(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  expect_refusal(ctx, repeated("module {\ntt.func @k(%c: i1) {\n", "scf.if %c {\n", 300, ""),
                 "nested too deeply: at most 256 levels are accepted");
  expect_refusal(ctx, repeated("#a = loc(", "callsite(", 300, ""), "nested too deeply");
  expect_refusal(ctx, repeated("module attributes {a = ", "[", 300, ""), "nested too deeply");
  expect_refusal(ctx,
                 repeated("module {\ntt.func @k(%c: i1) {\ntt.print \"\" : ", "%c, ", 65537, ""),
                 "expected at most 65536 operands");
  expect_refusal(
      ctx, repeated("module {\ntt.func @k(%c: i1) {\ntt.print \"\" : %c : ", "i1, ", 65537, ""),
      "expected at most 65536 types");
  char *values = repeated("%a:260 = scf.if %c -> (", "i1, ", 259, "i1) {\n}\ntt.return\n}\n}\n");
  expect_refusal(ctx, repeated("module {\ntt.func @k(%c: i1) {\n", values, 1, ""),
                 "'scf.if' with 260 values");
  free(values);
  expect_refusal(
      ctx, many_arguments("scf.while : () -> () {\nscf.condition %c : i1\n} do {\n^b(", "):\n}\n"),
      "a loop with 260 values");
  expect_refusal(
      ctx,
      many_arguments("cf.cond_br %c, ^a, ^c\n^c:\ncf.br ^a\n^a:\ncf.cond_br %c, ^d, ^e\n^d:\n"
                     "cf.br ^b\n^e:\ncf.br ^b\n^b(",
                     "):\ntt.return\n"),
      "a block with 260 values");
  values = repeated("cf.br ^b(", "%c, ", 259, "%c : i1)\n^b:\ntt.return\n}\n}\n");
  expect_refusal(ctx, repeated("module {\ntt.func @k(%c: i1) {\n", values, 1, ""),
                 "a block with 260 values");
  free(values);
  /* Functions that call the next one twice: 2^40 copies of the last. */
  char *text = malloc(1 << 16), *at = text;
  at += sprintf(at,
                "module {\ntt.func @k(%%x: i32) {\ntt.call @f0(%%x) : (i32) -> ()\ntt.return\n}\n");
  for (int i = 0; i < 40; i++)
    at += sprintf(at,
                  "tt.func private @f%d(%%x: i32) {\ntt.call @f%d(%%x) : (i32) -> ()\n"
                  "tt.call @f%d(%%x) : (i32) -> ()\ntt.return\n}\n",
                  i, i + 1, i + 1);
  sprintf(at, "tt.func private @f40(%%x: i32) {\ntt.return\n}\n}\n");
  expect_refusal(ctx, text, "more than 1048576 operations");
  at = text = malloc(1 << 16);
  at += sprintf(at,
                "module {\ntt.func @k(%%x: i32) {\ntt.call @f0(%%x) : (i32) -> ()\ntt.return\n}\n");
  for (int i = 0; i < 70; i++)
    at += sprintf(at,
                  "tt.func private @f%d(%%x: i32) {\ntt.call @f%d(%%x) : (i32) -> ()\n"
                  "tt.return\n}\n",
                  i, i + 1);
  sprintf(at, "tt.func private @f70(%%x: i32) {\ntt.return\n}\n}\n");
  expect_refusal(ctx, text, "more than 64 calls in each other");
  tsr_context_destroy(ctx);
}

typedef struct ration {
  size_t left; /* allocations that still succeed */
  long live;
} ration;

static void *allocate_some(void *user, size_t size) {
  ration *r = user;
  if (!r->left) return NULL;
  r->left--;
  r->live++;
  return malloc(size);
}

static void release_some(void *user, void *memory, size_t size) {
  (void)size;
  ((ration *)user)->live--;
  free(memory);
}

/* What takes memory: names, aliases, attributes, calls, branches, loops, bodies of reductions. */
static const char diverse[] =
    "#loc = loc(\"k.py\":2:1)\n"
    "module attributes {a = [1, \"x\\22\"]} {\n"
    "tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {\n"
    "%zero = arith.constant dense<0.0> : tensor<16xf32>\n"
    "%a, %b = scf.for %i = %n to %n step %n iter_args(%x = %zero, %q = %p) -> "
    "(tensor<16xf32>, !tt.ptr<f32>) : i32 {\n"
    "%s = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n"
    "^bb0(%l: f32, %r: f32):\n%sum = arith.addf %l, %r : f32\ntt.reduce.return %sum : f32\n"
    "}) : (tensor<16xf32>) -> f32 loc(#loc1)\n"
    "%t = tt.call @f(%q, %s) : (!tt.ptr<f32>, f32) -> f32\n"
    "%y = tt.splat %t : f32 -> tensor<16xf32>\n"
    "scf.yield %y, %q : tensor<16xf32>, !tt.ptr<f32>\n}\n"
    "tt.return\n}\n"
    "tt.func private @f(%p: !tt.ptr<f32>, %s: f32) -> f32 {\n"
    "%v = tt.load %p : !tt.ptr<f32>\n%c = arith.cmpf ogt, %s, %v : f32\n"
    "cf.cond_br %c, ^a, ^b(%v : f32)\n^a:\ntt.store %p, %s : !tt.ptr<f32>\n"
    "cf.br ^b(%s : f32)\n^b(%w: f32):\ntt.return %w : f32\n}\n}\n"
    "#loc1 = loc(callsite(\"s\"(#loc) at #loc))\n";

/* Allocation number n fails, for every n that reading gets to. */
static void says_when_memory_runs_out(void **state) {
  (void)state;
  bool done = false;
  for (size_t n = 1; !done && n < 10000; n++) {
    ration r = {.left = n};
    tsr_allocator allocator = {allocate_some, release_some, &r};
    tsr_context_options o = {
        .struct_size = sizeof o, .on_diagnostic = keep_message, .allocator = &allocator};
    tsr_context *ctx = tsr_context_create(&o);
    if (!ctx) continue;
    tsr_module *m = read_ttir(ctx, diverse);
    done = m != NULL;
    if (!done && (said.n != 1 || !strstr(said.v[0].text, "out of memory")))
      fail_msg("allocation %zu: %u messages, \"%s\"", n, said.n, said.v[0].text);
    tsr_module_destroy(m);
    tsr_context_destroy(ctx);
    assert_int_equal(r.live, 0);
  }
  assert_true(done);
}

/* ---- recognising -------------------------------------------------------------------------------
 */

static bool is_ttir(const char *text) {
  return tsr_is_ttir(text, strlen(text));
}

static void tells_texts_apart(void **state) {
  (void)state;
  assert_true(is_ttir(located));
  assert_true(is_ttir("// a comment\nmodule attributes {a = 1} {\n  tt.func @k() {"));
  assert_true(is_ttir("\"builtin.module\"() ({\n  \"tt.func\"() <{"));
  assert_false(is_ttir("module {\n  cuda_tile.module @m { entry @k() { print_tko \"tt.func\" }"));
  assert_false(is_ttir("cuda_tile.module @m { }"));
  assert_false(is_ttir("module { }"));
  assert_false(is_ttir(""));
  assert_false(tsr_is_ttir(NULL, 0));
}

static void has_rows_in_order(void **state) {
  (void)state;
  unsigned n;
  const tt_row *rows = tt_rows(&n);
  for (unsigned i = 0; i < n; i++) {
    if (i) assert_true(strcmp(rows[i - 1].name, rows[i].name) < 0);
    assert_ptr_equal(tt_row_find(str_of(rows[i].name)), &rows[i]);
    assert_true(rows[i].least <= rows[i].most);
  }
  assert_null(tt_row_find(STR("tt.loadx")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(says_what_is_wrong),        cmocka_unit_test(names_python_lines),
      cmocka_unit_test(keeps_names_and_facts),     cmocka_unit_test(survives_broken_texts),
      cmocka_unit_test(bounds_depth_and_growth),   cmocka_unit_test(tells_texts_apart),
      cmocka_unit_test(says_when_memory_runs_out), cmocka_unit_test(has_rows_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
