"""The plan as the preview shows it: for each file what a push would do with it, and what needs a decision.

It is the plan of `kbsync plan`, or of `kbsync plan --offline`: the preview cannot say anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from kbsync.app.options import AS_CONFIGURED
from kbsync.app.planning.comparison import open_comparison
from kbsync.app.session import Session
from kbsync.app.workspace import Workspace
from kbsync.command import Option, command_line
from kbsync.errors import KbsyncError
from kbsync.model import Action, Change, Desired, Held, ItemRef, Plan, Reason, StagedEdit, visible
from kbsync.preview.file_plan import UP_TO_DATE, FilePlan, FilePlans, FindPlans
from kbsync.report.vocabulary import PAST, reason_of
from kbsync.site.writer_panel import Command
from kbsync.words import field_names

if TYPE_CHECKING:
    from kbsync.app.planning.plan import Planned

T = TypeVar("T", bound=ItemRef)

EDITED = frozenset({Reason.DRIFT, Reason.CONFLICT, Reason.STAGED})
"""Somebody has been in the panel: one side or the other is to be chosen."""

PENDING = "An edit is pending in the panel: readers do not see it yet, and a push does not touch it."
WAITING = "What was pushed is staged: someone publishes it in the panel, or `kbsync push --publish-staged` does."

WAYS = (
    ("Send your file", "--ours"),
    ("Keep the portal's value", "--theirs"),
    ("Put the portal's value into your file", "--into-file"),
)
"""What can be decided, and its option of `resolve`."""


def plan_finder(session: Session, token: str | None) -> FindPlans:
    """Makes the plan of all files; asks nothing of a person while pages are served.

    Args:
        session: the run.
        token: of the portal that is compared with; None: the files are compared with what the last push recorded.
    """
    quiet = replace(session, confirm=None, note=lambda _text: None)

    def find() -> FilePlans:
        try:
            workspace = Workspace(quiet.read_settings(), quiet)
            workspace.fetches = token is not None  # Without a portal, a preview contacts no other machine.
            with open_comparison(workspace, AS_CONFIGURED, offline=token is None, token=token) as comparison:
                planned = comparison.planned
        except KbsyncError as exc:
            hint = f" {exc.hint}" if exc.hint else ""
            return FilePlans(error=visible(f"{exc.message}{hint}"))
        except OSError as exc:
            # Files come and go while they are read.
            return FilePlans(error=f"Your files cannot be read: {exc.strerror}.")
        return file_plans(planned, session.options)

    return find


def file_plans(planned: Planned, options: Sequence[Option] = ()) -> FilePlans:
    """What a plan has for each article.

    Args:
        options: those without which a command would be about another portal.
    """
    plan = planned.plan
    groups = _Groups(_by_path(plan.changes), _by_path(plan.held), _by_path(plan.kept), _by_path(plan.staged_edits))
    articles = (item for item in planned.reading.desired if item.kind == "article")
    pending = {item.path for item in plan.panel_edits}
    return FilePlans(
        {item.path: _plan_of(planned, item, groups, options, is_pending=item.path in pending) for item in articles}
    )


class _Groups(NamedTuple):
    """What a plan has, by path."""

    changes: Mapping[str, Sequence[Change]]
    held: Mapping[str, Sequence[Held]]
    kept: Mapping[str, Sequence[Held]]
    staged: Mapping[str, Sequence[StagedEdit]]


def _by_path(items: Iterable[T]) -> Mapping[str, Sequence[T]]:
    found: dict[str, list[T]] = {}
    for item in items:
        found.setdefault(item.path, []).append(item)
    return found


def _plan_of(
    planned: Planned, item: Desired, groups: _Groups, options: Sequence[Option], *, is_pending: bool
) -> FilePlan:
    path, weighed, held = item.path, planned.weighed, groups.held.get(item.path, ())
    node = weighed.found.get(path)
    there = (weighed.index.nodes[node].observed or weighed.index.nodes[node].base) if node else None
    return FilePlan(
        planned.reading.compiler.tree.sources[path].raw_digest,
        tuple(_sentences(planned.plan, path, groups, is_pending=is_pending)),
        tuple(_commands(path, held, options, is_pending=is_pending)),
        (there.locale or item.locale, there.slug) if there else None,
        is_pending or any(one.reason in EDITED for one in held),
    )


def _sentences(plan: Plan, path: str, groups: _Groups, *, is_pending: bool) -> Iterator[str]:
    sentences = [*map(_change, groups.changes.get(path, ())), *map(_held, groups.held.get(path, ()))]
    sentences += [PENDING] if is_pending else []
    sentences += [WAITING] if path in groups.staged else []
    kept = (field_names(item.fields) for item in groups.kept.get(path, ()))
    sentences += [f"Differs from the portal, as you decided: {names}." for names in kept]
    # Of what people did in the panel since the last push, an offline plan knows nothing.
    yield from sentences or ([UP_TO_DATE] if plan.as_of is None else [])
    if plan.refused is not None:
        yield "The plan as a whole is refused. Run `kbsync plan` to see why."


def _change(change: Change) -> str:
    """What a push does to an article."""
    fields = [name for name in change.after if name != "status"]
    if change.action is Action.CREATE:
        return f"A push creates it as {'a draft' if change.status in (None, 'draft') else change.status}."
    if change.action is Action.ADOPT:
        return "It already matches the portal."
    done = PAST[change.action]
    what = f"Not pushed yet: {field_names(fields)}." if fields else "Not pushed yet."
    becomes = "" if change.action is Action.UPDATE else f" It is {done} by the next push."
    renamed = f" The file was `{change.was}`." if change.was not in ("", change.path) else ""
    slug = f" The slug becomes `{change.after['slug']}`." if "slug" in change.after else ""
    live = " Readers see the change immediately." if change.live else ""
    return f"{what}{becomes}{renamed}{slug}{live}"


def _held(item: Held) -> str:
    """What needs a decision."""
    fields = f" ({field_names(item.fields)})" if item.fields else ""
    hint = "" if item.reason in EDITED and not item.elsewhere else f" {item.elsewhere or item.hint}"
    return f"Needs your decision: {reason_of(item)}{fields}.{hint}"


def _commands(path: str, held: Sequence[Held], options: Sequence[Option], *, is_pending: bool) -> Iterator[Command]:
    reasons = {item.reason for item in held if not item.elsewhere}
    if is_pending or reasons & EDITED:
        for text, option in WAYS:
            yield Command(text, command_line("resolve", path, options=[(option, True), *options]))
    elif Reason.GONE in reasons:
        yield Command("Create it again", command_line("resolve", path, options=[("--ours", True), *options]))
