"""Why an article changes, or does not, in sentences: what differs, since when, and what to do next. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from kbsync.command import Option, command_line
from kbsync.fields import label_of
from kbsync.ledger.values import RunInfo
from kbsync.model import (
    DRAFTS,
    Action,
    Base,
    Change,
    Desired,
    FieldChange,
    Held,
    ItemRef,
    Manage,
    Observed,
    Plan,
    Reason,
    Unpublished,
    Waiting,
    visible,
)
from kbsync.plan.rules import FILE_GONE
from kbsync.report.escape import inert
from kbsync.report.style import Style
from kbsync.report.text import moved_lines, side_lines
from kbsync.report.value_text import as_of_sentence, both_texts, is_body, moment, moving
from kbsync.report.vocabulary import NOUNS, draft_text, reason_of, way_of
from kbsync.words import field_names

SUBJECT_CHARS = 60

WHY: Mapping[Reason, str] = {
    Reason.DRIFT: "It was edited in the panel. Your file still says what was there before.",
    Reason.CONFLICT: "It was edited in the panel, and your file changed too.",
    Reason.GONE: "It was deleted on the portal, and kbsync had published it.",
    Reason.UNKNOWN: "It is not clear which article belongs to this file.",
    Reason.UNSUPPORTED: "This service, or its profile, cannot do that.",
    Reason.LIVE: "Readers see it now, and [push] live says that such articles wait.",
    Reason.STAGED: "Somebody has an edit pending in the panel, which a push would lose.",
    Reason.BEHIND: "It was published from newer files than yours.",
    Reason.FILLED: "It has articles that the run to undo did not create.",
    Reason.UNFINISHED: "Readers see it now, and your file is not written or translated yet.",
}
NO_RECORD = "The two differ, and kbsync has no record of what was agreed on."
OLDER = "The portal has the value of an older version of your file, so the newer one is sent."
STATUS = "Your file asks for another status."
STAGED = {draft: name for name, draft in DRAFTS.items()}
"""What the fields of a staged edit are in a file."""

IS_STAGED = "An edit of it is staged: readers see it after someone publishes it."
IS_PENDING = "Somebody has an edit of it pending in the panel, which a push would not touch."

LIVE = "It is live: readers see the change immediately."


@dataclass(frozen=True, slots=True)
class ValueCommit:
    """The commit with which a value came into a file. An `id` of "" is a change that is not committed."""

    id: str = ""
    author: str = ""
    subject: str = ""
    time_s: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is known of one item.

    Args:
        plan: what a push would do.
        item: how it is named.
        desired: what its file says; None without a file.
        base: what is on record.
        observed: what the portal holds.
        run: the last one that changed it.
        since: by field, the commit that its value came with.
        elsewhere: fields whose value follows from another file than its own.
        git: what git cannot tell, and why; or "".
        is_seen: whether the portal was looked at.
    """

    plan: Plan
    item: ItemRef | Observed
    desired: Desired | None = None
    base: Base | None = None
    observed: Observed | None = None
    run: RunInfo | None = None
    since: Mapping[str, ValueCommit] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    git: str = ""
    is_seen: bool = True

    @property
    def path(self) -> str:
        """Of its file, or of the file that it had."""
        return self.item.path if isinstance(self.item, ItemRef) else ""

    def is_mine(self, item: ItemRef) -> bool:
        """Whether a line of the plan is about it."""
        if self.path and self.path in (item.path, item.was if isinstance(item, Change) else ""):
            return True
        return (item.kind, item.locale, item.slug) == (self.item.kind, self.item.locale, self.item.slug)

    @property
    def changes(self) -> list[Change]:
        return [change for change in self.plan.changes if self.is_mine(change)]

    @property
    def held(self) -> list[Held]:
        return [item for item in self.plan.held if self.is_mine(item)]


def why_text(found: Explanation, style: Style, options: Sequence[Option] = ()) -> str:
    """The explanation, to be read from top to bottom.

    Args:
        found: what is known.
        style: the screen.
        options: without which the next commands would be about another portal.
    """
    lines = [*_head(found, style), *style.wrapped(as_of_sentence(found.plan.as_of), colour="dim"), ""]
    lines += chain.from_iterable(_reasons(found, style))
    known = style.paragraphs(map(visible, (_last_run(found), _on_portal(found), found.git)))
    lines += ["", *known] if known else []
    steps = style.wrapped(_next(found, options))
    lines += ["", *steps] if steps else []
    return inert("\n".join(lines).rstrip("\n") + "\n")


