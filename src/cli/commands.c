/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What can be called. Help pages, the manual page and the completion script are made from this.
 */
#include "cli/cli.h"
#include "cli/option_rows.h"

const cli_option cli_global_options[] = {
    {OPT_HELP, 'h', "help", NULL, "explain the command, with examples"},
    {OPT_VERSION, 'V', "version", NULL, "print the version"},
    {OPT_COLOR, 0, "color", "WHEN",
     "colour messages: auto (on a terminal, unless\nNO_COLOR is set), always or never",
     "auto always never"},
    {OPT_DIAGNOSTICS_FORMAT, 0, "diagnostics-format", "FORMAT",
     "messages as text (the default), json (an object a\nline) or sarif (SARIF 2.1.0)",
     "text json sarif"},
    {OPT_ERROR_LIMIT, 0, "error-limit", "N",
     "stop reading a program after N errors (20; 0: never)"},
    {OPT_QUIET, 'q', "quiet", NULL, "say nothing but errors"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "say what is done and how long it took"},
    {0},
};

static const cli_option check_options[] = {
    {OPT_HINTS, 0, "hints", "HOW",
     "optimization hints that make no sense: warn (the\ndefault), error or ignore",
     "warn error ignore"},
    {OPT_BYTECODE_VERSION, 0, "version", "13.N",
     "hold the program to a version of the language, 13.1\nto 13.4 (the newest, and the default) "
     "or 13.5, which\nis in development",
     "13.1 13.2 13.3 13.4 13.5"},
    {OPT_SPLIT, 0, "split-input-file", NULL,
     "check the parts of each FILE between lines \"// -----\"\none by one; -v tells about each"},
    {OPT_JSON, 0, "json", NULL,
     "print a JSON object a line for each FILE or part: is\nit right, its kernels and their "
     "parameters"},
    EXTENSIONS_OPTION,
    {OPT_TESTING_OPS, 0, "testing-ops", NULL,
     "admit what only tests of the language use:\ntesting$func, operations of unknown dialects, "
     "operations\noutside a module"},
    {0},
};

static const cli_option fmt_options[] = {
    {OPT_OUTPUT, 'o', "output", "OUT", "write to the file OUT, not to standard output"},
    {OPT_IN_PLACE, 'i', "in-place", NULL, "rewrite each FILE that isn't laid out as it should be"},
    {OPT_CHECK, 0, "check", NULL,
     "write nothing; name each FILE that would change,\nand exit with status 1 if there is one"},
    {OPT_INFER, 0, "infer", NULL,
     "check the program, and print the layouts that its\nkernels of the block level leave out"},
    EXTENSIONS_OPTION,
    {OPT_TESTING_OPS, 0, "testing-ops", NULL, "admit what only tests of the language use"},
    {0},
};

static const cli_option run_options[] = {
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]", "how many tile blocks along each axis (required)"},
    KERNEL_OPTION,
    {OPT_TARGET, 't', "target", "DEVICE",
     "cpu (compiled, the default), interp (the reference\ninterpreter: slow, exact, no LLVM), or "
     "another that\n'tessera devices' lists: cuda:0, hip:0,\nemu:sm_90a, ...",
     "@devices"},
    {OPT_THREADS, 0, "threads", "N", "worker threads of cpu (one per core)"},
    {OPT_CPU, 0, "cpu", "LEVEL",
     "what cpu may use of the processor: baseline, avx2,\navx512 (the best it has)",
     "baseline avx2 avx512"},
    PASSES_OPTIONS,
    SEED_OPTION,
    {OPT_NO_CACHE, 0, "no-cache", NULL, "compile, whatever 'tessera cache' has"},
    BUFFER_OPTIONS,
    RECORD_OPTION,
    {OPT_TIME, 0, "time", "N", "launch N more times, print the median and the\nshortest time"},
    {OPT_PROFILE, 0, "profile", "[=FILE.svg]",
     "say how long each part of the kernel takes, beside what\nthis machine could do (cpu); "
     "draw it into FILE.svg"},
    {OPT_TRACE, 0, "trace", "FILE.json",
     "write when each thread executed which tile block, for\nPerfetto and chrome://tracing "
     "(cpu)"},
    {OPT_JSON, 0, "json", NULL, "print what --time or --profile find as JSON"},
    {OPT_FLOPS, 0, "flops", "F",
     "floating-point operations of a launch, for a rate\nwith --time: 2e9, 3.5G, 2*1024^3"},
    {OPT_BYTES, 0, "bytes", "B",
     "bytes that a launch moves, for a rate with --time:\n12*64M, 1.5Gi"},
    {OPT_SANITIZE, 0, "sanitize", "CHECKS",
     "look for undefined behaviour: all, or some of\nbounds,assume,init,race,arith (cpu: of "
     "bounds,\nassume; emu: all); exit status 1 when there is any",
     "all bounds assume init race arith"},
    {OPT_SANITIZE_STOP, 0, "sanitize-stop", NULL, "stop at the first finding of --sanitize"},
    {OPT_CHECK, 0, "check", NULL, "the same as --sanitize=all"},
    {OPT_COUNTERS, 0, "counters", NULL,
     "show what the kernel asks of an emulated card, line by\nline: sectors, bank conflicts, "
     "operations, an estimate"},
    REPORT_OPTIONS,
    {OPT_ASYNC, 0, "async", "WHEN",
     "when asynchronous copies arrive (interp, emu): eager\n(the default), late, random (by "
     "--seed)",
     "eager late random"},
    {OPT_RANKS, 0, "ranks", "[=N]",
     "run as a rank of those that mpirun has started, or\nas N ranks in this process (interp)"},
    EXTENSIONS_OPTION,
    {0},
};

