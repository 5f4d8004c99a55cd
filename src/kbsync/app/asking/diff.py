"""`diff`: everything in which your files and the portal differ, with the bodies. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from kbsync.app.options import PlanOptions, named
from kbsync.app.planning.cached import read_bodies
from kbsync.app.planning.comparison import open_comparison
from kbsync.app.planning.saved_plans import open_plan
from kbsync.app.reading import Reading, read_sound
from kbsync.app.workspace import Workspace
from kbsync.history.file_versions import read_pushed_bodies
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Change, Held, ItemRef, Plan
from kbsync.report.body_diff import NO_BODIES, Bodies, Body, Key, key_of
from kbsync.report.value_text import is_body

if TYPE_CHECKING:
    from kbsync.app.planning.plan import Planned


T = TypeVar("T", bound=ItemRef)

NOT_IN_GIT = "Some bodies are not shown: git does not have the text that was pushed last."


@dataclass(frozen=True, slots=True)
class Differences:
    """A plan and the bodies of what differs. `note` is what to know of bodies that are not there, else ""."""

    plan: Plan
    bodies: Bodies
    note: str = ""


def diff(workspace: Workspace, selectors: tuple[str, ...], *, offline: bool, most: int) -> Differences:
    """Your files against the portal, or against what the last push recorded.

    Args:
        workspace: the project.
        selectors: limit the files.
        offline: compare with what is on record. The text of a body is then taken from git.
        most: how many bodies are read.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: offline, and there is nothing on record to compare with.
    """
    with open_comparison(workspace, PlanOptions(selectors), offline=offline) as comparison:
        planned, service = comparison.planned, comparison.service
        if service is None:
            return _with_bodies_of_git(planned, most)
        return Differences(planned.plan, read_bodies(_all_held(planned.plan), planned.reading, service, most=most))


def _all_held(plan: Plan) -> Plan:
    """The plan with what was accepted among what is held: its bodies differ as well."""
    return replace(plan, held=(*plan.held, *plan.kept))


def _with_bodies_of_git(planned: Planned, most: int) -> Differences:
    compiler = planned.reading.compiler
    wanted = list(_bodies_before(planned.plan))
    names = {path: name for _, path, name in wanted[:most]}
    pushed = read_pushed_bodies(compiler, names)
    texts = {key: Body(pushed[path], compiler.content_of(path)) for key, path, _ in wanted[:most] if path in pushed}
    note = "" if len(texts) == len(names) else NOT_IN_GIT
    return Differences(planned.plan, Bodies(texts, len(wanted) - len(names)), note)


def _bodies_before(plan: Plan) -> Iterator[tuple[Key, str, str]]:
    """The articles whose body differs, with their paths and the names of the bodies that were agreed on."""
    items: list[Change | Held] = [*plan.sent, *plan.held, *plan.kept]
    for item in items:
        if item.kind == "article" and item.remote_id is not None and item.path:
            for field in item.values if isinstance(item, Held) else item.fields:
                if field.name == "content" and field.before is not None:
                    yield key_of(item), item.path, str(field.before)


def diff_saved(workspace: Workspace, file: Path, selectors: tuple[str, ...], *, most: int) -> Differences:
    """What a saved plan changes. The bodies are read from the portal, as far as they are still those of the plan.

    Raises:
        PlanRefused: the file is damaged, or is about another portal.
        TreeRefused: the content tree has errors.
    """
    plan = open_plan(file, workspace)
    reading = read_sound(workspace)
    if selectors:
        plan = _limited(plan, named(workspace.content_root, reading.desired, selectors))
    items: list[Change | Held] = [*plan.sent, *plan.held, *plan.kept]
    if not any(map(_changes_body, items)):
        return Differences(plan, NO_BODIES)
    # The file may have been changed on its way: only what is among our files is asked for.
    ours = _limited(plan, frozenset(item.path for item in reading.desired if item.kind == "article"))
    with workspace.open_service() as service:
        found = read_bodies(_all_held(ours), reading, service, most=most)
    bodies = _as_planned(plan, reading, found)
    moved = len(found.texts) - len(bodies.texts)
    note = "Some bodies have changed since the plan was made, and are not shown." if moved else ""
    return Differences(plan, bodies, note)


def _limited(plan: Plan, paths: frozenset[str]) -> Plan:
    def of_paths(items: Sequence[T]) -> tuple[T, ...]:
        return tuple(item for item in items if item.path in paths)

    return replace(
        plan,
        changes=of_paths(plan.changes),
        held=of_paths(plan.held),
        kept=of_paths(plan.kept),
        unpublished=of_paths(plan.unpublished),
        waiting=of_paths(plan.waiting),
    )


def _changes_body(item: Change | Held) -> bool:
    fields = item.values if isinstance(item, Held) else item.fields
    return item.remote_id is not None and any(is_body(field.name) for field in fields)


def _as_planned(plan: Plan, reading: Reading, bodies: Bodies) -> Bodies:
    """The bodies that are still those which the plan compared: neither the file nor the portal has moved on."""
    names: dict[Key, set[object]] = {}
    items: list[Change | Held] = [*plan.sent, *plan.held, *plan.kept]
    for item in items:
        fields = item.values if isinstance(item, Held) else item.fields
        values = {value for field in fields if is_body(field.name) for value in (field.before, field.after)}
        names.setdefault(key_of(item), set()).update(values)
    same = {
        key: body
        for key, body in bodies.texts.items()
        if {body_digest(body.portal), body_digest(body.ours)} <= names[key]
    }
    return Bodies(same, bodies.left)
