"""Plans in files: `plan --out FILE` and `push FILE`."""

from __future__ import annotations

from pathlib import Path

from kbsync.cli.planning import Planned, Wishes, policy_of
from kbsync.cli.workspace import Portal, Reading, Workspace
from kbsync.errors import UsageError
from kbsync.files import write_whole
from kbsync.model import Base, Pending
from kbsync.service.client import Service
from kbsync.sync import saved
from kbsync.sync.recover import Recovery, settle_pending

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
    data = saved.save_plan(
        planned.plan,
        tree=saved.tree_digest(workspace.target, reading.desired),
        settings=_settings(workspace),
        ledger=saved.ledger_digest(planned.recovery.bases, planned.recovery.unknown),
    )
    try:
        write_whole(path, data)
    except OSError as exc:
        raise UsageError(f"{path}: the plan cannot be written: {exc.strerror}", hint="name another file") from exc


def read_saved_plan(
    path: Path, workspace: Workspace, reading: Reading, service: Service, record: tuple[list[Base], list[Pending]]
) -> Planned:
    """A plan out of a file, to be carried out exactly so, less what is done already.

    Raises:
        PlanRefused: it is not for this tree, these settings or this portal, or would make what may be there already.
    """
    bases, pending = record
    portal, recovery = Portal(None, complete=False), Recovery(tuple(bases), {}, ())
    if pending:
        # What a former push left open is looked up, as a plan does: the file may have been made before or after it.
        portal = workspace.observe(service, reading.desired, bases, full=False)
        recovery = settle_pending(pending, bases, portal.items, complete=portal.complete)
    else:
        workspace.learn_categories(service, bases)
    now = saved.Now(
        workspace.target,
        tree=saved.tree_digest(workspace.target, reading.desired),
        settings=_settings(workspace),
        bases=recovery.bases,
        unknown=recovery.unknown,
    )
    plan, done = saved.load_plan(path.read_bytes(), path.name, now)
    if done and plan.sent:
        total = done + len(plan.sent)
        workspace.options.note(f"{path}: {done:,} of its {total:,} changes are done already, by an earlier push.")
    return Planned(plan, recovery, portal)


def _settings(workspace: Workspace) -> str:
    """What kbsync.toml and the profile say; what the command line asked for is in the plan itself."""
    return saved.settings_digest(policy_of(workspace, Wishes(), []))
