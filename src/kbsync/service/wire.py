"""The service's JSON and kbsync's values, each made from the other. Raw dicts end here.

Readers are tolerant: `payload` there or not, ids as numbers or text, unknown fields ignored, missing ones empty.
Annotations are no text here: see `model.py`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS, FIELDS, LINK_FIELD, META_NAMES, WIRE_NAMES, Type
from kbsync.markdown.outline import outline
from kbsync.markdown.own_pages import NO_PAGES, OwnPages, with_paths
from kbsync.markdown.uploaded import addresses_in, body_digest
from kbsync.model import DRAFTS, Fields, Observed, RemoteId, Value
from kbsync.service.profile import Profile

_PLAIN_TEXTS = tuple(f.name for f in FIELDS if f.type is Type.TEXT and not f.wire and not f.in_meta)
ARTICLE_TEXTS = tuple(name for name in _PLAIN_TEXTS if name in ARTICLE_FIELDS and name != "content")
CATEGORY_TEXTS = tuple(name for name in _PLAIN_TEXTS if name in CATEGORY_FIELDS)
"""The fields that the service gives as texts under kbsync's names; of a body only a digest is kept."""

DIGITS = re.compile(r"[0-9]{1,18}")

VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})?[0-9A-Za-z.+-]{0,40}")
"""A version of the service, such as `4.16.2`, with or without what marks a build."""

NAME_CHARS = 200
"""Characters of a person's name that are kept; the service sends at most 255."""

Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A number that fits where numbers are kept: in the ledger and in caches."""

WireId = Number | str
"""An id of the service, as a number or as text."""


class WireRoot(msgspec.Struct, frozen=True, gc=False):
    """The category that another one is a translation of, as the answer of that one mentions it."""

    id: WireId | None = None


class WireCategory(msgspec.Struct, frozen=True, gc=False):
    """A category, whole or as an article mentions it; an article without one mentions one without an id."""

    id: WireId | None = None
    slug: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    locale: str | None = None
    description: str | UnsetType | None = UNSET
    position: Number | UnsetType | None = UNSET
    icon: str | UnsetType | None = UNSET
    icon_color: str | UnsetType | None = UNSET
    root_category: WireRoot | None = None


class WireAuthor(msgspec.Struct, frozen=True, gc=False):
    """Of an author only the id is compared, and the name is shown; the rest (availability, avatar) is noise."""

    id: WireId | None = None
    name: Any = None


class WireMeta(msgspec.Struct, frozen=True, gc=False):
    """An article's `meta`. Source: docs/service.md, S23: nothing else is kept in it."""

    title: Any = None
    description: Any = None
    tags: Any = None


class WireTranslation(msgspec.Struct, frozen=True, gc=False):
    """A translation as the answer of its original mentions it."""

    id: WireId | None = None


class WireArticle(msgspec.Struct, frozen=True, gc=False):
    """An article. Source: docs/service.md, section 4. It does not say its locale (docs/service.md, S3)."""

    id: WireId | None = None
    slug: str | UnsetType | None = UNSET
    title: str | UnsetType | None = UNSET
    content: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    status: str | Number | None = None
    draft_title: str | UnsetType | None = UNSET
    draft_content: str | UnsetType | None = UNSET
    position: Number | UnsetType | None = UNSET
    updated_at: Number | None = None
    meta: WireMeta | UnsetType | None = UNSET
    category: WireCategory | UnsetType | None = UNSET
    author: WireAuthor | UnsetType | None = UNSET
    views: Any = None
    associated_articles: list[WireTranslation] | None = None


class ArticleAnswer(WireArticle, frozen=True):
    """One article, in a `payload` or bare."""

    payload: WireArticle | None = None


class CategoryAnswer(WireCategory, frozen=True):
    """One category, in a `payload` or bare."""

    payload: WireCategory | None = None


class ListMeta(msgspec.Struct, frozen=True):
    """The counters of a list. `articles_count` follows the locale filter."""

    articles_count: Number | None = None


class ArticlePage(msgspec.Struct, frozen=True):
    """One page of articles."""

    payload: list[WireArticle]
    meta: ListMeta | None = None

    @property
    def count(self) -> int | None:
        """How many articles the filters let through, all pages together; None where the service does not say."""
        return self.meta.articles_count if self.meta else None


class CategoryPage(msgspec.Struct, frozen=True):
    """One page of categories. `meta.categories_count` counts the page (docs/service.md, S19), so it is not used."""

    payload: list[WireCategory]


class WireUpload(msgspec.Struct, frozen=True):
    """What became of a file."""

    file_url: str = ""


class WireLocale(msgspec.Struct, frozen=True):
    """One of a portal's locales."""

    code: str
    categories_count: Number | None = None
    draft: Any = UNSET


