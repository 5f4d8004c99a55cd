"""Pages as text: what is in them for whom, and that nothing of a file becomes markup."""

import re
from dataclasses import replace

import html5lib
import pytest
from site_sample import missing, whole_site

from kbsync.site.assets import ASSETS, asset, packed_asset
from kbsync.site.languages import language_name
from kbsync.site.pages import (
    ArticlePage,
    CategoryPage,
    FindingsOfFile,
    FindingsPage,
    Frame,
    HomePage,
    Link,
    MissingPage,
    OverviewPage,
    Section,
    TocEntry,
    render,
    render_live,
)
from kbsync.site.writer_panel import (
    Broken,
    Choice,
    Command,
    Writer,
    WriterDiff,
    WriterFinding,
    WriterTranslation,
)

HOSTILE = """</title></style></script><script>alert(1)</script>" onload="alert(1)' x='"""
PLAIN = Frame("P", "/", "en", "T")
FULL = Frame(
    "P", "/", "en", "T", (), (), "/-/search/en.json", "/-/assets", "/-/events", Writer("draft", "en/a.md", "a")
)
LINK = Link(HOSTILE, "/a", HOSTILE, "", HOSTILE)


HOSTILE_FINDING = WriterFinding("error", HOSTILE, HOSTILE + "`<b>`", HOSTILE, 1, 1, "vscode://file/x")


def every_kind(frame: Frame):
    section = Section(HOSTILE, "/c", HOSTILE, HOSTILE, (LINK, LINK))
    toc = (TocEntry(2, HOSTILE, "a"), TocEntry(3, HOSTILE, ""))
    filters = ((HOSTILE, (Choice(HOSTILE, "/x", HOSTILE),)),)
    files = (FindingsOfFile(HOSTILE, "/x", "", (HOSTILE_FINDING,)),)
    return [
        HomePage(frame, HOSTILE, (section,), (LINK,)),
        CategoryPage(frame, section, (LINK,)),
        ArticlePage(frame, HOSTILE, "<p>body</p>", (LINK,), HOSTILE, HOSTILE, HOSTILE, "", toc, LINK, LINK, (LINK,)),
        MissingPage(frame, (LINK,)),
        OverviewPage(frame, HOSTILE, (section,), (Choice(HOSTILE, "/x"),)),
        FindingsPage(frame, HOSTILE, HOSTILE, filters, files, LINK, LINK),
    ]


def hostile_writer() -> Writer:
    finding = replace(HOSTILE_FINDING, is_hidden=True)
    diff = WriterDiff(HOSTILE, ((HOSTILE,) * 3,), "<ins>a</ins>", (HOSTILE,), (Command(HOSTILE, HOSTILE),))
    return Writer(
        *(HOSTILE, HOSTILE, HOSTILE, HOSTILE, "vscode://file/x"),
        findings=(HOSTILE_FINDING,),
        hidden=(finding,),
        translations=(WriterTranslation(HOSTILE, HOSTILE, "/x", path=HOSTILE, owed=HOSTILE),),
        diff=diff,
        broken=Broken(HOSTILE, HOSTILE, "vscode://file/x"),
        counts=(Choice(HOSTILE, "/x"),),
    )


def elements(html: str):
    return [e for e in html5lib.parse(html, namespaceHTMLElements=False).iter() if isinstance(e.tag, str)]


def test_no_text_becomes_markup_on_any_page():
    frame = replace(
        FULL, portal=HOSTILE, title=HOSTILE, locales=(LINK,), head=((HOSTILE, HOSTILE),), writer=hostile_writer()
    )
    for page in every_kind(frame):
        for element in elements(render(page)):
            assert not [name for name in element.attrib if name.startswith("on") and name != "on"]
            assert element.tag != "script" or element.get("src", "").startswith("/-/assets/")


def test_a_page_with_assets_has_no_script_and_no_style_of_its_own():
    for page in [*every_kind(FULL), *whole_site().values()]:
        for element in elements(render(page)):
            assert element.tag != "style"
            assert "style" not in element.attrib
            assert element.tag != "script" or not (element.text or "").strip()


def test_a_page_without_assets_carries_its_style_and_runs_no_script():
    for page in every_kind(PLAIN):
        tags = [element.tag for element in elements(render(page))]
        assert tags.count("style") == 1
        assert not {"script", "button", "input"} & set(tags)


