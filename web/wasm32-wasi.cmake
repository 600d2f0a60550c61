# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A toolchain file for CMake: WebAssembly with the system interface WASI, by Debian's packages
# (wasi-libc, clang-22, lld-22, libclang-rt-22-dev-wasm32).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# Debian keeps the library's headers in a folder that clang does not look at by itself.
set(CMAKE_C_FLAGS_INIT "-Wno-deprecated -isystem /usr/include/wasm32-wasi")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
