#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the programs of this folder for the host, for their results, and to PTX, which is kept.
# Needs nvcc; tests use the PTX.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in *.cu; do
  name=${file%.cu}
  within=$(sed -n 's/^\/\/ within //p' "$file")
  g++ -x c++ -O1 -ffp-contract=off -D "TOLERANCE=\"$within\"" -I "${nvcc%/bin/nvcc}/include" \
    -o "$work/host" "$file"
  "$nvcc" -ptx -O2 -fmad=false -arch=sm_80 -o "$work/ptx" "$file"
  {
    echo "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    echo "//"
    echo "// $file, made by build.sh."
    "$work/host"
    grep -v '^//\|^$' "$work/ptx"
  } > "$name.ptx"
done
