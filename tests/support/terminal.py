#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command at a terminal of its own and types into it: terminal.py TYPED... -- COMMAND...

Each TYPED, in which \\n and \\e stand for the keys, is typed when the command has printed its prompt,
which ends with "(tessera) ". What the terminal shows is printed, without escape sequences.
"""
import os
import pty
import re
import select
import sys


def read_until(master, text, what):
    """Adds what arrives to `text`, up to `what` or the end."""
    start = len(text)
    while what not in text[start:]:
        if not select.select([master], [], [], 60)[0]:
            sys.exit("terminal: nothing came for a minute after %r" % text)
        try:
            data = os.read(master, 4096)
        except OSError:  # the other side is closed
            return text
        if not data:
            return text
        text += data
    return text


def main():
    at = sys.argv.index("--")
    typed, command = sys.argv[1:at], sys.argv[at + 1:]
    child, master = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    text = b""
    for keys in typed:
        text = read_until(master, text, b"(tessera) ")
        os.write(master, keys.replace("\\n", "\n").replace("\\e", "\x1b").encode())
    text = read_until(master, text, b"(this comes never)")
    os.waitpid(child, 0)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode(errors="replace"))
    print(plain.replace("\r", ""))


main()
