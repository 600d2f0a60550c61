// RUN: %transcript %s
// The kernel does nothing: what the command makes, shows, writes and reads for every element type.
cuda_tile.module @types {
  entry @types(%i1: tile<ptr<i1>>, %i8: tile<ptr<i8>>, %i16: tile<ptr<i16>>, %i32: tile<ptr<i32>>, %i64: tile<ptr<i64>>, %f16: tile<ptr<f16>>, %bf16: tile<ptr<bf16>>, %f32: tile<ptr<f32>>, %tf32: tile<ptr<tf32>>, %f64: tile<ptr<f64>>, %f8E4M3FN: tile<ptr<f8E4M3FN>>, %f8E5M2: tile<ptr<f8E5M2>>, %f8E8M0FNU: tile<ptr<f8E8M0FNU>>, %f4E2M1FN: tile<ptr<f4E2M1FN>>) {
  }
}

// $ cat >all.sh <<'END'
// > # all.sh INIT:...: one buffer of each type; prints and saves all
// > init=$1; shift
// > set -- i1 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 f8E8M0FNU f4E2M1FN
// > args=; for t; do args="$args $init:$t:2x6 --print $t --save $t=$t.npy"; done
// > tessera run types.mlir --grid 1 --target interp $args
// > END
// $ sh all.sh zeros | tail -n 9
// $ sh all.sh ones | grep -v "^ "
// $ sh all.sh arange
// $ for t in i1 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 f8E8M0FNU f4E2M1FN; do npy show $t.npy; done
// $ sh all.sh uniform
// $ sh all.sh normal
// $ mkdir again; args=; for t in i1 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 f8E8M0FNU f4E2M1FN; do args="$args $t.npy --save $t=again/$t.npy"; done
// > tessera run types.mlir --grid 1 --target interp $args; for t in *.npy; do cmp $t again/$t; done
