# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One object library tessera_<folder> per folder of src/ that has C files. A folder uses only the
# folders before it in this list; `scripts/check-sources` holds every #include against it.
set(TESSERA_CORE_MODULES base target num layout ir text bytecode exec opt interp simt emu rt)
# These call LLVM-C and end in the plugin alone.
set(TESSERA_PLUGIN_MODULES llvm cpu gpu backends)
set(TESSERA_COMMAND_MODULES cli)

# Flags that only one folder needs: tessera_flags_<folder>.
set(tessera_flags_num -frounding-math) # converts under every rounding mode

# tessera_add_modules(OUT folder...): makes the object libraries, sets OUT to those that have files.
function(tessera_add_modules out)
  set(made "")
  foreach(module IN LISTS ARGN)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
    if(files)
      add_library(tessera_${module} OBJECT ${files})
      target_include_directories(tessera_${module} PRIVATE
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
      target_compile_options(tessera_${module} PRIVATE ${tessera_flags_${module}})
      if(TESSERA_FUZZ)
        # tests/fuzz/driver.c follows where an input goes.
        target_compile_options(tessera_${module} PRIVATE -fsanitize-coverage=trace-pc)
      endif()
      list(APPEND made tessera_${module})
    endif()
  endforeach()
  set(${out} "${made}" PARENT_SCOPE)
endfunction()

tessera_add_modules(TESSERA_CORE ${TESSERA_CORE_MODULES})
tessera_add_modules(TESSERA_COMMAND ${TESSERA_COMMAND_MODULES})
set(TESSERA_PLUGIN "")
if(TESSERA_HAVE_LLVM)
  tessera_add_modules(TESSERA_PLUGIN ${TESSERA_PLUGIN_MODULES})
  foreach(library IN LISTS TESSERA_PLUGIN)
    target_link_libraries(${library} PRIVATE tessera_libllvm)
  endforeach()
endif()

# Runtime and plugin share structures of memory, so they must be of one build: a hash of the headers
# that say what those look like. Ninja configures again when one of them changes.
set(build_id "")
foreach(file base/base.h cpu/cpu.h exec/block.h exec/scalar.h ir/ir.h ir/ops.def ir/ops.h opt/patterns.def
             backends/plugin.h gpu/nvptx/nvptx.h simt/nvidia/tensor_map.h target/cpu.h target/gpu.h)
  set(file "${PROJECT_SOURCE_DIR}/src/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(SHA256 "${file}" hash)
  string(APPEND build_id ${hash})
endforeach()
string(SHA256 build_id "${build_id}")
string(SUBSTRING "${build_id}" 0 12 build_id)
set(TESSERA_BUILD_ID "${PROJECT_VERSION}-${build_id}")
foreach(library IN ITEMS tessera_rt tessera_backends)
  if(TARGET ${library})
    target_compile_definitions(${library} PRIVATE TSR_BUILD_ID="${TESSERA_BUILD_ID}")
  endif()
endforeach()

# How src/rt finds the plugin; see there for the order in which places are tried.
if(TARGET tessera_rt)
  file(RELATIVE_PATH bin_to_lib "/x/${CMAKE_INSTALL_BINDIR}" "/x/${CMAKE_INSTALL_LIBDIR}")
  # The command tileiras lies in a folder of its own: cmake/Compat.cmake.
  file(RELATIVE_PATH compat_to_lib "/x/${CMAKE_INSTALL_LIBEXECDIR}/tessera/compat"
       "/x/${CMAKE_INSTALL_LIBDIR}")
  target_compile_definitions(tessera_rt PRIVATE
    TSR_LLVM_PLUGIN_COMPAT_TO_LIB="${compat_to_lib}"
    TSR_LLVM_PLUGIN_FILE="libtessera-llvm.so"
    TSR_LLVM_PLUGIN_BIN_TO_LIB="${bin_to_lib}"
    TSR_LLVM_PLUGIN_PACKAGE="libllvm22")
endif()

set(TESSERA_HAVE_CORE OFF)
if(TESSERA_CORE)
  set(TESSERA_HAVE_CORE ON)
else()
  message(STATUS "src/ has no C files: there is nothing to build")
endif()
