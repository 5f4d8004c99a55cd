"""SARIF as its schema wants it: every key that is used, its type, and nothing else."""

from __future__ import annotations

from typing import Literal
from urllib.parse import unquote

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kbsync.model import Finding
from kbsync.report.rules import RULES
from kbsync.report.sarif import findings_sarif, uri_of


class Strict(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A part of the schema, as far as kbsync writes it. Source: sarif-schema-2.1.0.json."""


class Text(Strict):
    text: str


class Help(Strict):
    text: str
    markdown: str


class Rule(Strict):
    id: str
    short_description: Text
    full_description: Text
    help: Help
    help_uri: str = ""


class Driver(Strict):
    name: str
    semantic_version: str
    rules: list[Rule]


class Tool(Strict):
    driver: Driver


class ArtifactLocation(Strict):
    uri: str
    uri_base_id: str


class Region(Strict):
    start_line: int
    start_column: int


class Physical(Strict):
    artifact_location: ArtifactLocation
    region: Region


class Location(Strict):
    physical_location: Physical


class Result(Strict):
    rule_id: str
    level: Literal["error", "warning"]
    message: Text
    locations: list[Location]
    rule_index: int = -1


class Run(Strict):
    tool: Tool
    column_kind: Literal["utf16CodeUnits", "unicodeCodePoints"]
    results: list[Result]


class Log(Strict, rename={"schema": "$schema"}):
    schema: str
    version: Literal["2.1.0"]
    runs: list[Run]


def log_of(*findings: Finding, root: str = "docs/content", page: str = "") -> Run:
    (run,) = msgspec.json.decode(findings_sarif(findings, root=root, page=page), type=Log).runs
    return run


def test_a_log_has_every_rule_with_help_and_every_result_points_to_its_rule():
    run = log_of(Finding("KB301", "warning", "en/a.md", 3, 5, "no such file", "make it"))
    assert [rule.id for rule in run.tool.driver.rules] == list(RULES)
    assert all(rule.help.text and rule.short_description.text for rule in run.tool.driver.rules)
    (result,) = run.results
    assert run.tool.driver.rules[result.rule_index].id == result.rule_id == "KB301"
    assert (result.level, result.message.text) == ("warning", "no such file\nmake it")
    place = result.locations[0].physical_location
    assert (place.artifact_location.uri, place.artifact_location.uri_base_id) == ("docs/content/en/a.md", "%SRCROOT%")
    assert (place.region.start_line, place.region.start_column) == (3, 5)


def test_a_rule_leads_to_its_heading_on_the_page_of_codes_where_that_is_on_the_web():
    page = "https://help.example.com/hc/handbook/articles/codes"
    uris = {rule.id: rule.help_uri for rule in log_of(page=page).tool.driver.rules}
    assert uris["KB301"] == f"{page}#kb-301"
    assert len(set(uris.values())) == len(RULES)
    assert {rule.help_uri for rule in log_of().tool.driver.rules} == {""}


def test_nothing_found_is_a_run_without_results():
    assert log_of().results == []


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
