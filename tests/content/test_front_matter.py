"""Front matter: every key, every kind of value, and what is said of those that are wrong."""

import time

import pytest

from builders import read_body, source_of
from kbsync.content.source import Problem

CATEGORY = "en/billing/_category.md"


def problems(text: str | bytes, path: str = "en/billing/refunds.md") -> list[Problem]:
    return list(source_of(text, path).problems)


def spots(text: str | bytes, path: str = "en/billing/refunds.md") -> list[tuple[str, int, int]]:
    return [(problem.code, problem.line, problem.column) for problem in problems(text, path)]


# --- values that are as they should be -------------------------------------------------------------------------------

GOOD = [
    ("title: Refunds", "title", "Refunds"),
    ('title: "Refunds: all of them"', "title", "Refunds: all of them"),
    ("title: 'It''s'", "title", "It's"),
    ("title: >-\n  one\n  two", "title", "one two"),
    ("title: Über 😀", "title", "Über 😀"),
    ('title: "2024"', "title", "2024"),
    ("title: !!str 2024", "title", "2024"),
    ("title: Refunds # not part of it", "title", "Refunds"),
    ("title: C#", "title", "C#"),
    ('"title": Refunds', "title", "Refunds"),
    ("foreign: &t Refunds\ntitle: *t", "title", "Refunds"),
    ("foreign: {deep: &t Refunds}\ntitle: *t", "title", "Refunds"),
    ('description: ""', "description", ""),
    ("position: 20", "position", 20),
    ("position: 0", "position", 0),
    ("position: -3", "position", -3),
    ("position: 2147483647", "position", 2147483647),
    ("tags: [refunds, money]", "tags", ("refunds", "money")),
    ("tags:\n- refunds\n- money", "tags", ("refunds", "money")),
    ("tags: []", "tags", ()),
    ('tags: ["2024", "no"]', "tags", ("2024", "no")),
    ("aliases: [refunds-old]", "aliases", ("refunds-old",)),
    ("status: draft", "status", "draft"),
    ("status: 'published'", "status", "published"),
    ("status: archived", "status", "archived"),
    ("manage: true", "manage", "true"),
    ("manage: yes", "manage", "true"),
    ("manage: False", "manage", "false"),
    ("manage: off", "manage", "false"),
    ("manage: seed", "manage", "seed"),
    ('manage: "false"', "manage", "false"),
    ("locale: pt_BR", "locale", "pt_BR"),
    ("{title: Refunds, slug: refunds}", "title", "Refunds"),
    ("release: 5.10", "release", "5.10"),
    ('release: "5.2"', "release", "5.2"),
    ("release: 7", "release", "7"),
    ("release: 1:30", "release", "1:30"),
    ("release: 2026-12-01", "release", "2026-12-01"),
    ("release:  spring  sale", "release", "spring sale"),
    ("publish_on: 2026-12-01", "publish_on", "2026-12-01"),
    ('publish_on: "2026-12-01"', "publish_on", "2026-12-01"),
    ("publish_on: 2026-12-01T09:00Z", "publish_on", "2026-12-01T09:00Z"),
    ("publish_on: 2026-12-01 09:00:30 +01:00", "publish_on", "2026-12-01 09:00:30 +01:00"),
    ("publish_on: 2026-12-01T09:00-0530", "publish_on", "2026-12-01T09:00-0530"),
]


@pytest.mark.parametrize(("lines", "key", "value"), GOOD, ids=[lines for lines, _, _ in GOOD])
def test_a_value_of_the_right_kind_is_taken_as_yaml_means_it(lines, key, value):
    source = source_of(f"---\n{lines}\n---\n# A\nText.\n")
    assert getattr(source, key) == value
    assert [problem for problem in source.problems if problem.level == "error"] == []


def test_a_key_that_is_left_out_is_nobodys_business():
    source = source_of("---\ntitle: A\n---\nText.\n")
    given = (source.slug, source.status, source.description, source.position, source.author, source.tags)
    assert given == (None,) * 6 and source.manage == "true" and source.aliases == ()


def test_every_key_of_a_category_is_read():
    text = "---\nname: Billing\nslug: b\ndescription: d\nposition: 2\nicon: 💶\nlocale: en\n---\n"
    source = source_of(text, CATEGORY)
    assert (source.kind, source.problems) == ("category", ())
    assert (source.name, source.slug, source.description, source.position, source.icon, source.locale) == (
        "Billing", "b", "d", 2, "💶", "en",
    )  # fmt: skip


# --- values of the wrong kind ----------------------------------------------------------------------------------------

