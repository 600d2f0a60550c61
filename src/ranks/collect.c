/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collective operations. Each rank has a tray for each other, in its first segment, with two places
 * for pieces: one is filled while the other is emptied. Rank r sends to r + 1 and takes from r - 1,
 * then r + 2 and r - 2, and so on, so that at each step every rank sends to one and hears from one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "num/num.h"
#include "ranks/ranks.h"

/* ---- pieces --------------------------------------------------------------------------------- */

size_t ranks_piece_bytes(unsigned size) {
  size_t share = ((size_t)16 << 20) / size;
  return MAX(MIN(share, (size_t)256 << 10), (size_t)4096) & ~(size_t)4095;
}

static size_t tray_offset(const tsr_ranks *r, unsigned of, uint64_t number) {
  size_t desks = (r->size * sizeof(ranks_desk) + 4095) & ~(size_t)4095;
  return desks + (2 * of + number % 2) * r->piece;
}

size_t ranks_desk_bytes(unsigned size) {
  size_t desks = (size * sizeof(ranks_desk) + 4095) & ~(size_t)4095;
  return desks + 2 * size * ranks_piece_bytes(size);
}

/* A transfer of several pieces; one without bytes is one piece. */
typedef struct transfer {
  unsigned with;
  char *data;
  size_t bytes, at;
  bool over;
} transfer;

static bool send_piece(tsr_ranks *r, transfer *t) {
  uint64_t *sent = &r->sent[t->with];
  uint64_t taken = atomic_load_explicit(&ranks_desk_of(r, t->with)->taken, memory_order_acquire);
  if (t->over || *sent - taken >= 2) return false;
  size_t n = MIN(t->bytes - t->at, r->piece), desk = r->rank * sizeof(ranks_desk);
  size_t length = desk + offsetof(ranks_desk, pieces) + *sent % 2 * sizeof(uint64_t);
  ranks_put(r, r->desks, t->with, tray_offset(r, r->rank, *sent), t->data + t->at, n);
  ranks_set(r, r->desks, t->with, length, n);
  ranks_set(r, r->desks, t->with, desk + offsetof(ranks_desk, sent), ++*sent);
  t->at += n;
  t->over = t->at == t->bytes;
  return true;
}

static bool take_piece(tsr_ranks *r, transfer *t) {
  ranks_desk *d = ranks_desk_of(r, t->with);
  uint64_t *received = &r->received[t->with];
  if (t->over || atomic_load_explicit(&d->sent, memory_order_acquire) == *received) return false;
  size_t expected = MIN(t->bytes - t->at, r->piece), n = d->pieces[*received % 2];
  if (n != expected) {
    ranks_fail(r, "rank %u: all_to_all: rank %u sends %zu bytes more where this one takes %zu",
               r->rank, t->with, n, expected);
    return false;
  }
  memcpy(t->data + t->at, r->desks->own + tray_offset(r, t->with, *received), n);
  size_t taken = r->rank * sizeof(ranks_desk) + offsetof(ranks_desk, taken);
  ranks_set(r, r->desks, t->with, taken, ++*received);
  t->at += n;
  t->over = t->at == t->bytes;
  return true;
}

/* Both at once, so that no two ranks wait for each other to take something. */
static bool exchange(tsr_ranks *r, unsigned to, const void *out, size_t out_bytes, unsigned from,
                     void *in, size_t in_bytes) {
  transfer give = {.with = to, .data = (char *)(uintptr_t)out, .bytes = out_bytes};
  transfer take = {.with = from, .data = in, .bytes = in_bytes};
  ranks_patience p = ranks_begin_waiting(r);
  while (!give.over || !take.over) {
    bool moved = send_piece(r, &give);
    moved |= take_piece(r, &take);
    if (r->failed) return false;
    if (moved)
      p = ranks_begin_waiting(r);
    else if (!ranks_wait_more(&p, take.over ? to : from))
      return false;
  }
  return true;
}

static unsigned after(const tsr_ranks *r, unsigned steps) {
  return (r->rank + steps) % r->size;
}

static bool begin(tsr_ranks *r, ranks_call call, size_t bytes, uint64_t detail) {
  return ranks_agree(r, &(ranks_record){.call = call, .bytes = bytes, .detail = detail});
}

static tsr_status ended(bool good) {
  return good ? TSR_OK : TSR_ERROR_TRAP;
}

/* ---- moving --------------------------------------------------------------------------------- */

tsr_status tsr_ranks_barrier(tsr_ranks *r) {
  if (!r) return TSR_ERROR_USAGE;
  return ended(begin(r, RANKS_BARRIER, 0, 0));
}

