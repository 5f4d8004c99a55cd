"""Check config, files, ledger, service, token, portal and locales: what works, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kbsync.app.options import needs_author
from kbsync.app.reading import read_content
from kbsync.app.sides import keep_said, read_ledger
from kbsync.app.workspace import Workspace
from kbsync.errors import ExitCode, KbsyncError, NoApi
from kbsync.files import relative
from kbsync.markdown.versions import NEWEST, OBSERVED, Version
from kbsync.model import Desired
from kbsync.plan.decide_item import has_author
from kbsync.plan.draft import NO_AUTHOR
from kbsync.report.vocabulary import version_note
from kbsync.service.answers import CHECK
from kbsync.service.client import Service
from kbsync.service.portal import PortalInfo
from kbsync.service.profile import BEARER, Profile, TokenHeader
from kbsync.service.public_site import PASSWORD
from kbsync.words import count

CAPABILITIES = (
    ("compare with the portal", ("list_articles", "list_categories")),
    ("update articles", ("update_article",)),
    ("publish, unpublish, archive", ("update_article",)),
    ("delete articles", ("delete_article",)),
    ("find an article by its slug", ("find_article",)),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing checked: `ok`, `note` (works, but read this) or `bad`, with the exit code of what is bad."""

    mark: Literal["ok", "note", "bad"]
    what: str
    found: str
    hint: str = ""
    code: ExitCode = ExitCode.DONE


def _bad(what: str, exc: KbsyncError) -> Line:
    return Line("bad", what, exc.message, exc.hint.removesuffix(CHECK), exc.exit_code)


def _without_api(account: int, exc: NoApi) -> Line:
    hint = "The token works. Ask the people who run the service to enable the API for this account."
    return Line("bad", "api", f"The plan of account {account} does not include the API.", hint, exc.exit_code)


def check(workspace: Workspace) -> Iterator[Line]:
    """Everything that is checked, as results come in."""
    settings = workspace.settings
    yield Line("ok", "config", f"{relative(settings.path)}, profile `{workspace.profile.name}`")
    yield from _content_lines(workspace)
    yield from _ledger_lines(workspace)
    try:
        with workspace.open_service() as service:
            yield from _service_lines(workspace, service)
            yield from _limit_lines(workspace)
            yield from _capability_lines(workspace.profile.name, service)
    except KbsyncError as exc:
        # The first thing that does not work; what comes after it cannot be checked.
        yield _without_api(settings.service.account_id, exc) if isinstance(exc, NoApi) else _bad("service", exc)
        yield Line("note", "can", "Skipped until the connection works.")


def _content_lines(workspace: Workspace) -> Iterator[Line]:
    try:
        reading = read_content(workspace)
    except KbsyncError as exc:
        yield _bad("content", exc)
        return
    number = len(reading.compiler.site.articles)
    found = f"{count(number, 'article')} in {relative(workspace.content_root)}"
    if reading.errors:
        hint = "Run `kbsync lint` to see them."
        yield Line("bad", "content", f"{found}, {count(len(reading.errors), 'error')}", hint, ExitCode.FINDINGS)
    elif reading.findings:
        warnings = count(len(reading.findings), "warning")
        yield Line("note", "content", f"{found}, {warnings}", "Run `kbsync lint` to see them.")
    else:
        yield Line("ok", "content", found)
    yield from _author_lines(workspace.profile, reading.desired)


def _author_lines(profile: Profile, desired: Sequence[Desired]) -> Iterator[Line]:
    """Articles that the service would refuse, because they have no author."""
    number = sum(1 for item in desired if not has_author(item)) if needs_author(profile) else 0
    if number:
        yield Line("bad", "authors", f"{count(number, 'article')} without an author", NO_AUTHOR, ExitCode.USAGE)


def _ledger_lines(workspace: Workspace) -> Iterator[Line]:
    try:
        record = read_ledger(workspace)
    except KbsyncError as exc:
        yield _bad("ledger", exc)
        return
    found = f"{workspace.settings.ledger.place}, {len(record.bases):,} published by kbsync"
    if record.pending:
        hint = "The next push checks what became of them."
        yield Line("note", "ledger", f"{found}, {count(len(record.pending), 'request')} without a result", hint)
    else:
        yield Line("ok", "ledger", found)


def _service_lines(workspace: Workspace, service: Service) -> Iterator[Line]:
    service.check_connection()
    where = "the built-in sandbox" if workspace.settings.is_sandbox else workspace.target.base_url
    told, configured = service.endpoint.fetch_version(), workspace.settings.service.version
    yield Line("ok", "service", f"{where} answers{f', version {told}' if told else ''}")
    if configured or service.profile.can("version"):
        yield _version_line(told, configured)
    service.endpoint.use_version(configured or told)
    keep_said(workspace.memory, workspace.target, told)
    if service.profile.can("profile"):
        owner = service.fetch_owner()
        yield _token_line(owner.name, owner.role)
    if (header := service.transport.token_header).dropped:
        yield _dropped_line(header)
    yield from _portal_lines(service.fetch_portal(), workspace.settings.content.locales)


