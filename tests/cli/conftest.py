"""A project in an empty folder, a portal on loopback, and kbsync as its users run it: as a process."""

import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from builders import write_files
from commands import Done, run_here
from in_process import in_process
from kbsync.app.consent import Consent
from kbsync.app.session import Session
from kbsync.sandbox import Behaviour, PortalSetup, Sandbox, Setup, UserSetup, running
from patience import GIVE_UP_S
from repo import Repo, a_repo

__all__ = ["in_process"]

TOKEN = "admin-token-0001"

SETUP = Setup(
    portals=(PortalSetup("handbook", "Handbook", ("en", "fr"), "en"), PortalSetup("other", "Other", ("en",), "en")),
    users=(
        UserSetup(1, "Ada Admin", "ada@example.com", "administrator", TOKEN),
        UserSetup(2, "Bob Agent", "bob@example.com", "agent", "agent-token-0002"),
    ),
)


@dataclass
class Project:
    """A folder with kbsync.toml and a content tree."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, text: str) -> Path:
        """Write a file, making its folders."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
        return file

    def read(self, path: str) -> str:
        """What a file has, line ends as they are."""
        return (self.folder / path).read_bytes().decode()

    def config(self, text: str) -> None:
        self.write("kbsync.toml", text)

    def configure(self, more: str) -> None:
        """Add lines to kbsync.toml."""
        self.config(self.read("kbsync.toml") + more)

    def commit(self, files: Mapping[str, str] = {}, words: str = "As it is") -> str:
        """Write these files and commit all that changed, in a new repository if there is none; the commit's id."""
        write_files(self.folder, files)
        return a_repo(self.folder).commit(words)

    def push(self, files: Mapping[str, str] = {}, *options: str, **environ: str) -> Done:
        """Write these files and push; all goes well."""
        write_files(self.folder, files)
        done = self.run("push", *options, **environ)
        assert done.code == 0, done
        return done

    def git(self, *arguments: str) -> str:
        """Run git there, as a person who has a name."""
        return Repo(self.folder).git(*arguments)

    def files(self) -> dict[str, bytes]:
        """Every file of the content folder."""
        root = self.folder / "content"
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def clear(self) -> None:
        """Have no content any more."""
        shutil.rmtree(self.folder / "content")
        (self.folder / "content").mkdir()

    def forget_ledger(self) -> None:
        """Be a clone that has no ledger."""
        for path in (self.folder / ".kbsync").glob("ledger*"):
            path.unlink()

    def run(self, *arguments: str, cwd: str = ".", **environ: str) -> Done:
        """Run kbsync there, without a terminal and without other people's settings."""
        return run_here(arguments, folder=self.folder / cwd, environ=self._environment(environ))

    def _environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KBSYNC_")}
        return clean | {"COLUMNS": "100"} | self.environ | environ

    def run_alone(self, *arguments: str, cwd: str = ".", **environ: str) -> Done:
        """The same as a process of its own, for what is about processes."""
        done = subprocess.run(
            [sys.executable, "-m", "kbsync", *arguments],
            cwd=self.folder / cwd,
            env=self._environment(environ),
            capture_output=True, text=True, encoding="utf-8", timeout=GIVE_UP_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[Any]:
        """The same, and do not wait for its end; the options are those of `Popen`."""
        found = {"cwd": self.folder, "env": self._environment({"TERM": "xterm"}), "stdin": subprocess.DEVNULL} | options
        return subprocess.Popen([sys.executable, "-m", "kbsync", *arguments], **found)

    @contextmanager
    def running(self, *arguments: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
        """The same while the block lasts; it ends by Ctrl-C, without a word of trouble."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        process = replace(self, environ=self.environ | environ).start(*arguments, **pipes)
        try:
            yield process
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=GIVE_UP_S)
            assert (process.returncode, "Traceback" in err) == (0, False), err
        finally:
            process.kill()
            process.communicate()

    @property
    def seal_key(self) -> bytes:
        """What this clone seals with."""
        session = Session(config=self.folder / "kbsync.toml")
        return Consent(session.read_settings(), session).seal_key()

    def on_a_terminal(self, typed: str, *words: str, **environ: str) -> tuple[int, str]:
        """Run kbsync with a person at the keyboard; exit code and everything that it said."""
        ours, theirs = pty.openpty()
        os.write(ours, typed.encode())
        process = self.start(*words, env=self._environment(environ), stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        with suppress(OSError):  # The other end is closed: it has ended.
            while piece := os.read(ours, 4096):
                said += piece
        os.close(ours)
        return process.wait(timeout=GIVE_UP_S), said.decode()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two categories, three articles, and the embedded sandbox as their portal."""
    found = Project(tmp_path)
    found.config('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n')
    found.write("content/en/billing/_category.md", "---\nname: Billing\n---\n")
    found.write("content/fr/billing/_category.md", "---\nname: Facturation\n---\n")
    found.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md).\n")
    found.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\nText.\n")
    found.write("content/fr/billing/refunds.md", "---\ntitle: Rembourser\nlint_ignore: [KB60]\n---\nTexte.\n")
    return found


@pytest.fixture
def portal(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A portal that other processes can reach; its parameter, if any, is how it behaves."""
    behaviour = getattr(request, "param", Behaviour())
    with running(tmp_path_factory.mktemp("portal") / "sandbox.db", SETUP, behaviour) as sandbox:
        yield sandbox


@pytest.fixture
def asked(portal: Sandbox) -> Iterator[httpx.Client]:
    """Another client of the service."""
    with httpx.Client(base_url=f"{portal.base_url}/api/v1/accounts/1/", headers={"api_access_token": TOKEN}) as found:
        yield found


@pytest.fixture
def remote(project: Project, portal: Sandbox) -> Project:
    """The project, with the portal as its service, over HTTP and with a token."""
    project.config(f'[service]\nbase_url = "{portal.base_url}"\n[pace]\nrequests_per_minute = 60000\n')
    project.environ |= {"KBSYNC_TOKEN": TOKEN, "KBSYNC_SERVICE__TIMEOUT_S": str(GIVE_UP_S)}
    return project


@pytest.fixture
def pushed(remote: Project) -> Project:
    """The same, after its first push."""
    remote.push()
    return remote


@pytest.fixture
def shared(remote: Project) -> Project:
    """The project in git, committed and pushed."""
    remote.commit({".gitignore": ".kbsync/\n"})
    remote.push()
    return remote
