"""Plans in files: `plan --out FILE` and `push FILE`."""

from __future__ import annotations

from pathlib import Path

from kbsync.cli.planning import Planned
from kbsync.cli.policy import Wishes, policy_of
from kbsync.cli.workspace import Portal, Reading, Recorded, Workspace
from kbsync.errors import PlanRefused, UsageError
from kbsync.files import write_whole
from kbsync.model import Base, Plan
from kbsync.service.client import Service
from kbsync.sync import saved
from kbsync.sync.recover import Recovery
from kbsync.sync.uploads import sends_body

HEAD_BYTES = 64


def is_saved_plan(path: Path) -> bool:
    """Whether a file is a plan, of whatever version, rather than a source."""
    try:
        with path.open("rb") as file:
            return saved.is_saved_plan(file.read(HEAD_BYTES))
    except OSError:
        return False


def write_plan(path: Path, plan: Plan, workspace: Workspace, reading: Reading, bases: list[Base]) -> None:
    """Write a plan to a file, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    sent = [change.path for change in plan.changes if sends_body(change)]
    data = saved.save_plan(
        plan,
        tree=saved.tree_digest(workspace.target, reading.tree),
        settings=_settings(workspace),
        ledger=saved.ledger_digest(bases),
        pictures={path: reading.compiler.pictures_at(path) for path in sent},
    )
    try:
        write_whole(path, data)
    except OSError as exc:
        raise UsageError(f"{path}: the plan cannot be written: {exc.strerror}", hint="name another file") from exc


def read_saved_plan(path: Path, workspace: Workspace, reading: Reading, service: Service, record: Recorded) -> Planned:
    """A plan out of a file, to be carried out exactly so.

    Raises:
        PlanRefused: it is not for this tree, these settings or this portal, or a former push left something open.
    """
    bases = record.bases
    if record.pending:
        raise PlanRefused(
            f"a former push left {len(record.pending)} requests open, and the saved plan knows nothing of them",
            hint="run `kbsync push`, or make a new plan with `kbsync plan --out FILE` and push that",
        )
    found = saved.load_plan(
        path.read_bytes(),
        path.name,
        target=workspace.target,
        tree=saved.tree_digest(workspace.target, reading.tree),
        settings=_settings(workspace),
        bases=bases,
    )
    workspace.learn_categories(service, bases)
    workspace.settle_pictures(reading, service, record, ())
    # What the portal alone knew when the plan was made stands in the plan.
    reading.compiler.pictures.own.update(found.pictures)
    plan = found.plan
    return Planned(plan, Recovery(tuple(bases), {}, ()), Portal(None, complete=False))


def _settings(workspace: Workspace) -> str:
    """What kbsync.toml and the profile say; what the command line asked for is in the plan itself."""
    return saved.settings_digest(policy_of(workspace, Wishes(), []))
