/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Zstandard frames (RFC 8878): blocks of literals, which may be Huffman coded, and of sequences
 * (literals to take, how far back and how much to copy), which are coded by finite state entropy.
 * Dictionaries are not supported; the checksum at the end is not looked at.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/decompress.h"

enum { BLOCK_MAX = 128 << 10 };
enum { FSE_LOG_MAX = 9, HUFFMAN_BITS_MAX = 11, SYMBOLS_MAX = 256 };

/* ---- bits ----------------------------------------------------------------------------------- */

/* Bytes read forwards; headers of tables are bit fields that begin with the lowest bit. */
typedef struct input {
  const uint8_t *at, *end;
} input;

static size_t left(const input *in) {
  return (size_t)(in->end - in->at);
}

static bool take(input *in, size_t n, input *part) {
  if (n > left(in)) return false;
  *part = (input){in->at, in->at + n};
  in->at += n;
  return true;
}

static bool take_number(input *in, unsigned bytes, uint64_t *out) {
  input part;
  if (!take(in, bytes, &part)) return false;
  *out = 0;
  for (unsigned i = 0; i < bytes; i++) *out |= (uint64_t)part.at[i] << 8 * i;
  return true;
}

/* Streams are read from their last bit, which a 1 marks, to their first. `bits` becomes negative
 * when more was read than there is: those bits are 0. */
typedef struct backwards {
  const uint8_t *data;
  int64_t bits;
} backwards;

static bool backwards_open(backwards *b, const input *in) {
  size_t n = left(in);
  if (!n || !in->at[n - 1]) return false;
  unsigned top = 31 - (unsigned)__builtin_clz(in->at[n - 1]);
  *b = (backwards){in->at, (int64_t)(n - 1) * 8 + top};
  return true;
}

static uint32_t bits_at(const uint8_t *data, int64_t at, unsigned n) {
  uint64_t word = 0;
  for (unsigned i = 0; i < n; i++) {
    int64_t bit = at + i;
    if (bit >= 0) word |= (uint64_t)(data[bit >> 3] >> (bit & 7) & 1) << i;
  }
  return (uint32_t)word;
}

static uint32_t backwards_read(backwards *b, unsigned n) {
  b->bits -= n;
  return bits_at(b->data, b->bits, n);
}

/* ---- finite state entropy ------------------------------------------------------------------- */

typedef struct fse_state {
  uint8_t symbol, bits;
  uint16_t base;
} fse_state;

typedef struct fse {
  unsigned log;
  fse_state states[1 << FSE_LOG_MAX];
} fse;

static unsigned floor_log2(uint32_t v) {
  return 31 - (unsigned)__builtin_clz(v);
}

