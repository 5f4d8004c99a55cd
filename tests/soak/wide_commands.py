"""Commands, beyond `both_ways.py`: all of push, undo, decisions, what kbsync prints; with faults, kills, and people meanwhile."""

import re
import shlex
import signal
from dataclasses import dataclass

from kbsync.sandbox import Fault, Panel, Sandbox

from . import both_ways
from .runs import armed, disturb, run_here
from .wide_game import COMMAND, Wide
from .wide_panel import discard, panel_delete

FAULTS = (
    Fault("reset"),
    Fault("reset", when="after"),
    Fault("status", status=500),
    Fault("status", status=500, when="after"),
    Fault("status", status=502, when="after"),
    Fault("status", status=404, when="after"),
    Fault("status", status=422, when="after"),
    Fault("cut"),
    Fault("junk"),
    Fault("empty"),
    Fault("shift", method="GET"),
)
METHODS = ("POST", "PATCH", "PATCH", "DELETE", "GET", None)
MEANWHILE = (
    both_ways.edit, both_ways.stage, both_ways.edit_title, both_ways.publish_staged, discard, both_ways.edit_status,
    panel_delete, both_ways.move_in_panel,
)  # fmt: skip
PASTED = {"push", "pull", "resolve", "undo", "mv", "plan", "status", "diff", "why", "lint", "check", "verify"}


# --- commands --------------------------------------------------------------------------------------------------------


def push_file(game: Wide) -> None:
    path = str(game.a_file().relative_to(game.folder))
    game.kbsync("push", path, *game.rng.choice([(), ("--publish",), ("--stage",)]))


def push_staged(game: Wide) -> None:
    game.kbsync("push", "--publish-staged")


def push_overwrite(game: Wide) -> None:
    path = str(game.a_file().relative_to(game.folder))
    game.kbsync("push", path, "--overwrite", path)


def push_recreate(game: Wide) -> None:
    game.kbsync("push", "--recreate", *game.rng.choice([(), ("--publish",)]))


def undo(game: Wide) -> None:
    game.kbsync(*game.undo())


def resolve_any(game: Wide) -> None:
    side = game.rng.choice(["--ours", "--theirs", "--into-file", "--merge"])
    game.commit()
    files = game.rng.choice([(), (str(game.a_file().relative_to(game.folder)),)])
    game.kbsync("resolve", side, *files, *game.rng.choice([(), ("--publish",)]))
    game.unmark()


def paste(game: Wide) -> None:
    """Run a command that kbsync printed last."""
    commands = [
        command
        for command in COMMAND.findall(re.sub(r"\s+", " ", game.said))
        if command.split()[1] in PASTED and not re.search(r"…|\.\.\.|\b[A-Z]{3,}\b", command)
    ]
    if commands:
        words = shlex.split(game.rng.choice(commands))[1:]
        game.kbsync(*words, *(["--yes"] if words[0] == "undo" and "--yes" not in words else []))
        game.unmark()


def push_faulted(game: Wide) -> None:
    disturb(game.sandbox.faults, game.rng, FAULTS, METHODS)
    pushes = [("push", "--publish"), ("push",), ("push", "--stage")]
    game.kbsync(*game.rng.choice([*pushes, game.undo(), ("pull",), ("push", "--publish-staged")]))


def push_killed(game: Wide) -> None:
    number = game.rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
    trigger = armed(game.sandbox.faults, game.rng, number, 20)
    arguments = game.rng.choice([("push", "--publish"), ("push", "--stage"), ("push",), game.undo()])
    before = game.shown()
    game.judge(game.nursery.run(game.folder, arguments, trigger.started), before)


def push_meanwhile(game: Wide) -> None:
    """A person edits during a push: at any of its requests."""
    faults = game.sandbox.faults
    act = game.rng.choice(MEANWHILE)
    at = faults.number + game.rng.randint(3, 16)
    outside, log, typed = game.sandbox, game.sandbox.app.log, set(game.typed)
    met: list[int] = []

    def meet(request: int) -> Fault | None:
        if request == at and game.sandbox is outside:
            game.story.append(f"meanwhile: {act.__name__}")
            met.append(len(log))
            game.sandbox = Inside(outside)
            try:
                act(game)
            except (ValueError, LookupError) as error:
                game.story.append(f"  not done: {error!r}")
            finally:
                game.sandbox = outside
        return None

    faults.follow(meet)
    arguments = game.rng.choice(
        [("push", "--publish"), ("push", "--stage"), ("push",), ("push", "--publish-staged"), game.undo()]
    )
    before = game.shown()
    done = run_here(game.folder, arguments)
    if met and log[met[0]].method != "GET":
        # Between the last look and the write nobody can tell: the service has no version check.
        game.given_up |= {word for word in game.typed if word not in typed}
    game.judge(done, before)


@dataclass(frozen=True, slots=True)
class Inside:
    """The sandbox for somebody who is in the server's thread already."""

    sandbox: Sandbox

    @property
    def panel(self) -> Panel:
        """A person in the panel."""
        app = self.sandbox.app
        return Panel(lambda work: work(app.world), self.sandbox.setup.users[0].id)
