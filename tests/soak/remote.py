"""The bare repository that clones push their ledger to: it can refuse a push, and kill who pushes before or after it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from repo import own_environ

Accident = Literal["refuse", "kill before", "kill after"]

HOOK = """#!/bin/sh
# {when}: `accident` says at which push and what; each accident happens once.
cd "$(dirname "$0")/.." || exit 0
[ -f accident ] || exit 0
read -r left what < accident
{count}
[ "$left" -eq 0 ] || exit 0
case "$what" in
{cases}
esac
exit 0
"""
COUNT = 'left=$((left - 1)); echo "$left $what" > accident'
HIT = "mv accident happened"
KILL = f"until [ -s pid ]; do sleep 0.01; done; {HIT}; kill -9 $(cat pid)"
CASES = {
    "pre-receive": f"  refuse) {HIT}; echo 'not now' >&2; exit 1 ;;\n  kill-before) {KILL}; exit 1 ;;",
    "post-receive": f"  kill-after) {KILL} ;;",
}


@dataclass(frozen=True, slots=True)
class Remote:
    """One bare repository, in a folder."""

    folder: Path

    def make(self, like: Remote | None = None) -> None:
        """A new one, or a copy of another one."""
        if like is not None:
            shutil.copytree(like.folder, self.folder)
            return
        self.folder.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", "--bare", "."], cwd=self.folder, env=own_environ(), check=True)
        for name, cases in CASES.items():
            count = COUNT if name == "pre-receive" else ":"
            hook = self.folder / "hooks" / name
            hook.write_text(HOOK.format(when=name, count=count, cases=cases), "utf-8")
            hook.chmod(0o755)

    def arrange(self, accident: Accident, at: int) -> None:
        """Let this happen at the push of this number, from 1."""
        self.calm()
        (self.folder / "accident").write_text(f"{at} {accident.replace(' ', '-')}\n", "utf-8")

    def started(self, pid: int) -> None:
        """Who is to be killed."""
        (self.folder / "pid").write_text(f"{pid}\n", "utf-8")

    def calm(self) -> bool:
        """Let nothing happen any more; whether something did."""
        happened = (self.folder / "happened").exists()
        for name in ("accident", "happened", "pid"):
            (self.folder / name).unlink(missing_ok=True)
        return happened
