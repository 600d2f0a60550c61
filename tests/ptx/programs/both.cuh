// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program here is one function, double value(unsigned i), that host and card compute alike.
// build.sh compiles it for the host, which prints what the thread i must find, and with nvcc to PTX,
// in front of which it puts those numbers (tests/unit/ptx_case.h).
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#ifdef __CUDACC__
#define BOTH __host__ __device__
#define CONSTANT __constant__
#define VARIABLE __device__
#else
#define BOTH
#define CONSTANT static
#define VARIABLE static
#define __noinline__ __attribute__((noinline))
#endif

enum { THREADS = 32 };
BOTH double value(unsigned i);

#ifdef __CUDACC__
extern "C" __global__ void run(double *out) {
  out[threadIdx.x] = value(threadIdx.x);
}
#else
int main() {
  printf("//: run run grid 1 block %d\n//: out f64%s", THREADS, TOLERANCE);
  for (unsigned i = 0; i < THREADS; i++) printf("%s%.17g", i % 4 ? " " : "\n//:   ", value(i));
  printf("\n");
}
#endif

BOTH inline uint64_t mixed(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
// Of 0 to 1.
BOTH inline double unit(unsigned i, int k) {
  return (double)(mixed(i * 64 + k) >> 11) * 0x1p-53;
}
// What a double holds exactly of 64 bits.
BOTH inline double folded(uint64_t v) {
  return (double)((v ^ v >> 52) & 0xfffffffffffffull);
}
