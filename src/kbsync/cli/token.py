"""The token: from `--token-file`, KBSYNC_TOKEN or `[service] token_command`, in this order, never from kbsync.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kbsync.config import Settings
from kbsync.errors import ConfigError

COMMAND_TIMEOUT_S = 60


def read_token(
    settings: Settings, *, token_file: Path | None, environ: Mapping[str, str], allow: Callable[[], None]
) -> str:
    """The token, without surrounding white space.

    `allow` is called before a program runs, and raises where it may not.

    Raises:
        ConfigError: there is none, or it cannot be a header's value.
    """
    if token_file is not None:
        source, token = f"--token-file {token_file}", _from_file(token_file)
    elif environ.get("KBSYNC_TOKEN"):
        source, token = "KBSYNC_TOKEN", environ["KBSYNC_TOKEN"]
    elif settings.service.token_command:
        allow()
        source, token = "[service] token_command", _from_command(settings)
    else:
        raise ConfigError(
            "no token: the service does not answer without one",
            hint="set KBSYNC_TOKEN (Profile settings > Access token in the panel), or give --token-file FILE",
        )
    token = token.strip()
    # The token itself is not shown, not even when it is the thing that is wrong.
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(f"{source}: expected one line of plain letters and digits", hint="copy the token again")
    return token


def _from_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"--token-file {path}: cannot be read: {type(exc).__name__}") from exc


def _from_command(settings: Settings) -> str:
    # Loaded here: most tokens come out of the environment.
    import shlex
    import subprocess

    command = settings.service.token_command
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as exc:
        raise ConfigError(f"[service] token_command: {exc}", hint="close the quotation, or write a list") from exc
    if not words:
        raise ConfigError("[service] token_command is blank", hint="name a program that prints the token")
    try:
        done = subprocess.run(words, cwd=settings.folder, stdout=subprocess.PIPE, timeout=COMMAND_TIMEOUT_S, check=True)
    except FileNotFoundError as exc:
        raise ConfigError(f"[service] token_command: there is no program `{words[0]}`") from exc
    except OSError as exc:
        raise ConfigError(f"[service] token_command: `{words[0]}` cannot be run: {exc.strerror}") from exc
    except subprocess.CalledProcessError as exc:
        raise ConfigError(f"[service] token_command: `{words[0]}` ended with exit code {exc.returncode}") from exc
    except subprocess.TimeoutExpired as exc:
        raise ConfigError(f"[service] token_command: no answer within {COMMAND_TIMEOUT_S} s") from exc
    # What is no text is refused with the rest of what cannot be a token.
    return done.stdout.decode(errors="replace")
