"""A help center that another client filled, with all that people type: it comes into files, and nothing is left to do."""

import random
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from kbsync.sandbox import Sandbox
from kbsync.sandbox.api_upload import PIXEL

pytestmark = pytest.mark.slow

NUMBER = 240
SLUGS = ("", "", "UP", "été", "a b", "../../x", "日本", "CON", "nul.txt", "q?a=b", "-", "%2e%2e", "x" * 100)
TITLES = ("Title", "null", "1", "a: b", "# x", "\x1b[31mred", "yes", "2026-01-01", "'q'", "  sp  ", "é😀")
BODIES = (
    "Hello *world*.\n\n## Head\n\n- a\n- b",
    "Line\r\n\r\nCRLF\r\n",
    "# Title\n\nText `<<<<<<< code`",
    "---\nfake: front\n---\ntext",
    "\n\nleading",
    "```\n[a](/hc/handbook/articles/1-1)\n```\n",
    "<b>html</b> &amp; \\* [x](foo.md) ![z](nope.png)",
    "[a]: /hc/handbook/articles/1-1\n\n[a] and <https://x.example/hc>",
)


def fill(portal: Sandbox, asked: httpx.Client) -> None:
    """Two locales, categories with odd slugs, images, links, translations, an edit that is pending."""
    rng = random.Random(7)
    categories: dict[str, list[int]] = {"en": [], "fr": []}
    for locale, ids in categories.items():
        for slug in ("billing", "API Keys", "con", "../up", "日本"):
            body = {"name": f"{slug}: &", "slug": slug, "locale": locale, "description": "", "position": 5}
            ids.append(asked.post("portals/handbook/categories", json=body).json()["payload"]["id"])
    images = []
    for number, name in enumerate(("Screen shot.png", "../../e.png", "CON.png", "a.png", "a.png")):
        files = {"attachment": (name, PIXEL + bytes([number]), "image/png")}
        images.append(asked.post("upload", files=files).json()["file_url"])
    addresses: list[str] = []
    originals: list[int] = []
    for number in range(NUMBER):
        locale = "en" if number < NUMBER * 2 / 3 else "fr"
        slug = f"{rng.choice(SLUGS)}{number}-{number}"
        links = "".join(f"[l]({address}) " for address in rng.sample(addresses, min(3, len(addresses))))
        shown = f"![i]({rng.choice(images)}?cw_image_height=300px)" if number % 7 == 0 else ""
        body = "x" * 20_000 if number % 50 == 1 else f"{rng.choice(BODIES)}\n\n{links}\n\n{shown}"
        fields: dict[str, Any] = {"slug": slug, "locale": locale, "status": rng.choice((0, 1, 2))}
        fields |= {"category_id": rng.choice((None, *categories[locale])), "description": rng.choice(("", "a\nb"))}
        if locale == "fr" and number % 2:
            fields["associated_article_id"] = rng.choice(originals)
        made = portal.panel.create("handbook", f"{rng.choice(TITLES)} {number}", body, **fields)
        originals += [made.id] if locale == "en" else []
        address = f"/hc/handbook/articles/{quote(slug, safe='')}"
        addresses.append(rng.choice((address, f"{address}#head", f"{portal.base_url}{address}")))
    portal.panel.create("handbook", "Pending", "Published.", slug="pending", locale="en", status=1)
    portal.panel.write("pending", content="Not published yet.")


def test_a_help_center_of_another_client_comes_into_files_and_nothing_is_left_to_do(remote, portal, asked):
    remote.clear()
    fill(portal, asked)
    done = remote.run("pull")
    assert done.says(0, f"{NUMBER + 11} files are new, with 5 images:")
    assert "1 article has an edit that is pending in the panel" in done.out
    assert remote.run("plan", "--check").code == 0
    remote.commit({".gitignore": ".kbsync/\n"})
    assert remote.run("pull").out.startswith("No file changes.\n1 article has an edit that is pending")
    assert "0 requests" in remote.run("push").out
    assert remote.run("pull").out.startswith("No file changes.\n1 article has an edit that is pending")
    assert remote.git("status", "--short") == ""
