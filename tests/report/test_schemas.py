"""The JSON Schemas: stable, complete, and true of what is read and of every default."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from jsonschema import Draft202012Validator

from kbsync.config import Settings
from kbsync.config.about import ABOUT as ABOUT_SETTINGS
from kbsync.config.about import ABOUT_PORTAL
from kbsync.config.portal_file import NESTED, PortalTables
from kbsync.content.about import ABOUT as ABOUT_KEYS
from kbsync.content.keys import ARTICLE_KEYS, CATEGORY_KEYS
from kbsync.ledger.dump import TABLES
from kbsync.report.schemas import schema_names, schema_text

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "tests" / "fixtures" / "schemas"
NAMES = [
    "plan", "push", "lint", "check", "verify", "status", "diff", "history", "handoff", "translate", "ledger", "config", "portal", "front-matter",
]  # fmt: skip


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(name))
    return found


def errors(name: str, value: object) -> list[str]:
    return [error.message for error in Draft202012Validator(schema(name)).iter_errors(value)]


def properties(found: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema, however deep."""
    if isinstance(found, dict):
        if isinstance(named := found.get("properties"), dict):
            yield from named.items()
        for inner in found.values():
            yield from properties(inner)
    elif isinstance(found, list):
        for inner in found:
            yield from properties(inner)


def test_each_schema_that_people_ask_for_is_there():
    assert list(schema_names()) == NAMES
    assert {path.stem for path in COMMITTED.glob("*.json")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_the_committed_one(name):
    """A change is seen in review. Within a number, keys are added and never changed."""
    assert schema_text(name) + "\n" == (COMMITTED / f"{name}.json").read_text("utf-8"), "run `make schemas`"


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_has_a_name_a_title_and_a_sentence_about_every_property(name):
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert re.fullmatch(rf"urn:kbsync:schema:{name}:\d+", found["$id"]) and found["title"]
    every = [(key, value) for key, value in properties(found) if list(value) != ["$ref"]]
    tables = found.get("$defs", {}).items()
    for key, value in (*every, *tables):
        assert re.fullmatch(r"[A-Z`].*\.", value["description"]), (key, value)
    assert every


def test_the_number_of_a_schema_is_that_of_the_output():
    for name in ("plan", "push", "lint", "check", "ledger"):
        number = schema(name)["$id"].rpartition(":")[2]
        assert schema(name)["properties"]["schema"]["enum"] == [f"kbsync.{name}/{number}"]


def test_each_setting_has_words_and_there_are_words_about_nothing_else():
    tables = {name: getattr(Settings(ROOT), name) for name in Settings.__struct_fields__}
    keys = {
        f"{name}.{key}"
        for name, table in tables.items()
        if isinstance(table, msgspec.Struct)
        for key in table.__struct_fields__
    }
    assert set(ABOUT_SETTINGS) == ({*tables, *keys, "env"} - {"path", "state"})


def test_each_key_of_the_portals_file_has_words_and_there_are_words_about_nothing_else():
    keys = {f"{name}.{key}" for name, table in NESTED.items() for key in table.__struct_fields__}
    assert set(ABOUT_PORTAL) == {*PortalTables.__struct_fields__, *keys}


def test_the_portal_toml_of_the_help_center_is_valid():
    page = (ROOT / "content/en/writing/portal-settings.md").read_text("utf-8")
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]
    assert errors("portal", tomllib.loads(example)) == []
    assert errors("portal", {"nmae": "x"})


def test_each_default_of_a_setting_is_the_true_one():
    tables = schema("config")["$defs"]
    for name in set(tables) - {"authors"}:
        table = getattr(Settings(ROOT), name)
        known = {key: value["default"] for key, value in tables[name]["properties"].items() if "default" in value}
        assert {key: getattr(table, key) for key in known} == known


def test_each_key_of_a_front_matter_has_words_and_its_type_is_the_same_everywhere():
    assert set(ABOUT_KEYS) == {*ARTICLE_KEYS, *CATEGORY_KEYS} == set(schema("front-matter")["properties"])
    assert {key: kind for key, kind in ARTICLE_KEYS.items() if CATEGORY_KEYS.get(key, kind) != kind} == {}


def test_the_kbsync_toml_of_this_project_and_of_the_reference_is_valid():
    texts = [(ROOT / "kbsync.toml").read_text("utf-8")]
    reference = (ROOT / "content/en/configuration/kbsync-toml.md").read_text("utf-8")
    texts += re.findall(r"```toml\n(.*?)```", reference, re.DOTALL)
    assert len(texts) > 8
    assert [error for text in texts for error in errors("config", tomllib.loads(text))] == []


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("[service]\ntoken = 'x'", False), ("[sevice]\n", False), ("[push]\nlive = 'now'", False),
        ("[lint]\nlevels = {KB301 = 'loud'}", False), ("[authors]\nana = 'x'", False),
        ("[env.staging.service]\nport = 1", False), ("[pace]\nconcurrency = 'four'", False),
        ("[env.x.service]\nportal='a'\n[env.x.authors]\nana=1\n[env.y]", True),
    ],
)  # fmt: skip
def test_what_kbsync_refuses_in_kbsync_toml_is_not_valid_and_an_environment_may_have_every_table(text, valid):
    assert (errors("config", tomllib.loads(text)) == []) is valid


def test_the_front_matter_of_every_file_of_the_help_center_is_valid():
    blocks = [path.read_text("utf-8").split("---\n")[1] for path in sorted((ROOT / "content").rglob("*.md"))]
    assert len(blocks) > 50
    assert [error for block in blocks for error in errors("front-matter", yaml.safe_load(block))] == []


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("manage: true", True), ("manage: seed", True), ("manage: maybe", False), ("status: live", False),
        ("position: 20", True), ("position: '20'", False), ("position: 9999999999", False), ("tags: a", False),
        ("tags: [1]", False), ("title: 2024", False), ("layout: wide", True), ("status: draft", True),
    ],
)  # fmt: skip
def test_a_value_is_valid_where_lint_takes_it(text, valid):
    assert (errors("front-matter", yaml.safe_load(text)) == []) is valid


def test_each_table_of_the_ledger_has_its_columns():
    tables = schema("ledger")["properties"]["tables"]["properties"]
    assert {name: table["items"]["minItems"] for name, table in tables.items()} == {
        name: len(columns) for name, columns in TABLES.items()
    }
