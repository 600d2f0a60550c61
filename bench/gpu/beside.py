# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the yardsticks of gpu_check share (torch_attention.py, triton_speed.py): times as gpu_check
takes them, and where the lines go."""
import sys


def timer(torch):
    """A function that says how many microseconds a launch takes: the median of `runs`, three of which
    come before that do not count, the L2 cache being cold."""
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def once(launch):
        flush.fill_(1)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    def median(launch, runs=50):
        times = sorted([once(launch) for _ in range(runs + 3)][3:])
        return (times[(runs - 1) // 2] + times[runs // 2]) / 2
    return median


def put(lines):
    """Prints them; with -o FILE among the arguments they are also put behind what FILE holds."""
    text = "\n".join(lines) + "\n"
    print(text)
    if "-o" in sys.argv[:-1]:
        with open(sys.argv[sys.argv.index("-o") + 1], "a", encoding="utf-8") as file:
            file.write(text)
