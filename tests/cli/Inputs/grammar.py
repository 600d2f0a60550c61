# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours programs by the TextMate grammar: grammar.py TESSERA GRAMMAR PROGRAM...

Of a line's rules the one that matches first wins, as editors do it; of those that match at the same place the one that
the grammar lists first. All words of the manual must be known, and all letters of the programs must get a colour.
"""
import json
import re
import subprocess
import sys


def rules(grammar):
    for rule in grammar["patterns"]:
        scopes = {0: rule["name"]} if "name" in rule else {int(g): s["name"] for g, s in rule["captures"].items()}
        yield re.compile(rule["match"]), scopes


def colour(line, patterns):
    """[(text, scope)] of a line."""
    found, at = [], 0
    while at < len(line):
        matches = [(m.start(), number, m, scopes) for number, (pattern, scopes) in enumerate(patterns)
                   if (m := pattern.search(line, at)) and m.end() > m.start()]
        if not matches:
            break
        _, _, match, scopes = min(matches, key=lambda m: m[:2])
        found.append((line[at:match.start()], None))
        for group, scope in scopes.items():
            if match.group(group):
                found.append((match.group(group), scope.rsplit(".", 1)[0]))
        at = match.end()
    return found + [(line[at:], None)]


def main(tessera, path, *programs):
    with open(path, encoding="utf-8") as file:
        grammar = json.load(file)
    patterns = list(rules(grammar))
    manual = json.loads(subprocess.run([tessera, "explain", "--json"], capture_output=True, check=True).stdout)
    operations = [page["name"] for page in manual if page["kind"] == "operation"]
    for name in operations:
        for line in ("  %r = " + name + " %x", "  cuda_tile." + name + " %x", "{ " + name):
            assert (name, "keyword.control") in colour(line, patterns), (line, colour(line, patterns))
    lines = plain = 0
    for program in programs:
        with open(program, encoding="utf-8") as file:
            for line in file:
                lines += 1
                for text, scope in colour(line.rstrip("\n"), patterns):
                    if scope is None and re.search(r"[A-Za-z0-9]", text):
                        plain += 1
                        print("%s: no colour for '%s' in %s" % (program, text.strip(), line.strip()))
    print("%d operations, %d lines, %d pieces without a colour" % (len(operations), lines, plain))
    example = "    %a:2, %t = load_view_tko weak %v[%i#1] : !v -> tile<4x8xptr<f32>>, token // \"x\""
    for text, scope in colour(example, patterns):
        if text.strip():
            print("%s\t%s" % (text.strip(), scope))


if __name__ == "__main__":
    main(*sys.argv[1:])
