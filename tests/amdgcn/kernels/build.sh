#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the kernels of this folder to AMD's assembly language: for gfx942 here, for the targets of
# RDNA into folders of theirs. Needs clang 22; tests assemble the text that is kept here.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-22}
compile() { # target source text
  "$clang" -target amdgcn-amd-amdhsa -mcpu="$1" -std=c11 -O2 -nogpulib -ffp-contract=off -fno-ident -S \
    -o "$3" "$2"
  # Comments, and what only a debugger or a reader of statistics needs.
  sed -i -e '/^[[:space:]]*;/d' -e 's/[[:space:]]*;.*//' -e '/\.addrsig/d' -e '/^[[:space:]]*$/d' \
    -e '/\.set .*\.\(num\|has\|uses\|private_seg\)/!b' "$3"
}
for file in classes elements matrix modes spaces together; do
  compile gfx942 "$file.c" "$file.s"
done
compile gfx942 narrow.c narrow.s
mkdir -p gfx90a gfx950
for file in classes elements matrix modes spaces together; do
  compile gfx90a "$file.c" "gfx90a/$file.s"
done
for file in classes elements matrix modes narrow deep spaces together; do
  compile gfx950 "$file.c" "gfx950/$file.s"
done
compile gfx1200 narrow.c gfx1200/narrow.s
for target in gfx1100 gfx1200; do
  mkdir -p "$target"
  for file in classes elements modes spaces together wave32; do
    compile "$target" "$file.c" "$target/$file.s"
  done
done
