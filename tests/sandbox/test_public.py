"""The public pages, and the pages as values."""

import re

import pytest

from kbsync.markdown.html import render_html
from kbsync.markdown.versions import Version
from kbsync.sandbox import V4_10
from kbsync.site.anchor_links import add_anchors
from kbsync.site.pages import ArticlePage, CategoryPage, Frame, HomePage, Link, MissingPage, Section, render

from .asking import call, read
from .world import HANDBOOK, a_sandbox

BODY = "# Hi\n\n*Body* & <b>raw</b> [x](javascript:alert(1))\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as running:
        for locale in ("en", "fr"):
            body = {"name": f"Guide {locale}", "slug": "guide", "locale": locale, "icon": "📘"}
            call(running, "POST", HANDBOOK + "/categories", body)
        for slug, status in (("shown", 1), ("draft", 0), ("kept", 2)):
            body = {"title": f"T <{slug}>", "slug": slug, "content": BODY, "author_id": 1, "category_id": 1}
            call(running, "POST", HANDBOOK + "/articles", body | {"status": status, "meta": {"tags": ["a", "b"]}})
        yield running


def page(sandbox, path):
    status, body = read(sandbox.base_url + path)
    return status, body.decode()


@pytest.mark.parametrize("slug", ["shown", "draft", "kept"])
def test_an_article_of_any_status_is_shown_as_the_portal_renders_it_with_the_ids_of_its_page_script(sandbox, slug):
    status, text = page(sandbox, f"/hc/handbook/articles/{slug}")
    assert status == 200
    assert f"<article>\n{add_anchors(render_html(BODY, Version.of(V4_10.version)))[0]}</article>" in text
    assert f"<title>T &lt;{slug}&gt; | Handbook</title>" in text
    assert '<meta name="tags" content="a, b">' in text


@pytest.mark.parametrize(
    "path",
    ["/hc/handbook/en", "/hc/handbook/en/categories/guide", "/hc/handbook/en/articles", "/hc/handbook/sitemap.xml"],
)
def test_lists_leave_drafts_and_archived_articles_out(sandbox, path):
    _, text = page(sandbox, path)
    assert "/hc/handbook/articles/shown" in text
    assert "articles/draft" not in text
    assert "articles/kept" not in text


def test_the_sandbox_has_a_list_of_everything_with_statuses_and_links(sandbox):
    status, text = page(sandbox, "/-/sandbox")
    assert status == 200
    links = dict(re.findall(r'href="/hc/handbook/articles/(\w+)".*?<span class="mark (\w+)"', text))
    assert links == {"shown": "published", "draft": "draft", "kept": "archived"}


def test_no_page_runs_a_script_or_asks_another_host(sandbox):
    for path in ("/hc/handbook/en", "/hc/handbook/en/categories/guide", "/hc/handbook/articles/shown", "/-/sandbox"):
        _, text = page(sandbox, path)
        assert "<script" not in text
        assert not re.search(r'(src|href)="(https?:)?//', text)


def test_visits_are_counted_for_published_articles_only(sandbox):
    for slug in ("shown", "shown", "draft"):
        assert read(f"{sandbox.base_url}/hc/handbook/articles/{slug}.png")[0] == 200
    assert [sandbox.panel.article(slug).views for slug in ("shown", "draft")] == [2, None]


def test_a_right_to_left_portal_is_written_from_right_to_left(sandbox):
    _, text = page(sandbox, "/hc/handbook/ar")
    assert '<html lang="ar" dir="rtl">' in text


def test_an_uncategorised_french_article_is_served_in_the_portals_language(sandbox):
    body = {"title": "F", "slug": "f", "content": "x", "author_id": 1, "locale": "fr"}
    call(sandbox, "POST", HANDBOOK + "/articles", body)
    assert '<html lang="en"' in page(sandbox, "/hc/handbook/articles/f")[1]
    sandbox.panel.edit("f", category_id=2)
    assert '<html lang="fr"' in page(sandbox, "/hc/handbook/articles/f")[1]


FRAME = Frame("P & Q", "/home", "pt_BR", "Title", (Link("en", "/en"), Link("pt_BR", "/pt", mark="current")))


def test_a_home_page_shows_its_sections_and_escapes_what_is_no_html():
    section = Section("A <b>", "/a", "📘", "d & e", (Link("One", "/one", "note", "draft"),))
    text = render(HomePage(FRAME, "How?", (section,), (Link("Loose", "/loose"),)))
    assert "A &lt;b&gt;" in text
    assert "d &amp; e" in text
    assert '<a href="/one">One</a> <span class="mark draft">rascunho</span> <span class="note">note</span>' in text
    assert '<a href="/loose">Loose</a>' in text
    assert '<html lang="pt-BR" dir="ltr">' in text
    assert '<a href="/pt" class="current" aria-current="true">pt_BR</a>' in text


def test_an_empty_home_and_an_empty_category_say_so():
    for empty in (HomePage(FRAME, "How?", ()), CategoryPage(FRAME, Section("S", ""))):
        assert "Ainda não há artigos." in render(empty)


def test_an_article_page_has_crumbs_a_byline_and_the_body_untouched():
    page = ArticlePage(FRAME, "T", "<p>a & b</p>", (Link("Guide", "/g"),), "Ada", "updated today", "draft")
    text = render(page)
    assert "<article>\n<p>a & b</p></article>" in text
    assert "Ada · updated today" in text
    assert '<a href="/g">Guide</a>' in text
    assert "picture" not in text.split("</style>")[1]


def test_a_missing_page_leads_home():
    assert '<a href="/home">Ir para P &amp; Q</a>' in render(MissingPage(FRAME))
