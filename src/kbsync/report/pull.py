"""What a pull did, or would do, in words, and the message of the commit that brings it into the repository. Pure.

What people typed in the panel goes into that message, and must do nothing there: no mention, no reference that closes
an issue, and nothing that makes a forge leave out its jobs.

It knows the result by its shape alone: the application is above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Protocol

from kbsync.command import command_line
from kbsync.model import Observed, Target, visible
from kbsync.plan.three_way import lines_of
from kbsync.report.escape import cut_at
from kbsync.report.style import Style, listed
from kbsync.report.vocabulary import NOUNS
from kbsync.words import are, count, field_names


class Edited(Protocol):
    """What moved in a file that was there."""

    before: bytes
    after: bytes
    taken: list[str]
    merged: list[str]
    conflicts: list[str]


class File(Protocol):
    """A file that was written, or would be."""

    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def author(self) -> str: ...
    @property
    def edit(self) -> Edited | None: ...


class Moved(Protocol):
    """What needs a person."""

    @property
    def gone(self) -> Sequence[str]: ...
    @property
    def waiting(self) -> Sequence[str]: ...
    @property
    def staged(self) -> Sequence[Observed]: ...
    @property
    def dropped(self) -> Sequence[Observed]: ...


class Result(Protocol):
    """How a pull went."""

    @property
    def files(self) -> Sequence[File]: ...
    @property
    def left(self) -> Sequence[tuple[str, str]]: ...
    @property
    def found(self) -> Moved: ...
    @property
    def images(self) -> int: ...
    @property
    def left_images(self) -> Sequence[tuple[str, str, str]]: ...
    @property
    def foreign(self) -> Mapping[str, int]: ...
    @property
    def overtaken(self) -> Sequence[str]: ...
    @property
    def forced(self) -> Sequence[str]: ...
    @property
    def undecided(self) -> Sequence[str]: ...
    @property
    def behind(self) -> Mapping[str, str]: ...
    @property
    def is_dry(self) -> bool: ...


def pull_text(pulled: Result, style: Style) -> str:
    """The whole report, each line with its end."""
    more = [*_more(pulled, style)]
    if not pulled.files:
        more = ["No file changes." if more else "Everything is up to date.", *more]
    lines = [*_files(pulled, style), *more, *([] if pulled.is_dry else style.paragraphs(_next(pulled)))]
    return "".join(f"{line}\n" for line in lines)


def _files(pulled: Result, style: Style) -> Iterator[str]:
    edited, new = _edited(pulled), [file for file in pulled.files if file.edit is None]
    have = "now have" if len(edited) > 1 else "now has"
    images = f", with {count(pulled.images, 'image')}" if pulled.images else ""
    get, become = ("would get", "would be") if pulled.is_dry else (have, are(len(new)))
    for files, what, text_of in (
        (edited, f"{get} edits from the panel", what_of),
        (new, f"{become} new{images}", lambda file: visible(file.title)),
    ):
        if files:
            yield style.paint(f"{count(len(files), 'file')} {what}:", "bold")
            yield from _paths(files, style, text_of)


def _edited(pulled: Result) -> list[File]:
    return [file for file in pulled.files if file.edit is not None]


def _paths(files: Sequence[File], style: Style, text_of: Callable[[File], str]) -> Iterator[str]:
    return listed(files, style, lambda file: [f"  {visible(file.path)}  {text_of(file)}"])


def what_of(file: File) -> str:
    """`new`, or what moved in a file: `title; body (both edits, merged)`."""
    if (edit := file.edit) is None:
        return "new"
    parts = [field_names(edit.taken)] if edit.taken else []
    parts += [f"{field_names(edit.merged)} (both edits, merged)"] if edit.merged else []
    parts += [f"{field_names(edit.conflicts)} (two versions, marked)"] if edit.conflicts else []
    return "; ".join(parts)


def _more(pulled: Result, style: Style) -> Iterator[str]:
    yield from _list("could not be put into a file", [f"{name}: {why}." for name, why in pulled.left], style)
    if left := pulled.left_images:
        stay = "stays" if len(left) == 1 else "stay"
        yield from style.wrapped(f"{count(len(left), 'image')} {stay} on the portal only:")
        yield from listed([f"{name} in {path}: {why}." for name, path, why in left], style, _item_lines(style))
    yield from _list("deleted on the portal; your files stay", pulled.found.gone, style)
    yield from _list("not pulled, because it is not clear which article it is", pulled.found.waiting, style)
    yield from _dropped(pulled.found.dropped, style)
    if staged := len(pulled.found.staged):
        text, when = ("has an edit that is", "it is") if staged == 1 else ("have edits that are", "they are")
        yield from style.wrapped(
            f"{count(staged, 'article')} {text} pending in the panel. Pull again when {when} published."
        )
    yield from _list("edited in the panel too, so a push needs your decision", pulled.undecided, style)
    yield from _behind(pulled.behind, style)
    for locale, number in pulled.foreign.items():
        text = f"{count(number, 'article')} in `{visible(locale)}` left out. To pull them, add the locale to [content]"
        yield from style.wrapped(f"{text} locales in kbsync.toml.")
    yield from _list("changed while kbsync was running and left alone", pulled.overtaken, style)
    yield from _list("had uncommitted work and changed all the same", pulled.forced, style)


def _behind(ways: Mapping[str, str], style: Style) -> Iterator[str]:
    """What git has and the portal does not give: an older checkout must not take it for an edit."""
    yield from _list("published from newer files than these", [*ways], style)
    if different := [*dict.fromkeys(ways.values())]:
        more = " Some need something else: `kbsync plan -v` shows it for each." if len(different) > 1 else ""
        yield from style.wrapped(f"{different[0]}{more}")


def _dropped(items: Sequence[Observed], style: Style) -> Iterator[str]:
    for kind, noun in NOUNS.items():
        if number := sum(1 for item in items if item.kind == kind):
            what = (
                f"{count(number, noun)} on the portal {are(number)} left out, because {'its' if number == 1 else 'the'}"
            )
            yield from style.wrapped(
                f"{what} file {'was' if number == 1 else 'of each was'} deleted here. To bring a file back, use git: "
                "`git log --diff-filter=D --name-only` lists them."
            )


def _list(what: str, items: Sequence[str], style: Style) -> Iterator[str]:
    if not items:
        return
    yield f"{len(items):,} {what}:"
    yield from listed(items, style, _item_lines(style))


def _item_lines(style: Style) -> Callable[[str], list[str]]:
    return lambda item: style.wrapped(f"  {visible(item)}", hang=2)


def _next(pulled: Result) -> Iterator[str]:
    edits = [(file.path, file.edit) for file in pulled.files if file.edit is not None]
    if conflicts := sum(bool(edit.conflicts) for _, edit in edits):
        have = "has" if conflicts == 1 else "have"
        yield f"{count(conflicts, 'file')} {have} parts in two versions. {KEEP_ONE}"
    if merged := [(path, names) for path, edit in edits if (names := [*edit.merged, *edit.conflicts])]:
        yield f"To publish what both of you wrote, check these files, then run {_resolve_ours(merged)}."
    if pulled.undecided:
        first, *others = pulled.undecided
        yield f"`{command_line('resolve', first)}` shows both and asks{AND_SO_ON * bool(others)}."


KEEP_ONE = "Keep one of each, and delete the lines with `<<<<<<<`, `=======` and `>>>>>>>`."
AND_SO_ON = " (and so on for the others)"


def _resolve_ours(merged: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The command for files, the first of them, with the fields that were merged in each."""
    # Nothing else is decided along with them: not an edit that is pending in the panel, which nobody has looked at.
    fields = dict.fromkeys(field_names([name]) for _, names in merged[:3] for name in names)
    options = [("--ours", True), *(("--field", name) for name in fields)]
    command = command_line("resolve", *(path for path, _ in merged[:3]), options=options)
    return f"`{command}`{AND_SO_ON if len(merged) > 3 else ''}"


def patch_lines(files: Iterable[File]) -> Iterator[str]:
    """The changes as `git diff` shows them; a new file only by its name."""
    for file in files:
        if file.edit is None:
            yield f"new file: {visible(file.path)}"
            continue
        before, after = (lines_of(text.decode(errors="replace")) for text in (file.edit.before, file.edit.after))
        name = visible(file.path)
        for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
            yield visible(line.rstrip("\r\n"))


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
