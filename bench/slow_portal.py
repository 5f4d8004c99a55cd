"""A portal that answers each request a fixed time after its last byte came, and does next to nothing else.

    python bench/slow_portal.py --delay-ms 50 [--load FILE]

The sandbox costs more CPU for a create than a push does; a push measured against it measures the sandbox. This one
keeps articles as ready-made JSON, enforces the unique slug, and counts what it is asked. It prints its address, and
ends when its standard input does, so that it never outlives the benchmark. `/-/stats` answers at once and is not
counted.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import selectors
import socket
import sys
import time
from collections import Counter
from email.utils import formatdate
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

PER_PAGE = 25
STATUS_WORDS = {0: "draft", 1: "published", 2: "archived"}
REASONS = {200: "OK", 404: "Not Found", 422: "Unprocessable Entity", 500: "Internal Server Error"}
AUTHOR = {"id": 1, "name": "Ada Admin", "role": "administrator"}

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode
Answer = tuple[int, bytes]


class Shelf:
    """The portal's contents; articles as JSON, by locale, the one that changed last at the end."""

    def __init__(self, locales: list[str], portal: str) -> None:
        self.portal = portal
        self.locales = locales
        self.categories: dict[int, dict[str, Any]] = {}
        self.articles: dict[str, dict[int, bytes]] = {locale: {} for locale in locales}
        self.locale_of: dict[int, str] = {}
        self.slugs: dict[str, int] = {}
        self.linked: dict[int, list[int]] = {}
        self.original_of: dict[int, int] = {}
        self.category_ids: dict[tuple[str, str], int] = {}
        self.last_id = 0

    def add_category(self, given: dict[str, Any]) -> Answer:
        key = (given["locale"], given["slug"])
        if key in self.category_ids:
            return 422, encode({"message": "Slug has already been taken"})
        self.last_id += 1
        self.category_ids[key] = self.last_id
        blank: dict[str, Any] = {"description": "", "position": None, "icon": ""}
        original_id = given.pop("associated_category_id", None)
        root = {"root_category": {"id": original_id}} if original_id in self.categories else {}
        self.categories[self.last_id] = {"id": self.last_id, **blank, **given, **root}
        return 200, encode({"payload": self.categories[self.last_id]})

    def add_article(self, given: dict[str, Any], *, now_s: int) -> Answer:
        if given["slug"] in self.slugs:
            return 500, encode({"status": 500, "error": "Internal Server Error"})  # docs/service.md, S1
        self.last_id += 1
        self.slugs[given["slug"]] = self.last_id
        blank: dict[str, Any] = {
            "title": "",
            "content": "",
            "description": "",
            "position": None,
            "meta": {},
            "status": 0,
        }
        made = self._put(self.last_id, given["locale"], blank | given, now_s=now_s)
        self._link(self.last_id, given.get("associated_article_id"))
        return made

    def change_article(self, article_id: int, given: dict[str, Any], *, now_s: int) -> Answer:
        locale = self.locale_of[article_id]
        if "associated_article_id" in given:
            self._link(article_id, given["associated_article_id"])
        before = decode(self.articles[locale].pop(article_id))
        before["category_id"] = before["category"]["id"]
        return self._put(article_id, locale, before | given, now_s=now_s)

    def _put(self, article_id: int, locale: str, given: dict[str, Any], *, now_s: int) -> Answer:
        category = self.categories.get(given.get("category_id") or 0, {})
        names = ("slug", "title", "content", "description", "position", "meta")
        article = encode(
            {
                "id": article_id,
                **{name: given[name] for name in names},
                "status": STATUS_WORDS.get(given["status"], given["status"]),
                "account_id": 1,
                "updated_at": now_s,
                "category": {name: category.get(name) for name in ("id", "name", "slug", "locale")},
                "views": 0,
                "author": AUTHOR | {"id": given.get("author_id") or AUTHOR["id"]},
                **self._links_of(article_id),
            }
        )
        self.articles[locale][article_id] = article
        self.locale_of[article_id] = locale
        return 200, b'{"payload":%b}' % article

    def _link(self, article_id: int, original_id: int | None) -> None:
        """Note a translation at its original, which alone names it (docs/service.md, section 4)."""
        changed = set()
        if (before := self.original_of.pop(article_id, None)) is not None:
            self.linked[before].remove(article_id)
            changed.add(before)
        if original_id in self.locale_of:
            self.original_of[article_id] = original_id
            self.linked.setdefault(original_id, []).append(article_id)
            changed.add(original_id)
        for original in changed:
            # In its place: the original itself did not change.
            rows = self.articles[self.locale_of[original]]
            rows[original] = encode(decode(rows[original]) | {"associated_articles": []} | self._links_of(original))

    def _links_of(self, article_id: int) -> dict[str, Any]:
        linked = self.linked.get(article_id)
        return {"associated_articles": [{"id": other} for other in linked]} if linked else {}

    def list_articles(self, locale: str, page: int) -> Answer:
        rows = self.articles.get(locale, {})
        first = (page - 1) * PER_PAGE
        shown = b",".join(islice(reversed(rows.values()), first, first + PER_PAGE))
        counts = {"all_articles_count": len(self.locale_of), "articles_count": len(rows), "current_page": page}
        return 200, b'{"payload":[%b],"meta":%b}' % (shown, encode(counts))

    def list_categories(self, locale: str, page: int) -> Answer:
        rows = [row for row in self.categories.values() if not locale or row["locale"] == locale]
        return 200, encode({"payload": rows if page == 1 else []})

    def list_portals(self) -> Answer:
        portal = {"slug": self.portal, "name": self.portal, "archived": False}
        return 200, encode({"payload": [portal | {"config": {"allowed_locales": self.locales}}]})

    def load(self, file: Path) -> None:
        """Take over what `compiled.py` wrote: categories first, articles with their category's slug."""
        now_s = int(time.time()) - 60
        ids: dict[str, int] = {}
        originals: dict[str, str] = {}
        for given in msgspec.msgpack.decode(file.read_bytes()):
            path, original = given.pop("path"), given.pop("original")
            if given.pop("kind") == "category":
                self.add_category(given)
            else:
                category_id = self.category_ids.get((given["locale"], given.pop("category", "")))
                self.add_article(given | {"category_id": category_id}, now_s=now_s)
            ids[path] = self.last_id
            originals |= {path: original} if original else {}
        for path, original in originals.items():
            if ids[path] in self.categories:
                self.categories[ids[path]]["root_category"] = {"id": ids[original]}
            else:
                self._link(ids[path], ids.get(original))


