/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is wrong, where, and how reading continues: messages with line and column, several of them
 * from one text, limits, and no follow-on messages.
 */
#include "text_test.h"

/* ---- one error ------------------------------------------------------------------------------ */

/* A line inside of a kernel; line 3 of the text, where columns start at 5. */
typedef struct wrong_line {
  const char *arguments, *line;
  uint32_t row, column, length; /* length 0: not checked */
  const char *message;          /* part of it */
  const char *note;             /* part of a note; NULL: not checked */
} wrong_line;

#define F32 "%x: tile<f32>, %y: tile<f32>"

static const wrong_line wrong_lines[] = {
    /* operations */
    {"", "adff", 3, 5, 4, "unknown operation 'adff'; did you mean 'addf'", NULL},
    {"", "cuda_tile.mulff %x", 3, 5, 15, "did you mean 'mulf'", NULL},
    {"", "qqqqqqqq", 3, 5, 8, "unknown operation 'qqqqqqqq'", NULL},
    {F32, "%r = arith.addf %x, %y : f32", 3, 10, 10, "unknown dialect 'arith'", NULL},
    {F32, "%r = \"arith.addf\"(%x, %y) : (f32, f32) -> f32", 3, 10, 12,
     "in the generic form the operations of Tile IR are written", NULL},
    {F32, "%r = 5", 3, 10, 1, "expected an operation, found '5'", NULL},
    {F32, "%r addf %x, %y : tile<f32>", 3, 8, 4, "expected '=' after the names of the results",
     NULL},
    {F32, ") %r = addf", 3, 5, 1, "expected an operation, found ')'", NULL},
    {F32, "%r = addf %x, %y : tile<f32> : 5", 3, 34, 1, "expected an operation, found ':'", NULL},
    /* punctuation */
    {F32, "%r = addf %x %y : tile<f32>", 3, 18, 2, "expected ',' after operand 'lhs', found '%y'",
     NULL},
    {F32, "%r = addf %x, %y", 3, 21, 1,
     "expected ':' after operand 'rhs', found the end of the line", NULL},
    {F32, "%r = addf %x, %y :", 3, 23, 1, "expected a type, found the end of the line", NULL},
    {F32, "%r = addf %x, : tile<f32>", 3, 19, 1, "expected an operand (%name), found ':'", NULL},
    {F32, "%r = addf %x, 5 : tile<f32>", 3, 19, 1, "expected an operand (%name), found '5'", NULL},
    {F32, "%r = addf %x, %y fluhs_to_zero : tile<f32>", 3, 22, 13,
     "unknown keyword 'fluhs_to_zero' in 'addf'; did you mean 'flush_to_zero'?", NULL},
    {F32, "%r = maxf %x, %y propagate_nan propagate_nan : tile<f32>", 3, 36, 13,
     "'propagate_nan' is given twice", NULL},
    {F32, "%r = addf %x, %y rounding nearest : tile<f32>", 3, 31, 7, "expected '<'", NULL},
    {"%p: tile<ptr<f32>>",
     "%r, %t = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 1, "
     "latency = 2}> : tile<ptr<f32>> -> tile<f32>, token",
     3, 79, 7, "the hint 'latency' is given twice", NULL},
    /* enums list what is allowed */
    {F32, "%r = addf %x, %y rounding<neerest_even> : tile<f32>", 3, 31, 12,
     "unknown rounding mode 'neerest_even'; did you mean 'nearest_even'? expected one of "
     "'nearest_even', 'zero', 'negative_inf', 'positive_inf'",
     NULL},
    {F32, "%r = addf %x, %y rounding<approx> : tile<f32>", 3, 31, 6,
     "rounding mode 'approx' is not allowed here; expected one of 'nearest_even'", NULL},
    {"%x: tile<i32>", "%r = maxi %x, %x : tile<i32>", 3, 22, 1,
     "expected a signedness ('unsigned', 'signed'), found ':'", NULL},
    {"%x: tile<i32>", "%r = cmpi les_than %x, %x, signed : tile<i32> -> tile<i1>", 3, 15, 8,
     "did you mean 'less_than'", NULL},
    {"%p: tile<ptr<f32>>",
     "%r, %t = load_ptr_tko relaxed devise %p : tile<ptr<f32>> -> "
     "tile<f32>, token",
     3, 35, 6, "did you mean 'device'", NULL},
    {"%p: tile<ptr<f32>>", "%r, %t = load_ptr_tko release %p : tile<ptr<f32>> -> tile<f32>, token",
     3, 27, 7, "memory ordering 'release' is not allowed here", NULL},
    /* values */
    {"", "%r = negf %x : tile<f32>", 3, 15, 2, "'%x' is not defined", NULL},
    {"%accumulator: tile<f32>", "%r = negf %acumulator : tile<f32>", 3, 15, 11,
     "did you mean '%accumulator'?", NULL},
    {"%x: tile<f32>", "%r = negf %x : tile<f32>\n    %r = negf %x : tile<f32>", 4, 5, 2,
     "'%r' is defined twice", "the first definition is here"},
    {"%x: tile<f32>", "%x = negf %x : tile<f32>", 3, 5, 2, "'%x' is defined twice",
     "the first definition is here"},
    {"%x: tile<f32>, %x: tile<f32>", "return", 2, 27, 2, "'%x' is defined twice", NULL},
    {"%x: tile<f32>", "%r = negf %s : tile<f32>\n    %s = negf %x : tile<f32>", 3, 15, 2,
     "'%s' is used before it is defined", "it is defined here"},
    {"%x: tile<f32>", "%r = negf %r : tile<f32>", 3, 15, 2, "'%r' is not defined", NULL},
    {"%c: tile<i1>, %x: tile<f32>",
     "if %c {\n      %s = negf %x : tile<f32>\n    }\n    %r = negf %s : tile<f32>", 6, 15, 2,
     "'%s' is not visible here", "it is defined here, in a region that has ended"},
    {"%x: tile<f32>", "%r = negf %x#1 : tile<f32>", 3, 15, 4, "'%x' has 1 result; there is no #1",
     "it is defined here"},
    {"", "%a:3 = get_tile_block_id : tile<i32>\n    %r = absi %a#3 : tile<i32>", 4, 15, 4,
     "'%a' has 3 results; there is no #3", NULL},
    {"", "%a, %b = get_tile_block_id : tile<i32>", 3, 5, 2,
     "'get_tile_block_id' has 3 results, but 2 are named", NULL},
    {"%x: tile<f32>", "%a:2 = negf %x : tile<f32>", 3, 5, 2, "has 1 result, but 2 are named", NULL},
    {"%x: tile<f32>", "%a:0 = negf %x : tile<f32>", 3, 8, 1, "expected a number of results", NULL},
    {"", "%a:99999999999999999999 = negf %x : tile<f32>", 3, 8, 20, "does not fit 64 bits", NULL},
    /* types of operands */
    {"%x: tile<f32>, %i: tile<i32>", "%r = addf %x, %i : tile<f32>", 3, 19, 2,
     "'%i' has type 'tile<i32>', but 'addf' needs 'tile<f32>' here", "'%i' is defined here"},
    {"%x: tile<f32>, %i: tile<i32>", "%r = select %i, %x, %x : tile<i1>, tile<f32>", 3, 17, 2,
     "'%i' has type 'tile<i32>', but 'select' needs 'tile<i1>' here", NULL},
    {"%p: tile<ptr<f32>>, %t: tile<i32>",
     "%r, %s = load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token", 3, 41, 2,
     "'%t' has type 'tile<i32>', but 'load_ptr_tko' needs 'token' here", NULL},
    {"%x: tile<f32>", "if %x {\n    }", 3, 8, 2,
     "'%x' has type 'tile<f32>', but 'if' needs 'tile<i1>' here", NULL},
    {"%v: tensor_view<8xf32, strides=[1]>",
     "%p = make_partition_view %v : partition_view<tile=(4), tensor_view<16xf32, strides=[1]>>", 3,
     30, 2, "'%v' has type 'tensor_view<8xf32, strides=[1]>'", NULL},
    {"%x: tile<f32>", "return %x, %x : tile<f32>", 3, 21, 9,
     "expected 2 types, one for each of 'operands', found 1", NULL},
    {"%x: tile<f32>", "return %x, %x : tile<f32>, tile<f32>, tile<f32>", 3, 21, 0,
     "'return' has 2 operands for 'operands', but 3 types are given", NULL},
    {"%x: tile<f32>", "return %x", 3, 14, 1, "expected ':' after operand 'operands'", NULL},
    /* types */
    {"%x: tiel<f32>", "return", 2, 16, 4, "unknown type 'tiel'; did you mean 'tile'?", NULL},
    {"%x: tile<f33>", "return", 2, 21, 3, "unknown type 'f33'; did you mean 'f32'?", NULL},
    {"%x: tile<4xf33>", "return", 2, 23, 3, "did you mean 'f32'?", NULL},
    {"%x: tile<4x4>", "return", 2, 24, 1, "expected 'x' after a dimension", NULL},
    {"%x: tile<4,4xf32>", "return", 2, 22, 1, "expected 'x' after a dimension", NULL},
    {"%x: tile<?xf32>", "return", 2, 21, 1, "a tile has no dynamic dimensions", NULL},
    {"%x: tile<99999999999999999999xf32>", "return", 2, 21, 20, "does not fit 64 bits", NULL},
    {"%x: tile<3xf32>", "return", 2, 16, 11, "power of two", NULL},
    {"%x: tile<0xf32>", "return", 2, 16, 11, "", NULL},
    {"%x: tile<f32", "return", 2, 24, 0, "expected '>' after the element type", NULL},
    {"%x: tile f32", "return", 2, 21, 3, "expected '<' after 'tile'", NULL},
    {"%x: ptr<ptr<f32>>", "return", 2, 20, 3, "a pointer points to numbers", NULL},
    {"%x: !foo", "return", 2, 16, 4, "unknown type '!foo'", NULL},
    {"%x: !foo.tile<f32>", "return", 2, 16, 9, "unknown type '!foo.tile'", NULL},
    {"%x: tensor_view<4xf32>", "return", 2, 33, 1, "expected ',' after the element type", NULL},
    {"%x: tensor_view<4xf32, strides=[1,2]>", "return", 2, 43, 5,
     "expected 1 strides, as many as dimensions, found 2", NULL},
    {"%x: tensor_view<f32, strides=[]>", "return", 2, 31, 1, "has no strides", NULL},
    {"%x: tensor_view<4xptr<f32>, strides=[1]>", "return", 2, 30, 3, "holds numbers", NULL},
    {"%x: partition_view<tile=(4), tile<f32>>", "return", 2, 41, 9,
     "expected a tensor_view, found 'tile<f32>'", NULL},
    {"%x: partition_view<tile=(4), padding_value = none, tensor_view<8xf32, strides=[1]>>",
     "return", 2, 57, 4, "unknown padding value 'none'", NULL},
    {"%x: partition_view<tile=(4), tensor_view<8xf32, strides=[1]>, dim_map=[0, 1]>", "return", 2,
     82, 6, "dim_map names 2 dimensions, but the tile has 1", NULL},
    {"%x: partition_view<tile=(99999999999), tensor_view<8xf32, strides=[1]>>", "return", 2, 36, 0,
     "must be at least 1 and fit 32 bits", NULL},
    {"%x: strided_view<tile=(4), traversal_strides=[1,1], tensor_view<8xf32, strides=[1]>>",
     "return", 2, 57, 5, "expected 1 traversal strides", NULL},
    {"%x: gather_scatter_view<tile=(4), tensor_view<8xf32, strides=[1]>, sparse_dim=3>", "return",
     2, 90, 1, "sparse_dim is 3, but the view has 1 dimensions", NULL},
    /* constants */
    {"", "%c = constant <i8: 256> : tile<i8>", 3, 24, 3, "this integer does not fit 'i8'", NULL},
    {"", "%c = constant <i8: -129> : tile<i8>", 3, 24, 4, "this integer does not fit 'i8'", NULL},
    {"", "%c = constant <i64: 18446744073709551616> : tile<i64>", 3, 25, 20,
     "this integer does not fit 'i64'", NULL},
    {"", "%c = constant <i1: 2> : tile<i1>", 3, 24, 1, "does not fit 'i1'", NULL},
    {"", "%c = constant <i32: 1.0> : tile<i32>", 3, 25, 3,
     "expected an integer for 'i32', found a float literal", NULL},
    {"", "%c = constant <i32: true> : tile<i32>", 3, 25, 4, "expected an integer, found 'true'",
     NULL},
    {"", "%c = constant <f32: 1> : tile<f32>", 3, 25, 1,
     "expected a float for 'f32', found an integer; write '1.0'", NULL},
    {"", "%c = constant <f32: -3> : tile<f32>", 3, 25, 2, "write '-3.0'", NULL},
    {"", "%c = constant <f16: 0x12345> : tile<f16>", 3, 25, 7,
     "this bit pattern does not fit the 16 bits of 'f16'", NULL},
    {"", "%c = constant <f32: -0x7F800000> : tile<f32>", 3, 25, 11, "has no sign", NULL},
    {"", "%c = constant <f8E8M0FNU: -1.0> : tile<f8E8M0FNU>", 3, 31, 4, "no negative values", NULL},
    {"", "%c = constant <f32: [1.0, [2.0]]> : tile<2xf32>", 3, 31, 1, "not nested equally deep",
     NULL},
    {"", "%c = constant <f32: [[1.0], 2.0]> : tile<2x1xf32>", 3, 33, 3, "not nested equally deep",
     NULL},
    {"", "%c = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>", 3, 34, 3,
     "this list has 1 element, but the lists beside it have 2", NULL},
    {"", "%c = constant <i32: []> : tile<1xi32>", 3, 26, 1, "cannot be empty", NULL},
    {"", "%c = constant <i32: [1, 2]> : tile<4xi32>", 3, 35, 11,
     "the literal has shape [2], which is not that of the type, [4]", NULL},
    {"", "%c = constant <i32: [1]> : tile<i32>", 3, 32, 9, "shape [1]", NULL},
    {"", "%c = constant <i32: 1> : tile<f32>", 3, 30, 9,
     "the values are of type 'i32', but the tile's elements are 'f32'", NULL},
    {"", "%c = constant <i32: 1> : i32", 3, 30, 3, "a constant is a tile, not 'i32'", NULL},
    {"", "%c = constant <i4: 1> : tile<i4>", 3, 20, 2, "there are no constants of 'i4'", NULL},
    {"", "%c = constant <ptr<i32>: 1> : tile<ptr<i32>>", 3, 20, 8,
     "there are no constants of 'ptr'", NULL},
    {"", "%c = constant dense<[1, 2> : tile<2xi32>", 3, 30, 1, "expected ',' or ']' in the list",
     NULL},
    {"", "%c = constant dense<1", 3, 25, 1, "'dense<' has no matching '>'", NULL},
    /* other attributes */
    {"%x: tile<i32>", "%r = assume div_bi<8>, %x : tile<i32>", 3, 17, 6,
     "unknown predicate 'div_bi'; did you mean 'div_by'?", NULL},
    {"%x: tile<i32>", "%r = assume div_by<-8>, %x : tile<i32>", 3, 24, 2,
     "a divisor is not negative", NULL},
    {"%x: tile<i32>", "%r = assume div_by<8, every 2>, %x : tile<i32>", 3, 34, 1,
     "expected 'along'", NULL},
    {"%x: tile<8x8xf32>", "%r = permute %x (1, 0) : tile<8x8xf32> -> tile<8x8xf32>", 3, 21, 1,
     "expected a list of integers, as in '[1, 0]'", NULL},
    {"%x: tile<8xf32>",
     "%r = reduce %x dim=4294967296 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>", 3, 24, 10,
     "'dim' does not fit 32 bits", NULL},
    {"%x: tile<8xf32>", "%r = reduce %x dim=0 identities=[0.0] : tile<8xf32> -> tile<f32>", 3, 41,
     1, "expected ':' and the type of the number", NULL},
    {"%x: tile<8xf32>",
     "%r = scan %x dim=0 reverse=maybe identities=[0.0 : f32] : tile<8xf32> -> tile<8xf32>", 3, 32,
     5, "expected 'true' or 'false'", NULL},
    {"%c: tile<i1>", "assert %c : tile<i1>", 3, 15, 1, "expected ',' after operand 'condition'",
     NULL},
    {"%c: tile<i1>", "assert %c, message : tile<i1>", 3, 16, 7, "expected a string (message)",
     NULL},
    {"", "%t = print_tko \"\\q\" -> token", 3, 21, 2, "unknown escape", NULL},
    {F32, "%r = addf %x, %y {a = 1, a = 2} : tile<f32>", 3, 30, 1, "'a' is given twice", NULL},
    {F32, "%r = addf %x, %y {a = } : tile<f32>", 3, 27, 1, "expected an attribute", NULL},
    {F32, "%r = addf %x, %y {a = (1]} : tile<f32>", 3, 29, 1, "expected ')', found ']'", NULL},
    {F32, "%r = addf %x, %y {rounding_mode = #cuda_tile.rounding<up>} : tile<f32>", 3, 59, 2,
     "unknown rounding mode 'up'", NULL},
    {F32, "%r = addf %x, %y {rounding_mode = #nothing} : tile<f32>", 3, 39, 8,
     "'#nothing' is not defined", NULL},
    {"%x: tile<f32> {a = 1}", "return", 2, 27, 1, "arguments have no attributes in Tile IR", NULL},
    /* regions */
    {"%n: tile<i32>", "for %i in (%n to %n step %n) : tile<i32> {}", 3, 25, 4,
     "expected ',' after the upper bound", NULL},
    {"%n: tile<i32>", "for %i in (%n to %n, step %n) : tile<i32>", 3, 46, 1,
     "expected '{' to begin the body of 'for'", NULL},
    {"%n: tile<i32>", "for i in (%n to %n, step %n) : tile<i32> {}", 3, 9, 1,
     "expected the induction variable (%name) after 'for'", NULL},
    {"%n: tile<i32>, %m: tile<i64>", "for %i in (%n to %m, step %n) : tile<i32> {}", 3, 22, 2,
     "'%m' has type 'tile<i64>', but 'for' needs 'tile<i32>' here", NULL},
    {"%n: tile<i32>",
     "%r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %n, %b = %n) -> (tile<i32>) "
     "{}",
     3, 86, 9, "2 iteration values are given, but 1 type", NULL},
    {"%x: tile<8xf32>", "%r = reduce %x dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> {}",
     3, 76, 1, "expected '(', found '{'", NULL},
    {"%x: tile<8xf32>",
     "%r = reduce %x dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (a: tile<f32>) {}", 3,
     77, 1, "expected an argument (%name: type)", NULL},
    /* make_tensor_view */
    {"%p: tile<ptr<f32>>",
     "%v = make_tensor_view %p, shape = [8, 8], strides = [1] : tensor_view<8xf32, strides=[1]>", 3,
     39, 6, "the type has 1 dimensions, but 2 dimensions are given", NULL},
    {"%p: tile<ptr<f32>>",
     "%v = make_tensor_view %p, shape = [8], strides = [2] : tensor_view<8xf32, strides=[1]>", 3,
     55, 1, "stride 0 is 2, but the type says 1", NULL},
    {"%p: tile<ptr<f32>>",
     "%v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<?xf32, strides=[1]>", 3,
     40, 1, "dimension 0 is the number 8, but the type says '?'", NULL},
    {"%p: tile<ptr<f32>>, %n: tile<i32>",
     "%v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> "
     "tensor_view<8xf32, strides=[1]>",
     3, 40, 1, "dimension 0 is a value, but the type says 8", NULL},
    {"%p: tile<ptr<f16>>",
     "%v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>", 3,
     27, 2, "'%p' has type 'tile<ptr<f16>>', but 'make_tensor_view' needs 'tile<ptr<f32>>' here",
     NULL},
    {"%p: tile<ptr<f32>>",
     "%v = make_tensor_view %p, shape = [8], strides = [-9223372036854775808] : "
     "tensor_view<8xf32, strides=[1]>",
     3, 55, 20, "-9223372036854775808 is no size or stride", NULL},
    {"%v: tensor_view<?xf32, strides=[-9223372036854775808]>", "return", 2, 44, 20,
     "stride 0 is -9223372036854775808; expected a positive number or '?'", NULL},
    /* other views, and accesses through them */
    {"%v: tensor_view<8xf32, strides=[1]>",
     "%w = make_partition_view %v : tensor_view<8xf32, strides=[1]> -> "
     "partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>",
     3, 35, 31, "expected the type of a partition_view, found 'tensor_view<8xf32", NULL},
    {"%x: tile<8x8xf32>", "%n = get_tensor_shape %x : tile<8x8xf32> -> tile<i32>", 3, 32, 0,
     "expected the type of a tensor_view, found 'tile<8x8xf32>'", NULL},
    {"%w: partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>",
     "%x, %t = load_view_tko weak device %w[] : partition_view<tile=(8), tensor_view<8xf32, "
     "strides=[1]>> -> tile<8xf32>, token",
     3, 33, 6, "a weak access has no memory scope, but 'device' is given", NULL},
    {"%w: partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>",
     "%x, %t = load_view_tko weak %w[] : partition_view<tile=(8), tensor_view<8xf32, "
     "strides=[1]>>, tile<i32> -> tile<8xf32>, token",
     3, 97, 1, "a type is given for 'index', but 'load_view_tko' has no operand for it", NULL},
    /* the generic form */
    {F32, "%r = \"cuda_tile.addf\"(%x) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>", 3, 10, 16,
     "'addf' cannot have 1 operand", NULL},
    {F32, "%r = \"cuda_tile.negf\"(%x) : (!cuda_tile.tile<f16>) -> !cuda_tile.tile<f16>", 3, 27, 2,
     "'%x' has type 'tile<f32>', but 'negf' needs 'tile<f16>' here", NULL},
    {F32, "%r = \"cuda_tile.negf\"(%x) : () -> !cuda_tile.tile<f32>", 3, 33, 2,
     "0 types for 1 operand", NULL},
    {"%p: tile<ptr<f32>>",
     "%r:2 = \"cuda_tile.load_ptr_tko\"(%p) <{memory_ordering_semantics = 0 : i32}> : "
     "(!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)",
     3, 12, 24, "'load_ptr_tko' needs operandSegmentSizes", NULL},
    {"%p: tile<ptr<f32>>",
     "%r:2 = \"cuda_tile.load_ptr_tko\"(%p) <{memory_ordering_semantics = 0 : i32, "
     "operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> "
     "(!cuda_tile.tile<f32>, !cuda_tile.token)",
     3, 12, 24, "operandSegmentSizes does not fit", NULL},
    {F32,
     "%r = \"cuda_tile.addf\"(%x, %y) <{rounding_mode = #cuda_tile.overflow<none>}> : (tile<f32>, "
     "tile<f32>) -> tile<f32>",
     3, 53, 0, "'#cuda_tile.overflow' is no rounding mode", NULL},
    {F32,
     "\"cuda_tile.loop\"() ({\n^a(%i: tiel<i32>):\n\"cuda_tile.break\"() : () -> ()\n"
     "}) : () -> ()",
     4, 8, 4, "unknown type 'tiel'", NULL},
    {F32, "%a:1048576, %b:1048576, %c:1048576, %d:1048576 = negf %x : tile<f32>", 3, 5, 2,
     "'negf' has 1 result, but 4194304 are named", NULL},
    {F32, "\"cuda_tile.return\"() ({ }) : () -> ()", 3, 27, 1, "'return' has 0 regions", NULL},
    {F32, "\"cuda_tile.loop\"() ({ ^a: \"cuda_tile.break\"() : () -> () ^b: }) : () -> ()", 3, 62,
     2, "regions of Tile IR have one block", NULL},
    {F32, "\"cuda_tile.return\"()[^a] : () -> ()", 3, 25, 1, "no successors", NULL},
    /* locations */
    {F32, "%r = negf %x : tile<f32> loc(somewhere)", 3, 34, 9, "expected a location", NULL},
    {F32, "%r = negf %x : tile<f32> loc(#nowhere)", 3, 34, 8,
     "the location '#nowhere' is not defined", NULL},
    {F32, "%r = negf %x : tile<f32> loc(#cuda_tile.di_loc<\"f\":1:2 in #s>)", 3, 63, 2,
     "'#s' is not defined as a debug scope above", NULL},
    /* characters */
    {F32, "%r = addf %x, %y & : tile<f32>", 3, 22, 1, "unexpected character '&'", NULL},
    {F32, "%r = addf %x, \xc3\xa9 : tile<f32>", 3, 19, 2, "unexpected byte 0xc3", NULL},
    {F32, "%r = addf %x, % : tile<f32>", 3, 19, 1, "expected a name directly behind '%'", NULL},
    {F32, "%t = print_tko \"abc", 3, 20, 1, "this string has no closing", NULL},
    {F32, "get_global @ : tile<ptr<f32>>", 3, 16, 1, "expected a name directly behind '@'", NULL},
};