/* The states of a table of normalised counts; -1 is "less than one". */
static bool fse_build(fse *t, const int16_t *counts, unsigned n, unsigned log) {
  unsigned size = 1u << log, high = size, step = (size >> 1) + (size >> 3) + 3, at = 0;
  uint16_t next[SYMBOLS_MAX];
  t->log = log;
  for (unsigned s = 0; s < n; s++) {
    next[s] = (uint16_t)(counts[s] < 0 ? 1 : counts[s]);
    if (counts[s] < 0) t->states[--high].symbol = (uint8_t)s;
  }
  for (unsigned s = 0; s < n; s++)
    for (int i = 0; i < counts[s]; i++) {
      t->states[at].symbol = (uint8_t)s;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  if (at) return false;
  for (unsigned i = 0; i < size; i++) {
    fse_state *st = &t->states[i];
    unsigned number = next[st->symbol]++;
    st->bits = (uint8_t)(log - floor_log2(number));
    st->base = (uint16_t)((number << st->bits) - size);
  }
  return true;
}

/* A bit field that is read forwards; bits behind its end are 0, and make it fail in the end. */
typedef struct field {
  const uint8_t *data;
  int64_t at, end;
} field;

static unsigned field_peek(const field *f, unsigned n) {
  if (f->at >= f->end) return 0;
  return bits_at(f->data, f->at, f->at + n > f->end ? (unsigned)(f->end - f->at) : n);
}

static unsigned field_read(field *f, unsigned n) {
  unsigned value = field_peek(f, n);
  f->at += n;
  return value;
}

/* A count that is at most `remaining`, or -1: small values take a bit less. */
static int read_count_of(field *f, int remaining) {
  unsigned bits = floor_log2((uint32_t)remaining + 1) + 1;
  unsigned low = (1u << (bits - 1)) - 1, threshold = (1u << bits) - 2 - (unsigned)remaining;
  unsigned value = field_peek(f, bits);
  if ((value & low) < threshold) {
    f->at += bits - 1;
    return (int)(value & low) - 1;
  }
  f->at += bits;
  return (int)(value > low ? value - threshold : value) - 1;
}

/* After a count of 0 it is said how many more there are, up to 3 at once. */
static bool read_zeros(field *f, int16_t *counts, unsigned *n, unsigned max) {
  unsigned more = 3;
  while (more == 3) {
    more = field_read(f, 2);
    if (more > max - *n || f->at > f->end) return false;
    for (unsigned i = 0; i < more; i++) counts[(*n)++] = 0;
  }
  return true;
}

/* Reads counts, whose sum is 1 << log; `*log` is the largest that may be. */
static bool fse_counts(input *in, int16_t *counts, unsigned *n, unsigned max, unsigned *log) {
  field f = {in->at, 0, (int64_t)left(in) * 8};
  unsigned said = 5 + field_read(&f, 4);
  if (said > *log) return false;
  *log = said;
  *n = 0;
  for (int remaining = 1 << said; remaining > 0;) {
    if (*n == max || f.at > f.end) return false;
    int count = read_count_of(&f, remaining);
    remaining -= count < 0 ? 1 : count;
    counts[(*n)++] = (int16_t)count;
    if (count == 0 && !read_zeros(&f, counts, n, max)) return false;
  }
  if (f.at > f.end) return false;
  in->at += (f.at + 7) / 8;
  return true;
}

static bool fse_read(input *in, fse *t, unsigned max, unsigned log) {
  int16_t counts[SYMBOLS_MAX];
  unsigned n;
  return fse_counts(in, counts, &n, max, &log) && fse_build(t, counts, n, log);
}

/* A table of one symbol, which takes no bits. */
static void fse_single(fse *t, uint8_t symbol) {
  t->log = 0;
  t->states[0] = (fse_state){.symbol = symbol};
}

static void fse_step(const fse *t, unsigned *state, backwards *b) {
  const fse_state *s = &t->states[*state];
  *state = s->base + backwards_read(b, s->bits);
}

/* ---- Huffman codes -------------------------------------------------------------------------- */

typedef struct huffman {
  unsigned bits; /* of the longest code; 0: no table yet */
  struct {
    uint8_t symbol, bits;
  } codes[1 << HUFFMAN_BITS_MAX];
} huffman;

/* Of weights, where the last symbol's is what is missing to a power of two. */
static bool huffman_build(huffman *h, uint8_t *weights, unsigned n) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < n; i++) {
    if (weights[i] > HUFFMAN_BITS_MAX) return false;
    if (weights[i]) sum += 1u << (weights[i] - 1);
  }
  if (!sum) return false;
  unsigned bits = floor_log2(sum) + 1;
  uint32_t missing = (1u << bits) - sum;
  if (bits > HUFFMAN_BITS_MAX || missing & (missing - 1)) return false;
  weights[n++] = (uint8_t)(floor_log2(missing) + 1);
  h->bits = bits;
  unsigned at = 0;
  for (unsigned w = 1; w <= bits; w++)
    for (unsigned s = 0; s < n; s++)
      for (unsigned i = 0; weights[s] == w && i < 1u << (w - 1); i++) {
        h->codes[at].symbol = (uint8_t)s;
        h->codes[at++].bits = (uint8_t)(bits + 1 - w);
      }
  return at == 1u << bits;
}

/* Two states take turns; the stream ends within the bits that one of them asks for. */
static bool huffman_fse_weights(input in, uint8_t *weights, unsigned *n) {
  fse *t = malloc(sizeof *t);
  backwards b;
  bool good = t && fse_read(&in, t, SYMBOLS_MAX, 6) && backwards_open(&b, &in);
  unsigned count = 0;
  if (good) {
    unsigned state[2];
    state[0] = backwards_read(&b, t->log);
    state[1] = backwards_read(&b, t->log);
    for (unsigned turn = 0; good; turn ^= 1) {
      good = count < SYMBOLS_MAX - 2;
      if (good) weights[count++] = t->states[state[turn]].symbol;
      fse_step(t, &state[turn], &b);
      if (b.bits < 0) {
        weights[count++] = t->states[state[turn ^ 1]].symbol;
        break;
      }
    }
  }
  free(t);
  *n = count;
  return good;
}

