"""The wide game: who plays, and how a game goes. Its rules are at the head of `wide_game.py`."""

import random
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from kbsync.sandbox import Behaviour, running
from push.world import SETUP

from . import wide_commands as commands
from . import wide_panel as panel
from . import wide_writers as writers
from .both_ways import ACTS, CONFIG, make_categories, new
from .stage import BEGINNING, Clock
from .wide_game import Wide

LEDGERS = {"sqlite": "sqlite:.kbsync/ledger.db", "git": "git:origin", "none": "sqlite:.kbsync/ledger.db"}
PAUSES_S = (0, 0, 0.4, 2, 5, 90, 4000)

WIDER: dict[str, dict[Callable[[Wide], None], int]] = {
    "clones": {
        writers.push_in_ci: 5, writers.other_clone: 5, writers.new_clone: 2, writers.fetch: 4, writers.send: 6,
        writers.branch: 1, writers.back_to_main: 1, writers.squash: 1,
    },
    "names": {
        writers.translate: 2, writers.trade_slugs: 3, writers.trade_files: 1, writers.change_case: 1,
        writers.category_slug: 1, writers.move_folder: 1, writers.move_with_options: 3,
    },
    "panel": {
        panel.discard: 2, panel.panel_delete: 1, panel.recreate: 1, panel.bulk_status: 2, panel.panel_ends: 2,
        panel.panel_locale: 1, panel.roll_back: 1,
    },
    "commands": {
        commands.push_file: 4, commands.push_staged: 2, commands.push_overwrite: 1, commands.push_recreate: 1,
        commands.undo: 3, commands.resolve_any: 4, commands.paste: 10,
    },
    "accidents": {commands.push_faulted: 5, commands.push_killed: 4, commands.push_meanwhile: 6},
    "files": {writers.link: 2, writers.image: 2, writers.line_ends: 1, writers.lint: 2},
}  # fmt: skip
"""What may happen beyond `both_ways.py`, by kind, and how often."""


def play(
    folder: Path,
    seed: int,
    steps: int = 40,
    version: str = "4.16.2",
    ledger: str = "sqlite",
    kinds: Collection[str] = tuple(WIDER),
    left_out: Collection[int] = (),
) -> Wide:
    """One game, to its end or to the first thing that is wrong; steps at places of `left_out` are not taken."""
    clock = Clock(BEGINNING + 10_000)
    with running(
        folder / "sandbox.db", SETUP, Behaviour(version=version, uploads_per_hour=None), clock=clock
    ) as sandbox:
        project = folder / "clone-0"
        game = Wide(project, sandbox, random.Random(f"{seed} begin"), home=folder, ledger=ledger, clock=clock)
        try:
            _begin(game)
            # Three kinds at once, so that a story stays readable.
            some = random.Random(f"{seed} kinds").sample(sorted(kinds), min(3, len(kinds)))
            acts = {**ACTS, **{act: weight for kind in some for act, weight in WIDER[kind].items()}}
            chosen = random.Random(f"{seed} acts").choices([*acts], weights=[*acts.values()], k=steps)
            for place, act in enumerate(chosen):
                if place not in left_out:
                    _take(game, seed, place, act)
                if game.wrong:
                    return game
            game.place, game.rng = steps, random.Random(f"{seed} end")
            game.agree()
        finally:
            game.nursery.close()
    return game


def _take(game: Wide, seed: int, place: int, act: Callable[[Wide], None]) -> None:
    """One step, drawn from a generator of its own: a step that is left out changes nothing about the others."""
    game.place, game.rng = place, random.Random(f"{seed} {place}")
    game.clock.pass_by(game.rng.choice(PAUSES_S))
    if game.ledger == "none" and game.rng.random() < 0.3:
        shutil.rmtree(game.folder / ".kbsync", ignore_errors=True)
    game.story.append(f"{place}: {act.__name__} [{game.folder.name}] at {game.clock.now_s:.1f}")
    try:
        act(game)
    except (ValueError, LookupError, FileNotFoundError) as error:  # There is nothing to do it with.
        game.story.append(f"  not done: {error!r}")
    game.check()


def _begin(game: Wide) -> None:
    game.git("init", "-q", "--bare", "-b", "main", str(game.home / "origin.git"), at=game.home)
    game.git("clone", "-q", (game.home / "origin.git").as_uri(), str(game.folder), at=game.home)
    game.git("checkout", "-q", "-b", "main")
    make_categories(game.folder)
    # One request at a time, so that a game is the same again.
    config = CONFIG.format(base_url=game.sandbox.base_url).replace("[pace]", "[pace]\nconcurrency = 1")
    (game.folder / "kbsync.toml").write_text(config + f'[ledger]\nurl = "{LEDGERS[game.ledger]}"\n')
    (game.folder / ".gitignore").write_text(".kbsync/\n")
    (game.folder / ".gitattributes").write_text("*.md merge=union text\n*.png binary\n")
    for _ in range(5):
        new(game)
    game.commit()
    game.git("push", "-q", "-u", "origin", "main")
    game.kbsync("push", "--publish")
