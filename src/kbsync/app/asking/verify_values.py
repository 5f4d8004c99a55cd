"""What `kbsync verify` finds, as values, and where two texts differ. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kbsync.config.moments import seconds_of
from kbsync.errors import ExitCode
from kbsync.markdown.uploaded import by_key
from kbsync.model import Desired, Target

if TYPE_CHECKING:
    from kbsync.service.public_site import PublicArticle

State = Literal["same", "differs", "not_published", "waiting", "unreachable", "not_in_files"]

LINE_CHARS = 500
"""Of a line that differs, around the first difference."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that readers get otherwise than the file says.

    `line` counts from 1 in the body, 0 where it is not about a line. `theirs` is what the portal has, `ours` what the
    file has. `message` says what is wrong where these two do not.
    """

    what: Literal["title", "body", "page", "image", "link", "status"]
    message: str
    line: int = 0
    theirs: str = ""
    ours: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one article. `path` is "" where no file has it; `address` is that of its page."""

    path: str
    locale: str
    slug: str
    address: str
    state: State
    problems: tuple[Problem, ...] = ()
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of all of them; `skipped` are published articles that kbsync does not keep in step.

    `version` is what the service said of itself, "" where it was not asked or did not tell.
    """

    target: Target
    articles: tuple[Checked, ...] = ()
    requests: int = 0
    seconds: float = 0.0
    skipped: int = 0
    version: str = ""

    def count(self, state: State) -> int:
        """How many articles are in this state."""
        return sum(1 for article in self.articles if article.state == state)

    @property
    def exit_code(self) -> ExitCode:
        """10 where something differs, 5 where something could not be asked for, else 0."""
        if any(self.count(state) for state in ("differs", "not_published", "not_in_files")):
            return ExitCode.CHANGES
        return ExitCode.SERVICE if self.count("unreachable") else ExitCode.DONE


def with_waiting(checked: Sequence[Checked], wanted: Sequence[Desired], now_s: float) -> list[Checked]:
    """With what is not published because its time has not come: a date, or a release of which readers see nothing yet.

    `wanted` are the articles of the files, in the same order.
    """
    pairs = list(zip(checked, wanted, strict=True))
    released = {item.release for found, item in pairs if found.state in {"same", "differs"}}

    def waits(item: Desired) -> bool:
        is_early = bool(item.publish_on) and seconds_of(item.publish_on) > now_s
        return is_early or bool(item.release and item.release not in released)

    return [
        replace(found, state="waiting") if found.state == "not_published" and waits(item) else found
        for found, item in pairs
    ]


def title_problem(item: Desired, article: PublicArticle | None) -> list[Problem]:
    if article is None or article.title is None or article.title == item.title:
        return []
    return [Problem("title", "", theirs=article.title, ours=item.title)]


def body_problem(text: str, ours: str) -> list[Problem]:
    """Where two texts differ first. Neither line breaks at both ends nor where images are count."""
    theirs, ours = by_key(text).strip("\r\n"), ours.strip("\r\n")
    return [] if theirs == ours else first_difference("body", theirs, ours)


def first_difference(what: Literal["body", "page"], theirs: str, ours: str) -> list[Problem]:
    """The first line that differs, as it is on both sides; "" where one side has ended."""
    some, others = theirs.splitlines(), ours.splitlines()
    for number in range(max(len(some), len(others))):
        one = some[number] if number < len(some) else ""
        other = others[number] if number < len(others) else ""
        if one != other or number >= min(len(some), len(others)):
            shown = _around(one, other)
            return [Problem(what, "" if one != other else "one side has more empty lines", number + 1, *shown)]
    return [Problem(what, "only the line endings differ")]


def _around(one: str, other: str) -> tuple[str, str]:
    """Two lines, no longer than can be shown, with the first difference in them."""
    same = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(one), len(other)) if same is None else same
    start = max(0, at - LINE_CHARS // 2)
    return one[start : start + LINE_CHARS], other[start : start + LINE_CHARS]
