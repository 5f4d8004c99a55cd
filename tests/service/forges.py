"""GitHub's and GitLab's comments on loopback, as their documents describe them: pages, users, limits, refusals."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from .web import Quiet, serving

TOKEN = "forge-token-0001"

Reply = tuple[int, dict[str, str], Any]
"""Status, headers, the value that is sent as JSON."""

FORBIDDEN = (403, {}, {"message": "Resource not accessible by integration"})
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


@dataclass
class FakeForge:
    """One pull request (number 7 of `ana/help`, or project 42) and its comments.

    `me` is what `GET /user` answers, None for a job's token on GitHub. `faults` are replies that the next requests of a
    method and a part of the path get first.
    """

    kind: str
    me: str | None = "kbsync-bot"
    per_page: int = 100
    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    faults: list[tuple[str, str, Reply]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    authorized: list[bool] = field(default_factory=list)
    origin: str = ""

    @property
    def author(self) -> dict[str, str]:
        """Who we are to the readers of a comment."""
        if self.kind == "gitlab":
            return {"username": self.me or "project_42_bot"}
        return {"login": self.me, "type": "User"} if self.me else {"login": "github-actions[bot]", "type": "Bot"}

    def add(self, body: str | None, author: dict[str, str] | None = None, **others: Any) -> int:
        """A comment of somebody, by default of ours; its number."""
        number = 100 + len(self.comments)
        who = {"author" if self.kind == "gitlab" else "user": author or self.author}
        self.comments.append({"id": number, "body": body} | who | others)
        return number

    def reply(self, method: str, target: str, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        parts = urlsplit(target)
        self.asked.append(f"{method} {unquote(parts.path)}")
        given = headers.get("private-token") if self.kind == "gitlab" else headers.get("authorization")
        self.authorized.append(given == (TOKEN if self.kind == "gitlab" else f"Bearer {TOKEN}"))
        if not self.authorized[-1]:
            return 401, {}, {"message": "Bad credentials"}
        for fault in self.faults:
            if fault[0] == method and fault[1] in parts.path:
                self.faults.remove(fault)
                return fault[2]
        if parts.path.endswith("/user"):
            return (200, {}, self.author) if self.me or self.kind == "gitlab" else FORBIDDEN
        if parts.path.endswith("/pulls"):
            wanted = parse_qs(parts.query)["head"][0]
            return 200, {}, [pull for pull in self.pulls if pull["head"]["label"] == wanted]
        return self._comments(method, parts.path, parse_qs(parts.query), body)

    def _comments(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> Reply:
        listed, one = (
            ("/projects/42/merge_requests/7/notes", "/projects/42/merge_requests/7/notes/")
            if self.kind == "gitlab"
            else ("/repos/ana/help/issues/7/comments", "/repos/ana/help/issues/comments/")
        )
        path = path.removeprefix("/api")
        if path == listed and method == "GET":
            page, size = int(query["page"][0]), min(int(query["per_page"][0]), self.per_page)
            rows = self.comments[(page - 1) * size : page * size]
            more = {"Link": f'<https://elsewhere.example/?page={page + 1}>; rel="next"'}
            return 200, more if page * size < len(self.comments) else {}, rows
        if path == listed and method == "POST":
            self.add(body["body"])
            return 201, {}, self.comments[-1]
        if path.startswith(one) and method == ("PUT" if self.kind == "gitlab" else "PATCH"):
            [found] = [row for row in self.comments if row["id"] == int(path.removeprefix(one))]
            found["body"] = body["body"]
            return 200, {}, found
        return 404, {}, {"message": "Not Found" if self.kind == "github" else "404 Not found"}


@contextmanager
def running_forge(kind: str, **others: Any) -> Iterator[FakeForge]:
    """The API, for as long as it is needed."""
    forge = FakeForge(kind, **others)

    class Handler(Quiet):
        def answer(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(size)) if size else {}
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, value = forge.reply(self.command, self.path, body, headers)
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", "Content-Length": str(len(data)), **more}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815 - the names that the library calls

    with serving(Handler) as port:
        forge.origin = f"http://127.0.0.1:{port}/api"
        yield forge
