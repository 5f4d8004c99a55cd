"""`kbsync lint --fix`: what can be mended safely is written into the sources; `--diff` only shows it."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from kbsync.cli.screen import Options, relative, say
from kbsync.content.body import raw_digest
from kbsync.content.tree import Tree
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ExitCode
from kbsync.files import read_within, write_whole
from kbsync.model import Finding, visible

Fix = Callable[[str, bytes, Collection[str]], bytes]
"""What mends the bytes of a source, given its path and the codes; the same bytes where there is nothing to mend."""


@dataclass(frozen=True, slots=True)
class Mended:
    """One file that can be mended: where it really lies, and its bytes before and after."""

    path: str
    place: Path
    before: bytes
    after: bytes


def show_mending(tree: Tree, findings: Iterable[Finding], fix: Fix) -> int:
    """Print what would be mended, as a patch."""
    for mended in _mended(tree, findings, fix):
        name = visible(relative(tree.root / mended.path))
        before, after = (_lines(data) for data in (mended.before, mended.after))
        for line in difflib.unified_diff(before, after, name, name):
            text = line.removesuffix("\n")
            click.echo(visible(text) if sys.stdout.isatty() else text)
            if text == line:
                click.echo("\\ No newline at end of file")
    return ExitCode.DONE


def _lines(data: bytes) -> list[str]:
    """Lines as a patch has them, each with its end: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(errors="replace"))


def mend(tree: Tree, findings: Iterable[Finding], fix: Fix, options: Options) -> bool:
    """Write what is mended, each file whole or not at all, and tell it; whether one could not be written."""
    failed = False
    for mended in _mended(tree, findings, fix):
        name = visible(relative(tree.root / mended.path))
        try:
            if read_within(mended.place, MAX_SOURCE_BYTES) != mended.before:
                raise OSError(None, "it changed while kbsync was at work; run the command again")
            write_whole(mended.place, mended.after)
        except OSError as exc:
            failed = True
            say(f"kbsync: {name}: not mended: {exc.strerror}", err=True)
        else:
            options.note(f"mended {name}")
    return failed


def _mended(tree: Tree, findings: Iterable[Finding], fix: Fix) -> Iterator[Mended]:
    """The files with something to mend. One that has two names is mended once, and none outside the root."""
    root, seen = tree.root.resolve(), set()
    codes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.fixable:
            codes.setdefault(finding.path, set()).add(finding.code)
    for path, wanted in codes.items():
        place = (tree.root / path).resolve()
        if path not in tree.sources or place in seen or not place.is_relative_to(root):
            continue
        seen.add(place)
        try:
            data = read_within(place, MAX_SOURCE_BYTES)
        except OSError:
            # Reading it again says so, as a finding.
            continue
        # What was found is about the bytes that were read; others need another look first.
        if raw_digest(data) == tree.sources[path].raw_digest and (after := fix(path, data, wanted)) != data:
            yield Mended(path, place, data, after)
