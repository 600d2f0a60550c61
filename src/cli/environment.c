/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The environment variables that Tessera reads, for the manual page and `tessera help environment`.
 * tests/cli/environment.test holds the list to the sources.
 */
#include "cli/cli.h"

const cli_variable cli_variables[] = {
    {"NO_COLOR", "when set and not empty, --color=auto means never"},
    {"TESSERA_THREADS", "what --threads is when it isn't given"},
    {"TESSERA_CPU", "what --cpu is when it isn't given"},
    {"TESSERA_MACHINE", "avx2 or baseline: what the processor has beyond that\nis hidden"},
    {"TESSERA_PIN", "1: worker threads stay on their cores"},
    {"TESSERA_BLOCK_GROUP", "how many neighbouring tile blocks a worker takes at\nonce"},
    {"TESSERA_CACHE", "off: compiled kernels are not kept; see tessera help\ncache"},
    {"TESSERA_CACHE_DIR", "where they are kept"},
    {"TESSERA_CACHE_SIZE", "in how many megabytes (256)"},
    {"TESSERA_TUNING", "the file of what tuning has found; off: there is none"},
    {"TESSERA_SQLITE", "the library SQLite that keeps it (libsqlite3.so.0)"},
    {"TESSERA_LLVM_PLUGIN", "the compiler, libtessera-llvm.so, where it isn't found"},
    {"TESSERA_SPLIT", "in how many parts a large kernel is compiled; 0: in\none"},
    {"TESSERA_COMPILE_TIMES", "1: compiling says on standard error what took how long"},
    {"TESSERA_PROGRESS", "seconds after which a run says how far it is (1)"},
    {"TESSERA_DUMP_LLVM",
     "1: the LLVM IR of what is compiled, before LLVM's\npasses, on standard error"},
    {"TESSERA_PTXAS", "NVIDIA's assembler for PTX, where it isn't in PATH"},
    {"TESSERA_HASH_SEED", "a number in place of the random secret of tables"},
    {"TESSERA_CUDA_DRIVER", "the driver library for devices cuda:N (libcuda.so.1)"},
    {"TESSERA_HIP_LIBRARY", "the library for devices hip:N (libamdhip64.so)"},
    {"TESSERA_DEVICE", "under tessera exec, and in Python: the device that is\nmeant by default"},
    {"TESSERA_CUDA_DEVICE",
     "of the stand-in for NVIDIA's driver: what executes\nkernels, as --target of tessera exec"},
    {"TESSERA_CUDA_CAPABILITY", "which GPU the stand-in says it is like, as\n--capability"},
    {"TESSERA_CUDA_COUNTERS", "1: it counts, as --counters of tessera exec"},
    {"TESSERA_CUDA_REPORT", "the file of --report of tessera exec"},
    {"TESSERA_CUDA_LATE",
     "1: copies and launches of the stand-in happen as late\nas the interface allows"},
    {"TESSERA_CUDA_PAGEABLE", "1: kernels of PTX reach all of the process's memory"},
    {"TESSERA_HIP_DEVICE",
     "of the stand-in for AMD's HIP: the emulated card\n(emu:gfx942), as --target of tessera exec"},
    {"TESSERA_HIP_LATE", "1: as TESSERA_CUDA_LATE, of that"},
    {"TESSERA_SANITIZE", "1: as --sanitize of tessera exec"},
    {"TESSERA_TILEIRAS", "what the stand-in for tileiras writes, as its --emit"},
    {"TESSERA_CUDA_DEVICES",
     "how many GPUs PyTorch counts under tessera exec: one\nfor each process "
     "of a program"},
    {"TESSERA_TORCH", "host: PyTorch's device \"cuda\" is the host's memory"},
    {"TESSERA_TRITON", "ptx: Triton's own PTX, on the emulator"},
    {"TESSERA_TILUS", "nvcc: Tilus' own way, by NVIDIA's compiler"},
    {"TESSERA_TILUS_CASTS", "tilus: floats of less than 8 bits are rounded as Tilus\ndoes"},
    {"TESSERA_MPI", "openmpi, mpich or a plugin, for several ranks"},
    {"TESSERA_RANKS_TIMEOUT", "seconds that a call waits for another rank (60)"},
    {"TESSERA_RANKS_APART", "1: ranks share no memory, as on several machines"},
    {"TESSERA_RANKS_DELAY", "MICROSECONDS,MEGABYTES: messages come later by that\nmuch, at most so "
                            "many megabytes in a second"},
    {"TESSERA_LIBRARY", "the library that the Python package loads"},
    {"TESSERA_COMMAND", "the command that python -m tessera runs"},
    {0},
};
