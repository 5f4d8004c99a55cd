"""The service, as the rest of kbsync sees it: operations on articles and categories, in kbsync's own values.

Also: which slugs another portal of the installation has, although the API of this one does not show it.

The public address of a slug answers 500 where another portal has it, and 404 where no portal has (docs/service.md, S1,
S2 and section 9). A 500 proves nothing by itself: a service in trouble answers the same, and so does one that does not
know the host which it is asked under. So a slug that no portal has is looked up once as well: only where that is a 404
does a 500 count.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import UnsetType

from kbsync.errors import Denied, NotFound, ServerFailed, ServiceError
from kbsync.model import Fields, Kind, Observed, RemoteId, Status
from kbsync.service import decoded, wire
from kbsync.service.answers import SHOWN_CHARS
from kbsync.service.endpoint import Endpoint
from kbsync.service.pace import request_threads
from kbsync.service.portal import Owner, PortalInfo, check_locales
from kbsync.service.portal_fields import observed_portal, portal_body
from kbsync.service.portal_reader import LIST_THREADS, PortalReader
from kbsync.service.profile import Profile
from kbsync.service.transport import Answer, File

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from kbsync.service.api import ApiRequest

TAKEN = 500
FREE = 404

NO_SUCH_SLUG = "kbsync-looks-whether-a-free-slug-is-a-404"
"""What no article is called."""


class Owners(msgspec.Struct, eq=False):
    """What the public addresses of slugs say. For all threads of one client.

    `ask` gives the status of a slug's public address; with False it does so in a single try.
    """

    ask: Callable[[str, bool], int]
    _is_telling: bool | None = None
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def is_elsewhere(self, slug: str) -> bool:
        """Whether another portal has this slug; one look-up. False where that cannot be found out."""
        try:
            return self.ask(slug, False) == TAKEN and self._is_told()
        except ServiceError:
            return False

    def elsewhere(self, slugs: Sequence[str], pool: ThreadPoolExecutor) -> frozenset[str]:
        """Those of the slugs that another portal has; none where that cannot be found out.

        The first one is asked alone: it shows whether the others are worth a request. Nothing was refused yet, so what
        answers 500 is asked once more when all others were.
        """
        if not slugs:
            return frozenset()
        try:
            first = self.ask(slugs[0], False)
            if first not in {200, TAKEN, FREE} or (first == TAKEN and not self._is_told()):
                return frozenset()
            taken = [slugs[0]] if first == TAKEN else []
            taken += self._taken(slugs[1:], pool)
            return frozenset(self._taken(taken, pool) if taken and self._is_told() else ())
        except ServiceError:
            return frozenset()

    def _taken(self, slugs: Sequence[str], pool: ThreadPoolExecutor) -> list[str]:
        answers = pool.map(lambda slug: self.ask(slug, False), slugs)
        return [slug for slug, status in zip(slugs, answers, strict=True) if status == TAKEN]

    def _is_told(self) -> bool:
        """Whether a free slug is a 404 here; asked once."""
        with self._lock:
            if self._is_telling is None:
                self._is_telling = self.ask(NO_SUCH_SLUG, True) == FREE
            return self._is_telling


NAMED_PORTALS = 10


class Article(NamedTuple):
    """An article as it is now: `text` is None where the answer leaves it out, `draft` where no edit is pending."""

    item: Observed
    text: str | None
    draft: str | None


class Service:
    """One portal of one service, spoken to over HTTP as a profile says.

    Every method raises a `ServiceError` that names the request and what came back.

    Args:
        endpoint: words the requests; it has the version that the service is taken for.

    `reader` has what lists show, `transport` sends.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.transport = endpoint.transport
        self.reader = PortalReader(endpoint)
        self._owners = Owners(endpoint.public_status)

    @property
    def profile(self) -> Profile:
        """What the service can do and keeps, in its version."""
        return self.endpoint.profile

    # --- looking ---------------------------------------------------------------------------------------------------

    def check_connection(self) -> None:
        """Ask the one thing that every service answers: the account's inboxes."""
        decoded.anything(self.endpoint.ask("check"))

    def fetch_owner(self) -> Owner:
        """Whose token it is, and what that user is in this account."""
        return decoded.owner(self.endpoint.ask("profile"), self.endpoint.account_id)

    def fetch_portal(self) -> PortalInfo:
        """The portal itself, found in the list: an unknown slug there is an answer, a 500 is not.

        Source: docs/service.md, S15.

        Raises:
            NotFound: there is no such portal; the hint lists those that there are.
        """
        portals = self.reader.fetch_portals()
        for portal in portals:
            if portal.slug == self.endpoint.portal:
                return check_locales(portal)
        names = ", ".join(f"`{portal.slug[:SHOWN_CHARS]}`" for portal in portals[:NAMED_PORTALS]) or "none"
        names += f" and {len(portals) - NAMED_PORTALS:,} more" if len(portals) > NAMED_PORTALS else ""
        raise NotFound(
            f"Account {self.endpoint.account_id} has no portal `{self.endpoint.portal}`.",
            hint=f"Set [service] portal to one of: {names}." if names else "Create the portal in the panel first.",
        )

    def read_article(self, remote_id: RemoteId, *, locale: str) -> Article:
        """One article as it is now."""
        article = decoded.article(self.endpoint.ask("show_article", id=remote_id))
        self.reader.note_look(article, locale)
        content, draft = article.content, article.draft_content
        text = None if isinstance(content, UnsetType) else content or ""
        return Article(self._observed(article, locale), text, None if isinstance(draft, UnsetType) else draft)

    def show_portal(self) -> Observed:
        """The portal itself as it is now."""
        return observed_portal(decoded.portal(self.endpoint.ask("show_portal")))

    def find_article(self, slug: str, *, locale: str, thorough: bool = False) -> Observed | None:
        """Look an article up by its slug, drafts included; None where the portal has none.

        The public page answers for drafts and archived ones too (docs/service.md, S2). It cannot for a slug with a dot
        (docs/service.md, S21), answers 500 for one of another portal, and 401 under a host that it does not know
        (docs/service.md, section 9); then the list is read; and with `thorough` also where the page says that there is
        none. Under a reserved slug it shows something else (docs/service.md, S119).
        """
        if not self._has_public_page(slug):
            return self.reader.find_in_list(slug, locale)
        try:
            found = self._observed(decoded.article(self.endpoint.ask("find_article", slug=slug, public=True)), locale)
            return self.read_article(found.remote_id, locale=locale).item if self.profile.can("show_article") else found
        except NotFound:
            if not thorough or not self.profile.can("list_articles"):
                return None
        except (ServerFailed, Denied) as exc:
            # Any other failure says nothing about the slug.
            if exc.status not in {401, 500} or not self.profile.can("list_articles"):
                raise
        return self.reader.find_in_list(slug, locale)

    def slugs_elsewhere(self, slugs: Collection[str]) -> frozenset[str]:
        """Those of the slugs that another portal of the installation has, as far as the public site shows it."""
        asked = [slug for slug in slugs if self._has_public_page(slug)]
        with request_threads(LIST_THREADS, "list") as pool:
            return self._owners.elsewhere(asked, pool)

    def is_elsewhere(self, slug: str) -> bool:
        """Whether another portal has a slug with which a create or an update was just refused."""
        return self._has_public_page(slug) and self._owners.is_elsewhere(slug)

    def _has_public_page(self, slug: str) -> bool:
        """Whether the public page of a slug is an article's (docs/service.md, S21 and S119)."""
        return "." not in slug and slug not in self.profile.limits.reserved_slugs and self.profile.can("find_article")

    def can_find(self, slug: str) -> bool:
        """Whether an article can be looked up by this slug. No article can have a reserved one."""
        if slug in self.profile.limits.reserved_slugs:
            return False
        return self.profile.can("list_articles") or (self.profile.can("find_article") and "." not in slug)

    # --- changing --------------------------------------------------------------------------------------------------

    def create_category(self, fields: Fields, *, locale: str) -> Observed:
        """Make a category; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.profile.keeps("category", name)}
        try:
            answer = self.endpoint.ask("create_category", body={**wire.category_body(sent), "locale": locale})
        except NotFound as exc:
            # Only the portal can be missing; before 4.16 that is a 500 (docs/service.md, S15 and S132).
            missing = f"Account {self.endpoint.account_id} seems to have no portal `{self.endpoint.portal}`."
            raise NotFound(
                f"{exc.message.removesuffix('.')}. {missing}",
                hint="Check account_id and portal under [service]. `kbsync check` names the portals that there are.",
                status=exc.status,
            ) from exc
        return self.reader.take_category(answer, locale)

    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed:
        """Change some fields of a category; the answer, as the portal now holds it."""
        return self.reader.take_category(
            self.endpoint.ask("update_category", id=remote_id, body=wire.category_body(fields)), locale
        )

    def update_portal(self, fields: Fields) -> Observed:
        """Change some settings of the portal; the answer, as it now is.

        What is in the same key of its config and not among these is asked for right before and sent along
        (docs/service.md, S133).
        """
        now = decoded.portal(self.endpoint.ask("show_portal"))
        return observed_portal(decoded.portal(self.endpoint.ask("update_portal", body=portal_body(fields, now))))

    def create_article(self, fields: Fields, *, content: str, locale: str, category_id: RemoteId | None) -> Observed:
        """Create an article, explicitly as a draft; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.profile.keeps("article", name)}
        body = wire.article_body(sent, content=content, category_id=category_id, meta_before={})
        body |= {"status": self.profile.number_of(Status.DRAFT), "locale": locale}
        return self._observed(decoded.article(self.endpoint.ask("create_article", body=body)), locale, outlined=False)

    def update_article(
        self,
        remote_id: RemoteId,
        fields: Fields,
        *,
        before: Observed,
        content: str | None,
        category_id: RemoteId | None,
        status: Status | None = None,
        draft_content: str | None = None,
    ) -> Observed:
        """Change some fields of an article, or its status; the answer, as the portal now holds it.

        `draft_content` is the text behind that field, as `content` is.
        """
        body = wire.article_body(
            fields,
            content=content,
            category_id=category_id,
            meta_before=before.fields,
            draft_content=draft_content,
        )
        if status is not None:
            body["status"] = self.profile.number_of(status)
        article = decoded.article(self.endpoint.ask("update_article", id=remote_id, body=body))
        self.reader.note_write(article, before.locale)
        return self._observed(article, before.locale, outlined=False)

    def update_statuses(self, remote_ids: Sequence[RemoteId], status: Status) -> None:
        """Change the status of several articles: of all or, if one is invalid, of none (docs/service.md, S129).

        Ids that are not there are left out without a word, and the answer is empty: who asks has to look.

        Raises:
            NotFound: the service is older than 4.16 and has no such request.
        """
        self.endpoint.ask("bulk_status", body={"ids": list(remote_ids), "status": status.value})

    def delete(self, kind: Kind, remote_id: RemoteId) -> None:
        """Delete an article or category. The answer's body is empty (docs/service.md, S17); gone already is as good."""
        try:
            self.endpoint.ask(f"delete_{kind}", id=remote_id)
        except NotFound:
            return

    def upload(self, name: str, data: bytes, kind: str) -> str:
        """Upload a file; the address that it has from now on. Source: docs/service.md, section 5.

        The same file uploaded twice has two addresses, which cannot be listed or deleted.
        """
        return decoded.file_url(self.endpoint.ask("upload", file=File("attachment", name, kind, data)))

    def send(self, request: ApiRequest) -> Answer:
        """Ask what a person worded, at the same pace and with the same token; whatever comes back is the answer."""
        return self.transport.send(
            request.method,
            request.path,
            body=request.body if request.file is None else None,
            query=request.query,
            public=request.is_public,
            file=request.file,
            repeat=request.file is None,
        )

    def _observed(self, article: wire.WireArticle, locale: str, *, outlined: bool = True) -> Observed:
        profile, own, known = self.profile, self.endpoint.own, self.reader.categories
        return wire.observed_article(article, profile, locale=locale, categories=known, outlined=outlined, own=own)
