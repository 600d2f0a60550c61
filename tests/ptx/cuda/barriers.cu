/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Named barriers between two halves of a block: one produces, the other consumes.
 * FAULT: the consumers meet at another barrier than the one the producers arrive at.
 */
extern "C" __global__ void barriers(const int *in, int *out) {
  __shared__ int data[64];
  int t = threadIdx.x;
  if (t < 64) {
    data[t] = in[blockIdx.x * 64 + t] * 3;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
#ifdef FAULT
    asm volatile("bar.sync 2, 128;" ::: "memory");
#else
    asm volatile("bar.sync 1, 128;" ::: "memory");
#endif
    out[blockIdx.x * 64 + t - 64] = data[127 - t];
  }
}
