/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command lsp.
 */
#include "lsp/server.h"

#include <unistd.h>

#include "cli/cli.h"

int cli_lsp(cli *c) {
  if (isatty(STDIN_FILENO))
    return cli_wrong_call(c, "'lsp' speaks to an editor, which starts it; see docs/editors.md");
  bool right = lsp_serve(c->ctx, STDIN_FILENO, STDOUT_FILENO, cli_load_flags(c));
  return right ? CLI_OK : CLI_WRONG_INPUT;
}
