"""The public help center as any reader gets it. No request has a token in it.

From 4.14 on an article's address with `.md` behind it gives the stored bytes of a published one (docs/service.md,
S144). Where a service is older, or does not say its version, the page is read, and the article's JSON has its status.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from kbsync.errors import Locked, Misbehaved, NotFound, ServiceError
from kbsync.markdown.versions import Version
from kbsync.model import Status
from kbsync.service import decoded
from kbsync.service.answers import check_status, decode
from kbsync.service.profile import UNAUTHORIZED, Profile
from kbsync.service.transport import Answer, Transport
from kbsync.service.wire import path_part

FIRST_WITH_MARKDOWN = Version(4, 14)

PER_PAGE = 100
"""Articles in one page of the public list. Source: docs/service.md, S146."""

ALL_AT_ONCE = 1_000
"""The same of an older service, which gives as many as are asked for, and has no second page."""

MOST_PAGES = 1_000
"""A hundred thousand articles in one locale."""

BODY = re.compile(r'<(article|div) id="cw-article-content"[^>]*>')
"""What is around the body of an article in its page. Source: docs/service.md, S147."""


PASSWORD = "KBSYNC_PORTAL_PASSWORD"
"""The variable with the password that a portal asks its readers for."""


class PublicArticle(msgspec.Struct, frozen=True):
    """One article as the public JSON shows it, whatever its status (docs/service.md, S8)."""

    slug: str
    title: str | None = None
    content: str | None = None
    status: str | int | None = None


class PublicPage(msgspec.Struct, frozen=True):
    """One page of the public list, and how many articles the locale has."""

    payload: tuple[PublicArticle, ...]
    meta: dict[str, Any] = {}


@dataclass
class PublicSite:
    """The public pages of one portal, at the pace of its transport.

    `password` gives what the portal asks its readers for, or ""; it is called where the portal asks, and once.
    """

    profile: Profile
    transport: Transport
    portal: str
    password: Callable[[], str] = lambda: ""
    _door: threading.Lock = field(default_factory=threading.Lock)
    _is_open: bool | None = None

    @cached_property
    def told_version(self) -> str:
        """What the service says it is; "" where it does not say."""
        try:
            return decoded.version(self._ask("version"))
        except ServiceError:
            return ""

    @property
    def version(self) -> Version | None:
        """The same to compare with; None where it does not say."""
        return Version.of(self.told_version) if self.told_version else None

    @property
    def has_markdown(self) -> bool:
        """Whether articles can be read as they are stored."""
        return self.version is not None and self.version >= FIRST_WITH_MARKDOWN

    def article(self, slug: str) -> PublicArticle | None:
        """An article of any status; None where the portal has none of this slug.

        Raises:
            ServiceError: there is no answer that says so; a 500 where another portal has the slug.
        """
        if not self.has_page(slug):
            return None
        try:
            found: PublicArticle = decode(self._ask("find_article", slug=slug), PublicArticle)
        except NotFound:
            return None
        if found.slug != slug:
            raise Misbehaved(f"kbsync asked for the article `{slug}`. The service answered with `{found.slug}`.")
        return found

    def status_of(self, article: PublicArticle) -> Status | None:
        """Where an article is in its life, as far as its JSON says."""
        return self.profile.status_of(article.status)

    def markdown(self, slug: str) -> str | None:
        """What is stored of a published article; None where readers get nothing under this slug.

        Raises:
            Misbehaved: the answer is no Markdown.
        """
        if not self.has_page(slug):
            return None
        try:
            answer = self._ask("read_markdown", slug=slug)
        except NotFound:
            return None
        if answer.content_type != "text/markdown":
            kind = answer.content_type or "no type"
            raise Misbehaved(f"{answer.asked}: The service answered with {kind} instead of Markdown.")
        return answer.body.decode("utf-8", "replace")

    def page_body(self, slug: str) -> str | None:
        """The HTML of an article's body in its page; None where the page does not show where that is."""
        return body_in(self._ask("read_page", slug=slug).body.decode("utf-8", "replace"))

    def published(self, locale: str) -> tuple[list[PublicArticle], int]:
        """What the public list of a locale shows, without texts, and how many articles the locale has.

        What several pages show is taken once.
        """
        found: dict[str, PublicArticle] = {}
        per_page, total = PER_PAGE if self.has_markdown else ALL_AT_ONCE, 0
        for number in range(1, MOST_PAGES + 1):
            query = {"per_page": per_page, "page": number}
            page: PublicPage = decode(self._ask("list_published", locale=locale, query=query), PublicPage)
            count = page.meta.get("articles_count")
            total = count if isinstance(count, int) else total
            new = [row for row in page.payload if row.slug not in found]
            found |= {row.slug: PublicArticle(row.slug, row.title, None, row.status) for row in new}
            if not new or len(page.payload) < per_page:
                break
        return list(found.values()), max(total, len(found))

    def status_at(self, address: str) -> int:
        """The status of the answer at a public address of the portal."""
        return self._send("GET", address).status

    def has_page(self, slug: str) -> bool:
        """Whether the address of a slug can be an article's (docs/service.md, S21 and S119)."""
        return "." not in slug and slug not in self.profile.limits.reserved_slugs

    def _ask(self, operation: str, *, slug: str = "", locale: str = "", query: dict[str, Any] | None = None) -> Answer:
        entry = self.profile.operation(operation)
        path = entry.path.format(portal=path_part(self.portal), slug=path_part(slug), locale=path_part(locale))
        return check_status(self._send(entry.method, path, query))

    def _send(self, method: str, path: str, query: dict[str, Any] | None = None) -> Answer:
        """The answer to a reader, who has typed the password where that is needed.

        Raises:
            Locked: it is needed, and it is not known or not right.
        """
        answer = self.transport.send(method, path, query=query, public=True)
        if not _asks_for_a_password(answer):
            return answer
        with self._door:
            if self._is_open is None:
                self._is_open = self._unlock()
        # What it gave for the password is a cookie, which the connections keep.
        answer = self.transport.send(method, path, query=query, public=True)
        if _asks_for_a_password(answer):
            raise Locked(
                f"The portal `{self.portal}` asks its readers for a password.",
                hint=f"Set {PASSWORD} to it. kbsync sends it to {self.transport.base_url} and nowhere else.",
            )
        return answer

    def _unlock(self) -> bool:
        """Type the password, as far as there is one; whether there was.

        Raises:
            Locked: it is not the right one.
        """
        password = self.password() if self.profile.can("unlock") else ""
        if not password:
            return False
        entry = self.profile.operation("unlock")
        path = entry.path.format(portal=path_part(self.portal))
        answer = self.transport.send(entry.method, path, body={"password": password}, public=True)
        if not 300 <= answer.status < 400:
            raise Locked(
                f"{answer.asked}: The service answered {answer.status}, so {PASSWORD} is not the password "
                f"of the portal `{self.portal}`.",
                hint="An administrator can set another one in the panel, in the settings of the help center.",
            )
        return True


def _asks_for_a_password(answer: Answer) -> bool:
    """Whether this 401 is the portal's own: that of an unknown host has JSON, and a proxy says how to sign in.

    Source: docs/service.md, S158.
    """
    if answer.status != UNAUTHORIZED or "www-authenticate" in answer.headers:
        return False
    return not answer.body or "noindex" in answer.headers.get("x-robots-tag", "")


def body_in(page: str) -> str | None:
    """The HTML inside of the element that has an article's body, without the white space around it."""
    opened = BODY.search(page)
    if opened is None:
        return None
    depth = 1
    for tag in re.finditer(rf"<(/?){opened[1]}\b", page[opened.end() :]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return page[opened.end() : opened.end() + tag.start()].strip()
    return None
