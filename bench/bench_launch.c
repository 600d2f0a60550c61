/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a launch on a CPU costs, of one tile block and of many that do nothing. And what one through
 * the device "cuda:0" costs over cuLaunchKernel: the same kernel of eight
 * parameters, which does nothing, put on a stream by tsr_launch_on and by the driver's own entry.
 * TESSERA_CUDA_DRIVER names the driver; without a GPU the one of libexec/tessera/compat is taken,
 * which executes the kernel on the emulator before its call returns, for both sides alike.
 */
#include "bench.h"

#include <dlfcn.h>

#include <tessera/tessera.h>

enum { LAUNCHES = 2000, BLOCKS = 10000, PARAMETERS = 8 };

typedef int (*launch_fn)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void *, void **, void **);

typedef struct problem {
  tsr_kernel *kernel;
  tsr_stream *stream;
  unsigned blocks;
  tsr_arg args[PARAMETERS];
  launch_fn launch;
  void *function, *native;
  unsigned threads;
  uint64_t words[PARAMETERS];
  void *params[PARAMETERS];
} problem;

static const char text[] =
    "cuda_tile.module @m {\n"
    "  entry @nothing(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>,\n"
    "                 %m: tile<i32>, %n: tile<i32>, %k: tile<i32>, %x: tile<f32>, %y: tile<f32>) "
    "{\n"
    "  }\n"
    "}\n";

static void through_tessera(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++)
    tsr_launch_on(p->stream, p->kernel, (tsr_grid){1, 1, 1}, p->args, PARAMETERS);
  tsr_stream_wait(p->stream);
}

static void on_cpu(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++)
    tsr_launch(p->kernel, (tsr_grid){p->blocks, 1, 1}, p->args, PARAMETERS);
}

static void by_driver(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++)
    p->launch(p->function, 1, 1, 1, p->threads, 1, 1, 0, p->native, p->params, NULL);
  tsr_stream_wait(p->stream);
}

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "bench_launch: %s\n", d->message);
}

/* The emulator's driver beside this program, unless another was named. */
static const char *choose_driver(void) {
  static char path[4096];
  const char *asked = getenv("TESSERA_CUDA_DRIVER");
  if (asked && *asked) return asked;
  void *found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (found) return "libcuda.so.1";
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
  path[n > 0 ? n : 0] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash : path, "/../libexec/tessera/compat/libcuda.so.1");
  setenv("TESSERA_CUDA_DRIVER", path, 1);
  setenv("TESSERA_CUDA_CAPABILITY", "9.0", 0);
  return path;
}

/* The same code, loaded past Tessera. */
static bool load_directly(problem *p, tsr_module *m, const char *driver) {
  void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL), *module;
  int (*load)(void **, const void *) = NULL, (*find)(void **, void *, const char *) = NULL;
  int (*retain)(void **, int) = NULL, (*use)(void *) = NULL;
  void *context, *entries[5];
  static const char *const names[5] = {"cuModuleLoadData", "cuModuleGetFunction",
                                       "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                       "cuLaunchKernel"};
  for (int i = 0; i < 5; i++)
    if (!library || !(entries[i] = dlsym(library, names[i]))) return false;
  memcpy(&load, &entries[0], sizeof load);
  memcpy(&find, &entries[1], sizeof find);
  memcpy(&retain, &entries[2], sizeof retain);
  memcpy(&use, &entries[3], sizeof use);
  memcpy(&p->launch, &entries[4], sizeof p->launch);
  char *ptx = tsr_module_emit_gpu(m, TSR_GPU_PTX, "sm_80", NULL, NULL);
  const char *threads = ptx ? strstr(ptx, ".reqntid ") : NULL;
  if (!threads) return false;
  p->threads = (unsigned)atoi(threads + strlen(".reqntid "));
  return retain(&context, 0) == 0 && use(context) == 0 && load(&module, ptx) == 0 &&
         find(&p->function, module, "nothing") == 0;
}

static void fill_arguments(problem *p) {
  for (int i = 0; i < PARAMETERS; i++) {
    p->args[i] = i < 3 ? tsr_arg_nullable(NULL) : i < 6 ? tsr_arg_i32(i) : tsr_arg_f32(1);
    p->params[i] = &p->words[i];
  }
}

static bool measure_cpu(tsr_context *ctx, unsigned threads) {
  tsr_device_options options = {.struct_size = sizeof options, .threads = threads};
  tsr_device *dev = tsr_device_open(ctx, "cpu", &options);
  tsr_module *m = dev ? tsr_module_parse(ctx, text, strlen(text), NULL, 0) : NULL;
  tsr_program *program = m ? tsr_program_create(dev, m) : NULL;
  problem one = {.kernel = program ? tsr_kernel_get(program, NULL) : NULL, .blocks = 1}, many;
  fill_arguments(&one);
  many = one;
  many.blocks = BLOCKS;
  if (one.kernel) {
    bench_side side = BENCH_SIDE("one tile block", on_cpu, &one);
    bench_measure(&side, 1, 0.5);
    printf("  cpu, %u thread%s: a launch of one tile block %9.1f ns\n", threads,
           threads > 1 ? "s" : "", side.best / LAUNCHES * 1e9);
    side = (bench_side)BENCH_SIDE("many", on_cpu, &many);
    bench_measure(&side, 1, 0.5);
    printf("  cpu, %u thread%s: of %d, for each %15.1f ns\n", threads, threads > 1 ? "s" : "",
           BLOCKS, side.best / LAUNCHES / BLOCKS * 1e9);
  }
  tsr_program_destroy(program);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  return one.kernel != NULL;
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "launches of a kernel that does nothing");
  const char *driver = choose_driver();
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = say};
  tsr_context *ctx = tsr_context_create(&options);
  for (unsigned threads = 1; threads <= 2; threads++)
    if (!measure_cpu(ctx, threads)) return 1;
  tsr_device *dev = tsr_device_open(ctx, "cuda:0", NULL);
  tsr_module *m = dev ? tsr_module_parse(ctx, text, strlen(text), NULL, 0) : NULL;
  tsr_program *program = m ? tsr_program_create(dev, m) : NULL;
  problem p = {.kernel = program ? tsr_kernel_get(program, NULL) : NULL};
  if (!p.kernel || !load_directly(&p, m, driver)) return 1;
  p.stream = tsr_stream_wrap(dev, NULL);
  fill_arguments(&p);
  char what[512];
  tsr_device_describe("cuda:0", what, sizeof what);
  printf("  %s\n", what);
  bench_side sides[] = {BENCH_SIDE("tsr_launch_on", through_tessera, &p),
                        BENCH_SIDE("cuLaunchKernel", by_driver, &p)};
  bench_measure(sides, 2, 1.0);
  bench_print("launches, 1 block, 8 parameters", sides, 2, 1e3 * LAUNCHES, "million/s");
  printf("  a launch through Tessera costs %.0f ns more\n",
         (sides[0].best - sides[1].best) / LAUNCHES * 1e9);
  tsr_stream_destroy(p.stream);
  tsr_program_destroy(program);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  tsr_context_destroy(ctx);
  return 0;
}
