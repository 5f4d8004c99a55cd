"""A folder in which kbsync runs as a process, for tests of whole commands against a portal of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .world import TOKEN


@dataclass(frozen=True)
class Project:
    """A checkout, in which kbsync runs as a process."""

    folder: Path

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "kbsync", *arguments],
            cwd=self.folder,
            env=os.environ | {"KBSYNC_TOKEN": TOKEN, "COLUMNS": "100"} | environ,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def plan(self, **environ: str) -> dict[str, Any]:
        """The summary of a plan."""
        return dict(json.loads(self.run("plan", "--format", "json", **environ).stdout)["summary"])

    def push(self, **environ: str) -> dict[str, Any]:
        """The summary of a push."""
        return dict(json.loads(self.run("push", "--format", "json", **environ).stdout)["summary"])
