"""Front matter: every key, every wrong kind, and a body that keeps every byte."""

from __future__ import annotations

import frontmatter
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kbsync.content.parse import body_of, parse_source

ALL = """---
title: Refund a charge
slug: refund-a-charge
category: billing
locale: en
status: published
description: one sentence
position: 20
author: ana
tags: [refunds, money]
meta_title: Refunds
meta_description: How
translation_of: en/billing/refunds.md
aliases: [refunds-old]
manage: seed
---
Text.
"""


def source_of(text: str | bytes, path: str = "en/billing/a.md"):
    return parse_source(path, text if isinstance(text, bytes) else text.encode())


def problems(text: str | bytes, path: str = "en/billing/a.md") -> list[tuple[str, int, int]]:
    return [(problem.code, problem.line, problem.column) for problem in source_of(text, path).problems]


def test_every_key_of_the_design_is_read():
    source = source_of(ALL)
    assert source.problems == ()
    assert (source.title, source.slug, source.category, source.locale) == (
        "Refund a charge", "refund-a-charge", "billing", "en",
    )  # fmt: skip
    assert (source.status, source.description, source.position, source.author) == (
        "published",
        "one sentence",
        20,
        "ana",
    )
    assert (source.tags, source.meta_title, source.meta_description) == (("refunds", "money"), "Refunds", "How")
    assert (source.translation_of, source.aliases, source.manage) == ("en/billing/refunds.md", ("refunds-old",), "seed")


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("title: 2024", "KB108", 'title: "2024"'),
        ("title: 2024-01-01", "KB108", 'title: "2024-01-01"'),
        ("locale: no", "KB108", 'locale: "no"'),
        ("title: [a]", "KB108", "one value"),
        ("title: {a: b}", "KB108", ""),
        ('position: "20"', "KB108", "position: 20"),
        ("position: 1.5", "KB108", "position: 20"),
        ("tags: refunds", "KB108", "tags: [refunds]"),
        ("tags: [refunds, 2024]", "KB108", '"2024"'),
        ("status: live", "KB109", "use one of: draft, published, archived"),
        ("status: Published", "KB109", "did you mean `published`?"),
        ("manage: maybe", "KB113", "use one of: true, seed, false"),
        ("titel: X", "KB107", "did you mean `title`?"),
        ("title: !!python/object:os.system x", "KB108", ""),
    ],
)
def test_a_wrong_value_is_a_problem_at_its_line_and_says_what_to_write(line, code, hint):
    (problem,) = source_of(f"---\nslug: a\n{line}\n---\n# T\n\nText.\n").problems
    assert (problem.code, problem.level, problem.line, problem.column) == (code, "error", 3, 1) or (
        "2024]" in line and problem.line == 3
    )
    assert hint in problem.hint


def test_a_foreign_key_is_only_a_warning_and_an_empty_one_is_taken_as_left_out():
    source = source_of("---\ntitle: T\nlayout: wide\ndescription:\n---\nText.\n")
    assert [(p.code, p.level, p.line) for p in source.problems] == [("KB107", "warning", 3), ("KB116", "warning", 4)]
    assert source.description is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\ntitle: a: b\n---\n", ("KB104", 2, 9)),
        ("---\ntitle: A\n\tslug: b\n---\n", ("KB104", 3, 1)),
        ("---\n- a\n- b\n---\n", ("KB105", 2, 1)),
        ("---\ntitle: A\ntitle: B\n---\nText\n", ("KB106", 3, 1)),
        ("---\ntitle: A\nText\n", ("KB111", 1, 1)),
        ("---\n" + "a" * 70_000 + "\n---\n", ("KB112", 1, 1)),
        ("", ("KB103", 1, 1)),
        (" \n\n", ("KB103", 1, 1)),
        (b"---\ntitle: caf\xe9\n---\n", ("KB101", 2, 11)),
        ("---\ntitle: A\n---\nText\0\n", ("KB114", 4, 1)),
    ],
)
def test_what_cannot_be_read_is_told_with_line_and_column(text, found):
    assert found in problems(text)


@pytest.mark.parametrize(
    "block",
    ["a: " + "[" * 30_000, "title:\n" + "".join(" " * n + "b:\n" for n in range(1, 300)), "- " * 30_000,
     "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ntitle: *c", "a: " + "{" * 30_000],
    ids=["brackets", "nested keys", "nested lists", "aliases", "braces"],
)  # fmt: skip
def test_hostile_yaml_is_a_problem_and_builds_nothing(block):
    assert any(problem.level == "error" for problem in source_of(f"---\n{block}\n---\nText\n").problems)


BODIES = [
    ("---\ntitle: A\n---\nText\n", "Text\n"),
    ("---\r\ntitle: A\r\n---\r\n\r\nText\r\n", "\r\nText\r\n"),
    ("\ufeff---\ntitle: A\n---\n\n\n  Text  \n\n", "\n\n  Text  \n\n"),
    ("---\ntitle: A\n---  \nText\n---\nmore", "Text\n---\nmore"),
    ("---\ntitle: A\n...\nText", "Text"),
    ("---\n---\n# A\nText", "Text"),
    ("# A\n\nText", "\nText"),
    ("A\n===\nText\n", "Text\n"),
    ("Text\n\n# A #\nmore\n", "Text\n\nmore\n"),
    ("---\ntitle: A\n---\n# B\nText", "# B\nText"),
    ("\ufeffText only\r\n", "Text only\r\n"),
]


@pytest.mark.parametrize(("text", "body"), BODIES)
def test_the_body_is_everything_after_the_closing_line_less_the_heading_that_became_the_title(text, body):
    source = source_of(text)
    assert body_of(source, text.encode()) == body
    assert source.title in {"A", None}


@given(st.binary(max_size=300))
@example(b"---\n? \n---")
@example(b"---\n*x\n---\n")
@example(b"---\n&a\n---\n")
@example(b"---\n!!\n---\n")
@example(b"\xef\xbb\xbf---\n\xc2\x85:\n---")
def test_no_bytes_make_the_reader_fail(data):
    parse_source("en/a.md", data)
    parse_source("en/a.md", b"---\n" + data + b"\n---\nText")


TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, blacklist_characters="\x7f\x85"), max_size=20)


@given(st.fixed_dictionaries({}, optional={"title": TEXT, "slug": TEXT, "description": TEXT}), TEXT)
def test_well_formed_documents_mean_the_same_as_to_python_frontmatter(values, body):
    text = frontmatter.dumps(frontmatter.Post(body, **values))
    source = parse_source("en/a.md", text.encode())
    metadata = frontmatter.loads(text).metadata
    given_here = {key: getattr(source, key) for key in metadata if not source.problems}
    assert given_here == ({key: metadata[key] for key in metadata} if not source.problems else {})
