# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of use of src/: a folder, and a room of a folder, uses itself and those before it.

check-sources holds every #include to it, call-graph every call.
"""
ORDER = ["base", "target", "num", "layout", "ir", "text", "ttir", "bytecode", "exec", "opt", "block", "interp",
         "llvm", "cpu", "simt", "gpu", "backends", "emu", "rt", "mpi", "ranks", "tune", "ops",
         "compat", "lsp", "cli"]

# Rooms inside of a folder, by their path; the folder itself stands for the files that lie in it.
# Its face, FOLDER/FOLDER.h, is what others include, and its rooms, too.
ROOMS = {
    "cpu": ["cpu/gemm/ukernel", "cpu/core", "cpu/plan", "cpu/nest", "cpu/memory", "cpu/gemm/skinny",
            "cpu/gemm", "cpu/lower", "cpu"],
    "simt": ["simt", "simt/block", "simt/nvidia", "simt/amd"],
    "gpu": ["gpu", "gpu/block", "gpu/nvptx", "gpu/amdgcn"],
    "emu": ["emu", "emu/ptx", "emu/amdgcn"],
}


def folder_of(path):
    """The folder of a file, given by its path below src/."""
    return path.split("/")[0]


def room_of(path):
    """The room: what its folder has of it, or else the folder."""
    folder, room = folder_of(path), path.rpartition("/")[0]
    return room if room in ROOMS.get(folder, ()) else folder


def is_face(path):
    folder = folder_of(path)
    return path == f"{folder}/{folder}.h"


def is_upward(user, used):
    """Does a file use another one that comes after it?"""
    a, b = folder_of(user), folder_of(used)
    if a not in ORDER or b not in ORDER:
        return False
    if a != b:
        return ORDER.index(b) > ORDER.index(a)
    rooms = ROOMS.get(a)
    if not rooms or is_face(used):
        return False
    return rooms.index(room_of(used)) > rooms.index(room_of(user))
