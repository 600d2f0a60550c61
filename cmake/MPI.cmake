# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lib/libtessera-openmpi.so and lib/libtessera-mpich.so, from one source (src/mpi), each by the
# compiler of its MPI, where that is installed. libtessera opens them when ranks are asked for.
function(tessera_add_mpi name)
  find_program(TESSERA_MPICC_${name} NAMES mpicc.${name})
  set(mpicc "${TESSERA_MPICC_${name}}")
  if(NOT mpicc)
    message(STATUS "mpicc.${name} was not found: libtessera-${name}.so is not made "
                   "(scripts/deps ranks installs it)")
    return()
  endif()
  set(plugin "${PROJECT_BINARY_DIR}/lib/libtessera-${name}.so")
  set(sanitize "")
  if(TESSERA_SANITIZE)
    set(sanitize "-fsanitize=${TESSERA_SANITIZE}")
  endif()
  add_custom_command(
    OUTPUT "${plugin}"
    COMMAND "${mpicc}" -std=gnu11 -O2 -g -Wall -Wextra -fPIC -shared -fvisibility=hidden ${sanitize}
            "-I${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/src/mpi/mpi.c" -o "${plugin}"
    DEPENDS "${PROJECT_SOURCE_DIR}/src/mpi/mpi.c" "${PROJECT_SOURCE_DIR}/src/mpi/transport.h"
    COMMENT "Compiling lib/libtessera-${name}.so" VERBATIM)
  add_custom_target(tessera_${name} ALL DEPENDS "${plugin}")
  add_dependencies(product tessera_${name})
  install(FILES "${plugin}" DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

if(NOT CMAKE_CROSSCOMPILING)
  tessera_add_mpi(openmpi)
  tessera_add_mpi(mpich)
endif()
# For an MPI that none was made for: mpicc -shared -fPIC -I.. mpi.c
install(FILES "${PROJECT_SOURCE_DIR}/src/mpi/mpi.c" "${PROJECT_SOURCE_DIR}/src/mpi/transport.h"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/tessera/mpi")
