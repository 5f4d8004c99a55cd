"""Findings on a screen: the source line with a caret, at any width, whatever is in the line."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.model import Finding
from kbsync.report.data import lint_json
from kbsync.report.findings import findings_text
from kbsync.report.style import Style, excerpt, width_of

WARNING = Finding("KB301", "warning", "en/a.md", 2, 3, "there is no b.md", "fix the path")


def text_of(*findings: Finding, source: str | None = "one\nthe two\n", width: int = 80, root: str = "c", **more) -> str:
    return "".join(
        findings_text(findings, Style(width=width), root=root, sources=2, read=lambda _: source, **more)
    )  # fmt: skip


def test_findings_are_clickable_and_counted():
    finding = Finding("KB109", "error", "en/a.md", 3, 1, "`status: live` is not a status", "use one of: draft")
    assert text_of(finding, WARNING, source="---\r\ntitle: a\rstatus: live\n") == (
        "c/en/a.md:3:1: error KB109 `status: live` is not a status\n"
        "  3 | status: live\n"
        "    | ^\n"
        "    use one of: draft\n"
        "c/en/a.md:2:3: warning KB301 there is no b.md\n"
        "  2 | title: a\n"
        "    |   ^\n"
        "    fix the path\n"
        "\n"
        "2 files: 1 error, 1 warning.\n"
    )


def test_what_can_be_mended_is_counted():
    fixable = Finding("KB402", "warning", "en/a.md", 1, 1, "m", fixable=True)
    assert text_of(fixable, fixable, WARNING).endswith("3 warnings.\n`kbsync lint --fix` can fix 2 of them.\n")


def many(code: str, number: int, *, level: str = "warning", fixable: bool = False) -> list[Finding]:
    return [Finding(code, level, f"en/{n // 2:03}.md", 1, 1, f"m{n}", fixable=fixable) for n in range(number)]


def test_errors_come_first_then_warnings_file_by_file_or_code_by_code():
    found = [
        Finding(code, level, path, 1, 1, "m")
        for path in ("a.md", "b.md")
        for code, level in (("KB301", "warning"), ("KB401", "error"), ("KB107", "warning"))
    ]
    for by_code, last in ((False, "301 107 301 107"), (True, "107 107 301 301")):
        text = text_of(*found, by_code=by_code)
        assert " ".join(re.findall(r"KB(\d+)", text)) == f"401 401 {last}"


def test_twenty_of_each_code_are_shown_and_all_are_counted_with_the_lines_that_ignore_what_readers_do_not_notice():
    found = [*many("KB301", 45), *many("KB308", 7), *many("KB107", 7, fixable=True), *many("KB201", 2, level="error")]
    text = text_of(*found, ignored=["KB2"])
    assert text.count(" KB301 m") == 20 and text.count(" KB107 m") == 7
    assert text.endswith(
        "At most 20 of each code are shown. Add `-v` to see all.\n"
        "KB301  45 in 23 files: Link to a file that does not exist\n"
        "KB107   7 in 4 files: Unknown key (`--fix` fixes 7)\n"
        "KB308   7 in 4 files: Image that no article uses\n"
        "KB201   2 in 1 file: Slug that is used twice\n"
        "To ignore what readers do not notice, write this in kbsync.toml:\n"
        "    [lint]\n"
        '    ignore = ["KB2", "KB308"]\n'
        "2 files: 2 errors, 59 warnings.\n"
        "`kbsync lint --fix` can fix 7 of them, in 4 files.\n"
    )
    assert "KB301" not in text_of(*found, quiet=True)


def test_all_are_shown_where_everything_is_wanted_and_few_are_not_summed_up():
    read = {"root": ".", "sources": 2, "read": lambda _: None}
    assert "".join(findings_text(many("KB301", 45), Style(verbose=True), **read)).count(" KB301 m") == 45
    assert "KB301  " not in text_of(*many("KB301", 20))


def test_quiet_shows_errors_and_counts_the_rest():
    assert text_of(WARNING, quiet=True) == "2 files: 0 errors, 1 warning.\n"


@pytest.mark.parametrize("source", [None, "one", "one\n\n", "one\n---\n"])
def test_a_line_that_is_not_there_or_says_nothing_is_not_shown(source):
    assert text_of(WARNING, source=source, root=".").startswith(
        "en/a.md:2:3: warning KB301 there is no b.md\n    fix the path\n\n"
    )


@pytest.mark.parametrize(
    ("line", "column", "room", "shown", "before"),
    [
        ("abc", 2, 80, "abc", 1),
        ("abc", 4, 80, "abc", 3),
        ("abc", 99, 80, "abc", 3),
        ("\tabc", 2, 80, "    abc", 4),
        ("退款x", 3, 80, "退款x", 4),
        ("e\u0301x", 3, 80, "e\u0301x", 1),
        ("a\x1b[2Jb", 6, 80, "a[2Jb", 4),
        ("a\u202eb", 3, 80, "ab", 1),
        ("0123456789abcdefghij", 1, 10, "01234567…", 0),
        ("0123456789abcdefghij", 11, 10, "…6789abcd…", 5),
        ("0123456789abcdefghij", 20, 10, "…cdefghij", 8),
    ],
)
def test_the_caret_stands_under_its_character(line, column, room, shown, before):
    assert excerpt(line, column, room) == (shown, before)


@given(st.text(max_size=200), st.integers(1, 220), st.integers(8, 60))
def test_whatever_is_in_the_line_it_fits_and_the_caret_is_within_it(line, column, room):
    shown, before = excerpt(line.replace("\n", ""), column, room)
    assert width_of(shown) <= room and 0 <= before <= room
    assert "\n" not in shown and "\x1b" not in shown


@pytest.mark.parametrize("width", [20, 40, 80, 140])
def test_a_source_line_never_wraps(width):
    source = "one\n" + "退款 und Rückgabe\t" * 400
    for column in (1, 3, 2000, 7000):
        finding = Finding("KB301", "warning", "a.md", 2, column, "m")
        quoted = [line for line in text_of(finding, source=source, width=width).split("\n") if "|" in line]
        assert len(quoted) == 2 and all(width_of(line) <= width for line in quoted)


def test_a_file_is_read_once_however_many_findings_it_has_and_nothing_waits_for_the_end():
    asked: list[str] = []

    def read(path: str) -> str:
        asked.append(path)
        return "x" * 100_000

    many = [Finding("KB301", "warning", path, 1, n, "m") for path in ("a.md", "b.md") for n in range(1, 5_000)]
    pieces = findings_text(many, Style(verbose=True), root=".", sources=2, read=read)
    assert next(pieces).startswith("a.md:1:1: ") and asked == ["a.md"]
    assert sum(1 for _ in pieces) > 10_000 and asked == ["a.md", "b.md"]


def test_json_has_no_character_that_a_terminal_obeys_and_still_says_it():
    message = "\x9b31m \x7f \u202e é 漢"
    text = lint_json([Finding("KB107", "error", "a.md", 1, 1, message, "")])
    assert "\\u009b31m \\u007f \\u202e é 漢" in text and json.loads(text)["findings"][0]["message"] == message


# --- narrow screens --------------------------------------------------------------------------------------------------

LONG = Finding(
    "KB301", "warning", "en/billing/refunds.md", 2, 3,
    "`en/billing/invoices-of-last-year.md` does not exist, and two other articles link to it.",
    "Correct the path, or run `kbsync lint --fix 'en/billing/refunds.md'`. Readers would get a dead link.",
)  # fmt: skip


@pytest.mark.parametrize("width", [60, 100])
def test_messages_and_hints_fit_the_screen_and_the_place_stays_on_one_line(width):
    lines = text_of(LONG, width=width).split("\n")
    assert lines[0].startswith("c/en/billing/refunds.md:2:3: warning KB301")
    assert all(width_of(line) <= width for line in lines)
    assert "`kbsync lint --fix 'en/billing/refunds.md'`." in "\n".join(lines)
    assert " ".join(" ".join(lines).split()) == " ".join(text_of(LONG, width=1000).split())


def test_a_place_that_fills_the_line_has_its_message_below():
    far = Finding("KB301", "warning", f"{'x' * 50}.md", 1, 1, "there is no b.md")
    assert text_of(far, source=None, width=60, root=".").startswith(
        f"{'x' * 50}.md:1:1: warning KB301\n    there is no b.md\n"
    )


def test_who_reads_line_by_line_gets_each_message_whole_and_only_the_source_is_cut():
    lines = text_of(LONG, source="\n" + "long " * 100, width=60, by_line=True).split("\n")
    assert lines[0] == f"c/en/billing/refunds.md:2:3: warning KB301 {LONG.message}" and lines[3] == f"    {LONG.hint}"
    assert width_of(lines[1]) <= 60
