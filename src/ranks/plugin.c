/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which MPI started this process, and the plugin for it.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranks/ranks.h"

/* The libraries that a plugin is built for. A program that has one of them loaded has its symbol;
 * a process that its launcher started has the variable. */
typedef struct known_mpi {
  const char *name, *symbol, *variable, *package;
} known_mpi;

static const known_mpi known[] = {
    {"openmpi", "ompi_mpi_comm_world", "OMPI_COMM_WORLD_SIZE", "libopenmpi3 and openmpi-bin"},
    {"mpich", "MPIR_F_NeedInit", "PMI_SIZE", "libmpich12 and mpich"},
};

bool tsr_ranks_started(void) {
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (getenv(known[k].variable)) return true;
  return false;
}

static const known_mpi *mpi_of_process(void) {
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (dlsym(RTLD_DEFAULT, known[k].symbol)) return &known[k];
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (getenv(known[k].variable)) return &known[k];
  return NULL;
}

static const known_mpi *mpi_named(const char *name) {
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (strcmp(known[k].name, name) == 0) return &known[k];
  return NULL;
}

/* Beside the library or program that this code is in, where a plugin lies; or where it was
 * installed. False: nowhere. */
static bool find_file(const char *name, char *out, size_t size) {
  static const char *const below[] = {"", "../lib/", TSR_RANKS_BIN_TO_LIB "/"};
  Dl_info info;
  char resolved[PATH_MAX];
  bool known_place = dladdr((void *)&ranks_plugin, &info) && info.dli_fname;
  const char *own = known_place && strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
  char *slash = realpath(own, resolved) ? strrchr(resolved, '/') : NULL;
  for (size_t k = 0; slash && k < ARRAY_LEN(below); k++) {
    int n = snprintf(out, size, "%.*s/%slibtessera-%s.so", (int)(slash - resolved), resolved,
                     below[k], name);
    if (n >= 0 && (size_t)n < size && access(out, R_OK) == 0) return true;
  }
  snprintf(out, size, TSR_RANKS_INSTALLED "/libtessera-%s.so", name);
  return access(out, R_OK) == 0;
}

static const mpi_transport *open_file(tsr_context *ctx, const char *path, const known_mpi *mpi) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI's own plugins look for it there */
  const char *why = handle ? NULL : dlerror();
  if (why && strstr(why, "libmpi"))
    diag_error(ctx, NOWHERE,
               "several ranks need MPI, which cannot be loaded: install the packages %s (%s)",
               mpi ? mpi->package : "of the library that the plugin was built for", why);
  else if (why)
    diag_error(ctx, NOWHERE, "the plugin for MPI cannot be loaded: %s", why);
  if (!handle) return NULL;
  mpi_transport_fn get;
  *(void **)&get = dlsym(handle, "tsr_mpi_transport");
  const mpi_transport *found = get ? get() : NULL;
  if (found && found->version == MPI_TRANSPORT_VERSION) return found;
  diag_error(ctx, NOWHERE, "'%s' is no plugin for MPI of this version of Tessera", path);
  return NULL;
}

static void say_nothing_asked(tsr_context *ctx) {
  diag_error(ctx, NOWHERE,
             "no MPI started this process: start it with mpirun -n N (Debian's packages are "
             "openmpi-bin, or mpich), or name the library in TESSERA_MPI: openmpi or mpich");
}

const mpi_transport *ranks_plugin(tsr_context *ctx, const char *asked) {
  const char *by = "tsr_ranks_options.mpi";
  if (!asked) {
    asked = secure_getenv("TESSERA_MPI");
    by = "TESSERA_MPI";
  }
  bool is_file = asked && strchr(asked, '/');
  if (is_file) return open_file(ctx, asked, NULL);
  const known_mpi *mpi = asked && *asked ? mpi_named(asked) : mpi_of_process();
  if (!mpi && asked && *asked) {
    diag_error(ctx, NOWHERE, "%s: expected openmpi, mpich or the path of a plugin, found '%s'", by,
               asked);
    return NULL;
  }
  if (!mpi) {
    say_nothing_asked(ctx);
    return NULL;
  }
  char path[PATH_MAX];
  if (find_file(mpi->name, path, sizeof path)) return open_file(ctx, path, mpi);
  diag_error(ctx, NOWHERE,
             "libtessera-%s.so, the plugin for this MPI, was not found beside Tessera or "
             "in " TSR_RANKS_INSTALLED ": build Tessera where %s are installed, or compile "
             "mpi/mpi.c with this MPI's mpicc and name the file in TESSERA_MPI",
             mpi->name, mpi->package);
  return NULL;
}
