"""Commands as a report prints them: pasted into a shell, one runs that command and nothing else. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

Option = tuple[str, object]
"""A name with its value; True alone for one that takes none. What has no value ("", None, False) is left out."""

PLAIN_SPACES = re.compile(r"\S++(?: \S++)*+")
"""Reports put a text on one line, and squeeze its spaces."""

CHANGED = re.compile(r"[`\x00-\x1f]|##\w*\[")
"""What reports cannot show as it is: a backtick ends the command, and a runner takes `##[` for a command to itself."""

KEPT = re.compile(rb"[A-Za-z0-9_./:,=+@ -]")


def command_line(words: str, *operands: object, options: Iterable[Option] = ()) -> str:
    """`kbsync WORDS OPERANDS OPTIONS`, quoted for the shell.

    Args:
        words: the command, for example `push` or `ledger show`; ours, and not quoted.
        operands: paths, selectors, numbers. Behind `--` where one could be taken for an option.
        options: as they are given, in this order.
    """
    given = [_option(name, value) for name, value in options if value not in ("", None, False)]
    values = [str(operand) for operand in operands]
    quoted = [quote(value) for value in values]
    if any(value.startswith("-") for value in values):
        return " ".join(["kbsync", words, *given, "--", *quoted])
    return " ".join(["kbsync", words, *quoted, *given])


def _option(name: str, value: object) -> str:
    if value is True:
        return name
    text = str(value)
    return f"{name}{'=' if text.startswith('-') else ' '}{quote(text)}"


def quote(word: str) -> str:
    """One word for the shell. What a screen or a report would change is spelt out in bytes."""
    if CHANGED.search(word) or (word and not (word.isprintable() and PLAIN_SPACES.fullmatch(word))):
        body = word.rstrip("\n")
        # The shell takes line breaks off the end of what a command prints.
        return f"\"$(printf '{_spelt(body)}')\"" + (shlex.quote(word[len(body) :]) if body != word else "")
    # zsh replaces a word like =ls by the path of that program.
    return f"'{word}'" if word.startswith("=") and shlex.quote(word) == word else shlex.quote(word)


def _spelt(text: str) -> str:
    """A text as a format of `printf`, in characters that mean nothing to a shell, to `printf` or to a report."""
    data = text.encode("utf-8", "surrogateescape")
    spelt = (chr(byte) if KEPT.fullmatch(bytes([byte])) else f"\\{byte:03o}" for byte in data)
    shown = re.sub(r"^-", r"\\055", "".join(spelt))
    return re.sub(r"^ | $| (?= )", r"\\040", shown)
