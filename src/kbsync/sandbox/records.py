"""The rows of the sandbox as values."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class User:
    """The owner of a token; `role` is None outside of their account."""

    id: int
    name: str
    email: str
    role: str | None


@dataclass(frozen=True, slots=True)
class Author:
    """A person as an article shows them; `role` is None for somebody from outside the account."""

    id: int
    name: str
    email: str
    confirmed: bool
    role: str | None


@dataclass(frozen=True, slots=True)
class Portal:
    """One help center. `config` may lack every key or be null, as in the real database."""

    id: int
    account_id: int
    name: str
    slug: str
    color: str | None
    custom_domain: str | None
    header_text: str | None
    homepage_link: str | None
    page_title: str | None
    archived: bool
    config: dict[str, Any] | None

    @property
    def default_locale(self) -> str:
        """The locale of pages and of articles sent with an empty one."""
        return str((self.config or {}).get("default_locale") or "en")

    @property
    def allowed_locales(self) -> list[str] | None:
        """The locales that categories may have; None where the config is empty."""
        return (self.config or {}).get("allowed_locales")


@dataclass(frozen=True, slots=True)
class Category:
    """One category of one locale."""

    id: int
    account_id: int
    portal_id: int
    name: str
    slug: str
    locale: str
    description: str | None
    position: int | None
    icon: str | None
    parent_category_id: int | None
    associated_category_id: int | None
    icon_color: str | None


@dataclass(frozen=True, slots=True)
class CategoryRef:
    """What an article says about its category; all but the id are None for a category that is not there."""

    id: int | None
    name: str | None
    slug: str | None
    locale: str | None
    icon: str | None
    icon_color: str | None


@dataclass(frozen=True, slots=True)
class Article:
    """One article with what its answers need. Times are microseconds since the epoch.

    `draft_title` and `draft_content` are staged: changes that readers do not see yet. None: no change.
    """

    id: int
    account_id: int
    portal_id: int
    category_id: int | None
    author_id: int | None
    associated_article_id: int | None
    locale: str
    slug: str
    status: int | None
    position: int | None
    views: int | None
    created_at: int
    updated_at: int
    title: str | None
    description: str | None
    meta: dict[str, Any]
    content: str | None
    draft_title: str | None
    draft_content: str | None
    category: CategoryRef
    author: Author | None


@dataclass(frozen=True, slots=True)
class Blob:
    """One uploaded file."""

    id: int
    key: str
    filename: str
    content_type: str
    data: bytes


def columns_of(record: type) -> tuple[str, ...]:
    """The columns of a table, in the order of a record's fields."""
    return tuple(field.name for field in fields(record))


def some_of(record: object, names: str) -> dict[str, Any]:
    """Some fields of a record by their names, in the order in which an answer has them."""
    return {name: getattr(record, name) for name in names.split()}
