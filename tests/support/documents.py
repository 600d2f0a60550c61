# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what documents say can be typed.

  documents.py SOURCE BUILD --folder FOLDER [--have FEATURE,...] [--python PYTHON] --pages PAGE...
                                              runs the commands of pages in FOLDER
  documents.py SOURCE --form TESTS --pages PAGE...    only looks at the form of all blocks, says which are never run, and holds
                                              the tests in the folder TESTS to naming every page that has commands

The blocks of a page that are made of commands say so in their info string, which readers do not see:

  ```sh           commands; bash runs the block as it stands, and it must succeed
  ```console      "$ COMMAND", and below it what the command prints, where "…" stands for anything; where nothing is
                  below, it may print what it likes. Lines of a command go on after a backslash. The status must be 0.
  ```console status=1       the same, with another status
  ```mlir file=sum.mlir     the block is a file of that name when the page's commands run; of any language

What is typed at the prompt "(tessera) " below a command is what that command reads.

So do comments in front of a block:

  <!-- not run: REASON -->      the block is not run, and counted with its reason
  <!-- needs: FEATURE -->       it is run where --have names that feature (those of tests/lit.cfg.py)
  <!-- first: COMMAND -->       a command that the reader is taken to have typed, or its like

Commands run at the top of the source tree, as far as they see: FOLDER has links to its parts, and is where files are
written. `tessera` is the command of BUILD. Any other block must not look like commands.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

COMMAND = re.compile(r"\$ |tessera [a-z-]|build/bin/|(sudo )?make( |$)|scripts/|pip |cc |c\+\+ |python3? |mpi(run|cc) |cd |clang|apt-get |"
                     r"git |ninja |ctest |[A-Z_]+=\S+ [a-z]")
PROMPT = "(tessera) "
NOTE = re.compile(r"<!-- (not run|needs|first): (.*) -->$")

Block = collections.namedtuple("Block", "page line language words lines notes")
Command = collections.namedtuple("Command", "line text expected status")


class Wrong(Exception):
    pass


def blocks(page):
    """The fenced blocks of a page, each with the comments right in front of it."""
    notes, block = [], None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            bare = line.strip()
            if block:
                if bare.startswith(block.fence):
                    yield block.made
                    block, notes = None, []
                else:
                    block.made.lines.append(line[block.indent:] if not line[:block.indent].strip() else line)
            elif bare.startswith("```"):
                fence = re.match("`+", bare).group()
                language, *words = bare[len(fence):].split() or [""]
                block = argparse.Namespace(fence=fence, indent=len(line) - len(line.lstrip()),
                                           made=Block(page, number, language, words, [], notes))
            elif NOTE.match(bare):
                notes.append(NOTE.match(bare).groups())
            elif bare:
                if notes:
                    raise Wrong("%s:%d: the comment above is followed by no block" % (page, number))
    if block:
        raise Wrong("%s:%d: the block does not end" % (page, block.made.line))


def is_commands(block):
    return block.language in ("sh", "console")


def commands(block):
    """The commands of a block."""
    status = ([int(w[7:]) for w in block.words if w.startswith("status=")] or [0])[0]
    if block.language == "sh":
        yield Command(block.line + 1, "".join(block.lines), None, status)
        return
    found = []
    for number, line in enumerate(block.lines, block.line + 1):
        if found and found[-1][1].endswith("\\\n") and not found[-1][2]:
            found[-1][1] += line
        elif line.startswith("$ "):
            found.append([number, line[2:], []])
        elif not found:
            raise Wrong("%s:%d: a console block begins with \"$ \"" % (block.page, number))
        else:
            found[-1][2].append(line)
    for number, text, lines in found:
        yield Command(number, text, "".join(lines) or None, status)


def check_form(page):
    """Raises for a block that looks like commands and is not marked as such, or that nobody can type."""
    for block in blocks(page):
        written = "".join(block.lines)
        if is_commands(block):
            if "not run" in dict(block.notes):
                continue
            for command in commands(block):
                code = re.sub(r"(^|\s)#.*", "", command.text)
                if "…" in code or re.search(r"<[a-z]+>", code):
                    raise Wrong("%s:%d: a placeholder, which nobody can type" % (page, command.line))
        elif block.language in ("", "text") and any(COMMAND.match(line) for line in block.lines):
            raise Wrong("%s:%d: looks like commands; mark the block as sh or console" % (page, block.line))
        elif not written.strip():
            raise Wrong("%s:%d: an empty block" % (page, block.line))


