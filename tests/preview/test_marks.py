"""Where in an article's HTML a finding is."""

from pathlib import Path

import pytest

from kbsync.preview.static_site import build_site
from preview.workshop import REFUNDS, TREE, Shop, a_project, a_shop

PATH = "en/billing/refunds.md"
TEXT = """---
title: Refunds
---

First with [none](none.md) and [no heading](charges.md#nope).

![Words "here"](none.png?cw_image_width=60px)

<div>gone</div>

| a |
| - |
| b<br>c |

A [reference][r].

[r]: <not there.md>
"""


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = a_shop(tmp_path)
    shop.save(PATH, TEXT)
    return shop


def test_links_that_lead_nowhere_are_marked_and_keep_their_addresses(shop: Shop):
    html = shop.page(REFUNDS).body_html
    assert '<a class="dead" data-mark="5-19" href="none.md">none</a>' in html
    assert 'href="/en/articles/charges#nope">no heading</a>' in html
    assert 'href="not there.md">reference</a>' in html
    assert html.count('class="dead"') == 3
    assert "/-/at/" not in html


def test_a_missing_image_is_a_box_with_its_words(shop: Shop):
    html = shop.page(REFUNDS).body_html
    assert '<span class="blocked absent" data-mark="7-17"><span class="what">Image not found</span>' in html
    assert '<span class="about">Words &quot;here&quot;</span> <code>none.png</code>' in html
    assert "<img" not in html


def test_each_finding_knows_its_element_and_its_mark(shop: Shop):
    writer = shop.page(REFUNDS).frame.writer
    blocks = {finding.code: finding.block for finding in writer.listed if finding.line > 4}
    assert blocks == {"KB301": 4, "KB302": 0, "KB303": 1, "KB401": 2, "KB403": 3}
    assert [finding.code for finding in writer.listed if finding.is_hidden] == ["KB401", "KB403"]


def test_the_heading_that_became_the_title_moves_no_place(tmp_path: Path):
    shop = a_shop(tmp_path, TREE | {PATH: "---\nstatus: draft\n---\n\n# Refunds\n\nOne.\n\n[x](none.md)\n"})
    shop.save(PATH, "---\nstatus: draft\n---\n\n# Refunds\n\nOne.\n\nTwo, [x](none.md)\n")
    listed = shop.page(REFUNDS).frame.writer.listed
    assert [finding.block for finding in listed if finding.code == "KB301"] == [1]


def test_what_readers_get_has_no_marks(tmp_path: Path):
    folder = tmp_path / "out"
    build_site(a_project(tmp_path, TREE | {PATH: TEXT}), folder)
    html = "".join(path.read_text("utf-8") for path in folder.rglob("*.html"))
    assert "data-mark" not in html and "HTML dropped" not in html
