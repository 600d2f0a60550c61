# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# src/compat/hip: libamdhip64 over the emulator, beside the stand-in of NVIDIA's driver library. It
# has the emulator in it, whose functions libtessera.so does not show.
file(GLOB hip_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/compat/hip/*.c")
set(hip_map "${PROJECT_BINARY_DIR}/libamdhip64.map")
file(WRITE "${hip_map}" "{\n  global: hip*;\n  local: *;\n};\n")
add_library(tessera_hip SHARED ${hip_files})
set_target_properties(tessera_hip PROPERTIES
  OUTPUT_NAME amdhip64 SOVERSION 6 LIBRARY_OUTPUT_DIRECTORY "${compat_build}"
  LINK_DEPENDS "${hip_map}")
target_compile_options(tessera_hip PRIVATE -fvisibility=default)
target_link_options(tessera_hip PRIVATE "LINKER:--version-script=${hip_map}"
  LINKER:-Bsymbolic-functions LINKER:--gc-sections LINKER:--as-needed)
target_link_libraries(tessera_hip PRIVATE tessera_internal Threads::Threads)
add_dependencies(product tessera_hip)
install(TARGETS tessera_hip LIBRARY DESTINATION "${compat_folder}")
