/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `tessera layout`: layouts shown in every notation, compared, costed and drawn.
 */
#include <stdio.h>

#include <tessera/elem.h>
#include <tessera/layout.h>

#include "cli/cli.h"
#include "target/gpu.h"

enum { TABLE_CELLS = 4096 }; /* above this, a line is shown where nothing was asked for */

/* What the options ask for. */
typedef struct request {
  tsr_layout_print_options print;
  tsr_cost_options cost;
  bool format_given;
} request;

static bool read_format(cli *c, request *r) {
  static const char *const names[] = {"tilus", "ck",   "cute",  "linear",
                                      "table", "json", "chain", NULL};
  const char *value = cli_value(c, OPT_AS);
  r->print.format = TSR_FORMAT_TABLE;
  r->format_given = value != NULL;
  if (!value) return true;
  for (int i = 0; names[i]; i++)
    if (strcmp(value, names[i]) == 0) {
      r->print.format = (tsr_layout_format)i;
      return true;
    }
  cli_wrong_call(c, "--as takes tilus, chain, ck, cute, linear, table or json, not '%s'", value);
  return false;
}

static bool read_type(cli *c, request *r) {
  const char *value = cli_value(c, OPT_TYPE);
  r->cost.element_bits = 16;
  if (!value) return true;
  tsr_elem elem = tsr_elem_from_name(value, strlen(value));
  if (elem != TSR_ELEM_COUNT && tsr_elem_bits(elem) >= 8) {
    r->cost.element_bits = (int32_t)tsr_elem_bits(elem);
    return true;
  }
  cli_wrong_call(c, "--type takes an element type of at least 8 bits, such as f16, not '%s'",
                 value);
  return false;
}

/* 32 or 64. */
static bool read_width(cli *c, cli_option_id id, const char *what, int32_t *out) {
  const char *value = cli_value(c, id);
  *out = 32;
  if (!value || strcmp(value, "32") == 0) return true;
  *out = 64;
  if (strcmp(value, "64") == 0) return true;
  cli_wrong_call(c, "%s takes 32 or 64, not '%s'", what, value);
  return false;
}

/* A target has lanes and banks of its own, and serves loads otherwise than stores. */
static bool read_target(cli *c, request *r) {
  r->cost.target = cli_value(c, OPT_TARGET);
  if (!r->cost.target) return true;
  const gpu_target *gpu = gpu_find_target(r->cost.target);
  if (!gpu) {
    char names[512];
    gpu_list_names(GPU_COMPILED, "", names, sizeof names);
    cli_wrong_call(c, "--target: there is no GPU '%s'; there are %s", r->cost.target, names);
    return false;
  }
  if (cli_has(c, OPT_WARP) || cli_has(c, OPT_BANKS) || cli_has(c, OPT_LDS_READ)) {
    cli_wrong_call(c, "--target says what --warp, --banks and --lds-read say; leave them out");
    return false;
  }
  r->cost.warp_size = (int32_t)gpu_lanes(gpu);
  r->cost.banks = (int32_t)gpu->banks;
  r->cost.groups = TSR_LANES_LDS_READ;
  return true;
}

static bool read_request(cli *c, request *r) {
  *r = (request){.print = {.struct_size = sizeof r->print, .color = c->color_out},
                 .cost = {.struct_size = sizeof r->cost}};
  if (!read_format(c, r) || !read_type(c, r) ||
      !read_width(c, OPT_WARP, "--warp", &r->cost.warp_size) ||
      !read_width(c, OPT_BANKS, "--banks", &r->cost.banks))
    return false;
  if (cli_has(c, OPT_WARP)) r->print.warp_size = r->cost.warp_size;
  if (cli_has(c, OPT_LDS_READ)) r->cost.groups = TSR_LANES_LDS_READ;
  return read_target(c, r);
}

static bool read_layout(cli *c, const char *text, tsr_layout_value *v) {
  return tsr_layout_parse(c->ctx, "layout", text, strlen(text), v) == TSR_OK;
}

