"""A portal that many rounds share, and help centers that were pushed to it once and are put back for each round."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.sandbox import V4_2, V4_10, V4_16, Behaviour, Sandbox, running
from push.world import PORTAL, SETUP

from .edits import Desk, first_tree
from .portal import look, restore, save
from .remote import Remote
from .repository import Clone, Copy, Origin
from .runs import Nursery, run_here
from .truth import Truth
from .writing import mark_in

OPENINGS = 12
"""Help centers to begin from. To push one takes as long as a round."""

VERSIONS = (V4_16, V4_16, V4_16, V4_10, V4_2)
"""Of the service, in turn, as many rounds each as there are openings."""

BEGINNING = 1_700_000_000
"""The portal's clock and git's, seconds since 1970; every round begins there."""

CONFIG = """
[service]
base_url = "{base_url}"
portal = "{portal}"
timeout_s = 2
[content]
locales = ["en", "fr"]
[push]
publish = true
removed = "{removed}"
max_removals = "100%"
[pace]
requests_per_minute = 1000000
concurrency = {concurrency}
[authors]
default = 1
[ledger]
url = "{ledger}"
"""

LEDGERS = {"sqlite": "sqlite:.kbsync/ledger.db", "git": "git:origin"}
"""Where rounds may have their ledger."""


@dataclass(slots=True)
class Clock:
    """The time of a round: it passes from step to step, and a little with each look at it."""

    now_s: float = BEGINNING

    def __call__(self) -> float:
        self.now_s += 0.001
        return self.now_s

    def pass_by(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass(frozen=True, slots=True)
class Opening:
    """A help center that was pushed, and the ledger of that push: in a copy of the file, or at the remote."""

    desk: Desk
    portal: Path
    ledger: Copy
    truth: Truth
    remote: Remote | None


@dataclass(slots=True)
class Stage:
    """The sandbox, the clock, and where rounds begin."""

    folder: Path
    sandbox: Sandbox
    clock: Clock
    nursery: Nursery
    ledger: str = "sqlite"
    openings: dict[int, Opening] = field(default_factory=dict)

    def config(self, removed: str, concurrency: int = 1) -> str:
        ledger = LEDGERS[self.ledger]
        url = self.sandbox.base_url
        return CONFIG.format(base_url=url, portal=PORTAL, removed=removed, concurrency=concurrency, ledger=ledger)

    def a_remote(self, folder: Path, like: Remote | None = None) -> Remote | None:
        """Where the ledger is, if that is git: a new repository, or a copy."""
        if self.ledger != "git":
            return None
        remote = Remote(folder)
        remote.make(like)
        return remote

    def open(self, number: int) -> Opening:
        """The help center of this number."""
        if number not in self.openings:
            self.openings[number] = self._push_once(number)
        return self.openings[number]

    def empty(self) -> None:
        """A portal on which nothing was ever."""
        restore(self.sandbox, self.folder / "empty.db")

    def _push_once(self, number: int) -> Opening:
        self.empty()
        self.clock.now_s = BEGINNING
        desk = first_tree(random.Random(f"opening {number}"))
        folder = self.folder / f"opening-{number}"
        remote = self.a_remote(folder / "remote.git")
        clone = Clone("first", folder / "clone", Origin(folder / "origin"), remote=remote)
        clone.make(self.config("report"))
        files = {f"content/{path}": text for path, text in desk.tree.files().items()}
        commit = clone.origin.commit(files, (), BEGINNING, "the beginning")
        clone.check_out(commit, files)
        self.clock.pass_by(60)
        for _ in range(2):
            run = run_here(clone.folder, ("push", "--format", "json"))
            assert run.code == 0, run.told
        truth, shown = Truth(), look(self.sandbox)
        for item in shown.values():
            mark = mark_in(item.content)
            assert mark is not None
            truth.owner[item.id] = mark[0]
        truth.pushed({}, shown, desk.tree)
        truth.recorded(clone, shown, desk.tree, held=set())
        save(self.sandbox, folder / "portal.db")
        return Opening(desk, folder / "portal.db", clone.copy_ledger(folder / "ledger"), truth, remote)

    def begin(self, number: int) -> tuple[Desk, Truth]:
        """The portal as that help center left it; copies of what is known of it."""
        opening = self.open(number)
        restore(self.sandbox, opening.portal)
        return deepcopy(opening.desk), deepcopy(opening.truth)


@contextmanager
def stages(folder: Path, ledger: str = "sqlite") -> Iterator[Callable[[int], Stage]]:
    """The stage of a seed: most are against the newest version of the service, some against older ones."""
    with ExitStack() as stack:
        made: dict[str, Stage] = {}

        def of(seed: int) -> Stage:
            behaviour = VERSIONS[seed // OPENINGS % len(VERSIONS)]
            if behaviour.version not in made:
                home = folder / behaviour.version
                home.mkdir()
                made[behaviour.version] = stack.enter_context(a_stage(home, behaviour, ledger))
            return made[behaviour.version]

        yield of


@contextmanager
def a_stage(folder: Path, behaviour: Behaviour | None = None, ledger: str = "sqlite") -> Iterator[Stage]:
    """A stage of its own, in a folder."""
    clock = Clock()
    with running(folder / "sandbox.db", SETUP, behaviour, clock=clock) as sandbox:
        save(sandbox, folder / "empty.db")
        nursery = Nursery()
        try:
            yield Stage(folder, sandbox, clock, nursery, ledger)
        finally:
            nursery.close()
