"""The words that reports use for kinds, actions and reasons. JSON keeps the names of `model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kbsync.markdown.versions import NEWEST, OBSERVED, Version
from kbsync.model import DRAFTS, Action, Change, Held, Kind, Observed, Plan, Reason
from kbsync.plan.assembled import TOGETHER
from kbsync.words import are, count

NOUNS: Mapping[Kind, str] = {"asset": "image", "category": "category", "article": "article", "portal": "portal"}


def counted(number: int, kind: Kind) -> str:
    """`3 articles`. There is only one portal, and nobody counts it."""
    return "the portal" if kind == "portal" else count(number, NOUNS[kind])


PAST = {
    Action.CREATE: "created",
    Action.ADOPT: "already matched",
    Action.UPDATE: "updated",
    Action.PUBLISH: "published",
    Action.UNPUBLISH: "unpublished",
    Action.ARCHIVE: "archived",
    Action.DELETE: "deleted",
    Action.UPLOAD: "uploaded",
}

REASONS: Mapping[Reason, str] = {
    Reason.DRIFT: "edited in the panel",
    Reason.CONFLICT: "edited in both places",
    Reason.GONE: "deleted on the portal",
    Reason.UNKNOWN: "not clear",
    Reason.UNSUPPORTED: "not possible with this profile",
    Reason.LIVE: "readers see it now",
    Reason.STAGED: "edit pending in the panel",
    Reason.BEHIND: "published from newer files",
    Reason.FILLED: "has other articles",
    Reason.UNFINISHED: "not written or translated yet",
}
"""Why something needs a decision."""


def version_note(version: str) -> str:
    """What to know of a version that is beyond all that kbsync was tested with; "" for any other one."""
    found = Version.or_newest(version)
    if found > NEWEST:
        return f"Version {found} of the service is newer than kbsync knows. kbsync takes it for {NEWEST}."
    if found < OBSERVED[0]:
        return f"Version {found} of the service is older than kbsync knows. kbsync takes it for {OBSERVED[0]}."
    return ""


def reason_of(item: Held) -> str:
    """Why this needs a decision. Where the two sides never agreed, as far as kbsync knows, either may have moved."""
    if item.elsewhere:
        return "belongs to another portal"
    if item.by_run:
        return f"changed by run {item.by_run}"
    if item.needs:
        return f"needs version {item.needs} or newer"
    if item.reason is Reason.DRIFT and item.fields and set(item.fields) <= set(DRAFTS.values()):
        return "staged edit discarded in the panel"
    if item.reason is Reason.CONFLICT and not item.has_base:
        return "differs on the portal"
    return REASONS[item.reason]


def way_of(change: Change) -> str:
    """What an update does to a staged edit, and to nothing else; "" for any other change."""
    if change.stages:
        return "stage"
    if change.discards_staged:
        return "discard"
    return "publish" if change.publishes_staged and change.action is Action.UPDATE else ""


def by_action(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes by what they do to which kind."""
    groups: dict[tuple[Action, Kind, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.action, change.kind, way_of(change)), []).append(change)
    return list(groups.values())


def draft_text(change: Change, number: int = 1) -> str:
    """What a new article is on the portal: ` as a draft`, ` as drafts`; "" for any other change."""
    if change.action is not Action.CREATE or change.kind != "article":
        return ""
    return " as a draft" if number == 1 else " as drafts"


STAGED_VERBS = {
    "stage": "Stage edits of",
    "discard": "Discard the staged edits of",
    "publish": "Publish the staged edits of",
}
STAGED_PAST = {"stage": "staged", "discard": "without a staged edit again", "publish": "published from staged edits"}
"""By `way_of`: what a plan says before the number of articles, and what a push says after it."""


def staged_sentence(number: int) -> str:
    """`2 will be staged: readers see them after someone publishes them.`"""
    it = "it" if number == 1 else "them"
    return f"{number:,} will be staged: readers see {it} after someone publishes {it}."


def staged_before_sentence(number: int) -> str:
    """`2 articles are staged: readers see them after someone publishes them.`"""
    it = "it" if number == 1 else "them"
    edits = "1 staged edit waits" if number == 1 else f"{number:,} staged edits wait"
    return f"{edits} for publication: readers see {it} after someone publishes {it}."


def panel_edits_sentence(number: int) -> str:
    """`1 edit is pending in the panel, and a push would not touch it.`"""
    it = "it" if number == 1 else "them"
    return f"{count(number, 'edit')} {are(number)} pending in the panel, and a push would not touch {it}."


def action_word(action: Action) -> str:
    return "already match" if action is Action.ADOPT else action.value


def live_sentence(number: int) -> str:
    """`1 is live: readers see the change immediately.`"""
    return f"{number:,} {are(number)} live: readers see the change immediately."


def need(number: int) -> str:
    """`1 needs your decision`, `2 need your decision`."""
    return f"{number:,} {'needs' if number == 1 else 'need'} your decision"


def idle_sentence(plan: Plan) -> str:
    """What to say of a plan with nothing to do, without its full stop."""
    seen = (plan.unchanged, plan.kept, plan.waiting, plan.staged_edits, plan.panel_edits, plan.unpublished)
    return "Everything is up to date" if any(seen) else "There are no articles in your files"


def already_sentence(found: Plan | Sequence[Change]) -> str:
    """`2 categories and 66 articles already match.`; "" where nothing was adopted."""
    changes = found.changes if isinstance(found, Plan) else found
    kinds = [change.kind for change in changes if change.action is Action.ADOPT]
    parts = " and ".join(count(kinds.count(kind), noun) for kind, noun in NOUNS.items() if kind in kinds)
    return f"{parts} already {'matches' if len(kinds) == 1 else 'match'}." if kinds else ""


def together_text(changes: Sequence[Change]) -> str:
    """`, together`; and in how many requests, where these are more than one."""
    number = sum(change.together for change in changes)
    if number < 2:
        return ""
    some = f"{number:,} of them " if number < len(changes) else ""
    parts = -(-number // TOGETHER)
    return f", {some}together" + (f" ({parts} groups of up to {TOGETHER}, one after the other)" if parts > 1 else "")


def refused_headline(message: str) -> str:
    return f"Refused, nothing will be sent. {message}"


def others_sentence(items: Sequence[Observed]) -> str:
    """What the portal has beside these files."""
    numbers = ((noun, sum(1 for item in items if item.kind == kind)) for kind, noun in NOUNS.items())
    parts = " and ".join(count(number, f"other {noun}") for noun, number in numbers if number)
    return f"{parts} on the portal {are(len(items))} not in this repository."