static void show(cli *c, const request *r, const tsr_layout_value *v) {
  tsr_layout_print_options options = r->print;
  int64_t cells =
      v->kind == TSR_LAYOUT_MEMORY ? tsr_memory_extent(&v->memory) : tsr_layout_size(&v->layout);
  if (!r->format_given && cells > TABLE_CELLS) options.format = TSR_FORMAT_TILUS;
  size_t size = tsr_layout_print(v, &options, NULL, 0) + 1;
  char *text = arena_alloc(&c->arena, size, 1);
  tsr_layout_print(v, &options, text, size);
  printf("%s\n", text);
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* The memory that --in names, or a row-major tile. */
static int find_memory(cli *c, const tsr_layout_value *v, tsr_memory_layout *m) {
  const char *text = cli_value(c, OPT_IN);
  tsr_layout_error e;
  if (!text) {
    if (tsr_memory_row_major(m, v->layout.rank, v->layout.shape, &e) == TSR_OK) return CLI_OK;
    cli_error(c, "%s", e.message);
    return CLI_WRONG_INPUT;
  }
  tsr_layout_value in;
  if (!read_layout(c, text, &in)) return CLI_WRONG_INPUT;
  if (in.kind != TSR_LAYOUT_MEMORY)
    return cli_wrong_call(c, "--in takes a memory layout, such as 'row_major(64, 64)'");
  *m = in.memory;
  return CLI_OK;
}

/* A layout whose rows are `pad` elements further apart; false: it has no rows of neighbours. */
static bool pad_rows(const tsr_memory_layout *m, int32_t pad, tsr_memory_layout *out) {
  int32_t row = 0;
  *out = *m;
  for (uint32_t k = 0; k < m->modes; k++)
    if (m->stride[k] == 1) row = m->size[k];
  if (row < 2 || m->swizzle_bits) return false;
  for (uint32_t k = 0; k < m->modes; k++) {
    if (m->stride[k] == 1 || m->stride[k] == 0) continue;
    if (m->stride[k] % row) return false;
    out->stride[k] = m->stride[k] / row * (row + pad);
  }
  return true;
}

/* Padding, where a swizzle leaves conflicts: the least that does better than `wavefronts`. */
static void propose_padding(const request *r, const tsr_layout_value *v, const tsr_memory_layout *m,
                            const tsr_layout_cost *now, int64_t wavefronts) {
  tsr_layout_value padded = {.kind = TSR_LAYOUT_MEMORY}, best = padded;
  tsr_layout_print_options as_cute = {sizeof as_cute, TSR_FORMAT_CUTE, 0, false};
  tsr_layout_cost cost, least = {.wavefronts = wavefronts};
  char text[1024];
  int32_t most = 8 * now->vector_elements;
  for (int32_t pad = now->vector_elements; pad <= most; pad += now->vector_elements) {
    if (!pad_rows(m, pad, &padded.memory)) return;
    if (tsr_layout_cost_of(&cost, &v->layout, &padded.memory, &r->cost, NULL) != TSR_OK ||
        cost.vector_elements < now->vector_elements || cost.wavefronts >= least.wavefronts)
      continue;
    least = cost;
    best = padded;
  }
  if (least.wavefronts == wavefronts) return;
  int64_t more = tsr_memory_extent(&best.memory) - tsr_memory_extent(m);
  tsr_layout_print(&best, &as_cute, text, sizeof text);
  printf("padding:   %s: %d-way, %lld wavefronts, %lld elements more\n", text, least.ways,
         (long long)least.wavefronts, (long long)more);
}

static void propose(const request *r, const tsr_layout_value *v, const tsr_memory_layout *m,
                    const tsr_layout_cost *now) {
  tsr_layout_value better = {.kind = TSR_LAYOUT_MEMORY};
  tsr_layout_cost cost;
  tsr_layout_print_options as_cute = {sizeof as_cute, TSR_FORMAT_CUTE, 0, false};
  char text[1024];
  if (now->wavefronts == now->ideal_wavefronts) return;
  if (m->offset) {
    printf("proposal:  none for a slice, whose memory lies as the whole does; ask about that\n");
    return;
  }
  if (tsr_memory_propose_swizzle(&better.memory, m, NULL, &v->layout, &r->cost, NULL) != TSR_OK ||
      tsr_layout_cost_of(&cost, &v->layout, &better.memory, &r->cost, NULL) != TSR_OK)
    return;
  if (cost.wavefronts >= now->wavefronts) {
    printf("proposal:  no XOR swizzle of this layout does better\n");
    propose_padding(r, v, m, now, now->wavefronts);
    return;
  }
  tsr_layout_print(&better, &as_cute, text, sizeof text);
  printf("proposal:  %s: %d-way, %lld wavefronts\n", text, cost.ways, (long long)cost.wavefronts);
  propose_padding(r, v, m, now, cost.wavefronts);
}

/* The groups of lanes of --lds-read are known of accesses of 16 bytes and 32 banks. */
static bool check_reads(cli *c, const request *r, const tsr_layout_cost *cost) {
  int32_t bytes = cost->vector_elements * r->cost.element_bits / 8;
  if (r->cost.target || r->cost.groups != TSR_LANES_LDS_READ ||
      (bytes == 16 && r->cost.banks == 32))
    return true;
  if (r->cost.banks != 32)
    cli_wrong_call(c,
                   "--lds-read: the groups of reads from %d banks are not known, only those "
                   "from 32",
                   r->cost.banks);
  else
    cli_wrong_call(c,
                   "--lds-read: the groups of reads of %d byte%s are not known, only those of "
                   "16; leave it out for lanes that are served in order",
                   bytes, bytes == 1 ? "" : "s");
  return false;
}

/* The last line of what the tile costs, when it is stored. */
static void show_stores(const request *r, const tsr_layout_value *v, const tsr_memory_layout *m) {
  tsr_cost_options as_store = r->cost;
  tsr_layout_cost cost;
  char text[2048];
  as_store.groups = TSR_LANES_CONSECUTIVE;
  if (tsr_layout_cost_of(&cost, &v->layout, m, &as_store, NULL) != TSR_OK) return;
  tsr_layout_cost_explain(&cost, &as_store, text, sizeof text);
  printf("%s\n", strrchr(text, '\n') + 1);
}

static int show_cost(cli *c, const request *r, const tsr_layout_value *v) {
  tsr_memory_layout m;
  tsr_layout_cost cost;
  tsr_layout_error e;
  char text[2048];
  if (v->kind == TSR_LAYOUT_MEMORY)
    return cli_wrong_call(c, "--cost needs a distribution; the memory layout goes to --in");
  int status = find_memory(c, v, &m);
  if (status != CLI_OK) return status;
  if (tsr_layout_cost_of(&cost, &v->layout, &m, &r->cost, &e) != TSR_OK) {
    cli_error(c, "%s", e.message);
    return CLI_WRONG_INPUT;
  }
  if (!check_reads(c, r, &cost)) return CLI_WRONG_CALL;
  tsr_layout_cost_explain(&cost, &r->cost, text, sizeof text);
  printf("%s\n", text);
  if (r->cost.target) show_stores(r, v, &m);
  propose(r, v, &m, &cost);
  return CLI_OK;
}

/* ---- two layouts ---------------------------------------------------------------------------- */

static void show_way(const request *r, const tsr_layout *from, const tsr_layout *to,
                     tsr_conversion kind) {
  tsr_shuffle f;
  tsr_swizzle z;
  if (kind == TSR_CONVERSION_SHUFFLE &&
      tsr_shuffle_factor(&f, from, to, r->cost.warp_size, NULL) == TSR_OK)
    printf("shuffles:  %llu per worker\n", 1ull << f.round_bits);
  if (kind == TSR_CONVERSION_SHARED &&
      tsr_swizzle_optimal(&z, from, to, r->cost.element_bits, r->cost.warp_size, NULL) == TSR_OK)
    printf("shared:    in vectors of %d, %d-way conflicts when stored, %d-way when loaded\n",
           1 << z.vector_bits, z.store_ways, z.load_ways);
}

static int compare(cli *c, const request *r, const tsr_layout_value *a, const tsr_layout_value *b) {
  tsr_conversion kind;
  tsr_layout_error e;
  if (a->kind == TSR_LAYOUT_MEMORY || b->kind == TSR_LAYOUT_MEMORY)
    return cli_wrong_call(c, "two distributions are compared; a memory layout goes to --in");
  if (tsr_layout_conversion(&kind, &a->layout, &b->layout, r->cost.warp_size, &e) != TSR_OK) {
    cli_error(c, "%s", e.message);
    return CLI_WRONG_INPUT;
  }
  printf("the maps:  %s\n", kind == TSR_CONVERSION_NONE ? "the same" : "different");
  printf("to change: %s\n", tsr_conversion_name(kind));
  show_way(r, &a->layout, &b->layout, kind);
  return CLI_OK;
}

/* ---- pictures ------------------------------------------------------------------------------- */

static bool heat_of(cli *c, const request *r, const tsr_layout_value *v, const int32_t **heat) {
  tsr_memory_layout m;
  tsr_layout_error e;
  if (v->kind == TSR_LAYOUT_MEMORY) return true;
  tsr_layout_cost cost;
  if (find_memory(c, v, &m) != CLI_OK) return false;
  if (tsr_layout_cost_of(&cost, &v->layout, &m, &r->cost, &e) == TSR_OK &&
      !check_reads(c, r, &cost))
    return false;
  size_t n = (size_t)tsr_layout_size(&v->layout);
  int32_t *ways = arena_array(&c->arena, int32_t, n);
  if (tsr_layout_conflict_map(ways, n, &v->layout, &m, &r->cost, &e) != TSR_OK) {
    cli_error(c, "%s", e.message);
    return false;
  }
  *heat = ways;
  return true;
}

static int write_svg(cli *c, const tsr_layout_value *v, const tsr_svg_options *options,
                     const char *path) {
  size_t size = tsr_layout_svg(v, options, NULL, 0) + 1;
  char *text = arena_alloc(&c->arena, size, 1);
  tsr_layout_svg(v, options, text, size);
  return file_write(c->ctx, path, text, size - 1) ? CLI_OK : CLI_WRONG_INPUT;
}

static int write_png(cli *c, const tsr_layout_value *v, const tsr_svg_options *options,
                     const char *path) {
  size_t size = tsr_layout_png(v, options, NULL, 0);
  char *bytes = size ? arena_alloc(&c->arena, size, 1) : NULL;
  if (!bytes || tsr_layout_png(v, options, bytes, size) != size) {
    cli_error(c, "there is not enough memory to draw %s; --svg needs less", path);
    return CLI_WRONG_INPUT;
  }
  return file_write(c->ctx, path, bytes, size) ? CLI_OK : CLI_WRONG_INPUT;
}

static int draw(cli *c, const request *r, const tsr_layout_value *v, const char *svg,
                const char *png) {
  tsr_svg_options options = {.struct_size = sizeof options, .arrows_of = -1};
  const char *color = cli_value(c, OPT_COLOR_BY), *arrows = cli_value(c, OPT_ARROWS);
  uint64_t worker;
  if (color && strcmp(color, "slot") == 0)
    options.color = TSR_SVG_BY_SLOT;
  else if (color && strcmp(color, "conflicts") == 0)
    options.color = TSR_SVG_BY_HEAT;
  else if (color && strcmp(color, "worker") != 0)
    return cli_wrong_call(c, "--color-by takes worker, slot or conflicts, not '%s'", color);
  if (arrows) {
    if (!cli_number(c, "--arrows", arrows, 0, INT32_MAX, &worker)) return CLI_WRONG_CALL;
    options.arrows_of = (int32_t)worker;
  }
  /* What was typed, not its normal form. */
  const char *in = options.color == TSR_SVG_BY_HEAT ? cli_value(c, OPT_IN) : NULL;
  options.title = in ? arena_printf(&c->arena, "%s in %s", c->args[0], in) : c->args[0];
  if (options.color == TSR_SVG_BY_HEAT && !heat_of(c, r, v, &options.heat)) return CLI_WRONG_INPUT;
  int status = svg ? write_svg(c, v, &options, svg) : CLI_OK;
  return status == CLI_OK && png ? write_png(c, v, &options, png) : status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int list_fragments(void) {
  for (uint32_t i = 0; tsr_fragment_name(i); i++) printf("%s\n", tsr_fragment_name(i));
  return CLI_OK;
}

int cli_layout(cli *c) {
  request r;
  tsr_layout_value a, b;
  if (cli_has(c, OPT_FRAGMENTS)) return list_fragments();
  if (c->n_args == 0)
    return cli_wrong_call(c, "what layout? An expression such as 'local(3, 4).spatial(2, 3)'");
  if (!read_request(c, &r)) return CLI_WRONG_CALL;
  if (!read_layout(c, c->args[0], &a)) return CLI_WRONG_INPUT;
  if (c->n_args == 2) {
    if (!read_layout(c, c->args[1], &b)) return CLI_WRONG_INPUT;
    return compare(c, &r, &a, &b);
  }
  const char *svg = cli_value(c, OPT_SVG), *png = cli_value(c, OPT_PNG);
  bool cost = cli_has(c, OPT_COST);
  if (r.format_given || (!svg && !png && !cost)) show(c, &r, &a);
  int status = cost ? show_cost(c, &r, &a) : CLI_OK;
  return status == CLI_OK && (svg || png) ? draw(c, &r, &a, svg, png) : status;
}