class WireConfig(msgspec.Struct, frozen=True):
    """A portal's config; locales come as objects, or as plain codes from others.

    What portal.toml is about is of any type here: `portal_fields.py` reads it, and no portal is refused for it.
    """

    allowed_locales: list[WireLocale | str] = []
    visibility: Any = ""
    layout: Any = UNSET
    locale_translations: Any = UNSET
    popular_content: Any = UNSET
    social_profiles: Any = UNSET
    analytics: Any = UNSET


class PortalMeta(msgspec.Struct, frozen=True):
    """A portal's counters: of all its locales, also of those that it does not allow any more."""

    categories_count: Number | None = None


class WirePortal(msgspec.Struct, frozen=True):
    """A portal."""

    id: WireId | None = None
    slug: str = ""
    name: str | None = None
    color: Any = UNSET
    header_text: Any = UNSET
    page_title: Any = UNSET
    homepage_link: Any = UNSET
    custom_domain: str | None = None
    archived: bool | None = None
    config: WireConfig = WireConfig()
    meta: PortalMeta | None = None

    @property
    def locales(self) -> tuple[str, ...]:
        """The codes of the locales that it allows."""
        return tuple(code if isinstance(code, str) else code.code for code in self.config.allowed_locales)

    @property
    def hidden_locales(self) -> tuple[str, ...]:
        """The codes of those that its language menu leaves out. Source: docs/service.md, S103 and S135."""
        locales = (item for item in self.config.allowed_locales if isinstance(item, WireLocale))
        return tuple(item.code for item in locales if item.draft is True)

    @property
    def category_counts(self) -> dict[str, int]:
        """How many categories each of these has, as far as it is given."""
        locales = (item for item in self.config.allowed_locales if isinstance(item, WireLocale))
        return {item.code: item.categories_count for item in locales if item.categories_count is not None}


class PortalPage(msgspec.Struct, frozen=True):
    """The list of portals, which is not paged."""

    payload: list[WirePortal]


class WireAccount(msgspec.Struct, frozen=True):
    """An account as the token's owner sees it."""

    id: RemoteId
    role: str | None = None


class WireOwner(msgspec.Struct, frozen=True):
    """The token's owner. The answer has the token in it; only these fields are read."""

    id: RemoteId
    name: str | None = None
    role: str | None = None
    accounts: list[WireAccount] = []


class WireVersion(msgspec.Struct, frozen=True):
    """What the service says it is."""

    version: str = ""


def as_id(value: RemoteId | None) -> RemoteId:
    """A number, as a number or text; 0 for anything else."""
    if value is None:
        return 0
    return int(value) if isinstance(value, str) and DIGITS.fullmatch(value) else value


def path_part(text: str) -> str:
    """A text as one part of a path, which it cannot leave: neither with a slash nor as `..`."""
    quoted = quote(text, safe="")
    return quoted.replace(".", "%2E") if quoted in {".", ".."} else quoted


def views_of(wire: WireArticle) -> int:
    """How often readers opened an article; 0 where the service does not count. Source: docs/service.md, S150."""
    return wire.views if isinstance(wire.views, int) and 0 < wire.views < 2**63 else 0


def author_name(wire: WireArticle) -> tuple[RemoteId, str]:
    """The id of an article's author, and the name; "" where the service gives none."""
    author = wire.author if isinstance(wire.author, WireAuthor) else WireAuthor()
    id = as_id(author.id)
    is_sound = isinstance(id, int) or len(id) <= NAME_CHARS
    return id, text_of(author.name)[:NAME_CHARS].strip() if is_sound else ""


def text_of(value: object) -> str:
    """A text of `meta`; anything else counts as empty."""
    return value if isinstance(value, str) else ""


def observed_category(wire: WireCategory, *, locale: str = "") -> Observed:
    """A category of the portal; fields that the answer leaves out are left out here."""
    fields: dict[str, Value] = _texts(wire, CATEGORY_TEXTS)
    if not isinstance(wire.position, UnsetType):
        fields["position"] = wire.position
    # An answer mentions the original only where there is one.
    fields[LINK_FIELD] = as_id(wire.root_category.id) or None if wire.root_category else None
    return Observed(
        kind="category",
        remote_id=as_id(wire.id),
        locale=wire.locale or locale,
        slug=str(fields.get("slug", "")),
        fields=fields,
    )


def category_id_of(wire: WireArticle) -> RemoteId | None:
    """The id of an article's category; None for an uncategorised one, which mentions a category of nulls."""
    return as_id(wire.category.id) or None if isinstance(wire.category, WireCategory) else None


