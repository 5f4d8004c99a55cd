"""The message of the commit that brings panel edits into the repository. Pure.

What people typed in the panel goes into it, and must do nothing there: no mention, no reference that closes an issue,
and nothing that makes a forge leave out its jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kbsync.model import Target, visible
from kbsync.report.escape import cut_at
from kbsync.report.pull import File, Result, what_of
from kbsync.words import count

SUBJECT = "Edits from the panel"
MOST_FILES = 200
LINE_CHARS = 120

SKIPS = re.compile(r"\[([^\[\]]*\b(?:skip|ci|no)\b[^\[\]]*)\]", re.IGNORECASE)
"""`[skip ci]` and the like, anywhere in a message. Source: docs.github.com, Skipping workflow runs."""

REFERENCES = re.compile(r"(?<!\w)@(?=\w)|[#!](?=\d)|\bGH(?=-\d)|:(?=//)|#(?=#\w*\[)", re.IGNORECASE)
"""What a forge makes a mention of, or a reference to an issue, which may close it; what a runner makes a command of."""

NO_WIDTH = "\u200b"

ABOUT_AUTHORS = "The service says who is the author of an article, and not who edited it last."


def pull_message(pulled: Result, target: Target) -> str:
    """What was pulled: the numbers, then every article with its title, what moved, and its author in the panel."""
    files = [file for file in pulled.files if file.path not in pulled.overtaken]
    listed = [line for file in files[:MOST_FILES] for line in _file_lines(file)]
    if len(files) > MOST_FILES:
        listed.append(f"… and {len(files) - MOST_FILES:,} more")
    last = [f"From the portal {visible(target.portal)} {visible(target.place)}."]
    if any(file.author for file in files[:MOST_FILES]):
        last.insert(0, ABOUT_AUTHORS)
    return "\n\n".join(part for part in (_subject(files), "\n".join(listed), "\n".join(last)) if part) + "\n"


def inert_words(text: str) -> str:
    """A text of the panel on one line, which a forge shows and does nothing else with."""
    line = cut_at(" ".join(visible(text).split()), LINE_CHARS)
    return REFERENCES.sub(lambda found: f"{found[0]}{NO_WIDTH}", SKIPS.sub(r"(\1)", line))


def _subject(files: Sequence[File]) -> str:
    edited = sum(1 for file in files if file.edit is not None)
    conflicts = sum(1 for file in files if file.edit is not None and file.edit.conflicts)
    parts = [f"{count(edited, 'file')} changed"] if edited else []
    parts += [f"{count(new, 'new file')}"] if (new := len(files) - edited) else []
    parts += [f"{conflicts:,} in two versions"] if conflicts else []
    return f"{SUBJECT}: {', '.join(parts)}" if parts else SUBJECT


def _file_lines(file: File) -> Iterator[str]:
    yield f"{inert_words(file.path)}: {what_of(file)}"
    if file.title:
        yield f"    {inert_words(file.title)}"
    if file.author:
        yield f"    Author in the panel: {inert_words(file.author)}"
