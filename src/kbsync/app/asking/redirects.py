"""Addresses that no longer work: from the aliases in the files, from the runs in the ledger, and from git.

Also: the slugs that published files had in git: of files that are still there under another slug, and of deleted ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal, NamedTuple

from msgspec.structs import replace

from kbsync.app.reading import Reading, keep_slugs, read_content
from kbsync.app.workspace import Workspace
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.compile import Addresses, Compiler
from kbsync.content.identity import Identity, Site, identify_article, identify_category
from kbsync.content.parse import parse_source
from kbsync.errors import UsageError
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import SURE_PERCENT, Repository
from kbsync.history.trail import Text, Trail
from kbsync.ledger import Ledger
from kbsync.ledger.values import Entry
from kbsync.model import Action, Base, Kind, RemoteId
from kbsync.plan.known import NEVER
from kbsync.report.redirects import Redirect
from kbsync.words import count

AT_ONCE = 500


class OldSlug(NamedTuple):
    """Who a published file was, until a commit at this time (seconds since 1970); `path` is where it is today."""

    path: str
    was: Identity
    until_s: int


def old_slugs(compiler: Compiler, site: Site, environ: Mapping[str, str] = os.environ) -> Iterator[OldSlug]:
    """Every slug that a file had while its front matter said `published`, the newest first.

    Raises:
        GitFailed: git cannot tell.
    """
    repository = Repository(compiler.tree.root, environ)
    today = compiler.tree.sources
    trail = Trail(lambda path: path.endswith(".md"), today.__contains__, lambda entry: entry.percent >= SURE_PERCENT)
    waiting: list[Text] = []
    with closing(Blobs(repository)) as blobs, closing(repository.log(keep=trail.concerns)) as commits:
        for commit in commits:
            waiting += [text for text in trail.follow(commit) if text.until_s != NEVER]
            if len(waiting) >= AT_ONCE:
                yield from _read(waiting, blobs, site)
                waiting = []
        yield from _read(waiting, blobs, site)


def _read(texts: list[Text], blobs: Blobs, site: Site) -> Iterator[OldSlug]:
    found = blobs.texts([text.oid for text in texts])

    def slug_at(path: str) -> str | None:
        identity = site.categories.get(path)
        return identity.slug if identity else None

    for text in texts:
        if text.oid not in found:
            continue
        source = parse_source(text.name, found[text.oid], body=False)
        if source.kind == "category":
            yield OldSlug(text.path, identify_category(text.name, source, site), text.until_s)
        elif source.status == "published":
            yield OldSlug(text.path, identify_article(text.name, source, site, slug_at), text.until_s)


RemovedTo = Literal["", "category", "home"]
Key = tuple[str, str, str]
"""Kind, locale and slug; an article's slug is unique over all locales, which are left out."""

UNCERTAIN_REMOVAL = (
    "of deleted files: without a ledger kbsync cannot know whether they are still on the portal, so they are left out."
)


@dataclass(frozen=True, slots=True)
class Died:
    """An address that no longer works: who had it, who has the article now (None: it was removed), and since when.

    `at_s` is in seconds since 1970; None where that is not known. `is_sure`: a record says that it is gone.
    """

    is_article: bool
    was: Identity
    now: Identity | None
    at_s: float | None = None
    is_sure: bool = True

    def is_since(self, after_s: float | None) -> bool:
        """Whether it died after this moment, as far as that is known; None: whenever it was."""
        return after_s is None or (self.at_s is not None and self.at_s >= after_s)


@dataclass(frozen=True, slots=True)
class Redirects:
    """The redirects, by old address, and what a person should know about them."""

    redirects: tuple[Redirect, ...]
    notes: tuple[str, ...]