def look_at_form(source, pages, tests):
    """Prints which blocks are never run, and returns how many pages have commands."""
    named = ""
    for name in os.listdir(tests):
        if name.endswith(".test"):
            with open(os.path.join(tests, name), encoding="utf-8") as file:
                named += file.read()
    number = 0
    for page in pages:
        check_form(page)
        found = [block for block in blocks(page) if is_commands(block)]
        for block in found:
            if "not run" in dict(block.notes):
                print("%s: not run: %s" % (os.path.relpath(page, source), dict(block.notes)["not run"]))
        run = [block for block in found if "not run" not in dict(block.notes)]
        if run and not re.search(r"%%source/%s\s" % re.escape(os.path.relpath(page, source)), named):
            raise Wrong("%s: no test in %s names the page" % (page, tests))
        number += bool(found)
    return number


class Runner:
    def __init__(self, options):
        self.options = options
        self.have = set(filter(None, options.have.split(",")))
        self.ran = self.wrong = 0
        self.not_run = collections.Counter()
        folder = self.folder = os.path.abspath(options.folder)
        os.makedirs(os.path.join(folder, "path"))
        for name in os.listdir(options.source):
            if not name.startswith((".", "build")):
                os.symlink(os.path.join(options.source, name), os.path.join(folder, name))
        os.symlink(options.build, os.path.join(folder, "build"))
        os.symlink(os.path.join(options.build, "bin", "tessera"), os.path.join(folder, "path", "tessera"))
        for name, rest in (("python", ""), ("python3", ""), ("pytest", " -m pytest")):  # a link to the Python of a virtual environment does not find its packages
            path = os.path.join(folder, "path", name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexec '%s'%s \"$@\"\n" % (options.python, rest))
            os.chmod(path, 0o755)
        self.environment = dict(
            os.environ, PATH=os.path.join(folder, "path") + ":" + os.environ["PATH"], HOME=folder, NO_COLOR="1",
            TESSERA_CACHE_DIR=os.path.join(folder, ".cache"), TESSERA_TUNING=os.path.join(folder, ".tuning.sqlite"),
            PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.path.join(options.source, "python"),
            # Open MPI refuses root, and more ranks than there are cores; both are usual where tests run.
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        self.environment.pop("TESSERA_CACHE", None)
        os.mkdir(os.path.join(folder, ".cache"), 0o700)

    def bash(self, text):
        return subprocess.run(["bash", "-eu", "-c", text], env=self.environment, cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def complain(self, place, text, what):
        self.wrong += 1
        print("%s: $ %s\n%s" % (place, text.rstrip("\n"), what))

    def block(self, block):
        for kind, what in block.notes:
            if kind == "first":
                run = self.bash(what)
                if run.returncode:
                    self.complain("%s:%d" % (block.page, block.line), what, run.stdout)
        if not is_commands(block):
            return
        notes = dict(block.notes)
        number = sum(1 for line in block.lines if line.startswith("$ ")) or 1
        missing = set(notes.get("needs", "").split()) - self.have
        if "not run" in notes or missing:
            self.not_run[notes.get("not run") or "there is no " + ", ".join(sorted(missing))] += number
            return
        for command in commands(block):
            self.command("%s:%d" % (block.page, command.line), command)

    def files(self, page):
        for block in blocks(page):
            for word in block.words:
                if word.startswith("file="):
                    with open(os.path.join(self.folder, word[5:]), "w", encoding="utf-8") as file:
                        file.writelines(block.lines)

    def command(self, place, command):
        text = command.text
        typed = [line[len(PROMPT):] for line in (command.expected or "").splitlines(True) if line.startswith(PROMPT)]
        if typed:
            with open(os.path.join(self.folder, "typed"), "w", encoding="utf-8") as file:
                file.writelines(typed)
            text = text.rstrip("\n") + " --batch --execute typed"
        run = self.bash(text)
        self.ran += 1
        if run.returncode != command.status:
            self.complain(place, command.text, "ended with %d, not %d:\n%s" % (run.returncode, command.status, run.stdout))
        elif command.expected is not None and not re.fullmatch(
                ".*".join(map(re.escape, command.expected.split("…"))), run.stdout, re.S):
            self.complain(place, command.text, "should print\n%s\nand prints\n%s" % (command.expected, run.stdout))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build", nargs="?")
    parser.add_argument("--folder")
    parser.add_argument("--form", metavar="TESTS")
    parser.add_argument("--have", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pages", nargs="+", required=True)
    options = parser.parse_args()
    try:
        if options.form:
            print("%d pages, %d with commands" % (len(options.pages), look_at_form(options.source, options.pages, options.form)))
            return 0
        runner = Runner(options)
        for page in options.pages:
            check_form(page)
            runner.files(page)
            for block in blocks(page):
                runner.block(block)
    except Wrong as wrong:
        print(wrong)
        return 1
    for reason, count in sorted(runner.not_run.items()):
        print("not run, %d: %s" % (count, reason))
    print("%d ran, %d wrong" % (runner.ran, runner.wrong))
    return 1 if runner.wrong or not runner.ran + sum(runner.not_run.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
