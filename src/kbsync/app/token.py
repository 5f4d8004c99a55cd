"""The token: from `--token-file`, KBSYNC_TOKEN, KBSYNC_TOKEN_FILE or `[service] token_command`, in this order.

It is never in kbsync.toml. Where both variables are set, KBSYNC_TOKEN counts: the file is then not opened.
"""

from __future__ import annotations

import errno
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from kbsync.children import find_program
from kbsync.config import Settings
from kbsync.errors import ConfigError
from kbsync.service.deadline import within

TOKEN = "KBSYNC_TOKEN"
TOKEN_FILE = "KBSYNC_TOKEN_FILE"
"""The path of a file with the token, as containers and services of systemd have it."""

COMMAND_TIMEOUT_S = 60

MAX_TOKEN_BYTES = 4_096
"""What a file or a program may say; a token has some dozens of letters."""


def read_token(
    settings: Settings, *, token_file: Path | None, environ: Mapping[str, str], allow: Callable[[], None]
) -> str:
    """The token, without surrounding white space.

    `allow` is called before a program runs, and raises where it may not.

    Raises:
        ConfigError: no token, or one that cannot be a header's value.
    """
    if token_file is not None:
        source = f"--token-file {token_file}"
        token = _from_file(token_file, source)
    elif environ.get(TOKEN):
        source, token = TOKEN, environ[TOKEN]
    elif environ.get(TOKEN_FILE):
        source = f"{TOKEN_FILE}={environ[TOKEN_FILE]}"
        token = _from_file(Path(environ[TOKEN_FILE]), source)
    elif settings.service.token_command:
        allow()
        source, token = "[service] token_command", _from_command(settings, environ)
    else:
        raise ConfigError(
            "There is no token. The service needs one.",
            hint="Set KBSYNC_TOKEN (in the panel: Profile settings > Access token), or add `--token-file FILE`.",
        )
    token = token.strip()
    # The token itself is not shown, not even when it is the thing that is wrong.
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(f"{source}: expected one line of plain letters and digits.", hint="Copy the token again.")
    return token


def is_given(token_file: Path | None, environ: Mapping[str, str]) -> bool:
    """Whether the token is at hand without running a program."""
    return bool(token_file or environ.get(TOKEN) or environ.get(TOKEN_FILE))


def _from_file(path: Path, source: str) -> str:
    try:
        with path.open("rb") as file:  # It may be a pipe: `--token-file <(pass show kbsync)`.
            data = file.read(MAX_TOKEN_BYTES + 1)
        if len(data) > MAX_TOKEN_BYTES:
            raise OSError(errno.EFBIG, "it is too long for a token", str(path))
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else "it is not text"
        raise ConfigError(f"{source} cannot be read: {reason}.", hint="Check the path and its permissions.") from exc


def _from_command(settings: Settings, environ: Mapping[str, str]) -> str:
    command = settings.service.token_command
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as exc:
        raise ConfigError(f"[service] token_command: {exc}.", hint="Close the quotation, or write a list.") from exc
    if not words:
        raise ConfigError("[service] token_command is empty.", hint="Name a program that prints the token.")
    # With a `.` in PATH any file of the folder could be the program; a path from there is what somebody wrote.
    program = words[0] if Path(words[0]).name != words[0] else find_program(words[0], environ, outside=())
    if program is None:
        raise ConfigError(f"[service] token_command: The program `{words[0]}` does not exist.")
    said = _output_of([program, *words[1:]], settings.folder, f"[service] token_command: `{words[0]}`")
    # What is not text is refused below, like everything else that cannot be a token.
    return said.decode(errors="replace")


def _output_of(words: Sequence[str], folder: Path, name: str) -> bytes:
    """What a program prints, up to a limit of bytes and of time."""
    try:
        child = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE)
    except FileNotFoundError as exc:
        raise ConfigError(f"[service] token_command: The program `{words[0]}` does not exist.") from exc
    except OSError as exc:
        raise ConfigError(f"{name} cannot be run: {exc.strerror}.") from exc
    assert child.stdout is not None
    try:
        said = within(COMMAND_TIMEOUT_S, partial(child.stdout.read, MAX_TOKEN_BYTES + 1))
        child.stdout.close()
        if len(said) > MAX_TOKEN_BYTES:
            raise ConfigError(f"{name} printed more than {MAX_TOKEN_BYTES:,} bytes.", hint="Print only the token.")
        code = child.wait(COMMAND_TIMEOUT_S)
    except (TimeoutError, subprocess.TimeoutExpired) as exc:
        raise ConfigError(f"[service] token_command: No answer within {COMMAND_TIMEOUT_S} s.") from exc
    finally:
        child.kill()
        child.wait()
    if code:
        raise ConfigError(f"{name} failed with exit code {code}.")
    return said
