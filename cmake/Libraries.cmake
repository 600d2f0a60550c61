# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The public libraries, the plugin and the command, made from the object libraries.
set(core_objects "")
foreach(library IN LISTS TESSERA_CORE)
  list(APPEND core_objects $<TARGET_OBJECTS:${library}>)
endforeach()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(system_libraries m Threads::Threads ${CMAKE_DL_LIBS})

# libtessera.so
add_library(tessera SHARED ${core_objects})
set_target_properties(tessera PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libtessera.map")
target_include_directories(tessera INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_options(tessera PRIVATE
  "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libtessera.map"
  LINKER:-Bsymbolic-functions LINKER:--gc-sections LINKER:--as-needed)
target_link_libraries(tessera PRIVATE ${system_libraries})
if(NOT TESSERA_SANITIZE)
  target_link_options(tessera PRIVATE LINKER:--no-undefined)
endif()
add_library(Tessera::tessera ALIAS tessera)

# An archive with all objects in one, so that what users don't call can be made local.
function(tessera_add_archive archive kept)
  string(REGEX REPLACE "[.]a$" ".o" object "${archive}")
  get_filename_component(name "${archive}" NAME)
  add_custom_command(
    OUTPUT "${archive}"
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o "${object}" ${ARGN}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard "--keep-global-symbol=${kept}" "${object}"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${archive}"
    COMMAND ${CMAKE_AR} qcs "${archive}" "${object}"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${object}"
    DEPENDS ${ARGN}
    COMMENT "Linking C static library lib/${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# libtessera.a
set(static_library "${PROJECT_BINARY_DIR}/lib/libtessera.a")
tessera_add_archive("${static_library}" "tsr_*" ${core_objects})
add_custom_target(tessera_static_build DEPENDS "${static_library}")
add_library(tessera_static STATIC IMPORTED GLOBAL)
set_target_properties(tessera_static PROPERTIES IMPORTED_LOCATION "${static_library}")
target_include_directories(tessera_static INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(tessera_static INTERFACE ${system_libraries})
target_link_options(tessera_static INTERFACE LINKER:--gc-sections LINKER:--as-needed)
add_dependencies(tessera_static tessera_static_build)
add_library(Tessera::static ALIAS tessera_static)
add_dependencies(product tessera tessera_static_build)

# libtessera-ops.so: the operators. It calls libtessera by its public interface; of base, target,
# num and the search for the fastest of many, which keep no state, it has a copy, as the plugin does.
set(ops_objects "")
foreach(library IN LISTS TESSERA_OPS)
  list(APPEND ops_objects $<TARGET_OBJECTS:${library}>)
endforeach()
if(TESSERA_OPS)
  set(ops_library_objects ${ops_objects} $<TARGET_OBJECTS:tessera_base>
                          $<TARGET_OBJECTS:tessera_target> $<TARGET_OBJECTS:tessera_num>
                          "$<FILTER:$<TARGET_OBJECTS:tessera_tune>,INCLUDE,/tune/search\\.c>")
  add_library(tessera_ops_library SHARED ${ops_library_objects})
  set_target_properties(tessera_ops_library PROPERTIES
    OUTPUT_NAME tessera-ops VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    EXPORT_NAME ops BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libtessera-ops.map")
  target_include_directories(tessera_ops_library INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_options(tessera_ops_library PRIVATE
    "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libtessera-ops.map"
    LINKER:-Bsymbolic-functions LINKER:--gc-sections LINKER:--as-needed)
  target_link_libraries(tessera_ops_library PUBLIC tessera PRIVATE ${system_libraries})
  if(NOT TESSERA_SANITIZE)
    target_link_options(tessera_ops_library PRIVATE LINKER:--no-undefined)
  endif()
  add_library(Tessera::ops ALIAS tessera_ops_library)
  set(static_ops_library "${PROJECT_BINARY_DIR}/lib/libtessera-ops.a")
  tessera_add_archive("${static_ops_library}" "tsr_op_*" ${ops_library_objects})
  add_custom_target(tessera_ops_static_build DEPENDS "${static_ops_library}")
  add_library(tessera_ops_static STATIC IMPORTED GLOBAL)
  set_target_properties(tessera_ops_static PROPERTIES IMPORTED_LOCATION "${static_ops_library}")
  target_link_libraries(tessera_ops_static INTERFACE tessera_static)
  add_dependencies(tessera_ops_static tessera_ops_static_build)
  add_library(Tessera::ops_static ALIAS tessera_ops_static)
  add_dependencies(product tessera_ops_library tessera_ops_static_build)
endif()

# Everything of the core with its internals reachable, for unit tests, fuzzers and the plugin.
add_library(tessera_internal STATIC EXCLUDE_FROM_ALL ${core_objects} ${ops_objects})
target_include_directories(tessera_internal INTERFACE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(tessera_internal INTERFACE ${system_libraries})
set_target_properties(tessera_internal PROPERTIES
  ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/internal")

# libtessera-llvm.so: its own copy of what it uses from the core, so that it fits a program that
# has libtessera linked in as well as one that loads libtessera.so.
if(TESSERA_PLUGIN)
  set(plugin_objects "")
  foreach(library IN LISTS TESSERA_PLUGIN)
    list(APPEND plugin_objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_library(tessera_plugin MODULE ${plugin_objects})
  set_target_properties(tessera_plugin PROPERTIES
    OUTPUT_NAME tessera-llvm
    INSTALL_RPATH_USE_LINK_PATH ${TESSERA_LLVM_RPATH}
    BUILD_WITH_INSTALL_RPATH ON # not padded for later: an empty entry is the current folder
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/plugin.map")
  target_link_options(tessera_plugin PRIVATE
    "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map"
    LINKER:-Bsymbolic LINKER:--gc-sections LINKER:--as-needed)
  if(NOT TESSERA_SANITIZE)
    target_link_options(tessera_plugin PRIVATE LINKER:--no-undefined)
  endif()
  target_link_libraries(tessera_plugin PRIVATE tessera_internal tessera_libllvm_plugin)
  add_dependencies(product tessera_plugin)
endif()

# bin/tessera
if(TESSERA_COMMAND)
  set(command_objects "")
  foreach(library IN LISTS TESSERA_COMMAND)
    list(APPEND command_objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_executable(tessera_command ${command_objects})
  set_target_properties(tessera_command PROPERTIES
    OUTPUT_NAME tessera RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  # Statically, for a fast start; with the internals, for explain, numbers and files.
  target_link_libraries(tessera_command PRIVATE tessera_internal)
  target_link_options(tessera_command PRIVATE LINKER:--gc-sections LINKER:--as-needed)
  add_dependencies(product tessera_command)
  set(compiled_with "")
  if(TESSERA_HAVE_LLVM)
    set(compiled_with "${llvm_version}")
  endif()
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/cli/info.c" APPEND PROPERTY COMPILE_DEFINITIONS
               TSR_LLVM_VERSION="${compiled_with}" TSR_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
endif()
