"""Start-up is part of speed: what a plan that is taken from its record loads of kbsync."""

import subprocess
import sys

import pytest

RECORDED = "import kbsync.cli.plan, kbsync.app.cached, kbsync.app.plan_cache"
"""What `kbsync plan` loads before it knows whether the last plan still holds."""

PUSHED = "import kbsync.cli.push, kbsync.app.cached, kbsync.app.plan_cache"
"""What `kbsync push` loads before it knows that."""

DECLARES = "[n for n in sys.modules if n.startswith('kbsync.') for value in vars(sys.modules[n]).values()"
DECLARES += " if isinstance(value, type) and value.__module__ == n and '__dataclass_fields__' in vars(value)]"


def test_a_plan_from_its_record_declares_no_dataclass():
    code = f"{RECORDED}, kbsync.app.listing_ahead, kbsync.service.client, kbsync.report.text, sys; print({DECLARES})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("command", [RECORDED, PUSHED])
def test_a_plan_or_push_from_its_record_loads_neither_the_ledger_nor_what_decides(command):
    code = f"{command}, sys; print(sorted(n for n in sys.modules if n.startswith(('kbsync.ledger', 'kbsync.plan.'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_the_command_of_httpx_is_not_loaded_and_can_be_loaded_later():
    code = "import kbsync.service.client, sys; print([n for n in ('httpx._main', 'pygments') if n in sys.modules])"
    code += "; import httpx; print(httpx.main.__module__)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.splitlines() == ["[]", "httpx"]


def test_of_the_extensions_of_typing_a_command_loads_nothing():
    code = "import kbsync.cli, sys, os; os._exit = lambda code: print('typing_extensions' in sys.modules)"
    code += "; kbsync.cli.main(['plan', '--help'])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.splitlines()[-1] == "False"


def test_what_asks_the_portal_loads_neither_the_requests_of_the_link_check_nor_a_pool_of_threads():
    unwanted = ("kbsync.service.pinned", "kbsync.service.inside", "concurrent.futures.thread")
    code = f"import kbsync.service.client, sys; print([name for name in {unwanted} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