static const cli_option ptx_options[] = {
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]", "how many blocks along each axis"},
    {OPT_BLOCK, 'b', "block", "X[,Y[,Z]]",
     "how many threads a block has along each axis (what\n.reqntid says, else 1)"},
    {OPT_CLUSTER, 0, "cluster", "X[,Y[,Z]]",
     "how many blocks form a cluster (what the kernel\nsays, else 1)"},
    {OPT_SHARED, 0, "shared", "BYTES", "dynamic shared memory of a block (0)"},
    KERNEL_OPTION,
    {OPT_TARGET, 't', "target", "CARD",
     "the card to emulate: emu:sm_80, emu:sm_90a, ... (what\n.target in FILE says)", "@devices"},
    {OPT_COOPERATIVE, 0, "cooperative", NULL, "all blocks at once, for grid-wide barriers"},
    {OPT_SCHEDULE, 0, "schedule", "HOW",
     "in which order warps and blocks take turns: rr (the\ndefault, on all cores), random:SEED, "
     "adversarial",
     "rr random: adversarial"},
    {OPT_ASYNC, 0, "async", "WHEN",
     "when asynchronous operations complete: eager (the\ndefault), late, random (by --schedule's "
     "SEED)",
     "eager late random"},
    {OPT_CHECK, 0, "check", NULL,
     "find races, missing waits and fences, uninitialised\nmemory; exit status 1 when there are "
     "any"},
    {OPT_COUNTERS, 0, "counters", NULL,
     "show what the kernel asks of the card, line by line:\nsectors, bank conflicts, operations, "
     "an "
     "estimate"},
    REPORT_OPTIONS,
    {OPT_MAX_INSTRUCTIONS, 0, "max-instructions", "N",
     "give up after N instructions of warps (0: never)"},
    {OPT_THREADS, 0, "threads", "N", "threads of the host (one per core)"},
    SEED_OPTION,
    BUFFER_OPTIONS,
    RECORD_OPTION,
    {0},
};

static const cli_option hsa_options[] = {
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]", "how many workgroups along each axis"},
    {OPT_BLOCK, 'b', "block", "X[,Y[,Z]]",
     "how many work-items a workgroup has along each axis\n(what the kernel requires, else 1)"},
    {OPT_SHARED, 0, "shared", "BYTES", "dynamic LDS of a workgroup (0)"},
    KERNEL_OPTION,
    {OPT_SCHEDULE, 0, "schedule", "HOW",
     "in which order waves and workgroups take turns: rr\n(the default, on all cores), "
     "random:SEED, adversarial",
     "rr random: adversarial"},
    {OPT_CHECK, 0, "check", NULL,
     "find missing waits, races, uninitialised memory; exit\nstatus 1 when there are any"},
    {OPT_COUNTERS, 0, "counters", NULL,
     "show what the kernel asks of the card, line by line:\nsectors, LDS conflicts, operations, an "
     "estimate; and\nhow many waves a compute unit holds"},
    {OPT_CARD, 0, "card", "NAME",
     "the card of the estimate: mi250x, mi300x, mi355x,\nrx7900xtx, "
     "rx9060xt (the target's)",
     "mi250x mi300x mi355x rx7900xtx rx9060xt"},
    {OPT_REPORT, 0, "report", "FILE",
     "write findings and counters to FILE.json, or a\npicture of the counters to FILE.svg"},
    {OPT_MAX_INSTRUCTIONS, 0, "max-instructions", "N",
     "give up after N instructions of waves (0: never)"},
    {OPT_THREADS, 0, "threads", "N", "threads of the host (one per core)"},
    SEED_OPTION,
    BUFFER_OPTIONS,
    {0},
};

static const cli_option debug_options[] = {
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]", "how many tile blocks along each axis (required)"},
    KERNEL_OPTION,
    {OPT_BLOCK, 'b', "block", "X[,Y[,Z]]", "which tile block to look at (0,0,0)"},
    {OPT_EXECUTE, 'x', "execute", "SCRIPT", "read commands from the file SCRIPT first"},
    {OPT_BATCH, 0, "batch", NULL, "end when SCRIPT ends; ask for nothing"},
    SEED_OPTION,
    EXTENSIONS_OPTION,
    {0},
};

static const cli_option build_options[] = {
    {OPT_EMIT, 0, "emit", "KIND",
     "tile (the Tile IR that is compiled), nests (what was\ndecided: loop nests, lanes, patterns), "
     "llvm (LLVM IR),\nasm (assembly), obj (an object file), header (the C\nheader of that object, "
     "with launchers) or kernels (a\nfolder OUT for a "
     "machine "
     "without LLVM); for a GPU\nllvm, layouts (where the elements of tiles live) or\nlaunch (what "
     "a "
     "launcher must know), for NVIDIA's ptx,\ncubin (by ptxas), block (a kernel of the block\n"
     "level, as it is laid out; block-tma with a role that\nloads, block-cluster in clusters), for "
     "AMD's asm or\nhsaco",
     "tile nests llvm asm obj header kernels layouts launch ptx cubin block block-tma "
     "block-cluster hsaco"},
    PASSES_OPTIONS,
    {OPT_TARGET, 0, "target", "TARGET",
     "cpu; aarch64, and with +bf16, +i8mm: 64-bit Arm; or\none of the GPUs above (cpu)",
     "cpu aarch64 aarch64+bf16+i8mm @gpus"},
    {OPT_RESOURCES, 0, "resources", NULL,
     "print the registers, shared memory, spills and\noccupancy of each kernel on a GPU (NVIDIA's "
     "by\nptxas; without it an estimate of registers)"},
    {OPT_LINES, 0, "lines", NULL,
     "with --emit ptx or cubin: say by .loc which line of\nthe program each instruction comes "
     "from, for ptxas,\nprofilers and tessera ptx"},
    {OPT_WORDS, 0, "words", "WORD,...",
     "with --emit launch: 64-bit arguments of a launch, for\nwhich tensor maps are printed too"},
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]",
     "with --words: the tile blocks of that launch, which may\nthen be in clusters"},
    {OPT_OUTPUT, 'o', "output", "OUT",
     "the file to write; - is standard output; the folder\nof --emit kernels"},
    {OPT_CPU, 0, "cpu", "LEVEL",
     "what the code may use of a processor: baseline, avx2,\navx512, with AVX-VNNI or AVX-512 "
     "extensions avx2+vnni,\navx512+vnni+bf16+fp16+vbmi (all that this one has)",
     "baseline avx2 avx512"},
    EXTENSIONS_OPTION,
    {0},
};

static const cli_option as_options[] = {
    {OPT_OUTPUT, 'o', "output", "OUT", "the file to write; - is standard output"},
    {OPT_BYTECODE_VERSION, 0, "version", "13.N",
     "the version to write: 13.1 to 13.4 (the newest, and the\ndefault), or 13.5, which is in "
     "development",
     "13.1 13.2 13.3 13.4 13.5"},
    EXTENSIONS_OPTION,
    {OPT_TESTING_OPS, 0, "testing-ops", NULL,
     "read what only tests of the language use, to say\nthat bytecode can't hold it"},
    {0},
};

