"""Where the time of a no-op plan goes: the same calls as `kbsync plan`, with a clock between them. Prints JSON."""

from __future__ import annotations

import gc
import json
import time

gc.disable()
STARTED = time.process_time()

from kbsync.cli.planning import Wishes, policy_of  # noqa: E402
from kbsync.cli.screen import Options  # noqa: E402
from kbsync.cli.workspace import Workspace  # noqa: E402
from kbsync.sync.plan import build_plan  # noqa: E402
from kbsync.sync.recover import settle_pending  # noqa: E402


def main() -> None:
    steps: dict[str, str] = {}
    wall, cpu = time.perf_counter(), time.process_time()

    def lap(name: str) -> None:
        nonlocal wall, cpu
        steps[name] = f"{time.perf_counter() - wall:.2f} s (CPU {time.process_time() - cpu:.2f})"
        wall, cpu = time.perf_counter(), time.process_time()

    steps["imports"] = f"CPU {cpu:.2f}"
    options = Options()
    workspace = Workspace(options.read_settings(), options)
    reading = workspace.read_content()
    lap("the tree")
    bases, pending = workspace.read_ledger()
    lap("the ledger")
    with workspace.open_service() as service:
        portal = workspace.observe(service, reading.desired, bases, full=False)
    lap(f"the portal, {service.transport.requests} requests")
    recovery = settle_pending(pending, bases, portal.items, complete=portal.complete)
    build_plan(
        workspace.target, reading.desired, portal.items, recovery.bases, policy=policy_of(workspace, Wishes(), [])
    )
    lap("the deciding")
    print(json.dumps(steps))


main()