def test_what_a_change_may_change_is_the_inner_html_of_one_element_to_the_byte():
    for page in [*every_kind(FULL), *every_kind(PLAIN)]:
        text = render(page)
        start = re.search(r'<div id="live" data-page="[^"]*">', text)
        assert text[start.end() :] == render_live(page) + "</div>\n</body>\n</html>\n"
        assert "</header>\n<div id=" in text[: start.end()]


def test_the_body_of_an_article_stands_in_its_element_to_the_byte():
    body = "<p>a &amp; b</p>\n<pre><code>  x\n\n</code></pre>\n"
    assert f"<article>\n{body}</article>" in render(ArticlePage(FULL, "T", body))


def test_a_page_knows_its_own_address_from_the_languages():
    frame = replace(FULL, locales=(Link("English", "/en/a", mark="current"), Link("Français", "/fr/b")))
    assert '<div id="live" data-page="/en/a">' in render(MissingPage(frame))


def test_a_language_without_a_translation_says_so():
    locales = (Link("English", "/en/a", mark="current"), Link("Français", "/fr/", "not translated"))
    frame = replace(FULL, locales=locales)
    assert re.search(r'<a href="/fr/">Français</a><span class="note">not translated</span>', render(MissingPage(frame)))


def test_messages_show_what_stands_between_backticks_as_code():
    finding = WriterFinding("error", "KB1", "no `<x>` here", "try `y`")
    html = render_live(MissingPage(replace(FULL, writer=Writer(path="en/a.md", findings=(finding,)))))
    assert "no <code>&lt;x&gt;</code> here" in html
    assert "try <code>y</code>" in html


def test_the_layer_tells_the_gravest_level_of_its_findings():
    error, warning = WriterFinding("error", "a", "b"), WriterFinding("warning", "a", "b")
    assert Writer(findings=(warning,), hidden=(error,)).level == "error"
    assert Writer(hidden=(warning,)).level == "warning"
    assert Writer().level == ""


def test_a_broken_source_is_told_over_the_last_good_page():
    writer = Writer("draft", "en/a.md", broken=Broken("en/a.md:3: `x`"))
    html = render_live(ArticlePage(replace(FULL, writer=writer), "T", "<p>old</p>"))
    assert html.index("The page shows the last version without this error.") < html.index("<p>old</p>")


def test_the_contents_are_indented_from_their_highest_level_and_left_out_for_one_heading():
    toc = (TocEntry(2, "A", "a"), TocEntry(3, "B", "b"))
    html = render_live(ArticlePage(FULL, "T", "", toc=toc))
    assert '<li class="level-1"><a href="#a"' in html
    assert '<li class="level-2"><a href="#b"' in html
    assert "On this page" not in render_live(ArticlePage(FULL, "T", "", toc=toc[:1]))


def test_what_is_said_around_a_page_is_in_its_language():
    html = render(MissingPage(replace(FULL, locale="fr", locales=(LINK,))))
    for words in ("Langue: ", "Page introuvable", 'placeholder="Rechercher"', "Aller au contenu", "Clair ou sombre"):
        assert words in html


def test_a_missing_page_suggests():
    html = render_live(missing("/en/articles/nothing"))
    assert '<a href="/en/articles/first-push">Your first push</a>' in html


def test_every_asset_is_there_with_its_type_and_nothing_else_is():
    for name, kind in ASSETS.items():
        body, said = asset(name)
        assert body
        assert said == kind
    with pytest.raises(KeyError):
        asset("../pages.py")


@pytest.mark.parametrize("url", ["/en/", "/en/articles/first-push", "/-/findings"])
def test_styles_and_scripts_of_a_first_page_are_light_with_the_panel_and_the_stream_too(url):
    names = re.findall(r'(?:href|src)="/-/assets/([^"]+)"', render(whole_site()[url]))
    assert {"style.css", "writer.css", "live.js"} < set(names)
    assert sum(len(asset(name)[0]) for name in names) < 60_000
    assert sum(len(packed_asset(name)) for name in names) < 20_000


def test_no_asset_asks_for_anything_from_elsewhere():
    for name in ASSETS:
        assert not re.search(rb"https?://|@import|url\(", asset(name)[0]), name


@pytest.mark.parametrize(
    ("locale", "name"),
    [("en", "English"), ("pt_BR", "Português (BR)"), ("zh-Hant", "中文 (Hant)"), ("tlh", "tlh"), ("", "")],
)
def test_a_language_has_its_own_name(locale, name):
    assert language_name(locale) == name
