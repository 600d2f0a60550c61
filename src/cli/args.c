/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/number.h"
#include "rt/rt.h"

/* ---- syntax --------------------------------------------------------------------------------- */

static const char forms[] =
    "an argument is FILE.npy, INIT:TYPE:SHAPE (zeros:f32:64x64) or TYPE:VALUE (i32:7)";

static unsigned position(const argument_list *list, const argument *arg) {
  return (unsigned)(arg - list->data) + 1;
}

/* "argument 2 ('zeros:f33:4')" */
static const char *quoted(cli *c, const argument_list *list, const argument *arg) {
  return arena_printf(&c->arena, "argument %u ('%s')", position(list, arg), arg->text);
}

/* Cuts NAME= off; a path with a slash before its equals sign has no name. */
static void take_name(cli *c, argument *arg) {
  const char *p = arg->text;
  if (!isalpha((unsigned char)*p) && *p != '_') return;
  while (isalnum((unsigned char)*p) || *p == '_') p++;
  if (*p != '=') return;
  arg->name = arena_strndup(&c->arena, arg->text, (size_t)(p - arg->text));
  arg->text = p + 1;
}

static int init_from_name(str name) {
  for (int i = 0; i < INIT_COUNT; i++)
    if (str_is(name, array_init_names[i])) return i;
  return -1;
}

/* Suggests among the words that may stand before the first colon. */
static void suggest_head(cli *c, str head, bool with_inits) {
  const char *names[INIT_COUNT + TSR_ELEM_COUNT + 1] = {0};
  unsigned n = 0;
  for (int i = 0; with_inits && i < INIT_COUNT; i++) names[n++] = array_init_names[i];
  for (int i = 0; i < TSR_ELEM_COUNT; i++)
    if (i != TSR_PTR) names[n++] = tsr_elem_name((tsr_elem)i);
  const char *closest = cli_closest(arena_strndup(&c->arena, head.data, head.len), names);
  if (closest)
    cli_note(c, "did you mean '%s'?", closest);
  else
    cli_note(c, "%s", with_inits ? forms : "'tessera help run' lists the element types");
}

static bool find_elem(str name, tsr_elem *elem) {
  *elem = tsr_elem_from_name(name.data, name.len);
  return *elem != TSR_ELEM_COUNT && *elem != TSR_PTR;
}

/* "16x4x4". Returns NULL or what is wrong. */
static const char *parse_shape(const char *p, int64_t *shape, uint32_t *rank) {
  static const char what[] = "isn't a shape like 1024 or 16x4x4";
  for (*rank = 0;; p++) {
    if (!isdigit((unsigned char)*p)) return what;
    if (*rank == NPY_MAX_RANK) return "has more than 64 dimensions";
    char *end;
    errno = 0;
    shape[(*rank)++] = strtoll(p, &end, 10);
    if (errno) return "has a dimension that is too large";
    p = end;
    if (!*p) return NULL;
    if (*p != 'x') return what;
  }
}

/* TYPE:SHAPE after INIT: */
static bool parse_init(cli *c, const argument_list *list, argument *arg, const char *rest) {
  const char *colon = strchr(rest, ':');
  str type = {rest, colon ? (size_t)(colon - rest) : strlen(rest)};
  if (!find_elem(type, &arg->elem)) {
    cli_error(c, "%s: there is no element type '" STR_FMT "'", quoted(c, list, arg), STR_ARG(type));
    suggest_head(c, type, false);
    return false;
  }
  if (!colon) {
    cli_error(c, "%s: the shape is missing: %s:1024 or %s:64x64", quoted(c, list, arg), arg->text,
              arg->text);
    return false;
  }
  int64_t shape[NPY_MAX_RANK];
  uint32_t rank;
  const char *problem = parse_shape(colon + 1, shape, &rank);
  if (problem) {
    cli_error(c, "%s: '%s' %s", quoted(c, list, arg), colon + 1, problem);
    return false;
  }
  if (!array_describe(&arg->array, arg->elem, rank, shape)) {
    cli_error(c, "%s: the shape '%s' is too large", quoted(c, list, arg), colon + 1);
    return false;
  }
  return true;
}

const char *argument_path(cli *c, const argument_list *list, const char *path) {
  const char *at = list->ranks ? strstr(path, "%r") : NULL;
  if (!at) return path;
  return arena_printf(&c->arena, "%.*s%u%s", (int)(at - path), path, list->rank, at + 2);
}

