"""SARIF as its schema and GitHub want it: every key that is used, its type, and nothing else."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, defstruct

from kbsync.content.parse import parse_source
from kbsync.lint import inspect
from kbsync.lint.explanations import codes, explain
from kbsync.lint.fixes import fix_text
from kbsync.model import Finding
from kbsync.report.rules import RULES
from kbsync.report.sarif import findings_sarif, uri_of


def strict(name: str, /, *, rename: object = "camel", namespace: dict[str, Any] | None = None, **fields: Any) -> Any:
    """A part of the schema, as far as kbsync writes it: fields with their types, or with type and default.

    Source: sarif-schema-2.1.0.json.
    """
    listed = [(key, *(kind if isinstance(kind, tuple) else (kind,))) for key, kind in fields.items()]
    return defstruct(name, listed, forbid_unknown_fields=True, rename=rename, namespace=namespace)


def in_order(region: Any) -> None:
    assert (region.start_line, region.start_column) <= (region.end_line, region.end_column)


From1 = Annotated[int, Meta(ge=1)]
Short = Annotated[str, Meta(min_length=1, max_length=1024)]
"""GitHub shows no more of a description. Source: docs.github.com, SARIF support for code scanning; so below."""
Level = Literal["error", "warning"]

Text = strict("Text", text=str)
Description = strict("Description", text=Short)
Rule = strict(
    "Rule",
    id=Annotated[str, Meta(max_length=255)],
    name=Annotated[str, Meta(max_length=255, pattern="^[A-Z][A-Za-z0-9]+$")],
    short_description=Description,
    full_description=Description,
    default_configuration=strict("Configuration", level=Level),
    help=strict("Help", text=str, markdown=str),
    help_uri=(str, ""),
)
Tool = strict("Tool", driver=strict("Driver", name=str, semantic_version=str, rules=list[Rule]))
Artifact = strict("ArtifactLocation", uri=str, uri_base_id=str)
Region = strict(  # All four, as GitHub asks for them.
    "Region", start_line=From1, start_column=From1, end_line=From1, end_column=From1,
    namespace={"__post_init__": in_order},
)  # fmt: skip
Location = strict("Location", physical_location=strict("Physical", artifact_location=Artifact, region=Region))
Replacement = strict("Replacement", deleted_region=Region, inserted_content=Text)
Change = strict("Change", artifact_location=Artifact, replacements=Annotated[list[Replacement], Meta(min_length=1)])
Fix = strict("Fix", description=Text, artifact_changes=Annotated[list[Change], Meta(min_length=1)])
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}:[1-9][0-9]*$")]
Result = strict(
    "Result",
    rule_id=str,
    level=Level,
    message=Text,
    locations=Annotated[list[Location], Meta(min_length=1, max_length=1)],
    partial_fingerprints=strict("Fingerprints", rename=None, primaryLocationLineHash=Hash),
    rule_index=(int, -1),
    fixes=(list[Fix], []),
)
Run = strict("Run", tool=Tool, column_kind=Literal["utf16CodeUnits", "unicodeCodePoints"], results=list[Result])
Log = strict("Log", rename={"schema": "$schema"}, schema=str, version=Literal["2.1.0"], runs=list[Run])


def log_of(*findings: Finding, root: str = "docs/content", page: str = "", text: str = "") -> Run:
    log = findings_sarif(findings, root=root, page=page, read=lambda path: text)
    (run,) = msgspec.json.decode(log, type=Log).runs
    return run


def fingerprints(*findings: Finding, text: str) -> list[str]:
    return [result.partial_fingerprints.primaryLocationLineHash for result in log_of(*findings, text=text).results]


def linted(text: str, path: str = "en/a.md") -> list[Finding]:
    """What the rules say of a file alone."""
    source = parse_source(path, text.encode(), inspect=inspect)
    return [Finding(p.code, p.level, path, p.line, p.column, p.message, p.hint, p.fixable) for p in source.problems]


def applied(text: str, result: Result) -> str:
    """The text with the fix of one result, as an editor does it."""
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
    ((change,),) = [fix.artifact_changes for fix in result.fixes]
    for replacement in reversed(change.replacements):
        region = replacement.deleted_region
        start = starts[region.start_line - 1] + region.start_column - 1
        end = starts[region.end_line - 1] + region.end_column - 1
        text = text[:start] + replacement.inserted_content.text + text[end:]
    return text


def test_a_log_has_every_rule_with_name_level_and_help_and_every_result_points_to_its_rule():
    run = log_of(Finding("KB301", "warning", "en/a.md", 3, 5, "no such file", "make it"))
    rules = run.tool.driver.rules
    assert [(rule.id, rule.default_configuration.level) for rule in rules] == [(c, r.level) for c, r in RULES.items()]
    assert all(rule.help.text and rule.short_description.text for rule in rules)
    names = {rule.id: rule.name for rule in rules}
    assert names["KB412"] == "ListThatIsNotNested" and len({*names.values()}) == len(rules)
    (result,) = run.results
    assert rules[result.rule_index].id == result.rule_id == "KB301"
    assert (result.level, result.message.text) == ("warning", "no such file\nmake it")
    place = result.locations[0].physical_location
    assert (place.artifact_location.uri, place.artifact_location.uri_base_id) == ("docs/content/en/a.md", "%SRCROOT%")
    assert (place.region.start_line, place.region.start_column) == (3, 5)


def test_a_rule_leads_to_its_heading_on_the_page_of_codes_where_that_is_on_the_web():
    page = "https://help.example.com/hc/handbook/articles/codes"
    uris = {rule.id: rule.help_uri for rule in log_of(page=page).tool.driver.rules}
    assert uris["KB301"] == f"{page}#kb-301"
    assert len(set(uris.values())) == len(RULES)
    nothing = log_of()
    assert {rule.help_uri for rule in nothing.tool.driver.rules} == {""} and nothing.results == []


def test_an_address_is_relative_and_encoded():
    assert uri_of("en/Über uns/a b#1?.md", ".") == "en/%C3%9Cber%20uns/a%20b%231%3F.md"
    assert uri_of("a:b.md", ".") == "a%3Ab.md"


@given(
    st.text(min_size=1),
    st.text(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/"), min_size=1),
)
def test_whatever_the_texts_are_it_is_json_without_control_characters(message, hint, name):
    run = log_of(Finding("KB999", "error", f"en/x{name}.md", 1, 1, message, hint), root=".")
    (result,) = run.results
    assert result.message.text.replace("\n", "").isprintable() or not result.message.text.isascii()
    assert unquote(result.locations[0].physical_location.artifact_location.uri) == f"en/x{name}.md"


@pytest.mark.parametrize(
    ("line", "column", "end"),
    [
        ("See [my invoices](no where.md) now", 5, 31),
        ("See ![an image](x.png) now", 5, 23),
        ("a <div class='x'> b", 3, 18),
        ("a `some code` b", 3, 14),
        ("one two three", 5, 8),
        ("one", 4, 4),
        ("one", 40, 40),
        ("", 1, 1),
        ("[" * 50_000, 1, 50_001),
    ],
)
def test_a_result_ends_where_the_link_the_tag_or_the_word_does(line, column, end):
    (result,) = log_of(Finding("KB301", "warning", "en/a.md", 2, column, "no"), text=f"first\n{line}\n").results
    region = result.locations[0].physical_location.region
    assert (region.start_line, region.start_column, region.end_line, region.end_column) == (2, column, 2, end)


def test_a_fingerprint_stays_when_the_line_moves_and_is_another_for_another_rule_path_or_text():
    here = Finding("KB301", "warning", "en/a.md", 2, 5, "no such file")
    (name,) = fingerprints(here, text="a\nSee [x](y.md)\n")
    moved = Finding("KB301", "warning", "en/a.md", 4, 7, "no such file, now said otherwise")
    assert fingerprints(moved, text="a\nb\n\n  See  [x](y.md)\t\n") == [name]
    others = (
        fingerprints(here, text="a\nSee [x](z.md)\n"),
        fingerprints(Finding("KB302", "warning", "en/a.md", 2, 5, "no"), text="a\nSee [x](y.md)\n"),
        fingerprints(Finding("KB301", "warning", "en/b.md", 2, 5, "no"), text="a\nSee [x](y.md)\n"),
    )
    assert len({name, *(other for (other,) in others)}) == 4


def test_equal_lines_are_told_apart_by_a_number():
    same = [Finding("KB301", "warning", "en/a.md", line, 1, "no") for line in (1, 2, 4)]
    first, second, third = fingerprints(*same, text="[x](y.md)\n[x](y.md)\n\n[x](y.md)\n")
    assert [name.split(":")[1] for name in (first, second, third)] == ["1", "2", "3"]
    assert len({name.split(":")[0] for name in (first, second, third)}) == 1


FIXABLE = [
    code
    for code in codes()
    if (before := explain(code).before) and fix_text("en/a.md", before.encode(), {code}) != before.encode()
]
OF_THE_TREE = {"KB110": (1, 1)}
"""What no look at the text alone finds, with the place at which it is found."""


@pytest.mark.parametrize("code", FIXABLE)
@pytest.mark.parametrize("change", [str, lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_the_fixes_of_an_example_are_what_lint_fix_makes_of_it(code, change):
    text = change(explain(code).before)
    findings = [finding for finding in linted(text) if finding.code == code and finding.fixable]
    findings += (
        [Finding(code, "error", "en/a.md", *OF_THE_TREE[code], "no", fixable=True)] if code in OF_THE_TREE else []
    )
    results = log_of(*findings, text=text.removeprefix("\ufeff")).results
    assert results and all(result.fixes for result in results)
    fixed, mark = text.removeprefix("\ufeff"), text[: text.startswith("\ufeff")]
    for result in reversed(results):
        fixed = applied(fixed, result)
    assert mark + fixed == fix_text("en/a.md", text.encode(), {code}).decode()


def test_a_fix_is_given_only_where_lint_fix_would_make_it():
    text = "---\ntitle: A\n---\nA <name> <!-- kbsync-ignore KB401 --> and `<x>`.\n\nA <name>.\n"
    for finding, result in zip(linted(text), log_of(*linted(text), text=text).results, strict=True):
        assert bool(result.fixes) <= finding.fixable
        if result.fixes:
            left = {(f.code, f.line, f.column) for f in linted(applied(text, result))}
            assert (finding.code, finding.line, finding.column) not in left


def test_a_file_that_cannot_be_read_still_has_its_findings():
    log = findings_sarif(
        [Finding("KB304", "warning", "en/x.png", 1, 1, "no", fixable=True)], root=".", page="", read=lambda path: None
    )
    (result,) = msgspec.json.decode(log, type=Log).runs[0].results
    assert not result.fixes and result.locations[0].physical_location.region.end_column == 1
