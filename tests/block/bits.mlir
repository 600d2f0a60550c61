// REQUIRES: llvm
// RUN: %tessera run %s -k i2 -t interp -g 1 uniform:i2:320 uniform:i2:320 i32:300 i32:3 i32:5 --save out=%t.i.npy
// RUN: %tessera run %s -k i2 -t cpu -g 1 uniform:i2:320 uniform:i2:320 i32:300 i32:3 i32:5 --save out=%t.c.npy
// RUN: %tessera run %s -k i2 -t emu:sm_80 -g 1 uniform:i2:320 uniform:i2:320 i32:300 i32:3 i32:5 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k i3 -t interp -g 1 uniform:i3:320 uniform:i3:320 i32:300 i32:3 i32:5 --save out=%t.i.npy
// RUN: %tessera run %s -k i3 -t cpu -g 1 uniform:i3:320 uniform:i3:320 i32:300 i32:3 i32:5 --save out=%t.c.npy
// RUN: %tessera run %s -k i3 -t emu:sm_80 -g 1 uniform:i3:320 uniform:i3:320 i32:300 i32:3 i32:5 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k i5 -t interp -g 1 uniform:i5:320 uniform:i5:320 i32:200 i32:-7 i32:11 --save out=%t.i.npy
// RUN: %tessera run %s -k i5 -t cpu -g 1 uniform:i5:320 uniform:i5:320 i32:200 i32:-7 i32:11 --save out=%t.c.npy
// RUN: %tessera run %s -k i5 -t emu:sm_80 -g 1 uniform:i5:320 uniform:i5:320 i32:200 i32:-7 i32:11 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k i6 -t interp -g 1 uniform:i6:320 uniform:i6:320 i32:320 i32:60 i32:-13 --save out=%t.i.npy
// RUN: %tessera run %s -k i6 -t cpu -g 1 uniform:i6:320 uniform:i6:320 i32:320 i32:60 i32:-13 --save out=%t.c.npy
// RUN: %tessera run %s -k i6 -t emu:sm_80 -g 1 uniform:i6:320 uniform:i6:320 i32:320 i32:60 i32:-13 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k i7 -t interp -g 1 uniform:i7:320 uniform:i7:320 i32:256 i32:0 i32:0 --save out=%t.i.npy
// RUN: %tessera run %s -k i7 -t cpu -g 1 uniform:i7:320 uniform:i7:320 i32:256 i32:0 i32:0 --save out=%t.c.npy
// RUN: %tessera run %s -k i7 -t emu:sm_80 -g 1 uniform:i7:320 uniform:i7:320 i32:256 i32:0 i32:0 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k f6E3M2FN -t interp -g 1 uniform:f6E3M2FN:320 uniform:f6E3M2FN:320 i32:299 i32:3 i32:5 --save out=%t.i.npy
// RUN: %tessera run %s -k f6E3M2FN -t cpu -g 1 uniform:f6E3M2FN:320 uniform:f6E3M2FN:320 i32:299 i32:3 i32:5 --save out=%t.c.npy
// RUN: %tessera run %s -k f6E3M2FN -t emu:sm_80 -g 1 uniform:f6E3M2FN:320 uniform:f6E3M2FN:320 i32:299 i32:3 i32:5 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
// RUN: %tessera run %s -k f3E1M1FN -t interp -g 1 uniform:f3E1M1FN:320 uniform:f3E1M1FN:320 i32:300 i32:-3 i32:1 --save out=%t.i.npy
// RUN: %tessera run %s -k f3E1M1FN -t cpu -g 1 uniform:f3E1M1FN:320 uniform:f3E1M1FN:320 i32:300 i32:-3 i32:1 --save out=%t.c.npy
// RUN: %tessera run %s -k f3E1M1FN -t emu:sm_80 -g 1 uniform:f3E1M1FN:320 uniform:f3E1M1FN:320 i32:300 i32:-3 i32:1 --save out=%t.e.npy
// RUN: cmp %t.i.npy %t.c.npy && cmp %t.i.npy %t.e.npy
//
// Elements that share bytes in global memory, from any on, beyond both ends of the views, and into a
// buffer that keeps what is not written.
#l = layout<local(3).spatial(32)>
#m = layout<spatial(32).local(4)>
cuda_tile.module @bits {
  entry @i2(%in: tile<ptr<i2>>, %out: tile<ptr<i2>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi2, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi2, strides=[1]>
    %s = alloc_shared : shared<96xi2>
    cp_async %g[%i], %s by #l : tensor_view<?xi2, strides=[1]>, shared<96xi2>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xi2> -> tile<96xi2, #l>
    store_global %x, %h[%j] : tile<96xi2, #l>, tensor_view<?xi2, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xi2, strides=[1]> -> tile<128xi2, #m>
    store_global %y, %h[%o] : tile<128xi2, #m>, tensor_view<?xi2, strides=[1]>
    return
  }
  entry @i3(%in: tile<ptr<i3>>, %out: tile<ptr<i3>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi3, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi3, strides=[1]>
    %s = alloc_shared : shared<96xi3>
    cp_async %g[%i], %s by #l : tensor_view<?xi3, strides=[1]>, shared<96xi3>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xi3> -> tile<96xi3, #l>
    store_global %x, %h[%j] : tile<96xi3, #l>, tensor_view<?xi3, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xi3, strides=[1]> -> tile<128xi3, #m>
    store_global %y, %h[%o] : tile<128xi3, #m>, tensor_view<?xi3, strides=[1]>
    return
  }
  entry @i5(%in: tile<ptr<i5>>, %out: tile<ptr<i5>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi5, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi5, strides=[1]>
    %s = alloc_shared : shared<96xi5>
    cp_async %g[%i], %s by #l : tensor_view<?xi5, strides=[1]>, shared<96xi5>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xi5> -> tile<96xi5, #l>
    store_global %x, %h[%j] : tile<96xi5, #l>, tensor_view<?xi5, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xi5, strides=[1]> -> tile<128xi5, #m>
    store_global %y, %h[%o] : tile<128xi5, #m>, tensor_view<?xi5, strides=[1]>
    return
  }
  entry @i6(%in: tile<ptr<i6>>, %out: tile<ptr<i6>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi6, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi6, strides=[1]>
    %s = alloc_shared : shared<96xi6>
    cp_async %g[%i], %s by #l : tensor_view<?xi6, strides=[1]>, shared<96xi6>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xi6> -> tile<96xi6, #l>
    store_global %x, %h[%j] : tile<96xi6, #l>, tensor_view<?xi6, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xi6, strides=[1]> -> tile<128xi6, #m>
    store_global %y, %h[%o] : tile<128xi6, #m>, tensor_view<?xi6, strides=[1]>
    return
  }
  entry @i7(%in: tile<ptr<i7>>, %out: tile<ptr<i7>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi7, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi7, strides=[1]>
    %s = alloc_shared : shared<96xi7>
    cp_async %g[%i], %s by #l : tensor_view<?xi7, strides=[1]>, shared<96xi7>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xi7> -> tile<96xi7, #l>
    store_global %x, %h[%j] : tile<96xi7, #l>, tensor_view<?xi7, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xi7, strides=[1]> -> tile<128xi7, #m>
    store_global %y, %h[%o] : tile<128xi7, #m>, tensor_view<?xi7, strides=[1]>
    return
  }
  entry @f6E3M2FN(%in: tile<ptr<f6E3M2FN>>, %out: tile<ptr<f6E3M2FN>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf6E3M2FN, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf6E3M2FN, strides=[1]>
    %s = alloc_shared : shared<96xf6E3M2FN>
    cp_async %g[%i], %s by #l : tensor_view<?xf6E3M2FN, strides=[1]>, shared<96xf6E3M2FN>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xf6E3M2FN> -> tile<96xf6E3M2FN, #l>
    store_global %x, %h[%j] : tile<96xf6E3M2FN, #l>, tensor_view<?xf6E3M2FN, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xf6E3M2FN, strides=[1]> -> tile<128xf6E3M2FN, #m>
    store_global %y, %h[%o] : tile<128xf6E3M2FN, #m>, tensor_view<?xf6E3M2FN, strides=[1]>
    return
  }
  entry @f3E1M1FN(%in: tile<ptr<f3E1M1FN>>, %out: tile<ptr<f3E1M1FN>>, %n: tile<i32>, %i: tile<i32>, %j: tile<i32>) threads(32) {
    %g = make_tensor_view %in, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf3E1M1FN, strides=[1]>
    %h = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf3E1M1FN, strides=[1]>
    %s = alloc_shared : shared<96xf3E1M1FN>
    cp_async %g[%i], %s by #l : tensor_view<?xf3E1M1FN, strides=[1]>, shared<96xf3E1M1FN>
    cp_async_commit
    cp_async_wait 0 // harmless on a GPU: each thread copies its elements where it stands
    barrier // harmless on a GPU: each thread copies its elements where it stands
    %x = load_shared %s : shared<96xf3E1M1FN> -> tile<96xf3E1M1FN, #l>
    store_global %x, %h[%j] : tile<96xf3E1M1FN, #l>, tensor_view<?xf3E1M1FN, strides=[1]>
    %c96 = constant <i32: 96> : tile<i32>
    %k = addi %i, %c96 : tile<i32>
    %o = addi %j, %c96 : tile<i32>
    %y = load_global %g[%k] : tensor_view<?xf3E1M1FN, strides=[1]> -> tile<128xf3E1M1FN, #m>
    store_global %y, %h[%o] : tile<128xf3E1M1FN, #m>, tensor_view<?xf3E1M1FN, strides=[1]>
    return
  }
}
