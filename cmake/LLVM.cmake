# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM 22 for the compiler plugin: sets TESSERA_HAVE_LLVM, the target tessera_libllvm, which only
# the plugin's unit tests link, and tessera_libllvm_plugin, which the plugin does. LLVM_TOOLS_DIR is
# where lit and FileCheck lie, LLVM_SHARED_FILE the libLLVM that the plugin loads (empty: none).
set(TESSERA_HAVE_LLVM OFF)
find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config PATHS /usr/lib/llvm-22/bin)
set(llvm_version "")
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE llvm_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(LLVM_TOOLS_DIR "")
set(LLVM_SHARED_FILE "")
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
    add_library(tessera_libllvm INTERFACE)
    target_include_directories(tessera_libllvm SYSTEM INTERFACE "${llvm_includedir}")
    target_link_directories(tessera_libllvm INTERFACE "${llvm_libdir}")
    target_link_libraries(tessera_libllvm INTERFACE ${llvm_libs})
  endif()
endif()

# What the plugin links: libLLVM, or with TESSERA_LLVM_STATIC the parts of LLVM that it needs. These
# are a third of libLLVM and refer to no symbols of other libraries but C++'s, so that loading them
# takes half the time.
if(TESSERA_HAVE_LLVM AND NOT TESSERA_LLVM_STATIC)
  execute_process(COMMAND ${LLVM_CONFIG} --link-shared --libfiles OUTPUT_VARIABLE LLVM_SHARED_FILE
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  # A link to it may belong to what is needed to build only.
  file(REAL_PATH "${LLVM_SHARED_FILE}" LLVM_SHARED_FILE)
endif()
if(TESSERA_HAVE_LLVM)
  add_library(tessera_libllvm_plugin INTERFACE)
  target_link_libraries(tessera_libllvm_plugin INTERFACE tessera_libllvm)
endif()
if(TESSERA_HAVE_LLVM AND TESSERA_LLVM_STATIC)
  execute_process(COMMAND ${LLVM_CONFIG} --targets-built OUTPUT_VARIABLE targets
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(targets)
  set(parts passes)
  foreach(target IN ITEMS X86 AArch64 NVPTX AMDGPU)
    if(target IN_LIST targets)
      string(TOLOWER "${target}" part)
      list(APPEND parts "${part}")
    endif()
  endforeach()
  execute_process(COMMAND ${LLVM_CONFIG} --link-static --libs ${parts}
                  OUTPUT_VARIABLE static_libs RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Archives where there are some: the plugin then needs nothing but the C library.
  find_library(ZLIB_FOR_LLVM NAMES libz.a z libz.so.1)
  find_library(ZSTD_FOR_LLVM NAMES libzstd.a zstd libzstd.so.1) # llvm-22-dev doesn't ask for its headers
  find_library(STDCXX_FOR_LLVM NAMES libstdc++.a PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES} NO_DEFAULT_PATH)
  if(NOT STDCXX_FOR_LLVM)
    set(STDCXX_FOR_LLVM stdc++)
  endif()
  find_program(LLD NAMES ld.lld PATHS "${LLVM_TOOLS_DIR}" NO_DEFAULT_PATH)
  find_program(LLD NAMES ld.lld)
  if(failed OR NOT ZLIB_FOR_LLVM OR NOT ZSTD_FOR_LLVM)
    message(FATAL_ERROR "TESSERA_LLVM_STATIC needs LLVM's static libraries (llvm-22-dev), zlib and zstd; "
                        "without it the plugin uses libLLVM.so")
  endif()
  separate_arguments(static_libs)
  set_target_properties(tessera_libllvm_plugin PROPERTIES INTERFACE_LINK_LIBRARIES "")
  target_link_directories(tessera_libllvm_plugin INTERFACE "${llvm_libdir}")
  target_link_libraries(tessera_libllvm_plugin INTERFACE
    -Wl,--start-group ${static_libs} -Wl,--end-group
    "${ZLIB_FOR_LLVM}" "${ZSTD_FOR_LLVM}" "${STDCXX_FOR_LLVM}" m ${CMAKE_DL_LIBS})
  if(LLD) # a few seconds, where others take half a minute
    target_link_options(tessera_libllvm_plugin INTERFACE -fuse-ld=lld)
  endif()
endif()
if(TESSERA_HAVE_LLVM)
  message(STATUS "LLVM ${llvm_version}: the compiler plugin is built")
elseif(TESSERA_LLVM)
  message(WARNING "LLVM 22 was not found: building without the compiler plugin, so kernels can be "
                  "checked and interpreted but not compiled. On Debian: apt-get install llvm-22-dev")
endif()
