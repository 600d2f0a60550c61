# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_onednn: a peer of the matrix benchmarks, with TSR_HAVE_ONEDNN defined; an empty target when
# version 2 of it isn't installed (libdnnl-dev). Nothing else may link it.
if(NOT TARGET tessera_onednn)
  add_library(tessera_onednn INTERFACE)
  find_package(dnnl 2 QUIET)
  find_package(OpenMP QUIET COMPONENTS C) # oneDNN's threads are OpenMP's
  if(TARGET DNNL::dnnl AND TARGET OpenMP::OpenMP_C AND dnnl_VERSION VERSION_LESS 3)
    target_link_libraries(tessera_onednn INTERFACE DNNL::dnnl OpenMP::OpenMP_C)
    target_compile_definitions(tessera_onednn INTERFACE TSR_HAVE_ONEDNN=1)
  else()
    message(STATUS "oneDNN 2 was not found (libdnnl-dev): bf16 and i8 products have no peer")
  endif()
endif()
