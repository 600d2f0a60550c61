# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs share that run the examples and tests of a checkout of Tilus: their options, whether there is
a Tilus, the processes that they start, and loading an example."""
import argparse
import importlib.util
import os
import subprocess
import sys
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def parser(description, devices=None):
    """The options of them all; `devices`: also which ones a program runs on, and these by default."""
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("--checkout", required=True, metavar="FOLDER",
                      help="a copy of Tilus' repository, at the tag that is installed")
    made.add_argument("--python", default=os.environ.get("TESSERA_CLIENT_PYTHON", sys.executable))
    made.add_argument("--build", default=os.path.join(ROOT, "build"))
    made.add_argument("--client", help=argparse.SUPPRESS)  # what a process of the client's does
    if devices:
        made.add_argument("--devices", default=devices)
    return made


def parse(made):
    options = made.parse_args()
    options.checkout = os.path.abspath(options.checkout)
    options.examples = os.path.join(options.checkout, "examples")
    return options


def is_missing(options):
    """Says so where Python has no Tilus."""
    needs = "import tilus, torch"
    if subprocess.run([options.python, "-c", needs], capture_output=True).returncode == 0:
        return False
    print("skipped: %s has no Tilus and PyTorch; name one that has with --python" % options.python,
          file=sys.stderr)
    return True


def environment(options, folder):
    """Of a process that begins anew: its files in `folder`, nothing from earlier runs."""
    return {**os.environ, "HOME": folder, "TILUS_CACHE_DIR": folder, "TESSERA_TUNING": "off"}


def run_in_process(options, folder, *arguments, **more):
    """This program once more, by a Python that finds Tessera; nothing takes the place of CUDA."""
    env = {**environment(options, folder), "PYTHONPATH": os.path.join(ROOT, "python"),
           "TESSERA_LIBRARY": os.path.join(options.build, "lib", "libtessera.so"),
           "TESSERA_CACHE": "off"}
    return subprocess.run([options.python, os.path.abspath(sys.argv[0]), *arguments], env=env, text=True,
                          **more)


def under_exec(options, folder, device, *arguments, flags=(), env=None, **more):
    """Python with some arguments, under `tessera exec`."""
    command = [os.path.join(options.build, "bin", "tessera"), "exec", *flags, "--target", device, "--",
               options.python, *arguments]
    return subprocess.run(command, env={**environment(options, folder), **(env or {})}, cwd=folder,
                          capture_output=True, text=True, **more)


def reason(text):
    """The line of an output that says why a program ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "rror: " in line or "Unsupported: " in line]
    return (errors or lines or ["it said nothing"])[-1].replace(ROOT + "/", "")[:160]


# ---- in the client's process --------------------------------------------------------------------


def do_without_pandas():
    """Scripts print tables of times by it."""
    if "pandas" not in sys.modules and importlib.util.find_spec("pandas") is None:
        sys.modules["pandas"] = mock.MagicMock()


def example(options, path):
    """An example as a module."""
    do_without_pandas()
    spec = importlib.util.spec_from_file_location("example", os.path.join(options.examples, path))
    module = sys.modules["example"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
