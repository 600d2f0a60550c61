/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/shared_base.h"

/* As compiled kernels declare it. */
static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 tessera_dynamic1024[];\n"
    ".visible .entry tessera_shared_base(.param .u64 out)\n{\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [out];\n  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r1, tessera_dynamic1024;\n  st.global.u32 [%rd2], %r1;\n  ret;\n}\n";

static cu_result look(const cuda_driver *d, cu_object module, cu_object stream, cu_address out,
                      uint32_t *address) {
  enum { BYTES = 1024 };
  cu_object function;
  void *params[] = {&out};
  cu_result r = d->module_function(&function, module, "tessera_shared_base");
  if (r == CU_OK) r = d->launch(function, 1, 1, 1, 1, 1, 1, BYTES, stream, params, NULL);
  if (r == CU_OK) r = d->to_host_on(address, out, sizeof *address, stream);
  return r == CU_OK ? d->stream_synchronize(stream) : r;
}

cu_result cuda_shared_base(const cuda_driver *d, cu_object stream, uint32_t *address) {
  cu_object module;
  cu_address out;
  cu_result r = d->module_load(&module, text, 0, NULL, NULL);
  if (r != CU_OK) return r;
  r = d->alloc(&out, sizeof *address);
  if (r == CU_OK) {
    r = look(d, module, stream, out, address);
    d->free(out);
  }
  d->module_unload(module);
  return r;
}
