/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small coverage-guided fuzzer, so that `make fuzz` needs nothing but gcc. A fuzzer is a file
 * tests/fuzz/fuzz_NAME.c with libFuzzer's entry point and is linked with this driver:
 *
 *   int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
 *
 *   fuzz_NAME [--seconds N] [--seed N] FILE|FOLDER...    fuzz, starting from these inputs
 *   fuzz_NAME --replay FILE...                           run each file once
 *
 * How it works. gcc calls __sanitizer_cov_trace_pc at every branch target of the library; the
 * driver marks (previous place, this place) in a table, and an input that marks something new joins
 * the inputs that later ones are made from, by flipping, inserting, dropping, copying and splicing.
 * The input at work lies in a file that is mapped into memory, so that after a crash it is there:
 * its name is said at the start. An input that takes more than 10 seconds of CPU time is a failure
 * as well; CPU time, since the fuzzer may run beside other work. So is one after which the process
 * is MEGABYTES_PER_INPUT larger than it ever was: readers take memory in proportion to their input,
 * which is at most LIMIT bytes. An interrupt ends the run early, as if its time were up.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_cov_trace_pc(void);

enum { LIMIT = 1 << 16, PLACES = 1 << 16, INPUTS = 1 << 14, SECONDS_PER_INPUT = 10 };
enum { MEGABYTES_PER_INPUT = 512 };

typedef struct {
  uint8_t *data;
  size_t size;
} input;

static uint8_t places[PLACES]; /* how often the input at work came by, up to 255 */
static uint8_t seen[PLACES];   /* all that was seen before: a bit per power of two of that count */
static uintptr_t previous;
static input inputs[INPUTS];
static size_t input_count;
static uint64_t state;
static volatile sig_atomic_t interrupted;

void __sanitizer_cov_trace_pc(void) {
  uintptr_t here = (uintptr_t)__builtin_return_address(0);
  here = (here >> 4) ^ (here << 8);
  uint8_t *count = &places[(here ^ previous) % PLACES];
  *count = (uint8_t)(*count + (*count < 255));
  previous = here >> 1;
}

static size_t below(size_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return limit ? (size_t)(state >> 11) % limit : 0;
}

/* Raises SIGPROF after so many seconds of the process's CPU time; 0 takes it back. */
static void limit_cpu(time_t seconds) {
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

/* The most memory that the process ever had, in megabytes. */
static long most_memory(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_maxrss / 1024 : 0;
}

/* Runs one input; true when it went where none went before. */
static int run(const uint8_t *data, size_t size) {
  memset(places, 0, sizeof places);
  previous = 0;
  long before = most_memory();
  limit_cpu(SECONDS_PER_INPUT);
  LLVMFuzzerTestOneInput(data, size);
  limit_cpu(0);
  if (most_memory() - before > MEGABYTES_PER_INPUT) {
    fprintf(stderr, "\nfuzz: this input takes more than %d MB\n", MEGABYTES_PER_INPUT);
    abort();
  }
  int news = 0;
  for (size_t i = 0; i < PLACES; i++) {
    if (!places[i]) continue;
    uint8_t bit = (uint8_t)(1u << (31 - __builtin_clz(places[i])));
    news |= !(seen[i] & bit);
    seen[i] |= bit;
  }
  return news;
}

static void keep(const uint8_t *data, size_t size) {
  size_t at = input_count < INPUTS ? input_count++ : below(INPUTS);
  uint8_t *copy = malloc(size + 1);
  if (!copy) return;
  memcpy(copy, data, size);
  free(inputs[at].data);
  inputs[at] = (input){copy, size};
}

static void mutate(uint8_t *data, size_t *size) {
  static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '<', '(', '"', '\n', '%'};
  size_t at = below(*size), length, to;
  switch (below(8)) {
  case 0: /* flip a bit */
    if (*size) data[at] ^= (uint8_t)(1u << below(8));
    break;
  case 1: /* an edge value */
    if (*size) data[at] = edges[below(sizeof edges)];
    break;
  case 2: /* any value */
    if (*size) data[at] = (uint8_t)below(256);
    break;
  case 3: /* drop a piece */
    length = below(below(4) ? 16 : *size) + 1;
    if (length > *size - at) length = *size - at;
    memmove(data + at, data + at + length, *size - at - length);
    *size -= length;
    break;
  case 4: /* copy a piece of itself over another place */
    to = below(*size);
    length = below(32);
    if (at + length <= *size && to + length <= *size) memmove(data + to, data + at, length);
    break;
  case 5: /* repeat a piece, sometimes often */
    length = below(16) + 1;
    for (size_t times = below(16) ? 1 : 64; times; times--) {
      if (at + length > *size || *size + length > LIMIT) break;
      memmove(data + at + length, data + at, *size - at);
      *size += length;
    }
    break;
  default: { /* insert a piece of another input */
    const input *other = &inputs[below(input_count)];
    size_t from = below(other->size);
    length = below(below(4) ? 24 : other->size) + 1;
    if (length > other->size - from) length = other->size - from;
    if (*size + length > LIMIT) break;
    memmove(data + at + length, data + at, *size - at);
    memcpy(data + at, other->data + from, length);
    *size += length;
  }
  }
}

