/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is asked of a module that was read.
 */
#include <stdio.h>

#include "emu/ptx/ptx.h"

const ptx_function *ptx_find_entry(const ptx_module *m, const char *name) {
  const ptx_function *found = NULL;
  for (uint32_t k = 0; k < m->n_functions; k++) {
    const ptx_function *f = &m->functions[k];
    if (!f->is_entry || !f->defined || (name && strcmp(name, f->name) != 0)) continue;
    if (found) return NULL;
    found = f;
  }
  return found;
}

place ptx_insn_place(const ptx_module *m, const ptx_insn *i) {
  return (place){.src = m->src, .line = i->line, .column = i->column, .length = 1};
}

bool ptx_insn_source(const ptx_module *m, const ptx_insn *i, const char **file, uint32_t *line,
                     uint32_t *column) {
  if (i->loc == 0 || i->loc > m->n_locs) return false;
  const ptx_loc *l = &m->locs[i->loc - 1];
  *file = l->file < m->n_files && m->files[l->file] ? m->files[l->file] : "?";
  *line = l->line;
  *column = l->column;
  return l->line != 0;
}

str ptx_insn_text(const ptx_module *m, const ptx_insn *i) {
  const char *p = source_line(m->src, i->line), *end = m->src->text.data + m->src->text.len;
  if (!p) p = end;
  p += MIN((size_t)(end - p), (size_t)(i->column ? i->column - 1 : 0));
  const char *stop = p;
  while (stop < end && *stop != ';' && *stop != '\n') stop++;
  return (str){p, (size_t)(stop - p)};
}

void ptx_insn_name(const ptx_insn *i, char *out, size_t size) {
  int n = snprintf(out, size, "%s", ptx_forms[i->form].opcode);
  for (unsigned k = 0; k < i->n_words && n >= 0 && (size_t)n < size; k++)
    n += snprintf(out + n, size - (size_t)n, ".%s", ptx_word_name(i->words[k]));
}