WRONG = [
    ("title: 2024", "KB108", 'title: "2024"'),
    ("title: 2024-01-31", "KB108", 'title: "2024-01-31"'),
    ("title: 1.5", "KB108", 'title: "1.5"'),
    ("title: 12:30", "KB108", 'title: "12:30"'),
    ("title: yes", "KB108", 'title: "yes"'),
    ("title: null", "KB108", "Delete the line, or write a value."),
    ("description: Null", "KB108", 'write `description: ""` to clear it'),
    ("title: =", "KB108", "quotes"),
    ("title: {a: b}", "KB108", "quotes"),
    ("title: [a]", "KB108", "one value"),
    ("locale: no", "KB108", 'locale: "no"'),
    ("slug: 404", "KB108", 'slug: "404"'),
    ("author: 12", "KB108", 'author: "12"'),
    ("status: true", "KB108", 'status: "true"'),
    ("status: live", "KB109", "Use one of: draft, published, archived"),
    ("status: Published", "KB109", "Did you mean `published`?"),
    ("status: active", "KB109", "Use one of: draft, published, archived"),
    ("status: ''", "KB109", "Use one of: draft, published, archived"),
    ("manage: maybe", "KB113", "Use one of: true, seed, false"),
    ("manage: !!bool maybe", "KB113", "Use one of: true, seed, false"),
    ("manage: [true]", "KB113", "Use one of: true, seed, false"),
    ("manage: 1", "KB113", "Use one of: true, seed, false"),
    ('position: "20"', "KB108", "position: 20"),
    ("position: 1.5", "KB108", "position: 20"),
    ("position: 1_000", "KB108", "position: 20"),
    ("position: 0x14", "KB108", "position: 20"),
    ("position: 010", "KB108", "position: 20"),
    ("position: 2147483648", "KB108", "position: 20"),
    ("position: " + "9" * 5000, "KB108", "position: 20"),
    ("position: !!int --5", "KB108", "position: 20"),
    ("position: [1]", "KB108", "one value"),
    ("tags: refunds", "KB108", "tags: [refunds]"),
    ("tags: {a: b}", "KB108", "tags: ["),
    ("titel: X", "KB107", "Did you mean `title`?"),
    ("Title: X", "KB107", "Did you mean `title`?"),
    ("descripton: X", "KB107", "Did you mean `description`?"),
    ("title: !!python/object:os.system x", "KB108", "quotes"),
    ("title: !!python/object/apply:os.system [x]", "KB108", ""),
    ("title: !!python/name:builtins:str x", "KB108", "quotes"),
    ("title: !<tag:example.com:str> x", "KB108", "quotes"),
    ('title: "a\\0b"', "KB114", "Delete"),
    ('tags: ["a\\0b"]', "KB114", "Delete"),
    ("release: [5.2]", "KB108", "one value"),
    ("release: yes", "KB108", 'release: "5.2"'),
    ('release: "a\\0b"', "KB114", "Delete"),
    ("publish_on:", "KB118", "Delete the line"),
    ("publish_on: ''", "KB118", "Write it as"),
    ("release: ~", "KB118", "write a value"),
    ("release: ' '", "KB118", "write a value"),
    ("publish_on: tomorrow", "KB118", "`2026-12-01T09:00+01:00`"),
    ("publish_on: 2026-12-01 09:00", "KB118", "`2026-12-01 09:00Z` for UTC"),
    ("publish_on: 2026-12-01T09:00:00", "KB118", "`2026-12-01T09:00:00+01:00`"),
    ("publish_on: 2026-02-29", "KB118", "Write it as"),
    ("publish_on: 2026-12-01T25:00Z", "KB118", "Write it as"),
    ("publish_on: 01/12/2026", "KB118", "Write it as"),
    ("publish_on: 20261201", "KB118", "Write it as"),
    ("publish_on: 2026-W49-2", "KB118", "Write it as"),
    ("publish_on: [2026-12-01]", "KB108", "one value"),
    ("publish_on: true", "KB108", "publish_on: 2026-12-01"),
]


@pytest.mark.parametrize("line", ["tags: [a, null]", "tags: [a, [b]]", "tags: [a, {b: c}]"])
def test_no_hint_proposes_to_publish_the_word_null_or_an_empty_text(line):
    (problem,) = problems(f"---\ntitle: T\n{line}\n---\nText.\n")
    assert (problem.code, problem.column, problem.hint) == ("KB108", 11, "Delete it, or write text.")


