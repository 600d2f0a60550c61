#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mpirun.py openmpi|mpich N [VARIABLE=VALUE...] PROGRAM ARGS...: runs a program as N ranks on this machine.

Prints what the ranks wrote, on both outputs, sorted by line, without what mpirun itself says about ranks
that failed. The exit status is 0 when that of mpirun is. It ends what takes more than two minutes.
"""
import os
import re
import signal
import subprocess
import sys

kind, n = sys.argv[1:3]
rest = sys.argv[3:]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_orte_abort_on_non_zero_status="0",
                   OMPI_MCA_mpi_yield_when_idle="1",
                   # The libraries keep memory until the process ends.
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
while re.match(r"\w+=", rest[0]):
    name, value = rest.pop(0).split("=", 1)
    environment[name] = value
launcher = ["mpirun." + kind, "-n", n]
if kind == "mpich":
    launcher[1:1] = ["-disable-auto-cleanup"]  # a rank that dies does not end the others
process = subprocess.Popen(launcher + rest, env=environment, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
try:
    output, _ = process.communicate(timeout=120)
except subprocess.TimeoutExpired:
    os.killpg(process.pid, signal.SIGKILL)
    output = process.communicate()[0] + "mpirun.py: took more than two minutes\n"
output = re.sub(r"(?ms)^-{60,}\n.*?^-{60,}\n", "", output)
output = re.sub(r"(?ms)^=+\n=   BAD TERM.*?^=+\n", "", output)
lines = [line for line in output.splitlines()
         if line.strip() and not re.match(r"\[[\w.-]+:\d+\]|mpirun\.|YOUR APPL|This typically|Please see", line)]
print("\n".join(sorted(lines)))
sys.exit(process.returncode != 0)
