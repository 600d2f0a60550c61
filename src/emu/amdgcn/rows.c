/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of all instructions that are known.
 */
#include "emu/amdgcn/lane_math.h"
#include "emu/amdgcn/memory.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/vector.h"

/* ---- the functions of vector.def and scalar.def ---------------------------------------------- */

#define UNUSED (void)a, (void)b, (void)c, (void)x

#define VK(name, signature, kind, result)                                                          \
  static uint64_t lane_##name(uint64_t a, uint64_t b, uint64_t c, gcn_lane *x) {                   \
    UNUSED;                                                                                        \
    return (uint64_t)(result);                                                                     \
  }
#define V(name, signature, result)          VK(name, signature, 0, result)
#define PACKED(name, letter, count, result) VK(name, 0, 0, result)
#include "emu/amdgcn/vector.def"
#undef V
#undef VK
#undef PACKED

/* Quads of lanes of which one at least executes. */
static uint64_t whole_quads(uint64_t a) {
  uint64_t any = (a | a >> 1 | a >> 2 | a >> 3) & UINT64_C(0x1111111111111111);
  return any * 15;
}
static uint64_t first_of_quads(uint64_t a) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 16; k++) r |= (uint64_t)((a >> 4 * k & 15) != 0) << k;
  return r;
}
static uint64_t bits_twice(uint64_t a) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++) r |= (a >> k & 1) * 3 << 2 * k;
  return r;
}
static uint64_t first_change_64(uint64_t a) {
  a ^= (uint64_t)((int64_t)a >> 63);
  return a ? (uint64_t)__builtin_clzll(a) : UINT32_MAX;
}
static bool overflows(int64_t x) {
  return x != (int32_t)x;
}
/* The field whose first bit and width stand in b. */
static uint64_t extract_field(uint64_t a, uint64_t b, unsigned bits, bool is_signed) {
  unsigned from = (unsigned)b & (bits - 1), width = b >> 16 & 0x7f;
  if (!width) return 0;
  if (is_signed && bits == 32) a = (uint64_t)(int64_t)I(a);
  uint64_t v = is_signed ? (uint64_t)((int64_t)a >> from) : a >> from;
  if (width >= 64) return v;
  return is_signed ? (uint64_t)sext(v, width) : v & ((UINT64_C(1) << width) - 1);
}

#define S(name, signature, ...)                                                                    \
  static uint64_t scalar_##name(uint64_t a, uint64_t b, gcn_scalar *x) {                           \
    uint64_t r;                                                                                    \
    (void)a, (void)b, (void)x;                                                                     \
    __VA_ARGS__;                                                                                   \
    return r;                                                                                      \
  }
#include "emu/amdgcn/scalar.def"
#undef S

/* ---- rows ------------------------------------------------------------------------------------ */

