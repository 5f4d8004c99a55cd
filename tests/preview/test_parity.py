"""The HTML of an article is the portal's, to the byte, but for anchors, defused targets and players that wait."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kbsync.preview.article_html import page_html

RECORDED: list[list[str]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures/parity/rendered.jsonl").read_text().splitlines()
]

DEFUSED = {
    "fence lang special chars",
    "gist",
    "gist filename",
    "image javascript",
    "link javascript",
    "wistia",
    "youtube xss id",
}
"""What the portal would run as a script; `tests/site/test_defuse.py` says what becomes of each."""

HEADING = re.compile(r'(<h[1-3]) id="[^"]*">')
PERMALINK = re.compile(r'<a class="permalink" [^>]*></a>')
ELSEWHERE = re.compile(r'<(?:img|source|iframe|script)\s[^>]*src="(?:https?:)?//')
"""Images and players of other hosts, which wait for the switch."""

CASES = [pytest.param(*case[1:], id=case[0]) for case in RECORDED if case[0] not in DEFUSED]


def body(markdown: str, *, media: bool) -> str:
    """The HTML without the anchors."""
    return PERMALINK.sub("", HEADING.sub(r"\1>", page_html(markdown, media=media)[0]))


def test_there_is_every_recorded_case():
    assert len(RECORDED) == 291
    assert {case[0] for case in RECORDED} >= DEFUSED


@pytest.mark.parametrize(("markdown", "html"), CASES)
def test_with_media_switched_on_it_is_what_the_portal_shows(markdown: str, html: str):
    assert body(markdown, media=True) == html


@pytest.mark.parametrize(("markdown", "html"), CASES)
def test_without_media_it_is_that_where_nothing_comes_from_elsewhere(markdown: str, html: str):
    found = body(markdown, media=False)
    assert (found == html) is (ELSEWHERE.search(html) is None) or "<video" in html
    assert not ELSEWHERE.search(found)


@pytest.mark.parametrize("case", [case for case in RECORDED if case[0] in DEFUSED], ids=lambda case: case[0])
def test_what_would_run_is_defused(case: list[str]):
    assert body(case[1], media=True) != case[2]
