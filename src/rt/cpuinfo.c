/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/cpuinfo.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "base/processor.h"

const char *cpuinfo_level_name(cpu_level level) {
  return level < CPU_LEVEL_COUNT ? processor_level_names[level] : "?";
}

/* Products of bytes in fours, with the level's own vectors. */
static bool has_vnni(cpu_level level) {
#if defined(__x86_64__)
  return (level == CPU_AVX512 && processor_has(PROCESSOR_AVX512_VNNI)) ||
         (level == CPU_AVX2 && processor_has(PROCESSOR_AVX_VNNI));
#else
  (void)level;
  return false;
#endif
}

/* What a lower level leaves of the extensions of the best. */
static void choose_level(cpu_options *o, cpu_level level) {
  if (level == o->isa.level) return;
  o->isa.level = level;
  o->isa.bf16 = o->isa.fp16 = o->isa.vbmi = false;
  o->isa.vnni = has_vnni(level);
}

/* What is known of this processor's cores. */
static const cpu_row *row_here(void) {
  processor_id id = processor_identify();
  return cpu_row_for(id.maker, id.family, id.model);
}

cpu_options cpuinfo_best(void) {
  cpu_options o = {.isa.level = CPU_BASELINE, .opt_level = 3};
#if defined(__x86_64__)
  bool avx2 = processor_has(PROCESSOR_AVX2) && processor_has(PROCESSOR_F16C) &&
              processor_has(PROCESSOR_BMI);
  bool avx512 = avx2 && processor_has(PROCESSOR_AVX512);
  o.isa.level = avx512 ? CPU_AVX512 : avx2 ? CPU_AVX2 : CPU_BASELINE;
  o.isa.bf16 = avx512 && processor_has(PROCESSOR_AVX512_BF16) && row_here()->fast_bf16;
  o.isa.fp16 = avx512 && processor_has(PROCESSOR_AVX512_FP16);
  o.isa.vbmi = avx512 && processor_has(PROCESSOR_AVX512_VBMI);
  o.isa.vnni = has_vnni(o.isa.level);
#elif defined(__aarch64__)
  enum { DOTPROD = 20, I8MM = 13, BF16 = 14 }; /* bits of AT_HWCAP; of AT_HWCAP2 */
  if (processor_is_limited()) return o;
  o.isa.dotprod = getauxval(AT_HWCAP) >> DOTPROD & 1;
  o.isa.i8mm = o.isa.dotprod && (getauxval(AT_HWCAP2) >> I8MM & 1);
  o.isa.bf16 = getauxval(AT_HWCAP2) >> BF16 & 1;
#endif
  return o;
}

/* `from` says where the name was found. */
static bool find_level(tsr_context *ctx, const char *from, const char *name, cpu_level *out) {
  for (unsigned level = 0; level < CPU_LEVEL_COUNT; level++) {
    *out = (cpu_level)level;
    if (strcmp(name, processor_level_names[level]) == 0) return true;
  }
  diag_error(ctx, NOWHERE, "%sunknown feature level '%s'; there are: baseline, avx2, avx512", from,
             name);
  return false;
}

static bool check_limit(tsr_context *ctx) {
  cpu_level level;
  return !processor_limit_is_wrong() ||
         find_level(ctx, PROCESSOR_LIMIT ": ", getenv(PROCESSOR_LIMIT), &level);
}

bool cpuinfo_choose(tsr_context *ctx, const char *name, cpu_options *out) {
  *out = cpuinfo_best();
  if (!check_limit(ctx)) return false;
  const char *from = "";
  if (!name) {
    name = getenv("TESSERA_CPU");
    from = "TESSERA_CPU: ";
  }
  if (!name || !*name) return true;
  cpu_level level;
  if (!find_level(ctx, from, name, &level)) return false;
  if (level > out->isa.level) {
    diag_error(ctx, NOWHERE, "%sthis machine doesn't have '%s'; the best it has is '%s'%s", from,
               name, cpuinfo_level_name(out->isa.level),
               processor_is_limited() ? " (" PROCESSOR_LIMIT " hides more)" : "");
    return false;
  }
  choose_level(out, level);
  return true;
}

/* "+bf16+i8mm" and parts of it. */
static bool read_extensions(const char *text, cpu_options *out) {
  while (*text) {
    if (strncmp(text, "+bf16", 5) == 0 && !out->isa.bf16)
      out->isa.bf16 = true;
    else if (strncmp(text, "+i8mm", 5) == 0 && !out->isa.i8mm)
      out->isa.dotprod = out->isa.i8mm = true;
    else
      return false;
    text += 5;
  }
  return true;
}

