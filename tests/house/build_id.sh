#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The build identifier follows every file that the compiler reads, and no other:
# build_id.sh ROOT CMAKE [CC]
set -eu
root=$1 cmake=$2 cc=${3:-cc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tree="$dir/a tree"
mkdir -p "$tree/src"
cd "$tree/src"
echo '#define TABLE "src/table.def"' >names.h
echo 'one' >table.def
printf '#include <stddef.h>\n#include "src/names.h"\n#ifdef WIDE\n#include "src/wide.h"\n#endif\n#include TABLE\n' >shared.h
echo 'int wide;' >wide.h
echo '#include "src/shared.h"' >first.c
echo 'int second;' >second.c
id() { # FLAG...
  "$cmake" "-DROOT=$tree" "-DCOMPILER=$cc" "-DFLAGS=-I.;$*" "-DSOURCES=src/first.c;src/second.c" \
    -DPREFIX=1.2.3 "-DOUT=$dir/build_id.h" -P "$root/cmake/BuildId.cmake" &&
    cat "$dir/build_id.h"
}
fail() { echo "$*"; exit 1; }
changes() { # FILE: the identifier is another with something more in it, and then what it was again
  cp "$1" "$dir/kept"
  echo >>"$1"
  [ "$(id)" != "$first" ] || fail "a change of $1 leaves the identifier as it is"
  cp "$dir/kept" "$1"
  [ "$(id)" = "$first" ] || fail "the identifier depends on more than what $1 says"
}
first=$(id)
echo "$first" | grep -q '^#define TSR_BUILD_ID "1[.]2[.]3-[0-9a-f]\{12\}"$' || fail "not a header: $first"
for file in first.c second.c shared.h names.h table.def; do changes "$file"; done
# What is not read doesn't count, unless a flag has it read.
echo 'int wider;' >wide.h
[ "$(id)" = "$first" ] || fail "src/wide.h is read by nobody, but counts"
[ "$(id -DWIDE)" != "$first" ] || fail "src/wide.h doesn't count where it is read"
grep -q 'a\\ tree/src/wide.h' "$dir/build_id.h.d" || fail "src/wide.h is not among the dependencies"
! grep -q stddef "$dir/build_id.h.d" || fail "a file of the system counts"
# A file that isn't there is an error.
rm table.def
! id >/dev/null 2>&1 || fail "an identifier without src/table.def"
