"""The operations of one portal as requests: which method and path, for which version of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kbsync.errors import ServiceError
from kbsync.markdown.own_pages import OwnPages, own_pages
from kbsync.markdown.versions import Version
from kbsync.model import RemoteId
from kbsync.service import decoded
from kbsync.service.answers import check_status
from kbsync.service.profile import Profile
from kbsync.service.transport import Answer, File, Transport
from kbsync.service.wire import path_part

NOT_MODIFIED = 304


class Endpoint(msgspec.Struct, eq=False):
    """One portal of one service, and how it is asked.

    Args:
        profile: what the service can do, in the version that it is taken for.
        transport: sends.
        account_id, portal: whose.
        version: of the service; "" before it is known, and where nobody tells.
        domain: the portal's own host, as far as it is known.
    """

    profile: Profile
    transport: Transport
    account_id: int
    portal: str
    version: str = ""
    domain: str = ""
    _told: str | None = None

    @property
    def own(self) -> OwnPages:
        """Where the portal's own pages are."""
        return own_pages((self.transport.base_url, self.domain), self.profile.article_url, self.portal)

    def can(self, operation: str) -> bool:
        """Whether the profile has this operation."""
        return self.profile.can(operation)

    def fetch_version(self) -> str:
        """The version that the service says it has; "" where it does not tell, or something in between answers.

        It is asked once, whatever it answers: one that hangs is not waited for twice.
        """
        if self._told is None:
            try:
                self._told = decoded.version(self.ask("version", public=True)) if self.can("version") else ""
            except ServiceError:
                # Everything else can still be done: as the newest version does it.
                self._told = ""
        return self._told

    @property
    def told_version(self) -> str:
        """What it said when it was asked; "" where nobody asked yet."""
        return self._told or ""

    def use_version(self, version: str) -> None:
        """Take the service for one of this version; for the newest known one where that is ""."""
        self.version = version
        self.profile = self.profile.at(Version.or_newest(version))

    def ask(
        self,
        operation: str,
        *,
        id: RemoteId | None = None,
        slug: str = "",
        public: bool = False,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        file: File | None = None,
        etag: str = "",
    ) -> Answer:
        """The answer to one operation; with `etag` also one that says that nothing changed."""
        entry = self.profile.operation(operation)
        path = entry.path.format(
            account_id=self.account_id, portal=path_part(self.portal), id=path_part(str(id)), slug=path_part(slug)
        )
        answer = self.transport.send(entry.method, path, body=body, query=query, public=public, file=file, etag=etag)
        if entry.method != "GET" and file is None:
            self.transport.wait_as_asked(answer)
        return answer if etag and answer.status == NOT_MODIFIED else check_status(answer)

    def public_status(self, slug: str, repeat: bool) -> int:
        """How the public page of a slug answers, without a token."""
        entry = self.profile.operation("find_article")
        path = entry.path.format(portal=path_part(self.portal), slug=path_part(slug))
        return self.transport.send(entry.method, path, public=True, repeat=repeat).status