@pytest.mark.parametrize(("line", "code", "hint"), WRONG, ids=[line[:40] for line, _, _ in WRONG])
def test_a_wrong_value_is_an_error_at_its_key_with_what_to_write_instead(line, code, hint):
    (problem,) = problems(f"---\nslug2: a\n{line}\n---\n# T\n\nText.\n")[1:]
    assert (problem.code, problem.level, problem.line, problem.column) == (code, "error", 3, 1)
    assert hint in problem.hint and len(problem.message) < 200


def test_an_item_of_the_wrong_kind_is_told_at_its_own_place():
    (problem,) = problems("---\ntitle: T\ntags:\n  - money\n  - 2024\n---\nText.\n")
    assert (problem.code, problem.line, problem.column) == ("KB108", 5, 5)
    assert problem.hint == 'Put it in quotes: "2024".'


def test_a_wrong_value_is_not_used():
    source = source_of("---\ntitle: T\nstatus: live\nposition: x\nmanage: maybe\n---\nText.\n")
    assert (source.status, source.position, source.manage) == (None, None, "true")


def test_a_key_of_another_tool_is_a_warning_and_so_is_an_empty_one():
    source = source_of("---\nlayout: wide\ntitle: T\ndescription:\nicon: ~\n---\nText.\n")
    assert [(problem.code, problem.level, problem.line) for problem in source.problems] == [
        ("KB107", "warning", 2), ("KB116", "warning", 4), ("KB107", "warning", 5),
    ]  # fmt: skip
    assert source.description is None


def test_an_empty_title_is_taken_as_left_out_so_the_heading_is_the_title():
    text = "---\ntitle:\n---\n# Refunds\nText.\n"
    assert (source_of(text).title, read_body(text)) == ("Refunds", "Text.\n")


def test_an_article_key_in_a_category_is_unknown_there():
    assert spots("---\nname: B\nstatus: draft\n---\n", CATEGORY) == [("KB107", 3, 1)]


# --- front matter that cannot be read --------------------------------------------------------------------------------

BROKEN = [
    ("---\ntitle: a: b\n---\n", ("KB104", 2, 9), "quotes"),
    ("---\r\nslug: a\r\ntitle: a: b\r\n---\r\n", ("KB104", 3, 9), "quotes"),
    ("\ufeff---\nslug: a\ntitle: é😀: b: c\n---\n", ("KB104", 3, 13 - 3), "quotes"),
    ("---\nslug: a\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> x\n---\n", ("KB104", 3, 1), "Keep one version"),
    ("---\ntitle: A\n\tslug: b\n---\n", ("KB104", 3, 1), "Indent with spaces"),
    ("---\ntags:\n\t- b\n---\n", ("KB104", 3, 1), "Indent with spaces"),
    ("---\ntitle: [a\n---\n", ("KB104", 2, 8), "quotes"),
    ('---\ntitle: "a\n---\n', ("KB104", 2, 8), 'Add the second `"` behind the value.'),
    ("---\nslug: a\ntitle: 'a\nstatus: draft\n---\nText\n", ("KB104", 3, 8), "Add the second `'` behind the value."),
    ("---\ndescription: 使用。license: MIT\n---\n", ("KB104", 2, 24), "Put `license:` on a line of its own"),
    ("---\ntitle: @ana\n---\n", ("KB104", 2, 8), "quotes"),
    ("---\ntitle: *important\n---\n", ("KB104", 2, 8), "quotes"),
    ("---\nslug: &a [*a]\n---\n", ("KB104", 2, 11), "quotes"),
    ("---\ntitle: A\nslug: b\x7f\n---\n", ("KB104", 3, 8), "Delete"),
    ("---\ntitle: A\0\nslug: b\n---\n", ("KB104", 2, 9), "Delete"),
    ("---\r\ntitle: A\r\n\x1b\r\n---\r\n", ("KB104", 3, 1), "Delete"),
    ("---\n- a\n- b\n---\n", ("KB105", 2, 1), "key"),
    ("---\njust words\n---\n", ("KB105", 2, 1), "key"),
    ("---\n\n  2024\n---\n", ("KB105", 3, 3), "key"),
    ("---\ntitle: A\nslug: b\ntitle: B\n---\nText\n", ("KB106", 4, 1), "Delete one"),
    ('---\ntitle: A\n"title": B\n---\nText\n', ("KB106", 3, 1), "Delete one"),
    ("---\ntitle: A\nText\n", ("KB111", 1, 1), "---"),
    ("---", ("KB111", 1, 1), "---"),
    ("---\ntitle: A\n --- \n", ("KB111", 1, 1), "---"),
    ("---\na: " + "a" * 70_000 + "\n---\n", ("KB112", 1, 1), "closing"),
    ("", ("KB103", 1, 1), "delete"),
    ("\ufeff \n\r\n", ("KB103", 1, 1), "delete"),
    (b"---\ntitle: caf\xe9\n---\n", ("KB101", 2, 11), "UTF-8"),
    ("é é\n".encode() + "ü".encode() + b"x\xff", ("KB101", 2, 3), "UTF-8"),
    (b"\xef\xbb\xbf\xff", ("KB101", 1, 1), "UTF-8"),
    ("Text".encode("utf-16"), ("KB101", 1, 1), "UTF-8"),
    ("---\ntitle: A\n---\nOne.\nText\0\n", ("KB114", 5, 5), "Delete"),
]


