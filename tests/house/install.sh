#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs a build into a scratch folder, moves it as a packager's staging does, and builds every
# examples/c/*.c against it: shared and static, through pkg-config and through find_package. The
# programs must run without arguments from the source folder.
#   install.sh SOURCE BUILD
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${CC:=cc}" "${CMAKE:=cmake}"

DESTDIR=$work/stage "$CMAKE" --install "$build" --prefix /opt/tessera >/dev/null
prefix=$work/moved
mv "$work/stage/opt/tessera" "$prefix"
for file in include/tessera/base.h lib/libtessera.so lib/libtessera.so.0 lib/libtessera.a \
  lib/libtessera-ops.so lib/libtessera-ops.so.0 lib/libtessera-ops.a lib/pkgconfig/tessera-ops.pc \
  lib/pkgconfig/tessera.pc lib/cmake/Tessera/TesseraConfig.cmake share/doc/Tessera/LICENSE; do
  [ -e "$prefix/$file" ] || { echo "install: $file is missing"; exit 1; }
done
for file in bin/tessera lib/libtessera-llvm.so libexec/tessera/compat/libcuda.so.1 \
  libexec/tessera/compat/tileiras; do
  [ ! -e "$build/$file" ] || [ -e "$prefix/$file" ] || { echo "install: $file is missing"; exit 1; }
done
! grep -rlF "$build" "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" ||
  { echo "install: the files above name the build folder"; exit 1; }

# Each header stands on its own.
for header in "$prefix"/include/tessera/*.h; do
  echo "#include <tessera/${header##*/}>" >"$work/header.c"
  "$CC" -std=c11 -Wall -Werror -pedantic -fsyntax-only -I"$prefix/include" "$work/header.c"
done
[ -e "$prefix/include/tessera/ops.hpp" ] || { echo "install: the C++ header is missing"; exit 1; }
echo '#include <tessera/tessera.hpp>' >"$work/header.cpp"
"${CXX:-c++}" -std=c++17 -Wall -Werror -pedantic -fsyntax-only -I"$prefix/include" "$work/header.cpp"

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
export TESSERA_TUNING=off
programs=0
for file in "$source"/examples/c/*.c; do
  [ -e "$file" ] || break
  programs=$((programs + 1))
  name=$(basename "$file" .c)
  package=tessera shared=tessera static=static archives=$prefix/lib/libtessera.a
  if grep -q '<tessera/op.h>' "$file"; then
    package=tessera-ops shared=ops static=ops_static
    archives="$prefix/lib/libtessera-ops.a $archives"
  fi
  # shellcheck disable=SC2046
  "$CC" -std=c11 "$file" -o "$work/$name" $(pkg-config --cflags --libs "$package")
  # shellcheck disable=SC2046,SC2086
  "$CC" -std=c11 "$file" -o "$work/$name-static" $(pkg-config --cflags "$package") \
    $archives $(pkg-config --static --libs-only-l "$package" | sed 's/-ltessera[-a-z]*//g')
  mkdir "$work/$name-cmake"
  cp "$file" "$work/$name-cmake/main.c"
  cat >"$work/$name-cmake/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(Tessera 0.2 REQUIRED)
add_executable(shared main.c)
target_link_libraries(shared PRIVATE Tessera::$shared)
add_executable(static main.c)
target_link_libraries(static PRIVATE Tessera::$static)
CMAKE
  "$CMAKE" -S "$work/$name-cmake" -B "$work/$name-cmake/b" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$CC" >/dev/null
  "$CMAKE" --build "$work/$name-cmake/b" >/dev/null
  launch= how="built and ran"
  if grep -q tsr_ranks "$file"; then
    how=built # where no MPI is, that is all
    for mpi in openmpi mpich; do
      [ ! -e "$prefix/lib/libtessera-$mpi.so" ] || ! command -v "mpirun.$mpi" >/dev/null || {
        launch="python3 $source/tests/support/mpirun.py $mpi 2"
        launch="$launch TESSERA_MPI=$prefix/lib/libtessera-$mpi.so" how="built and ran"
      }
    done
  fi
  [ "$how" != built ] || { echo "built $name in four ways: no MPI runs it here"; continue; }
  (
    cd "$source"
    LD_LIBRARY_PATH=$prefix/lib
    export LD_LIBRARY_PATH
    for program in "$work/$name" "$work/$name-static" "$work/$name-cmake/b/shared" \
      "$work/$name-cmake/b/static"; do
      $launch "$program" >"$work/out" 2>&1 || { cat "$work/out"; echo "install: $program failed"; exit 1; }
    done
  )
  echo "$how $name in four ways"
done
[ ! -e "$prefix/bin/tessera" ] || "$prefix/bin/tessera" version
# The moved command finds the moved plugin.
if [ -e "$prefix/bin/tessera" ] && [ -e "$prefix/lib/libtessera-llvm.so" ]; then
  env -u TESSERA_LLVM_PLUGIN "$prefix/bin/tessera" devices >"$work/devices"
  ! grep "cannot compile" "$work/devices" || { echo "install: the plugin is not found"; exit 1; }
fi
# So does the Python package that `tessera exec` puts in place.
if [ -e "$prefix/libexec/tessera/compat/python/tessera" ]; then
  env -u TESSERA_LIBRARY -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 "$prefix/bin/tessera" exec -- \
    python3 -c 'import tessera; print("tessera", tessera.__version__, *tessera.ops.families())'
fi
# What was installed can be removed, and leaves nothing.
DESTDIR=$work/again "$CMAKE" --install "$build" --prefix /opt/tessera >/dev/null
"$source/scripts/uninstall" "$build" "$work/again"
[ ! -e "$work/again" ] || { find "$work/again"; echo "install: the files above are left"; exit 1; }
echo "$programs programs built against the installed tree"