class Stats:
    """What was asked. Times are of the loop's clock, in seconds."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.first_create_s = self.last_answer_s = 0.0
        self.late_s: list[float] = []

    def count(self, name: str, now_s: float) -> None:
        self.asked[name] += 1
        if name.startswith("POST") and not self.first_create_s:
            self.first_create_s = now_s

    def json(self, shelf: Shelf) -> bytes:
        late = sorted(self.late_s) or [0.0]
        return encode(
            {
                "asked": self.asked,
                "articles": len(shelf.slugs),
                "categories": len(shelf.categories),
                "create_span_s": self.last_answer_s - self.first_create_s,
                "first_create_at_s": self.first_create_s,
                "last_answer_at_s": self.last_answer_s,
                "late_ms": {"median": late[len(late) // 2] * 1e3, "p99": late[len(late) * 99 // 100] * 1e3},
            }
        )


class Connection(asyncio.Protocol):
    """One connection of a client that keeps it: requests one after the other, each answered after the delay."""

    def __init__(self, shelf: Shelf, stats: Stats, delay_s: float) -> None:
        self.shelf, self.stats, self.delay_s = shelf, stats, delay_s
        self.loop = asyncio.get_running_loop()
        self.waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            head = self.waiting[:end]
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.waiting) < end + 4 + length:
                return
            body = self.waiting[end + 4 : end + 4 + length]
            self.waiting = self.waiting[end + 4 + length :]
            self.take(head.split(b"\r\n", 1)[0].decode("ascii"), body)

    def take(self, line: str, body: bytes) -> None:
        method, address, _ = line.split(" ")
        path, _, query = address.partition("?")
        due_s = self.loop.time() + self.delay_s
        if path == "/-/stats":
            self.answer((200, self.stats.json(self.shelf)), None)
            return
        name = "public pages" if path.startswith("/hc/") else path.rstrip("0123456789").rstrip("/").rpartition("/")[2]
        self.stats.count(f"{method} {name}", self.loop.time())
        made = route(self.shelf, method, path, query, body)
        if self.delay_s:
            self.loop.call_at(due_s, self.answer, made, due_s)
        else:
            self.answer(made, None)

    def answer(self, made: Answer, due_s: float | None) -> None:
        status, body = made
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\nDate: {formatdate(usegmt=True)}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)
        if due_s is not None:
            self.stats.last_answer_s = self.loop.time()
            self.stats.late_s.append(self.stats.last_answer_s - due_s)


def route(shelf: Shelf, method: str, path: str, query: str, body: bytes) -> Answer:
    """The handful of addresses that a plan and a push ask for."""
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    locale, page, now_s = asked.get("locale", ""), int(asked.get("page", 1)), int(time.time())
    parts = path.strip("/").split("/")
    if parts[0] == "hc":
        article_id = shelf.slugs.get(unquote(parts[-1].removesuffix(".json")))
        return _show(shelf, article_id)
    match method, parts[3:] if len(parts) > 3 else parts:
        case "GET", [_, _, "profile"]:
            return 200, encode(AUTHOR | {"accounts": [{"id": 1, "role": "administrator"}]})
        case "POST", [_, "upload"]:
            name = re.search(rb'filename="([^"]*)"', body)
            address = f"http://127.0.0.1/rails/active_storage/blobs/redirect/x/{name[1].decode() if name else 'x'}"
            return 200, encode({"file_url": address, "blob_id": "x"})
        case "GET", [_, "inboxes"]:
            return 200, b'{"payload":[]}'
        case "GET", [_, "portals"]:
            return shelf.list_portals()
        case "GET", [_, "portals", _, "categories"]:
            return shelf.list_categories(locale, page)
        case "POST", [_, "portals", _, "categories"]:
            return shelf.add_category(decode(body))
        case "GET", [_, "portals", _, "articles"]:
            return shelf.list_articles(locale, page)
        case "POST", [_, "portals", _, "articles"]:
            return shelf.add_article(decode(body), now_s=now_s)
        case "GET", [_, "portals", _, "articles", number]:
            return _show(shelf, int(number))
        case "PATCH", [_, "portals", _, "articles", number] if int(number) in shelf.locale_of:
            return shelf.change_article(int(number), decode(body), now_s=now_s)
    return 404, encode({"error": "Resource could not be found"})


def _show(shelf: Shelf, article_id: int | None) -> Answer:
    if article_id not in shelf.locale_of:
        return 404, encode({"error": "Resource could not be found"})
    return 200, b'{"payload":%b}' % shelf.articles[shelf.locale_of[article_id]][article_id]


async def serve(shelf: Shelf, delay_s: float) -> None:
    stats = Stats()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(shelf, stats, delay_s), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument("--load", type=Path)
    parser.add_argument("--locales", nargs="*", default=["en", "de", "fr", "es"])
    parser.add_argument("--portal", default="handbook")
    args = parser.parse_args()
    shelf = Shelf(args.locales, args.portal)
    if args.load:
        shelf.load(args.load)
    # select() waits in microseconds; epoll, the default, in whole milliseconds, rounded up: one in fifty.
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selectors.SelectSelector())) as runner:
        runner.run(serve(shelf, args.delay_ms / 1000))


if __name__ == "__main__":
    main()