/* "+vnni+bf16" and parts of it, of those that the level has. */
static bool read_x86_extensions(const char *text, cpu_options *out) {
  const struct {
    const char *name;
    bool *has;
    cpu_level from;
  } all[] = {{"+vnni", &out->isa.vnni, CPU_AVX2},
             {"+bf16", &out->isa.bf16, CPU_AVX512},
             {"+fp16", &out->isa.fp16, CPU_AVX512},
             {"+vbmi", &out->isa.vbmi, CPU_AVX512}};
  while (*text) {
    unsigned i = 0;
    while (i < ARRAY_LEN(all) && (strncmp(text, all[i].name, 5) != 0 || *all[i].has)) i++;
    if (i == ARRAY_LEN(all) || out->isa.level < all[i].from) return false;
    *all[i].has = true;
    text += 5;
  }
  return true;
}

/* A level by name is that and no more, so that the code runs wherever there is one; this machine
 * need not have it, only be of that architecture. */
static bool choose_x86(tsr_context *ctx, const char *name, cpu_options *out) {
  char level[16];
  size_t length = strcspn(name, "+");
  snprintf(level, sizeof level, "%.*s", (int)length, name);
#if defined(__x86_64__)
  *out = (cpu_options){.opt_level = 3};
  if (!find_level(ctx, "", level, &out->isa.level)) return false;
#else
  if (!cpuinfo_choose(ctx, level, out)) return false;
  out->isa.bf16 = false;
#endif
  if (read_x86_extensions(name + length, out)) return true;
  diag_error(ctx, NOWHERE,
             "unknown extension in '%s'; avx2 has +vnni, avx512 has +vnni, +bf16, +fp16 and +vbmi",
             name);
  return false;
}

bool cpuinfo_choose_target(tsr_context *ctx, const char *name, cpu_options *out) {
  static const char arm[] = "aarch64";
  if (!name || !*name) return cpuinfo_choose(ctx, name, out);
  if (strncmp(name, arm, sizeof arm - 1) != 0) return choose_x86(ctx, name, out);
  *out = (cpu_options){.isa.arch = CPU_AARCH64, .opt_level = 3};
  if (read_extensions(name + sizeof arm - 1, out)) return true;
  diag_error(ctx, NOWHERE,
             "unknown target '%s'; for AArch64 there are: aarch64, aarch64+bf16, "
             "aarch64+i8mm, aarch64+bf16+i8mm",
             name);
  return false;
}

/* Takes extensions away, as the bits of `less` say; false where there are no such bits. */
static bool leave_out(cpu_options *o, unsigned less) {
  bool *const all[] = {&o->isa.vbmi, &o->isa.fp16, &o->isa.bf16, &o->isa.vnni};
  for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
    if (!*all[i]) continue;
    *all[i] = !(less & 1);
    less >>= 1;
  }
  return less == 0;
}

bool cpuinfo_candidate(const cpu_options *best, unsigned index, cpu_options *out) {
  *out = *best;
  if (cpu_is_aarch64(&best->isa)) {
    if (index & 1) out->isa.bf16 = false;
    if (index & 2) out->isa.dotprod = out->isa.i8mm = false;
    return index < 4;
  }
  for (unsigned level = (unsigned)best->isa.level + 1; level-- > 0;) {
    *out = *best;
    choose_level(out, (cpu_level)level);
    unsigned subsets = 1u << (out->isa.vbmi + out->isa.fp16 + out->isa.bf16 + out->isa.vnni);
    if (index < subsets) return leave_out(out, index);
    index -= subsets;
  }
  return false;
}

/* KB of a processor's second-level cache; 0: the system doesn't say. */
static uint32_t l2_kb(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (uint32_t)MIN(bytes >> 10, 1L << 20) : 0;
#else
  return 0;
#endif
}

void cpuinfo_tune(cpu_options *out) {
  out->core = row_here()->core;
  out->core.l2_kb = l2_kb();
}

unsigned cpuinfo_threads(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)MAX(CPU_COUNT(&set), 1);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned)n;
}

void cpuinfo_model(char *out, size_t size) {
#if defined(__x86_64__)
  snprintf(out, size, "x86-64 processor");
#elif defined(__aarch64__)
  snprintf(out, size, "AArch64 processor");
#else
  snprintf(out, size, "processor");
#endif
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    char *name = strchr(line, ':');
    if (!name) continue;
    name += 1 + strspn(name + 1, " \t");
    name[strcspn(name, "\n")] = 0;
    if (*name) snprintf(out, size, "%s", name);
    break;
  }
  fclose(file);
}
