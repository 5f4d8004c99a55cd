"""Compare what readers get with the files: no token, no ledger, nothing but the public help center.

For each article that a file publishes: the stored text, the title, the addresses of its images, the pages that it links
to. A service before 4.14 does not give the stored text of published articles alone; there the page is compared, too.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

from kbsync.app.asking.verify_values import (
    Checked,
    Problem,
    Verified,
    body_problem,
    first_difference,
    title_problem,
    with_waiting,
)
from kbsync.app.embedded import run_sandbox
from kbsync.app.options import PlanOptions, chosen
from kbsync.app.reading import Reading, keep_slugs, read_sound
from kbsync.app.workspace import Workspace
from kbsync.config import ContentSettings
from kbsync.content.identity import Identity, former_slugs, has_two_defaults
from kbsync.errors import ConfigError, ServiceError
from kbsync.markdown.html import render_html
from kbsync.markdown.uploaded import UPLOADS, addresses_in, by_key, host_of
from kbsync.markdown.versions import KNOWN
from kbsync.model import Desired, Manage, Status

if TYPE_CHECKING:
    from kbsync.service.public_images import Flaw
    from kbsync.service.public_site import PublicArticle, PublicSite

NEEDED = ("find_article", "read_markdown", "read_page", "list_published")

GIVE_UP_AFTER = 8
"""Articles without an answer, and none with one: then the others are not asked for."""

ID = re.compile(r"<(h[1-6]) [^>]*>")
OWN_UPLOAD = re.compile(r"(?<=[\"'])/rails/")


def verify(workspace: Workspace, selectors: Sequence[str] = (), *, listed: bool = False) -> Verified:
    """Compare the published articles of the files with what readers get.

    Args:
        workspace: the project.
        selectors: limit the files.
        listed: also look for published articles that no file publishes.

    Raises:
        TreeRefused: the files have errors.
        ServiceError: not one article could be asked for.
        Locked: the portal asks its readers for a password, and none is set, or a wrong one.
    """
    if missing := [name for name in NEEDED if not workspace.profile.can(name)]:
        raise ConfigError(
            f"The profile `{workspace.profile.name}` does not say where the public pages are: {', '.join(missing)}.",
            hint='Use the profile "chatwoot", or add these operations to your profile.',
        )
    from kbsync.service.pace import request_threads

    started = time.monotonic()
    reading = read_sound(workspace)
    with open_public(workspace) as site, request_threads(workspace.settings.pace.concurrency, "verify") as pool:
        check = Check(workspace, site, pool, _with_slugs_of_portal(workspace.settings.content, reading, site, pool))
        found = check.run(selectors, listed=listed)
        requests = site.transport.requests + check.image_requests
    return replace(found, requests=requests, seconds=time.monotonic() - started)


@contextmanager
def open_public(workspace: Workspace) -> Iterator[PublicSite]:
    """The public help center. No token is read, and none is sent."""
    from kbsync.service.public_site import PublicSite

    settings = workspace.settings
    with ExitStack() as stack:
        base_url = settings.service.base_url
        if settings.is_sandbox:
            base_url = stack.enter_context(run_sandbox(settings, workspace.sandbox_database))
        transport = stack.enter_context(workspace.open_transport(base_url, ""))
        yield PublicSite(workspace.profile, transport, settings.service.portal, partial(_reader_password, workspace))


def _reader_password(workspace: Workspace) -> str:
    """What the portal asks its readers for, out of the environment; "" where it is not set.

    Raises:
        ConfigError: it belongs to another service.
    """
    from kbsync.service.public_site import PASSWORD

    if (password := os.environ.get(PASSWORD, "")) and not workspace.settings.is_sandbox:
        workspace.consent.token(password, "password")
    return password


def _with_slugs_of_portal(
    settings: ContentSettings, reading: Reading, site: PublicSite, pool: ThreadPoolExecutor
) -> Reading:
    """The tree with the default slugs that articles have by an earlier rule; only the portal knows which."""
    tree, of_site = reading.compiler.tree, reading.compiler.site
    unsure = [path for path in of_site.articles if has_two_defaults(tree.sources[path], of_site)]
    if not unsure:
        return reading

    silent: list[ServiceError] = []

    def recorded(path: str) -> str:
        identity = of_site.articles[path]
        for slug in (identity.slug, *former_slugs(path, identity.locale, of_site)):
            try:
                if len(silent) < GIVE_UP_AFTER and site.article(slug) is not None:
                    return slug
            except ServiceError as exc:
                # A slug of another portal is a 500, too: that is an answer.
                silent.extend([] if exc.status == 500 else [exc])
        return ""

    return keep_slugs(settings, reading, set(pool.map(recorded, unsure)) - {""})


@dataclass(slots=True)
class Check:
    """One look at the public help center. `answered` and `silent` count the articles that were asked for."""

    workspace: Workspace
    site: PublicSite
    pool: ThreadPoolExecutor
    reading: Reading
    image_requests: int = 0
    answered: int = 0
    silent: int = 0

    def run(self, selectors: Sequence[str], *, listed: bool) -> Verified:
        """Everything that was asked for, articles without a file last."""
        options = PlanOptions(selectors=tuple(selectors))
        found = chosen(self.workspace.content_root, self.reading.desired, options)
        articles = [item for item in found if item.kind == "article"]
        published = [item for item in articles if item.status is Status.PUBLISHED]
        wanted = [item for item in published if item.manage is Manage.TRUE]
        checked = with_waiting(list(self.pool.map(self._article, wanted)), wanted, time.time())
        _refuse_silence(checked)
        checked = self._with_images(self._with_links(checked))
        locales = dict.fromkeys(item.locale for item in articles) if selectors else self.reading.compiler.site.locales
        others = self._others(locales) if listed else ()
        version = self.site.told_version if wanted else ""
        skipped = len(published) - len(wanted)
        return Verified(self.workspace.target, (*checked, *others), version=version, skipped=skipped)

    # --- articles

    def _article(self, item: Desired) -> Checked:
        result = Checked(item.path, item.locale, item.slug, self._address_of(item.locale, item.slug), "same")
        if not self.answered and self.silent >= GIVE_UP_AFTER:
            return replace(result, state="unreachable", problems=(Problem("status", "Not asked: nothing answers."),))
        try:
            compared = self._compared(item, result)
        except ServiceError as exc:
            self.silent += 1
            return replace(result, state="unreachable", problems=(Problem("status", exc.message),))
        self.answered += 1
        return compared

    def _compared(self, item: Desired, result: Checked) -> Checked:
        text = self.site.markdown(item.slug) if self.site.has_markdown else None
        article, hidden = self._look(item.slug, has_text=text is not None)
        if hidden:
            return replace(result, state="not_published", problems=(Problem("status", hidden),))
        if text is None:
            text = (article.content if article is not None else None) or ""
        ours = self.reading.compiler.content_of(item.path)
        problems = [*title_problem(item, article), *body_problem(text, ours)]
        if not self.site.has_markdown and not problems:
            problems += self._page_problem(item, ours)
        images = tuple(dict.fromkeys([*addresses_in(text), *self._published_elsewhere(text)]))
        return replace(result, state="differs" if problems else "same", problems=tuple(problems), images=images)

    def _look(self, slug: str, *, has_text: bool) -> tuple[PublicArticle | None, str]:
        """An article as the portal has it, and why readers do not get it; "" where they do."""
        if not self.site.has_page(slug):
            return None, f"The portal has no page for the slug `{slug}`."
        try:
            article = self.site.article(slug)
        except ServiceError as exc:
            if exc.status != 500 or has_text:
                raise
            return None, "The portal has no article with this slug. Another portal of this service may have it."
        if has_text:
            return article, ""
        if article is None:
            return None, "The portal has no article with this slug."
        status = self.site.status_of(article)
        if status is not Status.PUBLISHED:
            return article, f"It is {'archived' if status is Status.ARCHIVED else 'a draft'} on the portal."
        nothing = "It is published on the portal, but readers get no text."
        return article, nothing if self.site.has_markdown else ""

    def _page_problem(self, item: Desired, ours: str) -> list[Problem]:
        """Whether the page shows what this text becomes; the versions differ in tables and images."""
        html = self.site.page_body(item.slug)
        if html is None:
            return []
        theirs = by_key(ID.sub(r"<\1>", OWN_UPLOAD.sub(f"{self.site.transport.base_url}/rails/", html)))
        if any(theirs == render_html(ours, version).strip() for version in reversed(KNOWN)):
            return []
        return first_difference("page", theirs, render_html(ours).strip())

    def _published_elsewhere(self, text: str) -> Iterable[str]:
        """The addresses in a text of images that something else publishes."""
        base = self.workspace.settings.assets.base_url.rstrip("/")
        return re.findall(rf"{re.escape(base)}/[^\s()<>\"']+", text) if base else ()

    def _others(self, locales: Iterable[str]) -> list[Checked]:
        """What the public lists of some locales show and no file publishes."""
        desired = self.reading.desired
        ours = {item.slug for item in desired if item.kind == "article" and item.status is Status.PUBLISHED}
        found: list[Checked] = []
        for locale in locales:
            try:
                rows, total = self.site.published(locale)
            except ServiceError as exc:
                problem = Problem("status", f"Its public list could not be read. {exc.message}")
                found.append(Checked("", locale, locale, self.site.transport.base_url, "unreachable", (problem,)))
                continue
            if len(rows) < total:
                said = f"The public list of `{locale}` shows {len(rows):,} of {total:,} published articles."
                self.workspace.session.note(said)
            for row in rows:
                if row.slug not in ours:
                    titled = Problem("title", "", theirs=row.title or row.slug)
                    address = self._address_of(locale, row.slug)
                    found.append(Checked("", locale, row.slug, address, "not_in_files", (titled,)))
        return found

    def _address_of(self, locale: str, slug: str) -> str:
        path = self.reading.compiler.addresses.of(Identity("", locale, slug), is_article=True)
        return f"{self.site.transport.base_url}{path}"

    # --- what articles lead to

    def _with_links(self, checked: Sequence[Checked]) -> list[Checked]:
        """With the links to pages of this help center that readers do not get."""
        shown = [item.path for item in checked if item.state in {"same", "differs"}]
        reachable = {self.reading.compiler.known[path] for path in shown}
        targets = {path: self._targets(path) for path in shown}
        asked = [address for address in dict.fromkeys(chain(*targets.values())) if address not in reachable]
        found = dict(zip(asked, self.pool.map(self._link, asked), strict=True))
        return [
            _with(item, "link", {at: flaw for at in targets.get(item.path, ()) if (flaw := found.get(at))})
            for item in checked
        ]

    def _targets(self, path: str) -> list[str]:
        compiler = self.reading.compiler
        links = (link for link in compiler.tree.sources[path].links if not link.is_image)
        return list(dict.fromkeys(compiler.known[link.target] for link in links if link.target in compiler.known))

    def _link(self, address: str) -> Flaw | None:
        from kbsync.service.public_images import Flaw, flaw_of

        try:
            return flaw_of(self.site.status_at(address))
        except ServiceError:
            return Flaw("cannot be reached", is_sure=False)

    def _with_images(self, checked: Sequence[Checked]) -> list[Checked]:
        """With the addresses of images that give readers none."""
        from kbsync.service.public_images import ImageCheck

        if not any(item.images for item in checked):
            return list(checked)
        settings, transport = self.workspace.settings, self.site.transport
        check = ImageCheck(host_of(transport.base_url), settings.service.timeout_s, transport.bucket.take)
        asked = {address: self._where_it_is(address) for item in checked for address in item.images}
        wrong = check.problems(asked.values(), self.pool, settings.pace.concurrency)
        self.image_requests = check.requests
        flaws = {at: wrong[url] for at, url in asked.items() if url in wrong}
        return [_with(item, "image", {at: flaws[at] for at in item.images if at in flaws}) for item in checked]

    def _where_it_is(self, address: str) -> str:
        """The address of an upload: the port of the built-in sandbox is another each time."""
        is_moved = self.workspace.settings.is_sandbox and UPLOADS in address
        return self.site.transport.base_url + address[address.find(UPLOADS) :] if is_moved else address


def _refuse_silence(checked: Sequence[Checked]) -> None:
    """End where not one article could be asked for.

    Raises:
        ServiceError: with the reason of the first one.
    """
    if checked and all(item.state == "unreachable" for item in checked):
        raise ServiceError(
            checked[0].problems[0].message,
            hint="No article could be compared. Check base_url and portal under [service].",
        )


def _with(item: Checked, what: Literal["image", "link"], flaws: Mapping[str, Flaw]) -> Checked:
    """With what is wrong with addresses that it leads to. What cannot be reached now is no difference yet."""
    if not flaws:
        return item
    more = tuple(Problem(what, flaw.message, address=at) for at, flaw in flaws.items())
    is_different = item.state == "differs" or any(flaw.is_sure for flaw in flaws.values())
    return replace(item, state="differs" if is_different else "unreachable", problems=(*item.problems, *more))
