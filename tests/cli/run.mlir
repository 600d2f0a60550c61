// RUN: %transcript %s
// Buffers from files and from nothing, what is shown and saved.
cuda_tile.module @axpy {
  // y[i] += alpha * x[i], 64 elements for each tile block
  entry @axpy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %alpha: tile<f32>) {
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %start_1 = reshape %start : tile<i32> -> tile<1xi32>
    %start_64 = broadcast %start_1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %i = addi %start_64, %lane : tile<64xi32>
    %x_1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x_64 = broadcast %x_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %xs = offset %x_64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %y_1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y_64 = broadcast %y_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %ys = offset %y_64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %xv, %t0 = load_ptr_tko weak %xs : tile<64xptr<f32>> -> tile<64xf32>, token
    %yv, %t1 = load_ptr_tko weak %ys : tile<64xptr<f32>> -> tile<64xf32>, token
    %alpha_1 = reshape %alpha : tile<f32> -> tile<1xf32>
    %alpha_64 = broadcast %alpha_1 : tile<1xf32> -> tile<64xf32>
    %scaled = mulf %alpha_64, %xv : tile<64xf32>
    %sum = addf %scaled, %yv : tile<64xf32>
    %t2 = store_ptr_tko weak %ys, %sum token=%t1 : tile<64xptr<f32>>, tile<64xf32> -> token
  }
}

