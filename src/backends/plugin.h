/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * backends/plugin.h: the interface of the compiler plugin, libtessera-llvm.so. The backends that
 * need LLVM are in a library of their own so that libLLVM is loaded only when something must be
 * compiled. The runtime opens that library and calls `tsr_llvm_plugin`, its only exported symbol.
 *
 * The plugin has its own copy of the modules that it uses (base, num, layout, ir, opt), which work
 * on what the other side's copy has made: contexts, arenas, modules. So both sides must be made of
 * the same files: `build_id`, a hash of them, is compared (cmake/BuildId.cmake).
 */
#ifndef TSR_BACKENDS_PLUGIN_H
#define TSR_BACKENDS_PLUGIN_H

#include "cpu/cpu.h"
#include "gpu/amdgcn/amdgcn.h"
#include "gpu/amdgcn/disassemble.h"
#include "gpu/nvptx/nvptx.h"

typedef struct compiler_plugin {
  const char *build_id;
  const cpu_backend *cpu;
  const nvptx_backend *nvptx;
  const amdgcn_backend *amdgcn;
  disassemble_fn disassemble; /* machine code of AMD's GPUs */
} compiler_plugin;

typedef const compiler_plugin *(*compiler_plugin_fn)(void);

/* The exported function; any thread may call it, at any time. */
const compiler_plugin *tsr_llvm_plugin(void);

#endif
