"""Whether a translation is fresh follows from words, and from nothing else."""

import pytest

from builders import source_of
from kbsync.content.handed import blob_ids, is_translated_from, translated_texts
from kbsync.plan.freshness import (
    Edit,
    Freshness,
    TextChange,
    Translation,
    by_locale,
    changed_words,
    changes_between,
    only_minor,
)

THEN, NOW, LATER = {"content": "Text."}, {"content": "More text."}, {"content": "Even more text."}


def article(body: str = "Text.", keys: str = "") -> bytes:
    return f"---\ntitle: Refunds\n{keys}---\n{body}\n".encode()


def texts(data: bytes) -> dict[str, str]:
    return translated_texts("en/billing/refunds.md", data)


def test_what_nobody_translates_is_no_part_of_the_texts():
    keys = "slug: x\nstatus: published\nposition: 3\ntags: [a]\nrelease: 5\naliases: [b]\nauthor: ana\n"
    assert changes_between(texts(article()), texts(article(keys=keys))) == ()


def test_a_title_a_description_and_a_body_are_translated():
    changes = changes_between(texts(article()), texts(article("Other.", "description: New\nmeta_title: Meta\n")))
    assert [(change.field, change.before, change.after.strip()) for change in changes] == [
        ("description", "", "New"),
        ("meta_title", "", "Meta"),
        ("content", "Text.\n", "Other."),
    ]


def test_a_title_that_becomes_a_heading_is_the_same_title():
    assert changes_between(texts(b"---\ntitle: Refunds\n---\nText.\n"), texts(b"# Refunds\n\nText.\n")) == ()


def test_line_ends_and_line_breaks_are_no_words():
    assert changes_between(texts(article("One two\nthree.")), texts(article("One\r\ntwo three.\n\n"))) == ()


def test_the_target_of_a_link_into_the_tree_is_no_text_but_that_of_another_site_is():
    moved = changes_between(texts(article("[a](b.md) ![c](d.png)")), texts(article("[a](../b.md) ![c](x/d.png)")))
    other = changes_between(texts(article("[a](https://a.example)")), texts(article("[a](https://b.example)")))
    assert moved == () and len(other) == 1


# By what is promised: the version then, the version now, the minor edits, the versions that git has; is it only minor?
MINOR = {
    "minor edits need no translation": (THEN, NOW, [("a", "b")], {"a": THEN, "b": NOW}, True),
    "without an edit nothing is minor": (THEN, NOW, [], {"a": THEN, "b": NOW}, False),
    "a minor edit after one that is not": (THEN, LATER, [("b", "c")], {"b": NOW, "c": LATER}, False),
    "an edit that is not committed": (THEN, LATER, [("a", "b")], {"a": THEN, "b": NOW}, False),
    "minor edits in a circle come to an end": (LATER, NOW, [("a", "b"), ("b", "a")], {"a": THEN, "b": NOW}, False),
    "a version that git has lost proves nothing": (
        THEN, LATER, [("a", "b"), ("b", "c")], {"a": THEN, "c": LATER}, False),
}  # fmt: skip


@pytest.mark.parametrize(("then", "now", "edits", "known", "minor"), MINOR.values(), ids=MINOR)
def test_a_translation_stays_fresh_only_where_all_since_were_minor_edits(then, now, edits, known, minor):
    assert only_minor(then, now, [Edit(*edit) for edit in edits], known) is minor


def test_a_file_has_the_same_name_with_lf_and_with_crlf():
    lf, crlf = b"---\ntitle: X\n---\nText.\n", b"---\r\ntitle: X\r\n---\r\nText.\r\n"
    assert set(blob_ids(lf)) == set(blob_ids(crlf))
    source = source_of(
        f"---\ntitle: X\ntranslated_from: {blob_ids(lf)[0][:12]}\n---\nTexte.\n", "fr/billing/refunds.md"
    )
    assert is_translated_from(source, crlf)


def test_an_id_of_digits_only_needs_no_quotes():
    for written in ("123456789012", '"123456789012"', "0123456789AB", "'3f2a91c07be4'"):
        source = source_of(article(keys=f"translated_from: {written}\n"))
        assert source.translated_from == written.strip("\"'").lower() and not source.problems


def test_what_is_no_id_says_what_to_do():
    for written in ("HEAD", "3f2a", "HEAD:secret.md", "2026-12-01"):
        source = source_of(article(keys=f"translated_from: {written}\n"))
        assert source.translated_from is None
        assert [problem.code for problem in source.problems] == ["KB108"]
        assert "kbsync translate --done" in source.problems[0].hint


def test_machine_is_true_or_false():
    yes, no, maybe = (source_of(article(keys=f"machine: {word}\n")) for word in ("true", "false", "maybe"))
    assert yes.machine and not no.machine
    assert [problem.code for problem in maybe.problems] == ["KB108"]


def test_states_are_counted_for_each_locale():
    found = by_locale([Translation("fr", "en/a.md", "fr/a.md", Freshness.STALE)])
    assert found == {"fr": {"fresh": 0, "stale": 1, "missing": 0, "unknown": 0}}


@pytest.mark.parametrize(
    ("before", "after", "number"),
    [
        ("Wait 5 days.", "Wait 7 days.", 1),
        ("We pay back (soon).", "We pay back, in 5 days.", 3),
        ("Text.", "Text.\n\n| Plan | Days |\n| --- | --- |\n| Basic | 5 |", 4),
        ("It's the user’s.", "It isn't the user’s!", 2),
        ("One, two.", "One: two?", 0),
        ("One - two.", "One * two", 0),
    ],
)
def test_only_words_of_the_text_are_counted(before, after, number):
    assert changed_words([TextChange("content", before, after)]) == number
