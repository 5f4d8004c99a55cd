"""Clones of one repository whose ledger is a ref of its remote, and a portal for them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kbsync.sandbox import Behaviour, Sandbox
from repo import Repo, a_repo
from soak.remote import Accident, Remote

from .processes import Process, done, ended, kbsync
from .world import PORTAL, a_sandbox, write_config, write_tree


@dataclass(frozen=True)
class Clone:
    """A checkout on some machine, and kbsync in it."""

    repo: Repo

    @property
    def folder(self) -> Path:
        return self.repo.folder

    def start(self, *arguments: str) -> Process:
        return kbsync(self.folder, *arguments)

    def run(self, *arguments: str) -> tuple[int, str]:
        return ended(self.start(*arguments))

    def does(self, *arguments: str) -> str:
        """Run what must end well; what it told."""
        return done(self.start(*arguments))

    def write(self, files: dict[str, str]) -> None:
        """Make the content exactly these files, and let all have them."""
        write_tree(self.folder / "content", files)
        self.repo.commit()
        self.repo.git("push", "--quiet", "origin", "HEAD:main")


@dataclass
class Team:
    """A portal, a bare repository, and as many clones as are asked for."""

    folder: Path
    sandbox: Sandbox
    remote: Remote
    clones: int = 0

    def clone(self) -> Clone:
        """A fresh one, as a CI job has it."""
        self.clones += 1
        return Clone(Repo(self.remote.folder).clone(self.folder / f"clone-{self.clones}"))

    def titles(self) -> list[str]:
        return sorted(article.title for article in self.sandbox.panel.articles(PORTAL))

    @property
    def ref(self) -> str:
        (found,) = self.git("for-each-ref", "--format=%(refname)", "refs/kbsync").split()
        return found

    def git(self, *arguments: str) -> str:
        return Repo(self.remote.folder).git(*arguments)

    def commits(self) -> list[str]:
        """What was committed to the ledger, newest first."""
        return self.git("log", "--format=%s", self.ref).splitlines()

    def killed_at(self, clone: Clone, accident: Accident, number: int, *arguments: str) -> None:
        """A runner that is lost when the remote gets its commit of this number."""
        self.remote.arrange(accident, number)
        process = clone.start(*arguments)
        self.remote.started(process.pid)
        code, told = ended(process)
        assert self.remote.calm() and code == -signal.SIGKILL, told


@contextmanager
def a_team(
    folder: Path, files: dict[str, str], behaviour: Behaviour | None = None, *, removed: str = "delete"
) -> Iterator[Team]:
    """These files in a repository, nothing of them published."""
    with a_sandbox(folder, behaviour) as sandbox:
        remote = Remote(folder / "remote.git")
        remote.make()
        Repo(remote.folder).git("symbolic-ref", "HEAD", "refs/heads/main")
        first = a_repo(folder / "first")
        write_tree(first.folder / "content", files)
        ledger = f'[push]\nremoved = "{removed}"\nmax_removals = "100%"\n[ledger]\nurl = "git:origin"\n'
        write_config(first.folder, sandbox, ledger)
        (first.folder / ".gitignore").write_text(".kbsync/\n", "utf-8")
        first.git("remote", "add", "origin", str(remote.folder))
        first.commit()
        first.git("push", "--quiet", "origin", "HEAD:main")
        yield Team(folder, sandbox, remote)
