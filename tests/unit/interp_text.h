/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pieces of kernels as text, for tests that put them together. They expect a kernel parameter %p,
 * a pointer to bytes, and may be used once per name.
 */
#ifndef TSR_TESTS_INTERP_TEXT_H
#define TSR_TESTS_INTERP_TEXT_H

#include "run_program.h"

/* A module with one kernel @k. */
#define KERNEL(parameters, body) "cuda_tile.module @m { entry @k(" parameters ") {\n" body "} }\n"

/* %name, a constant i32. */
#define INT(name, value) "%" name " = constant <i32: " value "> : tile<i32>\n"

/* %name: %p as a pointer to `elem`. */
#define ADDRESS(name, elem) "%" name " = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<" elem ">>\n"

/* pointer[index] = value, scalars. */
#define PUT(pointer, index, value, elem)                                                           \
  "%" value "_i = constant <i32: " index "> : tile<i32>\n"                                         \
  "%" value "_a = offset %" pointer ", %" value "_i : tile<ptr<" elem ">>, tile<i32> -> "          \
  "tile<ptr<" elem ">>\n"                                                                          \
  "%" value "_t = store_ptr_tko weak %" value "_a, %" value " : tile<ptr<" elem ">>, tile<" elem   \
  "> -> token\n"

/* Stores a tile of `count` elements at element `at` after %p. */
#define STORE(name, shape, elem, count, at)                                                        \
  "%" name "_f = reshape %" name " : tile<" shape "x" elem "> -> tile<" count "x" elem ">\n"       \
  "%" name "_q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<" elem ">>\n"                           \
  "%" name "_o = constant <i32: " at "> : tile<i32>\n"                                             \
  "%" name "_b = offset %" name "_q, %" name "_o : tile<ptr<" elem                                 \
  ">>, tile<i32> -> tile<ptr<" elem ">>\n"                                                         \
  "%" name "_v = make_tensor_view %" name "_b, shape = [" count "], strides = [1] : "              \
  "tensor_view<" count "x" elem ", strides=[1]>\n"                                                 \
  "%" name "_w = make_partition_view %" name "_v : partition_view<tile=(" count                    \
  "), tensor_view<" count "x" elem ", strides=[1]>>\n"                                             \
  "%" name "_z = constant <i32: 0> : tile<i32>\n"                                                  \
  "%" name "_t = store_view_tko weak %" name "_f, %" name "_w[%" name "_z] : tile<" count "x" elem \
  ">, partition_view<tile=(" count "), tensor_view<" count "x" elem ", strides=[1]>>, tile<i32> "  \
  "-> token\n"

/* %name, a tile of `count` elements from element `at` after %p on. */
#define LOAD(name, shape, elem, count, at)                                                         \
  "%" name "_q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<" elem ">>\n"                           \
  "%" name "_o = constant <i32: " at "> : tile<i32>\n"                                             \
  "%" name "_b = offset %" name "_q, %" name "_o : tile<ptr<" elem                                 \
  ">>, tile<i32> -> tile<ptr<" elem ">>\n"                                                         \
  "%" name "_v = make_tensor_view %" name "_b, shape = [" count "], strides = [1] : "              \
  "tensor_view<" count "x" elem ", strides=[1]>\n"                                                 \
  "%" name "_w = make_partition_view %" name "_v : partition_view<tile=(" count                    \
  "), tensor_view<" count "x" elem ", strides=[1]>>\n"                                             \
  "%" name "_z = constant <i32: 0> : tile<i32>\n"                                                  \
  "%" name "_f, %" name "_t = load_view_tko weak %" name "_w[%" name                               \
  "_z] : partition_view<tile=(" count "), tensor_view<" count "x" elem                             \
  ", strides=[1]>>, tile<i32> -> tile<" count "x" elem ">, token\n"                                \
  "%" name " = reshape %" name "_f : tile<" count "x" elem "> -> tile<" shape "x" elem ">\n"

#endif
