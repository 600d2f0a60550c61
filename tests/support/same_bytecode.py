#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the operations of two bytecode files up to the numbers that entries have in tables.

    same_bytecode.py A B

Writers fill the tables of strings, types and constants in different orders, so equal programs have
different bytes. Here the functions' bodies are read side by side, number by number: each must be the
same in both, or stand for the same string, type or constant. So must names and types of functions.
The exit status is 1, with the place, where that is not so. (It is not known which numbers refer to
a table, so a difference could go unseen where both happen to be the numbers of one entry.)
"""
import sys

STRINGS, FUNCTIONS, CONSTANTS, TYPES = 1, 2, 4, 5
MINOR = "version"  # beside the sections
OFFSET_BYTES = {STRINGS: 4, CONSTANTS: 8, TYPES: 4}


def varint(data, at):
    """Types and constants hold numbers of other kinds too; one may seem to go on at the end."""
    value = shift = 0
    byte = 0x80
    while byte >= 0x80 and at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return value, at


def sections(data):
    found, at = {MINOR: data[9]}, 12  # behind the magic and the version
    while data[at]:
        kind, aligned = data[at] & 0x7F, data[at] & 0x80
        length, at = varint(data, at + 1)
        if aligned:
            alignment, at = varint(data, at)
            at += -at % alignment
        found[kind] = data[at : at + length]
        at += length
    return found


def table(section, kind):
    if not section:
        return []
    width = OFFSET_BYTES[kind]
    count, at = varint(section, 0)
    at += -at % width
    offsets = [int.from_bytes(section[at + width * i :][:width], "little") for i in range(count)]
    data = section[at + width * count :]
    return [data[a:b] for a, b in zip(offsets, offsets[1:] + [len(data)])]


class File:
    def __init__(self, path):
        with open(path, "rb") as f:
            found = sections(f.read())
        self.functions = found[FUNCTIONS]
        self.always_hints = found[MINOR] >= 5
        self.strings, self.constants, self.types = (
            table(found.get(k), k) for k in (STRINGS, CONSTANTS, TYPES)
        )


INTEGER, BOOL, ARRAY, DICTIONARY, HINTS = 1, 3, 6, 10, 11
HAS_HINTS = 4


def behind_attribute(data, at):
    """Of those that hints consist of."""
    tag, at = data[at], at + 1
    if tag == INTEGER:  # its type and its value
        return varint(data, varint(data, at)[1])[1]
    if tag == BOOL:
        return at + 1
    if tag not in (ARRAY, DICTIONARY, HINTS):
        sys.exit("attribute %d is not expected in hints" % tag)
    count, at = varint(data, at)
    for _ in range(count):
        at = behind_attribute(data, at if tag == ARRAY else varint(data, at)[1])
    return at


def functions(file):
    """Of each, the numbers of its name and type, and the bytes of its body."""
    data = file.functions
    count, at = varint(data, 0)
    for _ in range(count):
        name, at = varint(data, at)
        type_number, at = varint(data, at)
        flags = data[at]
        _, at = varint(data, at + 1)  # where its locations are
        if flags & HAS_HINTS or file.always_hints:
            at = behind_attribute(data, at)
        if file.always_hints:  # and attributes of arguments
            at = behind_attribute(data, at)
        length, at = varint(data, at)
        yield name, type_number, data[at : at + length]
        at += length


def entry(entries, number):
    return entries[number] if number < len(entries) else None


class Comparison:
    def __init__(self, a, b):
        self.a, self.b = a, b
        self.same_types = {}

    def stands_for_the_same(self, x, y):
        for kind in ("strings", "constants"):
            one, other = entry(getattr(self.a, kind), x), entry(getattr(self.b, kind), y)
            if one is not None and one == other:
                return True
        return self.types_equal(x, y)

    def types_equal(self, x, y):
        one, other = entry(self.a.types, x), entry(self.b.types, y)
        if one is None or other is None or one[:1] != other[:1]:
            return False
        if (x, y) not in self.same_types:
            self.same_types[x, y] = False  # no type contains itself
            self.same_types[x, y] = self.difference(one, other, self.types_equal) is None
        return self.same_types[x, y]

    def difference(self, one, other, alike):
        """The number of the first that differs, or None."""
        i = j = count = 0
        while i < len(one) and j < len(other):
            x, i = varint(one, i)
            y, j = varint(other, j)
            if x != y and not alike(x, y):
                return count
            count += 1
        return None if len(one) - i == len(other) - j else count


def main():
    a, b = File(sys.argv[1]), File(sys.argv[2])
    comparison = Comparison(a, b)
    ones, others = list(functions(a)), list(functions(b))
    if len(ones) != len(others):
        sys.exit("%s has %d functions, %s %d" % (sys.argv[1], len(ones), sys.argv[2], len(others)))
    for i, ((x, t, body), (y, u, other)) in enumerate(zip(ones, others)):
        if entry(a.strings, x) != entry(b.strings, y) or not comparison.types_equal(t, u):
            sys.exit("function %d has another name or type in %s than in %s" % (i, *sys.argv[1:]))
        at = comparison.difference(body, other, comparison.stands_for_the_same)
        if at is not None:
            sys.exit("function %d: number %d differs between %s and %s" % (i, at, *sys.argv[1:]))


if __name__ == "__main__":
    main()