@pytest.mark.parametrize(("text", "spot", "hint"), BROKEN, ids=[repr(text)[:40] for text, _, _ in BROKEN])
def test_what_cannot_be_read_is_an_error_with_line_column_and_one_thing_to_do(text, spot, hint):
    found = problems(text)
    assert [(problem.code, problem.line, problem.column) for problem in found] == [spot]
    assert found[0].level == "error" and hint in found[0].hint


def test_the_first_of_a_doubled_key_counts_and_the_message_says_where_it_is():
    source = source_of("---\nslug: b\ntitle: A\ntitle: B\n---\nText\n")
    assert source.title == "A" and "already on line 3" in source.problems[0].message


def test_what_stands_before_and_below_a_mistake_is_still_read():
    source = source_of("---\nslug: x\ntitle: a: b\n---\n# T\n[a](nowhere.md)\n")
    assert (source.slug, len(source.links), source.anchors) == ("x", 1, ("t",))


SOON_CPU_S = 20.0
"""Seconds of this thread alone, so that other work on the machine does not count; what grows without measure takes
minutes."""

HOSTILE = {
    "brackets": "a: " + "[" * 60_000,
    "braces": "a: " + "{a: " * 16_000,
    "lists": "- " * 30_000,
    "lists below a key": "a:\n  " + "- " * 30_000,
    "question marks": "? " * 30_000,
    "nested keys": "".join(" " * depth + "a:\n" for depth in range(350)),
    "aliases": "a: &a [x, x]\n" + "".join(f"k{n}: &k{n} [*a, *a, *a]\n" for n in range(1500)) + "title: *k9",
    "an anchor in itself": "title: &a [*a, *a]",
    "flow keys without end": "a: {" + "b, " * 21_000,
}


@pytest.mark.parametrize("block", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_yaml_is_an_error_soon(block):
    started = time.thread_time()
    source = source_of(f"---\n{block}\n---\nText\n")
    assert any(problem.level == "error" for problem in source.problems)
    assert time.thread_time() - started < SOON_CPU_S


def test_thousands_of_keys_are_read_in_a_moment():
    started = time.thread_time()
    source = source_of("---\n" + "".join(f"key{n}: 1\n" for n in range(5000)) + "---\nText\n")
    assert len(source.problems) == 5000 and time.thread_time() - started < SOON_CPU_S


def test_nested_values_of_other_tools_are_left_alone():
    source = source_of("---\ntitle: A\nseo:\n  og:\n    image: {w: 1, h: [1, 2]}\n---\nText\n")
    assert source.title == "A" and [problem.level for problem in source.problems] == ["warning"]


def test_an_invisible_line_break_hides_no_other_problem_of_the_front_matter():
    found = problems("---\ntitle: A\u2028b\nstatus: what\ntags: [a\u2029b]\nauthro: x\n---\nText.\n")
    lines = {(problem.code, problem.line) for problem in found}
    assert lines == {("KB104", 2), ("KB104", 4), ("KB109", 3), ("KB107", 5)}


@pytest.mark.parametrize("title", ["title: Two\N{LINE SEPARATOR}words", "title: 'Two\N{LINE SEPARATOR}words'", "title: Two\N{PARAGRAPH SEPARATOR}words", "title: Two\x85words"])  # fmt: skip
def test_a_line_break_that_no_editor_shows_is_named_where_it_is(title):
    """To YAML 1.1 it ends the line, and all places behind it were one line too far down."""
    problem, key = problems(f"---\ndescription: D\n{title}\nbad_key: 1\n---\nText.\n")
    assert (key.code, key.line) == ("KB107", 4)
    assert (problem.code, problem.line, problem.hint) == ("KB104", 3, "Delete it.")
    assert problem.column == title.index("words") and "an invisible line break" in problem.message
