/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lsp: a language server, by the Language Server Protocol 3.17 over two file descriptors.
 *
 *   wire ─► server ─► document: the text now, read by text/index.h ─► answers ─► wire
 *
 * One thread answers one message after the other; reading a program takes milliseconds. While
 * messages wait, diagnostics are not made: those of a text that has changed meanwhile would be of
 * no use.
 */
#ifndef TSR_LSP_SERVER_H
#define TSR_LSP_SERVER_H

#include "base/base.h"

/* Serves until the client says "exit" or the input ends. `flags` are tsr_parse_flags of all
 * programs. Returns whether the client had asked to shut down before, as the protocol wants it. */
bool lsp_serve(tsr_context *ctx, int in, int out, unsigned flags);

#endif