// $ tessera run run.mlir --grid 4 --target interp arange:f32:256 ones:f32:256 f32:2
// $ tessera run run.mlir --grid 4 --target interp arange:f32:256 ones:f32:256 f32:2 --print y
// y: f32 256
// [  1.   3.   5.   7.   9.  11.  13.  15.  17.  19.  21.  23.  25.  27.
//   29.  31.  33.  35.  37.  39.  41.  43.  45.  47.  49.  51.  53.  55.
//   57.  59.  61.  63.  65.  67.  69.  71.  73.  75.  77.  79.  81.  83.
//   85.  87.  89.  91.  93.  95.  97.  99. 101. 103. 105. 107. 109. 111.
//  113. 115. 117. 119. 121. 123. 125. 127. 129. 131. 133. 135. 137. 139.
//  141. 143. 145. 147. 149. 151. 153. 155. 157. 159. 161. 163. 165. 167.
//  169. 171. 173. 175. 177. 179. 181. 183. 185. 187. 189. 191. 193. 195.
//  197. 199. 201. 203. 205. 207. 209. 211. 213. 215. 217. 219. 221. 223.
//  225. 227. 229. 231. 233. 235. 237. 239. 241. 243. 245. 247. 249. 251.
//  253. 255. 257. 259. 261. 263. 265. 267. 269. 271. 273. 275. 277. 279.
//  281. 283. 285. 287. 289. 291. 293. 295. 297. 299. 301. 303. 305. 307.
//  309. 311. 313. 315. 317. 319. 321. 323. 325. 327. 329. 331. 333. 335.
//  337. 339. 341. 343. 345. 347. 349. 351. 353. 355. 357. 359. 361. 363.
//  365. 367. 369. 371. 373. 375. 377. 379. 381. 383. 385. 387. 389. 391.
//  393. 395. 397. 399. 401. 403. 405. 407. 409. 411. 413. 415. 417. 419.
//  421. 423. 425. 427. 429. 431. 433. 435. 437. 439. 441. 443. 445. 447.
//  449. 451. 453. 455. 457. 459. 461. 463. 465. 467. 469. 471. 473. 475.
//  477. 479. 481. 483. 485. 487. 489. 491. 493. 495. 497. 499. 501. 503.
//  505. 507. 509. 511.]
// $ tessera run run.mlir --grid 1 --target interp arange:f32:4x16 ones:f32:2x2x16 f32:0.5 --print y --print arg0
// y: f32 2x2x16
// [[[ 1.   1.5  2.   2.5  3.   3.5  4.   4.5  5.   5.5  6.   6.5  7.   7.5
//     8.   8.5]
//   [ 9.   9.5 10.  10.5 11.  11.5 12.  12.5 13.  13.5 14.  14.5 15.  15.5
//    16.  16.5]]
//
//  [[17.  17.5 18.  18.5 19.  19.5 20.  20.5 21.  21.5 22.  22.5 23.  23.5
//    24.  24.5]
//   [25.  25.5 26.  26.5 27.  27.5 28.  28.5 29.  29.5 30.  30.5 31.  31.5
//    32.  32.5]]]
// arg0: f32 4x16
// [[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15.]
//  [16. 17. 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31.]
//  [32. 33. 34. 35. 36. 37. 38. 39. 40. 41. 42. 43. 44. 45. 46. 47.]
//  [48. 49. 50. 51. 52. 53. 54. 55. 56. 57. 58. 59. 60. 61. 62. 63.]]
// $ tessera run run.mlir -g 1 -t interp arange:f32:64 mine=ones:f32:64 f32:-1 --print mine --print y --print arg1
// mine: f32 64
// [  1.   0.  -1.  -2.  -3.  -4.  -5.  -6.  -7.  -8.  -9. -10. -11. -12.
//  -13. -14. -15. -16. -17. -18. -19. -20. -21. -22. -23. -24. -25. -26.
//  -27. -28. -29. -30. -31. -32. -33. -34. -35. -36. -37. -38. -39. -40.
//  -41. -42. -43. -44. -45. -46. -47. -48. -49. -50. -51. -52. -53. -54.
//  -55. -56. -57. -58. -59. -60. -61. -62.]
// y: f32 64
// [  1.   0.  -1.  -2.  -3.  -4.  -5.  -6.  -7.  -8.  -9. -10. -11. -12.
//  -13. -14. -15. -16. -17. -18. -19. -20. -21. -22. -23. -24. -25. -26.
//  -27. -28. -29. -30. -31. -32. -33. -34. -35. -36. -37. -38. -39. -40.
//  -41. -42. -43. -44. -45. -46. -47. -48. -49. -50. -51. -52. -53. -54.
//  -55. -56. -57. -58. -59. -60. -61. -62.]
// arg1: f32 64
// [  1.   0.  -1.  -2.  -3.  -4.  -5.  -6.  -7.  -8.  -9. -10. -11. -12.
//  -13. -14. -15. -16. -17. -18. -19. -20. -21. -22. -23. -24. -25. -26.
//  -27. -28. -29. -30. -31. -32. -33. -34. -35. -36. -37. -38. -39. -40.
//  -41. -42. -43. -44. -45. -46. -47. -48. -49. -50. -51. -52. -53. -54.
//  -55. -56. -57. -58. -59. -60. -61. -62.]
// $ tessera run run.mlir -g 1 -t interp arange:f32:2000 ones:f32:2000 f32:1 --print y
// y: f32 2000
// [1. 2. 3. ... 1. 1. 1.]
// $ tessera run run.mlir -g 1 -t interp arange:f32:100x100 ones:f32:100x100 f32:1 --print y
// y: f32 100x100
// [[1. 2. 3. ... 1. 1. 1.]
//  [1. 1. 1. ... 1. 1. 1.]
//  [1. 1. 1. ... 1. 1. 1.]
//  ...
//  [1. 1. 1. ... 1. 1. 1.]
//  [1. 1. 1. ... 1. 1. 1.]
//  [1. 1. 1. ... 1. 1. 1.]]
// $ tessera run run.mlir -g 1 -t interp zeros:f32:64 zeros:f32:64 f32:nan --print y
// y: f32 64
// [nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
//  nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
//  nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
//  nan nan nan nan nan nan nan nan nan nan]
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:inf --print y | head -2
// y: f32 64
// [inf inf inf inf inf inf inf inf inf inf inf inf inf inf inf inf inf inf
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 zeros:f32:64 f32:0x3fc00000 --print y | head -2
// y: f32 64
// [1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5
// $ npy make x.npy '<f4' 4x16 'i / 8'; npy make y.npy '<f4' 64 '1'
// $ tessera run run.mlir -g 1 -t interp x.npy y.npy f32:8 --save y=out.npy --save x=again.npy
// $ npy show out.npy
// <f4 (64,): 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0 27.0 28.0 29.0 30.0 31.0 32.0 33.0 34.0 35.0 36.0 37.0 38.0 39.0 40.0 41.0 42.0 43.0 44.0 45.0 46.0 47.0 48.0 49.0 50.0 51.0 52.0 53.0 54.0 55.0 56.0 57.0 58.0 59.0 60.0 61.0 62.0 63.0 64.0
// $ cmp x.npy again.npy
// $ tessera run run.mlir -g 1 -t interp x.npy y.npy f32:8 --save y=y.npy; npy compare y.npy out.npy; ls
// Inputs
// again.npy
// out.npy
// run.mlir
// x.npy
// y.npy
// $ npy make my=file.npy '<f4' 64; tessera run run.mlir -g 1 -t interp ./my=file.npy zeros:f32:64 f32:1 --print y | head -2
// y: f32 64
// [ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
// $ npy raw none.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }" 0
// $ echo 'cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>) { } }' >nop.mlir
// $ tessera run nop.mlir -g 1 -t interp none.npy --print x --save x=out.npy; npy show out.npy
// x: f32 0x3
// []
// <f4 (0, 3):
// $ tessera run nop.mlir -g 1 -t interp zeros:f32:0 --print x
// x: f32 0
// []
// $ npy raw scalar.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" 4; tessera run nop.mlir -g 1 -t interp scalar.npy --print x --save x=out.npy; npy show out.npy
// x: f32 ()
// 0.
// <f4 (): 0.0
// $ npy raw v2.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" 8 2; tessera run nop.mlir -g 1 -t interp v2.npy --print x
// x: f32 2
// [0. 0.]
// $ npy raw v3.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" 8 3; tessera run nop.mlir -g 1 -t interp v3.npy --print x
// x: f32 2
// [0. 0.]
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x
// x: f32 3
// [0.9299697  0.8392768  0.16532522]
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x --seed 0
// x: f32 3
// [0.9299697  0.8392768  0.16532522]
// $ tessera run nop.mlir -g 1 -t interp uniform:f32:3 --print x --seed 1
// x: f32 3
// [0.18980527 0.10841489 0.6652753 ]
// $ tessera run nop.mlir -g 1 -t interp normal:f32:2x3 --print x
// x: f32 2x3
// [[ 1.2267596  -1.9526182  -0.4741908 ]
//  [-0.36955294  1.7085222   0.30142555]]
// $ cat nop.mlir | tessera run - -g 1 -t interp arange:f32:3 --print x
// x: f32 3
// [0. 1. 2.]
// $ echo 'cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) { } }' >two.mlir
// $ tessera run two.mlir -g 1 -t interp normal:i32:6 normal:i32:6 --print p --print q
// p: i32 6
// [ 39 -62 -15 -12  55  10]
// q: i32 6
// [ 37  66  -4  58  -3 -22]
// $ tessera run run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:1 --time 5 --flops 2*64 --bytes 12*64 --print y
// y: f32 64
// [2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2.
//  2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2.
//  2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2. 2.]
// @axpy, 5 launches on interp: median [0-9.]+ ms, minimum [0-9.]+ ms (re)
// [0-9.]+ GFLOP/s, at best [0-9.]+ GFLOP/s (re)
// [0-9.]+ GB/s, at best [0-9.]+ GB/s (re)
// $ tessera run -v run.mlir -g 1 -t interp ones:f32:64 ones:f32:64 f32:1 --save y=out.npy
// tessera: remark: made @axpy ready for interp in [0-9.]+ ms; it needs [0-9]+ bytes of scratch a thread (re)
// tessera: remark: ran the tile blocks in [0-9.]+ ms (re)
// tessera: remark: wrote y to 'out.npy'
// $ printf '%s\n' 'cuda_tile.module @m { entry @k() { print_tko "hello\n" -> token } }' >hello.mlir
// $ tessera run hello.mlir -g 2 -t interp
// hello
// hello
// $ tessera run hello.mlir -g 2 -t interp --time 3
// hello
// hello
// @k, 3 launches on interp: median [0-9.]+ ms, minimum [0-9.]+ ms (re)
