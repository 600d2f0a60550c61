# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One object library tessera_<folder> per folder of src/ that has C files. A folder uses only the
# folders before it in this list; `scripts/check-sources` holds every #include against it.
set(TESSERA_CORE_MODULES base target num layout ir text ttir bytecode exec opt block interp simt emu rt ranks tune)
# These call LLVM-C and end in the plugin alone.
set(TESSERA_PLUGIN_MODULES llvm cpu gpu backends)
# The operator library, above the core.
set(TESSERA_OPS_MODULES ops)
set(TESSERA_COMMAND_MODULES lsp cli)

# Flags that only one folder needs: tessera_flags_<folder>.
set(tessera_flags_num -frounding-math) # converts under every rounding mode
# Places in the kernels that it builds are the same wherever it was compiled.
set(tessera_flags_ops "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

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
tessera_add_modules(TESSERA_OPS ${TESSERA_OPS_MODULES})
tessera_add_modules(TESSERA_COMMAND ${TESSERA_COMMAND_MODULES})
set(TESSERA_PLUGIN "")
if(TESSERA_HAVE_LLVM)
  tessera_add_modules(TESSERA_PLUGIN ${TESSERA_PLUGIN_MODULES})
  if(TESSERA_LLVM_STATIC)
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/backends/arc4random.c" APPEND PROPERTY
                 COMPILE_DEFINITIONS TSR_LLVM_STATIC)
  endif()
  foreach(library IN LISTS TESSERA_PLUGIN)
    target_link_libraries(${library} PRIVATE tessera_libllvm)
  endforeach()
endif()

# Runtime and plugin share structures of memory, and what the plugin has a copy of works on both
# sides' data, so both must be made of the same files: what the plugin's interface and the folders
# before interp are compiled from (cmake/BuildId.cmake).
set(build_id_sources src/backends/plugin.h)
foreach(module IN LISTS TESSERA_CORE_MODULES)
  if(module STREQUAL "interp")
    break()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
  list(APPEND build_id_sources ${files})
endforeach()
set(build_id_folder "${PROJECT_BINARY_DIR}/build_id")
set(build_id "${build_id_folder}/build_id.h")
add_custom_command(OUTPUT "${build_id}" DEPFILE "${build_id}.d"
  COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}" "-DCOMPILER=${CMAKE_C_COMPILER}"
          "-DFLAGS=-D_GNU_SOURCE;-Iinclude;-Isrc" "-DSOURCES=${build_id_sources}"
          "-DPREFIX=${PROJECT_VERSION}" "-DOUT=${build_id}"
          -P "${PROJECT_SOURCE_DIR}/cmake/BuildId.cmake"
  DEPENDS "${PROJECT_SOURCE_DIR}/cmake/BuildId.cmake" COMMENT "Hashing what both sides of the plugin share"
  VERBATIM)
add_custom_target(tessera_build_id DEPENDS "${build_id}")
# For what includes "build_id.h".
function(tessera_use_build_id target)
  add_dependencies(${target} tessera_build_id)
  target_include_directories(${target} PRIVATE "${build_id_folder}")
endfunction()
foreach(library IN ITEMS tessera_rt tessera_backends)
  if(TARGET ${library})
    tessera_use_build_id(${library})
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
    TSR_LLVM_PLUGIN_INSTALLED="${CMAKE_INSTALL_FULL_LIBDIR}/libtessera-llvm.so"
    TSR_LLVM_PLUGIN_PACKAGE="libllvm22"
    TSR_LIBLLVM="${LLVM_SHARED_FILE}")
endif()

# How src/bytecode finds the programs that come with the library: cmake/Install.cmake installs them.
set(data "${CMAKE_INSTALL_DATADIR}/tessera")
file(RELATIVE_PATH bin_to_data "/x/${CMAKE_INSTALL_BINDIR}" "/x/${data}")
file(RELATIVE_PATH lib_to_data "/x/${CMAKE_INSTALL_LIBDIR}" "/x/${data}")
target_compile_definitions(tessera_bytecode PRIVATE
  TSR_BIN_TO_DATA="${bin_to_data}" TSR_LIB_TO_DATA="${lib_to_data}")

# How src/ranks finds the plugins for MPI: cmake/MPI.cmake makes them.
target_compile_definitions(tessera_ranks PRIVATE
  TSR_RANKS_BIN_TO_LIB="${bin_to_lib}" TSR_RANKS_INSTALLED="${CMAKE_INSTALL_FULL_LIBDIR}")

set(TESSERA_HAVE_CORE OFF)
if(TESSERA_CORE)
  set(TESSERA_HAVE_CORE ON)
else()
  message(STATUS "src/ has no C files: there is nothing to build")
endif()
