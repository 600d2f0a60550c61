# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_openblas: the peer that benchmarks and the demo measure themselves against, with
# TSR_HAVE_OPENBLAS defined; an empty target when it isn't installed. Nothing else may link it.
if(NOT TARGET tessera_openblas)
  add_library(tessera_openblas INTERFACE)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(OPENBLAS QUIET IMPORTED_TARGET GLOBAL openblas)
  endif()
  if(OPENBLAS_FOUND)
    target_link_libraries(tessera_openblas INTERFACE PkgConfig::OPENBLAS)
    target_compile_definitions(tessera_openblas INTERFACE TSR_HAVE_OPENBLAS=1)
  else()
    message(STATUS "OpenBLAS was not found (libopenblas-dev): nothing to compare speed with")
  endif()
endif()
