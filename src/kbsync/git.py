"""How kbsync calls git: every command line begins here, and nothing of a stranger's repository runs.

A repository may name programs in its settings (hooks, filters, a monitor, a pager), and a folder that git tracks may be
a git repository itself, with settings that a stranger committed. Both are turned off or refused.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from kbsync.children import find_program
from kbsync.errors import ConfigError
from kbsync.files import real_path, working_folder

ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in ("DIR", "WORK_TREE", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR",
                 "NAMESPACE", "PREFIX", "QUARANTINE_PATH", "SHALLOW_FILE", "GRAFT_FILE", "REPLACE_REF_BASE",
                 "CONFIG")
)  # fmt: skip
"""Variables that lead git to another repository: a hook that kbsync runs in may have set them."""

FOR_READING = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
"""What a git that only reads needs of its variables; `safe.directory` may come in GIT_CONFIG_COUNT and its like."""

READING = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}

SETTINGS = (
    # A folder with HEAD, objects and refs is no repository for being called in it: it may have been committed.
    "safe.bareRepository=explicit",
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.pager=cat",
    # Programs for looking at signatures.
    "log.showSignature=false",
    "push.gpgSign=false",
    # A repository inside this one has settings of its own.
    "diff.ignoreSubmodules=all",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
)
"""For every call. External diffs and text conversions have no such setting: no command that may run them is used
without `--no-ext-diff` and `--no-textconv`."""

LIMIT_S = 60
"""Seconds for a call that only reads settings."""


def git_command(folder: Path, environ: Mapping[str, str], *settings: str, program: str = "git") -> list[str] | None:
    """The beginning of a command line: git in a folder, with its repository's programs turned off; None without a git.

    Args:
        folder: the folder that git is called in.
        environ: what git may need of the environment.
        settings: more `NAME=VALUE`.
        program: the git to run.

    Raises:
        ConfigError: git would take the folder, or one around it, for a repository that may have been committed.
    """
    top = check_not_embedded(folder)
    found = find_program(program, environ, outside=(folder, top, working_folder()))
    if found is None:
        return None
    start = [found, "-C", os.fspath(folder), "--no-pager", "--no-replace-objects"]
    return [*start, *(part for setting in (*SETTINGS, *settings) for part in ("-c", setting))]


def without_filters(command: list[str], environ: Mapping[str, str]) -> Iterator[str]:
    """Options that turn off the programs through which a repository sends files.

    For calls that look at files: git runs them for a file that may have changed.

    Args:
        command: what `git_command` gave.
        environ: for git.

    Raises:
        ConfigError: a filter has a name that cannot be turned off.
    """
    done = subprocess.run(
        [*command, "config", "--name-only", "-z", "--get-regexp", r"^filter\."],
        env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        timeout=LIMIT_S, check=False,
    )  # fmt: skip
    names = dict.fromkeys(done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1])
    for driver in dict.fromkeys(name.rpartition(".")[0] for name in names):
        if "=" in driver:
            raise ConfigError(
                f"This repository's git configuration has a filter with `=` in its name ({driver!a}).",
                hint="kbsync cannot turn it off. Rename it, or remove it with `git config --edit`.",
            )
        yield from (part for key in ("clean", "smudge", "process") for part in ("-c", f"{driver}.{key}="))
        yield from ("-c", f"{driver}.required=false")


def top_of(folder: Path) -> Path:
    """The top of the repository that a folder is in, or the folder itself where it is in none."""
    real = real_path(folder)
    return next((place for place in (real, *real.parents) if (place / ".git").exists()), real)


def check_not_embedded(folder: Path) -> Path:
    """Refuse a folder of which git would use what somebody committed as a repository; else the top of its own one.

    Raises:
        ConfigError: the folder, or one between it and the top, has the files of a git directory.
    """
    real = real_path(folder)
    for place in (real, *real.parents):
        if (place / ".git").exists():
            return place
        has_parts = (place / "objects").exists() and (place / "refs").exists()
        if os.path.lexists(place / "HEAD") and (has_parts or (place / "commondir").exists()):
            raise ConfigError(
                f"{place} is itself a git repository: it has HEAD, objects and refs among its files. Whoever wrote "
                "them decides what git runs there.",
                hint="kbsync does not run git in it. Move your files out of that folder, or delete these files.",
            )
    return real


def git_environment(environ: Mapping[str, str], *, reads: bool) -> dict[str, str]:
    """The environment for git, without what leads it elsewhere and without our own secrets. Git asks nothing.

    Args:
        environ: what git may need of it.
        reads: git only reads the repository. It contacts no machine, and of its variables it gets few; a git that
            fetches and pushes gets all others too, for people set there how to sign in.
    """

    def is_kept(name: str) -> bool:
        if name.upper().startswith("KBSYNC_"):
            return False
        return name not in ELSEWHERE and (not reads or not name.startswith("GIT_") or name.startswith(FOR_READING))

    kept = {name: value for name, value in environ.items() if is_kept(name)}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"} | (READING if reads else {})
