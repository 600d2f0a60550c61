#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the calls of tests/unit/test_null.c: of every function that the public headers declare, with
NULL for each pointer argument in turn and for all of them.

    null_calls.py INCLUDE_FOLDER OUTPUT

Each is a line CALL(function, argument, call), or STATUS(function, argument, may_be_null, call) where
the result is a tsr_status. The other arguments are what the test has of their types: `the_` and the
type's name.
"""
import os
import re
import sys

HEADERS = ("base elem module opt descriptor layout runtime stream window ptx build tune").split()
CALLBACKS = ("tsr_offset_fn", "tsr_tile_visit", "tsr_tile_function", "tsr_tune_keep", "tsr_tuning_visit",
             "tsr_bench_call")
POINTERS = ("tsr_type", "tsr_value")  # typedefs of pointers
LISTS = ("tsr_ints", "tsr_values", "tsr_types", "tsr_scalars", "tsr_grid", "tsr_rh")

# Arguments that the headers let be NULL, where leaving them out is no error.
OPTIONAL = {
    "error", "options", "user", "passes", "on_pass", "native", "title", "prefix", "names",
    "out_height", "out_width", "y_origins", "y_lengths", "slot_bits", "valid", "how", "element_strides",
    "cpu", "file",
}
OPTIONAL_OF = {
    "tsr_module_parse": {"name"}, "tsr_module_read_bytecode": {"name"},
    "tsr_layout_parse": {"name"}, "tsr_kernel_get": {"name"}, "tsr_ptx_create": {"name"},
    "tsr_ptx_run": {"kernel", "launch"}, "tsr_layout_spatial": {"ranks"}, "tsr_layout_local": {"ranks"},
    "tsr_adaptor_identity": {"lengths"}, "tsr_memory_propose_swizzle": {"store", "load"},
    "tsr_tile_elementwise": {"b"}, "tsr_bench": {"options"},
    "tsr_tuning_store_walk": {"like"}, "tsr_tuning_store_clear": {"like", "removed"},
    "tsr_tuning_store_export": {"count"}, "tsr_tuning_store_import": {"count"},
}


def declarations(folder):
    for header in HEADERS:
        with open(os.path.join(folder, "tessera", header + ".h")) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        for result, name, arguments in re.findall(
            r"TSR_API\s+([^;(]*?)\b(\w+)\(([^;]*)\);", text
        ):
            yield result.strip(), name, split(arguments)


def split(arguments):
    """(type, name) of each; an array is a pointer."""
    found = []
    for argument in arguments.split(","):
        argument = " ".join(argument.split())
        if argument in ("void", ""):
            continue
        array = re.match(r"(.*)\b(\w+)\[\w*\]$", argument)
        if array:
            found.append((array[1].strip() + " *", array[2]))
            continue
        kind, name = re.match(r"(.*?)(\w+)$", argument).groups()
        found.append((kind.strip(), name))
    return found


def is_pointer(kind):
    return "*" in kind or kind in POINTERS + CALLBACKS


def value(kind, name, function):
    base = kind.replace("const ", "").replace("*", "").strip()
    if kind.replace("const ", "").replace(" ", "").endswith("**"):
        return "(void *)the_scratch"
    if function.startswith(("tsr_ptx_", "tsr_stream_map")) and base in ("tsr_device", "tsr_buffer"):
        return "the_emulated_" + base[4:]
    if kind in POINTERS + CALLBACKS:
        return "the_" + base[4:]
    if "*" in kind:
        if base == "char":
            return "the_text"
        if name == "out" or base == "void":
            return "(void *)the_scratch"
        return "(void *)the_" + (base[4:] if base.startswith("tsr_") else base)
    if base in LISTS or base == "tsr_arg":
        return "(%s){0}" % base
    return "1"


def main(folder, output):
    lines = []
    for result, name, arguments in declarations(folder):
        pointers = [i for i, (kind, _) in enumerate(arguments) if is_pointer(kind)]
        for missing in [[i] for i in pointers] + ([pointers] if len(pointers) > 1 else []):
            words = [
                ("NULL" if i in missing else value(kind, argument, name))
                for i, (kind, argument) in enumerate(arguments)
            ]
            one = arguments[missing[0]][1] if len(missing) == 1 else "all"
            optional = one in OPTIONAL or one in OPTIONAL_OF.get(name, ())
            call = "%s(%s)" % (name, ", ".join(words))
            if result == "tsr_status":
                lines.append("STATUS(%s, %s, %d, %s)" % (name, one, optional, call))
            else:
                lines.append("CALL(%s, %s, %s)" % (name, one, call))
    with open(output, "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