/* One direction only. */
static bool move_all(tsr_ranks *r, transfer *t, bool (*move)(tsr_ranks *, transfer *)) {
  ranks_patience p = ranks_begin_waiting(r);
  while (!t->over) {
    bool moved = move(r, t);
    if (r->failed || (!moved && !ranks_wait_more(&p, t->with))) return false;
    if (moved) p = ranks_begin_waiting(r);
  }
  return true;
}

/* As many ranks as have the data send them in a step: a tree. */
static bool broadcast(tsr_ranks *r, unsigned root, void *data, size_t bytes) {
  unsigned turn = (r->rank + r->size - root) % r->size, step = 1;
  bool good = true;
  while (step <= turn) step *= 2;
  transfer take = {.with = (r->rank + r->size - step / 2) % r->size, .data = data, .bytes = bytes};
  if (turn) good = move_all(r, &take, take_piece);
  for (; good && turn + step < r->size; step *= 2) {
    transfer give = {.with = after(r, step), .data = data, .bytes = bytes};
    good = move_all(r, &give, send_piece);
  }
  return good;
}

tsr_status tsr_ranks_broadcast(tsr_ranks *r, unsigned root, void *data, size_t bytes) {
  if (!r || (!data && bytes)) return TSR_ERROR_USAGE;
  if (root >= r->size) {
    diag_error(r->ctx, NOWHERE, "tsr_ranks_broadcast: there is no rank %u among %u", root, r->size);
    return TSR_ERROR_USAGE;
  }
  return ended(begin(r, RANKS_BROADCAST, bytes, root) && broadcast(r, root, data, bytes));
}

/* Parts of `to`, which begin at starts[k] and end at starts[k + 1], from the ranks. */
static bool gather(tsr_ranks *r, const void *from, char *to, const size_t *starts) {
  size_t own = starts[r->rank + 1] - starts[r->rank];
  if (own) memmove(to + starts[r->rank], from, own);
  bool good = true;
  for (unsigned s = 1; s < r->size && good; s++) {
    unsigned k = after(r, r->size - s);
    good = exchange(r, after(r, s), to + starts[r->rank], own, k, to + starts[k],
                    starts[k + 1] - starts[k]);
  }
  return good;
}

/* Room for where each rank's part begins, and the end of the last; NULL after a message. */
static size_t *new_starts(tsr_ranks *r) {
  size_t *starts = ctx_try_alloc(r->ctx, (r->size + 1) * sizeof *starts);
  if (!starts) ranks_fail(r, "rank %u: out of memory", r->rank);
  return starts;
}

static void free_starts(tsr_ranks *r, size_t *starts) {
  if (starts) ctx_free(r->ctx, starts, (r->size + 1) * sizeof *starts);
}

tsr_status tsr_ranks_all_gather(tsr_ranks *r, const void *from, void *to, size_t bytes) {
  if (!r || (bytes && (!from || !to))) return TSR_ERROR_USAGE;
  if (!begin(r, RANKS_ALL_GATHER, bytes, 0)) return TSR_ERROR_TRAP;
  size_t *starts = new_starts(r);
  for (unsigned k = 0; starts && k <= r->size; k++) starts[k] = k * bytes;
  bool good = starts && gather(r, from, to, starts);
  free_starts(r, starts);
  return ended(good);
}

/* What lies in `from` for each rank to it; what each has for this one to its place. */
static bool scatter(tsr_ranks *r, const char *from, const size_t *out, char *to, const size_t *in) {
  size_t own = out[r->rank + 1] - out[r->rank];
  if (own != in[r->rank + 1] - in[r->rank]) {
    ranks_fail(r, "rank %u: all_to_all: it sends %zu bytes to itself, and takes %zu", r->rank, own,
               in[r->rank + 1] - in[r->rank]);
    return false;
  }
  if (own) memcpy(to + in[r->rank], from + out[r->rank], own);
  bool good = true;
  for (unsigned s = 1; s < r->size && good; s++) {
    unsigned give = after(r, s), take = after(r, r->size - s);
    good = exchange(r, give, from + out[give], out[give + 1] - out[give], take, to + in[take],
                    in[take + 1] - in[take]);
  }
  return good;
}

static tsr_status all_to_all(tsr_ranks *r, uint64_t bytes, const void *from, const size_t *sent,
                             void *to, const size_t *received) {
  if (!begin(r, RANKS_ALL_TO_ALL, bytes, sent ? 1 : 0)) return TSR_ERROR_TRAP;
  size_t *out = new_starts(r), *in = out ? new_starts(r) : NULL;
  if (in) out[0] = in[0] = 0;
  for (unsigned k = 0; in && k < r->size; k++) {
    out[k + 1] = out[k] + (sent ? sent[k] : bytes);
    in[k + 1] = in[k] + (received ? received[k] : bytes);
  }
  bool good = in && scatter(r, from, out, to, in);
  free_starts(r, out);
  free_starts(r, in);
  return ended(good);
}

