/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of programs.py as C loops. loops.c is compiled several times, by each compiler and
 * with each set of options that is compared; each copy exports one table.
 */
#ifndef TESSERA_BENCH_FOREIGN_LOOPS_H
#define TESSERA_BENCH_FOREIGN_LOOPS_H

/* Arrays in the order of a program's parameters. Extents are those of its first array, or of the
 * one that is written to, as its loop says. */
typedef struct foreign_data {
  void *array[5];
  int rows, columns;
  int number[2];
} foreign_data;

typedef void foreign_loop(const foreign_data *d);

#define FOREIGN_PROGRAMS(X)                                                                        \
  X(stencil_1d)                                                                                    \
  X(stencil_2d)                                                                                    \
  X(filter_3x3)                                                                                    \
  X(clamped_blur)                                                                                  \
  X(grey)                                                                                          \
  X(complex_mul)                                                                                   \
  X(reverse)                                                                                       \
  X(softmax)                                                                                       \
  X(silu_and_mul)                                                                                  \
  X(rms_norm)                                                                                      \
  X(cross_entropy)                                                                                 \
  X(quantise)                                                                                      \
  X(prefix_sum)                                                                                    \
  X(sparse_rows)                                                                                   \
  X(interpolate)                                                                                   \
  X(knapsack)                                                                                      \
  X(xorshift)                                                                                      \
  X(bitonic_step)                                                                                  \
  X(life)                                                                                          \
  X(sobel)                                                                                         \
  X(bilinear)                                                                                      \
  X(haar)                                                                                          \
  X(butterfly)                                                                                     \
  X(dequantise)                                                                                    \
  X(layer_norm)                                                                                    \
  X(sample)                                                                                        \
  X(ranks)                                                                                         \
  X(ell_product)                                                                                   \
  X(huber)                                                                                         \
  X(edit_distance)                                                                                 \
  X(black_scholes)                                                                                 \
  X(random_walk)

#define FOREIGN_MEMBER(name) foreign_loop *name;
typedef struct foreign_loops {
  FOREIGN_PROGRAMS(FOREIGN_MEMBER)
} foreign_loops;
#undef FOREIGN_MEMBER

#endif
