/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A text that is open in an editor: what it says now, and what is known of it.
 *
 * Editors count lines from 0, and the columns of a line in the code units of an encoding that was
 * agreed on. Inside of the server a place is a byte's offset.
 */
#ifndef TSR_LSP_DOCUMENT_H
#define TSR_LSP_DOCUMENT_H

#include "base/json.h"
#include "text/index.h"

/* What a column counts: the protocol's "utf-8", "utf-16" (its default) and "utf-32". */
typedef enum lsp_encoding { LSP_UTF8, LSP_UTF16, LSP_UTF32 } lsp_encoding;

typedef struct lsp_message {
  tsr_severity severity;
  const char *text;
  uint32_t begin, end; /* offsets */
  uint32_t notes;      /* how many of the following belong to it */
} lsp_message;

typedef struct document document;
struct document {
  document *next;
  tsr_context *ctx;
  arena names;  /* of what stays the same */
  arena memory; /* of the text and of what is known of it */
  str uri;
  const char *path; /* what messages call it */
  double version;
  str text;
  VEC(uint32_t) lines; /* offsets of their beginnings */
  lsp_encoding encoding;
  bool is_tile; /* Tile IR as text, of which `index` is made */
  bool known;   /* `index` and `messages` are those of `text` */
  bool told;    /* the editor has the messages */
  text_index index;
  VEC(lsp_message) messages;
};

document *document_open(tsr_context *ctx, str uri, lsp_encoding encoding);
void document_close(document *d);
/* Copies the text; nothing is known of it then. */
void document_set(document *d, str text, double version);
/* What a change of the protocol (TextDocumentContentChangeEvent) leaves of the text. */
void document_change(document *d, const json_value *change, double version);
/* Reads and checks the text, unless it is known. `flags` are tsr_parse_flags. The context's
 * messages go to the document meanwhile. */
void document_read(document *d, unsigned flags);

uint32_t document_offset(const document *d, const json_value *position);
void document_put_position(const document *d, json *j, const char *key, uint32_t offset);
void document_put_range(const document *d, json *j, const char *key, uint32_t begin, uint32_t end);

#endif
