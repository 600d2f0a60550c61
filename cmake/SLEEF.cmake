# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_sleef: a peer of the benchmark of functions, with TSR_HAVE_SLEEF defined; an empty target
# when it isn't installed (libsleef-dev). Nothing else may link it.
if(NOT TARGET tessera_sleef)
  add_library(tessera_sleef INTERFACE)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(SLEEF QUIET IMPORTED_TARGET sleef)
  endif()
  if(SLEEF_FOUND)
    target_link_libraries(tessera_sleef INTERFACE PkgConfig::SLEEF)
    target_compile_definitions(tessera_sleef INTERFACE TSR_HAVE_SLEEF=1)
  else()
    message(STATUS "SLEEF was not found (libsleef-dev): exp, sin and other functions have no peer")
  endif()
endif()
