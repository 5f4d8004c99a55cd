"""The installation that the recordings were made with."""

import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from subprocess import PIPE

from kbsync.sandbox import Behaviour, PortalSetup, Setup, UserSetup, running

ADMIN, AGENT, OTHER = "admin-token-0001", "agent-token-0002", "other-token-0003"
HANDBOOK = "/api/v1/accounts/1/portals/handbook"

NEIGHBOUR = Setup(
    account_id=2,
    account_name="Globex",
    portals=(PortalSetup("foreign", "Foreign", ("en",), "en"),),
    users=(UserSetup(3, "Olga Other", "olga@example.com", "administrator", OTHER),),
)
ACME = Setup(
    portals=(
        PortalSetup("handbook", "Handbook", ("en", "fr", "ja"), "en", header_text="How can we help?"),
        PortalSetup("other", "Other", ("en",), "en"),
    ),
    users=(
        UserSetup(1, "Ada Admin", "ada@example.com", "administrator", ADMIN),
        UserSetup(2, "Gus Agent", "gus@example.com", "agent", AGENT),
    ),
    bot_tokens=("bot-token-0004", "platform-token-0005"),
    neighbours=(replace(NEIGHBOUR, portals=()),),
)
WITH_FOREIGN_PORTAL = replace(ACME, neighbours=(NEIGHBOUR,))
SUSPENDED = replace(ACME, suspended=True)


class Clock:
    """Seconds that pass only when told to, and that start a minute and an hour."""

    def __init__(self, now: float = 1_795_233_600.0) -> None:
        self.now = now
        self.lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        with self.lock:
            self.now += seconds


@contextmanager
def a_sandbox(folder, setup=ACME, behaviour=None, **options):
    """A sandbox with the installation of the recordings in a folder of its own."""
    with running(folder / "sandbox.db", setup, behaviour or Behaviour(), **options) as sandbox:
        yield sandbox


SERVE = """
import sys, pathlib; from kbsync.sandbox import *
setup = Setup((PortalSetup('p', 'P', ('en',), 'en'),), (UserSetup(1, 'A', 'a@e', 'administrator', 't'),))
serve(pathlib.Path(sys.argv[1]), setup, ready=lambda url: print(url, flush=True))
"""


def serving(database):
    """A sandbox in the foreground of a process of its own, which prints its address."""
    return subprocess.Popen([sys.executable, "-c", SERVE, str(database)], stdout=PIPE, stderr=PIPE, text=True)
