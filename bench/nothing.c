/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What starting a process costs by itself: bench_startup sets the command beside this program,
 * which is linked statically.
 */
int main(void) {
  return 0;
}
