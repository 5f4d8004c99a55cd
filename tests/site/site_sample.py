"""kbsync's own help center as pages, made with as little code as will do; and pages that show what is rare."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import cache
from html import unescape
from pathlib import Path

import yaml

from kbsync.markdown.html import render_html
from kbsync.preview.article_body import mark_absent_images
from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.defuse import defuse
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
    Navigation,
    OverviewPage,
    Page,
    Section,
)
from kbsync.site.reader_words import words_of
from kbsync.site.writer_panel import Choice, Command, Writer, WriterDiff, WriterFinding, WriterTranslation

CONTENT = Path(__file__).parent.parent.parent / "content"
LOCALES = ("en", "fr")
PORTAL = "kbsync Handbook"


def frame(locale: str, title: str, url: str, *, others: dict[str, str] | None = None) -> Frame:
    """The frame of a page with everything switched on; `others` are the same page's addresses in other locales."""
    others = others or {}
    links = tuple(
        Link(language_name(code), url, mark="current")
        if code == locale
        else Link(language_name(code), others.get(code, f"/{code}/"), "" if code in others else "not translated")
        for code in LOCALES
    )
    return Frame(
        PORTAL,
        f"/{locale}/",
        locale,
        f"{title} | {PORTAL}",
        links,
        (),
        f"/-/search/{locale}.json",
        "/-/assets",
        "/-/events",
    )


def read(path: Path) -> tuple[dict[str, object], str]:
    """Front matter and body of a source."""
    _, front, body = path.read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(front), body


def body(markdown: str, *, media: bool = False) -> tuple[str, tuple[object, ...]]:
    """The HTML of an article and its headings."""
    html, toc = add_anchors(render_html(markdown))
    words = words_of("en")
    shown = mark_absent_images(defuse(html, words, media=media), words, present="/-/files/")
    return dress_code(shown, words, copies=True), toc


def whole_site() -> dict[str, Page]:
    """Every page of content/ by its address, in a dict of the caller's own."""
    return dict(_whole_site())


@cache
def _whole_site() -> dict[str, Page]:
    pages: dict[str, Page] = {}
    category_keys = {(locale, folder.name) for locale in LOCALES for folder in sorted((CONTENT / locale).iterdir())}
    for locale in LOCALES:
        sections = [
            _shelf(pages, locale, name, category_keys) for code, name in sorted(category_keys) if code == locale
        ]
        sections.sort(key=lambda pair: pair[0])
        home = frame(locale, "Home", f"/{locale}/", others={code: f"/{code}/" for code in LOCALES})
        heading = "How can we help?" if locale == "en" else "Comment pouvons-nous vous aider ?"
        home = replace(home, writer=Writer(counts=COUNTS))
        _name_categories(pages, locale, [section for _, section in sections])
        pages[f"/{locale}/"] = HomePage(home, heading, tuple(section for _, section in sections))
    pages["/-/overview"] = _overview(pages)
    pages["/-/findings"] = findings_list()
    return pages


def _shelf(pages: dict[str, Page], locale: str, name: str, category_keys: set[tuple[str, str]]) -> tuple[int, Section]:
    folder = CONTENT / locale / name
    meta, _ = read(folder / "_category.md")
    sources = [(path, *read(path)) for path in sorted(folder.glob("[!_]*.md"))]
    sources.sort(key=lambda found: found[1].get("position", 999))
    links = [
        Link(
            str(front["title"]),
            f"/{locale}/articles/{path.stem}",
            mark=_mark(front),
            about=str(front.get("description", "")),
        )
        for path, front, _ in sources
    ]
    url = f"/{locale}/categories/{name}"
    section = Section(str(meta["name"]), url, str(meta.get("icon", "")), str(meta.get("description", "")), tuple(links))
    others = {code: f"/{code}/categories/{name}" for code in LOCALES if (code, name) in category_keys}
    crumb = Link(PORTAL, f"/{locale}/")
    pages[url] = CategoryPage(frame(locale, section.name, url, others=others), section, (crumb,))
    for place, (path, front, text) in enumerate(sources):
        others = {
            code: f"/{code}/articles/{path.stem}" for code in LOCALES if (CONTENT / code / name / path.name).exists()
        }
        html, toc = body(text)
        pages[links[place].url] = ArticlePage(
            replace(
                frame(locale, links[place].text, links[place].url, others=others),
                writer=_writer(path, front, html, others),
            ),
            links[place].text,
            html,
            (crumb, Link(section.name, url)),
            "Ana Lima",
            words_of(locale).filled("updated", date=words_of(locale).long_date(date(2026, 3, 14))),
            _mark(front),
            toc=toc,
            previous=links[place - 1] if place else None,
            next=links[place + 1] if place + 1 < len(links) else None,
            translations=tuple(
                Link(str(read(CONTENT / code / name / path.name)[0]["title"]), address, language_name(code))
                for code, address in others.items()
                if code != locale
            ),
            description=links[place].about,
            nav=Navigation(
                Link(section.name, url),
                tuple(replace(link, mark="current") if link == links[place] else link for link in links),
            ),
        )
    return int(meta.get("position", 999)), section


