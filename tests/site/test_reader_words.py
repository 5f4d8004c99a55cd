"""The words around an article, in the language of its page."""

import re
import tomllib
from dataclasses import replace
from datetime import date
from importlib.resources import files

import html5lib
import pytest

from kbsync.markdown.versions import NEWEST
from kbsync.preview.article_body import plain_body
from kbsync.site.pages import (
    ArticlePage,
    CategoryPage,
    Frame,
    HomePage,
    Link,
    MissingPage,
    Navigation,
    Section,
    TocEntry,
    render,
)
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


def test_a_template_asks_for_a_word_that_there_is_in_brackets():
    templates = [entry.read_text("utf-8") for entry in (files("kbsync.site") / "templates").iterdir()]
    asked = {name for text in templates for name in re.findall(r"\bwords\['(\w+)'\]", text)}
    after_a_dot = {name for text in templates for name in re.findall(r"\bwords\.(\w+)", text)}
    assert {"next", "search"} <= asked <= FILES["en"].keys()
    assert not after_a_dot & FILES["en"].keys()


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


# --- no English around a text in another language ---------------------------------------------------------------------

OF_OTHERS = """
# {a}

## {b}

![{a}](https://a.example/x.png) ![{a}](nowhere.png) ![{a}](javascript:1) [{a}](javascript:1)

<https://youtu.be/abc>

<https://gist.github.com/a/0123456789abcdef>

```
1
```
"""
SAID = ("title", "aria-label", "placeholder", "data-nothing", "data-loading", "data-away", "data-failed", "data-copied")


def pages_in(locale: str, a: str, b: str) -> list[str]:
    """A page of each kind that readers see, with no word in Latin letters but those of kbsync."""
    here = (Link(a, "/", mark="current"), Link(b, "/b", words_of(locale)["not_translated"]))
    frame = Frame(a, "/", locale, a, here, search_url="/s", assets_url="/-/assets", live_url="/-/events")
    body = plain_body(OF_OTHERS.format(a=a, b=b), locale, bare=False, media=False, version=NEWEST)
    links = (Link(a, "/1", mark="draft"), Link(b, "/2", mark="archived"))
    section, nav = Section(a, "/c", articles=links), Navigation(Link(a, "/"), links)
    toc = (TocEntry(1, a, "a"), TocEntry(2, b, "b"))
    around = {"previous": links[0], "next": links[1], "translations": links, "nav": nav, "description": b, "toc": toc}
    updated = words_of(locale).filled("updated", date=words_of(locale).long_date(date(2026, 11, 22)))
    return [
        render(page)
        for page in (
            ArticlePage(frame, a, body.html, (Link(a, "/"),), updated=updated, status="draft", **around),
            HomePage(frame, a, (section, Section(b, "/d")), links),
            HomePage(replace(frame, assets_url="", practice_url="/-/panel"), a, ()),
            CategoryPage(frame, section, nav=nav),
            MissingPage(frame, links),
        )
    ]


def spoken(element, *, english: bool = False):
    """What a page says: its texts, and those of attributes that people read or hear; not what is marked as English."""
    english = english if element.get("lang") is None else element.get("lang") == "en"
    if element.tag in {"script", "style"} or english:
        return
    yield from (element.get(name, "") for name in SAID)
    for text, inside in [(element.text, None), *((child.tail, child) for child in element)]:
        if inside is not None:
            yield from spoken(inside, english=english)
        yield text or ""


@pytest.mark.parametrize(
    ("locale", "a", "b"), [("ja", "設定", "画面"), ("ar", "إعداد", "شاشة"), ("ru", "вход", "счёт")]
)
def test_no_english_word_is_around_a_text_in_another_script(locale, a, b):
    for html in pages_in(locale, a, b):
        said = " ".join(spoken(html5lib.parse(html, namespaceHTMLElements=False)))
        assert a in said
        assert re.findall(r"[A-Za-z]{2,}", re.sub(r"\S+\.(?:example|com|png)\S*|{query}|javascript:1", "", said)) == []


@pytest.mark.parametrize("locale", sorted(FILES.keys() - {"en", "en-gb"}))
def test_no_english_text_of_ours_is_on_a_page_in_another_language(locale):
    other = FILES[locale]
    english = [
        text
        for key, text in FILES["en"].items()
        if isinstance(text, str) and key != "date" and len(text) > 3 and other[key] != text
    ]
    said = "\n".join(
        text
        for html in pages_in(locale, "1", "2")
        for text in spoken(html5lib.parse(html, namespaceHTMLElements=False))
    )
    assert [text for text in english if re.search(rf"\b{re.escape(text.split('{')[0].strip())}\b", said)] == []
