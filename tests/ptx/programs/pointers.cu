// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through pointers and virtual functions.
#include "both.cuh"
typedef int (*operation)(int, int);
BOTH __noinline__ int f0(int a, int b) { return a + b; }
BOTH __noinline__ int f1(int a, int b) { return a * b + 1; }
BOTH __noinline__ int f2(int a, int b) { return a - (b ^ 5); }
BOTH __noinline__ int f3(int a, int b) { return a & b; }
struct shape {
  BOTH virtual double area(double k) const = 0;
};
struct square : shape {
  double side;
  BOTH square(double s) : side(s) {}
  BOTH double area(double k) const override { return side * side * k; }
};
struct disc : shape {
  double r;
  BOTH disc(double r) : r(r) {}
  BOTH double area(double k) const override { return 3 * r * r + k; }
};
BOTH double value(unsigned i) {
  operation all[4] = {f0, f1, f2, f3};
  int x = i;
  for (int k = 0; k < 9; k++) x = all[(x ^ k) & 3](x, k + i) & 0xffff;
  square q(i);
  disc d(i + 1);
  const shape *s = i & 1 ? (const shape *)&q : &d;
  return x + s->area(x & 7);
}
