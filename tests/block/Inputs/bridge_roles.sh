# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bridge_roles.sh TESSERA NPY PATH SOURCE: what bridge_roles.mlir leaves, as it is written and as it was
# printed into PATH.tma.mlir and PATH.cluster.mlir, with the interpreter and on the emulated card.
set -e
tessera=$1 npy=$2 path=$3 source=$4
leave() { # FILE KERNEL OUT OPTION...
  file=$1 kernel=$2 out=$3
  shift 3
  $tessera run "$file" -k "$kernel" -g 2 --seed 3 "$@" normal:f16:320x104 normal:f16:320x136 zeros:f32:104x136 \
    i32:104 i32:136 i32:320 --save "C=$path.$out.npy"
}
for kernel in around twice; do
  leave "$source" $kernel want -t interp
  leave "$source" $kernel card -t emu:sm_90a
  for form in tma cluster; do
    leave "$path.$form.mlir" $kernel got -t interp --sanitize=all
    cmp "$path.want.npy" "$path.got.npy"
    leave "$path.$form.mlir" $kernel got -t emu:sm_90a --sanitize=all
    cmp "$path.card.npy" "$path.got.npy"
    leave "$path.$form.mlir" $kernel got -t cpu
    $npy compare "$path.want.npy" "$path.got.npy" --rtol=1e-3 --atol=1e-2
  done
done
