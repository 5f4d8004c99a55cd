"""kbsync's own help center as pages, as the preview shows it, with somebody who writes it; and pages that show what is rare."""

import json
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

from kbsync.config import read_settings
from kbsync.content.tree import read_tree
from kbsync.markdown.html import render_html
from kbsync.preview.article_body import mark_absent_images
from kbsync.preview.checking import Project
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import Texts, encode_index, of_locale
from kbsync.preview.views import View
from kbsync.service.profile import read_profile
from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.defuse import defuse
from kbsync.site.languages import language_name
from kbsync.site.pages import ArticlePage, FindingsOfFile, FindingsPage, Frame, Link, MissingPage, Page
from kbsync.site.reader_words import words_of
from kbsync.site.writer_panel import Choice, Command, Writer, WriterDiff, WriterFinding, WriterTranslation

CONTENT = Path(__file__).parent.parent.parent / "content"
LOCALES = ("en", "fr")
PORTAL = "Handbook"
WORDS: Texts = {}
"""What was read once for the search is not read again."""


def frame(locale: str, title: str, url: str) -> Frame:
    """The frame of a page with everything switched on, which is in one language alone."""
    links = tuple(
        Link(language_name(code), url, mark="current")
        if code == locale
        else Link(language_name(code), f"/{code}/", "not translated")
        for code in LOCALES
    )
    search, assets, events = f"/-/search/{locale}.json", "/-/assets", "/-/events"
    return Frame(PORTAL, f"/{locale}/", locale, f"{title} | {PORTAL}", links, (), search, assets, events)


def body(markdown: str) -> tuple[str, tuple[object, ...]]:
    """The HTML of an article and its headings."""
    html, toc = add_anchors(render_html(markdown))
    words = words_of("en")
    shown = mark_absent_images(defuse(html, words, media=False), words, present="/-/files/")
    return dress_code(shown, words, copies=True), toc


def whole_site() -> dict[str, Page]:
    """Every page of content/ by its address, in a dict of the caller's own."""
    return dict(_whole_site())


@cache
def _live_tree() -> LiveTree:
    settings = read_settings(CONTENT.parent / "kbsync.toml", environ={})
    project = Project(settings, read_profile(settings.service.profile, folder=CONTENT.parent))
    return LiveTree(project, read_tree(CONTENT, memory=None))


@cache
def _whole_site() -> dict[str, Page]:
    view = View(_live_tree())
    articles = {path: view.article(path, media=False) for path in view.live_tree.index.site.articles}
    pages: dict[str, Page] = {
        view.live_tree.index.url_of[path]: _written(path, page) for path, page in articles.items()
    }
    for locale, heading in (("en", "How can we help?"), ("fr", "Comment pouvons-nous vous aider ?")):
        home = view.home(locale)
        pages |= {section.url: view.page_at(section.url) for section in home.sections}
        pages[f"/{locale}/"] = replace(home, heading=heading, frame=replace(home.frame, writer=Writer(counts=COUNTS)))
    # The screenshots of the docs ask for the French article by the name of its file.
    pages["/fr/articles/first-push"] = pages["/fr/articles/premier-push"]
    return pages | {"/-/overview": view.overview(), "/-/findings": findings_list()}


def _written(path: str, page: ArticlePage) -> ArticlePage:
    """An article with somebody who wrote it, on some day, and with the writer's layer."""
    words = words_of(page.frame.locale)
    day = words.filled("updated", date=words.long_date(date(2026, 3, 14)))
    return replace(page, author="Ana Lima", updated=day, frame=replace(page.frame, writer=_writer(path, page)))