static void test_wrong_lines(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  unsigned failed = 0;
  for (unsigned i = 0; i < ARRAY_LEN(wrong_lines); i++) {
    const wrong_line *w = &wrong_lines[i];
    char *text = in_kernel(w->arguments, w->line);
    tsr_module *m = read_text(ctx, text, 0);
    if (m) {
      print_error("this was accepted:\n%s", text);
      failed++;
      tsr_module_destroy(m);
      free(text);
      continue;
    }
    const message *e = &said.v[0];
    bool ok = count_errors() == 1 && e->severity == TSR_ERROR && e->line == w->row &&
              e->column == w->column && (!w->length || e->length == w->length) &&
              strstr(e->text, w->message);
    if (ok && w->note)
      ok = said.n > 1 && said.v[1].severity == TSR_NOTE && strstr(said.v[1].text, w->note);
    if (!ok) {
      show_messages(text);
      print_error("expected %u:%u+%u: %s\n", w->row, w->column, w->length, w->message);
      failed++;
    }
    free(text);
  }
  assert_int_equal(failed, 0);
  tsr_context_destroy(ctx);
}

typedef struct wrong_text {
  const char *text;
  uint32_t row, column;
  const char *message;
} wrong_text;

static const wrong_text wrong_texts[] = {
    {"", 1, 1, "expected 'cuda_tile.module @name {', found the end of the file"},
    {"// nothing\n", 2, 1, "expected 'cuda_tile.module @name {'"},
    {"entry @k() {}", 1, 1, "expected 'cuda_tile.module @name {', found 'entry'"},
    {"module @m {}", 1, 1, "the outermost module is written with its prefix"},
    {"cuda_tile.module m {}", 1, 18, "expected a symbol (@name), found 'm'"},
    {"cuda_tile.module @m", 1, 20, "expected '{' to begin the body of 'module'"},
    {"cuda_tile.module @m {", 1, 22, "expected '}' to end the body of 'module'"},
    {"cuda_tile.module @m {\n entry @k() {\n if %c {\n", 3, 5, "'%c' is not defined"},
    {"cuda_tile.module @m {}\n}", 2, 1,
     "expected the end of the file behind the module, found '}'"},
    {"cuda_tile.module @m {}\ncuda_tile.module @n {}", 2, 1, "a second module; a file holds one"},
    {"module { cuda_tile.module @m {}", 1, 32, "expected '}' to end the outer module"},
    {"cuda_tile.module @m {\n  entry @k() -> tile<f32> {}\n}", 2, 14, "an entry returns nothing"},
    {"cuda_tile.module @m {\n  entry @k(tile<f32>) {}\n}", 2, 12, "expected an argument"},
    {"cuda_tile.module @m {\n  entry @k;\n}", 2, 11, "unexpected character ';'"},
    {"cuda_tile.module @m {\n  entry @k() optimization_hints=<a={},a={b=1}> {}\n}", 0, 0, NULL},
    {"cuda_tile.module @m {\n  entry @k() optimization_hints=<a={b=1},a={b=1}> {}\n}", 2, 42,
     "hints for 'a' are given twice"},
    {"cuda_tile.module @m {\n  global @g <i32: 1>\n}", 2, 21, "expected ':' after the value"},
    {"cuda_tile.module @m {\n  global privat @g <i32: 1> : tile<1xi32>\n}", 2, 10, "expected"},
    {"#a = 1\n#a = 2\ncuda_tile.module @m {}", 2, 1, "'#a' is defined twice"},
    {"!a = f32\n!a = f16\ncuda_tile.module @m {}", 2, 1, "'!a' is defined twice"},
    {"#a.b = 1\ncuda_tile.module @m {}", 1, 1, "expected the name of an alias"},
    {"#a loc(unknown)\ncuda_tile.module @m {}", 1, 4, "expected '=' after the alias"},
    {"#u = #cuda_tile.di_compile_unit<file = #f>\ncuda_tile.module @m {}", 1, 40,
     "'#f' is not defined as a debug scope above"},
    {"#f = #cuda_tile.di_file<\"a\" in \"b\">\n#u = #cuda_tile.di_subprogram<file = #f, line = 1, "
     "name = \"a\", linkageName = \"a\", compileUnit = #f>\ncuda_tile.module @m {}",
     2, 6, "'compileUnit' must be a di_compile_unit"},
    {"#f = #cuda_tile.di_file<\"a\" in \"b\">\n#u = #cuda_tile.di_compile_unit<fil = #f>\n"
     "cuda_tile.module @m {}",
     2, 33, "unknown field 'fil' of debug information"},
    {"#a = loc(callsite(#b at #c))\n#b = loc(callsite(#a at #c))\n#c = loc(unknown)\n"
     "cuda_tile.module @m {}",
     1, 1, "refer to each other in a circle"},
    {"#a = loc(callsite(#a at #a))\ncuda_tile.module @m {}", 1, 1, "in a circle"},
    {"cuda_tile.module @m {} loc(#a)\n#a = 5\n", 2, 1, "used as a location but defined as"},
    {"\"cuda_tile.entry\"() : () -> ()", 1, 1, "expected \"cuda_tile.module\""},
};

