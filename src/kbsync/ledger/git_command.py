"""How the ledger runs git: with settings of its own, without hooks, bounded in time; and what git's words mean.

Credentials, proxies and certificates are git's own affair. What the repository's own `.git/config` names for talking to
a remote is refused: the folder one stands in is not trusted.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from kbsync.errors import ConfigError, LedgerError
from kbsync.files import real_path
from kbsync.git import git_command, git_environment, top_of
from kbsync.jobs import is_ci
from kbsync.model import visible

LIMIT_S = 120.0
"""For one git process; also one that talks to a remote that does not answer."""

SETTINGS = (
    "gc.auto=0",
    "maintenance.auto=false",
    "push.followTags=false",
    "fetch.writeCommitGraph=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    # GitLab Runner turns it on in the clone: the server would name further addresses to read.
    "transfer.bundleURI=false",
    # The ledger shares no commit with the branches: there is nothing to negotiate about.
    "fetch.negotiationAlgorithm=noop",
)

DECIDES = re.compile(r"(?:core|credential|fetch|http|protocol|push|remote|ssh|transfer|uploadpack|url)\..*", re.DOTALL)
"""Settings by which git decides what it runs, and which machine it talks to, when it fetches or pushes."""

HARMLESS = re.compile(
    r"core\.(?:abbrev|attributesfile|autocrlf|bare|bigfilethreshold|checkstat|commentchar|commentstring|commitgraph"
    r"|compression|deltabasecachelimit|editor|eol|excludesfile|filemode|fscache|fsmonitor|fsync|fsyncmethod"
    r"|fsyncobjectfiles|hidedotfiles|hookspath|ignorecase|logallrefupdates|longpaths|loosecompression|multipackindex"
    r"|notesref|packedgitlimit|packedgitwindowsize|pager|precomposeunicode|preloadindex|protecthfs|protectntfs|quotepath"
    r"|repositoryformatversion|safecrlf|sharedrepository|sparsecheckout|sparsecheckoutcone|splitindex|symlinks"
    r"|trustctime|untrackedcache|whitespace|worktree)"
    r"|credential\.(?:.*\.)?(?:interactive|provider|usehttppath|username|validate)"
    r"|fetch\.(?:fsckobjects|output|parallel|prune|prunetags|recursesubmodules|showforcedupdates|unpacklimit"
    r"|writecommitgraph)"
    r"|http\.(?:.*\.)?(?:extraheader|lowspeedlimit|lowspeedtime|maxrequests|postbuffer|sslbackend|sslcainfo|sslcert"
    r"|sslkey|version)"
    r"|protocol\.version|push\.(?:autosetupremote|default|followtags|gpgsign|recursesubmodules|useforceifincludes)"
    r"|remote\.(?:pushdefault|lfsdefault)|remote\..*\.(?:annex-[\w-]+|fetch|followremotehead|gh-resolved|lfsurl"
    r"|partialclonefilter|promisor|prune|prunetags|push|pushurl|puttykeyfile|skipdefaultupdate|skipfetchall|tagopt|url)"
    r"|ssh\.variant|transfer\.(?:bundleuri|fsckobjects|hiderefs|unpacklimit)",
    re.DOTALL,
)
"""Those that a repository's own configuration may have. Programs among them are turned off by `kbsync.git`."""

OF_CHECKOUT = re.compile(
    # actions/checkout with `ssh-key`, src/git-auth-helper.ts.
    r'core\.sshcommand\n"(?:/(?:usr/(?:local/)?)?bin/|[A-Z]:[^"$`/]*\\)ssh(?:\.exe)?" -i "\$RUNNER_TEMP/[\w-]+"'
    r"(?: -o StrictHostKeyChecking=yes -o CheckHostIP=no)?"
    r' -o "UserKnownHostsFile=\$RUNNER_TEMP/[\w-]+"'
    # GitLab Runner, shells/abstract.go.
    r"|credential\.[^\n]*\.helper\n"
    r'!f\(\)\{ if \[ "\$1" = "get" \] ; then echo "password=\$\{CI_JOB_TOKEN\}" ; fi ; \} ; f'
    # Bitbucket Pipelines, as its log of a clone shows.
    r"|http\.https?://bitbucket\.org(?:/[^\n@]*)?\.proxy\nhttp://(?:localhost|host\.docker\.internal):29418/?"
    # The first two: the same machine under another address of it, one that has a token.
    r"|url\.https?://(?:[^/@\n]*@)?(?P<host>[^/@:\n]+)(?P<port>:\d+)?(?:/[^\n@]*)?\.insteadof\n"
    r"(?:https?://(?P=host)(?P=port)?|(?:ssh://)?[\w-]+@(?P=host)(?::\d+)?)(?:[:/][^\n@]*)?",
)
"""What the checkout of a CI service writes besides, setting and value: how it signs in."""