/* NAME or NAME:R after peers: or peer: */
static bool parse_peer(cli *c, const argument_list *list, argument *arg, const char *rest) {
  const char *colon = strchr(rest, ':');
  bool one = arg->kind == ARGUMENT_PEER;
  arg->of = (str){rest, colon ? (size_t)(colon - rest) : strlen(rest)};
  arg->elem = TSR_I64;
  if (!arg->of.len || one != (colon != NULL)) {
    cli_error(c, "%s: it takes %s", quoted(c, list, arg),
              one ? "peer:NAME:R, with a rank R or the way to it, +1 or -1" : "peers:NAME");
    return false;
  }
  if (!one) return true;
  char *end;
  errno = 0;
  long number = strtol(colon + 1, &end, 10);
  bool relative = colon[1] == '+' || colon[1] == '-', good = end != colon + 1 && !*end && !errno;
  long ranks = (long)list->ranks;
  if (good && relative) number = (((long)list->rank + number % ranks) % ranks + ranks) % ranks;
  arg->peer = (unsigned)number;
  if (good && number >= 0 && number < ranks) return true;
  cli_error(c, "%s: there is no rank '%s' among %u", quoted(c, list, arg), colon + 1, list->ranks);
  return false;
}

/* What only several ranks have. Sets `done` when it is that. */
static bool parse_of_ranks(cli *c, const argument_list *list, argument *arg, str head,
                           const char *rest, bool *done) {
  bool peers = str_is(head, "peers"), which = strcmp(rest, "rank") == 0;
  *done = peers || str_is(head, "peer");
  if (*done) arg->kind = peers ? ARGUMENT_PEERS : ARGUMENT_PEER;
  bool scalar = !*done && (which || strcmp(rest, "ranks") == 0) && find_elem(head, &arg->elem) &&
                tsr_elem_is_int(arg->elem);
  if (!*done && !scalar) return true;
  bool is_scalar = !*done;
  *done = true;
  if (!list->ranks) {
    cli_error(c, "%s is for several ranks; give --ranks N too", quoted(c, list, arg));
    return false;
  }
  if (!is_scalar) return parse_peer(c, list, arg, rest);
  arg->kind = ARGUMENT_SCALAR;
  const char *value = arena_printf(&c->arena, "%u", which ? list->rank : list->ranks);
  const char *problem = number_parse(&c->arena, arg->elem, value, &arg->bits);
  if (problem) cli_error(c, "%s: '%s' %s", quoted(c, list, arg), value, problem);
  return !problem;
}

static bool parse_argument(cli *c, const argument_list *list, argument *arg) {
  take_name(c, arg);
  arg->text = argument_path(c, list, arg->text);
  size_t len = strlen(arg->text);
  if (len >= 4 && strcmp(arg->text + len - 4, ".npy") == 0) {
    arg->kind = ARGUMENT_FILE;
    return true;
  }
  const char *colon = strchr(arg->text, ':');
  if (!colon) {
    cli_error(c, "%s is no argument for a kernel", quoted(c, list, arg));
    cli_note(c, "%s", forms);
    return false;
  }
  str head = {arg->text, (size_t)(colon - arg->text)};
  bool done;
  if (!parse_of_ranks(c, list, arg, head, colon + 1, &done)) return false;
  if (done) return true;
  int init = init_from_name(head);
  if (init >= 0) {
    arg->kind = ARGUMENT_INIT;
    arg->init = (uint8_t)init;
    return parse_init(c, list, arg, colon + 1);
  }
  if (!find_elem(head, &arg->elem)) {
    cli_error(c, "%s: '" STR_FMT "' is neither an element type nor a way to fill a buffer",
              quoted(c, list, arg), STR_ARG(head));
    suggest_head(c, head, true);
    return false;
  }
  arg->kind = ARGUMENT_SCALAR;
  const char *problem = number_parse(&c->arena, arg->elem, colon + 1, &arg->bits);
  if (problem) cli_error(c, "%s: '%s' %s", quoted(c, list, arg), colon + 1, problem);
  return !problem;
}

int arguments_parse(cli *c, argument_list *list, char **texts, unsigned count) {
  list->data = arena_array(&c->arena, argument, count);
  list->count = count;
  bool ok = true;
  for (unsigned i = 0; i < count; i++) {
    list->data[i] = (argument){.text = texts[i], .fd = -1};
    ok &= parse_argument(c, list, &list->data[i]);
  }
  return ok ? CLI_OK : CLI_WRONG_CALL;
}