def observed_article(
    wire: WireArticle,
    profile: Profile,
    *,
    locale: str,
    categories: Mapping[RemoteId, Observed],
    outlined: bool = True,
    own: OwnPages = NO_PAGES,
) -> Observed:
    """An article of the portal; fields that the answer leaves out are left out here.

    Args:
        wire: as the service gave it.
        profile: says what its status means.
        locale: of an article without a category; "" where that is not known.
        categories: the portal's categories by id; they know their slug of now.
        outlined: whether git may be asked about the body, and anybody about its images. Of the answer to a write they
            are not, and an outline takes three times as long as the name of the body.
        own: the portal's own pages.
    """
    category, category_id = wire.category if isinstance(wire.category, WireCategory) else None, category_id_of(wire)
    known = categories.get(category_id) if category_id is not None else None
    fields = _article_fields(wire, known)
    images: tuple[str, ...] = ()
    shape, by_path = "", ""
    if not isinstance(wire.content, UnsetType):
        content = wire.content or ""
        if outlined:
            images, shape = addresses_in(content), outline(content)
        if (relative := with_paths(content, own)) != content:
            by_path = body_digest(relative)
    return Observed(
        kind="article",
        remote_id=as_id(wire.id),
        # The category decides the locale (docs/service.md, S9); only of an article without one nothing says it.
        locale=(category.locale if category else None) or (known.locale if known else "") or locale,
        slug=str(fields.get("slug", "")),
        fields=fields,
        status=profile.status_of(wire.status),
        unknown_status=profile.unknown_status(wire.status),
        updated_at=wire.updated_at or 0,
        images=images,
        outline=shape,
        by_path=by_path,
        staged=staged_of(wire),
        stages=not isinstance(wire.draft_title, UnsetType),
    )


def _article_fields(wire: WireArticle, category: Observed | None) -> dict[str, Value]:
    """The fields that an answer has. `category`: the article's own, where it is known."""
    found = _texts(wire, ARTICLE_TEXTS) | {
        "content": _given(wire.content, lambda content: body_digest(content or "")),
        "position": wire.position,
        "author": _given(wire.author, lambda author: (author and as_id(author.id)) or None),
        **_given(wire.meta, lambda meta: _meta_fields(meta or WireMeta()), {}),
        "category": _given(wire.category, lambda own: category.slug if category else (own and own.slug) or None),
    }
    return {name: value for name, value in found.items() if value is not UNSET}


def _texts(wire: WireArticle | WireCategory, names: Iterable[str]) -> dict[str, Any]:
    found = {name: getattr(wire, name) for name in names}
    return {name: given or "" for name, given in found.items() if given is not UNSET}


def _given(value: Any, read: Callable[[Any], Any], left_out: Any = UNSET) -> Any:
    return left_out if value is UNSET else read(value)


def staged_of(wire: WireArticle) -> dict[str, Value]:
    """An edit that is pending in the panel. An empty text is one as well. Source: docs/service.md, S105 and S113."""
    found: dict[str, Value] = {}
    if isinstance(wire.draft_title, str):
        found["title"] = wire.draft_title
    if isinstance(wire.draft_content, str):
        found["content"] = body_digest(wire.draft_content)
    return found


def translations_of(wire: WireArticle) -> tuple[RemoteId, ...]:
    """The ids of the articles that are linked to this one as its translations; only an original names them."""
    return tuple(as_id(linked.id) for linked in wire.associated_articles or () if linked.id is not None)


def _meta_fields(meta: WireMeta) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for field in FIELDS:
        if field.in_meta:
            given = getattr(meta, field.in_meta)
            texts = given if isinstance(given, list) else []
            is_list = field.type is Type.TEXTS
            found[field.name] = tuple(t for t in texts if isinstance(t, str)) if is_list else text_of(given)
    return found


def category_body(fields: Fields) -> dict[str, Any]:
    """The JSON of some fields of a category."""
    return {"associated_category_id" if name == LINK_FIELD else name: value for name, value in fields.items()}


def article_body(
    fields: Fields,
    *,
    content: str | None,
    category_id: RemoteId | None,
    meta_before: Fields,
    draft_content: str | None = None,
) -> dict[str, Any]:
    """The JSON of some fields of an article.

    Args:
        fields: what to send, by kbsync's names.
        content: the text behind the field `content`.
        category_id: the id behind the field `category`.
        meta_before: the article's fields as the portal holds them: `meta` is replaced whole, so what is not ours in
            it is sent along.
        draft_content: the text behind the field `draft_content`; None discards it. Source: docs/service.md, S107.
    """
    body: dict[str, Any] = {}
    meta: dict[str, Value] = {}
    for name, value in fields.items():
        if name == "content":
            body[name] = content
        elif name == DRAFTS["content"]:
            body[name] = draft_content
        elif name == "category":
            body["category_id"] = category_id
        elif name in META_NAMES:
            meta[META_NAMES[name]] = value
        else:
            body[WIRE_NAMES.get(name, name)] = value
    if meta:
        kept = {META_NAMES[name]: meta_before[name] for name in META_NAMES if meta_before.get(name)}
        body["meta"] = kept | meta
    return body
