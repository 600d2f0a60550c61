#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How fast the emulator of AMD's instructions is, on one core, with all checks and without:
#
#   bench/amd_emulator.sh BUILD [BLOCKS]
#
# divide_i32 of tests/amdgcn/kernels/elements.c on gfx942, in blocks of 128. Its instructions of lanes
# are counted by a small launch; the time is that of a large one less that of a small one, so that
# starting, reading and disassembling do not count. The best of three.
set -eu
build=${1:?bench/amd_emulator.sh BUILD [BLOCKS]}
blocks=${2:-4000}
launch() { # blocks, options
  n=$(($1 * 128))
  shift
  "$build/bin/tessera" hsa "$build/tests/amdgcn/elements.o" -k divide_i32 -g $((n / 128)) -b 128 \
    "$@" "arange:i32:$n" "ones:i32:$n" "zeros:i32:$n" "zeros:i32:$n"
}
# User time of a launch in hundredths of a second.
timed() {
  best=
  for _ in 1 2 3; do
    user=$( { TIMEFORMAT=%U bash -c 'time "$@" >/dev/null 2>&1' _ "$@"; } 2>&1 | tail -n 1)
    hundredths=$(echo "$user" | awk '{printf "%d", $1 * 100}')
    if [ -z "$best" ] || [ "$hundredths" -lt "$best" ]; then best=$hundredths; fi
  done
  echo "$best"
}
part() { # a name, options
  name=$1
  shift
  export TESSERA_THREADS=1
  small=$(timed "$0" "$build" launch 10 "$@")
  large=$(timed "$0" "$build" launch "$blocks" "$@")
  echo "$lanes $blocks $small $large $name" | awk '{
    seconds = ($4 - $3) / 100; all = $1 * ($2 - 10)
    printf "%-16s %10.0f instructions of lanes in %.2f s: %.0f million a second\n", $5 " " $6, all,
           seconds, all / seconds / 1e6 }'
}
if [ "${2:-}" = launch ]; then
  blocks=$3
  shift 3
  launch "$blocks" "$@"
  exit
fi
# "97.3 K by lanes", of 1280: so many of each, a whole number since none diverges.
lanes=$(launch 10 --counters | awk '/ by lanes / {
  sub(/ by lanes.*/, ""); sub(/.*, /, ""); split($0, v, " ")
  printf "%d", int(v[1] * (v[2] == "K" ? 1000 : 1) / 1280 + 0.5) * 128 }')
part "all checks" --check
part "no checks"
