"""Where new files go: names of letters, digits and hyphens, inside the root, each only once on every file system."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.model import Observed
from kbsync.plan.new_paths import Names, is_locale, new_files, safe_name


def an_item(kind: str = "article", locale: str = "en", slug: str = "x", **fields: object) -> Observed:
    remote_id = fields.pop("remote_id", abs(hash((kind, locale, slug))) % 10_000)
    return Observed(kind=kind, remote_id=remote_id, locale=locale, slug=slug, fields=fields)


def paths(*items: Observed, taken: tuple[str, ...] = ()) -> list[str]:
    return [file.path for file in new_files(Names.of(taken, {}, {}, "en"), items)]


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("refunds", "refunds"), ("../../etc/passwd", "etc-passwd"), ("..", "article-7"), ("CON", "con-article"),
        ("nul", "nul-article"), ("com1", "com1-article"), ("lpt9.txt", "lpt9-txt"),
        ("Été à Paris", "ete-a-paris"), ("日本", "日本"), ("a\x00b\x1b[31m", "a-b-31m"), ("_category", "category"),
        (".git", "git"), ("-rf", "rf"), ("x" * 300, "x" * 80), ("trailing. ", "trailing"), ("", "article-7"),
    ],
)  # fmt: skip
def test_a_slug_becomes_a_name_that_every_file_system_takes(slug: str, name: str):
    assert safe_name(slug, 7) == name


def test_names_that_differ_only_in_case_are_different_files():
    assert paths(an_item(slug="日Foo"), an_item(slug="日foo")) == ["en/日Foo.md", "en/日foo-2.md"]
    assert paths(an_item(slug="a"), taken=("en/A.md",)) == ["en/a-2.md"]


def test_an_article_lies_in_the_folder_of_its_category():
    category = an_item("category", slug="Billing & Co", name="Billing")
    found = paths(an_item(slug="refunds", category="Billing & Co"), category)
    assert found == ["en/billing-and-co/_category.md", "en/billing-and-co/refunds.md"]


def test_a_translation_is_named_after_its_original():
    files = new_files(
        Names.of((), {}, {}, "en"),
        [
            an_item(slug="refunds", remote_id=1),
            an_item(locale="fr", slug="remboursement", remote_id=2, translation_of=1),
            an_item(locale="de", slug="refunds-de", remote_id=3),
        ],
    )
    assert [(file.path, file.original) for file in files] == [
        ("en/refunds.md", ""),
        # Nothing says that it is a translation, and at `de/refunds.md` it would be one.
        ("de/refunds-de.md", ""),
        ("fr/refunds.md", "en/refunds.md"),
    ]


@pytest.mark.parametrize("locale", ["..", "a/b", "", "e n", "x" * 99, "en/../.."])
def test_a_locale_that_cannot_be_a_folder_is_none(locale: str):
    assert not is_locale(locale, ())


@given(st.lists(st.text(max_size=30), max_size=6))
def test_no_slug_leads_anywhere_else(slugs: list[str]):
    found = paths(*(an_item(slug=slug, remote_id=number) for number, slug in enumerate(slugs)))
    assert len({path.casefold() for path in found}) == len(slugs)
    assert all(re.fullmatch(r"en/[^/\\.:*?\"<>|\s][^/\\:*?\"<>|]*\.md", path) for path in found)
    assert all(len(path.encode()) < 200 for path in found)
