#include "gpu/nvptx/unit.h"
#include "gpu/code.h"
void nvptx_unit(gen *g, ir_op *op) {
  gpu_unsupported(g, op, "there is no code for it yet; use the target interp");
}
