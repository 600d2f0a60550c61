/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What PNG pictures are made with: a writer of the format, which gets one row of pixels after the
 * other, and a font.
 */
#ifndef TSR_LAYOUT_PNG_H
#define TSR_LAYOUT_PNG_H

#include "layout/draw.h"

/* Compressed bytes are collected here and leave as a chunk when it is full. */
typedef struct png_writer {
  out_text *out;
  uint32_t row_bytes;
  uint32_t adler_a, adler_b, bits, bit_count, filled;
  uint8_t chunk[8192];
} png_writer;

enum { PNG_PIXEL = 3 /* bytes: red, green, blue */ };

void png_begin(png_writer *w, out_text *out, uint32_t width, uint32_t height);
/* A row, and the one above it (zeros above the first); `scratch` has room for a row and a byte. */
void png_row(png_writer *w, const uint8_t *row, const uint8_t *above, uint8_t *scratch);
void png_end(png_writer *w);

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_ADVANCE = 6 };
/* FONT_HEIGHT rows of an ASCII character; a box for others. */
const uint8_t *font_glyph(unsigned char c);
/* How many rows below the line it reaches. */
uint32_t font_drop(unsigned char c);

#endif
