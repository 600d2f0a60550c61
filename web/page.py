# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one file of the page: page.py MODULE.wasm OUT.html

index.html names its parts as {{file}}; {{module}} is the WebAssembly module, compressed and in base64,
{{examples}} the programs that examples.json names, with their texts.
"""
import base64
import gzip
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MOST_BYTES = 3_000_000


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def module(path):
    with open(path, "rb") as f:
        return base64.b64encode(gzip.compress(f.read(), 9, mtime=0)).decode()


def examples():
    listed = json.loads(read(os.path.join(HERE, "examples.json")))
    for example in listed:
        example["text"] = read(os.path.join(ROOT, example["file"]))
    return json.dumps(listed).replace("</", "<\\/")


def main(wasm, out):
    def part(match):
        name = match[1]
        if name == "module":
            return module(wasm)
        return examples() if name == "examples" else read(os.path.join(HERE, name))
    page = re.sub(r"\{\{([\w.]+)\}\}", part, read(os.path.join(HERE, "index.html")))
    if len(page) > MOST_BYTES:
        raise SystemExit("%s would have %d bytes, at most %d are allowed" % (out, len(page), MOST_BYTES))
    with open(out, "w", encoding="utf-8") as f:
        f.write(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
