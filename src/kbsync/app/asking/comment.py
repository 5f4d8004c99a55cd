"""A plan or a push as one comment of a pull or merge request: where it goes, and what became of it.

No project is opened: the job that comments on a stranger's pull request has no files of it, and needs none.

Also: our comment in a pull or merge request: find it, write it, or write over it.

The token goes to the address of the API and nowhere else: redirects are not followed, and pages are asked for by
number, not by the addresses that an answer gives. A comment is ours if it begins with our marker and if we wrote it, so
that nobody can make us write over theirs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal
from urllib.parse import quote, urlsplit

import msgspec

from kbsync.app.planning.saved_plans import MAX_PLAN_BYTES
from kbsync.errors import ConfigError, Denied, NotFound, PlanRefused, Rejected, ServiceError, UsageError
from kbsync.files import read_within
from kbsync.hosts import LOOPBACK
from kbsync.model import visible
from kbsync.plan import saved
from kbsync.report.markdown import comment_markdown, marker_of
from kbsync.report.reported import Report, read_report, report_of_plan
from kbsync.service.exchange import Answer, Connections
from kbsync.service.forges import (
    LONGEST_WAIT_S,
    SHOWN_CHARS,
    Forge,
    GitHub,
    GitLab,
    Pull,
    Row,
    Writer,
    checked,
    decoded,
    is_too_long,
    wait_of,
)

TIMEOUT_S = 20.0
"""For connecting and for each silence; a whole answer may take four times that."""

ROWS_PER_PAGE = 100
MOST_PAGES = 100
"""Comments beyond 10,000 are not read."""


@dataclass(slots=True)
class Client:
    """Asks one API with one token. Whoever makes one closes it.

    Args:
        forge: how it is asked.
        api_url: its address, with the path before all paths.
        token: goes into a header of each request.
        sleep: waits so many seconds, once, where the API asks for it.
        timeout_s: for connecting and for each silence.

    Raises:
        ConfigError: the address or the token cannot be used.
    """

    forge: Forge
    api_url: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep
    timeout_s: float = TIMEOUT_S
    _connections: Connections = field(init=False, repr=False)
    _has_waited: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        check_api_url(self.api_url)
        if not self.token.isascii() or not self.token.isprintable():
            raise ConfigError(f"The token for {self.forge.name} has characters that cannot be sent.")
        self._connections = Connections(self.api_url, self.forge.headers(self.token), self.timeout_s, most_idle=1)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connections.close()

    def find(self, repository: str, number: int, marker: str) -> Row | None:
        """Our comment with this marker, None where there is none.

        Raises:
            ServiceError: the comments cannot be read.
        """
        marked = [row for row in self._rows(repository, number) if (row.body or "").startswith(marker)]
        if not marked:
            return None
        me = self._me()
        return next((row for row in marked if self.forge.is_ours(row, me)), None)

    def create(self, repository: str, number: int, body: str) -> None:
        """Write a new comment. It is sent once: whether it was made after all, only the next run can see.

        Raises:
            ServiceError: it was not made, or nobody knows.
        """
        self._send("POST", self.forge.comments(repository, number), body={"body": body})

    def update(self, repository: str, number: int, comment_id: int, body: str) -> None:
        """Write over a comment of ours.

        Raises:
            ServiceError: it was not changed, or nobody knows.
        """
        method, path = self.forge.comment(repository, number, comment_id)
        self._send(method, path, body={"body": body})

    def pull_of(self, repository: str, owner: str, branch: str, sha: str) -> int | None:
        """The number of GitHub's open pull request whose head is this commit of this branch; None where none is.

        Raises:
            ServiceError: GitHub cannot be asked.
        """
        query = {"state": "open", "head": f"{owner}:{branch}", "per_page": str(ROWS_PER_PAGE)}
        answer = self._send("GET", f"/repos/{quote(repository)}/pulls", query=query)
        return next((pull.number for pull in decoded(answer, list[Pull]) if pull.head.sha == sha), None)

    def _rows(self, repository: str, number: int) -> Iterator[Row]:
        path = self.forge.comments(repository, number)
        for page in range(1, MOST_PAGES + 1):
            answer = self._send("GET", path, query={"per_page": str(ROWS_PER_PAGE), "page": str(page)})
            yield from (row for row in decoded(answer, list[Row]) if not row.system)
            # Both name the next page here; where it is, is not looked at.
            if 'rel="next"' not in answer.headers.get("link", ""):
                return

    def _me(self) -> Writer | None:
        try:
            return decoded(self._send("GET", "/user"), Writer)
        except (Denied, NotFound):
            return None

    def _send(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Mapping[str, str] | None = None
    ) -> Answer:
        """One request, and a second one where the API asked to wait, and not for long."""
        answer = self._send_once(method, path, query, body)
        wait_s = wait_of(answer)
        if wait_s is not None and wait_s <= LONGEST_WAIT_S and not self._has_waited:
            self._has_waited = True
            self.sleep(wait_s)
            answer = self._send_once(method, path, query, body)
        return checked(answer, self.forge)

    def _send_once(
        self, method: str, path: str, query: Mapping[str, str] | None, body: Mapping[str, str] | None
    ) -> Answer:
        request = self._connections.request(method, path, params=query, json=body)
        try:
            return self._connections.exchange(request, secret=self.token)
        except ServiceError as exc:
            # Its hint is about the service of kbsync.toml.
            hint = f"Check that this machine can reach {self.forge.name}. The next run writes the comment."
            raise ServiceError(exc.message, hint=hint) from exc


def check_api_url(url: str) -> str:
    """The host of an API's address.

    Raises:
        ConfigError: it is not an address, or the token would go over the net in plain text.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_usable = bool(host) and not (parts.username or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.scheme not in {"https", "http"}:
        raise ConfigError(f"The address of the API is not usable: {visible(url)[:SHOWN_CHARS]}.")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise ConfigError(f"{visible(url)[:SHOWN_CHARS]}: kbsync sends a token over https only.")
    return host


MAX_EVENT_BYTES = 30_000_000
"""GitHub sends no larger events. Source: docs.github.com, webhook events and payloads: at most 25 MB."""

SHORTER = 4
"""Where a comment is refused for its length, the second try has this part of the budget."""

WHERE = "Run it in a job of a pull request, or add `--repository OWNER/NAME --number N`, or `--dry-run`."

A_REPOSITORY = re.compile(r"(?!\.)[\w.-]++(?:/(?!\.)[\w.-]++)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class CommitRef:
    """The commit that a workflow of GitHub ran for: whose branch, its name, the commit."""

    owner: str
    branch: str
    sha: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where the comment goes. GitHub tells `workflow_run` jobs the head instead of the number."""

    forge: Forge
    api_url: str
    repository: str
    number: int | None
    head: CommitRef | None = None


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of the comment. `message` and `hint` say why it was refused."""

    what: Literal["created", "updated", "unchanged", "silent", "refused"]
    message: str = ""
    hint: str = ""


def read_file(path: Path) -> Report:
    """What a file holds: JSON of `plan` or `push`, or a saved plan.

    Raises:
        UsageError: it cannot be read, or is something else.
    """
    try:
        data = read_within(path, MAX_PLAN_BYTES)
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}.", hint="Name the file that the plan is in.") from exc
    hint = "Write it with `kbsync plan --format json` or `kbsync push --format json`."
    if not data.strip():
        raise UsageError(f"{path} is empty. The command that should write it failed.", hint=hint)
    try:
        return report_of_plan(saved.read_plan(data, str(path)).plan) if saved.is_saved_plan(data) else read_report(data)
    except (ValueError, PlanRefused) as exc:
        reason = exc.message if isinstance(exc, PlanRefused) else f"{path} is not a plan or a push: {exc}."
        raise UsageError(reason, hint=hint) from exc


# --- where -----------------------------------------------------------------------------------------------------------


class _Number(msgspec.Struct, frozen=True):
    number: int


class _Owner(msgspec.Struct, frozen=True):
    login: str


class _HeadRepository(msgspec.Struct, frozen=True):
    owner: _Owner


class _Run(msgspec.Struct, frozen=True):
    head_sha: str
    head_branch: str | None = None
    head_repository: _HeadRepository | None = None


class _Event(msgspec.Struct, frozen=True):
    """What GitHub writes of the event that started the job, as far as it matters here."""

    pull_request: _Number | None = None
    workflow_run: _Run | None = None


def place_of(environ: Mapping[str, str], *, repository: str = "", number: int | None = None) -> Place:
    """Where the comment goes, by the variables of the job; what is given counts more.

    Raises:
        UsageError: nothing says which pull request it is.
        ConfigError: the address of the API cannot be used.
    """
    if environ.get("CI_API_V4_URL") and not environ.get("GITHUB_ACTIONS"):
        place = _in_gitlab(environ, repository, number)
    else:
        api_url = environ.get("GITHUB_API_URL") or "https://api.github.com"
        place = Place(GitHub(), api_url, repository or environ.get("GITHUB_REPOSITORY", ""), number)
        place = place if number else _by_event(place, environ)
    check_api_url(place.api_url)
    if not A_REPOSITORY.fullmatch(place.repository):
        raise UsageError("kbsync cannot tell which repository the comment belongs to.", hint=WHERE)
    if place.number is None and place.head is None:
        raise UsageError("This job is not about a pull request.", hint=WHERE)
    return place


def _in_gitlab(environ: Mapping[str, str], repository: str, number: int | None) -> Place:
    text = environ.get("CI_MERGE_REQUEST_IID", "")
    found = number or (int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None)
    return Place(GitLab(), environ["CI_API_V4_URL"], repository or environ.get("CI_PROJECT_ID", ""), found)


def _by_event(place: Place, environ: Mapping[str, str]) -> Place:
    event = _event(environ.get("GITHUB_EVENT_PATH", ""))
    number, head = None, None
    if event.pull_request is not None:
        number = event.pull_request.number
    elif (run := event.workflow_run) is not None and run.head_branch and run.head_repository:
        head = CommitRef(run.head_repository.owner.login, run.head_branch, run.head_sha)
    elif found := re.match(r"refs/pull/(\d{1,9})/", environ.get("GITHUB_REF", ""), re.ASCII):
        number = int(found[1])
    return Place(place.forge, place.api_url, place.repository, number, head)


def _event(path: str) -> _Event:
    try:
        return msgspec.json.decode(read_within(Path(path), MAX_EVENT_BYTES), type=_Event) if path else _Event()
    except (OSError, msgspec.DecodeError) as exc:
        raise UsageError(f"GITHUB_EVENT_PATH: {path} cannot be read: {exc}.", hint=WHERE) from exc


def token_of(forge: Forge, environ: Mapping[str, str]) -> str:
    """The forge's own token, "" if it is not set. The token of the help center is not used here."""
    names = ("KBSYNC_GITLAB_TOKEN", "GITLAB_TOKEN") if isinstance(forge, GitLab) else ("GITHUB_TOKEN",)
    return next((environ[name].strip() for name in names if environ.get(name, "").strip()), "")


# --- posting ---------------------------------------------------------------------------------------------------------


def post(report: Report, place: Place, token: str, *, sleep: Callable[[float], None] = time.sleep) -> Posted:
    """Post the comment, or write over the one that is there.

    Args:
        report: what to say.
        place: where.
        token: of the forge.
        sleep: waits so many seconds.
    """
    if not token:
        name = "KBSYNC_GITLAB_TOKEN" if isinstance(place.forge, GitLab) else "GITHUB_TOKEN"
        hint = f"Set {name} for this step. Pipelines of a fork do not get it."
        return Posted("refused", f"There is no token for {place.forge.name}.", hint)
    try:
        with Client(place.forge, place.api_url, token, sleep) as client:
            number = place.number or _number_of(client, place)
            if number is None:
                return Posted("refused", "The pull request has newer commits, or is closed.", "Their own run comments.")
            return _write(client, report, place, number)
    except ServiceError as exc:
        return Posted("refused", exc.message, exc.hint)


def _number_of(client: Client, place: Place) -> int | None:
    assert place.head is not None
    return client.pull_of(place.repository, place.head.owner, place.head.branch, place.head.sha)


def _write(client: Client, report: Report, place: Place, number: int) -> Posted:
    ours = client.find(place.repository, number, marker_of(report))
    if ours is None and not report.has_news:
        return Posted("silent")
    budget = place.forge.most_bytes
    try:
        return _write_once(client, place, number, ours, comment_markdown(report, budget=budget))
    except Rejected as exc:
        if not is_too_long(exc):
            raise
        return _write_once(client, place, number, ours, comment_markdown(report, budget=budget // SHORTER))


def _write_once(client: Client, place: Place, number: int, ours: Row | None, body: str) -> Posted:
    if ours is None:
        client.create(place.repository, number, body)
        return Posted("created")
    # GitHub stores the line breaks of a browser.
    if (ours.body or "").replace("\r\n", "\n").strip() == body.strip():
        return Posted("unchanged")
    client.update(place.repository, number, ours.id, body)
    return Posted("updated")
