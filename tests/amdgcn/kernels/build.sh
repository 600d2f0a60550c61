#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the kernels of this folder to AMD's assembly language, for gfx942. Needs clang 22; tests
# assemble the text that is kept here.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-22}
for file in *.c; do
  "$clang" -target amdgcn-amd-amdhsa -mcpu=gfx942 -std=c11 -O2 -nogpulib -ffp-contract=off -fno-ident -S \
    -o "${file%.c}.s" "$file"
  # Comments, and what only a debugger or a reader of statistics needs.
  sed -i -e '/^[[:space:]]*;/d' -e 's/[[:space:]]*;.*//' -e '/\.addrsig/d' -e '/^[[:space:]]*$/d' \
    -e '/\.set .*\.\(num\|has\|uses\|private_seg\)/!b' "${file%.c}.s"
done
