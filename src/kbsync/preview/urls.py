"""The addresses of the local help center, near the portal's own shapes.

/{locale}/                     the home of a locale
/{locale}/categories/{slug}    a category
/{locale}/articles/{slug}      an article
/-/…                           everything but pages: events, search, files, assets, lists of all files
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode

from kbsync.site.defuse import OWN_FILES

OWN = "/-/"
"""Nothing of the tree has an address below this."""

EVENTS = "/-/events"
OVERVIEW = "/-/overview"
FINDINGS = "/-/findings"
CODES = "/-/codes"
ASSETS = "/-/assets"
FILES = OWN_FILES
SEARCH = "/-/search/"

NO_LOCALE = "_"
"""The locale in the address of a source without a locale."""

Kind = Literal["home", "categories", "articles"]


_SAVES = re.compile(r"^\.[0-9]+/")


class Place(NamedTuple):
    """What an address means; `slug` is "" for a home."""

    kind: Kind
    locale: str
    slug: str


def home_url(locale: str) -> str:
    """The home of a locale."""
    return f"/{quote(locale or NO_LOCALE, safe='')}/"


def category_url(locale: str, slug: str) -> str:
    """The page of a category."""
    return f"{home_url(locale)}categories/{quote(slug, safe='')}"


def article_url(locale: str, slug: str) -> str:
    """The page of an article."""
    return f"{home_url(locale)}articles/{quote(slug, safe='')}"


def file_url(path: str, *, saves: int = 0) -> str:
    """An image of the tree. `saves` makes another address of one that was saved while the preview runs.

    It is a folder that begins with a point: no image of the tree has such an address.
    """
    return FILES + (f".{saves}/" if saves else "") + quote(path, safe="/")


def read_file_url(url: str) -> str:
    """The path of an image that an address means."""
    return unquote(_SAVES.sub("", url.removeprefix(FILES)))


def list_url(base: str, **limits: str) -> str:
    """A list of all files (`OVERVIEW`, `FINDINGS`), as far as these limits have a value."""
    query = urlencode({name: value for name, value in limits.items() if value})
    return f"{base}?{query}" if query else base


def read_list_url(url: str) -> tuple[str, dict[str, str]]:
    """The list that an address means, and its limits."""
    base, _, query = url.partition("?")
    return base, dict(parse_qsl(query))


def search_url(locale: str) -> str:
    """The search index of a locale."""
    return f"{SEARCH}{quote(locale or NO_LOCALE, safe='')}.json"


def read_url(url: str) -> Place | None:
    """What an address means, whether or not something is there; None for one of no such shape."""
    parts = [unquote(part) for part in url.split("/")[1:]] or [""]
    if parts[0] in ("", OWN.strip("/")):
        return None
    locale = "" if parts[0] == NO_LOCALE else parts[0]
    match parts:
        case [_, ""]:
            return Place("home", locale, "")
        case [_, "categories" | "articles" as kind, slug] if slug:
            return Place("categories" if kind == "categories" else "articles", locale, slug)
    return None


def canonical(url: str) -> str:
    """The address as `home_url` and the others write it: a browser may encode a character or not."""
    if url.startswith(OWN):
        return url
    place = read_url(url if url.count("/") > 1 else f"{url}/")
    if place is None:
        return url
    if place.kind == "home":
        return home_url(place.locale)
    return (category_url if place.kind == "categories" else article_url)(place.locale, place.slug)