static const cli_option dis_options[] = {
    {OPT_OUTPUT, 'o', "output", "OUT", "write to the file OUT, not to standard output"},
    {OPT_STRIP_DEBUG, 0, "strip-debug", NULL, "leave the debug information out"},
    {0},
};

static const cli_option opt_options[] = {
    {OPT_PASSES, 'p', "passes", "LIST",
     "the passes to run, by name or number, separated by\ncommas, in this order", "@passes"},
    {OPT_LEVEL, 'O', "level", "N", "the passes of level N, 0 to 3 (2, without --passes)",
     "0 1 2 3"},
    {OPT_OUTPUT, 'o', "output", "OUT", "write to the file OUT, not to standard output"},
    {OPT_PRINT_BEFORE, 0, "print-before", "LIST",
     "show the program before these passes (all: before\neach), on standard error", "all @passes"},
    {OPT_PRINT_AFTER, 0, "print-after", "LIST", "the same after them", "all @passes"},
    {OPT_PRINT_AFTER_ALL, 0, "print-after-all", NULL, "the same after each pass"},
    {OPT_TIME_PASSES, 0, "time-passes", NULL,
     "say for each pass how long it took and what it\nchanged, on standard error"},
    EXTENSIONS_OPTION,
    {OPT_TESTING_OPS, 0, "testing-ops", NULL, "admit what only tests of the language use"},
    {0},
};

static const cli_option json_options[] = {
    {OPT_JSON, 0, "json", NULL, "print it as JSON"},
    {0},
};

static const cli_option compare_options[] = {
    {OPT_OUTPUT, 'o', "output", "OUT",
     "write to the file OUT, not to standard output; a page\nof HTML when its name ends in .html"},
    {0},
};

static const cli_option lsp_options[] = {
    EXTENSIONS_OPTION,
    {0},
};

static const cli_option explain_options[] = {
    {OPT_JSON, 0, "json", NULL, "print JSON: of one page, or of all"},
    {OPT_MARKDOWN, 0, "markdown", NULL, "the whole manual of operations, as Markdown"},
    {OPT_BLOCK_LEVEL, 0, "block-level", NULL, "with --markdown: of the block level"},
    {OPT_TARGETS, 0, "targets", NULL, "what is known of GPUs and processor cores, as\nMarkdown"},
    {OPT_ELEMENTS, 0, "elements", NULL, "the table of element types, as Markdown"},
    {OPT_GRAMMAR, 0, "grammar", NULL, "a TextMate grammar, by which editors colour programs"},
    {0},
};

static const cli_option layout_options[] = {
    {OPT_AS, 0, "as", "FORMAT",
     "tilus, chain, ck, cute, linear (a line per bit), table or\njson (a table when it is small, "
     "else "
     "tilus)",
     "tilus chain ck cute linear table json"},
    {OPT_COST, 0, "cost", NULL, "what moving the tile costs, in words"},
    {OPT_IN, 0, "in", "MEMORY", "the memory layout for --cost (row-major)"},
    {OPT_TYPE, 0, "type", "TYPE", "the element type for costs (f16)"},
    {OPT_WARP, 0, "warp", "N", "lanes of a warp: 32 or 64 (32)", "32 64"},
    {OPT_TARGET, 't', "target", "TARGET",
     "costs on this GPU: its lanes and banks, and the\nlanes it serves at once, of loads and of "
     "stores"},
    {OPT_BANKS, 0, "banks", "N", "banks of shared memory: 32 or 64 (32)", "32 64"},
    {OPT_LDS_READ, 0, "lds-read", NULL,
     "serve lanes in the groups of AMD's 16-byte LDS\nreads (with --warp 64)"},
    {OPT_SVG, 0, "svg", "FILE", "draw a picture as SVG"},
    {OPT_PNG, 0, "png", "FILE", "draw it as PNG"},
    {OPT_COLOR_BY, 0, "color-by", "WHAT", "colour the picture by worker, slot or conflicts",
     "worker slot conflicts"},
    {OPT_ARROWS, 0, "arrows", "WORKER", "join this worker's slots by arrows, in order"},
    {OPT_FRAGMENTS, 0, "fragments", NULL, "list the names of matrix fragments"},
    {0},
};

static const cli_option exec_options[] = {
    {OPT_TARGET, 't', "target", "DEVICE",
     "what executes kernels: cpu (the default) or interp;\nTilus' scripts also emu:sm_80 and the "
     "like",
     "@devices"},
    {OPT_THREADS, 0, "threads", "N", "worker threads of cpu (one per core)"},
    {OPT_SANITIZE, 0, "sanitize", NULL,
     "execute kernels on interp and look for undefined\nbehaviour; a finding counts as a failed "
     "assert"},
    {OPT_COUNTERS, 0, "counters", NULL,
     "at the end, show what kernels of PTX ask of the card,\nline by line"},
    {OPT_REPORT, 0, "report", "FILE", "write that and what --sanitize finds to FILE, as JSON"},
    {OPT_CAPABILITY, 0, "capability", "M.N", "which GPU the device says it is like (10.0)"},
    {OPT_NO_NVCC, 0, "no-nvcc", NULL, "leave what nvcc builds as it is"},
    {OPT_NO_TORCH, 0, "no-torch", NULL, "leave PyTorch's device \"cuda\" as it is"},
    {0},
};

static const cli_option tune_options[] = {
    {OPT_PARAM, 'p', "param", "NAME=V,...",
     "the values to try for ${NAME}; the first ones of all\nmake the candidate that others are "
     "compared with"},
    {OPT_SIZE, 's', "size", "NAME=N", "names a number of the problem; records are found by\nthese"},
    {OPT_WHERE, 'w', "where", "CONDITION", "leave candidates out that don't meet it"},
    {OPT_GRID, 'g', "grid", "X[,Y[,Z]]",
     "how many tile blocks along each axis, by parameters\nand sizes (required)"},
    KERNEL_OPTION,
    {OPT_TARGET, 't', "target", "DEVICE",
     "what to measure on (cpu); see tessera devices. sm_90a\nand the like: such a card, else its "
     "emulator",
     "@devices"},
    {OPT_THREADS, 0, "threads", "N", "worker threads of cpu (one per core)"},
    {OPT_CPU, 0, "cpu", "LEVEL",
     "what cpu may use of the processor: baseline, avx2,\navx512 (the best it has)",
     "baseline avx2 avx512"},
    {OPT_LEVEL, 'O', "level", "N", "the passes that compiling begins with, 0 to 3 (2)", "0 1 2 3"},
    {OPT_SECONDS, 0, "seconds", "N", "how long timing may take, about (10)"},
    {OPT_TOLERANCE, 0, "tolerance", "X",
     "how far results may be from the first candidate's, as\na part of their size (1e-4 for f32)"},
    {OPT_AGAIN, 0, "again", NULL, "measure, whatever was found before"},
    {OPT_EXACT, 0, "exact", NULL,
     "a record for these sizes alone; usually sizes like\n1000 and 1024 share one"},
    {OPT_COLD, 0, "cold", NULL, "empty the caches before each launch"},
    SEED_OPTION,
    EXTENSIONS_OPTION,
    {0},
};

