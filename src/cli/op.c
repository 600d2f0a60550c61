/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command op: operators by name. Options behind a family are its parameters.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/op.h"
#include "ops/function.h"

/* ---- reading the call ------------------------------------------------------------------------ */

/* "--tile-m=64" or "--tile-m 64" as a name and a value. */
static bool next_option(op_call *o, unsigned *at, const char **name, const char **value) {
  cli *c = o->c;
  const char *word = c->args[(*at)++];
  if (strncmp(word, "--", 2) != 0) {
    cli_wrong_call(c, "'%s' is no option; parameters are written --name value", word);
    return false;
  }
  const char *equals = strchr(word, '=');
  size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
  char *copy = arena_strndup(&c->arena, word + 2, length);
  for (char *p = copy; *p; p++)
    if (*p == '-') *p = '_';
  *name = copy;
  if (strcmp(copy, "json") == 0) return *value = "", true;
  if (equals) return *value = equals + 1, true;
  if (*at < c->n_args) return *value = c->args[(*at)++], true;
  cli_wrong_call(c, "option '%s' needs a value", word);
  return false;
}

static bool read_number(op_call *o, const char *name, const char *value, uint64_t most,
                        uint64_t *out) {
  return cli_number(o->c, arena_printf(&o->c->arena, "--%s", name), value, 0, most, out);
}

/* Options that are no parameters. `*known` says whether it was one; false after a message. */
static bool read_own_option(op_call *o, const char *name, const char *value, bool *known) {
  uint64_t n = 0;
  *known = true;
  if (strcmp(name, "json") == 0) return o->json = true, true;
  if (strcmp(name, "target") == 0) return o->target = value, true;
  if (strcmp(name, "cpu") == 0) return o->device_options.cpu = value, true;
  if (strcmp(name, "threads") == 0) {
    bool good = read_number(o, name, value, 1024, &n);
    o->device_options.threads = (unsigned)n;
    return good;
  }
  if (strcmp(name, "seed") == 0) return read_number(o, name, value, UINT64_MAX, &o->seed);
  if (strcmp(name, "seconds") == 0) return o->seconds = atof(value), true;
  if (strcmp(name, "reference") == 0) {
    o->beside_first = strcmp(value, "first") == 0;
    if (o->beside_first || strcmp(value, "plain") == 0) return true;
    cli_wrong_call(o->c, "--reference takes plain or first, not '%s'", value);
    return false;
  }
  if (strcmp(name, "svg") == 0) return o->svg = value, true;
  *known = false;
  return true;
}

static bool read_options(op_call *o) {
  cli *c = o->c;
  sbuf text = SBUF(&c->arena);
  sbuf_puts(&text, o->family);
  for (unsigned at = 2; at < c->n_args;) {
    const char *name, *value;
    bool known;
    if (!next_option(o, &at, &name, &value) || !read_own_option(o, name, value, &known))
      return false;
    if (!known) sbuf_printf(&text, "%c%s=%s", strchr(text.data, ':') ? ',' : ':', name, value);
  }
  o->problem = text.data;
  return true;
}

static int no_family(cli *c, const char *name) {
  const char *names[32] = {NULL};
  for (size_t i = 0; i + 1 < ARRAY_LEN(names) && tsr_op_family_name(i); i++)
    names[i] = tsr_op_family_name(i);
  const char *close = cli_closest(name, names);
  cli_error(c, "there is no family '%s'", name);
  if (close)
    cli_note(c, "did you mean '%s'?", close);
  else
    cli_note(c, "'tessera op list' shows the families");
  return CLI_WRONG_CALL;
}

static int read_call(op_call *o) {
  cli *c = o->c;
  if (c->n_args < 2) return cli_wrong_call(c, "'op %s' needs a family", c->args[0]);
  o->family = c->args[1];
  str name = {o->family, strcspn(o->family, ":")};
  if (!ops_family_find(name)) return no_family(c, arena_strndup(&c->arena, name.data, name.len));
  return read_options(o) ? CLI_OK : CLI_WRONG_CALL;
}

