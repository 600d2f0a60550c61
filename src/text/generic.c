/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The generic form: "cuda_tile.addf"(%a, %b) <{…}> : (types) -> type.
 */
#include "text/internal.h"

bool parse_generic_op(parser *p, op_state *s) {
  (void)s;
  return fail_tok(p, "the generic form of operations is not read yet; write the custom form");
}

bool parse_generic_module(parser *p, str comments) {
  (void)comments;
  return fail_tok(p, "the generic form of operations is not read yet; write the custom form");
}