static const cli_option help_options[] = {
    {OPT_MAN, 0, "man", NULL, "all help pages as one manual page, for man(1)"},
    {OPT_COMPLETION, 0, "completion", "SHELL",
     "a script that completes command lines in bash, zsh or\nfish", "bash zsh fish"},
    {OPT_COMPLETE, 0, "complete", NULL,
     "what can follow the words of a line, for such scripts:\n--complete -- WORD..."},
    {0},
};

static const cli_example check_examples[] = {
    {"Is this program right? Nothing is printed when it is.", "tessera check kernels/saxpy.mlir"},
    {"Say which kernels it has.", "tessera check -v kernels/gemm.mlir"},
    {"Check all programs, with at most five errors each.",
     "tessera check --error-limit 5 kernels/*.mlir"},
    {"Check what another program writes.", "./my-compiler | tessera check -"},
    {0},
};

static const cli_example fmt_examples[] = {
    {"See the program in today's spelling.", "tessera fmt examples/saxpy.mlir"},
    {"Rewrite it.", "tessera fmt -i my.mlir"},
    {"In a test: fail when a program isn't laid out as it should be.",
     "tessera fmt --check kernels/*.mlir"},
    {"See which thread holds what where the program leaves it open.",
     "tessera fmt --infer my.mlir"},
    {0},
};

static const cli_example run_examples[] = {
    {"Run a kernel without parameters on 4 tile blocks.",
     "tessera run examples/hello_grid.mlir --grid 4"},
    {"y = 2x + y on new vectors, and see y.",
     "tessera run kernels/saxpy.mlir --grid 1 \\\n"
     "        arange:f32:1024 ones:f32:1024 f32:2 i64:1024 --print y"},
    {"Read x and y from NumPy files, write y to another.",
     "tessera run kernels/saxpy.mlir --grid 8 \\\n"
     "        x.npy y.npy f32:2 i64:32768 --save y=out.npy"},
    {"The same by the reference interpreter: does the compiler agree?",
     "tessera run kernels/saxpy.mlir --grid 8 --target interp \\\n"
     "        x.npy y.npy f32:2 i64:32768 --save y=reference.npy"},
    {"Does the kernel do anything that the language leaves undefined?",
     "tessera run kernels/saxpy.mlir --grid 1 --sanitize=all \\\n"
     "        arange:f32:1024 ones:f32:1024 f32:2 i64:1024"},
    {"What would it ask of a GPU, line by line, and is it right there?",
     "tessera run tessera:softmax --grid 8 --target emu:sm_90a \\\n"
     "        --counters --check --card h100 \\\n"
     "        normal:f32:8x512 zeros:f32:8x512 i32:8 i32:512"},
    {"Where does the time go?",
     "tessera run kernels/softmax.mlir --grid 4096 --profile \\\n"
     "        normal:f32:4096x4096 zeros:f32:4096x4096 i32:4096 i32:4096"},
    {"How fast is a matrix product?",
     "tessera run examples/gemm_4096.mlir --grid 64,64 \\\n"
     "        normal:f32:4096x4096 normal:f32:4096x4096 zeros:f32:4096x4096 \\\n"
     "        --time 5 --flops 2*4096^3"},
    {0},
};

static const cli_example ptx_examples[] = {
    {"What a file has", "tessera ptx scale.ptx"},
    {"4 blocks of 128 threads, the first buffer shown",
     "tessera ptx scale.ptx -g 4 -b 128 --print arg0 ones:f32:512 f32:2 i32:512"},
    {"Its own names for buffers",
     "tessera ptx scale.ptx -g 4 -b 128 --save x=out.npy x=in.npy f32:2 i32:512"},
    {"The same in an order that a lucky kernel doesn't survive",
     "tessera ptx scale.ptx -g 4 -b 128 --schedule=adversarial ones:f32:512 f32:2 i32:512"},
    {"What is wrong with it, and what it asks of an H100",
     "tessera ptx scale.ptx -g 4 -b 128 --check --counters --card h100 ones:f32:512 f32:2 i32:512"},
    {0},
};

static const cli_example hsa_examples[] = {
    {"What a file has", "tessera hsa saxpy.o"},
    {"4 workgroups of 128 work-items, the second buffer shown",
     "tessera hsa saxpy.o -k saxpy -g 4 -b 128 --print arg1 \\\n"
     "        arange:f32:512 ones:f32:512 f32:2 i32:512"},
    {"Does it wait for all that it loads?", "tessera hsa saxpy.o -k saxpy -g 4 -b 128 --check \\\n"
                                            "        arange:f32:512 ones:f32:512 f32:2 i32:512"},
    {0},
};

static const cli_example debug_examples[] = {
    {"Step through the tile block 2 of 4.",
     "tessera debug kernels/saxpy.mlir --grid 4 --block 2 \\\n"
     "        arange:f32:16384 ones:f32:16384 f32:2 i64:16384"},
    {"In a script: what does the first mmaf get?",
     "printf 'break mmaf\\nrun\\nprint %a\\n' >look.txt\n"
     "    tessera debug my.mlir --grid 1 --batch -x look.txt a.npy b.npy c.npy"},
    {0},
};

static const cli_example exec_examples[] = {
    {"Run a cuTile program without a GPU.", "tessera exec -- python my_script.py"},
    {"Which of its kernels do something undefined?",
     "tessera exec --sanitize -- python my_script.py"},
    {"A test suite for GPUs.", "tessera exec -- pytest tests/"},
    {"Build and run a program of CUDA C++ on the PTX emulator.",
     "tessera exec -- nvcc my.cu -o my && tessera exec -- ./my"},
    {"What does it do? The same by hand.", "tessera exec -v -- true"},
    {0},
};

