/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A kernel in PTX, scale(y, x, a, n): y[i] = a * x[i] + bias for i < n, with a variable that counts
 * the threads and a constant.
 */
#ifndef TESSERA_TESTS_COMPAT_SCALE_H
#define TESSERA_TESTS_COMPAT_SCALE_H

#define SCALE_PTX                                                                                  \
  ".visible .global .align 4 .u32 calls;\n"                                                        \
  ".visible .const .align 4 .f32 bias = 0f3f000000;\n"                                             \
  ".visible .entry scale(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"          \
  "  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;\n"                          \
  "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"                          \
  "  mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [n];\n"                                      \
  "  atom.global.add.u32 %r5, [calls], 1;\n"                                                       \
  "  setp.ge.u32 %p, %r3, %r4; @%p ret;\n"                                                         \
  "  ld.param.u64 %d0, [y]; ld.param.u64 %d1, [x]; ld.param.f32 %f0, [a];\n"                       \
  "  mul.wide.u32 %d2, %r3, 4; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;\n"                    \
  "  ld.global.f32 %f1, [%d1]; ld.const.f32 %f2, [bias]; fma.rn.f32 %f3, %f0, %f1, %f2;\n"         \
  "  st.global.f32 [%d0], %f3; ret;\n"                                                             \
  "}\n"

#endif
