"""The snapshot of a large portal is in a file while a plan is decided, and is the same when it is asked for again."""

from __future__ import annotations

from kbsync.service.kept_snapshot import KeptSnapshot
from kbsync.service.list_rows import observed_row
from kbsync.service.snapshot import LocaleRows, Row, Snapshot, Tag


def a_row(number: int) -> Row:
    values = (f"Title {number}", f"body:{number}", "What it is for", number, 1, ("money",), "", "")
    return Row(number, 100 + number, f"a-{number}", 3, "draft", values, (number + 1,), outline=f"outline {number}")


def a_snapshot() -> Snapshot:
    def listed(*numbers: int) -> LocaleRows:
        return LocaleRows(90, {number: a_row(number) for number in numbers}, 80, {1: Tag('"etag"', 2, numbers)})

    locales = {"en": listed(1, 2), "fr": listed(3), "de": LocaleRows()}
    return Snapshot("target", locales, (3, "c"), "4.16.0", 5.5, {1: 7}, {1: "Ana"})


def test_a_snapshot_that_was_set_aside_is_read_back_as_it_was():
    kept = KeptSnapshot(a_snapshot())
    kept.set_aside(in_memory=2)
    assert kept.now == a_snapshot()
    assert kept.now is kept.now, "what is changed in it stays changed"


def test_the_rows_of_a_locale_are_the_same_wherever_they_are():
    here, aside = KeptSnapshot(a_snapshot()), KeptSnapshot(a_snapshot())
    aside.set_aside(in_memory=0)
    for locale in ("en", "fr", "de"):
        assert list(aside.rows(locale)) == list(here.rows(locale)) == list(a_snapshot().locales[locale].rows.values())
    assert aside.now == a_snapshot() and list(aside.rows("fr")) == [a_row(3)]


def test_one_locale_is_read_back_without_the_others_and_what_was_set_aside_stays_there():
    kept = KeptSnapshot(a_snapshot())
    kept.set_aside(in_memory=0)
    assert kept.locale("en") == a_snapshot().locales["en"] and kept.locale("en") is not kept.locale("en")
    assert kept.now.locales["en"] is kept.locale("en"), "in memory there is only one"


def test_a_small_snapshot_stays_where_it_is():
    small = a_snapshot()
    kept = KeptSnapshot(small)
    kept.set_aside(in_memory=3)
    assert kept.now is small


def test_what_was_changed_after_it_was_read_back_is_set_aside_again_with_the_change():
    kept = KeptSnapshot(a_snapshot())
    kept.set_aside(in_memory=0)
    kept.now.locales["de"] = LocaleRows(1, {9: a_row(9)})
    kept.set_aside(in_memory=0)
    assert kept.now.locales["de"].rows == {9: a_row(9)}


def test_a_snapshot_is_taken_once():
    for in_memory in (0, 100):
        kept = KeptSnapshot(a_snapshot())
        kept.set_aside(in_memory=in_memory)
        assert kept.take() == a_snapshot()
        assert kept.take() is None and kept.now == Snapshot()


def test_a_value_that_the_file_has_too_is_one_object_on_both_sides():
    row = a_row(1)
    ours = {"title": "".join(["Title", " 1"]), "content": "body:2", "tags": ("money",), "author": None, "icon": "x"}
    seen = observed_row(row, "en", {}, {2: 7}, ours)
    assert seen == observed_row(row, "en", {}, {2: 7})
    assert seen.fields["title"] is ours["title"] and seen.fields["tags"] is ours["tags"]
    assert seen.fields["content"] == "body:1" and list(seen.fields) == list(observed_row(row, "en", {}, {}).fields)
