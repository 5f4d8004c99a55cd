"""What one open page is told."""

import asyncio

from kbsync.preview.subscribers import Subscribers, Tab
from kbsync.site.pages import ArticlePage, Frame, MissingPage, Page
from preview.workshop import in_a_loop

FRAME = Frame("Handbook", "/en/", "en", "Refunds")


def sent(tab: Tab, *, at_the_very_end: bool = False) -> list[bytes]:
    """Everything that a stream sends until its end."""

    async def collect() -> list[bytes]:
        found, stopping = [], asyncio.Event()
        if at_the_very_end:
            stopping.set()
        async for message in tab.messages(stopping):
            found.append(message)
            if not tab._waiting:
                stopping.set()
        return found

    return in_a_loop(collect())


def show(tab: Tab, *htmls: str) -> None:
    for html in htmls:
        tab.show(ArticlePage(FRAME, "Refunds", html), html)


def test_what_it_shows_already_is_not_sent_again():
    tab = Tab("/en/articles/refunds", media=False)
    show(tab, "one")
    tab._waiting.clear()
    show(tab, "one")
    assert tab._waiting == {}


def test_a_browser_that_sleeps_gets_the_last_state_alone():
    tab = Tab("/en/articles/refunds", media=False)
    show(tab, "one", "two", "three")
    tab.send("search", {"revision": 1})
    tab.send("search", {"revision": 2})
    page, search = sent(tab)
    assert b"three" in page
    assert search == b'event: search\ndata: {"revision":2}\n\n'


def test_a_page_that_went_and_came_back_is_there():
    tab = Tab("/en/articles/refunds", media=False)
    show(tab, "one")
    tab.show(MissingPage(FRAME), "nothing")
    assert list(tab._waiting) == ["gone"]
    show(tab, "one")
    assert list(tab._waiting) == ["page"]


def test_a_page_that_is_opened_at_the_very_end_ends_at_once():
    def page_at(_url: str, *, media: bool) -> Page:
        return MissingPage(FRAME)

    assert sent(Subscribers(page_at).open("/en/", media=False), at_the_very_end=True) == []