def _name_categories(pages: dict[str, Page], locale: str, sections: list[Section]) -> None:
    """Put all categories beside each of them."""
    for at in sections:
        links = tuple(Link(one.name, one.url, mark="current" if one == at else "") for one in sections)
        page = pages[at.url]
        assert isinstance(page, CategoryPage)
        pages[at.url] = replace(page, nav=Navigation(Link(PORTAL, f"/{locale}/"), links))


def _mark(front: dict[str, object]) -> str:
    status = str(front.get("status", "draft"))
    return "" if status == "published" else status


def _writer(path: Path, front: dict[str, object], html: str, others: dict[str, str]) -> Writer:
    name = path.relative_to(CONTENT).as_posix()
    locale = name.split("/")[0]
    return Writer(
        str(front.get("status", "draft")),
        name,
        path.stem,
        f"https://support.example.com/hc/handbook/articles/{path.stem}",
        f"vscode://file/handbook/content/{name}:1:1",
        findings_of_article(name),
        (
            WriterFinding(
                "warning",
                "KB401",
                "The portal drops raw HTML: `<br>`.",
                "Leave an empty line instead.",
                31,
                8,
                f"vscode://file/{name}:31:8",
                block=4,
                is_hidden=True,
            ),
        ),
        tuple(_translation(code, name, others) for code in LOCALES if code != locale),
        WriterDiff(
            "Compared with the portal a moment ago: 2 fields differ.",
            (
                ("description", "From a folder to a draft.", str(front.get("description", ""))),
                ("position", "", str(front.get("position", ""))),
            ),
            '<div class="pair names"><span>On the portal</span><span>Your file</span></div>'
            '<div class="pair"><div class="old">It takes about <del>twenty</del> minutes.</div>'
            '<div class="new">It takes about <ins>ten</ins> minutes.</div></div>'
            '<div class="pair code"><div class="old">| Command | Does |</div>'
            '<div class="new">| Command | Does <ins>what</ins> |</div></div>',
            ("Needs your decision: edited in the panel (description).",),
            (
                Command("Send your file", f"kbsync resolve {name} --ours"),
                Command("Keep the portal's value", f"kbsync resolve {name} --theirs"),
                Command("Put the portal's value into your file", f"kbsync resolve {name} --into-file"),
            ),
        ),
    )


def _translation(code: str, name: str, others: dict[str, str]) -> WriterTranslation:
    if code in others:
        return WriterTranslation(code, "fresh", others[code])
    return WriterTranslation(code, "missing", path=f"{code}/{name.partition('/')[2]}", owed="350 words to translate.")


def findings_of_article(name: str) -> tuple[WriterFinding, ...]:
    """One error and one warning."""
    return (
        WriterFinding(
            "error",
            "KB107",
            "Unknown key `titel`.",
            "Did you mean `title`?",
            3,
            1,
            f"vscode://file/{name}:3:1",
        ),
        WriterFinding(
            "warning",
            "KB301",
            "`en/billing/refund.md` does not exist.",
            "Correct the path. Readers would get a dead link.",
            24,
            17,
            f"vscode://file/{name}:24:17",
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
    files = (
        FindingsOfFile("en/writing/slugs.md", "/en/articles/slugs", "", findings_of_article("en/writing/slugs.md")),
        FindingsOfFile(
            "en/writing/links.markdown",
            "",
            "vscode://file/handbook/content/en/writing/links.markdown:1:1",
            (
                WriterFinding(
                    "warning", "KB117", "kbsync reads only files that end in `.md`.", "Rename it to `links.md`."
                ),
            ),
        ),
    )
    level = (
        Choice("All (3)", "/-/findings", is_current=True),
        Choice("Errors (1)", "/-/findings?level=error", "error"),
        Choice("Warnings (2)", "/-/findings?level=warning", "warning"),
    )
    frame_of_list = frame("en", "Errors and warnings", "/-/findings")
    return FindingsPage(
        frame_of_list, "Errors and warnings", "1 error and 2 warnings in 2 files.", (("Level", level),), files
    )


def _overview(pages: dict[str, Page]) -> OverviewPage:
    sections = tuple(
        Section(
            language_name(locale),
            f"/{locale}/",
            articles=tuple(
                Link(page.title, url, url.rpartition("/")[2], page.status or "published")
                for url, page in pages.items()
                if isinstance(page, ArticlePage) and page.frame.locale == locale
            ),
        )
        for locale in LOCALES
    )
    return OverviewPage(frame("en", "Everything", "/-/overview"), "All articles", sections)


def missing(url: str) -> MissingPage:
    """What stands at an address where nothing is."""
    near = (Link("Your first push", "/en/articles/first-push"), Link("Pushing", "/en/articles/pushing"))
    return MissingPage(frame("en", "Page not found", url), near)


def search_rows(pages: dict[str, Page], locale: str) -> list[list[str]]:
    """The search index of a locale."""
    return [
        [url, page.title, "", page.crumbs[-1].text, _plain(page.body_html)]
        for url, page in pages.items()
        if isinstance(page, ArticlePage) and page.frame.locale == locale
    ]


def _plain(html: str) -> str:
    words = re.sub(r"</?(?:a|code|em|strong|sup)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split())
