"""JUnit XML that any reader of XML takes, with a test for each file."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from kbsync.model import Finding
from kbsync.report.junit import findings_junit

PATHS = ["en/a.md", "en/b.md"]


def suite(*findings: Finding, root: str = "content") -> ElementTree.Element:
    (found,) = ElementTree.fromstring(findings_junit(findings, PATHS, root=root))
    return found


def test_each_file_is_a_test_and_one_with_findings_fails_once():
    found = suite(
        Finding("KB301", "warning", "en/b.md", 2, 5, "no such file"),
        Finding("KB108", "error", "en/b.md", 3, 1, 'a "wrong" <type>', "do & that"),
    )
    assert (found.get("tests"), found.get("failures"), found.get("errors")) == ("2", "1", "0")
    good, bad = found
    assert (good.get("name"), len(good)) == ("content/en/a.md", 0)
    (failure,) = bad
    assert (failure.get("type"), failure.get("message")) == ("error KB108", '3:1 a "wrong" <type> (and 1 more)')
    assert failure.text == ('content/en/b.md:2:5: no such file\ncontent/en/b.md:3:1: a "wrong" <type>\ndo & that')


def test_a_finding_about_what_is_no_source_is_a_test_too():
    found = suite(Finding("KB115", "error", "en/link", 1, 1, "a link out of the tree"))
    assert [case.get("name") for case in found] == ["content/en/a.md", "content/en/b.md", "content/en/link"]


def test_the_whole_report():
    finding = Finding("KB301", "warning", "en/b.md", 3, 5, 'no "<file>"\x1b[31m\x00\u202e', "fix it")
    assert findings_junit([finding], PATHS, root="content") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="kbsync" tests="2" failures="1" errors="0" skipped="0">\n'
        '  <testsuite name="kbsync lint" tests="2" failures="1" errors="0" skipped="0">\n'
        '    <testcase classname="kbsync.lint" name="content/en/a.md" file="content/en/a.md" />\n'
        '    <testcase classname="kbsync.lint" name="content/en/b.md" file="content/en/b.md">\n'
        '      <failure type="warning KB301" message="3:5 no &quot;&lt;file&gt;&quot;[31m">'
        'content/en/b.md:3:5: no "&lt;file&gt;"[31m\nfix it</failure>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_a_line_break_in_a_name_or_a_message_begins_no_line_of_the_report():
    finding = Finding("KB301", "warning", "en/b\n::error::x", 3, 5, "no\r\n::error::y", "fix\n::error::z")
    report = findings_junit([finding], PATHS, root="content")
    assert not [line for line in report.splitlines() if line.startswith("::")]
    ElementTree.fromstring(report)


def test_a_runner_finds_no_command_in_the_report_and_a_reader_of_xml_the_very_texts():
    finding = Finding("KB301", "warning", "en/##[error]b.md", 3, 5, "a ##vso[task]", "##[x]")
    report = findings_junit([finding], PATHS, root="content")
    assert "##[" not in report and "##vso" not in report
    [case] = [case for case in ElementTree.fromstring(report).iter("testcase") if len(case)]
    assert (case.get("file"), case[0].get("message")) == ("content/en/##[error]b.md", "3:5 a ##vso[task]")
    assert str(case[0].text).endswith("a ##vso[task]\n##[x]")


@given(st.text(), st.text(), st.text())
def test_whatever_the_texts_are_it_is_well_formed(message, hint, name):
    found = suite(Finding("KB301", "warning", f"en/{name}", 1, 1, message, hint))
    assert found.get("failures") == "1" and len(found.findall(".//failure")) == 1
