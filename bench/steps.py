"""Where the time and memory of a no-op plan go: the calls of `kbsync plan`, with a clock between them. Prints JSON."""

from __future__ import annotations

import gc
import json
import resource
import time

gc.disable()

from kbsync.app.options import AS_CONFIGURED, policy_of  # noqa: E402
from kbsync.app.reading import read_content  # noqa: E402
from kbsync.app.session import Session  # noqa: E402
from kbsync.app.sides import observe, read_ledger  # noqa: E402
from kbsync.app.workspace import Workspace  # noqa: E402
from kbsync.plan.build import build_plan  # noqa: E402
from kbsync.plan.known import Known  # noqa: E402
from kbsync.plan.recover import settle_pending  # noqa: E402
from kbsync.service import client, transport  # noqa: E402, F401  (loaded here, so that it counts as import)


def main() -> None:
    steps: dict[str, str] = {}
    wall, cpu = time.perf_counter(), time.process_time()

    def lap(name: str) -> None:
        nonlocal wall, cpu
        took_ms, busy_ms = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        steps[name] = f"CPU {busy_ms:.0f} ms, wall {took_ms:.0f} ms, {peak_mib:.0f} MiB by then"
        wall, cpu = time.perf_counter(), time.process_time()

    wall, cpu = time.perf_counter(), 0.0
    lap("Python and imports")
    session = Session()
    workspace = Workspace(session.read_settings(), session)
    lap("the settings")
    reading = read_content(workspace)
    lap("the tree")
    record = read_ledger(workspace)
    bases = record.bases
    lap("the ledger")
    with workspace.open_service() as service:
        lap("the client")
        portal = observe(workspace, service, reading.desired, bases, full=False)
        effects = service.side_effects
    lap(f"the portal, {service.requests} requests")
    recovery = settle_pending(record.pending, bases, portal.items, complete=portal.complete, effects=effects)
    policy = policy_of(workspace, AS_CONFIGURED)
    known = Known(portal.items, recovery.bases, recovery.unknown, complete=portal.complete)
    build_plan(workspace.target, reading.desired, known, policy=policy)
    lap("the deciding")
    print(json.dumps(steps))


main()
