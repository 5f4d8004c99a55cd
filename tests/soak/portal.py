"""The portal as it is, and what people do to it in the panel. Each act says what it did, or None."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.sandbox import Sandbox
from push.world import PORTAL

if TYPE_CHECKING:
    from .truth import Truth

WORDS = ("draft", "published", "archived")
GUARDED = ("title", "content", "status", "category_id")
"""What people edit here, and nobody may overwrite."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An article as the portal holds it."""

    id: int
    slug: str
    title: str
    content: str
    status: str
    locale: str
    category: str
    category_id: int | None
    description: str

    def __str__(self) -> str:
        return f"#{self.id} `{self.slug}` {self.title!r} ({self.status}, {self.locale}/{self.category})"


def look(sandbox: Sandbox) -> dict[int, Shown]:
    """All articles, by id."""
    return {
        row.id: Shown(
            row.id, row.slug, row.title or "", row.content or "", WORDS[row.status or 0], row.locale,
            row.category.slug or "", row.category_id, row.description or "",
        )
        for row in sandbox.panel.articles(PORTAL)
    }  # fmt: skip


def save(sandbox: Sandbox, path: Path) -> None:
    """Keep the portal in a file."""
    sandbox.run(lambda world: world.store.connection.execute("VACUUM INTO ?", (str(path),)))


def restore(sandbox: Sandbox, path: Path) -> None:
    """The portal as it was kept."""

    def work(world: object) -> None:
        source = sqlite3.connect(path)
        source.backup(world.store.connection)  # type: ignore[attr-defined]
        source.close()
        world.store.last_stamp_us = 0  # type: ignore[attr-defined]

    sandbox.run(work)
    sandbox.app.log.clear()
    sandbox.faults.clear()


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the panel; what they do is told to the oracle."""

    sandbox: Sandbox
    truth: Truth
    rng: random.Random

    def act(self, name: str) -> str | None:
        before = look(self.sandbox)
        return ACTS[name][0](self, before) if before else None

    def one_of(self, shown: dict[int, Shown]) -> Shown:
        return shown[self.rng.choice(sorted(shown))]

    def edit(self, item: Shown, **fields: object) -> None:
        """As the panel does it."""
        self.sandbox.panel.edit(item.slug, **fields)
        self.truth.person_edited(item, look(self.sandbox)[item.id])


def edit_title(person: Person, before: dict[int, Shown]) -> str:
    item = person.one_of(before)
    person.edit(item, title=f"A person's P{person.rng.randrange(10_000)}")
    return f"panel: title of {item}"


def edit_content(person: Person, before: dict[int, Shown]) -> str:
    item = person.one_of(before)
    # Some rewrite everything, some a word: then the text is still nearly ours.
    own = f"A person wrote P{person.rng.randrange(10_000)}."
    person.edit(item, content=own if person.rng.random() < 0.3 else f"{item.content}\n{own}")
    return f"panel: text of {item}"


def set_back(person: Person, before: dict[int, Shown]) -> str:
    """Somebody edits and takes it back: nobody's value is another one, so the oracle is told of nothing."""
    item = person.one_of(before)
    name = person.rng.choice(("title", "content"))
    person.sandbox.panel.edit(item.slug, **{name: "A person was here."})
    person.sandbox.panel.edit(item.slug, **{name: getattr(item, name)})
    return f"panel: {name} of {item} edited and set back"


def roll_back(person: Person, before: dict[int, Shown]) -> str | None:
    item = person.one_of(before)
    older = [text for text in person.truth.texts.get(item.id, []) if text != item.content]
    if not older:
        return None
    person.edit(item, content=person.rng.choice(older))
    return f"panel: {item} back to an older text"


def edit_status(person: Person, before: dict[int, Shown]) -> str:
    item = person.one_of(before)
    status = person.rng.choice([word for word in WORDS if word != item.status])
    person.edit(item, status=status)
    return f"panel: status of {item} -> {status}"


def move(person: Person, before: dict[int, Shown]) -> str | None:
    item = person.one_of(before)
    sql = "SELECT id FROM categories WHERE locale = ? AND id IS NOT ? ORDER BY id"
    homes = person.sandbox.run(lambda world: world.store.rows(sql, (item.locale, item.category_id)))
    if not homes:
        return None
    person.edit(item, category_id=person.rng.choice(homes)[0])
    return f"panel: another category for {item}"


def delete(person: Person, before: dict[int, Shown]) -> str:
    item = person.one_of(before)
    person.sandbox.panel.delete(item.slug)
    person.truth.person_deleted(item.id)
    return f"panel: delete {item}"


def recreate(person: Person, before: dict[int, Shown]) -> str:
    item = person.one_of(before)
    told = delete(person, {item.id: item})
    words = f"A person made it again P{person.rng.randrange(10_000)}."
    person.sandbox.panel.create(
        PORTAL, item.title, words, slug=item.slug, category_id=item.category_id, locale=item.locale
    )
    made = next(found for found in look(person.sandbox).values() if found.slug == item.slug)
    person.truth.person_made(made)
    return f"{told}, and make another under its slug, #{made.id}"


Act = Callable[[Person, dict[int, Shown]], str | None]
ACTS: Mapping[str, tuple[Act, int]] = {
    "panel title": (edit_title, 3),
    "panel text": (edit_content, 4),
    "panel set back": (set_back, 3),
    "panel roll back": (roll_back, 3),
    "panel status": (edit_status, 3),
    "panel move": (move, 2),
    "panel delete": (delete, 2),
    "panel recreate": (recreate, 1),
}
"""Each with its weight."""
