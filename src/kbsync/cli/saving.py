"""Plans in files: `plan --out FILE` and `push FILE`."""

from __future__ import annotations

from pathlib import Path

from kbsync.cli.planning import Planned
from kbsync.cli.policy import Wishes, policy_of
from kbsync.cli.workspace import Portal, Reading, Recorded, Workspace
from kbsync.errors import UsageError
from kbsync.files import write_whole
from kbsync.plan import saved
from kbsync.plan.recover import Recovery, settle_pending
from kbsync.push.uploads import sends_body, with_content
from kbsync.service.client import Service

HEAD_BYTES = 64


def is_saved_plan(path: Path) -> bool:
    """Whether a file is a plan, of whatever version, rather than a source."""
    try:
        with path.open("rb") as file:
            return saved.is_saved_plan(file.read(HEAD_BYTES))
    except OSError:
        return False


def write_plan(path: Path, planned: Planned, workspace: Workspace, reading: Reading) -> None:
    """Write a plan to a file, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    sent = [change.path for change in planned.plan.changes if sends_body(change)]
    data = saved.save_plan(
        planned.plan,
        tree=saved.tree_digest(workspace.target, reading.tree),
        settings=_settings(workspace),
        ledger=saved.ledger_digest(planned.recovery.bases, planned.recovery.unknown),
        pictures={path: reading.compiler.pictures_at(path) for path in sent},
    )
    try:
        write_whole(path, data)
    except OSError as exc:
        raise UsageError(f"{path}: the plan cannot be written: {exc.strerror}", hint="name another file") from exc


def read_saved_plan(path: Path, workspace: Workspace, reading: Reading, service: Service, record: Recorded) -> Planned:
    """A plan out of a file, to be carried out exactly so, less what is done already.

    Raises:
        PlanRefused: it is not for this tree, these settings or this portal, or would make what may be there already.
    """
    bases, pending = record.bases, record.pending
    portal, recovery = Portal(None, complete=False), Recovery(tuple(bases), {}, ())
    if pending:
        # What a former push left open is looked up, as a plan does: the file may have been made before or after it.
        portal = workspace.observe(service, reading.desired, bases, full=False)
        recovery = settle_pending(pending, bases, portal.items, complete=portal.complete)
    else:
        workspace.learn_categories(service, bases)
    workspace.settle_pictures(reading, service, record, portal.items or ())
    now = saved.Now(
        workspace.target,
        tree=saved.tree_digest(workspace.target, reading.tree),
        settings=_settings(workspace),
        bases=recovery.bases,
        unknown=recovery.unknown,
    )
    found = saved.read_plan(path.read_bytes(), path.name)
    # What the portal alone knew when the plan was made stands in the plan.
    reading.compiler.pictures.own.update(found.pictures)
    plan, done = saved.still_open(found, with_content(found.plan, reading.compiler), path.name, now)
    if done and plan.sent:
        total = done + len(plan.sent)
        workspace.options.note(f"{path}: {done:,} of its {total:,} changes are done already, by an earlier push.")
    return Planned(plan, recovery, portal)


def _settings(workspace: Workspace) -> str:
    """What kbsync.toml and the profile say; what the command line asked for is in the plan itself."""
    return saved.settings_digest(policy_of(workspace, Wishes()))