static void test_wrong_texts(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(wrong_texts); i++) {
    const wrong_text *w = &wrong_texts[i];
    tsr_module *m = read_text(ctx, w->text, 0);
    if (!w->message) {
      if (!m) show_messages(w->text);
      assert_non_null(m);
      tsr_module_destroy(m);
      continue;
    }
    if (m) fail_msg("this was accepted:\n%s", w->text);
    const message *e = &said.v[0];
    if (e->severity != TSR_ERROR || e->line != w->row || e->column != w->column ||
        !strstr(e->text, w->message)) {
      show_messages(w->text);
      fail_msg("expected %u:%u: %s", w->row, w->column, w->message);
    }
  }
  tsr_context_destroy(ctx);
}

/* ---- going on ------------------------------------------------------------------------------- */

static void check_rows(tsr_context *ctx, const char *text, const uint32_t *rows, unsigned n) {
  assert_null(read_text(ctx, text, 0));
  bool ok = count_errors() == n;
  unsigned k = 0;
  for (unsigned i = 0; ok && i < said.n; i++)
    if (said.v[i].severity == TSR_ERROR) ok = said.v[i].line == rows[k++];
  if (ok) return;
  show_messages(text);
  fail_msg("expected %u errors, found %u", n, count_errors());
}

#define CHECK_ROWS(ctx, text, ...)                                                                 \
  check_rows((ctx), (text), (const uint32_t[]){__VA_ARGS__},                                       \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void test_recovery(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  /* One message for each wrong line; what they define is not asked for again. */
  CHECK_ROWS(ctx,
             "cuda_tile.module @m {\n"
             "  entry @k(%x: tile<f32>, %n: tile<i32>) {\n"
             "    %a = addd %x, %x : tile<f32>\n" /* 3 */
             "    %b = negf %a : tile<f32>\n"
             "    %c = negf %b : tile<f33>\n" /* 5 */
             "    %d = addf %c, %b\n"         /* 6: the line ends */
             "    %e = addf %d, %c : tile<f32>\n"
             "    %f = addf %e, %n : tile<f32>\n" /* 8 */
             "    %g = addf %f, %f : tile<f32>\n"
             "    for %i in (%n to %n, step %n) : tile<i32> {\n"
             "      %h = negff %g : tile<f32>\n"        /* 11 */
             "      if %i {\n"                          /* 12: not an i1 */
             "        %j = negf %missing : tile<f32>\n" /* 13 */
             "        %k = negf %missing : tile<f32>\n"
             "      }\n"
             "    }\n"
             "    for %i in (%n to %n step %n) : tile<i32> {\n" /* 17: its body is left out */
             "      oops\n"
             "      {{}}\n"
             "    }\n"
             "    %l = constant <i32: [1, 2> : tile<2xi32>\n" /* 21 */
             "    %m = addi %l, %l : tile<2xi32>\n"
             "  }\n"
             "  entry @k2(%x: tile<f32>) {\n"
             "    %a = negf %y : tile<f32>\n" /* 25 */
             "  }\n"
             "}\n",
             3, 5, 6, 8, 11, 12, 13, 17, 21, 25);
  /* An operation over several lines is left out as a whole. */
  CHECK_ROWS(ctx,
             "cuda_tile.module @m {\n"
             "  entry @k(%x: tile<8xf32>) {\n"
             "    %a = reduce %x dims=0\n" /* 3 */
             "      identities=[0.0 : f32]\n"
             "      : tile<8xf32> -> tile<f32>\n"
             "    (%p: tile<f32>, %q: tile<f32>) {\n"
             "      %r = wrong %p\n"
             "      yield %r : tile<f32>\n"
             "    }\n"
             "    %b = negf %z : tile<f32>\n" /* 10 */
             "  }\n"
             "}\n",
             3, 10);
  /* Braces of attributes are no regions. */
  CHECK_ROWS(ctx,
             "cuda_tile.module @m {\n"
             "  entry @k(%x: tile<f32>) {\n"
             "    %a = negf %x {a = {b = (} : tile<f32>\n" /* 3 */
             "    %b = negf %x {a = 1\n"                   /* 4: the line ends */
             "    %c = negf %z : tile<f32>\n"              /* 5 */
             "  }\n"
             "}\n",
             3, 4, 5);
  /* A wrong kernel head, a wrong alias, and what follows. */
  CHECK_ROWS(ctx,
             "!t = tiel<f32>\n" /* 1 */
             "cuda_tile.module @m {\n"
             "  entry @a(%x: tile<f32> {\n" /* 3 */
             "    nonsense\n"
             "  }\n"
             "  entry @b() {\n"
             "    nonsense\n" /* 7 */
             "  }\n"
             "}\n",
             1, 3, 7);
  /* A forgotten '}' gives one message. */
  CHECK_ROWS(ctx,
             "cuda_tile.module @m {\n"
             "  entry @a(%c: tile<i1>) {\n"
             "    if %c {\n"
             "  }\n"
             "}\n",
             6);
  tsr_context_destroy(ctx);
}

static void test_error_limit(void **state) {
  (void)state;
  char body[4096] = "";
  for (int i = 0; i < 50; i++) strcat(body, "wrong\n");
  char *text = in_kernel("", body);
  for (unsigned limit = 0; limit < 4; limit++) {
    tsr_context *ctx = make_context(limit);
    assert_null(read_text(ctx, text, 0));
    unsigned expected = limit ? limit : 20;
    assert_int_equal(count_errors(), expected);
    assert_int_equal(said.n, expected + 1);
    assert_int_equal(said.v[expected].severity, TSR_NOTE);
    assert_non_null(strstr(said.v[expected].text, "too many errors"));
    /* The context is as good as new. */
    tsr_module *m = read_text(ctx, "cuda_tile.module @m {}", 0);
    assert_non_null(m);
    tsr_module_destroy(m);
    tsr_context_destroy(ctx);
  }
  free(text);
}

/* Unknown names of one region, some of which are defined further down, in it or in the next
 * kernel. */
static void test_unknown_names(void **state) {
  (void)state;
  static const char text[] = "cuda_tile.module @m {\n"
                             "  entry @a() {\n"
                             "    print \"%d\", %b : tile<i32>\n"
                             "    print \"%d\", %other : tile<i32>\n"
                             "    %a, %b = nothing\n"
                             "    print \"%d\", %late : tile<i32>\n"
                             "    %late = constant <i32: 1> : tile<i32>\n"
                             "  }\n"
                             "  entry @b() {\n"
                             "    print \"%d\", %late : tile<i32>\n"
                             "    %other = constant <i32: 1> : tile<i32>\n"
                             "    %late = constant <i32: 1> : tile<i32>\n"
                             "  }\n"
                             "}\n";
  static const struct {
    uint32_t line;
    const char *text;
  } expected[] = {{3, "'%b' is used before it is defined"},
                  {5, "it is defined here"},
                  {4, "'%other' is not defined"},
                  {5, "unknown operation 'nothing'"},
                  {6, "'%late' is used before it is defined"},
                  {7, "it is defined here"},
                  {10, "'%late' is used before it is defined"},
                  {12, "it is defined here"}};
  tsr_context *ctx = make_context(0);
  assert_null(read_text(ctx, text, 0));
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
    if (i >= said.n || said.v[i].line != expected[i].line ||
        !strstr(said.v[i].text, expected[i].text)) {
      show_messages(text);
      fail_msg("%u: %s", expected[i].line, expected[i].text);
    }
  assert_int_equal(said.n, sizeof expected / sizeof *expected);
  tsr_context_destroy(ctx);
}

static void test_warnings(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  tsr_module *m = read_text(
      ctx, "cuda_tile.module @m { entry @k() optimization_hints=<sm_90 = {occupancy = \"a\"}> {} }",
      0);
  assert_non_null(m);
  assert_int_equal(said.n, 1);
  assert_int_equal(said.v[0].severity, TSR_WARNING);
  assert_non_null(strstr(said.v[0].text, "the hint 'occupancy' is ignored"));
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- bytes that are allowed only in some places --------------------------------------------- */

static void test_odd_bytes(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  static const char good[] = "// \0 \xff\ncuda_tile.module @m {\r\n\tentry @k() {\r\n"
                             "%t = print_tko \"\0\xff\" -> token\r\n}\n}";
  said.n = 0;
  tsr_module *m = tsr_module_parse(ctx, good, sizeof good - 1, NULL, TSR_PARSE_NO_VERIFY);
  assert_non_null(m);
  tsr_module_destroy(m);
  static const char bad[] = "cuda_tile.module @m {\n\0}";
  assert_null(tsr_module_parse(ctx, bad, sizeof bad - 1, NULL, TSR_PARSE_NO_VERIFY));
  assert_int_equal(said.v[0].line, 2);
  assert_non_null(strstr(said.v[0].text, "unexpected byte 0x00"));
  /* The text ends where its length says. */
  m = tsr_module_parse(ctx, "cuda_tile.module @m {}garbage", 22, NULL, TSR_PARSE_NO_VERIFY);
  assert_non_null(m);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_lines),   cmocka_unit_test(test_wrong_texts),
      cmocka_unit_test(test_recovery),      cmocka_unit_test(test_error_limit),
      cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_warnings),
      cmocka_unit_test(test_odd_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
