/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The manual for programs: editors, generators, language servers.
 */
#include "base/json.h"
#include "ir/explain.h"
#include "ir/explain_parts.h"
#include "ir/rules.h"

static void put_since(json *j, unsigned since) {
  if (since == V_BLOCK_LEVEL)
    json_text(j, "level", "block");
  else if (since)
    json_str(j, "since", str_of(arena_printf(j->out->arena, "13.%u", since)));
}

static void put_values(json *j, const char *key, const op_operand *parts, unsigned n) {
  static const char *const arities[] = {[ONE] = "one", [OPT] = "optional", [MANY] = "any"};
  json_open(j, key, '[');
  for (unsigned i = 0; i < n; i++) {
    json_open(j, NULL, '{');
    json_text(j, "name", parts[i].name);
    json_text(j, "type", constraint_table[parts[i].constraint].description);
    json_text(j, "count", arities[parts[i].arity]);
    if (parts[i].doc) json_text(j, "about", parts[i].doc);
    put_since(j, parts[i].since);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void put_choices(json *j, const op_attr *a) {
  unsigned count;
  const enum_row *rows = enum_rows((attr_kind)a->kind, &count);
  if (!rows) return;
  json_open(j, "values", '[');
  for (unsigned i = 0; i < count; i++) {
    if (a->allowed && !(a->allowed >> i & 1)) continue;
    json_open(j, NULL, '{');
    json_text(j, "name", rows[i].spelling);
    json_text(j, "about", rows[i].meaning);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void put_default(json *j, const op_attr *a) {
  if (a->optional != AO_DEFAULT && a->optional != AO_ELIDED) return;
  unsigned count;
  if (enum_rows((attr_kind)a->kind, &count))
    json_text(j, "default", enum_spelling((attr_kind)a->kind, a->value));
  else
    json_raw(j, "default", str_of(arena_printf(j->out->arena, "%lld", (long long)a->value)));
}

static void put_attributes(json *j, const op_row *row) {
  json_open(j, "attributes", '[');
  for (unsigned i = 0; i < op_n_attrs(row); i++) {
    const op_attr *a = &row->attrs[i];
    json_open(j, NULL, '{');
    json_text(j, "name", attr_name((attr_id)a->id));
    json_text(j, "type", explain_attr_kind(a));
    json_bool(j, "required", a->optional == AO_REQUIRED);
    put_choices(j, a);
    put_default(j, a);
    put_since(j, a->since);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void put_rules(json *j, op_code op) {
  json_open(j, "rules", '[');
  for (const char *words = op_rules[op].words; words && *words;) {
    size_t n = strcspn(words, "\n");
    json_str(j, NULL, (str){words, n});
    words += n + (words[n] == '\n');
  }
  json_close(j, ']');
}

static void put_operation(json *j, op_code op) {
  const op_row *row = &op_table[op];
  json_open(j, NULL, '{');
  json_text(j, "name", row->name);
  json_text(j, "kind", "operation");
  json_text(j, "group", op_group_name((op_group)row->group));
  put_since(j, row->since);
  json_text(j, "summary", row->summary);
  json_text(j, "meaning", row->meaning);
  json_text(j, "syntax", explain_syntax(j->out->arena, row));
  put_values(j, "operands", row->operands, op_n_operands(row));
  put_attributes(j, row);
  put_values(j, "results", row->results, op_n_results(row));
  put_rules(j, op);
  if (row->notes) json_text(j, "notes", row->notes);
  json_text(j, "example", row->example);
  json_close(j, '}');
}

/* A page about a type or an attribute is text. */
static bool put_page(json *j, const char *name) {
  sbuf text = SBUF(j->out->arena);
  if (!ir_explain_topic(&text, name, false)) return false;
  json_open(j, NULL, '{');
  json_text(j, "name", name);
  json_text(j, "kind", "page");
  json_str(j, "text", (str){text.data, text.len});
  json_close(j, '}');
  return true;
}

static bool put_topic(json *j, const char *name) {
  op_code op = op_by_name(name, (unsigned)strlen(name));
  if (op == OP_NONE) return put_page(j, name);
  put_operation(j, op);
  return true;
}

bool ir_explain_json(sbuf *out, const char *name) {
  json j = JSON(out);
  if (name) {
    if (!put_topic(&j, name)) return false;
  } else {
    json_open(&j, NULL, '[');
    for (unsigned i = 0; (name = ir_explain_name(i)); i++) {
      sbuf_puts(out, "\n");
      put_topic(&j, name);
    }
    json_close(&j, ']');
  }
  sbuf_putc(out, '\n');
  return true;
}
