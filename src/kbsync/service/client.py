"""The service, as the rest of kbsync sees it: operations on articles and categories, in kbsync's own values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UnsetType

from kbsync.errors import Denied, NotFound, ServerFailed
from kbsync.fields import SideEffects
from kbsync.markdown.own_pages import OwnPages
from kbsync.markdown.versions import Version
from kbsync.model import Fields, Kind, Observed, RemoteId, Status
from kbsync.service import decoded, wire
from kbsync.service.answers import SHOWN_CHARS
from kbsync.service.article_lister import Page
from kbsync.service.category_lister import CategoryLister, Expected
from kbsync.service.endpoint import Endpoint
from kbsync.service.facts import Facts
from kbsync.service.owners import Owners
from kbsync.service.portal import Owner, PortalInfo, check_locales
from kbsync.service.portal_fields import observed_portal, portal_body
from kbsync.service.portal_reader import LIST_THREADS, NOTHING_EXPECTED, NOTHING_KNOWN, PortalReader
from kbsync.service.snapshot import LocaleRows, Snapshot
from kbsync.service.threads import request_threads
from kbsync.service.transport import Answer, File

if TYPE_CHECKING:
    from kbsync.service.api import ApiRequest

NAMED_PORTALS = 10


class HttpService:
    """One portal of one service, spoken to over HTTP as a profile says. See `contract.py`.

    Every method raises a `ServiceError` that names the request and what came back.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Speak to a portal through its endpoint."""
        self.endpoint = endpoint
        self._reader = PortalReader(self.endpoint)
        self._owners = Owners(self.endpoint.public_status)

    @property
    def categories(self) -> Mapping[RemoteId, Observed]:
        """Those of the portal by id, as far as they were looked at."""
        return self._reader.categories

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.endpoint.transport.base_url

    @property
    def own_pages(self) -> OwnPages:
        """Where the portal's own pages are, as far as that is known."""
        return self.endpoint.own

    @property
    def version(self) -> str:
        """Its version; "" before it is known, and where nobody tells."""
        return self.endpoint.version

    @property
    def told_version(self) -> str:
        """What it said of its version when it was asked by this client; "" where nobody asked, or it did not tell."""
        return self.endpoint.told_version

    @property
    def lacks(self) -> Mapping[str, Version]:
        """What its version does not have of what newer ones have, with the version that each came with."""
        return self.endpoint.profile.lacks

    @property
    def side_effects(self) -> SideEffects:
        """What a save changes along with what is sent."""
        return self.endpoint.profile.side_effects

    @property
    def facts(self) -> Facts:
        """What is so in the service's version."""
        return self.endpoint.profile.facts

    @property
    def dropped_headers(self) -> tuple[str, ...]:
        """Names of headers in which the token does not arrive, although it does in the one that is used now."""
        return self.endpoint.transport.token_header.dropped

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self.endpoint.transport.requests

    @property
    def latency_s(self) -> float:
        """How long an answer takes, seconds."""
        return self.endpoint.transport.latency_s

    def close(self) -> None:
        """Send nothing any more."""
        self.endpoint.transport.close()

    def can(self, operation: str) -> bool:
        """Whether the profile has this operation."""
        return self.endpoint.profile.can(operation)

    def keeps(self, kind: Kind, name: str) -> bool:
        """Whether the profile keeps this field of an article or category, in the service's version."""
        return self.endpoint.profile.keeps(kind, name)

    # --- looking ---------------------------------------------------------------------------------------------------

    def check_connection(self) -> None:
        """Ask the one thing that every service answers: the account's inboxes."""
        decoded.anything(self.endpoint.ask("check"))

    def fetch_version(self) -> str:
        """The version that the service says it has; "" where it does not tell."""
        return self.endpoint.fetch_version()

    def use_version(self, version: str) -> None:
        """Take the service for one of this version; for the newest known one where that is ""."""
        self.endpoint.use_version(version)

    def fetch_owner(self) -> Owner:
        """Whose token it is, and what that user is in this account."""
        return decoded.owner(self.endpoint.ask("profile"), self.endpoint.account_id)

    def fetch_portals(self) -> tuple[PortalInfo, ...]:
        """The account's portals."""
        return self._reader.fetch_portals()

    def fetch_portal(self) -> PortalInfo:
        """The portal itself, found in the list: an unknown slug there is an answer, a 500 is not.

        Source: docs/service.md, S15.

        Raises:
            NotFound: there is no such portal; the hint lists those that there are.
        """
        portals = self.fetch_portals()
        for portal in portals:
            if portal.slug == self.endpoint.portal:
                return check_locales(portal)
        names = ", ".join(f"`{portal.slug[:SHOWN_CHARS]}`" for portal in portals[:NAMED_PORTALS]) or "none"
        names += f" and {len(portals) - NAMED_PORTALS:,} more" if len(portals) > NAMED_PORTALS else ""
        raise NotFound(
            f"Account {self.endpoint.account_id} has no portal `{self.endpoint.portal}`.",
            hint=f"Set [service] portal to one of: {names}." if names else "Create the portal in the panel first.",
        )

    def peek(
        self,
        locales: Iterable[str],
        expected: Expected = NOTHING_EXPECTED,
        known: Mapping[str, LocaleRows] = NOTHING_KNOWN,
    ) -> dict[str, Page]:
        """Look at the categories, and at the first page of each locale's articles. See `PortalReader.peek`."""
        return self._reader.peek(locales, expected, known)

    def update(
        self,
        locales: Iterable[str],
        known: Snapshot,
        *,
        full: bool = False,
        peeked: Mapping[str, Page] | None = None,
        expected: Expected = NOTHING_EXPECTED,
        max_age_s: int = 0,
    ) -> bool:
        """Bring a snapshot up to date. See `PortalReader.update`."""
        reader = self._reader
        return reader.update(locales, known, full=full, peeked=peeked, expected=expected, max_age_s=max_age_s)

    def observed(self, locales: Iterable[str]) -> tuple[Observed, ...]:
        """The articles of the snapshot that was brought up to date last. See `PortalReader.observed`."""
        return self._reader.observed(locales)

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that was brought up to date last."""
        return self._reader.snapshot

    def look_again(self, known: Snapshot, categories: Iterable[tuple[str, str]]) -> bool:
        """Read some categories whole. See `PortalReader.look_again`."""
        return self._reader.look_again(known, categories)

    def keep_written(self) -> Snapshot | None:
        """Put the answers to writes into the snapshot. See `PortalReader.keep_written`."""
        return self._reader.keep_written()

    def use_categories(self, found: Mapping[RemoteId, Observed]) -> None:
        """Take these for the categories of the portal."""
        self._reader.categories = dict(found)

    def list_categories(self, locales: Iterable[str] = (), expected: Expected = NOTHING_EXPECTED) -> CategoryLister:
        """Look at the categories; whatever goes into one needs its id."""
        return self._reader.list_categories(locales, expected)

    def read_bodies(self, locale: str) -> Iterator[tuple[RemoteId, str]]:
        """The texts of a locale's articles, page by page."""
        return self._reader.read_bodies(locale)

    def show_article(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One article as it is now."""
        return self.read_article(remote_id, locale=locale)[0]

    def read_article(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None]:
        """One article as it is now, and its text; None where the answer leaves that out."""
        return self.read_staged(remote_id, locale=locale)[:2]

    def read_staged(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None, str | None]:
        """The same, and the text of an edit that is pending in the panel; None where there is none."""
        article = decoded.article(self.endpoint.ask("show_article", id=remote_id))
        self._reader.note_look(article, locale)
        content, staged = article.content, article.draft_content
        text = None if isinstance(content, UnsetType) else content or ""
        return self._observed(article, locale), text, None if isinstance(staged, UnsetType) else staged

    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed:
        """One category as it is now."""
        return self._reader.show_category(remote_id, locale=locale)

    def show_portal(self) -> Observed:
        """The portal itself as it is now."""
        return observed_portal(decoded.portal(self.endpoint.ask("show_portal")))

    def find_category(self, slug: str, *, locale: str) -> Observed | None:
        """Look a category up; None where the portal has none of this slug in this locale."""
        return self._reader.find_category(slug, locale=locale)

    def category_id(self, slug: object, *, locale: str) -> RemoteId | None:
        """The id of a category of a locale; None where it does not exist."""
        return self._reader.category_id(slug, locale=locale)

    def find_article(self, slug: str, *, locale: str, thorough: bool = False) -> Observed | None:
        """Look an article up by its slug, drafts included; None where the portal has none.

        The public page answers for drafts and archived ones too (docs/service.md, S2). It cannot for a slug with a dot
        (docs/service.md, S21), answers 500 for one of another portal, and 401 under a host that it does not know
        (docs/service.md, section 9); then the list is read; and with `thorough` also where the page says that there is
        none. Under a reserved slug it shows something else (docs/service.md, S119).
        """
        if not self._has_public_page(slug):
            return self._reader.find_in_list(slug, locale)
        try:
            found = self._article(self.endpoint.ask("find_article", slug=slug, public=True), locale=locale)
            return self.show_article(found.remote_id, locale=locale) if self.can("show_article") else found
        except NotFound:
            if not thorough or not self.can("list_articles"):
                return None
        except (ServerFailed, Denied) as exc:
            # Any other failure says nothing about the slug.
            if exc.status not in {401, 500} or not self.can("list_articles"):
                raise
        return self._reader.find_in_list(slug, locale)

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
        return "." not in slug and slug not in self.endpoint.profile.limits.reserved_slugs and self.can("find_article")

    def can_find(self, slug: str) -> bool:
        """Whether an article can be looked up by this slug. No article can have a reserved one."""
        if slug in self.endpoint.profile.limits.reserved_slugs:
            return False
        return self.can("list_articles") or (self.can("find_article") and "." not in slug)

    # --- changing --------------------------------------------------------------------------------------------------

    def create_category(self, fields: Fields, *, locale: str) -> Observed:
        """Make a category; the answer, as the portal now holds it."""
        sent = {name: value for name, value in fields.items() if self.endpoint.profile.keeps("category", name)}
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
        return self._reader.take_category(answer, locale)

    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed:
        """Change some fields of a category; the answer, as the portal now holds it."""
        return self._reader.take_category(
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
        sent = {name: value for name, value in fields.items() if self.endpoint.profile.keeps("article", name)}
        body = wire.article_body(sent, content=content, category_id=category_id, meta_before={})
        body |= {"status": self.endpoint.profile.number_of(Status.DRAFT), "locale": locale}
        return self._written(decoded.article(self.endpoint.ask("create_article", body=body)), locale)

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
            body["status"] = self.endpoint.profile.number_of(status)
        article = decoded.article(self.endpoint.ask("update_article", id=remote_id, body=body))
        self._reader.note_write(article, before.locale)
        return self._written(article, before.locale)

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
        return self.endpoint.transport.send(
            request.method,
            request.path,
            body=request.body if request.file is None else None,
            query=request.query,
            public=request.is_public,
            file=request.file,
        )

    # --- reading answers ---------------------------------------------------------------------------------------------

    def _observed(self, article: wire.WireArticle, locale: str) -> Observed:
        profile, own = self.endpoint.profile, self.endpoint.own
        return wire.observed_article(article, profile, locale=locale, categories=self.categories, own=own)

    def _written(self, article: wire.WireArticle, locale: str) -> Observed:
        profile, own = self.endpoint.profile, self.endpoint.own
        return wire.observed_article(
            article, profile, locale=locale, categories=self.categories, outlined=False, own=own
        )

    def _article(self, answer: Answer, *, locale: str) -> Observed:
        return self._observed(decoded.article(answer), locale)
