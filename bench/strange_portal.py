"""A help center as another client fills it over plain HTTP: with everything that people type and upload.

    strange = fill(base_url, token, 1000)

Odd slugs, articles without a category, translations, CRLF, bodies of 20,000 characters, images (also those of other
hosts), archived articles, edits that are pending in the panel, names that differ only in case, names that Windows
keeps for itself, addresses that try to leave the folder, titles with escape codes, line breaks, quotes and emoji.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

PORTAL = "handbook"
SLUGS = (
    "", "", "", "UP", "été", "a b", "../../x", "日本", "CON", "con", "nul.txt", "q?a=b", "-", "%2e%2e", "x" * 100,
    "trailing.", "a/b/c", "AUX.md", "..", "\u202eevil", "_category", "README", ".hidden", "a\\b", "*?<>|",
)  # fmt: skip
TITLES = (
    "Title", "null", "1",
    "a: b", "# x", "\x1b[31mred\x1b[0m", "yes", "2026-01-01", "'q'", "  sp  ", "é😀", "two\nlines",
    'x', "- dash", "{{x}}", "[link](x)", "tab\there", "--- ", "! bang", "& amp", "@at", "`tick`",
    "%pct",
)  # fmt: skip
BODIES = (
    "Hello *world*.\n\n## Head\n\n- a\n- b",
    "Line\r\n\r\nCRLF\r\n",
    "# Title\n\nText `<<<<<<< code`",
    "---\nfake: front\n---\ntext",
    "\n\nleading",
    "```\n[a](/hc/handbook/articles/1-1)\n```\n",
    "<b>html</b> &amp; \\* [x](foo.md) ![z](nope.png)",
    "[a]: /hc/handbook/articles/1-1\n\n[a] and <https://x.example/hc>",
    "mixed\r\nline\nends\r",
    "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
    "\ufeffbyte order mark",
    "trailing spaces  \n\ttab\n\n\n\n",
)
IMAGES = (
    "Screen shot.png",
    "../../e.png",
    "CON.png",
    "a.png",
    "A.png",
    "a.png",
    "é.png",
    "no ending",
    "x" * 200 + ".png",
)
OTHER_HOSTS = ("https://images.example.com/a.png", "//cdn.example.com/b.png", "http://127.0.0.1:9/c.png", "data:,x")


def png(number: int) -> bytes:
    """An image of one pixel that no other number has."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixel = zlib.compress(b"\0" + struct.pack(">I", number)[1:])
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


class Client:
    """Another client of the service, over one connection."""

    def __init__(self, base_url: str, token: str) -> None:
        self.base_url = base_url
        self.connection = HTTPConnection(urlsplit(base_url).netloc)
        self.headers = {"api_access_token": token}

    def send(self, method: str, path: str, body: object) -> dict:
        """Send JSON; the `payload` of the answer."""
        return self._send(method, path, json.dumps(body).encode(), "application/json").get("payload", {})

    def upload(self, name: str, data: bytes) -> str:
        """Upload a file; its address."""
        head = f'--b\r\nContent-Disposition: form-data; name="attachment"; filename="{name}"\r\n'
        body = f"{head}Content-Type: image/png\r\n\r\n".encode() + data + b"\r\n--b--\r\n"
        return str(self._send("POST", "upload", body, "multipart/form-data; boundary=b")["file_url"])

    def _send(self, method: str, path: str, body: bytes, kind: str) -> dict:
        headers = self.headers | {"Content-Type": kind}
        self.connection.request(method, f"/api/v1/accounts/1/{path}", body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:300]!r} for {body[:300]!r}")
        found = json.loads(text)
        return found if isinstance(found, dict) else {}


def fill(base_url: str, token: str, number: int, locales: tuple[str, ...] = ("en", "fr")) -> int:
    """Fill a portal; how many articles it has then."""
    rng = random.Random(15)
    client = Client(base_url, token)
    categories: dict[str, list[int]] = {locale: [] for locale in locales}
    for locale, ids in categories.items():
        for slug in ("billing", "API Keys", "con", "../up", "日本", "Billing"):
            body = {"name": f"{slug}: &", "slug": slug, "locale": locale, "description": "", "position": 5}
            ids.append(client.send("POST", f"portals/{PORTAL}/categories", body)["id"])
    images = [client.upload(name, png(at)) for at, name in enumerate(IMAGES)]
    addresses: list[str] = []
    originals: list[int] = []
    for at in range(number):
        locale = locales[0] if at < number * 2 / 3 else rng.choice(locales[1:])
        slug = f"{rng.choice(SLUGS)}{at}-{at}"
        links = "".join(f"[l]({address}) " for address in rng.sample(addresses, min(3, len(addresses))))
        shown = f"![i]({rng.choice(images)}?cw_image_height=300px)" if at % 7 == 0 else ""
        shown += f" ![o]({rng.choice(OTHER_HOSTS)})" if at % 11 == 0 else ""
        body = "y" * 20_000 if at % 50 == 1 else f"{rng.choice(BODIES)}\n\n{links}\n\n{shown}"
        fields: dict[str, object] = {
            "title": f"{rng.choice(TITLES)} {at}",
            "slug": slug,
            "content": body,
            "locale": locale,
            "author_id": 1,
            "status": rng.choice((0, 1, 2)),
            "description": rng.choice(("", "a\nb", "é: #")),
        }
        if category := rng.choice((None, *categories[locale])):
            fields["category_id"] = category
        if locale != locales[0] and at % 2:
            fields["associated_article_id"] = rng.choice(originals)
        made = client.send("POST", f"portals/{PORTAL}/articles", fields)["id"]
        if locale == locales[0]:
            originals.append(made)
        if at % 40 == 3:
            draft = {"draft_content": "Not published yet.", "draft_title": f"Draft {at}"}
            client.send("PATCH", f"portals/{PORTAL}/articles/{made}", draft)
        address = f"/hc/{PORTAL}/articles/{quote(slug, safe='')}"
        addresses.append(rng.choice((address, f"{address}#head", f"{base_url}{address}")))
    return number
