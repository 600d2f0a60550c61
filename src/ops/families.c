/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The list of families, and what the public interface tells of them.
 */
#include "ops/families.h"

static const ops_family *const families[] = {
#define FAMILY(name) &ops_family_##name,
#include "ops/families.def"
#undef FAMILY
};

const ops_family *ops_family_at(size_t index) {
  return index < ARRAY_LEN(families) ? families[index] : NULL;
}

const ops_family *ops_family_find(str name) {
  for (size_t i = 0; i < ARRAY_LEN(families); i++)
    if (str_is(name, families[i]->name)) return families[i];
  return NULL;
}

size_t tsr_op_family_count(void) {
  return ARRAY_LEN(families);
}

const char *tsr_op_family_name(size_t index) {
  const ops_family *f = ops_family_at(index);
  return f ? f->name : NULL;
}

const char *tsr_op_family_about(const char *family) {
  const ops_family *f = ops_family_find(str_of(family));
  return f ? f->about : NULL;
}

size_t tsr_op_parameter_count(const char *family) {
  const ops_family *f = ops_family_find(str_of(family));
  return f ? f->n_params : 0;
}

tsr_status tsr_op_parameter_get(const char *family, size_t index, tsr_op_parameter *out) {
  const ops_family *f = ops_family_find(str_of(family));
  if (!f || index >= f->n_params || !out || out->struct_size < sizeof out->struct_size)
    return TSR_ERROR_USAGE;
  const ops_param *row = &f->params[index];
  size_t size = out->struct_size;
  tsr_op_parameter full = {.struct_size = size,
                           .name = row->name,
                           .kind = (tsr_op_kind)row->kind,
                           .role = (tsr_op_role)row->role,
                           .least = row->least,
                           .most = row->most,
                           .words = row->words,
                           .default_value = row->init,
                           .about = row->about};
  memcpy(out, &full, MIN(size, sizeof full));
  return TSR_OK;
}