#define V(n, s, ...) {.name = #n, .signature = s, .run = gcn_run_vector, .lane = lane_##n},
#define VK(n, s, k, ...)                                                                           \
  {.name = #n, .signature = s, .run = gcn_run_vector, .lane = lane_##n, .kind = k},
#define PACKED(n, letter, count, ...)                                                              \
  {.name = #n,                                                                                     \
   .signature = (count) == 3 ? "r=rrr" : "r=rr",                                                   \
   .run = gcn_run_packed,                                                                          \
   .lane = lane_##n,                                                                               \
   .kind = count,                                                                                  \
   .more = letter},
#define S(n, s, ...) {.name = #n, .signature = s, .run = gcn_run_scalar, .scalar = scalar_##n},

#define COMPARISON(n, op, s, letter, x)                                                            \
  {.name = n, .signature = s, .run = gcn_run_compare, .kind = op, .more = letter, .bytes = x},
#define COMPARISONS(n, op, type, s, letter)                                                        \
  COMPARISON("v_cmp_" #n type, op, s, letter, 0) COMPARISON("v_cmpx_" #n type, op, s, letter, 1)

#define MEMORY(prefix, way, suffix, s, k, b, m)                                                    \
  {.name = #prefix #suffix, .signature = s, .run = gcn_run_##way, .kind = k, .bytes = b, .more = m},
#define LOAD(suffix, b, width)                                                                     \
  MEMORY(global_load_, global_load, suffix, "r=*", 0, b, width)                                    \
  MEMORY(flat_load_, flat_load, suffix, "r=*", 0, b, width)                                        \
  MEMORY(scratch_load_, scratch_load, suffix, "r=*", 0, b, width)                                  \
  MEMORY(buffer_load_, buffer_load, suffix, "r=*", 0, b, width)
#define STORE(suffix, b, width)                                                                    \
  MEMORY(global_store_, global_store, suffix, "=*", 0, b, width)                                   \
  MEMORY(flat_store_, flat_store, suffix, "=*", 0, b, width)                                       \
  MEMORY(scratch_store_, scratch_store, suffix, "=*", 0, b, width)                                 \
  MEMORY(buffer_store_, buffer_store, suffix, "=*", 0, b, width)
#define ATOMIC(suffix, b, update)                                                                  \
  MEMORY(global_atomic_, global_atomic, suffix, "=*", update, b, 0)                                \
  MEMORY(flat_atomic_, flat_atomic, suffix, "=*", update, b, 0)                                    \
  MEMORY(buffer_atomic_, buffer_atomic, suffix, "=*", update, b, 0)
#define SCALAR(suffix, b)                                                                          \
  MEMORY(s_load_, scalar_load, suffix, "r=rr", 0, b, 0)                                            \
  MEMORY(s_buffer_load_, scalar_load, suffix, "r=rr", 1, b, 0)
#define LDS(way, n, s, k, b, width) MEMORY(, lds_##way, n, s, k, b, width)
#define LDS_ATOMIC(op, suffix, b, update)                                                          \
  MEMORY(ds_, lds_atomic, op##_##suffix, "=rr", update, b, 0)                                      \
  MEMORY(ds_, lds_atomic_return, op##_rtn_##suffix, "r=rr", update, b, 0)

#define BRANCH(n, condition)                                                                       \
  {.name = n, .signature = "=k", .run = gcn_run_branch, .kind = condition},
#define OTHER(n, s, way) {.name = n, .signature = s, .run = gcn_run_##way},

static const gcn_row rows[] = {
#include "emu/amdgcn/vector.def"
#include "emu/amdgcn/scalar.def"
#include "emu/amdgcn/memory.def"
#define F(n, op)                                                                                   \
  COMPARISONS(n, op, "_f16", "m=hh", 'h')                                                          \
  COMPARISONS(n, op, "_f32", "m=ff", 'f') COMPARISONS(n, op, "_f64", "m=dd", 'd')
/* clang-format off */
#define C(n, op)                                                                                   \
  COMPARISONS(n, op, "_i16", "m=ss", 'j')                                                          \
  COMPARISONS(n, op, "_u16", "m=ss", 's')                                                          \
  COMPARISONS(n, op, "_i32", "m=uu", 'i')                                                          \
  COMPARISONS(n, op, "_u32", "m=uu", 'u')                                                          \
  COMPARISONS(n, op, "_i64", "m=qq", 'I')                                                          \
  COMPARISONS(n, op, "_u64", "m=qq", 'q')
/* clang-format on */
#include "emu/amdgcn/compare.def"
#undef F
#undef C
    /* clang-format off */
    COMPARISONS(class, GCN_CLASS, "_f16", "m=hs", 'h')
    COMPARISONS(class, GCN_CLASS, "_f32", "m=fu", 'f')
    COMPARISONS(class, GCN_CLASS, "_f64", "m=du", 'd')
    MEMORY(ds_, lds_atomic, cmpst_b32, "=rrr", GCN_COMPARE_SWAP, 4, 0)
    MEMORY(ds_, lds_atomic, cmpst_b64, "=rrr", GCN_COMPARE_SWAP, 8, 0)
    MEMORY(ds_, lds_atomic_return, cmpst_rtn_b32, "r=rrr", GCN_COMPARE_SWAP, 4, 0)
    MEMORY(ds_, lds_atomic_return, cmpst_rtn_b64, "r=rrr", GCN_COMPARE_SWAP, 8, 0)
    MEMORY(ds_, lds_atomic, cmpstore_b32, "=rrr", GCN_COMPARE_SWAP, 4, 1)
    MEMORY(ds_, lds_atomic, cmpstore_b64, "=rrr", GCN_COMPARE_SWAP, 8, 1)
    MEMORY(ds_, lds_atomic_return, cmpstore_rtn_b32, "r=rrr", GCN_COMPARE_SWAP, 4, 1)
    MEMORY(ds_, lds_atomic_return, cmpstore_rtn_b64, "r=rrr", GCN_COMPARE_SWAP, 8, 1)
    MEMORY(s_, scalar_load, load_ubyte, "r=rr", 0, 1, 0)
    MEMORY(s_, scalar_load, load_sbyte, "r=rr", 0, 1, GCN_SIGNED)
    MEMORY(s_, scalar_load, load_ushort, "r=rr", 0, 2, 0)
    MEMORY(s_, scalar_load, load_sshort, "r=rr", 0, 2, GCN_SIGNED)
    MEMORY(s_, scalar_load, buffer_load_ubyte, "r=rr", 1, 1, 0)
    MEMORY(s_, scalar_load, buffer_load_sbyte, "r=rr", 1, 1, GCN_SIGNED)
    MEMORY(s_, scalar_load, buffer_load_ushort, "r=rr", 1, 2, 0)
    MEMORY(s_, scalar_load, buffer_load_sshort, "r=rr", 1, 2, GCN_SIGNED)
    MEMORY(ds_, lds_atomic_return, wrxchg_rtn_b32, "r=rr", GCN_SWAP, 4, 0)
    MEMORY(ds_, lds_atomic_return, wrxchg_rtn_b64, "r=rr", GCN_SWAP, 8, 0)
    MEMORY(global_load_lds_, load_to_lds, ubyte, "r=*", 0, 1, GCN_AS_IS)
    MEMORY(global_load_lds_, load_to_lds, sbyte, "r=*", 0, 1, GCN_SIGNED)
    MEMORY(global_load_lds_, load_to_lds, ushort, "r=*", 0, 2, GCN_AS_IS)
    MEMORY(global_load_lds_, load_to_lds, sshort, "r=*", 0, 2, GCN_SIGNED)
    MEMORY(global_load_lds_, load_to_lds, dword, "r=*", 0, 4, GCN_AS_IS)
    MEMORY(global_load_lds_, load_to_lds, dwordx3, "r=*", 0, 12, GCN_AS_IS)
    MEMORY(global_load_lds_, load_to_lds, dwordx4, "r=*", 0, 16, GCN_AS_IS)
    OTHER("ds_bpermute_b32", "r=rr", permute_back)
    OTHER("ds_permute_b32", "r=rr", permute)
    OTHER("v_pk_mov_b32", "r=rr", packed_move)
    OTHER("v_readfirstlane_b32", "u=u", read_first)
    OTHER("v_readlane_b32", "u=uu", read_lane)
    OTHER("v_writelane_b32", "+u=uu", write_lane)
    OTHER("v_swap_b32", "+uu=", swap)
    {.name = "v_permlane16_swap_b32", .signature = "+uu=", .run = gcn_run_swap_rows, .more = 16},
    {.name = "v_permlane32_swap_b32", .signature = "+uu=", .run = gcn_run_swap_rows, .more = 32},
    OTHER("v_permlane16_b32", "+u=uuu", permute_row)
    OTHER("v_permlanex16_b32", "+u=uuu", permute_other_row)
    OTHER("v_dual", "", dual)
    OTHER("v_nop", "", nothing)
    BRANCH("s_branch", GCN_ALWAYS)
    BRANCH("s_cbranch_scc0", GCN_SCC0)
    BRANCH("s_cbranch_scc1", GCN_SCC1)
    BRANCH("s_cbranch_vccz", GCN_VCC_ZERO)
    BRANCH("s_cbranch_vccnz", GCN_VCC_ANY)
    BRANCH("s_cbranch_execz", GCN_EXEC_ZERO)
    BRANCH("s_cbranch_execnz", GCN_EXEC_ANY)
    OTHER("s_waitcnt", "", wait)
    OTHER("s_waitcnt_vscnt", "", wait)
    OTHER("s_waitcnt_vmcnt", "", wait)
    OTHER("s_waitcnt_lgkmcnt", "", wait)
    OTHER("s_waitcnt_expcnt", "", wait)
    OTHER("s_wait_loadcnt", "", wait)
    OTHER("s_wait_storecnt", "", wait)
    OTHER("s_wait_samplecnt", "", wait)
    OTHER("s_wait_bvhcnt", "", wait)
    OTHER("s_wait_expcnt", "", wait)
    OTHER("s_wait_dscnt", "", wait)
    OTHER("s_wait_kmcnt", "", wait)
    OTHER("s_wait_loadcnt_dscnt", "", wait)
    OTHER("s_wait_storecnt_dscnt", "", wait)
    OTHER("s_barrier_signal", "=u", signal)
    OTHER("s_barrier_wait", "=k", barrier_wait)
    OTHER("s_barrier", "", barrier)
    OTHER("s_endpgm", "", end)
    OTHER("s_trap", "=K", trap)
    OTHER("s_nop", "", nothing)
    OTHER("s_sleep", "", nothing)
    OTHER("s_setprio", "", nothing)
    OTHER("s_sethalt", "", nothing)
    OTHER("s_icache_inv", "", nothing)
    OTHER("s_delay_alu", "", nothing)
    OTHER("s_wait_alu", "", nothing)
    OTHER("s_waitcnt_depctr", "", nothing)
    OTHER("s_wait_idle", "", nothing)
    OTHER("s_clause", "", nothing)
    OTHER("s_set_inst_prefetch_distance", "", nothing)
    OTHER("s_sendmsg", "", message)
    OTHER("s_prefetch_inst", "", nothing)
    OTHER("s_prefetch_data", "", nothing)
    OTHER("buffer_gl0_inv", "", invalidate)
    OTHER("buffer_gl1_inv", "", invalidate)
    OTHER("global_inv", "", invalidate)
    OTHER("global_wb", "", nothing)
    OTHER("global_wbinv", "", invalidate)
    OTHER("s_dcache_wb", "", nothing)
    OTHER("s_dcache_inv", "", nothing)
    OTHER("buffer_wbl2", "", nothing)
    OTHER("buffer_inv", "", invalidate)
    OTHER("buffer_invl2", "", invalidate)
    OTHER("buffer_wbinvl1", "", invalidate)
    OTHER("buffer_wbinvl1_vol", "", invalidate)
    OTHER("ds_swizzle_b32", "r=r", swizzle)
    OTHER("s_setreg_imm32_b32", "=ru", set_mode)
    OTHER("s_setreg_b32", "=ru", set_mode)
    OTHER("s_getreg_b32", "r=u", get_mode)
    /* clang-format on */
};

const gcn_row *gcn_find_row(str name) {
  for (size_t k = 0; k < ARRAY_LEN(rows); k++)
    if (str_eq(name, str_of(rows[k].name))) return &rows[k];
  return NULL;
}
