/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Diagnostics for machines: what --diagnostics-format asks for in place of lines for people. All of
 * it goes to standard error.
 *
 *   json   an object a line: severity, rule, message, file, line, column, length, source, notes
 *   sarif  one SARIF 2.1.0 document when the command ends
 *
 * In both a note lies inside of the message that it belongs to. The rule is the kind of a finding
 * ("race"), "language" for what breaks the language's rules, and "command" for what has no place in
 * a program. Columns count bytes in JSON, and characters in SARIF.
 */
#ifndef TSR_CLI_DIAGNOSTICS_H
#define TSR_CLI_DIAGNOSTICS_H

#include <tessera/base.h>

#include "base/base.h"

typedef struct diagnostics diagnostics;

/* "json" or "sarif"; NULL for any other word, and when there is no memory. */
diagnostics *diagnostics_create(const char *format);
void diagnostics_add(diagnostics *d, const tsr_diagnostic *message);
/* Writes what is left, and frees it. NULL is allowed. */
void diagnostics_end(diagnostics *d);

#endif