tsr_status tsr_ranks_all_to_all(tsr_ranks *r, const void *from, void *to, size_t bytes) {
  if (!r || (bytes && (!from || !to))) return TSR_ERROR_USAGE;
  return all_to_all(r, bytes, from, NULL, to, NULL);
}

tsr_status tsr_ranks_all_to_all_v(tsr_ranks *r, const void *from, const size_t *sent, void *to,
                                  const size_t *received) {
  if (!r || !sent || !received) return TSR_ERROR_USAGE;
  return all_to_all(r, 0, from, sent, to, received);
}

/* ---- reducing ------------------------------------------------------------------------------- */

static double combine(double a, double b, tsr_reduction how) {
  if (how == TSR_REDUCE_SUM) return a + b;
  if (isnan(a) || isnan(b)) return NAN;
  return how == TSR_REDUCE_MIN ? MIN(a, b) : MAX(a, b);
}

static void reduce_f32(float *out, const float *from, size_t n, tsr_reduction how) {
  if (how == TSR_REDUCE_SUM)
    for (size_t i = 0; i < n; i++) out[i] += from[i];
  else
    for (size_t i = 0; i < n; i++) out[i] = (float)combine(out[i], from[i], how);
}

static void reduce_f64(double *out, const double *from, size_t n, tsr_reduction how) {
  for (size_t i = 0; i < n; i++) out[i] = combine(out[i], from[i], how);
}

static int64_t combine_integers(int64_t a, int64_t b, tsr_reduction how) {
  if (how == TSR_REDUCE_SUM) return (int64_t)((uint64_t)a + (uint64_t)b);
  return how == TSR_REDUCE_MIN ? MIN(a, b) : MAX(a, b);
}

enum { BLOCK = 256 };

static int64_t load_integer(const char *memory, unsigned bytes) {
  uint64_t bits = 0;
  memcpy(&bits, memory, bytes);
  return num_sext(bits, 8 * bytes);
}

static void reduce_integers(char *out, const char *from, size_t n, tsr_elem elem,
                            tsr_reduction how) {
  unsigned bytes = tsr_elem_bits(elem) / 8;
  for (size_t i = 0; i < n; i++) {
    int64_t value = combine_integers(load_integer(out + i * bytes, bytes),
                                     load_integer(from + i * bytes, bytes), how);
    memcpy(out + i * bytes, &value, bytes);
  }
}

/* Floats below f32: all ranks' elements of a block are added before the sum is rounded. */
static void reduce_small(char *to, const char *all, size_t stride, unsigned ranks, size_t n,
                         tsr_elem elem, tsr_reduction how) {
  double sum[BLOCK], more[BLOCK];
  for (size_t at = 0; at < n; at += BLOCK) {
    size_t count = MIN(n - at, (size_t)BLOCK);
    num_decode_array(sum, all, elem, at, count);
    for (unsigned k = 1; k < ranks; k++) {
      num_decode_array(more, all + k * stride, elem, at, count);
      for (size_t i = 0; i < count; i++) sum[i] = (float)combine(sum[i], more[i], how);
    }
    num_encode_array(to, sum, elem, at, count, NUM_NEAREST_EVEN);
  }
}

/* `ranks` vectors, `stride` bytes apart, in the order of the ranks. */
static void reduce_all(void *to, const char *all, size_t stride, unsigned ranks, size_t n,
                       tsr_elem elem, tsr_reduction how) {
  bool whole = tsr_elem_is_int(elem) || elem == TSR_F32 || elem == TSR_F64;
  if (!whole) {
    reduce_small(to, all, stride, ranks, n, elem, how);
    return;
  }
  memcpy(to, all, stride);
  for (unsigned k = 1; k < ranks; k++) {
    const void *from = all + k * stride;
    if (elem == TSR_F32)
      reduce_f32(to, from, n, how);
    else if (elem == TSR_F64)
      reduce_f64(to, from, n, how);
    else
      reduce_integers(to, from, n, elem, how);
  }
}