/* ---- matching ------------------------------------------------------------------------------- */

/* "parameter %x" or "parameter 3". */
static const char *parameter_text(cli *c, const argument_list *list, const tsr_parameter *p) {
  if (p->name) return arena_printf(&c->arena, "parameter %%%s", p->name);
  return arena_printf(&c->arena, "parameter %u", (unsigned)(p - list->parameters) + 1);
}

/* What could stand for a parameter. */
static const char *fitting_argument(cli *c, const tsr_parameter *p) {
  const char *elem = tsr_elem_name(p->elem);
  if (!p->is_pointer) return arena_printf(&c->arena, "%s:VALUE", elem);
  return arena_printf(&c->arena, "FILE.npy or INIT:%s:SHAPE", elem);
}

/* A note that shows the kernel's parameters with what each takes. */
static void note_signature(cli *c, const argument_list *list, unsigned n_parameters) {
  sbuf out = SBUF(&c->arena);
  sbuf_printf(&out, "@%s takes", list->kernel);
  for (unsigned i = 0; i < n_parameters; i++) {
    const tsr_parameter *p = &list->parameters[i];
    sbuf_puts(&out, i ? ", " : " ");
    if (p->name) sbuf_printf(&out, "%s: ", p->name);
    if (p->elem == TSR_ELEM_COUNT)
      sbuf_puts(&out, "a buffer");
    else
      sbuf_printf(&out, "%s%s", p->is_pointer ? "buffer of " : "", tsr_elem_name(p->elem));
  }
  if (n_parameters == 0) sbuf_puts(&out, " no arguments");
  cli_note(c, "%s", out.data);
}

static bool match_kind(cli *c, const argument_list *list, const argument *arg) {
  const tsr_parameter *p = arg->parameter;
  bool is_scalar = arg->kind == ARGUMENT_SCALAR;
  bool any = arg->kind == ARGUMENT_FILE || arg->kind == ARGUMENT_PEER;
  if (is_scalar == !p->is_pointer && (any || arg->elem == p->elem)) return true;
  cli_error(c, "%s is %s%s, but %s is %s%s; give %s", quoted(c, list, arg),
            is_scalar ? "a number" : "a buffer",
            any ? "" : arena_printf(&c->arena, " (%s)", tsr_elem_name(arg->elem)),
            parameter_text(c, list, p), p->is_pointer ? "a buffer of " : "a number of type ",
            tsr_elem_name(p->elem), fitting_argument(c, p));
  return false;
}

/* A name may not be taken twice, nor be that of another parameter: arguments go by position, and
 * `y=... x=...` must not run with both swapped in silence. */
static bool match_name(cli *c, const argument_list *list, const argument *arg) {
  if (!arg->name) return true;
  for (unsigned i = 0; i < list->count; i++) {
    const argument *other = &list->data[i];
    if (other == arg) continue;
    if (other < arg && other->name && strcmp(other->name, arg->name) == 0) {
      cli_error(c, "arguments %u and %u are both named '%s'", position(list, other),
                position(list, arg), arg->name);
      return false;
    }
    if (other->parameter->name && strcmp(other->parameter->name, arg->name) == 0) {
      cli_error(c, "argument %u is named '%s', which is parameter %u; arguments are taken in order",
                position(list, arg), arg->name, position(list, other));
      return false;
    }
  }
  return true;
}

/* Opens a regular file without waiting for the other end of what turns out to be a pipe. */
static int open_file(cli *c, const char *path, uint64_t *size) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &st) != 0) {
    cli_error(c, "cannot open '%s': %s", path, strerror(errno));
  } else if (!S_ISREG(st.st_mode)) {
    cli_error(c, "cannot read '%s': it is %s", path,
              S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
  } else {
    *size = (uint64_t)st.st_size;
    return fd;
  }
  if (fd >= 0) close(fd);
  return -1;
}

/* The file's first bytes, up to the end of its header. */
static bool read_header(cli *c, argument *arg, char **first, size_t *len) {
  size_t need = npy_header_length(NULL, 0), have = 0;
  *first = NULL;
  while (have < need) {
    char *grown = arena_alloc(&c->arena, need, 16);
    if (have) memcpy(grown, *first, have);
    *first = grown;
    ssize_t n = pread(arg->fd, grown + have, need - have, (off_t)have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      cli_error(c, "cannot read '%s': %s", arg->text, strerror(errno));
      return false;
    }
    if (n == 0) break;
    have += (size_t)n;
    need = npy_header_length(*first, have);
  }
  *len = have;
  return true;
}

