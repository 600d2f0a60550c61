# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# src/compat/runtime: libcudart over the stand-in of the driver library, in the folder beside that.
# Once for each version of the interface: a shared library under NVIDIA's name, whose symbols have
# NVIDIA's version name, and an archive of one object that nvcc links into programs.
file(GLOB runtime_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/compat/runtime/*.c")
set(runtime_entries "${PROJECT_SOURCE_DIR}/src/compat/runtime/runtime.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${runtime_entries}"
             "${PROJECT_SOURCE_DIR}/src/compat/runtime/refused.def")

foreach(version IN ITEMS 12 13)
  set(name "tessera_cudart${version}")
  # The twins for programs that have a default stream per thread, as in Compat.cmake. Which entries a
  # version has, the preprocessor knows.
  execute_process(
    COMMAND "${CMAKE_C_COMPILER}" -E -P -x c "-DTSR_CUDART_VERSION=${version}"
            "-I${PROJECT_SOURCE_DIR}/src" "${runtime_entries}"
    OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(ENTRY[(][^,]*, |REFUSED[(])[A-Za-z0-9_]*, PT[SD][SZ]," twins "${table}")
  set(same "")
  foreach(line IN LISTS twins)
    string(REGEX REPLACE "^(ENTRY[(][^,]*, |REFUSED[(])([A-Za-z0-9_]*), (PT[SD][SZ]),$" "\\2;\\3" twin "${line}")
    list(GET twin 0 symbol)
    list(GET twin 1 suffix)
    string(TOLOWER "${suffix}" suffix)
    list(APPEND same "LINKER:--defsym=${symbol}_${suffix}=${symbol}")
  endforeach()
  string(REPLACE "LINKER:" "-Wl," same_for_compiler "${same}")

  add_library(${name}_objects OBJECT ${runtime_files})
  target_include_directories(${name}_objects PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(${name}_objects PRIVATE TSR_CUDART_VERSION=${version})
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

  set(map "${PROJECT_BINARY_DIR}/libcudart${version}.map")
  file(CONFIGURE OUTPUT "${map}" CONTENT
       "libcudart.so.${version}\n{\n  global: cuda*; __cuda*;\n  local: *;\n};\n")
  add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME cudart SUFFIX ".so.${version}" NO_SONAME ON LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${compat_build}"
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON
    LINK_DEPENDS "${map}")
  target_link_options(${name} PRIVATE
    "LINKER:-soname,libcudart.so.${version}" "LINKER:--version-script=${map}"
    LINKER:-Bsymbolic-functions ${same})
  target_link_libraries(${name} PRIVATE tessera_cuda Threads::Threads)

  # One object, of which nothing but the entries is visible.
  set(archive "${compat_build}/libtessera_cudart${version}.a")
  set(whole "${PROJECT_BINARY_DIR}/tessera_cudart${version}.o")
  add_custom_command(
    OUTPUT "${archive}"
    COMMAND "${CMAKE_C_COMPILER}" -nostdlib -r -o "${whole}" ${same_for_compiler}
            $<TARGET_OBJECTS:${name}_objects>
    COMMAND "${CMAKE_OBJCOPY}" --localize-hidden "${whole}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${archive}"
    COMMAND "${CMAKE_AR}" rcs "${archive}" "${whole}"
    DEPENDS ${name}_objects $<TARGET_OBJECTS:${name}_objects>
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_archive ALL DEPENDS "${archive}")
  add_dependencies(product ${name} ${name}_archive)
  install(TARGETS ${name} LIBRARY DESTINATION "${compat_folder}")
  install(FILES "${archive}" DESTINATION "${compat_folder}")
endforeach()

# What leads the runtime library in a program to the stand-in.
add_library(tessera_redirect SHARED "${PROJECT_SOURCE_DIR}/src/compat/redirect.c")
set_target_properties(tessera_redirect PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${compat_build}")
target_include_directories(tessera_redirect PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(tessera_redirect PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(product tessera_redirect)
install(TARGETS tessera_redirect LIBRARY DESTINATION "${compat_folder}")
