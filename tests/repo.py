"""A git repository around a content tree, for tests of what git history proves."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed here")

OWN = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "Ana Writer" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "ana@example.com" for who in ("AUTHOR", "COMMITTER")},
}


def own_environ() -> dict[str, str]:
    """The environment without what leads git elsewhere, and with somebody who commits."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | OWN


@dataclass
class Repo:
    """A work tree, driven by git's command line without anybody's own settings."""

    folder: Path

    def git(self, *arguments: str, stdin: str | None = None) -> str:
        """What git printed."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=own_environ(),
            input=stdin,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, words: str = "more") -> str:
        """Commit everything; the commit's id."""
        self.git("add", "--all", ".")
        self.git("commit", "--quiet", "--allow-empty", "--message", words)
        return self.git("rev-parse", "HEAD")

    def clone(self, folder: Path, *options: str) -> Repo:
        """Another clone, by the way that a network would take."""
        self.git("clone", "--quiet", *options, self.folder.as_uri(), str(folder))
        return Repo(folder)


def a_repo(folder: Path) -> Repo:
    """A new repository in a folder, which may have files."""
    folder.mkdir(parents=True, exist_ok=True)
    repo = Repo(folder)
    repo.git("init", "--quiet", "--initial-branch", "main")
    return repo