def _writer(name: str, page: ArticlePage) -> Writer:
    source, stem = _live_tree().sources[name], Path(name).stem
    hidden = "The portal drops raw HTML: `<br>`.", "Leave an empty line instead.", 31, 8, f"vscode://file/{name}:31:8"
    changes = (
        ("description", "From a folder to a draft.", page.description),
        ("position", "", str(source.position or "")),
    )
    commands = (
        Command("Send your file", f"kbsync resolve {name} --ours"),
        Command("Keep the portal's value", f"kbsync resolve {name} --theirs"),
        Command("Put the portal's value into your file", f"kbsync resolve {name} --into-file"),
    )
    decision = ("Needs your decision: edited in the panel (description).",)
    return Writer(
        source.status or "draft",
        name,
        stem,
        f"https://support.example.com/hc/handbook/articles/{stem}",
        f"vscode://file/handbook/content/{name}:1:1",
        findings_of_article(name),
        (WriterFinding("warning", "KB401", *hidden, block=4, is_hidden=True),),
        tuple(_translation(code, name, page) for code in LOCALES if code != page.frame.locale),
        WriterDiff("Compared with the portal a moment ago: 2 fields differ.", changes, DIFFERENCE, decision, commands),
    )


DIFFERENCE = """\
<div class="pair names"><span>On the portal</span><span>Your file</span></div>\
<div class="pair"><div class="old">It takes about <del>twenty</del> minutes.</div>\
<div class="new">It takes about <ins>ten</ins> minutes.</div></div>\
<div class="pair code"><div class="old">| Command | Does |</div>\
<div class="new">| Command | Does <ins>what</ins> |</div></div>"""


def _translation(code: str, name: str, page: ArticlePage) -> WriterTranslation:
    for other in page.translations:
        return WriterTranslation(code, "fresh", other.url)
    return WriterTranslation(code, "missing", path=f"{code}/{name.partition('/')[2]}", owed="350 words to translate.")


def findings_of_article(name: str) -> tuple[WriterFinding, ...]:
    """One error and one warning."""
    place, dead = f"vscode://file/{name}:3:1", "Correct the path. Readers would get a dead link."
    return (
        WriterFinding("error", "KB107", "Unknown key `titel`.", "Did you mean `title`?", 3, 1, place),
        WriterFinding(
            *(
                "warning",
                "KB301",
                "`en/billing/refund.md` does not exist.",
                dead,
                24,
                17,
                f"vscode://file/{name}:24:17",
            ),
            block=2,
        ),
    )


COUNTS = (
    Choice("1 error", "/-/findings?level=error", "error"),
    Choice("12 warnings", "/-/findings?level=warning", "warning"),
    Choice("60 articles", "/-/overview"),
    Choice("3 drafts", "/-/overview?show=drafts"),
)
"""How all files are."""


def findings_list() -> FindingsPage:
    """The list of all errors and warnings."""
    unread = WriterFinding("warning", "KB117", "kbsync reads only files that end in `.md`.", "Rename it to `links.md`.")
    editor = "vscode://file/handbook/content/en/writing/links.markdown:1:1"
    files = (
        FindingsOfFile("en/writing/slugs.md", "/en/articles/slugs", "", findings_of_article("en/writing/slugs.md")),
        FindingsOfFile("en/writing/links.markdown", "", editor, (unread,)),
    )
    level = (
        Choice("All (3)", "/-/findings", is_current=True),
        Choice("Errors (1)", "/-/findings?level=error", "error"),
        Choice("Warnings (2)", "/-/findings?level=warning", "warning"),
    )
    title, summary = "Errors and warnings", "1 error and 2 warnings in 2 files."
    return FindingsPage(frame("en", title, "/-/findings"), title, summary, (("Level", level),), files)


def missing(url: str) -> MissingPage:
    """What stands at an address where nothing is."""
    near = (Link("Your first push", "/en/articles/first-push"), Link("Pushing", "/en/articles/pushing"))
    return MissingPage(frame("en", "Page not found", url), near)


def search_rows(_pages: dict[str, Page], locale: str) -> list[list[str]]:
    """The search index of a locale."""
    return json.loads(encode_index(CONTENT, of_locale(_live_tree(), locale), WORDS))["articles"]
