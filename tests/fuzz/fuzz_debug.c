/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any text as the commands of a debugging session, over a kernel with a loop, a branch and a
 * reduction. What the session prints is thrown away.
 */
#include <fcntl.h>
#include <sys/mman.h>

/* The whole command is compiled in; its sources beside this one are the build's. */
int tessera_main(int argc, char **argv);
#define main tessera_main
#include "cli/main.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char kernel[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {\n"
    "  %one = constant <i32: 1> : tile<i32>\n"
    "  %four = constant <i32: 4> : tile<i32>\n"
    "  %i = iota : tile<8xi32>\n"
    "  %x = itof %i signed : tile<8xi32> -> tile<8xf32>\n"
    "  %sum = for %n in (%one to %four, step %one) : tile<i32> iter_values(%acc = %x) ->\n"
    "      (tile<8xf32>) {\n"
    "    %y = addf %acc, %x : tile<8xf32>\n"
    "    continue %y : tile<8xf32>\n"
    "  }\n"
    "  %t = reduce %sum dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>\n"
    "  (%a: tile<f32>, %b: tile<f32>) {\n"
    "    %c = addf %a, %b : tile<f32>\n"
    "    yield %c : tile<f32>\n"
    "  }\n"
    "  %s = store_ptr_tko weak %p, %t : tile<ptr<f32>>, tile<f32> -> token\n"
    "} }\n";

/* A file in memory by a name that can be opened. */
static const char *in_memory(char name[32], const void *data, size_t size) {
  int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(name, 32, "/proc/self/fd/%d", fd);
  return name;
}

static void forget(const char *name) {
  close(atoi(strrchr(name, '/') + 1));
}

/* Runs the command with its output thrown away. */
static void run_quietly(int argc, char **argv) {
  fflush(stdout);
  int out = dup(1), err = dup(2), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, 1);
  dup2(nothing, 2);
  tessera_main(argc, argv);
  fflush(stdout);
  fflush(stderr);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  close(nothing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char program[32], script[32];
  in_memory(program, kernel, sizeof kernel - 1);
  in_memory(script, data, size);
  char *argv[] = {"tessera",     "debug", program, "--grid",  "1",
                  "zeros:f32:8", "-x",    script,  "--batch", NULL};
  run_quietly((int)ARRAY_LEN(argv) - 1, argv);
  forget(program);
  forget(script);
  return 0;
}