static bool huffman_read(input *in, huffman *h) {
  uint8_t weights[SYMBOLS_MAX] = {0};
  uint64_t head;
  input part;
  unsigned n;
  if (!take_number(in, 1, &head)) return false;
  if (head < 128)
    return take(in, head, &part) && huffman_fse_weights(part, weights, &n) &&
           huffman_build(h, weights, n);
  n = (unsigned)head - 127;
  if (!take(in, (n + 1) / 2, &part)) return false;
  for (unsigned i = 0; i < n; i++) weights[i] = i & 1 ? part.at[i / 2] & 15 : part.at[i / 2] >> 4;
  return huffman_build(h, weights, n);
}

static bool huffman_decode(const huffman *h, input in, uint8_t *out, size_t n) {
  backwards b;
  if (!h->bits || !backwards_open(&b, &in)) return false;
  for (size_t i = 0; i < n; i++) {
    uint32_t index = bits_at(b.data, b.bits - h->bits, h->bits);
    out[i] = h->codes[index].symbol;
    b.bits -= h->codes[index].bits;
    if (b.bits < 0) return false;
  }
  return b.bits == 0;
}

/* ---- a frame's state ------------------------------------------------------------------------ */

enum { LITERALS, OFFSETS, MATCHES, TABLES };

typedef struct decoder {
  uint8_t *out;
  size_t at, length;
  huffman codes;
  fse tables[TABLES];
  bool known[TABLES]; /* the table of an earlier block may be used again */
  uint64_t offsets[3];
  uint8_t literals[BLOCK_MAX];
  size_t n_literals;
} decoder;

/* ---- literals ------------------------------------------------------------------------------- */

static bool literals_coded(decoder *d, input in, bool four, bool new_table) {
  if (new_table && !huffman_read(&in, &d->codes)) return false;
  size_t n = d->n_literals, quarter = (n + 3) / 4;
  if (!four) return huffman_decode(&d->codes, in, d->literals, n);
  uint64_t sizes[3];
  input part;
  for (unsigned i = 0; i < 3; i++)
    if (!take_number(&in, 2, &sizes[i])) return false;
  if (quarter * 3 > n) return false;
  for (unsigned i = 0; i < 3; i++)
    if (!take(&in, sizes[i], &part) ||
        !huffman_decode(&d->codes, part, d->literals + i * quarter, quarter))
      return false;
  return huffman_decode(&d->codes, in, d->literals + 3 * quarter, n - 3 * quarter);
}

static bool literals_plain(decoder *d, input *in, bool repeated) {
  input part;
  if (!take(in, repeated ? 1 : d->n_literals, &part)) return false;
  if (repeated)
    memset(d->literals, part.at[0], d->n_literals);
  else
    memcpy(d->literals, part.at, d->n_literals);
  return true;
}

/* Plain, one byte repeated, coded with a table, or coded with the table before. */
static bool read_literals(decoder *d, input *in) {
  if (!left(in)) return false;
  unsigned kind = in->at[0] & 3, format = in->at[0] >> 2 & 3;
  uint64_t head;
  if (kind < 2) {
    unsigned bytes = format == 1 ? 2 : format == 3 ? 3 : 1;
    if (!take_number(in, bytes, &head)) return false;
    d->n_literals = (size_t)(head >> (bytes == 1 ? 3 : 4));
    return d->n_literals <= BLOCK_MAX && literals_plain(d, in, kind == 1);
  }
  unsigned bytes = format < 2 ? 3 : format + 2, width = format < 2 ? 10 : format == 2 ? 14 : 18;
  if (!take_number(in, bytes, &head)) return false;
  head >>= 4;
  d->n_literals = (size_t)(head & ((1u << width) - 1));
  size_t coded = (size_t)(head >> width);
  input part;
  if (d->n_literals > BLOCK_MAX || !take(in, coded, &part)) return false;
  return literals_coded(d, part, format != 0, kind == 2);
}

