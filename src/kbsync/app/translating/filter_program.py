"""The program of `kbsync translate --with`: JSON on stdin, Markdown on stdout, bounded in time and size.

It is named on the command line only, never in kbsync.toml: a stranger's repository cannot make kbsync run anything.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import msgspec

from kbsync.children import find_program
from kbsync.errors import UsageError
from kbsync.model import visible
from kbsync.service.deadline import within

LIMIT_S = 300.0
"""Seconds for one article: a language model takes one or two minutes for a long one."""

MAX_BYTES = 1_000_000


class ProgramFailed(Exception):
    """The program gave no translation; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its arguments, found once."""

    words: tuple[str, ...]
    limit_s: float = LIMIT_S

    @classmethod
    def of(cls, command: str) -> Program:
        """The program that a person wrote. No shell reads it.

        Raises:
            UsageError: there is no such program.
        """
        try:
            words = shlex.split(command)
        except ValueError as exc:
            raise UsageError(f"--with: {exc}.", hint="Close the quotation.") from exc
        found = find_program(words[0], os.environ, outside=()) if words else None
        if found is None or not Path(found).is_file():
            name = words[0] if words else ""
            raise UsageError(f"--with: The program `{name}` does not exist.", hint="Name a program, and its arguments.")
        return cls((found, *words[1:]))

    def run(self, given: msgspec.Struct) -> bytes:
        """What the program prints for one article.

        Raises:
            ProgramFailed: it ended with an error, took too long or printed too much.
        """
        # Files and no pipes for what goes in and for complaints: then neither side waits for the other.
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.write(msgspec.json.encode(given) + b"\n")
            stdin.seek(0)
            try:
                child = subprocess.Popen(
                    self.words, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=_without_secrets()
                )
            except OSError as exc:
                raise ProgramFailed(f"The program cannot be run: {exc.strerror}.") from exc
            assert child.stdout is not None
            try:
                said = within(self.limit_s, partial(child.stdout.read, MAX_BYTES + 1))
                if len(said) > MAX_BYTES:
                    raise ProgramFailed(f"The program printed more than {MAX_BYTES:,} bytes.")
                code = child.wait(self.limit_s)
            except (TimeoutError, subprocess.TimeoutExpired) as exc:
                raise ProgramFailed(f"The program gave no answer within {self.limit_s:g} s.") from exc
            finally:
                child.kill()
                child.wait()
                child.stdout.close()
            if code:
                raise ProgramFailed(f"The program failed with exit code {code}{_complaint(stderr)}.")
            return said


def _complaint(stderr: IO[bytes]) -> str:
    stderr.seek(0)
    lines = stderr.read(MAX_BYTES).decode("utf-8", "replace").strip().splitlines()
    return f": {visible(lines[-1])[:200].rstrip('.')}" if lines else ""


def _without_secrets() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("KBSYNC_")}
