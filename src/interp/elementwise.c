/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * result[k] = operation(operands[k]), for every k. exec/scalar.h says what each operation does.
 */
#include "interp/internal.h"

void run_elementwise(frame *f, const inst *i) {
  const void *operands[3];
  for (uint32_t k = 0; k < i->elementwise.n_operands; k++) operands[k] = at(f, i->in[k]);
  exec_elementwise_run(&i->elementwise, at(f, i->out[0]), operands, i->count);
}
