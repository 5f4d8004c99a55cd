"""The one table of what articles and categories consist of. A new field is a row here, and its value where it is read.

What a front matter may say, what is compared, sent, listed, saved and shown follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from typing import Literal, NamedTuple

Owner = Literal["category", "article", "portal"]


class Type(Enum):
    """What a field holds, and its empty value."""

    TEXT = ""
    NUMBER = None
    TEXTS = ()


class Field(NamedTuple):
    """One field.

    Args:
        name: kbsync's name, and its key in the front matter.
        type: what it holds.
        of: the kinds that have it.
        as_given: what the front matter says is sent as it is; else it is made (a body, a slug, an id).
        wire: the service's name, where it is another.
        in_meta: its name in an article's `meta`, "" where it is not in there.
        label: what people call it, where that is not the name.
    """

    name: str
    type: Type = Type.TEXT
    of: tuple[Owner, ...] = ("article",)
    as_given: bool = True
    wire: str = ""
    in_meta: str = ""
    label: str = ""


BOTH: tuple[Owner, ...] = ("article", "category")

FIELDS = (
    Field("slug", of=BOTH, as_given=False),
    Field("title", as_given=False),
    Field("name", of=("category",), as_given=False),
    Field("content", as_given=False, label="body"),
    Field("description", of=BOTH),
    Field("category", as_given=False, wire="category_id"),
    Field("position", Type.NUMBER, of=BOTH),
    Field("icon", of=("category",)),
    Field("icon_color", of=("category",), label="icon color"),
    Field("author", Type.NUMBER, as_given=False, wire="author_id"),
    Field("tags", Type.TEXTS, in_meta="tags"),
    Field("meta_title", in_meta="title", label="meta title"),
    Field("meta_description", in_meta="description", label="meta description"),
)
"""In the order in which a report shows them. Each decides for itself."""

LINK = Field("translation_of", Type.NUMBER, as_given=False, wire="associated_article_id", label="translation of")
"""Links a translation to its original; its value is that one's id. `plan/translation_links.py` decides that of an
article, which its own answer does not show. A category's is a field like others."""

PORTAL = (
    Field("name", of=("portal",)),
    Field("color", of=("portal",)),
    Field("header_text", of=("portal",), label="header text"),
    Field("page_title", of=("portal",), label="page title"),
    Field("homepage_link", of=("portal",), label="homepage link"),
    Field("layout", of=("portal",), wire="layout"),
    Field("draft_locales", Type.TEXTS, of=("portal",), wire="draft_locales", label="hidden locales"),
    Field("popular_categories", Type.TEXTS, of=("portal",), wire="popular_content", label="popular categories"),
    Field("popular_articles", Type.TEXTS, of=("portal",), wire="popular_content", label="popular articles"),
    Field("social", of=("portal",), wire="social_profiles", label="social link"),
    Field("analytics", of=("portal",), wire="analytics", label="analytics id"),
)
"""What portal.toml may say. What there is for each locale, and for each name of a group, is a field of its own with it
behind a dot: `page_title.fr`, `popular_articles.en`, `social.github`. So each decides for itself. `wire` is the key of
the portal's config that holds it; what has none is the portal's own."""

GROUPS = ("social", "analytics")
"""What has names of its own behind the dot, and no locales."""

TRANSLATED = ("name", "page_title", "header_text")
TRANSLATIONS = "locale_translations"
"""What a portal has for each locale too, and the key of its config for that. Source: docs/service.md, S136."""

POPULAR: Mapping[str, str] = {"popular_categories": "category_ids", "popular_articles": "article_ids"}
"""The fields whose values are ids, and what the service calls them. Source: docs/service.md, S137."""

PORTAL_KEYS: Mapping[str, str] = {field.name: field.wire for field in PORTAL}
PORTAL_ORDER: Mapping[str, int] = {field.name: place for place, field in enumerate(PORTAL)}

LINK_FIELD = LINK.name
CONFIG_KEYS = tuple(dict.fromkeys((TRANSLATIONS, *filter(None, PORTAL_KEYS.values()))))
"""The keys of the portal's config that portal.toml has something of."""

ARTICLE_FIELDS = tuple(field.name for field in FIELDS if "article" in field.of)
CATEGORY_FIELDS = (*(field.name for field in FIELDS if "category" in field.of), LINK_FIELD)

AS_GIVEN: Mapping[Owner, tuple[str, ...]] = {
    "article": tuple(field.name for field in FIELDS if field.as_given and "article" in field.of),
    "category": tuple(field.name for field in FIELDS if field.as_given and "category" in field.of),
}
"""By kind: the fields that are what the front matter says."""

WIRE_NAMES: Mapping[str, str] = {field.name: field.wire for field in (*FIELDS, LINK) if field.wire}
META_NAMES: Mapping[str, str] = {field.name: field.in_meta for field in FIELDS if field.in_meta}
LABELS: Mapping[str, str] = {
    **{field.name: field.label for field in (*FIELDS, LINK, *PORTAL) if field.label},
    "draft_title": "staged title",
    "draft_content": "staged body",
}


class SideEffects(NamedTuple):
    """What the service changes in an article along with what is sent; a profile declares it in `[side_effects]`.

    Args:
        renumbers_on: a new value of one of these gives the article a new position, whatever is sent with it.
        locale_follows: the field that decides the locale, on every save; "" where a locale is sent by itself.
    """

    renumbers_on: tuple[str, ...] = ()
    locale_follows: str = ""

    def overwrites(self, sent: Collection[str]) -> tuple[str, ...]:
        """The fields to which the service gives values of its own where these are sent."""
        return ("position",) if any(name in sent for name in self.renumbers_on) else ()

    def settles_place(self) -> frozenset[str]:
        """The fields that say together where an article is: neither changes without the other."""
        return frozenset({"locale", self.locale_follows} - {""})


def label_of(name: str) -> str:
    """What people call a field: `body`, `page title (fr)`."""
    root, _, of = name.partition(".")
    label = LABELS.get(root, root)
    return f"{label} ({of})" if of else label


def config_key(name: str) -> str:
    """The key of the portal's config that a field of portal.toml is in; "" for what the portal itself has."""
    root, _, of = name.partition(".")
    return TRANSLATIONS if of and root in TRANSLATED else PORTAL_KEYS.get(root, "")


def is_popular(name: str) -> bool:
    """Whether a field of the portal holds ids of articles or categories."""
    return name.partition(".")[0] in POPULAR


def empty_of(name: str) -> tuple[()] | str:
    """What a field of the portal is where nothing is stored."""
    return () if name.partition(".")[0] in {"draft_locales", *POPULAR} else ""


def in_order(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """Some fields of an item in the order in which a report shows them, and no others."""
    if kind == "portal":
        known = [name for name in names if name.partition(".")[0] in PORTAL_ORDER]
        return tuple(sorted(known, key=lambda name: ("." in name, PORTAL_ORDER[name.partition(".")[0]], name)))
    names = frozenset(names)
    return tuple(name for name in (ARTICLE_FIELDS if kind == "article" else CATEGORY_FIELDS) if name in names)
