"""Addresses and what they mean."""

import pytest

from kbsync.preview.urls import Place, article_url, canonical, category_url, home_url, read_url, search_url

ODD = ("refunds", "a b", "50%", "ä/ö", "日本", "a#b?c", "..", "-")


@pytest.mark.parametrize("slug", ODD)
@pytest.mark.parametrize("locale", ["en", "pt_BR", "", "zh-Hant"])
def test_an_address_means_what_it_was_made_of(locale: str, slug: str):
    assert read_url(article_url(locale, slug)) == Place("articles", locale, slug)
    assert read_url(category_url(locale, slug)) == Place("categories", locale, slug)
    assert read_url(home_url(locale)) == Place("home", locale, "")


@pytest.mark.parametrize("slug", ODD)
def test_an_address_is_its_own_canonical_form(slug: str):
    assert canonical(article_url("en", slug)) == article_url("en", slug)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("/en", "/en/"),
        ("/en/articles/%72efunds", "/en/articles/refunds"),
        ("/en/articles/日本", "/en/articles/%E6%97%A5%E6%9C%AC"),
        ("/-/events", "/-/events"),
        ("/en/articles/a/b", "/en/articles/a/b"),
    ],
)
def test_what_a_browser_writes_otherwise_is_one_address(said: str, meant: str):
    assert canonical(said) == meant


@pytest.mark.parametrize("url", ["/", "/-/", "/-/overview", "/en/other/x", "/en/articles/", "/en/articles/a/b"])
def test_what_has_no_such_shape_means_nothing(url: str):
    assert read_url(url) is None


def test_the_search_of_sources_without_a_locale_has_an_address():
    assert search_url("") == "/-/search/_.json"


def test_an_address_of_no_shape_is_none():
    assert [read_url(url) for url in ("", "*", "x", "http:", "//", "/")] == [None] * 6
    assert canonical("x") == "x"
