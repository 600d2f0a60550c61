/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What can be called. Help pages, the manual page and the completion script are made from this.
 */
#include "cli/cli.h"

const cli_option cli_global_options[] = {
    {OPT_HELP, 'h', "help", NULL, "explain the command, with examples"},
    {OPT_VERSION, 'V', "version", NULL, "print the version"},
    {OPT_COLOR, 0, "color", "WHEN",
     "colour messages: auto (on a terminal, unless NO_COLOR is set),\nalways or never"},
    {OPT_ERROR_LIMIT, 0, "error-limit", "N",
     "stop reading a program after N errors (20; 0: never)"},
    {OPT_QUIET, 'q', "quiet", NULL, "say nothing but errors"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "say what is done and how long it took"},
    {0},
};

static const cli_option fmt_options[] = {
    {OPT_OUTPUT, 'o', "output", "OUT", "write to the file OUT, not to standard output"},
    {OPT_IN_PLACE, 'i', "in-place", NULL, "rewrite each FILE that isn't laid out as it should be"},
    {OPT_CHECK, 0, "check", NULL,
     "write nothing; name each FILE that would change, and exit\nwith status 1 if there is one"},
    {0},
};

static const cli_option run_options[] = {
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]", "how many tile blocks to run along each axis (required)"},
    {OPT_KERNEL, 'k', "kernel", "NAME", "which kernel; may be left out when FILE has only one"},
    {OPT_TARGET, 't', "target", "DEVICE",
     "cpu (compiled, the default) or interp (the reference\ninterpreter: slow, exact, needs no "
     "LLVM)"},
    {OPT_THREADS, 0, "threads", "N", "worker threads of cpu (one per core)"},
    {OPT_CPU, 0, "cpu", "LEVEL",
     "what cpu may use of the processor: baseline, avx2 or avx512\n(the best it has)"},
    {OPT_SEED, 0, "seed", "N", "choose other random numbers for uniform and normal (0)"},
    {OPT_SAVE, 0, "save", "NAME=FILE.npy", "write a buffer to FILE.npy after the run"},
    {OPT_PRINT, 0, "print", "NAME", "show a buffer after the run, as NumPy does"},
    {OPT_TIME, 0, "time", "N", "launch N more times and print the median and the shortest time"},
    {OPT_FLOPS, 0, "flops", "F",
     "floating-point operations of one launch, for a rate with --time:\n2e9, 3.5G, 2*1024^3"},
    {OPT_BYTES, 0, "bytes", "B",
     "bytes that one launch moves, for a rate with --time: 12*64M, 1.5Gi"},
    {0},
};

static const cli_option build_options[] = {
    {OPT_EMIT, 0, "emit", "KIND", "llvm (LLVM IR), asm (assembly) or obj (an object file)"},
    {OPT_OUTPUT, 'o', "output", "OUT", "the file to write; - is standard output"},
    {OPT_CPU, 0, "cpu", "LEVEL",
     "what the code may use of the processor: baseline, avx2 or\navx512 (the best it has)"},
    {0},
};

static const cli_option explain_options[] = {
    {OPT_MARKDOWN, 0, "markdown", NULL, "the whole manual of operations, as Markdown"},
    {0},
};

static const cli_option help_options[] = {
    {OPT_MAN, 0, "man", NULL, "all help pages as one manual page, for man(1)"},
    {0},
};

static const cli_example check_examples[] = {
    {"Is this program right? Nothing is printed when it is.", "tessera check saxpy.mlir"},
    {"Say which kernels it has.", "tessera check -v saxpy.mlir"},
    {"Check all programs, with at most five errors each.", "tessera check --error-limit 5 *.mlir"},
    {"Check what another program writes.", "./my-compiler | tessera check -"},
    {0},
};

static const cli_example fmt_examples[] = {
    {"See the program in today's spelling.", "tessera fmt saxpy.mlir"},
    {"Rewrite it.", "tessera fmt -i saxpy.mlir"},
    {"In a test: fail when a program isn't laid out as it should be.",
     "tessera fmt --check *.mlir"},
    {0},
};

static const cli_example run_examples[] = {
    {"Run a kernel without parameters on 8 tile blocks.", "tessera run hello.mlir --grid 8"},
    {"y = 2x + y on new vectors, and see y.",
     "tessera run saxpy.mlir --grid 8 arange:f32:1024 ones:f32:1024 f32:2 i32:1024 --print y"},
    {"Read x and y from NumPy files, write y to another.",
     "tessera run saxpy.mlir --grid 8 x.npy y.npy f32:2 i32:1024 --save y=out.npy"},
    {"Name a buffer yourself: the third, c.",
     "tessera run gemm.mlir -g 8,8 a.npy b.npy c=zeros:f32:512x512 --save c=c.npy"},
    {"How fast is it?",
     "tessera run gemm.mlir -g 16,16 uniform:f32:1024x1024 uniform:f32:1024x1024 \\\n"
     "      zeros:f32:1024x1024 --time 20 --flops 2*1024^3"},
    {"Does the compiler agree with the reference interpreter?",
     "tessera run saxpy.mlir -g 8 --target interp x.npy y.npy f32:2 i32:1024 --save y=ref.npy"},
    {0},
};

