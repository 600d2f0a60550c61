/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The PNG format: RGB of 8 bits, every row as its difference to the one above.
 *
 * zlib would be the obvious way, but the core library depends on libc alone and is to start in a
 * millisecond, and these pictures are flat: where a row repeats the one above, the differences are
 * 0, and where only colours change, they repeat from pixel to pixel. So one kind of match, "as
 * three bytes ago", with deflate's fixed code makes a picture some hundred times smaller than its
 * pixels, in a hundred lines that every PNG reader understands. (Stored blocks would be shorter
 * still, but documentation does not want megabytes for a grid.)
 */
#include "layout/png.h"

enum { MAX_MATCH = 258, MIN_MATCH = 3, ADLER_BASE = 65521 };

/* ---- chunks ---- */

static uint32_t crc_of(uint32_t crc, const uint8_t *data, size_t n) {
  for (size_t i = 0; i < n; i++) {
    crc ^= data[i];
    for (int b = 0; b < 8; b++) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return crc;
}

static void big_endian(uint8_t out[4], uint32_t v) {
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void chunk(out_text *o, const char name[4], const uint8_t *data, uint32_t n) {
  uint8_t word[4];
  big_endian(word, n);
  out_add(o, (const char *)word, 4);
  out_add(o, name, 4);
  out_add(o, (const char *)data, n);
  uint32_t crc = crc_of(crc_of(0xffffffffu, (const uint8_t *)name, 4), data, n);
  big_endian(word, ~crc);
  out_add(o, (const char *)word, 4);
}

/* ---- deflate ---- */

static void byte_out(png_writer *w, uint8_t byte) {
  w->chunk[w->filled++] = byte;
  if (w->filled < sizeof w->chunk) return;
  chunk(w->out, "IDAT", w->chunk, w->filled);
  w->filled = 0;
}

/* Low bits first. */
static void bits_out(png_writer *w, uint32_t value, uint32_t count) {
  w->bits |= value << w->bit_count;
  w->bit_count += count;
  for (; w->bit_count >= 8; w->bit_count -= 8, w->bits >>= 8) byte_out(w, (uint8_t)w->bits);
}

/* Huffman codes go out with their high bit first. */
static void code_out(png_writer *w, uint32_t code, uint32_t count) {
  uint32_t reversed = 0;
  for (uint32_t i = 0; i < count; i++) reversed |= (code >> i & 1) << (count - 1 - i);
  bits_out(w, reversed, count);
}

/* RFC 1951, 3.2.6. */
static void symbol_out(png_writer *w, uint32_t symbol) {
  if (symbol < 144)
    code_out(w, 0x30 + symbol, 8);
  else if (symbol < 256)
    code_out(w, 0x190 + symbol - 144, 9);
  else if (symbol < 280)
    code_out(w, symbol - 256, 7);
  else
    code_out(w, 0xc0 + symbol - 280, 8);
}

/* A match of 3 .. 258 bytes: lengths up to 10 have symbols of their own; from there on each power
 * of two has four, with the low bits of the length after the symbol; 258 is the last. */
static void match_out(png_writer *w, uint32_t length) {
  uint32_t rest = length - MIN_MATCH;
  if (length == MAX_MATCH) {
    symbol_out(w, 285);
  } else if (rest < 8) {
    symbol_out(w, 257 + rest);
  } else {
    uint32_t extra = 29 - (uint32_t)__builtin_clz(rest);
    symbol_out(w, 257 + 4 * extra + (rest >> extra));
    bits_out(w, rest & ((1u << extra) - 1), extra);
  }
  code_out(w, PNG_PIXEL - 1, 5); /* the distance's code: 3 bytes back */
}

/* The first byte of a row is the filter's number, so matches stay within the pixels. */
static void compress(png_writer *w, const uint8_t *data, uint32_t n) {
  for (uint32_t i = 0; i < n;) {
    uint32_t length = 0;
    if (i > PNG_PIXEL)
      while (length < MAX_MATCH && i + length < n &&
             data[i + length] == data[i + length - PNG_PIXEL])
        length++;
    if (length >= MIN_MATCH)
      match_out(w, length);
    else
      symbol_out(w, data[i]);
    i += length >= MIN_MATCH ? length : 1;
  }
}

/* Adler-32; so many bytes can be summed before 32 bits overflow. */
static void checksum(png_writer *w, const uint8_t *data, uint32_t n) {
  enum { RUN = 5552 };
  for (uint32_t first = 0; first < n; first += RUN) {
    for (uint32_t i = first; i < MIN(n, first + RUN); i++) {
      w->adler_a += data[i];
      w->adler_b += w->adler_a;
    }
    w->adler_a %= ADLER_BASE;
    w->adler_b %= ADLER_BASE;
  }
}

/* ---- the file ---- */

void png_begin(png_writer *w, out_text *out, uint32_t width, uint32_t height) {
  *w = (png_writer){.out = out, .row_bytes = width * PNG_PIXEL, .adler_a = 1};
  uint8_t head[13] = {[8] = 8 /* bits */, [9] = 2 /* RGB */};
  big_endian(head, width);
  big_endian(head + 4, height);
  out_add(out, "\x89PNG\r\n\x1a\n", 8);
  chunk(out, "IHDR", head, sizeof head);
  byte_out(w, 0x78); /* zlib: deflate, a window of 32 KiB */
  byte_out(w, 0x01);
  bits_out(w, 1, 1); /* the last block */
  bits_out(w, 1, 2); /* with the fixed code */
}

void png_row(png_writer *w, const uint8_t *row, const uint8_t *above, uint8_t *scratch) {
  scratch[0] = 2; /* the filter "up" */
  for (uint32_t i = 0; i < w->row_bytes; i++) scratch[1 + i] = (uint8_t)(row[i] - above[i]);
  checksum(w, scratch, w->row_bytes + 1);
  compress(w, scratch, w->row_bytes + 1);
}

void png_end(png_writer *w) {
  uint8_t sum[4];
  symbol_out(w, 256);
  if (w->bit_count) bits_out(w, 0, 8 - w->bit_count);
  big_endian(sum, w->adler_b << 16 | w->adler_a);
  for (int i = 0; i < 4; i++) byte_out(w, sum[i]);
  if (w->filled) chunk(w->out, "IDAT", w->chunk, w->filled);
  chunk(w->out, "IEND", (const uint8_t *)"", 0);
}