/* A parameter that takes buffers of any type: the file says which. */
static int match_any_file(cli *c, argument *arg, const npy_header *h) {
  static const tsr_elem usual[] = {TSR_F32, TSR_F16, TSR_F64, TSR_I32,
                                   TSR_I8,  TSR_I16, TSR_I64, TSR_I1};
  for (size_t k = 0; k < ARRAY_LEN(usual); k++)
    if (npy_fits(h->kind, h->item, usual[k])) {
      array_describe_file(&arg->array, usual[k], h);
      return CLI_OK;
    }
  cli_error(c, "'%s' holds elements of type %s, which no kernel takes", arg->text,
            npy_descr(&c->arena, h->kind, h->item));
  return CLI_WRONG_INPUT;
}

/* Opens an argument's file and checks that it holds what its parameter takes. */
static int match_file(cli *c, const argument_list *list, argument *arg) {
  uint64_t size = 0;
  arg->fd = open_file(c, arg->text, &size);
  if (arg->fd < 0) return CLI_WRONG_INPUT;
  char *first;
  size_t len;
  if (!read_header(c, arg, &first, &len)) return CLI_WRONG_INPUT;
  npy_header h;
  const char *problem = npy_parse(&c->arena, first, len, size, &h);
  if (problem) {
    cli_error(c, "'%s' %s", arg->text, problem);
    return CLI_WRONG_INPUT;
  }
  const tsr_parameter *p = arg->parameter;
  if (p->elem == TSR_ELEM_COUNT) return match_any_file(c, arg, &h);
  if (!npy_fits(h.kind, h.item, p->elem)) {
    cli_error(c, "'%s' holds elements of type %s, but %s is a buffer of %s, which takes %s",
              arg->text, npy_descr(&c->arena, h.kind, h.item), parameter_text(c, list, p),
              tsr_elem_name(p->elem), npy_fitting(&c->arena, p->elem));
    return CLI_WRONG_CALL;
  }
  array_describe_file(&arg->array, p->elem, &h);
  return CLI_OK;
}

/* More than the machine has would be killed half-way, without a message. */
static bool check_memory(cli *c, const argument_list *list) {
  uint64_t need = 0, have = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  for (unsigned i = 0; i < list->count; i++)
    if (__builtin_add_overflow(need, list->data[i].array.npy.bytes, &need)) need = UINT64_MAX / 2;
  if (need <= have) return true;
  cli_error(c, "the buffers need %.1f GB; this machine has %.1f GB of memory", (double)need / 1e9,
            (double)have / 1e9);
  return false;
}

