"""What the service refuses to store as an article. Source: docs/service.md, S4, S111, S112, S117, S118."""

from typing import Any

from .auth import World
from .casts import STATUSES, is_blank
from .refusals import Problem, crashed

TEXT_LIMITS = {"title": 255, "description": 20_000, "content": 20_000, "slug": 255, "locale": 255}
"""Characters, in the order in which the service complains. Source: docs/service.md, S4."""

DRAFT_LIMITS = {"draft_title": 255, "draft_content": 20_000}
"""Characters of staged changes. Source: docs/service.md, S111."""

RESERVED_SLUGS = frozenset({"search", "articles", "categories"})
"""Addresses of the public site from 4.16 on. Source: docs/service.md, S118."""

State = dict[str, Any]


def problems(world: World, state: State) -> list[Problem]:
    """What is wrong with an article, in the service's order."""
    return [
        *_too_long(world, state),
        *_author(world, state["author_id"]),
        *([("title", "Title can't be blank")] if is_blank(state["title"]) else []),
        *([("content", "Content can't be blank")] if _lacks_content(world, state) else []),
        *([("slug", "Slug is reserved")] if world.behaviour.is_4_16 and state["slug"] in RESERVED_SLUGS else []),
    ]


def check_bytes(state: State) -> None:
    """Refuse what the database cannot hold.

    Raises:
        Halt: 500 where a text holds a NUL.
    """
    meta = state["meta"]
    texts = [state[name] for name in (*TEXT_LIMITS, *DRAFT_LIMITS)]
    texts += [meta.get("title"), meta.get("description"), *meta.get("tags", [])]
    if any("\0" in text for text in texts if isinstance(text, str)):
        raise crashed()


def _too_long(world: World, state: State) -> list[Problem]:
    limits = TEXT_LIMITS | (DRAFT_LIMITS if world.behaviour.is_4_16 else {})
    return [
        (name, f"{name.capitalize().replace('_', ' ')} is too long (maximum is {limit} characters)")
        for name, limit in limits.items()
        if len(state[name] or "") > limit
    ]


def _author(world: World, author_id: int | None) -> list[Problem]:
    found: list[Problem] = []
    if author_id is None or not world.store.row("SELECT 1 FROM users WHERE id = ?", (author_id,)):
        found.append(("author", "Author must exist"))
    if author_id is None:
        found.append(("author_id", "Author can't be blank"))
    return found


def _lacks_content(world: World, state: State) -> bool:
    is_needed = not world.behaviour.is_4_16 or state["status"] == STATUSES["published"]
    return is_needed and is_blank(state["content"])
