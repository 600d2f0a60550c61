/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the kernels of this folder have in common. They are C: clang makes code objects of them
 * (build.sh), and a unit test compiles those of elements.c for the host, too, where it says itself
 * which thread it is.
 */
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef unsigned long u64;
typedef long i64;
typedef _Float16 f16;
typedef f16 f16x2 __attribute__((vector_size(4)));

/* Sparse matrices keep two of four neighbours in a row. Which two, differs with the row and the four:
 * the place of the first, or second, among them. */
static inline u32 kept_place(u32 row, u32 four, u32 which) {
  u32 n = (row + four) % 6; /* 01 02 03 12 13 23 */
  u32 first = n < 3 ? 0 : n < 5 ? 1 : 2;
  return which == 0 ? first : n < 3 ? n + 1 : n == 3 ? 2 : 3;
}

#ifdef __GFX9__
#define WAVE 64
#else
#define WAVE 32
#endif

#ifdef __AMDGCN__
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL  static __attribute__((address_space(3), loader_uninitialized))
#define KERNEL(threads)                                                                            \
  __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(threads, threads))) void

static inline u32 thread_id(void) {
  return __builtin_amdgcn_workitem_id_x();
}
static inline u32 block_id(void) {
  return __builtin_amdgcn_workgroup_id_x();
}
static inline void meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
#define GLOBAL
#define KERNEL(threads) static void
#endif
