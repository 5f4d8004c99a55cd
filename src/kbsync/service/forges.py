"""How GitHub and GitLab are asked for the comments of a pull or merge request, and what their answers mean. Pure.

Sources: docs.github.com, REST API: issue comments, rate limits; docs.gitlab.com: Notes API, application limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from kbsync.errors import Denied, Misbehaved, NotFound, Rejected, ServiceError, Throttled
from kbsync.service.exchange import Answer

T = TypeVar("T")

LONGEST_WAIT_S = 60.0
"""What Retry-After may ask for, once. Longer than that and the comment is given up: the next run writes it."""

SHOWN_CHARS = 200
READ_BYTES = 100_000
"""Of an error; a longer one has no message that could be shown."""


class Writer(msgspec.Struct, frozen=True):
    """Who wrote a comment: `login` on GitHub, `username` on GitLab. `type` is `Bot` for apps of GitHub."""

    login: str = ""
    username: str = ""
    type: str = ""


class Row(msgspec.Struct, frozen=True):
    """A comment as both list it. The service's own notes (`system`) are none."""

    id: int
    body: str | None = None
    user: Writer | None = None
    author: Writer | None = None
    system: bool = False


class PullHead(msgspec.Struct, frozen=True):
    """The newest commit of a pull request."""

    sha: str = ""


class Pull(msgspec.Struct, frozen=True):
    """A pull request of GitHub's list."""

    number: int
    head: PullHead = PullHead()


class _Problem(msgspec.Struct, frozen=True):
    """An error as both answer it; of GitLab's, `message` may be an object."""

    message: Any = ""
    errors: Any = None
    error: Any = None


@dataclass(frozen=True, slots=True)
class GitHub:
    """REST API version 2022-11-28."""

    name: str = "GitHub"
    most_bytes: int = 65_536
    """Source: its own message, `body is too long (maximum is 65536 characters)`. A character has at least one byte."""

    fork_hint: str = (
        "Give the job `permissions: pull-requests: write`. The token of a pull request from a fork can never comment: "
        "use the two workflows for forks (examples/github)."
    )

    def headers(self, token: str) -> dict[str, str]:
        """What carries the token, and what kind of answer is wanted."""
        return {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def comments(self, repository: str, number: int) -> str:
        """The path of the list of comments, and of a new one."""
        return f"/repos/{quote(repository)}/issues/{number}/comments"

    def comment(self, repository: str, number: int, comment_id: int) -> tuple[str, str]:
        """Method and path that change one comment."""
        return ("PATCH", f"/repos/{quote(repository)}/issues/comments/{comment_id}")

    def is_ours(self, row: Row, me: Writer | None) -> bool:
        """Whether we wrote a comment; `me` is who we are, None where the API does not say."""
        if row.user is None:
            return False
        # The token of a job is not told who it is. It comments as an app, which no person can.
        return row.user.login == me.login if me else row.user.type == "Bot"


@dataclass(frozen=True, slots=True)
class GitLab:
    """REST API version 4."""

    name: str = "GitLab"
    most_bytes: int = 1_000_000
    """Source: docs.gitlab.com, application limits: about 1 million characters."""

    fork_hint: str = (
        "The token needs the scope `api` and the role Reporter or higher. Pipelines of a fork do not get it: "
        "run the pipeline in the parent project."
    )

    def headers(self, token: str) -> dict[str, str]:
        """What carries the token."""
        return {"PRIVATE-TOKEN": token, "Accept": "application/json"}

    def comments(self, repository: str, number: int) -> str:
        """The path of the list of comments, and of a new one."""
        return f"/projects/{quote(repository, safe='')}/merge_requests/{number}/notes"

    def comment(self, repository: str, number: int, comment_id: int) -> tuple[str, str]:
        """Method and path that change one comment."""
        return ("PUT", f"{self.comments(repository, number)}/{comment_id}")

    def is_ours(self, row: Row, me: Writer | None) -> bool:
        """Whether we wrote a comment; `me` is who we are, None where the API does not say."""
        return row.author is not None and me is not None and row.author.username == me.username


Forge = GitHub | GitLab


def wait_of(answer: Answer) -> float | None:
    """How long the API asks to wait, in seconds; None where it asks for nothing.

    A 403 is a limit only where it says so: mostly it means that the token may not do this. Without Retry-After it is
    to be a minute. Source: docs.github.com, rate limits for the REST API.
    """
    if answer.status not in {403, 429}:
        return None
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:6])
    is_limit = answer.status == 429 or "secondary rate limit" in _message_of(answer).lower()
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return float("inf")  # Of the hour: nobody waits that long for a comment.
    return LONGEST_WAIT_S if is_limit else None


def checked(answer: Answer, forge: Forge) -> Answer:
    """Return a 2xx answer; raise what any other one means.

    Raises:
        ServiceError: one of its kinds.
    """
    status, text = answer.status, _message_of(answer)
    if 200 <= status < 300:
        return answer
    message = f"{forge.name} answered {status}{': ' + text.removesuffix('.') if text else ''}."
    if wait_of(answer) is not None:
        hint = "The next run writes the comment. Or run the job again later."
        raise Throttled(f"{forge.name} asks kbsync to slow down ({status}).", hint=hint, status=status)
    if status in {401, 403}:
        raise Denied(message, hint=forge.fork_hint, status=status)
    if status == 404:
        raise NotFound(message, hint="Check the repository and the number, and that the token may see them.")
    if 300 <= status < 400:
        hint = "The repository was renamed or moved: use its new name. The token follows no redirect."
        raise ServiceError(message, hint=hint, status=status)
    if status in {400, 422}:
        raise Rejected(message, hint="Change what the message names.", status=status)
    raise ServiceError(message, hint="Run the job again later.", status=status)


def is_too_long(exc: Rejected) -> bool:
    """Whether a comment was refused for its length."""
    return "too long" in exc.message.lower()


def _message_of(answer: Answer) -> str:
    """What an answer says about itself: `message`, and the messages of `errors`, on one line."""
    try:
        found = msgspec.json.decode(answer.body[:READ_BYTES], type=_Problem)
    except (msgspec.DecodeError, RecursionError):
        return ""
    texts = [str(part) for part in (found.message, found.errors, found.error) if part]
    return answer.shown(" ".join(" ".join(texts).split()))[:SHOWN_CHARS]


def decoded(answer: Answer, kind: type[T]) -> T:
    """The body of an answer.

    Raises:
        Misbehaved: it is not what the API promises.
    """
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise Misbehaved(f"{answer.asked}: The answer is not the JSON that it should be.") from exc
