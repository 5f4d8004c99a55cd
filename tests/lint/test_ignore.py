"""What comments, front matter and kbsync.toml ignore, raise and lower, and what nothing can."""

import pytest

from builders import beside, read_content, source_of, write_files
from kbsync.config import LintSettings
from kbsync.errors import ConfigError
from kbsync.lint.ignore import FIRM, Severities, check_codes, near
from kbsync.model import Finding
from kbsync.report.rules import RULES

LINKS = "---\ntitle: T\n---\n[a](a.md) <!-- kbsync-ignore KB301 -->\n\n[b](b.md)\n\n![c](c.png)\n"


def found(tmp_path, text: str, **settings) -> list[tuple[str, int]]:
    findings = read_content(write_files(tmp_path, beside(text)), **settings).findings
    return [(finding.code, finding.line) for finding in findings]


def judged(level: str, code: str = "KB301", **settings) -> list[tuple[str, str]]:
    judge = Severities(LintSettings(**settings))
    finding = Finding(code, level, "en/a.md", 1, 1, "what", "do this")
    return [(finding.level, finding.hint) for finding in judge.judge([finding], {})]


def test_a_comment_ignores_its_line_and_no_other(tmp_path):
    assert found(tmp_path, LINKS) == [("KB301", 6), ("KB303", 8)]


def test_the_front_matter_ignores_in_the_whole_file(tmp_path):
    assert found(tmp_path, LINKS.replace("title: T", "title: T\nlint_ignore: [KB301]")) == [("KB303", 9)]


@pytest.mark.parametrize(
    ("word", "left"), [("KB301", ["KB303"]), ("KB30", []), ("KB3", []), ("KB2", ["KB301", "KB303"])]
)
def test_a_beginning_of_codes_means_all_of_them(tmp_path, word, left):
    assert [code for code, _ in found(tmp_path, LINKS, ignore=(word,))] == left


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, [("warning", "do this")]),
        ({"levels": {"KB301": "error"}}, [("error", "do this")]),
        ({"levels": {"KB301": "off"}}, []),
        ({"levels": {"KB3": "off", "KB301": "error"}}, [("error", "do this")]),
        ({"ignore": ["KB3"], "levels": {"KB301": "warning"}}, [("warning", "do this")]),
        ({"ignore": ["KB301"], "levels": {"KB3": "error"}}, []),
    ],
)  # fmt: skip
def test_of_what_kbsync_toml_says_the_longest_code_counts(said, expected):
    assert judged("warning", **said) == expected


@pytest.mark.parametrize("said", [{"ignore": ["KB1"]}, {"levels": {"KB104": "off"}}, {"levels": {"KB1": "warning"}}])
def test_an_error_stays_one_and_says_so_where_somebody_tried(said):
    assert judged("error", "KB104", **said) == [("error", f"do this {FIRM}")]
    assert judged("error", "KB104", levels={"KB104": "error"}) == [("error", "do this")]


def test_a_comment_ignores_what_only_this_project_calls_an_error():
    source = source_of("# T\n[a](a.md) <!-- kbsync-ignore KB301 -->\n")
    finding = Finding("KB301", "warning", source.path, 2, 5, "what")
    assert list(Severities(LintSettings(levels={"KB301": "error"})).judge([finding], {source.path: source})) == []


def test_a_code_that_no_rule_has_is_told_where_it_stands(tmp_path):
    text = "---\ntitle: T\nlint_ignore: [KB205, KB3x1]\n---\nText <!-- kbsync-ignore KB99 kb301 -->\n"
    findings = read_content(write_files(tmp_path, beside(text))).findings
    assert [(f.code, f.level, f.line, f.column, f.message) for f in findings] == [
        ("KB120", "warning", 3, 1, "The code `KB3x1` does not exist."),
        ("KB120", "warning", 5, 25, "The code `KB99` does not exist."),
        ("KB120", "warning", 5, 30, "The code `kb301` does not exist."),
    ]
    assert findings[2].hint == "Did you mean `KB301`?"


def test_a_code_of_kbsync_toml_that_no_rule_has_is_refused():
    for settings in (LintSettings(ignore=["KB3o1"]), LintSettings(levels={"KB": "off"})):
        with pytest.raises(ConfigError, match=r"kbsync\.toml:3"):
            check_codes(settings, lambda key: f"kbsync.toml:3: `[lint] {key}`")
    check_codes(LintSettings(ignore=[*RULES, "KB3"]), str)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("KB999", "`kbsync lint --rules` lists the codes."),
        ("KB3o1", "Did you mean `KB301`?"),
        ("301", "Did you mean `KB301`?"),
    ],
)
def test_a_code_that_looks_like_no_other_is_not_taken_for_one(word, hint):
    assert near(word) == hint
