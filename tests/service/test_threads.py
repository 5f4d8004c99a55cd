"""Answers that several threads read at once: the first ones of a command are of shapes that nobody has read yet."""

from __future__ import annotations

import subprocess
import sys

from patience import GIVE_UP_S

READ_AT_ONCE = """
import sys, threading
import msgspec
from kbsync.service.answers import decode
from kbsync.service.exchange import Answer

sys.setswitchinterval(1e-6)
answer = Answer("GET /x", 200, {}, b'{"rows":[{"f1":1,"f29":"x"}],"one":{"f3":2}}')
for number in range(60):
    row = msgspec.defstruct(f"Row{number}", [(f"f{at}", "int | str | None", None) for at in range(30)], module=__name__)
    globals()[row.__name__] = row
    fields = [("rows", f"list[Row{number}]"), ("one", f"Row{number} | None", None)]
    more = [(f"g{at}", "dict[str, int] | None", None) for at in range(30)]
    shape = msgspec.defstruct(f"Shape{number}", [*fields, *more], module=__name__)
    together = threading.Barrier(8)

    def read():
        together.wait()
        assert decode(answer, shape).rows[0].f29 == "x"

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("done")
"""


def test_threads_that_read_a_shape_for_the_first_time_at_once_do_not_crash():
    # In a process of its own: what went wrong ended the process.
    command = [sys.executable, "-c", READ_AT_ONCE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GIVE_UP_S, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
