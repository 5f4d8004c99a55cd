"""`delete`: one article leaves the portal, and its file with it. `undo` brings both back.

    the tree without the file ---> a plan, as a push makes it with `removed = "delete"` ---> this article alone
    the file ---> .kbsync/deleted, before anything is sent; back again where the article stays

So the rules for what may be removed are those of every push: what somebody edited in the panel is held.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from copy import copy
from pathlib import Path

from msgspec import structs

from kbsync.app.lease import Lease, held_lock
from kbsync.app.options import PlanOptions
from kbsync.app.planning.plan import Planned, make_plan
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.push import PushStart, Sources, carry_out_sources
from kbsync.app.reading import Reading, read_sound
from kbsync.app.selectors import item_named
from kbsync.app.sides import keep_written, learn_version, recorded
from kbsync.app.workspace import Workspace
from kbsync.command import command_line
from kbsync.content.walk import Walk, walk_tree
from kbsync.errors import ExitCode, PlanRefused, UsageError
from kbsync.files import make_folder
from kbsync.model import Held, ItemRef, Plan, Reason, visible
from kbsync.plan.assembled import requests_of
from kbsync.service.client import Service
from kbsync.words import count

Agree = Callable[[str, Plan], None]
"""Is shown the file and what becomes of its article, and raises if the answer is no."""


def delete(workspace: Workspace, name: str, *, agree: Agree, wait: bool = False) -> Pushed:
    """Delete one article and its file.

    Args:
        workspace: the project.
        name: a path as seen from the current folder, a slug, or `locale/slug`.
        agree: is asked before anything changes.
        wait: wait for another push to end instead of giving up.

    Raises:
        UsageError: nothing has this name, or it is a category.
        TreeRefused: the content tree has errors, or would have without it.
        PlanRefused: others share the ledger and no commit has deleted the file, or the portal cannot be listed.
    """
    walk = walk_tree(workspace.content_root)
    before = read_sound(workspace, walk)
    with closing(workspace.open_ledger()) as ledger:
        bases = ledger.bases(workspace.target.key)
        item = item_named(workspace, name, before.desired, bases)
        _check(workspace, item, walk)
        walk.sources.pop(item.path, None)
        reading = read_sound(workspace, walk)
        with workspace.open_service() as service, held_lock(ledger, workspace, wait=wait, break_lock=False) as lease:
            pushed = _carry_out(workspace, service, lease, reading, item, agree)
    if pushed.exit_code is ExitCode.DONE and (more := len({*reading.findings} - {*before.findings})) > 0:
        workspace.session.note(f"Without it, your files have {count(more, 'more warning')}. Run `kbsync lint`.")
    return pushed


def _check(workspace: Workspace, item: ItemRef, walk: Walk) -> None:
    """Refuse what this command is not for.

    Raises:
        UsageError: a category.
        PlanRefused: the deletion would not last, or cannot be carried out.
    """
    if item.kind == "category":
        hint = "Move or delete its articles, delete the folder, and delete the category in the panel."
        raise UsageError(f"`{visible(item.path)}` is a category. kbsync delete takes one article.", hint=hint)
    if not workspace.profile.can_list:
        message = f"The profile `{workspace.profile.name}` can neither list the portal nor delete articles."
        raise PlanRefused(message, hint="Delete the file, and delete the article in the panel.")
    if workspace.shares_ledger and item.path in walk.sources:
        again = command_line("delete", item.path)
        raise PlanRefused(
            "Others share this ledger, and their next push would create the article again.",
            hint=f"Commit the deletion of the file first (`git rm`, `git commit`). Then run `{again}`.",
        )


def _carry_out(
    workspace: Workspace, service: Service, lease: Lease, reading: Reading, item: ItemRef, agree: Agree
) -> Pushed:
    """Plan, ask, and carry it out; the lock is held."""
    since = PushStart(service.transport.requests, time.monotonic())
    learn_version(workspace, service)
    record = recorded(workspace, lease.ledger)
    deleting = copy(workspace)
    push = structs.replace(workspace.settings.push, removed="delete")
    deleting.settings = structs.replace(workspace.settings, push=push)
    planned = make_plan(deleting, reading, service, record, PlanOptions())
    plan = _of_one(planned.plan, item.path)
    if plan.held:
        return Pushed(plan)
    _check_known(planned, plan, item)
    agree(item.path, plan)
    lease.ledger.settle(lease.target, planned.recovery.settled)
    is_aside = _set_aside(workspace, item.path)
    pushed = Pushed(plan)
    if plan.changes or plan.forgotten:
        sources = Sources(planned.reading.compiler, planned.addresses)
        bases = planned.recovery.bases
        pushed = carry_out_sources(workspace, plan, service, lease, sources, bases=bases, since=since, command="delete")
        keep_written(workspace.memory, service, planned.portal)
    if is_aside and any(outcome.outcome != "done" for outcome in pushed.outcomes):
        bring_back(workspace, [item.path])
    pushed.nothing = "Its article was not on the portal."
    pushed.again = command_line("delete", item.path, options=workspace.session.options)
    return pushed


def _check_known(planned: Planned, plan: Plan, item: ItemRef) -> None:
    """Refuse to delete a file whose article stays, for want of knowing that it is this file's.

    Raises:
        PlanRefused: there is such an article.
    """
    if plan.changes or plan.forgotten:
        return
    on_record = any((base.kind, base.path) == (item.kind, item.path) for base in planned.recovery.bases)
    alike = ((other.kind, other.locale, other.slug) for other in planned.plan.unmanaged)
    if on_record or (item.kind, item.locale, item.slug) in alike:
        raise PlanRefused(
            f"The portal has an article `{item.slug}`, and kbsync cannot be sure that it is the one of this file.",
            hint=f"Run `{command_line('push', item.path)}` first, which records it. Or delete it in the panel.",
        )


def _of_one(plan: Plan, path: str) -> Plan:
    """What a plan has about one file, and nothing else."""
    changes = tuple(change for change in plan.changes if change.is_removal and change.was == path)
    return Plan(
        plan.target,
        changes,
        tuple(_with_way(item) for item in plan.held if item.path == path),
        forgotten=tuple(base for base in plan.forgotten if base.path == path),
        warnings=tuple(finding for finding in plan.warnings if finding.path == path),
        managed=plan.managed,
        requests=requests_of(changes),
        version=plan.version,
    )


def _with_way(item: Held) -> Held:
    """With what can be done about it before the file is deleted."""
    if item.reason is not Reason.DRIFT:
        return item
    first = f"Run `{command_line('pull', item.path)}` and `{command_line('push', item.path)}` first"
    return structs.replace(item, hint=f"It was edited in the panel. {first}, or delete it in the panel.")


def _set_aside(workspace: Workspace, path: str) -> bool:
    """Move the file out of the tree, for `undo`; whether there was one."""
    file, kept = workspace.content_root / path, _kept(workspace, path)
    if not file.is_file():
        return False
    make_folder(workspace.state_folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(file, kept)
    return True


def bring_back(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Put files back that were deleted; those that were, and that nobody wrote anew since."""
    back: list[str] = []
    for path in paths:
        file, kept = workspace.content_root / path, _kept(workspace, path)
        if kept.is_file() and not os.path.lexists(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(kept, file)
            back.append(path)
    return back


def _kept(workspace: Workspace, path: str) -> Path:
    return workspace.state_folder / "deleted" / path