static const cli_example build_examples[] = {
    {"Which loop nests does it become, and why?",
     "tessera build kernels/softmax.mlir --emit nests"},
    {"What does the compiler make of it?", "tessera build kernels/saxpy.mlir --emit asm"},
    {"An object file to link into a program, and the header with its launcher.",
     "tessera build kernels/saxpy.mlir --emit obj -o saxpy.o && \\\n"
     "    tessera build kernels/saxpy.mlir --emit header -o saxpy.h"},
    {"PTX for NVIDIA GPUs from the A100 on.",
     "tessera build kernels/saxpy.mlir --target sm_80 --emit ptx"},
    {"A code object for AMD's MI300.",
     "tessera build kernels/saxpy.mlir --target gfx942 --emit hsaco -o saxpy.hsaco"},
    {"What is compiled of a block-level kernel, whose threads CPUs erase?",
     "tessera build examples/block/gemm.mlir --emit tile"},
    {"LLVM IR for any x86-64 processor.",
     "tessera build kernels/saxpy.mlir --emit llvm --cpu baseline -o saxpy.ll"},
    {"Kernels for an Arm machine without LLVM, where TESSERA_CACHE_DIR=arm tessera run finds them.",
     "tessera build kernels/saxpy.mlir --target aarch64 --emit kernels -o arm"},
    {0},
};

static const cli_example as_examples[] = {
    {"For a compiler of the newest version.", "tessera as kernels/saxpy.mlir -o saxpy.tileirbc"},
    {"For one that knows 13.1 only: an error says what it could not express.",
     "tessera as kernels/saxpy.mlir --version 13.1 -o saxpy.tileirbc"},
    {0},
};

static const cli_example dis_examples[] = {
    {"What is in this file?", "tessera dis saxpy.tileirbc"},
    {"The same without where it came from.", "tessera dis --strip-debug saxpy.tileirbc"},
    {"Run it: every command takes bytecode.",
     "tessera run saxpy.tileirbc --grid 1 \\\n"
     "        arange:f32:1024 ones:f32:1024 f32:2 i64:1024 --print arg1"},
    {0},
};

static const cli_example tune_examples[] = {
    {"How large should the tiles of a vector be?",
     "tessera tune run examples/tune/saxpy.mlir -s n=1000000 -g 'cdiv(n,BLOCK)' \\\n"
     "        -p BLOCK=1024,256,4096,16384 \\\n"
     "        normal:f32:1000000 zeros:f32:1000000 f32:2 i64:1000000"},
    {"And those of a matrix product, of which some are too large?",
     "tessera tune run examples/tune/gemm.mlir -s m=512 -s n=512 -s k=512 \\\n"
     "        -p BM=64,32,128 -p BN=64,32,128 -p BK=64,32 -w 'BM*BN<=8192' \\\n"
     "        -g 'cdiv(m,BM),cdiv(n,BN)' normal:f32:512x512 normal:f32:512x512 \\\n"
     "        zeros:f32:512x512 i32:512 i32:512 i32:512"},
    {"What was found, of each kernel and size?", "tessera tune list"},
    {"How do all candidates compare?", "tessera tune show gemm"},
    {"Take the records to another machine of the same kind.", "tessera tune export records.txt"},
    {0},
};

static const cli_example cache_examples[] = {
    {"Where is it, and how large?", "tessera cache stat"},
    {"Which kernels are there, when were they used?", "tessera cache list"},
    {"Forget all of them.", "tessera cache clear"},
    {"Compile without it, once.",
     "TESSERA_CACHE=off tessera run examples/hello_grid.mlir --grid 4"},
    {0},
};

static const cli_example opt_examples[] = {
    {"See what the optimiser makes of a program.", "tessera opt examples/gemm_dynamic.mlir"},
    {"One pass, and another.", "tessera opt my.mlir --passes=canonicalize,cse"},
    {"Split loops around branches of at least 8 operations, then clean up.",
     "tessera opt my.mlir --passes='loop-split(8),canonicalize' -o split.mlir"},
    {"Which pass did that?", "tessera opt my.mlir -O3 --print-after-all"},
    {"Does it still compute the same?",
     "tessera opt my.mlir -O3 -o fast.mlir && tessera run fast.mlir ..."},
    {0},
};

static const cli_example explain_examples[] = {
    {"All operations, a line each.", "tessera explain"},
    {"One of them: operands, attributes, meaning, an example.", "tessera explain mmaf"},
    {"A type, an attribute.", "tessera explain f8E4M3FN && tessera explain rounding_mode"},
    {0},
};

static const cli_example compare_examples[] = {
    {"What does it ask of a GPU, and what did it before?",
     "tessera run tessera:softmax --grid 8 --target emu:sm_90a \\\n"
     "        --report new.json normal:f32:8x512 zeros:f32:8x512 i32:8 i32:512\n"
     "    tessera compare old.json new.json"},
    {"The same as a page.", "tessera compare old.json new.json -o compared.html"},
    {0},
};

static const cli_example lsp_examples[] = {
    {"In Neovim: this server for files of the kind mlir.",
     ":lua vim.lsp.start({name = 'tessera', cmd = {'tessera', 'lsp'}})"},
    {0},
};

static const cli_example layout_examples[] = {
    {"Which thread and register holds which element?", "tessera layout 'local(3,4).spatial(2,3)'"},
    {"The same in CK Tile's notation.", "tessera layout 'local(3,4).spatial(2,3)' --as ck"},
    {"How is an accumulator spread over a warp?", "tessera layout mma.m16n8k16.C"},
    {"Does reading it down the rows of shared memory conflict, and what helps?",
     "tessera layout 'spatial(32,1).local(1,8)' --cost --in 'row_major(32, 64)'"},
    {"How do elements get from one layout to another?",
     "tessera layout 'spatial(8,4).local(1,2)' 'spatial(4,8).local(2,1)'"},
    {"A picture, with the order of thread 0's registers.",
     "tessera layout mma.m16n8k16.A --svg fragment.svg --arrows 0"},
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
    {"Complete command lines in this bash; in zsh and fish alike.",
     "source <(tessera help --completion=bash)"},
    {0},
};