tsr_op_problem op_problem_of(const op_call *o) {
  return (tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = o->problem};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void op_put_field(const op_call *o, const char *name, const char *text) {
  sbuf quoted = SBUF(&o->c->arena);
  json_quote(&quoted, str_of(text));
  printf("\"%s\": ", name);
  fwrite(quoted.data, 1, quoted.len, stdout);
}

/* ---- list, explain --------------------------------------------------------------------------- */

static int print_page(cli *c) {
  sbuf out = SBUF(&c->arena);
  cli_put_operators(&out);
  return cli_write_result(c, NULL, out.data, out.len) ? CLI_OK : CLI_WRONG_INPUT;
}

static int op_list(op_call *o) {
  const char *how = o->c->n_args > 1 ? o->c->args[1] : NULL;
  if (how && strcmp(how, "--markdown") == 0) return print_page(o->c);
  if (how && strcmp(how, "--json") != 0)
    return cli_wrong_call(o->c, "'op list' takes --json or --markdown and nothing else");
  o->json = how != NULL;
  if (o->json) printf("[");
  for (size_t i = 0; tsr_op_family_name(i); i++) {
    const char *name = tsr_op_family_name(i), *about = tsr_op_family_about(name);
    if (!o->json) {
      printf("%-22s %s\n", name, about);
      continue;
    }
    printf("%s{", i ? ",\n " : "");
    op_put_field(o, "family", name);
    printf(", ");
    op_put_field(o, "about", about);
    printf("}");
  }
  if (o->json) printf("]\n");
  return CLI_OK;
}

static const char *range_text(cli *c, const tsr_op_parameter *p) {
  switch (p->kind) {
  case TSR_OP_INTEGER:
    return arena_printf(&c->arena, "%lld to %lld%s%s", (long long)p->least, (long long)p->most,
                        p->words ? " or " : "", p->words ? p->words : "");
  case TSR_OP_REAL: return "a number";
  case TSR_OP_TYPE: return p->words ? "a type or auto" : "a type";
  case TSR_OP_CHOSEN: return p->words;
  default: return "a specification";
  }
}

enum { ROW_INDENT = 17, LINE_WIDTH = 80 };

/* "  --name         text", broken between words into lines. */
static void print_row(cli *c, const char *name, const char *text) {
  size_t width = (size_t)printf("  %-*s", ROW_INDENT - 3, arena_printf(&c->arena, "--%s", name));
  for (const char *p = text; *p;) {
    size_t word = strcspn(p, " ");
    if (width + word + 1 > LINE_WIDTH) width = (size_t)printf("\n%*s", ROW_INDENT - 1, "") - 1;
    printf(" %.*s", (int)word, p);
    width += word + 1;
    p += word + (p[word] == ' ');
  }
  printf("\n");
}

static void print_parameter(op_call *o, const tsr_op_parameter *p, bool first) {
  static const char *const roles[] = {"form", "size", "choice", "derived"};
  const char *range = range_text(o->c, p);
  if (!o->json) {
    print_row(o->c, p->name,
              arena_printf(&o->c->arena, "%s (%s; %s)", p->about, range, p->default_value));
    return;
  }
  printf("%s{", first ? "" : ",\n ");
  op_put_field(o, "name", p->name);
  printf(", ");
  op_put_field(o, "role", roles[p->role]);
  printf(", ");
  op_put_field(o, "values", range);
  printf(", ");
  op_put_field(o, "default", p->default_value);
  printf(", ");
  op_put_field(o, "about", p->about);
  printf("}");
}

static void print_role(op_call *o, tsr_op_role role, const char *title) {
  printf("\n%s\n", title);
  for (size_t i = 0; i < tsr_op_parameter_count(o->family); i++) {
    tsr_op_parameter p = {.struct_size = sizeof p};
    tsr_op_parameter_get(o->family, i, &p);
    if (p.role == role) print_parameter(o, &p, false);
  }
}

static bool has_epilogue(const op_call *o) {
  return ops_param_find(ops_family_find(str_of(o->family)), STR("epilogue")) <
         tsr_op_parameter_count(o->family);
}

static void print_epilogues(void) {
  printf("\nEpilogue: stages with + between, from the left to the right\n"
         "  bias[:SPAN][:TYPE]      add a tensor: of columns (n), rows (m), tensor, elements (mn)\n"
         "  residual[:TYPE]         add one of all elements\n"
         "  multiply[:SPAN][:TYPE]  multiply by a tensor (mn)\n"
         "  scale[:SPAN][:TYPE]     multiply by f32 numbers (tensor)\n"
         "  smooth[:TYPE]           multiply by a tensor of columns, as before quantise:row\n"
         "  quantise[:SPAN]:TYPE    divide by f32 numbers (tensor), round, saturate\n"
         "  quantise:row:TYPE       the same by numbers that are found, row_scale\n"
         "  cast:TYPE               what the result holds\n");
  for (size_t i = 0; ops_function_at(i); i++)
    printf("  %-23s %s\n", ops_function_at(i)->name, ops_function_at(i)->about);
}

static int op_explain(op_call *o) {
  if (o->json) {
    printf("[");
    for (size_t i = 0; i < tsr_op_parameter_count(o->family); i++) {
      tsr_op_parameter p = {.struct_size = sizeof p};
      tsr_op_parameter_get(o->family, i, &p);
      print_parameter(o, &p, i == 0);
    }
    printf("]\n");
    return CLI_OK;
  }
  printf("%s: %s\n", o->family, tsr_op_family_about(o->family));
  print_role(o, TSR_OP_FORM, "Form: what is computed (values; default)");
  print_role(o, TSR_OP_SIZE, "Sizes");
  print_role(o, TSR_OP_CHOICE, "Choices: how it is computed");
  print_role(o, TSR_OP_DERIVED, "Derived: part of an instance's name, follow from the rest");
  if (has_epilogue(o)) print_epilogues();
  return CLI_OK;
}

/* ---- run, check ------------------------------------------------------------------------------ */

double op_rate(double amount, double ms) {
  return ms > 0 ? amount / (ms * 1e6) : 0;
}

static void print_times(op_call *o, const tsr_bench_result *r) {
  double gflops = op_rate(tsr_op_plan_flops(o->plan), r->median_ms);
  double gbytes = op_rate(tsr_op_plan_bytes(o->plan), r->median_ms);
  if (!o->json) {
    printf("%s\n", tsr_op_plan_instance(o->plan));
    printf("  %.4g ms, %.4g GFLOP/s, %.4g GB/s\n", r->median_ms, gflops, gbytes);
    return;
  }
  printf("{");
  op_put_field(o, "problem", tsr_op_plan_problem(o->plan));
  printf(", ");
  op_put_field(o, "instance", tsr_op_plan_instance(o->plan));
  printf(", \"ms\": %.6g, \"gflops\": %.6g, \"gbytes\": %.6g, \"workspace\": %zu}\n", r->median_ms,
         gflops, gbytes, tsr_op_plan_workspace(o->plan));
}

static int op_run(op_call *o) {
  tsr_bench_result r;
  if (!op_prepare(o, true) || tsr_op_bench(o->plan, o->args, o->count + 1, NULL, &r) != TSR_OK)
    return CLI_WRONG_INPUT;
  print_times(o, &r);
  return CLI_OK;
}

static void print_check(op_call *o, const ops_difference *d, const char *tensor) {
  if (o->json) {
    printf("{");
    op_put_field(o, "instance", tsr_op_plan_instance(o->plan));
    printf(", \"right\": %s, \"error\": %.6g, \"allowed\": %.6g}\n", d->wrong ? "false" : "true",
           d->error, d->allowed);
    return;
  }
  printf("%s\n", tsr_op_plan_instance(o->plan));
  if (d->wrong)
    printf("  wrong: %s[%lld, %lld, %lld] is %.9g, the reference has %.9g\n", tensor,
           (long long)d->at[0], (long long)d->at[1], (long long)d->at[2], d->found, d->expected);
  else
    printf("  right: the largest error is %.3g, where %.3g is allowed\n", d->error, d->allowed);
}

static int op_check(op_call *o) {
  const char *tensor;
  if (!op_prepare(o, false) || !op_ask_reference(o) ||
      tsr_op_launch(o->plan, NULL, o->args, o->count + 1) != TSR_OK)
    return CLI_WRONG_INPUT;
  ops_difference d = op_compare_results(o, &tensor);
  print_check(o, &d, tensor);
  return d.wrong ? CLI_WRONG_INPUT : CLI_OK;
}

/* ---- build ----------------------------------------------------------------------------------- */

static int op_build(op_call *o) {
  tsr_op_problem problem = op_problem_of(o);
  size_t length;
  tsr_module *m = tsr_op_build(o->c->ctx, &problem);
  char *text = m ? tsr_module_print(m, &length) : NULL;
  if (text) cli_write_result(o->c, NULL, text, length);
  tsr_string_free(o->c->ctx, text);
  tsr_module_destroy(m);
  return text ? CLI_OK : CLI_WRONG_INPUT;
}

int cli_op(cli *c) {
  static const char *const names[] = {"list", "explain", "run", "check", "tune", "build", NULL};
  static int (*const steps[])(op_call * o) = {op_list,  op_explain, op_run,
                                              op_check, op_tune,    op_build};
  op_call *o = arena_new(&c->arena, op_call);
  unsigned which = 0;
  o->c = c;
  while (names[which] && strcmp(names[which], c->args[0]) != 0) which++;
  if (!names[which]) {
    const char *close = cli_closest(c->args[0], names);
    cli_error(c, "there is no 'op %s'", c->args[0]);
    cli_note(c,
             close ? "did you mean 'op %s'?"
                   : "'op' takes list, explain, run, check, tune or build%s",
             close ? close : "");
    return CLI_WRONG_CALL;
  }
  int status = which ? read_call(o) : CLI_OK;
  if (status == CLI_OK) status = steps[which](o);
  op_close(o);
  return status;
}
