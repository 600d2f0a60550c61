# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Presses the tabulator in a zsh: zsh.py TESSERA SCRIPT. Prints the lines that it leaves."""
import os
import pty
import re
import select
import sys
import time

LINES = [("tessera build f --target=gfx94", "--target=gfx942"), ("tessera explain mmaf_sc", "mmaf_scaled"),
         ("tessera check a\\ fi", "a\\ file.mlir")]


def main(tessera, script):
    open("a file.mlir", "w", encoding="utf-8").close()
    child, terminal = pty.fork()
    if child == 0:
        environment = {"PATH": os.path.dirname(tessera) + ":/usr/bin:/bin", "TERM": "dumb", "HOME": os.getcwd(), "LANG": "C.UTF-8"}
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment)

    def read_until(pattern, seconds=30):
        text, end = "", time.monotonic() + seconds
        while time.monotonic() < end and not re.search(pattern, text):
            if select.select([terminal], [], [], 0.2)[0]:
                text += os.read(terminal, 65536).decode(errors="replace")
        return text

    def write(text):
        os.write(terminal, text.encode())

    write("PS1='ready> '; autoload -U compinit; compinit -u -D; source '%s'; print loa''ded\n" % script)
    assert "loaded" in read_until("loaded")
    for typed, wanted in LINES:
        write(typed + "\t")
        text = read_until(re.escape(wanted), 20)
        print(wanted.replace("\\", "") if wanted in text else "not completed: %r" % text)
        write("\x15")
    write("exit\n")
    os.close(terminal)


if __name__ == "__main__":
    main(*sys.argv[1:])