/* ---- sequences ------------------------------------------------------------------------------ */

typedef struct range_code {
  uint32_t base;
  uint8_t bits;
} range_code;

static const range_code literal_codes[] = {
    {0, 0},     {1, 0},      {2, 0},      {3, 0},     {4, 0},   {5, 0},     {6, 0},     {7, 0},
    {8, 0},     {9, 0},      {10, 0},     {11, 0},    {12, 0},  {13, 0},    {14, 0},    {15, 0},
    {16, 1},    {18, 1},     {20, 1},     {22, 1},    {24, 2},  {28, 2},    {32, 3},    {40, 3},
    {48, 4},    {64, 6},     {128, 7},    {256, 8},   {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
    {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}};
/* From code 32 on; code n below that is a length of n + 3. */
static const range_code match_codes[] = {
    {35, 1},    {37, 1},    {39, 1},    {41, 1},    {43, 2},     {47, 2},     {51, 3},
    {59, 3},    {67, 4},    {83, 4},    {99, 5},    {131, 7},    {259, 8},    {515, 9},
    {1027, 10}, {2051, 11}, {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};

static const int16_t literal_counts[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                         2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t match_counts[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t offset_counts[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

typedef struct table_kind {
  const int16_t *counts;
  unsigned n, log, most; /* of the table that is predefined; the largest log that may be read */
  unsigned symbols;
} table_kind;

static const table_kind kinds[TABLES] = {
    [LITERALS] = {literal_counts, 36, 6, 9, 36},
    [OFFSETS] = {offset_counts, 29, 5, 8, 32},
    [MATCHES] = {match_counts, 53, 6, 9, 53},
};

enum { PREDEFINED, SINGLE, WRITTEN, AGAIN };

static bool read_table(decoder *d, unsigned which, unsigned mode, input *in) {
  const table_kind *k = &kinds[which];
  uint64_t symbol;
  bool good = false;
  switch (mode) {
  case PREDEFINED: good = fse_build(&d->tables[which], k->counts, k->n, k->log); break;
  case SINGLE:
    good = take_number(in, 1, &symbol) && symbol < k->symbols;
    if (good) fse_single(&d->tables[which], (uint8_t)symbol);
    break;
  case WRITTEN: good = fse_read(in, &d->tables[which], k->symbols, k->most); break;
  default: return d->known[which];
  }
  d->known[which] = good;
  return good;
}

/* Values 1 to 3 stand for the last offsets, of which the one used comes to the front. */
static bool resolve_offset(decoder *d, uint64_t value, size_t literals, uint64_t *offset) {
  uint64_t *last = d->offsets;
  if (value > 3) {
    *offset = value - 3;
    last[2] = last[1];
    last[1] = last[0];
    last[0] = *offset;
    return true;
  }
  unsigned index = (unsigned)value - 1 + (literals == 0);
  *offset = index < 3 ? last[index] : last[0] - 1;
  if (index > 1) last[2] = last[1];
  if (index > 0) last[1] = last[0];
  last[0] = *offset;
  return *offset > 0;
}

static bool copy_literals(decoder *d, size_t *from, size_t n) {
  if (n > d->n_literals - *from || n > d->length - d->at) return false;
  memcpy(d->out + d->at, d->literals + *from, n);
  *from += n;
  d->at += n;
  return true;
}

static bool copy_match(decoder *d, uint64_t offset, size_t n) {
  if (offset > d->at || n > d->length - d->at) return false;
  for (size_t i = 0; i < n; i++, d->at++) d->out[d->at] = d->out[d->at - (size_t)offset];
  return true;
}

static bool run_sequence(decoder *d, const unsigned *state, backwards *b, size_t *from) {
  unsigned literal = d->tables[LITERALS].states[state[LITERALS]].symbol;
  unsigned match = d->tables[MATCHES].states[state[MATCHES]].symbol;
  unsigned code = d->tables[OFFSETS].states[state[OFFSETS]].symbol;
  if (code > 31 || literal > 35 || match > 52) return false;
  uint64_t value = ((uint64_t)1 << code) + backwards_read(b, code), offset;
  size_t copied = match + 3;
  if (match >= 32) {
    const range_code *m = &match_codes[match - 32];
    copied = m->base + backwards_read(b, m->bits);
  }
  size_t literals = literal_codes[literal].base + backwards_read(b, literal_codes[literal].bits);
  return copy_literals(d, from, literals) && resolve_offset(d, value, literals, &offset) &&
         copy_match(d, offset, copied);
}

static bool read_count(input *in, unsigned *n) {
  uint64_t a, b;
  if (!take_number(in, 1, &a)) return false;
  *n = (unsigned)a;
  if (a < 128) return true;
  if (!take_number(in, a < 255 ? 1 : 2, &b)) return false;
  *n = a < 255 ? ((unsigned)a - 128) * 256 + (unsigned)b : (unsigned)b + 0x7f00;
  return true;
}

static bool run_sequences(decoder *d, input *in, size_t *from) {
  static const unsigned shifts[TABLES] = {[LITERALS] = 6, [OFFSETS] = 4, [MATCHES] = 2};
  unsigned n, state[TABLES];
  uint64_t modes;
  backwards b;
  if (!read_count(in, &n)) return false;
  if (!n) return true;
  if (!take_number(in, 1, &modes)) return false;
  for (unsigned i = 0; i < TABLES; i++)
    if (!read_table(d, i, modes >> shifts[i] & 3, in)) return false;
  if (!backwards_open(&b, in)) return false;
  for (unsigned i = 0; i < TABLES; i++) state[i] = backwards_read(&b, d->tables[i].log);
  for (unsigned i = 0; i < n; i++) {
    if (!run_sequence(d, state, &b, from)) return false;
    if (i + 1 == n) break;
    fse_step(&d->tables[LITERALS], &state[LITERALS], &b);
    fse_step(&d->tables[MATCHES], &state[MATCHES], &b);
    fse_step(&d->tables[OFFSETS], &state[OFFSETS], &b);
    if (b.bits < 0) return false;
  }
  return b.bits == 0;
}

/* ---- blocks and frames ---------------------------------------------------------------------- */

static bool read_coded_block(decoder *d, input in) {
  size_t from = 0;
  if (!read_literals(d, &in) || !run_sequences(d, &in, &from)) return false;
  return copy_literals(d, &from, d->n_literals - from);
}

static bool read_plain_block(decoder *d, input *in, size_t size, bool repeated) {
  input part;
  if (!take(in, repeated ? 1 : size, &part) || size > d->length - d->at) return false;
  if (repeated)
    memset(d->out + d->at, part.at[0], size);
  else
    memcpy(d->out + d->at, part.at, size);
  d->at += size;
  return true;
}

static bool read_blocks(decoder *d, input *in) {
  uint64_t head = 0;
  while (!(head & 1)) {
    input part;
    if (!take_number(in, 3, &head)) return false;
    unsigned kind = head >> 1 & 3;
    size_t size = (size_t)(head >> 3);
    if (kind == 3) return false;
    if (kind == 2 ? !take(in, size, &part) || !read_coded_block(d, part)
                  : !read_plain_block(d, in, size, kind == 1))
      return false;
  }
  return true;
}

/* The window's size and the content's are of no use: all of the output is at hand. */
static bool skip_frame_header(input *in) {
  static const unsigned dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
  uint64_t magic, flags, ignored;
  if (!take_number(in, 4, &magic) || magic != 0xfd2fb528u || !take_number(in, 1, &flags))
    return false;
  bool single = flags >> 5 & 1;
  unsigned content_bytes = content[flags >> 6];
  if (!content_bytes && single) content_bytes = 1;
  return (flags & 3) == 0 && take_number(in, !single, &ignored) &&
         take_number(in, dictionary[flags & 3], &ignored) &&
         take_number(in, content_bytes, &ignored);
}

bool zstd_decompress(const void *data, size_t size, void *out, size_t length) {
  input in = {data, (const uint8_t *)data + size};
  decoder *d = calloc(1, sizeof *d);
  if (!d) return false;
  d->out = out;
  d->length = length;
  d->offsets[0] = 1;
  d->offsets[1] = 4;
  d->offsets[2] = 8;
  bool good = skip_frame_header(&in) && read_blocks(d, &in) && d->at == length;
  free(d);
  return good;
}
