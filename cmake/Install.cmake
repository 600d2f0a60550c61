# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `make install`: headers, libraries, plugin, command, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tessera" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
install(TARGETS tessera tessera_ops_library EXPORT TesseraTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES "${static_library}" "${static_ops_library}" DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tessera_plugin)
  # Beside libtessera, where it looks first.
  install(TARGETS tessera_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET tessera_command)
  install(TARGETS tessera_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# The package files find everything relative to themselves, so an installed tree can be moved.
file(RELATIVE_PATH TESSERA_PC_TO_PREFIX "/x/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/x")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in" "${PROJECT_BINARY_DIR}/tessera.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/tessera-ops.pc.in"
  "${PROJECT_BINARY_DIR}/tessera-ops.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tessera.pc" "${PROJECT_BINARY_DIR}/tessera-ops.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/TesseraConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
              "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
        DESTINATION "${package_dir}")

# Programs to try, which library and command find as "tessera:NAME" (src/bytecode/shipped.c);
# cmake/Modules.cmake says where.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kernels" DESTINATION "${data}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${data}"
        PATTERN "CMakeLists.txt" EXCLUDE PATTERN "__pycache__" EXCLUDE)

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(completion "${PROJECT_SOURCE_DIR}/scripts/completion")
install(FILES "${completion}.bash" RENAME tessera
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${completion}.zsh" RENAME _tessera DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${completion}.fish" RENAME tessera.fish
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
set(manual "${PROJECT_SOURCE_DIR}/docs/tessera.1")
if(EXISTS "${manual}")
  install(FILES "${manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
