#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the C++ header's test and examples/cpp/*.cpp as C++17 and C++20, without a warning, and
# runs them against a build: the test on each DEVICE.
#   cplusplus.sh SOURCE BUILD DEVICE...
set -eu
source=$1
build=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${CXX:=c++}"
TESSERA_LLVM_PLUGIN=$build/lib/libtessera-llvm.so
export TESSERA_LLVM_PLUGIN

compile() {
  "$CXX" -std="$1" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$source/include" "$2" \
    -o "$work/program" -L"$build/lib" -ltessera -Wl,-rpath,"$build/lib" -pthread
}

cd "$source"
for standard in c++17 c++20; do
  compile "$standard" tests/house/cplusplus/api.cpp
  "$work/program" "$@"
  for file in examples/cpp/*.cpp; do
    compile "$standard" "$file"
    "$work/program"
  done
done
