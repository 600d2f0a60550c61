/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages of HTML that commands write: one file that needs no other, in light and in dark.
 */
#ifndef TSR_CLI_PAGE_H
#define TSR_CLI_PAGE_H

#include "base/base.h"

/* Begins a page with its title as headline; `style` is CSS for what is particular to it. Tables are
 * those of numbers, with names in `th`. */
void page_begin(sbuf *out, const char *title, const char *style);

#endif
