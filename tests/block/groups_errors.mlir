// RUN: %transcript %s
// What the verifier says of groups, mbarriers, copies of tensors and asynchronous products.
#row = layout<spatial(64).local(2)>
#sw = layout<Sw<3,3,3> o (64,64):(64,1)>
!t = tile<128xf32, #row>
!v = tensor_view<?x64xf16, strides=[64,1]>
!sw = shared<64x64xf16, #sw>
!map = tensor_map<64x64xf16, #sw>
!c = tile<64x64xf32, wgmma.m64n64k16.C>
!h = tile<64x64xf16, wgmma.m64n64k16.C>
cuda_tile.module @errors {
  entry @threads() threads(128) {
    group threads(0 to 160) { barrier }
    group threads(16 to 64) { barrier }
    group threads(64 to 64) { barrier }
    group threads(0 to 64) {
      group threads(0 to 96) { barrier }
      group threads(32 to 64) { barrier }
    }
    return
  }
  entry @together() threads(128) {
    elect {
      barrier
      elect { fence_async }
      barrier_wait 1, 64
    }
    barrier_arrive 0, 256
    barrier_wait 16, 256
    barrier_wait 1, 100
    barrier_arrive 1, 128
    group threads(0 to 32) { barrier_wait 1, 32 }
    return
  }
  entry @owners(%n: tile<i32>) threads(128) {
    %x = constant <f32: 0.0> : tile<128xf32, spatial(128)>
    %mine, %one = group threads(0 to 64) -> (!t, tile<i32>) {
      %y = constant <f32: 1.0> : !t
      %k = addi %n, %n : tile<i32>
      %z = addf %x, %x : tile<128xf32, spatial(128)>
      yield %y, %k : !t, tile<i32>
    }
    group threads(64 to 128) {
      %z = addf %mine, %mine : !t
      %k = addi %one, %one : tile<i32>
    }
    group threads(0 to 64) {
      %z = addf %mine, %mine : !t
      %k = addi %one, %one : tile<i32>
    }
    %w = group threads(0 to 64) -> (!t) {
      yield %n : tile<i32>
    }
    return
  }
  entry @roles(%n: tile<i32>) threads(384) {
    roles {
      role @a threads(0 to 128) registers(232) { barrier }
      role @b threads(64 to 256) { barrier }
    }
    roles {
      role @a threads(0 to 256) registers(232) { barrier }
      role @b threads(256 to 384) registers(128) { barrier }
    }
    roles {
      role @a threads(0 to 128) registers(100) { barrier }
      role @b threads(128 to 192) registers(40) { barrier }
    }
    roles {
      %k = addi %n, %n : tile<i32>
    }
    roles { }
    role @c threads(0 to 128) { barrier }
    return
  }
  entry @mbarriers(%i: tile<i32>) threads(128) {
    %m = alloc_mbarrier : mbarrier<2>
    %c2 = constant <i32: 2> : tile<i32>
    mbarrier_init %m, 0 : mbarrier<2>
    mbarrier_arrive %m : mbarrier<2>
    mbarrier_wait %m[%c2], %i : mbarrier<2>
    mbarrier_expect %m[%i], 1048576 : mbarrier<2>
    elect { mbarrier_arrive %m[%i] each warp : mbarrier<2> }
    return
  }
  entry @copies(%p: tile<ptr<f16>>, %n: tile<i32>) threads(128) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !v
    %u = make_tensor_view %p, shape = [%n, 64], strides = [1, 64] : tile<i32> -> tensor_view<?x64xf16, strides=[1,64]>
    %other = make_tensor_map %v : !v -> tensor_map<64x64xf16, Sw<2,3,3> o (64,64):(64,1)>
    %odd = make_tensor_map %v : !v -> tensor_map<64x64xf16, Sw<3,4,3> o (64,64):(64,1)>
    %large = make_tensor_map %v : !v -> tensor_map<512x64xf16>
    %padded = make_tensor_map %v : !v -> tensor_map<64x64xf16, (64,64):(72,1)>
    %small = make_tensor_map %v : !v -> tensor_map<64x4xf16>
    %turned = make_tensor_map %u : tensor_view<?x64xf16, strides=[1,64]> -> !map
    %map = make_tensor_map %v : !v -> !map
    %s = alloc_shared : !sw
    %plain = alloc_shared : shared<64x64xf16>
    %short = alloc_shared : shared<32x64xf16, Sw<3,3,3> o (32,64):(64,1)>
    %m = alloc_mbarrier : mbarrier<2>
    tensor_load %map[%n, %n], %s, %m[%n] : !map, !sw, mbarrier<2>
    elect {
      tensor_load %map[%n, %n], %s, %m : !map, !sw, mbarrier<2>
      tensor_load %map[%n, %n], %plain, %m[%n] : !map, shared<64x64xf16>, mbarrier<2>
      tensor_load %map[%n], %s, %m[%n] : !map, !sw, mbarrier<2>
      tensor_store %short, %map[%n, %n] : shared<32x64xf16, Sw<3,3,3> o (32,64):(64,1)>, !map
      tensor_reduce add %s, %map[%n, %n] : !sw, !map
      bulk_load %v[%n, %n], %s, %m[%n] : !v, !sw, mbarrier<2>
      bulk_store %plain, %u[%n, %n] : shared<64x64xf16>, tensor_view<?x64xf16, strides=[1,64]>
      bulk_wait -1
    }
    return
  }
  entry @products(%n: tile<i32>) threads(128) {
    %a = alloc_shared : !sw
    %b = alloc_shared : shared<64x64xf16>
    %k = alloc_shared : shared<64x64xbf16, #sw>
    %long = alloc_shared : shared<128x64xf16, Sw<3,3,3> o (128,64):(64,1)>
    %f8 = alloc_shared : shared<64x64xf8E4M3FN, Sw<2,4,3> o (64,64):(1,64)>
    %acc = constant <f32: 0.0> : !c
    %wide = constant <f32: 0.0> : tile<64x64xf32, spatial(64, 2).local(1, 32)>
    %h = constant <f16: 0.0> : !h
    %one = wgmma %a, %b, %acc : !sw, shared<64x64xf16>, !c -> async<!c>
    %two = wgmma %a, %k, %acc : !sw, shared<64x64xbf16, #sw>, !c -> async<!c>
    %three = wgmma %a, %long, %acc : !sw, shared<128x64xf16, Sw<3,3,3> o (128,64):(64,1)>, !c -> async<!c>
    %four = wgmma %f8, %f8, %acc : shared<64x64xf8E4M3FN, Sw<2,4,3> o (64,64):(1,64)>, shared<64x64xf8E4M3FN, Sw<2,4,3> o (64,64):(1,64)>, !c -> async<!c>
    %five = wgmma %a, %a, %wide : !sw, !sw, tile<64x64xf32, spatial(64, 2).local(1, 32)> -> async<tile<64x64xf32, spatial(64, 2).local(1, 32)>>
    %six = wgmma %h, %a, %acc : !h, !sw, !c -> async<!c>
    %seven = wgmma %a, %a, %acc : !sw, !sw, !c -> async<!h>
    %good = wgmma %a, %a, %acc : !sw, !sw, !c -> async<!c>
    wgmma_commit
    %eight = wgmma_wait 0, %good : async<!c> -> !h
    group threads(0 to 64) {
      %nine = wgmma %a, %a, %acc : !sw, !sw, !c -> async<!c>
    }
    return
  }
}
// $ tessera check groups_errors.mlir --error-limit=0
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { group threads(0, 32) { } } }' >a.mlir; tessera check a.mlir
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { roles { role threads(0 to 32) { } } } }' >a.mlir; tessera check a.mlir
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : mbarrier } }' >a.mlir; tessera check a.mlir
// $ printf 'cuda_tile.module @m { entry @k() { %%m = alloc_mbarrier : mbarrier<1> } }' >a.mlir; tessera check a.mlir
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : mbarrier<0> } }' >a.mlir; tessera check a.mlir
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : async<mbarrier<1>> } }' >a.mlir; tessera check a.mlir
