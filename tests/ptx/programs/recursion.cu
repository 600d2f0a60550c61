// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion, twice in one call, and over a structure of pointers to local variables.
#include "both.cuh"
BOTH __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
struct node {
  int v;
  const node *left, *right;
};
BOTH __noinline__ int heaviest(const node *n) {
  if (!n) return 0;
  int l = heaviest(n->left), r = heaviest(n->right);
  return n->v + (l > r ? l : r);
}
BOTH __noinline__ void hanoi(int n, int a, int b, int c, unsigned *h) {
  if (n == 0) return;
  hanoi(n - 1, a, c, b, h);
  *h = *h * 31 + a * 3 + b;
  hanoi(n - 1, c, b, a, h);
}
BOTH double value(unsigned i) {
  node a = {1, 0, 0}, b = {2, &a, 0}, c = {(int)i, &b, &a};
  unsigned h = i;
  hanoi(i % 6, 1, 2, 3, &h);
  return ackermann(2, i % 9) + heaviest(&c) * 1000.0 + h;
}
