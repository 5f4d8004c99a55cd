"""Files whose article is not clear, or that may be on the portal already. Held, with what to do. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kbsync.command import command_line
from kbsync.model import Desired, Manage, Reason
from kbsync.plan.draft import Draft, hold
from kbsync.plan.match import Unclear

HIDDEN_HINT = (
    "The portal's list leaves some of its articles out, and this one may be among them. Run `kbsync plan` again. "
    "If that does not help, too many articles were last changed at the same moment: in the panel, give each a "
    "category, and drag one article in each category to another place."
)
"""A category is listed in the order of its positions, which a drag makes distinct (docs/service.md, S6 and S123)."""


def hold_unclear(draft: Draft, unclear: Iterable[Unclear]) -> None:
    """Hold the sources that could be one of several articles, with what speaks for each."""
    for item in unclear:
        desired = item.desired
        if item.is_left and draft.policy.recreate:
            continue
        if desired.kind == "category":
            draft.unclear_categories.add((desired.locale, desired.slug))
        if desired.manage is not Manage.FALSE:
            draft.held.append(hold(desired, Reason.UNKNOWN, None, (), _unclear_hint(item)))


def _unclear_hint(item: Unclear) -> str:
    """What a source could be, and how to say which."""
    kind = item.desired.kind
    readings = [
        f"{kind} {reading.article.some.remote_id} `{reading.article.some.slug}`"
        + (f" ({', '.join(reading.reasons)})" if reading.reasons else "")
        for reading in item.readings
    ]
    slug = item.readings[0].article.some.slug
    if item.is_left:
        had_one = any(reading.article.path for reading in item.readings)
        why = "whose file is gone" if had_one else "which has no file"
        return (
            f"This file may be {' or '.join(readings)}, {why}. If it is, add `aliases: [{slug}]`. "
            f"If it is new, run `{command_line('push', item.desired.path, options=[('--recreate', True)])}`."
        )
    others = f" So could {' and '.join(f'`{path}`' for path in item.rivals)}." if item.rivals else ""
    return (
        f"This file could be {' or '.join(readings)}.{others} "
        f"Say which one it is in its front matter, for example with `aliases: [{slug}]`."
    )


def why_not_new(draft: Draft, desired: Desired) -> str:
    """Why a source without an article may have one: what to do about that. "" where it is new."""
    git, former = draft.git, draft.git.former.get(desired.path, ())
    if git.is_cut and desired.kind == "article" and desired.locale in draft.strangers:
        return f"This article may be on the portal already, under another name. {git.word}"
    may_be_there = not draft.has_record or git.word or any(then.slug != desired.slug for then in former)
    if not draft.complete and may_be_there:
        return HIDDEN_HINT
    return ""


def waits_for_category(draft: Draft, desired: Desired) -> bool:
    """Whether an article's category is itself not clear yet."""
    return desired.kind == "article" and (desired.locale, desired.fields.get("category")) in draft.unclear_categories


def lacks_category(draft: Draft, desired: Desired) -> bool:
    """Whether an article's category is not on the portal, and not created by this plan."""
    return desired.kind == "article" and (desired.locale, desired.fields.get("category")) in draft.missing_categories