MAX_SHOWN = 200
"""Characters of what git says."""

INTERRUPTED = frozenset(-getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Codes of a git that a signal has ended which also asks kbsync to stop."""

REMOTE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
SIGNS = (
    ("Authentication failed", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("could not read Username", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("Permission denied", "git has no access to it. Check your key, for example by `git fetch {remote}`."),
    ("Permission to", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("error: 403", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("insufficient permission", "Check who may write in that folder."),
    ("unable to create temporary object directory", "Check who may write in that folder."),
    ("remote rejected", "The server refuses this ref. Allow pushes to refs/kbsync/*, or keep the ledger elsewhere."),
    ("does not appear to be a git repository", "Check `git remote -v`."),
    ("No space left", "Free some disk space and run the command again."),
)
"""What git prints, and what to do."""

OTHERWISE = "Check the connection and the repository, and try again."

CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
"""A name and a password in an address. CI services write their tokens there."""


def remote_names(folder: Path, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The remotes of the repository that a folder lies in; none where it lies in none, or git cannot be run."""
    command = git_command(folder, environ)
    if command is None:
        return []
    done = subprocess.run(
        [*command, "remote"], env=git_environment(environ, reads=True), capture_output=True, check=False
    )
    return done.stdout.decode("utf-8", "replace").split() if done.returncode == 0 else []


class Git:
    """Git, in the repository that a folder lies in.

    Args:
        folder: of kbsync.toml.
        environ: what git may need of the environment.

    Raises:
        ConfigError: git is not there.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        command = git_command(folder, environ, *SETTINGS)
        if command is None:
            raise ConfigError("The ledger is in git, and git cannot be run.", hint="Install git.")
        self.command = command
        self.folder = folder
        self.environ = git_environment(environ, reads=False)

    def default_remote(self) -> str:
        """The only remote, or `origin`."""
        found = self.ask_repository("remote").decode("utf-8", "replace").split()
        return found[0] if len(found) == 1 else "origin"

    def check(self, remote: str, ref: str) -> None:
        """Whether this remote and this ref can be used, by what the repository says.

        Raises:
            ConfigError: there is no such remote or ref, or the configuration would run programs.
        """
        known = self.ask_repository("remote").decode("utf-8", "replace").split()
        if remote not in known or not REMOTE_NAME.fullmatch(remote):
            there = f"It has: {', '.join(known)}." if known else "It has none."
            raise ConfigError(
                f"[ledger] url: this repository has no remote `{visible(remote)}`. {there}",
                hint="Write the name of a remote, for example git:origin, or add one with `git remote add`.",
            )
        self._check_programs()
        self._check_address(remote)
        check = [self.command[0], "check-ref-format", ref]
        if not ref.startswith("refs/kbsync/") or subprocess.run(check, env=self.environ, check=False).returncode:
            raise ConfigError(
                f"[ledger] ref: `{visible(ref)}` is not a valid name of a ref.",
                hint="Write one like refs/kbsync/handbook.",
            )

    def _check_programs(self) -> None:
        said = self.ask_repository("config", "--list", "--show-scope", "--show-origin", "-z")
        listed = said.decode("utf-8", "replace").split("\0")
        for scope, origin, setting in zip(listed[::3], listed[1::3], listed[2::3], strict=False):
            key = setting.partition("\n")[0]
            if scope not in {"local", "worktree"} or not DECIDES.fullmatch(key) or HARMLESS.fullmatch(key):
                continue
            if key == "core.sshcommand" and "GIT_SSH_COMMAND" in self.environ:
                continue
            if is_ci(self.environ) and OF_CHECKOUT.fullmatch(setting):
                continue
            shown = shlex.quote(visible(key))
            where = origin.removeprefix("file:")
            option = "" if where.endswith(".git/config") else f"--file {shlex.quote(visible(where))} "
            raise ConfigError(
                f"This repository's own git configuration sets `{visible(key)}`, which decides what git runs or which "
                "machine it contacts.",
                hint=f"If it is yours, move it into your own configuration: `git config --global {shown} VALUE`, then "
                f"`git config {option}--unset-all {shown}`.",
            )

    def _check_address(self, remote: str) -> None:
        """Refuse what may be a stranger's: git runs the hooks of a repository that it pushes to on this machine."""
        top = real_path(top_of(self.folder))
        for option in (("--push",), ()):
            found = self.ask_repository("remote", "get-url", *option, "--all", remote)
            for address in found.decode("utf-8", "surrogateescape").splitlines():
                place = Path(_local_path(address))
                if not place.is_absolute():
                    if ":" in address.partition("/")[0]:
                        continue  # On another machine.
                    raise ConfigError(
                        f"The remote `{remote}` is `{visible(address)}`, a relative path. It may be a stranger's.",
                        hint=f"If it is yours, write its full path: `git remote set-url {remote} /path/to/it`.",
                    )
                # Each step of the way: what lies behind a link in the repository, or in /proc, is whatever it says.
                steps = [Path(os.path.realpath(step)) for step in (place, *place.parents)]
                if any(step.is_relative_to(root) for step in (place, *steps) for root in (top, Path("/proc"))):
                    raise ConfigError(
                        f"The remote `{remote}` is `{visible(address)}`, which lies inside this repository or in "
                        "/proc. It may be a stranger's.",
                        hint="Move that repository out of this one, and run "
                        f"`git remote set-url {remote} /path/to/it`.",
                    )

    def ask_repository(self, *arguments: str) -> bytes:
        """What git says of the repository.

        Raises:
            ConfigError: there is none, or git cannot use it.
        """
        code, out, said = self.run(*arguments)
        if code:
            raise ConfigError(
                f"The ledger is to be in git, but git cannot be used in this folder: {_reason(said)}.",
                hint="Run kbsync in a git repository that has a remote, or set another [ledger] url.",
            )
        return out

    def run_bounded(self, *arguments: str, most: int) -> tuple[int, bytes, bytes]:
        """Code, what git prints, but no more than one byte beyond `most`, and its complaints."""
        return _again_if_interrupted(lambda: self._run_bounded(arguments, most))

    def _run_bounded(self, arguments: Sequence[str], most: int) -> tuple[int, bytes, bytes]:
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen(
                [*self.command, *arguments],
                env=self.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
            ) as process:  # fmt: skip
                assert process.stdout is not None
                alarm = threading.Timer(LIMIT_S, process.kill)
                alarm.start()
                out = process.stdout.read(most + 1)
                if len(out) > most:
                    process.kill()
                process.wait()
                alarm.cancel()
            said.seek(0)
            return (0 if len(out) > most else process.returncode), out, said.read()

    def run(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
        """Code, what git prints, and its complaints."""
        return _again_if_interrupted(lambda: self._run(arguments, given))

    def _run(self, arguments: Sequence[str], given: bytes) -> tuple[int, bytes, bytes]:
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                env=self.environ, input=given, capture_output=True, timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 124, b"", f"fatal: git did not end within {LIMIT_S:g} s".encode()
        except OSError as exc:
            raise LedgerError(
                f"The ledger is in git, and git cannot be run: {exc.strerror}.", hint="Install git."
            ) from exc
        return done.returncode, done.stdout, done.stderr


def _again_if_interrupted(run: Callable[[], tuple[int, bytes, bytes]]) -> tuple[int, bytes, bytes]:
    """Run git, once more where it was ended by a signal that we got too, and finish our work in spite of it.

    Ctrl-C goes to all processes of a terminal. A push then still records what it did, and needs git for that. It cannot
    be kept from git: in a group of its own, ssh could ask for no passphrase. Where we are to end at once, the signal
    raises KeyboardInterrupt here. Every command that the ledger gives may be repeated.
    """
    done = run()
    return run() if done[0] in INTERRUPTED else done


def failure_of(said: bytes, place: str, remote: str) -> LedgerError:
    """What git could not do, as an error with what to do about it."""
    text = said.decode("utf-8", "replace")
    hint = next((words for sign, words in SIGNS if sign in text), OTHERWISE)
    return LedgerError(f"The ledger {place} cannot be used: {_reason(said)}.", hint=hint.replace("{remote}", remote))


def _local_path(address: str) -> str:
    """What git opens for an address of `file://`: it passes over a host, whatever that is. Others stay as they are."""
    if not address.startswith("file://"):
        return address
    _, slash, path = address.removeprefix("file://").partition("/")
    return slash + unquote(path)


def _reason(said: bytes) -> str:
    """Why git failed: the server's own words, then which ref it refused, then what git said last."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    for sign, words in (("remote: ", 0), ("!\t", 2), ("fatal:", 1), ("error:", 1), ("ssh:", 1)):
        told = [line for line in lines if line.startswith(sign) and not line.startswith("error: failed to push")]
        if told:
            parts = (told[0].partition(": ")[2], told[-1].partition(": ")[2], told[-1].rpartition("\t")[2])
            return _shown(parts[words])
    return _shown(lines[-1]) if lines else "it ended early"


def _shown(text: str) -> str:
    return visible(CREDENTIALS.sub("", text)).strip(" .")[:MAX_SHOWN]