def _portal_lines(portal: PortalInfo, locales: Iterable[str]) -> Iterator[Line]:
    """What the portal is like; `locales` are those of the files."""
    archived = "It is archived: readers get a 404 for every page." if portal.archived else ""
    yield Line("note" if archived else "ok", "portal", f"`{portal.slug}`, {portal.name}", archived)
    if portal.asks_readers:
        hint = f"Set {PASSWORD} to it, so that `kbsync verify` can read the pages. Plan and push do not need it."
        yield Line("note", "readers", "The portal asks its readers for a password.", hint)
    missing = sorted(set(locales) - set(portal.locales))
    found = ", ".join(portal.locales) or "unknown"
    if missing and portal.locales:
        hint = f"Add {', '.join(missing)} in the portal's settings, or remove it from [content] locales."
        yield Line("bad", "locales", f"the portal has {found}, but not {', '.join(missing)}", hint, ExitCode.USAGE)
    else:
        yield Line("ok", "locales", found)
    if portal.hidden:
        yield _hidden_line(portal.hidden)


def _version_line(told: str, configured: str) -> Line:
    """Which version kbsync takes the service for, and with which ones it was tested."""
    tested = f"kbsync was tested with {', '.join(map(str, OBSERVED[:-1]))} and {OBSERVED[-1]}"
    if (version := configured or told) and OBSERVED[-1] < Version.of(version) <= NEWEST:
        tested += f", and knows from the service's code what is new up to {NEWEST}"
    if configured and told and Version.of(told) != Version.of(configured):
        hint = "Change [service] version, or remove it."
        return Line("note", "version", f"{configured}, as kbsync.toml says. The service says {told}.", hint)
    if not version:
        hint = 'Set [service] version to the version that you have, such as "4.10".'
        return Line("note", "version", f"The service does not tell. kbsync takes it for {NEWEST}.", hint)
    note = version_note(version)
    return Line("note" if note else "ok", "version", f"{version}; {tested}", note)


def _hidden_line(hidden: Sequence[str]) -> Line:
    """Source: docs/service.md, S135."""
    locales = f"Locale {hidden[0]} is" if len(hidden) == 1 else f"Locales {', '.join(hidden)} are"
    pages = "Its pages" if len(hidden) == 1 else "Their pages"
    hint = f"{pages} can be read by everyone who has the address."
    return Line("note", "locales", f"{locales} hidden from the portal's language menu.", hint)


def _limit_lines(workspace: Workspace) -> Iterator[Line]:
    """What kbsync uses of what the service allows; nothing is sent to find out. Source: docs/service.md, section 7."""
    if workspace.settings.is_sandbox:
        return
    ours, allowed = workspace.requests_per_minute, workspace.profile.allowed_per_minute
    theirs = f". The service allows {allowed:,} from one address, readers included." if allowed else ""
    hint = "Lower [pace] requests_per_minute." if allowed and ours > allowed else ""
    yield Line("note" if hint else "ok", "requests", f"kbsync sends at most {ours:,} a minute{theirs}", hint)
    if workspace.profile.can("upload") and (uploads := workspace.uploads_per_hour):
        yield Line("ok", "uploads", f"at most {uploads:,} images an hour, for the whole account")


def _token_line(name: str, role: str) -> Line:
    """Whether the token's user may change the portal. Source: docs/service.md, S16."""
    found, hint = f"{name} ({role or 'role unknown'})", "A push needs an administrator's token."
    if role == "administrator":
        return Line("ok", "token", found)
    if role == "agent":
        return Line("bad", "token", f"{found} may not push", hint, ExitCode.SERVICE)
    return Line("note", "token", found, hint)


def _dropped_line(header: TokenHeader) -> Line:
    """Source: docs/service.md, S156 and S161."""
    if header.form == BEARER:
        return Line("note", "token", "The service asks for a bearer, so kbsync sends the token as one.")
    found = f"The header `{header.dropped[-1]}` does not arrive, so kbsync sends the token in another one."
    hint = "A proxy drops header names with underscores. In nginx, `underscores_in_headers on;` lets them pass."
    return Line("note", "token", found, hint)


def _capability_lines(name: str, service: Service) -> Iterator[Line]:
    yield Line("ok", "can", "create categories and articles (as drafts)")
    for words, operations in CAPABILITIES:
        able = all(service.profile.can(operation) for operation in operations)
        if able:
            yield Line("ok", "can", words)
        else:
            hint = f"The profile `{name}` does not have this."
            yield Line("note", "cannot", words, hint)
