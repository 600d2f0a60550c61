/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the printer share.
 */
#ifndef TSR_TEXT_PRINT_H
#define TSR_TEXT_PRINT_H

#include "text/internal.h"

/* How a value is written. Kept in ir_value.number while a module is printed:
 *   0                    by its own name
 *   n                    by names[n - 1]
 *   NAME_HEAD | one of these    the first of several results with one name: %x#0
 *   NAME_MEMBER | k      k after the head: %x#k */
#define NAME_HEAD   0x40000000u
#define NAME_MEMBER 0x80000000u

/* Deeper regions, which only a built module can have, are left out: printing is recursive. */
enum { MAX_PRINT_DEPTH = 1024 };

typedef struct printer {
  sbuf *out;
  ir_module *m;
  arena temp;
  unsigned indent; /* also how deep the regions are */
  bool regions;    /* false: one operation without its regions */
  bool numbered;   /* ir_value.number is set */
  bool glue;       /* no blank before the next piece */
  str *types;      /* text by ir_type.id, made on first use */
  uint32_t n_types;
  VEC(str) names;
  uint32_t *locs; /* number of a location's alias by index; 0: has none */
  VEC(ir_loc) loc_order;
  map layouts;      /* with a name: ir_layout_name * by the layout */
  uint32_t *scopes; /* number of a debug scope's alias by index; 0: no location is in it */
} printer;

/* names.c */
void assign_names(printer *q, ir_op *root);
/* What a value without a name of its own is called if nothing else is; false: by a number. */
bool default_name(const ir_value *v, char *out, size_t size);
bool has_own_name(const ir_value *v);

/* print.c */
void print_value(printer *q, const ir_value *v);
void print_type(printer *q, const ir_type *t);
void print_region(printer *q, const ir_op *op, unsigned region, bool keep_terminator);
void print_newline(printer *q);
void print_extras(printer *q, const ir_op *op);
void print_extra_list(printer *q, const ir_op *op, const char *separator);

/* print_attr.c */
void print_attr(printer *q, const ir_op *op, unsigned slot);
void print_symbol(sbuf *b, str name); /* with a blank before it */
void print_string(sbuf *b, str s);    /* quoted and escaped */
void print_hints(sbuf *b, const ir_hints *h);

/* print_generic.c */
bool needs_generic_form(const ir_op *op); /* the custom form would be read as another operation */
void print_generic(printer *q, const ir_op *op); /* an operation without regions */

/* print_layout.c: layouts that have a name are printed by it and defined above the module */
void print_layout_aliases(printer *q);
void print_laid_out_type(printer *q, sbuf *b, const ir_type *t); /* one with a layout */
void print_layout_attr(printer *q, const struct tsr_layout *layout);

/* print_loc.c: explicit locations, as aliases defined at the end */
void collect_locations(printer *q);
void print_trailing_loc(printer *q, const ir_op *op);
void print_location_aliases(printer *q);

/* custom.c */
void print_custom(printer *q, const ir_op *op);
void print_args_region(printer *q, const ir_op *op, unsigned region);
void print_arguments(printer *q, const ir_block *b); /* (%a: type, …) */

/* testing.c */
void print_testing_func(printer *q, const ir_op *op);
void print_foreign_op(printer *q, const ir_op *op); /* from its name on */

#endif
