# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# src/compat: what takes the place of NVIDIA's `tileiras` and libcuda.so.1. They lie in a folder of
# their own, below libexec, so that nothing finds them by accident; `tessera exec` puts it in place.
set(compat_folder "${CMAKE_INSTALL_LIBEXECDIR}/tessera/compat")
set(compat_build "${PROJECT_BINARY_DIR}/libexec/tessera/compat")
file(GLOB compat_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/compat/*.c")
set(tileiras_files "${PROJECT_SOURCE_DIR}/src/compat/tileiras.c" "${PROJECT_SOURCE_DIR}/src/compat/image.c"
    "${PROJECT_SOURCE_DIR}/src/compat/fatbin.c" "${PROJECT_SOURCE_DIR}/src/compat/lz4.c"
    "${PROJECT_SOURCE_DIR}/src/compat/zstd.c")
list(REMOVE_ITEM compat_files "${PROJECT_SOURCE_DIR}/src/compat/tileiras.c"
                             "${PROJECT_SOURCE_DIR}/src/compat/redirect.c")

if(TESSERA_HAVE_LLVM)
  set(default_device cpu)
else()
  set(default_device interp)
endif()

# Over libtessera.so, so that the plugin is found beside that.
file(RELATIVE_PATH compat_to_lib "/x/${compat_folder}" "/x/${CMAKE_INSTALL_LIBDIR}")
# Where both folders are laid out alike the path is not padded for installing: an empty entry would
# stand for the current folder.
string(COMPARE EQUAL "${compat_to_lib}" "../../../lib" laid_out_alike)
add_library(tessera_cuda SHARED ${compat_files})
set_target_properties(tessera_cuda PROPERTIES
  OUTPUT_NAME cuda VERSION 1 SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY "${compat_build}"
  BUILD_RPATH "$ORIGIN/../../../lib" BUILD_WITH_INSTALL_RPATH ${laid_out_alike}
  BUILD_RPATH_USE_ORIGIN ON
  INSTALL_RPATH "$ORIGIN/${compat_to_lib}"
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libcuda.map")
target_include_directories(tessera_cuda PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(tessera_cuda PRIVATE TESSERA_CUDA_DEFAULT="${default_device}")
# Every entry is visible; the map leaves out everything else.
target_compile_options(tessera_cuda PRIVATE -fvisibility=default)
target_link_options(tessera_cuda PRIVATE
  "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libcuda.map"
  LINKER:-Bsymbolic-functions LINKER:--gc-sections LINKER:--as-needed)
target_link_libraries(tessera_cuda PRIVATE tessera Threads::Threads)
# The twins for programs that have a default stream per thread are the same functions, because an
# operation has been executed when its call returns, whatever the stream.
set(entries "${PROJECT_SOURCE_DIR}/src/compat/entries.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${entries}")
file(STRINGS "${entries}" twins REGEX "^ENTRY.*, (PTSZ|PTDS), ")
foreach(line IN LISTS twins)
  string(REGEX REPLACE "^ENTRY[(][^,]*, ([^,]*), [^,]*, (PTSZ|PTDS),.*" "\\1;\\2" twin "${line}")
  list(GET twin 0 symbol)
  list(GET twin 1 suffix)
  string(TOLOWER "${suffix}" suffix)
  target_link_options(tessera_cuda PRIVATE "LINKER:--defsym=${symbol}_${suffix}=${symbol}")
endforeach()

add_executable(tessera_tileiras ${tileiras_files})
set_target_properties(tessera_tileiras PROPERTIES
  OUTPUT_NAME tileiras RUNTIME_OUTPUT_DIRECTORY "${compat_build}")
# Statically, for a fast start; its version names the hash of its code.
target_link_libraries(tessera_tileiras PRIVATE tessera_internal)
target_link_options(tessera_tileiras PRIVATE
  LINKER:--gc-sections LINKER:--as-needed LINKER:--build-id=sha1)

# What `tessera exec` has Python load: in the build folder links to the sources.
set(python "${PROJECT_SOURCE_DIR}/python")
file(MAKE_DIRECTORY "${compat_build}/python")
file(CREATE_LINK "${python}/tessera" "${compat_build}/python/tessera" SYMBOLIC)
file(CREATE_LINK "${python}/exec/sitecustomize.py" "${compat_build}/python/sitecustomize.py" SYMBOLIC)
install(FILES "${python}/exec/sitecustomize.py" DESTINATION "${compat_folder}/python")
install(DIRECTORY "${python}/tessera" DESTINATION "${compat_folder}/python"
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
# The package looks for the libraries in its own folder lib/.
file(RELATIVE_PATH package_to_lib "/x/${compat_folder}/python/tessera/lib" "/x/${CMAKE_INSTALL_LIBDIR}")
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${compat_folder}/python/tessera/lib\")
  file(MAKE_DIRECTORY \"\${folder}\")
  foreach(name libtessera.so.0 libtessera-ops.so.0)
    file(CREATE_LINK \"${package_to_lib}/\${name}\" \"\${folder}/\${name}\" SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES
         \"\${CMAKE_INSTALL_PREFIX}/${compat_folder}/python/tessera/lib/\${name}\")
  endforeach()")

if(TARGET tessera_command)
  file(RELATIVE_PATH bin_to_compat "/x/${CMAKE_INSTALL_BINDIR}" "/x/${compat_folder}")
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/cli/exec.c" APPEND PROPERTY COMPILE_DEFINITIONS
               TSR_BIN_TO_COMPAT="${bin_to_compat}")
endif()

add_dependencies(product tessera_cuda tessera_tileiras)
install(TARGETS tessera_cuda LIBRARY DESTINATION "${compat_folder}")
install(TARGETS tessera_tileiras RUNTIME DESTINATION "${compat_folder}")
