"""The words around an article, in the language of its page."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from importlib.resources import files

import pytest

from kbsync.site.reader_words import words_of

FILES = {
    entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text("utf-8"))
    for entry in (files("kbsync.site") / "locales").iterdir()
}
WHOLE = sorted(FILES.keys() - {"en-gb"})


@pytest.mark.parametrize("name", WHOLE)
def test_every_language_has_every_word_with_the_same_gaps(name):
    english, other = FILES["en"], FILES[name]
    assert other.keys() == english.keys()
    assert len(other["months"]) == 12
    for key, text in english.items():
        if isinstance(text, str) and key != "group":
            assert other[key].strip()
            assert set(re.findall(r"{\w+}", other[key])) == set(re.findall(r"{\w+}", text))
    assert all("{count}" in form for form in other["articles"].values())


@pytest.mark.parametrize("name", WHOLE)
def test_every_number_of_articles_can_be_said(name):
    for number in (0, 1, 2, 3, 5, 11, 21, 100, 101, 103, 1_000_000):
        assert words_of(name).article_count(number).strip()


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", ("Next", "10,000 articles", "1 article", "November 22, 2026")),
        ("en_GB", ("Next", "10,000 articles", "1 article", "22 November 2026")),
        ("fr", ("Suivant", "10\u202f000 articles", "1 article", "22 novembre 2026")),
        ("pt_BR", ("Próximo", "10.000 artigos", "1 artigo", "22 de novembro de 2026")),
        ("zh_TW", ("下一篇", "10,000篇文章", "1篇文章", "2026年11月22日")),
        ("ru", ("Далее", "10\xa0000 статей", "1 статья", "22 ноября 2026\u202fг.")),
        ("no", ("Neste", "10\xa0000 artikler", "1 artikkel", "22. november 2026")),
        ("tlh", ("Next", "10,000 articles", "1 article", "November 22, 2026")),
    ],
)
def test_words_numbers_and_dates_are_those_of_the_language(locale, words):
    found = words_of(locale)
    day = found.long_date(date(2026, 11, 22))
    assert (found["next"], found.article_count(10_000), found.article_count(1), day) == words


@pytest.mark.parametrize(
    ("locale", "number", "said"),
    [
        ("ru", 22, "22 статьи"),
        ("pl", 12, "12 artykułów"),
        ("ar", 3, "3 مقالات"),
        ("fr", 0, "0 article"),
        ("cs", 5, "5 článků"),
    ],
)
def test_plural_forms_follow_the_number(locale, number, said):
    assert words_of(locale).article_count(number) == said


def test_a_status_that_is_no_status_stays_as_it_is():
    assert words_of("fr").status("draft") == "brouillon"
    assert words_of("fr").status("next") == "next"
