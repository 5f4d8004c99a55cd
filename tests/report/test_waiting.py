"""What is published later, in words."""

import pytest

from kbsync.model import Action, Waiting
from kbsync.report.style import Style
from kbsync.report.vocabulary import together_text
from kbsync.report.waiting import date_text, notes_of, waiting_headline, waiting_lines

from .items import a_change, a_held


def waiting(slug: str = "x", until: str = "", release: str = "") -> Waiting:
    named = {"kind": "article", "locale": "en", "slug": slug, "path": f"en/{slug}.md", "title": slug}
    return Waiting(**named, remote_id=1, until=until, release=release)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2026-12-01T00:00:00+00:00", "1 December 2026 00:00 UTC"),
        ("2026-12-01T09:00:00+01:00", "1 December 2026 09:00 (+01:00)"),
        ("2026-03-31T23:59:30-05:30", "31 March 2026 23:59 (-05:30)"),
    ],
)
def test_a_date_has_its_zone(moment, text):
    assert date_text(moment) == text


def test_the_next_date_comes_first_and_then_the_releases():
    items = [waiting("a", release="5.2"), waiting("b", until="2026-12-02T00:00:00+00:00"), waiting("c", release="5.2")]
    # Later on the clock of its place, and earlier all the same.
    items.append(waiting("d", until="2026-12-02T05:00:00+09:00"))
    assert waiting_headline(items) == (
        "1 until 2 December 2026 05:00 (+09:00), 1 until 2 December 2026 00:00 UTC, 2 for release 5.2"
    )


def test_of_many_dates_the_first_are_named_and_the_rest_is_counted():
    items = [waiting(f"n{day}", until=f"2026-12-{day:02}T00:00:00+00:00") for day in range(1, 10)]
    assert waiting_headline(items).endswith("1 until 4 December 2026 00:00 UTC, 5 for others")


def test_what_needs_a_decision_first_says_so():
    held = a_held("en/x.md", "", fields=("title",))
    assert notes_of(waiting(release="5.2"), [held]) == "for release 5.2; needs your decision first"
    assert notes_of(waiting(), [held]) == "needs your decision first"
    assert waiting_headline([waiting()]) == "1 for your decision"


def test_the_name_of_a_release_is_quoted_for_the_shell_and_cannot_act_on_a_terminal():
    lines = "\n".join(waiting_lines([waiting(release="$(x)\x1b[31m 5")], [], Style(width=100)))
    assert "\x1b" not in lines
    assert "--release" in lines and "`kbsync push --release $(x)" not in lines


def test_many_are_counted_and_nothing_is_said_of_nothing():
    lines = waiting_lines([waiting(f"n{n}", release="5.2") for n in range(32)], [], Style(width=60))
    assert any("and 2 more" in line for line in lines)
    assert waiting_lines([], [], Style()) == []


@pytest.mark.parametrize(
    ("number", "others", "text"),
    [
        (1, 0, ""),
        (2, 0, ", together"),
        (2, 3, ", 2 of them together"),
        (201, 0, ", together (3 groups of up to 100, one after the other)"),
    ],
)
def test_what_changes_together_says_so_and_in_how_many_groups(number, others, text):
    alone, together = (a_change(Action.PUBLISH, together=is_together) for is_together in (False, True))
    assert together_text([together] * number + [alone] * others) == text
