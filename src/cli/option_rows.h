/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows of options that several commands have, for the tables of commands.c.
 */
#ifndef TSR_CLI_OPTION_ROWS_H
#define TSR_CLI_OPTION_ROWS_H

#include "cli/cli.h"

/* Of every command that reads modules. */
#define EXTENSIONS_OPTION                                                                          \
  {                                                                                                \
    OPT_EXTENSIONS, 0, "extensions", NULL,                                                         \
        "admit element types that Tile IR doesn't have, as i3\nand f6E3M2FN (see tessera explain " \
        "--elements)"                                                                              \
  }

/* Of commands that make buffers for a kernel. */
#define SEED_OPTION                                                                                \
  { OPT_SEED, 0, "seed", "N", "other random numbers for uniform and normal (0)" }

#define BUFFER_OPTIONS                                                                             \
  {OPT_SAVE, 0, "save", "NAME=FILE.npy", "write a buffer to FILE.npy after the run"}, {            \
    OPT_PRINT, 0, "print", "NAME", "show a buffer after the run, as NumPy does"                    \
  }

#define RECORD_OPTION                                                                              \
  {                                                                                                \
    OPT_RECORD, 0, "record", "FOLDER",                                                             \
        "write what the buffers held before and after the\nlaunch into FOLDER, to repeat it "      \
        "elsewhere"                                                                                \
  }

#define KERNEL_OPTION                                                                              \
  { OPT_KERNEL, 'k', "kernel", "NAME", "which kernel, if FILE has more than one", "@kernels" }

/* Of commands that emulate a card and count. */
#define REPORT_OPTIONS                                                                             \
  {OPT_CARD,                                                                                       \
   0,                                                                                              \
   "card",                                                                                         \
   "NAME",                                                                                         \
   "the card of the estimate: a100, h100, h200, l40s,\nrtx4090, mi250x, mi300x, mi355x, "          \
   "rx7900xtx, rx9060xt",                                                                          \
   "a100 h100 h200 l40s rtx4090 mi250x mi300x mi355x rx7900xtx rx9060xt"},                         \
  {                                                                                                \
    OPT_REPORT, 0, "report", "FILE",                                                               \
        "write findings and counters to FILE.html (beside the\nsource) or FILE.json, or a "        \
        "picture to "                                                                              \
        "FILE.svg"                                                                                 \
  }

/* Of commands that compile. */
#define PASSES_OPTIONS                                                                             \
  {OPT_LEVEL,                                                                                      \
   'O',                                                                                            \
   "level",                                                                                        \
   "N",                                                                                            \
   "the passes that compiling begins with: those of level\n0 (none) to 3 (2); see tessera opt",    \
   "0 1 2 3"},                                                                                     \
  {                                                                                                \
    OPT_DISABLE, 0, "disable", "NAME,...",                                                         \
        "compile without these passes and patterns; help lists\nall there are", "@passes"          \
  }

#endif
