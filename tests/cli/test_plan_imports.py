"""Start-up is part of speed: what a plan that is taken from its record loads of kbsync."""

import subprocess
import sys

RECORDED = "import kbsync.cli.plan, kbsync.app.cached, kbsync.app.plan_cache"
"""What `kbsync plan` loads before it knows whether the last plan still holds."""


def test_a_plan_from_its_record_loads_neither_the_ledger_nor_what_decides():
    code = f"{RECORDED}, sys; print(sorted(n for n in sys.modules if n.startswith(('kbsync.ledger', 'kbsync.plan.'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
