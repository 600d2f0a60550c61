# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiler flags for every file of the project.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # one object serves the .so, the .a and the plugin
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

add_compile_options(
  -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off # exactness: a*b+c is two roundings unless fma() is written
  -fno-semantic-interposition
  -ffunction-sections -fdata-sections)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # A loop that is not vectorised is no mistake, and unoptimised builds vectorise none.
  add_compile_options(-Wno-pass-failed)
endif()
if(TESSERA_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_definitions(_GNU_SOURCE)
if(TESSERA_CHECKS)
  add_compile_definitions(TSR_CHECKS=1)
endif()

# Tests compile what they test, and leave the cache of whoever runs them alone.
set(TESSERA_TEST_ENVIRONMENT "TESSERA_CACHE=off")

# TESSERA_SANITIZE, and the environment in which such a build must run so that a report is a failure.
if(TESSERA_SANITIZE)
  set(sanitize -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer)
  if(TESSERA_SANITIZE MATCHES "undefined")
    # A float that doesn't fit the integer it is cast to is undefined too, but not in the group.
    list(APPEND sanitize -fsanitize=float-cast-overflow -fno-sanitize-recover=all)
  endif()
  if(TESSERA_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Fences are not followed. Only the emulator has some, beside atomics that are.
    # What it puts in hides from gcc that a variable is set on all ways to a use.
    list(APPEND sanitize -Wno-tsan -Wno-maybe-uninitialized)
  endif()
  add_compile_options(${sanitize})
  add_link_options(${sanitize})

  set(leaks 1)
  if(TESSERA_SANITIZE MATCHES "address" AND NOT DEFINED TESSERA_LEAK_CHECK)
    # The leak checker needs ptrace, which some containers forbid.
    file(WRITE "${PROJECT_BINARY_DIR}/leak.c" "int main(void) { return 0; }\n")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} -fsanitize=address "${PROJECT_BINARY_DIR}/leak.c"
              -o "${PROJECT_BINARY_DIR}/leak"
      RESULT_VARIABLE failed)
    if(NOT failed)
      execute_process(
        COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=1 "${PROJECT_BINARY_DIR}/leak"
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(failed)
      message(WARNING "The leak checker doesn't run here (no ptrace?): leaks are not checked.")
      set(leaks 0)
    endif()
    set(TESSERA_LEAK_CHECK ${leaks} CACHE INTERNAL "")
  endif()
  # Where a thread's dynamic TLS lies, the checker guesses from what stands in front of it, and looks
  # for leaks there: by chance, that ends in a crash of its own. It needn't guess.
  list(APPEND TESSERA_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=${TESSERA_LEAK_CHECK}:halt_on_error=1:abort_on_error=0:exitcode=99:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1:intercept_tls_get_addr=0"
    "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99"
    "TSAN_OPTIONS=halt_on_error=1:exitcode=99")
endif()

# GCC 12.2 for AArch64 makes wrong code where induction variable optimisation writes the address of a
# member array as a multiple of its structure's address: stores through it are taken not to change
# the structure (the table of sections in src/exec/code.c was lost that way).
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-ivopts)
endif()
