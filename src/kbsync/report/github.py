"""Findings, what is held, is live or failed as workflow commands: GitHub shows each beside the line that it is about.

A command is one line, `::error file=…,line=…,col=…,title=…::message`. GitHub shows the first ten errors and the first
ten warnings of a step, and ten notices, so errors come first; the log of the job has them all.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from kbsync.fields import label_of
from kbsync.model import PORTAL_FILE, Action, Change, Finding, Held, Level, Outcome, Plan, Refusal, Unpublished, visible
from kbsync.report.escape import parted
from kbsync.report.value_text import both_texts, moment
from kbsync.report.vocabulary import action_word, reason_of, refused_headline
from kbsync.words import field_names

VALUE_CHARS = 200
"""Characters of a value in an annotation; what differs is shown in any case."""


def findings_annotations(findings: Iterable[Finding], *, root: str) -> str:
    """One line for each finding, errors first.

    Args:
        findings: of the content tree, or of a plan.
        root: the content root as seen from the repository, put before each path.
    """
    return _joined(_finding(finding, root) for finding in _errors_first(findings))


def plan_annotations(plan: Plan, findings: Iterable[Finding], *, root: str) -> str:
    """Why a plan is refused, what it holds, what it warns of, the findings of the tree, and what is live."""
    refused = [_refused(plan.refused)] if plan.refused else []
    live = (_live(change, root) for change in plan.sent if change.live)
    return _joined([*refused, *_problems(plan, findings, root), *_unpublished(plan.unpublished, root), *live])


def push_annotations(plan: Plan, outcomes: Sequence[Outcome], *, root: str) -> str:
    """What failed and what was skipped because of it, what is held, and what the plan warns of."""
    bad = [o for word in ("failed", "skipped") for o in outcomes if o.outcome == word]
    return _joined([*(_outcome(outcome, root) for outcome in bad), *_problems(plan, (), root)])


def _problems(plan: Plan, findings: Iterable[Finding], root: str) -> Iterator[str]:
    yield from (_held(item, root) for item in plan.held)
    yield from (_finding(finding, root) for finding in _errors_first((*plan.warnings, *findings)))


def _errors_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: finding.level != "error")


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding, root: str) -> str:
    place = {"file": _file(finding.path, root), "line": str(finding.line), "col": str(finding.column)}
    return _command(finding.level, place | {"title": finding.code}, finding.message, finding.hint)


def _held(held: Held, root: str) -> str:
    fields = field_names(held.fields)
    message = f"{held.locale}: {held.slug}" + (f": {fields}" if fields else "")
    title = {"title": f"Needs your decision: {reason_of(held)}"}
    return _command("warning", _top_of(held.path, root) | title, message, *_both_sides(held), held.hint)


def _both_sides(held: Held) -> Iterator[str]:
    """The values of what is held, and when the portal's was edited."""
    for field in held.values:
        if field.name != "content":
            theirs, ours = both_texts(field.shown, VALUE_CHARS)
            yield f"{label_of(field.name)} on the portal: {theirs}"
            yield f"{label_of(field.name)} in your file: {ours}"
    if held.edited_s:
        yield f"Last changed on the portal: {moment(held.edited_s)} UTC"


def _refused(refusal: Refusal) -> str:
    return _command("error", {"title": "Plan refused"}, refused_headline(refusal.message), refusal.hint)


def _unpublished(items: Sequence[Unpublished], root: str) -> Iterator[str]:
    for item in items:
        message = "Its file says `status: published`. On the portal it is a draft."
        yield _command("notice", _top_of(item.path, root) | {"title": "Not published"}, message, item.hint)


def _live(change: Change, root: str) -> str:
    # What is removed loses all of them.
    fields = "" if change.action is Action.DELETE else field_names(field.name for field in change.fields)
    message = f"{action_word(change.action)} {change.locale}: {change.slug}" + (f": {fields}" if fields else "")
    title = {"title": "Live: readers see the change immediately"}
    return _command("notice", _top_of(change.path, root) | title, message, "")


def _outcome(outcome: Outcome, root: str) -> str:
    change = outcome.change
    message = f"{change.locale}: {change.slug}: {outcome.error}"
    title = {"title": f"{action_word(change.action)} {outcome.outcome}"}
    return _command("error", _top_of(change.path, root) | title, message, outcome.hint)


def _top_of(path: str, root: str) -> dict[str, str]:
    """The first line of a source; nothing for what has none any more."""
    return {"file": _file(path, root), "line": "1"} if path else {}


def _file(path: str, root: str) -> str:
    # The file of the portal itself is not below the content root.
    return path if path == PORTAL_FILE else posixpath.normpath(posixpath.join(root, path))


def _command(level: Level | Literal["notice"], properties: dict[str, str], *texts: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{'%0A'.join(_lines(*texts))}"


def _lines(*texts: str) -> Iterator[str]:
    """Each text that says anything, on one line."""
    return (_data(" ".join(visible(text).split())) for text in texts if text)


def _data(text: str) -> str:
    """Source: docs.github.com, workflow commands; the runner undoes the same table, with `%25` last.

    Nothing of that spells out `##[`, which another runner takes for a command: a file of that name gets a space in it.
    """
    return parted(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A file name may hold line breaks, and must be the file's name still; what acts on a terminal is taken out."""
    shown = "".join(character if character in "\r\n" else visible(character) for character in text)
    return _data(shown).replace(":", "%3A").replace(",", "%2C")
