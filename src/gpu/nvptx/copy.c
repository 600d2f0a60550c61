/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cp.async. Those of 16 bytes go past the first-level cache and ask for the rest of the cache line.
 */
#include "gpu/nvptx/copy.h"

#include <stdio.h>

#include "gpu/code.h"

void nvptx_copy_async(gen *g, unsigned bytes, llv to, uint32_t to_offset, llv from,
                      uint32_t from_offset, llv who, llv size) {
  const char *cache = bytes == 16 ? "cg" : "ca", *hint = bytes == 16 ? ".L2::128B" : "";
  llv args[4] = {to, from};
  unsigned n = 2;
  char text[160], predicate[8] = "", zeros[8] = "", constraints[32] = "r,l";
  if (who) {
    snprintf(predicate, sizeof predicate, "@$%u ", n);
    strcat(constraints, ",b");
    args[n++] = who;
  }
  if (size) {
    snprintf(zeros, sizeof zeros, ", $%u", n);
    strcat(constraints, ",r");
    args[n++] = size;
  }
  strcat(constraints, ",~{memory}");
  snprintf(text, sizeof text, "%scp.async.%s.shared.global%s [$0+%u], [$1+%u], %u%s;", predicate,
           cache, hint, to_offset, from_offset, bytes, zeros);
  gpu_asm(g, g->e.void_, text, constraints, args, n, true);
}

void nvptx_copy_commit(gen *g) {
  gpu_asm(g, g->e.void_, "cp.async.commit_group;", "~{memory}", NULL, 0, true);
}

void nvptx_copy_wait(gen *g, unsigned pending) {
  char text[48];
  snprintf(text, sizeof text, "cp.async.wait_group %u;", pending);
  gpu_asm(g, g->e.void_, text, "~{memory}", NULL, 0, true);
}