def _head(found: Explanation, style: Style) -> list[str]:
    item, observed = found.item, found.observed
    # There is only one portal, and nobody counts or names it.
    numbered, titled = (None, None) if item.kind == "portal" else (observed or found.base, found.desired or observed)
    number = f"{NOUNS[item.kind]} {numbered.remote_id}" if numbered else ""
    facts = ", ".join(filter(None, (number, observed.status if observed else None)))
    shown = f'  "{titled.title}"' if titled and titled.title else ""
    tail = f"  ({facts})" if facts else ""
    name = found.path or f"{item.locale}/{item.slug}"
    return style.wrapped(visible(f"{name}{shown}{tail}"), hang=2, colour="bold")


# --- why -------------------------------------------------------------------------------------------------------------


def _reasons(found: Explanation, style: Style) -> Iterator[list[str]]:
    """What happens and why, each in some lines."""
    changes = [_change(found, change, style) for change in found.changes if change.action is not Action.ADOPT]
    needed = changes + [_held(found, held, style) for held in found.held]
    yield from needed or [style.wrapped(visible(_unchanged(found)))]
    plan = found.plan
    for kept in filter(found.is_mine, plan.kept):
        fields = field_names(kept.fields)
        yield style.wrapped(f"Differs on the portal, as you decided with `resolve --theirs`: {fields}.")
    later: list[Unpublished | Waiting] = [*plan.unpublished, *plan.waiting]
    yield from map(style.wrapped, map(_not_published, filter(found.is_mine, later)))
    for some, what in ((plan.staged_edits, IS_STAGED), (plan.panel_edits, IS_PENDING)):
        if any(map(found.is_mine, some)):
            yield style.wrapped(what)


def _not_published(item: Unpublished | Waiting) -> str:
    if isinstance(item, Unpublished):
        return "Your file says `status: published`, and the portal has a draft: a push leaves statuses alone."
    parts = [f"until {item.until}" if item.until else "", f"for the release `{item.release}`" if item.release else ""]
    return visible(f"It is published later: it waits {' and '.join(filter(None, parts))}.")


def _unchanged(found: Explanation) -> str:
    desired = found.desired
    if desired is None:
        return _without_file(found)
    if desired.manage is Manage.FALSE:
        return "Nothing changes: its file says `manage: false`, so kbsync leaves it alone."
    if desired.manage is Manage.SEED and found.observed is not None:
        return "Nothing changes: its file says `manage: seed`, so kbsync leaves it alone once it is created."
    if any(change.action is Action.ADOPT for change in found.changes):
        return "Nothing is sent: your file and the portal already match. A push only records that."
    other = "the last push" if found.plan.as_of else "the portal"
    return f"Nothing changes: your file and {other} match."


def _without_file(found: Explanation) -> str:
    noun = NOUNS[found.item.kind]
    for finding in found.plan.warnings:
        if finding.code == FILE_GONE.code and finding.path == found.path:
            return f"Nothing changes: {finding.message[:1].lower()}{finding.message[1:]} {finding.hint}".rstrip()
    if found.base is not None:
        state = "stays on the portal" if found.observed else "is not on the portal any more"
        return f"Nothing changes: its file is gone, and the {noun} {state}."
    return f"Nothing changes: this {noun} is on the portal and not in this repository, so kbsync leaves it alone."


def _change(found: Explanation, change: Change, style: Style) -> list[str]:
    lines = style.wrapped(_what(change), colour="bold")
    if change.was and change.path:
        lines += style.wrapped(visible(f"  Renamed from {change.was}."), hang=2)
    if change.is_removal or change.action is Action.DELETE:
        return lines
    if change.action is Action.CREATE:
        return [*lines, *_since(found, "", style, indent=2)]
    for one in moving(change.fields):
        lines += [*moved_lines(one, style, indent=2, hang=4), *style.wrapped(f"      {_row(found, one)}", hang=2)]
        lines += _since(found, one.name, style)
    return lines


def _what(change: Change) -> str:
    """What a push does with it, in one sentence or two."""
    noun, names = NOUNS[change.kind], [one.name for one in moving(change.fields)]
    live = f" {LIVE}" if change.live else ""
    if change.action is Action.CREATE:
        return f"This {noun} is new: it is not on the portal yet, and a push creates it{draft_text(change)}."
    if change.is_removal:
        return f"Its file is gone, so a push will {change.action.value} it.{live}"
    if change.stages:
        staged = field_names(STAGED.get(name, name) for name in names)
        return f"A push stages {staged}. Readers see it after someone publishes it."
    if way_of(change) == "discard":
        return "A push discards the staged edit."
    if way_of(change) == "publish":
        return f"A push publishes the staged edit.{live}"
    if change.action is not Action.UPDATE:
        return f"A push will {change.action.value} it. {STATUS}{live}"
    return f"A push changes {field_names(names)}.{live}"


