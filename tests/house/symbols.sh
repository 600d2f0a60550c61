#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The libraries of a build folder export tsr_ symbols and no others, the plugin only its entry,
# the driver library only that API's, and
# neither libtessera nor the command is linked with libLLVM: symbols.sh build
set -eu
cd "$1"
wrong=0
fail() { echo "$*"; wrong=1; }

# expect FILE NM-OPTIONS PATTERN: every defined global symbol of FILE matches PATTERN, some do.
expect() {
  names=$(nm $2 --defined-only "$1" | awk 'NF == 3 && $2 ~ /[A-Zuvw]/ { print $3 }' | sort -u)
  bad=$(echo "$names" | grep -Ev "$3" || true)
  [ -z "$bad" ] || fail "$1 also exports:" $bad
  echo "$names" | grep -Eq "$3" || fail "$1 exports nothing that matches $3"
}
expect lib/libtessera.so "-D" '^tsr_'
expect lib/libtessera.a "-g" '^tsr_'
both=$( (nm -D --defined-only lib/libtessera.so; nm -g --defined-only lib/libtessera.a) |
  awk 'NF == 3 { print $3 }' | sort | uniq -u)
[ -z "$both" ] || fail "only one of libtessera.so and libtessera.a has:" $both
expect lib/libtessera-ops.so "-D" '^tsr_op_'
expect lib/libtessera-ops.a "-g" '^tsr_op_'
[ ! -e libexec/tessera/compat/libcuda.so.1 ] || expect libexec/tessera/compat/libcuda.so.1 "-D" '^cu[A-Z]'
[ ! -e lib/libtessera-llvm.so ] || expect lib/libtessera-llvm.so "-D" '^tsr_llvm_plugin$'

needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
for file in lib/libtessera.so bin/tessera; do
  [ ! -e "$file" ] || ! needs "$file" | grep -q LLVM || fail "$file is linked with libLLVM"
done
readelf -d lib/libtessera.so | grep -q 'SONAME.*\[libtessera\.so\.0\]' ||
  fail "lib/libtessera.so doesn't have the soname libtessera.so.0"
exit "$wrong"
