"""Start-up is part of speed: what a plan that is taken from its record loads of kbsync."""

import subprocess
import sys

RECORDED = "import kbsync.cli.plan, kbsync.app.cached, kbsync.app.plan_cache"
"""What `kbsync plan` loads before it knows whether the last plan still holds."""


def test_a_plan_from_its_record_loads_neither_the_ledger_nor_what_decides():
    code = f"{RECORDED}, sys; print(sorted(n for n in sys.modules if n.startswith(('kbsync.ledger', 'kbsync.plan.'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_what_asks_the_portal_loads_neither_the_requests_of_the_link_check_nor_a_pool_of_threads():
    unwanted = ("kbsync.service.pinned", "kbsync.service.inside", "concurrent.futures.thread")
    code = f"import kbsync.service.client, sys; print([name for name in {unwanted} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
