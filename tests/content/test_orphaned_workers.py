"""The processes that parse a large tree end with the one that started them, however that ends."""

from __future__ import annotations

import subprocess
import sys

from kbsync.content.tree import PARALLEL_FROM
from patience import GIVE_UP_S

PROGRAM = """
import os, sys
from pathlib import Path
from kbsync.content.tree import read_tree
read_tree(Path(sys.argv[1]), cache=None, workers=2, begun=lambda: os._exit(7))
"""
"""Ends at once, without a word to anybody, when its workers have begun."""


def test_workers_end_with_their_parent_and_hold_no_output_open(tmp_path):
    for number in range(PARALLEL_FROM):
        (tmp_path / f"a{number}.md").write_text("# A\n")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    # Returns when nobody has the output open any more, the workers included.
    done = subprocess.run(command, capture_output=True, timeout=GIVE_UP_S, check=False)
    assert done.returncode == 7, done.stderr
