"""The HTML of an article is the portal's, to the byte, but for anchors, defused targets and players that wait."""

import json
import re
from pathlib import Path

import pytest

from kbsync.markdown.versions import V4_10, V4_16, Version
from kbsync.preview.article_body import page_html

PARITY = Path(__file__).parents[1] / "fixtures/parity"


def recorded(name: str) -> list[list[str]]:
    """Name, Markdown and HTML of each case."""
    return [json.loads(line) for line in (PARITY / name).read_text().splitlines()]


OLD, NEW = recorded("rendered.jsonl"), recorded("rendered-4.16.jsonl")

DEFUSED = {
    *("fence lang special chars", "gist", "gist filename", "image javascript", "link javascript", "wistia"),
    *("4.16 code fence with hostile info", "4.16 embed gist", "4.16 embed wistia", "4.16 image javascript address"),
    *("youtube xss id", "4.16 javascript link"),
}
"""What the portal would run as a script; `tests/site/test_defuse.py` says what becomes of each."""

HEADING = re.compile(r'(<h[1-3]) id="[^"]*">')
PERMALINK = re.compile(r'<a class="permalink" [^>]*></a>')
ELSEWHERE = re.compile(r'<(?:img|source|iframe|script)\s[^>]*src="(?:https?:)?//')
"""Images and players of other hosts, which wait for the switch."""

CASES = [
    pytest.param(version, markdown, html, id=f"{version} {name}")
    for version, cases in ((V4_10, OLD), (V4_16, NEW))
    for name, markdown, html in cases
    if name not in DEFUSED
]


def body(markdown: str, *, media: bool, version: Version = V4_10) -> str:
    """The HTML without the anchors."""
    return PERMALINK.sub("", HEADING.sub(r"\1>", page_html(markdown, "en", media=media, version=version)[0]))


def test_there_is_every_recorded_case():
    assert (len(OLD), len(NEW)) == (291, 140)
    assert {case[0] for case in (*OLD, *NEW)} >= DEFUSED


@pytest.mark.parametrize(("version", "markdown", "html"), CASES)
def test_with_media_switched_on_it_is_what_the_portal_shows(version: Version, markdown: str, html: str):
    assert body(markdown, media=True, version=version) == html


@pytest.mark.parametrize(("version", "markdown", "html"), CASES)
def test_without_media_it_is_that_where_nothing_comes_from_elsewhere(version: Version, markdown: str, html: str):
    found = body(markdown, media=False, version=version)
    assert (found == html) is (ELSEWHERE.search(html) is None) or "<video" in html
    assert not ELSEWHERE.search(found)


@pytest.mark.parametrize("case", [case for case in (*OLD, *NEW) if case[0] in DEFUSED], ids=lambda case: case[0])
def test_what_would_run_is_defused(case: list[str]):
    assert body(case[1], media=True) != case[2]
