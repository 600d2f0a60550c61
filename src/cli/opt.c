/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tessera opt: runs passes over a program. The program goes to the output; dumps and times go to
 * standard error.
 */
#include <stdio.h>

#include <tessera/opt.h>

#include "cli/cli.h"

/* Part `n` of a list of passes, cut at commas so that lines stay short; false after the last. */
static bool part_of(const char *list, unsigned n, char *out, size_t size) {
  enum { WIDTH = 58 };
  for (;; n--) {
    size_t len = strlen(list);
    if (len > WIDTH) {
      len = WIDTH;
      while (list[len - 1] != ',') len--;
    }
    if (n == 0) snprintf(out, size, "%.*s", (int)len, list);
    if (n == 0) return len > 0;
    list += len;
  }
}

static bool level_line(unsigned index, char *out, size_t size) {
  char part[80];
  const char *passes;
  for (unsigned level = 0; (passes = tsr_optimize_level(level)); level++) {
    if (!*passes) passes = "nothing";
    for (unsigned n = 0; part_of(passes, n, part, sizeof part); n++)
      if (index-- == 0) {
        if (n)
          snprintf(out, size, "%16s%s", "", part);
        else
          snprintf(out, size, "O%-15u%s", level, part);
        return true;
      }
  }
  return false;
}

bool cli_list_passes(unsigned index, char *out, size_t size) {
  tsr_pass_info p;
  if (!tsr_pass_describe(index, &p))
    return level_line(index - (unsigned)tsr_pass_count(), out, size);
  snprintf(out, size, "%u  %-12s %s", p.number, p.name, p.summary);
  return true;
}

bool cli_asks_for_patterns(const cli *c) {
  const char *names = cli_value(c, OPT_DISABLE);
  return names && strcmp(names, "help") == 0;
}

static void print_row(const char *name, const char *sentence) {
  printf("  %-18s %s\n", name, sentence);
}

void cli_print_patterns(void) {
  tsr_pass_info pass;
  tsr_pattern_info pattern;
  printf("Passes of the optimiser:\n");
  for (size_t i = 0; tsr_pass_describe(i, &pass); i++) print_row(pass.name, pass.summary);
  printf("\nPatterns of the CPU backend:\n");
  for (size_t i = 0; tsr_pattern_describe(i, &pattern); i++) {
    print_row(pattern.name, pattern.summary);
    if (pattern.when) printf("  %-18s When %s.\n", "", pattern.when);
  }
}

static void show_stage(void *user, const char *stage, const char *text, size_t length) {
  (void)user;
  fprintf(stderr, "// ---- %s\n", stage);
  fwrite(text, 1, length, stderr);
}

typedef struct clock_total {
  bool shown;
  double total;
} clock_total;

static void show_time(void *user, const tsr_pass_report *r) {
  clock_total *t = user;
  if (!t) return;
  if (!t->shown)
    fprintf(stderr, "%12s  %10s  %10s  %10s  %s\n", "ms", "changes", "ops", "then", "pass");
  t->shown = true;
  t->total += r->seconds;
  fprintf(stderr, "%12.3f  %10llu  %10llu  %10llu  %s\n", 1e3 * r->seconds,
          (unsigned long long)r->changes, (unsigned long long)r->ops_before,
          (unsigned long long)r->ops_after, r->name);
}

/* The list to run: --passes, or that of a level. NULL after a message. */
static const char *chosen_passes(cli *c) {
  static const char *const names[] = {"O0", "O1", "O2", "O3"};
  const char *level = cli_value(c, OPT_LEVEL), *passes = cli_value(c, OPT_PASSES);
  uint64_t n = 2;
  if (level && passes) {
    cli_wrong_call(c, "--passes and -O exclude each other; --passes=O2,cse runs both");
    return NULL;
  }
  if (level && !cli_number(c, "-O", level, 0, 3, &n)) return NULL;
  return passes ? passes : names[n];
}

static int write_module(cli *c, tsr_module *m) {
  size_t len;
  char *text = tsr_module_print(m, &len);
  if (!text) return CLI_WRONG_INPUT;
  bool ok = cli_write_result(c, cli_value(c, OPT_OUTPUT), text, len);
  tsr_string_free(c->ctx, text);
  return ok ? CLI_OK : CLI_WRONG_INPUT;
}

static int optimize(cli *c, tsr_module *m, const char *passes) {
  clock_total times = {0};
  tsr_optimize_options o = {.struct_size = sizeof o,
                            .print_before = cli_value(c, OPT_PRINT_BEFORE),
                            .print_after = cli_value(c, OPT_PRINT_AFTER),
                            .verify_each = true,
                            .on_dump = show_stage};
  if (cli_has(c, OPT_PRINT_AFTER_ALL)) o.print_after = "all";
  if (cli_has(c, OPT_TIME_PASSES)) {
    o.on_pass = show_time;
    o.user = &times;
  }
  tsr_status status = tsr_module_optimize(m, passes, &o);
  if (times.shown) fprintf(stderr, "%12.3f  all passes\n", 1e3 * times.total);
  if (status == TSR_ERROR_USAGE) return CLI_WRONG_CALL;
  return status == TSR_OK ? write_module(c, m) : CLI_WRONG_INPUT;
}

int cli_opt(cli *c) {
  const char *passes = chosen_passes(c);
  if (!passes) return CLI_WRONG_CALL;
  tsr_module *m = tsr_module_load(c->ctx, c->args[0], cli_load_flags(c) | TSR_PARSE_KEEP_COMMENTS);
  if (!m) return CLI_WRONG_INPUT;
  int status = optimize(c, m, passes);
  tsr_module_destroy(m);
  return status;
}