static const char layout_text[] =
    "Shows where the elements of a tile live: for each its worker (thread) and slot\n"
    "(register), or its offset in memory. With OTHER, says whether two layouts are\n"
    "the same and how elements get from the first to the second.\n"
    "\n"
    "A LAYOUT is one of\n"
    "  spatial(2, 3)   local(3, 4)   column_spatial(...)   column_local(...)\n"
    "  replicated(3, 4, num_workers=8)   auto_local_spatial(128, shape=[64, 32])\n"
    "  RegisterLayout(shape=[...], mode_shape=[...], spatial_modes=[...],\n"
    "                 local_modes=[...])\n"
    "  encoding(Rs=[], Hs=[[2, 2]], Ps=[[(1, 0)]], Ys=[(1, 1)])      of CK Tile\n"
    "  thread_raked(256, 64, [64, 64], 8)   also warp_raked, block_raked\n"
    "  tv(((4,8),(2,2)):((32,1),(16,8)), shape=[16, 8])              of CuTe\n"
    "  mma.m16n8k16.C and other fragments; --fragments lists them\n"
    "and in memory\n"
    "  (4,(2,4)):(2,(1,8))   Sw<3,4,3> o (8,64):(64,1)   row_major(8, 64)\n"
    "  SharedLayout(shape=[...], mode_shape=[...], mode_strides=[...],\n"
    "               swizzle=Swizzle(base=4, bits=3, shift=3))   of Tilus\n"
    "  column_major(8, 64)   X.swizzle(3, 4, 3)   X.tma_swizzle(128, 16)\n"
    "  X[1:3, :]   X[4, (:, 0:2)]   16 o (8,8):(64,1)\n"
    "               slices of memory, by dimension or in parentheses by its modes\n"
    "               as CuTe orders them, and what begins at an offset\n"
    "Operations are methods or functions: X.local(1, 2) and X * Y put a layout into\n"
    "every element of X, X / Y undoes it; reduce(X, dims=[0]), permute, reshape,\n"
    "flatten, squeeze, unsqueeze, concat, divide, left_divide, reduce_to, with_shape.";

static const char ptx_text[] =
    "Reads PTX (7.0 to 9.0: what nvcc and LLVM emit, or your own), checks all of it,\n"
    "and runs a kernel on an emulated GPU, exactly, with every access checked. Without\n"
    "--grid it only checks, and lists the kernels with their parameters.\n"
    "\n"
    "ARGs are those of 'tessera run', one for each parameter, in order: a buffer for a\n"
    "pointer, TYPE:VALUE for a number, and for a struct (.b8 p[24]) a buffer of as\n"
    "many bytes, as in zeros:i8:24 or a .npy file.\n"
    "\n"
    "A kernel that does what it must not (an access out of bounds, a barrier that not\n"
    "all reach, a trap) ends with a message that names the instruction, the line of\n"
    "the source when the file has .loc, the block, the thread and the address.\n"
    "What only works by luck can be shaken out with --schedule=random:SEED and\n"
    "--schedule=adversarial: the result of a correct kernel depends on neither.\n"
    "--check finds such kernels however they are scheduled, and names both instructions.";

static const char hsa_text[] =
    "Reads a code object of AMD's GPUs (ELF, versions 3 to 6: what clang, hipcc and\n"
    "linkers write, also before linking) and runs a kernel on an emulated GPU, exactly,\n"
    "with every access checked. Code is executed for gfx90a, gfx942,\n"
    "gfx950, gfx1100 and gfx1200.\n"
    "Without --grid it lists the kernels with their arguments, registers and LDS, for\n"
    "other targets, too.\n"
    "\n"
    "ARGs are those of 'tessera run', one for each argument that is not hidden, in\n"
    "order: a buffer for a pointer, TYPE:VALUE for a number, and for a struct a buffer\n"
    "of as many bytes.\n"
    "\n"
    "--check finds registers that are used before the s_waitcnt that their load needs,\n"
    "which on a GPU fails only sometimes, and races, and names both instructions.\n"
    "Lines in messages are those of the disassembled code.";

static const char run_text[] =
    "Runs one kernel of FILE on a grid of tile blocks, with one ARG for each of the\n"
    "kernel's parameters, in order. Everything is checked before the run starts; a\n"
    "file is written completely or not at all. FILE may be tessera:NAME, here and in\n"
    "other commands: a kernel that comes with tessera (tessera:softmax is in\n"
    "kernels/softmax.mlir, tessera:examples/saxpy in examples/saxpy.mlir).\n"
    "\n"
    "An ARG is one of\n"
    "  PATH.npy         a buffer with the content of a NumPy file in C order\n"
    "  INIT:TYPE:SHAPE  a new buffer, as in uniform:f16:1024x1024; INIT is one of\n"
    "                     zeros, ones\n"
    "                     arange    0, 1, 2, ...; integers wrap around\n"
    "                     uniform   floats from 0 to 1, integers from -128 to 127\n"
    "                               (i1: 0 or 1)\n"
    "                     normal    mean 0; floats have standard deviation 1,\n"
    "                               integers 32 (within -128 to 127)\n"
    "                   The same --seed gives the same numbers.\n"
    "  TYPE:VALUE       a scalar: i32:-7 i64:0xff i1:true f32:0.5 f16:inf f32:nan;\n"
    "                   a float's 0x... is its bit pattern, as in the language\n"
    "TYPE is an element type: i1 i4 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN\n"
    "f8E5M2 f8E8M0FNU f4E2M1FN f8E5M3FNU, or one of those that --extensions admits;\n"
    "also as others write it: u3, int3b, float6_e3m2. (f8E8M0FNU has powers of two\n"
    "only: uniform gives 2^-4 to 2^3.)\n"
    "\n"
    "--save and --print know a buffer by the name of its parameter, by its position\n"
    "as arg0, arg1, ..., and by a name of your own with NAME= in front of the ARG.\n"
    "(A path that has an equals sign is written ./a=b.npy.)\n"
    "\n"
    "With --ranks buffers are memory that the ranks share, and an ARG may also be\n"
    "  TYPE:rank        which rank this is; TYPE:ranks: how many there are\n"
    "  peer:NAME:R      the buffer NAME of rank R; of another rank as counted from\n"
    "                   this one for +1 or -1\n"
    "  peers:NAME       i64: the address of the buffer NAME of each rank\n"
    "In the name of a file %r is the rank. Random numbers differ by rank.\n"
    "\n"
    "In NumPy files f16, f32, f64, integers and i1 (bool) have their own types; tf32,\n"
    "bf16 and 8-bit floats are unsigned integers of the same size. Two 4-bit elements\n"
    "share a uint8, element 2k in its low half; the last dimension is half as long.\n"
    "Elements of N = 2, 3, 5, 6 or 7 bits are uint8, too: element k of all begins at\n"
    "bit k*N; rows keep their dimension if they are whole bytes, N/8 as long.\n"
    "\n"
    "With --time, --save and --print show what the first launch left. The launches\n"
    "that are timed come after it, on the same buffers; print_tko is silent in them.";

