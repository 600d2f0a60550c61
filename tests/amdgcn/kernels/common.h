/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the kernels of this folder have in common. They are C: clang makes code objects of them
 * (build.sh), and ../host.c compiles those for the host that have no instructions of a wave; it says
 * itself which thread it is, and how threads meet.
 */
#ifndef TSR_TESTS_AMDGCN_COMMON_H
#define TSR_TESTS_AMDGCN_COMMON_H

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef int i32;
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
static inline void pause_(void) {
  __builtin_amdgcn_s_sleep(1);
}
#else
#define GLOBAL
#define LOCAL           static
#define KERNEL(threads) static void
#endif

/* Between workgroups. */
#ifndef __AMDGCN__ /* all of the host's are of one scope, and gcc has no others */
#define __scoped_atomic_load_n(p, order, scope)       __atomic_load_n(p, order)
#define __scoped_atomic_store_n(p, v, order, scope)   __atomic_store_n(p, v, order)
#define __scoped_atomic_fetch_add(p, v, order, scope) __atomic_fetch_add(p, v, order)
#endif
static inline u32 load_acquire(GLOBAL u32 *p) {
  return __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
}
static inline void store_release(GLOBAL u32 *p, u32 v) {
  __scoped_atomic_store_n(p, v, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
static inline void add_release(GLOBAL u32 *p, u32 v) {
  __scoped_atomic_fetch_add(p, v, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}

#endif
