// RUN: %transcript %s
//
// What mistakes with other tile blocks' shared memory give.
#row = layout<spatial(32).local(4)>
!t = tile<128xi32, #row>
!s = shared<128xi32>
!v = tensor_view<?xi32, strides=[1]>
cuda_tile.module @hazards {
  entry @send(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) cluster(2) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c256 = constant <i32: 256> : tile<i32>
    %vi = make_tensor_view %in, shape = [%c256], strides = [1] : tile<i32> -> !v
    %vo = make_tensor_view %out, shape = [%c256], strides = [1] : tile<i32> -> !v
    %c128 = constant <i32: 128> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %at = muli %x, %c128 : tile<i32>
    %rank = get_cluster_rank : tile<i32>
    %other = xori %rank, %c1 : tile<i32>
    %here = alloc_shared : !s
    %inbox = alloc_shared : !s
    %come = alloc_mbarrier : mbarrier<1>
    elect {
      mbarrier_init %come, 1 : mbarrier<1>
      mbarrier_arrive_expect %come, 512 : mbarrier<1>
    }
    %mine = load_global %vi[%at] : !v -> !t
    store_shared %mine, %here : !t, !s
    fence_async
    cluster_barrier // the first
    %outbox = map_remote %inbox, %other : !s -> remote<!s>
    %their = map_remote %come, %other : mbarrier<1> -> remote<mbarrier<1>>
    elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
    mbarrier_wait %come, %c0 : mbarrier<1>
    %given = load_shared %inbox : !s -> !t
    store_global %given, %vo[%at] : !t, !v
    cluster_barrier // the last
    return
  }
}
// $ cat >run <<'END'
// > tessera run $1 -t interp --sanitize=all -g 2 arange:i32:256 zeros:i32:256 $2 2>&1
// > END
// $ sh run clusters_hazards.mlir --print=out
// tessera: remark: sanitizer: nothing found (bounds, assume, init, race, arith, sync) in 2 tile blocks
// out: i32 256
// [128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145
//  146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
//  164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181
//  182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199
//  200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217
//  218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235
//  236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253
//  254 255   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
//   16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31  32  33
//   34  35  36  37  38  39  40  41  42  43  44  45  46  47  48  49  50  51
//   52  53  54  55  56  57  58  59  60  61  62  63  64  65  66  67  68  69
//   70  71  72  73  74  75  76  77  78  79  80  81  82  83  84  85  86  87
//   88  89  90  91  92  93  94  95  96  97  98  99 100 101 102 103 104 105
//  106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123
//  124 125 126 127]
// $ sed '/the first/d' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:32:13: error: [race] bulk_copy uses shared memory of tile block (1, 0, 0), and no cluster_barrier stands between that one's beginning and this
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:33:5: error: [race] mbarrier_wait uses %come, which thread 0 initialised with mbarrier_init, and no barrier stands between
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// tessera: note: in tile block (0, 0, 0), thread 1
// mistake.mlir:24:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %come, 1 : mbarrier<1>
//         ^
// mistake.mlir:32:13: note: [race] bulk_copy: 253 more findings, the last in tile block (1, 0, 0)
// mistake.mlir:33:5: note: [race] mbarrier_wait: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 256 findings at 2 operations (race 256) in 2 tile blocks
// [1]
// $ sed '/the last/d' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:37:5: error: [race] the tile block ends, though a copy may still use its shared memory with bulk_copy; a cluster_barrier in front of the end keeps it
//       return
//       ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:33:13: note: the other access, in tile block (0, 0, 0)
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:37:5: note: [race] return: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 2 findings at 1 operation (race 2) in 2 tile blocks
// [1]
// $ sed '/^    mbarrier_wait/d' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:14: error: [init] load_shared reads shared memory before anything was written there
//       %given = load_shared %inbox : !s -> !t
//                ^
// tessera: note: in tile block (1, 0, 0), thread 0, element [0]; so are 127 more elements
// mistake.mlir:33:13: error: [race] bulk_copy writes shared memory that thread 0 of tile block (1, 0, 0) may still be reading with load_shared, as no barrier stands between
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0]; so are 127 more elements
// mistake.mlir:34:14: note: the other access, in tile block (1, 0, 0), thread 0
//       %given = load_shared %inbox : !s -> !t
//                ^
// mistake.mlir:34:14: error: [sync] load_shared reads shared memory that a bulk_copy is still writing; no mbarrier_wait for its phase stands between
//       %given = load_shared %inbox : !s -> !t
//                ^
// tessera: note: in tile block (0, 0, 0), thread 0, element [0]; so are 127 more elements
// mistake.mlir:33:13: note: the other access, in tile block (1, 0, 0), thread 0
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:37:5: error: [race] the tile block ends, though a copy may still use its shared memory with bulk_copy; a cluster_barrier in front of the end keeps it
//       return
//       ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:33:13: note: the other access, in tile block (0, 0, 0)
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:33:13: error: [sync] bulk_copy is still copying when the kernel ends; nobody waits at its mbarrier
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:33:13: note: [race] bulk_copy: 127 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:33:13: note: [sync] bulk_copy: 1 more finding, the last in tile block (1, 0, 0)
// mistake.mlir:34:14: note: [init] load_shared: 127 more findings, the last in tile block (1, 0, 0)
// mistake.mlir:34:14: note: [sync] load_shared: 127 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:37:5: note: [race] return: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 388 findings at 3 operations (init 128, race 130, sync 130) in 2 tile blocks
// [1]
// $ sed 's/come, 512/come, 256/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:9:3: error: the cluster of tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @send(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) cluster(2) {
//     ^
// mistake.mlir:34:5: note: tile block (0, 0, 0) (threads 0 to 32) waits here for phase 0 of %come, which has 1 of 1 arrivals and got 256 bytes more than were announced
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// mistake.mlir:34:5: note: tile block (1, 0, 0) (threads 0 to 32) waits here for phase 0 of %come, which has 1 of 1 arrivals and got 256 bytes more than were announced
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// [1]
// $ sed 's/come, 512/come, 1024/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:9:3: error: the cluster of tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @send(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) cluster(2) {
//     ^
// mistake.mlir:34:5: note: tile block (0, 0, 0) (threads 0 to 32) waits here for phase 0 of %come, which has 1 of 1 arrivals and lacks 512 bytes
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// mistake.mlir:34:5: note: tile block (1, 0, 0) (threads 0 to 32) waits here for phase 0 of %come, which has 1 of 1 arrivals and lacks 512 bytes
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// [1]
// $ sed '/^    fence_async/d' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:32:13: error: [sync] bulk_copy uses %their, which thread 0 of tile block (0, 0, 0) initialised with mbarrier_init, and no fence_async stands between
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// tessera: note: in tile block (1, 0, 0), thread 0
// mistake.mlir:24:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %come, 1 : mbarrier<1>
//         ^
// mistake.mlir:32:13: note: [sync] bulk_copy: 257 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 258 findings at 1 operation (sync 258) in 2 tile blocks
// [1]
// $ sed '/^    mbarrier_wait/s/^/    store_shared %mine, %here : !t, !s\n/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:5: error: [sync] store_shared writes shared memory that a bulk_copy is still reading; no mbarrier_wait for its phase since then covers it
//       store_shared %mine, %here : !t, !s
//       ^
// tessera: note: in tile block (1, 0, 0), thread 0, element [0]; so are 127 more elements
// mistake.mlir:33:13: note: the other access, in tile block (1, 0, 0), thread 0
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:34:5: note: [sync] store_shared: 255 more findings, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 256 findings at 1 operation (sync 256) in 2 tile blocks
// [1]
// $ sed 's/cluster_barrier .. the first/cluster_arrive relaxed\n    cluster_wait/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:34:13: error: [race] bulk_copy uses %their, which thread 0 of tile block (0, 0, 0) initialised with mbarrier_init, and no cluster_barrier stands between
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// tessera: note: in tile block (1, 0, 0), thread 0
// mistake.mlir:24:7: note: the other access, in tile block (0, 0, 0), thread 0
//         mbarrier_init %come, 1 : mbarrier<1>
//         ^
// mistake.mlir:35:5: error: [race] mbarrier_wait uses %come, which thread 0 initialised with mbarrier_init, and no barrier stands between
//       mbarrier_wait %come, %c0 : mbarrier<1>
//       ^
// tessera: note: in tile block (1, 0, 0), thread 1
// mistake.mlir:24:7: note: the other access, in tile block (1, 0, 0), thread 0
//         mbarrier_init %come, 1 : mbarrier<1>
//         ^
// mistake.mlir:34:13: note: [race] bulk_copy: 249 more findings, the last in tile block (0, 0, 0)
// mistake.mlir:35:5: note: [race] mbarrier_wait: 2 more findings, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 253 findings at 2 operations (race 253) in 2 tile blocks
// [1]
// $ sed 's/cluster_barrier .. the last/cluster_arrive\n    cluster_arrive\n    cluster_wait/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:38:5: error: [sync] the tile block has come to this barrier of the cluster before, and no cluster_wait stands between
//       cluster_arrive
//       ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:40:5: error: [race] the tile block ends, though a copy may still use its shared memory with bulk_copy; a cluster_barrier in front of the end keeps it
//       return
//       ^
// tessera: note: in tile block (1, 0, 0), thread 0
// mistake.mlir:33:13: note: the other access, in tile block (1, 0, 0)
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:38:5: note: [sync] cluster_arrive: 1 more finding, the last in tile block (1, 0, 0)
// tessera: note: sanitizer: 3 findings at 2 operations (race 1, sync 2) in 2 tile blocks
// [1]
// $ sed 's/cluster_barrier .. the last/cluster_wait/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:9:3: error: the cluster of tile block (0, 0, 0) does not go on: all of its threads wait, and nothing is left to wake them
//     entry @send(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) threads(32) cluster(2) {
//     ^
// mistake.mlir:37:5: note: tile block (0, 0, 0) (threads 0 to 32) waits here, where this tile block (0, 0, 0) has not arrived
//       cluster_wait
//       ^
// mistake.mlir:37:5: note: tile block (1, 0, 0) (threads 0 to 32) waits here, where tile block (0, 0, 0) has not arrived
//       cluster_wait
//       ^
// [1]
// $ sed 's/xori %rank, %c1/addi %rank, %c1/' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:31:15: error: [bounds] map_remote: rank 2 is outside of the cluster, which has 2 tile blocks
//       %outbox = map_remote %inbox, %other : !s -> remote<!s>
//                 ^
// tessera: note: in tile block (1, 0, 0), thread 0
// mistake.mlir:32:14: error: [bounds] map_remote: rank 2 is outside of the cluster, which has 2 tile blocks
//       %their = map_remote %come, %other : mbarrier<1> -> remote<mbarrier<1>>
//                ^
// tessera: note: in tile block (1, 0, 0), thread 0
// tessera: note: sanitizer: 2 findings at 2 operations (bounds 2) in 2 tile blocks
// [1]
// $ awk '/the last/ { print "    %first = cmpi equal %rank, %c0, signed : tile<i32> -> tile<i1>\n    if %first { cluster_barrier }"; next } { print }' clusters_hazards.mlir >mistake.mlir; sh run mistake.mlir
// mistake.mlir:39:5: error: [race] the tile block ends, though a copy may still use its shared memory with bulk_copy; a cluster_barrier in front of the end keeps it
//       return
//       ^
// tessera: note: in tile block (1, 0, 0), thread 0
// mistake.mlir:33:13: note: the other access, in tile block (1, 0, 0)
//       elect { bulk_copy %here, %outbox, %their : !s, remote<!s>, remote<mbarrier<1>> }
//               ^
// mistake.mlir:38:17: error: [sync] tile block (1, 0, 0) of the cluster has ended without coming to this barrier; all of them must
//       if %first { cluster_barrier }
//                   ^
// tessera: note: in tile block (0, 0, 0), thread 0
// mistake.mlir:39:5: note: [race] return: 1 more finding, the last in tile block (0, 0, 0)
// tessera: note: sanitizer: 3 findings at 2 operations (race 2, sync 1) in 2 tile blocks
// [1]
