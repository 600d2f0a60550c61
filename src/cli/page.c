/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The head that all pages share.
 */
#include "cli/page.h"

static const char shared_style[] =
    ":root{color-scheme:light dark}"
    "body{font:14px system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:500}"
    "td,th{padding:.15em .6em}td{text-align:right;font-variant-numeric:tabular-nums}"
    "tr:nth-child(even){background:#8881}svg{max-width:100%;height:auto}";

void page_begin(sbuf *out, const char *title, const char *style) {
  sbuf_puts(out, "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
                 "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<title>");
  sbuf_escape(out, title);
  sbuf_printf(out, "</title>\n<style>\n%s\n%s\n</style>\n<h1>", shared_style, style);
  sbuf_escape(out, title);
  sbuf_puts(out, "</h1>\n");
}