def _row(found: Explanation, one: FieldChange) -> str:
    """The row of the decision table, in words."""
    base = found.base
    if one.agreed is not None:
        return "It was edited in the panel, and you asked for your file to replace that."
    if one.name == "status":
        return STATUS
    if one.name in STAGED:
        return "Your file changed it. Readers see this article now, so the edit is staged."
    if one.name in found.elsewhere:
        return "It follows from another file: a link, an image, a category or the order in it."
    if base is None or one.name not in base.fields:
        return OLDER if base is None else "kbsync has not set it before."
    if base.fields[one.name] == one.before:
        return "Your file changed it after the last push. The portal still has what was pushed."
    return OLDER


def _since(found: Explanation, name: str, style: Style, *, indent: int = 6, begin: str = "Since") -> list[str]:
    """The commit that a value came with."""
    since = found.since.get(STAGED.get(name, name))
    if since is None:
        return []
    if not since.id:
        return style.wrapped(f"{' ' * indent}This is not committed yet.")
    subject = since.subject if len(since.subject) <= SUBJECT_CHARS else f"{since.subject[: SUBJECT_CHARS - 1]}…"
    text = f'{begin} commit {since.id} of {moment(since.time_s)} UTC by {since.author}: "{subject}".'
    return style.wrapped(" " * indent + visible(text), hang=2)


def _why(held: Held) -> str:
    """What held it, "" where its hint says all of that: another portal has the slug, or a field is not clear."""
    if held.elsewhere or (held.reason is Reason.UNKNOWN and held.fields):
        return ""
    return NO_RECORD if held.reason is Reason.CONFLICT and not held.has_base else WHY[held.reason]


def _held(found: Explanation, held: Held, style: Style) -> list[str]:
    fields = field_names(held.fields)
    head = f"Needs your decision ({reason_of(held)})" + (f": {fields}." if fields else ".")
    lines = style.wrapped(head, colour="yellow")
    why = _why(held)
    lines += style.wrapped(f"  {why}") if why else []
    for one in held.values:
        if not is_body(one.name) and one.shown[0] != one.shown[1]:
            texts = both_texts(one.shown, max(32, style.width - 26))
            lines += side_lines(label_of(one.name), texts, style, indent=4)
    for name in held.fields:
        lines += _since(found, name, style, indent=2, begin=f"Your file has this {label_of(name)} since")
    return [*lines, *style.wrapped(f"  {visible(held.hint)}", colour="dim")]


# --- what is known of it ---------------------------------------------------------------------------------------------


def _last_run(found: Explanation) -> str:
    run, base = found.run, found.base
    if run is not None:
        by = f" by {run.who}" if run.who else ""
        return f"Last changed by kbsync: run {run.number} of {moment(run.started_at)} UTC{by}."
    if base is not None:
        is_agreed = any(base.fields.values())  # Beyond what is empty on both sides.
        return f"No push has changed it{': it matched when kbsync first compared it' if is_agreed else ''}."
    return "The ledger has no record of it." if found.observed and found.desired else ""


def _on_portal(found: Explanation) -> str:
    observed, base = found.observed, found.base
    if not found.is_seen:
        return ""
    if observed is None:
        return "" if found.desired is None or found.base is None else "It is not on the portal."
    if not observed.updated_at:
        return ""
    when = f"Last changed on the portal: {moment(observed.updated_at)} UTC."
    if base is not None and base.touched_s and observed.updated_at > base.touched_s:
        return f"{when} That was after the last push. The service does not say who it was."
    return when


def _next(found: Explanation, options: Sequence[Option]) -> str:
    if found.plan.as_of is not None or not found.path or found.desired is None:
        return ""

    def run(words: str) -> str:
        return f"`{command_line(words, found.path, options=options)}`"

    if any(change.action is not Action.ADOPT for change in found.changes):
        return f"Run {run('diff')} to see it, and {run('push')} to send it."
    if found.held or found.base is None:
        return ""  # What is held says itself what to do.
    again = command_line("why", found.path, options=[("--history", True), *options])
    return f"Run `{again}` to see what was published when."
