"""Random games: a push whose rows were read hours ago leaves the same portal as one that reads every row first."""

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from kbsync.app.push_result import Pushed
from kbsync.errors import KbsyncError
from rings import seeds

from .test_order import position
from .test_stale import a_settled_world, aged, pushed, written
from .world import PORTAL, TOKEN, World, an_article

pytestmark = pytest.mark.slow

ROUNDS, GAMES = 6, 4

Act = Callable[[World, str, random.Random], object]

OPTIONS: tuple[dict[str, object], ...] = ({}, {}, {}, {}, {"stage": True}, {"publish_staged": True})


def drag_unseen(world: World, slug: str, rng: random.Random) -> None:
    """A reorder that no `updated_at` shows: that of the dragged article is what it was."""
    before = world.article(slug).updated_at
    world.sandbox.panel.drag(slug, rng.randrange(200))
    world.sandbox.panel.sql("UPDATE articles SET updated_at = ? WHERE slug = ?", before, slug)


PANEL: dict[str, tuple[int, Act]] = {
    "stage": (6, lambda w, slug, rng: w.sandbox.panel.write(slug, content=f"Theirs {rng.random()}.\n")),
    "stage a title": (2, lambda w, slug, rng: w.sandbox.panel.write(slug, title=f"Theirs {rng.random()}")),
    "discard": (3, lambda w, slug, rng: w.sandbox.panel.discard_staged(slug)),
    "publish": (1, lambda w, slug, rng: w.sandbox.panel.publish_staged(slug)),
    "number anew": (3, lambda w, slug, rng: w.sandbox.panel.drag(slug, position(w, slug))),
    "drag unseen": (4, drag_unseen),
    "drag": (2, lambda w, slug, rng: w.sandbox.panel.drag(slug, rng.randrange(200))),
    "describe": (1, lambda w, slug, rng: w.sandbox.panel.edit(slug, description=f"Theirs {rng.random()}")),
    "status": (1, lambda w, slug, rng: w.sandbox.panel.change_status([slug], rng.choice(["draft", "archived"]))),
    "delete": (1, lambda w, slug, rng: w.sandbox.panel.delete(slug)),
    "create": (1, lambda w, slug, rng: w.sandbox.panel.create(PORTAL, f"New {slug}", "x", slug=f"theirs-{slug}")),
}  # fmt: skip
"""What a person may do, and how often."""


def write(world: World, slug: str, rng: random.Random) -> None:
    """What a writer may do to a file."""
    folder = "a" if slug[0] == "x" else "b"
    keys: dict[str, object] = {"position": int(slug[1:]) * 3, "status": "published"}
    title, body = slug.upper(), "Some words."
    what = rng.choice(
        ["body", "body", "body", "title", "place", "place", "describe", "status", "move", "delete", "new"]
    )
    if what == "body":
        body = f"Ours {rng.random()}."
    elif what == "title":
        title = f"Ours {rng.random()}"
    elif what == "place":
        keys["position"] = rng.randrange(200)
    elif what == "describe":
        keys["description"] = f"Ours {rng.random()}"
    elif what == "status":
        keys["status"] = rng.choice(["draft", "archived"])
    elif what == "move":
        keys["category"] = "b" if folder == "a" else "a"
    elif what == "new":
        written(world, f"en/{folder}/new-{slug}.md", an_article(f"New {slug}", **keys))
        return
    written(world, f"en/{folder}/{slug}.md", None if what == "delete" else an_article(title, body, **keys))


def play_round(world: World, rng: random.Random, *, stale: bool) -> Pushed | None:
    """A person, a writer, and a push hours after the last one; None where that is refused."""
    slugs = [f"x{n:03}" for n in range(1, 31, 5)] + [f"y{n:02}" for n in range(1, 61, 12)]
    for _ in range(rng.randint(1, 4)):
        # More often than not the same few articles: a person and a writer are to meet.
        act, slug = rng.choices([*PANEL], [weight for weight, _ in PANEL.values()])[0], rng.choice(slugs)
        its_own = random.Random(rng.random())
        if (article := world.sandbox.panel.article(slug)) is not None and article.category_id is not None:
            PANEL[act][1](world, slug, its_own)
    for _ in range(rng.randint(0, 2)):
        slug, its_own = rng.choice(slugs), random.Random(rng.random())
        with suppress(FileNotFoundError):  # It was deleted before.
            write(world, slug, its_own)
    options = dict(rng.choice(OPTIONS))
    if rng.random() < 0.2:
        options["overwrite"] = (str(world.project.root / "en" / "a"),)
    if stale:
        aged(world)
    try:
        return pushed(world, full=not stale, **options)
    except KbsyncError:
        return None


def portal(world: World) -> dict[str, object]:
    """Every article but for its id, its number and its times, and the order of each category."""
    found = sorted(world.sandbox.panel.articles(PORTAL), key=lambda item: (item.position or 0, item.slug))
    rows = {
        item.slug: (
            item.title, item.content, item.description, item.status, item.category_id, item.draft_title,
            item.draft_content,
        )
        for item in found
    }  # fmt: skip
    orders = {id: [item.slug for item in found if item.category_id == id] for id in {i.category_id for i in found}}
    return {**rows, "orders": orders}


@pytest.mark.parametrize("seed", seeds(GAMES))
def test_the_portal_is_the_same_after_a_push_of_old_rows_and_after_one_that_reads_all(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("KBSYNC_TOKEN", TOKEN)
    removed = random.Random(seed).choice(["report", "archive", "delete"])
    (tmp_path / "stale").mkdir()
    (tmp_path / "full").mkdir()
    with (
        a_settled_world(tmp_path / "stale", removed=removed) as stale,
        a_settled_world(tmp_path / "full", removed=removed) as full,
    ):
        for number in range(ROUNDS):
            monkeypatch.setenv("KBSYNC_TOKEN_ORIGIN", stale.sandbox.base_url)
            one = play_round(stale, random.Random(f"{seed} {number}"), stale=True)
            monkeypatch.setenv("KBSYNC_TOKEN_ORIGIN", full.sandbox.base_url)
            two = play_round(full, random.Random(f"{seed} {number}"), stale=False)
            assert portal(stale) == portal(full), (number, one and one.outcomes, two and two.outcomes)
            assert (one is None) == (two is None)
            if one is not None and two is not None:
                held = {(item.slug, item.reason) for item in two.plan.held}
                assert {(item.slug, item.reason) for item in one.plan.held} <= held, number
