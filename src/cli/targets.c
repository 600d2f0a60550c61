/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tables of GPUs and processor cores as people read them: docs/targets.md, and a list for help
 * pages.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "num/num.h"
#include "target/cpu.h"
#include "target/gpu.h"
#include "target/matrix.h"

bool cli_list_gpus(unsigned index, char *out, size_t size) {
  const gpu_target *t = gpu_target_at(index);
  if (!t) return false;
  bool amd = t->vendor == GPU_AMD;
  snprintf(out, size, "%-8s %s: %u %s, %u KB of %s", t->name, t->card, t->multiprocessors,
           amd ? "compute units" : "multiprocessors", t->shared_bytes / 1024,
           amd ? "LDS" : "shared memory a block");
  return true;
}

/* ---- GPUs ----------------------------------------------------------------------------------- */

typedef struct word {
  unsigned bit;
  const char *text;
} word;

static const word lists[] = {
    {GPU_COMPILED, "`--target`"}, {GPU_EMULATED, "`emu:`"}, {GPU_HINTED, "hints"}};

static const word capabilities[] = {
    {GPU_ASYNC_COPY, "asynchronous copies"},
    {GPU_BULK_COPY, "bulk copies by tensor maps"},
    {GPU_CLUSTERS, "clusters"},
    {GPU_LOAD_MATRIX, "loads of matrices"},
    {GPU_STORE_MATRIX, "stores of matrices"},
    {GPU_ADD_BF16, "atomic additions of bf16"},
    {GPU_DEPENDENT_LAUNCH, "dependent launches"},
    {GPU_MOVE_REGISTERS, "registers that move between warpgroups"},
    {GPU_MMA, "`mma.sync`"},
    {GPU_MMA_F8, "`mma.sync` of f8"},
    {GPU_WGMMA, "`wgmma`"},
    {GPU_MFMA, "MFMA"},
    {GPU_MFMA_FEW_BYTES, "MFMA of bytes, k 8 and 16"},
    {GPU_MFMA_BYTES, "MFMA of bytes, k 16 and 32"},
    {GPU_MFMA_DEEP, "MFMA of twice the depth, of f8"},
    {GPU_WMMA, "WMMA, halves of a wave alike"},
    {GPU_WMMA_SPLIT, "WMMA"},
};

static void put_words(sbuf *out, unsigned bits, const word *words, size_t n) {
  unsigned found = 0;
  for (size_t i = 0; i < n; i++)
    if (bits & words[i].bit) sbuf_printf(out, "%s%s", found++ ? ", " : " ", words[i].text);
}

/* "| 64", or an empty cell where nothing is known. */
static void put_number(sbuf *out, unsigned n) {
  if (n)
    sbuf_printf(out, " | %u", n);
  else
    sbuf_puts(out, " |");
}

static void put_gpu(sbuf *out, const gpu_target *t) {
  sbuf_printf(out, "| `%s` | %s |", t->name, t->card ? t->card : "");
  put_words(out, t->lists, lists, ARRAY_LEN(lists));
  put_number(out, t->multiprocessors);
  put_number(out, gpu_lanes(t));
  put_number(out, t->max_warps);
  put_number(out, t->registers);
  put_number(out, t->shared_bytes / 1024);
  put_number(out, t->shared_sm / 1024);
  put_number(out, t->banks);
  put_number(out, t->matrix_rate);
  sbuf_puts(out, " |\n");
}

static void put_capabilities(sbuf *out, const gpu_target *t) {
  sbuf_printf(out, "| `%s` |", t->name);
  put_words(out, t->can, capabilities, ARRAY_LEN(capabilities));
  sbuf_puts(out, " |\n");
}

static void put_gpus(sbuf *out) {
  const gpu_target *t;
  sbuf_puts(
      out, "## GPUs\n\n"
           "Where a GPU is known: `--target` of `tessera build`, the devices `emu:NAME`, the names "
           "that optimisation hints may give. One that is known nowhere has no backend yet. A warp "
           "is a wave of AMD's, a multiprocessor a compute unit (of RDNA a work-group processor), "
           "shared memory the LDS. Of a multiprocessor: the warps that it can have, its registers "
           "of 32 bits, KB of shared memory that one block may have and that there are, its banks, "
           "and multiply-adds of 16-bit floats by matrix instructions in a clock. An empty cell: "
           "nobody has needed the number.\n\n"
           "| name | card | known to | multiprocessors | lanes | warps | registers | KB a block | "
           "KB | banks | multiply-adds |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; (t = gpu_row_at(i)); i++) put_gpu(out, t);
  sbuf_puts(out, "\n| name | what it can do |\n|---|---|\n");
  for (size_t i = 0; (t = gpu_row_at(i)); i++) put_capabilities(out, t);
}

/* ---- matrix instructions ----------------------------------------------------------------------
 */

static void put_matrix(sbuf *out, const matrix_instruction *x) {
  const gpu_target *t;
  unsigned found = 0;
  sbuf_printf(out, "| `%s%s` | %s | %u x %u x %u | %s |", x->mnemonic, x->name,
              tsr_elem_name(x->from), 1u << x->m, 1u << x->n, 1u << x->k,
              x->fragment ? x->fragment : "");
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    if (gpu_can(t, x->needs)) sbuf_printf(out, "%s`%s`", found++ ? ", " : " ", t->name);
  sbuf_puts(out, " |\n");
}

static void put_matrices(sbuf *out) {
  const matrix_instruction *x;
  sbuf_puts(out,
            "\n## Matrix instructions\n\n"
            "Of those that fit a product and that a GPU has, the first is taken. Sizes are m x n x "
            "k; those of `wgmma` the least. The fragments say where elements lie in registers "
            "([layouts.md](layouts.md)); an instruction without one is not used yet.\n\n"
            "| instruction | operands | size | fragments | who has it |\n|---|---|---|---|---|\n");
  for (size_t i = 0; (x = matrix_row_at(i)); i++) put_matrix(out, x);
}

/* ---- processor cores ------------------------------------------------------------------------- */

static void put_core(sbuf *out, const cpu_row *row) {
  const struct {
    bool is_so;
    const char *text;
  } properties[] = {
      {row->fast_bf16, "products of bf16 faster than those of f32"},
      {row->core.fast_division, "fast division of vectors"},
      {row->core.double_pumped, "64-byte vectors in two halves"},
      {row->core.shallow_prefetch, "hardware prefetches few lines of several streams"},
      {row->core.few_fill_buffers, "few fill buffers"},
      {row->core.l2_prefetch, "hardware prefetches to the second-level cache"},
  };
  unsigned found = 0;
  sbuf_printf(out, "| %s | %s |", row->name, row->maker);
  for (size_t i = 0; i < ARRAY_LEN(properties); i++)
    if (properties[i].is_so) sbuf_printf(out, "%s%s", found++ ? ", " : " ", properties[i].text);
  sbuf_puts(out, " |\n");
}

void cli_put_targets(sbuf *out) {
  const cpu_row *row;
  sbuf_puts(out, "# Targets\n\nThis page is made by `tessera explain --targets` from gpu.def, "
                 "matrix.def and cpu.def in src/target, where the sources of all figures stand; "
                 "change those, not "
                 "this.\n\n");
  put_gpus(out);
  put_matrices(out);
  sbuf_puts(out,
            "\n## Processor cores\n\nWhat code that is compiled where it runs is made to suit. "
            "The first row that a processor fits counts; it runs code for any other.\n\n"
            "| cores | maker | what they are like |\n|---|---|---|\n");
  for (size_t i = 0; (row = cpu_row_at(i)); i++) put_core(out, row);
}
