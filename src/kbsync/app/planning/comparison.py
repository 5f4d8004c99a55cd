"""A plan with what it was made from, and the portal still open to be asked: for diff, why and status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kbsync.app.committed import note_uncommitted
from kbsync.app.options import PlanOptions
from kbsync.app.planning.offline import make_plan_offline
from kbsync.app.planning.plan import Planned, make_plan
from kbsync.app.reading import read_sound
from kbsync.app.sides import note_without_ledger, read_ledger
from kbsync.app.workspace import Workspace

if TYPE_CHECKING:
    from kbsync.service.client import Service


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared. `service` is None where the portal was not asked."""

    planned: Planned
    service: Service | None = None


@contextmanager
def open_comparison(
    workspace: Workspace, options: PlanOptions, *, offline: bool, token: str | None = None
) -> Iterator[Comparison]:
    """Compare your files with the portal, or with what the last push recorded.

    `token`: see `Workspace.open_service`.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: offline, and there is nothing on record to compare with.
    """
    if offline:
        yield Comparison(make_plan_offline(workspace, options))
        return
    note_without_ledger(workspace)
    reading = read_sound(workspace)
    record = read_ledger(workspace)
    with workspace.open_service(token) as service:
        planned = make_plan(workspace, reading, service, record, options)
        note_uncommitted(workspace, planned.plan)
        yield Comparison(planned, service)
