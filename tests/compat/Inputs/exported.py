# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which symbols of the first library the second does not export."""
import os
import re
import subprocess
import sys


def exported(path):
    text = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


# Libraries of graphics, and what the runtime's own parts call between them.
OTHERS = re.compile(r"cuda(GL|EGL|VDPAU|Graphics(GL|EGL|VDPAU)|GraphicsResourceGetMappedEgl|EventCreateFromEGL)|"
                    r"__cuda(GetProcAddress|RegisterUnifiedTable)")
if not os.path.exists(sys.argv[1]):
    print("nothing is missing: there is no library to compare with")
    sys.exit()
missing = sorted(s for s in exported(sys.argv[1]) - exported(sys.argv[2]) if not OTHERS.match(s))
print("missing: " + " ".join(missing) if missing else "nothing is missing")