def find_redirects(workspace: Workspace, *, since: str = "", removed_to: RemovedTo = "") -> Redirects:
    """Where readers of old addresses should go. Works offline; a ledger in git is the one fetched last.

    Args:
        workspace: the project.
        since: the number of a run, or a date; "" for all that is known.
        removed_to: where readers of removed articles go.

    Raises:
        UsageError: `since` is neither, or there is no such run.
    """
    return _Finding(workspace, since, removed_to).run()


@dataclass
class _Finding:
    workspace: Workspace
    since: str
    removed_to: RemovedTo
    notes: list[str] = field(default_factory=list)
    bases: list[Base] = field(default_factory=list)
    entries: list[tuple[float, Entry]] = field(default_factory=list)
    runs: dict[int, float] = field(default_factory=dict)

    def run(self) -> Redirects:
        self._read_ledger()
        found = self._by_address(self._since_s())
        dead = {old for old, died in found.items() if _key(died.was, is_article=died.is_article) not in self._alive}
        moved = {old: to for old, died in found.items() if died.is_sure and (to := self._target(died)) != old}
        unsure = sum(not found[old].is_sure for old in dead)
        if reused := moved.keys() - dead:
            self.notes.append(f"Left out, because the address works: {', '.join(sorted(reused))}.")
        if unsure:
            self.notes.append(f"{count(unsure, 'article')} {UNCERTAIN_REMOVAL}")
        redirects = tuple(Redirect(old, moved[old]) for old in sorted(moved.keys() & dead))
        return Redirects(redirects, tuple(self.notes))

    def _by_address(self, after: float | None) -> dict[str, Died]:
        found: dict[str, Died] = {}
        # The first one counts: what is on record is known best.
        for died in (*self._from_ledger(), *self._from_next_push(), *self._from_aliases(), *self._from_git()):
            # docs/service.md, S21: an address with a dot in its slug never worked.
            if died.is_since(after) and died.was.slug and "." not in died.was.slug:
                found.setdefault(self._address(died.was, is_article=died.is_article), died)
        return found

    # --- what is known ---------------------------------------------------------------------------------------------

    def _read_ledger(self) -> None:
        workspace = self.workspace
        if not workspace.has_ledger():
            return
        git = workspace.has_git_ledger
        with closing(workspace.open_git_ledger(fetch=False) if git else workspace.open_ledger(looking=True)) as ledger:
            self._take(ledger)

    def _take(self, ledger: Ledger) -> None:
        key = self.workspace.target.key
        self.bases = ledger.bases(key)
        for run in ledger.runs(key):
            self.runs[run.number] = run.started_at
            self.entries += [(run.started_at, entry) for entry in ledger.entries(run.number)]

    def _since_s(self) -> float | None:
        if not self.since:
            return None
        if self.since.isdecimal() and len(self.since) < 10:
            if int(self.since) not in self.runs:
                raise UsageError(f"There is no run {self.since}.", hint="Run `kbsync ledger show` to see the runs.")
            return self.runs[int(self.since)]
        try:
            when = datetime.fromisoformat(self.since)
        except ValueError as exc:
            hint = "Write the number of a run, or a date such as `2026-11-22`."
            raise UsageError(f"`{self.since}` is neither a run nor a date.", hint=hint) from exc
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()

    @cached_property
    def _reading(self) -> Reading:
        reading = read_content(self.workspace, compiled=False)
        recorded = (base.slug for base in self.bases if base.kind == "article")
        return keep_slugs(self.workspace.settings.content, replace(reading, desired=()), recorded)

    @property
    def _site(self) -> Site:
        return self._reading.compiler.site

    # --- what died -------------------------------------------------------------------------------------------------

    def _from_ledger(self) -> Iterator[Died]:
        """Slugs that pushes changed, and articles that they deleted."""
        today: dict[tuple[Kind, RemoteId | None], Identity]
        today = {(base.kind, base.remote_id): self._today(base) for base in self.bases}
        for at_s, entry in self.entries:
            change = entry.change
            if change.kind == "asset" or entry.state not in {"done", "settled"}:
                continue
            is_article, old = change.kind == "article", change.before.get("slug")
            category = str(change.before.get("category") or "")
            if change.action is Action.DELETE:
                was = Identity(change.was, change.locale, change.slug, category)
                yield Died(is_article, was, None, at_s)
            elif change.action is Action.UPDATE and old and old != change.after.get("slug"):
                was = Identity(change.path, change.locale, str(old), category)
                yield Died(is_article, was, today.get((change.kind, change.remote_id)), at_s)

    def _from_next_push(self) -> Iterator[Died]:
        """Slugs that it will change."""
        for base in self.bases:
            today = self._site.by_path.get(base.path)
            if today is not None and today.slug != base.slug:
                # It dies with the next push: whatever `since` says, that is later.
                was = Identity(base.path, base.locale, base.slug)
                yield Died(base.kind == "article", was, today, float("inf"))

    def _today(self, base: Base) -> Identity:
        """Who an item on record is: its file may have got another slug since."""
        return self._site.by_path.get(base.path) or Identity(base.path, base.locale, base.slug)

    def _from_aliases(self) -> Iterator[Died]:
        sources = self._reading.compiler.tree.sources
        for path, identity in self._site.by_path.items():
            if path in sources:
                for alias in sources[path].aliases:
                    was = Identity(path, identity.locale, alias)
                    yield Died(path in self._site.articles, was, identity)

    def _from_git(self) -> Iterator[Died]:
        knows = bool(self.bases) or self.workspace.settings.push.removed == "delete"
        try:
            for path, was, until_s in old_slugs(self._reading.compiler, self._site):
                now = self._site.by_path.get(path)
                if now is None or now.slug != was.slug:
                    is_article = not was.path.endswith(CATEGORY_FILE)
                    yield Died(is_article, was, now, until_s, is_sure=knows or now is not None)
        except GitFailed as exc:
            self.notes.append(f"Only the files and the ledger were read. {exc}")

    # --- where to --------------------------------------------------------------------------------------------------

    @cached_property
    def _alive(self) -> set[Key]:
        """The addresses that work: those of the files, and those on record whose file does not say another."""
        site = self._site
        alive = {_key(identity, is_article=True) for identity in site.articles.values()}
        alive |= {_key(identity, is_article=False) for identity in site.categories.values()}
        aliases = {_key(died.was, is_article=died.is_article) for died in self._from_aliases()}
        for base in self.bases:
            key = _key(Identity(base.path, base.locale, base.slug), is_article=base.kind == "article")
            if base.path not in site.by_path and key not in aliases:
                alive.add(key)
        return alive

    @cached_property
    def _addresses(self) -> Addresses:
        profile, portal = self.workspace.profile, self.workspace.settings.service.portal
        return Addresses(profile.article_url, profile.category_url, portal)

    def _address(self, identity: Identity, *, is_article: bool) -> str:
        return self._addresses.of(identity, is_article=is_article)

    def _target(self, died: Died) -> str:
        if died.now is not None:
            return self._address(died.now, is_article=died.is_article)
        if not self.removed_to:
            return ""
        declared = (died.was.locale, died.was.category) in self._site.declared
        if self.removed_to == "category" and died.is_article and declared:
            category = Identity("", died.was.locale, died.was.category)
            return self._address(category, is_article=False)
        return self._home(died.was.locale)

    def _home(self, locale: str) -> str:
        """The home page of a locale, above its categories. Source: docs/service.md, section 5."""
        template = self.workspace.profile.category_url
        head, has_locale, _ = template.partition("{locale}")
        address = Addresses("", head + has_locale if has_locale else "/", self._addresses.portal)
        return address.of(Identity("", locale or self._site.default_locale, ""), is_article=False)


def _key(identity: Identity, *, is_article: bool) -> Key:
    return ("article", "", identity.slug) if is_article else ("category", identity.locale, identity.slug)
