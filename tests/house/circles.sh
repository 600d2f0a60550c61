#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No object file of a build uses one of a later folder of src/ or a later room of its folder; and
# where one does, scripts/call-graph says so: circles.sh ROOT BUILD [CC]
set -eu
root=$1 build=$2 cc=${3:-cc}
"$root/scripts/call-graph" "$build" --check

# Two objects by the names of files that there are, an earlier one of which uses the later one.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
objects=$dir/CMakeFiles/x.dir/src
mkdir -p "$objects/base" "$objects/cli" "$objects/cpu/plan" "$objects/cpu/lower"
object() { echo "$2" | "$cc" -x c -c - -o "$objects/$1.o"; }
expect() { # STATUS TEXT
  status=0
  said=$("$root/scripts/call-graph" "$dir" --check) || status=1
  [ "$status" = "$1" ] && echo "$said" | grep -q "$2" || { echo "expected $1, '$2': $said"; exit 1; }
}
object base/containers.c 'int first(void) { return 1; }'
object cli/main.c 'int first(void); int last(void) { return first(); }'
expect 0 ''
object base/containers.c 'int last(void); int first(void) { return last(); }'
expect 1 'src/base/containers.c uses last of src/cli/main.c'
object base/containers.c 'int first(void) { return 1; }'
object cpu/plan/map.c 'int later(void); int earlier(void) { return later(); }'
object cpu/lower/lower.c 'int later(void) { return 1; }'
expect 1 'src/cpu/plan/map.c uses later of src/cpu/lower/lower.c'
