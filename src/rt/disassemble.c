/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/disassemble.h"

#include "rt/plugin.h"

bool rt_disassemble(tsr_context *ctx, const char *processor, const uint8_t *code, uint64_t from,
                    uint64_t to, gcn_line line, void *user) {
  const compiler_plugin *plugin = plugin_get(ctx);
  code_bytes c = {.triple = "amdgcn-amd-amdhsa",
                  .processor = processor,
                  .code = code,
                  .from = from,
                  .to = to,
                  .smallest = 4};
  return plugin && plugin->disassemble(ctx, &c, line, user);
}