static const cli_example build_examples[] = {
    {"What does the compiler make of it?", "tessera build saxpy.mlir --emit asm"},
    {"An object file to link into a program.", "tessera build saxpy.mlir --emit obj -o saxpy.o"},
    {"LLVM IR for any x86-64 processor.",
     "tessera build saxpy.mlir --emit llvm --cpu baseline -o saxpy.ll"},
    {0},
};

static const cli_example explain_examples[] = {
    {"All operations, a line each.", "tessera explain"},
    {"One of them: operands, attributes, meaning, an example.", "tessera explain mmaf"},
    {0},
};

static const cli_example devices_examples[] = {
    {"What can this machine run kernels on?", "tessera devices"},
    {0},
};

static const cli_example version_examples[] = {
    {"Which version is this?", "tessera version"},
    {0},
};

static const cli_example help_examples[] = {
    {"Everything about running kernels.", "tessera help run"},
    {0},
};

static const char run_text[] =
    "Runs one kernel of FILE on a grid of tile blocks, with one ARG for each of the\n"
    "kernel's parameters, in order. Everything is checked before the run starts; a\n"
    "file is written completely or not at all.\n"
    "\n"
    "An ARG is one of\n"
    "  PATH.npy         a buffer with the content of a NumPy file in C order\n"
    "  INIT:TYPE:SHAPE  a new buffer, as in uniform:f16:1024x1024; INIT is one of\n"
    "                     zeros, ones\n"
    "                     arange    0, 1, 2, ...; integers wrap around\n"
    "                     uniform   floats from 0 to 1; integers from -128 to 127\n"
    "                               (i4: -8 to 7, i1: 0 or 1)\n"
    "                     normal    mean 0, standard deviation 1; integers: 32\n"
    "                               (i4: 2), rounded\n"
    "                   The same --seed gives the same numbers.\n"
    "  TYPE:VALUE       a scalar: i32:-7, i64:0xff, i1:true, f32:0.5, f16:inf, f32:nan;\n"
    "                   a float's 0x... is its bit pattern, as in the language\n"
    "TYPE is an element type: i1 i4 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN\n"
    "f8E5M2 f8E8M0FNU f4E2M1FN. (f8E8M0FNU holds powers of two only: uniform gives\n"
    "2^-4 to 2^3.)\n"
    "\n"
    "Buffers have names for --save and --print: that of the parameter, arg0, arg1, ...\n"
    "by position, and one of your own with NAME= in front of the ARG. (A path that\n"
    "has an equals sign is written ./a=b.npy.)\n"
    "\n"
    "In NumPy files f16, f32, f64, integers and i1 (bool) have their own types; tf32,\n"
    "bf16 and the 8-bit floats are unsigned integers of the same size. 4-bit elements\n"
    "lie in uint8, element 2k in the low half of a byte, so the last dimension is half\n"
    "as long.\n"
    "\n"
    "With --time, --save and --print show what the first launch left; the launches that\n"
    "are timed come after it, on the same buffers, and print_tko is silent in them.";

const cli_command cli_commands[] = {
    {.name = "check",
     .usage = "FILE...",
     .summary = "find every error in programs",
     .text = "Reads each FILE and checks every rule of the language. Prints nothing when all is\n"
             "well; else each error with its place, the line, what was expected and what to do.",
     .examples = check_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "at least one program (FILE, or - for standard input)",
     .run = cli_check},
    {.name = "run",
     .usage = "FILE --grid X[,Y[,Z]] [OPTION]... [ARG]...",
     .summary = "run a kernel on buffers and numbers",
     .text = run_text,
     .options = run_options,
     .examples = run_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a program (FILE, or - for standard input)",
     .run = cli_run},
    {.name = "fmt",
     .usage = "FILE... [-o OUT | -i | --check]",
     .summary = "lay out programs in today's spelling",
     .text = "Prints FILE in the form that the language has today, with its comments. Older\n"
             "spellings are read too. The program must be well-formed, not right.",
     .options = fmt_options,
     .examples = fmt_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a program (FILE, or - for standard input)",
     .run = cli_fmt},
    {.name = "build",
     .usage = "FILE --emit llvm|asm|obj [-o OUT] [--cpu LEVEL]",
     .summary = "compile kernels to LLVM IR, assembly or an object file",
     .text = "Compiles all kernels of FILE for this machine's architecture. LLVM IR and assembly\n"
             "go to standard output when no OUT is given.",
     .options = build_options,
     .examples = build_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "a program (FILE, or - for standard input)",
     .run = cli_build},
    {.name = "explain",
     .usage = "[OP | --markdown]",
     .summary = "what an operation takes, gives and means",
     .text = "Prints the manual page of an operation, or without OP a line for each of them.",
     .options = explain_options,
     .examples = explain_examples,
     .max_args = 1,
     .run = cli_explain},
    {.name = "devices",
     .usage = "",
     .summary = "what kernels can run on here",
     .text = "Lists what --target can name on this machine; for a device that can't be used, why.",
     .examples = devices_examples,
     .run = cli_devices},
    {.name = "version",
     .usage = "",
     .summary = "which version this is",
     .text = "Prints the version of the command and the versions of the language that it reads.",
     .examples = version_examples,
     .run = cli_version},
    {.name = "help",
     .usage = "[COMMAND]",
     .summary = "explain a command, with examples",
     .text = "Prints the help page of COMMAND, or without it what commands there are.",
     .options = help_options,
     .examples = help_examples,
     .max_args = 1,
     .run = cli_help},
    {0},
};
