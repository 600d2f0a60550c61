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
// groups_errors.mlir:13:5: error: group: threads(0 to 160) are not all there: the group around it has 128
//       group threads(0 to 160) { barrier }
//       ^
// groups_errors.mlir:14:5: error: group: threads(16 to 64) are not whole warps; both numbers must be multiples of 32, and elect takes a single thread
//       group threads(16 to 64) { barrier }
//       ^
// groups_errors.mlir:15:5: error: group: threads(64 to 64) are none; expected 0 <= first < end
//       group threads(64 to 64) { barrier }
//       ^
// groups_errors.mlir:17:7: error: group: threads(0 to 96) are not all there: the group around it has 64
//         group threads(0 to 96) { barrier }
//         ^
// groups_errors.mlir:24:7: error: barrier: it is inside of elect, which one thread executes: the others never come; put it behind the elect
//         barrier
//         ^
// groups_errors.mlir:25:7: error: elect: it is inside of elect, where there is one thread only; remove it
//         elect { fence_async }
//         ^
// groups_errors.mlir:26:7: error: barrier_wait: it is inside of elect, which one thread executes: the others never come; put it behind the elect
//         barrier_wait 1, 64
//         ^
// groups_errors.mlir:28:5: error: barrier_arrive: a block has the named barriers 1 to 15, but not 0
//       barrier_arrive 0, 256
//       ^
// groups_errors.mlir:29:5: error: barrier_wait: a block has the named barriers 1 to 15, but not 16
//       barrier_wait 16, 256
//       ^
// groups_errors.mlir:30:5: error: barrier_wait: 100 threads take part; expected a multiple of 32
//       barrier_wait 1, 100
//       ^
// groups_errors.mlir:31:5: error: barrier_arrive: 128 threads take part, but the group alone has 128
//       barrier_arrive 1, 128
//       ^
// groups_errors.mlir:40:17: error: addf: %x belongs to threads 0 to 128, but threads 0 to 64 execute this; hand it over through shared memory
//         %z = addf %x, %x : tile<128xf32, spatial(128)>
//                   ^~
// groups_errors.mlir:44:17: error: addf: %mine belongs to threads 0 to 64, but threads 64 to 128 execute this; hand it over through shared memory
//         %z = addf %mine, %mine : !t
//                   ^~~~~
// groups_errors.mlir:45:17: error: addi: %one belongs to threads 0 to 64, but threads 64 to 128 execute this; compute it where all of them do
//         %k = addi %one, %one : tile<i32>
//                   ^~~~
// groups_errors.mlir:52:7: error: yield: the results of 'group' have types (tile<128xf32, spatial(64).local(2)>), but the body yields (tile<i32>)
//         yield %n : tile<i32>
//         ^
// groups_errors.mlir:59:7: error: role: its threads also have another role; roles must not share threads
//         role @b threads(64 to 256) { barrier }
//         ^
// groups_errors.mlir:58:7: note: the other role is here
//         role @a threads(0 to 128) registers(232) { barrier }
//         ^
// groups_errors.mlir:61:5: error: roles: its roles take 75776 registers, but a multiprocessor has 65536; lower registers(…) of a role
//       roles {
//       ^
// groups_errors.mlir:66:7: error: role: registers is 100; expected a multiple of 8 from 24 to 256
//         role @a threads(0 to 128) registers(100) { barrier }
//         ^
// groups_errors.mlir:67:7: error: role: threads(128 to 192) cannot be given registers: they are handed out to 128 threads at a time
//         role @b threads(128 to 192) registers(40) { barrier }
//         ^
// groups_errors.mlir:70:12: error: addi: only a role may be inside roles; move it before them
//         %k = addi %n, %n : tile<i32>
//              ^
// groups_errors.mlir:72:5: error: roles: there is no role in it; write role @name threads(first to end) { … }
//       roles { }
//       ^
// groups_errors.mlir:73:5: error: role: must be directly inside roles, but is inside entry
//       role @c threads(0 to 128) { barrier }
//       ^
// groups_errors.mlir:79:5: error: mbarrier_init: 0 arrivals; expected from 1 to 1048575
//       mbarrier_init %m, 0 : mbarrier<2>
//       ^
// groups_errors.mlir:80:5: error: mbarrier_arrive: say which of the 2 barriers: %barrier[%index]
//       mbarrier_arrive %m : mbarrier<2>
//       ^
// groups_errors.mlir:81:22: error: mbarrier_wait: index 2 is outside of mbarrier<2>
//       mbarrier_wait %m[%c2], %i : mbarrier<2>
//                        ^~~
// groups_errors.mlir:82:5: error: mbarrier_expect: 1048576 bytes; a phase counts from 1 to 1048575
//       mbarrier_expect %m[%i], 1048576 : mbarrier<2>
//       ^
// groups_errors.mlir:83:13: error: mbarrier_arrive: it is inside of elect, which one thread executes: the others never come; put it behind the elect
//       elect { mbarrier_arrive %m[%i] each warp : mbarrier<2> }
//               ^
// groups_errors.mlir:89:14: error: make_tensor_map: a row of the box has 128 bytes, but its swizzle is of 64; they must be equal
//       %other = make_tensor_map %v : !v -> tensor_map<64x64xf16, Sw<2,3,3> o (64,64):(64,1)>
//                ^
// groups_errors.mlir:90:12: error: make_tensor_map: the copy engine has no such swizzle as Sw<3,4,3> o (64,64):(64,1) has; it has .tma_swizzle(32, 16), (64, 16) and (128, 16)
//       %odd = make_tensor_map %v : !v -> tensor_map<64x64xf16, Sw<3,4,3> o (64,64):(64,1)>
//              ^
// groups_errors.mlir:91:14: error: make_tensor_map: dimension 0 of a box is 512; a copy moves at most 256, so make the box smaller and let the destination be several boxes
//       %large = make_tensor_map %v : !v -> tensor_map<512x64xf16>
//                ^
// groups_errors.mlir:92:15: error: make_tensor_map: a box lies dense in shared memory, the last dimension fastest, but (64,64):(72,1) does not
//       %padded = make_tensor_map %v : !v -> tensor_map<64x64xf16, (64,64):(72,1)>
//                 ^
// groups_errors.mlir:93:14: error: make_tensor_map: a row of the box has 8 bytes; expected a multiple of 16
//       %small = make_tensor_map %v : !v -> tensor_map<64x4xf16>
//                ^
// groups_errors.mlir:94:31: error: make_tensor_map: the copy engine reads rows, so the view's last stride must be 1; tensor_view<?x64xf16, strides=[1,64]> has another
//       %turned = make_tensor_map %u : tensor_view<?x64xf16, strides=[1,64]> -> !map
//                                 ^~
// groups_errors.mlir:100:5: error: tensor_load: 128 threads execute it, but it is for one; put it inside of elect { … }
//       tensor_load %map[%n, %n], %s, %m[%n] : !map, !sw, mbarrier<2>
//       ^
// groups_errors.mlir:102:7: error: tensor_load: say at which of the 2 barriers the copy completes: %barrier[%index]
//         tensor_load %map[%n, %n], %s, %m : !map, !sw, mbarrier<2>
//         ^
// groups_errors.mlir:103:7: error: tensor_load: a box lies in shared memory as (64,64):(64,1), but the map has Sw<3,3,3> o (64,64):(64,1); they must be equal
//         tensor_load %map[%n, %n], %plain, %m[%n] : !map, shared<64x64xf16>, mbarrier<2>
//         ^
// groups_errors.mlir:104:7: error: tensor_load: expected 2 offsets, one for each dimension, got 1
//         tensor_load %map[%n], %s, %m[%n] : !map, !sw, mbarrier<2>
//         ^
// groups_errors.mlir:105:7: error: tensor_store: shared memory of shape [32, 64] is no grid of boxes of shape [64, 64]
//         tensor_store %short, %map[%n, %n] : shared<32x64xf16, Sw<3,3,3> o (32,64):(64,1)>, !map
//         ^
// groups_errors.mlir:106:7: error: tensor_reduce: add does not combine elements of type f16; addf is for f16, bf16 and f32, the others for i32 and i64
//         tensor_reduce add %s, %map[%n, %n] : !sw, !map
//         ^
// groups_errors.mlir:107:7: error: bulk_load: rows must have a multiple of 16 bytes and no swizzle, but the memory has type shared<64x64xf16, Sw<3,3,3> o (64,64):(64,1)>; tensor_load and tensor_store have swizzles
//         bulk_load %v[%n, %n], %s, %m[%n] : !v, !sw, mbarrier<2>
//         ^
// groups_errors.mlir:108:7: error: bulk_store: the view's last stride must be 1, but it has type tensor_view<?x64xf16, strides=[1,64]>
//         bulk_store %plain, %u[%n, %n] : shared<64x64xf16>, tensor_view<?x64xf16, strides=[1,64]>
//         ^
// groups_errors.mlir:109:7: error: bulk_wait: pending is -1; expected 0 or more
//         bulk_wait -1
//         ^
// groups_errors.mlir:122:22: error: wgmma: the matrix unit does not read shared memory that lies as (64,64):(64,1): rows of its swizzle (of 16 bytes without one) must lie one after the other, eight or more
//       %one = wgmma %a, %b, %acc : !sw, shared<64x64xf16>, !c -> async<!c>
//                        ^~
// groups_errors.mlir:123:12: error: wgmma: the operands must be of f16, bf16, tf32, f8E4M3FN or f8E5M2, both of one, but have types shared<64x64xf16, Sw<3,3,3> o (64,64):(64,1)> and shared<64x64xbf16, Sw<3,3,3> o (64,64):(64,1)>
//       %two = wgmma %a, %k, %acc : !sw, shared<64x64xbf16, #sw>, !c -> async<!c>
//              ^
// groups_errors.mlir:124:14: error: wgmma: the shapes must be [m, k], [k, n] and [m, n], but are [64, 64], [128, 64] and [64, 64]
//       %three = wgmma %a, %long, %acc : !sw, shared<128x64xf16, Sw<3,3,3> o (128,64):(64,1)>, !c -> async<!c>
//                ^
// groups_errors.mlir:125:19: error: wgmma: the matrix unit does not read shared memory that lies as Sw<2,4,3> o (64,64):(1,64): rows of its swizzle (of 16 bytes without one) must lie one after the other, eight or more, and run along k
//       %four = wgmma %f8, %f8, %acc : shared<64x64xf8E4M3FN, Sw<2,4,3> o (64,64):(1,64)>, shared<64x64xf8E4M3FN, Sw<2,4,3> o (64,64):(1,64)>, !c -> async<!c>
//                     ^~~
// groups_errors.mlir:126:13: error: wgmma: acc lies as spatial(64, 2).local(1, 32); it must be a grid of wgmma.m64n…C, as spatial(2, 1) * wgmma.m64n128k16.C for 256 threads
//       %five = wgmma %a, %a, %wide : !sw, !sw, tile<64x64xf32, spatial(64, 2).local(1, 32)> -> async<tile<64x64xf32, spatial(64, 2).local(1, 32)>>
//               ^
// groups_errors.mlir:128:14: error: wgmma: the result must be async<tile<64x64xf32, spatial(4, 1).local(1, 8).local(2, 1).spatial(8, 4).local(1, 2)>>, but is async<tile<64x64xf16, spatial(4, 1).local(1, 8).local(2, 1).spatial(8, 4).local(1, 2)>>
//       %seven = wgmma %a, %a, %acc : !sw, !sw, !c -> async<!h>
//                ^
// groups_errors.mlir:131:14: error: wgmma_wait: the result must be tile<64x64xf32, spatial(4, 1).local(1, 8).local(2, 1).spatial(8, 4).local(1, 2)>, but is tile<64x64xf16, spatial(4, 1).local(1, 8).local(2, 1).spatial(8, 4).local(1, 2)>
//       %eight = wgmma_wait 0, %good : async<!c> -> !h
//                ^
// groups_errors.mlir:133:29: error: wgmma: %acc belongs to threads 0 to 128, but threads 0 to 64 execute this; hand it over through shared memory
//         %nine = wgmma %a, %a, %acc : !sw, !sw, !c -> async<!c>
//                               ^~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { group threads(0, 32) { } } }' >a.mlir; tessera check a.mlir
// a.mlir:1:63: error: expected 'to' after the first thread, found ','
//   cuda_tile.module @m { entry @k() threads(64) { group threads(0, 32) { } } }
//                                                                 ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { roles { role threads(0 to 32) { } } } }' >a.mlir; tessera check a.mlir
// a.mlir:1:61: error: expected a symbol (@name), found 'threads'
//   cuda_tile.module @m { entry @k() threads(64) { roles { role threads(0 to 32) { } } } }
//                                                               ^~~~~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : mbarrier } }' >a.mlir; tessera check a.mlir
// a.mlir:1:79: error: expected '<' after 'mbarrier', found '}'
//   cuda_tile.module @m { entry @k() threads(64) { %m = alloc_mbarrier : mbarrier } }
//                                                                                 ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() { %%m = alloc_mbarrier : mbarrier<1> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:41: error: alloc_mbarrier: this operation is of the block level, but the kernel is not; write threads(…) behind its arguments to say how many threads a tile block has
//   cuda_tile.module @m { entry @k() { %m = alloc_mbarrier : mbarrier<1> } }
//                                           ^
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : mbarrier<0> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:70: error: mbarrier<0>: expected from 1 to 1024 barriers
//   cuda_tile.module @m { entry @k() threads(64) { %m = alloc_mbarrier : mbarrier<0> } }
//                                                                        ^~~~~~~~~~~
// [1]
// $ printf 'cuda_tile.module @m { entry @k() threads(64) { %%m = alloc_mbarrier : async<mbarrier<1>> } }' >a.mlir; tessera check a.mlir
// a.mlir:1:70: error: only a tile can be in flight, not mbarrier<1>
//   cuda_tile.module @m { entry @k() threads(64) { %m = alloc_mbarrier : async<mbarrier<1>> } }
//                                                                        ^~~~~~~~~~~~~~~~~~
// [1]
