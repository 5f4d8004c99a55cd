"""Of one code only so many findings of one file are kept; a key of another tool is reported once for all files."""

import pytest

from builders import beside, read_content, write_files
from kbsync.lint.finds import MOST, bounded, once_per_key
from kbsync.model import Finding

from .texts import FRONT, problems


def messages(text: str, code: str) -> list[str]:
    """What is found of one code in a body."""
    return [problem.message for problem in problems(text) if problem.code == code]


def test_as_many_as_are_kept_are_all_there_and_nothing_is_said():
    found = messages("~~a~~\n\n" * MOST, "KB404")
    assert len(found) == MOST and len(set(found)) == 1


def test_of_more_the_last_that_is_kept_says_how_many_there_are():
    found = messages("~~a~~\n\n" * (MOST + 1_234), "KB404")
    assert len(found) == MOST
    assert found[-1] == f"{found[0]} This file has 1,234 more of these."
    assert set(found[:-1]) == {found[0]}


@pytest.mark.parametrize("line", ["> [!NOTE]\n", ":::a\n"])
def test_a_megabyte_of_callouts_has_as_many_findings_as_are_kept(line):
    lines = 1_000_000 // len(line)
    found = messages(line * lines, "KB408")
    assert len(found) == MOST and f" {lines - MOST:,} more " in found[-1]


def test_each_code_has_its_own_hundred(tmp_path):
    text = FRONT + "~~a~~ <b>x</b>\n\n" * (MOST + 1) + "- [ ] b\n"
    codes = read_content(write_files(tmp_path, beside(text))).codes
    assert [codes.count(code) for code in ("KB404", "KB401", "KB405")] == [MOST, MOST, 1]


def test_what_a_comment_ignores_does_not_count(tmp_path):
    ignored = "~~a~~ <!-- kbsync-ignore KB404 -->\n\n" * (MOST + 20)
    findings = read_content(write_files(tmp_path, beside(f"{FRONT}{ignored}~~b~~\n\n~~c~~\n"))).findings
    lines = 3 + 2 * (MOST + 20)
    assert [(finding.code, finding.line) for finding in findings] == [("KB404", lines + 1), ("KB404", lines + 3)]


def test_links_that_only_the_tree_can_judge_are_bounded_too(tmp_path):
    findings = read_content(write_files(tmp_path, beside(FRONT + "[a](no.md)\n\n" * (MOST + 7)))).findings
    assert [finding.code for finding in findings] == ["KB301"] * MOST
    assert findings[-1].message.endswith(" This file has 7 more of these.")


def test_the_bound_is_of_one_file_and_keeps_the_order():
    many = [Finding("KB301", "warning", path, line, 1, "m") for path in ("a.md", "b.md") for line in range(1, MOST + 1)]
    assert bounded(many) == many
    one_more = [*many, Finding("KB301", "warning", "b.md", MOST + 1, 1, "m")]
    assert bounded(one_more)[:-1] == many[:-1]
    assert bounded(one_more)[-1].message == "m This file has 1 more of these."


def foreign(path: str, key: str = "weight", level: str = "warning") -> Finding:
    return Finding("KB107", level, path, 3, 1, f"`{key}` is a key of Hugo. kbsync ignores it.", "Delete it.")


def test_one_finding_remains_of_a_foreign_key_and_says_how_many_files_have_it():
    words = "`weight` is a key of Hugo. kbsync ignores it."
    three, two = (once_per_key([foreign(f"en/{name}.md") for name in names]) for names in ("abc", "ab"))
    assert [(found.path, found.message) for found in three] == [("en/a.md", f"{words} 2 more files have it.")]
    assert [(found.path, found.message) for found in two] == [("en/a.md", f"{words} 1 more file has it.")]


def test_each_key_has_its_own_and_errors_and_other_codes_all_stay():
    others = (foreign("en/a.md", level="error"), foreign("en/b.md", level="error"))
    links = tuple(Finding("KB301", "warning", path, 3, 1, "There is no x.md.") for path in ("en/a.md", "en/b.md"))
    given = (foreign("en/a.md"), foreign("en/a.md", "lastmod"), *others, *links)
    assert once_per_key(given) == given
