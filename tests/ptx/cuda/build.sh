#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the kernels of this folder to PTX, each as it should be (NAME.ptx) and, where it has one,
# with its planted fault (NAME.fault.ptx). Needs nvcc; tests use the PTX that is kept here.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
for file in "${@:-}"; do [ -n "$file" ] || set -- *.cu; done
for file in "$@"; do
  name=${file%.cu}
  arch=sm_80
  grep -q 'tensor_map\|mbar_' "$file" && arch=sm_90a
  lines=-lineinfo
  [ "$name" != known_bugs ] || lines= # 62 kernels
  # shellcheck disable=SC2086
  "$nvcc" -ptx $lines -O2 -arch=$arch -o "$name.ptx" "$file"
  if grep -q FAULT "$file"; then
    "$nvcc" -ptx -lineinfo -O2 -arch=$arch -DFAULT -o "$name.fault.ptx" "$file"
  fi
  # Names of files without the folder they were compiled in, nothing about the compiler's build.
  sed -i -e 's|\(\.file[[:space:]]*[0-9]* \)".*/|\1"|' -e '/^\/\/ Compiler Build ID/d' "$name".*ptx
done
