# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM 22 for the compiler plugin: sets TESSERA_HAVE_LLVM and the target tessera_llvm, which
# only the plugin and its unit tests link. LLVM_TOOLS_DIR is where lit and FileCheck lie.
set(TESSERA_HAVE_LLVM OFF)
find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config PATHS /usr/lib/llvm-22/bin)
set(llvm_version "")
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE llvm_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(LLVM_TOOLS_DIR "")
if(llvm_version MATCHES "^22\\.")
  foreach(item includedir libdir bindir)
    execute_process(COMMAND ${LLVM_CONFIG} --${item} OUTPUT_VARIABLE llvm_${item}
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endforeach()
  execute_process(COMMAND ${LLVM_CONFIG} --link-shared --libs OUTPUT_VARIABLE llvm_libs
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(llvm_libs)
  set(LLVM_TOOLS_DIR "${llvm_bindir}")
  if(TESSERA_LLVM AND EXISTS "${llvm_includedir}/llvm-c/LLJIT.h")
    set(TESSERA_HAVE_LLVM ON)
    add_library(tessera_llvm INTERFACE)
    target_include_directories(tessera_llvm SYSTEM INTERFACE "${llvm_includedir}")
    target_link_directories(tessera_llvm INTERFACE "${llvm_libdir}")
    target_link_libraries(tessera_llvm INTERFACE ${llvm_libs})
  endif()
endif()
if(TESSERA_HAVE_LLVM)
  message(STATUS "LLVM ${llvm_version}: the compiler plugin is built")
elseif(TESSERA_LLVM)
  message(WARNING "LLVM 22 was not found: building without the compiler plugin, so kernels can be "
                  "checked and interpreted but not compiled. On Debian: apt-get install llvm-22-dev")
endif()