static const cli_example op_examples[] = {
    {"what a matrix product can be asked for", "tessera op explain gemm"},
    {"one of bf16 with bias and GELU",
     "tessera op run gemm --type bf16 --m 512 --epilogue bias:n+gelu"},
    {"are its results right on a card with sm_80?",
     "tessera op check gemm --type f16 --m 64 --n 64 --k 64 --target emu:sm_80"},
    {"find the fastest instance within five seconds", "tessera op tune gemm --m 384 --seconds 5"},
    {0},
};

const cli_command cli_commands[] = {
    {.name = "check",
     .usage = "FILE... [OPTION]...",
     .summary = "find every error in programs",
     .text = "Reads each FILE and checks every rule of the language. Prints nothing when all\n"
             "is well; else each error with its place, the line, what was expected and what\n"
             "to do.",
     .options = check_options,
     .examples = check_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "at least one program (FILE, or - for standard input)",
     .first = "@shipped",
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
     .first = "@shipped",
     .others = "zeros: ones: arange: uniform: normal:",
     .run = cli_run},
    {.name = "ptx",
     .usage = "FILE [--grid X[,Y[,Z]] [OPTION]... [ARG]...]",
     .summary = "run a kernel of a PTX file on an emulated GPU",
     .text = ptx_text,
     .options = ptx_options,
     .examples = ptx_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a PTX file (FILE, or - for standard input)",
     .others = "zeros: ones: arange: uniform: normal:",
     .run = cli_ptx},
    {.name = "hsa",
     .usage = "FILE [--grid X[,Y[,Z]] [OPTION]... [ARG]...]",
     .summary = "run a kernel of an AMD code object on an emulated GPU",
     .text = hsa_text,
     .options = hsa_options,
     .examples = hsa_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a code object (FILE, or - for standard input)",
     .others = "zeros: ones: arange: uniform: normal:",
     .run = cli_hsa},
    {.name = "debug",
     .usage = "FILE --grid X[,Y[,Z]] [--block X[,Y[,Z]]] [OPTION]... [ARG]...",
     .summary = "step through a kernel and look at its tiles",
     .text = "Executes a kernel by the reference interpreter, with a prompt. It stops in one\n"
             "tile block only; the others run through. ARGs are those of 'tessera run'. The\n"
             "command 'help' at the prompt says what can be typed there. Where the kernel\n"
             "comes from another file that is there, such as a Triton script, the session\n"
             "goes by lines of that.",
     .options = debug_options,
     .examples = debug_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a program (FILE)",
     .first = "@shipped",
     .others = "zeros: ones: arange: uniform: normal:",
     .run = cli_debug},
    {.name = "exec",
     .usage = "[OPTION]... [--] COMMAND [ARG]...",
     .summary = "run a program written for an NVIDIA GPU on the CPU",
     .text = "Runs COMMAND with Tessera's driver library (libcuda.so.1), runtime library\n"
             "(libcudart.so) and compiler (tileiras) in front of NVIDIA's. Its Tile IR kernels\n"
             "then run on the CPU, kernels of CUDA C++ on the PTX emulator. What nvcc builds\n"
             "under it has PTX and Tessera's runtime library. In Python programs PyTorch's\n"
             "device \"cuda\" becomes the host's memory, and scripts of Tilus are built and\n"
             "launched by Tessera. Exits as COMMAND does; with 127 when there is no such\n"
             "command, 126 when it cannot be run.",
     .options = exec_options,
     .examples = exec_examples,
     .min_args = 1,
     .max_args = 255,
     .ends_options = true,
     .arg = "a command to run",
     .run = cli_exec},
    {.name = "fmt",
     .usage = "FILE... [-o OUT | -i | --check] [--infer]",
     .summary = "lay out programs in today's spelling",
     .text = "Prints FILE in the form that the language has today, with its comments. Older\n"
             "spellings are read too. The program must be well-formed, not right.",
     .options = fmt_options,
     .examples = fmt_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "a program (FILE, or - for standard input)",
     .first = "@shipped",
     .run = cli_fmt},
    {.name = "build",
     .usage = "FILE [--target TARGET] --emit KIND [-o OUT] [--cpu LEVEL]",
     .summary = "compile kernels to LLVM IR, assembly, an object file or PTX",
     .text = "Compiles all kernels of FILE for this machine's architecture, for 64-bit Arm\n"
             "processors, or for GPUs. Text goes to standard output when no OUT is given.",
     .list_title = "GPUs",
     .list = cli_list_gpus,
     .options = build_options,
     .examples = build_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "a program (FILE, or - for standard input)",
     .first = "@shipped",
     .run = cli_build},
    {.name = "opt",
     .usage = "FILE [-O N | --passes=LIST] [-o OUT]",
     .summary = "rewrite a program to compute the same with less",
     .text = "Runs passes over FILE and prints what they leave. The result computes the same,\n"
             "bit for bit, unless fuse-fma was asked for. `tessera run` and `tessera build`\n"
             "take programs as they are.\n"
             "\n"
             "A pass that takes a number gets another than its default in parentheses:\n"
             "loop-split(8). Levels stand in lists too: O2,fuse-fma.",
     .list_title = "Passes",
     .list = cli_list_passes,
     .options = opt_options,
     .examples = opt_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "a program (FILE, or - for standard input)",
     .first = "@shipped",
     .run = cli_opt},
    {.name = "cache",
     .usage = "list | stat | clear",
     .summary = "look at the compiled kernels on disk, or remove them",
     .text = "Kernels that were compiled for cpu are kept on disk; the next run of the same\n"
             "program compiles nothing and doesn't load LLVM. `list` shows them, the last used\n"
             "first, `stat` says where they are and how large, `clear` removes them. What kernels\n"
             "share is kept beside them, so that another product of matrices compiles faster:\n"
             "entries whose names begin with mma.\n"
             "\n"
             "They lie in TESSERA_CACHE_DIR, else in XDG_CACHE_HOME/tessera, else in\n"
             "~/.cache/tessera, which must belong to you alone. They take at most\n"
             "TESSERA_CACHE_SIZE megabytes (256); what was not used for longest goes first.\n"
             "TESSERA_CACHE=off switches the cache off. A file that is broken or of another\n"
             "version is compiled anew.",
     .options = json_options,
     .examples = cache_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "what to do (list, stat or clear)",
     .first = "list stat clear",
     .run = cli_cache},
    {.name = "tune",
     .usage = "run FILE [OPTION]... [ARG]... | list | show | ...",
     .summary = "find the fastest version of a kernel, and remember it",
     .text = "run      FILE is a program with ${NAME} where a number or word is to be chosen,\n"
             "         or ${EXPRESSION}. All combinations of the values of --param are\n"
             "         compiled, by all cores; those with the same code are timed once; all\n"
             "         must compute what the first does; slow ones are given up early. What\n"
             "         is found is remembered, so that the second run measures nothing. -v\n"
             "         tells about every candidate; Ctrl-C ends with what is known by then.\n"
             "         ARGs are those of tessera run.\n"
             "list [KERNEL]   the fastest for each kernel, sizes and machine\n"
             "show [KERNEL]   all candidates that were measured\n"
             "export [FILE]   all records as text\n"
             "import FILE     adds them; of two the newer stays\n"
             "clear [KERNEL]  forgets them\n"
             "\n"
             "Expressions have the operators of C, min, max, cdiv (divide and round up) and\n"
             "pow2 (the next power of two), and know parameters and sizes.\n"
             "\n"
             "Records lie in the file TESSERA_TUNING, else in tessera/tuning.sqlite below\n"
             "XDG_DATA_HOME or ~/.local/share, at most 50,000 of them. Without SQLite's\n"
             "library (libsqlite3-0), or with TESSERA_TUNING=off, nothing is remembered.",
     .options = tune_options,
     .examples = tune_examples,
     .min_args = 1,
     .max_args = 255,
     .arg = "what to do (run, list, show, export, import or clear)",
     .first = "run list show export import clear",
     .others = "zeros: ones: arange: uniform: normal:",
     .run = cli_tune},
    {.name = "op",
     .usage = "list | explain FAMILY | run FAMILY [--NAME VALUE]... | ...",
     .summary = "products, norms and other operators, made for a problem",
     .text = "list             the families of operators\n"
             "explain FAMILY   its parameters, with their values and defaults\n"
             "run FAMILY       computes a problem on random tensors and says how long it takes\n"
             "check FAMILY     compares its results with those of plain C\n"
             "tune FAMILY      measures every instance: time, rates, error beside plain C, or\n"
             "                 why it cannot be; the fastest is taken from then on\n"
             "build FAMILY     prints the kernels as Tile IR\n"
             "\n"
             "Options behind a family are its parameters: --type bf16 --m 512. Besides them\n"
             "there are --target DEVICE (cpu; as of tessera run), --cpu LEVEL, --threads N,\n"
             "--seed N, --seconds S (what tune may take, 10), --svg FILE (of tune: a picture),\n"
             "--reference first (of tune: compare with the first instance, where plain C\n"
             "takes too long) and --json. FAMILY may also be a whole problem or the name of\n"
             "an instance: gemm:type=bf16,m=512.",
     .examples = op_examples,
     .min_args = 1,
     .max_args = 255,
     .ends_options = true,
     .arg = "what to do (list, explain, run, check, tune or build)",
     .first = "list explain run check tune build",
     .run = cli_op},
    {.name = "layout",
     .usage = "LAYOUT [OTHER] [OPTION]...",
     .summary = "where the elements of a tile live, and what that costs",
     .text = layout_text,
     .options = layout_options,
     .examples = layout_examples,
     .max_args = 2,
     .run = cli_layout},
    {.name = "as",
     .usage = "FILE -o OUT [--version 13.N]",
     .summary = "write a program as bytecode",
     .text = "Checks FILE and writes it in the binary form that other Tile IR tools read. What\n"
             "the version asked for cannot express is an error. Names of values and comments\n"
             "are not part of bytecode; debug information (loc) is.",
     .options = as_options,
     .examples = as_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "a program (FILE, or - for standard input)",
     .first = "@shipped",
     .run = cli_as},
    {.name = "dis",
     .usage = "FILE [-o OUT] [--strip-debug]",
     .summary = "print bytecode as text",
     .text = "Prints the program in FILE, bytecode or Triton's TTIR, as Tile IR's text. All\n"
             "other commands take these as well.",
     .options = dis_options,
     .examples = dis_examples,
     .min_args = 1,
     .max_args = 1,
     .arg = "a program (FILE, or - for standard input)",
     .run = cli_dis},
    {.name = "compare",
     .usage = "FIRST.json SECOND.json [-o OUT]",
     .summary = "two reports of counters beside each other",
     .text = "Reads what --counters --report FILE.json of `tessera run` and `tessera ptx` wrote,\n"
             "and shows for the estimate's parts, for all counts and for every line of the\n"
             "program both numbers and how many times the first the second is.",
     .options = compare_options,
     .examples = compare_examples,
     .min_args = 2,
     .max_args = 2,
     .arg = "two reports (FIRST.json SECOND.json)",
     .run = cli_compare},
    {.name = "lsp",
     .usage = "",
     .summary = "a language server for editors",
     .text = "Speaks the Language Server Protocol over standard input and output: errors while\n"
             "typing, types and layouts under the cursor, the manual's page of an operation,\n"
             "where names are defined and used, what can be written next, formatting. An\n"
             "editor starts it; docs/editors.md says how.",
     .options = lsp_options,
     .examples = lsp_examples,
     .run = cli_lsp},
    {.name = "explain",
     .usage = "[NAME | --markdown | --targets | --elements | --grammar]",
     .summary = "what an operation takes, gives and means",
     .text = "Prints the manual page of an operation, a type or an attribute with named\n"
             "values. Without NAME it prints a line for each operation, and the names of the\n"
             "other pages.",
     .options = explain_options,
     .examples = explain_examples,
     .max_args = 1,
     .first = "@pages",
     .run = cli_explain},
    {.name = "devices",
     .usage = "",
     .summary = "what kernels can run on here",
     .text = "Lists what --target can name; for a device that can't be used here, why not.",
     .options = json_options,
     .examples = devices_examples,
     .run = cli_devices},
    {.name = "version",
     .usage = "",
     .summary = "which version this is",
     .text = "Prints the version of the command, and of the language that it reads.",
     .examples = version_examples,
     .run = cli_version},
    {.name = "help",
     .usage = "[COMMAND | environment]",
     .summary = "explain a command, with examples",
     .text = "Prints the help page of COMMAND, or without it what commands there are.\n"
             "`environment` lists the environment variables that Tessera reads.",
     .options = help_options,
     .examples = help_examples,
     .max_args = 255,
     .first = "@commands environment",
     .run = cli_help},
    {0},
};