static bool can_reduce(tsr_ranks *r, tsr_elem elem, size_t count, const char *function) {
  unsigned bits = elem < TSR_ELEM_COUNT ? tsr_elem_bits(elem) : 0;
  bool number = elem < TSR_ELEM_COUNT && elem != TSR_PTR && elem != TSR_I1;
  if (number && (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
      count <= SIZE_MAX / 16 / r->size)
    return true;
  diag_error(r->ctx, NOWHERE, "%s: it takes elements of 8, 16, 32 or 64 bits, not %s", function,
             elem < TSR_ELEM_COUNT ? tsr_elem_name(elem) : "an unknown type");
  return false;
}

static uint64_t reduction_detail(tsr_elem elem, tsr_reduction how, tsr_shots shots) {
  return (uint64_t)elem << 8 | (uint64_t)shots << 4 | (uint64_t)how;
}

/* Parts that begin at starts[k] of `from` go to rank k; their sum over all ranks comes to `to`. */
static bool reduce_parts(tsr_ranks *r, const char *from, const size_t *starts, void *to,
                         tsr_elem elem, tsr_reduction how) {
  size_t own = starts[r->rank + 1] - starts[r->rank], size = tsr_elem_bits(elem) / 8;
  size_t *places = new_starts(r);
  char *all = places ? ctx_try_alloc(r->ctx, r->size * own + 1) : NULL;
  if (places && !all) ranks_fail(r, "rank %u: out of memory: %zu bytes", r->rank, r->size * own);
  for (unsigned k = 0; all && k <= r->size; k++) places[k] = k * own;
  bool good = all && scatter(r, from, starts, all, places);
  if (good && own) reduce_all(to, all, own, r->size, own / size, elem, how);
  if (all) ctx_free(r->ctx, all, r->size * own + 1);
  free_starts(r, places);
  return good;
}

tsr_status tsr_ranks_reduce_scatter(tsr_ranks *r, const void *from, void *to, size_t count,
                                    tsr_elem elem, tsr_reduction how) {
  if (!r || (count && (!from || !to))) return TSR_ERROR_USAGE;
  if (!can_reduce(r, elem, count, "tsr_ranks_reduce_scatter")) return TSR_ERROR_USAGE;
  if (!begin(r, RANKS_REDUCE_SCATTER, count, reduction_detail(elem, how, TSR_SHOTS_AUTO)))
    return TSR_ERROR_TRAP;
  size_t *starts = new_starts(r);
  for (unsigned k = 0; starts && k <= r->size; k++) starts[k] = k * count * tsr_elem_bits(elem) / 8;
  bool good = starts && reduce_parts(r, from, starts, to, elem, how);
  free_starts(r, starts);
  return ended(good);
}

static bool reduce_in_one(tsr_ranks *r, const void *from, void *to, size_t count, tsr_elem elem,
                          tsr_reduction how) {
  size_t bytes = count * tsr_elem_bits(elem) / 8;
  size_t *starts = new_starts(r);
  char *all = starts ? ctx_try_alloc(r->ctx, r->size * bytes + 1) : NULL;
  if (starts && !all) ranks_fail(r, "rank %u: out of memory: %zu bytes", r->rank, r->size * bytes);
  for (unsigned k = 0; all && k <= r->size; k++) starts[k] = k * bytes;
  bool good = all && gather(r, from, all, starts);
  if (good && count) reduce_all(to, all, bytes, r->size, count, elem, how);
  if (all) ctx_free(r->ctx, all, r->size * bytes + 1);
  free_starts(r, starts);
  return good;
}

static bool reduce_in_two(tsr_ranks *r, const void *from, void *to, size_t count, tsr_elem elem,
                          tsr_reduction how) {
  size_t *starts = new_starts(r), size = tsr_elem_bits(elem) / 8;
  for (unsigned k = 0; starts && k <= r->size; k++)
    starts[k] = (size_t)((__uint128_t)count * k / r->size) * size;
  char *own = starts ? (char *)to + starts[r->rank] : NULL;
  bool good = starts && reduce_parts(r, from, starts, own, elem, how) && gather(r, own, to, starts);
  free_starts(r, starts);
  return good;
}

enum { MOST_IN_ONE = 32 << 10 }; /* bytes: below that the second step costs more than it saves */

tsr_status tsr_ranks_all_reduce(tsr_ranks *r, const void *from, void *to, size_t count,
                                tsr_elem elem, tsr_reduction how, tsr_shots shots) {
  if (!r || (count && (!from || !to))) return TSR_ERROR_USAGE;
  if (!can_reduce(r, elem, count, "tsr_ranks_all_reduce")) return TSR_ERROR_USAGE;
  if (!begin(r, RANKS_ALL_REDUCE, count, reduction_detail(elem, how, shots))) return TSR_ERROR_TRAP;
  bool is_short = count * tsr_elem_bits(elem) / 8 <= MOST_IN_ONE || r->size <= 2;
  bool one = shots == TSR_SHOTS_ONE || (shots == TSR_SHOTS_AUTO && is_short);
  return ended(one ? reduce_in_one(r, from, to, count, elem, how)
                   : reduce_in_two(r, from, to, count, elem, how));
}
