/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An array's memory starts with room for a .npy header, so that saving writes one piece.
 */
#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/array.h"
#include "num/num.h"

const char *const array_init_names[INIT_COUNT + 1] = {"zeros",   "ones",   "arange",
                                                      "uniform", "normal", NULL};

static bool product(const int64_t *shape, uint32_t rank, uint64_t *out) {
  *out = 1;
  for (uint32_t i = 0; i < rank; i++)
    if (shape[i] == 0) return *out = 0, true;
  for (uint32_t i = 0; i < rank; i++)
    if (__builtin_mul_overflow(*out, (uint64_t)shape[i], out)) return false;
  return true;
}

/* Whether elements share bytes. */
static bool is_packed(tsr_elem elem) {
  unsigned bits = tsr_elem_bits(elem);
  return bits > 1 && bits < 8;
}

bool array_describe(array *a, tsr_elem elem, uint32_t rank, const int64_t *shape) {
  *a = (array){.elem = elem, .rank = rank};
  memcpy(a->shape, shape, rank * sizeof *shape);
  if (!product(shape, rank, &a->count) || a->count > INT64_MAX / 8) return false;
  npy_header *h = &a->npy;
  npy_type_of(elem, &h->kind, &h->item);
  h->rank = rank;
  memcpy(h->shape, shape, rank * sizeof *shape);
  h->bytes = tsr_elem_storage(elem, a->count);
  h->count = h->bytes / h->item;
  if (!is_packed(elem) || rank == 0) return true;
  int64_t bits = tsr_elem_bits(elem);
  if (rank > 1 && shape[rank - 1] % 8 * bits % 8 != 0) {
    /* A row ends in the middle of a byte: only the bytes as a whole have a shape. */
    h->rank = 1;
    h->shape[0] = (int64_t)h->bytes;
  } else {
    h->shape[rank - 1] = (int64_t)tsr_elem_storage(elem, (size_t)shape[rank - 1]);
  }
  return true;
}

/* How many elements lie in so many bytes. */
static uint64_t elements_in(uint64_t bytes, unsigned bits) {
  return bytes / bits * 8 + bytes % bits * 8 / bits;
}

void array_describe_file(array *a, tsr_elem elem, const npy_header *h) {
  *a = (array){.elem = elem, .rank = h->rank, .count = h->count, .npy = *h};
  memcpy(a->shape, h->shape, sizeof a->shape);
  if (!is_packed(elem)) return;
  unsigned bits = tsr_elem_bits(elem);
  if (a->rank == 0) a->shape[a->rank++] = 1;
  int64_t *last = &a->shape[a->rank - 1];
  if (*last * 8 % bits && a->rank > 1) { /* no whole number of elements: rows mean nothing */
    a->rank = 1;
    a->shape[0] = (int64_t)(a->count = elements_in(a->count, bits));
    return;
  }
  *last = (int64_t)elements_in((uint64_t)*last, bits);
  product(a->shape, a->rank, &a->count);
}

bool array_allocate(array *a) {
  /* Pages of their own: aligned, zeroed when first touched, and large ones where they pay. */
  if (a->npy.bytes > SIZE_MAX / 2) return false;
  a->mapped = NPY_ROOM + a->npy.bytes;
  a->mapping = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (a->mapping == MAP_FAILED) {
    a->mapping = NULL;
    return false;
  }
  if (a->mapped >= (size_t)4 << 20) madvise(a->mapping, a->mapped, MADV_HUGEPAGE);
  a->data = (char *)a->mapping + NPY_ROOM;
  return true;
}

void array_free(array *a) {
  if (a->mapping) munmap(a->mapping, a->mapped);
  a->mapping = a->data = NULL;
}