int arguments_match(cli *c, argument_list *list, const char *kernel,
                    const tsr_parameter *parameters, unsigned n_parameters) {
  list->kernel = kernel;
  list->parameters = parameters;
  if (list->count != n_parameters) {
    cli_error(c, "kernel @%s takes %u argument%s, %u %s given", kernel, n_parameters,
              n_parameters == 1 ? "" : "s", list->count, list->count == 1 ? "is" : "are");
    note_signature(c, list, n_parameters);
    return CLI_WRONG_CALL;
  }
  bool ok = true;
  for (unsigned i = 0; i < list->count; i++) list->data[i].parameter = &parameters[i];
  for (unsigned i = 0; i < list->count; i++) {
    ok &= match_kind(c, list, &list->data[i]);
    ok &= match_name(c, list, &list->data[i]);
  }
  if (!ok) {
    note_signature(c, list, n_parameters);
    return CLI_WRONG_CALL;
  }
  int status = CLI_OK;
  for (unsigned i = 0; i < list->count; i++) {
    if (list->data[i].kind != ARGUMENT_FILE) continue;
    int file_status = match_file(c, list, &list->data[i]);
    if (status == CLI_OK) status = file_status;
  }
  if (status == CLI_OK && !check_memory(c, list)) status = CLI_WRONG_CALL;
  return status;
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *argument_name(cli *c, const argument_list *list, const argument *arg) {
  if (arg->name) return arg->name;
  if (arg->parameter->name) return arg->parameter->name;
  return arena_printf(&c->arena, "arg%u", position(list, arg) - 1);
}

argument *argument_named(const argument_list *list, str name) {
  for (unsigned i = 0; i < list->count; i++)
    if (list->data[i].name && str_is(name, list->data[i].name)) return &list->data[i];
  for (unsigned i = 0; i < list->count; i++)
    if (list->parameters[i].name && str_is(name, list->parameters[i].name)) return &list->data[i];
  for (unsigned i = 0; i < list->count; i++) {
    char text[16];
    snprintf(text, sizeof text, "arg%u", i);
    if (str_is(name, text)) return &list->data[i];
  }
  return NULL;
}

argument *argument_by_name(cli *c, argument_list *list, const char *option, str name) {
  argument *arg = argument_named(list, name);
  if (!arg) {
    sbuf names = SBUF(&c->arena);
    for (unsigned i = 0; i < list->count; i++)
      if (list->data[i].kind < ARGUMENT_SCALAR)
        sbuf_printf(&names, "%s %s", names.len ? "," : "", argument_name(c, list, &list->data[i]));
    cli_error(c, "%s: there is no buffer '" STR_FMT "'", option, STR_ARG(name));
    cli_note(c, names.len ? "there are%s" : "the kernel has no buffers%s",
             names.len ? names.data : "");
    return NULL;
  }
  if (arg->kind < ARGUMENT_SCALAR) return arg;
  cli_error(c, "%s: '" STR_FMT "' is %s", option, STR_ARG(name),
            arg->kind == ARGUMENT_SCALAR ? "a number, not a buffer" : "another rank's memory");
  return NULL;
}

/* ---- loading -------------------------------------------------------------------------------- */

static int load_argument(cli *c, argument_list *list, argument *arg, tsr_device *device,
                         uint64_t seed) {
  if (!array_allocate(&arg->array)) {
    cli_error(c, "%s: there is no memory for %llu bytes", quoted(c, list, arg),
              (unsigned long long)arg->array.npy.bytes);
    return CLI_WRONG_INPUT;
  }
  if (arg->kind == ARGUMENT_INIT) {
    array_fill(&arg->array, (array_init)arg->init, seed, position(list, arg));
  } else if (!array_read(&arg->array, arg->fd)) {
    cli_error(c, "cannot read '%s': %s", arg->text,
              errno ? strerror(errno) : "it became shorter meanwhile");
    return CLI_WRONG_INPUT;
  }
  size_t bytes = arg->array.npy.bytes;
  /* Not wrapped where the device has its own memory, so that launches copy nothing. */
  bool wrap = !device->kind->streams;
  arg->buffer =
      wrap ? tsr_buffer_wrap(device, arg->array.data, bytes) : tsr_buffer_create(device, bytes);
  if (!arg->buffer) return CLI_WRONG_INPUT;
  if (wrap || tsr_buffer_write(arg->buffer, 0, arg->array.data, bytes) == TSR_OK) return CLI_OK;
  return CLI_WRONG_INPUT;
}

int arguments_load(cli *c, argument_list *list, tsr_device *device, uint64_t seed) {
  for (unsigned i = 0; i < list->count; i++) {
    if (list->data[i].kind >= ARGUMENT_SCALAR) continue;
    int status = load_argument(c, list, &list->data[i], device, seed);
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}

const tsr_arg *arguments_launch(cli *c, const argument_list *list) {
  tsr_arg *args = arena_array(&c->arena, tsr_arg, list->count);
  for (unsigned i = 0; i < list->count; i++) {
    const argument *arg = &list->data[i];
    args[i] = arg->kind == ARGUMENT_SCALAR ? tsr_arg_scalar(arg->elem, arg->bits)
                                           : tsr_arg_buffer(arg->buffer);
  }
  return args;
}

bool arguments_read_back(argument_list *list) {
  for (unsigned i = 0; i < list->count; i++) {
    argument *arg = &list->data[i];
    if (arg->kind >= ARGUMENT_SCALAR || !arg->buffer || arg->buffer->data == arg->array.data)
      continue;
    if (tsr_buffer_read(arg->buffer, 0, arg->array.data, arg->array.npy.bytes) != TSR_OK)
      return false;
  }
  return true;
}

void arguments_free(argument_list *list) {
  for (unsigned i = 0; i < list->count; i++) {
    argument *arg = &list->data[i];
    if (arg->buffer && !arg->borrowed) tsr_buffer_destroy(arg->buffer);
    array_free(&arg->array);
    if (arg->fd >= 0) close(arg->fd);
    arg->fd = -1;
  }
}
