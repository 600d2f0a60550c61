/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The backends of the plugin, by name.
 */
#include "backends/plugin.h"

#include "build_id.h"

__attribute__((visibility("default"))) const compiler_plugin *tsr_llvm_plugin(void) {
  static const compiler_plugin this_build = {
      .build_id = TSR_BUILD_ID,
      .cpu = &cpu_llvm,
      .nvptx = &nvptx_llvm,
      .amdgcn = &amdgcn_llvm,
      .disassemble = disassemble,
  };
  return &this_build;
}