bool array_read(array *a, int fd) {
  uint64_t done = 0;
  errno = 0;
  while (done < a->npy.bytes) {
    size_t piece = (size_t)MIN(a->npy.bytes - done, (uint64_t)1 << 30);
    ssize_t n = pread(fd, a->data + done, piece, (off_t)(a->npy.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (uint64_t)n;
  }
  /* NumPy reads any byte that isn't zero as True; kernels expect 1. */
  if (a->elem == TSR_I1)
    for (uint64_t i = 0; i < a->npy.bytes; i++) a->data[i] = a->data[i] != 0;
  return true;
}

bool array_save(tsr_context *ctx, array *a, const char *path) {
  size_t header = npy_put_header(a->data, &a->npy);
  return file_write(ctx, path, a->data - header, header + a->npy.bytes);
}

const char *array_type_text(arena *scratch, const array *a) {
  sbuf out = SBUF(scratch);
  sbuf_printf(&out, "%s ", tsr_elem_name(a->elem));
  for (uint32_t i = 0; i < a->rank; i++)
    sbuf_printf(&out, "%s%lld", i ? "x" : "", (long long)a->shape[i]);
  if (a->rank == 0) sbuf_puts(&out, "()");
  return out.data;
}

/* ---- random numbers: xoshiro256**, seeded by splitmix64 (Blackman, Vigna) ------------------- */

typedef struct random {
  uint64_t s[4];
  double spare; /* the second of a pair of normal numbers */
  bool has_spare;
} random;

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) {
  return x << k | x >> (64 - k);
}

static uint64_t random_next(random *r) {
  uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

static random random_start(uint64_t seed, uint64_t stream) {
  random r = {0};
  uint64_t state = seed, other = stream;
  state ^= splitmix(&other);
  for (int i = 0; i < 4; i++) r.s[i] = splitmix(&state);
  return r;
}

/* From 0 up to but not 1, a multiple of 2^-bits. */
static double random_unit(random *r, unsigned bits) {
  return (double)(random_next(r) >> (64 - bits)) / (double)(UINT64_C(1) << bits);
}

/* Box and Muller's transform. */
static double random_normal(random *r) {
  if (r->has_spare) {
    r->has_spare = false;
    return r->spare;
  }
  double radius = sqrt(-2 * log(1 - random_unit(r, 53)));
  double angle = 2 * M_PI * random_unit(r, 53);
  r->spare = radius * sin(angle);
  r->has_spare = true;
  return radius * cos(angle);
}

/* ---- filling -------------------------------------------------------------------------------- */

enum { CHUNK = 1024 };

/* Half of the range that random integers have: they stay small enough for sums and products. */
static int int_range(tsr_elem elem) {
  return 1 << (MIN(tsr_elem_bits(elem), 8u) - 1);
}

static double random_int(random *r, tsr_elem elem, array_init init) {
  if (elem == TSR_I1) return (double)(random_next(r) >> 63);
  double range = int_range(elem);
  if (init == INIT_UNIFORM) return floor(random_unit(r, 32) * 2 * range) - range;
  double x = nearbyint(random_normal(r) * range / 4);
  return x < -range ? -range : x > range - 1 ? range - 1 : x;
}

/* With as many bits as the type has: rounding never makes it 1. */
static double random_uniform_float(random *r, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  if (!f->has_zero) return ldexp(1, (int)(random_next(r) >> 61) - 4);
  return random_unit(r, MIN(f->mantissa_bits + 1u, 53u));
}

static double value_at(random *r, tsr_elem elem, array_init init, uint64_t index) {
  switch (init) {
  case INIT_ONES: return 1;
  case INIT_ARANGE: return (double)index;
  case INIT_UNIFORM:
  case INIT_NORMAL:
    if (!tsr_elem_is_float(elem)) return random_int(r, elem, init);
    return init == INIT_UNIFORM ? random_uniform_float(r, elem) : random_normal(r);
  default: return 0;
  }
}

static void fill_arange_int(array *a) {
  uint64_t patterns[CHUNK];
  unsigned width = tsr_elem_bits(a->elem);
  for (uint64_t first = 0; first < a->count; first += CHUNK) {
    uint64_t n = MIN(a->count - first, (uint64_t)CHUNK);
    for (uint64_t i = 0; i < n; i++) patterns[i] = num_wrap(first + i, width);
    num_store_array(a->data, patterns, a->elem, first, n);
  }
}

void array_fill(array *a, array_init init, uint64_t seed, uint64_t stream) {
  bool is_float = tsr_elem_is_float(a->elem);
  if (init == INIT_ZEROS && !(is_float && !num_format_of(a->elem)->has_zero)) return;
  if (init == INIT_ARANGE && !is_float) {
    fill_arange_int(a);
    return;
  }
  random r = random_start(seed, stream);
  double values[CHUNK];
  for (uint64_t first = 0; first < a->count; first += CHUNK) {
    uint64_t n = MIN(a->count - first, (uint64_t)CHUNK);
    for (uint64_t i = 0; i < n; i++) values[i] = value_at(&r, a->elem, init, first + i);
    num_encode_array(a->data, values, a->elem, first, n, NUM_NEAREST_EVEN);
  }
}