/* Adds a file, or all files below a folder. */
static void add(const char *path, int depth) {
  struct stat info;
  if (stat(path, &info) != 0 || depth > 8) return;
  if (S_ISDIR(info.st_mode)) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
      char name[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
      add(name, depth + 1);
    }
    if (folder) closedir(folder);
    return;
  }
  FILE *file = fopen(path, "rb");
  static uint8_t data[LIMIT];
  if (!file) return;
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  keep(data, size);
}

static void too_slow(int number) {
  static const char text[] = "\nfuzz: this input takes more than 10 seconds\n";
  (void)number;
  if (write(2, text, sizeof text - 1)) _exit(98);
  _exit(98);
}

static void interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static int replay(int count, char **files) {
  for (int i = 0; i < count; i++) {
    input_count = 0;
    add(files[i], 0);
    printf("%s: %zu bytes\n", files[i], inputs[0].size);
    fflush(stdout);
    if (input_count) LLVMFuzzerTestOneInput(inputs[0].data, inputs[0].size);
  }
  return 0;
}

int main(int argc, char **argv) {
  double seconds = 10;
  state = 1;
  int i = 1;
  if (argc > 1 && strcmp(argv[1], "--replay") == 0) return replay(argc - 2, argv + 2);
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0)
      seconds = atof(argv[i + 1]);
    else if (strcmp(argv[i], "--seed") == 0)
      state = strtoull(argv[i + 1], NULL, 10);
    else
      return fprintf(stderr, "fuzz: unknown option %s\n", argv[i]), 2;
  }
  state = state * 0x9E3779B97F4A7C15u + 1;
  keep((const uint8_t *)"", 0);
  for (; i < argc; i++) add(argv[i], 0);
  size_t given = input_count;

  char name[4096];
  snprintf(name, sizeof name, "%s.input", argv[0]);
  int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ftruncate(file, LIMIT) != 0) return perror(name), 2;
  uint8_t *work = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (work == MAP_FAILED) return perror(name), 2;
  printf("%s: %zu inputs, %.0f s; after a crash the input is %s\n", argv[0], given - 1, seconds,
         name);
  fflush(stdout);
  signal(SIGPROF, too_slow);
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);

  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  uint64_t runs = 0;
  for (double spent = 0; spent < seconds && !interrupted; runs++) {
    size_t size;
    if (runs < given) {
      size = inputs[runs].size;
      memcpy(work, inputs[runs].data, size);
    } else {
      const input *from = &inputs[below(input_count)];
      size = from->size;
      memcpy(work, from->data, size);
      for (size_t n = below(6) + 1; n; n--) mutate(work, &size);
    }
    if (ftruncate(file, (off_t)(size ? size : 1)) != 0) return perror(name), 2;
    /* A copy on the heap of just this size: the address sanitizer sees a read past its end. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) return 2;
    memcpy(exact, work, size);
    if (run(exact, size) && runs >= given) keep(exact, size);
    free(exact);
    if (ftruncate(file, LIMIT) != 0) return perror(name), 2;
    clock_gettime(CLOCK_MONOTONIC, &now);
    spent = (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
  }
  size_t covered = 0;
  for (size_t k = 0; k < PLACES; k++) covered += seen[k] != 0;
  printf("%s: %llu runs in %.0f s of CPU time, %zu kept inputs, %zu places, no crash\n", argv[0],
         (unsigned long long)runs, (double)clock() / CLOCKS_PER_SEC, input_count, covered);
  unlink(name);
  return 0;
}
